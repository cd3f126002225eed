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
import weakref
from collections.abc import Callable, Container, Iterable, Iterator
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
from ...homes import home_of
from ..births import births
from ..ends import INSIDE
from ..refused_nodes import Refused
from ..replacements import replacements
from ..traced_array import Traced, plain
from .implicit import Solution
from .tried_points import Tried

UNPACKING = {
    *("newton", "fixed_point", "least_squares", "solve_ivp", "fminbound"),
    *("fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_l_bfgs_b", "fmin_tnc", "fmin_slsqp"),
}
"""The solvers that call ``f(x, *args)`` whatever ``args`` is; to others a list is one argument."""
CLOSE = 1e-3  # an error that is larger, relative to the solution, is told
Place = tuple[str, int, str]
place_of_call: ContextVar[Place | None] = ContextVar("place_of_call", default=None)


class Call:
    """One call: ``options`` are the arguments by their names, defaults among them."""

    def __init__(self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.original, self.name = original, original.__name__
        self.to_first_order = False  # whether a pullback that has none of its own will do
        self.is_of_first_order = False  # and is what was made
        self.varies = True  # whether what is found depends on anything
        self.unknown: list[Refused] = []  # the nodes of what was stored meanwhile
        self.tried = Tried()
        # By a name that the signature does not have: `seed`, before SciPy 1.16, or what will be refused.
        self.unbound = {name: bare(kwargs[name]) for name in names_beyond(original, kwargs)}
        named = {name: value for name, value in kwargs.items() if name not in self.unbound}
        self.bound = signature(original).bind(*args, **named)
        given = inspect.BoundArguments(self.bound.signature, dict(self.bound.arguments))
        given.apply_defaults()
        self.options: dict[str, Any] = dict(given.arguments)

    def args(self) -> tuple[Any, ...]:
        """What the user's functions get beside what the solver gives them."""
        found = self.options.get("args", ())
        if found is None and self.bound.signature.parameters["args"].default is None:
            return ()
        unpacks = self.name in UNPACKING and isinstance(found, Iterable) and not isinstance(found, dict)
        return tuple(found) if unpacks or isinstance(found, tuple) else (found,)  # which may be None

    def solve(self, watched: str = "", /, **changed: Any) -> Any:
        """What the original returns, on plain numbers.

        ``watched``: the argument that is the function to make small. ``changed``: arguments of another value.
        """
        values = self.bound.arguments
        values.update(changed)
        self.make_bare(values)
        if watched and state.grad:
            values[watched] = self.tried.watching(values[watched])
        with self.unknown_stores(), untraced():
            return self.original(*self.bound.args, **self.bound.kwargs, **self.unbound)

    def make_bare(self, values: dict[str, Any]) -> None:
        """Turn arguments of the solver into plain ones, in place."""
        given = {id(value) for value in (*values.values(), *self.args())}
        for name, value in values.items():
            values[name] = value if name == "args" else bare(value, given)

    def value_of(self, function: Any, x: Any, args: tuple[Any, ...]) -> Any:
        """``function(x, *args)``, plain, where the solver has not been."""
        return bare(traced_array(function(noticed(x), *args)))

    @contextmanager
    def unknown_stores(self) -> Iterator[None]:
        """What the user's functions store somewhere, or write to an array, has no derivative afterwards.

        It is that of the way that the solver took: points are made of points before them.
        """
        outer, hook, written = births.made, state.before_change, dict[int, weakref.ref[Any]]()

        def note(t: Any) -> None:
            base = t if t._view is None else t._view.base
            written[id(base)] = weakref.ref(base)
            if hook is not None:
                hook(t)

        state.before_change, births.made = note, []
        try:
            yield
        finally:
            made = [reference for reference in births.made if reference() is not None]
            state.before_change, births.made = hook, outer
            if outer is not None:
                outer += made
            for reference in [*made, *written.values()] if state.grad else ():
                t = reference()
                if t is not None:
                    self.make_unknown(t, f"a value that a function has stored while `{self.name}` ran")

    def make_unknown(self, t: Any, what: str) -> Any:
        """Give a traced value a derivative that is refused."""
        self.unknown.append(Refused(what, t._array))
        t._node, t._nr, t._requires_grad = self.unknown[-1], 0, True
        return t

    def found(self, value: Any) -> Any:
        """What stands for the result in the graph, or has no place there."""
        self.varies = isinstance(value, Tensor) and edge_of(value)[0] is not None
        for node in () if self.varies else self.unknown:
            node._edges = node._live = ()
        return value

    def warn(self, text: str) -> None:
        """Tell that the derivative can't be trusted, at the user's line."""
        filename, line, function = place_of_call.get() or user_place()
        warnings.warn_explicit(
            f"`{self.name}` at {filename}:{line}, in {function}: {text}", SolutionWarning, filename, line
        )

    def trust(self, solution: Solution, converged: bool, message: str = "") -> bool:
        """Whether the equation is solved, and has one solution nearby; a warning says why not."""
        doubt = doubt_of(solution, converged, message)
        if doubt:
            self.warn(doubt)
        return not doubt

    def refuse(self, what: str, why: str, fix: str) -> UnsupportedError:
        return UnsupportedError(f"`{self.name}` {what}", why=why, fix=fix)


UNTRUSTED = "The derivative is that of the equation at this point, and can't be trusted."
SINGULAR = "Along it the derivative is taken to be zero."
NONE = "It has no derivative, which is NaN."


def doubt_of(solution: Solution, converged: bool, message: str) -> str:
    """Why the derivative of a solution can't be trusted, or nothing."""
    size = float(np.max(np.abs(solution.residual), initial=0.0))
    told = f"the residual is {size:.3g}"
    if not np.all(np.isfinite(solution.x)) or not np.isfinite(size):
        return f"the solution or its residual ({size:.3g}) is not finite: it has no derivative"
    if not converged:
        return f"the solver did not converge{message and f' ({message})'}; {told}. {UNTRUSTED}"
    if solution.linear.singular:
        what = "a flat direction" if solution.least else "a singular Jacobian"
        return f"the solution has {what}; {told}. {SINGULAR if solution.least else NONE}"
    if solution.least and (untold := solution.untold()):
        return f"the function that is least does not tell where, in the coordinates {untold}. {UNTRUSTED}"
    step = solution.linear.step()
    if np.any(np.abs(step) > CLOSE * (1.0 + np.abs(solution.x))):
        far = float(np.max(np.abs(step)))
        return f"{told}, and the solution of the equation about {far:.3g} away. {UNTRUSTED}"
    return ""


@functools.cache
def signature(original: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(original)


def names_beyond(original: Callable[..., Any], names: Iterable[str]) -> list[str]:
    """The names that the signature of a function does not have."""
    known = signature(original).parameters
    if any(one.kind is one.VAR_KEYWORD for one in known.values()):
        return []
    return [name for name in names if name not in known]


def user_place() -> Place:
    """The line of the user's own code that is being run."""
    frame: Any = sys._getframe(1)
    while frame.f_back is not None and INSIDE.search(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


# ----- values
def bare(value: Any, given: Container[int] = ()) -> Any:
    """A value for a solver: what is traced in it is plain, and its functions return plain values.

    ``given``: ids of what the user hands to the functions, which are no points.
    """
    if isinstance(value, Tensor):
        found = plain(value)
        return found.copy() if type(found) is np.ndarray else found
    if type(value) in (list, tuple):
        return type(value)([bare(item, given) for item in value])
    if type(value) is dict:
        return {key: bare(item, given) for key, item in value.items()}
    kind = type(value)
    if home_of(kind).startswith("scipy.optimize") and hasattr(value, "__dict__"):  # Bounds, constraints
        changed = copy.copy(value)
        changed.__dict__.update({name: bare(item, given) for name, item in vars(value).items()})
        return changed
    if hasattr(kind, "bare"):  # a function that is plain, where it is given plain numbers
        return value.bare()
    return plain_function(value, given) if callable(value) and not isinstance(value, type) else value


def plain_function(function: Any, given: Container[int] = ()) -> Any:
    """The function for a solver."""

    @functools.wraps(function)  # with its attributes: those of an event say whether it ends the run
    def call(*args: Any, **kwargs: Any) -> Any:
        points = [arg if id(arg) in given else noticed(arg) for arg in args]
        with unrecorded(traced):
            return stripped(function(*points, **{name: noticed(arg) for name, arg in kwargs.items()}))

    traced = state.tracing
    return call


def is_compiled(function: Any) -> bool:
    """Whether code that calls a function can be compiled as a whole."""
    return hasattr(type(function), "through")


def noticed(value: Any) -> Any:
    """A point that a solver hands to a function: traced, so that it is known if it is stored."""
    if type(value) in (float, np.ndarray) or isinstance(value, np.floating):
        return Traced._of(value)
    if isinstance(value, dict):  # what a callback gets
        found = copy.copy(value)
        found.update({name: noticed(item) for name, item in value.items()})
        return found
    return value


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
    before = state.tracing, state.grad, births.unknown
    state.tracing, state.grad, births.unknown = traced, False, True
    try:
        yield
    finally:
        state.tracing, state.grad, births.unknown = before


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


def without_derivative(call: Call, value: Any, name: str) -> Any:
    """A result of a solver whose derivative is not known; ``value`` may be anything that holds such."""
    if not state.grad or not call.varies or isinstance(value, Tensor):
        return value
    if isinstance(value, (float, np.floating, np.ndarray)):
        if np.result_type(value).kind not in "fc":
            return value
        return call.make_unknown(Traced._of(value.copy() if isinstance(value, np.ndarray) else value), name)
    if type(value) in (list, tuple):
        return type(value)([without_derivative(call, item, name) for item in value])
    if isinstance(value, dict):
        value.update({key: without_derivative(call, item, name) for key, item in value.items()})
    return value


def replaced_fields(value: Any, **fields: Any) -> Any:
    """A result object of SciPy's with other values in some fields."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.replace(value, **fields)
    for name, field in fields.items():
        setattr(value, name, field)
    return value


def rest_unknown(call: Call, found: Any, fields: dict[str, Any]) -> Any:
    """A result with some fields that have a derivative, and the others, which come from the solver's way."""
    for name in found:
        if name not in fields:
            fields[name] = without_derivative(call, found[name], f"`{name}` of `{call.name}`")
    return replaced_fields(found, **fields)
