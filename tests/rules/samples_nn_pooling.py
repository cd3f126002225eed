"""Sample calls of pooling functions."""

import numpy as np
from sample import Sample, apart, normal, positive

from ast_ad.rules.networks import pooling as steps, pooling_functions as pools

LINES, IMAGES, VOLUMES = apart(2, 3, 7), apart(2, 2, 6, 5), apart(1, 2, 4, 5, 4)
FLAT = normal(2, 3, 7)
PLACES = np.array([[[0, 0, 6], [1, 2, 2], [3, 4, 5]]] * 2)
ONES = normal(2, 3, 3)
APART = np.array([[[0, 3], [5, 1]]])


def pooled(fn, x, options):
    return {fn: [Sample((x, *how), wrt=(0,)) for how in options]}


WINDOWS = [(2,), (3, 2, 1), (3, 2, 1, 1, True), (2, 1, 0, 2)]
MEANS = [(2,), (3, 2, 1), (3, 2, 1, True), (3, 2, 1, True, False)]

SAMPLES = {
    steps.max_pool: [
        Sample((LINES, 3, 2, 1, 1, False, 1), wrt=(0,)),
        Sample((IMAGES, (3, 2), None, 1, 1, True, 2), wrt=(0,)),
        Sample((VOLUMES, 2, 2, 0, 1, False, 3), wrt=(0,)),
    ],
    steps.adaptive_max_pool: [
        Sample((LINES, 3, 1), wrt=(0,)),
        Sample((IMAGES, (4, 3), 2), wrt=(0,)),
    ],
    steps.at_places: [Sample((ONES, PLACES, FLAT, 1), wrt=(0,))],
    steps.from_places: [Sample((FLAT, PLACES, 1), wrt=(0,))],
    steps.max_unpool: [
        Sample((normal(1, 2, 2), APART, 3, None, 0, None, 1), wrt=(0,)),
        Sample((normal(1, 2, 2), np.array([[[1, 1], [5, 0]]]), 3, None, 0, None, 1), wrt=(0,)),
    ],
    steps.avg_pool: [
        Sample((LINES, 3, 2, 1, True, False, None, 1), wrt=(0,)),
        Sample((IMAGES, (3, 2), None, 1, False, True, 5, 2), wrt=(0,)),
    ],
    steps.avg_pool_spread: [
        Sample((normal(2, 3, 4), LINES, 3, 2, 1, False, False, None, 1), wrt=(0,)),
    ],
    steps.adaptive_avg_pool: [
        Sample((LINES, 3, 1), wrt=(0,)),
        Sample((IMAGES, (4, 7), 2), wrt=(0,)),
    ],
    steps.adaptive_avg_pool_spread: [Sample((normal(2, 2, 4, 7), IMAGES, 2), wrt=(0,))],
    **pooled(pools.max_pool1d, LINES, WINDOWS),
    **pooled(pools.max_pool2d, IMAGES, WINDOWS),
    **pooled(pools.max_pool3d, VOLUMES, WINDOWS),
    **pooled(pools.avg_pool1d, LINES, MEANS),
    **pooled(pools.avg_pool2d, IMAGES, [*MEANS, (2, 1, 0, False, True, 7)]),
    **pooled(pools.avg_pool3d, VOLUMES, MEANS),
    **pooled(pools.adaptive_max_pool1d, LINES, [(1,), (3,)]),
    **pooled(pools.adaptive_max_pool2d, IMAGES, [(1,), ((3, 4),)]),
    **pooled(pools.adaptive_max_pool3d, VOLUMES, [(2,), ((1, 2, 3),)]),
    **pooled(pools.adaptive_avg_pool1d, LINES, [(1,), (3,), (14,)]),
    **pooled(pools.adaptive_avg_pool2d, IMAGES, [(1,), ((3, 4),), ((None, 1),)]),
    **pooled(pools.adaptive_avg_pool3d, VOLUMES, [(2,), ((1, 2, 3),)]),
    **pooled(pools.lp_pool1d, positive(2, 3, 7), [(2, 2), (3.0, 3, 2)]),
    **pooled(pools.lp_pool2d, positive(2, 2, 6, 5), [(2, 2), (1.5, (3, 2), 2, True)]),
    **pooled(pools.lp_pool3d, positive(1, 2, 4, 5, 4), [(2, 2)]),
    pools.max_unpool1d: [Sample((normal(1, 2, 2), APART, 3), wrt=(0,))],
    pools.max_unpool2d: [
        Sample((normal(1, 2, 2), APART, 2, None, 0, (4, 4)), wrt=(0,)),
    ],
    pools.max_unpool3d: [Sample((normal(1, 1, 2, 2), APART[None], 2, None, 0), wrt=(0,))],
}
