"""What a turn saves begins where its adjoint begins to read; memory that nobody wrote reaches no result."""

import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

RNG = np.random.default_rng(11)
A = RNG.normal(size=(19, 17)) + 3.0 * np.eye(19, 17)
NARROW = re.compile(r"range\(max\(.*, 0\), \w+\):\n(?: +for .*:\n)? +tape\w*\[")


def orthogonal(a):
    """Gram-Schmidt: column ``k``, and those behind it."""
    a, q = a.copy(), np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return np.sum(q * np.cos(q)) + np.sum(r**2)


def from_the_row_before(a):
    """Row ``k - 1`` as well, which is the last one in the first turn."""
    a = a.copy()
    total = 0.0
    for k in range(a.shape[0]):
        total += np.sum(np.sin(a[k:, :] * a[k - 1, 0])) + a[k - 1, -1]
        a[:, :] = a * np.cos(0.1 * a)
    return total


def from_a_row_on(a):
    """Rows from ``k - 1`` on, but for the first turn."""
    a = a.copy()
    total = 0.0
    for k in range(1, a.shape[0]):
        total += np.sum(a[k - 1 :, 0] ** 2) * np.sum(np.sin(a[k:, 1]))
        a[:, 0] *= 1.0 + 0.01 * a[:, 1]
        a[:, 1] = np.cos(a[:, 1])
    return total


def from_the_end(a):
    """Row ``k`` from the end, and those behind it: what is read moves against the turns."""
    a = a.copy()
    total = 0.0
    for k in range(a.shape[0]):
        total += np.sum(a[-1 - k :, :] ** 3)
        a[:, :] = 0.9 * a + 0.1 * np.sin(a)
    return total


def whole(a):
    """All of it in each turn, beside row ``k``."""
    a = a.copy()
    total = 0.0
    for k in range(a.shape[0]):
        total += np.sum(a[k] ** 2) + np.sum(np.sin(a) * a)
        a[:, :] = a * np.cos(0.1 * a)
    return total


def by_data(a, order):
    """The row that a turn begins at is told by an array."""
    a = a.copy()
    total = 0.0
    for k in order:
        total += np.sum(a[k:, :] ** 3)
        a[:, :] = 0.9 * a + 0.1 * np.sin(a)
    return total


PROGRAMS = [orthogonal, from_the_row_before, from_a_row_on, from_the_end, whole, by_data]


def compared(f, *args, tolerance=1e-12):
    """The source of the kernels, whose memory held NaN before they wrote to it."""
    compiled = ast_ad.value_and_grad(f, backend="numba", fallback="error")
    compiled(*args)
    with pytest.MonkeyPatch.context() as patch:
        empty = np.empty

        def poisoned(shape, dtype=float, **kwargs):
            made = empty(shape, dtype, **kwargs)
            if made.dtype.kind in "fc":
                made[...] = np.nan
            return made

        patch.setattr(np, "empty", poisoned)
        value, g = compiled(*args)
    expected, wanted = ast_ad.value_and_grad(f, backend="numpy")(*args)
    np.testing.assert_allclose(value, expected, rtol=tolerance)
    np.testing.assert_allclose(
        g, wanted, rtol=tolerance, atol=tolerance * np.max(np.abs(wanted), initial=1.0)
    )
    return compiled.source


def arguments(f, a):
    return (a, np.array([3, 0, 7, 7, 1])) if f is by_data else (a,)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_gradients_are_those_of_numpy_code_and_of_differences(f):
    compared(f, *arguments(f, A))
    direction, h = RNG.normal(size=A.shape), 1e-6
    g = ast_ad.grad(f, backend="numba")(*arguments(f, A))
    ends = (f(*arguments(f, A + s * h * direction)) for s in (1, -1))
    assert np.isclose(np.sum(g * direction), (next(ends) - next(ends)) / (2 * h), rtol=1e-6)


@pytest.mark.parametrize("shape", [(23, 21), (6, 1), (1, 1), (5, 0)])
def test_other_lengths(shape):
    compiled = ast_ad.value_and_grad(orthogonal, backend="numba")
    for a in (A, RNG.normal(size=shape) + np.eye(*shape), A):
        value, g = compiled(a)
        expected, wanted = ast_ad.value_and_grad(orthogonal, backend="numpy")(a)
        assert np.isclose(value, expected, rtol=1e-12)
        np.testing.assert_allclose(g, wanted, rtol=1e-11, atol=1e-11)


def test_in_single_precision():
    compared(orthogonal, A.astype(np.float32), tolerance=2e-5)


def test_what_lies_before_the_turns_row_is_not_saved():
    assert NARROW.search(compared(orthogonal, A))


@pytest.mark.parametrize("f", [from_the_row_before, from_the_end, whole, by_data])
def test_what_may_be_read_is_saved(f):
    assert not NARROW.search(compared(f, *arguments(f, A)))
