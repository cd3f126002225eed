"""How does a tensor come into being? From data, from shapes, from other tensors."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...rules.torch.elementwise import from_parts
from .. import doors
from ..checks import only_placement, type_name
from ..dispatch import Operation, apply, call
from ..dtypes import Size, as_numpy, channels_last, channels_last_3d, cpp_name, get_default_dtype, scalar_name
from ..surface import function, method
from ..tensor import Tensor
from .nested_data import array_of


def finished(array: np.ndarray, requires_grad: bool = False) -> Tensor:
    """A leaf around a fresh array."""
    t: Tensor = Tensor._of(array)
    if requires_grad:
        if array.dtype.kind not in "fc":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        t._requires_grad = True
    return t


def as_array(data: Any, dtype: Any = None) -> np.ndarray:
    """The array of ``data``: Python floats in the default dtype, arrays in their own."""
    if isinstance(data, np.ndarray) or isinstance(data, Tensor) or isinstance(data, np.generic):
        array = np.array(data._array if isinstance(data, Tensor) else data)
        return array if dtype is None else array.astype(as_numpy(dtype), copy=False)
    return array_of(data, dtype)


@function(method=False)
def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """A leaf that holds a copy of ``data``: numbers, nested lists, arrays, tensors.

    Raises:
        RuntimeError: ``requires_grad`` for integers or booleans.

    >>> tensor([[1.0, 2.0]], requires_grad=True)
    tensor([[1., 2.]], requires_grad=True)
    """
    return finished(as_array(data, dtype), requires_grad)


@function("as_tensor", "asarray", method=False)
def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor of ``data``, on the same memory if it is an array or a tensor of that dtype."""
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or as_numpy(dtype) == data.dtype):
        return finished(data)
    return finished(as_array(data, dtype))


@function(method=False)
def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor on the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return finished(ndarray)


def new_tensor(cls: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """What ``Tensor(...)`` makes: from data, or uninitialised of a shape."""
    if len(args) == 1 and isinstance(args[0], Tensor):
        return cls._of(args[0]._array)
    if len(args) == 1 and isinstance(args[0], Size):
        return cls._of(np.zeros(args[0], get_default_dtype().dtype))
    if len(args) == 1 and not isinstance(args[0], int):
        dtype = None if isinstance(args[0], np.ndarray) else get_default_dtype()
        return cls._of(as_array(args[0], dtype))
    return cls._of(np.zeros(args or (0,), get_default_dtype().dtype))


def rebuilt(cls: Any, array: np.ndarray, requires_grad: bool) -> Tensor:
    """A leaf as it was pickled."""
    t = cls._of(array)
    t._requires_grad = requires_grad
    return t


# ----- of a shape


def shape_from(size: Sequence[Any], caller: str = "") -> tuple[int, ...]:
    """A shape given as numbers or as one sequence; ``TypeError``, with the caller's name, for another."""
    for n in size:
        if n.__class__ is not int:
            return _checked_shape(size, caller)
    return tuple(size)


def _checked_shape(size: Sequence[Any], caller: str) -> tuple[int, ...]:
    told = f"{caller}(): argument 'size'" if caller else "argument 'size'"
    if len(size) == 1 and not _is_length(size[0]):
        if not isinstance(size[0], Iterable) or isinstance(size[0], str):
            raise TypeError(f"{told} (position 1) must be tuple of ints, not {type_name(size[0])}")
        size = tuple(size[0])
    for i, n in enumerate(size):
        if not _is_length(n) and not (i and isinstance(n, bool)):
            found = type_name(n)
            raise TypeError(
                f'{told} failed to unpack the object at pos {i + 1} with error "type must be tuple of '
                f'ints,but got {found}"'
                if i
                else f"{told} (position 1) must be tuple of ints, but found element of type {found} at pos 0"
            )
    return tuple(int(n) for n in size)


def _is_length(n: Any) -> bool:
    if isinstance(n, Tensor):
        return n._array.size == 1 and n._array.dtype.kind in "iu"
    return isinstance(n, (int, np.integer)) and not isinstance(n, bool)


def _floating(dtype: Any) -> np.dtype:
    return get_default_dtype().dtype if dtype is None else as_numpy(dtype)


def _filled(fill: Any, size: Any, ignored: Any, dtype: Any, requires_grad: bool) -> Tensor:
    name = fill.__name__
    shape = ignored.pop("size", None) or size
    only_placement(name, ignored)
    return finished(fill(shape_from(shape, name), _floating(dtype)), requires_grad)


@function(method=False)
def zeros(*size: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """Zeros of a shape, in the default dtype."""
    return _filled(np.zeros, size, ignored, dtype, requires_grad)


@function(method=False)
def ones(*size: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """Ones of a shape, in the default dtype."""
    return _filled(np.ones, size, ignored, dtype, requires_grad)


@function(method=False)
def empty(
    *size: Any, dtype: Any = None, requires_grad: bool = False, memory_format: Any = None, **ignored: Any
) -> Tensor:
    """A tensor of a shape with arbitrary elements (here zeros)."""
    shape = shape_from(ignored.pop("size", None) or size, "empty")
    only_placement("empty", ignored)
    return finished(_in_format(np.zeros(shape, _floating(dtype)), memory_format), requires_grad)


def _in_format(array: np.ndarray, memory_format: Any) -> np.ndarray:
    if memory_format is channels_last:
        return np.ascontiguousarray(array.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    if memory_format is channels_last_3d:
        return np.ascontiguousarray(array.transpose(0, 2, 3, 4, 1)).transpose(0, 4, 1, 2, 3)
    return array


@function(method=False)
def full(
    size: Any, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """One number at every place."""
    only_placement("full", ignored)
    value = fill_value._array if isinstance(fill_value, Tensor) else fill_value
    chosen = as_numpy(dtype) if dtype is not None else as_array(value).dtype
    if isinstance(value, complex) and chosen.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {cpp_name(chosen)} without overflow")
    return finished(np.full(shape_from((size,), "full"), value, chosen), requires_grad)


@function(method=False)
def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """The numbers from ``start`` up to ``end``, exclusive."""
    only_placement("arange", ignored)
    values = [v.item() if isinstance(v, Tensor) else v for v in (start, end, step)]
    start, end, step = (0, values[0], values[2]) if end is None else values
    floats = any(isinstance(v, float) for v in (start, end, step))
    _check_range(start, end, step)
    chosen = as_numpy(dtype) if dtype is not None else get_default_dtype().dtype if floats else np.dtype(int)
    if chosen.kind in "cb":
        raise NotImplementedError(f"\"arange_cpu\" not implemented for '{scalar_name(chosen)}'")
    return finished(np.arange(start, end, step).astype(chosen), requires_grad)


def _check_ends(name: str, start: Any, end: Any) -> None:
    ranks = [t._array.ndim if isinstance(t, Tensor) else 0 for t in (start, end)]
    if any(ranks):
        raise RuntimeError(
            f"{name} only supports 0-dimensional start and end tensors, but got start with {ranks[0]} "
            f"dimension(s) and end with {ranks[1]} dimension(s)."
        )


def _check_range(start: Any, end: Any, step: Any) -> None:
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


@function(method=False)
def linspace(
    start: Any, end: Any, steps: int, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """``steps`` numbers from ``start`` to ``end``, inclusive."""
    only_placement("linspace", ignored)
    _check_ends("linspace", start, end)
    return finished(np.linspace(float(start), float(end), steps).astype(_floating(dtype)), requires_grad)


@function(method=False)
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """``base`` to the power of ``steps`` numbers from ``start`` to ``end``."""
    only_placement("logspace", ignored)
    _check_ends("logspace", start, end)
    first, last = (v.item() if isinstance(v, Tensor) else v for v in (start, end))
    return finished(np.logspace(first, last, steps, base=base).astype(_floating(dtype)), requires_grad)


@function(method=False)
def eye(
    n: int, m: int | None = None, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """The identity matrix."""
    only_placement("eye", ignored)
    return finished(np.eye(n, m, dtype=_floating(dtype)), requires_grad)


def _like(fill: Any, t: Tensor, dtype: Any, requires_grad: bool, memory_format: Any = None) -> Tensor:
    array = fill(t._array, dtype=None if dtype is None else as_numpy(dtype))
    return finished(_in_format(array, memory_format), requires_grad)


@function(method=False)
def zeros_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """Zeros of the shape of ``input``."""
    only_placement("zeros_like", ignored)
    return _like(np.zeros_like, input, dtype, requires_grad)


@function(method=False)
def ones_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """Ones of the shape of ``input``."""
    only_placement("ones_like", ignored)
    return _like(np.ones_like, input, dtype, requires_grad)


@function(method=False)
def empty_like(
    input: Tensor,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
    **ignored: Any,
) -> Tensor:
    """A tensor of the shape of ``input`` with arbitrary elements (here zeros)."""
    only_placement("empty_like", ignored)
    return _like(np.zeros_like, input, dtype, requires_grad, memory_format)


@function(method=False)
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """One number at every place, in the shape of ``input``."""
    only_placement("full_like", ignored)
    chosen = input._array.dtype if dtype is None else as_numpy(dtype)
    return finished(np.full(input._array.shape, fill_value, chosen), requires_grad)


def alike(
    make: Any, args: Any, t: Tensor, dtype: Any, requires_grad: bool, name: str = "", ignored: Any = None
) -> Tensor:
    """A tensor of the dtype of another one, unless another dtype is given."""
    only_placement(name, ignored or {})
    made: Tensor = make(*args, dtype=t.dtype if dtype is None else dtype, requires_grad=requires_grad)
    return made


@method()
def new_zeros(
    self: Tensor, *size: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    return alike(zeros, size, self, dtype, requires_grad, "new_zeros", ignored)


@method()
def new_ones(
    self: Tensor, *size: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    return alike(ones, size, self, dtype, requires_grad, "new_ones", ignored)


@method()
def new_empty(
    self: Tensor, *size: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    return alike(empty, size, self, dtype, requires_grad, "new_empty", ignored)


@method()
def new_full(
    self: Tensor, size: Any, fill_value: Any, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    return alike(full, (size, fill_value), self, dtype, requires_grad, "new_full", ignored)


@method("new_tensor")
def _new_tensor(self: Tensor, data: Any, *, dtype: Any = None, requires_grad: bool = False) -> Tensor:
    return alike(tensor, (data,), self, dtype, requires_grad)


@method("new")
def _new(self: Tensor, *args: Any) -> Tensor:
    return Tensor(*args).to(self.dtype) if args else zeros(0, dtype=self.dtype)


def require_real_pair(a: Tensor, b: Tensor) -> None:
    """Refuse two parts of complex numbers that are not of one real dtype."""
    if any(part._array.dtype.kind != "f" for part in (a, b)):
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{scalar_name(a._array.dtype)} and {scalar_name(b._array.dtype)}"
        )
    if a._array.dtype != b._array.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {scalar_name(a._array.dtype)} but got scalar type "
            f"{scalar_name(b._array.dtype)} for second argument"
        )


@function("complex", method=False)
def complex_(real: Tensor, imag: Tensor) -> Tensor:
    """A complex tensor of its real and imaginary parts."""
    require_real_pair(real, imag)
    return apply(_complex_operation(), (real, imag))


@functools.cache
def _complex_operation() -> Any:
    return Operation(from_parts, "ComplexBackward0", ("real", "imag"))


def stack_tensors(parts: Sequence[Tensor]) -> Tensor:
    """Tensors of one shape along a new first axis."""
    return call(np.stack, (list(parts),))


doors.new_tensor, doors.rebuilt = new_tensor, rebuilt
