"""Sample calls of order statistics with indices, and of elementwise functions with bounds."""

import numpy as np
from sample import Sample, apart, cnormal, normal

from ast_ad.rules.torch import elementwise as e, order as o

X, CUBE, V, NUMBER = apart(3, 4), apart(2, 3, 4), apart(5), np.array(0.5)
TIES = np.array([[1.0, 3.0, 3.0, 1.0], [2.0, 2.0, 2.0, 2.0], [np.nan, 1.0, np.nan, 0.0]])
ALONG = [(X, 0), (X, -1), (X, 1, True), (CUBE, 1), (CUBE, 1, True), (V, 0), (NUMBER, 0)]
TIED = [Sample((TIES, 1), kink=True)]
RANKED = [(x, 2, *rest) for x, *rest in ALONG if np.ndim(x)]
AT = np.array([[0, 2, 2, 1]])
GRID = np.array([-2.0, -1.0, 0.5, 1.0, np.nan])
LOW, HIGH = normal(3, 4) - 1, normal(3, 1) + 1

SAMPLES = {
    o.along_indices: [
        Sample((normal(1, 4), X, AT, 0)),
        Sample((normal(4), X, AT[0], 0, False)),
        (NUMBER, NUMBER, np.array(0), 0),
    ],
    o.elements_along: [
        Sample((X, AT, 0)),
        Sample((X, AT[0], 0, False)),
        (NUMBER, np.array(0), 0),
    ],
    o.max_along: ALONG + TIED,
    o.min_along: ALONG + TIED,
    o.median_along: ALONG + TIED,
    o.nanmedian_along: ALONG + TIED,
    o.mode: ALONG + TIED,
    o.kthvalue: [*RANKED, (NUMBER, 1, 0)],
    o.sort: [(X,), (X, 0, True), (CUBE, 1), (NUMBER,), *TIED],
    o.topk: [(X, 2), (X, 2, 0, False), (CUBE, 0, 1), (CUBE, 2, 1)],
    o.cummax: [(X, 0), (X, -1), (CUBE, 1), (NUMBER, 0), *TIED],
    o.cummin: [(X, 0), (X, -1), (CUBE, 1), (NUMBER, 0), *TIED],
    o.median: [(X,), (V,), (NUMBER,), Sample((TIES,), kink=True)],
    o.nanmedian: [(X,), (V,), (NUMBER,), Sample((TIES,), kink=True)],
    e.atan2: [(X, normal(4)), Sample((np.zeros(2), np.array([0.0, 1.0])), kink=True)],
    e.absolute: [(X,), (cnormal(4),), Sample((GRID,), kink=True)],
    e.maximum: [(X, normal(4)), (V, 0.1), Sample((GRID, np.ones(5)), kink=True)],
    e.minimum: [(X, normal(4)), (V, 0.1), Sample((GRID, np.ones(5)), kink=True)],
    e.fmax: [(X, normal(4)), (V, 0.1), Sample((GRID, np.ones(5)), kink=True)],
    e.fmin: [(X, normal(4)), (V, 0.1), Sample((GRID, np.ones(5)), kink=True)],
    e.clamp: [
        (X, LOW, HIGH),
        (X, HIGH, LOW),
        Sample((X, -0.7, 0.9)),
        Sample((X, None, 0.9)),
        Sample((X, 0.9)),
        (X,),
        Sample((GRID, -1.0, 1.0), kink=True),
    ],
    e.from_parts: [(X, normal(4)), (NUMBER, np.array(2.0))],
    e.lerp: [(X, normal(4), 0.3), (X, normal(3, 4), normal(3, 1)), (NUMBER, np.array(2.0), 0.7)],
}
