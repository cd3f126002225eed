"""Sample calls of ``scipy.stats``. Gradients by matrices are checked in test_triangles.py, too."""

import numpy as np
import scipy.stats
from sample import Sample, normal, positive

from ast_ad.rules.scipy import kernel_densities, stats as scipy_stats  # noqa: F401

DENSITY = scipy.stats.multivariate_normal
COV = np.array([[2.0, 0.0, 0.0], [0.3, 1.8, 0.0], [-0.4, 0.2, 2.2]])
CALLS = [
    (normal(3), normal(3, seed=1), COV),
    (normal(4, 3), normal(3, seed=1), 1.4 * np.eye(3)),
    Sample((normal(4, 3),), {"cov": COV}, wrt=(0,)),
    (normal(3), normal(3, seed=1), np.array([1.0, 2.0, 1.0])),
    (normal(4), 0.3, 1.7),
    (normal(3), normal(3, seed=1), np.diag([2.0, 1.0, 2.0]), True),
]

KERNELS = [
    (normal(1, 5), np.full(5, 0.2), normal(1, 3, seed=1), np.array([[0.7]])),
    (normal(2, 4), positive(4), normal(2, 3, seed=1), np.array([[0.8, 0.0], [0.3, 1.1]])),
]

SAMPLES = {
    DENSITY.logpdf: CALLS,
    DENSITY.pdf: CALLS,
    kernel_densities.kernel_sums: KERNELS,
    kernel_densities.log_kernel_sums: KERNELS,
}
