"""What are the activation functions of ``nn.functional``, on arrays? PyTorch's parameters, our rules.

Those with ``inplace`` refuse it: an array is never changed.

Index: relu relu6 elu selu celu leaky_relu prelu rrelu gelu silu mish softplus logsigmoid hardtanh hardsigmoid
hardswish hardshrink softshrink softsign tanhshrink threshold glu sigmoid tanh softmax softmin log_softmax.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..helpers import astype
from ..registry import program, vjp
from ..torch import activations as by_element, softmax as along

# ----- gated -----


def gated(x: Any, axis: int = -1) -> Any:
    """The first half of ``x`` along ``axis`` times the sigmoid of the second.

    >>> gated(np.array([3.0, 0.0]))
    array([1.5])
    """
    value, gate = np.split(x, 2, axis)
    return value * by_element.sigmoid(gate)


@vjp(gated)
def gated_rule(g, ans, x, axis=-1):
    value, gate = np.split(x, 2, axis)
    s = by_element.sigmoid(gate)
    return np.concatenate((g * s, g * value * s * (1 - s)), axis), None


# ----- element by element -----


def refuse_inplace(inplace: bool) -> None:
    """Raise for ``inplace``: arrays are not changed.

    >>> refuse_inplace(False)
    """
    if inplace:
        raise ValueError("inplace=True changes tensors; of an array, use the result instead")


@program
def relu(input: Any, inplace: bool = False) -> Any:
    """``max(input, 0)``.

    >>> relu(np.array([-1.0, 2.0]))
    array([0., 2.])
    """
    refuse_inplace(inplace)
    return by_element.relu(input)


@program
def relu6(input: Any, inplace: bool = False) -> Any:
    """``min(max(input, 0), 6)``.

    >>> relu6(np.array([-1.0, 7.0]))
    array([0., 6.])
    """
    refuse_inplace(inplace)
    return by_element.hardtanh(input, 0.0, 6.0)


@program
def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input) - 1)``.

    >>> elu(np.array([-1000.0, 2.0]))
    array([-1.,  2.])
    """
    refuse_inplace(inplace)
    return by_element.elu(input, alpha)


@program
def selu(input: Any, inplace: bool = False) -> Any:
    """The ``elu`` whose constants keep the mean 0 and the variance 1.

    >>> selu(np.array([0.0]))
    array([0.])
    """
    refuse_inplace(inplace)
    return by_element.selu(input)


@program
def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    >>> celu(np.array([0.0]), 2.0)
    array([0.])
    """
    refuse_inplace(inplace)
    return by_element.celu(input, alpha)


@program
def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``negative_slope * input``.

    >>> leaky_relu(np.array([-1.0, 2.0]), 0.5)
    array([-0.5,  2. ])
    """
    refuse_inplace(inplace)
    return by_element.leaky_relu(input, negative_slope)


@program
def prelu(input: Any, weight: Any) -> Any:
    """``leaky_relu`` whose slope is learned: one number, or one for each channel (axis 1).

    >>> prelu(np.array([[-1.0, -1.0]]), np.array([0.5, 2.0]))
    array([[-0.5, -2. ]])
    """
    return by_element.prelu(input, weight)


@program
def rrelu(
    input: Any, lower: float = 0.125, upper: float = 1 / 3, training: bool = False, inplace: bool = False
) -> Any:
    """``leaky_relu`` whose slope is the mean of ``lower`` and ``upper``; drawn in training, not on arrays.

    >>> rrelu(np.array([-1.0]), 0.5, 1.5)
    array([-1.])
    """
    refuse_inplace(inplace)
    if training:
        raise ValueError("rrelu of an array draws no random slopes: call it with training=False")
    return by_element.leaky_relu(input, (lower + upper) / 2)


@program
def gelu(input: Any, approximate: str = "none") -> Any:
    """``input`` times the normal distribution function of it; ``approximate="tanh"``: by a tanh.

    >>> gelu(np.array([0.0]))
    array([0.])
    """
    return by_element.gelu(input, approximate)


@program
def silu(input: Any, inplace: bool = False) -> Any:
    """``input * sigmoid(input)``.

    >>> silu(np.array([0.0]))
    array([0.])
    """
    refuse_inplace(inplace)
    return by_element.silu(input)


@program
def mish(input: Any, inplace: bool = False) -> Any:
    """``input * tanh(softplus(input))``.

    >>> mish(np.array([0.0]))
    array([0.])
    """
    refuse_inplace(inplace)
    return by_element.mish(input)


@program
def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """``log(1 + exp(beta * input)) / beta``, and ``input`` where ``beta * input`` exceeds ``threshold``.

    >>> softplus(np.array([-1000.0, 1000.0]))
    array([   0., 1000.])
    """
    return by_element.softplus(input, beta, threshold)


@program
def logsigmoid(input: Any) -> Any:
    """``log(sigmoid(input))``, exact where that is tiny.

    >>> logsigmoid(np.array([-1000.0]))
    array([-1000.])
    """
    return by_element.logsigmoid(input)


@program
def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """``input`` confined to ``[min_val, max_val]``, with derivative 0 at both.

    >>> hardtanh(np.array([-3.0, 0.5, 3.0]))
    array([-1. ,  0.5,  1. ])
    """
    refuse_inplace(inplace)
    return by_element.hardtanh(input, min_val, max_val)


@program
def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """``relu6(input + 3) / 6``.

    >>> hardsigmoid(np.array([-4.0, 0.0, 4.0]))
    array([0. , 0.5, 1. ])
    """
    refuse_inplace(inplace)
    return by_element.hardsigmoid(input)


@program
def hardswish(input: Any, inplace: bool = False) -> Any:
    """``input * hardsigmoid(input)``.

    >>> hardswish(np.array([0.0, 3.0]))
    array([0., 3.])
    """
    refuse_inplace(inplace)
    return by_element.hardswish(input)


@program
def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input``, but 0 between ``-lambd`` and ``lambd``.

    >>> hardshrink(np.array([-1.0, 0.5]))
    array([-1.,  0.])
    """
    return by_element.hardshrink(input, lambd)


@program
def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input`` moved towards 0 by ``lambd``, and 0 between.

    >>> softshrink(np.array([-1.0, 0.25]))
    array([-0.5,  0. ])
    """
    return by_element.softshrink(input, lambd)


@program
def softsign(input: Any) -> Any:
    """``input / (1 + abs(input))``.

    >>> softsign(np.array([1.0]))
    array([0.5])
    """
    return by_element.softsign(input)


@program
def tanhshrink(input: Any) -> Any:
    """``input - tanh(input)``.

    >>> tanhshrink(np.array([0.0]))
    array([0.])
    """
    return by_element.tanhshrink(input)


@program
def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """``input`` where it is above ``threshold``, else ``value``.

    >>> threshold(np.array([1.0, 3.0]), 1.0, -5.0)
    array([-5.,  3.])
    """
    refuse_inplace(inplace)
    return by_element.threshold(input, threshold, value)


@program
def sigmoid(input: Any) -> Any:
    """``1 / (1 + exp(-input))``.

    >>> sigmoid(np.array([0.0]))
    array([0.5])
    """
    return by_element.sigmoid(input)


@program
def tanh(input: Any) -> Any:
    """The hyperbolic tangent.

    >>> tanh(np.array([0.0]))
    array([0.])
    """
    return np.tanh(input)


# ----- along an axis -----


@program
def glu(input: Any, dim: int = -1) -> Any:
    """The first half of ``input`` along ``dim`` times the sigmoid of the second.

    >>> glu(np.array([3.0, 0.0]))
    array([1.5])
    """
    return gated(input, dim)


def axis_for(ndim: int, dim: int | None) -> int:
    """The axis that a softmax without ``dim`` is taken along.

    >>> axis_for(3, None), axis_for(4, None), axis_for(4, 3)
    (0, 1, 3)
    """
    if dim is not None:
        return dim
    return 0 if ndim in (0, 1, 3) else 1


@program
def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``exp(input) / exp(input).sum(dim)``.

    >>> softmax(np.array([1000.0, 1000.0]), 0)
    array([0.5, 0.5])
    """
    x = input if dtype is None else astype(input, dtype)
    return along.softmax(x, axis_for(np.ndim(input), dim))


@program
def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``softmax(-input, dim)``.

    >>> softmin(np.array([1.0, 1.0]), 0)
    array([0.5, 0.5])
    """
    x = input if dtype is None else astype(input, dtype)
    return along.softmax(-x, axis_for(np.ndim(input), dim))


@program
def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """``log(softmax(input, dim))``, exact where the softmax is tiny.

    >>> log_softmax(np.array([0.0, 1000.0]), 0)
    array([-1000.,     0.])
    """
    x = input if dtype is None else astype(input, dtype)
    return along.log_softmax(x, axis_for(np.ndim(input), dim))
