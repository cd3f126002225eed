"""What is left of a division has the library's bits, in loops of vectors and one by one."""

import itertools
import operator

import numba
import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.kernels.numbers.remainders import (
    floor_divide,
    fmod,
    remainder,
    remainder_of_integers,
)

RNG = np.random.default_rng(31)
FLAGS = {"reassoc", "contract", "nsz", "arcp"}
OF_NUMPY = {fmod: np.fmod, remainder: np.remainder, floor_divide: np.floor_divide}


def looped(fn, flags):
    """A loop that calls a function of two numbers, as kernels have it."""

    @numba.njit(error_model="numpy", fastmath=flags)
    def run(x, y, out):
        for i in range(x.size):
            out[i] = fn(x[i], y[i])

    return run


def pairs(dtype):
    """Multiples and their neighbours, quotients of all sizes, any bits, and edges."""
    n, bits = 4096, np.uint64 if dtype == np.float64 else np.uint32
    y, whole = RNG.uniform(0.5, 2.0, n).astype(dtype), RNG.integers(-(2**20), 2**20, n)
    product = (whole * y).astype(dtype)
    yield product, y
    yield np.nextafter(product, dtype(0)), -y
    yield np.nextafter(product, dtype(np.inf)), y
    yield (RNG.integers(-50, 50, n) * dtype(0.1)).astype(dtype), np.full(n, dtype(0.1))
    yield (RNG.integers(2**50, 2**54, n) * 0.7).astype(dtype), np.full(n, dtype(0.7))
    tiny = np.finfo(dtype).tiny
    yield (RNG.normal(size=n) * tiny).astype(dtype), (0.01 * RNG.normal(size=n) * tiny).astype(dtype)
    anything = RNG.integers(0, np.iinfo(bits).max, (2, n), dtype=bits).view(dtype)
    yield anything[0], anything[1]
    edges = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 5.0, -5.0, tiny, np.finfo(dtype).max, 3.0, 0.1]
    x, y = np.array(list(itertools.product(edges, edges)), dtype).T
    yield x.copy(), y.copy()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("flags", [False, FLAGS], ids=["exact", "kernel"])
@pytest.mark.parametrize("fn", [fmod, remainder])
def test_bits_are_those_of_numpy(fn, flags, dtype):
    run = looped(fn, flags)
    for x, y in pairs(dtype):
        out = np.empty_like(x)
        run(x, y, out)
        with np.errstate(all="ignore"):
            wanted = OF_NUMPY[fn](x, y)
        np.testing.assert_array_equal(out, wanted)
        there = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(out[there]), np.signbit(wanted[there]))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("flags", [False, FLAGS], ids=["exact", "kernel"])
@pytest.mark.parametrize("divisor", [1.0, 64.0, -2.0, 2.0**-30, 2.0**60, 6.0])
def test_constants(divisor, flags):
    """Of a power of two nothing is left to a function."""

    @numba.njit(error_model="numpy", fastmath=flags)
    def run(x, out):
        for i in range(x.size):
            out[0, i], out[1, i] = fmod(x[i], divisor), remainder(x[i], divisor)

    x = np.concatenate([x for x, _ in pairs(np.float64)])
    out = np.empty((2, x.size))
    run(x, out)
    with np.errstate(all="ignore"):
        wanted = np.array([np.fmod(x, divisor), np.remainder(x, divisor)])
    np.testing.assert_array_equal(out, wanted)
    there = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(out[there]), np.signbit(wanted[there]))


def test_quotients_are_those_of_numpy():
    run = looped(floor_divide, False)
    for x, y in pairs(np.float64):
        out = np.empty_like(x)
        run(x, y, out)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(out, np.floor_divide(x, y))


def test_remainders_of_integers():
    values = [0, 1, -1, 5, -5, 7, 2**62, -(2**62), 2**63 - 1, -(2**63)]
    x, y = np.array(list(itertools.product(values, values))).T
    out = np.empty_like(x)
    looped(remainder_of_integers, False)(x.copy(), y.copy(), out)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(out, x % y)


@pytest.mark.parametrize("fn", [operator.mod, np.fmod])
def test_angles(fn):
    """Loops of vectors with sines beside the remainder, whose slope by the divisor is the quotient."""

    def turned(angles, period):
        return np.sum(np.sin(angles) * fn(angles, period)) + np.sum(fn(angles, period) ** 2)

    angles = RNG.uniform(-30.0, 30.0, 41)
    compiled = ast_ad.value_and_grad(turned, argnums=(0, 1), backend="numba")
    value, gradients = compiled(angles, 2.0)
    assert compiled.backend == "numba"
    assert np.isclose(value, turned(angles, 2.0), rtol=1e-13)
    _, wanted = ast_ad.value_and_grad(turned, argnums=(0, 1), backend="numpy")(angles, 2.0)
    for g, w in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-12)
    h, direction = 1e-6, RNG.normal(size=41)
    ends = [turned(angles + s * h * direction, 2.0 + s * h) for s in (1, -1)]
    slope = np.sum(gradients[0] * direction) + gradients[1]
    assert np.isclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-6)
