"""Where do a file's bytes come from? From any place of a file that can be sought, in exact amounts."""

from __future__ import annotations

import mmap as _mmap
from typing import Any

import numpy as np

from ...errors import InputTypeError
from .problems import damaged

CHUNK = 16 << 20
SHORTER = "it became shorter while it was read"


class Source:
    """A file from its present position to its end.

    Args:
        file: open for reading bytes, with ``read``, ``seek`` and ``tell``.
        mapped: let arrays look into the file instead of reading it; writing to them does not change it.

    Attributes:
        size: how many bytes there are.
    """

    def __init__(self, file: Any, mapped: bool = False) -> None:
        for name in ("read", "seek", "tell"):
            if not hasattr(file, name):
                raise InputTypeError(
                    f"the file has no method {name!r}",
                    why=f"a {type(file).__name__} is neither a path nor a file that can be sought",
                    fix="pass a path, or io.BytesIO(contents)",
                )
        self.file = file
        self.start = file.tell()
        self.size = file.seek(0, 2) - self.start
        self._map: Any = None
        if mapped and self.size:
            self._map = _mmap.mmap(file.fileno(), 0, access=_mmap.ACCESS_COPY)

    def read(self, at: int, length: int) -> bytes:
        """``length`` bytes from ``at`` on."""
        self._check(at, length)
        self.file.seek(self.start + at)
        parts = []
        while length:
            part = self.file.read(min(length, CHUNK))
            if not isinstance(part, bytes):
                raise InputTypeError("the file is open for text", fix='open it with mode "rb"')
            if not part:
                raise damaged("the file ends early", SHORTER)
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def array(self, at: int, length: int) -> np.ndarray:
        """``length`` bytes from ``at`` on, as an array that may be written to."""
        self._check(at, length)
        if self._map is not None and length:
            return np.frombuffer(self._map, np.uint8, length, self.start + at)
        made = np.empty(length, np.uint8)
        if not hasattr(self.file, "readinto"):
            for begin in range(0, length, CHUNK):
                end = min(begin + CHUNK, length)
                made[begin:end] = np.frombuffer(self.read(at + begin, end - begin), np.uint8)
            return made
        self.file.seek(self.start + at)
        left = made.data
        while len(left):
            count = self.file.readinto(left)
            if not count:
                raise damaged("the file ends early", SHORTER)
            left = left[count:]
        return made

    @property
    def mapped(self) -> bool:
        return self._map is not None

    def _check(self, at: int, length: int) -> None:
        if at < 0 or length < 0 or at + length > self.size:
            raise damaged("the file ends early", f"{length} bytes are said to be at {at} of {self.size}")
