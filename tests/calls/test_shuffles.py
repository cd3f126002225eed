"""Are items shuffled, permuted and chosen as by NumPy, to the bit, with the derivative of where they are?"""

import numpy as np
import pytest

import ast_ad

X = np.linspace(0.2, 1.7, 5)
GENERATOR, OLDER = np.random.default_rng(7), np.random.RandomState(3)
WEIGHTS = np.arange(15.0).reshape(5, 3)


def seed():
    GENERATOR.bit_generator.state = np.random.default_rng(7).bit_generator.state
    OLDER.seed(3)
    np.random.seed(5)


def states():
    return [
        GENERATOR.bit_generator.state["state"],
        *(OLDER.randint(1 << 30, size=3)),
        np.random.randint(1 << 30),
    ]


def places(x):
    order = np.random.permutation(5)
    GENERATOR.shuffle(order)
    return np.sum(x[order] * np.arange(5))


def rows(x):
    z = np.stack([x, x * 2, x**2])
    np.random.shuffle(z)
    return np.sum(z[0] ** 2 * z[1])


def permuted(x):
    z = x * 2
    OLDER.shuffle(z)
    return np.dot(z, np.arange(5.0)) * GENERATOR.permutation(z)[0]


def chosen(x):
    pairs = GENERATOR.choice(np.outer(x, x), 2, axis=1, replace=False)
    one = np.random.choice(x, 2, p=np.full(5, 0.2))[1]
    return GENERATOR.choice(x) + np.sum(OLDER.choice(x, size=3) ** 2) + np.sum(pairs[0]) * one


def in_a_loop(x):
    order, total = np.arange(5), 0.0
    for epoch in range(3):
        GENERATOR.shuffle(order)
        for first in range(0, 4, 2):
            total += np.prod(x[order[first : first + 2]]) * (epoch + 1)
    return total


def along_an_axis(x):
    z = np.outer(x, np.arange(1.0, 4))
    GENERATOR.shuffle(z, axis=1)
    GENERATOR.shuffle(z[1:3])
    OLDER.shuffle(z[:, 0])
    return np.sum(z * WEIGHTS)


def of_its_own(x):
    rng = np.random.default_rng(2)
    means = [np.mean(rng.choice(x, len(x))) ** 2 for _ in range(4)]
    return np.mean(means) * x[rng.choice([1, 2, 3])] * rng.permutation([3, 1, 2])[0]


def of_nothing(x):
    z = np.outer(x, np.ones(0))
    GENERATOR.shuffle(z)  # which draws nothing
    OLDER.shuffle(z)
    return np.sum(x**2) + np.sum(z) + GENERATOR.choice(x)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f", [places, rows, permuted, chosen, in_a_loop, along_an_axis, of_its_own, of_nothing]
)
def test_items_are_drawn_once_and_as_by_numpy(f, backend):
    def seeded(x):
        seed()
        return f(x)

    call = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    slopes = [(seeded(X + step) - seeded(X - step)) / 2e-6 for step in 1e-6 * np.eye(5)]
    for _ in range(3):
        value = seeded(X)
        after = states()
        seed()
        found, gradient = call(X)
        assert found == pytest.approx(value, rel=1e-14)
        assert states() == after
        np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)
