"""How is an archive written that PyTorch can read and map into memory? Plain members, aligned to 64 bytes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from .archive import (
    CENTRAL,
    CENTRAL_SIGN,
    END,
    END64,
    END64_SIGN,
    END_SIGN,
    FULL16,
    FULL32,
    LOCAL,
    LOCAL_SIGN,
    LOCATOR,
    LOCATOR_SIGN,
    UTF8,
)

ALIGNMENT = 64
_PADDING = 0x4246  # the kind of extra field that PyTorch fills up with
_VERSION, _VERSION64 = 20, 45  # of the format that a reader must know
_DATE = 0x21  # the first day of 1980, so that equal weights give equal files


def write_archive(file: Any, root: str, members: Iterable[tuple[str, bytes | np.ndarray]]) -> None:
    """Write a zip file.

    Args:
        file: open for writing bytes; nothing else than ``write`` is used.
        root: the directory of all members.
        members: names and contents; arrays are contiguous, of bytes.
    """
    at, directory, count = 0, bytearray(), 0
    for name, content in members:
        view = memoryview(content if isinstance(content, bytes) else content.data)
        text = f"{root}/{name}".encode()
        header, entry = _headers(text, at, len(view), zlib.crc32(view))
        _write(file, header)
        _write(file, view)
        directory += entry
        at += len(header) + len(view)
        count += 1
    _write(file, bytes(directory) + _end(at, len(directory), count))


def _headers(name: bytes, at: int, size: int, crc: int) -> tuple[bytes, bytes]:
    """What stands before a member that begins at this place, and its entry in the directory."""
    large = size >= FULL32
    shown = FULL32 if large else size
    extra = struct.pack("<2H2Q", 1, 16, size, size) if large else b""
    start = at + LOCAL.size + len(name) + len(extra) + 4
    padding = -start % ALIGNMENT
    extra += struct.pack("<2H", _PADDING, padding) + b"Z" * padding
    version = _VERSION64 if large or at >= FULL32 else _VERSION
    fields = version, UTF8, 0, 0, _DATE, crc, shown, shown, len(name)
    header = LOCAL.pack(LOCAL_SIGN, *fields, len(extra)) + name + extra
    exact = [size, size] if large else []
    exact += [at] if at >= FULL32 else []
    more = struct.pack(f"<2H{len(exact)}Q", 1, 8 * len(exact), *exact) if exact else b""
    entry = CENTRAL.pack(CENTRAL_SIGN, version, *fields, len(more), 0, 0, 0, 0, min(at, FULL32))
    return header, entry + name + more


def _end(at: int, size: int, count: int) -> bytes:
    """The records after the directory: large archives' end, which PyTorch always writes, and the end."""
    end64 = END64.pack(END64_SIGN, END64.size - 12, _VERSION64, _VERSION64, 0, 0, count, count, size, at)
    locator = LOCATOR.pack(LOCATOR_SIGN, 0, at + size, 1)
    shown = min(count, FULL16)
    return end64 + locator + END.pack(END_SIGN, 0, 0, shown, shown, min(size, FULL32), min(at, FULL32), 0)


def _write(file: Any, data: Any) -> None:
    """Write all of it, also to a file that takes less at a time."""
    view = memoryview(data)
    while len(view):
        written = file.write(view)
        if written is None or written >= len(view):
            return
        view = view[written:]
