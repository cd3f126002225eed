"""Could another user put something of his own where a path leads, or has he?

Whoever may write to a directory may rename what lies in it and put something else in its place. So every
directory on the way is looked at, through links, as ssh does with its keys. Windows keeps no modes; there a
profile's directories are the user's own.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

_MOST_LINKS = 40
_ROOT = 0


def owner(status: os.stat_result) -> int:
    return status.st_uid


def why_not_mine(status: os.stat_result) -> str:
    """Why a file, or the directory that holds it, may be another user's; empty where only I can write."""
    if sys.platform == "win32":
        return ""
    if owner(status) != os.geteuid():
        return "it belongs to another user"
    return "other users can write to it" if status.st_mode & 0o022 else ""


def why_not_safe(path: Path) -> str:
    """Why another user may change where an absolute path to a directory leads; empty where none can.

    A directory on the way may be written to by its owner alone, me or root; by others only if it is sticky,
    as ``/tmp`` is: there nobody renames what is not his.

    >>> why_not_safe(Path("/"))
    ''
    """
    if sys.platform == "win32":
        return ""
    current, pending, links = Path("/"), list(reversed(path.parts[1:])), 0
    try:
        while True:
            if reason := _movable(os.lstat(current)):
                return f"{current}, on the way to it, {reason}"
            if not pending:
                return ""
            part = pending.pop()
            below = current.parent if part == ".." else current / part
            status = os.lstat(below)
            if not stat.S_ISLNK(status.st_mode):
                current = below
                continue
            links += 1
            if owner(status) not in (_ROOT, os.geteuid()) or links > _MOST_LINKS:
                return f"{below}, on the way to it, is a link of another user"
            target = Path(os.readlink(below))
            pending += [p for p in reversed(target.parts) if p != "/"]
            current = Path("/") if target.is_absolute() else current
    except OSError as error:
        return f"it cannot be looked at ({error})"


def _movable(status: os.stat_result) -> str:
    if owner(status) not in (_ROOT, os.geteuid()):
        return "belongs to another user"
    writable = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
    return "can be written to by other users" if writable else ""
