"""How are whole slices along one dimension selected, replaced, added to and reduced?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.torch import gather as torch_gather, indexing as torch_indexing
from ..dispatch import Operation, apply, either
from ..surface import function, method
from ..tensor import Tensor
from .index_checks import check_added, check_copied, slices_along
from .selections import copied_from
from .whole_factors import whole_factor

INDEX_SELECT = Operation(torch_indexing.index_select, "IndexSelectBackward0", ("self", "dim", "index"))
INDEX_ADD = Operation(
    torch_indexing.index_add, "IndexAddBackward0", ("self", "dim", "index", "source", "alpha"), rows=True
)
INDEX_COPY = Operation(
    torch_indexing.index_copy, "IndexCopyBackward0", ("self", "dim", "index", "source"), rows=True
)
INDEX_REDUCE = Operation(
    torch_gather.scatter_reduce, "IndexReduceBackward0", ("self", "dim", "index", "source", "reduce")
)
INDEX_FILL = Operation(torch_indexing.index_fill, "IndexFillBackward0", ("self", "dim", "index", "value"))


def _flat(index: Tensor) -> Tensor:
    return index if index._array.ndim else Tensor._of(index._array.reshape(1))


@function()
def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    """The slices along ``dim`` at the places in ``index``; ``dim=0``: ``(n, ...), (k) -> (k, ...)``."""
    axis = slices_along("index_select", input, dim, index)
    if input._array.ndim == 0:
        return index_select(input.reshape(1), 0, index).reshape(())
    return apply(INDEX_SELECT, (input, axis, _flat(index)))


def _of_a_number(fn: Any, input: Tensor, dim: int, index: Tensor, *rest: Any, **options: Any) -> Any:
    """The function of a tensor without dimensions, which counts as one of one element.

    In place it goes through a view that has a dimension.
    """
    given = dim, index, *_of_one(fn, input, dim, index, rest)
    if not fn.__name__.endswith("_"):
        return fn(input.reshape(1), *given, **options).reshape(())
    fn(input.view(1), *given, **options)
    return input


def _of_one(fn: Any, input: Tensor, dim: int, index: Tensor, rest: Any) -> list[Any]:
    """The further arguments of the function, checked, and with a dimension."""
    name = fn.__name__.rstrip("_")
    axis = slices_along(name, input, dim, index)
    if name == "index_fill":
        return list(rest)
    if name == "index_copy":
        check_copied(input, axis, index, rest[0])
    else:
        check_added(name, input, axis, index, rest[0])
    return [rest[0].reshape(-1), *rest[1:]]


def _added(fn: Any, input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> Any:
    alpha = whole_factor(input._array.dtype, alpha)
    if input._array.ndim == 0:
        return _of_a_number(fn, input, dim, index, source, alpha=alpha)
    axis = slices_along("index_add", input, dim, index)
    check_added("index_add", input, axis, index, source)
    in_place = fn is index_add_
    if not input._array.size and input._array.ndim > 1:
        return input if in_place else input.clone()
    return either(in_place, INDEX_ADD, input, axis, _flat(index), source, alpha)


@function()
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    """``input`` with ``alpha * source`` added to the slices at the places in ``index`` along ``dim``.

    Shapes: ``dim=0``: ``(n, ...), (k), (k, ...) -> (n, ...)``.
    """
    return _added(index_add, input, dim, index, source, alpha)


@function()
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    """``index_add`` in place."""
    return _added(index_add_, input, dim, index, source, alpha)


def _replaced(fn: Any, input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    if input._array.ndim == 0:
        return _of_a_number(fn, input, dim, index, source)
    axis = slices_along("index_copy", input, dim, index)
    check_copied(input, axis, index, source)
    return either(fn is index_copy_, INDEX_COPY, input, axis, _flat(index), source)


@function()
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """``input`` with the slices at the places in ``index`` along ``dim`` replaced by those of ``source``.

    Shapes: ``dim=0``: ``(n, ...), (k), (k, ...) -> (n, ...)``.
    """
    return _replaced(index_copy, input, dim, index, source)


@function()
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """``index_copy`` in place."""
    return _replaced(index_copy_, input, dim, index, source)


@function()
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """``input`` with the slices at the places in ``index`` along ``dim`` filled with a number.

    Shapes: ``dim=0``: ``(n, ...), (k) -> (n, ...)``.
    """
    if isinstance(value, Tensor) and value._array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    if index._array.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if input._array.ndim == 0:
        return _of_a_number(index_fill, input, dim, index, value)
    places = Tensor._of(_flat(index)._array.copy())  # the index may change before the sweep
    return apply(INDEX_FILL, (input, slices_along("index_fill", input, dim, index), places, value))


def _reduced(
    fn: Any, input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Any:
    if input._array.ndim == 0:
        return _of_a_number(fn, input, dim, index, source, reduce, include_self=include_self)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either prod, mean, amax or amin, got {reduce}.")
    axis = slices_along("index_reduce", input, dim, index)
    check_added("index_reduce", input, axis, index, source)
    after = source._array.ndim - axis - 1
    own = _flat(index)._array.copy()  # the index may change before the sweep
    places = Tensor._of(np.broadcast_to(own.reshape(-1, *[1] * after), source._array.shape))
    how = {"include_self": include_self}
    return either(fn is index_reduce_, INDEX_REDUCE, input, axis, places, source, reduce, **how)


@function()
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Slices become the prod, mean, amax or amin of themselves and those of ``source`` with their index.

    Shapes: ``dim=0``: ``(n, ...), (k), (k, ...) -> (n, ...)``.
    """
    return _reduced(index_reduce, input, dim, index, source, reduce, include_self)


@method()
def index_reduce_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """``index_reduce`` in place."""
    return _reduced(index_reduce_, self, dim, index, source, reduce, include_self)


copied_from("index_fill")
