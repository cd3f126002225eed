"""What describes a tensor besides its numbers and their type: its size, layout, memory format, device?"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Sequence
from typing import Any, Self, SupportsIndex, overload


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints.

    >>> Size([2, 3]), Size([2, 3])[:1] + (4,), Size([2, 3]).numel()
    (torch.Size([2, 3]), torch.Size([2, 4]), 6)
    """

    __slots__ = ()

    def __new__(cls, items: Iterable[SupportsIndex] = ()) -> Self:
        return tuple.__new__(cls, [_as_int(i, item) for i, item in enumerate(items)])

    def numel(self) -> int:
        """How many elements a tensor of this size has."""
        count = 1
        for length in self:
            count *= length
        return count

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(repr, self))}])"

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)

    def __add__(self, other: Any) -> Size:
        if not isinstance(other, tuple):
            raise TypeError(f"can only concatenate tuple (not {type(other).__name__}) to torch.Size")
        return Size((*self, *other))

    def __radd__(self, other: Any) -> Size:
        return Size((*other, *self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: SupportsIndex) -> Size:
        return size_of(tuple(self) * times)

    __rmul__ = __mul__

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return size_of(found) if isinstance(index, slice) else found


def _as_int(position: int, item: Any) -> int:
    try:
        return operator.index(item)
    except TypeError:
        kind = type(item).__name__
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {position} is '{kind}')") from None


def size_of(shape: Sequence[int]) -> Size:
    """``Size`` of a shape known to be ints (``array.shape``), without a check of each."""
    return tuple.__new__(Size, shape)


class _Constant:
    """One of a few named objects, printed by its public name."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name  # pickle and copy find the very object in this module


class layout(_Constant):
    """How a tensor's elements lie in its storage: always ``strided``."""

    __slots__ = ()


class memory_format(_Constant):
    """The order of the dimensions in memory that a function is asked for."""

    __slots__ = ()


strided = layout("strided")
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class device:
    """Where a tensor's elements are: always the CPU.

    Args:
        type: ``'cpu'``, ``'cpu:0'`` or a device.
        index: a number, if ``type`` has none.

    Errors:
        RuntimeError for any device that is not the CPU.

    >>> device("cpu"), str(device("cpu", 0)), device("cpu") == device("cpu:0")
    (device(type='cpu'), 'cpu:0', False)
    """

    __slots__ = ("index", "type")
    type: str
    index: int | None

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device) and index is None:
            index, type = type.index, str(type.type)
        if not isinstance(type, str):
            raise TypeError(f"device(): argument 'type' must be str, not {type.__class__.__name__}")
        kind, colon, number = type.partition(":")
        if kind != "cpu":
            raise RuntimeError(f"device {type!r} is not available: tensors are NumPy arrays, on 'cpu' only")
        if colon and not re.fullmatch(r"0|[1-9][0-9]*", number):
            raise RuntimeError(f"Invalid device string: '{type}'")
        if colon and index is not None:
            raise RuntimeError(
                f"type (string) must not include an index because index was passed explicitly: {type}"
            )
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type, self.index = kind, int(number) if colon else index

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, device):
            return NotImplemented
        return (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (self.type, self.index)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        return None


class InputMetadata:
    """What a node says of one of its outputs, whose gradient is one of its inputs."""

    is_nested_tensor = False
    is_cpp_nested_tensor = False

    def __init__(self, shape: Sequence[int], dtype: Any) -> None:
        self.shape, self.dtype, self.device = Size(shape), dtype, device("cpu")
