"""Do convolutions compute what their definition says, in every mode, and refuse what PyTorch refuses?

The oracle is the definition: a loop over places and taps. Texts and errors are PyTorch 2.13's.
"""

import itertools

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.rules import loops as kernels
from ast_ad.rules.networks import windows as nn_windows
from ast_ad.torch.nn import functional as F

rng = np.random.default_rng(0)


def defined(x, w, b, stride, padding, dilation, groups):
    """The convolution of a batch, place by place."""
    rank, per_group = w.ndim - 2, w.shape[0] // groups
    before = [d * (k - 1) // 2 if padding == "same" else padding for k, d in zip(w.shape[2:], dilation)]
    behind = [d * (k - 1) - p if padding == "same" else p for k, d, p in zip(w.shape[2:], dilation, before)]
    x = np.pad(x, ((0, 0), (0, 0), *zip(before, behind)))
    places = [
        (n - d * (k - 1) - 1) // s + 1 for n, k, s, d in zip(x.shape[2:], w.shape[2:], stride, dilation)
    ]
    out = np.zeros((len(x), len(w), *places))
    for o, place in itertools.product(range(len(w)), np.ndindex(*places)):
        group = slice(o // per_group * w.shape[1], (o // per_group + 1) * w.shape[1])
        for tap in np.ndindex(*w.shape[2:]):
            pixel = tuple(i * s + k * d for i, s, k, d in zip(place, stride, tap, dilation))
            out[:, o, *place] += x[:, group, *pixel] @ w[o, :, *tap]
    return out if b is None else out + b.reshape(-1, *(1,) * rank)


CASES = [
    (rank, k, s, p, d, g)
    for rank in (1, 2, 3)
    for k, s, p, d, g in itertools.product((1, 3), (1, 2), (0, 1, "same"), (1, 2), (1, 2))
    if p != "same" or s == 1
]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("worthwhile", [1 << 14, 0], ids=["plain", "loops"])
@pytest.mark.parametrize("block", [1 << 19, 50])
def test_definition(monkeypatch, worthwhile, block):
    monkeypatch.setattr(kernels, "WORTHWHILE", worthwhile)
    monkeypatch.setattr(nn_windows, "BLOCK", block)
    for rank, k, s, p, d, g in CASES:
        x, w = rng.normal(size=(3, 4, *(7, 6, 5)[:rank])), rng.normal(size=(6, 4 // g, *(k,) * rank))
        b = rng.normal(size=6)
        found = getattr(F, f"conv{rank}d")(x, w, b, s, p, d, g)
        np.testing.assert_allclose(found, defined(x, w, b, (s,) * rank, p, (d,) * rank, g), atol=1e-12)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_transposed_is_the_transpose(rank):
    """<conv(x), y> == <x, conv_transpose(y)>, and the sizes are PyTorch's."""
    for s, p, d, g in itertools.product((1, 2, 3), (0, 1), (1, 2), (1, 2)):
        y = rng.normal(size=(2, 6, *(3, 4, 2)[:rank]))
        w = rng.normal(size=(6, 4 // g, *(3,) * rank))
        x_like = getattr(F, f"conv_transpose{rank}d")(y, w, None, s, p, s - 1, g, d)
        assert x_like.shape[2:] == tuple((n - 1) * s - 2 * p + 2 * d + s for n in y.shape[2:])
        x = rng.normal(size=x_like.shape)
        seen = getattr(F, f"conv{rank}d")(x, w, None, s, p, d, g)[:, :, *map(slice, y.shape[2:])]
        assert np.sum(seen * y) == pytest.approx(np.sum(x * x_like))


@pytest.mark.parametrize("fn", [F.conv2d, F.conv_transpose2d])
def test_gradients(fn):
    groups = {"groups": 2, "stride": 2, "padding": 1, "dilation": (1, 2)}
    shape = (4, 1, 3, 2) if fn is F.conv2d else (2, 2, 3, 2)
    x, w, b = (torch.tensor(rng.normal(size=s), requires_grad=True) for s in ((2, 2, 4, 5), shape, (4,)))
    assert torch.autograd.gradcheck(lambda *t: fn(*t, **groups), (x, w, b))
    assert torch.autograd.gradgradcheck(lambda *t: fn(*t, **groups), (x, w, b))


def test_memory_order_does_not_matter():
    x, w = rng.normal(size=(5, 4, 6, 3)).transpose(3, 1, 0, 2), rng.normal(size=(3, 3, 4, 2)).T
    found = F.conv2d(torch.tensor(x), torch.tensor(np.ascontiguousarray(w)))
    t = torch.tensor(w.copy(order="F"))
    np.testing.assert_allclose(F.conv2d(torch.tensor(x), t).numpy(), found.numpy(), atol=1e-12)
    np.testing.assert_allclose(found.numpy(), defined(x, w, None, (1, 1), 0, (1, 1), 1), atol=1e-12)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(backend):
    if backend == "numba":
        pytest.importorskip("numba", reason="the optional backend is not installed")

    def loss(p, x):
        h = np.maximum(F.conv2d(x, p["w1"], p["b1"], padding=1), 0)
        return np.mean(F.conv_transpose2d(F.conv2d(h, p["w2"], stride=2), p["w3"], groups=2) ** 2)

    shapes = {"w1": (4, 3, 3, 3), "b1": (4,), "w2": (2, 4, 3, 3), "w3": (2, 1, 2, 2)}
    p = {k: rng.normal(size=s) for k, s in shapes.items()}
    for n in (5, 9, 5):  # the second has other lengths
        x = rng.normal(size=(2, 3, n, 6))
        value, g = torch.value_and_grad(loss, backend=backend, fallback="error")(p, x)
        t = {k: torch.tensor(v, requires_grad=True) for k, v in p.items()}
        h = F.conv2d(torch.tensor(x), t["w1"], t["b1"], padding=1).relu()
        eager = (F.conv_transpose2d(F.conv2d(h, t["w2"], stride=2), t["w3"], groups=2) ** 2).mean()
        eager.backward()
        assert value == pytest.approx(eager.item(), rel=1e-12)
        for k in p:
            np.testing.assert_allclose(g[k], t[k].grad.numpy(), atol=1e-12)


def ones(*shape, dtype=torch.float64):
    return torch.ones(*shape, dtype=dtype)


ERRORS = [
    (lambda: F.conv2d(ones(1, 3, 5, 5), ones(6, 4, 3, 3)),
     "Given groups=1, weight of size [6, 4, 3, 3], expected input[1, 3, 5, 5] to have 4 channels, but got 3 "
     "channels instead"),
    (lambda: F.conv_transpose2d(ones(1, 3, 5, 5), ones(4, 6, 3, 3)),
     "Given transposed=1, weight of size [4, 6, 3, 3], expected input[1, 3, 5, 5] to have 4 channels, but "
     "got 3 channels instead"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), ones(3)),
     "Given weight of size [6, 4, 3, 3], expected bias to be 1-dimensional with 6 elements, but got bias of "
     "size [3] instead"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(5, 2, 3, 3), groups=2),
     "Given groups=2, expected weight to be divisible by 2 at dimension 0, but got weight of size "
     "[[5, 2, 3, 3]] instead"),
    (lambda: F.conv2d(ones(1, 4, 7, 6), ones(6, 4, 9, 9)),
     "Calculated padded input size per channel: (7 x 6). Kernel size: (9 x 9). Kernel size can't be greater "
     "than actual input size"),
    (lambda: F.conv2d(ones(4), ones(6, 4, 3, 3)),
     "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [4]"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), stride=0), "non-positive stride is not supported"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), padding=-1), "negative padding is not supported"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), padding="full"), "Invalid padding string: 'full'"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), padding="same", stride=2),
     "padding='same' is not supported for strided convolutions"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), stride=(1, 2, 3)),
     "expected stride to be a single integer value or a list of 2 values to match the convolution "
     "dimensions, but got stride=[1, 2, 3]"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3, dtype=torch.float32)),
     "expected scalar type Double but found Float"),
    (lambda: F.conv2d(ones(1, 4, 5, 5), ones(6, 4, 3, 3), ones(6, dtype=torch.float32)),
     "Input type (double) and bias type (float) should be the same"),
]  # fmt: skip


@pytest.mark.parametrize("name", ["conv2d", "conv_transpose2d"])
@pytest.mark.parametrize("form", [np.asarray, torch.tensor])
def test_kernels_of_another_rank(name, form):
    """On arrays, too, and within compiled functions."""
    text = f"expected 4-dimensional weight for {name}, but got 3-dimensional weight of size"
    x, w = np.ones((1, 4, 5)), np.ones((4, 4, 3))
    with pytest.raises(RuntimeError, match=text):
        getattr(F, name)(form(x), form(w))
    if form is np.asarray:
        with pytest.raises(RuntimeError, match=text):
            torch.value_and_grad(lambda x, w: np.sum(getattr(F, name)(x, w)), backend="numpy")(x, w)


@pytest.mark.parametrize("call, text", ERRORS, ids=range(len(ERRORS)))
def test_errors(call, text):
    with pytest.raises(RuntimeError) as caught:
        call()
    assert str(caught.value) == text


nn = torch.nn
LAYERS = [
    (lambda: nn.Conv1d(1, 1, 1), "Conv1d(1, 1, kernel_size=(1,), stride=(1,))"),
    (lambda: nn.Conv2d(3, 4, (3, 2), 2, 1),
     "Conv2d(3, 4, kernel_size=(3, 2), stride=(2, 2), padding=(1, 1))"),
    (lambda: nn.Conv2d(4, 8, 3, padding="same", bias=False, groups=2, dilation=2, padding_mode="reflect"),
     "Conv2d(4, 8, kernel_size=(3, 3), stride=(1, 1), padding=same, dilation=(2, 2), groups=2, bias=False, "
     "padding_mode=reflect)"),
    (lambda: nn.ConvTranspose2d(4, 8, 3, 2, 1, 1, groups=2, bias=False, dilation=3),
     "ConvTranspose2d(4, 8, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(3, 3), "
     "output_padding=(1, 1), groups=2, bias=False)"),
]  # fmt: skip


@pytest.mark.parametrize("make, text", LAYERS, ids=range(len(LAYERS)))
def test_text_of_layers(make, text):
    assert repr(make()) == text


REFUSED = [
    (lambda: nn.Conv2d(3, 4, 3, groups=2), "in_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 3, 3, groups=2), "out_channels must be divisible by groups"),
    (lambda: nn.Conv2d(4, 3, 3, groups=0), "groups must be a positive integer"),
    (lambda: nn.Conv2d(4, 3, 3, padding="same", stride=2), "padding='same' is not supported for strided"),
    (lambda: nn.ConvTranspose2d(3, 3, 3, stride=2)(torch.zeros(1, 3, 8, 8), output_size=(30, 30)),
     r"requested an output size of \(30, 30\), but valid sizes range from \[17, 17\] to \[18, 18\] \(for an "
     r"input of torch.Size\(\[8, 8\]\)\)"),
]  # fmt: skip


@pytest.mark.parametrize("make, text", REFUSED, ids=range(len(REFUSED)))
def test_layers_that_cannot_be(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_layers():
    layer = nn.ConvTranspose2d(3, 2, 3, stride=2)
    assert layer.weight.shape == (3, 2, 3, 3) and list(layer.state_dict()) == ["weight", "bias"]
    assert layer(torch.zeros(1, 3, 8, 8), output_size=(1, 2, 18, 17)).shape == (1, 2, 18, 17)
    bound = 1 / np.sqrt(2 * 9)  # fan in, as PyTorch counts it for transposed kernels
    assert layer.weight.abs().max().item() <= bound and layer.bias.abs().max().item() <= bound
    y = nn.Conv2d(3, 4, 3)(torch.ones(3, 5, 5))
    assert y.shape == (4, 3, 3) and type(y.grad_fn).__name__ == "SqueezeBackward1"
    assert type(nn.Conv2d(3, 4, 3)(torch.ones(1, 3, 5, 5)).grad_fn).__name__ == "ConvolutionBackward0"
