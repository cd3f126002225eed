"""Is a write refused that would show in several places? Are keywords of NumPy followed as arguments are?"""

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import ast_ad
from ast_ad import tracing

X = np.array([0.4, -1.2, 2.1, 0.7])


def windows(x):
    y = x.copy()
    w = sliding_window_view(y, 2, writeable=True)
    w *= x[0]
    return np.sum(y)


def strided(x):
    y = x.copy()
    as_strided(y, (2, 4), (0, 8))[:] += x
    return np.sum(y)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [windows, strided])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_element_at_several_places(f):
    f(X.copy())
    with pytest.raises(ast_ad.UnsupportedError, match="at several places"):
        ast_ad.grad(f)(X.copy())


def weighted(x):
    """Tensors by keyword only."""
    c = np.cov(X.reshape(2, 2), aweights=np.ones(2)).astype(float)
    return np.sum(c.copy() * x[0])


def products(x):
    y = x.reshape(2, 2)
    return np.sum(np.vecdot(y, y * y, axis=0) * np.vecdot(np.ones((2, 2)), np.ones((2, 2)), axis=0))


@pytest.mark.parametrize("f", [weighted, products])
def test_keywords(f):
    value, pullback = tracing.trace(f, (X,), {}, (0,))
    assert value == f(X)
    np.testing.assert_allclose(pullback([1.0])[0], ast_ad.grad(f, fallback="error")(X), rtol=1e-13)
