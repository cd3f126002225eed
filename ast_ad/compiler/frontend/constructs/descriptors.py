"""What does an attribute give that code of its class computes, and what does a store into it set off?

Properties, ``functools.cached_property``, ``partialmethod``, ``singledispatchmethod``, methods with a cache,
descriptors whose ``__get__`` and ``__set__`` are Python code, and ``__getattr__``: asked before an attribute
is taken for a plain one. That the class still has that very descriptor is guarded: what it gives may be
another object each time.
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
from ..outside_values import class_member, class_stays, outside_constant, outside_value
from ..store.identities import read_once, set_attribute
from ..store.outer_stores import found_in_class, is_bound, store_attribute_outside
from ..values import Bound, Live, Maybe, Obj, Unbound, Value
from .dispatchers import method_for

KINDS = functools.cached_property, functools.partialmethod, functools.singledispatchmethod


def is_property(raw: object) -> bool:
    """Whether it is a property that does with its functions what Python's own does."""
    return isinstance(raw, property) and all(
        getattr(type(raw), hook) is getattr(property, hook) for hook in ("__get__", "__set__")
    )


def code_of(raw: object, hook: str) -> types.FunctionType | None:
    """The code that a class of the user's has for reading, or storing, what stands under a name."""
    if isinstance(raw, (types.FunctionType, staticmethod, classmethod, *KINDS)) or is_property(raw):
        return None
    code = getattr(type(raw), hook, None)
    ours = any(hasattr(raw, known) for known in ("as_method", "py_func", "cache_info"))
    return code if isinstance(code, types.FunctionType) and not ours else None


def read_by_code(cx: Context, base: Obj | Live, cls: type, name: str, own: Collection[str]) -> Any:
    """What the code of the class gives for an attribute; None if it is a plain one.

    ``own``: the names of what the object itself holds.
    """
    raw = found_in_class(cls, name)
    if not reads_plainly(cls):
        return None
    if name == "__setattr__" and raw is object.__setattr__:  # that it is, is guarded where it stores
        return Bound(Lit(raw), (base,))
    if is_property(raw):
        if isinstance(base, Live):
            cx.outside().class_attribute(base, name)
        else:
            class_member(cx, cls, name)
        return doors.call(cx, Lit(raw.fget), [base], {})
    if isinstance(raw, functools.cached_property):
        follows = isinstance(base, Obj) or cx.outside().follows_code
        return read_cached(cx, base, cls, name, raw) if follows else None
    if raw is None and name not in own and isinstance(base, Live):
        return read_missing(cx, base, cls, name) if cx.outside().follows_code else None
    if not hasattr(type(raw), "__set__") and holds_itself(cx, base, name, own):
        return None
    code = code_of(raw, "__get__")
    if code is not None:
        for hook in ("__get__", "__set__"):  # with the second it comes before what the object holds
            class_stays(cx, type(raw), hook)
        if isinstance(base, Live) and not hasattr(type(raw), "__set__"):
            cx.outside().guards.add(Guard.missing(base.path.attribute("__dict__").item(name)))
        return doors.call(cx, Lit(code), [descriptor(cx, cls, name), base, Lit(cls)], {})
    return method_by_descriptor(cx, base, cls, name, raw)


def read_by_class(cx: Context, base: Lit, name: str) -> Any:
    """What the class of a class has code for among that one's attributes; None where it has none."""
    cls: Any = base.value
    raw, own = found_in_class(type(cls), name), found_in_class(cls, name)
    if is_property(raw):
        class_member(cx, type(cls), name)
        return doors.call(cx, Lit(raw.fget), [base], {})
    missing = getattr(type(cls), "__getattr__", None)
    if raw is None and own is None and isinstance(missing, types.FunctionType):
        class_member(cx, type(cls), "__getattr__")
        for owner in (cls, type(cls)):
            class_stays(cx, owner, name)
        return doors.call(cx, Lit(missing), [base, Lit(name)], {})
    return None


def holds_itself(cx: Context, base: Obj | Live, name: str, own: Collection[str]) -> bool:
    """Whether the object has an attribute of its own, which goes before what its class has there."""
    if isinstance(base, Obj):
        return not isinstance(cx.state.get(base).get(name, Unbound()), Unbound)
    return name in own


def method_by_descriptor(cx: Context, base: Obj | Live, cls: type, name: str, raw: Any) -> Any:
    """A method that one of functools' descriptors gives, or one with a cache; None if it is none of them."""
    if isinstance(raw, functools._lru_cache_wrapper):
        place_in_class(cx, cls, name)
        return Bound(Lit(raw), (base,))
    if isinstance(raw, functools.singledispatchmethod):
        place_in_class(cx, cls, name)
        return method_for(raw, base)
    if isinstance(raw, functools.partialmethod):
        path = place_in_class(cx, cls, name)
        given = [outside_constant(cx, a, path.attribute("args").item(i)) for i, a in enumerate(raw.args)]
        named = {
            k: outside_constant(cx, v, path.attribute("keywords").item(k)) for k, v in raw.keywords.items()
        }
        return Bound(Lit(raw.func), (base, *given), named)
    return None


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
        if isinstance(held, Maybe):
            return read_perhaps_cached(cx, base, cls, name, raw, held)
        held = not isinstance(held, Unbound)
    else:
        held = cx.static_value(is_bound(cx, base.value, name))
        if held is False:
            held = name in vars(base.value)
            guard = Guard.present if held else Guard.missing
            cx.outside().guards.add(guard(base.path.attribute("__dict__").item(name)))
    if held is True:
        return read_once(cx, cx.state.get(base)[name], base) if isinstance(base, Obj) else None
    if held is not False:
        raise cx.unsupported(
            f"the cached property `{name}`", "on some paths it was computed before", "ask for it at first"
        )
    descriptor(cx, cls, name)
    value = doors.call(cx, Lit(raw.func), [base], {})
    if isinstance(base, Obj):
        set_attribute(cx, base, name, value)
        return read_once(cx, value, base)
    store_attribute_outside(cx, base.value, base.path, name, value)
    return value


def read_perhaps_cached(
    cx: Context, base: Obj, cls: type, name: str, raw: functools.cached_property[Any], held: Maybe
) -> Any:
    """The same where it was computed on some paths only: in an earlier turn of a loop, say."""

    def kept() -> Lit:
        set_attribute(cx, base, name, held.value)
        return Lit(None)

    def made() -> Lit:
        descriptor(cx, cls, name)
        set_attribute(cx, base, name, doors.call(cx, Lit(raw.func), [base], {}))
        return Lit(None)

    doors.choose(cx, held.bound, kept, made)
    return read_once(cx, cx.state.get(base)[name], base)


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
    class_stays(cx, type(raw), "__set__")
    doors.call(cx, Lit(code), [descriptor(cx, cls, name), base, value], {})
    return True


def descriptor(cx: Context, cls: type, name: str) -> Any:
    """What stands in a class, or one that it derives from, under a name; it has to stay there."""
    return outside_value(cx, found_in_class(cls, name), place_in_class(cx, cls, name))


def place_in_class(cx: Context, cls: type, name: str) -> Path:
    """Where a class has it; there it has to stay, and nothing may come before it."""
    for owner in cls.__mro__:
        path = Path.of_object(owner, owner.__name__).attribute("__dict__").item(name)
        if name in owner.__dict__:
            break
        if cx.inputs is not None:
            cx.inputs.guards.add(Guard.missing(path))
    if cx.inputs is not None:
        cx.inputs.guards.add(Guard.value(path, owner.__dict__[name]))
    return path
