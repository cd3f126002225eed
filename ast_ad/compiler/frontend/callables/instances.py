"""What does a call of a class give?

An object of the compiler's, whose attributes are filled by reading ``__init__`` and, where the class has one
of its own, ``__new__``; those of a dataclass are known by its fields. A named tuple is a tuple, a member of
an enumeration a constant.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import inspect
import types
from typing import Any

import numpy as np

from ....homes import home_of
from ...ir.ops import Lit
from ...ir.types import Opaque
from .. import doors
from ..constructs.attribute_stores import store_attribute, store_plainly
from ..constructs.attributes import load_attribute
from ..constructs.expressions import runtime_object
from ..context import Context
from ..guards import Path
from ..outside_values import class_member, outside_constant, require_plain_items
from ..store.identities import set_attribute
from ..store.outer_stores import found_in_class
from ..tables import handles
from ..values import Obj, Tup, Value

PLAIN_NEW: tuple[Any, ...] = (
    object.__new__,
    types.SimpleNamespace.__new__,
)  # give an object without attributes


def construct(cx: Context, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Any:
    if issubclass(cls, BaseException):
        given = tuple(runtime_object(cx, a) for a in args)
        named = {k: runtime_object(cx, v) for k, v in kwargs.items()}
        return cx.builder.opaque(cls, given, Opaque(cls.__name__), **named)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        if has_own_new(cls):
            class_member(cx, cls, "__new__")
            return doors.call(cx, Lit(cls.__new__), [Lit(cls), *args], kwargs)
        return named_tuple(cx, cls, args, kwargs)
    if issubclass(cls, enum.Enum):
        values = [cx.demand(a, "the value of an enumeration's member") for a in args]
        return doors.fold(cx, cls, *values)
    if home_of(cls) in ("builtins", "numpy") or issubclass(cls, np.generic):
        return doors.call_opaque(cx, cls, args, kwargs)
    if made_by_scipy(cls) and all(cx.is_static(v) for v in (*args, *kwargs.values())):
        named = {name: cx.static_value(v) for name, v in kwargs.items()}
        return Lit(cls(*map(cx.static_value, args), **named))
    if cls is types.SimpleNamespace and not args:
        return Obj(cls, dict(kwargs))
    if isinstance(found_in_class(type(cls), "__call__"), types.FunctionType):
        class_member(cx, type(cls), "__call__")
        return doors.call(cx, Lit(type(cls).__call__), [Lit(cls), *args], kwargs)
    return instance(cx, cls, args, kwargs)


def made_by_scipy(cls: type) -> bool:
    """Whether it is a distribution whose constructor is SciPy's own: what it sets up, its arguments tell."""
    constructor: Any = cls.__init__  # type: ignore[misc]
    named = getattr(constructor, "__module__", ""), getattr(constructor, "__qualname__", "")
    return named in (
        ("scipy.stats._distn_infrastructure", "rv_continuous.__init__"),
        ("scipy.stats._distn_infrastructure", "rv_discrete.__init__"),
    )


@handles(type.__call__)
def b_type_call(cx: Context, cls: Value, *args: Value, **kwargs: Value) -> Any:
    """``super().__call__(...)`` in a metaclass."""
    return instance(cx, cx.demand(cls, "a class"), list(args), kwargs)


def instance(cx: Context, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Any:
    """An object by ``__new__`` and ``__init__``."""
    if isinstance(cls.__new__, types.FunctionType):
        class_member(cx, cls, "__new__")
        made = doors.call(cx, Lit(cls.__new__), [Lit(cls), *args], kwargs)
        if not isinstance(made, Obj):
            raise cx.unsupported(
                f"an instance of `{cls.__name__}`",
                "its __new__ returns what may be another object",
                "create it outside of the differentiated function",
            )
        if not issubclass(made.cls, cls):
            return made
    elif cls.__new__ in PLAIN_NEW:
        made = Obj(cls)
    else:
        raise no_python_code(cx, cls)
    initialise(cx, made, args, kwargs)
    return made


def initialise(cx: Context, made: Obj, args: list[Value], kwargs: dict[str, Value]) -> None:
    cls = made.cls
    initialiser: Any = cls.__init__  # type: ignore[misc]
    if initialiser is types.SimpleNamespace.__init__:
        class_member(cx, cls, "__init__")
        b_namespace_init(cx, made, *args, **kwargs)
        return
    if not isinstance(initialiser, types.FunctionType):
        ignores = isinstance(cls.__new__, types.FunctionType)  # object's then leaves the arguments alone
        if initialiser is object.__init__ and (ignores or not args and not kwargs):
            return
        raise no_python_code(cx, cls)
    class_member(cx, cls, "__init__")
    if initialiser.__module__ == "typing" and initialiser.__name__ == "_no_init_or_replace_init":
        return  # of a class that derives from typing.Protocol, which has no other
    doors.call(cx, Lit(initialiser), [made, *args], kwargs)


@handles(types.SimpleNamespace.__init__)
def b_namespace_init(cx: Context, made: Obj, *args: Value, **kwargs: Value) -> Any:
    """What it is called with becomes attributes."""
    if args:
        raise no_python_code(cx, made.cls)
    for name, value in kwargs.items():
        set_attribute(cx, made, name, value)
    return Lit(None)


def no_python_code(cx: Context, cls: type) -> Exception:
    return cx.unsupported(
        f"an instance of `{cls.__name__}`",
        "its constructor is not Python code",
        "create it outside of the differentiated function",
    )


def initialised_by(fn: types.FunctionType, made: Obj) -> type | None:
    """The dataclass whose ``__init__`` this is, if the decorator has written it: there is no text of it."""
    if fn.__name__ != "__init__" or fn.__code__.co_filename != "<string>":
        return None
    own = (k for k in made.cls.__mro__ if k.__dict__.get("__init__") is fn)
    return next((k for k in own if "__dataclass_fields__" in k.__dict__), None)


def fill_dataclass(cx: Context, cls: Any, made: Obj, args: list[Value], kwargs: dict[str, Value]) -> None:
    """What the ``__init__`` does that the dataclass decorator has written for ``cls``."""
    signature = inspect.signature(cls.__init__)
    try:
        bound = signature.bind(made, *args, **kwargs)
    except TypeError as problem:
        raised = TypeError(str(problem))
        raise cx.unsupported(
            f"an instance of `{cls.__name__}`", str(problem), "check the call", exception=raised
        ) from None
    # What is frozen is written past its own `__setattr__`, as the decorator's code does.
    assign = stored_past if cls.__dataclass_params__.frozen else store_attribute
    passed: list[Any] = []  # to __post_init__
    for f in cls.__dataclass_fields__.values():
        only_passed = f._field_type is dataclasses._FIELD_INITVAR  # type: ignore[attr-defined]
        if f._field_type is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        if f.name in bound.arguments:
            value = bound.arguments[f.name]
        elif f.init and (default := signature.parameters[f.name].default) is not OF_FACTORY:
            # The field's own may be another by now: a parameter's default can be replaced.
            value = outside_constant(cx, default, Path.of_default(cls.__init__, f.name))
        elif f.default_factory is not dataclasses.MISSING:
            value = doors.call(cx, Lit(f.default_factory), [], {})
        elif f.default is not dataclasses.MISSING and "__slots__" in vars(cls):
            value = outside_constant(cx, f.default, Path.of_object(f, f.name).attribute("default"))
        else:
            continue
        if only_passed:
            passed.append(value)
        else:
            assign(cx, made, f.name, value)
    if hasattr(cls, "__post_init__"):
        doors.call(cx, load_attribute(cx, made, "__post_init__"), passed, {})


stored_past = functools.partial(store_plainly, hooked=True)

OF_FACTORY = dataclasses._HAS_DEFAULT_FACTORY  # type: ignore[attr-defined]
"""The default of a parameter whose field has a factory."""


# ----- named tuples
def has_own_new(cls: type) -> bool:
    """Whether a class that derives from a named tuple has a ``__new__`` of its own."""
    owner = next(k for k in cls.__mro__ if "__new__" in k.__dict__)
    return "_fields" not in owner.__dict__


def named_tuple(cx: Context, cls: type, args: list[Value], kwargs: dict[str, Value]) -> Any:
    require_plain_items(cx, cls)
    bound = inspect.signature(cls).bind(*args, **kwargs)
    fields: Any = cls._fields  # type: ignore[attr-defined]
    parameters = inspect.signature(cls).parameters
    defaults = Path.of_object(cls, cls.__name__).attribute("__new__").attribute("__defaults__")
    items = (
        bound.arguments[f]
        if f in bound.arguments
        else outside_constant(cx, parameters[f].default, defaults.item(i - len(fields)))
        for i, f in enumerate(fields)
    )
    return Tup(tuple(items), cls)


@handles(tuple.__new__)
def b_new_tuple(cx: Context, cls: Value, *items: Value) -> Any:
    """``tuple.__new__(cls, items)``, by which ``_make`` makes a named tuple."""
    known = cx.demand(cls, "a class")
    found = tuple(doors.items_of(cx, items[0])) if items else ()
    if known is not tuple and (not hasattr(known, "_fields") or len(found) != len(known._fields)):
        raise cx.unsupported(f"an instance of `{known.__name__}`", "it has other items", "use its fields")
    return Tup(found, None if known is tuple else known)


# ----- what object itself has
@handles(object.__new__)
def b_new(cx: Context, cls: Value, *args: Value, **kwargs: Value) -> Any:
    known = cx.demand(cls, "a class")
    if known.__new__ is not object.__new__ and not isinstance(known.__new__, types.FunctionType):
        raise no_python_code(cx, known)
    return Obj(known)


@handles(object.__init__)
def b_init(cx: Context, made: Value, *args: Value, **kwargs: Value) -> Any:
    return Lit(None)
