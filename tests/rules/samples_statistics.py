"""Sample calls of functions of sampled signals, statistics and polynomials."""

import numpy as np
from sample import Sample, apart, cnormal, normal, positive

from ast_ad.rules.numpy import polynomials, signal as s, statistics  # noqa: F401

A, B, C = normal(5), normal(3, 4), normal(4, 5, 3)
XP = np.array([-1.0, 0.0, 0.5, 2.0])
FP = normal(4)
X = np.array([-2.0, -0.7, 0.2, 0.4, 1.1, 3.0])
GRID = np.array([0.0, 0.5, 1.5, 1.9, 3.0])
CONVOLUTIONS = (
    [(A, normal(3), mode) for mode in ("full", "same", "valid")]
    + [(normal(3), A, mode) for mode in ("full", "same", "valid")]
    + [
        (A, normal(2), "same"),
        (normal(2), A, "same"),
        (normal(6), normal(4), "same"),
        (normal(4), normal(6), "same"),
        (normal(4), normal(4), "same"),
        (cnormal(5), cnormal(3), "full"),
        (cnormal(3), cnormal(5), "valid"),
        (cnormal(4), A, "same"),
    ]
)

SAMPLES = {
    np.convolve: CONVOLUTIONS,
    np.correlate: CONVOLUTIONS,
    s.convolve_bar: [
        (A, normal(3), normal(5), 1),
        (cnormal(4), normal(3), cnormal(4), 2),
        (normal(3), A, A, 4),
    ],
    np.diff: [
        (A,),
        (B, 2),
        (B, 1, 0),
        (A, 0),
        Sample((A,), {"prepend": 1.0}),
        Sample((B,), {"append": normal(3, 2), "prepend": 2.0}),
        Sample((B, 2, 0), {"append": normal(1, 4)}),
        (cnormal(4),),
        (B, 7),  # no differences are left
        Sample((B, 5, 0), {"append": normal(1, 4)}),
    ],
    s.undiff: [(A,), (A, 0), (B, 2), (B, 1, 0), (B, 2, 1, 6), (normal(3, 0), 5, -1, 2)],
    np.ediff1d: [(A,), (B, 2.0, normal(2))],
    np.trapezoid: [
        (A,),
        (B, None, 0.5),
        (B, normal(4)),
        (C, normal(5), 1.0, 1),
        (B, normal(3, 4), 1.0, 0),
        (cnormal(4),),
    ],
    np.gradient: [
        (A,),
        (A, 0.5),
        (A, GRID),
        (B,),
        (B, 0.5, 2.0),
        (B, 2.0),
        Sample((C,), {"axis": 1}),
        Sample((C, GRID), {"axis": 1}),
        Sample((C, GRID), {"axis": 1, "edge_order": 2}),
        Sample((A, 0.5), {"edge_order": 2}),
        Sample((C, 0.5, GRID), {"axis": (0, 1)}),
    ],
    np.unwrap: [(3 * A,), Sample((3 * A,), {"period": 2.0}), (3 * B, None, 0)],
    np.interp: [
        (X, XP, FP),
        (0.3, XP, FP),
        (X.reshape(2, 3), XP, FP, 5.0, 6.0),
        (X, XP, cnormal(4)),
        Sample((X, XP, FP), {"period": 3.5}),
        Sample((X, XP[::-1], FP), {"period": 3.5}),
    ],
    np.cov: [
        (B,),
        (A,),
        (B, normal(2, 4)),
        (A, normal(5, seed=1)),
        (B, None, False),
        (B, normal(3, 2), False),
        (B, None, True, True),
        Sample((B,), {"ddof": 0}),
        (cnormal(2, 4),),
    ],
    np.corrcoef: [(B,), (A, normal(5, seed=1)), (B, None, False)],
    np.bincount: [
        (np.array([0, 2, 2, 1]), normal(4)),
        Sample((np.array([0, 2]), normal(2)), {"minlength": 5}),
    ],
    np.histogram: [
        Sample((apart(6),), {"weights": normal(6)}),
        Sample((apart(6), 3, (-1.05, 1.02)), {"weights": normal(6)}),
        Sample((apart(6), np.array([-1.1, 0.1, 1.3])), {"weights": normal(6)}),
        (apart(6), 4),
    ],
    np.polyval: [(A, normal(3)), (A, 0.5), (A, B), (cnormal(3), cnormal(2)), (normal(1), A)],
    np.polyder: [(A,), (A, 2), (normal(2), 3), (cnormal(3),)],
    np.polyint: [(A,), (A, 2), (cnormal(3),)],
    np.polyadd: [(A, normal(3)), (normal(2), A), (A, A)],
    np.polysub: [(A, normal(3)), (normal(2), A)],
    np.polymul: [
        (A, normal(3)),
        (A, np.zeros(0)),
        (np.zeros(0), A),
        (cnormal(2), A),
        Sample((np.array([0.0, 1.0, 2.0]), A), kink=True),
    ],
    np.roots: [
        Sample((np.array([1.0, -6.0, 11.0, -6.0]),), tol=1e-5, order2=False),
        (cnormal(4),),
        Sample((normal(4),), order2=False),
    ],
    np.poly: [(A,), (cnormal(3),), (normal(3, 3) + 3 * np.diag([1.0, 2.0, 3.0]),)],
    np.polyfit: [
        (GRID, A, 2),
        (GRID, normal(5, 2), 1),
        Sample((GRID, A, 2), {"w": positive(5)}),
    ],
}
