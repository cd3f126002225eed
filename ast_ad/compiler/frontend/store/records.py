"""How are named tuples, dicts and objects of known attributes elements of a list of run-time length?

As tuples (``Record``) that tell of what, and are it again when they are read. A tuple has no identity, which
dicts and objects have. So where some of one class, with the same keys, are elements of such a list, none may
be changed, or asked for its identity: whichever comes second is refused. To add a key changes what lacks it.
A program that is refused, for whatever reason, is read again without any such elements (``NO_RECORDS``).
"""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ....errors import UnsupportedError
from ....rules import containers, dicts
from ...ir import builtin
from ...ir.ops import Arg, Block, Lit, Op, Undefined, Var, atoms, operands, walk
from ...ir.types import DictOf, ListOf, Optional, Record, TupleOf, Type
from .. import doors
from ..builder import type_of_arg
from ..context import Context
from ..values import Dct, Obj, Tup, Value

if TYPE_CHECKING:
    from ..inputs import Inputs

NO_RECORDS = ("no records",)  # among the constants of a build: no dict or object is an element
AS_ELEMENTS = "an element of a list whose length is known at run time only"
MUTATED = "changed"
COMPARED = "asked whether it is another one"
KEEPING = {containers.__name__, dicts.__name__, builtin.__name__}  # modules of what hands elements on


def record(cx: Context, value: Value) -> Var | None:
    """The element that stands for the value; None where it is no such value."""
    if isinstance(value, Tup) and value.cls is not None:
        return tuple_of(cx, value.items, value.cls, None)
    if not isinstance(value, (Dct, Obj)) or cx.inputs is None or value.serial < 0:
        return None
    if NO_RECORDS in cx.inputs.constants:
        return None
    content = cx.state.get(value)
    plain = isinstance(content, dict) and (isinstance(value, Obj) or value.cls is dict)
    if not plain or not content:
        return None
    note(cx, AS_ELEMENTS, value, (MUTATED, COMPARED))
    return tuple_of(cx, content.values(), value.cls, tuple(content))


def tuple_of(cx: Context, items: Iterable[Value], cls: type, names: tuple[Any, ...] | None) -> Var:
    args: tuple[Arg, ...] = tuple(doors.element_arg(cx, item) for item in items)
    type = Record(tuple(map(type_of_arg, args)), cls, names)
    return cx.builder.opaque(builtin.make_tuple, args, type)


def of_record(cx: Context, var: Var) -> Any:
    """What an element stands for."""
    type = var.type
    assert isinstance(type, Record)
    parts = [cx.builder.opaque(builtin.tuple_get, (var, Lit(i)), t) for i, t in enumerate(type.items)]
    items = tuple(map(cx.wrap_var, parts))
    if type.names is None:
        return Tup(items, type.cls)
    content = dict(zip(type.names, items, strict=True))
    return Dct(content) if type.cls is dict else Obj(type.cls, content)


def note(cx: Context, event: str, value: Value, others: tuple[str, ...] = (AS_ELEMENTS,)) -> None:
    """What happens to a dict or an object; refused if it can't be followed after what happened to others."""
    if cx.inputs is None or not isinstance(value, (Dct, Obj)):
        return
    content = cx.state.look(value)
    if not isinstance(content, dict):
        return
    kind = value.cls, frozenset(content)
    events = cx.inputs.places.records
    events.add((event, kind))
    other = next((one for one in others if (one, kind) in events), None)
    if other is not None:
        element = f"a dict or an object that is {event if event == AS_ELEMENTS else other}"
        raise cx.unsupported(
            f"{element}, and is {other if event == AS_ELEMENTS else event}",
            "it is followed as long as it stays as it is",
            "use arrays, one for each attribute",
        )


def records_made(inputs: Inputs) -> bool:
    """Whether a program that can't be read so may be read without dicts and objects as elements."""
    return any(event == AS_ELEMENTS for event, _ in inputs.places.records)


# ----- behind the front end
def has_records(type: Type | None) -> bool:
    """Whether values of the type are, or hold, what stands for dicts, objects or named tuples."""
    if isinstance(type, TupleOf):
        return isinstance(type, Record) or any(map(has_records, type.items))
    if isinstance(type, (ListOf, DictOf)):
        return has_records(type.element)
    return isinstance(type, Optional) and has_records(type.value)


def has_objects(type: Type | None) -> bool:
    """The same of dicts and objects, which are no tuples to what sees them."""
    if isinstance(type, TupleOf):
        return isinstance(type, Record) and type.names is not None or any(map(has_objects, type.items))
    if isinstance(type, (ListOf, DictOf)):
        return has_objects(type.element)
    return isinstance(type, Optional) and has_objects(type.value)


def require_unseen(block: Block) -> None:
    """Refuse what would see tuples where the function has dicts and objects."""
    for op in walk(block):
        if isinstance(op, Op) and not hands_on(op.fn) and any(map(has_objects, types_in(operands(op)))):
            raise UnsupportedError(
                "a list of dicts or objects here",
                op.span,
                "its length is known at run time only, and that of what is in them is followed",
                "use arrays, one for each attribute",
            )
    if any(map(has_records, types_in(block.results))):
        raise UnsupportedError(
            "a list of named tuples, dicts or objects as a result",
            why="its length is known at run time only, and its elements are plain tuples in the program",
            fix="return arrays, one for each attribute",
        )


def hands_on(fn: Any) -> bool:
    module = getattr(fn, "__module__", None)
    return fn is len or isinstance(fn, types.FunctionType) and module in KEEPING


def types_in(args: Iterable[Arg]) -> list[Type]:
    return [atom.type for arg in args for atom in atoms(arg) if isinstance(atom, (Var, Undefined))]
