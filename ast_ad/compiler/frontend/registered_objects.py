"""What is an object of a registered class to a program? Its attributes, the children among them inputs.

Which attribute is which child is found by taking apart an object that has a mark in the place of each. What
can't be told so (children that are computed, numbers that are no children) is refused, and traced: there the
class's own functions run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...interrupts import let_through
from ...registered import Registered, entry_of, instance_attributes, is_slot
from ...trees import TreeDef, flatten
from ..ir.ops import Lit
from .context import NOT_STATIC, Context
from .guards import Guard, Path
from .outside_values import outside_value
from .told_values import is_constant
from .values import Dct, Lst, Obj, Tup, Value

if TYPE_CHECKING:
    from .inputs import Inputs


class Mark:
    """Stands for a value that a program computes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        raise TypeError(f"it depends on the value of `{self.name}`")


def registered_argument(
    cx: Context, inputs: Inputs, tree: TreeDef, children: Sequence[Value], path: Path
) -> Obj:
    """The abstract object for one of the arguments.

    Args:
        tree: its structure, with the object as ``whole``.
        children: the abstract values of its children.
        path: where it is found.
    """
    whole, entry = tree.whole, tree.static.entry
    held = {} if whole is None else instance_attributes(whole)
    numeric = {name for name, value in held.items() if flatten(value)[0]}
    marked = {name: Mark(name) if name in numeric else v for name, v in held.items()}
    names, besides = _names(cx, entry, marked)
    parts, aux = entry.open(whole)
    if len(names) != len(parts) or any(held[n] is not p for n, p in zip(names, parts, strict=True)):
        raise refused(cx, entry.cls, "its children are computed")
    content = dict(zip(names, children, strict=True))
    guard_attributes(inputs, whole, path)
    for name, value in held.items():
        if name not in content:
            if name in numeric and name not in besides:
                raise refused(cx, entry.cls, f"`{name}` is no child and holds numbers")
            if name not in numeric and not is_constant(value):
                _require_kept(cx, entry, name, value, parts, aux)
            content[name] = outside_value(cx, value, path.attribute(name))
    return Obj(entry.cls, content)


def _require_kept(
    cx: Context, entry: Registered, name: str, value: object, parts: Sequence[object], aux: object
) -> None:
    """Refuse an attribute that `unflatten` makes anew, perhaps of children."""
    try:
        again = instance_attributes(entry.unflatten(aux, parts))
    except Exception as error:
        let_through(error)
        why = f"its `unflatten` fails ({type(error).__name__}: {error})"
        raise refused(cx, entry.cls, why) from None
    if name in again and again[name] is not value:
        raise refused(cx, entry.cls, f"`{name}` may be made of children")


def guard_attributes(inputs: Inputs, whole: object, path: Path) -> None:
    """The object has these attributes, and no others."""
    if isinstance(getattr(whole, "__dict__", None), dict):
        inputs.guards.add(Guard.keys(path.attribute("__dict__"), vars(whole)))
    slots = {name for cls in type(whole).__mro__ for name, raw in vars(cls).items() if is_slot(raw)}
    for name in sorted(slots):
        guard = Guard.present if hasattr(whole, name) else Guard.missing
        inputs.guards.add(guard(path.attribute(name)))


def in_order(cx: Context, value: Obj) -> dict[str, Any]:
    """What an abstract object holds; if its class is registered the children first, in their order."""
    content, constant = parts_of(cx, value)
    if constant:
        raise refused(cx, value.cls, f"`{constant[0]}` is no child and holds numbers")
    return content


def parts_of(cx: Context, value: Obj) -> tuple[dict[str, Any], list[str]]:
    """The same, and the attributes that hold numbers which are none of its leaves."""
    content: dict[str, Any] = cx.state.get(value)
    if not is_registered(value):
        return content, []
    names, left = children_of(cx, value)
    return {name: content[name] for name in (*names, *content)}, left


def is_registered(value: Obj) -> bool:
    """Whether an abstract object is one of a registered class."""
    return entry_of(value.cls) is not None


def children_of(cx: Context, value: Obj) -> tuple[list[str], list[str]]:
    """The attributes of an abstract object of a registered class that are its children, in their order.

    And those that hold numbers which are none of its leaves.
    """
    content: dict[str, Any] = cx.state.get(value)
    entry = entry_of(value.cls)
    assert entry is not None
    static = {name: _static(cx, part) for name, part in content.items()}
    marks = {name: Mark(name) if part is NOT_STATIC else part for name, part in static.items()}
    names, besides = _names(cx, entry, marks)
    left = [name for name, part in marks.items() if isinstance(part, Mark) and name not in names]
    if not besides.issuperset(left):
        raise refused(cx, entry.cls, f"`{left[0]}` is no child and holds numbers")
    return names, left


def _static(cx: Context, value: Value) -> Any:
    """A value of the program that holds no numbers; NOT_STATIC for others."""
    if hasattr(value, "python_value"):
        return value.python_value()
    if isinstance(value, Lit):
        number = isinstance(value.value, (int, float, complex)) and not isinstance(value.value, bool)
        return NOT_STATIC if number else value.value
    items = value.items if isinstance(value, Tup) else None
    if isinstance(value, (Lst, Dct)):
        items = cx.state.get(value)
    if isinstance(items, dict):
        found = [_static(cx, part) for part in items.values()]
        return NOT_STATIC if NOT_STATIC in found else dict(zip(items, found, strict=True))
    if isinstance(items, tuple):
        found = [_static(cx, part) for part in items]
        return NOT_STATIC if NOT_STATIC in found else list(found) if isinstance(value, Lst) else tuple(found)
    return NOT_STATIC


def require_unregistered(cx: Context, cls: type | None) -> None:
    """Refuse an object of a class that is registered, where its structure would be taken for another one."""
    if cls is not None and entry_of(cls) is not None:
        raise refused(cx, cls, "it is a tuple, too")


def _names(cx: Context, entry: Registered, held: dict[str, object]) -> tuple[list[str], set[str]]:
    """The attributes that are an object's children, in their order, and those that it is made of besides."""
    why = "its `flatten` does more than to name attributes"
    try:
        clone: Any = object.__new__(entry.cls)
        for name, value in held.items():
            object.__setattr__(clone, name, value)
        parts, aux = entry.open(clone)
    except Exception as error:
        let_through(error)
        raise refused(cx, entry.cls, f"{why} ({type(error).__name__}: {error})") from None
    own = {id(value): name for name, value in held.items() if isinstance(value, Mark)}
    nones = [name for name, value in held.items() if not isinstance(value, Mark)]
    names = []
    for part in parts:
        if id(part) in own:
            names.append(own.pop(id(part)))
            continue
        found = [n for n in nones if held[n] is part]  # a child without numbers, such as None
        if not found or flatten(part)[0]:
            raise refused(cx, entry.cls, why)
        nones.remove(found[0])
        names.append(found[0])
    return names, set(_marks(aux))


def _marks(aux: object) -> Iterator[str]:
    """The attributes that are held in what an object is made of besides its children."""
    if isinstance(aux, Mark):
        yield aux.name
    elif isinstance(aux, (tuple, list, set, frozenset, dict)):
        for part in aux.values() if isinstance(aux, dict) else aux:
            yield from _marks(part)


def refused(cx: Context, cls: type, why: str) -> Exception:
    return cx.unsupported(f"an object of the registered class {cls.__name__}", why, "let it be traced")
