"""Which equation has a root of ``scipy.optimize`` solved? That the function is zero there.

Of the functions that return a ``root`` beside how it was found, the root alone has a derivative.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.state import state
from .functions import (
    Call,
    bare,
    noticed,
    replaced_fields,
    rest_unknown,
    standing_for,
    traced_array,
    tried,
    without_derivative,
)
from .implicit import Solution

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
    solution = Solution(real(call, root))
    far, around = 0.0, list[Any]()
    if state.grad and converged and np.isfinite(solution.x).all():
        far = 1e-3 * (1.0 + abs(float(np.reshape(solution.x, ())[()])))
        with call.unknown_stores(), tried(), np.errstate(all="ignore"):
            for place in (solution.x + far, solution.x - far):
                around.append(bare(traced_array(function(noticed(place), *call.args()))))
    value = closed(call, function, solution, call.args(), bool(converged), flag)
    if len(around) == 2 and not solution.linear.singular:
        warn_of_flatness(call, solution, far, around)
    return value


def closed(
    call: Call, function: Any, solution: Solution, args: Any, converged: Any, message: str = ""
) -> Any:
    """The value of a solution of ``function(x, *args) = 0``, recorded unless nothing is."""
    if not state.grad:
        return solution.x
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
    return call.found(solution.value)


def warn_of_flatness(call: Call, solution: Solution, far: float, around: list[Any]) -> None:
    """At a root of a higher order the slope is lost in rounding: it is compared with those of chords.

    On both sides: what grows fast, as an exponential does, has a steep one on one of them.
    """
    if not solution.node._live:
        return
    chords = [abs(float(np.reshape(there - solution.residual, ())[()])) / far for there in around]
    if np.isfinite(chords).all() and abs(solution.linear.matrix.item()) < FLAT * min(chords):
        size = abs(float(solution.residual.item()))
        call.warn(
            f"the function is flat at the root (its slope is {solution.linear.matrix.item():.3g}, the "
            f"residual {size:.3g}): the derivative can't be trusted"
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
