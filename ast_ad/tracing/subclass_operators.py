"""What is traced of an array whose class has operators and methods of its own? Its code, in their places.

``q * r`` of quaternions is a method of the class, as Python calls it. What NumPy computes of such an array,
and every rule, gets it as one of NumPy's own; ufuncs, items and views of it are of the class again where
NumPy's are. Functions of NumPy's that might call the operators would not compute what their rules say: they
are refused.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..eager.tensor import Tensor
from .faces import makers
from .memory import refused
from .subclasses import TracedSubclass
from .traced_array import Traced, of_array

BINARY = "add sub mul matmul truediv floordiv mod pow".split()
OPERATORS = frozenset(f"__{name}__" for name in (*BINARY, "neg", "pos", "abs"))
METHODS = frozenset(name for name in dir(np.ndarray) if name[0] != "_")
OWN = OPERATORS | METHODS
# What arrays have that asks for no operator: facts, and what is of the class again.
FACTS = frozenset("shape ndim size dtype flags tolist item".split())
REDUCTIONS = {np.sum: "sum", np.prod: "prod", np.max: "max", np.min: "min"}  # by methods, in C
AGAIN = frozenset((*"view reshape ravel flatten copy astype dot".split(), *REDUCTIONS.values()))
# Functions that ask for facts, make NumPy's own arrays of their arguments first, or are written in C.
FUNCTIONS = frozenset({
    np.shape, np.ndim, np.size, np.dot, np.vdot, np.inner, np.outer, np.where, np.concatenate,
    *(getattr(np.linalg, name) for name in "norm det slogdet inv solve eig eigh svd qr cholesky".split()),
})  # fmt: skip


class TracedOperated(TracedSubclass):
    """An array of a class that has operators or methods in the places of arrays': ``_instance``."""

    _instance: Any = None
    _held: Any = property(lambda self: self._instance)

    def __getattribute__(self, name: str) -> Any:
        if name[:1] == "_" or _is_ours(sys._getframe(1)):
            return super().__getattribute__(name)
        held = self._instance
        kind = type(held)
        found = inspect.getattr_static(kind, name, None)
        if name in vars(held) and not hasattr(type(found), "__set__"):
            return vars(held)[name]
        if found is None:
            return TracedSubclass.__getattr__(self, name)
        if found is not inspect.getattr_static(np.ndarray, name, None):
            return found.__get__(self, kind) if hasattr(type(found), "__get__") else found
        if name == "T":
            return _again(super().__getattribute__("T"), held.T)
        if name in AGAIN:
            return lambda *args, **kwargs: self._method(name, args, kwargs)
        if name not in FACTS:
            raise _refused(f".{name} of a {kind.__name__}")
        return super().__getattribute__(name)

    def _method(self, name: str, args: Any, kwargs: Any) -> Any:
        found = getattr(Traced, name)(self._as_numpys(), *args, **kwargs)
        named = {name: _instance_of(value) for name, value in kwargs.items()}
        return _again(found, getattr(self._instance, name)(*map(_instance_of, args), **named))

    def _as_numpys(self) -> Any:
        """A view of it, of NumPy's own class."""
        return Traced.__getitem__(self, ...)

    def __getitem__(self, index: Any) -> Any:
        return _again(Traced.__getitem__(self, index), self._instance[plain_of(index)])

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        found = super().__array_ufunc__(ufunc, method, *inputs, **kwargs)  # type: ignore[misc]
        if kwargs.get("out") is not None:
            return found
        named = {name: _instance_of(value) for name, value in kwargs.items()}
        return _again(found, getattr(ufunc, method)(*map(_instance_of, inputs), **named))

    def __array_function__(self, fn: Any, types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        kind = type(self._instance)
        method = REDUCTIONS.get(fn)
        reduces = method is not None and getattr(kind, method) is getattr(np.ndarray, method)
        if fn not in FUNCTIONS and not reduces:
            raise _refused(f"np.{fn.__name__} of a {kind.__name__}")
        found = super().__array_function__(fn, types, args, kwargs)  # type: ignore[misc]
        named = {name: _instance_of(value) for name, value in kwargs.items()}
        return _again(found, fn(*map(_instance_of, args), **named))


def _is_ours(frame: Any) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("ast_ad.")


def _refused(what: str) -> Exception:
    return refused(what, "its class has operators of its own, which NumPy's code may call", "use np.asarray")


def _instance_of(value: Any) -> Any:
    return value._instance if type(value) is TracedOperated else plain_of(value)


def _again(found: Any, like: Any) -> Any:
    """What has been computed, of the class that NumPy gives it."""
    if isinstance(found, tuple):
        return tuple(map(_again, found, like))
    if not isinstance(like, np.ndarray) or type(like) is np.ndarray:
        return found
    if not isinstance(found, Tensor):  # booleans
        return like
    if not like.ndim:
        raise _refused(f"an item of an array of {type(like).__name__} that is one itself")
    again = makers["view"](found, type(like))
    vars(again._held).clear()
    vars(again._held).update(vars(like))
    return again


def _operator(name: str) -> Callable[..., Any]:
    def operated(self: Any, *other: Any) -> Any:
        own = getattr(type(self._instance), name)
        if own is not getattr(np.ndarray, name):
            return own(self, *other)
        found = getattr(Traced, name)(self, *other)
        return (
            found
            if found is NotImplemented
            else _again(found, own(self._instance, *map(_instance_of, other)))
        )

    return operated


def _reflected(name: str) -> Callable[..., Any]:
    function = getattr(operator, f"__{name}__")

    def operated(self: Any, other: Any) -> Any:
        found = getattr(Traced, f"__r{name}__")(self, other)
        return found if found is NotImplemented else _again(found, function(plain_of(other), self._instance))

    return operated


for _name in OPERATORS:
    setattr(TracedOperated, _name, _operator(_name))
for _name in BINARY:  # asked before a traced array on the left is
    setattr(TracedOperated, f"__r{_name}__", _reflected(_name))


def made(plain: np.ndarray, instance: Any) -> Any:
    found = of_array(TracedOperated, plain)
    object.__setattr__(found, "_instance", instance)
    return found


makers.update(own=OWN, operated=made)
