"""Sample calls of ``scipy.special``."""

import numpy as np
import scipy.special as sp
from sample import Sample, cnormal, normal, positive, unit

from ast_ad.rules.scipy import bessel_relatives

X, P, U, Z = normal(3, 4), positive(3, 4), unit(3, 4), cnormal(3)
LINE = [(X,), (0.3,), (Z,)]
REAL = LINE[:2]
HALF = [(P,), (0.7,)]
UNIT = [(U,), (0.3,)]
ORDERS = [(0, P), (1, P), (2, 0.7)]
REDUCED = [(X,), (X, 0), (X, -1)]

SAMPLES = {
    sp.erf: LINE,
    sp.erfc: LINE,
    sp.erfcx: LINE,
    sp.erfi: LINE,
    sp.dawsn: LINE,
    sp.wofz: [(Z,), (np.array([400.0 + 1.0j, 5000.0 + 20.0j]),)],
    sp.erfinv: UNIT,
    sp.erfcinv: [(1 + U,), (0.3,)],
    sp.ndtr: REAL,
    sp.log_ndtr: [*REAL, (-30.0,)],
    sp.ndtri: [((U + 1) / 2,), (0.3,)],
    sp.gamma: [*HALF, Sample((Z + 3,), order2=False)],
    sp.gammaln: HALF,
    sp.loggamma: [*HALF, Sample((Z + 3,), order2=False)],
    sp.rgamma: HALF,
    sp.digamma: HALF,
    sp.polygamma: [(1, P), (2, 0.7)],
    sp.beta: [(P, positive(4)), (1.5, P)],
    sp.betaln: [(P, positive(4)), (1.5, P)],
    sp.binom: [(P + 2, positive(4)), (5.0, 2.5)],
    sp.poch: [(P, positive(4))],
    sp.gammainc: [(1.5, P), (P + 0.3, positive(4)), Sample((2, 0.7), wrt=(1,))],
    sp.gammaincc: [(1.5, P), (P + 0.3, positive(4))],
    sp.betainc: [(1.5, 2.5, (U + 1) / 2), (P + 0.3, positive(4) + 0.3, (U + 1) / 2)],
    sp.expit: REAL,
    sp.logit: [((U + 1) / 2,)],
    sp.log_expit: REAL,
    sp.xlogy: [(X, P), (X, positive(4)), (2.0, P), Sample((0.0, 0.0), kink=True)],
    sp.xlog1py: [(X, P), (2.0, P)],
    sp.entr: HALF,
    sp.rel_entr: [(P, positive(4))],
    sp.kl_div: [(P, positive(4))],
    sp.boxcox: [(P, unit(4)), (P, 0), (2.0, 1.5)],
    sp.boxcox1p: [(P, unit(4)), (P, 0)],
    sp.inv_boxcox: [(P, 0.5 * unit(4)), (P, 0)],
    sp.huber: [(1.0, 3 * X), (np.array([0.5, 2.0]), 1.0)],
    sp.pseudo_huber: [(1.5, X), (P, X)],
    sp.exprel: [*REAL, (0.0,), (1e-4,)],
    sp.logsumexp: [
        *REDUCED,
        Sample((X, 1), {"keepdims": True}),
        Sample((X, 1), {"b": P}),
        Sample((X, 1), {"b": P[0]}),
        Sample((X[0], 1), {"b": P}),
        Sample((X[0],), {"b": P}),
        Sample((np.array([-np.inf, 0.0]),), kink=True),
    ],
    sp.softmax: REDUCED,
    sp.log_softmax: REDUCED,
    sp.j0: REAL,
    sp.j1: REAL,
    sp.y0: HALF,
    sp.y1: HALF,
    sp.jv: ORDERS,
    sp.yn: ORDERS,
    sp.yv: ORDERS,
    sp.i0: REAL,
    sp.i1: REAL,
    sp.iv: ORDERS,
    sp.i0e: REAL,
    sp.i1e: REAL,
    sp.ive: [*ORDERS, (1, Z), (2, 2.0 - 1.0j)],
    bessel_relatives.scaled_iv: [(1, P, P), (1, Z, np.abs(Z.real))],
    sp.k0: HALF,
    sp.k1: HALF,
    sp.kn: ORDERS,
    sp.kv: [*ORDERS, (1.3, P), (4 * U, P), (-0.4, 0.7)],
    sp.sindg: REAL,
    sp.cosdg: REAL,
    sp.tandg: REAL,
    sp.cosm1: REAL,
    sp.expm1: LINE,
    sp.log1p: HALF,
    sp.exp2: REAL,
    sp.exp10: REAL,
    sp.cbrt: HALF,
    sp.expi: HALF,
    sp.exp1: HALF,
    sp.spence: [(P + 1.5,)],
    sp.lambertw: [(Z + 3,)],
}
