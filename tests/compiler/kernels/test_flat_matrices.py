"""Does a product with a matrix that lies in a vector go along its rows?"""

import numpy as np
import pytest

import ast_ad


def loss(w, xs, n):
    m = n + 3
    turned = w[n * m : 2 * n * m].reshape(n, m)
    total = 0.0
    for k in range(len(xs)):
        total += np.sum(np.tanh(turned @ xs[k]))
    return total


def moving(w, xs, n):
    """Another part in each turn, so that it is shown within the loop."""
    rows = w[: 4 * 460].reshape(4, 460)
    total = 0.0
    for k in range(len(xs)):
        total += np.sum(np.tanh(rows[k].reshape(20, 23) @ xs[k]))
    return total


def down(w, xs, n):
    m = n + 3
    turned = w[n * m : 2 * n * m].reshape(m, n)
    total = 0.0
    for k in range(len(xs)):
        total += np.sum(np.tanh(turned.T @ xs[k]))
    return total


def along_and_down(w, xs, n):
    """The same matrix both ways: neither is by far the longer one."""
    m = n + 3
    square = w[: m * m].reshape(m, m)
    total = 0.0
    for k in range(len(xs)):
        total += np.sum(np.tanh(square @ (square.T @ xs[k])))
    return total


W, XS = np.linspace(-1.0, 1.0, 4 * 20 * 23), np.sin(np.arange(4.0 * 23)).reshape(4, 23)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("function", [loss, moving, down, along_and_down])
def test_all_derivatives_agree_with_numpy(function):
    v = np.cos(np.arange(len(W)))
    for kind in ("grad", "hvp"):
        found = []
        for backend in ("numpy", "numba"):
            options = dict(backend=backend, fallback="error")
            if kind == "grad":
                found.append(ast_ad.grad(function, **options)(W, XS, 20))
            else:
                found.append(ast_ad.hvp(function, (W, XS, 20), (v, None, None), **options)[0])
        np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-12)


def test_sums_go_along_the_rows():
    """The pullback adds to all of what it makes for each row, and no sum runs down a column."""
    gradient = ast_ad.grad(moving, argnums=1, backend="numba", fallback="error")
    gradient(W, XS, 20)
    sums = [line.split()[0] for line in gradient.source.splitlines() if " += " in line and "[j]" in line]
    assert any(name.endswith("[j]") for name in sums), gradient.source
