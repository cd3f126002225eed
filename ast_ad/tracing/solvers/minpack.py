"""What do MINPACK's own functions solve, which packages call without SciPy's ``leastsq`` and ``fsolve``?

They are compiled and tell no names of their arguments: ``forms`` gives functions that have them.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...eager.numpy_protocol import run
from .functions import Call, traced_array, without_derivative
from .implicit import Solution
from .minima import INFO, Minimum
from .roots import closed, real

SOLVED = 1, 2, 3, 4


def forms(module: types.ModuleType) -> Iterator[tuple[Any, Callable[..., Any], Callable[[Call], Any]]]:
    """Each function of MINPACK's in ``scipy.optimize``, one with names for its arguments, and its handler."""
    compiled = getattr(module, "_minpack", None)
    for name, (named, handler) in FORMS.items():
        original = getattr(compiled, name, None)
        if original is not None:
            yield original, named(original), handler


def _with_differences(original: Any) -> Callable[..., Any]:
    def solver(func: Any, x0: Any, args: Any = (), full_output: Any = 1, *more: Any) -> Any:
        return original(func, x0, args, full_output, *more)

    return _named(solver, original)


def _with_jacobian(original: Any) -> Callable[..., Any]:
    def solver(func: Any, Dfun: Any, x0: Any, args: Any = (), full_output: Any = 1, *more: Any) -> Any:
        return original(func, Dfun, x0, args, full_output, *more)

    return _named(solver, original)


def _named(solver: Callable[..., Any], original: Any) -> Callable[..., Any]:
    solver.__name__ = solver.__qualname__ = original.__name__
    return solver


def least(call: Call) -> Any:
    """``_lmdif`` and ``_lmder``: the least sum of squares."""
    found = call.solve()

    def cost(x: Any) -> Any:
        residuals = traced_array(call.options["func"](x, *call.args()))
        return 0.5 * run(np.sum, (residuals**2,), {})

    minimum = Minimum(call, found[0], cost, None, found[-1] in SOLVED)
    return minimum.value, *_rest(call, found)


def root(call: Call) -> Any:
    """``_hybrd`` and ``_hybrj``: where all are zero."""
    found = call.solve()
    solution = Solution(real(call, found[0]))
    value = closed(call, call.options["func"], solution, call.args(), found[-1] == 1, "")
    return value, *_rest(call, found)


def _rest(call: Call, found: tuple[Any, ...]) -> tuple[Any, ...]:
    return *(without_derivative(call, part, INFO.format(call.name)) for part in found[1:-1]), found[-1]


FORMS: dict[str, tuple[Callable[[Any], Callable[..., Any]], Callable[[Call], Any]]] = {
    "_lmdif": (_with_differences, least),
    "_lmder": (_with_jacobian, least),
    "_hybrd": (_with_differences, root),
    "_hybrj": (_with_jacobian, root),
}
