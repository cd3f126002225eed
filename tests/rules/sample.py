"""What does a sample call of a primitive look like?"""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ast_ad.rule.samples import Sample, as_sample
from tests.together import run_each

Samples = dict[Callable[..., Any], list[Any]]
Test = Callable[..., None]


def normal(*shape: int, seed: int = 0) -> np.ndarray:
    """Standard normal numbers, the same on every call; another ``seed``, other numbers."""
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def positive(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers between 0.5 and 2."""
    return np.random.default_rng([seed, *shape]).uniform(0.5, 2.0, size=shape)


def unit(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers between -0.9 and 0.9."""
    return np.random.default_rng([seed, *shape]).uniform(-0.9, 0.9, size=shape)


def cnormal(*shape: int, seed: int = 0) -> np.ndarray:
    """Complex normal numbers."""
    return normal(*shape, seed=seed) + 1j * normal(*shape, seed=seed + 1000)


def apart(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of which no two are closer than 0.3: no finite difference crosses a tie."""
    rng = np.random.default_rng([seed, *shape])
    n = int(np.prod(shape))
    return (rng.permutation(n) - n / 2 + rng.uniform(0.2, 0.7, n)).reshape(shape) * 0.7


def all_samples() -> dict[Callable[..., Any], list[Sample]]:
    """The SAMPLES of every ``samples_*.py`` beside this file, merged."""
    folder = Path(__file__).parent
    merged: dict[Callable[..., Any], list[Sample]] = {}
    for module in sorted(
        m.name for m in pkgutil.iter_modules([str(folder)]) if m.name.startswith("samples_")
    ):
        for fn, entries in samples_of(module).items():
            merged.setdefault(fn, []).extend(entries)
    return merged


def samples_of(module: str) -> dict[Callable[..., Any], list[Sample]]:
    """The SAMPLES of one of these files, by its name."""
    folder = str(Path(__file__).parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    samples = importlib.import_module(module).SAMPLES
    return {fn: list(map(as_sample, entries)) for fn, entries in samples.items()}


def name(fn: Any) -> str:
    return f"{getattr(fn, '__module__', '') or ''}.{getattr(fn, '__name__', fn)}"


def each_sample(takes: Callable[..., bool] = lambda fn, sample: True) -> Callable[[Test], Test]:
    """A test ``(fn, sample)`` is run with each sample that it takes: of all families, or of one.

    Where it has no mark ``drawn``, the samples of a function are one test, which runs them all.
    """

    def marked(test: Test) -> Test:
        of_others = [p for p in inspect.signature(test).parameters.values() if p.name not in ("fn", "sample")]
        own = [inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD) for n in ("fn", "samples")]

        @functools.wraps(test)
        def run(fn: Any, samples: list[tuple[str, list[Sample]]], **given: Any) -> None:
            run_each(samples, lambda values: test(fn, *values, **given))

        run.__signature__ = inspect.Signature([*own, *of_others])  # type: ignore[attr-defined]
        run.takes = takes  # type: ignore[attr-defined]
        return run

    return marked


# ----- samples in other layouts of memory
def column_major(a):
    return np.array(a, order="F")


def every_other(a):
    return np.repeat(a, 2, axis=-1)[..., ::2] if a.ndim else a


def laid(value, layout):
    """The value with all arrays copied into a layout."""
    if isinstance(value, np.ndarray):
        return layout(value)
    if type(value) in (list, tuple):
        return type(value)(laid(item, layout) for item in value)
    return value


def arrays_in(value):
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays_in(item)
