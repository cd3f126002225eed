"""Sample calls of ``scipy.integrate``."""

import scipy.integrate as si
from sample import Sample, normal

from ast_ad.rules.scipy import integrate as scipy_integrate  # noqa: F401

A, B = normal(5), normal(3, 4)

SAMPLES = {
    si.trapezoid: [(A,), (B, normal(4)), (B, None, 0.5, 0)],
    si.cumulative_trapezoid: [
        (A,),
        (B, normal(4)),
        (B, normal(3, 4, seed=1), 1.0, 0),
        Sample((B, None, 0.5), {"initial": 0}),
    ],
}
