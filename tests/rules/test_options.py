"""Are derivatives right with the options that few pass: dtypes, axes by the tuple, weights, what is returned?

Of programs, compiled for both backends and traced, against differences; and forwards against backwards.
"""

import numpy as np
import pytest
from sample import cnormal, normal, positive

import ast_ad
from ast_ad.tracing import trace

X, Z, CUBE, W = normal(3, 4), cnormal(3, 4), normal(2, 3, 4), positive(2, 4)
STEP = 1e-4

PROGRAMS = {
    # ----- dtypes: complex numbers summed, multiplied, averaged as real ones
    "prod-real": (lambda x: np.sum(np.prod(x, axis=1, dtype=float)), Z),
    "prod-real-where": (lambda x: np.prod(x, dtype=float, where=np.arange(4) > 1), Z),
    "cumprod-real": (lambda x: np.sum(np.cumprod(x, axis=0, dtype=float)), Z),
    "cumprod-flat": (lambda x: np.sum(np.cumprod(x, dtype=float)), Z),
    "nanprod-real": (lambda x: np.sum(np.nanprod(x, axis=0, dtype=float)), Z),
    "var-real-mean": (lambda x: np.sum(np.var(x, axis=0, dtype=float) ** 2), Z),
    "std-real-mean": (lambda x: np.std(x, dtype=float), Z),
    "std-real-mean-where": (lambda x: np.std(x, dtype=float, where=np.arange(4) > 1), Z),
    "nanvar-complex": (lambda x: np.real(np.nanvar(x, dtype=complex)), Z),
    "var-wide": (lambda x: np.var(x, dtype=np.float64), X.astype(np.float32)),
    "prod-wide": (lambda x: np.prod(x, dtype=np.float64), X.astype(np.float32)),
    # ----- weights for several axes
    "average-axes": (lambda x: np.sum(np.average(x, (0, 2), W) ** 2), CUBE),
    "average-weights": (lambda w: np.sum(np.average(CUBE, (-1, 0), w, keepdims=True) ** 2), W.T.copy()),
    "average-returned": (lambda w: np.sum(np.average(X, 1, w, returned=True)[1] ** 2), positive(4)),
    "average-plain": (lambda x: np.prod(np.average(x, returned=True)), X),
}


def differences(f, x):
    """The gradient of a real number by ``x``, by central differences; by real and imaginary parts."""
    found = np.zeros(x.shape, np.result_type(x, np.float64))
    for i in np.ndindex(x.shape):
        for unit in (1, 1j) if np.iscomplexobj(x) else (1,):
            e = np.zeros_like(found)
            e[i] = unit * STEP
            far, near = f(x + 2 * e) - f(x - 2 * e), f(x + e) - f(x - e)
            found[i] += unit * (8 * near - far) / (12 * STEP)
    return found


def hold_compiled(name, backend):
    f, x = PROGRAMS[name]
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x.copy())
    np.testing.assert_allclose(value, f(x.copy()), rtol=0 if backend == "numpy" else 1e-6)
    np.testing.assert_allclose(gradient, differences(f, x), **tolerance(x))
    assert gradient.dtype == x.dtype


def tolerance(x):
    return {"rtol": 1e-6, "atol": 1e-7} if x.dtype.itemsize >= 8 else {"rtol": 1e-4, "atol": 1e-5}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    f, x = PROGRAMS[name]
    hold_compiled(name, "numpy")
    found, pullback = trace(f, (x.copy(),), {}, (0,))
    assert found == f(x.copy())
    expected = differences(f, x)
    np.testing.assert_allclose(pullback([1.0])[0], expected, **tolerance(x))
    direction = (cnormal if np.iscomplexobj(x) else normal)(*x.shape, seed=3).astype(x.dtype)
    _, tangent = ast_ad.jvp(f, (x,), (direction,))
    np.testing.assert_allclose(tangent, np.real(np.vdot(expected, direction)), **tolerance(x))


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels(name):
    hold_compiled(name, "numba")
