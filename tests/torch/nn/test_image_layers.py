"""Are layers of normalisation, pooling, padding and resizing PyTorch's: text, state, results, gradients?"""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ast_ad as torch
from tests.torch.nn.image_layers import BOUNDS, NAMES, outcome

RECORDED = json.loads((Path(__file__).parent / "recorded" / "image_layers.json").read_text())
nn = torch.nn


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("i", range(len(NAMES)), ids=NAMES)
def test_as_pytorch(i: int, dtype: str) -> None:
    expected, found = RECORDED[f"{NAMES[i]} {dtype}"], outcome(torch, i, dtype)
    assert found["text"] == expected["text"]
    assert found["state"] == expected["state"]
    for mine, theirs in zip(found["steps"], expected["steps"], strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert a[:2] == b[:2]
            np.testing.assert_allclose(a[2], b[2], rtol=BOUNDS[dtype], atol=10 * BOUNDS[dtype])


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        ("BatchNorm1d", (2, 3, 4, 5)),
        ("BatchNorm2d", (2, 3)),
        ("BatchNorm3d", (2, 3, 4)),
        ("InstanceNorm1d", (3,)),
        ("InstanceNorm2d", (2, 3)),
    ],
)
def test_other_ranks_are_refused(layer: str, shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=rf"expected .*D input \(got {len(shape)}D input\)"):
        getattr(nn, layer)(3)(torch.zeros(shape))


def test_running_moments_are_not_tracked_and_count_as_changed() -> None:
    layer = nn.BatchNorm1d(2)
    before = layer.running_mean._version
    y = layer(torch.randn(4, 2, requires_grad=True))
    assert layer.running_mean._version > before
    assert not layer.running_mean.requires_grad
    assert not layer.running_var.requires_grad
    assert y.grad_fn is not None
    assert layer.num_batches_tracked.item() == 1
    assert layer.num_batches_tracked.dtype == torch.int64
    layer.eval()(torch.randn(4, 2))
    assert layer.num_batches_tracked.item() == 1


def test_running_moments_that_move_before_the_sweep_do_not_change_gradients() -> None:
    layer = nn.BatchNorm1d(2, eps=0.0).eval()
    x = torch.randn(4, 2, requires_grad=True)
    y = layer(x)
    layer.train()(torch.randn(4, 2))
    y.sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0]] * 4


def test_state_of_older_programs_is_read() -> None:
    layer = nn.BatchNorm2d(3)
    layer(torch.randn(2, 3, 4, 4))
    state = {k: v for k, v in layer.state_dict().items() if k != "num_batches_tracked"}
    new = nn.BatchNorm2d(3)
    new.load_state_dict(state)
    assert torch.equal(new.running_mean, layer.running_mean)
    assert new.num_batches_tracked.item() == 0


def test_copies_and_pickles() -> None:
    layer = nn.BatchNorm2d(3)
    layer(torch.randn(2, 3, 4, 4))
    for other in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert list(other.state_dict()) == list(layer.state_dict())
        assert torch.equal(other.running_var, layer.running_var)
        other(torch.randn(2, 3, 4, 4))
        assert other.num_batches_tracked.item() == 2
        assert layer.num_batches_tracked.item() == 1


def test_synchronised_batches_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="several processes"):
        nn.SyncBatchNorm(3)


def test_no_gradient_is_kept_without_grad() -> None:
    layer: Any = nn.Sequential(nn.BatchNorm2d(3), nn.MaxPool2d(2))
    with torch.no_grad():
        assert layer(torch.randn(2, 3, 4, 4)).grad_fn is None
