"""Does a tensor fit where a user puts it?"""

from __future__ import annotations

import array
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..errors import UnsupportedError
from .array_classes import is_followed
from .dtypes import scalar_name

ARRAYS = np.ndarray, np.memmap
_NUMBERS = range, array.array


def type_name(value: Any) -> str:
    """The name of a value's type in messages: that of arrays is ``numpy.ndarray``."""
    kind = type(value)
    return f"numpy.{kind.__name__}" if kind.__module__ == "numpy" else kind.__name__


def require_arrays(values: Iterable[Any]) -> None:
    """Refuse what is an array to NumPy, but with operators of its own: masked arrays, matrices.

    Raises:
        UnsupportedError: there is one among the operands of a function that is traced.
    """
    for value in values:
        kind = type(value)
        if kind is tuple or kind is list:
            require_arrays(value)
        elif kind not in ARRAYS and issubclass(kind, np.ndarray) and not is_followed(kind):
            raise UnsupportedError(
                f"a {kind.__name__} together with a traced array",
                why="its operators do not mean what they mean for arrays",
                fix="use np.asarray(...) of it",
            )


def numbers_in_arrays(args: Sequence[Any]) -> Sequence[Any]:
    """Arguments with arrays for sequences of numbers, as NumPy takes them: rules calculate with them."""
    if any(type(a) in _NUMBERS for a in args):
        return [np.asarray(a) if type(a) in _NUMBERS else a for a in args]
    return args


def check_grad(t: Any, value: Any) -> None:
    """Refuse to store what can't be the gradient of ``t``.

    Raises:
        TypeError: no tensor.
        RuntimeError: another shape or dtype, or the tensor itself.
    """
    if not hasattr(type(value), "_is_eager_tensor"):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}"
        )
    if value is t:
        raise RuntimeError("can't assign Variable as its own grad")
    expected = t._array.dtype if t._grad_dtype == "own" else t._grad_dtype
    if expected is not None and value._array.dtype != expected:
        given, wanted = scalar_name(value._array.dtype).lower(), scalar_name(expected)
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{given}' to a tensor with grad_dtype '{wanted}'. "
            f"The "
            "gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set the "
            "tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set grad_dtype "
            "with caution. Diverging the dtypes of a tensor and its gradient may break downstream systems "
            "that "
            "assume they match."
        )
    if value._array.shape != t._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._array.shape)}' to a tensor of size "
            f"'{list(t._array.shape)}'. Please ensure that the gradient and the tensor are the same size"
        )


def refuse_shapes(error: ValueError, operands: Any) -> NoReturn:
    """Raise what PyTorch says of operands whose shapes don't fit; ``error`` itself, if they do.

    Raises:
        RuntimeError: names the first two lengths that differ, from the last axis on.
    """
    refuse_lengths(error, [np.shape(a) for a in operands])


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that all of these stretch to.

    Raises:
        RuntimeError: as ``refuse_shapes``.
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        refuse_lengths(error, shapes)


def refuse_lengths(error: ValueError, shapes: Sequence[tuple[int, ...]]) -> NoReturn:
    """``refuse_shapes``, by the shapes."""
    for k, first in enumerate(shapes):
        for second in shapes[k + 1 :]:
            ndim = max(len(first), len(second))
            for back in range(1, min(len(first), len(second)) + 1):
                a, b = first[-back], second[-back]
                if a != b and 1 not in (a, b):
                    raise RuntimeError(
                        f"The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton "
                        f"dimension {ndim - back}"
                    ) from None
    raise error


# Where and how a tensor lies: there is one device, and one way.
PLACEMENT = {"device", "layout", "pin_memory", "memory_format"}


def only_placement(name: str, options: dict[str, Any]) -> None:
    """Refuse what is left of the keywords of a call, if it is more than where the result is to lie."""
    for option in options:
        if option not in PLACEMENT:
            raise TypeError(f"{name}() got an unexpected keyword argument '{option}'")
