"""What is the derivative of the solution of an ordinary differential equation? That of the steps taken.

SciPy's solver runs once, on plain numbers, and tells where its steps ended. The states that are asked for are
recorded once more, on these steps and none longer. They are constants: a choice of steps has no derivative.
The explicit methods are repeated with their own coefficients. In place of ``Radau``, ``BDF`` and ``LSODA``
stands a collocation at the states that were found: an equation for each step, solved as any other.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...eager.numpy_protocol import run
from ...eager.state import state
from ...eager.tensor import Tensor
from ...eager.views import edge_of
from ..traced_array import python_number
from .functions import (
    Call,
    bare,
    plain_function,
    standing_for,
    traced_array,
    untraced,
    without_derivative,
)
from .implicit import Solution

Right = Callable[[Any, Any], Any]
Step = Callable[[Right, Any, Any, Any], Any]
EXPLICIT = "RK23", "RK45", "DOP853"


# ----- the steps
def explicit(method: str, f: Right, t: Any, y: Any, h: Any) -> Any:
    """One step of a Runge-Kutta method."""
    import scipy.integrate

    cls = getattr(scipy.integrate, method)
    slopes = [f(t, y)]
    for row, c in zip(cls.A[1 : cls.n_stages], cls.C[1 : cls.n_stages], strict=True):
        slopes.append(f(t + c * h, y + h * combined(row, slopes)))
    return y + h * combined(cls.B, slopes)


def combined(weights: Sequence[float], slopes: Sequence[Any]) -> Any:
    parts = [float(w) * slope for w, slope in zip(weights, slopes, strict=False) if w]
    return functools.reduce(lambda a, b: a + b, parts)


def collocation(states: Callable[[float], Any], stages: int, f: Right, t: Any, y: Any, h: Any) -> Any:
    """One step by the equations of Radau's method, which ``states`` of a finer one nearly solve."""
    places, matrix = radau(stages)
    start, length, size = float(bare(t)), float(bare(h)), np.size(bare(y))
    solution = Solution(np.array([states(start + c * length) for c in places]).ravel())
    inner = run(np.reshape, (solution.point, (stages, size)), {})
    slopes = [f(t + c * h, inner[i]) for i, c in enumerate(places.tolist())]
    rows = [inner[i] - y - h * combined(matrix[i], slopes) for i in range(stages)]

    def derivative() -> np.ndarray:
        """Each of the slopes depends on its own state alone."""
        own = [slope_by_states(solution, slope, size) for slope in slopes]
        parts = [length * sum(a * d for a, d in zip(matrix[i], own, strict=True)) for i in range(stages)]
        return np.eye(solution.size) - np.concatenate(parts)

    solution.close(run(np.concatenate, (rows,), {}), derivative)
    return run(np.reshape, (solution.value, (stages, size)), {})[stages - 1]


def slope_by_states(solution: Solution, slope: Any, size: int) -> np.ndarray:
    """The derivative of one of the slopes by the states of all stages."""
    root = edge_of(slope) if isinstance(slope, Tensor) else (None, 0)
    if root[0] is None:
        return np.zeros((size, solution.size))
    return np.array([solution.by_point(root, seed) for seed in np.eye(size)])


@functools.cache
def radau(stages: int) -> tuple[np.ndarray, np.ndarray]:
    """The places of the stages in a step, the last at its end, and the coefficients."""
    legendre = np.polynomial.Legendre
    difference = legendre.basis(stages, domain=[0, 1]) - legendre.basis(stages - 1, domain=[0, 1])
    places = np.sort(difference.roots().real)
    places[-1] = 1.0
    powers = np.arange(1, stages + 1)
    return places, (places[:, None] ** powers / powers) @ np.linalg.inv(places[:, None] ** (powers - 1))


def recorded(f: Right, y0: Any, times: Sequence[Any], ends: Sequence[float], step: Step) -> list[Any]:
    """The states at ``times``, the first of which has ``y0``; no step goes over one of the ``ends``."""
    y, found = y0, [y0]
    for t, after in zip(times, times[1:], strict=False):
        low, high = sorted((float(bare(t)), float(bare(after))))
        slack = 1e-12 * max(abs(low), abs(high))
        inner = sorted(
            {e for e in ends if low + slack < e < high - slack}, reverse=float(bare(after)) < float(bare(t))
        )
        for begin, end in zip([t, *inner], [*inner, after], strict=True):
            if float(bare(begin)) != float(bare(end)) or isinstance(end, Tensor) or isinstance(begin, Tensor):
                y = step(f, begin, y, end - begin)
        found.append(y)
    return found


# ----- SciPy's functions
def solve_ivp(call: Call) -> Any:
    o = call.options
    method = o["method"] if isinstance(o["method"], str) else o["method"].__name__
    replays = method in EXPLICIT
    dense = bool(o["dense_output"]) or not replays or o["t_eval"] is not None
    found = call.solve(dense_output=dense)
    if state.grad and found.t is not None and len(found.t):
        record(call, found, method if replays else None)
    if not o["dense_output"]:
        found.sol = None
    return found


def record(call: Call, found: Any, method: str | None) -> None:
    """Put the states of a result of ``solve_ivp`` into the graph."""
    o, args = call.options, call.args()
    y0 = run(np.ravel, (traced_array(o["y0"]),), {})
    if bare(y0).dtype.kind == "c" or np.iscomplexobj(found.y):
        raise call.refuse("with complex states", "the equation is taken for a real one", "split it in two")
    function, several = o["fun"], bool(o["vectorized"])

    def f(t: Any, y: Any) -> Any:
        slope = traced_array(function(t, y[:, None] if several else y, *args))
        return run(np.ravel, (slope,), {}) if several or np.ndim(slope) != 1 else slope

    step: Step = (
        functools.partial(explicit, method)
        if method
        else functools.partial(collocation, found.sol, stages_for(o["options"].get("rtol", 1e-3)))
    )
    ends = found.t if found.sol is None else found.sol.ts
    times = times_of(call, found)
    start = o["t_span"][0]
    leads = (
        float(bare(times[0])) != float(bare(start))
        or isinstance(start, Tensor)
        or isinstance(times[0], Tensor)
    )
    states = recorded(f, y0 * 1.0, [start, *times] if leads else times, ends.tolist(), step)[int(leads) :]
    every = run(np.stack, (states, 1), {})
    if not isinstance(every, Tensor) or not getattr(every, "_requires_grad", False):
        return
    trust(call, found, o)
    call.found(every)
    if any(isinstance(t, Tensor) for t in times):
        found.t = standing_for(found.t, run(np.stack, (list(times),), {}))
    found.y = standing_for(found.y, every)
    if found.sol is not None and o["dense_output"]:
        found.sol = Unknown(call.name)
    told = f"an event of `{call.name}`"
    for name in ("t_events", "y_events"):
        if found.get(name) is not None:
            found[name] = without_derivative(call, found[name], told)


def times_of(call: Call, found: Any) -> list[Any]:
    """The times of the result; those that the user has given as they were given."""
    o, times = call.options, found.t.tolist()
    given = o["t_eval"]
    if given is not None:
        as_given = [python_number(t) if isinstance(t, Tensor) else t for t in traced_array(given)][
            : len(times)
        ]
        return as_given if isinstance(given, (Tensor, list, tuple)) and len(as_given) == len(times) else times
    first, last = o["t_span"]
    if found.status == 0:
        times[-1] = last if isinstance(last, Tensor) else times[-1]
    if isinstance(first, Tensor):
        times[0] = first
    return times


def trust(call: Call, found: Any, o: dict[str, Any]) -> None:
    """Refuse what ends at an event, and warn of what ends too early."""
    if found.status == 1 and o["t_eval"] is None:
        raise call.refuse(
            "that ends at an event",
            "the time of the event moves with all that the states depend on",
            "give t_eval, or solve for the time with brentq and integrate up to it",
        )
    if found.status == -1:
        size = float(np.max(np.abs(found.y[:, -1]), initial=0.0))
        call.warn(
            f"the solver stopped at t = {bare(found.t[-1]):.6g} ({found.message}); the largest state is "
            f"{size:.3g}. The derivative is that of the steps up to there, and can't be trusted"
        )


class Unknown:
    """The interpolant of a solution, which has no derivative."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, t: Any) -> Any:
        from ...errors import MissingRuleError

        raise MissingRuleError(
            f"the interpolant of `{self.name}`",
            why="the derivative is known at the times of the result only",
            fix="give the times as t_eval",
        )


def stages_for(tolerance: Any) -> int:
    return 3 if float(np.min(bare(tolerance))) > 1e-6 else 5


def odeint(call: Call) -> Any:
    """``odeint``: where its steps are it doesn't tell, so that ``LSODA`` runs beside it."""
    found, o = call.solve(), call.options
    states = found[0] if o["full_output"] else found
    if not state.grad:
        return found
    function, args = o["func"], call.args()

    def f(t: Any, y: Any) -> Any:
        return run(
            np.ravel, (traced_array(function(t, y, *args) if o["tfirst"] else function(y, t, *args)),), {}
        )

    times = [python_number(t) if isinstance(t, Tensor) else float(t) for t in traced_array(o["t"])]
    y0 = run(np.ravel, (traced_array(o["y0"]),), {}) * 1.0
    told = beside(call, f, y0, times)
    if told.status == -1:
        call.warn(
            f"the solver stopped at t = {told.t[-1]:.6g} ({told.message}): the derivative can't be trusted"
        )
        return found
    step = functools.partial(collocation, told.sol, 5)
    every = run(np.stack, (recorded(f, y0, times, told.sol.ts.tolist(), step), 0), {})
    call.found(every)
    states = standing_for(states, every)
    beside_them = f"what `{call.name}` tells beside the states"
    return (states, without_derivative(call, found[1], beside_them)) if o["full_output"] else states


def beside(call: Call, f: Right, y0: Any, times: Sequence[Any]) -> Any:
    """The steps of ``LSODA``."""
    import scipy.integrate

    o = call.options
    usual = 1.49012e-8
    rtol, atol = (usual if o[name] is None else bare(o[name]) for name in ("rtol", "atol"))
    span, start = (float(bare(times[0])), float(bare(times[-1]))), np.array(bare(y0), float)
    function = plain_function(f)
    with call.unknown_stores(), untraced():
        return scipy.integrate.solve_ivp(
            function, span, start, method="LSODA", dense_output=True, rtol=rtol, atol=atol
        )
