"""Has what vectors compute fast a loop of its own, apart from sums along rows?"""

import re

import numpy as np
import pytest

import ast_ad

special = pytest.importorskip("scipy.special")

X, W = np.sin(np.arange(600.0)).reshape(100, 6), np.linspace(-1.0, 1.0, 6)
FORMULAS = {
    "exp": lambda z: np.exp(z),
    "logaddexp": lambda z: np.logaddexp(0.0, z),
    "sinc": lambda z: np.sinc(z),
    "expit": lambda z: special.expit(z),
}


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("name", FORMULAS)
def test_a_loop_of_its_own(name):
    formula = FORMULAS[name]

    def loss(w, x):
        return np.sum(formula(x @ w) ** 2)

    found = ast_ad.value_and_grad(loss, backend="numba", fallback="error")
    value, gradient = found(W, X)
    expected = ast_ad.value_and_grad(loss, backend="numpy")(W, X)
    np.testing.assert_allclose(value, expected[0], rtol=1e-13)
    np.testing.assert_allclose(gradient, expected[1], rtol=1e-12)
    before = re.search(rf"\n( *)for \w+ in range\(n\):\n((?:\1 +.*\n)+?)\1 +.*\b{name}\(", found.source)
    assert before is None or "for " not in before.group(2), found.source
    assert f" {name}(" in found.source
