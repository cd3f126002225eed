"""In which order do the elements of images lie in memory? Channels before pixels, or behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .metadata import channels_last, channels_last_3d, contiguous_format

_LAST = {channels_last: (0, 2, 3, 1), channels_last_3d: (0, 2, 3, 4, 1)}


def in_format(shape: tuple[int, ...], dtype: Any, memory_format: Any) -> np.ndarray:
    """An empty array in a memory format."""
    if memory_format is contiguous_format:
        return np.empty(shape, dtype)
    order = _LAST.get(memory_format)
    if order is None:
        raise RuntimeError(f"unsupported memory format option {memory_format}")
    if len(shape) != len(order):
        raise RuntimeError(
            f"required rank {len(order)} tensor to use {str(memory_format).partition('.')[2]} format"
        )
    return np.empty([shape[i] for i in order], dtype).transpose(np.argsort(order))


def is_in_format(x: np.ndarray, memory_format: Any) -> bool:
    """Whether the elements lie in memory as a format says."""
    if memory_format is contiguous_format:
        return bool(x.flags.c_contiguous)
    order = _LAST.get(memory_format)
    if order is None or x.ndim != len(order):
        return False
    return bool(x.transpose(order).flags.c_contiguous)


def as_images_lie(out: Any, plain: Sequence[Any]) -> Any:
    """The result, or each of several, with the channels last in memory if those of an argument are."""
    for p in plain[:2]:  # images and kernels
        for memory_format, order in _LAST.items():
            if isinstance(p, np.ndarray) and p.ndim == len(order) and not p.flags.c_contiguous:
                if is_in_format(p, memory_format):
                    return _laid(out, memory_format)
    return out


def row_by_row(out: Any) -> Any:
    """The result, or each of several, with its elements row by row in memory."""
    if isinstance(out, tuple):
        parts = [row_by_row(part) for part in out]
        return type(out)(*parts) if hasattr(out, "_fields") else tuple(parts)
    return np.array(out, order="C") if isinstance(out, np.ndarray) and not out.flags.c_contiguous else out


def _laid(out: Any, memory_format: Any) -> Any:
    if isinstance(out, tuple):
        parts = [_laid(part, memory_format) for part in out]
        return type(out)(*parts) if hasattr(out, "_fields") else tuple(parts)
    if not isinstance(out, np.ndarray) or out.ndim != len(_LAST[memory_format]):
        return out
    laid = in_format(out.shape, out.dtype, memory_format)
    laid[...] = out
    return laid
