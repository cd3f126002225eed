"""Which axis does ``dim`` name? Checked as PyTorch does, 0-d tensors included."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable
from typing import Any

from ..tensor import Tensor

Dims = int | Iterable[int] | None


def axis_of(ndim: int, dim: Any) -> int:
    """``dim`` as a number that is not negative.

    >>> axis_of(3, -1)
    2
    """
    n = ndim or 1
    if dim.__class__ is not int:
        try:
            dim = operator.index(dim)  # a tensor with one integer, too
        except TypeError:
            raise TypeError(f"'dim' must be int, not {type(dim).__name__}") from None
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return int(dim) % n


def axes_of(ndim: int, dim: Dims) -> int | tuple[int, ...] | None:
    """The axes of a reduction over ``dim``; None: all, which an empty list means too.

    >>> axes_of(3, (0, -1)), axes_of(3, ()), axes_of(0, 0)
    ((0, 2), None, None)
    """
    if dim is None:
        return None
    if dim.__class__ is int or isinstance(dim, Tensor) or not isinstance(dim, Iterable):
        axis = axis_of(ndim, dim)
        return axis if ndim else None
    axes = tuple([axis_of(ndim, d) for d in dim])
    if len(set(axes)) != len(axes):
        twice = next(a for a in axes if axes.count(a) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return axes if axes and ndim else None


def numpy_names(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Let ``axis`` and ``keepdims`` stand for ``dim`` and ``keepdim``."""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            if "axis" in kwargs:
                kwargs["dim"] = kwargs.pop("axis")
            if "keepdims" in kwargs:
                kwargs["keepdim"] = kwargs.pop("keepdims")
        return fn(*args, **kwargs)

    return run
