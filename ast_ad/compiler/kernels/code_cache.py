"""Where does Numba keep the machine code of generated kernels?

In the cache's own directory, through its handle: Numba's own files would be found by their path and
unpickled whoever wrote them. A file holds the code of one function for one signature; it is found by the hash
of all that Numba tells apart.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.serialize import dumps

from ..emit import storage


def keep_machine_code(dispatcher: Any) -> None:
    """Let a dispatcher take what another process compiled, if its text is a file of the cache."""
    if storage.holds(dispatcher.py_func.__code__.co_filename):
        dispatcher._cache = _Cache(dispatcher.py_func)


class _Place:
    """What Numba asks a locator of files; ``_py_file`` is for its warnings."""

    def __init__(self, file: str) -> None:
        self._py_file = file

    def ensure_cache_path(self) -> None:
        """The directory was made when the function's text was written."""


class _Form(CompileResultCacheImpl):  # type: ignore[misc]
    """How code is taken apart and put together: Numba's way."""

    def __init__(self, function: Any) -> None:
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Place(function.__code__.co_filename)


class _Cache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of a function, with files of ours."""

    def __init__(self, function: Any) -> None:
        self._name = repr(function)
        self._py_func = function
        self._impl = _Form(function)
        self._cache_path = str(Path(function.__code__.co_filename).parent)
        self._cache_file = _Files(function)
        self.enable()


class _Files:
    """The files of one function. Its module's name holds the hash of its text."""

    def __init__(self, function: Any) -> None:
        code = function.__code__
        self.directory = Path(code.co_filename).parent
        self.what = Path(code.co_filename).name, function.__qualname__, code.co_firstlineno

    def load(self, key: Any) -> Any:
        whole, path = self._key(key)
        data = storage.read(path)
        if data is None or data[:32] != hashlib.sha256(data[32:]).digest():
            return None
        stored, found = pickle.loads(data[32:])
        return found if stored == whole else None

    def save(self, key: Any, found: Any) -> None:
        whole, path = self._key(key)
        data = dumps((whole, found))
        storage.write(path, hashlib.sha256(data).digest() + data)

    def flush(self) -> None:
        """Nothing is found by an index: what is written anew replaces the old file."""

    def _key(self, key: Any) -> tuple[str, Path]:
        whole = repr((self.what, key, numba.__version__, sys.version))
        return whole, self.directory / f"{hashlib.sha256(whole.encode()).hexdigest()}.nbc"
