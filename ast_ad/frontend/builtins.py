"""Which callables are read structurally, and what do the builtins on types and attributes say?"""

from __future__ import annotations

import copy
import functools
import math
import operator
import typing
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.ops import Lit, Op, Var
from ..ir.types import Scalar
from ..rules import helpers
from .attributes import Live
from .core import Core
from .guards import Guard, Path, is_constant
from .values import (
    Arr,
    Bound,
    Closure,
    Dct,
    Lst,
    Maybe,
    Obj,
    Super,
    Tup,
    Unbound,
)


class Builtins(Core):
    def special(self, fn: Any) -> Callable[..., Any] | None:
        """The handler of a callable that needs structure, or None."""
        if not callable(fn):
            raise self.unsupported("a call", f"{type(fn).__name__} is not callable", "check the name")
        try:
            name = SPECIAL.get(fn)
        except TypeError:
            return None
        if name is not None:
            return getattr(self, name)
        if getattr(fn, "__name__", "") == "prange" and _is_of_numba(fn):
            return self.b_range
        if fn in OF_TYPES:
            return functools.partial(self.by_dummies, fn)
        if fn in helpers.IN_PLACE:
            return functools.partial(self.in_place, fn)
        stand_in = self.stand_in(fn)
        if stand_in is not None:
            return stand_in
        owner = getattr(fn, "__self__", None)
        if owner is self:
            return fn
        if isinstance(owner, np.ufunc):
            handler = getattr(self, "ufunc_" + fn.__name__, None)
            return None if handler is None else functools.partial(handler, owner)
        return None

    # ----- kinds of values
    def b_isinstance(self, value: Any, cls: Any) -> Any:
        classes = self.static_value(cls)
        return Lit(self.asked(lambda v: isinstance(v, classes), value))

    def b_issubclass(self, cls: Any, other: Any) -> Any:
        return Lit(issubclass(self.demand(cls, "a class"), self.demand(other, "a class")))

    def b_issubdtype(self, cls: Any, other: Any) -> Any:
        return Lit(bool(np.issubdtype(self.demand(cls, "a dtype"), self.demand(other, "a dtype"))))

    def b_type(self, value: Any) -> Any:
        return Lit(self.asked(type, value))

    def b_callable(self, value: Any) -> Any:
        return Lit(isinstance(value, (Closure, Bound)) or self.asked(callable, value))

    def b_hasattr(self, value: Any, name: Any) -> Any:
        key = self.demand(name, "an attribute name")
        if isinstance(value, Obj):
            state = self.state.get(value).get(key, Unbound())
            self.unbound_reads.add((value, key))
            if not isinstance(state, (Unbound, Maybe)):
                return Lit(True)
            on_class = self.is_present(value.cls, Path.of_object(value.cls, value.cls.__name__), key)
            if not on_class.value and hasattr(value.cls, "__getattr__"):
                raise self.unsupported(
                    f"whether there is an attribute `{key}`", "its class answers that itself", "do without"
                )
            return state.bound if isinstance(state, Maybe) and not on_class.value else on_class
        if isinstance(value, Live):
            return self.is_present(value.value, value.path, key)
        if isinstance(value, Lit) and not is_constant(value.value):
            return self.is_present(value.value, Path.of_object(value.value, "object"), key)
        return Lit(self.asked(lambda v: hasattr(v, key), value))

    def is_present(self, owner: Any, path: Path, name: str) -> Any:
        """Whether something from outside has an attribute, which has to stay as it is."""
        found = hasattr(owner, name)
        if self.inputs is not None:
            guard = Guard.present if found else Guard.missing
            self.inputs.guards.add(guard(path.attribute(name)))
        return Lit(found)

    def b_getattr(self, value: Any, name: Any, *default: Any) -> Any:
        key = self.demand(name, "an attribute name")
        has = self.b_hasattr(value, name) if default else Lit(True)
        if self.static_value(has) is False:
            return default[0]
        if self.static_value(has) is not True:
            return self.choose(has, lambda: self.load_attribute(value, key), lambda: default[0])
        return self.load_attribute(value, key)

    def b_setattr(self, value: Any, name: Any, new: Any) -> Any:
        self.store_attribute(value, self.demand(name, "an attribute name"), new)
        return Lit(None)

    def b_slice(self, *args: Any) -> Any:
        none = Lit(None)
        return slice(none, args[0], none) if len(args) == 1 else slice(*(*args, none)[:3])

    def b_float(self, value: Any = Lit(0.0)) -> Any:
        if self.is_static(value):
            return self.fold(float, self.static_value(value))
        return self.emit(float, value)  # of a sum that began with 0.0 the type is not known

    def b_int(self, value: Any = Lit(0), *base: Any) -> Any:
        if self.is_static(value):
            return self.fold(int, self.static_value(value), *map(self.static_value, base))
        if (
            isinstance(value, Var)
            and isinstance(value.type, Scalar)
            and value.type.kind == "int"
            and value.type.dtype is None
        ):
            return value
        return self.emit(int, value)

    def b_pow(self, base: Any, exp: Any, mod: Any = None) -> Any:
        return self.binary(operator.pow, base, exp) if mod is None else self.emit(pow, base, exp, mod)

    def b_bool(self, value: Any = Lit(False)) -> Any:
        return self.python_bool(self.truth(value))

    def b_print(self, *args: Any, **kwargs: Any) -> Any:
        given = tuple(map(self.runtime_object, args))
        self.builder.append(
            Op(print, given, (), {k: self.arg(v) for k, v in kwargs.items()}, self.builder.span, effect=True)
        )
        return Lit(None)

    def b_warn(self, message: Any, *args: Any, **kwargs: Any) -> Any:
        given = (self.runtime_object(message), *map(self.arg, args))
        self.builder.append(
            Op(
                warnings.warn,
                given,
                (),
                {k: self.arg(v) for k, v in kwargs.items()},
                self.builder.span,
                effect=True,
            )
        )
        return Lit(None)

    def b_filter_warnings(self, *args: Any, **kwargs: Any) -> Any:
        return Lit(None)  # which warnings are shown is no part of the result

    def b_super(self, *args: Any) -> Any:
        cell = self.frame.cells.get("__class__")
        names = list(self.state.get(self.frame))
        if args or cell is None or not names:
            raise self.unsupported("super() here", "its class is not known", "name the base class")
        return Super(cell.cell_contents, self.state.get_name(self.frame, names[0]))

    def b_copy(self, value: Any) -> Any:
        if isinstance(value, Arr):
            return self.emit(np.copy, value)
        if isinstance(value, Lst):
            return self.same_elements(value, self.state.get(value))
        if isinstance(value, Dct):
            return Dct(dict(self.state.get(value)), value.cls)
        return Obj(value.cls, dict(self.state.get(value))) if isinstance(value, Obj) else value

    def b_deepcopy(self, value: Any, memo: Any = Lit(None)) -> Any:
        if self.static_value(memo) is not None:
            raise self.unsupported("copy.deepcopy with a memo", "it is not followed", "leave it out")
        return self.deep_copy(value, {})

    def deep_copy(self, value: Any, copies: dict[int, Any]) -> Any:
        """A copy of all that is in a value; what is in it twice is in the copy twice."""
        if id(value) in copies:
            return copies[id(value)]

        def each(items: Any) -> tuple[Any, ...]:
            return tuple(self.deep_copy(item, copies) for item in items)

        if isinstance(value, Tup):
            found: Any = Tup(each(value.items), value.cls)
        elif isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
            found = copies[id(value)] = Lst(())
            self.state.set(found, each(self.state.get(value)))
        elif isinstance(value, (Dct, Obj)):
            found = copies[id(value)] = Dct({}, value.cls) if isinstance(value, Dct) else Obj(value.cls, {})
            content = self.state.get(value)
            self.state.set(found, dict(zip(content, each(content.values()), strict=True)))
        else:
            found = self.b_copy(value)
        copies[id(value)] = found
        return found

    def by_dummies(self, fn: Any, *args: Any, **kwargs: Any) -> Any:
        """A function that reads dtypes and ranks only."""
        keywords = {k: self.demand(v, f"`{k}`") for k, v in kwargs.items()}
        return self.from_python(self.asked(functools.partial(fn, **keywords), *args))

    def b_cast(self, cls: Any, value: Any) -> Any:
        return value


def _is_of_numba(fn: Any) -> bool:
    return (getattr(fn, "__module__", None) or "").partition(".")[0] == "numba"


# Functions of the types of their arguments: their results are static.
OF_TYPES = {np.result_type, np.common_type, np.promote_types, np.can_cast, np.mintypecode, np.min_scalar_type}
SPECIAL: dict[Any, str] = {
    range: "b_range",
    pow: "b_pow",
    zip: "b_zip",
    enumerate: "b_enumerate",
    reversed: "b_reversed",
    map: "b_map",
    filter: "b_filter",
    np.ndindex: "b_ndindex",
    len: "b_len",
    list: "b_list",
    tuple: "b_tuple",
    dict: "b_dict",
    sum: "b_sum",
    min: "b_min",
    max: "b_max",
    any: "b_any",
    all: "b_all",
    sorted: "b_sorted",
    functools.reduce: "b_reduce",
    functools.partial: "b_partial",
    functools.lru_cache: "b_cached",
    functools.cache: "b_cached",
    functools.wraps: "b_wraps",
    isinstance: "b_isinstance",
    issubclass: "b_issubclass",
    np.issubdtype: "b_issubdtype",
    type: "b_type",
    callable: "b_callable",
    hasattr: "b_hasattr",
    getattr: "b_getattr",
    setattr: "b_setattr",
    slice: "b_slice",
    float: "b_float",
    int: "b_int",
    bool: "b_bool",
    print: "b_print",
    warnings.warn: "b_warn",
    warnings.simplefilter: "b_filter_warnings",
    warnings.filterwarnings: "b_filter_warnings",
    super: "b_super",
    iter: "b_iter",
    next: "b_next",
    copy.copy: "b_copy",
    copy.deepcopy: "b_deepcopy",
    np.copyto: "b_copyto",
    np.array: "b_array",
    np.nan_to_num: "b_nan_to_num",
    np.asarray: "b_asarray",
    np.asanyarray: "b_asarray",
    np.vectorize: "b_vectorize",
    np.apply_along_axis: "b_apply_along_axis",
    np.piecewise: "b_piecewise",
    np.iscomplexobj: "b_iscomplexobj",
    np.isrealobj: "b_isrealobj",
    np.isscalar: "b_isscalar",
    np.iterable: "b_iterable",
    np.may_share_memory: "b_of_memory",
    np.shares_memory: "b_of_memory",
    np.isfortran: "b_of_memory",
    np.ndim: "b_ndim",
    np.shape: "b_shape",
    np.size: "b_size",
    typing.cast: "b_cast",
    helpers.astype: "b_astype",
    math.fsum: "b_fsum",
}
