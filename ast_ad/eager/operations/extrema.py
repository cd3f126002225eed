"""Which elements are the largest, the middle one, the most frequent, and how does a tensor look sorted?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import (
    elementwise as torch_elementwise,
    order as torch_order,
    reads as torch_reads,
    steps as torch_steps,
)
from ..dispatch import Operation, apply, promoted, unary
from ..dtypes import result_dtype
from ..surface import function
from ..tensor import Tensor
from . import return_types
from .dimensions import axes_of, axis_of, numpy_names
from .pointwise import floating, require_tensor
from .reductions import options
from .refusals import check_kind

MAX = Operation(np.max, "MaxBackward1", rule=torch_reads.whole_extremum)
MIN = Operation(np.min, "MinBackward1", rule=torch_reads.whole_extremum)
AMAX = Operation(np.max, "AmaxBackward0")
AMIN = Operation(np.min, "AminBackward0")
BOTH = tuple(Operation(fn, "AminmaxBackward0") for fn in (np.min, np.max))
MAX_ALONG = Operation(torch_order.max_along, "MaxBackward0")
MIN_ALONG = Operation(torch_order.min_along, "MinBackward0")
MAXIMUM = Operation(torch_elementwise.maximum, "MaximumBackward0", ("self", "other"))
MINIMUM = Operation(torch_elementwise.minimum, "MinimumBackward0", ("self", "other"))
MEDIAN = Operation(torch_order.median, "MedianBackward0")
NANMEDIAN = Operation(torch_order.nanmedian, "NanmedianBackward0")
MEDIAN_ALONG = Operation(torch_order.median_along, "MedianBackward1")
NANMEDIAN_ALONG = Operation(torch_order.nanmedian_along, "NanmedianBackward1")
MODE = Operation(torch_order.mode, "ModeBackward0")
KTHVALUE = Operation(torch_order.kthvalue, "KthvalueBackward0", ("self", "k"))
SORT = Operation(torch_order.sort, "SortBackward0")
STABLE_SORT = Operation(torch_order.sort, "SortBackward1")
COUNTS = Operation(torch_steps.distinct, "NotImplemented")
UNIQUE, UNIQUE_DIM, UNIQUE_CONSECUTIVE = (
    (Operation(torch_steps.distinct, node), name)
    for node, name in (
        ("Unique2Backward0", "_unique2"),
        ("UniqueDimBackward0", "unique_dim"),
        ("UniqueConsecutiveBackward0", "unique_consecutive"),
    )
)
TOPK = Operation(torch_order.topk, "TopkBackward0", ("self", "k"))
CUMMAX = Operation(torch_order.cummax, "CummaxBackward0", rows=True)
CUMMIN = Operation(torch_order.cummin, "CumminBackward0", rows=True)
QUANTILE = Operation(np.quantile, "QuantileBackward0", ("self", "q"))
NANQUANTILE = Operation(np.nanquantile, "NanquantileBackward0", ("self", "q"))


for _op in (
    MAX_ALONG,
    MIN_ALONG,
    MEDIAN_ALONG,
    NANMEDIAN_ALONG,
    MODE,
    KTHVALUE,
    SORT,
    STABLE_SORT,
    TOPK,
    CUMMAX,
    CUMMIN,
):
    _op.results = ("", "indices")


def _not_empty(name: str, input: Tensor, axis: Any) -> None:
    shape = input._array.shape
    if input._array.size:
        return
    if axis is None:
        missing = f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        if name.startswith("arg"):
            raise IndexError(missing)
        raise RuntimeError(f"{missing} Specify the reduction dim with the 'dim' argument.")
    for i in axis if isinstance(axis, tuple) else (axis,):
        if shape[i] == 0:
            raise IndexError(f"{name}(): Expected reduction dim {i} to have non-zero size.")


def _along(op: Operation, kind: Any, name: str, input: Tensor, dim: int, keepdim: bool, **more: Any) -> Any:
    """Values and indices along one dimension, as a named tuple."""
    check_kind(f"{name}_along" if name in ("max", "min") else name, input._array.dtype)
    axis = axis_of(input._array.ndim, dim)
    _not_empty(name, input, axis)
    return kind(*apply(op, (input,), {"axis": axis, "keepdims": keepdim, **more}))


def _extremum(
    name: str, whole: Operation, along: Operation, pair: Operation, kind: Any
) -> Callable[..., Any]:
    """``max`` and ``min``: of all elements, along a dimension, or of two tensors."""

    @numpy_names
    def run(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        require_tensor(name, input)
        other = dim if isinstance(dim, Tensor) else other
        if other is not None:
            check_kind(f"{name}imum", result_dtype(input, other))
            return promoted(pair, input, other)
        if dim is not None:
            return _along(along, kind, name, input, dim, keepdim)
        check_kind(name, input._array.dtype)
        _not_empty(name, input, None)
        return unary(whole, input)

    run.__name__ = name
    run.__doc__ = f"The {name}imum of all elements, along ``dim`` with its indices, or of two tensors."
    return run


max = function("max")(_extremum("max", MAX, MAX_ALONG, MAXIMUM, return_types.max))
min = function("min")(_extremum("min", MIN, MIN_ALONG, MINIMUM, return_types.min))


def _over(name: str, input: Tensor, dim: Any, keepdim: bool, *ops: Operation) -> list[Any]:
    """Extrema over dimensions."""
    require_tensor(name, input)
    check_kind(name, input._array.dtype)
    how = options(input, dim, keepdim)
    _not_empty(name, input, how["axis"])
    return [apply(op, (input,), how) for op in ops]


@function()
@numpy_names
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest elements over ``dim``; those that are equally large share the gradient.
    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``."""
    return _over("amax", input, dim, keepdim, AMAX)[0]


@function()
@numpy_names
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    """The smallest elements over ``dim``; those that are equally small share the gradient.
    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``."""
    return _over("amin", input, dim, keepdim, AMIN)[0]


@function()
@numpy_names
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """``amin`` and ``amax``.
    Shapes: ``(...) -> (), ()``; ``dim=-1``: ``(..., n) -> (...), (...)``, ``keepdim=True``:
    ``(..., n) -> (..., 1), (..., 1)``."""
    check_kind("aminmax", input._array.dtype)
    if not isinstance(dim, (int, type(None))):
        raise TypeError(f"aminmax(): argument 'dim' must be int, not {type(dim).__name__}")
    return return_types.aminmax(*_over("aminmax", input, dim, keepdim, *BOTH))


def _arg(name: str, fn: Callable[..., Any]) -> Callable[..., Any]:
    @numpy_names
    def run(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
        require_tensor(name, input)
        check_kind(name, input._array.dtype)
        axis = None if dim is None else axes_of(input._array.ndim, axis_of(input._array.ndim, dim))
        _not_empty(name, input, axis)
        return Tensor._of(fn(input._array, axis=axis, keepdims=keepdim))

    run.__name__ = name
    run.__doc__ = f"The index of the first {name[3:]}imum, of all elements or along ``dim``."
    return run


argmax = function("argmax")(_arg("argmax", np.argmax))
argmin = function("argmin")(_arg("argmin", np.argmin))


# ----- order statistics


@function()
@numpy_names
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of all elements, or along ``dim`` with its indices.
    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...), (...)``, ``keepdim=True``:
    ``(..., n) -> (..., 1), (..., 1)``."""
    require_tensor("median", input)
    check_kind("median", input._array.dtype)
    if dim is None:
        return apply(MEDIAN, (input,))
    return _along(MEDIAN_ALONG, return_types.median, "median", input, dim, keepdim)


@function()
@numpy_names
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of all elements that are not NaN, or along ``dim`` with its indices.
    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...), (...)``, ``keepdim=True``:
    ``(..., n) -> (..., 1), (..., 1)``."""
    require_tensor("nanmedian", input)
    check_kind("median", input._array.dtype)
    if dim is None:
        return apply(NANMEDIAN, (input,))
    return _along(NANMEDIAN_ALONG, return_types.nanmedian, "nanmedian", input, dim, keepdim)


@function()
@numpy_names
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent elements along ``dim`` and an index of each: ``(..., n) -> (...), (...)``."""
    return _along(MODE, return_types.mode, "mode", input, dim, keepdim)


@function()
@numpy_names
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The ``k``-th smallest elements along ``dim`` and their indices: ``(..., n) -> (...), (...)``."""
    return _along(KTHVALUE, return_types.kthvalue, "kthvalue", input, dim, keepdim, k=k)


def _quantile(op: Operation, input: Tensor, q: Any, dim: Any, keepdim: bool, interpolation: str) -> Any:
    x = input._array
    if x.dtype.kind != "f":
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if not x.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    levels = q._array if isinstance(q, Tensor) else np.asarray(q, x.dtype)
    if np.any((levels < 0) | (levels > 1)):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    how = {**options(input, dim, keepdim), "method": interpolation}
    return apply(op, (input, q if isinstance(q, Tensor) else Tensor._of(levels)), how)


@function()
@numpy_names
def quantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """The quantiles at the levels ``q``, of all elements or along ``dim``.
    Shapes: ``(...), (q) -> (q)``, ``(...), () -> ()``; ``dim=-1``: ``(..., n), (q) -> (q, ...)``."""
    return _quantile(QUANTILE, input, q, dim, keepdim, interpolation)


@function()
@numpy_names
def nanquantile(
    input: Tensor, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """``quantile`` of the elements that are not NaN.
    Shapes: ``(...), (q) -> (q)``, ``(...), () -> ()``; ``dim=-1``: ``(..., n), (q) -> (q, ...)``."""
    return _quantile(NANQUANTILE, input, q, dim, keepdim, interpolation)


# ----- sorting


@function()
@numpy_names
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The elements in order along ``dim``, and where each of them was: ``(..., n) -> (..., n), (..., n)``."""
    check_kind("sort", input._array.dtype)
    how = {"axis": axis_of(input._array.ndim, dim), "descending": descending}
    return return_types.sort(*apply(STABLE_SORT if stable else SORT, (input,), how))


@function()
@numpy_names
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that put the elements in order along ``dim``: ``(..., n) -> (..., n)``."""
    check_kind("sort", input._array.dtype)
    axis = axis_of(input._array.ndim, dim)
    order = torch_order.ordering(input._array, axis, descending)
    return Tensor._of(order)


@function()
def msort(input: Tensor) -> Any:
    """The elements in order along the first dimension: ``(n, ...) -> (n, ...)``."""
    return sort(input, 0)[0]


@function()
@numpy_names
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The ``k`` largest (or smallest) elements along ``dim``, and where each of them was.
    Shapes: ``(..., n) -> (..., k), (..., k)``."""
    check_kind("topk", input._array.dtype)
    how = {"k": int(k), "axis": axis_of(input._array.ndim, dim), "largest": largest}
    return return_types.topk(*apply(TOPK, (input,), how))


@function()
@numpy_names
def cummax(input: Tensor, dim: int) -> Any:
    """The largest element so far along ``dim``, and where it was: ``(...) -> (...), (...)``."""
    check_kind("cummax", input._array.dtype)
    return return_types.cummax(*apply(CUMMAX, (input,), {"axis": axis_of(input._array.ndim, dim)}))


@function()
@numpy_names
def cummin(input: Tensor, dim: int) -> Any:
    """The smallest element so far along ``dim``, and where it was: ``(...) -> (...), (...)``."""
    check_kind("cummin", input._array.dtype)
    return return_types.cummin(*apply(CUMMIN, (input,), {"axis": axis_of(input._array.ndim, dim)}))


# ----- no derivatives


@function()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements (or slices along ``dim``) in order; the places of all; how many of each."""
    check_kind("unique", input._array.dtype)
    if not isinstance(sorted, bool):
        raise TypeError(f"_unique2(): argument 'sorted' must be bool, not {type(sorted).__name__}")
    if dim is not None and not input._array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = None if dim is None else axis_of(input._array.ndim, dim)
    distinct: Any = np.unique
    found = distinct(
        input._array, return_inverse=return_inverse, return_counts=return_counts, axis=dim, equal_nan=False
    )
    several = return_inverse or return_counts
    first = found[0] if several else found
    values = _distinct(input, first, *(UNIQUE if dim is None else UNIQUE_DIM))
    return (values, *(Tensor._of(part) for part in found[1:])) if several else values


def _distinct(input: Tensor, values: np.ndarray, op: Operation, name: str) -> Any:
    """What was found, with a history that cannot be differentiated."""
    return apply(op, (input, values, name))


@function()
def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or slices along ``dim``) without those equal to the one before."""
    if dim is not None and not input._array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = None if dim is None else axis_of(input._array.ndim, dim)
    rows = input._array.ravel() if dim is None else np.moveaxis(input._array, dim, 0)
    new = np.ones(len(rows), bool)
    if len(rows) > 1:
        new[1:] = (rows[1:] != rows[:-1]).reshape(len(rows) - 1, -1).any(axis=1)
    kept = rows[new] if dim is None else np.moveaxis(rows[new], 0, dim)
    places = np.cumsum(new) - 1
    if dim is None:
        places = places.reshape(input._array.shape)
    results = [kept]
    if return_inverse:
        results.append(places)
    if return_counts:
        results.append(np.bincount(np.cumsum(new) - 1, minlength=int(new.sum())))
    values = _distinct(input, kept, *UNIQUE_CONSECUTIVE)
    return (values, *(Tensor._of(part) for part in results[1:])) if len(results) > 1 else values


@function()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer occurs, or the sum of its weights."""
    check_kind("bincount", input._array.dtype)
    found = np.bincount(input._array, None if weights is None else weights._array, minlength)
    if weights is None:
        return Tensor._of(found)
    sums = found.astype(np.float32) if weights._array.dtype == np.float32 else found
    return _distinct(weights, sums, COUNTS, "aten::bincount")


@function()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements are in each of ``bins`` intervals of equal length from ``min`` to ``max``.
    Shapes: ``(...) -> (bins)``."""
    check_kind("histc", input._array.dtype)
    x = floating(input)._array
    low, high = (float(np.min(x)), float(np.max(x))) if min == max and x.size else (min, max)
    counts, _ = np.histogram(x, bins, (low, high))
    return Tensor._of(counts.astype(x.dtype))


@function()
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The interval between ``boundaries`` in which each element lies: ``(...), (n) -> (...)``."""
    if boundaries._array.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    if isinstance(input, Tensor):
        check_kind("bucketize", input._array.dtype)
    found: Tensor = searchsorted(boundaries, input, out_int32=out_int32, right=right)
    return found


@function(method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """Where to insert each element so that the sequences (along the last dimension) stay in order.
    Shapes: ``(..., n), (..., k) -> (..., k)``; ``(n), (...) -> (...)``.

    ``sorter``: the indices that put each sequence in order, which it is not itself.
    """
    how: Any = side or ("right" if right else "left")
    order = sorted_sequence._array
    check_kind("searchsorted", order.dtype)
    shape = np.shape(input._array if isinstance(input, Tensor) else input)
    if isinstance(input, Tensor) and input._array.ndim and order.ndim != 1 and order.shape[:-1] != shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
            f"boundaries tensor and input value tensor must match, but we got boundaries tensor "
            f"{list(order.shape)} and input value tensor {list(shape)}"
        )
    if not shape and order.ndim != 1:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, "
            f"but we got boundaries tensor dim({order.ndim}) and input value's dim(0) numel(1)"
        )
    if sorter is not None:
        if sorter._array.shape != order.shape:
            raise RuntimeError(
                "torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                f"{list(order.shape)}and got sorter tensor {list(sorter._array.shape)}"
            )
        order = np.take_along_axis(order, sorter._array, -1)
    values = np.asarray(input._array if isinstance(input, Tensor) else input)
    if order.ndim == 1:
        found = np.asarray(np.searchsorted(order, values, how))
    else:
        found = np.empty(values.shape, int)
        for place in np.ndindex(order.shape[:-1]):
            found[place] = np.searchsorted(order[place], values[place], how)
    return Tensor._of(found.astype(np.int32 if out_int32 else np.int64))
