"""Where are generated files kept, so that nobody else can slip code in and no crash leaves half a file?

In a directory that only the user can read and write. Files appear whole (written aside, then renamed) and
their names or contents hold a hash that is checked before use. ``AST_AD_CACHE_DIR`` moves the directory,
``AST_AD_CACHE=0`` switches it off.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import sys
import tempfile
import threading
import warnings
from pathlib import Path

FORMAT = 1  # of the files' layout: a part of the directory's name

_lock = threading.RLock()
_accepted: dict[Path, Path] = {}  # wanted directory -> the one in use


def cache_directory() -> Path | None:
    """The private directory, created if need be; None where caching is off.

    A directory that others can reach, or that cannot be made, is replaced by a temporary one, which lives
    as long as the process.
    """
    if os.environ.get("AST_AD_CACHE", "1").strip().lower() in ("0", "off", "false", "no"):
        return None
    wanted = _base() / f"v{FORMAT}"
    with _lock:
        used = _accepted.get(wanted)
        if used is None or not used.is_dir():
            used = _accepted[wanted] = wanted if _private(wanted) else _temporary()
        return used


def write(path: Path, data: bytes) -> bool:
    """Write the file as a whole or not at all; False where the disk refuses."""
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(temporary, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        return False
    return True


def read(path: Path) -> bytes | None:
    """The content of a regular file of the cache, or None."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        return path.read_bytes()
    except OSError:
        return None


def remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _base() -> Path:
    """The user's cache directory on this platform."""
    if moved := os.environ.get("AST_AD_CACHE_DIR"):
        return Path(moved).expanduser().absolute()
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        root = home / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return root / "ast_ad"


def _private(directory: Path) -> bool:
    """Make the directory if it is missing; whether it is the user's alone and writable."""
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            directory.mkdir(mode=0o700)
        status = os.lstat(directory)
    except OSError:
        return False
    if reason := _unsafe(status):
        warnings.warn(
            f"the cache directory {directory} is not used: {reason}; "
            "make it private (chmod 700) or set AST_AD_CACHE_DIR",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return os.access(directory, os.W_OK | os.X_OK)


def _unsafe(status: os.stat_result) -> str:
    if not stat.S_ISDIR(status.st_mode):
        return "it is a link or a file"
    if sys.platform == "win32":  # a profile's directories are the user's own; modes say nothing
        return ""
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    return "other users can reach it" if status.st_mode & 0o077 else ""


def _temporary() -> Path:
    directory, owner = tempfile.mkdtemp(prefix="ast_ad-"), os.getpid()

    def clean() -> None:
        if os.getpid() == owner:  # a forked child leaves it to its parent
            shutil.rmtree(directory, ignore_errors=True)

    atexit.register(clean)
    return Path(directory)
