"""Do functions for later, asked for within a derivative, work after it, or say why not?"""

import numpy as np
import pytest

import ast_ad

X = np.array([1.0, 2.0, 3.0])
ROWS = np.diag(np.sin(X) + X * np.cos(X))
opaque = eval("lambda y: np.sin(y) * y", {"np": np})


def compiled(y):
    return np.sin(y) * y


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("inner", [compiled, opaque])
@pytest.mark.parametrize("ask", [ast_ad.vjp, ast_ad.linearize])
def test_later(ask, inner, traced):
    kept = []

    def f(x):
        value, later = ask(inner, x)
        kept.append(later)
        return np.sum(value * value)

    outer = eval("lambda x: f(x)", {"f": f}) if traced else f
    np.testing.assert_allclose(ast_ad.grad(outer)(X), 2 * compiled(X) @ ROWS, rtol=1e-13)
    assert len(kept) == 1
    if inner is opaque or ask is ast_ad.linearize:  # it was traced, and nothing of a trace is left
        with pytest.raises(ast_ad.errors.UnsupportedError, match="called behind it"):
            kept[0](X)
        return
    for given in (X, 2 * X):
        (found,) = kept[0](given)
        assert type(found) is np.ndarray
        np.testing.assert_allclose(found, ROWS @ given, rtol=1e-13)
