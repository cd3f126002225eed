"""Sample calls of the losses and activation functions of networks."""

import numpy as np
from sample import Sample, apart, normal, positive

from ast_ad.rules.networks import (
    activations as act,
    loss_parts as parts,
    losses as loss,
    margin_losses as margin,
)

X, Y, W = apart(3, 4), normal(3, 4, seed=1), positive(4)
P, Q = positive(3, 4) / 4, positive(3, 4, seed=1) / 3
SIGNS, CLASSES = np.sign(Y), np.array([0, 3, 1])
PLACES, WEIGHTS = np.array([0, 7, 9]), np.array([0.5, 0.0, 2.0])
PIXELS = np.array([[0, 1, 2], [3, 3, -100]])
LISTED = np.array([[0, 2, -1, 1], [3, -1, 0, 0], [-1, 0, 1, 2]])
REDUCTIONS = ("mean", "sum", "none")


def each(*args, wrt=None, **options):
    """``fn(*args)`` for each kind of reduction."""
    return [Sample(args, {**options, "reduction": r}, wrt) for r in REDUCTIONS]


PRIMITIVES = {
    parts.picked: [Sample((X, PLACES), wrt=(0,))],
    parts.placed: [Sample((X, PLACES, W[:3]), wrt=(2,))],
    parts.nll_at: [
        Sample((X, PLACES), wrt=(0,)),
        *[Sample((X, PLACES, W[:3], r), wrt=(0, 2)) for r in REDUCTIONS],
        Sample((X, PLACES, WEIGHTS, "mean"), wrt=(0,)),
    ],
    parts.squared_error: [Sample((X, Y, r), wrt=(0, 1)) for r in REDUCTIONS] + [(X, Y[0])],
    parts.huber_error: [Sample((X, Y, r, 0.7, 2.0)) for r in REDUCTIONS],
    parts.bce: [(P, Q), *[Sample((P, Q, W, r), wrt=(0, 1, 2)) for r in REDUCTIONS]],
    parts.bce_logits: [
        (X, Q),
        Sample((X, Q, None, W), wrt=(0, 1, 3)),
        *[Sample((X, Q, W, W + 1, r), wrt=(0, 1, 2, 3)) for r in REDUCTIONS],
    ],
    parts.soft_margin: [Sample((X, SIGNS, r), wrt=(0, 1)) for r in REDUCTIONS],
    parts.multi_margin: [
        Sample((X, CLASSES), wrt=(0,)),
        *[Sample((X, CLASSES, W[:3], 2, 0.6, r), wrt=(0, 2, 4)) for r in REDUCTIONS],
    ],
    parts.multilabel_margin: [Sample((X, LISTED, r), wrt=(0,)) for r in REDUCTIONS],
    act.gated: [(X,), Sample((X[:2], 0), wrt=(0,))],
}
LOSSES = {
    loss.l1_loss: [*each(X, Y), Sample((X, Y), {"weight": P}, wrt=(0, 1))],
    loss.mse_loss: [*each(X, Y), Sample((X, Y), {"weight": P}, wrt=(0, 1))],
    loss.smooth_l1_loss: [
        *each(X, Y),
        Sample((X, Y), {"beta": 0.5}),
        Sample((X, Y), {"beta": 0.0}, wrt=(0, 1)),
    ],
    loss.huber_loss: [*each(X, Y), Sample((X, Y), {"delta": 0.5, "weight": P}, wrt=(0, 1))],
    loss.nll_loss: [
        *each(X, CLASSES, wrt=(0,)),
        *each(X, CLASSES, W, wrt=(0,), ignore_index=3),
        Sample((normal(2, 4, 3), PIXELS), wrt=(0,)),
        Sample((W, np.array(2)), wrt=(0,)),
    ],
    loss.cross_entropy: [
        *each(X, CLASSES, wrt=(0,)),
        *each(X, CLASSES, W, wrt=(0,), label_smoothing=0.1),
        *each(X, CLASSES, wrt=(0,), ignore_index=3, label_smoothing=0.1),
        *each(X, P),
        *each(X, P, W, wrt=(0, 1)),
        Sample((X, P, W), {"label_smoothing": 0.1}, wrt=(0, 1)),
        Sample((normal(2, 4, 3), PIXELS), wrt=(0,)),
        Sample((normal(2, 4, 3), PIXELS, W), {"label_smoothing": 0.1}, wrt=(0,)),
        Sample((W, np.array(2)), wrt=(0,)),
    ],
    loss.kl_div: [
        *each(X, P),
        Sample((X, P), {"reduction": "batchmean"}),
        Sample((X, Y), {"log_target": True}),
    ],
    loss.binary_cross_entropy: [*each(P, Q), *each(P, Q, W)],
    loss.binary_cross_entropy_with_logits: [*each(X, Q), Sample((X, Q, W), {"pos_weight": W})],
    loss.poisson_nll_loss: [*each(P, 3 * P), Sample((P, 5 * P), {"log_input": False, "full": True}, (0, 1))],
    loss.gaussian_nll_loss: [*each(X, Y, P), Sample((X, Y, P[:, 0]), {"full": True})],
    margin.soft_margin_loss: each(X, SIGNS, wrt=(0,)),
    margin.hinge_embedding_loss: each(X, SIGNS, 1.0, wrt=(0,)),
    margin.margin_ranking_loss: each(X, Y, SIGNS, 0.1, wrt=(0, 1)),
    margin.cosine_embedding_loss: each(X, Y, np.array([1, -1, -1]), 0.1, wrt=(0, 1)),
    margin.triplet_margin_loss: each(X, Y, P, 5.0, wrt=(0, 1, 2), swap=True),
    margin.multi_margin_loss: each(X, CLASSES, 2, 0.6, W, wrt=(0,)),
    margin.multilabel_margin_loss: each(X, LISTED, wrt=(0,)),
    margin.multilabel_soft_margin_loss: each(X, P, W),
}
ACTIVATIONS = {
    **{
        fn: [(X,)]
        for fn in (
            act.relu, act.relu6, act.elu, act.selu, act.celu, act.leaky_relu, act.rrelu, act.gelu, act.silu,
            act.mish, act.softplus, act.logsigmoid, act.hardsigmoid, act.hardswish,
            act.hardshrink, act.softsign, act.tanhshrink, act.glu, act.sigmoid, act.tanh,
        )
    },
    act.prelu: [(X, W)],
    act.threshold: [Sample((X, 0.1, 2.0), wrt=(0, 2))],
    act.hardtanh: [(X,), Sample((X, -0.7, 0.8))],
    act.softshrink: [(X,), Sample((X, 0.3))],
    **{fn: [Sample((X, 1), wrt=(0,)), (X,)] for fn in (act.softmax, act.softmin, act.log_softmax)},
}  # fmt: skip

SAMPLES = {**PRIMITIVES, **LOSSES, **ACTIVATIONS}
