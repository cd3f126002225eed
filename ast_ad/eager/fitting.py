"""In which shape and dtype does a gradient arrive? In those of what it is the gradient of."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules.helpers import unbroadcast
from . import doors
from .tensor import Tensor


def fitted(g: Any, meta: tuple[Any, Any], graph: bool) -> Any:
    """A gradient in the shape and the dtype of what it is the gradient of."""
    shape, dtype = meta
    if g is None:
        return None
    if graph:
        own: Any = getattr(g, "_array", None)  # a rule that reads a shape only may answer with an array
        fits = own is not None and own.shape == shape
        fits = fits and (dtype is None or dtype == own.dtype)  # not `in`: None equals np.dtype(float)
        return g if fits else fitted_tensor(g, shape, dtype)
    if g.__class__ is not np.ndarray:
        g = np.asarray(g)
    if g.shape != shape:
        g = np.asarray(_summed_to(g, shape))
    if dtype is not None and g.dtype is not dtype and g.dtype != dtype:
        g = (g.real if g.dtype.kind == "c" and dtype.kind != "c" else g).astype(dtype)
    return g


def _summed_to(g: np.ndarray, shape: tuple[int, ...]) -> Any:
    """``g`` summed over the axes along which ``shape`` was broadcast; a lone number is repeated."""
    if not shape:
        return g.sum()
    extra = g.ndim - len(shape)
    if extra < 0:
        return np.broadcast_to(g, shape) if g.size == 1 else unbroadcast(g, _like(shape))
    wide = g.shape
    axes = tuple([i for i in range(g.ndim) if i < extra or shape[i - extra] == 1 != wide[i]])
    return g.sum(axes).reshape(shape) if axes else unbroadcast(g, _like(shape))


def _like(shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.False_, shape)


def fitted_tensor(g: Any, shape: tuple[int, ...], dtype: Any) -> Any:
    """As ``fitted``, recorded."""
    if not isinstance(g, Tensor):
        g = Tensor._of(np.asarray(g))
    if g._array.shape != shape:
        fn: Any = unbroadcast
        if g._array.ndim < len(shape):
            g = doors.call(np.broadcast_to, (g, shape))
        else:
            g = doors.call(fn, (g, _like(shape)))
    if dtype is not None and g._array.dtype != dtype:
        if g._array.dtype.kind == "c" and dtype.kind != "c":
            g = doors.call(np.real, (g,))
        g = g.to(dtype)
    return g
