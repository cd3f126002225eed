"""Sample calls of the helper primitives and of the list operations."""

import numpy as np
from sample import Sample, cnormal, normal

from ast_ad.rules import containers as c, helpers as h, in_place
from ast_ad.rules.of_dtypes import of_dtypes
from ast_ad.rules.real_by_value import as_real_as

LIST = [1.0, 2.0, 3.0]
ARRAYS = [normal(2), normal(2, seed=1), normal(2, seed=2)]
PAIRS = [(1.0, normal(2)), (2.0, normal(2, seed=1))]
REPEATED = np.array([0, 2, 0, 2])
MASK = np.array([True, False, True, False])

SAMPLES = {
    h.setitem: [
        (normal(4), 1, 2.5),
        (normal(4), slice(1, 3), normal(2)),
        (normal(3, 4), (slice(None), 1), 2.0),
        (normal(3, 4), (1, Ellipsis), normal(4)),
        (normal(4), REPEATED, normal(4, seed=1)),
        (normal(4), MASK, normal(2)),
        (normal(4), MASK, 1.5),
        (cnormal(4), 2, 1.5),
        (np.array(1.0), (), 2.0),
    ],
    h.add_at: [
        (normal(4), 1, 2.5),
        (normal(4), REPEATED, normal(4, seed=1)),
        (normal(3, 4), (slice(None), REPEATED), normal(3, 1)),
        (normal(4), MASK, 2.0),
    ],
    h.scatter: [
        Sample((normal(4), 1, 2.5)),
        Sample((normal(4), REPEATED, normal(4, seed=1))),
        Sample((normal(3, 4), (slice(None), slice(0, 2)), normal(3, 2))),
        Sample((normal(4), slice(1, 3), cnormal(2))),
    ],
    h.reserve: [(normal(4), 3), (normal(3, 2), 3)],
    h.written: [(normal(4), REPEATED), (normal(4), slice(1, 3)), (normal(3, 4), ([0, 0], [1, 1]))],
    h.unbroadcast: [
        (normal(3, 4), normal(4)),
        (normal(3, 4), normal(3, 1)),
        (normal(3, 4), 1.0),
        (normal(3), normal(3)),
    ],
    in_place.writable: [(normal(3),), (normal(3, 4),)],
    in_place.copy_as_it_lies: [(normal(3),), (normal(3, 4).T[::-1],)],
    in_place.real_as_stored: [(2.0, np.float64), (np.float64(0.5), np.float64)],
    in_place.fitting: [(normal(3), normal(3)), (normal(3, 4), 1.0)],
    h.broadcast_like: [(normal(3, 1), normal(2, 3, 4)), (2.0, normal(3)), (normal(3), normal(3))],
    h.expand_reduced: [
        (normal(3), normal(3, 4), 1, False),
        (normal(3), normal(4, 3, 2), (0, -1), False),
        (2.0, normal(3, 4), None, False),
        (normal(3, 1), normal(3, 4), 1, True),
    ],
    h.stack_like: [(LIST, normal(3)), (ARRAYS, normal(3, 2))],
    h.list_from_array: [(normal(3), LIST), (normal(3, 2), ARRAYS), (normal(2, 2), [[1.0, 2.0], [3.0, 4.0]])],
    h.not_none: [(normal(3),), (2.0,), (normal(3), "sum")],
    h.mT: [(normal(3, 4),), (normal(2, 3, 4),)],
    h.astype: [(normal(3), np.float64), (cnormal(3), np.complex128), (normal(3), complex), (2.0, np.float64)],
    h.safe_product: [(normal(3), normal(3, seed=1)), (normal(3, 1), cnormal(4)), (2.0, normal(3))],
    h.exact_product: [(normal(3), normal(3, seed=1)), (normal(3, 1), cnormal(4)), (2.0, normal(3))],
    c.list_append: [(LIST, 4.0), (ARRAYS, normal(2)), (PAIRS, (3.0, normal(2)))],
    c.list_pop: [(LIST,), (ARRAYS,), (PAIRS,)],
    c.list_get: [(LIST, 1), (ARRAYS, -1), (PAIRS, 0)],
    c.list_remove: [(LIST, 1), (LIST, -1), (ARRAYS, 0)],
    c.list_put: [(LIST, 1, 5.0), (LIST, -1, 5.0), (ARRAYS, 0, normal(2, seed=5))],
    c.list_set: [(LIST, 1, 5.0), (ARRAYS, -1, normal(2, seed=5))],
    c.list_add_at: [(LIST, 1, 5.0), (ARRAYS, -1, normal(2, seed=5)), (PAIRS, 0, (5.0, normal(2)))],
    c.list_slice: [(LIST, 1, None, None), (ARRAYS, None, None, -1)],
    c.list_set_slice: [(LIST, 1, None, None, [5.0, 6.0])],
    c.list_concat: [(LIST, LIST[:2]), (ARRAYS, ARRAYS[:1])],
    c.list_repeat: [(LIST, 3), (ARRAYS, 2), (LIST, 0)],
    c.list_reverse: [(LIST,), (PAIRS,)],
    c.list_permuted: [(LIST, [2, 0, 1])],
    c.list_add: [(LIST, LIST), (PAIRS, PAIRS)],
    c.list_fill: [(LIST, 2.0), (ARRAYS, normal(2))],
    as_real_as: [(normal(3), normal(3, seed=1)), (cnormal(3), cnormal(3, seed=1)), (2.0, 3.0)],
    of_dtypes: [(LIST, np.float64), (ARRAYS, np.float64)],
    c.array_from_list: [(LIST,), (ARRAYS,), ([[1.0, 2.0], [3.0, 4.0]],)],
}
