"""Are derivatives right with the options that few pass: dtypes, axes by the tuple, weights, margins?

Of programs, compiled for both backends and traced, against differences; and forwards against backwards.
"""

import numpy as np
import pytest
from sample import cnormal, normal, positive

import ast_ad
from ast_ad.tracing import trace

X, Z, CUBE, W = normal(3, 4), cnormal(3, 4), normal(2, 3, 4), positive(2, 4)
V, STEP = normal(6), 1e-4
MASK = np.arange(12).reshape(3, 4) % 5 < 3


def weighed(a):
    return np.sum(a**2 * np.arange(1.0, np.size(a) + 1).reshape(np.shape(a)))


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
    # ----- deviations from a mean that is given
    "var-mean": (lambda x: weighed(np.var(x, axis=0, mean=x[:1] ** 2)), X),
    "std-mean": (lambda x: weighed(np.std(X, axis=1, ddof=1, mean=x[:, :1])), X),
    "var-mean-complex": (lambda z: weighed(np.var(z, axis=0, mean=z[:1] ** 2, where=MASK)), Z),
    "nanvar-mean": (lambda x: weighed(np.nanvar(x, axis=(0, 1), keepdims=True, mean=x[:1, :1])), X),
    # ----- weights for several axes
    "average-axes": (lambda x: np.sum(np.average(x, (0, 2), W) ** 2), CUBE),
    "average-weights": (lambda w: np.sum(np.average(CUBE, (-1, 0), w, keepdims=True) ** 2), W.T.copy()),
    "average-returned": (lambda w: np.sum(np.average(X, 1, w, returned=True)[1] ** 2), positive(4)),
    "average-plain": (lambda x: np.prod(np.average(x, returned=True)), X),
    # ----- margins computed of several elements, ramps that end elsewhere
    "pad-mean": (lambda x: weighed(np.pad(x, ((1, 2), (3, 0)), "mean", stat_length=2)), X),
    "pad-maximum": (lambda x: weighed(np.pad(x, ((1, 2), (3, 0)), "maximum")), X),
    "pad-minimum": (lambda x: weighed(np.pad(x, 2, "minimum", stat_length=((1, 2), (3, 9)))), X),
    "pad-median": (lambda x: weighed(np.pad(x, ((1, 2), (0, 3)), "median")), X),
    "pad-odd": (lambda x: weighed(np.pad(x, 7, "reflect", reflect_type="odd")), X),
    "pad-ends": (lambda e: weighed(np.pad(X, ((1, 2), (3, 1)), "linear_ramp", end_values=e)), W[:, :2] + 0),
    "pad-end": (lambda x: weighed(np.pad(x, 2, "linear_ramp", end_values=x[0, 0])), X),
    "pad-empty": (lambda x: weighed(np.pad(x, 1, "empty")[1:-1, 1:-1]), X),
    # ----- weights of observations, and densities of histograms
    "cov-counts": (lambda x: weighed(np.cov(x, fweights=np.array([1, 2, 3, 1]))), X),
    "cov-weights": (lambda w: weighed(np.cov(X, aweights=w, fweights=np.array([1, 2, 3, 1]))), positive(4)),
    "cov-of-two": (lambda x: weighed(np.cov(x, x**2, aweights=W[0], ddof=0)), X),
    "cov-complex": (lambda z: np.sum(np.abs(np.cov(z, aweights=W[1])) ** 3), Z),
    "cov-complex-weights": (lambda w: weighed(np.real(np.cov(Z, aweights=w) ** 2)), positive(4)),
    "cov-real": (lambda z: weighed(np.cov(z, dtype=float)), Z),
    "histogram-density": (lambda w: weighed(np.histogram(V, 3, weights=w, density=True)[0]), positive(6)),
    "histogram-edges": (lambda e: weighed(np.histogram(V, e, density=True)[0]), np.array([-3.0, 0, 0.3, 2])),
    "histogram-rule": (lambda x: weighed(np.histogram(x, "fd", density=True)[0]), V),
    # ----- arrays of another shape than what they are like
    "full-like": (lambda x: weighed(np.full_like(x, x[0, 0], shape=(2, 2)) * x[:2, :2]), X),
    "full-like-rows": (lambda x: weighed(np.full_like(x, x[0], float, "C", True, (2, 4)) * x[1:]), X),
    # ----- running sums that begin with what is there at first
    "sum-initial": (lambda x: weighed(np.cumulative_sum(x, axis=-1, include_initial=True)), X),
    "prod-initial": (lambda x: weighed(np.cumulative_prod(x, axis=0, include_initial=True)), X),
    "sort-stable": (lambda x: weighed(np.sort(x, axis=0, stable=True)), X),
    "sort-flat": (lambda x: weighed(np.sort(x, None, kind="stable")), X),
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


@pytest.mark.drawn(of=4)
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


@pytest.mark.drawn(of=8)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_kernels(name):
    hold_compiled(name, "numba")
