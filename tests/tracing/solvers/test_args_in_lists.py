"""Do functions get the ``args`` of a solver as SciPy passes them, where these are a list?"""

import sys

import numpy as np
import pytest
from scipy import integrate, optimize

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def line(x, *args):
    """What is zero at ``m / k``, of two arguments, or of one that holds them."""
    k, m = args if len(args) == 2 else args[0]
    return x * k - m


def valley(x, *args):
    return (np.sum(line(x, *args)) ** 2) + 0.0


def rate(t, y, *args):
    return line(-y, *args)


def slope(x, *args):
    k, m = args if len(args) == 2 else args[0]
    return 2.0 * k * line(x, *args)


SOLVERS = {
    "newton": lambda args: optimize.newton(line, 0.3, args=args),
    "newton with a slope": lambda args: optimize.newton(
        func=lambda x, *a: line(x, *a), x0=0.3, fprime=lambda x, *a: a[0], args=args
    ),
    "newton of an array": lambda args: optimize.newton(line, np.array([0.3, 0.2]), args=args)[0],
    "bisect": lambda args: optimize.bisect(line, 0.0, 2.0, args=args),
    "brentq": lambda args: optimize.brentq(line, 0.0, 2.0, args=args),
    "toms748": lambda args: optimize.toms748(line, 0.0, 2.0, args=args),
    "root_scalar": lambda args: optimize.root_scalar(line, bracket=(0.0, 2.0), args=args).root,
    "fsolve": lambda args: optimize.fsolve(line, 0.3, args=args)[0],
    "root": lambda args: optimize.root(line, 0.3, args=args).x[0],
    "fixed_point": lambda args: optimize.fixed_point(lambda x, *a: x - 0.2 * line(x, *a), 0.3, args=args),
    "minimize": lambda args: optimize.minimize(valley, 0.3, args=args).x[0],
    "fmin_bfgs": lambda args: optimize.fmin_bfgs(valley, [0.3], args=args, disp=0, gtol=1e-9)[0],
    "fmin_ncg": lambda args: optimize.fmin_ncg(valley, [0.3], slope, args=args, disp=0)[0],
    "fmin_l_bfgs_b": lambda args: optimize.fmin_l_bfgs_b(valley, [0.3], args=args, approx_grad=True)[0][0],
    "fminbound": lambda args: optimize.fminbound(valley, 0.0, 2.0, args=args, xtol=1e-9),
    "least_squares": lambda args: optimize.least_squares(line, [0.3], args=args).x[0],
    "quad": lambda args: integrate.quad(line, 0.0, 1.0, args=args)[0],
    "solve_ivp": lambda args: integrate.solve_ivp(rate, (0.0, 0.1), [1.0], args=args, rtol=1e-9).y[0, -1],
}


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", SOLVERS)
def test_a_list_of_arguments(name, traced):
    def function(x, k):
        if traced:
            sys._getframe()  # which no compiler follows
        return SOLVERS[name]([k + x, x])

    value, (by_x, by_k) = ast_ad.value_and_grad(function, argnums=(0, 1))(0.7, 1.3)
    assert value == pytest.approx(function(0.7, 1.3), rel=1e-6)
    assert by_x == pytest.approx(difference(lambda x: function(x, 1.3), 0.7), rel=1e-4)
    assert by_k == pytest.approx(difference(lambda k: function(0.7, k), 1.3), rel=1e-4)


def difference(function, x, step=1e-4):
    return (function(x + step) - function(x - step)) / (2.0 * step)
