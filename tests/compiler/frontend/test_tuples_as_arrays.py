"""Tuples and lists of arrays where NumPy takes an array: the cotangent is that of the array they become."""

import numpy as np
import pytest

import ast_ad

X = np.array([[0.4, -1.1, 0.8], [1.7, -0.3, 0.9], [0.2, 0.6, -0.5]])
FUNCTIONS = {
    "fft": lambda a: np.abs(np.fft.fft(a)),
    "irfft": lambda a: np.fft.irfft(a, n=5),
    "fft2": lambda a: np.real(np.fft.fft2(a, axes=(0, 1))),
    "trace": lambda a: np.linalg.trace(a),
    "diagonal": lambda a: np.linalg.diagonal(a),
    "pad": lambda a: np.pad(a, 1, mode="reflect"),
    "cumprod": lambda a: np.cumprod(a, axis=1),
    "tensordot": lambda a: np.tensordot(a, X, 1),
    "det": lambda a: np.linalg.det(a),
    "trapezoid": lambda a: np.trapezoid(a),
}


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", [tuple, list])
def test_gradient(name, kind):
    function = FUNCTIONS[name]

    def of_parts(x):
        return np.sum(np.sin(function((x, 2.0 * x) if kind is tuple else [x, 2.0 * x])))

    def of_array(x):
        return np.sum(np.sin(function(np.stack((x, 2.0 * x)))))

    found = ast_ad.grad(of_parts, fallback="error", check=False)(X)
    assert found.shape == X.shape
    assert np.allclose(found, ast_ad.grad(of_array)(X), rtol=1e-12, atol=1e-14)
