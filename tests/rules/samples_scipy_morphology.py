"""Sample calls of the filters of ``scipy.ndimage`` that choose a number: modes, footprints, origins."""

import numpy as np
import scipy.ndimage as nd
from sample import Sample, apart, normal

from ast_ad.rules.scipy import morphology

MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap", "grid-mirror", "grid-constant")
A, B = apart(6), apart(4, 5)
CROSS = np.array([[False, True, False], [True, True, True]])
BUMP = np.array([[0.01, 0.07, 0.02], [0.03, 0.09, 0.04]])


def by_input(*args, **kwargs):
    return Sample(args, kwargs, wrt=(0,))


LINES = [
    *(by_input(A, 3, -1, None, mode, 0.03) for mode in MODES),
    *(by_input(B, 4, 0, None, mode, 0.03, 1) for mode in MODES),
    by_input(B, 9, 1),
]
EXTREMA = [
    by_input(A, 3),
    by_input(B, (2, 3)),
    by_input(B, footprint=CROSS),
    *(by_input(B, 3, None, None, mode, 0.03, (1, 0)) for mode in MODES),
    by_input(B, (3, 4), mode=("wrap", "constant"), cval=0.03),
]
RANKED = [
    by_input(A, 1, 3),
    by_input(B, -2, (2, 3), mode="nearest"),
    by_input(B, 2, footprint=CROSS, origin=(-1, 1)),
]
MEDIANS = [by_input(A, 3), by_input(B, (2, 3), mode="wrap"), by_input(B, footprint=CROSS)]
PERCENTILES = [by_input(A, 30.0, 4), by_input(B, -10.0, (2, 3)), by_input(B, 100, footprint=CROSS)]
GREY = [
    by_input(A, 3),
    by_input(A, [4], mode="wrap"),
    by_input(B, (2, 3), origin=(-1, 1)),
    by_input(B, footprint=CROSS, origin=(0, 1)),
    Sample((B,), {"structure": BUMP}, wrt=(0,)),
    Sample((B, None, CROSS, BUMP), wrt=(0, 3)),
    *(by_input(B, (3, 2), mode=mode, cval=0.03) for mode in MODES),
]
W, U = morphology.windows, morphology.unwindowed
SAMPLES = {
    nd.minimum_filter1d: LINES,
    nd.maximum_filter1d: LINES,
    nd.minimum_filter: EXTREMA,
    nd.maximum_filter: EXTREMA,
    nd.rank_filter: RANKED,
    nd.median_filter: MEDIANS,
    nd.percentile_filter: PERCENTILES,
    nd.grey_erosion: GREY,
    nd.grey_dilation: GREY,
    nd.grey_opening: GREY[:6],
    nd.grey_closing: GREY[:6],
    nd.morphological_gradient: GREY[:6],
    nd.morphological_laplace: GREY[:6],
    nd.white_tophat: GREY[:6],
    nd.black_tophat: GREY[:6],
    W: [by_input(B, (3, 2), None, mode, 0.03, (1, 0), turn) for mode in MODES for turn in (False, True)],
    U: [by_input(normal(4, 5, 6), B, (3, 2), None, mode, (1, 0), True) for mode in MODES],
}
