"""What does an attribute give that code of its class computes: a property, a descriptor, a cached one?

``read_by_code(cx, base, cls, name, own) -> Any``, and ``store_by_code`` for what is stored: asked
before an attribute is taken for a plain one.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Collection
from typing import Any

from ....registered import reads_plainly
from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..guards import Guard, Path
from ..outside_values import class_member, outside_value
from ..store.identities import set_attribute
from ..store.outer_stores import found_in_class, is_bound, store_attribute_outside
from ..values import Live, Maybe, Obj, Unbound, Value


def is_property(raw: object) -> bool:
    """Whether it is a property that does with its functions what Python's own does."""
    return isinstance(raw, property) and all(
        getattr(type(raw), hook) is getattr(property, hook) for hook in ("__get__", "__set__")
    )


def code_of(raw: object, hook: str) -> types.FunctionType | None:
    """The code that a class of the user's has for reading, or storing, what stands under a name."""
    if isinstance(raw, (types.FunctionType, staticmethod, classmethod)) or is_property(raw):
        return None
    code = getattr(type(raw), hook, None)
    ours = any(hasattr(raw, known) for known in ("as_method", "py_func", "cache_info"))
    return code if isinstance(code, types.FunctionType) and not ours else None


def read_by_code(cx: Context, base: Obj | Live, cls: type, name: str, own: Collection[str]) -> Any:
    """What the code of the class gives for an attribute; None if it is a plain one.

    ``own``: the names of what the object itself holds.
    """
    raw = found_in_class(cls, name)
    if is_property(raw):
        if isinstance(base, Live):
            cx.outside().class_attribute(base, name)
        else:
            class_member(cx, cls, name)
        return doors.call(cx, Lit(raw.fget), [base], {})
    if not reads_plainly(cls):
        return None
    if isinstance(raw, functools.cached_property):
        return read_cached(cx, base, cls, name, raw)
    code = code_of(raw, "__get__")
    if raw is None and name not in own and isinstance(base, Live):
        return read_missing(cx, base, cls, name)
    if code is None or name in own and not hasattr(type(raw), "__set__"):
        return None
    return doors.call(cx, Lit(code), [descriptor(cx, cls, name), base, Lit(cls)], {})


def read_missing(cx: Context, base: Live, cls: type, name: str) -> Any:
    """What the ``__getattr__`` of a class gives; None if there is none, or it is not asked."""
    code = getattr(cls, "__getattr__", None)
    if (
        not isinstance(code, types.FunctionType)
        or cx.static_value(is_bound(cx, base.value, name)) is not False
    ):
        return None
    class_member(cx, cls, "__getattr__")
    own = base.path.attribute("__dict__").item(name)
    cx.outside().guards.add(Guard.missing(own))
    cx.outside().guards.add(Guard.missing(Path.of_object(cls, cls.__name__).attribute(name)))
    return doors.call(cx, Lit(code), [base, Lit(name)], {})


def read_cached(
    cx: Context, base: Obj | Live, cls: type, name: str, raw: functools.cached_property[Any]
) -> Any:
    """What a ``cached_property`` gives, which the object holds from then on."""
    held: Any
    if isinstance(base, Obj):
        cx.unbound_reads.add((base, name))
        held = cx.state.get(base).get(name, Unbound())
        held = None if isinstance(held, Maybe) else not isinstance(held, Unbound)
    else:
        held = cx.static_value(is_bound(cx, base.value, name))
        if held is False:
            held = name in vars(base.value)
            guard = Guard.present if held else Guard.missing
            cx.outside().guards.add(guard(base.path.attribute("__dict__").item(name)))
    if held is True:
        return cx.state.get(base)[name] if isinstance(base, Obj) else None
    if held is not False:
        raise cx.unsupported(
            f"the cached property `{name}`", "on some paths it was computed before", "ask for it at first"
        )
    descriptor(cx, cls, name)
    value = doors.call(cx, Lit(raw.func), [base], {})
    if isinstance(base, Obj):
        set_attribute(cx, base, name, value)
    else:
        store_attribute_outside(cx, base.value, base.path, name, value)
    return value


def store_by_code(cx: Context, base: Obj | Live, cls: type, name: str, value: Value) -> bool:
    """Let the code of the class store an attribute; False if there is none."""
    raw = found_in_class(cls, name)
    if is_property(raw):
        if raw.fset is None:
            text = f"property {name!r} of {cls.__qualname__!r} object has no setter"
            raise cx.unsupported(
                f"assignment to the property `{name}`",
                "it has no setter",
                "use another name",
                exception=AttributeError(text),
            )
        descriptor(cx, cls, name)
        doors.call(cx, Lit(raw.fset), [base, value], {})
        return True
    code = code_of(raw, "__set__")
    if code is None:
        return False
    doors.call(cx, Lit(code), [descriptor(cx, cls, name), base, value], {})
    return True


def descriptor(cx: Context, cls: type, name: str) -> Any:
    """What stands in a class, or one that it derives from, under a name; it has to stay there."""
    owner = next(k for k in cls.__mro__ if name in k.__dict__)
    path = Path.of_object(owner, owner.__name__).attribute("__dict__").item(name)
    raw = owner.__dict__[name]
    if cx.inputs is not None:
        cx.inputs.guards.add(Guard.value(path, raw))
    return outside_value(cx, raw, path)
