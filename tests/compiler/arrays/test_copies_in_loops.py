"""What does a loop copy at each turn? Nothing that grows with the turns."""

import numpy as np
import pytest

import ast_ad


def best_so_far(x, n):
    best, total = x * 0.5, 0.0
    for i in range(n):
        v = x * np.sin(0.1 * i)
        if np.sum(v) > np.sum(best):
            best = v
        best[0] = best[0] + 0.01 * i
        total = total + np.sum(v * v)
    return total + np.sum(best * best)


def two_that_change(x, n):
    best, second = x * 0.5, x * 0.1
    for i in range(n):
        v = x * np.sin(0.1 * i)
        if np.sum(v) > np.sum(best):
            second, best = best, v
        elif v[0] > second[0]:
            second = v
        best *= 0.99
        second[1] = v[1] * best[0]
    return np.sum(best * best) + np.sum(second)


def check(f, *args):
    derivative = ast_ad.value_and_grad(f, backend="numpy", fallback="error")
    value, x_bar = derivative(*args)
    x, *rest = args
    assert value == f(x.copy(), *rest)
    differences = [(f(x + h, *rest) - f(x - h, *rest)) / 2e-6 for h in 1e-6 * np.eye(x.size)]
    np.testing.assert_allclose(x_bar, differences, rtol=1e-6, atol=1e-8)
    return derivative.source


@pytest.mark.slow
def test_the_list_of_candidates_is_not_copied():
    for f in best_so_far, two_that_change:
        source = check(f, np.array([0.3, 0.7, 0.2]), 9)
        assert "arrays.append(" in source or "arrays_1.append(" in source
        assert "arrays.copy()" not in source and "arrays_1.copy()" not in source, source


def buffers(x, n):
    u, v, total = x * 1.0, x.copy(), 0.0
    for _ in range(n):
        v[:] = u * x
        np.add(v, x, out=u)
        total += np.sum(u * v)
    return total


@pytest.mark.slow
def test_buffers_that_are_filled_have_no_cotangent_from_before():
    for x in np.array([0.3, 0.7, 0.2]), np.array([[0.3, 0.7], [0.2, 0.9]]):
        derivative = ast_ad.value_and_grad(buffers, backend="numpy", fallback="error")
        value, x_bar = derivative(x, 4)
        assert value == buffers(x.copy(), 4)
        steps = 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)
        differences = [(buffers(x + h, 4) - buffers(x - h, 4)) / 2e-6 for h in steps]
        np.testing.assert_allclose(x_bar.ravel(), differences, rtol=1e-6)
        source = derivative.source
        assert "[:] = 0" not in source and "[:].copy()" not in source
        assert "out=v)" in source and "out=u)" in source


def changed_in_place(a, b):
    a += b
    b *= a
    a /= 2.0 + b * b
    b *= b
    b += 1.0
    np.sqrt(b, out=b)
    return np.sum(a * b)


def test_matrices_changed_in_place_have_the_products_of_any_others():
    random = np.random.default_rng(0)
    for order in "CF":
        a, b, da, db = (np.array(one, order=order) for one in random.normal(size=(4, 3, 5)))
        derivative = ast_ad.value_and_grad(
            changed_in_place, argnums=(0, 1), backend="numpy", fallback="error"
        )
        value, (a_bar, b_bar) = derivative(a, b)
        assert value == changed_in_place(a.copy("K"), b.copy("K"))
        up, down = (changed_in_place(a + h * da, b + h * db) for h in (1e-6, -1e-6))
        found = np.sum(a_bar * da) + np.sum(b_bar * db)
        np.testing.assert_allclose(found, (up - down) / 2e-6, rtol=1e-6)
        assert "safe_product" not in derivative.source and "np.copy(" not in derivative.source
