"""How does a tensor take another shape? As a view of the same memory wherever its strides allow it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..checks import broadcast
from ..dispatch import Operation
from ..dtypes import dtype as dtype_class
from ..metadata import contiguous_format
from ..surface import function, method
from ..tensor import Tensor
from ..viewing import look, restrided
from .creation import shape_from
from .dimensions import axis_of
from .layout import view_dtype

VIEW = Operation(np.reshape, "ViewBackward0")
RESHAPE_ALIAS = Operation(np.reshape, "ReshapeAliasBackward0")
UNSAFE_VIEW = Operation(np.reshape, "UnsafeViewBackward0")
SQUEEZE = Operation(np.reshape, "SqueezeBackward0")
SQUEEZE_DIM = Operation(np.reshape, "SqueezeBackward1")
SQUEEZE_DIMS = Operation(np.reshape, "SqueezeBackward2")
T = Operation(np.transpose, "TBackward0")
PERMUTE = Operation(np.transpose, "PermuteBackward0")
TRANSPOSE = Operation(np.swapaxes, "TransposeBackward0")
EXPAND = Operation(np.broadcast_to, "ExpandBackward0")

NOT_VIEWABLE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
    "two contiguous subspaces). Use .reshape(...) instead."
)


# ----- the same elements in another shape


def inferred(size: Sequence[Any], n: int) -> tuple[int, ...]:
    """A shape for ``n`` elements, its -1 filled in.

    Raises:
        RuntimeError: no shape, or not for so many elements.
    """
    shape = size if size.__class__ is tuple else tuple(size)
    known = 1
    for s in shape:
        if s.__class__ is not int:
            return inferred(shape_from(shape), n)
        if s != -1:
            known *= s
            if s < 0:
                raise RuntimeError(f"invalid shape dimension {s}")
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if -1 in shape:
        if known == 0:
            if n == 0:
                raise RuntimeError(
                    f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                    "dimension size -1 can be any value and is ambiguous"
                )
        elif n % known == 0:
            return tuple(n // known if s == -1 else s for s in shape)
    elif known == n:
        return shape
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {n}")


def _view_array(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """``x`` in another shape on the same memory, or None if its strides don't allow it."""
    if x.flags.c_contiguous or x.size == 0:
        return x.reshape(shape)
    view = x.reshape(shape)
    return view if np.may_share_memory(view, x) else None


def _viewed(op: Operation, t: Tensor, shape: tuple[int, ...]) -> Any:
    array = _view_array(t._array, shape)
    if array is None:
        raise RuntimeError(NOT_VIEWABLE)
    return look(op, t, shape, array=array)


@method()
def view(self: Tensor, *size: Any, dtype: Any = None) -> Any:
    """The same memory in another shape, or its bytes read as another dtype.

    Shapes: ``(a * b) -> (a, b)``; a length of -1 is inferred.
    """
    if len(size) == 1 and isinstance(size[0], dtype_class) or dtype is not None:
        return view_dtype(self, size[0] if size else dtype)
    if not size:
        raise TypeError("view() received an invalid combination of arguments - got ()")
    return _viewed(VIEW, self, inferred(size, self._array.size))


@method()
def view_as(self: Tensor, other: Tensor) -> Any:
    """The same memory in the shape of ``other``."""
    return _viewed(VIEW, self, inferred((other._array.shape,), self._array.size))


@function()
def reshape(input: Tensor, *shape: Any) -> Any:
    """The tensor in another shape: a view if possible, else a copy.

    Shapes: ``(a * b) -> (a, b)``; a length of -1 is inferred.
    """
    if not shape:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    wanted = inferred(shape, input._array.size)
    array = _view_array(input._array, wanted)
    if array is None:
        return look(UNSAFE_VIEW, input.clone(memory_format=contiguous_format), wanted)._without_view()
    return look(VIEW if input._array.flags.c_contiguous else RESHAPE_ALIAS, input, wanted, array=array)


@method()
def _without_view(self: Tensor) -> Tensor:
    """The tensor as the only one on its memory."""
    self._view, self._version_counter = None, [0]
    return self


@method()
def reshape_as(self: Tensor, other: Tensor) -> Any:
    """The tensor in the shape of ``other``."""
    return reshape(self, other._array.shape)


@function()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions from ``start_dim`` to ``end_dim`` made one.

    Shapes: ``(a, b, c) -> (a * b * c)``; ``start_dim=1``: ``(a, b, c) -> (a, b * c)``.
    """
    x = input._array
    first, last = axis_of(x.ndim, start_dim), axis_of(x.ndim, end_dim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if x.ndim == 0:
        return reshape(input, 1)
    if first == last:
        return input
    n = int(np.prod(x.shape[first : last + 1]))
    return reshape(input, (*x.shape[:first], n, *x.shape[last + 1 :]))


@function()
def ravel(input: Tensor) -> Any:
    """The elements in one dimension: ``(a, b) -> (a * b)``."""
    return reshape(input.contiguous(), -1)


@function()
def unflatten(input: Tensor, dim: int, sizes: Any) -> Any:
    """One dimension made several; ``dim=0``: ``(a * b, ...) -> (a, b, ...)``."""
    x = input._array
    axis = axis_of(x.ndim, dim)
    given = tuple(int(s) for s in sizes)
    if not given:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        wanted = inferred((given,), x.shape[axis])
    except RuntimeError as error:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(given)} don't multiply up to the size of dim {axis} "
            f"({x.shape[axis]}) in the input tensor"
        ) from error
    return view(input, (*x.shape[:axis], *wanted, *x.shape[axis + 1 :]))


@function()
def squeeze(input: Tensor, dim: Any = None) -> Any:
    """The tensor without its dimensions of length 1, all or those in ``dim``.

    Shapes: ``(a, 1, b, 1) -> (a, b)``; ``dim=1``: ``(a, 1, b, 1) -> (a, b, 1)``.
    """
    x = input._array
    if dim is None:
        return _squeezed(SQUEEZE, input, set(range(x.ndim)))
    if isinstance(dim, (tuple, list)):
        return _squeezed(SQUEEZE_DIMS, input, {axis_of(x.ndim, d) for d in dim})
    return _squeezed(SQUEEZE_DIM, input, {axis_of(x.ndim, dim)})


def _squeezed(op: Operation, t: Tensor, axes: set[int]) -> Any:
    x = t._array
    gone = tuple(i for i in axes if i < x.ndim and x.shape[i] == 1)
    shape = tuple(n for i, n in enumerate(x.shape) if i not in gone)
    return look(op, t, shape, array=np.squeeze(x, gone) if gone else x[...])


@function()
def unsqueeze(input: Tensor, dim: int) -> Any:
    """The tensor with a new dimension of length 1 at ``dim``; ``dim=0``: ``(...) -> (1, ...)``."""
    from .indexing import unsqueeze_at

    return unsqueeze_at(input, axis_of(input._array.ndim + 1, dim))


# ----- dimensions in another order


@function()
def t(input: Tensor) -> Any:
    """The transpose of a matrix; a vector or a number itself: ``(m, n) -> (n, m)``, ``(n) -> (n)``."""
    n = input._array.ndim
    if n > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {n}D")
    return look(T, input)


@function("transpose", "swapaxes", "swapdims")
def transpose(input: Tensor, dim0: int, dim1: int) -> Any:
    """The tensor with two dimensions exchanged; ``dim0=0``, ``dim1=1``: ``(a, b, ...) -> (b, a, ...)``."""
    n = input._array.ndim
    a, b = axis_of(n, dim0), axis_of(n, dim1)
    return look(TRANSPOSE, input, a, b) if n else look(T, input)


@function()
def permute(input: Tensor, *order: Any, dims: Any = ()) -> Any:
    """The tensor with its dimensions in the order ``dims``.

    Shapes: ``dims=(2, 0, 1)``: ``(a, b, c) -> (c, a, b)``.
    """
    n = input._array.ndim
    given = order or (dims,)
    order = tuple(given[0]) if len(given) == 1 and not isinstance(given[0], int) else given
    if len(order) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the "
            f"desired ordering of dimensions i.e. input.dim() = {n} is not equal to len(dims) = {len(order)}"
        )
    axes = tuple(axis_of(n, d) for d in order)
    if len(set(axes)) != n:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return look(PERMUTE, input, axes)


@function("movedim", "moveaxis")
def movedim(input: Tensor, source: Any, destination: Any) -> Any:
    """The tensor with dimensions moved from ``source`` to ``destination``.

    Shapes: ``source=0``, ``destination=-1``: ``(a, ...) -> (..., a)``.
    """
    n = input._array.ndim
    given = source if isinstance(source, (tuple, list)) else (source,)
    wanted = destination if isinstance(destination, (tuple, list)) else (destination,)
    if len(given) != len(wanted):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(given)} dims) should contain the "
            f"same number of dims as destination ({list(wanted)} dims)"
        )
    start, end = [axis_of(n, d) for d in given], [axis_of(n, d) for d in wanted]
    if not n:
        return look(PERMUTE, input, ())
    for name, axes in (("source", start), ("destination", end)):
        if len(set(axes)) != len(axes):
            raise RuntimeError(
                f"movedim: repeated dim in `{name}` ({list(given if name == 'source' else wanted)})"
            )
    order = [i for i in range(n) if i not in start]
    for place, axis in sorted(zip(end, start, strict=True)):
        order.insert(place, axis)
    return look(PERMUTE, input, tuple(order))


@function()
def adjoint(input: Tensor) -> Any:
    """The conjugate transpose of each matrix in a stack: ``(..., m, n) -> (..., n, m)``."""
    swapped = transpose(input, -2, -1) if input._array.ndim else input
    return swapped.conj() if input._array.dtype.kind == "c" else swapped


def _reversed(self: Tensor) -> Any:
    """The tensor with its dimensions in reverse order."""
    return look(PERMUTE, self, tuple(reversed(range(self._array.ndim))))


def _matrix_transpose(self: Tensor) -> Any:
    """The transpose of each matrix in a stack."""
    if self._array.ndim < 2:
        raise RuntimeError(
            "tensor.mT is only supported on matrices or batches of matrices. Got "
            f"{self._array.ndim}-D tensor."
        )
    return transpose(self, -2, -1)


def _conjugate_transpose(self: Tensor) -> Any:
    """The conjugate transpose of a matrix."""
    if self._array.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self._array.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if self._array.ndim > 2 else "")
        )
    return adjoint(self) if self._array.ndim else self


Tensor.T = property(_reversed)  # type: ignore[attr-defined]
Tensor.mT = property(_matrix_transpose)  # type: ignore[attr-defined]
Tensor.H = property(_conjugate_transpose)  # type: ignore[attr-defined]
Tensor.mH = property(adjoint)  # type: ignore[attr-defined]


# ----- stretched


@method()
def expand(self: Tensor, *sizes: Any, implicit: bool = False) -> Any:
    """The tensor with dimensions of length 1 stretched, as a view; -1 keeps a length.

    Shapes: ``(1, n) -> (m, n)``.
    """
    x, wanted = self._array, shape_from(sizes)
    extra = len(wanted) - x.ndim
    if extra < 0:
        raise RuntimeError(
            f"expand({self.type()}{{{list(x.shape)}}}, size={list(wanted)}): the number of sizes provided "
            f"({len(wanted)}) must be greater or equal to the number of dimensions in the tensor ({x.ndim})"
        )
    shape = []
    for i, n in enumerate(wanted):
        own = x.shape[i - extra] if i >= extra else 1
        if n == -1:
            if i < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor ({n}) isn't allowed in a leading, non-existing "
                    f"dimension {i}"
                )
            n = own
        if n != own and own != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({own}) at "
                f"non-singleton dimension {i}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(x.shape)}"
            )
        shape.append(n)
    return look(EXPAND, self, tuple(shape), array=stretched(x, tuple(shape)))


def stretched(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """``np.broadcast_to`` that can be written to: an in-place operation says itself what it can't do."""
    if x.shape == shape:
        return x[...]
    extra = len(shape) - x.ndim
    own = zip(x.shape, x.strides, shape[extra:], strict=True)
    strides = (0,) * extra + tuple(s if n == wide else 0 for n, s, wide in own)
    return restrided(x, shape, strides)


@method()
def expand_as(self: Tensor, other: Tensor) -> Any:
    """The tensor stretched to the shape of ``other``."""
    return expand(self, other._array.shape)


@function()
def broadcast_to(input: Tensor, size: Any) -> Any:
    """The tensor stretched to a shape, as a view: ``(1, n) -> (m, n)``."""
    return expand(input, size)


@function(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """Tensors stretched to their common shape, as views: ``(m, 1), (n) -> (m, n), (m, n)``."""
    given = tuple(tensors[0]) if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    shape: tuple[int, ...] = ()
    for each in given:
        shape = broadcast(shape, each._array.shape)
    return tuple(expand(each, shape) for each in given)


@function(method=False)
def broadcast_shapes(*shapes: Any) -> Any:
    """The common shape of shapes that are stretched to each other."""
    from ..metadata import Size

    found: list[int] = []
    for which, given in enumerate(shapes):
        shape = [given] if isinstance(given, int) else list(given)
        found = [1] * (len(shape) - len(found)) + found
        for i in range(-len(shape), 0):
            if shape[i] == 1 or shape[i] == found[i]:
                continue
            if found[i] != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[i]} at {i}! Mismatching argument "
                    f"at index {which} had {tuple(shape)}; but expected shape should be "
                    f"broadcastable to {found}"
                )
            found[i] = shape[i]
    return Size(found)
