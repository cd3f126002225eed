"""Which activation functions does ``nn.functional`` have? All of them; here the smooth ones."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.operations import activations as eager
from ....eager.operations.activations import check, run
from ....eager.operations.dimensions import axis_of
from ....eager.operations.pointwise import require_tensor
from ....eager.operations.randomness import generator
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from ....rules.networks import activations as rules
from . import piecewise
from .piecewise import *  # noqa: F403
from .surface import functional

__all__ = [
    "celu", "celu_", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "log_softmax", "logsigmoid", "mish",
    "selu", "selu_", "sigmoid", "silu", "softmax", "softmin", "softplus", "softsign", "tanh", "tanhshrink",
    *piecewise.__all__,
]  # fmt: skip

GLU = Operation(rules.gated, "GluBackward0")
_sigmoid, _tanh = FUNCTIONS["sigmoid"], FUNCTIONS["tanh"]


# ----- element by element


@functional(rules.elu)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input) - 1)``.

    >>> import ast_ad
    >>> elu(ast_ad.tensor([-1000.0, 2.0]))
    tensor([-1.,  2.])
    """
    return run("elu", eager.ELU, input, (alpha,), inplace)


@functional(rules.selu)
def selu(input: Tensor, inplace: bool = False) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1.

    >>> import ast_ad
    >>> selu(ast_ad.tensor([1.0]))
    tensor([1.0507])
    """
    return eager.selu(input, inplace)


@functional(rules.celu)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    >>> import ast_ad
    >>> celu(ast_ad.tensor([-1000.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return eager.celu(input, alpha, inplace)


@functional(rules.gelu)
def gelu(input: Tensor, approximate: str = "none") -> Any:
    """``input`` times the normal distribution function of it.

    Args:
        approximate: 'none', or 'tanh' for an approximation.

    >>> import ast_ad
    >>> gelu(ast_ad.tensor([1.0]))
    tensor([0.8413])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return run("gelu", eager.GELU, input, () if approximate == "none" else (approximate,))


@functional(rules.silu)
def silu(input: Tensor, inplace: bool = False) -> Any:
    """``input * sigmoid(input)``.

    >>> import ast_ad
    >>> silu(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return run("silu", eager.SILU, input, (), inplace)


@functional(rules.mish)
def mish(input: Tensor, inplace: bool = False) -> Any:
    """``input * tanh(softplus(input))``.

    >>> import ast_ad
    >>> mish(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return run("mish", eager.MISH, input, (), inplace)


@functional(rules.softplus)
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta * input)) / beta``, and ``input`` where ``beta * input`` exceeds ``threshold``.

    >>> import ast_ad
    >>> softplus(ast_ad.tensor([0.0, 100.0]))
    tensor([  0.6931, 100.0000])
    """
    return run("softplus", eager.SOFTPLUS, input, (beta, threshold))


@functional(rules.logsigmoid)
def logsigmoid(input: Tensor) -> Any:
    """``log(sigmoid(input))``, exact where that is tiny.

    >>> import ast_ad
    >>> logsigmoid(ast_ad.tensor([-1000.0]))
    tensor([-1000.])
    """
    return run("logsigmoid", eager.LOGSIGMOID, input)


@functional(rules.sigmoid)
def sigmoid(input: Tensor) -> Any:
    """``1 / (1 + exp(-input))``.

    >>> import ast_ad
    >>> sigmoid(ast_ad.tensor([0.0]))
    tensor([0.5000])
    """
    return _sigmoid(input)


@functional(rules.tanh)
def tanh(input: Tensor) -> Any:
    """The hyperbolic tangent.

    >>> import ast_ad
    >>> tanh(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return _tanh(input)


@functional(rules.softsign)
def softsign(input: Tensor) -> Any:
    """``input / (1 + abs(input))``.

    >>> import ast_ad
    >>> softsign(ast_ad.tensor([1.0]))
    tensor([0.5000])
    """
    return eager.softsign(input)


@functional(rules.tanhshrink)
def tanhshrink(input: Tensor) -> Any:
    """``input - tanh(input)``.

    >>> import ast_ad
    >>> tanhshrink(ast_ad.tensor([0.0]))
    tensor([0.])
    """
    return eager.tanhshrink(input)


# ----- along a dimension


@functional(rules.glu)
def glu(input: Tensor, dim: int = -1) -> Any:
    """The first half of ``input`` along ``dim`` times the sigmoid of the second.

    Shapes: ``(..., 2 * n) -> (..., n)``.

    Raises:
        RuntimeError: the length along ``dim`` is odd.

    >>> import ast_ad
    >>> glu(ast_ad.tensor([3.0, 0.0]))
    tensor([1.5000])
    """
    require_tensor("glu", input)
    x = input._array
    if x.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    check("glu", input)
    axis = axis_of(x.ndim, dim)
    if x.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {x.shape[axis]}")
    return apply(GLU, (input, axis))


def _along(name: str, op: Operation, input: Any, dim: int | None, stacklevel: int, dtype: Any) -> Any:
    """A softmax, with a warning where its dimension is left open."""
    require_tensor(name, input)
    if dim is None:
        warnings.warn(
            f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as "
            "an argument.",
            stacklevel=stacklevel + 1,
        )
    if name == "softmin":
        name, input = "softmax", -input
    return eager.along(name, op, input, dim, dtype)


@functional(rules.softmax)
def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``exp(input) / exp(input).sum(dim)``, without overflow.

    Shapes: ``(...) -> (...)``.

    Args:
        input: any tensor.
        dim: the dimension along which the result sums to 1.
        dtype: to convert ``input`` to first.

    >>> import ast_ad
    >>> softmax(ast_ad.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _along("softmax", eager.SOFTMAX, input, dim, _stacklevel, dtype)


@functional(rules.softmin)
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``softmax(-input, dim)``.

    Shapes: ``(...) -> (...)``.

    >>> import ast_ad
    >>> softmin(ast_ad.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _along("softmin", eager.SOFTMAX, input, dim, _stacklevel, dtype)


@functional(rules.log_softmax)
def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``log(softmax(input, dim))``, exact where the softmax is tiny.

    Shapes: ``(...) -> (...)``.

    >>> import ast_ad
    >>> log_softmax(ast_ad.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _along("log_softmax", eager.LOG_SOFTMAX, input, dim, _stacklevel, dtype)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Any:
    """A sample of the distribution of classes that the logits describe, through which gradients flow.

    Shapes: ``(...) -> (...)``.

    Args:
        logits: unnormalised logarithms of probabilities.
        tau: the temperature; the lower, the closer to one class.
        hard: whether the result is 1 for one class and 0 for the others; its gradient is that of the soft
            sample.
        eps: has no effect.
        dim: the dimension of the classes.

    >>> import ast_ad
    >>> gumbel_softmax(ast_ad.zeros(3, 4), hard=True).sum(-1)
    tensor([1., 1., 1.])
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    x = logits._array
    drawn = -np.log(generator(None).exponential(size=x.shape)).astype(x.dtype)
    soft = softmax((logits + Tensor._of(drawn)) / tau, dim)
    if not hard:
        return soft
    largest = np.expand_dims(soft._array.argmax(dim), dim)
    chosen = np.zeros_like(soft._array)
    np.put_along_axis(chosen, largest, 1, dim)
    return Tensor._of(chosen) - soft.detach() + soft


# ----- in place


def elu_(input: Tensor, alpha: float = 1.0) -> Any:
    """``elu`` in place."""
    return elu(input, alpha, True)


def selu_(input: Tensor) -> Any:
    """``selu`` in place."""
    return selu(input, True)


def celu_(input: Tensor, alpha: float = 1.0) -> Any:
    """``celu`` in place."""
    return celu(input, alpha, True)
