"""How are elements chosen, replaced and collected by masks and by tensors of indices?"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.torch import gather as torch_gather, indexing as torch_indexing
from ..dispatch import Operation, apply, either, inplace
from ..dtypes import scalar_name
from ..surface import FUNCTIONS, attach, function, method
from ..tensor import Tensor
from .combinations import mixed
from .dimensions import axis_of
from .index_checks import check_long, check_scattering, places_along
from .pointwise import require_tensor

WHERE = Operation(np.where, "WhereBackward0", ("condition", "self", "other"))
MASKED_FILL = Operation(
    torch_indexing.masked_fill, "MaskedFillBackward0", ("self", "mask", "value"), rows=True
)
MASKED_FILL_TENSOR = Operation(
    torch_indexing.masked_fill, "MaskedFillBackward1", ("self", "mask", "value"), rows=True
)
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
TAKE = Operation(torch_indexing.take, "TakeBackward0", ("self", "index"))
PUT = Operation(torch_indexing.put, "PutBackward0", ("self", "index", "source"))
TAKE_ALONG = Operation(np.take_along_axis, "GatherBackward0", ("self", "index"), keeps=("self",))


# ----- masks


@function(method=False)
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """``input`` where the condition holds, else ``other``; of the condition alone, where it holds.

    Shapes: ``(...), (...), (...) -> (...)``; all ``...`` broadcast.
    """
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
    if input._array.dtype != source._array.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_name(input._array.dtype)} and {scalar_name(source._array.dtype)}"
        )
    shape = np.broadcast_shapes(input._array.shape, mask._array.shape)
    input = input if input._array.shape == shape else input.expand(shape)
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


@function()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Any:
    """The elements that ``index`` names along ``dim``, in the shape of ``index``.

    Shapes: ``dim=0``: ``(m, n), (k, l) -> (k, l)``; along the other dimensions ``index`` may be shorter.
    """
    axis = places_along("gather", input, dim, index)
    shape, wanted = input._array.shape, index._array.shape
    if not index._array.size:
        return input.reshape(-1)[:0].reshape(wanted)
    if any(n > m for i, (n, m) in enumerate(zip(wanted, shape, strict=False)) if i != axis):
        raise RuntimeError(
            f"Size does not match at dimension {next(i for i in range(len(wanted)) if wanted[i] > shape[i])} "
            f"expected index {list(wanted)} to be no larger than self {list(shape)} apart from dimension "
            f"{axis}"
        )
    return apply(GATHER, (input, axis, index))


def _scattered(
    in_place: bool,
    op: Operation,
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any,
    *rest: Any,
    **options: Any,
) -> Any:
    """``input`` with what is scattered to it; tensors without dimensions count as of one element."""
    axis = places_along("scatter", input, dim, index)
    if not index._array.size:
        return input if in_place else input.clone()
    check_scattering(input, axis, index, src)
    target: Any = input if input._array.ndim else input.view(1) if in_place else input.reshape(1)
    found = either(in_place, op, target, *map(_with_a_dimension, (axis, index, src, *rest)), **options)
    return found if input._array.ndim else input if in_place else found.reshape(())


def _with_a_dimension(a: Any) -> Any:
    return a.reshape(1) if isinstance(a, Tensor) and not a._array.ndim else a


def _scattering(in_place: bool, input: Tensor, dim: int, index: Tensor, src: Any, reduce: str | None) -> Any:
    """What is scattered replaces elements, or is added to them, or multiplied by them."""
    rest: tuple[Any, ...] = ()
    if reduce is None:
        op = SCATTER if isinstance(src, Tensor) else SCATTER_NUMBER
    elif reduce == "add":
        op = SCATTER_ADD
    elif reduce == "multiply":
        op, rest = SCATTER_REDUCE, ("prod",)
    else:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return _scattered(in_place, op, input, dim, index, src, *rest)


@function()
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """``input`` with the elements that ``index`` names along ``dim`` replaced by ``src``'s, or a number.

    Shapes: ``dim=0``: ``(m, n), (k, l), (k, l) -> (m, n)``.
    """
    return _scattering(False, input, dim, index, value if src is None else src, reduce)


@function()
def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Any:
    """``scatter`` in place."""
    return _scattering(True, input, dim, index, value if src is None else src, reduce)


@function()
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """``input`` with the elements of ``src`` added to those that ``index`` names along ``dim``.

    Shapes: ``dim=0``: ``(m, n), (k, l), (k, l) -> (m, n)``.
    """
    return _scattered(False, SCATTER_ADD, input, dim, index, src)


@function()
def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Any:
    """``scatter_add`` in place."""
    return _scattered(True, SCATTER_ADD, input, dim, index, src)


@function()
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """Each element becomes the sum, prod, mean, amax or amin of itself and what is scattered to it.

    Shapes: ``dim=0``: ``(m, n), (k, l), (k, l) -> (m, n)``.
    """
    return _scattered(False, SCATTER_REDUCE, input, dim, index, src, reduce, include_self=include_self)


@function()
def scatter_reduce_(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """``scatter_reduce`` in place."""
    return _scattered(True, SCATTER_REDUCE, input, dim, index, src, reduce, include_self=include_self)


@function()
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Any:
    """The elements that ``indices`` names along ``dim`` (default: of all); other dimensions broadcast.

    Shapes: ``dim=0``: ``(n, ...), (k, ...) -> (k, ...)``.
    """
    require_tensor("take_along_dim", indices, "indices", 2)
    if indices._array.dtype != np.int64:
        raise RuntimeError(
            "torch.take_along_dim(): dtype of indices should be Long but got "
            + scalar_name(indices._array.dtype)
        )
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if input._array.ndim != indices._array.ndim:
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    if not input._array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    axis = axis_of(input._array.ndim, dim)
    return apply(TAKE_ALONG, (input, indices), {"axis": axis})


# ----- places in the flattened tensor


@function()
def take(input: Tensor, index: Tensor) -> Any:
    """The elements of the flattened tensor at ``index``: ``(m, n), (...) -> (...)``."""
    check_long("take", index)
    return apply(TAKE, (input, index))


@function()
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Any:
    """``input`` with the elements at ``index`` of the flattened tensor set to ``source``, or added to.

    Shapes: ``(m, n), (k), (k) -> (m, n)``.
    """
    check_long("put_", index)
    return apply(PUT, (input, index, source), {"accumulate": accumulate})


def copied_from(name: str) -> None:
    """The in-place form of a function whose derivative is that of a whole program."""
    fn = FUNCTIONS[name]

    def run(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        return self.copy_(fn(self, *args, **kwargs))

    run.__name__, run.__doc__ = f"{name}_", f"``{name}`` in place."
    attach(f"{name}_", run)


for _name in ("masked_scatter", "put"):
    copied_from(_name)
