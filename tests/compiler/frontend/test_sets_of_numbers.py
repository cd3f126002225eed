"""Are numbers that have derivatives members of a set, by which they are compared and no more?"""

import numpy as np
import pytest

import ast_ad


def is_constant(x):
    return 1.0 if len(set(x.flatten())) < 2 else np.sum(x**2)


def first_of_each(x):
    seen, total = set(), 0.0
    for v in x:
        if v not in seen:
            total += v**3
        seen.add(v)
    return total


def pairs(x):
    seen = set()
    for v in x:
        for w in x:
            seen.add((v, w * 2.0))
    return np.prod(x) * len(seen)


def joined(x):
    return len(set(x.tolist()) | {0.4, 7}) * np.sum(np.sin(x))


def taken_out(x):
    left = set(x)
    left.discard(x[0])
    left.remove(x[1])
    return len(left) * x[0] * x[3]


def within_a_loop(x):
    total = 0.0
    for i in range(len(x)):
        total = total + len(set(x[: i + 1] * x[i])) * x[i] ** 2
    return total


def rounded(x):
    return len({round(v, 1) for v in x}) * np.sum(np.exp(x))


def of_several_types(x):
    seen = {1, x[0], 2}
    seen.add(2.0)
    return x[0] * len(seen | {x[0], True})


SHAPES = (4,), (2, 3), "any"


def frozen(x):
    """Sets that nobody adds to: of what is known, of a generator, and of numbers with derivatives."""
    known = frozenset(s for s in SHAPES if isinstance(s, tuple))
    others = tuple(s for s in SHAPES if s not in known)
    factor = 2.0 if x.shape in known else 3.0
    return np.sum(x**2) * factor * len(frozenset(x)) * len(others) * (1 + len(frozenset()))


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [is_constant, first_of_each, pairs, joined, taken_out, within_a_loop, rounded, of_several_types, frozen],
)
def test_members_are_compared(f, backend):
    call = ast_ad.value_and_grad(f, backend=backend, fallback="error")
    for x in ([0.71, 0.42, 0.96, 1.13], [0.71, 0.42, 0.71, 1.13], [0.5, 0.6, 0.5, 0.5]):
        x = np.array(x)
        value, gradient = call(x)
        assert value == pytest.approx(f(x), rel=1e-14)
        if len(set(x)) == 4:
            slopes = [(f(x + step) - f(x - step)) / 2e-6 for step in 1e-6 * np.eye(4)]
            np.testing.assert_allclose(gradient, slopes, rtol=1e-7, atol=1e-9)
    np.testing.assert_array_equal(ast_ad.grad(is_constant, backend=backend)(np.full(4, 0.3)), np.zeros(4))


def test_members_are_not_read():
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: sum(set(x)), fallback="error")(np.array([0.7, 0.4]))
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: max(set(x.tolist())), fallback="error")(np.array([0.7, 0.4]))
