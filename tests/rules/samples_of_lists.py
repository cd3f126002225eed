"""Sample calls of Python's ``statistics``, of lists, tuples and arrays of numbers."""

import statistics

from sample import apart

DATA = [([1.0, 3.5, 2.0],), ((1.0, 3.5, 2.0, 0.7),), (apart(5),), ([2.5, 1.0],)]

SAMPLES = {
    fn: DATA
    for fn in (
        statistics.mean,
        statistics.fmean,
        statistics.variance,
        statistics.pvariance,
        statistics.stdev,
        statistics.pstdev,
    )
}
