"""Which callables are read structurally, and what do the builtins on types and attributes say?"""

from __future__ import annotations

import functools
import operator
import types
import typing
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ....errors import AdError
from ....rules import helpers
from ....rules.structured import PLAYS
from ...ir.ops import Lit, Op, Var
from ...ir.types import Scalar
from .. import doors
from ..constructs.attribute_stores import store_attribute
from ..constructs.attributes import load_attribute
from ..constructs.branches import choose, python_bool, truth
from ..constructs.descriptors import code_of, is_property
from ..constructs.expressions import runtime_object
from ..constructs.operators import binary, fold
from ..constructs.super_attributes import is_inherited
from ..context import Context
from ..conversion import from_python
from ..guards import Guard, Path
from ..outside_values import class_member, class_stays
from ..store.outer_stores import found_in_class, is_bound
from ..tables import CALLS, METHODS, Intrinsic, handles
from ..told_values import is_constant
from ..types.type_questions import asked
from ..values import Bound, Callee, Closure, Dct, Live, Maybe, Obj, Super, Unbound, Value
from .asked_attributes import given_or, gives
from .decorated_errors import decorated
from .getters import made_outside
from .iterables import b_dict, b_range
from .numpy_calls import in_place
from .programs import by_program
from .stand_ins import stand_in
from .vectorized import call_vectorized


def special(cx: Context, fn: Callee) -> Callable[..., Any] | None:
    """The handler of a callable that needs structure, or None."""
    if isinstance(fn, Intrinsic):
        return functools.partial(fn.run, cx)
    if not callable(fn):
        raised = TypeError(f"'{type(fn).__name__}' object is not callable")
        raise cx.unsupported(
            "a call", f"{type(fn).__name__} is not callable", "check the name", exception=raised
        )
    try:
        handler = CALLS.get(fn)
    except TypeError:
        return None
    if handler is not None:
        return functools.partial(handler, cx)
    if getattr(fn, "__name__", "") == "prange" and _is_of_numba(fn):
        return functools.partial(b_range, cx)
    if fn in OF_TYPES:
        return functools.partial(by_dummies, cx, fn)
    if fn in helpers.IN_PLACE:
        return functools.partial(in_place, cx, fn)
    if type(fn) is np.vectorize:
        return functools.partial(call_vectorized, cx, fn)
    substitute = by_program(cx, fn) or stand_in(cx, fn) or made_outside(cx, fn) or decorated(cx, fn)
    if substitute is not None:
        return substitute
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        handler = METHODS.get(("ufunc", fn.__name__))
        return None if handler is None else functools.partial(handler, cx, owner)
    return None


# ----- kinds of values
@handles(OrderedDict)
def b_ordered_dict(cx: Context, source: Value | None = None, **kwargs: Value) -> Any:
    found = b_dict(cx, source, **kwargs)
    content = cx.state.get(found)
    return found if isinstance(content, Var) else Dct(dict(content), OrderedDict)


@handles(np.issubdtype)
def b_issubdtype(cx: Context, cls: Value, other: Value) -> Any:
    return Lit(bool(np.issubdtype(cx.demand(cls, "a dtype"), cx.demand(other, "a dtype"))))


@handles(np.isdtype)
def b_isdtype(cx: Context, dtype: Value, kind: Value) -> Any:
    return Lit(np.isdtype(cx.demand(dtype, "a dtype"), cx.demand(kind, "a kind of dtypes")))


@handles(type)
def b_type(cx: Context, value: Value) -> Any:
    if isinstance(value, Obj) and PLAYS in vars(value.cls):
        return Lit(vars(value.cls)[PLAYS])
    return Lit(asked(cx, type, value))


@handles(callable)
def b_callable(cx: Context, value: Value) -> Any:
    if isinstance(value, (Obj, Live)):
        class_stays(cx, value.cls if isinstance(value, Obj) else type(value.value), "__call__")
    return Lit(isinstance(value, (Closure, Bound)) or asked(cx, callable, value))


@handles(hasattr)
def b_hasattr(cx: Context, value: Value, name: Value) -> Any:
    key = cx.demand(name, "an attribute name")
    if isinstance(value, Obj):
        if (code := given_by(cx, value, key)) is not None:
            return doors.call(cx, Lit(gives), [Lit(code), value, Lit(key)], {})
        state = cx.state.get(value).get(key, Unbound())
        if not isinstance(state, (Unbound, Maybe)):
            return Lit(True)
        raw = found_in_class(value.cls, key)
        if is_property(raw) or code_of(raw, "__get__") is not None:
            return has_by_code(cx, value, key)
        on_class = is_present(cx, value.cls, Path.of_object(value.cls, value.cls.__name__), key)
        if isinstance(raw, types.MemberDescriptorType):  # a slot without a value
            class_stays(cx, value.cls, key)
            on_class = Lit(False)
        code = getattr(value.cls, "__getattr__", None)
        if not on_class.value and code is not None:
            raise cx.unsupported(
                f"whether there is an attribute `{key}`", "its class answers that itself", "do without"
            )
        return state.bound if isinstance(state, Maybe) and not on_class.value else on_class
    if isinstance(value, Super):
        return Lit(is_inherited(cx, value, key))
    if isinstance(value, Live) or isinstance(value, Lit) and not is_constant(value.value):
        path = value.path if isinstance(value, Live) else Path.of_object(value.value, "object")
        bound = is_bound(cx, value.value, key)
        if cx.static_value(bound) is True:
            return bound
        found = is_present(cx, value.value, path, key)
        return bound if cx.static_value(bound) is not False and not found.value else found
    return Lit(asked(cx, lambda v: hasattr(v, key), value))


def has_by_code(cx: Context, value: Obj, name: str) -> Lit:
    """Whether an attribute is there that code computes: it is, if the code certainly raises nothing."""
    cx.catching.append(None)
    try:
        load_attribute(cx, value, name)
    except AdError as problem:
        what = f"whether there is an attribute `{name}`"
        raise cx.unsupported(what, f"its code tells that: {problem.why}", "do without") from None
    finally:
        cx.catching.pop()
    span = cx.builder.span
    cx.tried.append((span.filename, span.line, span.line))
    return Lit(True)


def given_by(cx: Context, value: Obj, name: str) -> Callee | None:
    """The code of an object's class that is asked for an attribute which the object certainly has not."""
    code = getattr(value.cls, "__getattr__", None)
    state = cx.state.get(value).get(name, Unbound())
    cx.unbound_reads.add((value, name))
    if not isinstance(state, Unbound) or not isinstance(code, types.FunctionType):
        return None
    if is_present(cx, value.cls, Path.of_object(value.cls, value.cls.__name__), name).value:
        return None
    class_member(cx, value.cls, "__getattr__")
    return code


def is_present(cx: Context, owner: object, path: Path, name: str) -> Any:
    """Whether something from outside has an attribute, which has to stay as it is."""
    found = hasattr(owner, name)
    if cx.inputs is not None:
        guard = Guard.present if found else Guard.missing
        cx.inputs.guards.add(guard(path.attribute(name)))
    return Lit(found)


@handles(getattr)
def b_getattr(cx: Context, value: Value, name: Value, *default: Value) -> Any:
    key = cx.demand(name, "an attribute name")
    if default and isinstance(value, Obj) and (code := given_by(cx, value, key)) is not None:
        return doors.call(cx, Lit(given_or), [Lit(code), value, Lit(key), default[0]], {})
    has = b_hasattr(cx, value, name) if default else Lit(True)
    if cx.static_value(has) is False:
        return default[0]
    if cx.static_value(has) is not True:
        return choose(cx, has, lambda: load_attribute(cx, value, key), lambda: default[0])
    return load_attribute(cx, value, key)


@handles(setattr)
def b_setattr(cx: Context, value: Value, name: Value, new: Value) -> Any:
    store_attribute(cx, value, cx.demand(name, "an attribute name"), new)
    return Lit(None)


@handles(slice)
def b_slice(cx: Context, *args: Value) -> Any:
    none = Lit(None)
    return slice(none, args[0], none) if len(args) == 1 else slice(*(*args, none)[:3])


@handles(float)
def b_float(cx: Context, value: Value = Lit(0.0)) -> Any:
    if cx.is_static(value):
        return fold(cx, float, cx.static_value(value))
    return cx.emit(float, value)  # of a sum that began with 0.0 the type is not known


@handles(int)
def b_int(cx: Context, value: Value = Lit(0), base: Value | None = None) -> Any:
    if cx.is_static(value):
        return fold(cx, int, *(cx.static_value(v) for v in (value, base) if v is not None))
    if (
        isinstance(value, Var)
        and isinstance(value.type, Scalar)
        and value.type.kind == "int"
        and value.type.dtype is None
    ):
        return value
    return cx.emit(int, value)


@handles(pow)
def b_pow(cx: Context, base: Value, exp: Value, mod: Value | None = None) -> Any:
    return binary(cx, operator.pow, base, exp) if mod is None else cx.emit(pow, base, exp, mod)


@handles(bool)
def b_bool(cx: Context, value: Value = Lit(False)) -> Any:
    return python_bool(cx, truth(cx, value))


@handles(print)
def b_print(cx: Context, *args: Value, **kwargs: Value) -> Any:
    given = tuple(runtime_object(cx, part) for part in args)
    cx.builder.append(
        Op(print, given, (), {k: cx.arg(v) for k, v in kwargs.items()}, cx.builder.span, effect=True)
    )
    return Lit(None)


@handles(super)
def b_super(cx: Context, *args: Value) -> Any:
    if len(args) == 2 and isinstance(args[0], Lit) and isinstance(args[0].value, type):
        return Super(args[0].value, args[1])
    cell = cx.frame.cells.get("__class__")
    names = list(cx.state.get(cx.frame))
    if args or cell is None or not names:
        raise cx.unsupported("super() here", "its class is not known", "name the base class")
    return Super(cell.cell_contents, cx.state.get_name(cx.frame, names[0]))


def by_dummies(cx: Context, fn: Callee, *args: Value, **kwargs: Value) -> Any:
    """A call of a function that reads dtypes and ranks only: its answer for dummies is a constant."""
    keywords = {k: cx.demand(v, f"`{k}`") for k, v in kwargs.items()}
    return from_python(cx, asked(cx, functools.partial(fn, **keywords), *args))


@handles(typing.cast)
def b_cast(cx: Context, cls: type, value: Value) -> Any:
    return value


def _is_of_numba(fn: Callee) -> bool:
    return (getattr(fn, "__module__", None) or "").partition(".")[0] == "numba"


# Functions of the types of their arguments: their results are static.
OF_TYPES = {np.result_type, np.common_type, np.promote_types, np.can_cast, np.mintypecode, np.min_scalar_type}
