"""How are dicts of tensors kept in safetensors files? With the safetensors library, loaded when it is needed.

The format holds names, shapes, types and numbers, nothing else. Other libraries and other languages read it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import numpy as np

from ...eager.tensor import Tensor
from ...errors import FileFormatError, InputTypeError, InputValueError, SharedMemoryError
from .complete_files import write_completely
from .limits import MAX_DIMENSIONS
from .problems import damaged, refused

_TYPES: dict[str, str] = {
    "F64": "float64", "F32": "float32", "F16": "float16", "C64": "complex64", "BOOL": "bool",
    "I64": "int64", "I32": "int32", "I16": "int16", "I8": "int8",
    "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8",
}  # fmt: skip
_BFLOAT16 = "BF16"


def _library() -> Any:
    try:
        import safetensors
        import safetensors.numpy
    except ImportError:
        raise ImportError(
            "the safetensors library, which reads and writes this format, is not installed: "
            "pip install 'ast_ad[io]'"
        ) from None
    return safetensors


def save_file(tensors: Any, filename: Any, metadata: dict[str, str] | None = None) -> None:
    """Write a dict of tensors to a file in safetensors format; the file is replaced when all is written.

    Args:
        tensors: by their names. They must be contiguous and must not share memory.
        filename: a path.
        metadata: texts by names, to be kept with them.

    Errors:
        InputError: not such a dict; SharedMemoryError: tensors share memory, which the format can't say.

    >>> import os, tempfile
    >>> import ast_ad
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> ast_ad.safetensors.save_file({"weight": ast_ad.ones(2)}, path, metadata={"steps": "100"})
    >>> ast_ad.safetensors.load_file(path)
    {'weight': tensor([1., 1.])}
    >>> with ast_ad.safetensors.safe_open(path) as file:
    ...     print(file.metadata())
    {'steps': '100'}
    """
    library, arrays = _library(), _arrays(tensors, metadata)
    write_completely(
        filename, lambda file: _written(library.numpy.save_file, arrays, file.name, metadata=metadata)
    )


def save(tensors: Any, metadata: dict[str, str] | None = None) -> bytes:
    """The bytes that ``save_file`` would write.

    >>> import ast_ad
    >>> ast_ad.safetensors.load(ast_ad.safetensors.save({"bias": ast_ad.zeros(3)}))
    {'bias': tensor([0., 0., 0.])}
    """
    library, arrays = _library(), _arrays(tensors, metadata)
    return bytes(_written(library.numpy.save, arrays, metadata=metadata))


def load_file(filename: Any, device: Any = "cpu") -> dict[str, Tensor]:
    """The tensors of a safetensors file, by their names; bfloat16 becomes float32, exactly.

    Args:
        filename: a path.
        device: the CPU.

    Errors:
        FileFormatError: the file is damaged, or has a type that NumPy doesn't have.
    """
    with safe_open(filename, device=device) as file:
        return {name: file.get_tensor(name) for name in sorted(file.keys())}


def load(data: bytes) -> dict[str, Tensor]:
    """The tensors in the bytes of a safetensors file, by their names."""
    library = _library()
    try:
        found = library.deserialize(data)
    except library.SafetensorError as error:
        raise damaged("this is no safetensors file", str(error)) from None
    tensors = {name: _array(name, part["dtype"], part["data"], part["shape"]) for name, part in found}
    return {name: Tensor._of(tensors[name]) for name in sorted(tensors)}


class safe_open:
    """A safetensors file whose tensors are read one by one.

    Args:
        filename: a path.
        framework: for the sake of other libraries; ignored, like ``device``.

    Errors:
        FileFormatError: the file is damaged. OSError: it can't be opened.
    """

    def __init__(self, filename: Any, framework: str = "ast_ad", device: Any = "cpu") -> None:
        from ...eager.metadata import device as known

        known(device)  # raises for all but the CPU
        self._library = _library()
        self._path = os.fspath(filename)
        with open(self._path, "rb"):  # for Python's own errors
            pass
        try:
            self._file = self._library.safe_open(self._path, framework="np")
        except self._library.SafetensorError as error:
            raise damaged("this is no safetensors file", str(error)) from None
        self._names = dict.fromkeys(self._file.keys())  # the library makes a new list at each question
        self._whole: dict[str, Tensor] | None = None

    def __enter__(self) -> safe_open:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, trace)

    def keys(self) -> list[str]:
        """The names of the tensors."""
        return list(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def metadata(self) -> dict[str, str] | None:
        """The texts kept with the tensors; None if there are none."""
        found: dict[str, str] | None = self._file.metadata()
        return found

    def get_tensor(self, name: str) -> Tensor:
        """The tensor of this name."""
        if name not in self._names:
            raise InputValueError(f"the file has no tensor {name!r}")
        described = self._file.get_slice(name)
        kind = described.get_dtype()
        if kind == _BFLOAT16:  # which the library gives as bytes only, and all at once
            if self._whole is None:
                with open(self._path, "rb") as file:
                    self._whole = load(file.read())
            return self._whole[name]
        if kind not in _TYPES:
            raise _no_such_type(name, kind)
        _check_shape(name, kind, described.get_shape())
        found: Tensor = Tensor._of(np.array(self._file.get_tensor(name), _TYPES[kind], copy=None))
        return found


def _array(name: str, kind: str, data: Any, shape: list[int]) -> np.ndarray:
    if kind != _BFLOAT16 and kind not in _TYPES:
        raise _no_such_type(name, kind)
    _check_shape(name, kind, shape)
    if kind == _BFLOAT16:
        return (np.frombuffer(data, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(shape)
    little = np.dtype(_TYPES[kind]).newbyteorder("<")
    return np.array(np.frombuffer(data, little), _TYPES[kind]).reshape(shape)


def _check_shape(name: str, kind: str, shape: list[int]) -> None:
    """Whether an array may have this shape: the library compares the number of bytes, which a 0 makes 0."""
    size = np.dtype(_TYPES.get(kind, "float32")).itemsize
    if len(shape) > MAX_DIMENSIONS:
        raise refused(
            f"the tensor {name!r} has {len(shape)} dimensions", f"NumPy has {MAX_DIMENSIONS} at most"
        )
    if math.prod(n for n in shape if n) > np.iinfo(np.intp).max // size:
        raise damaged(f"the tensor {name!r} is said to have the shape {shape}", "no memory is that large")


def _no_such_type(name: str, kind: str) -> FileFormatError:
    return refused(f"the tensor {name!r} has elements of type {kind}", "NumPy has no such type")


def _written(write: Any, *args: Any, **options: Any) -> Any:
    library = _library()
    try:
        return write(*args, **options)
    except library.SafetensorError as error:
        raise InputValueError("these tensors can't be saved as safetensors", why=str(error)) from None


def _arrays(tensors: Any, metadata: Any) -> dict[str, np.ndarray]:
    if not isinstance(tensors, dict):
        raise InputTypeError(f"a dict of tensors by names is expected, not a {type(tensors).__name__}")
    if metadata is not None and not (
        isinstance(metadata, dict)
        and all(isinstance(a, str) and isinstance(b, str) for a, b in metadata.items())
    ):
        raise InputTypeError("metadata must be a dict of texts by names")
    arrays = {name: _checked(name, t) for name, t in tensors.items()}
    _check_separate(arrays)
    return arrays


def _checked(name: Any, tensor: Any) -> np.ndarray:
    if not isinstance(name, str):
        raise InputTypeError(f"the names of tensors are texts, not {name!r}")
    if not isinstance(tensor, Tensor):
        raise InputTypeError(
            f"{name!r} is of type {type(tensor).__name__}",
            why="safetensors files hold nothing but tensors",
            fix="keep texts in metadata=, or save with ast_ad.save to a .pth file",
        )
    array = tensor._array
    if not array.flags.c_contiguous:
        raise InputValueError(
            f"the tensor {name!r} is not contiguous",
            why="the format has no strides",
            fix="save tensor.contiguous()",
        )
    if array.dtype.name not in _TYPES.values():
        raise InputValueError(
            f"the tensor {name!r} is of type {array.dtype}",
            why="the format has no such type",
            fix="save its real and imaginary parts, or use ast_ad.save with a .pth file",
        )
    return array


def _check_separate(arrays: dict[str, np.ndarray]) -> None:
    places = sorted(
        (a.__array_interface__["data"][0], a.nbytes, name) for name, a in arrays.items() if a.size
    )
    for (start, length, name), (following, _, other) in zip(places, places[1:], strict=False):
        if following < start + length:
            raise SharedMemoryError(
                f"the tensors {name!r} and {other!r} share memory",
                why="the format would keep it twice, and they would be separate after loading",
                fix="save one of them, or tensor.clone(), or use ast_ad.save with a .pth file",
            )


__all__ = ["load", "load_file", "safe_open", "save", "save_file"]
