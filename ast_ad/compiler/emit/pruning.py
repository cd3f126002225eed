"""How large may the cache become, and what goes first?

Files that nobody read for ``MOST_DAYS`` go, and beyond ``MOST_BYTES`` those that were not read for the
longest time. Any file may vanish at any time: who misses one compiles again. So processes need no agreement;
that only one of them looks at a time merely saves work.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from typing import Protocol

MOST_BYTES = 512 << 20
MOST_DAYS = 60
EVERY = 200
"""Writes of a process between two looks at the directory; the first one comes at its first write."""

_DAY = 86_400.0
_HOUR = 3_600.0
_YOUNG = 600.0  # seconds in which files that belong together are written
_LEFT = 0.75  # of the bytes: so that not every look finds too many
_OURS = re.compile(r"\w+_[0-9a-f]{16}\.(py|json)|[0-9a-f]{64}\.(entry|nbc)|\.[0-9a-f]{16}\.part")


class Files(Protocol):
    """A directory, held open."""

    writes: int

    @property
    def handle(self) -> int | None: ...
    def names(self) -> list[str]: ...
    def look(self, name: str) -> tuple[float, int]: ...
    def remove(self, name: str) -> None: ...


def wrote(home: Files) -> None:
    """Count a write, and keep the directory within its bounds."""
    home.writes += 1
    if home.writes % EVERY == 1:
        prune(home)


def prune(home: Files) -> None:
    """Remove what is too old or too much."""
    with _alone(home) as alone:
        if not alone:  # another process is at it
            return
        now, kept, total = time.time(), [], 0
        for name, used, size in _files(home):
            unfinished = name.endswith(".part")
            if now - used > (_HOUR if unfinished else MOST_DAYS * _DAY):
                home.remove(name)
                continue
            total += size
            if not unfinished:  # somebody is about to give it its name
                kept.append((used, size, name))
        if total <= MOST_BYTES:
            return
        for used, size, name in sorted(kept):
            if total <= _LEFT * MOST_BYTES:
                return
            if abs(now - used) > _YOUNG:
                home.remove(name)
                total -= size


def clear(home: Files) -> None:
    """Remove all files that the cache has written."""
    for name, _, _ in list(_files(home)):
        home.remove(name)


def _files(home: Files) -> Iterator[tuple[str, float, int]]:
    """Name, time of the last use and size of what the cache has written; nothing else is touched."""
    for name in home.names():
        if _OURS.fullmatch(name):
            with contextlib.suppress(OSError):  # removed meanwhile
                yield name, *home.look(name)


@contextlib.contextmanager
def _alone(home: Files) -> Iterator[bool]:
    """Whether no other process prunes the directory; a lock that goes with its process."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield True
        return
    if home.handle is None:
        yield True
        return
    try:
        fcntl.flock(home.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        yield False
        return
    except OSError:  # a file system without locks
        yield True
        return
    try:
        yield True
    finally:
        fcntl.flock(home.handle, fcntl.LOCK_UN)
