"""Sample calls of gathering, scattering, selecting and masking."""

import numpy as np
from sample import Sample, apart, cnormal, normal

from ast_ad.rules.torch import gather as g, indexing as i

X, CUBE, V, NUMBER = apart(3, 4), apart(2, 3, 4), apart(5), np.array(0.5)
ROWS = np.array([[0, 3, 3], [1, 1, 1]])
CASES = [
    (X, 1, ROWS),
    (X, 0, np.array([[0, 2, 1, 1], [2, 2, 0, 0]])),
    (V, 0, np.array([1, 1, 4])),
    (CUBE, -2, np.array([[[1, 1]], [[2, 0]]])),
    (NUMBER, 0, np.array(0)),
    (X, 1, np.zeros((0, 2), int)),
]
SOURCES = [(*case, np.asarray(2 * apart(*np.shape(case[2]), seed=1) + 0.13)) for case in CASES]
SOURCES += [(X, 1, ROWS[:, :2], normal(3, 4)), (X, 1, ROWS, 2.5)]
ONCE = np.array([[0, 3, 1]])
ZEROS = np.where(np.arange(12).reshape(3, 4) % 3 == 0, 0.0, X)
MASK, WIDE = np.array([True, False, True, True]), X > 0
PICK, TWICE = np.array([2, 0]), np.array([1, 1, 0])
LIKE = [(normal(2, 3), X), (normal(2), V), (normal(2, 2), NUMBER)]

SAMPLES = {
    g.leading: [(x, v) for v, x in LIKE[:2]] + [(NUMBER, X)],
    g.into_leading: LIKE,
    g.gather: [*CASES, (cnormal(3, 4), 1, ROWS)],
    g.scatter: [*SOURCES, (X, 1, ONCE, normal(1, 3))],
    g.scatter_add: [*SOURCES, (cnormal(3, 4), 1, ROWS, cnormal(2, 3))],
    g.scatter_reduce: [
        (*source, reduce, own)
        for source in SOURCES
        for reduce in ("sum", "mean", "prod", "amax", "amin")
        for own in (True, False)
    ]
    + [(ZEROS, 1, ROWS, np.where(normal(2, 3) > 0, 0, 1.5), "prod", own) for own in (True, False)],
    i.index_select: [(X, 0, TWICE), (CUBE, -1, TWICE), (V, 0, np.array([], int))],
    i.index_add: [(X, 0, TWICE, normal(3, 4)), Sample((X, 1, PICK, normal(3, 2), 2.5))],
    i.index_copy: [(X, 0, PICK, normal(2, 4)), (X, 1, TWICE, normal(3, 3))],
    i.index_fill: [(X, 0, PICK, 2.0), (X, 1, TWICE, NUMBER)],
    i.take: [(X, np.array([[1, -1], [5, 5]])), (V, np.array(2))],
    i.put: [(X, np.array([[1, -1], [5, 5]]), normal(2, 2)), (X, PICK, normal(2), True)],
    i.masked_fill: [(X, WIDE, 2.5), (X, MASK, NUMBER), (normal(4), WIDE, 2.5)],
    i.masked_scatter: [(X, WIDE, normal(12)), (X, MASK, normal(3, 4)), (normal(4), WIDE, normal(12))],
    i.masked_select: [(X, WIDE), (X, MASK), (normal(4), WIDE)],
    i.select_scatter: [(X, normal(3), 1, 2), (X, normal(4), 0, -1)],
    i.slice_scatter: [(X, normal(3, 2), 1, 1, None, 2), (X, normal(2, 4), 0, 1)],
    i.diagonal_scatter: [(X, normal(3)), (CUBE, normal(2, 3), 1, 1, 2), (X, normal(2), -1)],
}
