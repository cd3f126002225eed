"""Is a program's gradient right, compiled or traced?

Its value must be the program's own to the bit, its gradient that of finite differences, wherever these
agree with themselves. A traced gradient must be the compiled one, where there is one, and second derivatives
the differences of the first.
"""

from __future__ import annotations

import importlib.util
import itertools
import pathlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from .generate import Program, copies

STEP = 1e-4
TOLERANCE = 2e-6
_numbers = itertools.count()


@dataclass(frozen=True)
class Outcome:
    """``kind``: 'right', 'refused' (an AdError), 'wrong', or 'crashed' (any other exception)."""

    kind: str
    why: str = ""


def load(program: Program, folder: pathlib.Path) -> ModuleType:
    """The program as a module from a real file, so that its source can be found."""
    path = folder / f"program_{next(_numbers)}.py"
    path.write_text(program.source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def unload(module: ModuleType) -> None:
    sys.modules.pop(module.__name__, None)


def differences(f: Callable[..., float], args: tuple[Any, ...]) -> list[np.ndarray]:
    """The gradient by extrapolated central differences; NaN where a kink or a jump is near."""
    return [_one_argument(f, args, k) for k in range(len(args))]


def _one_argument(f: Callable[..., float], args: tuple[Any, ...], which: int) -> np.ndarray:
    gradient = np.empty(np.shape(args[which]))
    for index in np.ndindex(gradient.shape):

        def at(step: float, index: tuple[int, ...] = index) -> float:
            moved = list(copies(args))
            if index:
                moved[which][index] += step
            else:
                moved[which] += step
            return float(f(*moved))

        gradient[index] = _derivative(at)
    return gradient


def _derivative(at: Callable[[float], float]) -> float:
    """The derivative at 0, or NaN where one-sided and two-sided estimates disagree."""
    here, h = at(0.0), STEP
    coarse = (at(h) - at(-h)) / (2 * h)
    right, left = at(h / 2), at(-h / 2)
    fine = (right - left) / h
    best = (4 * fine - coarse) / 3
    scale = 1.0 + abs(best)
    if not np.isfinite(best) or abs(best - fine) > 1e-5 * scale:
        return np.nan
    # One step closer: a kink between 0 and h/2 on either side, or at 0 itself, shows here.
    tiny = h / 16
    forward, backward = (at(tiny) - here) / tiny, (here - at(-tiny)) / tiny
    if abs(forward - backward) > 1e-2 * scale or abs(0.5 * (forward + backward) - best) > 1e-4 * scale:
        return np.nan
    return best


def check(program: Program, folder: pathlib.Path, **options: Any) -> Outcome:
    """Compile the program's gradient and compare."""
    import ast_ad

    module = load(program, folder)
    try:
        with np.errstate(all="ignore"):
            given = copies(program.args)
            try:
                value, gradient = ast_ad.value_and_grad(module.f, argnums=(0, 1, 2), **options)(*given)
            except ast_ad.AdError as error:
                return Outcome("refused", str(error))
            except Exception as error:
                return Outcome("crashed", f"{type(error).__name__}: {error}")
            rounded = options.get("backend", "numpy") != "numpy"
            return _compare(program, module.f, given, value, gradient, rounded)
    finally:
        unload(module)


def check_traced(program: Program, folder: pathlib.Path, with_compiled: bool = True) -> Outcome:
    """Trace the program, and compare with itself, with the compiled gradient or else with differences."""
    import ast_ad
    from ast_ad import tracing as fallback

    module = load(program, folder)
    try:
        with np.errstate(all="ignore"):
            given = copies(program.args)
            try:
                value, pullback = fallback.trace(module.f, given, {}, (0, 1, 2))
                gradient = pullback([1.0])
                compare = _compare_first if with_compiled else _compare
                outcome = compare(program, module.f, given, value, gradient)
                return outcome if outcome.kind != "right" else _compare_second(program, module.f, pullback)
            except ast_ad.AdError as error:
                return Outcome("refused", str(error))
            except Exception as error:
                return Outcome("crashed", f"{type(error).__name__}: {error}")
    finally:
        unload(module)


def _compare_first(
    program: Program, f: Callable[..., float], given: Any, value: Any, gradient: Any
) -> Outcome:
    import ast_ad

    try:
        compiled = ast_ad.grad(f, argnums=(0, 1, 2), fallback="error", backend="numpy")(*copies(program.args))
    except ast_ad.AdError:
        return _compare(program, f, given, value, gradient)
    outcome = _unchanged(program, f, given, value)
    for name, got, expected in zip("xys", gradient, compiled, strict=True):
        if np.shape(got) != np.shape(expected) or np.result_type(got) != np.result_type(expected):
            return Outcome("wrong", f"gradient of {name}: {got!r} for {expected!r}")
        if not np.allclose(got, expected, rtol=1e-9, atol=1e-9, equal_nan=True):
            return Outcome("wrong", f"gradient of {name}:\n{got}\ninstead of\n{expected}")
    return outcome


def _compare_second(program: Program, f: Callable[..., float], pullback: Any) -> Outcome:
    """The pullback of the gradient along one direction, where differences of the gradient are sure."""
    from ast_ad import tracing as fallback

    numbers = np.random.default_rng(0)
    direction = [numbers.normal(size=np.shape(arg)) for arg in program.args]
    found = pullback.linearize([1.0])[1](direction)

    def gradient_at(step: float) -> list[np.ndarray]:
        moved = [a + step * d for a, d in zip(copies(program.args), direction, strict=True)]
        return [
            np.asarray(g) for g in fallback.trace(f, (*moved[:2], float(moved[2])), {}, (0, 1, 2))[1]([1.0])
        ]

    coarse, fine = ([(a - b) / (2 * h) for a, b in zip(gradient_at(h), gradient_at(-h), strict=True)]
                    for h in (1e-6, 5e-7))  # fmt: skip
    for name, got, one, two in zip("xys", found, coarse, fine, strict=False):
        scale = 1 + np.max(np.abs(two), initial=0.0)
        if np.allclose(one, two, rtol=1e-4, atol=1e-4 * scale):
            if not np.allclose(got, two, rtol=1e-3, atol=1e-3 * scale):
                return Outcome("wrong", f"second derivative by {name}:\n{got}\ninstead of\n{two}")
    return Outcome("right")


def _unchanged(
    program: Program, f: Callable[..., float], given: Any, value: Any, rounded: bool = False
) -> Outcome:
    """Whether the value is the program's own, and the arguments are as they were.

    Args:
        rounded: the value may differ by its rounding, as kernels add in another order.
    """
    expected = f(*copies(program.args))
    near = rounded and np.allclose(value, expected, rtol=1e-9, atol=1e-11, equal_nan=True)
    if not near and np.asarray(value).tobytes() != np.asarray(expected).tobytes():
        return Outcome("wrong", f"value {value!r} instead of {expected!r}")
    for name, before, after in zip("xys", program.args, given, strict=True):
        if not np.array_equal(before, after):
            return Outcome("wrong", f"the call changed {name}")
    return Outcome("right")


def _compare(
    program: Program, f: Callable[..., float], given: Any, value: Any, gradient: Any, rounded: bool = False
) -> Outcome:
    outcome = _unchanged(program, f, given, value, rounded)
    if outcome.kind != "right":
        return outcome
    estimates = differences(f, program.args)
    scale = max([1.0, *(np.max(np.abs(e), initial=0.0, where=np.isfinite(e)) for e in estimates)])
    for name, arg, got, estimate in zip("xys", program.args, gradient, estimates, strict=True):
        if np.shape(got) != np.shape(arg) or np.result_type(got) != np.float64:
            return Outcome("wrong", f"gradient of {name}: {got!r} for {arg!r}")
        sure = np.isfinite(estimate)
        if not np.allclose(np.asarray(got)[sure], estimate[sure], rtol=TOLERANCE, atol=TOLERANCE * scale):
            return Outcome("wrong", f"gradient of {name}:\n{got}\ninstead of\n{estimate}")
    return Outcome("right")
