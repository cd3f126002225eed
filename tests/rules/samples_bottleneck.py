"""Sample calls of Bottleneck's reductions and moving windows, where it is installed."""

import importlib.util

from sample import Sample, apart, normal

A, B = apart(7), apart(3, 6)
REDUCED = [(A,), (B,), (B, 0), (B, 1), Sample((B,), {"axis": -1})]
SPREAD = [*REDUCED, (B, 1, 1), Sample((A,), {"ddof": 2})]
# No window holds fewer numbers than it must: what is NaN has no differences.
MOVED = [(A, 3, 1), (A, 1), (B, 2, 1), (B, 3, 1, 0), Sample((B, 4), {"axis": 1, "min_count": 1})]
SCATTERED = [*MOVED, Sample((A, 3), {"min_count": 1, "ddof": 0})]

SAMPLES = {}
if importlib.util.find_spec("bottleneck"):
    import bottleneck as bn

    SAMPLES = {
        **{
            fn: REDUCED
            for fn in (bn.nansum, bn.nanmean, bn.nanmin, bn.nanmax, bn.median, bn.nanmedian, bn.ss)
        },
        **{fn: SPREAD for fn in (bn.nanvar, bn.nanstd)},
        **{fn: MOVED for fn in (bn.move_sum, bn.move_mean, bn.move_min, bn.move_max, bn.move_median)},
        bn.move_var: SCATTERED,
        # The first number alone has no deviation, and there a root has no derivative.
        bn.move_std: [Sample((A, 3, 1), kink=True)],
        bn.push: [(normal(5),), (B, 2), Sample((B,), {"axis": 0})],
    }
