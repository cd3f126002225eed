"""Sample calls of loss functions."""

import numpy as np
from sample import Sample, normal, positive

from ast_ad.rules.torch import losses as loss

X, Y = normal(3, 4), normal(3, 4, seed=1)
P = positive(3, 4) / 4
SIGNS = np.sign(Y)
REDUCTIONS = ("mean", "sum", "none")


def each(*args, wrt=None):
    """``fn(*args, reduction)`` for each kind of reduction."""
    return [Sample(args, {"reduction": r}, wrt) for r in REDUCTIONS]


SAMPLES = {
    loss.l1_loss: each(X, Y),
    loss.pseudo_huber: [Sample((X, 0.7), wrt=(0,))],
    loss.kl_div: [*each(X, P), Sample((X, P, "batchmean")), Sample((X, Y, "mean", True))],
    loss.poisson_nll_loss: [
        *each(P, 3 * P, wrt=(0, 1)),
        Sample((P, 5 * P), {"log_input": False, "full": True}, (0, 1)),
    ],
    loss.gaussian_nll_loss: [*each(X, Y, P), Sample((X, Y, P, True))],
    loss.hinge_embedding_loss: each(X, SIGNS, 1.0, wrt=(0,)),
    loss.margin_ranking_loss: each(X, Y, np.sign(normal(3, 4, seed=3)), 0.1, wrt=(0, 1)),
    loss.triplet_margin_loss: [
        *each(X, Y, normal(3, 4, seed=3)),
        Sample((X, Y, normal(3, 4, seed=3)), {"swap": True}),
    ],
}
