"""Sample calls of the elementwise functions, the operators, and Python's functions of numbers."""

import builtins
import cmath
import math
import operator

import numpy as np
from sample import Sample, apart, cnormal, normal, positive, unit

from ast_ad.rules import partials as p
from ast_ad.rules.float_sums import compensated

X, Y, ROW, CUBE = normal(3, 4), normal(3, 4, seed=1), normal(4, seed=2), normal(2, 1, 4, seed=3)
P, U, Z, W = positive(3, 4), unit(3, 4), cnormal(3, 4), cnormal(4, seed=1)
ZERO_D, EMPTY = np.array(0.7), np.zeros((0, 4))
FREE = [(X, Y), (X, ROW), (ROW, X), (CUBE, X), (X, 1.5), (1.5, X), (0.5, 0.7), (ZERO_D, X), (EMPTY, ROW)]
COMPLEX = [(Z, W), (Z, ROW), (X, W), (Z, 2.0), (1j, 0.5)]
ANALYTIC = [(X,), (0.7,), (ZERO_D,), (EMPTY,), (np.float64(0.3),), (Z,), (0.3 + 0.4j,)]
REAL = ANALYTIC[:5]
NUMBERS = [(0.3,), (0.7,)]
DOMAIN = [(P,), (0.7,), (ZERO_D,), (P[::-1, ::2],), (cnormal(3) + 3,)]
INSIDE = [(U,), (0.3,), (ZERO_D,), (0.5 * cnormal(3),)]
# Real and complex results. Of real ones the second adjoint is complex by its type, as their cotangent is.
REAL_ONES = [Sample((U,), order2=False), Sample((0.3,), order2=False), Sample((P,), order2=False)]
BY_VALUE = [*REAL_ONES, (3 * apart(4),), (-1.7,), (0.5 * cnormal(3),)]
AWAY = 4 * U + 0.25  # not near integers times the divisors below
TIE = np.array([1.0, 2.0, 3.0])
WITH_POLES = np.array([0.3, np.nan, np.inf, -np.inf, 0.7, np.nan])

SAMPLES = {
    # arithmetic
    np.add: FREE + COMPLEX,
    operator.add: FREE[:3],
    np.subtract: FREE + COMPLEX,
    np.multiply: FREE + COMPLEX,
    operator.mul: FREE[:3],
    np.divide: [
        (X, P),
        (X, positive(4)),
        (positive(4), P),
        (1.0, P),
        (P, 2.0),
        (3.0, 2.0),
        (Z, W + 4),
        (X, W + 4),
    ],
    np.negative: ANALYTIC,
    np.positive: ANALYTIC,
    np.reciprocal: DOMAIN,
    np.square: ANALYTIC,
    np.power: [
        (P, U),
        (P, unit(4)),
        (positive(4), X),
        (2.0, X),
        (P, 1.7),
        (X, 2),
        Sample((X, 3.0), wrt=(0,)),
        (X, 0),
        (X, -1),
        (2.0, 3.0),
        (cnormal(3) + 3, cnormal(3, seed=1)),
        (cnormal(3) + 3, 2),
        (X, np.array([0, 1, 2, 3])),
        Sample((np.array([0.0, 0.5]), 2.0), wrt=(0,)),
        Sample((np.array([0.0, -0.5]), 3), wrt=(0,)),
    ],
    operator.pow: [(2.0, 3.0), (X, 2), (2.5, 2)],
    np.float_power: [(P, U), (X, 2)],
    np.remainder: [(AWAY, 1.0), (5.3, 2.0), (-5.3, 2.0), (np.array([5.3, -5.3]), np.array([-2.0, 2.0]))],
    np.fmod: [(5.3, 2.0), (-5.3, 2.0), (np.array([5.3, -5.3]), np.array([-2.0, 2.0]))],
    math.remainder: [(5.3, 2.0), (-5.3, 2.0), (6.7, 2.0)],
    np.divmod: [(5.3, 2.0), (np.array([5.3, -5.3]), 2.0), (np.array([[5.3], [-5.3]]), np.array([-2.0, 2.1]))],
    builtins.divmod: [(5.3, 2.0)],
    np.modf: [(np.array([1.3, -2.6]),), (4.2,)],
    np.frexp: [(np.array([1.3, -2.6]),), (4.2,)],
    np.ldexp: [(X, 3), (X, np.array([0, 1, 2, -3])), (1.5, 2)],
    # absolute values, selections
    np.absolute: [*ANALYTIC, (1.0,), Sample((np.zeros(3),), kink=True), Sample((0j,), kink=True)],
    np.sign: [(X,), (Z,), (0.3 + 0.4j,)],
    np.copysign: [(X, Y), (1.5, -2.0), (X, -1.0)],
    np.heaviside: [Sample((np.array([-1.0, 0.0, 2.0]), 0.5), wrt=(1,)), (X, ROW)],
    np.maximum: [(X, Y), (X, ROW), (X, 0.0), (2.0, 1.0), Sample((TIE, TIE), kink=True)],
    np.minimum: [(X, Y), (X, ROW), (X, 0.0), (2.0, 1.0), Sample((TIE, TIE), kink=True)],
    np.fmax: [(X, Y), (X, ROW), (np.array([1.0, 2.0]), np.array([np.nan, 1.0]))],
    np.fmin: [(X, Y), (X, ROW), (np.array([1.0, 2.0]), np.array([np.nan, 1.0]))],
    np.clip: [
        (X, -0.5, 0.5),
        (X, None, 0.5),
        (X, -0.5, None),
        (X, unit(4) - 0.9, 0.95),
        (0.3, 0.0, 0.2),
        Sample((X,), {"min": -0.5}),
        Sample((X,), {"min": -0.5, "max": 0.7}),
        (X, 0.5, -0.5),
    ],
    np.where: [
        (X > 0, X, Y),
        (ROW > 0, X, 2.0),
        (X > 0, 0.0, ROW),
        (X > 0, 1, CUBE),
        (X > 0, Z, X),
        (True, 1.0, X),
    ],
    np.nan_to_num: [
        (X,),
        (Z,),
        (0.3,),
        Sample((WITH_POLES, True, 0.3, 1.2, -0.7)),
        Sample((WITH_POLES[:3],), {"nan": 0.4, "posinf": ROW[:1]}),
    ],
    np.nextafter: [(X, 5.0)],
    # exponentials and logarithms
    np.exp: ANALYTIC,
    np.exp2: ANALYTIC,
    np.expm1: ANALYTIC,
    np.log: DOMAIN,
    np.log2: DOMAIN,
    np.log10: DOMAIN,
    np.log1p: DOMAIN,
    np.sqrt: DOMAIN,
    np.cbrt: DOMAIN[:4],
    np.logaddexp: FREE[:6],
    np.logaddexp2: FREE[:6],
    np.hypot: [(X, Y), (X, ROW), (3.0, 4.0), Sample((np.zeros(2), np.zeros(2)), kink=True)],
    # trigonometric and hyperbolic functions
    np.sin: ANALYTIC,
    np.cos: ANALYTIC,
    np.tan: INSIDE,
    np.arcsin: INSIDE,
    np.arccos: INSIDE,
    np.emath.sqrt: BY_VALUE,
    np.emath.log: BY_VALUE,
    np.emath.log2: BY_VALUE,
    np.emath.log10: BY_VALUE,
    np.emath.logn: [Sample((3.0, P), order2=False), (P + 1, -P), (0.3, -0.7)],
    np.emath.power: [Sample((P, 0.3), order2=False), (X, 0.3), (-0.4, X), Sample((P, X), order2=False)],
    np.emath.arcsin: BY_VALUE,
    np.emath.arccos: BY_VALUE,
    np.emath.arctanh: BY_VALUE,
    np.arctan: INSIDE,
    np.arctan2: [(X, Y), (X, ROW), (0.3, -0.7), (1.0, 0.0)],
    np.sinh: ANALYTIC,
    np.cosh: ANALYTIC,
    np.tanh: INSIDE,
    np.arcsinh: INSIDE,
    np.arccosh: [(P + 1,), (1.7,), (cnormal(3) + 4,)],
    np.arctanh: INSIDE,
    np.degrees: [(X,), Sample((0.3,), tol=1e-5)],
    np.radians: REAL,
    np.sinc: [(X,), (0.3,), (0.0,), (3 * X,)],
    np.i0: [(X,), (np.array([0.5, 10.0]),)],
    # complex numbers
    np.real: [(Z,), (X,), (0.3 + 0.4j,)],
    np.imag: [(Z,), (X,), (0.3 + 0.4j,)],
    np.conjugate: [(Z,), (X,), (0.3 + 0.4j,)],
    np.angle: [(Z,), (X,), Sample((Z, True), tol=1e-5), (0.3 + 0.4j,)],
    # numbers
    cmath.phase: [(0.3 + 0.4j,)],
    cmath.polar: [(0.3 + 0.4j,), (-2.0 - 0.1j,)],
    cmath.rect: [(1.3, 0.4), (0.7, -2.5)],
    math.log: [(0.7,), (3.0, 2.0)],
    cmath.log: [(0.7 + 1j,), (3.0 + 1j, 2.0 + 1j)],
    float: NUMBERS,
    complex: [(0.3, 0.4), (0.3,), (0.3 + 1j,), (0.3 + 1j, 2.0)],
    np.float64: NUMBERS + REAL,
    np.float16: [],
    np.float32: [],
    np.longdouble: [],
    np.complex128: [(0.3,), (0.3 + 1j,), (X,)],
    np.complex64: [],
    math.erf: NUMBERS,
    math.erfc: NUMBERS,
    math.gamma: [(0.7,), (3.5,), (-1.5,)],
    math.lgamma: [(0.7,), (12.5,), (-1.5,)],
    math.hypot: [(3.0, 4.0), (1.0, 2.0, 3.0), (2.0,)],
    math.dist: [([1.0, 2.0], [3.0, 5.0]), ((1.0, 2.0), (3.0, 5.0))],
    math.fsum: [([1.0, 2.0, 3.0],)],
    compensated: [Sample((1.5, 0.0), kink=True)],
    math.prod: [([2.0, 0.0, 3.0],), Sample(([2.0, 3.0],), {"start": 2.5})],
    builtins.sum: [
        ([1.0, 2.0],),
        ([1.0, 2.0], 0.5),
        ([normal(2), normal(2)],),
        ([normal(2), 1.0], normal(2)),
        (X,),
    ],
    builtins.max: [([1.0, 3.0, 2.0],), (1.0, 2.0), (3.0, 1.0, 2.0)],
    builtins.min: [([1.0, 3.0, 2.0],), (1.0, 2.0), (3.0, 1, 0.5), (apart(5),)],
    # partial derivatives that are functions of their own
    p.ratio: [(X, P), (Z, W + 3), (2.0, P), Sample((X, np.zeros(4)), kink=True)],
    p.arcsin_slope: [(Z,), (2.0 + 0.5j,)],
    p.exp_share: [(X, Y), (X, ROW)],
    p.power_dx: [(P, U), (P, 1.7), (X, 2), (X, 1), (X, 0), (2.0, 3.0), (cnormal(3) + 3, 2.0)],
    p.power_dy: [Sample((P, U, P**U), kink=True), Sample((0.0, 2.0, 0.0), kink=True)],
    p.power_derivative: [
        Sample((x, y, n, m), wrt=(0, 1))
        for x, y in ((P, U), (2.0, 3.0), (P, 1.7))
        for n in (0, 1, 2)
        for m in (0, 1, 2)
    ],
    p.sinc_derivative: [(3 * X, 1), (3 * X, 2), (0.0, 1)],
    p.bessel_i: [(1, X), (0, X), (2, 0.3)],
    p.polygamma: [(0, P), (1, P), (2, 0.7), (0, np.array([-0.3, -1.6])), (1, np.array([-0.3, -1.6]))],
}

if hasattr(math, "sumprod"):
    SAMPLES[math.sumprod] = [([1.0, 2.0], [3.0, 5.0])]
if hasattr(math, "fma"):
    SAMPLES[math.fma] = [(1.0, 2.0, 3.0)]
