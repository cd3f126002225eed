"""Do products of stacks of small matrices stay in kernels, with NumPy's ways of broadcasting stacks?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

DRAW = np.random.default_rng(4)
A, B = DRAW.normal(size=(6, 3, 4)), DRAW.normal(size=(6, 4, 3))
SINGLE = np.float32(A[0])


def in_turn(a, b):
    y = b
    for _ in range(3):
        y = np.tanh(b @ (a @ y))
    return np.sum(y * y)


def with_a_matrix(a, b):
    return np.sum((a @ b[2]) ** 2) + np.sum((a[1] @ b) ** 3) + np.sum(np.matmul(b, a[:1]) * 0.5)


def grids(a, b):
    left, right = a.reshape(2, 3, 3, 4), b.reshape(2, 3, 4, 3)
    return np.sum((left @ right[:, :1]) ** 2) + np.sum((left[0] @ right) * 2.0)


def turned(a, b):
    products = a.swapaxes(1, 2) @ b.transpose(0, 2, 1)[::-1]
    products[2] = products[3] @ products[4]
    return np.sum(np.sin(products))


def of_expressions(a, b):
    return np.sum(((2.0 * a + 1.0) @ np.exp(b)) * (a @ b))


def by_counts(a, b):
    """Integers, masks and single precision beside doubles: NumPy makes doubles of them first."""
    counts = np.arange(4) - 1
    total = 0.0
    for i in range(3):
        total += (
            np.sum((a[i] @ counts) ** 2) + np.sum(counts @ b[i]) + np.sum((counts > 0) @ b[i] * a[0, 0, 0])
        )
        total += np.sum(a[i] @ np.outer(counts, counts)) + np.sum((b[i] @ SINGLE) ** 2)
        total += np.dot(counts, counts * i) * a[0, 0, 1] + np.sum(a[1] * (np.outer(counts, counts) @ counts))
    return total


@pytest.mark.drawn(of=9)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", [in_turn, with_a_matrix, grids, turned, of_expressions, by_counts])
def test_gradients(function):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba", fallback="error")
    value, bars = derivative(A, B)
    assert value == pytest.approx(function(A, B), rel=1e-13)
    assert ("a product of" if function is by_counts else "a product of stacks") not in derivative.explain()
    for bar, other in zip(bars, ast_ad.grad(function, argnums=(0, 1), backend="numpy")(A, B), strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-13)
    ast_ad.check_grads(function, (A, B), order=1, modes=("rev",))


def product(a, b):
    return np.sum((a @ b) ** 2)


def test_lengths_that_do_not_fit_are_numpys_error():
    derivative = ast_ad.grad(product, argnums=(0, 1), backend="numba")
    derivative(A, B)
    for a, b in ((A, B[:5]), (A[:, :, :3], B)):
        with pytest.raises(ValueError):
            derivative(a, b)
    of_a, of_b = derivative(A[:1], B)  # one matrix for all
    np.testing.assert_allclose(of_a, 2 * np.sum((A[:1] @ B) @ B.swapaxes(1, 2), axis=0, keepdims=True))
    np.testing.assert_allclose(of_b, 2 * A[:1].swapaxes(1, 2) @ (A[:1] @ B))


S = DRAW.normal(size=(5, 3, 3)) + 3.0 * np.eye(3)


def determinants(a):
    return np.sum(np.log(np.linalg.det(a)) ** 2) + np.sum(np.linalg.det(a[:, :2, :2]))


def inverses(a):
    inverse = np.linalg.inv(a)
    return np.sum(np.tanh(inverse @ a[::-1])) + np.sum(np.linalg.inv(a[:, :2, :2] * 2.0) ** 2)


def solutions(a):
    return np.sum(np.linalg.solve(a, a[::-1, :, :2]) ** 2)


def grids_of_matrices(a):
    return np.sum(np.linalg.det((a[:4] * 0.5).reshape(2, 2, 3, 3)) ** 2)


@pytest.mark.drawn(of=4)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("function", [determinants, inverses, solutions, grids_of_matrices])
def test_what_is_done_to_each_matrix_stays_in_kernels(function):
    derivative = ast_ad.value_and_grad(function, backend="numba", fallback="error")
    value, bar = derivative(S)
    assert value == pytest.approx(function(S), rel=1e-13)
    assert "` of arrays" not in str(derivative.explain())
    np.testing.assert_allclose(bar, ast_ad.grad(function, backend="numpy")(S), rtol=1e-11, atol=1e-12)
    ast_ad.check_grads(function, (S,), order=1, modes=("rev",))


@pytest.mark.slow(beyond=1)
def test_a_singular_matrix_in_a_stack_is_numpys_error():
    derivative = ast_ad.value_and_grad(inverses, backend="numba")
    derivative(S)
    flat = S.copy()
    flat[3] = 1.0
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        derivative(flat)
    assert derivative(S)[0] == pytest.approx(inverses(S), rel=1e-13)


@pytest.mark.slow(beyond=1)
def test_determinants_of_singular_matrices_have_gradients():
    flat = S.copy()
    flat[1], flat[3] = 0.0, np.outer([1.0, 2.0, -1.0], [3.0, 0.5, 2.0])

    def product(a):
        return np.sum(np.linalg.det(a) * np.arange(1.0, 6.0))

    value, bar = ast_ad.value_and_grad(product, backend="numba", fallback="error")(flat)
    assert value == pytest.approx(product(flat), rel=1e-13)
    np.testing.assert_allclose(bar, ast_ad.grad(product, backend="numpy")(flat), rtol=1e-11, atol=1e-12)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("last", [[4.0, 3.0, 2.0, 1.0], [0.0, 0.0, 0.0, 0.0]])
def test_determinants_of_four_rows_stay_in_kernels(last):
    stack = DRAW.normal(size=(6, 4, 4)) + 4.0 * np.eye(4)
    stack[2, 3] = last

    def product(a):
        return np.sum(np.linalg.det(a) * np.arange(1.0, 7.0))

    derivative = ast_ad.value_and_grad(product, backend="numba", fallback="error")
    value, bar = derivative(stack)
    assert value == pytest.approx(product(stack), rel=1e-13)
    assert "` of arrays" not in str(derivative.explain())
    np.testing.assert_allclose(bar, ast_ad.grad(product, backend="numpy")(stack), rtol=1e-11, atol=1e-11)
    step = 1e-6 * DRAW.normal(size=stack.shape)
    slope = (product(stack + step) - product(stack - step)) / 2
    assert np.sum(bar * step) == pytest.approx(slope, rel=1e-7)
