"""How does a solver of SciPy's run while the code around it is traced, and the functions that it is given?

The solver is the original and runs on plain numbers, once. What the user's functions return to it is plain,
too: within a solver nothing is recorded. ``Call`` is one call of such a function of SciPy's.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import functools
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from ... import errors
from ...eager.numpy_protocol import run
from ...eager.state import state
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from ...errors import SolutionWarning, UnsupportedError
from ..ends import INSIDE
from ..replacements import replacements
from ..traced_array import Traced, births, plain
from .implicit import Refused, Solution

CLOSE = 1e-3  # an error that is larger, relative to the solution, is told
Place = tuple[str, int, str]
place_of_call: ContextVar[Place | None] = ContextVar("place_of_call", default=None)


class Call:
    """One call: ``options`` are the arguments by their names, defaults among them."""

    def __init__(self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.original, self.name = original, original.__name__
        self.kept: list[Any] = []  # what was made while the solver ran, as weak references
        self.bound = signature(original).bind(*args, **kwargs)
        given = inspect.BoundArguments(self.bound.signature, dict(self.bound.arguments))
        given.apply_defaults()
        self.options: dict[str, Any] = dict(given.arguments)

    def args(self) -> tuple[Any, ...]:
        """What the user's functions get beside what the solver gives them."""
        found = self.options.get("args", ())
        return found if isinstance(found, tuple) else () if found is None else (found,)

    def solve(self, **changed: Any) -> Any:
        """What the original returns, on plain numbers; ``changed``: arguments of another value."""
        self.bound.arguments.update(changed)
        for name, value in self.bound.arguments.items():
            self.bound.arguments[name] = value if name == "args" else bare(value)
        before = len(births.made or ())
        try:
            with untraced():
                return self.original(*self.bound.args, **self.bound.kwargs)
        finally:
            self.kept += (births.made or [])[before:]

    def refuse_kept(self, value: Any) -> None:
        """What the functions computed for the solver and have stored somewhere has no derivative.

        It is that of the way that the solver took; ``value`` stands where the result does in the graph.
        """
        node, nr = edge_of(value) if isinstance(value, Tensor) else (None, 0)
        for reference in self.kept if node is not None else ():
            t = reference()
            if t is not None and edge_of(t)[0] is None:
                what = f"a value that a function has stored while `{self.name}` ran"
                t._node, t._nr, t._requires_grad = Refused(what, t._array, (node, nr)), 0, True
        self.kept = []

    def warn(self, text: str) -> None:
        """Tell that the derivative can't be trusted, at the user's line."""
        filename, line, function = place_of_call.get() or user_place()
        warnings.warn_explicit(
            f"`{self.name}` at {filename}:{line}, in {function}: {text}", SolutionWarning, filename, line
        )

    def trust(self, solution: Solution, converged: bool, message: str = "") -> None:
        """Warn unless the equation is solved, and has one solution nearby."""
        size = float(np.max(np.abs(solution.residual), initial=0.0))
        told = f"the residual is {size:.3g}"
        if not np.all(np.isfinite(solution.x)) or not np.isfinite(size):
            self.warn(f"the solution or its residual ({size:.3g}) is not finite: it has no derivative")
        elif not converged:
            self.warn(f"the solver did not converge{message and f' ({message})'}; {told}. {UNTRUSTED}")
        elif solution.linear.singular:
            what = "a flat direction" if solution.least else "a singular Jacobian"
            self.warn(f"the solution has {what}; {told}. {SINGULAR if solution.least else NONE}")
        else:
            step = solution.linear.step()
            if np.any(np.abs(step) > CLOSE * (1.0 + np.abs(solution.x))):
                far = float(np.max(np.abs(step)))
                self.warn(f"{told}, and the solution of the equation about {far:.3g} away. {UNTRUSTED}")

    def refuse(self, what: str, why: str, fix: str) -> UnsupportedError:
        return UnsupportedError(f"`{self.name}` {what}", why=why, fix=fix)


UNTRUSTED = "The derivative is that of the equation at this point, and can't be trusted."
SINGULAR = "Along it the derivative is taken to be zero."
NONE = "It has no derivative, which is NaN."


@functools.cache
def signature(original: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(original)


def user_place() -> Place:
    """The line of the user's own code that is being run."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and INSIDE.search(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


# ----- values
def bare(value: Any) -> Any:
    """A value for a solver: what is traced in it is plain, and its functions return plain values."""
    if isinstance(value, Tensor):
        found = plain(value)
        return found.copy() if type(found) is np.ndarray else found
    if type(value) in (list, tuple):
        return type(value)(map(bare, value))
    if type(value) is dict:
        return {key: bare(item) for key, item in value.items()}
    kind = type(value)
    if kind.__module__.startswith("scipy.optimize") and hasattr(value, "__dict__"):  # Bounds, constraints
        changed = copy.copy(value)
        changed.__dict__.update({name: bare(item) for name, item in vars(value).items()})
        return changed
    return plain_function(value) if callable(value) and not isinstance(value, type) else value


def plain_function(function: Any) -> Any:
    """The function for a solver."""

    @functools.wraps(function)  # with its attributes: those of an event say whether it ends the run
    def call(*args: Any, **kwargs: Any) -> Any:
        with unrecorded(traced):
            return stripped(function(*args, **kwargs))

    traced = state.tracing
    return call


def stripped(value: Any) -> Any:
    """What a function returned, plain."""
    if isinstance(value, Tensor):
        return plain(value)
    if type(value) in (list, tuple):
        return type(value)(map(stripped, value))
    return value


@contextmanager
def untraced() -> Iterator[None]:
    """Code of a library runs, on plain numbers, as if nothing were traced."""
    before, state.tracing = state.tracing, 0
    try:
        yield
    finally:
        state.tracing = before


@contextmanager
def unrecorded(traced: int) -> Iterator[None]:
    """The user's code runs, whose values may be traced, and nothing of it is kept."""
    before = state.tracing, state.grad
    state.tracing, state.grad = traced, False
    try:
        yield
    finally:
        state.tracing, state.grad = before


@contextmanager
def tried() -> Iterator[None]:
    """The user's code runs where the solver has not called it: what it raises there is nobody's."""
    made, errors.made.errors = errors.made.errors, []
    try:
        with unrecorded(state.tracing), contextlib.suppress(Exception):
            yield
    finally:
        errors.made.errors = made


def traced_array(value: Any) -> Any:
    """An array of what a function returned: a number, an array, or a list of them."""
    return replacements()[id(np.asarray)][1](value)


def standing_for(value: Any, recorded: Any) -> Any:
    """The plain value at the place of the graph that a recorded one of the same shape has."""
    if not isinstance(recorded, Tensor):
        return value
    at = run(np.reshape, (recorded, np.shape(value)), {})
    found = Traced._of(np.array(value, plain(at).dtype) if isinstance(value, np.ndarray) else value)
    node, nr = edge_of(at)
    if node is not None and isinstance(found, Tensor):
        found._node, found._nr, found._requires_grad = node, nr, True
    return found


def without_derivative(value: Any, like: Any, name: str) -> Any:
    """A result of a solver whose derivative is not known, where the solution depends on something."""
    if not isinstance(value, (float, np.floating, np.ndarray)) or np.result_type(value).kind != "f":
        return value
    node = edge_of(like)[0] if isinstance(like, Tensor) else None
    if node is None:
        return value
    found = Traced._of(value.copy() if isinstance(value, np.ndarray) else value)
    found._node, found._nr, found._requires_grad = Refused(name, found._array, (node, 0)), 0, True
    return found


def replaced_fields(value: Any, **fields: Any) -> Any:
    """A result object of SciPy's with other values in some fields."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **fields)
    for name, field in fields.items():
        setattr(value, name, field)
    return value
