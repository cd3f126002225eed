"""Sample calls of padding, shuffles, resampling, and of blocks as columns."""

import numpy as np
from sample import Sample, normal

from ast_ad.rules.networks import blocks, grids, padding, resampling

LINES, IMAGES, VOLUMES = normal(2, 3, 6), normal(2, 4, 4, 6), normal(1, 2, 3, 4, 5)


PICTURES, VOLUME = normal(2, 2, 3, 4), normal(1, 2, 2, 3, 3)


def points(sizes, shape, align=False):
    """Coordinates of points well between pixels, some of them outside."""
    rng = np.random.default_rng(0)
    n = np.array(sizes[::-1], float)
    at = rng.integers(-2, 5, (*shape, len(sizes))) + rng.uniform(0.2, 0.8, (*shape, len(sizes)))
    return at * 2 / (n - 1) - 1 if align else (2 * at + 1) / n - 1


OUT = normal(2, 3, 9)


def first(*cases):
    """Samples by whose first argument to differentiate."""
    return [Sample(case, wrt=(0,)) for case in cases]


EDGES = [
    (x, pads, mode)
    for mode in ("reflect", "replicate", "circular")
    for x, pads in ((LINES, (2, 1)), (IMAGES, (1, 2, 3, 0)), (IMAGES, (-1, 2)), (VOLUMES, (1, 0, 1, 2, 0, 1)))
    if len(pads) > 2 or x is LINES
]
MODES = [
    (LINES, 9, None, "nearest", None, None),
    (IMAGES, (3, 9), None, "nearest-exact", None, None),
    (LINES, None, 1.5, "linear", False, None),
    (IMAGES, None, (0.6, 2.0), "bilinear", False, True),
    (IMAGES, (7, 3), None, "bilinear", True, None),
    (IMAGES, (7, 3), None, "bicubic", None, None),
    (VOLUMES, 4, None, "trilinear", True, None),
]

SAMPLES = {
    padding.constant_pad: first((LINES, (1, 2)), (IMAGES, (1, -2, -1, 3), 2.5)),
    padding.edge_pad: first(*EDGES),
    padding.edge_unpad: first((OUT, LINES, (2, 1), "reflect"), (OUT, LINES, (2, 1), "replicate")),
    padding.pad: first((LINES, (1, 2)), (LINES, (1, 2), "constant", 0.5), (LINES, (2, 0), "circular")),
    padding.pixel_shuffle: first((IMAGES, 2), (IMAGES[0], 2)),
    padding.pixel_unshuffle: first((IMAGES, 2), (IMAGES[0], 2)),
    padding.channel_shuffle: first((IMAGES, 2), (LINES, 3)),
    resampling.resampled: first(
        (LINES, (9,), "linear", True, None), (IMAGES, (3, 8), "bicubic", False, None)
    ),
    resampling.unresampled: first(
        (OUT, LINES, "linear", False, None, 1),
        (OUT, LINES, "nearest", False, None, 1),
    ),
    resampling.resized: first(*MODES),
    resampling.unresized: first((OUT, LINES, 9, None, "linear", False, None)),
    resampling.interpolate: first(*MODES, (IMAGES, (3, 4), None, "area"), (LINES, None, 2)),
    grids.grid_sample: [
        Sample((PICTURES, points((3, 4), (2, 2, 3))), wrt=(0, 1)),
        Sample((PICTURES, points((3, 4), (2, 2, 3), True), "bilinear", "border", True), wrt=(0, 1)),
        Sample((PICTURES, points((3, 4), (2, 2, 3)), "bilinear", "reflection", False), wrt=(0, 1)),
        Sample((PICTURES, points((3, 4), (2, 2, 3), True), "nearest", "zeros", True), wrt=(0, 1)),
        Sample((VOLUME, points((2, 3, 3), (1, 2, 1, 2))), wrt=(0, 1)),
    ],
    grids.affine_grid: first((normal(2, 2, 3), (2, 1, 3, 4)), (normal(1, 3, 4), (1, 1, 2, 1, 3), True)),
    blocks.unfold: first((IMAGES, 2), (IMAGES, (3, 2), 1, 1, 2), (IMAGES[0], 2, 2)),
    blocks.refold: first((normal(2, 16, 15), IMAGES, 2, 1, 0, 1)),
    blocks.fold: [
        Sample((normal(2, 4, 15), (4, 6), 2), wrt=(0,)),
        Sample((normal(2, 12, 6), (4, 4), (3, 2), 1, 1, 2), wrt=(0,)),
    ],
}
