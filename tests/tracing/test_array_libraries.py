"""Are functions of libraries of one face for all arrays, made of NumPy's parts, recorded like NumPy's own?"""

import importlib
import sys

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
A = np.array([[2.0, 1.0, 0.2], [0.5, 3.0, 0.1], [0.3, 0.4, 5.0]])
TURN = np.array([[0.1, -1.0], [1.3, 0.2]])  # its eigenvalues are complex


@pytest.fixture(params=["scipy._lib.array_api_compat.numpy", "sklearn.externals.array_api_compat.numpy"])
def xp(request):
    library = pytest.importorskip(request.param)
    importlib.import_module(f"{request.param}.linalg")
    return library


def traced(x):
    sys._getframe()  # which no compiler follows
    return x


def solved(xp):
    return lambda x: np.sum(xp.linalg.solve(traced(x), x.T) ** 2) + np.sum(xp.linalg.solve(x, x[0]))


def of_eig(xp):
    plain = [part.dtype for part in xp.linalg.eig(A)]  # NumPy's own function tells by the value

    def function(x):
        values, vectors = xp.linalg.eig(traced(x))
        assert [values.dtype, vectors.dtype] == plain or len(x) == 2
        return np.sum(np.abs(values) ** 2) + np.sum(np.abs(vectors[0]) ** 2)

    return function


def of_eigvals(xp):
    return lambda x: np.sum(np.real(xp.linalg.eigvals(traced(x)) ** 3))


def compiled(xp):
    return lambda x: np.sum(xp.linalg.solve(x, x.mT) * xp.eye(x.shape[0], device=x.device))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("x", [A, TURN])
@pytest.mark.parametrize("make", [solved, of_eig, of_eigvals, compiled])
def test_gradients(xp, make, x):
    function = make(xp)
    derivative = ast_ad.value_and_grad(function)
    value, gradient = derivative(x)
    assert derivative.mode == ("compiled" if make is compiled else "fallback")
    np.testing.assert_allclose(value, function(x), rtol=1e-12)
    direction, h = np.cos(np.arange(float(x.size))).reshape(x.shape), 1e-5
    slope = (function(x + h * direction) - function(x - h * direction)) / (2 * h)
    assert np.sum(gradient * direction) == pytest.approx(slope, rel=1e-7, abs=1e-8)


def kind(x):
    return x * (2.0 if getattr(x, "device", None) == "cpu" else 3.0)


def test_where_an_array_is_and_that_a_number_of_pythons_is_nowhere():
    gradient = ast_ad.grad(kind, fallback="error")
    assert (gradient(1.5), gradient(np.float64(1.5))) == (3.0, 2.0)
