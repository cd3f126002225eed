"""Are compiled functions that call ``nn.functional`` on arrays differentiated right, by either backend?"""

from importlib.util import find_spec

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.nn.functional as F

rng = np.random.default_rng(0)
X, Y, CLASSES = rng.normal(size=(6, 5)), rng.normal(size=(6, 3)), np.array([0, 2, 1, 1, 0, 2])
WORDS = np.array([[0, 2, 1], [3, 3, 1]])
PARAMETERS = {
    "w1": rng.normal(size=(4, 5)),
    "b1": rng.normal(size=4),
    "w2": rng.normal(size=(3, 4)),
    "b2": rng.normal(size=3),
    "slope": np.array([0.3]),
    "table": rng.normal(size=(4, 3)),
    "bilinear": rng.normal(size=(2, 5, 3)),
}


def hidden(p):
    return F.linear(X, p["w1"], p["b1"])


def scores(p):
    return F.linear(F.relu(hidden(p)), p["w2"], p["b2"])


def classifier(p):
    return F.cross_entropy(scores(p), CLASSES)


def weighted_classifier(p):
    return F.cross_entropy(scores(p), CLASSES, weight=np.array([1.0, 2.0, 0.5]), label_smoothing=0.1)


def ignoring_classifier(p):
    return F.nll_loss(F.log_softmax(scores(p), dim=1), CLASSES, ignore_index=2, reduction="sum")


def distribution(p):
    return F.kl_div(F.log_softmax(scores(p), dim=1), F.softmax(Y, dim=1), reduction="batchmean")


def soft_classifier(p):
    return F.cross_entropy(scores(p), F.softmax(Y, dim=-1), reduction="sum")


def regression(p):
    return F.mse_loss(F.dropout(F.gelu(scores(p)), 0.5, training=False), Y)


def robust_regression(p):
    return (
        F.smooth_l1_loss(scores(p), Y, beta=0.5)
        + F.huber_loss(scores(p), Y, delta=0.5)
        + F.l1_loss(scores(p), Y)
    )


def many_activations(p):
    h = hidden(p)
    out = F.silu(h) + F.elu(h, 0.5) + F.leaky_relu(h, negative_slope=0.2) + F.softplus(h) + F.mish(h)
    out = out + F.hardswish(h) + F.tanhshrink(h) + F.selu(h) + F.prelu(h, p["slope"]) + F.logsigmoid(h)
    return np.sum(F.glu(out, dim=1) ** 2) + np.sum(F.softmin(out, dim=0)[0] * F.sigmoid(out))


def binary(p):
    labels = (Y > 0) * 1.0
    first = F.binary_cross_entropy_with_logits(scores(p), labels, pos_weight=np.array([1.0, 2.0, 3.0]))
    return (
        first
        + F.binary_cross_entropy(F.sigmoid(scores(p)), labels)
        + F.soft_margin_loss(scores(p), np.sign(Y))
    )


def margins(p):
    h = scores(p)
    first = F.multi_margin_loss(h, CLASSES, p=2) + F.triplet_margin_loss(h, Y, X[:, :3], swap=True)
    return first + F.cosine_embedding_loss(h, Y, np.sign(Y[:, 0])) + F.hinge_embedding_loss(h, np.sign(Y))


def words(p):
    rows = F.embedding(WORDS, p["table"], padding_idx=0)
    bags = F.embedding_bag(WORDS, p["table"], mode="mean")
    return np.sum(rows**2) + np.sum(F.normalize(bags) * bags)


def distances(p):
    pairs = F.bilinear(X, Y, p["bilinear"])
    near = np.sum(F.pairwise_distance(scores(p), Y)) + np.sum(F.cosine_similarity(scores(p), Y))
    return near + np.sum(pairs**2) + np.sum(F.pdist(scores(p)))


def aligned(p):
    log_probs = F.log_softmax(np.reshape(scores(p), (6, 1, 3)), dim=2)
    return F.ctc_loss(log_probs, np.array([[1, 2]]), np.array([6]), np.array([2]))


PROGRAMS = [
    classifier, weighted_classifier, ignoring_classifier, distribution, soft_classifier, regression,
    robust_regression, many_activations, binary, margins, words, distances, aligned,
]  # fmt: skip
BACKENDS = [
    "numpy",
    pytest.param("numba", marks=pytest.mark.skipif(not find_spec("numba"), reason="without Numba")),
]


@pytest.mark.drawn(of=14)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients(program, backend):
    run = ast_ad.value_and_grad(program, backend=backend, fallback="error")
    value, grads = run(PARAMETERS)
    np.testing.assert_allclose(value, program(PARAMETERS))
    for name, v in PARAMETERS.items():
        direction = np.random.default_rng(1).normal(size=v.shape)
        if program is words:  # the padding's row moves the value, but gets no gradient through `embedding`
            direction[0] = 0
        ahead, behind = (program({**PARAMETERS, name: v + h * direction}) for h in (1e-6, -1e-6))
        expected = (ahead - behind) / 2e-6
        np.testing.assert_allclose(np.sum(grads[name] * direction), expected, rtol=1e-5, atol=1e-6)
        assert grads[name].shape == v.shape


@pytest.mark.parametrize("program", [classifier, regression])
def test_single_precision(program):
    single = {k: v.astype(np.float32) for k, v in PARAMETERS.items()}
    globals_of = program.__globals__
    kept = globals_of["X"], globals_of["Y"]
    globals_of["X"], globals_of["Y"] = (a.astype(np.float32) for a in kept)
    try:
        value, grads = ast_ad.value_and_grad(program, fallback="error")(single)
    finally:
        globals_of["X"], globals_of["Y"] = kept
    assert value.dtype == np.float32
    assert {g.dtype for g in grads.values()} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.relu(X, inplace=True),
        lambda: F.dropout(X),
        lambda: F.rrelu(X, training=True),
        lambda: F.embedding(WORDS, PARAMETERS["table"], max_norm=1.0),
    ],
)
def test_what_arrays_refuse(call):
    with pytest.raises(ValueError, match="array|tensor"):
        call()


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_what_returns_its_argument_shares_its_memory(backend):
    if backend == "numba":
        pytest.importorskip("numba", reason="the optional backend is not installed")

    def f(x):
        y = F.dropout(x, 0.5, False)
        y[0] = 0.0
        return np.sum(x * x)

    x = np.arange(1.0, 4.0)
    value, bar = ast_ad.value_and_grad(f, backend=backend, fallback="error")(x)
    assert value == f(x.copy()) == 13.0
    np.testing.assert_array_equal(bar, [0.0, 4.0, 6.0])
