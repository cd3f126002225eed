"""How are weights read? ``load``: by the content of the file, whatever its name, and never as a program."""

from __future__ import annotations

import os
from typing import Any

from ...eager.metadata import device
from ...errors import FileFormatError, InputTypeError, InputValueError
from .archive import Archive
from .limits import MAX_PICKLE, MAX_RECORD
from .machine import Machine
from .problems import CONVERT, damaged, program, refused
from .source import Source
from .storages import Storages

HEAD = 512  # bytes that tell what a file is


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = True,
    mmap: bool | None = None,
) -> Any:
    """Read weights: a file of ``torch.save`` (``.pth``, ``.pt``), of ``ast_ad.save``, or of safetensors.

    The content decides, not the name. Nothing in the file is run: a checkpoint may hold tensors, parameters,
    numbers, text, None, bytes, dtypes, and lists, tuples, dicts and sets of them. Tensors that shared memory
    share it again, and keep their strides. NumPy has no bfloat16: such tensors become float32, exactly.

    Args:
        f: a path, or a file that is open for reading bytes and can be sought.
        map_location: the CPU in any of PyTorch's spellings, or a function, which is not called: all tensors
            are in main memory.
        pickle_module: only None.
        weights_only: only True: there is no way to load anything else.
        mmap: let the tensors look into the file, which must be a path, instead of reading it. What is written
            to them doesn't change it; checksums are not compared.

    Errors:
        FileFormatError, which is a ``pickle.UnpicklingError`` too: the file is damaged, or holds something
        that is not data; the message says what, and what to do.
        InputError: arguments that ask for something else.
        OSError: the file can't be opened.

    >>> import io
    >>> import ast_ad
    >>> file = io.BytesIO()
    >>> ast_ad.save({"weight": ast_ad.ones(2), "epoch": 3}, file)
    >>> ast_ad.load(io.BytesIO(file.getvalue()))
    {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    _check_arguments(map_location, pickle_module, weights_only)
    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return _content(Source(file, mapped=bool(mmap)), f)
    if mmap:
        raise InputValueError("f must be a file path in order to use the mmap argument")
    return _content(Source(f), None)


def _check_arguments(map_location: Any, pickle_module: Any, weights_only: Any) -> None:
    if weights_only is not None and not weights_only:
        raise InputValueError(
            "weights_only=False is not supported",
            why="such a file is a program that could do anything; files are only ever read as data here",
            fix=CONVERT,
        )
    if pickle_module is not None:
        raise InputValueError("pickle_module is not supported", why="files are not read with pickle")
    places = map_location.values() if isinstance(map_location, dict) else [map_location]
    for place in places:
        if isinstance(place, (str, device)):
            device(place)  # raises for all but the CPU
        elif place is not None and not callable(place):
            raise InputTypeError(f"map_location can't be a {type(place).__name__}")


def _content(source: Source, path: Any) -> Any:
    head = source.read(0, min(HEAD, source.size))
    if head.startswith(b"PK\x03\x04"):
        return read_checkpoint(source)
    if is_safetensors(head, source.size):
        from . import tensors_only

        if path is not None:
            return tensors_only.load_file(path)
        return tensors_only.load(source.read(0, source.size))
    if head[8:10] == b'{"':
        raise damaged("the file is cut off", "it begins as a safetensors file whose first part is longer")
    raise _unknown(head, source.size)


def is_safetensors(head: bytes, size: int) -> bool:
    """Whether a file of this many bytes that begins so can be one of safetensors."""
    return head[8:9] == b"{" and 8 + int.from_bytes(head[:8], "little") <= size


def read_checkpoint(source: Source) -> Any:
    """What is described in a file of ``torch.save``."""
    archive = Archive(source)
    _check_records(archive)
    order = archive.read("byteorder", MAX_RECORD) if "byteorder" in archive.members else b"little"
    if order not in (b"little", b"big"):
        raise damaged(f"the byte order of the file is {order[:20]!r}")
    return Machine(archive.read("data.pkl", MAX_PICKLE), Storages(archive, order.decode())).run()


def _check_records(archive: Archive) -> None:
    """Whether the archive is a checkpoint; FileFormatError says what else it is."""
    names = archive.members
    if "constants.pkl" in names or any(name.startswith("code/") for name in names):
        raise program()
    if "data.pkl" not in names:
        raise refused(
            "the file is a zip file, but no checkpoint",
            "a checkpoint has a record data.pkl",
            "read programs (.pt2, torch.package) with PyTorch, and save their state_dict() there",
        )
    if "version" in names:
        version = archive.read("version", MAX_RECORD).strip()
        if not version.isdigit() or len(version) > 3 or not 1 <= int(version) <= 10:
            raise refused(f"the file has version {version[:20]!r}", "versions 1 to 10 are known")
    for name in names:
        if name not in ("data.pkl", "version", "byteorder") and not name.startswith((".", "data/")):
            raise refused(f"the archive has a record {name[:200]!r}", "checkpoints don't have such records")


# What other files begin with: at which byte, with what, what they are, and what to do.
_PYTHON = "re-save it in PyTorch: torch.save(torch.load(path), new_path) writes the present format"
_KINDS: list[tuple[int, bytes, str, str]] = [
    (0, b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19", "a checkpoint from before PyTorch 1.6", _PYTHON),
    (257, b"ustar", "a tar file, as very old versions of PyTorch wrote them", _PYTHON),
    (0, b"\x80", "a pickle, which is a program", CONVERT),
    (0, b"PK\x05\x06", "an empty zip file", "get the file again"),
    (0, b"\x93NUMPY", "a NumPy array (.npy)", "read it with numpy.load"),
    (0, b"\x89HDF\r\n", "an HDF5 file", "convert it with the program that wrote it, to safetensors"),
    (0, b"\x1f\x8b", "compressed with gzip", "decompress it first"),
    (0, b"BZh", "compressed with bzip2", "decompress it first"),
    (0, b"\xfd7zXZ", "compressed with xz", "decompress it first"),
    (0, b"(\xb5/\xfd", "compressed with zstd", "decompress it first"),
    (0, b"GGUF", "a GGUF file", "convert it to safetensors"),
    (0, b"version https://git-lfs", "a pointer of Git LFS, not the file itself", "run `git lfs pull`"),
    (0, b"<", "a web page or XML, perhaps instead of a download", "get the file again"),
]


def _unknown(head: bytes, size: int) -> FileFormatError:
    if not size:
        return refused(
            "the file is empty, or at its end", "there is nothing to read", "file.seek(0) after writing"
        )
    for at, sign, kind, fix in _KINDS:
        if head[at : at + len(sign)] == sign:
            return refused(f"the file is {kind}", "files of torch.save and of safetensors can be read", fix)
    return refused(
        f"the file begins with {head[:8]!r}",
        "it is neither a file of torch.save (PyTorch 1.6 or later) nor of safetensors, or it is cut off",
    )
