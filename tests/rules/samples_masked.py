"""Sample calls of ``numpy.ma`` on arrays in which nothing is masked."""

import numpy as np
from sample import Sample, normal

SAMPLES = {
    np.ma.average: [(normal(5),), (normal(3, 4),)],
    np.ma.mean: [(normal(5),), (normal(3, 4),)],
    np.ma.sum: [(normal(5),), (normal(3, 4),)],
    np.ma.var: [(normal(5),), Sample((normal(3, 4),), {"ddof": 1})],
    np.ma.std: [(normal(5),), Sample((normal(3, 4),), {"ddof": 1})],
}
