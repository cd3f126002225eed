"""Have the distributions of ``scipy.stats`` derivatives, by what moves them and by shapes that allow it?"""

import sys

import numpy as np
import pytest
import scipy.special as sp
import scipy.stats as st

import ast_ad
from ast_ad import tracing

AT = {
    "norm": (), "gamma": (2.3,), "beta": (2.1, 3.2), "t": (4.5,), "chi2": (3.5,), "f": (3.2, 5.1),
    "invgamma": (2.4,), "expon": (), "logistic": (), "laplace": (), "cauchy": (), "gumbel_r": (),
    "lognorm": (0.7,),
    "weibull_min": (1.7,), "pareto": (2.5,), "truncnorm": (-1.2, 2.3), "uniform": (),
    "rayleigh": (), "maxwell": (), "halfnorm": (),
}  # fmt: skip
# Stores under a mask, of traced values into an array that SciPy makes of a plain condition.
REFUSED_IN_TRACES = {
    ("t", "pdf"),
    ("t", "logpdf"),
    ("lognorm", "pdf"),
    ("lognorm", "logpdf"),
    ("cauchy", "logpdf"),
}
METHODS = ["pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf"]
COUNTS = {"poisson": (2.3,), "binom": (0.3, 7), "nbinom": (0.4, 4.5), "geom": (0.3,), "bernoulli": (0.3,)}
K = np.array([0.0, 1.0, 3.0, 4.5, 9.0, -1.0])


def differences(f, p, h=1e-4):
    found = [
        (8 * (f(p + e) - f(p - e)) - (f(p + 2 * e) - f(p - 2 * e))) / (12 * h) for e in h * np.eye(p.size)
    ]
    return np.array(found)


def compare(f, p, rtol=1e-7, traced=True):
    gradient = ast_ad.grad(f, fallback="error")(p)
    np.testing.assert_allclose(gradient, differences(f, p), rtol=rtol, atol=1e-8)
    if traced:
        _, pullback = tracing.trace(f, (p.copy(),), {}, (0,))
        np.testing.assert_allclose(pullback([1.0])[0], gradient, rtol=1e-8, atol=1e-10)


@pytest.mark.drawn(of=15)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", AT)
def test_by_x_loc_and_scale(name, method):
    dist, shapes = getattr(st, name), AT[name]

    def f(p):
        return getattr(dist, method)(p[0], *shapes, loc=p[1], scale=p[2])

    at = 0.37 if method in ("ppf", "isf") else dist.ppf(0.4, *shapes, loc=0.1, scale=1.3)
    compare(f, np.array([at, 0.1, 1.3]), 1e-6, (name, method) not in REFUSED_IN_TRACES)


@pytest.mark.parametrize("name", ["gamma", "beta", "t", "chi2", "f", "invgamma", "lognorm", "truncnorm"])
def test_densities_by_shapes(name):
    dist, shapes = getattr(st, name), np.array(AT[name])
    x = dist.ppf(np.array([0.2, 0.5, 0.9]), *shapes)
    compare(
        lambda p: np.sum(dist.logpdf(x, *p)) + np.sum(dist.pdf(x[:2], *p)),
        shapes,
        traced=name not in ("t", "lognorm"),
    )


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("method", ["pmf", "logpmf", "cdf", "sf"])
@pytest.mark.parametrize("name", COUNTS)
def test_counts(name, method):
    dist, (at, *others) = getattr(st, name), COUNTS[name]

    def f(p):
        value = getattr(dist, method)(K, *others, p[0])
        return np.sum(np.where(np.isfinite(value), value, 0.0) * (1 + K) ** 2)

    compare(f, np.array([at]))


MOMENTS = {
    "normal": lambda p: st.norm.mean(p[0], p[1]) + st.norm.var(p[0], p[1]) + st.norm.std(p[0], p[1]),
    "gamma": lambda p: st.gamma.mean(p[0], scale=p[1]) + st.gamma.var(p[2]) + st.gamma(p[0]).std(),
    "beta": lambda p: st.beta.mean(p[0], p[1]) + st.beta.var(p[2], p[0]),
    "weibull": lambda p: st.weibull_min.mean(p[0]) + st.weibull_min.var(p[1], scale=p[2]),
    "counts": lambda p: st.poisson.mean(p[0]) * st.poisson.var(p[1]) + st.binom.std(4, p[2] / 3),
    "entropies": lambda p: st.norm.entropy(p[0], p[1]) + st.beta.entropy(p[0], p[1]) + st.gamma.entropy(p[2]),
    "truncated": lambda p: st.truncnorm.mean(-p[0], p[1]) + st.truncnorm.var(-p[2], p[0]),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    f, p = MOMENTS[name], np.array([0.9, 1.7, 1.2])
    np.testing.assert_allclose(ast_ad.grad(f, fallback="error")(p), differences(f, p), rtol=1e-7)


TAILS = np.array([-9.0, -3.0, -0.4, 0.3, 2.0, 9.0])


@pytest.mark.parametrize("method", ["logcdf", "logsf", "cdf", "sf", "logpdf"])
def test_a_truncated_normal_in_its_tails(method):
    def f(x):
        return np.sum(getattr(st.truncnorm, method)(x, -10.0, 10.0))

    np.testing.assert_allclose(
        ast_ad.grad(f, fallback="error")(TAILS), differences(f, TAILS), rtol=1e-6, atol=1e-11
    )


def test_second_derivatives():
    def f(p):
        return (
            st.gamma.logcdf(p[0], 2.3, scale=p[1])
            + st.truncnorm.logpdf(p[0], -p[1], p[2])
            + st.beta.pdf(0.3, *p[1:])
        )

    p = np.array([0.9, 1.7, 1.2])
    gradient = ast_ad.grad(f, fallback="error")
    rows = [(gradient(p + e) - gradient(p - e)) / 2e-5 for e in 1e-5 * np.eye(3)]
    np.testing.assert_allclose(ast_ad.hessian(f, fallback="error")(p), rows, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("name", ["gamma", "beta", "t", "chi2", "f"])
@pytest.mark.parametrize("method", ["cdf", "sf", "logcdf", "ppf"])
def test_distribution_functions_by_their_shapes(name, method):
    shapes = np.array(AT[name])

    def f(a, x):
        return getattr(getattr(st, name), method)(x, *a)

    found = ast_ad.grad(f, fallback="error")(shapes, 0.4)
    steps = 1e-3 * np.eye(len(shapes))
    far = np.array([f(shapes + 2 * e, 0.4) - f(shapes - 2 * e, 0.4) for e in steps])
    near = np.array([f(shapes + e, 0.4) - f(shapes - e, 0.4) for e in steps])
    np.testing.assert_allclose(found, (8 * near - far) / 12e-3, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize(
    ("f", "at", "slope"),
    [
        (sp.gammainc, (0.003, 0.5), -0.56152528814972756),
        (sp.gammainc, (2457.8477992425896, 2522.214953083595), -0.003469364062743462),
        (sp.gammaincc, (1590.5242913157201, 1368.021710621633), 3.7031531375171723e-10),
        (sp.betainc, (268.84540979608397, 0.02019639070795923, 0.999999), -6.445218342672625e-05),
        (sp.betainc, (0.04307226522806262, 0.11001767654177205, 1e-06), -8.058444347666958),
        (sp.betainc, (60.0, 40.0, 0.6), -0.032686938373989207),
    ],
)
def test_small_and_large_shapes(f, at, slope):
    """Against derivatives of sums of 50 digits."""
    found = ast_ad.grad(f, backend="numpy")(*at)
    np.testing.assert_allclose(found, slope, rtol=1e-10)


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name", ["t", "lognorm"])
def test_a_trace_follows_functions_within_functions(name):
    """SciPy defines what these compute within functions of its own."""
    dist, x = getattr(st, name), np.array([0.4, 1.1])

    def f(x):
        sys.getrefcount(x)  # which is not compiled
        return np.sum(dist.logpdf(x, AT[name][0]))

    derivative = ast_ad.grad(f)
    steps = 1e-6 * np.eye(2)
    np.testing.assert_allclose(derivative(x), [(f(x + h) - f(x - h)) / 2e-6 for h in steps], rtol=1e-7)
    assert "not compiled" in derivative.explain()


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("name, shape", [("rice", 1.0), ("skewnorm", 1.0), ("exponnorm", 1.5)])
def test_entropies_of_densities_that_round_to_zero(name, shape):
    """The slope of ``-p log p`` at 0 is infinite, that of a density far out is 0, or no number."""
    dist = getattr(st, name)

    def f(a):
        return dist.entropy(a, scale=2.0)

    value, slope = ast_ad.value_and_grad(f)(shape)
    assert value == f(shape)
    near, far = (f(shape + k * 1e-2) - f(shape - k * 1e-2) for k in (1, 2))
    np.testing.assert_allclose(slope, (8 * near - far) / 12e-2, rtol=1e-5)
