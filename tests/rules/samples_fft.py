"""Sample calls of Fourier transforms."""

import numpy as np
from sample import Sample, cnormal, normal

from ast_ad.rules.numpy import fft as f

NORMS = [{"norm": norm} for norm in ("ortho", "forward", "backward")]
LENGTHS = [(cnormal(5),), (normal(5),), (cnormal(5), 3), (cnormal(5), 8), (cnormal(4, 3), 5, 0)]
REAL = [
    (normal(5),),
    (normal(6),),
    (normal(5), 3),
    (normal(5), 8),
    (normal(4, 3), 5, 0),
    (normal(4, 3), None, 0),
]
HALF = [
    (cnormal(4),),
    (cnormal(4), 7),
    (cnormal(4), 3),
    (cnormal(4), 10),
    (cnormal(4, 3), 5, 0),
    (normal(4),),
]
PLANES = [
    (cnormal(3, 4),),
    (normal(2, 3, 4),),
    (cnormal(3, 4), (2, 6), (0, 1)),
    (cnormal(2, 3, 4), None, (0, 2)),
]
SPACES = [*PLANES, (cnormal(2, 3, 4),)]


def with_norms(entries):
    return [*entries, *(Sample(entries[0], norm) for norm in NORMS)]


TWICE = [(normal(3, 4), None, (0, 1, 0)), (normal(4, 3), (5, 3), (0, 0)), (normal(3, 4), (-1, 3), (1, 0))]

SAMPLES = {
    np.fft.fft: with_norms(LENGTHS),
    np.fft.ifft: with_norms(LENGTHS),
    np.fft.fft2: with_norms(PLANES),
    np.fft.ifft2: with_norms(PLANES),
    np.fft.fftn: with_norms([*SPACES, TWICE[0], TWICE[2]]),
    np.fft.ifftn: with_norms(SPACES),
    np.fft.rfft: with_norms(REAL),
    np.fft.irfft: with_norms(HALF),
    np.fft.hfft: with_norms(HALF),
    np.fft.ihfft: with_norms(REAL),
    np.fft.rfft2: with_norms([(normal(3, 4),), (normal(2, 3, 4), (5, 3))]),
    np.fft.irfft2: with_norms([(cnormal(3, 4),), (cnormal(2, 3, 4), (5, 3))]),
    np.fft.rfftn: with_norms([(normal(2, 3, 4),), (normal(2, 3, 4), None, (2, 0)), (normal(5),), *TWICE]),
    np.fft.irfftn: with_norms(
        [(cnormal(2, 3, 4),), (cnormal(2, 3, 4), (3, 5), (0, 2)), (cnormal(5),), *TWICE]
    ),
    np.fft.fftshift: [(normal(5),), (normal(3, 4), 1), (normal(3, 4),)],
    np.fft.ifftshift: [(normal(5),), (normal(3, 4), (0,))],
    np.fft.fftfreq: [(5, 0.3), (6,)],
    np.fft.rfftfreq: [(5, 0.3)],
    f.fitted: [(normal(3, 4), normal(2, 6)), (cnormal(3), normal(3))],
}
