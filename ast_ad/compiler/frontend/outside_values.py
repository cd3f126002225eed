"""How is a value read that lives outside of the function: a global, a cell, a default, an object?"""

from __future__ import annotations

import dis
import functools
import sys
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..ir.ops import Lit
from .constructs.local_classes import is_local
from .context import Context
from .conversion import from_python
from .guards import ATTRIBUTE, ITEM, MISSING, Guard, Path
from .store.outer_stores import GLOBALS, Attributes, found_in_class, is_bound, is_stored, read
from .told_values import is_constant
from .values import Bound, Dct, Frame, Live, Value

MAPPINGS = dict, types.MappingProxyType  # of which an outside object may be one that is read item by item
READS = "keys", "values", "items", "get", "__iter__", "__len__", "__contains__", "__getitem__"

DATA = str, bytes, int, float, complex, np.generic, np.ndarray, list, dict, tuple, set
DEFAULTS = (ATTRIBUTE, "__defaults__"), (ATTRIBUTE, "__kwdefaults__")
LIBRARIES = {"numpy", "scipy", *sys.stdlib_module_names}
OF_LIBRARIES = types.MethodDescriptorType, types.WrapperDescriptorType  # methods that are no Python code
IMMUTABLE = 1 << 8  # among the flags of a class: nothing in it can be replaced
STORES = {"STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "DELETE_ATTR", "DELETE_SUBSCR"}
CHANGES = frozenset("append extend insert pop update setdefault add clear remove setattr __setattr__".split())


def outside(cx: Context, frame: Frame, kind: str, name: str) -> Any:
    """A global or a variable of an enclosing function that has returned."""
    if kind == "cell":
        try:
            value = frame.cells[name].cell_contents
        except ValueError:
            value = MISSING
        if value is MISSING and not is_stored(cx, frame.cells[name], "cell_contents"):
            raise cx.unsupported(
                f"name `{name}`", "it has no value yet", "define it before the call"
            ) from None
        cell, path = frame.cells[name], Path.of_cell(frame.cells[name], name)
        owner = Path.of_object(cell, name)
        return read(cx, cell, owner, ATTRIBUTE, "cell_contents", name, lambda: outside_value(cx, value, path))
    return global_value(cx, frame.globals, name)


def global_value(cx: Context, space: dict[str, Any], name: str) -> Any:
    """What a module has under a name."""

    def load() -> Any:
        if name not in space:
            if cx.inputs is not None:  # a handler may go on
                cx.inputs.guards.add(Guard.missing(Path.of_global(space, name)))
            raise cx.unsupported(f"name `{name}`", "it may not be defined", "define it", NameError)
        return outside_value(cx, space[name], Path.of_global(space, name))

    return read(cx, space, Path.of_object(space, GLOBALS), ITEM, name, name, load)


def class_member(cx: Context, cls: type, name: str) -> None:
    """What a class defines under a name decides the program: it must stay there."""
    if cx.inputs is None:
        return
    if is_local(cls):  # what it has inherited
        cls = next(k for k in cls.__mro__ if name in k.__dict__)
    if not is_local(cls):
        cx.inputs.class_member(cls, name)


def class_stays(cx: Context, cls: type, name: str) -> None:
    """What a class has under a name, be it nothing, decides the program, and is no code that is followed.

    Classes that are not written in Python can't be changed.
    """
    classes_stay(cx, cls.__mro__, name)


def classes_stay(cx: Context, order: tuple[type, ...], name: str) -> None:
    """The same of classes that are asked in an order, up to the first that has the name."""
    for owner in order if cx.inputs is not None else ():
        if owner.__flags__ & IMMUTABLE or is_local(owner):
            if name in owner.__dict__:
                return
            continue
        path = Path.of_object(owner, owner.__name__).attribute("__dict__").item(name)
        if name in owner.__dict__:
            cx.outside().guards.add(Guard.value(path, owner.__dict__[name]))
            return
        cx.outside().guards.add(Guard.missing(path))


def bases_stay(cx: Context, cls: type) -> None:
    """Which classes a class derives from decides the program."""
    if cx.inputs is not None and not (cls.__flags__ & IMMUTABLE or is_local(cls)):
        path = Path.of_object(cls, cls.__name__).attribute("__mro__")
        cx.outside().guards.add(Guard.value(path, cls.__mro__))


def require_plain_items(cx: Context, cls: type) -> None:
    """Refuse a named tuple whose class has code for what its items are."""
    for name in ("__getitem__", "__iter__", "__len__", "__contains__", "__bool__"):
        if isinstance(getattr(cls, name, None), types.FunctionType):
            raise cx.unsupported(f"a {cls.__name__}", f"its class has a `{name}`", "use its attributes")


def outside_constant(cx: Context, value: Value, path: Path) -> Any:
    """What is rarely changed: a number is a constant of the program, anything else is read at every call.

    Defaults, arguments of a ``functools.partial`` and attributes of a class that objects are made of.
    """
    if path.steps and path.steps[-1][0] == ITEM:
        known_items(cx, Path(path.root, path.steps[:-1], path.label).read())
    if cx.inputs is not None and is_constant(value):
        cx.inputs.guards.add(Guard.value(path, value))
        return from_python(cx, value)
    return outside_value(cx, value, path)


def held_by_partial(cx: Context, fn: functools.partial[Any]) -> tuple[list[Value], dict[str, Value]]:
    """What a partial function from outside passes on beside what it is given."""
    path = Path.of_object(fn, "partial")
    given, named = path.attribute("args"), path.attribute("keywords")
    if cx.inputs is not None:
        cx.inputs.guards.add(Guard.keys(named, fn.keywords))
        known_items(cx, fn.keywords)
    bound = [outside_constant(cx, a, given.item(i)) for i, a in enumerate(fn.args)]
    return bound, {k: outside_constant(cx, v, named.item(k)) for k, v in fn.keywords.items()}


def known_items(cx: Context, owner: object) -> None:
    """A call reads what a container holds as it is outside, whatever the program stores in it."""
    if cx.inputs is not None and isinstance(owner, dict):
        cx.inputs.places.known[id(owner)] = owner


def outside_value(cx: Context, value: object, path: Path) -> Any:
    """What is read from outside: code is guarded by identity, data is read again at every call."""
    if cx.inputs is None or path is None:
        return from_python(cx, value)
    if cx.cached is not None and may_be_replaced(value, path):
        cx.cached.append(path)
    return cx.inputs.load(cx, value, path)


def may_be_replaced(value: object, path: Path) -> bool:
    """Whether it is data of the user's program, and no default of a function."""
    space = path.root if isinstance(path.root, dict) else getattr(path.root, "__dict__", {})
    of_library = str(space.get("__name__")).partition(".")[0] in LIBRARIES
    of_default = path.steps and path.steps[0] in DEFAULTS
    return isinstance(value, DATA) and not of_library and not of_default


def computed(cx: Context, name: str, now: bool = True, code: object = None) -> None:
    """What stands under a name is found by running code of a class, which sees nothing of what is stored.

    ``now``: it is run when the name is read; else the object holds what the code has given before.
    ``code``: where that stores itself, it is part of the program, and is not run to read anything.
    """
    places = cx.outside().places
    stores = now and isinstance(code, types.FunctionType) and stores_itself(code)
    if now and places.count or stores:
        cx.outside().follow_code()
    if stores:
        raise cx.unsupported(
            f"`{name}`, which code computes that stores outside", "it can't be followed", "use a method"
        )
    places.computed[name] = now or places.computed.get(name, False)


def stores_itself(function: types.FunctionType) -> bool:
    """Whether a function changes what outlives its call, by its own code."""
    if not CHANGES.isdisjoint(function.__code__.co_names):
        return True
    steps = {step.opname for step in dis.get_instructions(function.__code__)}
    return not STORES.isdisjoint(steps)


def capture_live(cx: Context, base: Live) -> Any:
    """An outside container as abstract value."""
    if isinstance(base.value, types.MappingProxyType) or reads_as_dict(cx, base.value):
        return content_of(cx, base)
    found = cx.outside().load(cx, base.value, base.path, deep=True)
    if isinstance(base, Attributes) and base.base is not None:
        cx.outside().places.whole[id(base.base.value)] = base.base.value
        cx.outside().places.attributes[found] = None
    return found


def content_of(cx: Context, base: Live) -> Dct:
    """What a mapping holds, as a dict."""
    cx.outside().guards.add(Guard.type(base.path, type(base.value)))
    cx.outside().guards.add(Guard.keys(base.path, base.value))
    held = base.value.items() if isinstance(base.value, types.MappingProxyType) else dict.items(base.value)
    return Dct({k: outside_value(cx, v, place_of_item(base, k)) for k, v in held})


def reads_as_dict(cx: Context, value: object, reads: Sequence[str] = READS) -> bool:
    """Whether it is a dict of a class of its own, which is read as any dict: by no code of that class.

    Nothing is stored in one: what is would be seen by the class (``__setitem__``).
    """
    cls = type(value)
    if not isinstance(value, dict) or cls is dict:
        return False
    if not all(isinstance(found_in_class(cls, name), OF_LIBRARIES) for name in reads):
        return False
    for name in reads:
        class_stays(cx, cls, name)
    return True


def has_outside(cx: Context, base: Live, key: Value) -> Any:
    """Whether a dict that is read item by item (globals, loaded modules) has a key: a boolean value.

    Outside that has to stay so; what is missing there may be stored by the program before it asks.
    """
    name = cx.demand(key, "a key of an outside dict")
    found = dict.__contains__(base.value, name) if isinstance(base.value, dict) else name in base.value
    if cx.inputs is None:
        return Lit(found)
    cx.inputs.guards.add((Guard.present if found else Guard.missing)(place_of_item(base, name)))
    if found or base.path.label != GLOBALS:
        return Lit(found)
    cx.inputs.places.of(base.value, base.path, ITEM, name, name)  # a later pass of a loop may store it
    return is_bound(cx, base.value, name)


def entry(value: Any, key: Any) -> Any:
    """``value[key]``, where that is there: a default would be put into the dict."""
    if isinstance(value, dict):
        if not dict.__contains__(value, key):
            raise KeyError(key)
        return dict.__getitem__(value, key)
    return value[key]


def is_certain(cx: Context, space: dict[str, Any], name: str) -> bool:
    """Whether there is such a global, outside or stored by the program.

    Raises
    ------
    UnsupportedError
        if the program stores it on some paths.
    """
    if name in space:
        return True
    bound = cx.static_value(is_bound(cx, space, name)) if cx.inputs is not None else False
    if not isinstance(bound, bool):
        raise cx.unsupported(f"item `{name}` of `globals()`", "it may not be stored", "use its name")
    return bound


def own_item_code(cx: Context, base: Live, name: str) -> Any:
    """The Python code by which the class of an outside dict says what a read of it is; None: it has none."""
    cls = type(base.value)
    return code_of_class(cx, cls, name, base) if isinstance(base.value, dict) and cls is not dict else None


def code_of_class(cx: Context, cls: type, name: str, value: Value) -> Any:
    """A method of a class that is Python code, for a value of it; None where it has none."""
    raw = found_in_class(cls, name)
    if not isinstance(raw, types.FunctionType):
        class_stays(cx, cls, name)
        return None
    class_member(cx, cls, name)
    return Bound(Lit(raw), (value,))


def load_live_item(cx: Context, base: Live, index: Value) -> Any:
    """An item of a list, dict or other object, by the reads that Python's own classes have.

    Code of its class that says otherwise has been looked for (``own_item_code``), or has asked for this.
    """
    key = cx.demand(index, "an index into an outside object")
    if base.path.label == GLOBALS and is_certain(cx, base.value, key):
        return global_value(cx, base.value, key)
    place = place_of_item(base, key)
    try:
        found = entry(base.value, key)
    except (KeyError, IndexError, TypeError) as problem:
        cx.outside().guards.add(Guard.missing(place))
        if isinstance(base.value, dict):
            require_no_default(cx, type(base.value))
        raise cx.unsupported(
            "an item of an outside object",
            f"{type(problem).__name__}: {problem}",
            "check the index",
            type(problem),
        ) from None
    return outside_value(cx, found, place)


def place_of_item(base: Live, key: Any) -> Path:
    """Where an item is: what a dict holds, whatever code its class has for reads."""
    own = any(isinstance(found_in_class(type(base.value), name), types.FunctionType) for name in READS)
    return base.path.own_item(key) if own and isinstance(base.value, dict) else base.path.item(key)


def require_no_default(cx: Context, cls: type) -> None:
    """Refuse a key that is missing in a dict of a class that has something for it (``defaultdict``)."""
    if hasattr(cls, "__missing__"):
        raise cx.unsupported(
            f"a key that a {cls.__name__} from outside lacks",
            "its class makes an item for it",
            "store it before",
        )
    class_stays(cx, cls, "__missing__")
