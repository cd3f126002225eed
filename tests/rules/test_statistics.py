"""Do means and deviations by Python's ``statistics`` have derivatives, compiled and traced?"""

import colorsys
import statistics
from statistics import mean, stdev

import numpy as np
import pytest

import ast_ad

X = np.array([0.7, 1.3, -0.4, 1.9])


def of_an_array(x):
    return mean(x) * stdev(x) + statistics.median(x)


def of_displays(x):
    return statistics.variance([x[0], x[1] ** 2, 1.0, x[2]]) + statistics.pstdev((x[0], x[1], 2.0))


def of_what_is_chosen(x):
    rows = []
    for v in x:
        if v > 0:
            rows.append(v * v)
    return statistics.mean(rows) * statistics.stdev(v + 1 for v in rows) + statistics.fmean(rows)


def traced(x):
    y = list(x * eval("1.0"))
    return statistics.mean(y) * statistics.stdev(y) + statistics.pvariance(x)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", [of_an_array, of_displays, of_what_is_chosen, traced])
def test_gradient(function):
    derivative = ast_ad.value_and_grad(function, fallback="trace" if function is traced else "error")
    value, gradient = derivative(X)
    assert value == function(X)
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-9)


def test_data_that_are_missing_raise_as_ever():
    with pytest.raises(statistics.StatisticsError, match="two data points"):
        ast_ad.grad(lambda x: stdev([v for v in x if v > 1.5]))(X)


def of_distributions(x):
    a, b = statistics.NormalDist(x[0], x[1]), statistics.NormalDist(0.2, abs(x[2]))
    return (a + b * x[3]).cdf(0.3) * a.inv_cdf(0.8) + a.overlap(b) + b.quantiles(4)[0] * b.pdf(x[0])


def of_distributions_traced(x):
    return of_distributions(x * eval("1.0"))


def of_colours_traced(x):
    h, light, s = colorsys.rgb_to_hls(eval("0.1") + x[0] / 3, x[1] / 3, x[3] / 3)
    return np.sum(np.array(colorsys.hls_to_rgb(h + 0.2, light, s * 0.9)) * x[:3])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", [of_distributions, of_distributions_traced, of_colours_traced])
def test_python_code_of_the_standard_library(function):
    derivative = ast_ad.value_and_grad(
        function, fallback="trace" if "traced" in function.__name__ else "error"
    )
    value, gradient = derivative(X)
    assert value == function(X)
    expected = [(function(X + 1e-6 * e) - function(X - 1e-6 * e)) / 2e-6 for e in np.eye(4)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-9)


def shifted(x):
    return statistics.variance([x[0], x[1] * eval("1.0")], xbar=0.5)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_options_without_a_formula_are_refused():
    with pytest.raises(ast_ad.errors.MissingRuleError, match="xbar="):
        ast_ad.grad(shifted)(X)
