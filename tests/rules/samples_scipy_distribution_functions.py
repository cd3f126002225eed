"""Sample calls of the special functions of which ``scipy.stats`` makes its distributions."""

import numpy as np
import scipy.special as sp
import scipy.special._ufuncs as own
import scipy.stats._continuous_distns as continuous
from sample import Sample, positive, unit

from ast_ad.rules.scipy import stats as scipy_stats  # noqa: F401
from ast_ad.rules.scipy.noncentral import by_freedom

COUNTS = np.array([0.0, 1.0, 3.0, 5.0])
SHARE = np.array([0.1, 0.35, 0.5, 0.8])
A, B = 1.0 + positive(4), 1.5 + positive(4, seed=1)

SAMPLES = {
    own._beta_pdf: [(SHARE, A, B), (0.3, 2.2, 1.4)],
    own._beta_ppf: [(SHARE, A, B), (0.3, 2.2, 1.4)],
    sp.betainccinv: [(A, B, SHARE), (2.2, 1.4, 0.3)],
    sp.fdtri: [(A, 2 * B, SHARE), (2.2, 3.4, 0.3)],
    sp.pdtr: [Sample((COUNTS, A), wrt=(1,)), Sample((3.5, 1.4), wrt=(1,))],
    sp.pdtrc: [Sample((COUNTS, A), wrt=(1,)), Sample((3.5, 1.4), wrt=(1,))],
    own._binom_cdf: [Sample((COUNTS, 6.0, SHARE), wrt=(2,)), Sample((6.0, 6.0, 0.3), wrt=(2,))],
    own._binom_sf: [Sample((COUNTS, 6.0, SHARE), wrt=(2,)), Sample((6.0, 6.0, 0.3), wrt=(2,))],
    own._binom_pmf: [Sample((COUNTS, 6.5, SHARE), wrt=(1, 2)), Sample((2.0, 6.0, 0.3), wrt=(2,))],
    own._nbinom_cdf: [Sample((COUNTS, A, SHARE), wrt=(2,)), Sample((2.0, 3.0, 0.3), wrt=(2,))],
    own._nbinom_sf: [Sample((COUNTS, A, SHARE), wrt=(2,)), Sample((2.0, 3.0, 0.3), wrt=(2,))],
    own._nbinom_pmf: [Sample((COUNTS, A, SHARE), wrt=(1, 2)), Sample((2.0, 3.0, 0.3), wrt=(1, 2))],
    own._cauchy_ppf: [(SHARE, A, B), (0.3, 0.2, 1.4)],
    own._cauchy_isf: [(SHARE, A, B), (0.3, 0.2, 1.4)],
    sp.chndtr: [(4 * A, B, 2 * A), (2.0, 3.3, 1.5), (A + 100.0, 2.5, 150.0 + A)],
    own._ncx2_sf: [(4 * A, B, 2 * A), (2.0, 3.3, 1.5)],
    own._ncx2_pdf: [(4 * A, B, 2 * A), (2.0, 3.3, 1.5), (9.0, 2.0, 40.0)],
    by_freedom: [
        Sample((4 * A, B, 2 * A, 1, False), wrt=(0, 1, 2), order2=False),
        Sample((4 * A, B, 2 * A, 1, True), wrt=(0, 1, 2), order2=False),
    ],
    sp.powm1: [(A, B), (1.3, -0.7)],
    sp.inv_boxcox1p: [(A / 4, B), (0.3, -0.7), (0.3, 0.0)],
    sp.ndtri_exp: [(-positive(4),), (-0.3,)],
    continuous._log_gauss_mass: [
        (unit(4) - 1.0, 0.5 + positive(4)),
        (np.array([-3.0, 0.5, -2.0]), np.array([-1.0, 4.0, 1.0])),
    ],
    continuous._log_diff: [(positive(4), -positive(4, seed=1))],
}
