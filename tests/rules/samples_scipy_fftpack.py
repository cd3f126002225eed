"""Sample calls of ``scipy.fftpack``."""

import scipy.fftpack as fp
from sample import Sample, cnormal, normal

TRIGONOMETRIC = [
    (normal(5),),
    (normal(3, 4), 1, None, 0),
    (normal(3, 4), 3, 5, 0),
    (normal(5), 2, None, -1, "ortho"),
]

SAMPLES = {
    fp.fft: [(normal(5),), (cnormal(5), 3), (normal(4, 3), 5, 0)],
    fp.ifft: [(normal(5),), (cnormal(5), 8), (cnormal(4, 3), None, 0)],
    fp.fft2: [(normal(3, 4),), (cnormal(3, 4), (2, 6))],
    fp.ifft2: [(normal(3, 4),)],
    fp.fftn: [(normal(2, 3, 4),), (cnormal(3, 4), (2, 6), (0, 1))],
    fp.ifftn: [(cnormal(2, 3, 4),)],
    fp.rfft: [(normal(5),), (normal(6),), (normal(5), 4), (normal(4, 3), None, 0), (normal(4, 3), 7)],
    fp.irfft: [
        (normal(5),),
        (normal(5), 7),
        (normal(5), 4),
        (normal(6),),
        Sample((normal(4, 3),), {"axis": 0}),
    ],
    fp.dct: TRIGONOMETRIC,
    fp.idct: TRIGONOMETRIC,
    fp.dst: TRIGONOMETRIC,
    fp.idst: TRIGONOMETRIC,
    fp.dctn: [(normal(3, 4),)],
    fp.idctn: [(normal(3, 4), 1)],
    fp.dstn: [(normal(3, 4), 3, (4, 5))],
    fp.idstn: [(normal(3, 4), 2, None, (0,), "ortho")],
    fp.rfftfreq: [(5, 0.3)],
}
