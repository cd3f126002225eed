"""Do lazy layers become what their first input asks for?"""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import ast_ad as torch
from ast_ad.torch import nn

LAYERS: list[tuple[Any, tuple[int, ...], str]] = [
    (lambda: nn.LazyLinear(3), (2, 5), "Linear(in_features=5, out_features=3, bias=True)"),
    (lambda: nn.LazyLinear(3, False), (5,), "Linear(in_features=5, out_features=3, bias=False)"),
    (lambda: nn.LazyConv1d(2, 3), (2, 3, 5), "Conv1d(3, 2, kernel_size=(3,), stride=(1,))"),
    (lambda: nn.LazyConv2d(4, 3), (3, 5, 5), "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))"),
    (
        lambda: nn.LazyConvTranspose2d(2, 3),
        (1, 3, 5, 5),
        "ConvTranspose2d(3, 2, kernel_size=(3, 3), stride=(1, 1))",
    ),
    (
        lambda: nn.LazyBatchNorm1d(),
        (4, 3),
        "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
    (
        lambda: nn.LazyInstanceNorm2d(),
        (2, 3, 4, 4),
        "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)",
    ),
]


@pytest.mark.parametrize(("make", "shape", "text"), LAYERS)
def test_first_input_completes(make: Any, shape: tuple[int, ...], text: str) -> None:
    layer = make()
    assert type(layer).__name__ == "Lazy" + text.partition("(")[0]
    before = dict(layer.named_parameters())
    expected = eval("nn." + text.replace("bias=True, track", "track"), {"nn": nn})
    found = layer(torch.ones(*shape))
    assert repr(layer) == text and found.shape == expected(torch.ones(*shape)).shape
    assert [(k, v.shape) for k, v in layer.state_dict().items()] == [
        (k, v.shape) for k, v in expected.state_dict().items()
    ]
    assert all(p is before[name] and type(p) is nn.Parameter for name, p in layer.named_parameters())
    assert not layer._forward_pre_hooks and "_arguments" not in vars(layer)


def test_optimizer_made_before() -> None:
    network = nn.Sequential(nn.LazyLinear(4), nn.ReLU(), nn.LazyLinear(1))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    network(torch.ones(2, 3)).sum().backward()
    before = network[0].weight.detach().clone()
    optimizer.step()
    assert not torch.equal(before, network[0].weight)


def test_uninitialized() -> None:
    layer = nn.LazyLinear(3)
    assert repr(layer) == "LazyLinear(in_features=0, out_features=3, bias=True)"
    assert repr(layer.weight) == "<UninitializedParameter>" and layer.has_uninitialized_params()
    with pytest.raises(RuntimeError, match="Can't access the shape of an uninitialized parameter or buffer"):
        layer.weight.size()


def test_converted_before() -> None:
    layer = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d()).double()
    assert layer(torch.ones(2, 3, dtype=torch.float64)).dtype == torch.float64
    assert {t.dtype for t in layer.state_dict().values()} == {torch.float64, torch.int64}


def test_copies_and_files() -> None:
    layer = nn.Sequential(nn.LazyConv2d(2, 1), nn.LazyBatchNorm2d())
    other, third = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))
    x = torch.ones(1, 3, 2, 2)
    layer(x)
    assert all(copied._forward_pre_hooks for copied in (*other, *third))
    other.load_state_dict(layer.state_dict())
    assert torch.equal(other.eval()(x), layer.eval()(x)) and type(other[0]) is nn.Conv2d
    assert third(x).shape == (1, 2, 2, 2) and not third[0].weight.equal(layer[0].weight)
