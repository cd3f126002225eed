"""Do calls through the public face give the same with kernels as with NumPy code, whatever is passed?"""

import dataclasses
import threading

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code as programs

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def loud(monkeypatch):
    monkeypatch.setattr(programs, "FAIL_LOUDLY", True)


@dataclasses.dataclass
class Layer:
    w: np.ndarray
    b: float


def scalar(x):
    return np.sin(x) * x**2


def mixed(x, n, y):
    total = 0.0
    for i in range(n):
        total += x[i % x.shape[0]] * y
    return total


def layered(layer, x):
    return np.sum(np.tanh(layer.w * x + layer.b))


def tree(p):
    return np.sum(p["a"] * p["b"][0]) + p["b"][1]


def several(x):
    return np.sum(x * x), {"double": 2 * x, "first": x[0]}


def written(x):
    x[1:] += x[:-1]
    return np.sum(x * x)


X = np.linspace(0.5, 1.5, 12)
CASES = [
    (scalar, (1.3,), 0, False),
    (scalar, (np.float32(1.3),), 0, False),
    (scalar, (np.array(1.3),), 0, False),
    (mixed, (X, 40, 2.0), (0, 2), False),
    (mixed, (X.astype(np.float32), 3, 2.0), (0,), False),
    (mixed, (X[::2], 0, 2.0), (0, 2), False),
    (layered, (Layer(X, 0.5), X), (0, 1), False),
    (tree, ({"a": X, "b": (X + 1, 2.0)},), 0, False),
    (several, (X,), 0, True),
    (written, (X.copy(),), 0, False),
    (written, (np.ones(0),), 0, False),
    (written, (np.ones(1),), 0, False),
]


def assert_same(found, expected):
    found, expected = ast_ad.trees.flatten(found), ast_ad.trees.flatten(expected)
    assert found[1] == expected[1]
    for a, b in zip(found[0], expected[0]):
        # a sum that begins with Python's 0.0 stays one of Python's floats in kernels
        assert type(a) is type(b) or {type(a), type(b)} == {float, np.float64}
        assert np.result_type(a) == np.result_type(b)
        np.testing.assert_allclose(a, b, rtol=1e-6 if np.result_type(a) == np.float32 else 1e-13, atol=1e-14)


@pytest.mark.parametrize("function, args, argnums, has_aux", CASES)
def test_same_results(function, args, argnums, has_aux):
    for kind in (ast_ad.value_and_grad, ast_ad.grad):
        plain = kind(function, argnums, has_aux=has_aux, backend="numpy")
        kernels = kind(function, argnums, has_aux=has_aux, backend="numba")
        for _ in range(3):
            assert_same(kernels(*args), plain(*args))


@pytest.mark.parametrize("function, args", [(scalar, (1.3,)), (lambda x, y: np.exp(x) * y, (X, X + 1))])
def test_pullbacks(function, args):
    value, pullback = ast_ad.vjp(function, backend="numba")(*args)
    expected, plain = ast_ad.vjp(function, backend="numpy")(*args)
    assert_same(value, expected)
    assert_same(pullback(value), plain(expected))


def test_derivatives_of_derivatives():
    for n in range(3):
        assert_same(
            ast_ad.grad(ast_ad.grad(scalar, backend="numba"), backend="numba")(1.3 + n),
            ast_ad.grad(ast_ad.grad(scalar, backend="numpy"), backend="numpy")(1.3 + n),
        )


def test_auto_changes_over():
    """NumPy code first; the same numbers, to rounding, from kernels."""
    vg = ast_ad.value_and_grad(lambda x: np.sum(np.exp(x) * x), backend="auto")
    x = np.linspace(0.0, 1.0, 200_000)
    first = vg(x)
    assert vg.backend == "numpy"
    for calls in range(1000):
        if vg.backend == "numba":
            break
        found = vg(x)
    assert vg.backend == "numba" and calls > 1
    np.testing.assert_allclose(found[0], first[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], first[1], rtol=1e-12)


def test_layouts_and_shapes():
    vg = ast_ad.value_and_grad(lambda x: np.sum(x * x * x), backend="numba")
    base = np.random.default_rng(0).standard_normal((20, 30))
    frozen = base.copy()
    frozen.setflags(write=False)
    for x in (base, base.T, base[::2], base[:, ::-1], np.asfortranarray(base), frozen, base[:3], base[:0]):
        for _ in range(3):
            value, gradient = vg(x)
            np.testing.assert_allclose(value, np.sum(x**3), rtol=1e-12)
            np.testing.assert_allclose(gradient, 3 * x**2, rtol=1e-12)


def test_threads():
    vg = ast_ad.value_and_grad(lambda x: np.sum(x * x), backend="numba")
    wrong = []

    def work(n):
        for i in range(200):
            value, gradient = vg(np.full(n, float(i)))
            if value != n * i * i or not np.array_equal(gradient, np.full(n, 2.0 * i)):
                wrong.append((n, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in (10, 20, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def summed_from_zero(x, n):
    total = 0.0
    for i in range(n):
        total += x[i] ** 2
    return total


def python_only(a, n):
    total = 0.0
    for _ in range(n):
        total += a * a
    return total


def test_numbers_are_of_numpys_type():
    """A sum that starts with Python's 0.0 is a NumPy scalar once elements of an array are added."""
    for f, args in ((summed_from_zero, (np.ones(40), 40)), (python_only, (1.5, 4))):
        kernels, code = (ast_ad.value_and_grad(f, backend=b) for b in ("numba", "numpy"))
        for _ in range(3):  # the short way, too
            (value, gradient), (wanted, gradient_) = kernels(*args), code(*args)
            assert type(value) is type(wanted) and type(gradient) is type(gradient_)
            assert value == wanted and np.array_equal(gradient, gradient_)
        assert kernels.backend == "numba"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("ask", [ast_ad.vjp, ast_ad.linearize])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_answers_for_later_of_integers_alone(ask, backend):
    """Nothing is differentiated: the value is one result, and what is saved another."""
    value, later = ask(lambda n: n * 2.0, 3, backend=backend, check=True)
    assert value == 6.0 and later(*((1.0,) if ask is ast_ad.vjp else (None,))) == (
        () if ask is ast_ad.vjp else 0.0
    )
