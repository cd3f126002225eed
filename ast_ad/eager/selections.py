"""How are elements chosen, replaced and collected by masks and by tensors of indices?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..rules import torch_gather, torch_indexing
from .combinations import mixed
from .dimensions import axis_of
from .dispatch import Operation, apply, inplace
from .dtypes import scalar_name
from .pointwise import require_tensor
from .surface import FUNCTIONS, attach, function, method
from .tensor import Tensor

WHERE = Operation(np.where, "WhereBackward0", ("condition", "self", "other"))
MASKED_FILL = Operation(torch_indexing.masked_fill, "MaskedFillBackward0", ("self", "mask", "value"))
MASKED_FILL_TENSOR = Operation(torch_indexing.masked_fill, "MaskedFillBackward1", ("self", "mask", "value"))
MASKED_SELECT = Operation(torch_indexing.masked_select, "MaskedSelectBackward0", ("self", "mask"))
MASKED_SCATTER = Operation(
    torch_indexing.masked_scatter, "MaskedScatterBackward0", ("self", "mask", "source")
)
GATHER = Operation(torch_gather.gather, "GatherBackward0", ("self", "", "index"), keeps=("self",))
SCATTER = Operation(torch_gather.scatter, "ScatterBackward0", ("self", "dim", "index", "src"))
SCATTER_NUMBER = Operation(torch_gather.scatter, "ScatterBackward1", ("self", "dim", "index", "src"))
SCATTER_ADD = Operation(torch_gather.scatter_add, "ScatterAddBackward0", ("self", "dim", "index", "src"))
SCATTER_REDUCE = Operation(
    torch_gather.scatter_reduce, "ScatterReduceBackward0", ("self", "dim", "index", "src", "reduce")
)
INDEX_SELECT = Operation(torch_indexing.index_select, "IndexSelectBackward0", ("self", "dim", "index"))
INDEX_ADD = Operation(
    torch_indexing.index_add, "IndexAddBackward0", ("self", "dim", "index", "source", "alpha")
)
INDEX_COPY = Operation(torch_indexing.index_copy, "IndexCopyBackward0", ("self", "dim", "index", "source"))
INDEX_REDUCE = Operation(
    torch_gather.scatter_reduce, "IndexReduceBackward0", ("self", "dim", "index", "source", "reduce")
)
INDEX_FILL = Operation(torch_indexing.index_fill, "IndexFillBackward0", ("self", "dim", "index", "value"))
TAKE = Operation(torch_indexing.take, "TakeBackward0", ("self", "index"))
PUT = Operation(torch_indexing.put, "PutBackward0", ("self", "index", "source"))
TAKE_ALONG = Operation(np.take_along_axis, "GatherBackward0", ("self", "index"), keeps=("self",))


# ----- masks


@function(method=False)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """``input`` where the condition holds, else ``other``; of the condition alone, where it holds."""
    require_tensor("where", condition, "condition")
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if condition._array.dtype.kind not in "bu":
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{scalar_name(condition._array.dtype)}"
        )
    args = condition, input, other
    plainly = isinstance(input, Tensor) and isinstance(other, Tensor)
    if plainly and input._array.dtype == other._array.dtype:
        return apply(WHERE, args)
    return mixed(WHERE, args, {}, fixed=0)


@method("where")
def _where(self: Tensor, condition: Tensor, other: Any) -> Any:
    """The tensor where the condition holds, else ``other``."""
    return where(condition, self, other)


def _checked_mask(name: str, mask: Any) -> Tensor:
    require_tensor(name, mask, "mask", 2)
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            f"{name} only supports boolean masks, but got mask with dtype {scalar_name(mask._array.dtype)}"
            if name == "masked_fill"
            else f"{name}: expected BoolTensor for mask"
        )
    return mask


def _filling(value: Any) -> Operation:
    if not isinstance(value, Tensor):
        return MASKED_FILL
    if value._array.ndim:
        raise RuntimeError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor with "
            f"{value._array.ndim} dimension(s)."
        )
    return MASKED_FILL_TENSOR


@function()
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Any:
    """``input`` with a number where ``mask`` is true."""
    return apply(_filling(value), (input, _checked_mask("masked_fill", mask), value))


@function()
def masked_fill_(input: Tensor, mask: Tensor, value: Any) -> Any:
    """``masked_fill`` in place."""
    return inplace(_filling(value), input, _checked_mask("masked_fill", mask), value)


@function()
def masked_select(input: Tensor, mask: Tensor) -> Any:
    """The elements where ``mask`` is true, as a vector."""
    return apply(MASKED_SELECT, (input, _checked_mask("masked_select", mask)))


@function()
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Any:
    """``input`` with the first elements of ``source`` where ``mask`` is true."""
    _checked_mask("masked_scatter_", mask)
    if int(np.count_nonzero(np.broadcast_to(mask._array, input._array.shape))) > source._array.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return apply(MASKED_SCATTER, (input, mask, source))


@function(method=True)
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """Where the elements are not zero: a row for each, or a tensor for each dimension."""
    array = input._array
    if as_tuple:
        return tuple(Tensor._of(places.copy()) for places in np.nonzero(np.atleast_1d(array)))
    return Tensor._of(np.argwhere(array))


@function()
def argwhere(input: Tensor) -> Tensor:
    """Where the elements are not zero, a row for each."""
    return Tensor._of(np.argwhere(input._array))


# ----- places along one dimension, for each element


def _places(name: str, input: Tensor, dim: int, index: Any) -> int:
    require_tensor(name, index, "index", 3)
    if index._array.dtype.kind not in "iu" and index._array.size:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    axis = axis_of(input._array.ndim, dim)
    if max(index._array.ndim, 1) != max(input._array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    return axis


@function()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    """The elements that ``index`` names along ``dim``, in the shape of ``index``."""
    axis = _places("gather", input, dim, index)
    shape, wanted = input._array.shape, index._array.shape
    if any(n > m for i, (n, m) in enumerate(zip(wanted, shape, strict=False)) if i != axis):
        raise RuntimeError(
            f"Size does not match at dimension {next(i for i in range(len(wanted)) if wanted[i] > shape[i])} "
            f"expected index {list(wanted)} to be no larger than self {list(shape)} apart from dimension "
            f"{axis}"
        )
    return apply(GATHER, (input, axis, index))


def _scattering(
    input: Tensor, dim: int, index: Tensor, src: Any, reduce: str | None
) -> tuple[Operation, tuple[Any, ...]]:
    axis = _places("scatter", input, dim, index)
    if reduce == "add":
        return SCATTER_ADD, (axis, index, src)
    if reduce == "multiply":
        return SCATTER_REDUCE, (axis, index, src, "prod")
    if reduce is not None:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return SCATTER if isinstance(src, Tensor) else SCATTER_NUMBER, (axis, index, src)


@function()
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """``input`` with the elements that ``index`` names along ``dim`` replaced by ``src``'s, or a number."""
    op, rest = _scattering(input, dim, index, value if src is None else src, reduce)
    return apply(op, (input, *rest))


@function()
def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """``scatter`` in place."""
    op, rest = _scattering(input, dim, index, value if src is None else src, reduce)
    return inplace(op, input, *rest)


@function()
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """``input`` with the elements of ``src`` added to those that ``index`` names along ``dim``."""
    return apply(SCATTER_ADD, (input, _places("scatter_add", input, dim, index), index, src))


@function()
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """``scatter_add`` in place."""
    return inplace(SCATTER_ADD, input, _places("scatter_add", input, dim, index), index, src)


@function()
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Each element becomes the sum, prod, mean, amax or amin of itself and what is scattered to it."""
    axis = _places("scatter_reduce", input, dim, index)
    return apply(SCATTER_REDUCE, (input, axis, index, src, reduce), {"include_self": include_self})


@function()
def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """``scatter_reduce`` in place."""
    axis = _places("scatter_reduce", input, dim, index)
    return inplace(SCATTER_REDUCE, input, axis, index, src, reduce, include_self=include_self)


@function()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    """The elements that ``indices`` names along ``dim`` (default: of all); other dimensions broadcast."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    axis = axis_of(input._array.ndim, dim)
    return apply(TAKE_ALONG, (input, indices), {"axis": axis})


# ----- whole slices along one dimension


def _slices(name: str, input: Tensor, dim: int, index: Any) -> int:
    require_tensor(name, index, "index", 3)
    if index._array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    if index._array.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")
    return axis_of(input._array.ndim, dim)


def _flat(index: Tensor) -> Tensor:
    return index if index._array.ndim else Tensor._of(index._array.reshape(1))


@function()
def index_select(input: Tensor, dim: int, index: Tensor) -> Any:
    """The slices along ``dim`` at the places in ``index``."""
    axis = _slices("index_select", input, dim, index)
    if input._array.ndim == 0:
        return index_select(input.reshape(1), 0, index).reshape(())
    return apply(INDEX_SELECT, (input, axis, _flat(index)))


def _of_a_number(fn: Any, input: Tensor, dim: int, index: Tensor, *rest: Any, **options: Any) -> Any:
    """What one of these functions does to a tensor without dimensions: it counts as one of one element."""
    parts = [p.reshape(-1) if isinstance(p, Tensor) and fn is not index_fill else p for p in rest]
    return fn(input.reshape(1), dim, index, *parts, **options).reshape(())


def _to_a_number(fn: Any, self: Tensor, dim: int, index: Tensor, *rest: Any, **options: Any) -> Any:
    """The same in place: through a view that has a dimension."""
    _of_a_number(fn, self.view(1), dim, index, *rest, **options)
    return self


@function()
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    """``input`` with ``alpha * source`` added to the slices at the places in ``index`` along ``dim``."""
    if input._array.ndim == 0:
        return _of_a_number(index_add, input, dim, index, source, alpha=alpha)
    return apply(INDEX_ADD, (input, _slices("index_add", input, dim, index), _flat(index), source, alpha))


@function()
def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Any:
    """``index_add`` in place."""
    if input._array.ndim == 0:
        return _to_a_number(index_add_, input, dim, index, source, alpha=alpha)
    return inplace(INDEX_ADD, input, _slices("index_add", input, dim, index), _flat(index), source, alpha)


@function()
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """``input`` with the slices at the places in ``index`` along ``dim`` replaced by those of ``source``."""
    if input._array.ndim == 0:
        return _of_a_number(index_copy, input, dim, index, source)
    return apply(INDEX_COPY, (input, _slices("index_copy", input, dim, index), _flat(index), source))


@function()
def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Any:
    """``index_copy`` in place."""
    if input._array.ndim == 0:
        return _to_a_number(index_copy_, input, dim, index, source)
    return inplace(INDEX_COPY, input, _slices("index_copy", input, dim, index), _flat(index), source)


@function()
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Any:
    """``input`` with the slices at the places in ``index`` along ``dim`` filled with a number."""
    if input._array.ndim == 0:
        return _of_a_number(index_fill, input, dim, index, value)
    places = Tensor._of(_flat(index)._array.copy())  # the index may change before the sweep
    return apply(INDEX_FILL, (input, _slices("index_fill", input, dim, index), places, value))


def _reducing(input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str) -> tuple[int, Any]:
    """The dimension, and for each element of ``source`` its place along it."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"reduce argument must be either prod, mean, amax or amin, got {reduce}.")
    axis = _slices("index_reduce", input, dim, index)
    after = source._array.ndim - axis - 1
    own = _flat(index)._array.copy()  # the index may change before the sweep
    places = np.broadcast_to(own.reshape(-1, *[1] * after), source._array.shape)
    return axis, Tensor._of(places)


@function()
def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Slices become the prod, mean, amax or amin of themselves and those of ``source`` with their index."""
    if input._array.ndim == 0:
        return _of_a_number(index_reduce, input, dim, index, source, reduce, include_self=include_self)
    axis, places = _reducing(input, dim, index, source, reduce)
    return apply(INDEX_REDUCE, (input, axis, places, source, reduce), {"include_self": include_self})


@method()
def index_reduce_(
    self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """``index_reduce`` in place."""
    if self._array.ndim == 0:
        return _to_a_number(index_reduce_, self, dim, index, source, reduce, include_self=include_self)
    axis, places = _reducing(self, dim, index, source, reduce)
    return inplace(INDEX_REDUCE, self, axis, places, source, reduce, include_self=include_self)


# ----- places in the flattened tensor


@function()
def take(input: Tensor, index: Tensor) -> Any:
    """The elements of the flattened tensor at ``index``."""
    require_tensor("take", index, "index", 2)
    if index._array.dtype.kind not in "iu":
        raise RuntimeError(
            "take(): Expected a long tensor for index, but got " + scalar_name(index._array.dtype)
        )
    return apply(TAKE, (input, index))


@function()
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:
    """``input`` with the elements at ``index`` of the flattened tensor set to ``source``, or added to."""
    return apply(PUT, (input, index, source), {"accumulate": accumulate})


def _copied_from(name: str) -> None:
    """The in-place form of a function whose derivative is that of a whole program."""
    fn = FUNCTIONS[name]

    def run(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.copy_(fn(self, *args, **kwargs))

    run.__name__, run.__doc__ = f"{name}_", f"``{name}`` in place."
    attach(f"{name}_", run)


for _name in ("masked_scatter", "index_fill", "put"):
    _copied_from(_name)
