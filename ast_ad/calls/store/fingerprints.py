"""Is an object of this process the one that an earlier process saw? A text says what it is.

Constants are told by what they are, code by all that it does, modules, classes and functions by the name
under which they are found, functions by their code as well. What has no such text (None) is never taken for
the same.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np

from ...homes import home_of


def fingerprint(value: Any) -> str | None:
    """A text that is the same in every process for what is the same there, or None.

    >>> fingerprint((1, "a")), fingerprint(1.0) == fingerprint(1)
    ("tuple (int 1, str 'a')", False)
    >>> fingerprint(np.sin), fingerprint(object())
    ('numpy.sin', None)
    """
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return f"{kind.__name__} {value!r}"
    if kind is tuple:
        parts = [fingerprint(item) for item in value]
        return None if None in parts else f"tuple ({', '.join(map(str, parts))})"
    if kind is types.CodeType:
        return f"code {_code(value)}"
    if isinstance(value, types.ModuleType) and kind is types.ModuleType:
        return f"module {value.__name__}" if sys.modules.get(value.__name__) is value else None
    if kind is types.FunctionType:
        return f"function {value.__module__} {value.__qualname__} {_code(value.__code__)}"
    if isinstance(value, np.dtype):
        return f"dtype {value.str}" if value.kind in "biufc" else None
    if isinstance(value, type):
        return _class(value)
    if isinstance(value, types.BuiltinFunctionType) or home_of(kind).startswith("numpy"):
        return _named(value)  # ufuncs and the functions of arrays are of classes of NumPy's
    return None


def _named(value: Any) -> str | None:
    """The name under which an object is found in its module."""
    module = getattr(value, "__module__", None) or "numpy"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str):
        return None
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}.{name}" if found is value else None


def _class(cls: type) -> str | None:
    """Its name, the classes that it is made of, and the fields of a named tuple.

    What else stands in a class is guarded where it is read. Its bases and the order of its fields are not: in
    one process they follow from its being the same object, which a name doesn't tell in another one.
    """
    parts = [_named(kind) for kind in cls.__mro__]
    fields = getattr(cls, "_fields", None)
    if issubclass(cls, tuple) and isinstance(fields, tuple):
        parts.append(fingerprint(fields))
    return None if None in parts else " ".join(map(str, parts))


@functools.lru_cache(maxsize=1000)
def _code(code: types.CodeType) -> str:
    """A hash of all that a code object does, and of where its source stands."""
    parts: list[Any] = [
        code.co_code,
        code.co_exceptiontable,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags),
        (code.co_filename, code.co_firstlineno, code.co_qualname),
        list(code.co_positions()),
        *map(_constant, code.co_consts),
    ]
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).hexdigest()


def _constant(value: Any) -> str:
    if isinstance(value, types.CodeType):
        return _code(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    if isinstance(value, frozenset):
        return f"frozenset({', '.join(sorted(map(_constant, value)))})"
    return f"{type(value).__name__} {value!r}"


@functools.cache
def package() -> str:
    """A hash of the names, times and sizes of this package's files: of a version in the making, too."""
    found = []
    for directory, _, files in os.walk(Path(__file__).parents[2]):
        for name in files:
            if name.endswith(".py"):
                status = os.stat(os.path.join(directory, name))
                found.append((directory, name, status.st_mtime_ns, status.st_size))
    return hashlib.sha256(repr(sorted(found)).encode()).hexdigest()
