"""Are solvers compiled whose equations call functions that Numba has made, of objects and modules?"""

import types

import numba
import numpy as np
import pytest
from scipy import integrate, optimize

import ast_ad

STEP = 1e-5


@numba.njit
def series(x, c):
    total = 0.0
    for k in range(len(c)):
        total = total * x + c[k]
    return total


@numba.vectorize
def softened(x):
    return np.log1p(np.exp(x))


COEFFICIENTS = np.array([0.1, -0.3, 1.0, 0.5])
tools = types.ModuleType("tools")
tools.series = series


class Material:
    """Its pressure is a jitted function's; its volume is found by a solver."""

    stiffness = 2.0

    def pressure(self, volume, heat):
        return self.stiffness * (1.0 / volume - 1.0) + heat * series(volume, COEFFICIENTS)

    def volume(self, pressure, heat):
        def missing(volume):
            return self.pressure(volume, heat) - pressure

        return optimize.brentq(missing, 0.05, 3.0, xtol=1e-14)


MATERIAL = Material()


def by_a_method(x):
    return MATERIAL.volume(x[0], x[1])


def of_a_solution(x):
    return MATERIAL.pressure(MATERIAL.volume(x[0], x[1]) ** 2, x[0])


def with_a_fallback(x):
    try:
        return MATERIAL.volume(x[0], x[1]) * x[1]
    except ValueError:
        return x[0]


def of_a_module(x):
    return optimize.brentq(lambda v: tools.series(v, COEFFICIENTS) - x[0] * x[1], -1.0, 3.0, xtol=1e-14)


def by_newton(x):
    return optimize.newton(lambda v: series(v, COEFFICIENTS) - x[0], x[1], tol=1e-13)


def of_a_ufunc(x):
    return optimize.brentq(lambda v: softened(v) * x[0] - x[1], -5.0, 5.0, xtol=1e-14)


def an_integral(x):
    return integrate.quad(lambda v: series(v * x[0], COEFFICIENTS), 0.0, x[1])[0]


def given_arguments(x):
    def missing(v, a, b):
        return series(v, COEFFICIENTS) * a - b

    return optimize.brentq(missing, -1.0, 3.0, args=(x[0], x[1]), xtol=1e-14)


def several(x):
    def missing(v):
        return np.array([series(v[0], COEFFICIENTS) - x[0] * v[1], v[1] + softened(v[0]) - 2.0 * x[1]])

    return optimize.fsolve(missing, np.array([0.5, 0.5]), xtol=1e-13)[0]


def in_a_loop(x):
    total = 0.0
    for k in range(3):
        total = total + MATERIAL.volume(x[0] + 0.1 * k, x[1])
    return total


PROGRAMS = [by_a_method, of_a_solution, with_a_fallback, of_a_module, by_newton, of_a_ufunc, an_integral,
            given_arguments, several, in_a_loop]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_they_are_operations_of_the_program(f):
    x = np.array([0.8, 0.6])
    gradient = ast_ad.grad(f, fallback="error")(x)
    slopes = [(f(x + step) - f(x - step)) / (2 * STEP) for step in STEP * np.eye(2)]
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)
