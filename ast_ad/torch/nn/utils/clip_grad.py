"""How are gradients kept from exploding? They are scaled down to a norm, or clipped element by element."""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ....eager.modes import no_grad
from ....eager.state import restore, silence
from ....eager.tensor import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Tensors = Tensor | Iterable[Tensor]


def _listed(tensors: Tensors) -> list[Any]:
    return [tensors] if isinstance(tensors, Tensor) else list(tensors)


def _grads(parameters: Tensors) -> list[Any]:
    return [p.grad for p in _listed(parameters) if p.grad is not None]


def _norm(x: np.ndarray, order: float) -> Any:
    """The norm of all elements of an array, in its dtype."""
    if order == 2.0:
        flat = x.ravel(order="K")
        square = np.vdot(flat, flat).real
        if 0 < square < math.inf:
            return np.sqrt(square)
        flat = np.abs(flat).astype(np.float64)  # the squares may be out of the range of float32
        return np.sqrt(np.dot(flat, flat)).astype(square.dtype)
    if x.size == 0:
        return np.zeros((), x.real.dtype)
    return np.linalg.norm(x.ravel(), order).astype(x.real.dtype)


def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Any:
    """The norm of tensors as if they were one vector.

    Args:
        tensors: one or several.
        norm_type: the order of the norm; ``inf`` is the largest absolute value.
        error_if_nonfinite: whether a norm that is infinite or NaN is an error.
        foreach: accepted for PyTorch's sake, and ignored.

    Raises:
        RuntimeError: see ``error_if_nonfinite``.

    >>> import ast_ad
    >>> get_total_norm([ast_ad.tensor([3.0]), ast_ad.tensor([4.0])])
    tensor(5.)
    """
    order = float(norm_type)
    arrays = [t._array for t in _listed(tensors)]
    if not arrays:
        return Tensor._of(np.zeros((), np.float32))
    token = silence()
    try:
        total = _norm(np.array([_norm(x, order) for x in arrays]), order)
    finally:
        restore(token)
    if error_if_nonfinite and not np.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {order} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return Tensor._of(total)


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Any, foreach: bool | None = None
) -> None:
    """Scale the gradients of parameters by ``max_norm / (total_norm + 1e-6)`` if that is less than 1."""
    with no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for grad in _grads(parameters):
            if grad._inference:
                grad.mul_(factor)
            else:
                _scale(grad, factor._array)


def _scale(grad: Any, factor: np.ndarray) -> None:
    """Multiply a gradient without a copy of it."""
    x = grad._array
    if factor != 1.0:
        token = silence()
        try:
            np.multiply(x, factor.astype(x.dtype, copy=False), out=x)
        finally:
            restore(token)
    grad._version_counter[0] += 1


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Scale the gradients of parameters, in place, so that their common norm is at most ``max_norm``.

    Args:
        parameters: one or several; those without gradient don't count.
        max_norm: the largest norm.
        norm_type: the order of the norm; ``inf`` is the largest absolute value.
        error_if_nonfinite: whether a norm that is infinite or NaN is an error.
        foreach: accepted for PyTorch's sake, and ignored.

    Returns:
        The norm before.

    Raises:
        RuntimeError: see ``error_if_nonfinite``.

    >>> import ast_ad
    >>> x = ast_ad.tensor([3.0, 4.0], requires_grad=True)
    >>> x.grad = ast_ad.tensor([3.0, 4.0])
    >>> clip_grad_norm_(x, 1.0), x.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    found = _listed(parameters)
    if not found and isinstance(parameters, types.GeneratorType):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", UserWarning, stacklevel=2
        )
    total = get_total_norm(_grads(found), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(found, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """The deprecated name of ``clip_grad_norm_``."""
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of `torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clip the gradients of parameters, in place, to the range from ``-clip_value`` to ``clip_value``.

    >>> import ast_ad
    >>> x = ast_ad.tensor([3.0, 4.0], requires_grad=True)
    >>> x.grad = ast_ad.tensor([-3.0, 0.5])
    >>> clip_grad_value_(x, 1.0)
    >>> x.grad
    tensor([-1.0000,  0.5000])
    """
    value = float(clip_value)
    with no_grad():
        for grad in _grads(parameters):
            grad.clamp_(-value, value)
