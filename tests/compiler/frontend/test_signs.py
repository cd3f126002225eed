"""Is it asked of ints whether they may be -1 where an array has another shape, and again at each call?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.types.infer import result_type
from ast_ad.compiler.ir.dims import Dim
from ast_ad.compiler.ir.ops import Var
from ast_ad.compiler.ir.types import Scalar

BACKENDS = ["numpy", "numba"]
W, X = np.linspace(0.5, 2.0, 24), np.linspace(-1.0, 1.0, 6)
SIZES = {"rows": 4}


class Layer:
    def __init__(self, rows):
        self.rows = rows

    def loss(self, w):
        return energy(w.reshape(self.rows, 6))


def energy(weights):
    h = np.zeros(len(weights))
    for _ in range(2):
        h = np.tanh(weights @ X + h)
    return np.sum(h * h)


def of_argument(w, rows):
    return energy(w.reshape(rows, w.size // abs(rows)) if rows > 0 else w.reshape(rows, 6))


def of_either(w, rows, columns):
    return energy(np.reshape(w[: 12 * 2], (rows, columns)))


def of_global(w):
    return energy(w.reshape(SIZES["rows"], 6))


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_next_call_may_leave_a_length_open(backend):
    gradient = ast_ad.grad(of_either, backend=backend, fallback="error")
    expected = ast_ad.grad(lambda w: energy(w.reshape(4, 6)))(W)
    for sizes in ((4, 6), (-1, 6), (4, -1), (4, 6)):
        np.testing.assert_allclose(gradient(W, *sizes), expected, rtol=1e-12)
    for sizes in ((5, 6), (0, 6), (-1, -1)):
        with pytest.raises(ValueError):
            gradient(W, *sizes)
    np.testing.assert_allclose(of_either(W[: 6 * 4], -1, 6), of_either(W, 4, 6))


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_one_row(backend):
    """1 is no more than -1 among what is known, and is right."""
    gradient = ast_ad.grad(lambda w, rows: energy(w.reshape(rows, 6)), backend=backend, fallback="error")
    for rows in (4, 1, -1, 2):
        w = W[: 6 * rows] if rows > 0 else W[:18]
        expected = ast_ad.grad(lambda w, rows=rows: energy(w.reshape(len(w) // 6, 6)))(w)
        np.testing.assert_allclose(gradient(w, rows), expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_read_from_outside_is_asked_at_each_call(backend, monkeypatch):
    expected = ast_ad.grad(lambda w: energy(w.reshape(4, 6)))(W)
    layer = Layer(4)
    of_object = ast_ad.grad(layer.loss, backend=backend, fallback="error")
    outside = ast_ad.grad(of_global, backend=backend, fallback="error")
    for rows in (4, -1, 4, np.int64(4), np.int64(-1)):
        layer.rows = rows
        monkeypatch.setitem(SIZES, "rows", rows)
        np.testing.assert_allclose(of_object(W), expected, rtol=1e-12)
        np.testing.assert_allclose(outside(W), expected, rtol=1e-12)
    layer.rows = 5
    with pytest.raises(ValueError):
        of_object(W)


@pytest.mark.slow
def test_a_loop_carries_one_shape():
    """Which is known, so that what its turns leave is one array, and not a list of arrays of any length."""

    def loss(w, units):
        weights = w.reshape(units, units + 2)
        h = np.zeros(units)
        for _ in range(3):
            h = np.tanh(weights @ np.concatenate((h, np.ones(2))))
        return np.sum(h)

    gradient = ast_ad.grad(loss, backend="numba", fallback="error")
    w = np.linspace(-1.0, 1.0, 24)
    np.testing.assert_allclose(gradient(w, 4), ast_ad.grad(loss, backend="numpy")(w, 4), rtol=1e-12)
    assert "reserve" not in gradient.source
    assert "units >= 2" in str(gradient.explain())


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_one_program_knows_another_does_not(backend):

    def several(w, n):
        return np.sum(w.reshape(n, 6)[0]) * np.arange(n).size

    def any_number(w, n):
        return np.sum(w) * (1.0 + np.arange(n).size)

    first = ast_ad.grad(several, backend=backend, fallback="error")
    np.testing.assert_allclose(first(W, 4)[:7], [4, 4, 4, 4, 4, 4, 0])
    second = ast_ad.grad(any_number, backend=backend, fallback="error")
    for n, size in ((-3, 0), (0, 0), (5, 5)):
        np.testing.assert_allclose(second(W, n), np.full(24, 1.0 + size))


def test_types_are_remembered_by_what_is_known():
    """The ints of two builds are called the same, and one of them is 2 at least."""
    known, any_number = (Var(Scalar("int", None, Dim.symbol(("arg", 1), least=n))) for n in (2, None))
    (length,) = result_type(np.arange, (known,), {}).shape
    assert length == known.type.size
    (length,) = result_type(np.arange, (any_number,), {}).shape
    assert length != known.type.size
