"""Do linear layers, activation functions, losses, embeddings and distances give what PyTorch's give?

Values, gradients (at kinks and infinities too) and the name of the node; the same values on arrays; second
derivatives against differences.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.nn.functional as F
from tests.torch.nn.layer_cases import (
    ALIGNED,
    CASES,
    IN_PLACE,
    LAYERS,
    LOSSES,
    POINTS,
    array_of,
    key,
    outcome,
    tensors,
)

RECORDED = json.loads((Path(__file__).parent / "recorded" / "layers.json").read_text())
ids = [key(*case) for case in CASES]


def same(found, recorded):
    np.testing.assert_allclose(array_of(found), array_of(recorded), rtol=1e-8, atol=1e-10)


def compare(case, inplace=False):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = outcome(ast_ad, *case, inplace)
    recorded = RECORDED[key(*case, inplace)]
    assert found["shape"] == recorded["shape"]
    assert found["node"] == recorded["node"]
    same(found["value"], recorded["value"])
    assert [g is None for g in found["grads"]] == [g is None for g in recorded["grads"]]
    for g, expected in zip(found["grads"], recorded["grads"], strict=True):
        if g is not None:
            same(g, expected)


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_tensors(case):
    compare(case)


@pytest.mark.parametrize("case", ALIGNED, ids=[key(*case) for case in ALIGNED])
def test_alignments(case):
    compare(case)


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(name):
    compare((name, [POINTS], {}), inplace=True)


def array_face(name):
    return name != "triplet_margin_with_distance_loss"


@pytest.mark.parametrize(
    "case", [c for c in CASES if array_face(c[0]) and "max_norm" not in c[2]], ids=lambda c: key(*c)
)
def test_arrays(case):
    name, args, options = case
    if name == "embedding_bag" and options.get("mode") == "max" and "padding_idx" in options:
        pytest.skip("refused on arrays")
    with np.errstate(all="ignore"):
        found = getattr(F, name)(*args, **options)
    assert not isinstance(found, ast_ad.Tensor)
    recorded = RECORDED[key(*case)]
    assert list(np.shape(found)) == recorded["shape"]
    same(np.ravel(found), recorded["value"])


SMOOTH = [
    case
    for case in [*LOSSES, *LAYERS]
    if not {"max_norm", "scale_grad_by_freq"} & set(case[2])
    and np.isfinite(array_of(RECORDED[key(*case)]["value"])).all()
    and all(np.abs(a).max() < 100 and (a.dtype.kind != "f" or 0 not in a) for a in case[1])
    and "padding_idx" not in case[2]
]


@pytest.mark.parametrize("case", SMOOTH, ids=lambda c: key(*c))
def test_second_derivatives(case):
    name, args, options = case
    given, how = tensors(ast_ad, args, options)
    active = [i for i, t in enumerate(given) if t.requires_grad]
    if name in ("soft_margin_loss", "hinge_embedding_loss", "margin_ranking_loss", "cosine_embedding_loss"):
        active = [i for i in active if i < len(given) - 1]

    def run(*tensors):
        full = list(given)
        for i, t in zip(active, tensors, strict=True):
            full[i] = t
        return getattr(F, name)(*full, **how)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert ast_ad.autograd.gradcheck(run, tuple(given[i] for i in active))
        assert ast_ad.autograd.gradgradcheck(run, tuple(given[i] for i in active))


@pytest.mark.parametrize("case", CASES[:31], ids=ids[:31])
def test_single_precision_stays(case):
    name, args, options = case
    x = ast_ad.tensor(args[0].astype(np.float32), requires_grad=True)
    out = getattr(F, name)(x, **options)
    assert out.dtype == ast_ad.float32
    out.sum().backward()
    assert x.grad.dtype == ast_ad.float32


def test_graph_of_linear():
    x, w, b = (ast_ad.ones(*s, requires_grad=True) for s in ((3, 4), (5, 4), (5,)))
    node = F.linear(x, w, b).grad_fn
    names = [type(edge[0]).__name__ for edge in node.next_functions]
    assert (type(node).__name__, names) == (
        "AddmmBackward0",
        ["AccumulateGrad", "AccumulateGrad", "TBackward0"],
    )
    assert node.next_functions[2][0].next_functions[0][0].variable is w
    frozen = F.linear(x.detach(), w, b).grad_fn
    assert [edge[0] is None for edge in frozen.next_functions] == [False, True, False]
    F.linear(x, w, b).sum().backward()
    assert w.grad.is_contiguous()


def test_changed_weight_is_noticed():
    x, w, b = (ast_ad.ones(*s, requires_grad=True) for s in ((3, 4), (5, 4), (5,)))
    out = F.linear(x, w, b)
    with ast_ad.no_grad():
        w.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()
    F.linear(x, w, b).sum().backward()  # at a later version
    assert x.grad.tolist() == [[10.0] * 4] * 3


def test_impossible_alignment():
    logits = ast_ad.zeros(2, 1, 3, requires_grad=True)
    target = ast_ad.tensor([[1, 1]])  # needs a blank between, and so three steps
    assert F.ctc_loss(logits.log_softmax(2), target, [2], [2]).item() == np.inf
    F.ctc_loss(logits.log_softmax(2), target, [2], [2], zero_infinity=True).backward()
    assert not logits.grad.any()


def test_dropout_masks():
    ast_ad.manual_seed(0)
    x = ast_ad.ones(100, 100, requires_grad=True)
    out = F.dropout(x, 0.25)
    assert set(out.unique().tolist()) == {0.0, float(np.float32(1 / 0.75))}
    assert abs((out == 0).float().mean().item() - 0.25) < 0.02
    out.sum().backward()
    assert (x.grad == out).all() and type(out.grad_fn).__name__ == "MulBackward0"
    assert F.dropout(x, 0.5, training=False) is x and F.dropout(x, 0.0) is x
    assert not F.dropout(x, 1.0).any()
    channels = F.dropout2d(ast_ad.ones(20, 30, 4, 4), 0.5).sum((2, 3))
    assert set(channels.unique().tolist()) == {0.0, 32.0}
    noise = F.alpha_dropout(ast_ad.randn(300, 300), 0.3, True)
    assert abs(noise.mean().item()) < 0.02 and abs(noise.var().item() - 1) < 0.03


def test_random_slopes_and_samples():
    ast_ad.manual_seed(0)
    x = ast_ad.full((1000,), -1.0, requires_grad=True)
    out = F.rrelu(x, 0.25, 0.5, training=True)
    assert -0.5 <= out.min() and out.max() <= -0.25
    out.sum().backward()
    assert (x.grad == -out).all()
    logits = ast_ad.tensor([[0.0, 1.0, 2.0]] * 2000, requires_grad=True)
    hard = F.gumbel_softmax(logits, hard=True)
    assert (hard.sum(1) == 1).all()
    np.testing.assert_allclose(hard.mean(0).tolist(), [0.09, 0.245, 0.665], atol=0.04)
    hard[:, 0].sum().backward()
    assert logits.grad.abs().sum() > 0


def test_first_values_of_linear():
    layer = ast_ad.nn.Linear(100, 400)
    for parameter in layer.parameters():
        assert parameter.abs().max() <= 0.1 and abs(parameter.std().item() - 0.1 / 3**0.5) < 0.005
    assert abs(ast_ad.nn.Embedding(200, 200).weight.std().item() - 1) < 0.02


def test_softmax_in_clusters():
    ast_ad.manual_seed(0)
    m = ast_ad.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0).double()
    x, classes = ast_ad.randn(6, 8, dtype=ast_ad.float64), ast_ad.tensor([0, 9, 1, 3, 6, 2])
    everything = m.log_prob(x)
    np.testing.assert_allclose(everything.exp().sum(1).tolist(), [1.0] * 6)
    output, loss = m(x, classes)
    np.testing.assert_allclose(
        output.tolist(), everything.gather(1, classes.unsqueeze(1)).squeeze(1).tolist()
    )
    assert loss.item() == -output.mean().item()
    assert m(x[1], ast_ad.tensor(9)).output.item() == pytest.approx(output[1].item())
    assert m.predict(x).tolist() == everything.argmax(1).tolist()
    assert ast_ad.autograd.gradcheck(lambda x: m(x, classes).loss, (x.requires_grad_(),))
    for wrong in ([], [5, 2], [2, 2], [10], [0, 2]):
        with pytest.raises(ValueError, match="cutoffs should be a sequence"):
            ast_ad.nn.AdaptiveLogSoftmaxWithLoss(8, 10, wrong)
    with pytest.raises(RuntimeError, match=r"Target values should be in \[0, 9\]"):
        m(x, classes + 1)
