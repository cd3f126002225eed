"""Sample calls of distribution functions, orthogonal polynomials and hypergeometric functions."""

import scipy.special as sp
from sample import Sample, positive, unit

from ast_ad.rules.scipy.incomplete_by_shape import betainc_by_shape, gammainc_by_shape

P, U = positive(3, 4), unit(3, 4)
HALF = (U + 1) / 2
A, B = positive(3, 4, seed=1) + 0.3, positive(4, seed=2) + 0.5


def last(*args):
    """By the last argument, the others being shapes or orders."""
    return Sample(args, wrt=(len(args) - 1,))


SAMPLES = {
    sp.betaincc: [(A, B, HALF), (1.5, 2.5, 0.3)],
    sp.stdtr: [(3 * A, U), (2.5, 0.7)],
    sp.chdtr: [(2 * A, P)],
    sp.chdtrc: [(2 * A, P)],
    sp.fdtr: [(2 * A, 3 * B, P), (3.0, 5.0, 0.4)],
    sp.fdtrc: [(2 * A, 3 * B, P)],
    sp.gammaincinv: [(A, HALF), (1.5, 0.3)],
    sp.gammainccinv: [(A, HALF)],
    sp.betaincinv: [(A, B, HALF), (1.5, 2.5, 0.3)],
    sp.stdtrit: [(3 * A, HALF)],
    sp.chdtri: [(2 * A, HALF)],
    gammainc_by_shape: [
        Sample((A, P, 1), wrt=(0, 1), order2=False),
        Sample((1.5, 0.7, 1), wrt=(0, 1), order2=False),
    ],
    betainc_by_shape: [Sample((A, B, HALF, 1 - HALF), wrt=(0, 1), order2=False)],
    sp.eval_jacobi: [last(n, 0.5, 1.5, U) for n in (0, 1, 4)],
    sp.eval_legendre: [last(n, U) for n in (0, 1, 5)],
    sp.lpmv: [last(m, n, U) for m, n in ((0, 0), (0, 3), (1, 2), (2, 4), (-1, 1), (-2, 3), (3, 2), (1, 2.5))]
    + [last(0, 3, P + 1)],
    sp.eval_gegenbauer: [last(n, 0.7, U) for n in (0, 1, 4)],
    sp.eval_chebyt: [last(n, U) for n in (0, 1, 4)],
    sp.eval_chebyu: [last(n, U) for n in (0, 1, 4)],
    sp.eval_sh_legendre: [last(n, HALF) for n in (0, 1, 4)],
    sp.eval_sh_chebyt: [last(n, HALF) for n in (0, 1, 4)],
    sp.eval_sh_chebyu: [last(n, HALF) for n in (0, 1, 4)],
    sp.eval_chebyc: [last(n, U) for n in (0, 1, 4)],
    sp.eval_chebys: [last(n, U) for n in (0, 1, 4)],
    sp.eval_hermite: [last(n, U) for n in (0, 1, 4)],
    sp.eval_hermitenorm: [last(n, U) for n in (0, 1, 4)],
    sp.eval_genlaguerre: [last(n, 0.5, P) for n in (0, 1, 4)],
    sp.eval_laguerre: [last(n, P) for n in (0, 1, 4)],
    sp.hyp1f1: [last(0.7, 1.5, U)],
    sp.hyp2f1: [last(0.7, 1.2, 2.5, U)],
}
