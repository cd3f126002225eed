"""Do functions of the rules package have the values that are promised?

A rule is held against differences of its function, which say nothing of the function itself. Those of PyTorch
are held against PyTorch elsewhere; here is what tells without it.
"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import ast_ad
from ast_ad.errors import InputTypeError, UnsupportedError
from ast_ad.rules import helpers
from ast_ad.rules.networks.resampling import resampled
from ast_ad.rules.torch.activations import gelu, gelu_by_cdf, gelu_rule
from ast_ad.rules.torch.norms import pairwise_distance

X = np.linspace(-3.0, 3.0, 13)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_both_rules_of_gelu(approximate):
    ans = gelu(X, approximate)
    expected, found = (rule(ans, X, approximate)[0] for rule in (gelu_rule, gelu_by_cdf))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    step = (gelu(X + 1e-6, approximate) - gelu(X - 1e-6, approximate)) / 2e-6
    np.testing.assert_allclose(found, step, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("mode, size", [("linear", (9,)), ("bilinear", (5, 3)), ("bicubic", (5, 11))])
@pytest.mark.parametrize("align", [False, True])
def test_images_of_one_colour_stay_so(mode, size, align):
    image = np.full((1, 2, *(4,) * len(size)), 0.7)
    np.testing.assert_allclose(resampled(image, size, mode, align, None), 0.7, rtol=1e-14)


def test_bicubic_keeps_the_pixels_where_it_has_as_many():
    image = np.random.default_rng(0).normal(size=(1, 1, 5, 4))
    np.testing.assert_allclose(resampled(image, (5, 4), "bicubic", True, None), image, rtol=1e-13)


def test_the_offset_of_distances_is_added_to_the_difference():
    x, y = np.array([[3.0, 0.0]]), np.array([[0.0, 4.0]])
    assert pairwise_distance(x, y, 1.0, 0.5) == pytest.approx([7.0])
    assert pairwise_distance(y, x, 1.0, 0.5) == pytest.approx([7.0])
    assert pairwise_distance(x, x + 0.5, 2.0, 0.5) == pytest.approx([0.0])


@pytest.mark.parametrize("method, alpha, beta", [
    ("interpolated_inverted_cdf", 0, 1), ("hazen", 1 / 2, 1 / 2), ("weibull", 0, 0), ("linear", 1, 1),
    ("median_unbiased", 1 / 3, 1 / 3), ("normal_unbiased", 3 / 8, 3 / 8),
])  # fmt: skip
def test_gradients_of_quantiles_are_the_weights_of_the_formula(method, alpha, beta):
    x, q = np.array([0.3, 2.0, -1.0, 5.0, 1.1, 0.9]), 0.37
    position = len(x) * q + alpha + q * (1 - alpha - beta) - 1
    weights, order = np.zeros(len(x)), np.argsort(x)
    low = int(np.floor(position))
    weights[order[low]], weights[order[low + 1]] = 1 - (position - low), position - low
    found = ast_ad.grad(lambda x: np.quantile(x, q, method=method))(x)
    np.testing.assert_allclose(found, weights, rtol=1e-12)


def test_the_seed_of_what_turns_out_to_be_one_number():
    for one in (np.array([[3.0]]), np.float32(3.0), 3.0):
        found = helpers.one_like(one)
        assert np.shape(found) == np.shape(one) and found == 1 and type(found) is type(one)
    for many in (np.ones(2), np.ones((0, 1))):
        with pytest.raises(InputTypeError, match="an array of shape"):
            helpers.one_like(many)
    gradient = ast_ad.grad(lambda x: np.delete(x, np.flatnonzero(x < 1)) ** 2)
    np.testing.assert_allclose(gradient(np.array([0.2, 3.0, -1.0])), [0.0, 6.0, 0.0])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_normal_densities_without_a_covariance():
    """The unit matrix stands for it, of as many variables as the mean has; None in its place is refused."""
    x, mean = np.array([0.3, -0.8]), np.array([0.1, 0.4])
    density = scipy.stats.multivariate_normal
    for fn in (density.logpdf, density.pdf):
        found = ast_ad.grad(lambda x, fn=fn: fn(x, mean))(x)
        scale = 1.0 if fn == density.logpdf else fn(x, mean)
        np.testing.assert_allclose(found, (mean - x) * scale, rtol=1e-12)
    with pytest.raises(UnsupportedError, match=r"multivariate_normal with these shapes"):
        ast_ad.grad(lambda x: density.logpdf(x, mean, None))(x)
