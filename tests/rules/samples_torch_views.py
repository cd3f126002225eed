"""Sample calls of steps, of views and of what arrays hold after they were written to."""

import numpy as np
from sample import Sample, cnormal, normal

from ast_ad.rules.memory import locked, strided
from ast_ad.rules.numpy import views as w
from ast_ad.rules.torch import steps as t, views as v

X, CUBE, V, Z = normal(3, 4), normal(2, 3, 4), normal(6), cnormal(4)
TURNED = ((np.transpose, ()), (np.flip, (0,)))
WINDOWS = ((np.lib.stride_tricks.sliding_window_view, (3,)),)

SAMPLES = {
    t.floor: [(X,)],
    t.ceil: [(X,)],
    t.trunc: [(X,)],
    t.round_to: [(X,), (X, 1)],
    t.sign: [(X,)],
    t.sgn: [(X,), (Z,)],
    t.frac: [(X,)],
    t.floor_quotient: [Sample((X, normal(4)), kink=True)],
    t.trunc_quotient: [Sample((X, normal(4)), kink=True)],
    t.sampled: [Sample((X, normal(3, 4, seed=1)), wrt=(0,))],
    t.real_angle: [(X,)],
    t.distinct: [Sample((X, X.ravel().copy(), "unique_dim"), wrt=())],
    t.step_function: [Sample((X, 0.5), wrt=())],
    v.unbound: [(X,), (CUBE, 1)],
    v.pieces: [(X, (2, 1)), (X, (1, 3), 1)],
    v.repeated: [(X, (2, 3)), (X, (2, 1, 3)), (V, (2,))],
    v.unrepeated: [(normal(6, 12), X, (2, 3)), (normal(2, 3, 8), X, (2, 1, 2))],
    v.at_places: [(X, np.array([[1, 1], [-1, 5]]))],
    v.as_real: [(Z,)],
    v.as_complex: [(normal(3, 2),)],
    v.overwritten: [(X, normal(4)), (X, 2.5)],
    v.filled: [(X, 2.5)],
    v.zeroed: [(X,)],
    v.duplicate: [(X,), (X.T, "C")],
    v.same: [(X,)],
    w.take_view: [(X, TURNED), (V, WINDOWS)],
    w.add_view: [(X, TURNED, normal(4, 3)), (V, WINDOWS, normal(4, 3))],
    w.write_view: [(X, TURNED, normal(4, 3))],
    locked: [(X,), (X.T,), (V,)],
    strided: [
        (V, (4, 3), (8, 8), (8,), 8),
        (X, (2, 2, 2), (8, 32, 16), (32, 8), 8),
        (X, (4, 2), (24, 8), (8, 24), 8),
        (V, (3, 2), (-8, -16), (-8,), 8),
    ],
    np.lib.stride_tricks.sliding_window_view: [(V, 3), Sample((X, 2), {"axis": 1})],
}
