"""Sample calls of the functions that pick, write or create elements."""

import operator

import numpy as np
from sample import Sample, cnormal, normal, positive

from ast_ad.rules.numpy import (
    creation,  # noqa: F401
    indexing as i,
)

A, B, C = normal(5), normal(3, 4), normal(2, 3, 4)
IDX = np.array([0, 2, 2, -1])
MASK = np.array([True, False, True, True, False])
WHICH = np.array([[0], [2], [1]])
CONDITIONS = [B > 0.5, B > -0.5]

SAMPLES = {
    operator.getitem: [
        (A, 1),
        (A, slice(None, None, -2)),
        (B, (slice(None), 1)),
        (B, (Ellipsis, None, 1)),
        (A, IDX),
        (A, MASK),
        (C, (slice(None), np.array([0, 0]), 1)),
        (B, (np.array([0, 2]), np.array([1, 1]))),
        (cnormal(5), IDX),
        (B, B > 0),
        (np.array(2.0), ()),
    ],
    np.take: [
        (A, IDX),
        (B, 1, 0),
        (B, np.array([[0, 1], [1, 1]]), 1),
        (B, 5),
        Sample((A, [7, -9]), {"mode": "wrap"}),
        Sample((A, [7, -9]), {"mode": "clip"}),
    ],
    np.take_along_axis: [(B, np.argsort(B, axis=1), 1), (B, np.array([[0, 0, 1, 2]]), 0), (B, IDX, None)],
    np.compress: [(MASK, A), ([True, False, True], B, 0), ([False, True], B)],
    np.extract: [(MASK, A), (B > 0, B)],
    np.choose: [
        (WHICH, [1.0, B, normal(4)]),
        (WHICH, (B, 2 * B, 3 * B)),
        (np.array([0, 1, 1]), normal(2, 3)),
        Sample((np.array([4, -1, 1]), [normal(3), normal(3, seed=1)]), {"mode": "wrap"}),
    ],
    np.select: [
        (CONDITIONS, [B, 2 * B]),
        (CONDITIONS, [B, normal(4)], 3.0),
        (CONDITIONS, [1.5, B], normal(4)),
    ],
    i.chosen_parts: [(B, WHICH, [1.0, B, normal(4)]), (B, WHICH - 1, (B, B)), (B, WHICH, normal(3, 3, 4))],
    i.merged_parts: [([1.0, B, normal(4)], WHICH, B), ((B, B), WHICH - 1, B)],
    np.piecewise: [
        (A, [A > 0, A < -1], [1.0, 2.0]),
        (A, [A > -1, A > 0], [1.0, 2.0, 3.0]),
        (A, A > 0, [1.0, 2.0]),
    ],
    i.copied_to: [(B, 2.0), (B, normal(4)), (B, normal(3, 1), "no", B > 0), (A, 1.0, "no", MASK)],
    i.with_put: [
        (B, [0, 5], [1.0, 2.0]),
        (A, IDX, normal(4)),
        (A, [1, 2, 3], normal(2)),
        (A, 9, 1.0, "clip"),
    ],
    i.with_place: [(A, MASK, normal(3)), (A, MASK, normal(2)), (B, B > 0, 1.5)],
    i.with_putmask: [(A, MASK, A), (A, MASK, normal(2)), (B, B > 0, 1.5)],
    i.with_put_along_axis: [
        (B, np.array([[0], [1], [3]]), normal(3, 1), 1),
        (B, np.array([[0], [1], [3]]), 2.0, 1),
        (B, np.array([[0, 1, 2, 0]]), normal(4), 0),
    ],
    np.full: [(3, 2.0), ((2, 3), normal(3))],
    np.full_like: [(B, 2.0), (B, normal(4))],
    np.arange: [(1.0, 5.3), (1.0, 5.3, 0.5), Sample((3.3,))],
    np.linspace: [
        (1.0, 2.0),
        (1.0, 3.0, 5, False),
        (2.0, 3.0, 1),
        (normal(3), 2.0, 4),
        Sample((normal(3), normal(2, 1), 4), {"axis": -1}),
        (1.0 + 1j, 2.0, 3),
        Sample((1.0, 3.0, 5), {"retstep": True}),
        (1.0, 3.0, 4, False, True),
        Sample((normal(3), 2.0, 4), {"retstep": True, "axis": -1}),
    ],
    np.logspace: [
        (0.1, 0.5, 5),
        Sample((0.1, 0.5, 4), {"base": 2.5, "endpoint": False}),
        Sample((normal(3), 1.0, 4), {"base": 2.0, "axis": -1}),
    ],
    np.geomspace: [(1.5, 9.0, 5), (-1.5, -9.0, 4), (positive(3), 2.0, 4), (1.0 + 1j, 3.0, 4)],
    np.vander: [(normal(3),), (normal(3), 5), (np.array([0.0, 1.0, 2.0]), 3, True), (cnormal(3),)],
}
