"""What is an attribute of an array, of an object built inside the function, of a thing that lives outside?"""

from __future__ import annotations

import math
import operator
import types
from collections import namedtuple
from typing import TYPE_CHECKING, Any

import numpy as np

from ....homes import home_of
from ....rules.registry import lookup
from ...ir.dims import count
from ...ir.ops import Lit, Var
from ...ir.types import Array, Opaque, Optional, Scalar, Type, dtype_of, rank_of, type_of_shape
from .. import doors
from ..context import Context
from ..conversion import from_python
from ..guards import Guard, Path
from ..outside_values import (
    MAPPINGS,
    READS,
    capture_live,
    class_member,
    class_stays,
    content_of,
    global_value,
    outside_constant,
    outside_value,
    reads_as_dict,
)
from ..signatures import is_object
from ..store.identities import one_of, read_once
from ..store.memory_layouts import flags_read, strides_read
from ..store.outer_stores import Attributes, found_in_class, is_in_class, is_stored, storing_class
from ..tables import METHODS, Intrinsic
from ..told_values import is_set
from ..types.type_questions import asked, exact, known_rank, present, python_dummies, require_plain
from ..values import (
    Arr,
    ArrayMethod,
    Bound,
    Dct,
    Flat,
    Live,
    Lst,
    Maybe,
    Obj,
    Range,
    State,
    Super,
    Tup,
    Unbound,
    Value,
)
from .boundness import checked
from .descriptors import read_by_class, read_by_code
from .local_classes import Slot, is_local, read_slot
from .narrowing import there
from .own_attributes import class_attribute, own_attribute
from .special_methods import class_of
from .super_attributes import super_attribute

if TYPE_CHECKING:
    from ..guards import Path

NAMED: Any = namedtuple("NAMED", "")
OF_NAMED_TUPLES = NAMED._replace.__code__, NAMED._asdict.__code__  # which all of them share

PLAIN = "builtins", "numpy", "numpy.dtypes", "re"  # modules of classes whose attributes stay as they are


def load_attribute(cx: Context, base: Value, name: str) -> Any:
    if isinstance(base, (Arr, Var)) and not (
        isinstance(base, Var) and not isinstance(base.type, (Scalar, Array, Optional))
    ):
        return value_attribute(cx, base, name)
    if isinstance(base, Obj):
        return object_attribute(cx, base, name)
    if isinstance(base, Tup) and base.cls is not None:
        return named_tuple_attribute(cx, base, base.cls, name)
    if isinstance(base, (Lst, Dct, Tup)):
        kind = type_of_container(base)
        if kind is not None and not hasattr(kind, name):
            raise cx.unsupported(
                f"method `.{name}()` of a {kind.__name__}",
                f"{kind.__name__}s have none",
                "make a list of it" if kind is tuple else "check the name",
                exception=missing_attribute([kind()], name),
            )
        handler = METHODS.get(("dict" if isinstance(base, Dct) else "list", name))
        if handler is not None:
            return Bound(Lit(Intrinsic(handler)), (base,))
    if isinstance(base, (Lit, Live)) and is_set(base.value) and ("set", name) in METHODS:
        return Bound(Lit(Intrinsic(METHODS["set", name])), (base,))
    if isinstance(base, (Range, slice)) and name in ("start", "stop", "step"):
        return getattr(base, name)
    if isinstance(base, (Range, slice)) and cx.is_static(base):
        return constant_attribute(cx, Lit(cx.static_value(base)), name)
    if isinstance(base, Attributes):
        handler = METHODS.get(("attributes", name))
        if handler is None:
            return load_attribute(cx, capture_live(cx, base), name)
        return Bound(Lit(Intrinsic(handler)), (base,))
    if isinstance(base, Live):
        return (
            live_attribute(cx, base, name)
            if not isinstance(base.value, MAPPINGS)
            else of_mapping(cx, base, name)
        )
    if isinstance(base, Super):
        return super_attribute(cx, base, name)
    if isinstance(base, Lit):
        return constant_attribute(cx, base, name)
    if is_generator(base):
        return Bound(Lit(Intrinsic(doors.draw)), (base, Lit(name)))
    raise cx.unsupported(
        f"attribute `{name}`",
        f"the compiler does not know it on this {type(base).__name__}",
        "read it outside of the differentiated function",
    )


def value_attribute(cx: Context, base: Value, name: str) -> Any:
    """An attribute of an array or number, which has it on every path."""
    if not asked(cx, lambda v: hasattr(v, name), present(cx, base)):
        raise cx.unsupported(
            f"attribute `{name}`",
            f"numbers and arrays of type {cx.variable(base).type} have none",
            "check the name",
            AttributeError,
            missing_attribute(python_dummies(cx, base), name),
        )
    there(cx, base, name)
    return array_attribute(cx, base, name)


def type_of_container(base: Lst | Dct | Tup) -> type | None:
    """Of which type it is; None of an iterator and of a view of a dict."""
    if isinstance(base, Lst):
        return list if base.shows is None else None
    return dict if isinstance(base, Dct) else tuple


def missing_attribute(objects: list[Any], name: str) -> Exception | None:
    """What Python raises for an attribute that none of the objects has, if it is the same for all."""
    found = set()
    for one in objects:
        try:
            getattr(one, name)
        except AttributeError as problem:
            found.add(str(problem))
    return AttributeError(found.pop()) if len(found) == 1 else None


def array_attribute(cx: Context, base: Value, name: str) -> Any:
    var = cx.variable(base)
    type = var.type.value if isinstance(var.type, Optional) else var.type
    if name == "shape":
        return shape_of(cx, var)
    if name == "ndim":
        rank = rank_of(type)
        return cx.builder.opaque(np.ndim, (var,), Scalar("int")) if rank is None else Lit(rank)
    if name == "dtype":
        return Lit(dtype_of(exact(cx, var, type, "the dtype")))
    if name == "size":
        lengths = type.shape if isinstance(type, Array) and type.shape is not None else (None,)
        if all(isinstance(n, int) for n in lengths):
            return Lit(math.prod(n for n in lengths if isinstance(n, int)))
        return size_of(cx, var, type)
    if name in ("T", "mT"):
        return (
            doors.call_primitive(cx, np.transpose if name == "T" else np.matrix_transpose, [base], {})
            if isinstance(base, Arr)
            else base
        )
    if name in ("real", "imag"):
        return doors.call_primitive(cx, np.real if name == "real" else np.imag, [base], {})
    if name == "flat":
        return Flat(base)
    if name == "flags":
        return flags_read(cx, base)
    if name == "strides":
        return strides_read(cx, base)
    if name == "__class__":
        return Lit(asked(cx, lambda v: v.__class__, base))
    if name == "device":
        return Lit("cpu")
    if name in ("itemsize", "nbytes"):
        dtype: Any = dtype_of(exact(cx, var, type, "the dtype"))
        if name == "itemsize":
            return Lit(dtype.itemsize)
        return cx.emit(operator.mul, array_attribute(cx, base, "size"), Lit(dtype.itemsize))
    if not asked(cx, lambda v: callable(getattr(v, name)), present(cx, base)):
        raise cx.unsupported(f"attribute `{name}`", "it is not followed", "leave it out")
    return ArrayMethod(base, name)


def size_of(cx: Context, var: Var, type: Type) -> Any:
    size = count(type.shape) if isinstance(type, Array) and type.shape else None
    return cx.builder.opaque(np.size, (var,), Scalar("int", None, size))


def shape_of(cx: Context, var: Var) -> Any:
    from ...ir.builtin import tuple_get

    type = var.type.value if isinstance(var.type, Optional) else var.type  # None was asked about before
    if isinstance(type, Scalar):
        return Tup(())
    known_rank(cx, var)
    assert isinstance(type, Array) and type.shape is not None
    if all(isinstance(d, int) for d in type.shape):
        return Tup(tuple(map(Lit, type.shape)))
    shape = cx.builder.opaque(np.shape, (var,), type_of_shape(type))
    return Tup(
        tuple(
            Lit(d)
            if isinstance(d, int)
            else cx.builder.opaque(tuple_get, (shape, Lit(i)), Scalar("int", None, d))
            for i, d in enumerate(type.shape)
        )
    )


def object_attribute(cx: Context, base: Obj, name: str) -> Any:
    content = cx.state.get(base)
    code = read_by_code(cx, base, base.cls, name, content)
    if code is not None:
        return code
    require_plain(cx, base.cls, name, "__getattribute__")
    class_stays(cx, base.cls, "__getattribute__")
    raw = found_in_class(base.cls, name)
    if not isinstance(content.get(name, Unbound()), (Unbound, Maybe)):
        return read_once(cx, content[name], base)
    cx.unbound_reads.add((base, name))
    if isinstance(content.get(name), Maybe):
        return held_attribute(cx, base, name, content[name])
    if name == "__class__":
        return Lit(base.cls)
    if name == "__dict__":
        return one_of(cx, Dct(dict(content), of=base), base)
    stored = storing_class(cx, base.cls, name)
    if stored is not None:
        return class_attribute(cx, stored, name)
    if raw is None and not is_in_class(base.cls, name):
        if hasattr(base.cls, "__getattr__"):
            return doors.call(cx, Lit(base.cls.__getattr__), [base, Lit(name)], {})
        raise cx.unsupported(
            f"attribute `{name}`", f"this {base.cls.__name__} has none", "set it first", AttributeError
        )
    if hasattr(type(raw), "__get__") or hasattr(raw, "as_method") or hasattr(raw, "py_func"):
        class_member(cx, base.cls, name)
    if isinstance(raw, staticmethod):
        return Lit(raw.__func__)
    if hasattr(raw, "as_method"):
        return Bound(Lit(raw.as_method()), (base,))
    if isinstance(raw, classmethod):
        return Bound(Lit(raw.__func__), (Lit(base.cls),))
    if isinstance(raw, types.FunctionType) or hasattr(raw, "py_func") or hasattr(raw, "cache_info"):
        return Bound(Lit(raw), (base,))
    if isinstance(raw, Slot):
        return read_slot(cx, raw)
    return outside_constant(cx, raw, Path.of_object(base.cls, base.cls.__name__).attribute(name))


def named_tuple_attribute(cx: Context, base: Tup, cls: Any, name: str) -> Any:
    if name in cls._fields:
        return base.items[cls._fields.index(name)]
    raw = found_in_class(cls, name)
    handler = METHODS.get(("list", name))
    of_python = raw is found_in_class(tuple, name) or getattr(raw, "__code__", None) in OF_NAMED_TUPLES
    if handler is not None and of_python:
        return Bound(Lit(Intrinsic(handler)), (base,))
    if isinstance(raw, (property, types.FunctionType, staticmethod, classmethod)):
        class_member(cx, cls, name)
    if isinstance(raw, property):
        return doors.call(cx, Lit(raw.fget), [base], {})
    if isinstance(raw, types.FunctionType):
        return Bound(Lit(raw), (base,))
    return load_attribute(cx, Lit(cls), name)


def held_attribute(cx: Context, base: Obj, name: str, state: State) -> Any:
    """What an attribute of an instance holds; on some path it may not have been set."""
    if isinstance(state, Maybe) and hasattr(base.cls, name):
        raise cx.unsupported(
            f"attribute `{name}`, which the instance has on some paths and its class on the others",
            "the compiler does not follow it",
            "set it on every path",
        )
    text = f"'{base.cls.__name__}' object has no attribute '{name}'"
    value = checked(cx, state, AttributeError, text)
    if value is not state:
        cx.state.set(base, {**cx.state.get(base), name: value})
    return value


def constant_attribute(cx: Context, base: Lit, name: str) -> Any:
    value = base.value
    if isinstance(value, types.ModuleType) and cx.inputs is not None and hasattr(value, name):
        if is_stored(cx, vars(value), name):
            return global_value(cx, vars(value), name)
        return outside_value(cx, getattr(value, name), Path.of_module(value, name))
    stored = storing_class(cx, value, name, of_itself=True) if isinstance(value, type) else None
    if stored is not None:
        return class_attribute(cx, stored, name)
    if isinstance(value, type) and is_local(value):
        return local_class_attribute(cx, base, name)
    if isinstance(value, type) and class_of(base) is not None:
        code = read_by_class(cx, base, name)
        if code is not None:
            return code
    if isinstance(value, types.FunctionType) and is_stored(cx, value, name):
        return own_attribute(cx, value, Path.of_object(value, value.__name__), name)
    if isinstance(value, np.ufunc) and name in ("reduce", "accumulate", "outer", "at", "reduceat"):
        return Lit(getattr(value, name))
    if isinstance(value, (int, float, complex, np.generic)) and name in ("real", "imag"):
        return Lit(getattr(value, name))
    number = isinstance(value, (int, float, complex))
    if number and not hasattr(value, name) and hasattr(np.ndarray, name):
        return ArrayMethod(base, name)
    try:
        found = getattr(value, name)
    except AttributeError as problem:
        raised = AttributeError(str(problem))  # without the object
        raise cx.unsupported(
            f"attribute `{name}`", str(problem), "check the name", exception=raised
        ) from None
    if isinstance(value, type) and isinstance(value.__dict__.get(name), classmethod):
        return Bound(Lit(found.__func__), (base,))
    owner = value if isinstance(value, type) else type(value)
    if home_of(owner) not in PLAIN or isinstance(value, types.FunctionType):
        if cx.inputs is not None and is_object(value):
            cx.inputs.places.whole[id(value)] = value  # it isn't read as a place of the store
        label = getattr(value, "__name__", owner.__name__)
        return outside_value(cx, found, Path.of_object(value, label).attribute(name))
    return from_python(cx, found)


def local_class_attribute(cx: Context, base: Lit, name: str) -> Any:
    """An attribute of a class that the program has made, itself or by what it derives from."""
    cls: Any = base.value
    raw: Any = next((k.__dict__[name] for k in cls.__mro__ if name in k.__dict__), None)
    if isinstance(raw, Slot):
        return read_slot(cx, raw)
    if raw is None or name == "__dict__":
        if name in ("__name__", "__qualname__"):
            return Lit(getattr(cls, name))
        raise cx.unsupported(f"attribute `{name}`", f"the class {cls.__name__} has none", "define it")
    if not hasattr(type(raw), "__get__"):
        owner = next(k for k in cls.__mro__ if name in k.__dict__)
        return outside_constant(cx, raw, Path.of_object(owner, owner.__name__).attribute(name))
    class_member(cx, cls, name)
    found = getattr(cls, name)
    return Bound(Lit(found.__func__), (base,)) if isinstance(raw, classmethod) else Lit(found)


def of_mapping(cx: Context, base: Live, name: str) -> Any:
    """A method of a dict that is read item by item, or of a mapping that only its owner changes."""
    of_class = isinstance(base.value, dict) and type(base.value) is not dict
    if of_class and (name not in READS or not reads_as_dict(cx, base.value, (name, "__iter__"))):
        return live_attribute(cx, base, name)
    handler = METHODS.get(("outside dict", name))
    if handler is not None:
        return Bound(Lit(Intrinsic(handler)), (base,))
    return load_attribute(cx, content_of(cx, base) if of_class else capture_live(cx, base), name)


# ----- objects that live outside of the function
def live_attribute(cx: Context, base: Live, name: str) -> Any:
    """What an object from outside has: what the program has stored there, else what is found."""
    cls = type(base.value)
    owner = storing_class(cx, cls, name)
    if owner is not None and name not in getattr(base.value, "__dict__", ()):
        if is_stored(cx, base.value, name):
            raise cx.unsupported(f"attribute `{name}`", "the object and its class get one", "use two names")
        cx.outside().guards.add(Guard.missing(base.path.attribute("__dict__").item(name)))
        return class_attribute(cx, owner, name)
    if is_stored(cx, base.value, name):
        return own_attribute(cx, base.value, base.path, name)
    raw: Any = found_in_class(cls, name)
    own = getattr(base.value, "__dict__", {})
    code = read_by_code(cx, base, cls, name, own)
    if code is not None:
        return code
    if (
        isinstance(raw, (types.FunctionType, classmethod, staticmethod))
        and name not in own
        or hasattr(raw, "py_func")
        or hasattr(raw, "as_method")
    ):
        require_reads_plainly(cx, cls, name)
        cx.outside().class_attribute(base, name)
    if name not in own and hasattr(raw, "as_method"):
        return Bound(Lit(raw.as_method()), (base,))
    if name not in own and isinstance(raw, types.FunctionType) and has_rule(cx, raw, base):
        return Lit(types.MethodType(raw, base.python_value()))
    if name not in own and (isinstance(raw, types.FunctionType) or hasattr(raw, "py_func")):
        return Bound(Lit(raw), (base,))
    if name not in own and isinstance(raw, classmethod):
        return Bound(Lit(raw.__func__), (Lit(cls),))
    if name not in own and isinstance(raw, staticmethod):
        return Lit(raw.__func__)
    if name == "__class__":
        return Lit(cls)
    if name == "__dict__" and isinstance(own, dict):
        return instance_dict(cx, base, own)
    return own_attribute(cx, base.value, base.path, name)


def require_reads_plainly(cx: Context, cls: type, name: str) -> None:
    """Refuse a method that code of the class may put another one in the place of."""
    if isinstance(cls.__getattribute__, types.FunctionType):
        raise cx.unsupported(
            f"the method `{name}` of a {cls.__name__}", "its class has a `__getattribute__`", "leave that out"
        )


def instance_dict(cx: Context, base: Live, own: dict[str, Any]) -> Any:
    """``obj.__dict__``: as a dict, as long as neither it nor the object is changed."""
    if cx.outside().follows_code:
        return Attributes(own, base.path.attribute("__dict__"), base.embed, base)
    cx.outside().places.whole[id(base.value)] = base.value
    found = own_attribute(cx, base.value, base.path, "__dict__")
    cx.outside().places.attributes[found] = None
    return found


def has_rule(cx: Context, raw: Any, base: Live) -> bool:
    """Whether the method of this very object is an operation (a distribution of SciPy's)."""
    return lookup(types.MethodType(raw, base.value)) is not None


def is_generator(value: object) -> bool:
    """Whether a value is a generator of random numbers."""
    return isinstance(value, Var) and value.type in (Opaque("Generator"), Opaque("RandomState"))
