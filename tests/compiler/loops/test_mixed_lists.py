"""Are elements of lists still Python's or NumPy's numbers, as in the plain call, where they become arrays?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code

pytestmark = pytest.mark.filterwarnings(
    "ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"
)
WEIGHTS = np.array([0.5, -1.25, 2.0, 0.75])


def path(w):
    levels = [100.0]
    for a in w:
        levels.append(levels[-1] * np.exp(0.1 * a))
    return np.std(np.diff(np.log(np.array(levels))))


def whole_start(w):
    levels = [0]
    for a in w:
        levels.append(levels[-1] + a * a)
    return levels[-1] * levels[len(w) // 2]


def either_is_appended(w):
    levels = [1.0]
    for i in range(len(w)):
        levels.append(levels[i] * 0.5 if i % 2 else levels[i] * w[i])
    return levels[2] + levels[3] * levels[4]


def element_returned(w, i):
    levels = [2.5, w[0]]
    for a in w:
        levels.append(levels[-1] * a)
    return levels[i]


def divided(w, i):
    levels = [0.0]
    for a in w:
        levels.append(levels[-1] * a)
    return w[0] / levels[i] if i % 2 else 2.0 / levels[i]


def changed(w):
    levels = [1.0, 2.0]
    for a in w:
        levels[0] = levels[1] + a
        levels[1] = 3.0
        levels.append(levels[0] * levels[-1])
    return sum(levels) + np.mean(levels) - min(levels)


def taken_away(w):
    left = [1.0, 2.0, 3.0]
    for a in w:
        left.append(a * left[0])
    total = 0.0
    while left:
        total = total * 0.5 + left.pop()
    return total


def cut_and_joined(w):
    first, second = [1.0], [2.0]
    for a in w:
        first.append(first[-1] * a)
        second.append(second[-1] + a)
    both = first[1:] + second[::-1]
    return both[0] * both[-1] + np.sum(np.array(both) ** 2)


def larger_one(w):
    best = [0.25]
    for a in w:
        best.append(max(best[-1], a))
    return best[-1] * best[0] + best[2]


def through_a_branch(w):
    levels = [1.0]
    for a in w:
        if a > 0:
            levels.append(a * levels[-1])
        else:
            levels = [2.0, levels[-1]]
    return levels[-1] * levels[0]


PROGRAMS = [
    path,
    whole_start,
    either_is_appended,
    changed,
    taken_away,
    cut_and_joined,
    larger_one,
    through_a_branch,
]


def ends(call, *args):
    """What a call returns, or the exception that it raises."""
    try:
        return call(*args)
    except ZeroDivisionError as error:
        return repr(error)


def same(found, expected):
    if isinstance(expected, str):
        assert found == expected
        return
    assert type(found[0]) is type(expected[0])
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-14)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13, atol=1e-15)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(f, monkeypatch):
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    plain = ast_ad.value_and_grad(f, backend="numpy", check=False)
    for w in (WEIGHTS, -WEIGHTS, np.array([1.0, 0.0, 2.0, 1.0])):
        same(derivative(w), plain(w))
        assert type(derivative(w)[0]) is type(f(w.copy()))
        assert derivative(w)[0] == pytest.approx(f(w.copy()), rel=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("f", [element_returned, divided])
def test_the_kind_of_a_number(f, monkeypatch):
    """A Python zero raises where NumPy's gives infinity, and what is returned is of the kind that it is."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    plain = ast_ad.value_and_grad(f, backend="numpy", check=False)
    for i in (0, 1, 2, -1, 0):
        same(ends(derivative, WEIGHTS, i), ends(plain, WEIGHTS, i))
        called = ends(f, WEIGHTS.copy(), i)
        found = ends(derivative, WEIGHTS, i)
        assert found == called if isinstance(called, str) else type(found[0]) is type(called)


# Products of what may be an int stay with NumPy, and so does the length of a list that another one replaces.
LISTS = [whole_start, through_a_branch]


@pytest.mark.slow
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in LISTS], ids=lambda f: f.__name__)
def test_no_list_is_left(f):
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    derivative(WEIGHTS)
    assert "NumPy code" not in derivative.explain()
