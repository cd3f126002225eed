"""Which calls of linear layers, activation functions, losses and embeddings are compared with PyTorch?

A case is (function, arguments, options); arrays become tensors, those of floats that require grad. Each runs
with the float64 numbers of the case; its result, the gradients for a fixed cotangent and the graph's names
are compared.
"""

import numpy as np

POINTS = np.array(
    [
        [-np.inf, -1e30, -100.0, -20.5, -6.0, -3.5, -3.0, -2.0, -1.0, -0.5],
        [-0.25, -0.0, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 3.5, 6.0],
        [7.0, 20.5, 100.0, 1e30, np.inf, np.nan, 0.1, -0.1, 1e-30, -1e-30],
    ]
)


def normal(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).normal(size=shape).round(3)


def unit(*shape, seed=0):
    return np.random.default_rng([seed, *shape]).uniform(0.05, 0.95, shape).round(3)


ACTIVATIONS = [
    ("relu", {}), ("relu6", {}), ("elu", {}), ("elu", {"alpha": 0.5}), ("selu", {}), ("celu", {"alpha": 2.0}),
    ("leaky_relu", {}), ("leaky_relu", {"negative_slope": -0.5}), ("rrelu", {}), ("gelu", {}),
    ("gelu", {"approximate": "tanh"}), ("silu", {}), ("mish", {}), ("softplus", {}),
    ("softplus", {"beta": 2.0, "threshold": 3.0}), ("logsigmoid", {}), ("hardtanh", {}),
    ("hardtanh", {"min_val": -3.0, "max_val": 0.5}), ("hardswish", {}), ("hardshrink", {}),
    ("softshrink", {}),
    ("softsign", {}), ("tanhshrink", {}), ("threshold", {"threshold": 0.1, "value": 20.0}), ("glu", {}),
    ("sigmoid", {}), ("tanh", {}), ("softmax", {"dim": 1}), ("softmax", {"dim": 0}), ("softmin", {"dim": 1}),
    ("log_softmax", {"dim": 1}),
]  # fmt: skip
IN_PLACE = ["relu", "relu6", "elu", "selu", "celu", "leaky_relu", "rrelu", "silu", "mish", "hardtanh",
            "hardswish"]  # fmt: skip

X, Y, SIGNS = normal(3, 4), normal(3, 4, seed=1), np.sign(normal(3, 4, seed=2))
SURE = np.array([0.0, 1.0, 1.0])
CONSTANT = (id(SIGNS), id(SURE))  # targets by which PyTorch has no derivative, or an infinite one
P, Q, W = unit(3, 4), unit(3, 4, seed=1), unit(4)
CLASSES, IMAGE = np.array([0, 3, 1]), normal(2, 4, 2, 3)
PIXELS = np.array([[[0, 1, 2], [3, 1, 0]], [[2, 1, -100], [0, 0, 3]]])


def reductions(name, args, **options):
    return [(name, args, {**options, "reduction": r}) for r in ("mean", "sum", "none")]


LOSSES = [
    *reductions("mse_loss", [X, Y]), *reductions("l1_loss", [X, Y]), *reductions("smooth_l1_loss", [X, Y]),
    *reductions("huber_loss", [X, Y], delta=0.5), *reductions("smooth_l1_loss", [X, Y], beta=0.3),
    ("mse_loss", [X, Y[0]], {}), ("smooth_l1_loss", [X, Y], {"beta": 0.0}),
    ("l1_loss", [X, Y], {"weight": P}),
    ("mse_loss", [X, Y], {"weight": P}), ("huber_loss", [X, Y], {"weight": P}),
    *reductions("nll_loss", [X, CLASSES]), *reductions("nll_loss", [X, CLASSES], weight=W, ignore_index=3),
    *reductions("nll_loss", [IMAGE, PIXELS]),
    *reductions("nll_loss", [IMAGE[:, :, 0], PIXELS[:, 0]], weight=W),
    ("nll_loss", [X[0], np.array(2)], {}), ("nll_loss", [X, np.array([-100, -100, -100])], {}),
    *reductions("cross_entropy", [X, CLASSES]), *reductions("cross_entropy", [IMAGE, PIXELS]),
    *reductions("cross_entropy", [X, CLASSES], weight=W, label_smoothing=0.1, ignore_index=3),
    *reductions("cross_entropy", [X, P]), *reductions("cross_entropy", [X, P], weight=W, label_smoothing=0.1),
    ("cross_entropy", [X, CLASSES], {"label_smoothing": 0.2}), ("cross_entropy", [X[0], np.array(1)], {}),
    *reductions("binary_cross_entropy", [P, Q]), ("binary_cross_entropy", [P, Q], {"weight": W}),
    ("binary_cross_entropy", [np.array([0.0, 1.0, 0.5]), SURE], {}),
    *reductions("binary_cross_entropy_with_logits", [X, Q]),
    *reductions("binary_cross_entropy_with_logits", [X, Q], weight=W, pos_weight=W + 1),
    ("binary_cross_entropy_with_logits", [np.array([1e3, -1e3, 50.0]), np.array([0.0, 1.0, 1.0])], {}),
    *reductions("kl_div", [X, P]), ("kl_div", [X, P], {"reduction": "batchmean"}),
    ("kl_div", [X, Y], {"log_target": True}), ("kl_div", [X, (P > 0.5) * 1.0], {}),
    *reductions("poisson_nll_loss", [X, 3 * P]),
    ("poisson_nll_loss", [P, np.floor(4 * Q)], {"log_input": False, "full": True}),
    *reductions("gaussian_nll_loss", [X, Y, P]), ("gaussian_nll_loss", [X, Y, P[:, :1]], {"full": True}),
    ("gaussian_nll_loss", [X, Y, P[:, 0]], {}),
    *reductions("soft_margin_loss", [X, SIGNS]), *reductions("hinge_embedding_loss", [X, SIGNS]),
    ("hinge_embedding_loss", [X, np.floor(Y)], {"margin": 0.5}),
    *reductions("margin_ranking_loss", [X, Y, SIGNS], margin=0.1),
    *reductions("cosine_embedding_loss", [X, Y, SIGNS[:, 0]], margin=0.1),
    ("cosine_embedding_loss", [X[0], Y[0], np.array(-1.0)], {"margin": -0.9}),
    *reductions("triplet_margin_loss", [X, Y, P], margin=2.0),
    ("triplet_margin_loss", [X, Y, P], {"p": 3.0, "eps": 0.1, "swap": True}),
    ("triplet_margin_with_distance_loss", [X, Y, P], {"swap": True}),
    *reductions("multi_margin_loss", [X, CLASSES]),
    ("multi_margin_loss", [X, CLASSES], {"p": 2, "margin": 0.6, "weight": W}),
    ("multi_margin_loss", [X[0], np.array(1)], {"p": 2}),
    *reductions("multilabel_margin_loss", [X, np.array([[0, 2, -1, 1], [3, -1, 0, 0], [-1, 0, 1, 2]])]),
    *reductions("multilabel_soft_margin_loss", [X, P], weight=W),
]  # fmt: skip

STEPS = normal(6, 2, 4)
TABLE, INDEX = normal(5, 3), np.array([1, 3, 1, 4, 0])
BAGS, PAIRS = np.array([0, 0, 2]), np.array([[1, 3], [1, 4], [0, 0]])
LAYERS = [
    *[("linear", [x, normal(5, 4)], {}) for x in (X, X[0], normal(2, 3, 4))],
    *[("linear", [x, normal(5, 4), normal(5)], {}) for x in (X, X[0], normal(2, 3, 4))],
    ("linear", [X, normal(4)], {}), ("bilinear", [X, normal(3, 5), normal(2, 4, 5), normal(2)], {}),
    ("prelu", [X, W], {}), ("prelu", [X, W[:1]], {}), ("prelu", [IMAGE, W], {}),
    ("embedding", [INDEX, TABLE], {}), ("embedding", [PAIRS, TABLE], {"padding_idx": 1}),
    ("embedding", [INDEX, TABLE], {"scale_grad_by_freq": True, "padding_idx": -1}),
    ("embedding", [INDEX, TABLE], {"max_norm": 0.7}),
    *[("embedding_bag", [INDEX, TABLE, BAGS], {"mode": m}) for m in ("sum", "mean", "max")],
    *[("embedding_bag", [PAIRS, TABLE], {"mode": m, "padding_idx": 1}) for m in ("sum", "mean", "max")],
    ("embedding_bag", [INDEX, TABLE, np.array([0, 2, 5])], {"mode": "sum", "include_last_offset": True}),
    ("embedding_bag", [INDEX, TABLE, BAGS], {"mode": "sum", "per_sample_weights": unit(5)}),
    ("normalize", [X], {}), ("normalize", [X], {"p": 3.0, "dim": 0}), ("normalize", [0 * X], {}),
    ("pairwise_distance", [X, Y], {}), ("pairwise_distance", [X, Y], {"p": 1.0, "eps": 0.1, "keepdim": True}),
    ("cosine_similarity", [X, Y], {}), ("cosine_similarity", [X, 0 * Y], {"dim": 0}),
    ("pdist", [X], {}), ("pdist", [X], {"p": 1.0}),
]  # fmt: skip

CASES = [*[(name, [POINTS], options) for name, options in ACTIVATIONS], *LOSSES, *LAYERS]

# Not compared: PyTorch adds exp(log_probs) to the gradient of ctc_loss, which the log_softmax takes away.
ALIGNED = reductions("ctc_loss", [STEPS, np.array([[1, 1], [2, 3]]), np.array([6, 5]), np.array([2, 1])])


def tensors(torch, args, options):
    """The arguments of a case as tensors."""

    def tensor(value):
        if not isinstance(value, np.ndarray):
            return value
        return torch.tensor(value).requires_grad_(value.dtype.kind == "f" and id(value) not in CONSTANT)

    return [tensor(a) for a in args], {
        k: torch.tensor(v) if isinstance(v, np.ndarray) else v for k, v in options.items()
    }


def listed(array):
    """An array as a flat list of numbers, to 10 digits; those that are not finite as text."""
    numbers = np.asarray(array, float).ravel().tolist()
    return [float(f"{v:.10g}") if np.isfinite(v) else str(v) for v in numbers]


def array_of(numbers):
    return np.array([float(v) for v in numbers])


def cotangent(shape):
    return np.asarray(unit(*shape, seed=9)) if shape else np.array(0.5)


def outcome(torch, name, args, options, inplace=False):
    """The result, the gradients, and the names along the first path of the graph."""
    given, how = tensors(torch, args, options)
    used = given
    if inplace:
        used, how = [given[0] * 1, *given[1:]], {**how, "inplace": True}
    if name == "ctc_loss":
        used = [given[0].log_softmax(2), *given[1:]]
    out = getattr(torch.nn.functional, name)(*used, **how)
    out.backward(torch.tensor(cotangent(tuple(out.shape))))
    grads = [t.grad for t in given if t.requires_grad]
    return {
        "shape": list(out.shape),
        "value": listed(out.detach().numpy()),
        "grads": [None if g is None else listed(g.numpy()) for g in grads],
        "node": type(out.grad_fn).__name__,
    }


def key(name, args, options, inplace=False):
    shapes = " ".join(str(list(np.shape(a))) for a in args)
    shapes += f" from {np.ravel(args[0])[0]:g}"
    texts = [f"{k}={'array' if isinstance(v, np.ndarray) else v}" for k, v in options.items()]
    return " ".join([name, shapes, *texts, *(["inplace"] if inplace else [])])
