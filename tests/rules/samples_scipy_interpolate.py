"""Sample calls of what interpolators of ``scipy.interpolate`` are made of."""

import numpy as np
import scipy.interpolate
from sample import Sample, cnormal, normal, positive

from ast_ad.rules.scipy import fitpack, grid_interpolators, piecewise_polynomials, splines

assert scipy.interpolate
X = np.array([0.0, 0.7, 1.1, 2.0, 2.6])
FALLING = X[::-1].copy()
AT = np.array([0.3, 0.9, 1.4, 2.3, 2.5, 0.2])
BEYOND = np.array([-0.4, 0.9, 3.1])
KNOTS = np.array([0.0, 0.0, 0.0, 0.0, 0.8, 1.5, 2.6, 2.6, 2.6, 2.6])
LINES = np.array([0.0, 0.0, 0.7, 1.1, 2.0, 2.6, 2.6])


def doubles(args, wrt):
    """SciPy's objects hold numbers in double precision, whatever they are made of."""
    return Sample(args, wrt=wrt, dtypes=("float64",))


VALUES = [
    *(doubles((normal(4, 4), X, AT, nu, True), wrt=(0, 1, 2)) for nu in (0, 1, 2, 3)),
    doubles((normal(4, 4, 2), X, AT, 0, False), wrt=(0, 1, 2)),
    doubles((normal(3, 4), X, BEYOND, 1, True), wrt=(0, 1, 2)),
    doubles((normal(3, 4), FALLING, AT, 0, True), wrt=(0, 1, 2)),
    doubles((cnormal(3, 4), X, AT, 0, True), wrt=(0, 1, 2)),
]
ADJOINTS = [
    doubles((normal(6), np.ones((4, 4)), X, AT, 0, True), wrt=(0, 2, 3)),
    doubles((normal(6, 2), np.ones((3, 4, 2)), X, AT, 1, True), wrt=(0, 2, 3)),
]
SUMS = [
    *(doubles((normal(6), AT, KNOTS, 3, nu, True), wrt=(0, 1)) for nu in (0, 1, 3)),
    doubles((normal(6, 2), BEYOND, KNOTS, 3, 0, True), wrt=(0, 1)),
    doubles((normal(5), AT, LINES, 1, 0, False), wrt=(0, 1)),
]
TRANSPOSED_SUMS = [
    doubles((normal(6), np.ones(6), AT, KNOTS, 3, 0, True), wrt=(0, 2)),
    doubles((normal(6, 2), np.ones((6, 2)), AT, KNOTS, 3, 1, True), wrt=(0, 2)),
]
NODES = np.array([0.1, 0.3, 0.9, 1.3, 1.9, 2.4])
THROUGH = [doubles((normal(6, 2), NODES, KNOTS, 3), wrt=(0, 1))]

CURVE = [
    *(doubles((normal(6), AT, KNOTS, 3, der, ext), wrt=(0, 1)) for der in (0, 1) for ext in (0, 1, 3)),
    doubles((normal(6), BEYOND, KNOTS, 3, 0, 3), wrt=(0, 1)),
    doubles((normal(6), BEYOND, KNOTS, 3, 2, 0), wrt=(0, 1)),
]
SIDE = splines.knots_between(X, 3)
GRIDS = X, X[:4]
BOTH = tuple(splines.knots_between(axis, 3) for axis in GRIDS)
SURFACE = [
    doubles((normal(20), AT[:3], AT[1:4], *BOTH, (3, 3), (0, 0), False), wrt=(0, 1, 2)),
    doubles((normal(20), np.sort(AT), np.sort(AT[:2]), *BOTH, (3, 3), (1, 0), True), wrt=(0, 1, 2)),
]
POINTS = np.stack((AT[:4], AT[1:5] * 0.7), axis=-1)

SAMPLES = {
    piecewise_polynomials.piecewise_values: VALUES,
    piecewise_polynomials.piecewise_adjoint: ADJOINTS,
    splines.spline_values: SUMS,
    splines.spline_adjoint: TRANSPOSED_SUMS,
    splines.spline_through: THROUGH,
    splines.through_adjoint: THROUGH,
    fitpack.curve_at: CURVE,
    fitpack.coefficients: [doubles((normal(5), X, SIDE, 3), wrt=(0,))],
    fitpack.differences: [doubles((normal(6), KNOTS, 3), wrt=(0,))],
    fitpack.sums: [doubles((normal(6), KNOTS, 3), wrt=(0,))],
    fitpack.area: [doubles((normal(6), 0.3, 1.9, KNOTS, 3), wrt=(0, 1, 2))],
    fitpack.surface_at: SURFACE,
    fitpack.rectangle: [doubles((normal(5, 4), *GRIDS, *BOTH, 3, 3), wrt=(0,))],
    grid_interpolators.by_splines: [
        doubles((positive(5, 4), GRIDS, POINTS, 3, (0, 0)), wrt=(0, 2)),
        doubles((positive(5, 4, 2), GRIDS, POINTS, 3, (1, 0)), wrt=(0, 2)),
    ],
}
