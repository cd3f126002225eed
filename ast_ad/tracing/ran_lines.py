"""Which lines run while a function is traced? Noted for who asks: by them the next call may be compiled."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

from .. import errors

OURS = tuple(os.path.dirname(str(module.__file__)) + os.sep for module in (errors, np))


class Asked(threading.local):
    """Where the lines of the next trace of this thread are put, if they are wanted: files and lines."""

    lines: set[tuple[str, int]] | None = None


asked = Asked()


@contextlib.contextmanager
def lines_noted() -> Iterator[None]:
    """Note the lines that run in the block, if they are wanted, of all code but ours and NumPy's.

    Where a debugger is at work, which must not lose its events, nothing is noted.

    >>> def sign(x):
    ...     if x < 0.0:
    ...         return -1.0
    ...     return 1.0
    >>> asked.lines = set()
    >>> with lines_noted():
    ...     _ = sign(2.0)
    >>> code, noted, asked.lines = sign.__code__, asked.lines, None
    >>> sorted(line - code.co_firstlineno for file, line in noted if file == code.co_filename)
    [1, 3]
    """
    ran = asked.lines
    if ran is None or sys.gettrace() is not None:
        yield
        return

    def line(frame: FrameType, event: str, _: Any) -> Any:
        ran.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    def called(frame: FrameType, event: str, _: Any) -> Any:
        return None if frame.f_code.co_filename.startswith(OURS) else line

    sys.settrace(called)
    try:
        yield
    finally:
        sys.settrace(None)
