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


def tenths(x):
    return {int(v * 10.0 + 0.05) for v in x}


def are_truths(x):
    return np.sum(x) * (2.0 if set(v.item() for v in np.unique(np.round(x))) <= {0, 1} else 3.0)


def contains_others(x):
    known = tenths(x)
    factor = 2.0 if known >= {4} else 3.0
    return np.sum(x**2) * factor * (5.0 if known.issuperset((4, 7)) else 1.0)


def in_common(x):
    return (1 + len(tenths(x) & {4, 7, 9})) * np.sum(x) + len(tenths(x).intersection([4, 5], {5})) * x[0]


def without_some(x):
    return len(tenths(x) - {4, 7}) * np.sum(x**2) + len(tenths(x) ^ {4, 33}) * x[1]


def equal(x):
    same, other = tenths(x) == {5, 6}, tenths(x) != {4, 7, 9, 11}
    return np.sum(x) * (5.0 if same else 2.0) + x[0] ** 2 * (3.0 if other else 1.0)


def no_list_is_a_set(x):
    return np.sum(x) * (3.0 if tenths(x) == [5, 6] else 2.0)


def apart(x):
    return np.sum(x) * (5.0 if tenths(x).isdisjoint({1, 9}) else 2.0)


def smaller(x):
    factor = 5.0 if tenths(x) < {5, 6, 7} else 2.0
    return np.sum(x**3) * factor * (2.0 if tenths(x) > {5} else 1.0)


def of_names(x):
    names = {f"k{i}" for i in range(len(x))}
    return np.sum(x) * (3.0 if names >= {"k0", "k1"} else 2.0) * len(names & {"k1", "other"})


def changed_in_place(x):
    known = tenths(x)
    kept = known.copy()
    known &= {4, 7, 5}
    known -= {4}
    return np.sum(x) * len(kept) + x[1] * len(known)


@pytest.mark.drawn(of=10)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [is_constant, first_of_each, pairs, joined, taken_out, within_a_loop, rounded, of_several_types, frozen,
     are_truths, contains_others, in_common, without_some, equal, no_list_is_a_set, apart, smaller, of_names,
     changed_in_place],
)  # fmt: skip
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


@pytest.mark.slow
def test_members_are_not_read():
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: sum(set(x)), fallback="error")(np.array([0.7, 0.4]))
    with pytest.raises(ast_ad.AdError):
        ast_ad.grad(lambda x: max(set(x.tolist())), fallback="error")(np.array([0.7, 0.4]))
