"""Sample calls of ``scipy.ndimage``: every way to extend the input, filters longer than it, other origins."""

import numpy as np
import scipy.ndimage as nd
from sample import Sample, normal, positive

from ast_ad.rules.scipy import ndimage as scipy_ndimage

MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-wrap", "grid-mirror", "grid-constant")
A, B = normal(6), normal(4, 5)


def linear(*args, **kwargs):
    """By the input and the weights, or the first of them if there are no weights."""
    return Sample(args, kwargs, wrt=(0, 1) if isinstance(args[1], np.ndarray) else (0,))


ND = [
    *((A, normal(3), None, mode) for mode in MODES),
    *(linear(A, normal(4, seed=1), None, mode, 0.7, 1) for mode in MODES),
    *(linear(normal(2), normal(7), None, mode, 0.3, -2) for mode in MODES),
    *(linear(B, normal(3, 2), None, mode, 1.5, (1, -1)) for mode in MODES),
    (normal(1), normal(3), None, "mirror"),
    (normal(3, 4, 2), normal(2, 3, 3)),
    Sample((B, normal(2, 3)), {"mode": "nearest", "origin": -1}),
]
LINES = [
    *((A, normal(3), -1, None, mode) for mode in MODES),
    *(linear(B, normal(4), 0, None, mode, 0.7, 1) for mode in MODES),
    *(linear(B, normal(12), 1, None, mode, 0.7, 2) for mode in MODES),
    Sample((B, normal(3)), {"axis": 0, "mode": "wrap"}),
]
GAUSSIAN = [
    *(Sample((A, 0.8, -1, order, None, mode), wrt=(0, 1)) for mode in MODES[:5] for order in (0, 1, 3)),
    Sample((B, 1.1, 0), {"truncate": 2.0}, wrt=(0, 1)),
    Sample((B, 1.1), {"radius": 2, "mode": "constant", "cval": 0.4}, wrt=(0, 1)),
]
GAUSSIANS = [
    (A, 0.8),
    Sample((B, 0.7, 1), wrt=(0, 1)),
    Sample((B, 0.7, (0, 2), None, ("wrap", "constant"), 0.4), wrt=(0, 1)),
    Sample((B, (0.7, 1.2)), {"radius": (2, 1)}, wrt=(0,)),
    Sample((B, (0.0, 1.2)), wrt=(0,)),
    Sample((normal(2, 3, 4), 0.6), wrt=(0,)),
]
UNIFORM = [*(linear(A, 4, -1, None, mode, 0.7, 1) for mode in MODES), (B, 3, 0), (B, 9)]
UNIFORMS = [(A,), (B, 2), (B, (3, 1)), Sample((B, (2, 3)), {"mode": ("wrap", "nearest"), "origin": (0, 1)})]
DIFFERENCES = [(A,), (B, 0), *(linear(B, 1, None, mode, 0.7) for mode in MODES[:5])]
LAPLACE = [(A,), (B,), *(linear(B, None, mode, 0.7) for mode in MODES[:5])]
OF_GAUSSIANS = [(A, 0.8), Sample((B, 0.7, None, "wrap"), wrt=(0, 1)), Sample((B, (0.7, 0.9)), wrt=(0,))]

T, P, C = scipy_ndimage.tap_sums, scipy_ndimage.uncorrelated, scipy_ndimage.correlated
SAMPLES = {
    nd.correlate: ND,
    nd.convolve: ND,
    nd.correlate1d: LINES,
    nd.convolve1d: LINES,
    nd.gaussian_filter1d: GAUSSIAN,
    nd.gaussian_filter: GAUSSIANS,
    nd.uniform_filter1d: UNIFORM,
    nd.uniform_filter: UNIFORMS,
    nd.sobel: DIFFERENCES,
    nd.prewitt: DIFFERENCES,
    nd.laplace: LAPLACE,
    nd.gaussian_laplace: OF_GAUSSIANS,
    nd.gaussian_gradient_magnitude: [*OF_GAUSSIANS, Sample((B, 0.8, None, "mirror"), wrt=(0, 1))],
    C: [linear(B, normal(3, 2), mode, 0.4, (1, 0)) for mode in MODES]
    + [linear(positive(3), normal(5), "wrap", 0.0, 0)],
    P: [Sample((B, normal(3, 2), np.ones((4, 5)), mode, (1, 0)), wrt=(0, 1)) for mode in MODES],
    T: [Sample((B, normal(4, 5, seed=1), np.ones((3, 2)), mode, 0.4, (1, 0)), wrt=(0, 1)) for mode in MODES],
}
