"""Which names does a rule have to see so that its code runs on tensors as it does on arrays?

Primitives that are Python functions, and NumPy functions that don't ask their arguments for an
implementation of their own, are wrapped: given a tensor they go to the dispatcher. Other helpers of the
rules are the same code with such names.
"""

from __future__ import annotations

import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.registry import lookup
from .. import doors
from .reads import is_rules_function

Function = Callable[..., Any]


# NumPy functions that convert their arguments instead of asking them.
CONVERTING = {
    np.array,
    np.asarray,
    np.asanyarray,
    np.ascontiguousarray,
    np.asfortranarray,
    np.asarray_chkfinite,
    np.require,
}
# Functions that look at shapes and dtypes only: they get the arrays inside of tensors.
LOOKING = {np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj, np.result_type, np.can_cast}


def is_tensor(x: Any) -> bool:
    """Whether this is a tensor of the eager mode."""
    return hasattr(type(x), "_is_eager_tensor")


def holds_tensor(x: Any) -> bool:
    """Whether this is a tensor, or a list, tuple or dictionary with one in it."""
    if isinstance(x, (list, tuple)):
        return any(map(holds_tensor, x))
    if isinstance(x, dict):
        return any(map(holds_tensor, x.values()))
    return is_tensor(x)


def arrays_in(x: Any) -> Any:
    """The arrays in place of the tensors, within lists and tuples too."""
    if isinstance(x, (list, tuple)):
        return type(x)(map(arrays_in, x)) if not hasattr(x, "_fields") else tuple(map(arrays_in, x))
    return x._array if is_tensor(x) else x


_wrapped: dict[Any, Any] = {}


def dispatching(fn: Function) -> Function:
    """``fn``, which goes to the dispatcher where a tensor is among the arguments."""
    if fn not in _wrapped:

        def call(*args: Any, **kwargs: Any) -> Any:
            if holds_tensor(args) or holds_tensor(kwargs):
                return doors.call(fn, args, kwargs)
            return fn(*args, **kwargs)

        call.__wrapped__ = fn  # type: ignore[attr-defined]
        _wrapped[fn] = call
    return _wrapped[fn]


def looking(fn: Function) -> Function:
    """``fn``, which sees the arrays inside of tensors."""
    if fn not in _wrapped:

        def call(*args: Any, **kwargs: Any) -> Any:
            return fn(*arrays_in(args), **{k: arrays_in(v) for k, v in kwargs.items()})

        call.__wrapped__ = fn  # type: ignore[attr-defined]
        _wrapped[fn] = call
    return _wrapped[fn]


def tensor_isinstance(x: Any, kinds: Any) -> bool:
    """``isinstance``, to which a tensor is what it holds."""
    return isinstance(x, kinds) or is_tensor(x) and isinstance(x._array, kinds)


class Names:
    """A module's names, for code that runs on tensors."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = for_tensors(getattr(self._module, name))
        setattr(self, name, found)
        return found


_modules: dict[types.ModuleType, Names] = {}


def for_tensors(x: Any) -> Any:
    """What stands for a global value of a rule's module in code that runs on tensors."""
    if isinstance(x, types.ModuleType):
        if x is not np and not x.__name__.startswith(("scipy", "numpy", __package__.split(".")[0])):
            return x
        if x not in _modules:
            _modules[x] = Names(x)
        return _modules[x]
    if not callable(x) or isinstance(x, (type, np.ufunc)) or not x.__hash__:
        return x
    if x in LOOKING:
        return looking(x)
    if isinstance(x, types.FunctionType) and lookup(x) is not None:
        return dispatching(x)
    if is_rules_function(x):
        return rebuilt(x)
    if x in CONVERTING or str(getattr(x, "__module__", "")).startswith("scipy"):
        return dispatching(x) if lookup(x) is not None else x
    return x


_rebuilt: dict[Any, Function] = {}


def rebuilt(fn: Any) -> Function:
    """The same code with names for tensors."""
    if fn not in _rebuilt:
        made = types.FunctionType(
            fn.__code__, patched_globals(fn.__globals__), fn.__name__, fn.__defaults__, fn.__closure__
        )
        made.__kwdefaults__ = fn.__kwdefaults__
        _rebuilt[fn] = made
    return _rebuilt[fn]


_globals: dict[int, dict[str, Any]] = {}
_lock = threading.RLock()


def patched_globals(names: dict[str, Any]) -> dict[str, Any]:
    """The global names of a module of the rules, for code that runs on tensors; made once per module."""
    with _lock:
        if id(names) not in _globals:
            _globals[id(names)] = patched = dict(names)  # first, since modules name each other
            patched["isinstance"] = tensor_isinstance
            for name, value in names.items():
                if not name.startswith("__"):
                    patched[name] = for_tensors(value)
        return _globals[id(names)]
