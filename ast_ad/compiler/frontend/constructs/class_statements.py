"""What does a ``class`` statement within the function do?

Its body is read as a block with a frame of its own, which methods don't see. What it holds then makes the
class: functions become methods, which are read as closures are, where they are called.
"""

from __future__ import annotations

import types
from typing import Any

import gast

from ...ir.ops import Lit
from .. import doors
from ..context import Context
from ..source.live_names import bound_names
from ..tables import handles, statement
from ..values import Closure, Frame, Lost, Maybe, Unbound, Value
from .expressions import evaluate, mangle
from .local_classes import Slot, define, is_plain
from .statements import bind, exec_block

DESCRIPTORS = property, staticmethod, classmethod
HOOKS = frozenset("__new__ __slots__ __init_subclass__".split())
REFUSED = frozenset(
    "__slots__ __new__ __del__ __getattribute__ __setattr__ __delattr__ __init_subclass__ __set_name__"
    " __class_getitem__ __mro_entries__ __classcell__ __match_args__ __instancecheck__".split()
)


@statement(gast.ClassDef)
def exec_class(cx: Context, node: gast.ClassDef, rest: list[gast.AST]) -> None:
    if node.keywords or node.decorator_list:
        raise refused(cx, node.name, "its decorator or metaclass decides what it is")
    bases = tuple(base_class(cx, node.name, evaluate(cx, base)) for base in node.bases)
    frame = run_class_body(cx, node)
    doors.place(cx, node, node)
    members = {
        mangle(node.name, name): member(cx, node.name, frame, name, value)
        for name, value in cx.state.get(frame).items()
        if name in frame.locals
    }
    outer = cx.frame.source.function.__qualname__
    members |= {"__module__": frame.globals.get("__name__"), "__qualname__": f"{outer}.<locals>.{node.name}"}
    made = types.new_class(node.name, bases, {}, lambda space: space.update(members))
    frame.cells["__class__"] = types.CellType(made)
    define(made, frame)
    bind(cx, node.name, Lit(made))


def run_class_body(cx: Context, node: gast.ClassDef) -> Frame:
    outer = cx.frame
    cx.frame = Frame(
        outer.source,
        outer.globals,
        outer,
        {},
        set(),
        outer.path,
        locals=bound_names(node.body),
        class_name=node.name,
        caller=outer,
        call=outer.call,
    )
    try:
        exec_block(cx, node.body)
        return cx.frame
    finally:
        cx.frame = outer


def base_class(cx: Context, name: str, base: Value) -> type:
    """A class to derive from, of which no code runs when that is done."""
    found = cx.static_value(base)
    if not isinstance(found, type):
        raise refused(cx, name, "what it derives from is no plain class")
    for cls in found.__mro__[:-1]:
        by_statement = type(cls) is type and cls.__flags__ & (1 << 9)
        if not by_statement or not HOOKS.isdisjoint(cls.__dict__):
            raise refused(cx, name, f"the compiler does not follow what `{cls.__name__}` does with it")
    return found


def member(cx: Context, cls: str, frame: Frame, name: str, value: Value) -> Any:
    """What the class has under a name: a stub of a function, or the slot in the frame of its body."""
    if name in REFUSED or isinstance(value, (Unbound, Maybe, Lost)):
        raise refused(cx, cls, f"the compiler does not follow its `{name}`")
    if isinstance(value, Closure):
        return stub(frame, name, value)
    if isinstance(value, Lit) and isinstance(value.value, (types.FunctionType, *DESCRIPTORS)):
        return value.value
    if not is_plain(value):
        raise refused(cx, cls, f"how an instance reads its `{name}`, the compiler can't tell")
    return Slot(frame, name)


def stub(frame: Frame, name: str, value: Closure) -> types.FunctionType:
    """A function that stands for one of the program's in a class; the compiler reads that one instead."""

    def run(*args: object, **kwargs: object) -> None:
        raise AssertionError("only the compiler calls the methods of a class within the function")

    def lowering(cx: Context, args: list[Value], kwargs: dict[str, Value]) -> Any:
        return doors.call(cx, value, args, kwargs)

    method = types.FunctionType(run.__code__, frame.globals, name)
    method.__ast_ad_lower__ = lowering  # type: ignore[attr-defined]
    method.__ast_ad_tree__ = value.node  # type: ignore[attr-defined]
    define(method, frame)
    return method


def refused(cx: Context, name: str, why: str) -> Exception:
    return cx.unsupported(f"the class `{name}`", why, "define it outside of the function")


# ----- property, staticmethod, classmethod
@handles(*DESCRIPTORS)
def b_descriptor(cx: Context, *functions: Value, **kwargs: Value) -> Any:
    raise cx.unsupported(
        "a property, or a static or class method", "it stands in no class statement", "use it as a decorator"
    )


def decorate(cx: Context, decorator: Value, function: Value, name: str) -> Any:
    """A decorated function."""
    how: Any = decorator.value if isinstance(decorator, Lit) else None
    of_property = isinstance(getattr(how, "__self__", None), property)
    if cx.frame.class_name is not None and (of_property or how in DESCRIPTORS):
        own = stub(cx.frame, name, function) if isinstance(function, Closure) else cx.static_value(function)
        return Lit(how(own))
    return doors.call(cx, decorator, [function], {})


doors.decorate = decorate
