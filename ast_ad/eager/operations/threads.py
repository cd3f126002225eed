"""How many threads compute? That is up to NumPy; the setting is only remembered."""

from __future__ import annotations

import os

from ..surface import function

_numbers = {"within": os.cpu_count() or 1, "between": os.cpu_count() or 1}


def _set(which: str, name: str, n: int) -> None:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError(f"{name} expects an int, but got {type(n).__name__}")
    if n <= 0:
        raise RuntimeError(f"{name} expects a positive integer")
    _numbers[which] = n


@function(method=False)
def set_num_threads(n: int) -> None:
    """Ask for ``n`` threads within an operation: remembered, without an effect on NumPy."""
    _set("within", "set_num_threads", n)


@function(method=False)
def get_num_threads() -> int:
    """What ``set_num_threads`` was given, at first the number of processors."""
    return _numbers["within"]


@function(method=False)
def set_num_interop_threads(n: int) -> None:
    """Ask for ``n`` threads between operations: remembered, without an effect."""
    _set("between", "set_num_interop_threads", n)


@function(method=False)
def get_num_interop_threads() -> int:
    """What ``set_num_interop_threads`` was given, at first the number of processors."""
    return _numbers["between"]
