"""Is a program's compiled gradient right?

Its value must be the program's own to the bit, its gradient that of finite differences, wherever these
agree with themselves.
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
            return _compare(program, module.f, given, value, gradient)
    finally:
        unload(module)


def _compare(program: Program, f: Callable[..., float], given: Any, value: Any, gradient: Any) -> Outcome:
    expected = f(*copies(program.args))
    if np.asarray(value).tobytes() != np.asarray(expected).tobytes():
        return Outcome("wrong", f"value {value!r} instead of {expected!r}")
    for name, before, after in zip("xys", program.args, given, strict=True):
        if not np.array_equal(before, after):
            return Outcome("wrong", f"the call changed {name}")
    estimates = differences(f, program.args)
    scale = max([1.0, *(np.max(np.abs(e), initial=0.0, where=np.isfinite(e)) for e in estimates)])
    for name, arg, got, estimate in zip("xys", program.args, gradient, estimates, strict=True):
        if np.shape(got) != np.shape(arg) or np.result_type(got) != np.float64:
            return Outcome("wrong", f"gradient of {name}: {got!r} for {arg!r}")
        sure = np.isfinite(estimate)
        if not np.allclose(np.asarray(got)[sure], estimate[sure], rtol=TOLERANCE, atol=TOLERANCE * scale):
            return Outcome("wrong", f"gradient of {name}:\n{got}\ninstead of\n{estimate}")
    return Outcome("right")
