"""Does attention compute what PyTorch's computes, and refuse what it refuses?"""

import json
import pathlib
import warnings

import numpy as np
import pytest

import ast_ad as torch

from .attention_cases import CASES, measured

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "attention.json").read_text())["cases"]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("name", CASES)
def test_agrees_with_recorded(name):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Support for mismatched")
        found, expected = measured(torch, name), RECORDED[name]
    zero = [0.0, 0.0, 0.0]  # of a derivative: it may be left out
    for key in {**found, **expected}:
        pair = found.get(key, zero), expected.get(key, zero)
        np.testing.assert_allclose(*pair, rtol=1e-10, atol=1e-11, err_msg=f"{name}: {key}")


# ----- texts, the same as PyTorch's -----

nn = torch.nn
Z = torch.zeros


def mha(*args, **kwargs):
    return nn.MultiheadAttention(8, 2)(*args, **kwargs)


def attend(*args, **kwargs):
    return nn.functional.scaled_dot_product_attention(*args, **kwargs)


X, U, B = Z(4, 2, 8), Z(4, 8), torch.bool
Q, K = Z(2, 3, 4, 5), Z(2, 3, 6, 5)


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: nn.MultiheadAttention(8, 3), AssertionError, "embed_dim must be divisible by num_heads"),
        (
            lambda: nn.MultiheadAttention(0, 2),
            ValueError,
            "embed_dim and num_heads must be greater than 0, got embed_dim=0 and num_heads=2 instead",
        ),
        (
            lambda: mha(Z(1, 4, 2, 8), X, X),
            AssertionError,
            "query should be unbatched 2D or batched 3D tensor but received 4-D query tensor",
        ),
        (
            lambda: mha(U, X, X),
            AssertionError,
            "For unbatched (2-D) `query`, expected `key` and `value` to be 2-D but found 3-D and 3-D tensors",
        ),
        (
            lambda: mha(U, U, U, key_padding_mask=Z(2, 4, dtype=B)),
            AssertionError,
            "For unbatched (2-D) `query`, expected `key_padding_mask` to be `None` or 1-D but",
        ),
        (
            lambda: mha(X, X, X, key_padding_mask=Z(2, 5, dtype=B)),
            AssertionError,
            "Expected key_padded_mask.shape[1] to be 4, but got 5",
        ),
        (
            lambda: mha(X, X, X, attn_mask=Z(4, dtype=B)),
            AssertionError,
            "For batched (3-D) `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found 1-D",
        ),
        (
            lambda: mha(X, X, X, attn_mask=Z(5, 4, dtype=B)),
            RuntimeError,
            "The shape of the 2D attn_mask is torch.Size([5, 4]), but should be (4, 4).",
        ),
        (
            lambda: mha(U, U, U, attn_mask=Z(3, 4, 4, dtype=B)),
            AssertionError,
            "Expected `attn_mask` shape to be (2, 4, 4) but got torch.Size([3, 4, 4])",
        ),
        (
            lambda: mha(X, X, X, attn_mask=Z(4, 4, dtype=torch.int64)),
            AssertionError,
            "only bool and floating types of attn_mask are supported",
        ),
        (lambda: mha(Z(4, 2, 7), X, X), AssertionError, "was expecting embedding dimension of 8, but got 7"),
        (
            lambda: mha(X, X, X[:3]),
            AssertionError,
            "key shape torch.Size([4, 2, 8]) does not match value shape torch.Size([3, 2, 8])",
        ),
        (
            lambda: mha(X, X[:, :1], X[:, :1]),
            RuntimeError,
            "shape '[4, 4, 4]' is invalid for input of size 32",
        ),
        (
            lambda: mha(X, X, X, is_causal=True),
            RuntimeError,
            "Need attn_mask if specifying the is_causal hint.",
        ),
        (
            lambda: attend(Q, K, K, attn_mask=torch.ones(4, 6, dtype=torch.int64)),
            RuntimeError,
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            "attn_mask.dtype: long int and  query.dtype: float instead.",
        ),
        (
            lambda: attend(Q, K, K, attn_mask=torch.ones(3, 6)),
            RuntimeError,
            "The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 2",
        ),
        (
            lambda: attend(Q[0, 0, 0], K, K),
            RuntimeError,
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: 1 "
            "key.dim: 4 and value.dim: 4 instead.",
        ),
        (
            lambda: attend(Q.double(), K, K),
            RuntimeError,
            "Expected query, key, and value to have the same dtype, but got query.dtype: double",
        ),
        (
            lambda: attend(Z(2, 6, 4, 5), K, K),
            RuntimeError,
            "The size of tensor a (6) must match the size of tensor b (3) at non-singleton dimension 1",
        ),
        (
            lambda: attend(Z(2, 7, 4, 5), K, K, enable_gqa=True),
            RuntimeError,
            "Number of heads in key and value must divide the number of heads in ",
        ),
        (
            lambda: attend(Q, K, K, dropout_p=1.5),
            RuntimeError,
            "dropout probability has to be between 0 and 1, but got 1.5",
        ),
        (
            lambda: nn.TransformerEncoderLayer(8, 2, 16, activation="tanh"),
            RuntimeError,
            "activation should be relu/gelu, not tanh",
        ),
        (
            lambda: nn.Transformer(8, 2, 1, 1, 16)(Z(5, 3, 8), Z(5, 2, 8)),
            RuntimeError,
            "the batch number of src and tgt must be equal",
        ),
        (
            lambda: nn.Transformer(8, 2, 1, 1, 16)(Z(5, 3, 8), Z(5, 3, 7)),
            RuntimeError,
            "the feature number of src and tgt must be equal to d_model",
        ),
    ],
)
def test_refused(make, kind, text):
    with pytest.raises(kind) as caught:
        make()
    assert text in str(caught.value)


def test_names_of_parameters():
    assert {n: tuple(p.shape) for n, p in nn.MultiheadAttention(8, 2).state_dict().items()} == {
        "in_proj_weight": (24, 8), "in_proj_bias": (24,), "out_proj.weight": (8, 8), "out_proj.bias": (8,),
    }  # fmt: skip
    separate = nn.MultiheadAttention(8, 2, kdim=3, vdim=5, add_bias_kv=True)
    assert {n: tuple(p.shape) for n, p in separate.state_dict().items()} == {
        "q_proj_weight": (8, 8), "k_proj_weight": (8, 3), "v_proj_weight": (8, 5), "in_proj_bias": (24,),
        "bias_k": (1, 1, 8), "bias_v": (1, 1, 8), "out_proj.weight": (8, 8), "out_proj.bias": (8,),
    }  # fmt: skip
    assert list(nn.MultiheadAttention(8, 2, bias=False).state_dict()) == ["in_proj_weight", "out_proj.weight"]


ENCODER_LAYER = """\
TransformerEncoderLayer(
  (self_attn): MultiheadAttention(
    (out_proj): NonDynamicallyQuantizableLinear(in_features=8, out_features=8, bias=True)
  )
  (linear1): Linear(in_features=8, out_features=16, bias=True)
  (dropout): Dropout(p=0.1, inplace=False)
  (linear2): Linear(in_features=16, out_features=8, bias=True)
  (norm1): LayerNorm((8,), eps=1e-05, elementwise_affine=True, bias=True)
  (norm2): LayerNorm((8,), eps=1e-05, elementwise_affine=True, bias=True)
  (dropout1): Dropout(p=0.1, inplace=False)
  (dropout2): Dropout(p=0.1, inplace=False)
  (activation): GELU(approximate='none')
)"""


def test_reprs():
    assert repr(nn.TransformerEncoderLayer(8, 2, 16, activation=nn.GELU())) == ENCODER_LAYER
    text = repr(nn.Transformer(8, 2, 1, 2, 16))
    assert "(0-1): 2 x TransformerDecoderLayer(" in text
    assert [line.split(":")[0].strip() for line in text.splitlines() if line.startswith("  (")] == [
        "(encoder)",
        "(decoder)",
    ]


def test_initial_values():
    m = nn.MultiheadAttention(64, 2)
    bound = np.sqrt(6 / (64 + 192))
    assert 0.9 * bound < abs(m.in_proj_weight.detach().numpy()).max() <= bound
    assert not m.in_proj_bias.any() and not m.out_proj.bias.any()
    t = nn.Transformer(8, 2, 1, 1, 16)
    linear = t.encoder.layers[0].linear1.weight.detach().numpy()
    assert abs(linear).max() <= np.sqrt(6 / (8 + 16)) and abs(linear).max() > 1 / np.sqrt(8)


def test_dropout_of_weights():
    v = torch.ones(6, 1)
    out = attend(Z(500, 4), Z(6, 4), v, dropout_p=0.5).numpy()
    assert len(np.unique(out.round(4))) > 3 and abs(out.mean() - 1) < 0.1
    m = nn.MultiheadAttention(8, 2, dropout=0.5)
    x = torch.randn(4, 2, 8)
    assert not torch.equal(m(x, x, x)[0], m(x, x, x)[0])
    m.eval()
    assert torch.equal(m(x, x, x)[0], m(x, x, x)[0])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(backend):
    """A loss of arrays with attention in it is differentiated as tensors are."""
    if backend == "numba":
        pytest.importorskip("numba")
    F, rng = nn.functional, np.random.default_rng(0)
    q, k, v = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 4))

    def loss(q, k, v):
        return np.sum(F.scaled_dot_product_attention(q, k, v) ** 2)

    value, grads = torch.value_and_grad(loss, argnums=(0, 1, 2), backend=backend)(q, k, v)
    tensors = [torch.tensor(x, requires_grad=True) for x in (q, k, v)]
    expected = (F.scaled_dot_product_attention(*tensors) ** 2).sum()
    expected.backward()
    assert np.isclose(value, expected.item())
    for g, t in zip(grads, tensors, strict=True):
        np.testing.assert_allclose(g, t.grad.numpy(), rtol=1e-10)
