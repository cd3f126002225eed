"""Is it proven, and only where it is so, that exponentials of values less their maximum need no care?"""

import numpy as np
import pytest

import ast_ad

Z = np.array([[1.0, 2.0, 2.0], [-800.0, 900.0, 0.5], [700.0, -3.0, 710.0]])
MASK = np.array([True, False, False])


def cross_entropy(z):
    z = z - np.max(z, axis=1, keepdims=True)
    return np.sum(z[:, 0] - np.log(np.sum(np.exp(z), axis=1))) + np.sum(np.exp(z[MASK]))


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    p = e / e.sum(axis=-1, keepdims=True)
    return np.sum(p[:, 1] ** 2)


def of_all(z):
    e = np.exp2(z - np.max(z))
    return np.log(e.sum()) + np.max(z)


def of_a_vector(z):
    v = z[0]
    e = np.exp(v - np.max(v, axis=0))
    return (e / np.sum(e))[1]


PROVEN = [cross_entropy, softmax, of_all, of_a_vector]


def along_another_axis(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return np.log(np.sum(e, axis=0))[1]


def not_along_its_own(z):
    """Rows are less the maxima of columns."""
    return np.sum(np.exp(z - np.max(z, axis=1))[0])


def of_another(z):
    return np.sum(np.exp(z - np.max(z * 0.5))[:, 0])


def with_a_floor(z):
    """The maximum of some; the others are larger."""
    return np.sum(
        np.where(MASK, np.exp(z - np.max(z, axis=1, keepdims=True, where=~MASK, initial=-1e3)), 0.0)
    )


def of_complex_numbers(z):
    w = 1j * np.pi * z
    e = np.exp(w - np.max(w, axis=1, keepdims=True))
    return np.abs(np.log(e.sum(axis=1))[0])


OTHERS = [along_another_axis, not_along_its_own, of_another, with_a_floor, of_complex_numbers]


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", PROVEN + OTHERS, ids=lambda f: f.__name__)
def test_care_is_taken_where_it_is_needed(function):
    gradient = ast_ad.grad(function, backend="numpy", fallback="error")
    with np.errstate(all="ignore"):
        gradient(Z)
    careful = "safe_product" in gradient.source or "exact_product" in gradient.source
    assert careful == (function in OTHERS)


@pytest.mark.drawn(of=12)
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", PROVEN, ids=lambda f: f.__name__)
def test_derivatives(function, backend):
    with np.errstate(over="ignore", under="ignore"):
        gradient = ast_ad.grad(function, backend=backend)(Z)
        hessian = ast_ad.hessian(function, backend=backend)(Z)
    assert np.all(np.isfinite(gradient)) and np.all(np.isfinite(hessian))
    z = Z / 300.0
    ast_ad.check_grads(function, (z,), order=2)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [not_along_its_own, of_another, with_a_floor], ids=lambda f: f.__name__)
def test_what_overflows_where_nobody_looks_counts_for_nothing(function, backend):
    z = np.array([[1.0, 5.0, 3.0], [-800.0, 900.0, 0.5], [0.0, -3.0, 1800.0]])
    with np.errstate(all="ignore"):
        gradient = ast_ad.grad(function, backend=backend)(z)
    assert not np.any(np.isnan(gradient))
