"""Is nothing drawn another time by what runs a function again: a derivative of a pullback, a copy, a loop?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, jacobian, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.3, 0.7, 1.1, 1.9])
RNG = np.random.default_rng(5)


def reset():
    RNG.bit_generator.state = np.random.default_rng(0).bit_generator.state
    np.random.seed(0)


def states():
    return repr((RNG.bit_generator.state, np.random.get_state()[1:]))


def outcome(run):
    """What a run gives from the same state of the generators on, and where it leaves them."""
    reset()
    found = run()
    return found, states()


# ----- derivatives of derivatives in a trace
def cubes(y):
    return RNG.normal(0.0, 1.0, 4) * y**3 + np.random.rand(4) * y


def by_a_pullback(x):
    eval("0")
    value, pull = vjp(cubes)(x)
    return np.sum(value) + np.sum(pull(np.ones(4))) + RNG.random() * x[0]


def by_a_jacobian(x):
    eval("0")
    return np.sum(jacobian(cubes)(x)) + RNG.random() * x[0]


@pytest.mark.parametrize("f", [by_a_pullback, by_a_jacobian], ids=lambda f: f.__name__)
def test_a_trace_of_a_derivative(f):
    expected, left = outcome(lambda: f(X))
    (value, found), behind = outcome(lambda: value_and_grad(f)(X))
    assert value == expected and behind == left
    for i in range(4):
        e = np.eye(4)[i] * 1e-4
        by_difference = (outcome(lambda e=e: f(X + e))[0] - outcome(lambda e=e: f(X - e))[0]) / 2e-4
        assert found[i] == pytest.approx(by_difference, rel=1e-6)


def test_derivatives_of_a_tensors_gradient():
    t = ast_ad.tensor(X, requires_grad=True)
    z, left = outcome(lambda: RNG.normal(0.0, 1.0, 4))

    def second():
        g = grad(lambda y: np.sum(RNG.normal(0.0, 1.0, 4) * y**3))(t)
        (h,) = ast_ad.autograd.grad(g.sum(), t, create_graph=True)
        (k,) = ast_ad.autograd.grad(h.sum(), t)
        return [d.detach().numpy() for d in (g, h, k)]

    found, behind = outcome(second)
    assert behind == left
    for d, expected in zip(found, (3 * z * X**2, 6 * z * X, 6 * z), strict=True):
        np.testing.assert_allclose(d, expected, rtol=1e-12)
