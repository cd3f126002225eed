"""Are initial values distributed as they should be? Their moments and bounds, for a fixed seed."""

import functools
import math
import warnings

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.nn import init
from ast_ad.torch.nn.parameter import Parameter

FAN_IN, FAN_OUT = 300 * 4, 200 * 4
SQUARE = math.sqrt(2 / (FAN_IN + FAN_OUT))
GAIN = math.sqrt(2 / (1 + 0.25))


def filled(fill, *args, dtype=torch.float32, **kwargs):
    torch.manual_seed(0)
    p = Parameter(torch.empty(200, 300, 2, 2, dtype=dtype))
    assert fill(p, *args, **kwargs) is p
    assert p.grad_fn is None and p.requires_grad and p._version > 0 and p.dtype is dtype
    return p.detach().numpy().astype(np.float64)


NORMAL = {
    "normal": (lambda **k: filled(init.normal_, 2.0, 3.0, **k), 2.0, 3.0),
    "xavier": (lambda **k: filled(init.xavier_normal_, 1.5, **k), 0.0, 1.5 * SQUARE),
    "kaiming": (lambda **k: filled(init.kaiming_normal_, 0.5, **k), 0.0, GAIN / math.sqrt(FAN_IN)),
    "kaiming out": (
        lambda **k: filled(init.kaiming_normal_, mode="fan_out", nonlinearity="relu", **k),
        0.0,
        math.sqrt(2 / FAN_OUT),
    ),
}
UNIFORM = {
    "uniform": (lambda **k: filled(init.uniform_, 1.0, 3.0, **k), 1.0, 3.0),
    "xavier": (
        lambda **k: filled(init.xavier_uniform_, 1.5, **k),
        -1.5 * SQUARE * math.sqrt(3),
        1.5 * SQUARE * math.sqrt(3),
    ),
    "kaiming": (
        lambda **k: filled(init.kaiming_uniform_, 0.5, **k),
        -GAIN / math.sqrt(FAN_IN) * math.sqrt(3),
        GAIN / math.sqrt(FAN_IN) * math.sqrt(3),
    ),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", NORMAL)
def test_normal(name, dtype):
    make, mean, std = NORMAL[name]
    x = make(dtype=dtype)
    assert x.mean() == pytest.approx(mean, abs=0.02 * std)
    assert x.std() == pytest.approx(std, rel=0.02)
    assert (((x - mean) / std) ** 4).mean() == pytest.approx(3, rel=0.05)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", UNIFORM)
def test_uniform(name, dtype):
    make, low, high = UNIFORM[name]
    x = make(dtype=dtype)
    assert (
        low <= x.min() < low + 1e-3 * (high - low) and high - 1e-3 * (high - low) < x.max() <= high * 1.0001
    )
    assert x.mean() == pytest.approx((low + high) / 2, abs=0.005 * (high - low))
    assert x.std() == pytest.approx((high - low) / math.sqrt(12), rel=0.01)


@pytest.mark.parametrize("bounds", [(-2.0, 2.0), (-0.1, 3.0), (1.0, 1.5), (3.0, 5.0), (-9.0, -4.0)])
def test_truncated_normal(bounds):
    """Mean and variance of a truncated normal distribution, by numerical integration."""
    a, b = bounds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x = filled(init.trunc_normal_, 0.5, 1.2, a, b)
    grid = np.linspace(a, b, 100001)
    density = np.exp(-0.5 * ((grid - 0.5) / 1.2) ** 2)
    mean = (grid * density).sum() / density.sum()
    std = math.sqrt(((grid - mean) ** 2 * density).sum() / density.sum())
    assert np.float32(a) <= x.min() and x.max() <= np.float32(b)
    assert x.mean() == pytest.approx(mean, abs=0.01 * std) and x.std() == pytest.approx(std, rel=0.01)


def test_truncated_normal_far_off_warns():
    with pytest.warns(UserWarning, match="mean is more than 2 std from"):
        init.trunc_normal_(torch.empty(3), 0.0, 1.0, 4.0, 5.0)
    with pytest.raises(RuntimeError, match=r"expects to return a \[from, to\) range"):
        init.trunc_normal_(torch.empty(3), 0.0, 1.0, 1.0, -1.0)


@pytest.mark.parametrize("shape", [(5, 5), (3, 7), (7, 3), (4, 2, 3)])
def test_orthogonal(shape):
    torch.manual_seed(0)
    q = init.orthogonal_(torch.empty(*shape, dtype=torch.float64), gain=2.0).numpy().reshape(shape[0], -1)
    product = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)


def test_sparse():
    x = filled_matrix = init.sparse_(torch.empty(40, 60), 0.31, std=0.5).numpy()
    assert ((x == 0).sum(0) == 13).all() and filled_matrix[x != 0].std() == pytest.approx(0.5, rel=0.1)


def test_generators_are_used():
    names = ("uniform_", "normal_", "trunc_normal_", "xavier_uniform_", "kaiming_normal_", "orthogonal_")
    for fill in (functools.partial(init.sparse_, sparsity=0.2), *(getattr(init, name) for name in names)):
        first, second = (fill(torch.empty(4, 4), generator=torch.Generator().manual_seed(3)) for _ in "ab")
        np.testing.assert_array_equal(first.numpy(), second.numpy())


@pytest.mark.parametrize(
    "name", ["uniform", "normal", "eye", "xavier_uniform", "kaiming_normal", "orthogonal"]
)
def test_deprecated_names(name):
    with pytest.warns(
        FutureWarning, match=f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`."
    ):
        getattr(init, name)(torch.empty(3, 3))
