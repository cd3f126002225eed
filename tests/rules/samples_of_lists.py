"""Sample calls of Python's ``statistics``, of lists, tuples and arrays of numbers."""

import statistics

from sample import apart

DATA = [([1.0, 3.5, 2.0],), ((1.0, 3.5, 2.0, 0.7),), (apart(5),), ([2.5, 1.0],)]
WEIGHTED = [
    ([1.0, 3.5, 2.0], [0.5, 1.0, 2.0]),
    ((1.0, 3.5), (2.0, 0.7)),
    ([1.0, 3.5], (2.0, 0.7)),
]

SAMPLES = {
    fn: DATA
    for fn in (
        statistics.mean,
        statistics.variance,
        statistics.pvariance,
        statistics.stdev,
        statistics.pstdev,
    )
} | {
    statistics.fmean: [*DATA, *WEIGHTED],
    statistics.harmonic_mean: [([1.0, 3.5, 2.0],), ((1.0, 3.5, 2.0, 0.7),), ([2.5, 1.0],), *WEIGHTED],
    statistics._normal_dist_inv_cdf: [(0.3, 0.1, 2.0), (0.8, -1.0, 0.5)],  # of NormalDist.inv_cdf
}
