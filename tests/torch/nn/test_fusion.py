"""Does a layer that was fused with a normalisation do what both did?"""

from __future__ import annotations

from typing import Any

import pytest

import ast_ad as torch
from ast_ad.torch import nn
from ast_ad.torch.nn.utils import fuse_conv_bn_eval, fuse_linear_bn_eval, skip_init

PAIRS: list[tuple[Any, Any, tuple[int, ...], Any]] = [
    (nn.Conv2d(2, 3, 3, bias=False), nn.BatchNorm2d(3), (4, 2, 5, 5), fuse_conv_bn_eval),
    (nn.Conv1d(2, 3, 2), nn.BatchNorm1d(3, affine=False), (4, 2, 5), fuse_conv_bn_eval),
    (
        nn.ConvTranspose2d(2, 3, 3),
        nn.BatchNorm2d(3),
        (4, 2, 5, 5),
        lambda conv, bn: fuse_conv_bn_eval(conv, bn, transpose=True),
    ),
    (nn.Linear(2, 3), nn.BatchNorm1d(3), (4, 2), fuse_linear_bn_eval),
]


@pytest.mark.parametrize(("layer", "norm", "shape", "fuse"), PAIRS)
def test_fused(layer: Any, norm: Any, shape: tuple[int, ...], fuse: Any) -> None:
    both = nn.Sequential(layer, norm).double()
    with pytest.raises(AssertionError, match="Fusion only for eval!"):
        fuse(layer, norm)
    for _ in range(3):
        both(torch.randn(*shape, dtype=torch.float64))
    both.eval()
    x = torch.randn(*shape, dtype=torch.float64)
    one = fuse(layer, norm)
    assert torch.allclose(one(x), both(x)) and isinstance(one.bias, nn.Parameter)
    assert one.weight is not layer.weight


def test_skip_init() -> None:
    assert isinstance(skip_init(nn.Linear, 2, 3), nn.Linear)
    with pytest.raises(RuntimeError, match="Expected a Module; got 3"):
        skip_init(3)
    with pytest.raises(RuntimeError, match="Module must support a 'device' arg"):
        skip_init(nn.ReLU)


def test_data_parallel_calls_its_module() -> None:
    layer = nn.Linear(2, 1)
    parallel = nn.DataParallel(layer)
    assert parallel(torch.ones(1, 2)).equal(layer(torch.ones(1, 2)))
    assert repr(parallel) == (
        "DataParallel(\n  (module): Linear(in_features=2, out_features=1, bias=True)\n)"
    )
