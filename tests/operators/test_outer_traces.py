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


@pytest.mark.drawn(of=33)
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


def twice(inner):
    return ast_ad.vmap(inner)(np.ones(1)).sum() * 2


INNER = {
    "grad": lambda inner: ast_ad.grad(inner)(1.0),
    "vjp": lambda inner: ast_ad.vjp(inner, 1.0)[1](1.0)[0],
    "jvp": lambda inner: ast_ad.jvp(inner, (1.0,), (1.0,))[1],
    "linearize": lambda inner: ast_ad.linearize(inner, 1.0)[1](1.0),
    "jacrev": lambda inner: ast_ad.jacrev(inner)(1.0),
    "jacfwd": lambda inner: ast_ad.jacfwd(inner)(1.0),
    "hessian": lambda inner: ast_ad.hessian(inner)(1.0),
    "hvp": lambda inner: ast_ad.hvp(inner, (1.0,), (1.0,))[0],
    "elementwise_grad": lambda inner: ast_ad.elementwise_grad(inner)(1.0),
    "laplacian": lambda inner: ast_ad.laplacian(inner)(1.0),
    "vmap": twice,
}
OUTER = {
    "grad": lambda f, x: ast_ad.grad(f)(x),
    "jvp": lambda f, x: ast_ad.jvp(f, (x,), (x / 3.0,))[1],
    "jacfwd": lambda f, x: ast_ad.jacfwd(f)(x),
    "jacrev": lambda f, x: ast_ad.jacrev(f)(x),
}


@pytest.mark.drawn(of=24)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("of", [float, np.float32, ast_ad.tensor], ids=["float", "float32", "tensor"])
@pytest.mark.parametrize("outer", OUTER)
@pytest.mark.parametrize("inner", INNER)
def test_a_compiled_derivative_reads_a_point_of_the_trace_around_it(inner, outer, of):
    """The point of a trace is no number of its own to a derivative within it, whatever it was made from."""

    def f(x):
        exec("pass")  # which is traced

        def square(y):
            return x * x * y * y

        return INNER[inner](square)

    assert plain(OUTER[outer](f, of(3.0))) == pytest.approx(12.0)
