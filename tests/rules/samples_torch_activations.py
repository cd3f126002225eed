"""Sample calls of the activation functions and the special functions that NumPy has not."""

import numpy as np
from sample import Sample, normal, positive, unit

from ast_ad.rules.torch import activations as a, special as s

# no element is at a kink, all of which are at multiples of 0.1
X, V = np.round(2 * normal(3, 4), 1) + 0.05, np.round(normal(5), 1) + 0.05
NUMBER, EMPTY = np.array(0.7), np.zeros((0, 3))
BORDERS = np.array([-6.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0, np.nan])


def unary(*options):
    """``fn(x, *options)`` at several ``x``; only ``x`` has a derivative."""
    cases = [Sample((x, *options), wrt=(0,)) for x in (X, V, NUMBER, EMPTY)]
    return [*cases, Sample((BORDERS, *options), wrt=(0,), kink=True)]


SAMPLES = {
    a.relu: unary(),
    a.where_positive: [(normal(3, 4), X), (NUMBER, NUMBER), (normal(5), V), (normal(3, 1), X)],
    a.leaky_relu: [*unary(), *unary(0.2), Sample((X, normal(3, 1)))],
    a.leak: [Sample((X, normal(3, 4), 0.2), wrt=(1, 2)), Sample((X, normal(3, 4), normal(3, 1)), wrt=(1, 2))],
    a.prelu: [(X, positive(4)), (normal(2, 3, 4), positive(3)), (V, positive(1)), (V, NUMBER)],
    a.threshold: unary(0.1, 7.0),
    a.hardtanh: [*unary(), *unary(-2.0, 0.3)],
    a.hardsigmoid: unary(),
    a.hardswish: unary(),
    a.hardshrink: unary(0.3),
    a.softshrink: unary(0.3),
    a.sigmoid: unary(),
    a.logsigmoid: unary(),
    a.softplus: [*unary(), *unary(2.0, 1.5)],
    a.silu: unary(),
    a.mish: unary(),
    a.gelu: [*unary(), *unary("tanh")],
    a.normal_cdf: unary(),
    a.elu: [*unary(), *unary(0.3), *unary(0.3, 1.5, 2.0)],
    a.selu: unary(),
    a.celu: [*unary(), *unary(0.4)],
    a.softsign: unary(),
    a.tanhshrink: unary(),
    s.erf: [(X,), (NUMBER,), (EMPTY,)],
    s.erfc: [(X,), (NUMBER,), (EMPTY,)],
    s.erfinv: [(unit(3, 4),), (np.array(0.3),)],
    s.lgamma: [(positive(3, 4),), (np.array([-0.4, -1.6, 7.0, 30.0]),)],
    s.digamma: [(positive(3, 4),), (np.array([-0.4, -1.6, 7.0, 30.0]),)],
    s.rsqrt: [(positive(3, 4),), (NUMBER,)],
    s.logit: [(0.5 + unit(4) / 2,), Sample((0.5 + unit(8) / 2, 0.2), wrt=(0,))],
    s.xlogy: [(X, positive(4)), (np.array([0.0, 1.0]), positive(2))],
    s.xlog1py: [(X, positive(4)), (np.array([0.0, 1.0]), positive(2))],
}
