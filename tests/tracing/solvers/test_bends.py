"""Is the derivative of an integral right where the integrand bends, and its derivative jumps?"""

import math

import numpy as np
import pytest
from scipy.integrate import quad, quad_vec

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def larger(t):
    return quad(lambda w: np.maximum(w * (1.0 - t), (1.0 - w) * t), 0.0, 1.0)[0]


def singular_at_an_end(t):
    return quad(lambda w: np.maximum(0.5 / np.sqrt(w), t), 0.0, 1.0)[0]


def half_infinite(t):
    return quad(lambda w: math.exp(-abs(w - t)), 0.0, np.inf)[0]


def vector(t):
    return np.sum(quad_vec(lambda w: np.array([np.abs(w - t), w * t]), 0.0, 1.0)[0])


def jump(t):
    return quad(lambda w: 1.0 if w < 0.3 else t * w * w, 0.0, 1.0)[0]


def limit(t):
    return quad(lambda w: np.maximum(w, t), 0.0, 2.0 * t)[0]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (larger, lambda t: t - 0.5),
        (singular_at_an_end, lambda t: 1.0 - 0.25 / t**2),
        (half_infinite, lambda t: np.exp(-t)),
        (vector, lambda t: 2.0 * t - 0.5),
        (jump, lambda t: (1.0 - 0.3**3) / 3.0),
        (limit, lambda t: 5.0 * t),
    ],
)
def test_bends(f, slope):
    for t in (0.65, 0.8):
        assert ast_ad.grad(f)(t) == pytest.approx(slope(t), rel=2e-6)


def test_calls():
    """A smooth integrand is not called often, nor one that is computed with few digits."""
    calls = []

    def smooth(t):
        def f(w):
            calls.append(None)
            return math.exp(-t * w)

        return quad(f, 0.0, 1.0)[0]

    def coarse(t):
        def f(w):
            calls.append(None)
            return t * round(math.cos(w), 13)

        return quad(f, 0.0, 1.0)[0]

    for f, slope, most in ((smooth, None, 120), (coarse, math.sin(1.0), 2500)):
        calls.clear()
        g = ast_ad.grad(f, check=False)(0.7)
        assert len(calls) <= most
        if slope is not None:
            assert g == pytest.approx(slope, rel=1e-11)
