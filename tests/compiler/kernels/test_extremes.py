"""Are elements and derivatives in kernels NumPy's for infinities, NaN, zeros, tiny and huge numbers?"""

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.nn.functional as F

pytest.importorskip("numba", reason="the optional backend is not installed")


def relu(x):
    return F.relu(x)


def leaky_relu(x):
    return F.leaky_relu(x, 0.2)


def hardtanh(x):
    return F.hardtanh(x, -2.0, 3.0)


def hardsigmoid(x):
    return F.hardsigmoid(x)


def hardswish(x):
    return F.hardswish(x)


def hardshrink(x):
    return F.hardshrink(x)


def softshrink(x):
    return F.softshrink(x)


def threshold(x):
    return F.threshold(x, 0.5, -1.0)


def sigmoid(x):
    return F.sigmoid(x)


def logsigmoid(x):
    return F.logsigmoid(x)


def softplus(x):
    return F.softplus(x, 2.0)


def silu(x):
    return F.silu(x)


def mish(x):
    return F.mish(x)


def gelu(x):
    return F.gelu(x)


def gelu_by_tanh(x):
    return F.gelu(x, approximate="tanh")


def elu(x):
    return F.elu(x, 0.5)


def selu(x):
    return F.selu(x)


def root(x):
    return x**0.5


def root_of_cube(x):
    return x**1.5


def inverse_root(x):
    return x**-0.5


def inverse_root_of_cube(x):
    return x**-1.5


def share_of_root(x):
    return x / np.sqrt(x)


def zeroth_power(x):
    return x ** (x - x)


def masked_logarithm(x):
    return np.where(x > 0, np.log(x), 0.0)


ACTIVATIONS = [
    relu, leaky_relu, hardtanh, hardsigmoid, hardswish, hardshrink, softshrink, threshold, sigmoid,
    logsigmoid, softplus, silu, mish, gelu, gelu_by_tanh, elu, selu,
]  # fmt: skip
ARITHMETIC = [
    root, root_of_cube, inverse_root, inverse_root_of_cube, share_of_root, zeroth_power, masked_logarithm,
]  # fmt: skip
EDGES = [np.inf, -np.inf, np.nan, 0.0, -0.0, 0.5, -0.5, 1, -1, 2, 3, -3, 6, 20, -20, 21, 88, -88, 1e-20]


def numbers(dtype):
    """A vector that is long enough for vector instructions."""
    info = np.finfo(dtype)
    tiny, huge = info.smallest_normal / 64, info.max / 2
    return np.resize(np.array([*EDGES, tiny, -tiny, huge, -huge], dtype), 64)


def code_of(compiled):
    return "\n".join(line.partition("#")[0] for line in compiled.source.splitlines())


def moved_by_tanh(x):
    """How far GELU, ``x (1 + tanh u(x)) / 2``, and its slope move if each of two tanh is an ulp off.

    They lose digits where tanh is near -1, and tanh is rounded otherwise by NumPy on each processor. The
    slope is ``(1 + t) / 2 + x (1 - t**2) u' / 2``, by ``t`` it has the derivative ``1 / 2 - x t u'``.
    """
    unit = np.finfo(x.dtype).eps / 2  # between 1/2 and 1, where an ulp is largest
    x = x.astype(float)
    with np.errstate(all="ignore"):
        t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))
        by_t = 0.5 - x * t * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x**2)
        rounded = (1 - np.abs(t) > unit / 4) & (x != 0)  # else it is 1 or 0 however it is computed
    return np.where(rounded, 2 * unit * np.abs(x) / 2, 0), np.where(rounded, 2 * unit * np.abs(by_t), 0)


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("function", ACTIVATIONS + ARITHMETIC, ids=lambda f: f.__name__)
def test_elements_and_derivatives(function, dtype):
    def total(x):
        values = function(x)
        return np.sum(values), values

    with np.errstate(all="ignore"):
        (_, expected), slopes = ast_ad.value_and_grad(total, has_aux=True, backend="numpy")(numbers(dtype))
        compiled = ast_ad.value_and_grad(total, has_aux=True, backend="numba", fallback="error")
        (_, found), bars = compiled(numbers(dtype))
    assert "_kernel" in compiled.source
    if function in ACTIVATIONS:
        assert function.__name__.partition("_by")[0] + "(" not in code_of(compiled)
    info = np.finfo(dtype)
    of_value, of_slope = moved_by_tanh(numbers(dtype)) if function is gelu_by_tanh else (0.0, 0.0)
    least = 4 * info.smallest_normal
    for got, wanted, moved in ((found, expected, of_value), (bars, slopes, of_slope)):
        near = np.isclose(got, wanted, 64 * info.eps, least + moved, equal_nan=True)
        assert near.all(), (numbers(dtype)[~near], got[~near], wanted[~near])
    assert found.dtype == bars.dtype == dtype


def layer(x, weight, bias):
    return np.sum(F.relu(F.linear(x, weight, bias)) ** 2)


def test_a_layer_and_its_activation_are_one_loop():
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(20, 30)), rng.normal(size=(40, 30)), rng.normal(size=40)
    compiled = ast_ad.value_and_grad(layer, (0, 1, 2), backend="numba", fallback="error")
    value, bars = compiled(*arrays)
    expected, slopes = ast_ad.value_and_grad(layer, (0, 1, 2), backend="numpy")(*arrays)
    assert compiled.source.count("def layer_value_and_grad_kernel") == 1
    assert code_of(compiled).count("maximum(") == 1 and "relu(" not in code_of(compiled)
    np.testing.assert_allclose(value, expected)
    for a, b in zip(bars, slopes, strict=True):
        np.testing.assert_allclose(a, b)


def shares(x):
    first, second = F.softmax(x, dim=-1), F.log_softmax(x, dim=0)
    return np.sum(first) + np.sum(second), (first, second)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax(dtype):
    x = np.random.default_rng(0).normal(size=(8, 64)).astype(dtype)
    x[0, :5], x[1, 3], x[2, 4], x[3] = -np.inf, np.inf, np.nan, -np.inf
    x[4], x[5] = np.finfo(dtype).max / 2, np.finfo(dtype).smallest_normal / 64
    with np.errstate(all="ignore"):
        (_, expected), slopes = ast_ad.value_and_grad(shares, has_aux=True, backend="numpy")(x)
        compiled = ast_ad.value_and_grad(shares, has_aux=True, backend="numba", fallback="error")
        (_, found), bars = compiled(x)
    assert "softmax(" not in code_of(compiled)
    for a, b in zip((*found, bars), (*expected, slopes), strict=True):
        np.testing.assert_allclose(a, b, rtol=64 * np.finfo(dtype).eps, atol=16 * np.finfo(dtype).eps)
