"""Do booleans for some of an array's axes, and products of stacks with a vector, stay in kernels?"""

import numpy as np
import pytest

pytest.importorskip("numba")

import ast_ad

DRAW = np.random.default_rng(11)
X, W = DRAW.normal(size=(4, 5, 3)), DRAW.uniform(0.5, 1.5, (4, 5, 3))


def pixels(x, w):
    image = np.zeros(x.shape)
    lit = x[:, :, 0] > 0
    image[lit] = x[lit] * 2 + w[lit]
    image[~lit] = w[0, 0]
    return np.sum(image**3)


def in_place(x, w):
    near = x[:, :, 1] > w[:, :, 0] - 1
    z = x.copy()
    z[near] *= w[near]
    z[near, 0] += 1.5 * x[near, 2]
    return np.sum(np.sin(z))


def last_axis(x, w):
    rows = x[0] > 0
    z = x.copy()
    z[1, rows] = w[2, rows] ** 2
    z[:, rows] -= x[1, rows]
    return np.sum(z * z) + np.sum(x[:, rows] * w[:, rows])


def of_each_turn(x, w):
    total = 0.0
    for k in range(3):
        chosen = x[:, :, k] > 0.1 * k
        x = x.copy()
        x[chosen] = np.tanh(x[chosen] + w[chosen] * k)
        total += np.sum(x[chosen] ** 2) / max(np.sum(chosen), 1)
    return total


def shaded(x, w):
    light, source = w[0, 0], w[1, 2]
    to = source - x
    far = np.sqrt(np.sum(to * to, axis=2))
    lit = (to @ light) / far > 0.2
    out = np.zeros(x.shape)
    out[lit] = ((x @ light + w @ source) / far)[lit][:, None] * w[3, 4]
    return np.sum(out**2) + np.sum((x @ light) * (w @ light))


PROGRAMS = [pixels, in_place, last_axis, of_each_turn, shaded]
POINTS = [(X, W), (-np.abs(X) - 0.01, W), (np.abs(X) + 1.35, W), (X[::-1], W[::-1])]


def along(function, args, k, direction, h=1e-6):
    moved = [[a + step * direction if i == k else a for i, a in enumerate(args)] for step in (h, -h)]
    return (function(*moved[0]) - function(*moved[1])) / (2 * h)


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", PROGRAMS)
def test_values_and_gradients(function):
    numba, plain = (
        ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")
        for backend in ("numba", "numpy")
    )
    for args in POINTS:
        (value, bars), (expected, others) = numba(*args), plain(*args)
        assert value == pytest.approx(function(*args), rel=1e-12)
        assert expected == pytest.approx(value, rel=1e-12)
        for k, (bar, other) in enumerate(zip(bars, others, strict=True)):
            np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-12)
            direction = DRAW.normal(size=bar.shape)
            slope = along(function, args, k, direction)
            assert np.sum(bar * direction) == pytest.approx(slope, rel=1e-5, abs=1e-5)
    assert "NumPy code at" not in numba.explain()


def test_a_mask_of_another_shape_is_numpys_error():
    def f(x, w):
        return np.sum(x[w[:, :, 0] > 1])

    gradient = ast_ad.grad(f, backend="numba")
    assert gradient(X, W).shape == X.shape
    with pytest.raises(IndexError, match="boolean index did not match"):
        f(X, W[:, :4])
    with pytest.raises(IndexError, match="boolean index did not match"):
        gradient(X, W[:, :4])
