"""Do layers and losses give PyTorch's numbers for no samples, NaN, infinity, and in single precision?"""

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.nn import functional as F

NAN, INF = np.nan, np.inf


def test_no_samples():
    x = torch.zeros(0, 4, 3, requires_grad=True)
    assert F.cross_entropy(x, torch.zeros(0, 3, dtype=torch.long), reduction="none").shape == (0, 3)
    assert F.unfold(torch.zeros(0, 2, 3, 3), 2).shape == (0, 8, 4)
    assert F.fold(torch.zeros(0, 8, 4), (3, 3), 2).shape == (0, 2, 3, 3)
    weight = torch.ones(2, 4, 1, requires_grad=True)
    F.conv1d(x, weight).sum().backward()
    assert x.grad.shape == (0, 4, 3) and not weight.grad.any()


def test_a_transposed_convolution_without_pixels():
    with pytest.raises(RuntimeError, match=r"\(1 x 2\). Calculated output size per channel: \(1 x 0\)"):
        F.conv_transpose2d(torch.ones(1, 1, 1, 2), torch.ones(1, 1, 1, 1), padding=(0, 1))


def test_two_biases_do_not_share_a_gradient():
    for kind in (torch.nn.LSTM, torch.nn.RNN, torch.nn.GRU):
        layer = kind(2, 3)
        grads = torch.autograd.grad(layer(torch.ones(4, 1, 2))[0].sum(), [layer.bias_ih_l0, layer.bias_hh_l0])
        before = grads[1].tolist()
        grads[0].zero_()
        assert grads[1].tolist() == before


def test_attention_without_heads_may_be_changed_in_place():
    x = torch.ones(2, 3, 4, requires_grad=True)
    out = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    out += x
    out.sum().backward()
    assert torch.allclose(x.grad, torch.ones(2, 3, 4) + torch.tensor([11 / 6, 5 / 6, 1 / 3])[:, None])


@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_outputs_of_recurrent_layers_may_be_changed_in_place(kind):
    layer = getattr(torch.nn, kind)(3, 3, dtype=torch.float64)
    grads = []
    for in_place in (False, True):
        x = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(4, 2, 3).requires_grad_()
        out = layer(x)[0]
        out = F.relu(out, inplace=in_place)
        out.sin().sum().backward()
        grads.append(x.grad)
    assert torch.equal(*grads)


def test_classes_and_rows_that_change_before_the_sweep_are_noticed():
    x = torch.ones(2, 3, requires_grad=True)
    for compute, index in (
        (lambda i: F.embedding(i, x), torch.tensor([0, 1])),
        (lambda i: F.embedding_bag(i, x), torch.tensor([[0, 1]])),
        (lambda i: F.multi_margin_loss(x, i), torch.tensor([0, 2])),
        (lambda i: F.multilabel_margin_loss(x, i), torch.tensor([[0, 1, -1], [2, -1, 0]])),
    ):
        loss = compute(index).sum()
        index.zero_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()


def test_margin_losses_of_scores_that_are_not_finite():
    x = torch.tensor([[NAN, 1, 2], [1, NAN, 3], [-INF, 1, 2]], requires_grad=True)
    loss = F.multi_margin_loss(x, torch.tensor([0, 0, 1]), reduction="none")
    assert np.allclose(loss.tolist(), [0, 1, 2 / 3])
    loss.sum().backward()
    assert np.allclose(x.grad.tolist(), np.array([[0, 0, 0], [-1, 0, 1], [0, -1, 1]]) / 3)
    loss = F.multilabel_margin_loss(x, torch.tensor([[0, -1, -1], [1, 0, -1], [1, 2, -1]]), reduction="none")
    assert loss.tolist() == [0, 1, 0]


def test_points_of_a_grid_that_are_not_finite():
    x = torch.tensor([[[[1.0, 2.0, 3.0]]]])
    at = torch.tensor([[[[NAN, 0.0], [-INF, 0.0], [INF, 0.0]]]])
    assert F.grid_sample(x, at, padding_mode="border", align_corners=True).tolist() == [[[[1, 1, 3]]]]
    assert F.grid_sample(x, at, padding_mode="reflection", align_corners=True).tolist() == [[[[1, 1, 1]]]]
    assert F.grid_sample(x, at, align_corners=True).isnan().all()


def test_reflected_points_stay_in_single_precision():
    x, at = torch.ones(1, 1, 3, 3), torch.full((1, 2, 2, 2), 1.7)
    assert F.grid_sample(x, at, padding_mode="reflection", align_corners=False).dtype == torch.float32
