"""Do recurrent networks compute what PyTorch's compute, and refuse what they refuse?"""

import copy
import json
import pathlib

import numpy as np
import pytest

import ast_ad as torch

from .recurrent_cases import CASES, measured

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "recurrent.json").read_text())["cases"]


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_recorded(name):
    found, expected = measured(torch, CASES[name]), RECORDED[name]
    zero = [0.0, 0.0, 0.0]  # of a second derivative: it may be left out
    for key in {**found, **expected}:
        pair = found.get(key, zero), expected.get(key, zero)
        np.testing.assert_allclose(*pair, rtol=1e-10, atol=1e-11, err_msg=f"{name}: {key}")


# ----- texts, the same as PyTorch's -----

nn = torch.nn
Z = torch.zeros


def error(function, *args, **kwargs):
    with pytest.raises(Exception) as caught:
        function(*args, **kwargs)
    return type(caught.value), str(caught.value)


REPRS = {
    "LSTM(3, 4, proj_size=2, num_layers=2, bias=False, batch_first=True, dropout=0.1, bidirectional=True)": (
        lambda: nn.LSTM(3, 4, 2, False, True, 0.1, True, 2)
    ),
    "RNN(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.1, bidirectional=True)": (
        lambda: nn.RNN(3, 4, 2, "relu", False, True, 0.1, True)
    ),
    "GRU(3, 4, bias=False)": lambda: nn.GRU(3, 4, bias=False),
    "RNNBase(3, 4)": lambda: nn.RNNBase("LSTM", 3, 4),
    "RNNCell(3, 4, nonlinearity=relu)": lambda: nn.RNNCell(3, 4, nonlinearity="relu"),
    "LSTMCell(3, 4, bias=False)": lambda: nn.LSTMCell(3, 4, bias=False),
    "GRUCell(3, 4)": lambda: nn.GRUCell(3, 4),
}


@pytest.mark.parametrize("text", REPRS)
def test_repr(text):
    assert repr(REPRS[text]()) == text


def test_names_and_shapes_of_parameters():
    m = nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2)
    one = ["weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr"]
    suffixes = ["_l0", "_l0_reverse", "_l1", "_l1_reverse"]
    assert m._all_weights == [[name + s for name in one] for s in suffixes]
    assert list(m.state_dict()) == m._flat_weights_names == [n for names in m._all_weights for n in names]
    shapes = [[tuple(p.shape) for p in weights] for weights in m.all_weights]
    assert (
        shapes
        == [[(16, 3), (16, 2), (16,), (16,), (2, 4)]] * 2 + [[(16, 4), (16, 2), (16,), (16,), (2, 4)]] * 2
    )
    assert m.flatten_parameters() is None


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: nn.LSTM(3, 4, dropout=2), ValueError, "dropout should be a number in range [0, 1]"),
        (lambda: nn.LSTM(3, 0), ValueError, "hidden_size must be greater than zero"),
        (lambda: nn.LSTM(3, 2.5), TypeError, "hidden_size should be of type int, got: float"),
        (lambda: nn.LSTM(3, 4, 0), ValueError, "num_layers must be greater than zero"),
        (lambda: nn.LSTM(3, 4, proj_size=7), ValueError, "proj_size has to be smaller than hidden_size"),
        (
            lambda: nn.GRU(3, 4, proj_size=2),
            ValueError,
            "proj_size argument is only supported for LSTM, not RNN or GRU",
        ),
        (
            lambda: nn.RNN(3, 4, nonlinearity="q"),
            ValueError,
            "Unknown nonlinearity 'q'. Select from 'tanh' or 'relu'.",
        ),
        (lambda: nn.LSTM(3, 4, bias="no"), TypeError, "bias should be of type bool, got: str"),
        (lambda: nn.RNNBase("XX", 3, 4), ValueError, "Unrecognized RNN mode: XX"),
        (
            lambda: nn.LSTM(),
            TypeError,
            "missing 2 required positional arguments: 'input_size' and 'hidden_size'",
        ),
        (lambda: nn.LSTM(3, 4)(Z(3)), ValueError, "LSTM: Expected input to be 2D or 3D, got 1D instead"),
        (lambda: nn.RNN(3, 4)(Z(3)), ValueError, "RNN: Expected input to be 2D or 3D, got 1D tensor instead"),
        (
            lambda: nn.GRU(3, 4)(Z(5, 2, 7)),
            RuntimeError,
            "input.size(-1) must be equal to input_size. Expected 3, got 7",
        ),
        (
            lambda: nn.LSTM(3, 4)(Z(5, 2, 3, dtype=torch.float64)),
            ValueError,
            "RNN input dtype (torch.float64) does not match weight dtype (torch.float32). Convert input: "
            "input.to(torch.float32), or convert model: model.to(torch.float64)",
        ),
        (
            lambda: nn.GRU(3, 4)(Z(5, 2, 3), Z(1, 3, 4)),
            RuntimeError,
            "Expected hidden size (1, 2, 4), got [1, 3, 4]",
        ),
        (
            lambda: nn.LSTM(3, 4, proj_size=2)(Z(5, 2, 3), (Z(1, 2, 2), Z(1, 2, 2))),
            RuntimeError,
            "Expected hidden[1] size (1, 2, 4), got [1, 2, 2]",
        ),
        (
            lambda: nn.LSTM(3, 4)(Z(5, 2, 3), (Z(1, 4), Z(1, 4))),
            RuntimeError,
            "For batched 3-D input, hx and cx should also be 3-D but got (2-D, 2-D) tensors",
        ),
        (
            lambda: nn.GRU(3, 4)(Z(5, 3), Z(1, 2, 4)),
            RuntimeError,
            "For unbatched 2-D input, hx should also be 2-D but got 3-D tensor",
        ),
        (
            lambda: nn.GRU(3, 4)(Z(0, 2, 3)),
            RuntimeError,
            "Expected sequence length to be larger than 0 in RNN",
        ),
        (
            lambda: nn.GRU(3, 4)(Z(5, 2, 3), Z(1, 2, 4, dtype=torch.float64)),
            RuntimeError,
            "mat1 and mat2 must have the same dtype, but got Double and Float",
        ),
        (
            lambda: nn.LSTMCell(3, 4)(Z(2, 2, 3)),
            ValueError,
            "LSTMCell: Expected input to be 1D or 2D, got 3D instead",
        ),
        (
            lambda: nn.GRUCell(3, 4)(Z(2, 5)),
            RuntimeError,
            "input has inconsistent input_size: got 5 expected 3",
        ),
        (
            lambda: nn.RNNCell(3, 4)(Z(2, 3), Z(3, 4)),
            RuntimeError,
            "Input batch size 2 doesn't match hidden0 batch size 3",
        ),
        (
            lambda: nn.LSTMCell(3, 4)(Z(2, 3), (Z(2, 5), Z(2, 5))),
            RuntimeError,
            "hidden0 has inconsistent hidden_size: got 5, expected 4",
        ),
        (lambda: nn.RNNCell(3, 4, nonlinearity="x")(Z(3)), RuntimeError, "Unknown nonlinearity: x"),
    ],
)
def test_refused(make, kind, text):
    found, message = error(make)
    assert found is kind and text in message


def test_dropout_in_one_layer_warns():
    with pytest.warns(
        UserWarning, match="non-zero dropout expects num_layers greater than 1, but got dropout=0.5"
    ):
        nn.LSTM(3, 4, dropout=0.5)


def test_dropout_between_layers():
    m, x = nn.GRU(3, 4, 2, dropout=0.5), torch.ones(5, 2, 3)
    assert not np.array_equal(m(x)[0].detach().numpy(), m(x)[0].detach().numpy())
    m.eval()
    assert np.array_equal(m(x)[0].detach().numpy(), m(x)[0].detach().numpy())


def names_of(out):
    return type(out.grad_fn).__name__


def test_names_of_nodes():
    x = torch.ones(5, 2, 3)
    assert names_of(nn.LSTM(3, 4)(x)[0]) == "MkldnnRnnLayerBackward0"
    assert names_of(nn.LSTM(3, 4).double()(x.double())[0]) == "StackBackward0"
    assert names_of(nn.GRU(3, 4)(x)[0]) == "StackBackward0"
    assert names_of(nn.GRU(3, 4, bidirectional=True)(x)[0]) == "CatBackward0"
    assert names_of(nn.LSTM(3, 4, batch_first=True)(x)[0]) == "TransposeBackward0"
    assert names_of(nn.LSTM(3, 4)(x)[1][0]) == "StackBackward0"
    h, c = nn.LSTMCell(3, 4)(x[0])
    assert [names_of(h), names_of(c)] == ["MulBackward0", "AddBackward0"]
    assert names_of(nn.GRUCell(3, 4)(x[0])) == "AddBackward0"
    assert names_of(nn.RNNCell(3, 4)(x[0, 0])) == "SqueezeBackward1"


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("options", [{}, {"proj_size": 2, "bidirectional": True}])
def test_derivatives(options):
    m = nn.LSTM(2, 3, **options).double()
    x = torch.randn(3, 2, 2, dtype=torch.float64, requires_grad=True)
    weights = list(m.parameters())

    def run(x, *weights):
        states = [Z(len(m._all_weights), 2, n, dtype=torch.float64) for n in (m._out_size, 3)]
        return torch.lstm(x, states, weights, True, 1, 0.0, True, m.bidirectional, False)

    assert torch.autograd.gradcheck(run, (x, *weights))
    assert torch.autograd.gradgradcheck(run, (x, *weights))


def test_a_long_sequence_of_singles_stays_single():
    m = nn.GRU(8, 16)
    x = torch.randn(20, 4, 8, requires_grad=True)
    out, h = m(x)
    (out.sum() + h.sum()).backward()
    assert {t.dtype for t in (out, h, x.grad, *(p.grad for p in m.parameters()))} == {torch.float32}


def test_saturated_gates_keep_their_derivatives():
    """Far from 0 a logistic function is no difference of nearly equal numbers."""
    m = nn.LSTM(1, 1).double()
    with torch.no_grad():
        for p in m.parameters():
            p.zero_()
        m.bias_ih_l0[0] = -40.0
    x = torch.ones(1, 1, 1, dtype=torch.float64)
    m.weight_ih_l0.data[2] = 0.5
    m(x)[0].sum().backward()
    gate = 1 / (1 + np.exp(40.0))
    cell = gate * np.tanh(0.5)
    expected = 0.5 * (1 - np.tanh(cell) ** 2) * np.tanh(0.5) * gate * (1 - gate)
    np.testing.assert_allclose(m.bias_ih_l0.grad[0].item(), expected, rtol=1e-12)


def test_large_layers_agree_with_small_ones():
    """The loops for large layers compute what the array functions for small ones do."""
    from ast_ad.rules import loops as kernels
    from ast_ad.rules.loops import recurrent

    rng = np.random.default_rng(0)
    a, product, cell = rng.normal(size=(4, 32)), rng.normal(size=(4, 32)), rng.normal(size=(4, 8))
    others = [rng.normal(size=(4, 8)) for _ in range(3)]
    for kernel, args in (
        (recurrent.gate_inputs, (a, product, a[0], np.zeros((4, 24)), np.zeros((4, 8)))),
        (recurrent.new_cell, (a, np.exp(product[:, :24]), cell, others[0], others[1])),
        (recurrent.lstm_step_back, (product, a, *others[:2], cell, others[2], True)),
        (recurrent.lstm_step_back, (product, a, *others[:2], cell, others[2], False)),
    ):
        assert isinstance(kernel, kernels.Kernel)
        results = []
        for run in (kernel.plain, kernel.loops):
            copies = [copy.copy(x) for x in args]
            run(*copies)
            if kernel is recurrent.gate_inputs:  # what it leaves in the operands is not read again
                copies = copies[3:]
            elif kernel is recurrent.new_cell:
                copies = [copies[0], *copies[3:]]
            results.append(copies)
        for plain, looped in zip(*results, strict=True):
            np.testing.assert_allclose(plain, looped, rtol=1e-13)


@pytest.mark.parametrize("name", ["LSTM", "GRU", "RNN"])
def test_large_batches_agree_with_small_ones(name):
    """What is done by compiled loops, and without the cotangents that nobody sends, is the same."""
    m = getattr(nn, name)(4, 128).double()
    x = torch.randn(3, 32, 4, dtype=torch.float64)
    (m(x)[0] ** 2).sum().backward()
    whole = [p.grad.numpy().copy() for p in m.parameters()]
    m.zero_grad()
    for part in x.split(2, 1):
        (m(part)[0] ** 2).sum().backward()
    for g, p in zip(whole, m.parameters(), strict=True):
        np.testing.assert_allclose(g, p.grad.numpy(), rtol=1e-9, atol=1e-12)
