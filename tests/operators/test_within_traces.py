"""Are derivatives of traced functions right that ask for derivatives themselves, to the third order?

A derivative that is asked for in a trace is one node of it. Its own derivatives are made when they are
needed, which may be after the trace.
"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.9, 0.4])
pytestmark = pytest.mark.filterwarnings(
    "ignore::ast_ad.FallbackWarning", "error::ast_ad.errors.DefectWarning"
)


def inner(y):
    return np.sin(y) * y**2


def exact(x, order):
    """The derivatives of ``inner``."""
    s, c = np.sin(x), np.cos(x)
    return (
        s * x**2,
        c * x**2 + 2 * s * x,
        -s * x**2 + 4 * c * x + 2 * s,
        -c * x**2 - 6 * s * x + 6 * c,
        s * x**2 - 8 * c * x - 12 * s,
    )[order]


def total(y):
    return np.sum(inner(y))


ONES = np.ones(2)
# Each gives the first derivative of ``inner``.
WITHIN = {
    "grad": lambda x: ast_ad.grad(total)(x),
    "value_and_grad": lambda x: ast_ad.value_and_grad(total)(x)[1],
    "vjp": lambda x: ast_ad.vjp(inner, x)[1](ONES)[0],
    "jvp": lambda x: ast_ad.jvp(inner, (x,), (ONES,))[1],
    "linearize": lambda x: ast_ad.linearize(inner, x)[1](ONES),
    "jacfwd": lambda x: ast_ad.jacfwd(inner)(x) @ ONES,
    "jacrev": lambda x: ast_ad.jacrev(inner)(x) @ ONES,
    "elementwise_grad": lambda x: ast_ad.elementwise_grad(inner)(x),
    "vmap": lambda x: ast_ad.vmap(ast_ad.grad(inner))(x),
    "make_jvp": lambda x: ast_ad.make_jvp(inner)(x)(ONES)[1],
    "make_jvp_reversemode": lambda x: ast_ad.make_jvp_reversemode(inner)(x)(ONES),
}
OUTER = {
    "reverse": lambda f: lambda x: ast_ad.vjp(f, x)[1](ONES)[0],
    "forward": lambda f: lambda x: ast_ad.jvp(f, (x,), (ONES,))[1],
}


def opaque(f):
    return eval("lambda x: f(x)", {"f": f})


@pytest.mark.drawn(of=48)
@pytest.mark.parametrize("second", OUTER)
@pytest.mark.parametrize("first", OUTER)
@pytest.mark.parametrize("name", WITHIN)
def test_derivatives_of_a_derivative_within_a_trace(name, first, second):
    once = OUTER[first](opaque(WITHIN[name]))
    np.testing.assert_allclose(once(X), exact(X, 2), rtol=1e-10)
    np.testing.assert_allclose(OUTER[second](once)(X), exact(X, 3), rtol=1e-10)


@pytest.mark.parametrize("outer", [ast_ad.grad, ast_ad.jacfwd, ast_ad.jacrev])
def test_the_fourth_derivative(outer):
    f = opaque(lambda x: ast_ad.grad(inner)(x))
    assert outer(outer(outer(f)))(0.9) == pytest.approx(exact(0.9, 4), rel=1e-9)
    assert outer(outer(opaque(lambda x: ast_ad.grad(ast_ad.grad(inner))(x))))(0.9) == pytest.approx(
        exact(0.9, 4), rel=1e-9
    )


def test_a_gradient_of_a_tangent_of_what_is_traced():
    """It is refused, not failed at: the rule of a callee that is traced has several cotangents in one."""
    f = opaque(lambda x: np.sum(x**3))
    found = ast_ad.grad(lambda x: ast_ad.jvp(f, (x,), (ONES,))[1])(X)
    np.testing.assert_allclose(found, 6.0 * X, rtol=1e-12)
