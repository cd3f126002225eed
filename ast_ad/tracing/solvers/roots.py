"""Which equation has a root of ``scipy.optimize`` solved? That the function is zero there.

Of the functions that return a ``root`` beside how it was found, the root alone has a derivative.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.state import state
from ...eager.tensor import Tensor
from .functions import (
    Call,
    bare,
    is_compiled,
    replaced_fields,
    rest_unknown,
    standing_for,
    traced_array,
    tried,
    without_derivative,
)
from .implicit import Linear, Solution
from .walks import residual

FLAT = 1e-3  # of the slope of a chord: where the slope at the root is less, it is no single root


def bracketed(call: Call) -> Any:
    """``brentq`` and its like; and ``newton`` from a number."""
    full, disp = call.options["full_output"], call.options.get("disp", True)
    found = call.solve(full_output=True, disp=disp)
    root, told = found[0], found[1]
    value = solved(call, call.options[next(iter(call.options))], root, told.converged, told.flag)
    return (value, replaced_fields(told, root=value)) if full else value


def newton(call: Call) -> Any:
    """``newton``: of an array of starts each has an equation of its own."""
    if not np.ndim(bare(call.options["x0"])):
        return bracketed(call)
    found = call.solve()
    full = call.options["full_output"]
    root = found.root if full else found
    failed = full and not np.all(found.converged)
    solution = Solution(real(call, root), diagonal=True)
    value = closed(call, call.options["func"], solution, call.args(), not failed)
    return type(found)(value, *found[1:]) if full else value


def root_scalar(call: Call) -> Any:
    found = call.solve()
    function = first_of(call.options["f"]) if call.options["fprime"] is True else call.options["f"]
    value = solved(call, function, found.root, found.converged, found.flag)
    return replaced_fields(found, root=value)


def fsolve(call: Call) -> Any:
    full = call.options["full_output"]
    found = call.solve(full_output=True)
    root, info, code, message = found
    solution = Solution(real(call, root))
    value = closed(call, call.options["func"], solution, call.args(), code == 1, message)
    if not full:
        if code not in (1, 2, 3, 4, 5):
            raise TypeError(message)
        if code != 1:
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        return value
    info = {**info, "fvec": standing_for(info["fvec"], solution.recorded)}
    return value, without_derivative(call, info, f"what `{call.name}` tells beside the root"), code, message


def root(call: Call) -> Any:
    found = call.solve()
    function = first_of(call.options["fun"]) if call.options["jac"] is True else call.options["fun"]
    solution = Solution(real(call, found.x))
    value = closed(call, function, solution, call.args(), found.success, found.message)
    return rest_unknown(call, found, {"x": value, "fun": standing_for(found.fun, solution.recorded)})


def fixed_point(call: Call) -> Any:
    function = call.options["func"]

    def moved(x: Any, *args: Any) -> Any:
        return traced_array(function(x, *args)) - x

    solution = Solution(real(call, call.solve()), diagonal=True)
    return closed(call, moved, solution, call.args(), True)


def nonlinear(call: Call) -> Any:
    """``broyden1``, ``anderson``, ``newton_krylov`` and their like."""
    solution = Solution(real(call, call.solve()))
    return closed(call, call.options["F"], solution, (), True)


# ----- what they have in common
def solved(call: Call, function: Any, root: Any, converged: bool, flag: str) -> Any:
    """The root of a function of one number."""
    return closed(call, function, Solution(real(call, root)), call.args(), bool(converged), flag)


def closed(
    call: Call, function: Any, solution: Solution, args: Any, converged: Any, message: str = ""
) -> Any:
    """The value of a solution of ``function(x, *args) = 0``, recorded unless nothing is."""
    if not state.grad:
        return solution.x
    if call.to_first_order and is_compiled(function) and not solution.diagonal:
        found = at_once(call, function, solution, args, converged, message)
        if found is not None:
            return found
    flat = Flatness(call, function, solution, args) if converged else None
    solution.recorded = recorded = traced_array(function(solution.point, *args))
    if np.size(recorded) != solution.size:
        raise call.refuse(
            f"of a function with {np.size(recorded)} values and {solution.size} arguments",
            "the derivative is that of as many equations as unknowns",
            "use least_squares",
        )
    solution.close(recorded)
    if solution.node._live:
        call.trust(solution, bool(converged), str(message))
        if flat is not None and not solution.linear.singular:
            flat.warn()
    return call.found(solution.value)


def at_once(call: Call, function: Any, solution: Solution, args: Any, converged: Any, message: str) -> Any:
    """The same to first order, of a function that is compiled; None where it can't be as a whole."""
    flat = Flatness(call, function, solution, args) if converged else None
    pulled = function.pulled(residual, solution.x, args)
    if pulled is None or np.size(pulled[0]) != solution.size:
        return None
    solution.residual, pull = pulled
    rows = [np.reshape(pull(seed)[1][0], solution.size) for seed in np.eye(solution.size)]
    solution.linear = Linear(np.array(rows), solution)

    def pull_root(bar: Any) -> Any:
        around, (_, bars) = pull(-solution.linear.transposed(np.reshape(bar, solution.size)))
        return around, (bars,)

    value = function.placed(solution.x, pull_root, args)
    if isinstance(value, Tensor):
        call.is_of_first_order = True
        call.trust(solution, bool(converged), str(message))
        if flat is not None and not solution.linear.singular:
            flat.warn()
    return call.found(value)


class Flatness:
    """Whether the slope at a root is lost in rounding, as at one of a higher order: chords are steeper.

    On both sides: what grows fast, as an exponential does, has a steep one on one of them. The first is taken
    before the equation is recorded, for what the function keeps of its last call is to be that of the
    solution; the other only if that one is steep.
    """

    def __init__(self, call: Call, function: Any, solution: Solution, args: Any) -> None:
        self.call, self.function, self.solution, self.args = call, function, solution, args
        self.far: np.ndarray = 1e-3 * (1.0 + np.abs(np.reshape(solution.x, solution.size)))
        self.above = self.values(self.far)

    def values(self, far: np.ndarray) -> Any:
        """Those of the function at points so far from the root, a row for each coordinate; or None."""
        x, found = self.solution.x, None
        with self.call.unknown_stores(), tried(), np.errstate(all="ignore"):
            steps = [
                np.reshape(s, np.shape(x)) for s in (far[None] if self.solution.diagonal else np.diag(far))
            ]
            points = [x + s if np.ndim(x) else x + type(x)(s) for s in steps]
            rows = [self.call.value_of(self.function, place, self.args) for place in points]
            found = np.array([np.reshape(row, self.solution.size) for row in rows], float)
        return found

    def share(self, values: Any, far: np.ndarray) -> float:
        """How large the slope is where it is least, in proportion to the chords'; 1 where there are none.

        Of several numbers it is seen in the coordinates in which the Jacobian of the chords is one.
        """
        slope, least = self.solution.linear.matrix, 1.0
        with np.errstate(all="ignore"), contextlib.suppress(np.linalg.LinAlgError, TypeError):
            if self.solution.diagonal or self.solution.size == 1:
                least = np.nanmin(np.abs(slope * far / (values[0] - self.solution.residual)))
            else:
                chords = (values - self.solution.residual) / far[:, None]
                least = np.linalg.svd(np.linalg.solve(chords.T, slope), compute_uv=False).min(initial=1.0)
        return float(least) if np.all(np.isfinite(values if values is not None else np.nan)) else 1.0

    def warn(self) -> None:
        least = self.share(self.above, self.far)
        if least < FLAT:
            least = max(least, self.share(self.values(-self.far), -self.far))
        if least < FLAT:
            size, far = np.max(np.abs(self.solution.residual)), self.far.max()
            self.call.warn(
                f"the function is flat at the root (its slope is {least:.3g} of the one that leads {far:.3g} "
                f"away, the residual {size:.3g}): the derivative can't be trusted"
            )


def first_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The value alone, of a function that returns its derivative beside it."""
    return lambda *args: function(*args)[0]


def real(call: Call, value: Any) -> Any:
    if np.iscomplexobj(value):
        raise call.refuse(
            "with a complex solution", "the equation is taken for a real one", "split it in two"
        )
    return value.copy() if type(value) is np.ndarray else value
