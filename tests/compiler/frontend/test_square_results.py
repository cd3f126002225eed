"""Are functions of matrices compiled that have no value on made-up ones?"""

import numpy as np
import pytest
import scipy.linalg as sl

import ast_ad
from ast_ad.compiler.frontend.types.infer import result_type
from ast_ad.compiler.ir.ops import Var
from ast_ad.compiler.ir.types import Array, Dim


def superoperator(h):
    """Of a matrix that acts from the left and from the right: the lengths are products."""
    eye = np.eye(h.shape[0])
    return np.kron(eye, h) - np.kron(h.T, eye)


def evolved(a):
    total = 1j * superoperator(a.astype(complex))
    for rate in (0.1, 0.2):
        total = total - rate * np.kron(a, a)
    rho = np.zeros((2, 2), dtype=complex)
    rho[0, 0] = 1.0
    out = (sl.expm(0.3 * total) @ rho.flatten(order="F")).reshape(2, 2, order="F")
    return out[0, 1].real + np.abs(out[1, 1]) ** 2


def columns_first(a):
    x = np.kron(a, np.eye(2)) @ a.flatten(order="F").repeat(1)
    return np.sum(np.reshape(x, (2, -1), order="F")[0] ** 2 * np.array([1.0, 3.0]))


def chain(a):
    """Transition probabilities of a Markov chain whose states are pairs."""
    rates = np.abs(superoperator(a))
    rates = rates - np.diag(np.sum(rates, axis=1))
    return np.log(sl.expm(0.5 * rates)[0, 1:]).sum()


def regulator(a):
    drift = np.array([[0, 1, 0], [0, -a[0, 0], 9.8], [a[0, 1], 0, 0]])
    cost = sl.solve_continuous_are(drift, np.array([[0.0], [0.0], [1.0]]), np.eye(3), a[1:, 1:])
    gain = np.linalg.solve(a[1:, 1:], np.array([[0.0, 0.0, 1.0]]) @ cost)
    return np.sum(gain**2)


def of_whole_numbers(a):
    x = sl.solve_continuous_are(np.array([[0, 1], [0, 0]]), np.array([[0], [1]]), a @ a.T, np.array([[1]]))
    return x[0, 0] + 2.0 * x[1, 1]


def steady_filter(a):
    """The gain of a Kalman filter that has run for long."""
    h = np.array([[1.0, 0.0]])
    p = sl.solve_discrete_are(a.T, h.T, np.eye(2) * 0.1, np.array([[0.5]]))
    return np.sum(p @ h.T @ np.linalg.inv(h @ p @ h.T + 0.5))


def complex_riccati(a):
    drift = a + 0.2j * np.eye(2)
    x = sl.solve_continuous_are(drift, np.eye(2), np.eye(2) + 0j, np.eye(2))
    return np.sum(np.real(x)) + np.imag(x[0, 1])


def simulated(a):
    gain = sl.solve_discrete_are(a, np.eye(2), np.eye(2), 2.0 * np.eye(2))
    x, total = np.array([1.0, -0.5]), 0.0
    for _ in range(6):
        u = -0.3 * gain @ x
        total += x @ x + 0.1 * (u @ u)
        x = a @ x + u
    return total


def stack(a):
    many = np.stack([a, 2.0 * a, a.T])
    return np.sum(sl.expm(many * 0.3) * np.arange(12.0).reshape(3, 2, 2))


def twice(a):
    return np.trace(sl.expm(a) @ sl.expm(-2.0 * a))


PROGRAMS = [
    evolved, columns_first, chain, regulator, of_whole_numbers, steady_filter, complex_riccati, simulated,
    stack, twice,
]  # fmt: skip
A = np.array([[1.1, 0.4], [0.3, 0.7]])


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(A)
    assert value == pytest.approx(f(A), rel=1e-10)
    steps = 1e-5 * np.eye(4).reshape(4, 2, 2)
    differences = [(f(A + e) - f(A - e)) / 2e-5 for e in steps]
    np.testing.assert_allclose(gradient.ravel(), differences, rtol=1e-5, atol=1e-6)


def test_the_type_is_that_of_the_function():
    for dtype in (np.int64, np.float64, np.complex128):
        arrays = [np.eye(2, dtype=dtype)] * 4
        of = [Var(Array(a.dtype, (Dim.fresh(), Dim.fresh()))) for a in arrays]
        assert result_type(sl.expm, tuple(of[:1]), {}).dtype == sl.expm(arrays[0]).dtype
        for solve in (sl.solve_continuous_are, sl.solve_discrete_are):
            assert result_type(solve, tuple(of), {}).dtype == solve(*arrays).dtype
