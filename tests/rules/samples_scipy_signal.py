"""Sample calls of ``scipy.signal``: filters with and without states, convolutions of all modes."""

import numpy as np
import scipy.signal as sg
from sample import Sample, cnormal, normal

from ast_ad.rules.scipy import signal as scipy_signal

B, A = np.array([0.4, 0.3, -0.2]), np.array([2.0, -0.6, 0.3])
SECTIONS = sg.butter(3, 0.3, output="sos")
X, ROWS = normal(12), normal(3, 8)
MODES = ("full", "same", "valid")


def doubles(*args, **options):
    return Sample(args, options, wrt=(0, 1), dtypes=("float64",))


FILTERS = [
    Sample((B, A, X), wrt=(0, 1, 2)),
    Sample((B[:1], A, X), wrt=(0, 1, 2)),
    Sample((normal(5), A[:1], ROWS), wrt=(0, 1, 2)),
    Sample((B, A, normal(2)), wrt=(0, 1, 2)),
]
PAIRS = [
    (X, normal(3)),
    (X, normal(4)),
    (normal(3), X),
    (normal(4, 5), normal(2, 3)),
    (normal(2, 3, 4), normal(2, 2, 2)),
]
TURNED = normal(4, 5), normal(2, 3), normal(3, 2)
PLANES = [
    *(doubles(*TURNED[:2], mode, edge, 0.0) for mode in MODES for edge in ("fill", "wrap", "symm")),
    *(doubles(TURNED[0], TURNED[2], mode, "fill", 0.0) for mode in MODES),
    Sample((TURNED[0], TURNED[1], "same", "fill", 0.7), wrt=(0, 1, 4)),
]

SAMPLES = {
    scipy_signal.filtered: FILTERS,
    scipy_signal.lag_sums: [
        Sample((X, normal(12, seed=1), np.zeros(3)), wrt=(0, 1)),
        Sample((ROWS, normal(3, 8, seed=1), np.zeros(9)), wrt=(0, 1)),
    ],
    scipy_signal.full_convolution: [*PAIRS[:4], (cnormal(5), cnormal(3))],
    sg.lfilter: [
        *FILTERS,
        Sample((B, A, ROWS), {"axis": 0}, wrt=(0, 1, 2)),
        Sample((B, A, X, -1, normal(2)), wrt=(0, 1, 2, 4)),
        Sample((B, A[:2], ROWS, 0, normal(2, 8)), wrt=(0, 1, 2, 4)),
    ],
    sg.upfirdn: [
        Sample((B, X), wrt=(0, 1)),
        Sample((B, X, 3, 2), wrt=(0, 1)),
        Sample((B, ROWS, 2, 3, 0), wrt=(0, 1)),
        Sample((B, ROWS, 2), {"axis": -1}, wrt=(0, 1)),
        Sample((B, cnormal(5), 2, 1), wrt=(0, 1)),
    ],
    sg.lfilter_zi: [(B, A), (B[:2], A), (B, A[:2])],
    sg.filtfilt: [
        Sample((B, A, X), wrt=(0, 1, 2)),
        Sample((B, A, ROWS, 0, "even", 2), wrt=(0, 1, 2)),
        Sample((B, A, ROWS, -1, "constant", 4), wrt=(0, 1, 2)),
        Sample((B, A, ROWS, -1, None), wrt=(0, 1, 2)),
    ],
    scipy_signal.sections: [
        Sample((SECTIONS, X, -1, None), wrt=(1,)),
        Sample((SECTIONS, ROWS, 0, normal(2, 2, 8)), wrt=(1, 3), dtypes=("float64",)),
    ],
    scipy_signal.both_ways: [Sample((SECTIONS, normal(20), -1, "odd", None), wrt=(1,), dtypes=("float64",))],
    sg.convolve: [(*pair, mode) for pair in PAIRS for mode in MODES],
    sg.correlate: [(*pair, mode) for pair in PAIRS for mode in MODES],
    scipy_signal.by_fft: [doubles(*pair, mode) for pair in PAIRS[1:4] for mode in MODES],
    scipy_signal.by_blocks: [doubles(*pair, mode) for pair in PAIRS[:2] for mode in MODES],
    scipy_signal.planes: PLANES,
    scipy_signal.turned_planes: PLANES,
    sg.detrend: [(X,), (ROWS, 0), (ROWS, -1, "constant")],
    sg.savgol_filter: [
        Sample((X, 5, 2), wrt=(0,)),
        Sample((ROWS, 5, 3, 1, 0.5), wrt=(0, 4)),
        Sample((ROWS, 3, 1, 0, 1.0, 0, "nearest"), wrt=(0,)),
        Sample((X, 5, 2, 2, 0.5, -1, "constant", 0.4), wrt=(0, 4)),
    ],
    sg.savgol_coeffs: [Sample((5, 3, 1, 0.5), wrt=(3,)), Sample((5, 3, 2, 0.5, 1, "dot"), wrt=(3,))],
    scipy_signal.end_weights: [Sample((5, 3, 1, 0.5), wrt=(3,))],
}
