"""What else do tensors carry for autograd? The dtype of a leaf's gradient, hooks; what can't be deleted."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any

from ..dtypes import dtype, dtype_of, scalar_name
from ..surface import attach
from ..tensor import NON_LEAF_GRAD, Tensor


def _grad_dtype(t: Any) -> Any:
    """The dtype of the gradient that a leaf accumulates; None if it takes any."""
    if not t.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    wanted = t._grad_dtype
    return None if wanted is None else dtype_of(t._array.dtype if wanted == "own" else wanted)


def _set_grad_dtype(t: Any, value: Any) -> None:
    if value is not None and not isinstance(value, dtype):
        raise RuntimeError(f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}")
    if not t.is_leaf:
        warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    wanted = None if value is None else value.dtype
    if wanted is not None and t._grad is not None and t._grad._array.dtype != wanted:
        given = scalar_name(t._grad._array.dtype).lower()
        raise RuntimeError(
            f"Cannot set grad_dtype to '{scalar_name(wanted)}' because there is already a gradient with "
            f"dtype '{given}'. Please clear the gradient (.grad = None) before changing grad_dtype, or "
            f"ensure "
            "the new grad_dtype matches the existing gradient's dtype."
        )
    t._grad_dtype = wanted
    node = None if t._accumulator is None else t._accumulator()
    if node is not None:
        node._meta = t._array.shape, wanted


def _backward_hooks(t: Any) -> Any:
    """The hooks of ``register_hook``, or None."""
    node = t.grad_fn
    if node is None:
        return t._hooks
    return None if node._hooks is None else node._hooks.tensor.get(t._nr)


def _set_backward_hooks(t: Any, hooks: Any) -> None:
    node = t.grad_fn
    if node is None:
        t._hooks = hooks
    elif hooks is None:
        node._hooked().tensor.pop(t._nr, None)
    else:
        node._hooked().tensor[t._nr] = hooks if isinstance(hooks, OrderedDict) else OrderedDict(hooks)


def _volatile(t: Any) -> bool:
    warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
    return False


def _set_volatile(t: Any, value: Any = None) -> None:
    text = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."
    warnings.warn(text, UserWarning, stacklevel=2)


def _refusing(text: str) -> Any:
    def refuse(t: Any) -> None:
        raise RuntimeError(text)

    return refuse


attach("grad_dtype", property(_grad_dtype, _set_grad_dtype))
attach("volatile", property(_volatile, _set_volatile, _set_volatile))
attach(
    "_backward_hooks",
    property(_backward_hooks, _set_backward_hooks, _refusing("Deletion of _backwards_hooks not allowed!")),
)
attach(
    "_grad_fn",
    property(
        lambda t: t.grad_fn, None, _refusing("Deletion of _grad_fn not allowed. Detach tensor instead!")
    ),
)
Tensor.data = Tensor.data.deleter(  # type: ignore[method-assign, attr-defined]
    _refusing("Deleting tensor data is not allowed. Delete tensor instead!")
)
Tensor.requires_grad = Tensor.requires_grad.deleter(  # type: ignore[method-assign, attr-defined]
    _refusing("requires_grad must be a bool")
)
