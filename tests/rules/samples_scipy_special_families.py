"""Sample calls of distribution functions, orthogonal polynomials and hypergeometric functions."""

import scipy.special as sp
from sample import Sample, positive, unit

P, U = positive(3, 4), unit(3, 4)
HALF = (U + 1) / 2


def last(*args):
    """By the last argument, the others being shapes or orders."""
    return Sample(args, wrt=(len(args) - 1,))


SAMPLES = {
    sp.betaincc: [last(1.5, 2.5, HALF)],
    sp.stdtr: [last(4.0, U), last(2.5, 0.7)],
    sp.chdtr: [last(3.0, P)],
    sp.chdtrc: [last(3.5, P)],
    sp.fdtr: [last(3.0, 5.0, P)],
    sp.fdtrc: [last(3.0, 4.5, P)],
    sp.gammaincinv: [last(1.5, HALF)],
    sp.gammainccinv: [last(1.5, HALF)],
    sp.betaincinv: [last(1.5, 2.5, HALF)],
    sp.stdtrit: [last(4.0, HALF)],
    sp.chdtri: [last(3.0, HALF)],
    sp.eval_jacobi: [last(n, 0.5, 1.5, U) for n in (0, 1, 4)],
    sp.eval_legendre: [last(n, U) for n in (0, 1, 5)],
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
