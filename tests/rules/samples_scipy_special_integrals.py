"""Sample calls of elliptic integrals, of other integrals, and of functions akin to Bessel's."""

import numpy as np
import scipy.special as sp
from sample import Sample, cnormal, normal, positive, unit

from ast_ad.rules.scipy.bessel_orders import kve_by_order

P, U = positive(3, 4), unit(3, 4)
SMALL = np.array([-0.015, -1e-9, 0.0, 1e-6, 0.019])
PHI = np.array([0.3, 1.1, -0.7, 2.4, 7.9])


def last(*args, **options):
    """By the last argument, the others being orders."""
    return Sample(args, wrt=(len(args) - 1,), **options)


SAMPLES = {
    sp.ellipk: [(U,), (SMALL,), (-30.0,)],
    sp.ellipkm1: [(P,), (1 - SMALL,), (0.05,)],
    sp.ellipe: [(U,), (SMALL,), (-30.0,)],
    sp.agm: [(P, 2 * positive(3, 4, seed=1))],
    sp.ellipkinc: [(PHI, U[0, 0]), (PHI, SMALL), (0.4, -3.0)],
    sp.ellipeinc: [(PHI, U[0, 0]), (PHI, SMALL), (0.4, -3.0)],
    sp.ellipj: [
        (PHI, np.array([0.3, 0.8, 0.5, 0.1, 0.05])),
        (PHI, np.array([0.006, 0.01, 0.015, 0.3, 0.9])),
        (0.4, 0.6),
    ],
    sp.elliprf: [(P, P[::-1] + 3.1, 7.3 * P + 6)],
    sp.elliprd: [(P, P[::-1] + 3.1, 7.3 * P + 6)],
    sp.sici: [(U,), (P,), (cnormal(3),)],
    sp.shichi: [(P,), (cnormal(3),)],
    sp.fresnel: [(U,), (cnormal(3) / 2,)],
    sp.expn: [last(n, P) for n in (0, 1, 3)],
    sp.voigt_profile: [(U, P, P[::-1]), (0.3, 1.0, 2.0)],
    sp.airy: [(U,), (3 * U,), (cnormal(3),)],
    sp.k0e: [(P,)],
    sp.k1e: [(P,)],
    sp.kve: [last(0, P), (1.5, P), (4 * U, P), (0.3, 0.7)],
    kve_by_order: [(1.5, P, 0), (U, P, 1), (-2.3, 0.7, 2)],
    sp.hankel1: [last(1.5, P), last(0, P)],
    sp.hankel2: [last(1.5, P), last(0, P)],
    sp.hankel1e: [last(1.5, P)],
    sp.hankel2e: [last(1.5, P)],
    sp.spherical_jn: [last(0, P), last(2, P), last(3, cnormal(3)), Sample((2, P, True), wrt=(1,))],
    sp.spherical_yn: [last(0, P), last(2, P), Sample((2, P, True), wrt=(1,))],
    sp.spherical_in: [last(0, P), last(2, P), Sample((2, P, True), wrt=(1,))],
    sp.spherical_kn: [last(0, P), last(2, P), Sample((2, P, True), wrt=(1,))],
    sp.struve: [last(0.5, P), last(2, P)],
    sp.modstruve: [last(0.5, P), last(2, P)],
    sp.hyp0f1: [last(1.5, U), last(2.5, normal(3))],
    sp.ber: [(U,), (3 * U,)],
    sp.bei: [(U,), (3 * U,)],
    sp.ker: [(P,)],
    sp.kei: [(P,)],
    sp.berp: [(3 * U,)],
    sp.beip: [(3 * U,)],
    sp.kerp: [(P,)],
    sp.keip: [(P,)],
    sp.cotdg: [(40 * P,)],
    sp.radian: [(U, P, P[::-1])],
}
