"""Sample calls of softmax and its relatives, of moments, norms and distances."""

import numpy as np
from sample import Sample, apart, cnormal, normal

from ast_ad.rules.torch import moments as m, norms as n, softmax as s

X, CUBE, NUMBER = normal(3, 4), normal(2, 3, 4), np.array(0.7)
Y, Z = normal(3, 4, seed=1), cnormal(3, 4)
SOFT = [(X, 0), (X, -1), (CUBE, 1), (NUMBER, 0), (np.zeros((2, 0)), 0), (500 * X, 1)]
INFINITE = np.array([[-np.inf, 0.0, 1.0], [-np.inf, -np.inf, -np.inf]])
AXES = [{}, {"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 1)}]
ORDERS = [0, 1, 2, 3, 1.5, 0.5, -1, -2, np.inf, -np.inf]

SAMPLES = {
    s.softmax: [*SOFT, Sample((INFINITE, 1), kink=True)],
    s.kept_sum: [(X, 0), (X, -1), (CUBE, 1), (normal(70, 2), 1)],
    s.log_softmax: [*SOFT, Sample((INFINITE, 1), kink=True)],
    s.logsumexp: [*SOFT, (X, (0, 1)), (CUBE, (0, 2), True), (X, 0, True), Sample((INFINITE, 1), kink=True)],
    s.logcumsumexp: [*SOFT, Sample((INFINITE, 1), kink=True)],
    n.norm: [
        Sample((apart(3, 4),), {"p": p} | axes, None if np.isfinite(p) else (0,))
        for p in ORDERS
        for axes in AXES
    ]
    + [Sample((CUBE,), {"axis": (0, 2)}), Sample((NUMBER,)), Sample((np.zeros(3), 2.0), kink=True)]
    + [Sample((Z,)), Sample((Z, 3.0, 0), wrt=(0,))],
    m.var_mean: [Sample((x,), {"ddof": 1} | axes) for x in (X, Z) for axes in AXES],
    m.std_mean: [Sample((X,), {"ddof": 1} | axes) for axes in AXES],
    n.dist: [(X, Y), Sample((X, normal(4), 3.0), wrt=(0, 1)), Sample((X, X), kink=True)],
    n.normalize: [(X,), Sample((CUBE, 3.0, 2), wrt=(0,))],
    n.renorm: [Sample((X, 2.0, 0, 1.2), wrt=(0,)), Sample((CUBE, 1.0, 1, 3.0), wrt=(0,))],
    n.cosine_similarity: [(X, Y), (X, normal(1, 4)), (CUBE, CUBE + 1, 0)],
    n.pairwise_distance: [(X, Y), Sample((X, Y), {"p": 3.0, "keepdims": True})],
    n.cdist: [(X, normal(5, 4)), (CUBE, normal(2, 5, 4)), Sample((X, normal(5, 4), 3.0), wrt=(0, 1))],
}
