"""Sample calls of windows, embedded diagonals and other shapes, of fused products and matrix functions."""

import numpy as np
from sample import Sample, cnormal, normal, positive

from ast_ad.rules.torch import matrices as m, products as p, shapes as s

X, CUBE, V, NUMBER = normal(3, 4), normal(2, 3, 4), normal(5), np.array(0.5)
A, B, STACKED = normal(3, 4), normal(4, 5), normal(2, 4, 5)
SQUARE = normal(4, 4) + 3 * np.eye(4)
FACTOR = np.tril(normal(4, 4)) + 3 * np.eye(4)
SCALES = [(), (0.5, 2.0), (0, 3)]


def scaled(*args):
    """``beta * c + alpha * product`` for several factors, which have no derivative here."""
    return [Sample((*args, *factors), wrt=(0, 1, 2)) for factors in SCALES]


SAMPLES = {
    s.unfold: [(X, 1, 2), (X, 0, 2, 2), (CUBE, 1, 3, 2), (V, -1, 2, 3)],
    s.diag_embed: [(V,), (CUBE, 1), (X, -2, 0, 2), (X, 1, 2, 0)],
    s.block_diag: [(X, V, NUMBER, normal(2, 2)), (X,)],
    p.add_product: [
        *scaled(normal(3, 5), A, B),
        *scaled(V, A, B),
        *scaled(normal(2, 3, 5), CUBE, STACKED),
        *scaled(normal(3), A, normal(4)),
        *scaled(NUMBER, A, normal(4)),
        Sample((cnormal(5), cnormal(3, 4), cnormal(4, 5))),
    ],
    p.add_summed_products: scaled(normal(3, 5), CUBE, STACKED),
    p.add_outer: scaled(normal(3, 5), normal(3), V),
    p.plain_dot: [(V, normal(5, seed=1)), (cnormal(5), cnormal(5, seed=1))],
    p.add_scaled_product: [Sample((X, normal(4), normal(3, 1), v), wrt=(0, 1, 2)) for v in (1, 2.5)],
    p.add_scaled_quotient: [Sample((X, normal(4), positive(3, 1), v), wrt=(0, 1, 2)) for v in (1, 2.5)],
    m.matrix_exp: [(normal(3, 3),), (2 * normal(2, 3, 3),), (np.zeros((2, 2)),), (cnormal(2, 2),)],
    m.logdet: [(FACTOR @ FACTOR.T,), (np.stack([FACTOR, FACTOR.T]),)],
    m.cholesky_solve: [(normal(4, 2), FACTOR), (normal(4, 2), FACTOR.T, True)],
    m.cholesky_inverse: [(FACTOR,), (FACTOR.T, True)],
    m.solve_triangular: [
        (SQUARE, normal(4, 2), True),
        (SQUARE, normal(2, 4), False, False),
        (normal(4, 4) * positive(4), normal(4, 2), True, True, True),
    ],
}
