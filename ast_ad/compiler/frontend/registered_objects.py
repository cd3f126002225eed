"""What is an object of a registered class to a program? Its attributes, the children among them inputs.

Which attribute is which child is found by taking apart an object that has a mark in the place of each. What
can't be told so (children that are computed, numbers that are no children) is refused, and traced: there the
class's own functions run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...registered import Registered, entry_of, instance_attributes, is_slot
from ...trees import TreeDef, flatten
from ..ir.ops import Lit
from .context import NOT_STATIC, Context
from .guards import Guard, Path
from .outside_values import outside_value
from .values import Obj

if TYPE_CHECKING:
    from .inputs import Inputs


class Mark:
    """Stands for a value that a program computes."""

    def __init__(self, name: str) -> None:
        self.name = name


def registered_argument(
    cx: Context, inputs: Inputs, tree: TreeDef, children: Sequence[Any], path: Path
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
    names = _names(cx, entry, {name: Mark(name) if name in numeric else v for name, v in held.items()})
    parts = entry.open(whole)[0]
    if len(names) != len(parts) or any(held[n] is not p for n, p in zip(names, parts, strict=True)):
        raise refused(cx, entry.cls, "its children are computed")
    content = dict(zip(names, children, strict=True))
    guard_attributes(inputs, whole, path)
    for name, value in held.items():
        if name not in content:
            if name in numeric:
                raise refused(cx, entry.cls, f"`{name}` is no child and holds numbers")
            content[name] = outside_value(cx, value, path.attribute(name))
    return Obj(entry.cls, content)


def guard_attributes(inputs: Inputs, whole: Any, path: Path) -> None:
    """The object has these attributes, and no others."""
    if isinstance(getattr(whole, "__dict__", None), dict):
        inputs.guards.add(Guard.keys(path.attribute("__dict__"), vars(whole)))
    slots = {name for cls in type(whole).__mro__ for name, raw in vars(cls).items() if is_slot(raw)}
    for name in sorted(slots):
        guard = Guard.present if hasattr(whole, name) else Guard.missing
        inputs.guards.add(guard(path.attribute(name)))


def in_order(cx: Context, value: Obj) -> dict[str, Any]:
    """What an abstract object holds; if its class is registered the children first, in their order."""
    content: dict[str, Any] = cx.state.get(value)
    entry = entry_of(value.cls)
    if entry is None:
        return content
    static = {name: _static(cx, part) for name, part in content.items()}
    marks = {name: Mark(name) if part is NOT_STATIC else part for name, part in static.items()}
    names = _names(cx, entry, marks)
    left = [name for name, part in marks.items() if isinstance(part, Mark) and name not in names]
    if left:
        raise refused(cx, entry.cls, f"`{left[0]}` is no child and holds numbers")
    return {name: content[name] for name in (*names, *content)}


def _static(cx: Context, value: Any) -> Any:
    """A value of the program that holds no numbers; NOT_STATIC for others."""
    if hasattr(value, "python_value"):
        return value.python_value()
    if isinstance(value, Lit) and not isinstance(value.value, (int, float, complex)):
        return value.value
    return value.value if isinstance(value, Lit) and isinstance(value.value, bool) else NOT_STATIC


def require_unregistered(cx: Context, cls: type | None) -> None:
    """Refuse an object of a class that is registered, where its structure would be taken for another one."""
    if cls is not None and entry_of(cls) is not None:
        raise refused(cx, cls, "it is a tuple, too")


def _names(cx: Context, entry: Registered, held: dict[str, Any]) -> list[str]:
    """The attributes that are an object's children, in their order."""
    why = "its `flatten` does more than to name attributes"
    try:
        clone: Any = object.__new__(entry.cls)
        for name, value in held.items():
            object.__setattr__(clone, name, value)
        parts, aux = entry.open(clone)
    except Exception as error:
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
    if _has_mark(aux):
        raise refused(cx, entry.cls, "numbers of it are no children, but what it is made of besides")
    return names


def _has_mark(aux: Any) -> bool:
    if isinstance(aux, (tuple, list, set, frozenset)):
        return any(map(_has_mark, aux))
    if isinstance(aux, dict):
        return any(map(_has_mark, aux.values()))
    return isinstance(aux, Mark)


def refused(cx: Context, cls: type, why: str) -> Exception:
    return cx.unsupported(f"an object of the registered class {cls.__name__}", why, "let it be traced")
