"""What do layers and losses say? Representations of modules, errors and warnings, each as text."""

import warnings

from tests.torch.nn.behaviours import told

PLAIN = """Sigmoid Tanh GLU GELU Hardshrink LogSigmoid Softplus Softshrink PReLU Softsign Tanhshrink Softmin
Softmax Softmax2d LogSoftmax L1Loss MSELoss SmoothL1Loss HuberLoss NLLLoss NLLLoss2d CrossEntropyLoss BCELoss
BCEWithLogitsLoss MultiMarginLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss KLDivLoss PoissonNLLLoss
GaussianNLLLoss CTCLoss SoftMarginLoss HingeEmbeddingLoss CosineEmbeddingLoss MarginRankingLoss
TripletMarginLoss TripletMarginWithDistanceLoss PairwiseDistance CosineSimilarity Identity""".split()
CHANGING = """ReLU RReLU ReLU6 SELU SiLU Mish Hardswish Hardsigmoid ELU CELU LeakyReLU Hardtanh Dropout
Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout""".split()


def representations(torch):
    nn = torch.nn
    for name in PLAIN:
        yield name, lambda name=name: getattr(nn, name)()
    for name in CHANGING:
        yield name, lambda name=name: (getattr(nn, name)(), getattr(nn, name)(inplace=True))
    yield "Linear", lambda: (nn.Linear(3, 2), nn.Linear(3, 2, bias=False), nn.Bilinear(1, 2, 3, False))
    yield "Threshold", lambda: (nn.Threshold(0.1, 20), nn.Threshold(0.1, 20, True), nn.GELU("tanh"))
    yield (
        "options",
        lambda: (nn.Softmax(1), nn.Softplus(2, 3), nn.ELU(0.5), nn.Hardtanh(-2, 3), nn.Dropout(0.3)),
    )
    yield "Embedding", lambda: (nn.Embedding(4, 3, -1), nn.Embedding(4, 3, None, 1.0, 1.0, True, True))
    yield "EmbeddingBag", lambda: (nn.EmbeddingBag(4, 3), nn.EmbeddingBag(4, 3, 2.0, 1.0, True, "sum", True))
    yield "pretrained", lambda: nn.Embedding.from_pretrained(torch.ones(2, 3)).weight
    yield "state of a loss", lambda: nn.CrossEntropyLoss(weight=torch.ones(2)).state_dict()
    yield "state of weights", lambda: [list(nn.BCEWithLogitsLoss(pos_weight=torch.ones(1)).state_dict())]
    wrong = [("Embedding", (4, 3, 5)), ("MultiMarginLoss", (3,)), ("Dropout", (-1.0,))]
    wrong += [("TripletMarginLoss", (0.0,)), ("Hardtanh", (1.0, 1.0)), ("Bilinear", (0, 1, 1))]
    for name, args in wrong:
        yield f"wrong {name}", lambda name=name, args=args: getattr(nn, name)(*args)
    yield "wrong table", lambda: nn.Embedding(4, 3, _weight=torch.ones(3, 3))
    yield "wrong pretrained", lambda: nn.EmbeddingBag.from_pretrained(torch.ones(3))
    yield "older arguments", lambda: nn.MSELoss(size_average=False).reduction
    yield "older names", lambda: nn.Hardtanh(min_value=-2, max_value=3)
    yield "kinds", lambda: (isinstance(nn.CELU(), nn.ELU), isinstance(nn.ReLU6(), nn.Hardtanh))


def layers(torch):
    F, ones, zeros = torch.nn.functional, torch.ones, torch.zeros
    for shapes in (((3, 4), (5, 6), (5,)), ((3, 4), (5, 6)), ((2, 3, 4), (5, 6), (5,)), ((4,), (5, 6)),
                   ((3, 4), (5, 4), (6,)), ((), (5, 4)), ((3, 4), (4,), (1,))):  # fmt: skip
        yield f"linear {shapes}", lambda shapes=shapes: F.linear(*[ones(s) for s in shapes])
    yield "linear dtypes", lambda: F.linear(ones(3, 4), ones(5, 4).double(), ones(5).double())
    yield "linear no bias", lambda: F.linear(ones(3, 4), ones(5, 4).double())
    yield "linear bias", lambda: F.linear(ones(3, 4), ones(5, 4), ones(5).double())
    yield "linear of a number", lambda: torch.nn.Linear(3, 2)(3)
    yield "bilinear", lambda: F.bilinear(ones(3, 4), ones(3, 4), ones(2, 4, 5))
    yield "bilinear rows", lambda: F.bilinear(ones(3, 4), ones(2, 4), ones(2, 4, 4))
    yield "bilinear bias", lambda: F.bilinear(ones(3, 4), ones(3, 4), ones(2, 4, 4), ones(3))
    for (
        name
    ) in "elu selu celu leaky_relu gelu silu mish softplus hardsigmoid hardswish softshrink rrelu".split():
        yield f"{name} of integers", lambda name=name: getattr(F, name)(ones(2).long())
    yield "relu of booleans", lambda: F.relu(ones(2).bool())
    yield "relu in a leaf", lambda: F.relu(ones(2, requires_grad=True), inplace=True)
    yield "glu", lambda: F.glu(ones(3, 3))
    yield "glu of a number", lambda: F.glu(torch.tensor(1.0))
    yield "gelu", lambda: F.gelu(ones(2), approximate="foo")
    yield "hardtanh", lambda: F.hardtanh(ones(2), 3.0, 1.0)
    yield "softshrink", lambda: F.softshrink(ones(2), -1.0)
    yield "rrelu", lambda: F.rrelu(ones(2), 0.5, 0.2)
    yield "prelu", lambda: F.prelu(ones(3, 4), ones(3))
    yield "softmax of integers", lambda: (F.softmax(ones(2).long(), 0), 1)
    yield "softmax without dim", lambda: F.softmax(zeros(2, 2))
    yield "softmax dim", lambda: F.log_softmax(zeros(2, 2), 2)
    yield "softmax2d", lambda: torch.nn.Softmax2d()(ones(2))
    yield "dropout", lambda: F.dropout(ones(2), -1.0)
    yield "dropout of integers", lambda: F.dropout(ones(2).long())
    for name in ("dropout1d", "dropout2d", "dropout3d"):
        for rank in range(1, 6):
            yield (
                f"{name} {rank}",
                lambda name=name, rank=rank: getattr(F, name)(ones((1,) * rank), 1.0).shape,
            )
    yield "feature_alpha_dropout", lambda: F.feature_alpha_dropout(ones(2), 0.5, True)


def embeddings(torch):
    F, t, table = torch.nn.functional, torch.tensor, torch.arange(12.0).view(4, 3)
    for index in ([4], [-1], [1.0]):
        yield f"embedding {index}", lambda index=index: F.embedding(t(index), table)
    yield "embedding of a vector", lambda: F.embedding(t([1]), table[0])
    yield "padding", lambda: F.embedding(t([1]), table, padding_idx=4)
    yield "bag none", lambda: F.embedding_bag(t([1, 2]), table)
    yield "bag of rows with offsets", lambda: F.embedding_bag(t([[1, 2]]), table, None, mode="foo")
    yield "bag offset", lambda: F.embedding_bag(t([1, 2]), table, t([0, 5]))
    yield "bag weights", lambda: F.embedding_bag(t([1]), table, t([0]), per_sample_weights=torch.ones(1))
    yield (
        "bag shape",
        lambda: F.embedding_bag(t([1]), table, t([0]), mode="sum", per_sample_weights=torch.ones(3)),
    )
    yield "bag rank", lambda: F.embedding_bag(torch.zeros(1, 2, 3).long(), table)
    yield "bag row", lambda: F.embedding_bag(t([1, 9]), table, t([0]))
    yield "bag scaled", lambda: F.embedding_bag(t([1]), table, t([0]), mode="max", scale_grad_by_freq=True)
    yield "bag empty", lambda: F.embedding_bag(t([1, 2]), table, t([0, 0, 2]), mode="max")
    yield "bag swapped", lambda: F.embedding_bag(table, t([1, 2]), t([0]))
    for classes, n in (([0, 2], -1), ([0, 2], 5), ([0, -1], -1), ([0, 2], 2), ([0.0], -1), ([0, 1], 0)):
        yield f"one_hot {classes} {n}", lambda classes=classes, n=n: F.one_hot(t(classes), n)
    yield "pdist", lambda: F.pdist(torch.ones(2))


def losses(torch):
    F, z, t = torch.nn.functional, torch.zeros, torch.tensor
    x, y = z(3, 4), z(3, 4)
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        yield f"{name} sizes", lambda name=name: getattr(F, name)(x, z(4))
        yield f"{name} shapes", lambda name=name: getattr(F, name)(x, z(5))
        yield f"{name} reduction", lambda name=name: getattr(F, name)(x, y, reduction="foo")
    yield "size_average", lambda: F.mse_loss(x, y, size_average=False)
    yield "reduce", lambda: F.mse_loss(x, y, reduce=False).shape
    yield "mse of integers", lambda: F.mse_loss(x.long(), y.long())
    yield "mse weight", lambda: F.mse_loss(x, y, weight=z(4))
    yield "mse dtypes", lambda: F.mse_loss(x, y.double()).dtype
    yield "beta", lambda: F.smooth_l1_loss(x, y, beta=-1.0)
    yield "delta", lambda: F.huber_loss(x, y, delta=0.0)
    for name in ("nll_loss", "cross_entropy"):
        for target in ([0, 1], [0, 1, 4], [0, -1, 3], [0.0, 1.0, 3.0]):
            yield f"{name} {target}", lambda n=name, target=target: getattr(F, n)(x, t(target))
        yield f"{name} weight", lambda name=name: getattr(F, name)(x, t([0, 1, 3]), weight=z(3))
        yield f"{name} images", lambda name=name: getattr(F, name)(z(2, 3, 4, 5), z(2, 4, 6).long())
        yield f"{name} rows", lambda name=name: getattr(F, name)(z(2, 3, 4), z(2, 5).long())
        yield f"{name} 1d", lambda name=name: getattr(F, name)(x[0], t([0, 1, 3]))
        yield f"{name} empty", lambda name=name: getattr(F, name)(z(0, 4), z(0).long())
        yield f"{name} list", lambda name=name: getattr(F, name)(x, [1])
    yield "smoothing", lambda: F.cross_entropy(x, t([0, 1, 3]), label_smoothing=1.5)
    yield "soft ignored", lambda: F.cross_entropy(x, y, ignore_index=2)
    yield "soft integers", lambda: F.cross_entropy(x, y.long())
    yield "soft weight", lambda: F.cross_entropy(x, y, weight=z(3))
    yield "soft shape", lambda: F.cross_entropy(x, z(3, 5))
    yield "bce shape", lambda: F.binary_cross_entropy(x, z(4))
    yield "bce range", lambda: F.binary_cross_entropy(x + 2, y)
    yield "bce target", lambda: F.binary_cross_entropy(x, y - 1)
    yield "bce dtypes", lambda: F.binary_cross_entropy(x, y.double())
    yield "logits shape", lambda: F.binary_cross_entropy_with_logits(x, z(4))
    yield "logits weight", lambda: F.binary_cross_entropy_with_logits(x, y, pos_weight=z(3))
    yield "kl mean", lambda: F.kl_div(x, y)
    yield "variance", lambda: F.gaussian_nll_loss(x, y, z(3, 4) - 1)
    yield "variance shape", lambda: F.gaussian_nll_loss(x, y, z(3, 5))
    yield "variance reduction", lambda: F.gaussian_nll_loss(x, y, z(3), reduction="foo")
    yield "ranks", lambda: F.margin_ranking_loss(x, y, z(4))
    yield "cosine matrix", lambda: F.cosine_embedding_loss(x, y, z(3, 4))
    yield "cosine vectors", lambda: F.cosine_embedding_loss(x[0], y[0], z(2))
    yield "triplet", lambda: F.triplet_margin_loss(x, y, x, margin=-1.0)
    yield "triplet ranks", lambda: F.triplet_margin_loss(x, y[0], x)
    yield "triplet reduction", lambda: F.triplet_margin_with_distance_loss(x, y, x, reduction="foo")
    yield "power", lambda: F.multi_margin_loss(x, t([0, 1, 2]), p=3)
    yield "margin weight", lambda: F.multi_margin_loss(x, t([0, 1, 2]), weight=z(3))
    yield "margin target", lambda: F.multi_margin_loss(x, t([0, 1, 2, 3]))
    yield "margin class", lambda: F.multi_margin_loss(x, t([0, 1, 4]))
    yield "labels shape", lambda: F.multilabel_margin_loss(x, t([0, 1, 3]))
    yield "labels class", lambda: F.multilabel_margin_loss(x, y.long() + 5)
    yield "labels type", lambda: F.multilabel_margin_loss(x, y)
    yield "multilabel reduction", lambda: F.multilabel_soft_margin_loss(x, y, reduction="foo")


def outcome(torch):
    """By label: the text of the result or error, and those of the warnings before it."""
    found = {}
    for group in (representations, layers, embeddings, losses):
        for label, run in group(torch):
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                text = told(run)
            found[f"{group.__name__}: {label}"] = [
                text,
                *[f"{w.category.__name__}: {w.message}" for w in warned],
            ]
    return found
