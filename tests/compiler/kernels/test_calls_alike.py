"""Is a call that has no form tried once, wherever else it stands?"""

import numpy as np
import pytest

pytest.importorskip("numba")

import ast_ad
from ast_ad.compiler.kernels.partition import partition


def determinants(a):
    """None has a form outside of loops; between them is work for kernels."""
    b = np.sin(a)
    total = np.linalg.det(b)
    b = np.sin(b) + total
    total += np.linalg.det(b)
    b = np.sin(b) + total
    total += np.linalg.det(b)
    b = np.sin(b) + total
    total += np.linalg.det(b)
    b = np.sin(b) + total
    return total + np.linalg.det(b)


@pytest.mark.slow(beyond=1)
def test_attempts(monkeypatch):
    attempts = []

    class Counted(partition.Scalarizer):
        def __init__(self, *args, **kwargs):
            attempts.append(args)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(partition, "Scalarizer", Counted)
    a = np.cos(np.arange(9.0)).reshape(3, 3)
    derivative = ast_ad.value_and_grad(determinants, backend="numba", fallback="error")
    value, bar = derivative(a)
    assert value == pytest.approx(determinants(a), rel=1e-12)
    np.testing.assert_allclose(bar, ast_ad.grad(determinants, backend="numpy")(a), rtol=1e-10, atol=1e-12)
    kernels = derivative.source.count("_kernel\ndef ")
    assert kernels > 4 and len(attempts) <= kernels + 3, (kernels, len(attempts))
