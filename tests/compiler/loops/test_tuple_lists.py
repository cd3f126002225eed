"""Do lists of tuples, and lists in whose middle something is put or removed, stay lists in kernels?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code
from tests.compiler.loops.list_programs import check, require_evaluated, require_no_list

WEIGHTS = np.array([0.5, -1.25, 2.0, 0.75, 1.5])


def pairs(w):
    found, p = [], w[0]
    for v in w:
        p = p * v + 1
        found.append((p, np.array([v, p])))
    total = 0.0
    for a, b in reversed(found):
        total += a * b[0] + b[1]
    return total


def whole_tuple(w):
    found = [(w[0], w[1])]
    for v in w:
        last = found[-1]
        found.append((last[1], last[0] * v))
        found.append(last)
    return found[3][0] * found[-1][1]


def with_counters(w):
    found = []
    for i in range(len(w)):
        if w[i] > 0:
            found.append((i, w[i] * w[i]))
    total = 0.0
    for i, a in found:
        total = total + (i + 1) * a * w[i]
    return total + len(found)


def indices(w):
    places = []
    for i in range(len(w)):
        if w[i] > 0:
            places.append(i)
    total = w[0]
    for i in places:
        total = total * w[i]
    return total + w[places[-1]] * sum(places)


def changed(w):
    found = [(w[0], w[1]), (w[2], 1.0 * w[0])]
    for v in w:
        found[0] = (found[1][0] * v, found[0][1])
        found[1] = found[0]
        found.append((v, v * v))
    found.reverse()
    a, b = found.pop()
    return a * b + found[1][1] + found[0][0] * found[-1][1]


def two_lists(w):
    first, second = [], []
    for v in w:
        first.append((v, v * v))
        second.append((v * v, 2.0 * v))
    both = first[1:] + second
    total = 0.0
    for a, b in both[::2]:
        total += a * b
    return total


def put_in_front(w):
    found, p = [], w[0]
    for v in w:
        p = p * v + 1
        found.insert(0, p)
    total = 0.0
    for a in found:
        total = total * 0.5 + a
    return total


def put_anywhere(w):
    found = [w[0], w[1]]
    for i in range(len(w)):
        found.insert(i - 2, w[i] * found[-1])
        found.insert(100, w[i])
    return found[1] * found[3] + found[-4] * found[-2]


def queue(w):
    waiting, total = [w[0], w[1], w[2]], 0.0
    for v in w:
        head = waiting.pop(0)
        total = total * 0.5 + head * v
        waiting.append(head * v)
        waiting.append(v)
        total += waiting.pop(1)
    return total


def arrays_in_front(w):
    found = []
    for v in w:
        found.insert(0, np.array([v, v * v, w[0]]))
    x = np.zeros(3)
    for a in found:
        x = np.tanh(x) + a
    return x @ x


def history(w):
    x, levels = np.zeros(2), []
    for v in w:
        x = np.array([0.5 * x[1] + v, x[0] * v])
        levels.append(x[0])
    return np.var(levels) + (np.array(levels) - np.mean(levels)) @ w


def tuples_that_escape(w):
    found = [(w[0], w[1])]
    for v in w:
        found.append((v, v * v))
    best = found[0]
    for each in found:
        best = each if each[0] > best[0] else best
    return best[0] * best[1]


def one_branch(w):
    found = []
    for v in w:
        if v > 0:
            found.append((v, w[0]))
        else:
            found.append((w[1], v))
    return found[0][0] * found[1][1] * found[-1][0]


def tuples_in_tuples(w):
    inner, outer = [(w[0], w[1])], []
    for v in w:
        inner.append((v, v * 2))
        outer.append((inner[-1], v))
    return outer[2][0][1] * outer[1][1]


def tuples_listed_again(w):
    found = [(w[0], 1.0)]
    for v in w:
        found.append((v, 2.0))
    again = [found[0], found[-1], (w[1], w[2])]
    return again[0][0] * again[1][0] * again[2][1]


def states_by_place(w):
    """The first array is the caller's, the others are appended: a list says where each element is."""
    xs = [w]
    for i in range(4):
        xs.append(xs[i] + 0.1 * np.sin(xs[max(0, i - 2)]))
    return np.sum(xs[-1] ** 2) + xs[2][0]


def delayed(w):
    xs = [w * 1.0]
    for i in range(4):
        before = xs[i - 2] if i >= 2 else w
        xs.append(xs[i] - 0.1 * before * xs[i // 2])
    return np.sum(xs[-1] ** 2)


PROGRAMS = [
    states_by_place, delayed,
    tuples_in_tuples, tuples_listed_again, pairs, whole_tuple, with_counters, indices, changed, two_lists,
    put_in_front, put_anywhere, queue, arrays_in_front, history, tuples_that_escape, one_branch,
]  # fmt: skip
LISTS = [tuples_that_escape, tuples_in_tuples]  # a tuple that a branch chooses, or a tuple holds, stays one


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_evaluated(f):
    require_evaluated(f, WEIGHTS)


@pytest.mark.drawn(of=30)
@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_gradients(f, monkeypatch):
    check(f, (WEIGHTS, WEIGHTS[::-1].copy(), np.linspace(0.5, 2, 7), -np.ones(5)), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("f", [f for f in PROGRAMS if f not in LISTS], ids=lambda f: f.__name__)
def test_no_list_is_left(f):
    require_no_list(f, WEIGHTS)


@pytest.mark.slow
def test_an_empty_queue_raises(monkeypatch):
    """There is no element to take from the front: the exception of the plain call."""
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)

    def f(w, n):
        waiting = [w[0], w[1]]
        total = 0.0
        for _ in range(n):
            total += waiting.pop(0)
        return total

    derivative = ast_ad.grad(f, backend="numba", check=False)
    np.testing.assert_array_equal(derivative(WEIGHTS, 2), [1, 1, 0, 0, 0])
    with pytest.raises(IndexError):
        derivative(WEIGHTS, 3)
