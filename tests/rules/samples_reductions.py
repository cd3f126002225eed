"""Sample calls of reductions, running sums and products, sorting and order statistics."""

import numpy as np
from sample import Sample, apart, cnormal, normal

from ast_ad.rules.numpy import cumulative as c, reductions as r, sorting as s

X, V, CUBE, Z = normal(3, 4), normal(5), normal(2, 3, 4), cnormal(3, 4)
MASK = np.array([True, False, True, True])
ZERO_ROW = np.where(np.arange(4) == 1, 0.0, normal(3, 4))
TWO_ZEROS = np.array([2.0, 0.0, 3.0, 0.0, 1.5])
ONE_ZERO = np.array([2.0, 0.0, 3.0, 4.0, 1.5])
GAPS = np.where(np.arange(12).reshape(3, 4) % 5 == 2, np.nan, apart(3, 4))
WHERE = {"where": MASK}


def axes(x, **kwargs):
    """Every way to name axes."""
    rank = np.ndim(x)
    choices = [{}, {"axis": 0}, {"axis": -1}, {"axis": 0, "keepdims": True}, {"keepdims": True}]
    choices += [{"axis": (0, -1)}, {"axis": tuple(range(rank)), "keepdims": True}] if rank > 1 else []
    return [Sample((x,), choice | kwargs) for choice in choices]


def reductions(x=X, cube=CUBE, **kwargs):
    return axes(x, **kwargs) + axes(cube, **kwargs) + axes(x[0], **kwargs)


SMALL = [Sample((0.7,)), Sample((np.array(0.7),))]
EMPTY = [Sample((np.zeros((0, 3)),), {"axis": 0})]
Q = np.array([0.15, 0.47, 0.85])
METHODS = (
    "linear lower higher midpoint nearest inverted_cdf averaged_inverted_cdf interpolated_inverted_cdf hazen "
    "weibull median_unbiased normal_unbiased"
).split()
A, B = apart(3, 5), apart(2, 3, 5)
QUANTILES = (
    [Sample((A, 0.35), k | {"method": m}) for m in METHODS for k in ({}, {"axis": 0})]
    + [Sample((B, Q), k) for k in ({}, {"axis": 1}, {"axis": (0, 2)}, {"axis": -1, "keepdims": True})]
    + [Sample((B, Q[:, None]), {"axis": 1}), Sample((A, 0.35), {"axis": 1, "keepdims": True})]
)
PERCENT = [
    Sample((A, 31.0)),
    Sample((B, 100 * Q), {"axis": 1}),
    Sample((A, 31.0), {"axis": 0, "method": "lower", "keepdims": True}),
]
MEDIANS = axes(A) + axes(B) + axes(apart(6)) + [Sample((apart(4),)), Sample((0.3,))]

SAMPLES = {
    np.sum: reductions()
    + reductions(Z, 1j * CUBE)
    + SMALL
    + EMPTY
    + [Sample((X,), WHERE), Sample((X, 1), {"initial": 2.0, "where": MASK})],
    np.mean: reductions() + axes(Z) + SMALL + [Sample((X,), WHERE), Sample((X, 1), WHERE)],
    np.var: reductions()
    + axes(Z)
    + axes(X, ddof=1)
    + [Sample((X, 1), WHERE), Sample((X,), {"correction": 1})],
    np.std: reductions()
    + axes(Z)
    + axes(X, ddof=1)
    + [Sample((X, 1), WHERE), Sample((np.ones(3),), kink=True)],
    np.average: axes(X)
    + [
        Sample((X,), {"weights": X**2}),
        Sample((X, 1), {"weights": normal(4) ** 2}),
        Sample((X, 0), {"weights": normal(3) ** 2, "keepdims": True}),
        Sample((X, 0, X**2)),
    ],
    np.max: reductions(apart(3, 4), apart(2, 3, 4))
    + SMALL
    + [Sample((apart(3, 4), 1), {"initial": -9.0, "where": MASK}), Sample((np.ones(3),), kink=True)]
    + [Sample((apart(3, 4),), {"initial": 99.5}), Sample((apart(3, 4), 0), {"initial": 0.13})],
    np.min: reductions(apart(3, 4), apart(2, 3, 4))
    + SMALL
    + [Sample((apart(3, 4), 1), {"initial": 99.0, "where": MASK})],
    np.ptp: axes(apart(3, 4)) + axes(apart(2, 3, 4)),
    np.nansum: axes(GAPS) + axes(X),
    np.nanmean: axes(GAPS) + axes(X),
    np.nanvar: axes(GAPS) + axes(X, ddof=1),
    np.nanstd: axes(GAPS) + axes(X, ddof=1),
    np.nanprod: axes(GAPS),
    np.nanmax: axes(GAPS),
    np.nanmin: axes(GAPS),
    np.nancumsum: [(GAPS,), (GAPS, 1)],
    np.nancumprod: [(GAPS,), (GAPS, 1)],
    r.along_axis: [(normal(3), X, 0), (normal(4), X, -1), (normal(4, 2), CUBE, (-1, 0))],
    r.from_axis: [(normal(2, 1, 4), normal(4, 2), CUBE, (2, 0))],
    # products and running sums
    np.prod: reductions()
    + reductions(ZERO_ROW)
    + axes(Z)
    + SMALL
    + [Sample((X, 1), WHERE), Sample((X,), {"initial": 2.0}), Sample((TWO_ZEROS,)), Sample((ONE_ZERO,))],
    np.cumsum: [(V,), (X,), (X, 0), (X, -1), (CUBE, 1), (Z, 0), (0.7,), (np.zeros(0),)],
    np.cumprod: [
        (V,),
        (X,),
        (X, 0),
        (X, -1),
        (CUBE, 1),
        (Z, 0),
        (ONE_ZERO,),
        (TWO_ZEROS,),
        (ZERO_ROW, 1),
        (V[:1],),
    ],
    np.cumulative_sum: [(V,), Sample((X,), {"axis": 1})],
    np.cumulative_prod: [(V,), Sample((X,), {"axis": 1})],
    c.shift: [Sample((V, 1.0), wrt=(0,)), Sample((X, 0.0), wrt=(0,))],
    c.exclusive_product: [
        (V, None),
        (X, None),
        (X, 0),
        (CUBE, (0, 2)),
        (CUBE, -1),
        (TWO_ZEROS, 0),
        (0.7, None),
    ],
    c.linear_recurrence: [
        (V, normal(5, seed=1)),
        (X, normal(3, 4, seed=1)),
        (Z, cnormal(3, 4, seed=1)),
        (V[:1], V[:1]),
    ],
    # sorting and order statistics
    np.sort: [(A,), (A, 0), (A, None), (apart(5),), (B, 1)],
    np.partition: [(apart(6), 2), (A, 2), (A, (1, 3)), (A, 1, 0), (A, 4, None)],
    np.unique: [
        (apart(5),),
        (A,),
        Sample((apart(5),), {"return_counts": True}),
        Sample((np.ones(3),), kink=True),
        Sample((A,), {"axis": 0}),
        Sample((A,), {"axis": -1, "return_counts": True}),
    ],
    np.quantile: QUANTILES,
    np.percentile: PERCENT,
    np.median: MEDIANS,
    np.nanquantile: [
        (GAPS, 0.31),
        Sample((GAPS, 0.31), {"axis": 1}),
        Sample((GAPS, Q), {"axis": 0}),
        (A, 0.35),
    ],
    np.nanpercentile: [(GAPS, 31.0), Sample((GAPS, 100 * Q), {"axis": 0})],
    np.nanmedian: axes(GAPS),
    s.outer: [(Q, X), (0.3, X)],
    s.outer_expand: [(normal(3, 4), Q, normal(2, 4), 0), (normal(3), Q, X, None)],
    s.quantile_position: [(0.3, 5, "linear"), (Q, 5, "hazen"), (0.3, 5, "lower")],
}
