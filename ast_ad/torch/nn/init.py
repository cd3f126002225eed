"""With which values do parameters start? Functions that fill a tensor in place, unrecorded, and return it.

Xavier: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural networks" (2010).
Kaiming: He et al., "Delving deep into rectifiers" (2015). Orthogonal: Saxe et al., "Exact solutions to the
nonlinear dynamics of learning in deep linear neural networks" (2013). Sparse: Martens, "Deep learning via
Hessian-free optimization" (2010).
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...eager.modes import no_grad
from ...eager.operations import randomness
from ...eager.tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = {
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity wants the standard deviation of the weights before it scaled.

    ``param``: the negative slope of ``leaky_relu``, 0.01 by default.

    Raises:
        ValueError: no such nonlinearity, or ``param`` is no number.

    >>> calculate_gain("tanh")
    1.6666666666666667
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return gains[nonlinearity]


def _filled(tensor: Tensor, values: Any) -> Tensor:
    """Write an array of the tensor's shape into it."""
    with no_grad():
        return tensor.copy_(Tensor._of(np.asarray(values)))  # type: ignore[no-any-return]


# ----- distributions


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Numbers that are uniform between ``a`` and ``b``."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)  # type: ignore[no-any-return]


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Normally distributed numbers."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)  # type: ignore[no-any-return]


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Normally distributed numbers, given that they lie between ``a`` and ``b``."""
    if mean < a - 2 * std or mean > b + 2 * std:
        text = "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
        warnings.warn(f"{text}The distribution of values may be incorrect.", stacklevel=2)
    if a > b:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={a} > to={b}")
    numbers = randomness.generator(generator)
    x = tensor._array
    likely = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std) > 0.3
    draw = functools.partial(_normal_within if likely else _tail_within, numbers, mean, std, a, b)
    values = np.empty(x.size, x.dtype)
    pending = np.arange(x.size)
    while pending.size:
        drawn, accepted = draw(pending.size)
        values[pending[accepted]] = drawn[accepted]
        pending = pending[~accepted]
    return _filled(tensor, values.reshape(x.shape))


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _normal_within(numbers: Any, mean: float, std: float, a: float, b: float, n: int) -> tuple[Any, Any]:
    """``n`` normal numbers, and which of them lie within the bounds."""
    drawn = numbers.normal(mean, std, n)
    return drawn, (drawn >= a) & (drawn <= b)


def _tail_within(numbers: Any, mean: float, std: float, a: float, b: float, n: int) -> tuple[Any, Any]:
    """``n`` numbers within the bounds, and which of them to accept: the likelier, the denser."""
    drawn = numbers.uniform(a, b, n)
    peak = ((max(a, min(mean, b)) - mean) / std) ** 2
    accepted = np.log(1.0 - numbers.uniform(size=n)) <= 0.5 * (peak - ((drawn - mean) / std) ** 2)
    return drawn, accepted


# ----- fixed values


def constant_(tensor: Tensor, val: float) -> Tensor:
    """One number everywhere."""
    with no_grad():
        return tensor.fill_(val)  # type: ignore[no-any-return]


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    with no_grad():
        return tensor.zero_()  # type: ignore[no-any-return]


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix.

    >>> import ast_ad
    >>> eye_(ast_ad.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    _check_matrix(tensor)
    x = tensor._array
    return _filled(tensor, np.eye(*x.shape, dtype=x.dtype))


def _check_matrix(tensor: Tensor) -> None:
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """The weight of a convolution that passes its input channels on, as many as there are outputs.

    Raises:
        ValueError: not 3, 4 or 5 dimensions, or the first is no multiple of ``groups``.
    """
    x = tensor._array
    if x.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if x.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    per_group = x.shape[0] // groups
    passed = np.arange(min(per_group, x.shape[1]))
    middle = tuple(n // 2 for n in x.shape[2:])
    values = np.zeros(x.shape, x.dtype)
    for group in range(groups):
        values[(group * per_group + passed, passed, *middle)] = 1
    return _filled(tensor, values)


# ----- scaled by the number of inputs and outputs


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """To how many inputs an output is connected, and to how many outputs an input."""
    shape = tensor._array.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform numbers of variance ``gain**2 * 2 / (fan_in + fan_out)``.

    Raises:
        ValueError: fewer than 2 dimensions.
    """
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal numbers of variance ``gain**2 * 2 / (fan_in + fan_out)``."""
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor._array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform numbers of variance ``gain**2 / fan``.

    Args:
        tensor: what is filled; of at least 2 dimensions.
        a: the negative slope of ``leaky_relu``.
        mode: whether ``fan`` is "fan_in" or "fan_out".
        nonlinearity: what follows, which gives the gain.
        generator: where the random numbers come from.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal numbers of variance ``gain**2 / fan``; the arguments are those of ``kaiming_uniform_``."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


# ----- matrices


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """A random matrix with orthonormal rows or columns, times ``gain``; further dimensions are flattened.

    Raises:
        ValueError: fewer than 2 dimensions.
    """
    x = tensor._array
    if x.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if x.size == 0:
        return tensor
    rows, columns = x.shape[0], x.size // x.shape[0]
    drawn = randomness.generator(generator).normal(size=(max(rows, columns), min(rows, columns)))
    q, r = np.linalg.qr(drawn)
    q *= np.sign(np.diagonal(r))  # without it Q is not uniformly distributed (arXiv:math-ph/0609050)
    return _filled(tensor, (gain * (q.T if rows < columns else q)).reshape(x.shape).astype(x.dtype))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal numbers, and zeros in the fraction ``sparsity`` of each column.

    Raises:
        ValueError: not 2 dimensions.
    """
    _check_matrix(tensor)
    numbers = randomness.generator(generator)
    rows, columns = tensor._array.shape
    values = numbers.normal(0, std, (rows, columns))
    zeros = math.ceil(sparsity * rows)
    places = numbers.permuted(np.tile(np.arange(rows)[:, None], columns), axis=0)[:zeros]
    np.put_along_axis(values, places, 0, axis=0)
    return _filled(tensor, values.astype(tensor._array.dtype))


# ----- the names without underscore


def _deprecated(fill: Callable[..., Tensor]) -> Callable[..., Tensor]:
    name = fill.__name__[:-1]

    def run(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning, stacklevel=2
        )
        return fill(*args, **kwargs)

    run.__name__, run.__doc__ = name, f"The deprecated name of ``{name}_``."
    return run


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
