"""Do kernels find the elements of reshaped arrays, in C order, whatever lies where in memory?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code
from ast_ad.compiler.kernels.lowering.reshapes import blocks_of

RNG = np.random.default_rng(3)


def split(x, n):
    total = 0.0
    for i in range(n):
        y = x.reshape(-1, 3) * (i + 1)
        total += np.sum(np.tanh(y).sum(axis=0) ** 2)
    return total


def flattened(x, n):
    for _ in range(n):
        y = x.reshape(-1, 3)
        y = y - 0.1 * y**3 * np.arange(3.0)
        x = y.ravel()
    return np.sum(x * np.arange(x.size))


def merged(a, n):
    total = 0.0
    for i in range(n):
        flat = np.sin(a * (i + 1)).reshape(a.shape[0], -1)
        total += np.sum(flat[:, 0] * flat[:, -1]) + np.sum(flat**2 * np.arange(flat.shape[1]))
    return total


def across(a, n):
    total = 0.0
    for i in range(n):
        b = a.reshape(a.shape[1], a.shape[0]) * np.arange(a.shape[0]) * (i + 1)
        total += np.sum(b[0] * b[-1])
    return total


def turned(a, n):
    total = 0.0
    for i in range(n):
        b = a.T.reshape(-1) * np.arange(a.size) * (i + 1)
        total += np.sum(b[1:] * b[:-1])
    return total


def pair(y, n):
    """A state of positions and velocities, as solvers pass it."""
    for _ in range(n):
        q, p = y.reshape(2, -1)
        p = p - 0.1 * np.sin(q)
        q = q + 0.1 * p
        y = np.concatenate([q, p])
    return np.sum(y**2 * np.arange(y.size))


def written(x, n):
    y = np.zeros((x.size // 2, 2))
    for i in range(n):
        flat = y.reshape(-1)
        flat[i] = x[i] * x[-1 - i]
        flat[-1] += x[i]
    return np.sum(y[:, 0] * y[:, 1] + y[:, 1] ** 2)


def patches(a, n):
    total = 0.0
    for i in range(n):
        means = a.reshape(2, a.shape[0] // 2, 3, a.shape[1] // 3).mean(axis=(1, 3))
        total += np.sum(means ** (i + 1))
    return total


def number(x, n):
    total = 0.0
    for i in range(n):
        row = np.reshape(x, (1, x.size, 1)) * (i + 1)
        total += np.sum(row[0, :, 0] ** 2) + row.ravel()[2]
    return total


CASES = [
    *((f, RNG.random(18)) for f in (split, flattened, number)),
    (pair, RNG.random(14)),
    (written, RNG.random(12)),
    *((f, RNG.random((4, 6))) for f in (merged, across, turned, patches)),
    (merged, RNG.random((4, 3, 2, 5))),
    (turned, RNG.random((3, 4, 2))),
]


ORDERED = [(f, x, "C") for f, x in CASES] + [(f, x, order) for f, x in (CASES[6], CASES[8]) for order in "FS"]


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("f, x, order", ORDERED, ids=lambda v: getattr(v, "__name__", getattr(v, "shape", v)))
def test_gradients_are_numpys(f, x, order, monkeypatch):
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    x = {"C": x, "F": np.asfortranarray(x), "S": np.repeat(x, 2, axis=-1)[..., ::2]}[order]
    kernels = ast_ad.value_and_grad(f, backend="numba")
    value, gradient = kernels(x, 3)
    expected = ast_ad.value_and_grad(f, backend="numpy")(x, 3)
    assert value == pytest.approx(f(x, 3), rel=1e-13)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-12)
    assert "NumPy code" not in kernels.explain()


@pytest.mark.core
def test_what_is_left_has_to_be_whole():
    kernels = ast_ad.grad(split, backend="numba")
    kernels(RNG.random(18), 2)
    for size in (18, 60, 0, 20, 3):
        x = RNG.random(size)
        if size % 3:
            with pytest.raises(ValueError, match="cannot reshape"):
                kernels(x, 2)
        else:
            np.testing.assert_allclose(kernels(x, 2), ast_ad.grad(split, backend="numpy")(x, 2), rtol=1e-12)


@pytest.mark.parametrize(
    "old, new",
    [
        ((2, 3, 4), (6, 4)),
        ((6, 4), (2, 3, 2, 2)),
        ((2, 3), (3, 2)),
        ((1, 5, 1), (5,)),
        ((8, 1, 3), (2, 4, 3)),
    ],
)
def test_blocks_have_as_many_elements(old, new):
    found = blocks_of(old, new)
    for olds, news in found:
        assert np.prod([old[k] for k in olds]) == np.prod([new[k] for k in news])
    assert [k for olds, _ in found for k in olds] == [k for k, n in enumerate(old) if n != 1]
    assert [k for _, news in found for k in news] == [k for k, n in enumerate(new) if n != 1]
