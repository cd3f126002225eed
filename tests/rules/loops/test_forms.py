"""Do the forms of a kernel agree: NumPy, loops as they are written, loops compiled?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ast_ad.rules.loops import Kernel, has_numba, normalization, pooling, resampling

X, G = (np.random.default_rng(i).normal(3.0, 2.0, (3, 4, 5)) for i in range(2))
SHARED, OWN = (np.random.default_rng(9).normal(size=(n, 4)) for n in (1, 3))
ROWS, ROWS_G = X.reshape(12, 5), G.reshape(12, 5)
MEAN, INVSTD, WEIGHT, BIAS = ROWS.mean(1), 1 / ROWS.std(1), SHARED[0, :1] + np.arange(5.0), np.arange(5.0)
TIES = np.random.default_rng(2).integers(0, 3, (2, 3, 4, 5)).astype(float)
TIES[0, 1, 2, 3] = TIES[1, 0, 0, 0] = np.nan
TIES[1, 2] = -np.inf


def windows(*axes: tuple[list[int], list[int], int]) -> tuple[Any, ...]:
    first, stop, step = zip(*axes, strict=True)
    return tuple(map(np.array, first)), tuple(map(np.array, stop)), tuple(step)


CALLS: list[tuple[Kernel, tuple[Any, ...]]] = [
    (normalization.row_moments, (X,)),
    (normalization.row_products, (G, X, SHARED)),
    (normalization.row_products, (G, X, OWN)),
    (normalization.row_affine, (X, SHARED, SHARED + 1, SHARED - 1)),
    (normalization.row_affine, (X, OWN, OWN + 1, OWN - 1)),
    (normalization.row_combination, (G, X, SHARED, SHARED + 1, SHARED - 1, 2 * SHARED)),
    (normalization.row_combination, (G, X, OWN, OWN + 1, OWN - 1, 2 * OWN)),
    (normalization.layer_affine, (ROWS, MEAN, INVSTD, WEIGHT, BIAS)),
    (normalization.layer_cotangent, (ROWS_G, ROWS, MEAN, INVSTD, WEIGHT)),
    (normalization.layer_sums, (ROWS_G, ROWS, MEAN, INVSTD)),
    (pooling.largest, (TIES, *windows(([0, 1], [2, 3], 1), ([0, 2], [2, 4], 1), ([0, 1, 3], [2, 4, 5], 1)))),
    (pooling.largest, (TIES, *windows(([-1, 1], [2, 4], 1), ([-1], [4], 2), ([-2, 0, 2], [3, 5, 7], 2)))),
    (pooling.scattered, (G.reshape(3, 20), np.arange(60).reshape(3, 20) % 7, 9)),
    (pooling.picked, (G.reshape(3, 20), np.arange(12).reshape(3, 4) % 7)),
]
TAPS, SHARES = np.array([[0, 0, 1, 3, 3], [1, 1, 2, 3, 3]]), np.random.default_rng(4).normal(size=(2, 5))
CALLS += [
    (resampling.gathered, (X, TAPS, SHARES)),
    (resampling.spread, (X.reshape(4, 5, 3), TAPS, SHARES, 6)),
    (resampling.gathered, (X.reshape(12, 5, 1), TAPS, SHARES)),
]
IDS = [f"{call[0].__name__.strip('_')}-{i}" for i, call in enumerate(CALLS)]


def narrowed(args: Any) -> Any:
    """Single precision, and places as the kernels keep them."""
    if isinstance(args, tuple):
        return tuple(map(narrowed, args))
    return args.astype(np.float32) if isinstance(args, np.ndarray) and args.dtype.kind == "f" else args


def check(run: Callable[..., Any], kernel: Kernel, args: tuple[Any, ...], tolerance: float) -> None:
    before = [np.copy(a) for a in args if isinstance(a, np.ndarray)]
    with np.errstate(invalid="ignore"):
        found, expected = run(*args), kernel.plain(*args)
    for a, b in zip(before, [a for a in args if isinstance(a, np.ndarray)], strict=True):
        np.testing.assert_array_equal(a, b)
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for mine, plain in pairs:
        assert mine.dtype == plain.dtype
        assert mine.shape == plain.shape
        np.testing.assert_allclose(mine, plain, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("kernel", "args"), CALLS, ids=IDS)
def test_loops_as_written(kernel: Kernel, args: tuple[Any, ...]) -> None:
    check(kernel.loops, kernel, args, 1e-12)


@pytest.mark.drawn(of=16)
@pytest.mark.skipif(not has_numba(), reason="there is no Numba")
@pytest.mark.parametrize(("kernel", "args"), CALLS, ids=IDS)
def test_loops_compiled(kernel: Kernel, args: tuple[Any, ...]) -> None:
    check(kernel.compile(), kernel, args, 1e-12)
    check(kernel.compile(), kernel, narrowed(args), 5e-5)


def test_moments_far_from_zero() -> None:
    """No cancellation: the spread of numbers near a million is exact to rounding."""
    x = (1e6 + np.random.default_rng(0).normal(size=(2, 1, 500)))[:]
    expected = np.square(x - x.mean(2, keepdims=True)).sum(2)
    for form in (normalization.row_moments.plain, normalization.row_moments.loops):
        np.testing.assert_allclose(form(x)[1], expected, rtol=1e-9)


def test_taps_of_irregular_windows() -> None:
    found = list(pooling.taps(np.array([0, 1, 3]), np.array([2, 4, 5]), 1, 5))
    at = [list(np.arange(5)[places]) for _, places in found]
    assert at == [[0, 1, 3], [1, 2, 4], [3]]
