"""Do matrices of complex numbers stay in kernels: products, solutions, determinants, factors?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from ast_ad.compiler.kernels.numbers import small_matrices as small
from ast_ad.compiler.kernels.runtime import Mismatch
from ast_ad.rules.numpy import linalg

DRAW = np.random.default_rng(8)
V, A = DRAW.normal(size=6), DRAW.normal(size=(4, 4))


def drawn(*shape):
    return DRAW.normal(size=shape) + 1j * DRAW.normal(size=shape)


def near(found, expected, a):
    bound = 1e-13 * max(1.0, np.linalg.cond(a) if len(a) else 1.0)
    np.testing.assert_allclose(
        found, expected, rtol=bound, atol=bound * np.max(np.abs(expected), initial=1.0)
    )


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 16])
def test_elimination(n):
    a = drawn(n, n)
    for m in (a, a[::-1].copy(), np.tril(a)[:, ::-1].copy(), a * np.logspace(-3, 3, n)[:, None]):
        b, v = drawn(n, 3), drawn(n)
        out, line, square = np.empty((n, 3), complex), np.empty(n, complex), np.empty((n, n), complex)
        small.solve_small_matrix(m, b, out)
        near(out, np.linalg.solve(m, b), m)
        small.solve_small_vector(m, v, line)
        near(line, np.linalg.solve(m, v), m)
        small.invert_small(m, square)
        near(square, np.linalg.inv(m), m)
        assert small.determinant_of_small(m) == pytest.approx(np.linalg.det(m), rel=1e-11)
        for of in (m, m * 1e-200):
            sign, log = small.log_determinant_of_complex(of)
            assert (sign, log) == (
                pytest.approx(np.linalg.slogdet(of)[0], abs=1e-11),
                pytest.approx(np.linalg.slogdet(of)[1], rel=1e-11),
            )
        if n and np.linalg.cond(m) < 1e4:
            small.cofactors_of_small(m, square)
            near(square, linalg.cofactor(m), m)
        hermitian = m @ m.conj().T + np.eye(n)
        small.factor_small(hermitian, square)
        near(square, np.linalg.cholesky(hermitian), hermitian)


def test_singular_and_indefinite():
    ones = np.ones((3, 3), complex) * (1 + 1j)
    with pytest.raises(Mismatch):
        small.invert_small(ones, np.empty((3, 3), complex))
    assert small.log_determinant_of_complex(ones) == (0.0, -np.inf) == tuple(np.linalg.slogdet(ones))
    with pytest.raises(Mismatch):
        small.factor_small(-np.eye(2, dtype=complex), np.empty((2, 2), complex))


def response(v, a):
    """Of a linear system with four states."""
    total = 0.0
    for w in v:
        h = np.linalg.solve(1j * w * np.eye(4) - a, a[:, :2])
        x = np.linalg.solve(a + 1j * w * np.eye(4), v[:4])
        total += np.log(np.abs(h[0, 1]) ** 2 + 1.0) + np.imag(x[0]) * np.real(x[1])
    return total


def determinants(v, a):
    total = 0.0
    for i in range(len(v)):
        m = a * np.exp(1j * v[i]) + 2.0 * np.eye(4)
        sign, log = np.linalg.slogdet(m)
        inverse = np.linalg.inv(m)
        total += np.abs(np.linalg.det(m)) * 0.01 + log + np.real(sign) * np.imag(np.trace(inverse @ inverse))
    return total


def factors(v, a):
    total = 0.0
    for i in range(len(v)):
        m = np.array([[2.0 + v[i] ** 2, 0.3j * a[0, 1]], [-0.3j * a[0, 1], 3.0]])
        low = np.linalg.cholesky(m)
        total += np.real(low[1, 1]) + np.imag(low[1, 0]) * v[i]
    return total


def products(v, a):
    """Real by complex, complex by complex; vectors from either side, rows, columns, transposes."""
    z = v[:4] * np.exp(1j * v[:4])
    total = 0.0
    for i in range(5):
        z = a @ z + (a * (1.0 + 0.1j)).T @ z
        z = z / np.sqrt(np.vdot(z, z).real)
        m = np.outer(z, np.conj(z)) + 0.1j * a
        total += np.dot(z, v[:4]).imag + (z @ a)[i % 4].real + np.inner(z, z).real
        total += (
            np.imag((m @ a @ m.conj().T)[1, 2])
            + np.real((z[None, :] @ m)[0, 1])
            + np.abs(m @ z[:, None])[3, 0]
        )
    return total


def larger(v, a):
    """Products that are calls of BLAS."""
    twice = np.concatenate((v, v))
    u, h = np.eye(12, dtype=complex), np.outer(twice, twice) * a[0, 0]
    for i in range(4):
        u = u - 0.1j * v[i] * (h @ u) - 0.02 * (u @ u.T)
    return np.abs(u[0, 3]) ** 2 + np.real(np.trace(u))


def circuit(v, n):
    """A register of qubits whose state is shown as an array with an axis for one of them."""
    state = np.zeros(2**n, dtype=complex)
    state[0] = 1.0
    for q in range(n):
        c, s = np.cos(v[q]), np.sin(v[q])
        gate = np.array([[c, -1j * s], [-1j * s, c]])
        state = np.einsum("ab,ibj->iaj", gate, state.reshape(2**q, 2, -1)).reshape(-1)
    phases = np.eye(1, dtype=complex)
    for q in range(n):
        phases = np.kron(phases, np.array([[1.0, 0.0], [0.0, np.exp(1j * v[q])]]))
    return np.real(np.sum(phases @ state)) + np.sum(np.abs(state[: 1 << (n - 1)]) ** 2)


@pytest.mark.drawn(of=9)
@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize(
    "function, args",
    [
        (response, (V, A)),
        (determinants, (V, A)),
        (factors, (V, A)),
        (products, (V, A)),
        (larger, (V, A)),
        (circuit, (V, 3)),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_gradients(function, args):
    argnums = tuple(i for i, a in enumerate(args) if isinstance(a, np.ndarray))
    derivative = ast_ad.value_and_grad(function, argnums=argnums, backend="numba", fallback="error")
    plain = ast_ad.value_and_grad(function, argnums=argnums, backend="numpy", fallback="error")
    for given in (args, (args[0] * 0.7, *args[1:])):
        value, bars = derivative(*given)
        assert value == pytest.approx(function(*given), rel=1e-11)
        for bar, other in zip(bars, plain(*given)[1], strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-9, atol=1e-11)
    assert not [line for line in str(derivative.explain()).splitlines() if "NumPy code" in line]
    ast_ad.check_grads(
        lambda *a: function(*a, *args[len(a) :]), args[: len(argnums)], order=1, modes=("rev",)
    )


def test_other_registers():
    """One program for all sizes from two on, another one where a power may be a float."""
    derivative = ast_ad.grad(circuit, backend="numba")
    for n in (3, 2, 5, 1):
        right = ast_ad.grad(circuit, backend="numpy")(V, n)
        np.testing.assert_allclose(derivative(V, n), right, rtol=1e-11, atol=1e-13)
    with pytest.raises((TypeError, ValueError)):
        derivative(V, -1)
