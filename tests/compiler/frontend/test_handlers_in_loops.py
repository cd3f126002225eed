"""Do loops whose statements have handlers stay one kernel, and give what Python gives?"""

import math

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


def used_after_it(x):
    s = x
    for _ in range(30):
        c = s * s + 0.3
        try:
            r = 1.0 / c
        except ZeroDivisionError:
            r = 0.5
        s = 0.5 * s + 0.1 * r
    return s + r


def with_a_return(x):
    s = x
    for _ in range(30):
        c = s + 0.25
        if abs(c) > 2.0:
            return 2.0 * s
        try:
            r = x / c
        except ZeroDivisionError:
            r = x * x
        s = s * 0.5 + 0.3 * r
    return s


def with_a_break(x):
    s = x
    for k in range(40):
        try:
            r = math.sqrt(s)
        except ValueError:
            r = 0
        t = 0.5 * s + 0.1 * r**2 - 0.01 * k
        if abs(t - s) < 1e-3:
            break
        s = t
    else:
        return 3.0 * x + s
    return s + r


def an_int_in_the_handler(x):
    total = 0.0
    for k in range(6):
        try:
            q = x / (k - 3)
        except ZeroDivisionError:
            q = 0
        total += (1.0 + q) ** 2 + q**3
    return total


def read_by_else(x):
    total = 0.0
    for k in range(6):
        try:
            q = x / (k - 2)
        except ZeroDivisionError:
            total = total * 2.0
        else:
            total = total + q * q
    return total


def vincenty(lat1, lon1, lat2, lon2):
    f, a = 1.0 / 298.257223563, 6378137.0
    b = (1.0 - f) * a
    u1, u2 = math.atan((1.0 - f) * math.tan(lat1)), math.atan((1.0 - f) * math.tan(lat2))
    su1, cu1, su2, cu2 = math.sin(u1), math.cos(u1), math.sin(u2), math.cos(u2)
    length = lam = lon2 - lon1
    for _ in range(200):
        sl, cl = math.sin(lam), math.cos(lam)
        ss = math.sqrt((cu2 * sl) ** 2 + (cu1 * su2 - su1 * cu2 * cl) ** 2)
        if ss == 0:
            return 0.0
        cs = su1 * su2 + cu1 * cu2 * cl
        sigma = math.atan2(ss, cs)
        sa = cu1 * cu2 * sl / ss
        c2 = 1.0 - sa**2
        try:
            c2m = cs - 2.0 * su1 * su2 / c2
        except ZeroDivisionError:
            c2m = 0
        c = f / 16.0 * c2 * (4.0 + f * (4.0 - 3.0 * c2))
        last = lam
        lam = length + (1.0 - c) * f * sa * (sigma + c * ss * (c2m + c * cs * (-1.0 + 2.0 * c2m**2)))
        if abs(lam - last) < 1e-12:
            break
    else:
        return 0.0
    p = c2 * (a**2 - b**2) / b**2
    big = 1.0 + p / 16384.0 * (4096.0 + p * (-768.0 + p * (320.0 - 175.0 * p)))
    small = p / 1024.0 * (256.0 + p * (-128.0 + p * (74.0 - 47.0 * p)))
    inner = cs * (-1.0 + 2.0 * c2m**2) - small / 6.0 * c2m * (-3.0 + 4.0 * ss**2) * (-3.0 + 4.0 * c2m**2)
    return b * big * (sigma - small * ss * (c2m + small / 4.0 * inner)) * 1e-6


PROGRAMS = {
    used_after_it: [(0.9,), (0.2,)],
    with_a_return: [(0.9,), (0.3,), (1.9,)],
    with_a_break: [(0.9,), (0.02,)],
    an_int_in_the_handler: [(0.9,), (-1.5,)],
    read_by_else: [(0.9,)],
    vincenty: [(0.7, 0.1, 0.9, 1.2), (-0.3, 0.4, 0.2, -1.0)],
}


@pytest.mark.drawn(of=2)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f, backend):
    for args in PROGRAMS[f]:
        every = tuple(range(len(args)))
        derivative = ast_ad.value_and_grad(f, argnums=every, backend=backend)
        value, slopes = derivative(*args)
        assert derivative.mode == "compiled" and type(value) is type(f(*args))
        np.testing.assert_allclose(value, f(*args), rtol=1e-12)
        for i, slope in enumerate(slopes):
            sides = [f(*(a + h * (j == i) for j, a in enumerate(args))) for h in (1e-6, -1e-6)]
            np.testing.assert_allclose(slope, (sides[0] - sides[1]) / 2e-6, rtol=1e-6, atol=1e-8)
        assert backend == "numpy" or "NumPy code at" not in derivative.explain()


@pytest.mark.slow
def test_the_equator():
    """There is nothing to divide by, in the first pass as in the others."""
    for backend in ("numpy", "numba"):
        found = ast_ad.grad(vincenty, argnums=(1, 3), backend=backend)(0.0, 0.1, 0.0, 0.7)
        np.testing.assert_allclose(found, (-6.378137, 6.378137), rtol=1e-12)
