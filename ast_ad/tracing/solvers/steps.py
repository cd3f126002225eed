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
from ..traced_array import python_number
from .collocated import at_once, collocation, combined, stages_for
from .functions import (
    Call,
    bare,
    is_compiled,
    plain_function,
    standing_for,
    traced_array,
    untraced,
    without_derivative,
)
from .walks import explicit_steps, values_at, values_at_swapped

Right = Callable[[Any, Any], Any]
Step = Callable[[Right, Any, Any, Any], Any]
EXPLICIT = "RK23", "RK45", "DOP853"


# ----- the steps
def explicit(method: str, f: Right, t: Any, y: Any, h: Any) -> Any:
    """One step of a Runge-Kutta method."""
    a, b, places = tableau(method)
    slopes = [f(t, y)]
    for row, c in zip(a[1:], places[1:], strict=True):
        slopes.append(f(t + c * h, y + h * combined(row, slopes)))
    return y + h * combined(b, slopes)


@functools.cache
def tableau(method: str) -> tuple[np.ndarray, ...]:
    """The coefficients of an explicit method."""
    import scipy.integrate

    cls = getattr(scipy.integrate, method)
    return cls.A, cls.B, cls.C


class Stepped:
    """The steps that lead to ``times``, the first of which is where they start; none goes over an end.

    ``pairs``: where each step begins and ends; ``after``: how many of them lead to each of the times.
    """

    def __init__(self, times: Sequence[Any], ends: Sequence[float]) -> None:
        self.pairs: list[tuple[Any, Any]] = []
        self.after = [0]
        for t, following in zip(times, times[1:], strict=False):
            low, high = sorted((float(bare(t)), float(bare(following))))
            slack = 1e-12 * max(abs(low), abs(high))
            inner = sorted(
                {e for e in ends if low + slack < e < high - slack},
                reverse=float(bare(following)) < float(bare(t)),
            )
            for begin, end in zip([t, *inner], [*inner, following], strict=True):
                if (
                    float(bare(begin)) != float(bare(end))
                    or isinstance(end, Tensor)
                    or isinstance(begin, Tensor)
                ):
                    self.pairs.append((begin, end))
            self.after.append(len(self.pairs))

    def states(self, f: Right, y0: Any, step: Step) -> list[Any]:
        """The states at the times, the first of which has ``y0``: each operation is recorded."""
        y, every = y0, [y0]
        for begin, end in self.pairs:
            y = step(f, begin, y, end - begin)
            every.append(y)
        return [every[count] for count in self.after]

    def of_explicit(self, call: Call, function: Any, y0: Any, method: str) -> list[Any] | None:
        """The same by an explicit method, as one operation; None where it can't be compiled."""
        begins, ends = (joined(side) for side in zip(*self.pairs, strict=True))
        every = function.through(explicit_steps, y0, begins, ends - begins, call.args(), *tableau(method))
        return None if every is None else [every[count] for count in self.after]

    def of_collocation(
        self, call: Call, function: Any, walk: Any, sol: Any, y0: Any, stages: int
    ) -> list[Any] | None:
        """The same by collocation, to first order; None where it can't be compiled."""
        if not call.to_first_order or any(isinstance(t, Tensor) for pair in self.pairs for t in pair):
            return None
        every = at_once(function, walk, sol, y0, self.pairs, call.args(), stages)
        call.is_of_first_order = every is not None
        return None if every is None else [every[count] for count in self.after]


def joined(times: Sequence[Any]) -> Any:
    return run(np.stack, (list(times),), {}) if any(isinstance(t, Tensor) for t in times) else np.array(times)


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

    stages = stages_for(o["options"].get("rtol", 1e-3))
    step: Step = (
        functools.partial(explicit, method) if method else functools.partial(collocation, found.sol, stages)
    )
    ends = found.t if found.sol is None else found.sol.ts
    times = times_of(call, found)
    start = o["t_span"][0]
    leads = (
        float(bare(times[0])) != float(bare(start))
        or isinstance(start, Tensor)
        or isinstance(times[0], Tensor)
    )
    steps = Stepped([start, *times] if leads else times, ends.tolist())
    states, y0 = None, y0 * 1.0
    if steps.pairs and is_compiled(function) and not several:
        if method:
            states = steps.of_explicit(call, function, y0, method)
        else:
            states = steps.of_collocation(call, function, values_at, found.sol, y0, stages)
    states = states or steps.states(f, y0, step)
    every = run(np.stack, (states[int(leads) :], 1), {})
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
    compiled = is_compiled(function)
    told = beside(call, plain_right(call, function, args) if compiled else plain_function(f), y0, times)
    if told.status == -1:
        call.warn(
            f"the solver stopped at t = {told.t[-1]:.6g} ({told.message}): the derivative can't be trusted"
        )
        return found
    steps, of = Stepped(times, told.sol.ts.tolist()), None
    if steps.pairs and compiled:
        walk = values_at if o["tfirst"] else values_at_swapped
        of = steps.of_collocation(call, function, walk, told.sol, y0, 5)
    of = of or steps.states(f, y0, functools.partial(collocation, told.sol, 5))
    every = run(np.stack, (of, 0), {})
    call.found(every)
    states = standing_for(states, every)
    beside_them = f"what `{call.name}` tells beside the states"
    return (states, without_derivative(call, found[1], beside_them)) if o["full_output"] else states


def plain_right(call: Call, function: Any, args: tuple[Any, ...]) -> Right:
    """The right-hand side that ``odeint`` was given, of plain numbers alone."""
    plain, given = bare(function), bare(args)
    if call.options["tfirst"]:
        return lambda t, y: np.ravel(plain(t, y, *given))
    return lambda t, y: np.ravel(plain(y, t, *given))


def beside(call: Call, f: Right, y0: Any, times: Sequence[Any]) -> Any:
    """The steps of ``LSODA``."""
    import scipy.integrate

    o = call.options
    usual = 1.49012e-8
    rtol, atol = (usual if o[name] is None else bare(o[name]) for name in ("rtol", "atol"))
    span, start = (float(bare(times[0])), float(bare(times[-1]))), np.array(bare(y0), float)
    with call.unknown_stores(), untraced():
        return scipy.integrate.solve_ivp(
            f, span, start, method="LSODA", dense_output=True, rtol=rtol, atol=atol
        )
