"""Do lists of arrays that NumPy joins, reduces or compares run in kernels, with NumPy's results?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code
from tests.compiler.loops.list_programs import require_evaluated

RNG = np.random.default_rng(5)


def recorded(x, n):
    parts = []
    for i in range(n):
        parts.append(np.sin(x * (i + 1)))
    return parts


def vstack(x, n):
    return np.sum(np.vstack(recorded(x, n)) ** 2 * np.arange(x.shape[-1]))


def concatenate(x, n):
    joined = np.concatenate(recorded(x, n))
    return np.sum(joined[1:] * joined[:-1])


def hstack(x, n):
    joined = np.hstack(recorded(x, n))
    return np.sum(joined**2 * np.arange(joined.shape[-1]))


def column_stack(x, n):
    columns = np.column_stack(recorded(x, n))
    return np.sum(columns[0] * columns[-1] * np.arange(columns.shape[1]))


def stack_last(x, n):
    columns = np.stack(recorded(x, n), axis=1)
    return np.sum(columns[0] * columns[-1] * np.arange(columns.shape[1]))


def reductions(x, n):
    parts = recorded(x, n)
    return np.sum(np.mean(parts, axis=0) ** 3) + np.max(parts) * np.std(parts) + np.sum(parts)


def running(x, n):
    return np.sum(np.cumsum(recorded(x, n), axis=0) ** 2)


def in_a_loop(x, n):
    total = 0.0
    for k in range(1, n):
        parts = recorded(x * k, k)
        total += np.sum(np.concatenate(parts) * np.concatenate(parts[::-1]))
    return total


ONE_AXIS = [vstack, concatenate, hstack, column_stack, stack_last, reductions, running, in_a_loop]
TWO_AXES = [vstack, concatenate, reductions, running]
CASES = [(f, RNG.random(3)) for f in ONE_AXIS] + [(f, RNG.random((2, 3))) for f in TWO_AXES]


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f, x", CASES, ids=lambda v: getattr(v, "__name__", getattr(v, "shape", None)))
def test_evaluated(f, x):
    require_evaluated(f, x, 3)


@pytest.mark.drawn(of=16)
@pytest.mark.slow
@pytest.mark.parametrize("f, x", CASES, ids=lambda v: getattr(v, "__name__", getattr(v, "shape", None)))
def test_gradients_are_numpys(f, x, monkeypatch):
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    kernels, plain = (ast_ad.value_and_grad(f, backend=backend) for backend in ("numba", "numpy"))
    for n in (4, 1, 3):
        value, gradient = kernels(x, n)
        assert value == pytest.approx(f(x, n), rel=1e-13)
        np.testing.assert_allclose(gradient, plain(x, n)[1], rtol=1e-11, atol=1e-14)
    assert "kernels don't know" not in kernels.explain()


@pytest.mark.slow
def test_a_list_of_nothing_raises_as_numpy_does():
    kernels = ast_ad.grad(concatenate, backend="numba")
    kernels(np.ones(3), 2)
    with pytest.raises(ValueError, match="at least one array"):
        kernels(np.ones(3), 0)
