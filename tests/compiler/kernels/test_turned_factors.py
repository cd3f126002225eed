"""Matrices of many short rows lie column by column where loops gain by it; products take them as they lie."""

import re

import numpy as np
import pytest

import ast_ad

RNG = np.random.default_rng(3)


def distances(x, means, factors):
    """Rows less a row, times a small matrix: loops of vectors before, in and behind the product."""
    out = np.zeros((x.shape[0], means.shape[0]))
    for k in range(means.shape[0]):
        y = (x - means[k]) @ factors[k].T
        out[:, k] = np.exp(-0.5 * np.sum(y * y, axis=1))
    return np.sum(np.log(np.sum(out, axis=1)))


def layers(x, w, v):
    """Rows of two lengths; functions that are dear number by number."""
    total = 0.0
    for t in range(3):
        h = np.tanh(x * (1 + 0.1 * t) @ w)
        total += np.sum(np.cos(h @ v) ** 2)
    return total


def powers(z, a, b):
    """What a loop carries keeps the order of its axes."""
    for _ in range(3):
        z = np.cos(z @ a) - z @ b.T
    return np.sum(z)


def both_ways(x, a, b):
    """One matrix is a factor from the left, from the right, and of itself."""
    total = 0.0
    for k in range(3):
        y = x - k
        total += np.sum((y @ a) * (y @ b)) + np.sum(y.T @ y @ a)
    return total


def case(f, rows):
    shapes = {
        distances: [(rows, 7), (4, 7), (4, 7, 7)],
        layers: [(rows, 6), (6, 12), (12, 5)],
        powers: [(rows, 11), (11, 11), (11, 11)],
        both_ways: [(rows, 5), (5, 5), (5, 5)],
    }
    return [0.4 * RNG.normal(size=shape) for shape in shapes[f]]


PROGRAMS = [distances, layers, powers, both_ways]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy_code(f):
    """Also of more rows than one block has, of one and of none."""
    compiled = ast_ad.value_and_grad(f, argnums=(0, 1, 2), backend="numba")
    plain = ast_ad.value_and_grad(f, argnums=(0, 1, 2), backend="numpy")
    for rows in (300, 1, 0, 513, 256):
        args = case(f, rows)
        value, gradients = compiled(*args)
        expected, wanted = plain(*args)
        np.testing.assert_allclose(value, expected, rtol=1e-12)
        for g, w in zip(gradients, wanted, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-11, atol=1e-12)
    assert compiled.backend == "numba"


@pytest.mark.parametrize("f", [distances, layers])
def test_gradients_are_those_of_differences(f):
    args, h = case(f, 20), 1e-6
    directions = [RNG.normal(size=a.shape) for a in args]
    gradients = ast_ad.grad(f, argnums=(0, 1, 2), backend="numba")(*args)
    ahead, back = ([a + s * d for a, d in zip(args, directions, strict=True)] for s in (h, -h))
    along = sum(np.sum(g * d) for g, d in zip(gradients, directions, strict=True))
    np.testing.assert_allclose(along, (f(*ahead) - f(*back)) / (2 * h), rtol=1e-6)


def test_a_product_of_columns_is_a_loop_and_the_others_take_them_as_they_lie():
    compiled = ast_ad.value_and_grad(distances, argnums=(0, 1, 2), backend="numba")
    compiled(*case(distances, 300))
    assert compiled.backend == "numba"
    source = compiled.source
    assert re.search(r"for start in range\(0, n\w*, 256\):", source)
    assert len(re.findall(r"np\.dot\(", source)) == 1  # the gradient of the matrix: few sums of many terms
    assert re.search(r"empty\(\(7, (n|x\.shape\[0\])\)", source)


def test_what_is_dear_stays_in_the_order_of_its_rows():
    """The sines of rows that lie the other way would be computed number by number."""

    def quadratic(x, a):
        total = 0.0
        for k in range(a.shape[0]):
            z = np.sin(x)
            total = total + np.sum((z @ a[k]) * z)
        return total

    compiled = ast_ad.value_and_grad(quadratic, argnums=(0, 1), backend="numba")
    compiled(RNG.normal(size=(300, 9)), RNG.normal(size=(2, 9, 9)))
    assert compiled.backend == "numba"
    assert re.search(r"\[i, j\] = sin\(x\[i, j\]\)", compiled.source)
