"""Sample calls of ``scipy.fft``."""

import scipy.fft as sf
from sample import Sample, cnormal, normal

from ast_ad.rules.scipy import fft as scipy_fft  # noqa: F401

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


TRIGONOMETRIC = [
    (normal(5),),
    (cnormal(3, 4), 2, None, 0, "ortho"),
    *((normal(3, 4), kind, 5, 0) for kind in (1, 3, 4)),
    *(Sample((normal(5), kind), {"orthogonalize": True, "norm": "forward"}) for kind in (1, 2, 3, 4)),
    *(Sample((normal(5), kind), {"orthogonalize": False, "norm": "ortho"}) for kind in (1, 2, 3)),
]

SAMPLES = {
    sf.fft: with_norms(LENGTHS),
    sf.ifft: with_norms(LENGTHS),
    sf.fft2: with_norms(PLANES),
    sf.ifft2: with_norms(PLANES),
    sf.fftn: with_norms(SPACES),
    sf.ifftn: with_norms(SPACES),
    sf.rfft: with_norms(REAL),
    sf.irfft: with_norms(HALF),
    sf.rfft2: with_norms([(normal(3, 4),), (normal(2, 3, 4), (5, 3))]),
    sf.irfft2: with_norms([(cnormal(3, 4),), (cnormal(2, 3, 4), (5, 3))]),
    sf.rfftn: with_norms(
        [(normal(2, 3, 4),), (normal(2, 3, 4), None, (2, 0)), (normal(5),), (normal(3, 4), -1, 0)]
    ),
    sf.irfftn: with_norms([(cnormal(2, 3, 4),), (cnormal(2, 3, 4), (3, 5), (0, 2)), (cnormal(5),)]),
    sf.fftshift: [(normal(5),), (normal(3, 4), 1), (normal(3, 4),)],
    sf.ifftshift: [(normal(5),), (normal(3, 4), (0,))],
    sf.fftfreq: [(5, 0.3), (6,)],
    sf.rfftfreq: [(5, 0.3)],
    sf.hfft: with_norms(HALF[:2]),
    sf.ihfft: with_norms(REAL[2:4]),
    sf.hfft2: [(cnormal(3, 4),)],
    sf.ihfft2: [(normal(3, 4),)],
    sf.hfftn: [(cnormal(3, 4),), (cnormal(2, 3, 4), (3, 5), (0, 2))],
    sf.ihfftn: [(normal(3, 4),), (normal(3, 4), -1, 0)],
    sf.dct: TRIGONOMETRIC,
    sf.idct: TRIGONOMETRIC[:4],
    sf.dst: TRIGONOMETRIC,
    sf.idst: TRIGONOMETRIC[:4],
    sf.dctn: [(normal(3, 4),), (normal(3, 4), 1, (4, -1), (1, 0))],
    sf.idctn: [(normal(3, 4),), (normal(3, 4), 3, 5, -1)],
    sf.dstn: [(normal(3, 4),), (normal(3, 4), 1, (4, -1), (1, 0))],
    sf.idstn: [(normal(3, 4),), (normal(3, 4), 3, 5, -1)],
}
