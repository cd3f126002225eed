"""Does every operator work on every kind of code: loops, branches, ``while``, views, writes in place?

A row is an operator, as a function of ``f`` and ``x``, and what it has to give, from differences of ``f``.
"""

import numpy as np
import pytest

import ast_ad

from .functions import OF_ARRAYS, X, differences

V = np.array([0.7, -0.2, 1.1])


def weighed(f):
    """A number made of all that a function returns, with curvature of its own."""

    def scalar(x):
        y = np.ravel(f(x))
        total = 0.0
        for i in range(y.size):
            total += np.sin(y[i]) * (i + 1.0)
        return total

    return scalar


def with_own_vjp(f):
    @ast_ad.custom_vjp
    def scaled(x):
        y = np.array(x)
        y *= 2.0
        return y

    scaled.defvjp(lambda x: (2.0 * x, None), lambda _, g: (2.0 * g,))
    return lambda x: f(scaled(0.5 * x))


def with_own_jvp(f):
    @ast_ad.custom_jvp
    def scaled(x):
        y = np.array(x)
        y *= 2.0
        return y

    scaled.defjvp(lambda primals, tangents: (2.0 * primals[0], 2.0 * tangents[0]))
    return lambda x: f(scaled(0.5 * x))


def stopped(f):
    """x·f(c) with c = x held: its Jacobian is f(x)'s value in the place of x."""
    return lambda x: x[0] * f(ast_ad.stop_gradient(x))


def of_stopped(f, x):
    return np.multiply.outer(np.asarray(f(x)), np.array([1.0, 0.0, 0.0]))


def slope(f, x):
    return differences(weighed(f), x)


def curvature(f, x):
    return differences(ast_ad.grad(weighed(f), fallback="error"), x)


def moved(f, x):
    return np.tensordot(differences(f, x), V, axes=1)


def seeds(f, x):
    y = np.asarray(f(x))
    return np.cos(np.arange(y.size, dtype=float)).reshape(y.shape)[()]


def pulled(f, x):
    return np.tensordot(seeds(f, x), differences(f, x), axes=np.ndim(f(x)))


def rows_of(f, x):
    return np.stack([differences(weighed(f), row) for row in (x, x + 0.1)])


TABLE = {
    "grad": (lambda f, x, **o: ast_ad.grad(weighed(f), **o)(x), slope),
    "value_and_grad": (lambda f, x, **o: ast_ad.value_and_grad(weighed(f), **o)(x)[1], slope),
    "vjp": (lambda f, x, **o: ast_ad.vjp(f, x, **o)[1](seeds(f, x))[0], pulled),
    "jvp": (lambda f, x, **o: ast_ad.jvp(f, (x,), (V,), **o)[1], moved),
    "linearize": (lambda f, x, **o: ast_ad.linearize(f, x, **o)[1](V), moved),
    "jacfwd": (lambda f, x, **o: ast_ad.jacfwd(f, **o)(x), differences),
    "jacrev": (lambda f, x, **o: ast_ad.jacrev(f, **o)(x), differences),
    "jacobian": (lambda f, x, **o: ast_ad.jacobian(f, **o)(x), differences),
    "hessian": (lambda f, x, **o: ast_ad.hessian(weighed(f), **o)(x), curvature),
    "hvp": (
        lambda f, x, **o: ast_ad.hvp(weighed(f), (x,), (V,), **o)[0],
        lambda f, x: curvature(f, x) @ V,
    ),
    "laplacian": (
        lambda f, x, **o: ast_ad.laplacian(weighed(f), **o)(x),
        lambda f, x: np.trace(curvature(f, x)),
    ),
    "custom_vjp": (lambda f, x, **o: ast_ad.jacrev(with_own_vjp(f), **o)(x), differences),
    "custom_jvp": (lambda f, x, **o: ast_ad.jacfwd(with_own_jvp(f), **o)(x), differences),
    "custom_jvp, in reverse": (lambda f, x, **o: ast_ad.jacrev(with_own_jvp(f), **o)(x), differences),
    "stop_gradient": (lambda f, x, **o: ast_ad.jacfwd(stopped(f), **o)(x), of_stopped),
    "vmap": (
        lambda f, x, **o: ast_ad.vmap(f, **o)(np.stack([x, x])),
        lambda f, x: np.stack([np.asarray(f(x))] * 2),
    ),
    "vmap of grad": (
        lambda f, x, **o: ast_ad.vmap(ast_ad.grad(weighed(f)), **o)(np.stack([x, x + 0.1])),
        rows_of,
    ),
    "grad through jvp": (
        lambda f, x, **o: ast_ad.grad(lambda x: ast_ad.jvp(weighed(f), (x,), (V,))[1], **o)(x),
        lambda f, x: curvature(f, x) @ V,
    ),
}


@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.drawn(of=49)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", OF_ARRAYS)
@pytest.mark.parametrize("name", TABLE)
def test_an_operator_of_a_function(name, f, backend):
    ask, expected = TABLE[name]
    x = X.copy()
    found = ask(f, x, backend=backend, fallback="error")
    np.testing.assert_allclose(found, expected(f, x), rtol=2e-6, atol=2e-7)
    np.testing.assert_array_equal(x, X)


@pytest.mark.drawn(of=24)
@pytest.mark.parametrize("f", OF_ARRAYS)
def test_check_grads(f):
    ast_ad.check_grads(f, (X,), order=2)
