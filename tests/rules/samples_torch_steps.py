"""Sample calls of functions with derivative zero, and of products that are added to something."""

import numpy as np
from sample import Sample, apart, cnormal, normal, positive

from ast_ad.rules.torch import products as p, steps as s

X, Y, Z = apart(3, 4), positive(3, 4), cnormal(3, 4)
A, B, STACK, V, W = normal(3, 4), normal(4, 2), normal(2, 3, 4), normal(4), normal(3)
STEPS = [(X,), (np.array(0.7),)]

SAMPLES = {
    s.floor: STEPS,
    s.ceil: STEPS,
    s.trunc: STEPS,
    s.round_to: [(X,), Sample((X, 1), wrt=(0,))],
    s.sign: STEPS,
    s.sgn: [*STEPS, (Z,)],
    s.frac: STEPS,
    s.real_angle: STEPS,
    s.floor_quotient: [(X, Y), (X, positive(4))],
    s.remainder: [(X, Y), (X, positive(4))],
    s.fmod: [(X, Y), (X, positive(4))],
    s.trunc_quotient: [(X, Y), (X, positive(4))],
    s.sampled: [Sample((X, Y), wrt=(0,))],
    s.sampled_of_two: [Sample((X, Y, A), wrt=(0, 1))],
    p.add_product: [
        (normal(3, 2), A, B),
        Sample((normal(2), A, B), {"beta": 0.5, "alpha": 2.0}),
        (W, A, V),
        (normal(2, 3, 2), STACK, normal(2, 4, 2)),
        Sample((cnormal(3, 3), cnormal(3, 3, seed=1), cnormal(3, 3, seed=2)), {"alpha": 2 - 1j}),
    ],
    p.add_summed_products: [(normal(3, 2), STACK, normal(2, 4, 2))],
    p.add_outer: [(A, W, V), Sample((A, W, V), {"beta": 0.5, "alpha": 2.0})],
    p.plain_dot: [(V, positive(4)), (cnormal(4), cnormal(4, seed=1))],
    p.add_scaled_product: [(X, Y, A), Sample((X, V, W[:, None]), {"value": 0.5})],
    p.add_scaled_quotient: [(X, A, Y), Sample((X, A, positive(4)), {"value": 0.5})],
}
