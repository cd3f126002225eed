"""Sample calls of loss functions."""

import numpy as np
from sample import Sample, normal, positive

from ast_ad.rules import torch_losses as loss

X, Y, W = normal(3, 4), normal(3, 4, seed=1), positive(4)
P = positive(3, 4) / 4
SIGNS, CLASSES = np.sign(Y), np.array([0, 3, 1])
PIXELS = normal(2, 4, 3), np.array([[0, 1, 2], [3, 3, -100]])
REDUCTIONS = ("mean", "sum", "none")


def each(*args, wrt=None):
    """``fn(*args, reduction)`` for each kind of reduction."""
    return [Sample(args, {"reduction": r}, wrt) for r in REDUCTIONS]


def classified():
    cases = [(X, CLASSES), (X, CLASSES, W), (X, CLASSES, W, 3), (normal(4), np.array(2)), PIXELS]
    return [case for args in cases for case in each(*args, wrt=(0,))]


SAMPLES = {
    loss.mse_loss: each(X, Y),
    loss.l1_loss: each(X, Y),
    loss.smooth_l1_loss: [
        *each(X, Y),
        Sample((X, Y, "sum", 0.0), wrt=(0, 1)),
        Sample((X, Y, "sum", 0.5), wrt=(0, 1)),
    ],
    loss.huber_loss: [*each(X, Y), Sample((X, Y, "sum", 0.5), wrt=(0, 1))],
    loss.pseudo_huber: [Sample((X, 0.7), wrt=(0,))],
    loss.nll_loss: classified(),
    loss.cross_entropy: [
        *classified(),
        *each(X, P),
        *each(X, P, W, wrt=(0, 1)),
        *each(X, CLASSES, W, 3, wrt=(0,)),
        *[Sample((X, CLASSES, None, 3, r, 0.1), wrt=(0,)) for r in REDUCTIONS],
        Sample((X, P, W, -100, "mean", 0.1), wrt=(0, 1)),
    ],
    loss.kl_div: [*each(X, P), Sample((X, P, "batchmean")), Sample((X, Y, "mean", True))],
    loss.cross_entropies: [(P, positive(3, 4) / 3)],
    loss.binary_cross_entropy: [*each(P, positive(3, 4) / 3), *each(P, P.T[:1].T, W)],
    loss.binary_cross_entropy_with_logits: [
        *each(9 * X, P),
        Sample((X, P, W), {"pos_weight": W}),
    ],
    loss.poisson_nll_loss: [
        *each(P, 3 * P, wrt=(0, 1)),
        Sample((P, 5 * P), {"log_input": False, "full": True}, (0, 1)),
    ],
    loss.gaussian_nll_loss: [*each(X, Y, P), Sample((X, Y, P, True))],
    loss.soft_margin_loss: each(X, SIGNS, wrt=(0,)),
    loss.hinge_embedding_loss: each(X, SIGNS, 1.0, wrt=(0,)),
    loss.margin_ranking_loss: each(X, Y, np.sign(normal(3, 4, seed=3)), 0.1, wrt=(0, 1)),
    loss.cosine_embedding_loss: each(X, Y, np.array([1, -1, -1]), 0.1, wrt=(0, 1)),
    loss.triplet_margin_loss: [
        *each(X, Y, normal(3, 4, seed=3)),
        Sample((X, Y, normal(3, 4, seed=3)), {"swap": True}),
    ],
}
