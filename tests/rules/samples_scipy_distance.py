"""Sample calls of ``scipy.spatial.distance``: each metric, with numbers of its own and of the data."""

import numpy as np
import scipy.spatial.distance as sd
from sample import Sample, apart, positive

from ast_ad.rules.scipy.neighbours import nearest

P = apart(9, 3)
A, B = P[:4], P[4:]
W = np.array([0.2, 0.5, 0.9])
METRICS = ("euclidean", "sqeuclidean", "cityblock", "cosine", "correlation", "canberra", "braycurtis")
OPTIONS = [
    *(("minkowski", {"p": p, "w": w}) for p in (1.5, 3) for w in (None, W)),
    *((metric, {"w": W}) for metric in ("euclidean", "sqeuclidean", "cityblock", "cosine", "correlation")),
    ("seuclidean", {}),
    ("seuclidean", {"V": W}),
    ("mahalanobis", {}),
    ("mahalanobis", {"VI": np.eye(3) + 0.1}),
]


def named(*args, wrt=(0,), **options):
    given = {k: v for k, v in options.items() if v is not None}
    return Sample(args, given, wrt=wrt, dtypes=("float64",))


SAMPLES = {
    sd.cdist: [
        *(named(A, B, metric, wrt=(0, 1)) for metric in METRICS),
        named(A, B, "chebyshev", wrt=(0, 1)),
        *(named(A, B, metric, wrt=(0, 1), **options) for metric, options in OPTIONS),
    ],
    sd.pdist: [
        *(named(A, metric) for metric in METRICS),
        *(named(B, metric, **options) for metric, options in OPTIONS),
    ],
    nearest: [
        Sample((A, B + 0.1, k, 0.0, p, np.inf, 10, True, True), wrt=(0, 1), dtypes=("float64",))
        for k, p in ((1, 2.0), (3, 2.0), (2, 1.0), (2, np.inf), (2, 3.0))
    ],
    sd.seuclidean: [Sample((A[0], B[0], positive(3)), dtypes=("float64",))],
}
