"""Are ``np.nditer``, ``np.ndenumerate`` and ``np.ndindex`` followed, with what real code asks of them?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import grad

from .checking import X, hold_compiled, hold_traced, hold_twice

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def elements(x):
    s = 0.0
    for v in np.nditer(x):
        s += v**2
    return s


def with_their_places(x):
    s = 0.0
    it = np.nditer(x.reshape(2, 2), flags=["multi_index"])
    for v in it:
        s += v * (it.multi_index[0] + 2 * it.multi_index[1] + 1) * x[it.multi_index[1]]
    return s


def until_it_is_finished(x):
    s = 0.0
    it = np.nditer(x.reshape(2, 2), flags=["multi_index"], op_flags=["readonly"])
    while not it.finished:
        i, j = it.multi_index
        s += it[0] ** 2 * (i + 1) * x[j]
        it.iternext()
    return s


def written(x):
    y = x.copy()
    with np.nditer(y, op_flags=["readwrite"]) as it:
        for v in it:
            v[...] = v * v if v > 0.5 else 3.0 * v
    return np.sum(y * x)


def two_at_once(x):
    s = 0.0
    for a, b in np.nditer([x, x[::-1]]):
        s += a * b**2
    return s


def stretched(x):
    s = 0.0
    for a, b in np.nditer([x.reshape(2, 2), x[:2]], order="C"):
        s += a * b**2
    return s


def allocated(x):
    it = np.nditer([x, None])
    with it:
        for a, b in it:
            b[...] = a * a
        return np.sum(it.operands[1] * x)


def numbered(x):
    s = 0.0
    it = np.nditer(x.reshape(2, 2), flags=["f_index"])
    for v in it:
        s += v**2 * it.index
    return s


def by_chunks(x):
    s = 0.0
    for chunk in np.nditer(x, flags=["external_loop"]):
        s += np.sum(chunk**2) * chunk.size
    return s


def left_early(x):
    it = np.nditer(x, flags=["c_index"])
    s = 0.0
    for v in it:
        if v > 1.0:
            break
        s += v**2
    return s + x[it.index] ** 3


def enumerated(x):
    s = 0.0
    for (i, j), v in np.ndenumerate(x.reshape(2, 2)):
        s += v**2 * (i + 2 * j + x[i])
    return s


def at_all_indices(x):
    a = x.reshape(2, 2)
    y = np.empty_like(a)
    for index in np.ndindex(*a.shape):
        y[index] = np.sin(a[index])
    return np.sum(y**2)


PROGRAMS = [
    elements,
    with_their_places,
    until_it_is_finished,
    written,
    two_at_once,
    stretched,
    allocated,
    numbered,
    by_chunks,
    left_early,
    enumerated,
    at_all_indices,
]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.parametrize("f", [written, two_at_once, enumerated])
def test_twice(f):
    hold_twice(f)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [elements, with_their_places, written, enumerated])
def test_kernels(f):
    hold_compiled(f, "numba")


def test_the_order_in_memory_decides():
    """What lies column by column is met so; the compiler asks, and the trace refuses."""

    def f(x):
        s = 0.0
        for v in np.nditer(x):
            s = s * x[0, 0] + v
        return s

    c = np.arange(1.0, 5.0).reshape(2, 2)
    e = np.zeros((2, 2))
    e[0, 1] = 1e-6
    wanted = (f(c + e) - f(c - e)) / 2e-6
    assert grad(f)(c.copy())[0, 1] == pytest.approx(wanted, rel=1e-6)
    with pytest.raises(ast_ad.UnsupportedError, match="row by row"):
        grad(f)(np.asfortranarray(c))


def test_what_changes_the_meaning_is_refused():
    def f(x):
        return sum(v for v in np.nditer(x, flags=["buffered"]))

    with pytest.raises(ast_ad.UnsupportedError, match="these flags"):
        grad(f)(X.copy())
