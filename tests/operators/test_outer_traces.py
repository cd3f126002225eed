"""Does a derivative at plain numbers keep what its function reads from a trace around it?"""

import numpy as np
import pytest

import ast_ad


def plain(x):
    return float(x.detach() if isinstance(x, ast_ad.Tensor) else x)


def of_an_outer_point(x):
    """Derivatives at plain numbers of a traced function that closes over ``x``: each is the square of it."""

    def inner(y):
        return x * x * y * y * eval("1.0")  # which is traced

    return (
        ast_ad.grad(inner)(1.0) / 2.0,
        ast_ad.value_and_grad(inner)(1.0)[0],
        ast_ad.vjp(inner, 1.0)[1](0.5)[0],
        ast_ad.jvp(inner, (1.0,), (0.5,))[1],
        ast_ad.jacrev(inner)(1.0) / 2.0,
        ast_ad.jacfwd(inner)(1.0) / 2.0,
    )


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "of", [float, np.array, ast_ad.tensor, lambda s: ast_ad.tensor(s, requires_grad=True)]
)
@pytest.mark.parametrize("which", range(6))
def test_what_is_read_from_an_outer_trace_keeps_its_graph(of, which):
    def f(x):
        return of_an_outer_point(x)[which]

    for outer in (ast_ad.grad, ast_ad.jacrev, ast_ad.jacfwd):
        assert plain(outer(f)(of(3.0))) == pytest.approx(6.0)
        assert plain(outer(outer(f))(of(3.0))) == pytest.approx(2.0)
