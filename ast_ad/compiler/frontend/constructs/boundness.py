"""What does a read of a name without a value do, and what becomes of a value that one of two paths has?

Whether a name is bound is a state of the store, beside the value: ``Unbound``, ``Maybe`` (with the boolean
that tells it at run time), or a plain value. A read checks it, and raises Python's own error; from then on
the name is bound. A path that gives no value gives an ``Undefined`` of its type, which nothing reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ....errors import AdError
from ....homes import home_of
from ...ir.builtin import raise_
from ...ir.ops import Block, If, Lit, Op, Seq, Slice, Undefined, Var, map_arg, variables
from ...ir.types import Opaque, Scalar
from .. import doors
from ..context import Context
from ..loops.slots import in_heap
from ..store.shared_names import watch
from ..values import (
    Arr,
    ArrayMethod,
    Bound,
    Choice,
    Closure,
    Comprehension,
    Dct,
    Flat,
    Frame,
    Generator,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Obj,
    Range,
    Sides,
    State,
    Super,
    Tup,
    Unbound,
    Value,
)
from .local_classes import frames_behind

if TYPE_CHECKING:
    from ..store.merge import Phis

LOCAL = "cannot access local variable '{}' where it is not associated with a value"
FREE = "cannot access free variable '{}' where it is not associated with a value in enclosing scope"


class Raised(Exception):
    """The statement that is being read raises for certain; the operation that does so has been emitted."""


# ----- reads
def read_name(cx: Context, state: State, frame: Frame, name: str) -> Any:
    """The value of a variable of ``frame`` that is in this state; emits the check that it has one."""
    error, text = unbound_error(cx, frame, name)
    if isinstance(state, (Unbound, Maybe)):
        cx.unbound_reads.add((frame, name))
    value = checked(cx, state, error, text)
    if value is not state:
        cx.state.set_name(frame, name, value)
    return value


def unbound_error(cx: Context, frame: Frame, name: str) -> tuple[type[Exception], str]:
    """What Python raises for a read of a name of ``frame`` that has no value."""
    here = cx.frame
    while here is not frame and here.inlined and here.enclosing is not None:
        here = here.enclosing
    return (UnboundLocalError, LOCAL.format(name)) if here is frame else (NameError, FREE.format(name))


def checked(cx: Context, state: State, error: type[Exception], text: str) -> Any:
    """What is bound, after a check if that is known at run time only."""
    if isinstance(state, Unbound):
        emit_raise(cx, error(text))
        raise Raised
    if isinstance(state, Lost):
        raise cx.lost(state)
    if not isinstance(state, Maybe):
        return state
    with cx.builder.nested(Block()) as unbound:
        emit_raise(cx, error(text))
    cx.builder.append(If(state.bound, Block(), unbound, (), cx.builder.span, cx.builder.adjoint))
    return state.value


def emit_raise(cx: Context, error: Exception) -> None:
    kind = type(error)
    exception = cx.builder.opaque(kind, tuple(map(Lit, error.args)), Opaque(kind.__name__))
    cx.builder.append(Op(raise_, (exception,), (), {}, cx.builder.span, effect=True))


def raise_where(cx: Context, cond: Value, error: Exception) -> None:
    """Raise an exception where a condition of the program holds."""
    with cx.builder.nested(Block()) as raising:
        emit_raise(cx, error)
    cx.builder.append(If(cx.arg(cond), raising, Block(), (), cx.builder.span, cx.builder.adjoint))


def certain_exception(block: Block) -> BaseException | None:
    """What the end of a block raises, if it is one of Python's own or of ours, made of constants."""
    last = block.ops[-1]
    raised = last.args if isinstance(last, Op) and last.fn is raise_ else ()
    made = next((op for op in block.ops if isinstance(op, Op) and op.outs == raised), None)
    cls: Any = None if made is None else made.fn
    if made is None or not (
        isinstance(cls, type) and (home_of(cls) == "builtins" or issubclass(cls, AdError))
    ):
        return None
    given, count = (*made.args, *made.kwargs.values()), len(made.args)
    words = [arg.value for arg in given if isinstance(arg, Lit)]
    if len(words) < len(given):
        return None
    return cls(*words[:count], **dict(zip(made.kwargs, words[count:], strict=True)))


def raise_certain(cx: Context, problem: AdError) -> None:
    """Emit what an error that is certain tells: the call that raises, or the exception itself."""
    call: Op | None = getattr(problem, "call", None)
    if call is not None:
        cx.builder.append(call)
    emit_raise(cx, problem.exception)  # type: ignore[attr-defined]


def is_certain(problem: AdError, block: Block) -> bool:
    """Whether an error tells what the plain program raises wherever the block runs."""
    error = getattr(problem, "exception", None)
    if error is None or home_of(type(error)) != "builtins" or problem.block is not block:  # type: ignore[attr-defined]
        return False
    return all(isinstance(arg, (str, int, float)) for arg in error.args)


def maybe(cx: Context, value: Value, bound: Any) -> Any:
    """``value`` where ``bound`` holds, a boolean that may be static."""
    known = cx.static_value(bound)
    if isinstance(known, bool):
        return value if known else Unbound()
    return Maybe(value, bound)


# ----- two paths
def merge_bound(cx: Context, a: Value, b: Value, sides: Sides, phis: Phis, since: int, name: str) -> Any:
    """The state of a slot that has no value on one of two paths, or perhaps none."""
    if isinstance(a, Lost) or isinstance(b, Lost):
        return a if isinstance(a, Lost) else b
    values = [value_of(state) for state in (a, b)]
    if values == [None, None]:
        return a
    if None not in values:
        value = values[0]
        if value is not values[1]:
            value = doors.merge_values(cx, values[0], values[1], sides, phis, since, name)
    else:
        first = values[1] is None
        value = exported(cx, values[0 if first else 1], first, phis, sides, since)
    if name.startswith("$"):
        return value
    return maybe(cx, value, merge_flags(cx, bound_flag(a), bound_flag(b), phis, name))


def value_of(state: Value | None) -> Any:
    if isinstance(state, Unbound):
        return None
    return state.value if isinstance(state, Maybe) else state


def merge_flags(cx: Context, a: Value, b: Value, phis: Phis, name: str) -> Any:
    """A boolean that is ``a`` on the one path and ``b`` on the other."""
    known = [cx.static_value(flag_where(cx, flag, holds)) for flag, holds in ((a, True), (b, False))]
    if known == [True, True]:
        return Lit(True)
    if known == [True, False] and cx.flag_cond is not None:
        return cx.flag_cond
    hint = f"{name}_bound" if name.isidentifier() else None
    found = phis.add(cx.arg(a), cx.arg(b), Scalar("bool"), hint)
    if known == [False, True] and cx.flag_cond is not None:
        cx.tied[found] = cx.flag_cond, False, True
    return found


def flag_where(cx: Context, flag: Value, holds: bool) -> Value:
    """A boolean on one side of a branch: an earlier one by the same condition may tell it."""
    cond, *values = cx.tied.get(flag, (flag, True, False)) if isinstance(flag, Var) else (None,)
    return Lit(values[0 if holds else 1]) if cond is not None and cond is cx.flag_cond else flag


def merge_dead(cx: Context, sides: Sides, phis: Phis, since: int) -> State:
    """One side raised: what the other holds goes on, as results that the dead side leaves undefined."""
    (first, _), (second, _) = sides
    if first.dead and second.dead:
        return first
    alive = second if first.dead else first
    phis.states = first, second
    merged = phis.merged = alive.fork()
    for key in alive.contents:
        if isinstance(key, Arr) and key.view is not None or in_heap(key):
            merged.contents.pop(key, None)
    for key, content in list(alive.contents.items()):
        window = isinstance(key, Arr) and key.view is not None or in_heap(key)
        if (getattr(key, "serial", 0) <= since or isinstance(key, Frame)) and not window:
            merged.set(key, exported(cx, content, alive is first, phis, sides, since))
    for arr in phis.arrays:
        watch(cx, arr, merged)
    return merged


def exported(cx: Context, value: Value | Frame, first: bool, phis: Phis, sides: Sides, since: int) -> Any:
    """What only one path holds, as it is known behind the branch.

    What the path computed becomes a result of the branch. An object keeps its identity; of one that the
    path made, the contents are treated alike.
    """

    def again(part: Value | Frame) -> Any:
        return exported(cx, part, first, phis, sides, since)

    if isinstance(value, (Var, Seq, Slice)):
        return map_arg(lambda var: exported_var(cx, var, first, phis), value)
    if isinstance(value, dict):
        return {k: again(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return tuple(map(again, value))
    if isinstance(value, slice):
        return slice(again(value.start), again(value.stop), again(value.step))
    if isinstance(value, Maybe):
        return Maybe(again(value.value), again(value.bound))
    for frame in (
        (value.frame,) if isinstance(value, (Closure, Comprehension, Generator)) else frames_behind(value)
    ):
        again(frame)
    if type(value) in REBUILT:
        parts, made_of = components(value)
        others = list(map(again, parts))
        if all(one is other for one, other in zip(parts, others, strict=True)):
            return value
        found = made_of(others)
        if isinstance(value, (Iterable, Generator)):
            phis.merged.set(found, phis.merged.look(value))
        return found
    if isinstance(value, Arr) and value.view is not None and value.serial > since:
        return exported_view(cx, value, first, phis, sides, since)
    if isinstance(value, Lst) and in_heap(value) and value.serial > since:
        view: Any = value.view
        return doors.list_at(cx, again(view.at))
    if isinstance(value, (Arr, Lst, Dct, Obj, Frame)) and value.serial > since:
        export_contents(cx, value, again, phis, sides[0 if first else 1][0])
    return value


def exported_var(cx: Context, var: Var, first: bool, phis: Phis) -> Var:
    if not was_emitted_in_branch(cx, var):
        return var
    nothing = Undefined(var.type)
    return phis.add(var if first else nothing, nothing if first else var, var.type, var.hint)


def export_contents(
    cx: Context, value: Value | Frame, again: Callable[[Value | Frame], Any], phis: Phis, state: State
) -> None:
    """Give an object that a path made its contents behind the branch."""
    if ("exported", id(value)) not in phis.memo:
        phis.memo["exported", id(value)] = value
        if isinstance(value, Frame) and value.enclosing is not None:
            again(value.enclosing)
        cx.partial.add(value)
        phis.merged.set(value, again(state.look(value)))


def exported_view(cx: Context, arr: Arr, first: bool, phis: Phis, sides: Sides, since: int) -> Any:
    """A window that a path opened, as an array; what its index reads may not be known elsewhere."""
    side = sides[0 if first else 1]
    if any(state.dead for state, _ in sides):
        if is_known_outside(cx, arr, since):
            return arr
        phis.named_twice = doors.named_twice(cx, side[0], side[0])
    key = ("exported", id(arr))
    if key not in phis.memo:
        found = exported_var(cx, variable_in(cx, arr, side), first, phis)
        values = (arr, None) if first else (None, arr)
        phis.memo[key] = doors.merged_array(cx, found, values, phis, since), arr
        cx.partial.add(phis.memo[key][0])
    return phis.memo[key][0]


def variable_in(cx: Context, arr: Arr, side: tuple[State, Block]) -> Var:
    leaf = doors.leaf_in(cx, arr, side)
    assert isinstance(leaf, Var)
    return leaf


def is_known_outside(cx: Context, arr: Value, since: int) -> bool:
    """Whether a window can be opened behind the branch as well."""
    while isinstance(arr, Arr) and arr.view is not None and arr.serial > since:
        index = arr.view.index if arr.view.at is None else arr.view.at
        if index is None or any(was_emitted_in_branch(cx, part) for part in variables(index)):
            return False
        arr = arr.view.parent
    if isinstance(arr, Choice):
        return all(is_known_outside(cx, one, since) for one in (arr.first, arr.second))
    return bool(getattr(arr, "serial", since) <= since)


def was_emitted_in_branch(cx: Context, var: object) -> bool:
    return isinstance(var, Var) and var.id >= cx.branch_start


def bound_flag(state: Value | None) -> Any:
    """The boolean that tells whether a slot in this state has a value; None: it was never set."""
    if isinstance(state, Maybe):
        return state.bound
    return Lit(state is not None and not isinstance(state, Unbound))


def components(value: object) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """What a value of no identity is made of, and how to make it of other parts."""
    parts: list[Any] = []

    def note(part: object) -> Any:
        parts.append(part)
        return part

    rebuild = REBUILT[type(value)]
    rebuild(value, note)

    def again(others: list[Any]) -> Any:
        left = iter(others)
        return rebuild(value, lambda part: next(left))

    return parts, again


PARTS = (Closure, Bound, Range)


def same_make(a: Any, b: Any) -> bool:
    """Whether two functions or ranges are made alike, of parts that may differ."""
    if type(a) is not type(b) or len(components(a)[0]) != len(components(b)[0]):
        return False
    if isinstance(a, Closure):
        return a.node is b.node and a.frame is b.frame
    return not isinstance(a, Bound) or list(a.kwargs) == list(b.kwargs)


REBUILT: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    Tup: lambda v, f: Tup(tuple(map(f, v.items)), v.cls),
    Range: lambda v, f: Range(f(v.start), f(v.stop), f(v.step)),
    Bound: lambda v, f: Bound(f(v.fn), tuple(map(f, v.args)), {k: f(x) for k, x in v.kwargs.items()}),
    Iterable: lambda v, f: Iterable(
        v.kind, tuple(map(f, v.sources)), v.start if v.start is None else f(v.start)
    ),
    ArrayMethod: lambda v, f: ArrayMethod(f(v.receiver), v.name),
    Flat: lambda v, f: Flat(f(v.array)),
    Super: lambda v, f: Super(v.cls, f(v.instance)),
    Generator: lambda v, f: replace(v, bound={k: f(x) for k, x in v.bound.items()}),
    Closure: lambda v, f: replace(v, defaults={k: f(x) for k, x in v.defaults.items()}),
}
"""What is made of its parts, without an identity: how it is made of others."""
