"""What do functions of NumPy, Python and SciPy do that don't see traced arrays by themselves?

NumPy hands most calls over to its arguments. Not so what creates arrays (``np.zeros(n)`` has to give a traced
array, or what is written to it would be lost), Python's ``math``, and the libraries whose functions convert
their arguments first. To the code that is traced, other functions stand in their places.
"""

from __future__ import annotations

import copy
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..eager.dispatch import plain_of
from ..eager.numpy_protocol import run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..errors import UnsupportedError
from ..rules.of_numba import changed_since, is_ufunc, made_of, outdated
from ..rules.registry import count, lookup, primitives, writing_parameters
from .builtin_classes import OF_NUMPY
from .compiled_functions import is_compiled, on_constants
from .creation import converts, fills, fromiter, full, has_traced, of_lists, stacked
from .ends import compares, counted
from .followed import followed, objects, vectorized
from .identity import InPlace, UfuncInPlace, in_place
from .jitted_loops import TRACED, as_one
from .overwritten import overwriting
from .stand_ins import named
from .strides import strides_seen
from .texts import loading, reading, saving, writing
from .traced_array import Traced
from .traced_ufuncs import apply_ufunc


def _dispatches(original: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A function with a rule that converts its arguments before it looks at them."""

    real = getattr(original, "__module__", "") == "math"  # drops the imaginary part of NumPy's numbers

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if real and state.tracing:  # what an iterator yields may be traced
            args = tuple(list(a) if _is_run_through(a) else a for a in args)
        if any(map(has_traced, (*args, *kwargs.values()))):
            _require_pure(original, args, kwargs)
            if real:
                args = tuple(run(np.real, (a,), {}) if _is_complex(a) else a for a in args)
            return run(original, args, kwargs)
        return original(*args, **kwargs)

    return dispatch


def _require_pure(original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Refuse a call that writes to an array, of which the trace would know nothing."""
    for position, name in writing_parameters(original):
        given = kwargs.get(name, args[position] if position < len(args) else None)
        if isinstance(given, (np.ndarray, Tensor)) or given is True:
            raise UnsupportedError(
                f"`{original.__name__}` with {name}=",
                why="it writes to an array",
                fix="use the result that it returns",
            )


def _is_run_through(value: Any) -> bool:
    """Whether something that is iterable is no list, tuple or array: a generator, a set, a view of a dict."""
    return isinstance(value, Iterable) and not isinstance(value, (Tensor, np.ndarray, list, tuple))


def _is_complex(value: Any) -> bool:
    return isinstance(value, Tensor) and isinstance(plain_of(value), np.complexfloating)


def _dispatches_arrays(original: Any) -> Callable[..., Any]:
    """A method with a rule for arrays and numbers; other objects are followed through its Python code."""

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        simple = all(
            isinstance(v, (Tensor, np.ndarray, np.generic, float, int, types.NoneType)) for v in given
        )
        if simple and any(map(has_traced, given)):
            return run(original, args, kwargs)
        return original(*args, **kwargs)

    return dispatch


# Functions whose arguments may be lists of arrays: NumPy looks for arrays in these lists by itself.
_OF_LISTS = set(
    "stack concatenate vstack hstack dstack column_stack block broadcast_arrays meshgrid select "
    "choose piecewise multi_dot ix_ lexsort shape ndim size array_equal allclose apply_along_axis "
    "apply_over_axes row_stack concat einsum_path unravel_index histogramdd".split()
)


def _dispatches_lists(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function of NumPy's that makes arrays of its arguments if they are lists."""

    @functools.wraps(original)
    def dispatch(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and any(map(_is_like_an_array, args)):
            args = tuple(_as_array(v, original.__name__) if _is_like_an_array(v) else v for v in args)
        if state.tracing and any(_is_list(v) for v in (*args, *kwargs.values())):
            if original is np.nan_to_num or kwargs.get("copy") is False:  # NumPy refuses what needs a copy
                original(*map(plain_of, args), **{k: plain_of(v) for k, v in kwargs.items()})
            args = tuple(stacked(v) if _is_list(v) else v for v in args)
            kwargs = {k: stacked(v) if _is_list(v) else v for k, v in kwargs.items()}
        option = next((v for v in kwargs.values() if isinstance(v, Tensor)), None)
        if state.tracing and option is not None and not any(map(has_traced, args)):
            if hasattr(original, "_implementation"):  # some of which ask their arguments only, no options
                return option.__array_function__(original, (type(option),), args, kwargs)
        return original(*args, **kwargs)

    return dispatch


def _joins(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function of a sequence of arrays, which NumPy asks, but not for what is in them if they are lists."""

    @functools.wraps(original)
    def join(arrays: Any, *args: Any, **kwargs: Any) -> Any:
        if state.tracing and isinstance(arrays, (list, tuple)) and any(map(_is_list, arrays)):
            arrays = [stacked(v) if _is_list(v) else v for v in arrays]
        return original(arrays, *args, **kwargs)

    return join


def _counts(original: Any) -> Callable[..., Any]:
    """``np.repeat``: how often is a count, and what depends on that has no derivative."""
    dispatch = _dispatches_lists(original)

    @functools.wraps(original)
    def call(a: Any, repeats: Any, *args: Any, **kwargs: Any) -> Any:
        return dispatch(a, counted(repeats), *args, **kwargs)

    return call


def _follows(original: Any) -> Callable[..., Any]:
    """A function of NumPy's that is Python code: without a rule, or with none for functions that it calls."""
    follow, ruled = followed(original._implementation), lookup(original) is not None

    @functools.wraps(original)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        calls = state.tracing and any(map(_has_callable, given))  # which perhaps know what is traced
        follows = calls or not ruled and any(map(has_traced, given))
        return (follow if follows else original)(*args, **kwargs)

    return call


def _has_callable(value: Any) -> bool:
    return any(map(callable, value)) if isinstance(value, (list, tuple)) else callable(value)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and has_traced(value)


def _is_like_an_array(value: Any) -> bool:
    """Whether NumPy would make an array of it by Python code, which may give a traced one."""
    if isinstance(value, Tensor) or hasattr(type(value), "__array_function__"):
        return False
    return isinstance(getattr(type(value), "__array__", None), types.FunctionType)


def _as_array(value: Any, name: str) -> Any:
    """The traced array that an object gives; itself if it gives none, or has a method that NumPy calls."""
    if hasattr(type(value), name.removeprefix("a") if name in ("amax", "amin") else name):
        return value
    found = value.__array__()
    return found if isinstance(found, Tensor) else value


# What is to be done with the modules that a function with a cache has loaded.
cached_loads: list[Callable[[list[Any]], None]] = []


def _uncached(cached: Any) -> Callable[..., Any]:
    """A function with a cache: what is traced neither enters the cache nor is found there."""

    @functools.wraps(cached)
    def call(*args: Any, **kwargs: Any) -> Any:
        if any(map(has_traced, (*args, *kwargs.values()))):
            require_hash((*args, *kwargs.values()))
            return cached.__wrapped__(*args, **kwargs)
        before, state.tracing, known = state.tracing, 0, len(sys.modules)
        try:
            found = cached(*args, **kwargs)
        finally:
            state.tracing = before
        if before and len(sys.modules) > known:  # it may have returned one of them
            for replace in cached_loads:
                replace(list(sys.modules.values())[known:])
        return found

    for name in ("cache_info", "cache_clear", "cache_parameters"):
        setattr(call, name, getattr(cached, name))
    call.in_place_of = cached  # type: ignore[attr-defined]
    return call


def require_hash(value: Any) -> None:
    """Raise as Python does where a key to a cache has no hash; numbers have one, traced ones among them."""
    if isinstance(value, tuple):
        for item in value:
            require_hash(item)
    elif not (isinstance(value, Tensor) and value._scalar):
        hash(value)


def _python_of(jitted: Any) -> Callable[..., Any]:
    """What Numba has made of a Python function: on traced arrays that function runs."""
    python = made_of(jitted)
    assert python is not None
    apply = functools.partial(apply_ufunc, jitted, _numpy) if is_ufunc(jitted) else python

    @functools.wraps(python)
    def call(*args: Any, **kwargs: Any) -> Any:
        if state.tracing and any(map(has_traced, (*args, *kwargs.values()))):
            changed = changed_since(jitted)
            if changed is not None:
                construct, why, fix = outdated(jitted, changed)
                raise UnsupportedError(construct, why=why, fix=fix)
            found = TRACED if kwargs or apply is not python else as_one(jitted, python, args)
            return apply(*args, **kwargs) if found is TRACED else found
        return jitted(*map(_itself, args), **kwargs)

    call.in_place_of = jitted  # type: ignore[attr-defined]
    for name in ("nin", "nout", "signature", "py_func"):
        if hasattr(jitted, name):
            setattr(call, name, getattr(jitted, name))
    return call


def _numpy() -> Any:
    return replaced_by(np)


def _itself(value: Any) -> Any:
    """What Numba knows: the function in whose place another one stands."""
    if issubclass(type(value), InPlace):
        return value.in_place_of
    return getattr(value, "__dict__", {}).get("in_place_of", value) if callable(value) else value


def made(value: Any) -> Any:
    """What a call with constants returns, as a new array that may be written to."""
    return Traced._of(value) if type(value) is np.ndarray and value.dtype.kind in "fc" else value


_FILLING = (
    "zeros ones empty zeros_like ones_like empty_like arange linspace logspace geomspace eye identity tri "
    "indices fromfunction vander"
).split()
_FOLLOWED = (
    "apply_along_axis apply_over_axes intersect1d piecewise polydiv real_if_close setdiff1d setxor1d "
    "sort_complex trim_zeros union1d unique_all unique_counts unique_inverse unique_values"
).split()
_JOINING = "concatenate concat stack vstack hstack dstack column_stack".split()
_CONVERTING = "array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite require".split()


def replacements() -> dict[int, tuple[Any, Any]]:
    """By the identity of the original: the original and its replacement."""
    return _replacements(count(), sum(name in sys.modules for name, _ in arriving))


@functools.lru_cache(1)
def _replacements(known: int, arrived: int) -> dict[int, tuple[Any, Any]]:
    found: dict[int, tuple[Any, Any]] = {}

    def replace(original: Any, by: Any) -> None:
        by.in_place_of = original  # what it is to the registry of rules, and to the compiler
        found[id(original)] = original, in_place(original, by)

    for ufunc in (v for v in (*vars(np).values(), *primitives()) if isinstance(v, np.ufunc)):
        found[id(ufunc)] = ufunc, UfuncInPlace(ufunc, of_lists)

    for name in _FILLING:
        if hasattr(np, name):
            replace(getattr(np, name), fills(getattr(np, name)))
    for name in ("full", "full_like"):
        replace(getattr(np, name), full(getattr(np, name)))
    for fn in (np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.array_equal, np.allclose):
        replace(fn, compares(_dispatches_lists(fn)))
    for name in _JOINING:
        if hasattr(np, name):
            replace(getattr(np, name), _joins(getattr(np, name)))
    replace(np.fromiter, fromiter(np.fromiter))
    replace(np.repeat, _counts(np.repeat))
    replace(np.fromstring, reading(np.fromstring))
    for loader in (np.loadtxt, np.genfromtxt, np.fromregex, np.fromfile, np.load):
        replace(loader, loading(loader))
    for saver in (np.savetxt, np.save, np.savez, np.savez_compressed):
        replace(saver, saving(saver))
    for writer in (np.array2string, np.array_repr, np.array_str):
        replace(writer, writing(writer))
    replace(as_strided, _dispatches_lists(strides_seen(as_strided)))
    for standing in OF_NUMPY:
        replace(standing._original, standing)
    for name in _CONVERTING:
        replace(getattr(np, name), converts(getattr(np, name)))
    for name in _FOLLOWED:
        if hasattr(np, name):
            replace(getattr(np, name), _follows(getattr(np, name)))
    found.update((id(original), (original, by)) for original, by in objects())
    for original, by in named(made):
        replace(original, by)
    for fn in primitives():
        module = getattr(fn, "__module__", None) or ""
        if hasattr(fn, "_implementation") and fn.__name__ not in _OF_LISTS and id(fn) not in found:
            replace(fn, overwriting(fn, _dispatches_lists(fn)))
        dispatching = isinstance(fn, np.ufunc) or hasattr(fn, "_implementation")
        if isinstance(fn, types.MethodType):
            owner = fn.__self__
            if id(owner) not in found:
                replace(owner, copy.copy(owner))
            setattr(found[id(owner)][1], fn.__name__, _dispatches_arrays(fn))
            continue
        if dispatching or id(fn) in found or module in ("builtins", "_operator") or isinstance(fn, type):
            continue
        if module.split(".")[0] in ("ast_ad", ""):
            continue
        replace(fn, overwriting(fn, _dispatches(fn, getattr(fn, "__name__", type(fn).__name__))))
    for library, pairs in arriving:
        for original, by in pairs(sys.modules[library]) if library in sys.modules else ():
            replace(original, by)
    return found


# Modules that the program may import later, and what gives the originals in them and their replacements.
arriving: list[tuple[str, Callable[[types.ModuleType], Iterable[tuple[Any, Any]]]]] = []


arriving.append(("scipy.spatial._qhull", lambda module: ()))  # whose classes get other methods (hulls.py)


def replacement(value: Any, table: dict[int, tuple[Any, Any]]) -> Any:
    """What stands in the place of a value while a function is traced; None: the value itself."""
    entry = table.get(id(value))
    if entry is not None:
        return entry[1]
    kind = type(value)
    if kind is types.ModuleType:
        root = value.__name__.partition(".")[0]
        return _face_of_module(value, table) if root in _SHOWN else None
    if kind is Cached:
        return _kept(value, _uncached)
    if made_of(value) is not None:
        return _kept(value, _python_of)
    if kind is np.vectorize:
        return _kept(value, vectorized, value.pyfunc)
    if kind is functools.partial:
        inner = replacement(value.func, table)
        return None if inner is None else _kept(value, lambda v: _partial_of(inner, v), inner)
    return _constants_only(value) if is_compiled(value) else None


def replaced_by(value: Any) -> Any:
    return replacement(value, replacements())


def _partial_of(inner: Any, value: functools.partial[Any]) -> functools.partial[Any]:
    """The partial with another function, and the very keywords and attributes of ``value``."""
    made = functools.partial(inner)
    made.__setstate__((inner, value.args, value.keywords, vars(value)))  # type: ignore[attr-defined]
    return made


_SHOWN = {"numpy", "scipy", "math", "cmath", "statistics"}
Cached = type(functools.lru_cache(len))
_wrappers: dict[int, tuple[Any, Any, Any]] = {}


def _kept(value: Any, make: Callable[[Any], Any], of: Any = None) -> Any:
    """The one wrapper of a function, ``of`` another one; it lives as long as the function in its module."""
    found = _wrappers.get(id(value))
    if found is None or found[0]() is not value or found[2] is not of:
        found = _wrappers[id(value)] = weakref.ref(value), in_place(value, make(value)), of
    return found[1]


@functools.lru_cache(4096)
def _constants_only(compiled: Any) -> Callable[..., Any]:
    call = on_constants(compiled, made)
    return _OfTypes(compiled, call) if hasattr(type(compiled), "__getitem__") else call


class _OfTypes(InPlace):
    """A function of Cython's for several types; each is asked for by the name of the type."""

    __slots__ = ()

    def __getitem__(self, types: Any) -> Any:
        chosen = self.in_place_of[types]
        by = replaced_by(chosen)
        return chosen if by is None else by


class ModuleFace(types.ModuleType):
    """A module of a library as the code that is traced sees it: NumPy itself stays as it is."""

    def __init__(self, module: types.ModuleType, table: dict[int, tuple[Any, Any]]) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update(vars(module))
        self.__dict__.pop("__getattr__", None)  # the module's own comes after this class's
        self.__dict__["in_place_of"] = module
        for name, value in vars(module).items():
            if id(value) in table:
                self.__dict__[name] = table[id(value)][1]
            elif is_compiled(value):
                self.__dict__[name] = _constants_only(value)
            elif type(value) is types.ModuleType and value.__name__.startswith(module.__name__ + "."):
                del self.__dict__[name]  # found when it is asked for

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["in_place_of"], name)
        by = replacement(found, replacements()) if type(found) is types.ModuleType else None
        self.__dict__[name] = found if by is None else by
        return self.__dict__[name]


_faces: dict[types.ModuleType, tuple[Any, ModuleFace]] = {}


def _face_of_module(module: types.ModuleType, table: dict[int, tuple[Any, Any]]) -> ModuleFace:
    """The one face of a module with these replacements, which code may compare with those it is given."""
    found = _faces.get(module)
    if found is None or found[0] is not table:
        found = _faces[module] = table, ModuleFace(module, table)
    return found[1]
