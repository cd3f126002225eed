"""Where are generated files kept, so that nobody else can slip code in and no crash leaves half a file?

In a directory that only the user can reach, on a way that nobody else can change. It is opened once and held:
files are read and written through the handle, not by their path, and each must be the user's own. Files
appear whole (written aside, then renamed) and their names or contents hold a hash that is checked before use.
``AST_AD_CACHE_DIR`` moves the directory, ``AST_AD_CACHE=0`` switches it off.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
import threading
import time
import warnings
import weakref
from pathlib import Path

from . import pruning
from .trusted import why_not_mine, why_not_safe

FORMAT = 2  # of the files' layout: a part of the directory's name

_DAY = 86_400.0
_MOST_OPEN = 8  # directories: who moves the cache again and again
_BY_HANDLE = os.open in os.supports_dir_fd and hasattr(os, "O_DIRECTORY")
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_lock = threading.RLock()
_accepted: dict[Path, Directory | None] = {}  # wanted directory -> the one in use; None: no way is safe


class Directory:
    """A directory of the cache, held open: whatever is renamed meanwhile, its files are those seen here."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.writes = 0
        self.handle: int | None = None
        if _BY_HANDLE:
            self.handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | _PLAIN)
            weakref.finalize(self, os.close, self.handle).atexit = False
        self.status = os.lstat(path) if self.handle is None else os.fstat(self.handle)

    def stands(self) -> bool:
        """Whether the path still leads here, and the directory is as it was when it was checked."""
        try:
            seen = os.lstat(self.path)
        except OSError:
            return False
        fields = "st_dev", "st_ino", "st_mode", "st_uid"
        return all(getattr(seen, field) == getattr(self.status, field) for field in fields)

    def open(self, name: str, flags: int) -> int:
        if self.handle is None:
            return os.open(self.path / name, flags | _PLAIN, 0o600)
        return os.open(name, flags | _PLAIN, 0o600, dir_fd=self.handle)

    def rename(self, old: str, new: str) -> None:
        if self.handle is None:
            os.replace(self.path / old, self.path / new)
        else:
            os.replace(old, new, src_dir_fd=self.handle, dst_dir_fd=self.handle)

    def remove(self, name: str) -> None:
        with contextlib.suppress(OSError):
            if self.handle is None:
                os.unlink(self.path / name)
            else:
                os.unlink(name, dir_fd=self.handle)

    def names(self) -> list[str]:
        return os.listdir(self.path if self.handle is None else self.handle)

    def look(self, name: str) -> tuple[float, int]:
        """When a file was last read (to the day) or written, and its size."""
        if self.handle is None:
            status = os.lstat(self.path / name)
        else:
            status = os.stat(name, dir_fd=self.handle, follow_symlinks=False)
        return status.st_mtime, status.st_size


def cache_directory() -> Path | None:
    """The private directory, created if need be; None where caching is off.

    A directory that others can reach or exchange, or that cannot be made, gives way to a temporary one, which
    lives as long as the process.
    """
    used = directory()
    return used.path if used else None


def directory() -> Directory | None:
    """The directory of ``cache_directory``, open."""
    if os.environ.get("AST_AD_CACHE", "1").strip().lower() in ("0", "off", "false", "no"):
        return None
    wanted = wanted_directory()
    with _lock:
        used = _accepted.get(wanted)
        if wanted not in _accepted or used and not used.stands():
            _accepted.pop(wanted, None)
            used = _accepted[wanted] = _private(wanted) or _temporary()
            while len(_accepted) > _MOST_OPEN:
                del _accepted[next(iter(_accepted))]
        return used


def holds(path: str | Path) -> bool:
    """Whether a file has its place in a directory of the cache."""
    return _directory_of(Path(path)) is not None


def write(path: Path, data: bytes) -> bool:
    """Write the file as a whole or not at all; False where the disk refuses."""
    home = _directory_of(path)
    if home is None:
        return False
    temporary = f".{secrets.token_hex(8)}.part"
    try:
        with os.fdopen(home.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(data)
        home.rename(temporary, path.name)
    except OSError:
        home.remove(temporary)
        return False
    pruning.wrote(home)
    return True


def read(path: Path) -> bytes | None:
    """The content of a regular file of the cache that is the user's own, or None."""
    home = _directory_of(path)
    if home is None:
        return None
    try:
        with os.fdopen(home.open(path.name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or why_not_mine(status):
                return None
            if time.time() - status.st_mtime > _DAY and os.utime in os.supports_fd:
                os.utime(file.fileno())  # in use: the oldest files are removed first
            return file.read()
    except OSError:
        return None


def clear_cache() -> None:
    """Remove all generated files from the disk.

    What this and other processes have loaded stays loaded, and is written again where it is made again.
    """
    used = directory()
    if used is not None:
        pruning.clear(used)


def remove(path: Path) -> None:
    home = _directory_of(path)
    if home is not None:
        home.remove(path.name)


def wanted_directory() -> Path:
    return base() / f"v{FORMAT}"


def base() -> Path:
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
    return (root / "ast_ad").absolute()


def _directory_of(path: Path) -> Directory | None:
    with _lock:
        return next((d for d in _accepted.values() if d and d.path == path.parent), None)


def _private(path: Path) -> Directory | None:
    """The directory, made if it is missing; None where it is not the user's alone, or can't be written to."""
    try:
        for missing in reversed([p for p in (path, *path.parents) if not p.exists()]):
            with contextlib.suppress(FileExistsError):
                missing.mkdir(mode=0o700)
        opened = Directory(path) if stat.S_ISDIR(os.lstat(path).st_mode) else None
    except OSError:
        return None
    if reason := "it is a link or a file" if opened is None else _why_not(opened):
        warnings.warn(
            f"the cache directory {path} is not used: {reason}; "
            "make it private (chmod 700) or set AST_AD_CACHE_DIR",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    return opened if opened and opened.stands() and os.access(path, os.W_OK | os.X_OK) else None


def _why_not(opened: Directory) -> str:
    """Why a directory is not to be trusted. It is open: what is looked at is what will be used."""
    if reason := why_not_mine(opened.status) or why_not_safe(opened.path.parent):
        return reason
    reachable = sys.platform != "win32" and opened.status.st_mode & 0o077
    return "other users can reach it" if reachable else ""


def _temporary() -> Directory | None:
    """A directory for this process; None where others may exchange it, too."""
    if why_not_safe(Path(tempfile.gettempdir()).absolute()):
        return None
    path, process = tempfile.mkdtemp(prefix="ast_ad-"), os.getpid()

    def clean() -> None:
        if os.getpid() == process:  # a forked child leaves it to its parent
            shutil.rmtree(path, ignore_errors=True)

    atexit.register(clean)
    return Directory(Path(path).absolute())
