"""Are functions of the user's followed that SciPy's filters give a window to?"""

import ctypes

import numpy as np
import pytest
from scipy import LowLevelCallable, ndimage
from scipy.ndimage import generic_filter, generic_filter1d

from ast_ad import UnsupportedError, grad

from .checking import X, hold_compiled, hold_traced, hold_twice

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])
WEIGHTS = np.array([1.5, -0.5, 2.0, 0.7])


def table(x):
    return np.outer(x, np.sin(x)) + x


def library_function(x):
    return np.sum(generic_filter(table(x), np.mean, size=3) ** 2)


def spread(window):
    return window.max() - window.min()


def extremes(x):
    return np.sum(generic_filter(table(x), spread, size=(3, 1), mode="wrap") * WEIGHTS)


def powers(window, scale, p=2):
    return np.sum(window**p) * scale


def extra_arguments(x):
    options = {"p": 3}
    return np.sum(
        generic_filter(
            table(x),
            powers,
            size=3,
            mode="constant",
            cval=1.5,
            extra_arguments=(x[0],),
            extra_keywords=options,
        )
    )


def footprint(x):
    return np.sum(generic_filter(table(x), lambda w: np.median(w) * w[2], footprint=CROSS))


def nearest_of_pairs(window, include):
    centre, chosen = window[window.size // 2], []
    for i in range(window.size // 2):
        a, b = window[i], window[window.size - 1 - i]
        chosen.append(a if abs(a - centre) < abs(b - centre) else b)
    if include:
        chosen.append(centre)
    return np.mean(chosen)


def choosing(x):
    uneven = np.sin(5 * table(x) + np.arange(4.0))
    return np.sum(generic_filter(uneven, nearest_of_pairs, size=3, extra_keywords={"include": True}) ** 2)


def shifted(x):
    return np.sum(ndimage.generic_filter(x, lambda w: w[0] * w[-1], size=2, origin=-1, mode="mirror"))


def centred(window):
    window -= window.mean()
    return np.sum(window**2)


def writing_to_its_window(x):
    return np.sum(ndimage.generic_filter(table(x), centred, size=(2, 3)))


def products(line, out):
    out[...] = line[:-2] * line[1:-1] - line[2:]


def lines(x):
    return np.sum(generic_filter1d(table(x), products, 3) ** 2)


def sums(line, out, scale):
    for k in range(len(out)):
        out[k] = scale * np.sum(line[k : k + 4] ** 2)


def columns(x):
    found = generic_filter1d(table(x), sums, 4, axis=0, mode="wrap", origin=1, extra_arguments=(x[1],))
    return np.sum(found * WEIGHTS)


def beyond_the_edges(x):
    return np.sum(generic_filter1d(x, products, 3, mode="constant", cval=2.0) ** 2)


PROGRAMS = [
    library_function,
    extremes,
    extra_arguments,
    footprint,
    choosing,
    shifted,
    writing_to_its_window,
    lines,
    columns,
    beyond_the_edges,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [extra_arguments, choosing, columns])
def test_kernels(f):
    hold_compiled(f, "numba")


@pytest.mark.parametrize("f", [extra_arguments, lines])
def test_twice(f):
    hold_twice(f)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_not_followed():
    compiled = LowLevelCallable(ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1))
    with pytest.raises(UnsupportedError, match="LowLevelCallable"):
        grad(lambda x: np.sum(generic_filter(x, compiled, 3)))(X)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_its_own_errors():
    for f in (
        lambda x: np.sum(generic_filter(x, np.mean)),
        lambda x: np.sum(generic_filter1d(x, products, 3, origin=5)),
    ):
        with pytest.raises((RuntimeError, ValueError)) as plain:
            f(X)
        with pytest.raises(plain.type, match=str(plain.value)):
            grad(f)(X)
