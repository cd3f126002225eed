"""Which functions don't see traced arrays by themselves? Those are replaced while a function is traced.

NumPy hands most calls over to its arguments. Not so what creates arrays (``np.zeros(n)`` has to give a traced
array, or what is written to it would be lost), Python's ``math``, and the libraries whose functions convert
their arguments first. In their places stand functions that look for traced arguments, and only in threads
that are tracing; when the last trace ends, everything is as before.
"""

from __future__ import annotations

import contextlib
import functools
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..eager.dispatch import _plain
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..rules.registry import primitives
from .builtin_classes import CLASSES
from .traced import Traced

_lock = threading.RLock()
ABSENT: Any = object()
_held: dict[tuple[int, str], int] = {}
Place = tuple[dict[str, Any], str, Any, Any]  # namespace, name, what stands there, what replaces it


def has_traced(value: Any) -> bool:
    """Whether there is a traced array in an argument, also within lists and tuples."""
    if isinstance(value, (list, tuple)):
        return any(has_traced(item) for item in value)
    return isinstance(value, Tensor)


def _asked() -> bool:
    """Whether a replacement was called by the code that is traced, not by NumPy or a rule on its behalf."""
    if not state.tracing:
        return False
    frame: Any = sys._getframe(2)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("numpy"):
        frame = frame.f_back
    return frame is not None and not frame.f_globals.get("__name__", "").startswith("ast_ad.")


# ----- creation


def _fills(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a new array, which is traced if it holds floats."""

    @functools.wraps(original)
    def create(*args: Any, **kwargs: Any) -> Any:
        if not _asked():
            return original(*args, **kwargs)
        args = tuple(_plain(a) if isinstance(a, Tensor) else a for a in args)
        if any(has_traced(v) for v in (*args, *kwargs.values())):
            return run(original, args, kwargs)
        made = original(*args, **kwargs)
        return Traced._of(made) if type(made) is np.ndarray else made

    return create


def _full(original: Callable[..., Any]) -> Callable[..., Any]:
    """np.full and np.full_like: the number that fills may be traced."""

    @functools.wraps(original)
    def create(shape: Any, fill_value: Any, dtype: Any = None, **kwargs: Any) -> Any:
        like = _plain(shape)
        made = original(like, _plain(fill_value), dtype, **kwargs)
        if not _asked():
            return made
        found = Traced._of(made)
        if isinstance(fill_value, Tensor) and isinstance(found, Tensor):
            found[...] = fill_value
        return found

    return create


def _converts(original: Callable[..., Any]) -> Callable[..., Any]:
    """np.array and its relatives: an array of traced numbers is traced."""
    shares = original is not np.array

    @functools.wraps(original)
    def convert(object: Any, dtype: Any = None, **kwargs: Any) -> Any:
        if not _asked():
            return original(object, dtype, **kwargs)
        if not has_traced(object):
            made = original(object, dtype, **kwargs)
            return Traced._of(made) if type(made) is np.ndarray else made
        found: Any = object if isinstance(object, Tensor) else _stacked(object)
        if dtype is not None and np.dtype(dtype) != found._array.dtype:
            found = found.astype(dtype)
        elif isinstance(object, Tensor) and not shares:
            found = run(np.copy, (object,), {})
        if isinstance(found, Traced) and found._scalar:
            found = run(np.reshape, (found, (1,)), {}).reshape(())
        for _ in range(kwargs.get("ndmin", 0) - np.ndim(_plain(found))):
            found = found[None]
        return found

    return convert


def _stacked(rows: Any) -> Any:
    if not isinstance(rows, (list, tuple)):
        return rows
    return run(np.stack, ([_stacked(row) for row in rows],), {}) if rows else np.array(rows)


def _dispatches(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function with a rule that converts its arguments before it looks at them."""

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if any(map(has_traced, (*args, *kwargs.values()))):
            return run(original, args, kwargs)
        return original(*args, **kwargs)

    return dispatch


# Functions whose arguments may be lists of arrays; NumPy looks into these lists by itself.
_OF_LISTS = set(
    "stack concatenate vstack hstack dstack column_stack block broadcast_arrays meshgrid einsum select choose "
    "piecewise multi_dot ix_ lexsort shape ndim size array_equal allclose apply_along_axis apply_over_axes "
    "row_stack concat einsum_path unravel_index histogramdd".split()
)


def _dispatches_lists(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that makes arrays of its arguments if they are lists."""

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and any(_is_list(v) for v in (*args, *kwargs.values())):
            args = tuple(_stacked(v) if _is_list(v) else v for v in args)
            kwargs = {k: _stacked(v) if _is_list(v) else v for k, v in kwargs.items()}
        return original(*args, **kwargs)

    return dispatch


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and has_traced(value)


def _uncached(cached: Any) -> Callable[..., Any]:
    """A function with a cache: what is traced neither enters the cache nor is found there."""

    @functools.wraps(cached)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(has_traced, (*args, *kwargs.values()))):
            return cached.__wrapped__(*args, **kwargs)
        before, state.tracing = state.tracing, 0
        try:
            return cached(*args, **kwargs)
        finally:
            state.tracing = before

    for name in ("cache_info", "cache_clear", "cache_parameters"):
        setattr(call, name, getattr(cached, name))
    return call


def _python_of(jitted: Any) -> Callable[..., Any]:
    """A jitted function: on traced arrays the Python function runs."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(has_traced, (*args, *kwargs.values()))):
            return jitted.py_func(*args, **kwargs)
        return jitted(*args, **kwargs)

    return call


_FILLING = (
    "zeros ones empty zeros_like ones_like empty_like arange linspace logspace geomspace eye identity tri "
    "indices fromiter frombuffer fromfunction vander"
).split()
_CONVERTING = "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite require".split()


@functools.cache
def replacements() -> dict[int, tuple[Any, Any]]:
    """By the identity of the original: the original and its replacement."""
    found: dict[int, tuple[Any, Any]] = {}

    def replace(original: Any, by: Any) -> None:
        by.in_place_of = original  # what it is to the registry of rules, and to the compiler
        found[id(original)] = original, by

    for name in _FILLING:
        if hasattr(np, name):
            replace(getattr(np, name), _fills(getattr(np, name)))
    for name in ("full", "full_like"):
        replace(getattr(np, name), _full(getattr(np, name)))
    for name in _CONVERTING:
        replace(getattr(np, name), _converts(getattr(np, name)))
    for fn in primitives():
        module = getattr(fn, "__module__", None) or ""
        if hasattr(fn, "_implementation") and fn.__name__ not in _OF_LISTS and id(fn) not in found:
            replace(fn, _dispatches_lists(fn))
        dispatching = isinstance(fn, np.ufunc) or hasattr(fn, "_implementation")
        if dispatching or id(fn) in found or module in ("builtins", "_operator") or isinstance(fn, type):
            continue
        if module.split(".")[0] in ("ast_ad", ""):
            continue
        replace(fn, _dispatches(fn, fn.__name__))
    return found


@functools.cache
def _common_places() -> list[Place]:
    """Where NumPy, ``math`` and SciPy themselves hold what is replaced."""
    table = replacements()
    names = ["numpy", "numpy.linalg", "numpy.fft", "math", "cmath"]
    names += [name for name in sys.modules if name.startswith("scipy.") and name.count(".") == 1]
    return [
        place for name in names if name in sys.modules for place in _within(vars(sys.modules[name]), table)
    ]


def _within(namespace: dict[str, Any], table: dict[int, tuple[Any, Any]]) -> Iterator[Place]:
    for name, value in list(namespace.items()):
        entry = table.get(id(value))
        if entry is not None:
            yield namespace, name, value, entry[1]
        elif hasattr(type(value), "py_func") or "py_func" in getattr(value, "__dict__", ()):
            yield namespace, name, value, _python_of(value)
        elif isinstance(value, _Cached):
            yield namespace, name, value, _uncached(value)


_Cached = type(functools.lru_cache(len))


def _builtins(namespace: dict[str, Any]) -> Iterator[Place]:
    """The classes of Python's that have to look at traced values."""
    for name, cls in CLASSES.items():
        if name not in namespace:
            yield namespace, name, ABSENT, cls


_LIBRARIES = {
    "numpy",
    "scipy",
    "math",
    "cmath",
    "ast_ad",
    "builtins",
    "numba",
    "gast",
    "astor",
    "torch",
    "jax",
}


def _namespaces(roots: Sequence[Any]) -> Iterator[dict[str, Any]]:
    """The global variables of functions and objects, and of the modules of what these can name."""
    pending = list(roots)
    seen: set[int] = set()
    while pending:
        value = pending.pop()
        value = getattr(value, "__func__", value)
        module: Any = value
        if isinstance(value, functools.partial):
            pending.append(value.func)
            continue
        if isinstance(value, types.FunctionType):
            pending += [v for c in value.__closure__ or () for v in _content(c)]
            namespace = value.__globals__
        elif isinstance(value, types.ModuleType):
            namespace = vars(value)
        else:
            kind = value if isinstance(value, type) else type(value)
            module = sys.modules.get(kind.__module__)
            if module is None or not isinstance(module, types.ModuleType):
                continue
            namespace = vars(module)
        root = str(namespace.get("__name__", "")).partition(".")[0]
        if (
            id(namespace) in seen
            or root in _LIBRARIES
            or root in sys.stdlib_module_names
            and root != "__main__"
        ):
            continue
        seen.add(id(namespace))
        yield namespace
        pending += [v for v in namespace.values() if _has_code(v)]


def _has_code(value: Any) -> bool:
    """Whether a value has, or is an object with, code that may be run by name."""
    if isinstance(value, (types.FunctionType, types.MethodType, types.ModuleType, type, functools.partial)):
        return True
    return type(value).__module__.partition(".")[0] not in _LIBRARIES | sys.stdlib_module_names


def _content(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents] if _has_code(cell.cell_contents) else []
    except ValueError:  # not yet assigned
        return []


@contextlib.contextmanager
def replaced(function: Any, objects: Sequence[Any] = ()) -> Iterator[None]:
    """Trace in this thread: the replacements stand in their places, also where ``function`` finds its names.

    ``objects``: arguments that may have methods.
    """
    roots = [function, *filter(_has_code, objects)]
    table = replacements()
    namespaces = list(_namespaces(roots))
    places = [*_common_places(), *(p for n in namespaces for p in (*_within(n, table), *_builtins(n)))]
    for value in [getattr(function, "__self__", None), *objects]:
        if _has_code(value) and type(getattr(value, "__dict__", None)) is dict:
            places += _within(vars(value), table)
    with _lock:
        for namespace, name, _, by in places:
            key = id(namespace), name
            _held[key] = _held.get(key, 0) + 1
            namespace[name] = by
    state.tracing += 1
    try:
        yield
    finally:
        state.tracing -= 1
        with _lock:
            for namespace, name, original, by in places:
                key = id(namespace), name
                _held[key] -= 1
                if not _held[key]:
                    del _held[key]
                    if namespace.get(name) is not by:  # the function has put something else there
                        continue
                    if original is ABSENT:
                        del namespace[name]
                    else:
                        namespace[name] = original
