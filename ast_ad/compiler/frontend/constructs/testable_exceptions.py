"""Which exceptions of operations can be told before they come up, so that a handler is a branch?

In a ``try`` whose handlers catch it, a statement that divides by a number, takes an item or asks ``math`` is
read as ``if`` its condition holds: leave by the exception; else the statement. It is read anew for the second
branch, from the state before it: what it has changed by then, if anything, leaves the exception to run time.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from ....errors import AdError
from ....rules.helpers import fails
from ....rules.required import require_items
from ...ir.alternatives import is_mixed
from ...ir.builtin import assert_, raise_
from ...ir.ops import Arg, Block, Lit, Op, Var, walk
from ...ir.types import Scalar
from .. import doors
from ..context import Context
from ..inputs import Restart
from ..loops.slots import is_checked
from ..source.live_names import live_if_thrown
from ..values import Arr, Bound, Callee, Closure, Dct, Frame, Lst, Obj, State, Tup, Unbound, Value, now
from .handlers import catches, exec_caught

MOST = 6  # conditions in one statement
LARGEST = math.log(1.7976931348623157e308)  # math.exp of it is finite, and of the next number it is not
DIVISIONS = operator.truediv, operator.floordiv, operator.mod
RAISING = raise_, assert_, require_items
STRUCTURES = Obj, Dct, Lst, Tup, Closure, Bound

Test = Callable[[Context, Value], Value]


def below(bound: float) -> Test:
    return lambda cx, x: cx.emit(operator.lt, x, Lit(bound))


def at_most(bound: float) -> Test:
    return lambda cx, x: cx.emit(operator.le, x, Lit(bound))


def overflows(cx: Context, x: Value) -> Value:
    """Whether the exponential of a number is too large; that of infinity is infinity."""
    finite = cx.emit(operator.lt, x, Lit(math.inf))
    return cx.emit(operator.and_, cx.emit(operator.gt, x, Lit(LARGEST)), finite)


def beyond_one(cx: Context, x: Value) -> Value:
    return cx.emit(operator.gt, cx.emit(abs, x), Lit(1))


OF_MATH: dict[Callee, tuple[type, Test]] = {
    math.sqrt: (ValueError, below(0)),
    math.log: (ValueError, at_most(0)),
    math.log2: (ValueError, at_most(0)),
    math.log10: (ValueError, at_most(0)),
    math.log1p: (ValueError, at_most(-1)),
    math.acos: (ValueError, beyond_one),
    math.asin: (ValueError, beyond_one),
    math.acosh: (ValueError, below(1)),
    math.exp: (OverflowError, overflows),
}
"""What functions of one number raise, and exactly where."""


OF_LINALG = np.linalg.cholesky, np.linalg.inv, np.linalg.solve, np.linalg.eigh, np.linalg.eigvalsh
BOOL = Scalar("bool")


def failing(cx: Context, fn: Callee, args: tuple[Value, ...]) -> tuple[Arg, ...]:
    return Lit(getattr(fn, "__name__", "")), *map(cx.arg, args)


@dataclass(eq=False)
class Statement:
    """A simple statement that is being read within ``try``: where, from which state, what has been met.

    ``given``: what calls in it have given, of those that may raise, by their number.
    """

    frame: Frame
    block: Block
    entry: State
    mark: int
    skip: int
    since: int
    given: dict[int, Value]
    met: int = 0
    calls: int = 0
    raises: bool = False  # whether one of them does what a handler catches


class Splits(Exception):
    """A statement raises if a condition holds.

    ``raised``: a class, or the number of one. ``given``: what calls have given so far, in ``state``.
    """

    def __init__(
        self,
        statement: Statement,
        raised: type | Value,
        cond: Any,
        given: dict[int, Value] | None = None,
        state: State | None = None,
        key: Any = None,
    ) -> None:
        super().__init__("a statement that raises if a condition holds")
        self.statement, self.raised, self.cond = statement, raised, cond
        self.given = statement.given if given is None else given
        self.state = statement.entry if state is None else state
        self.key = key  # to be known where what raises can't be read so


def exec_split(
    cx: Context, node: gast.AST, run: Callable[[], Any], skip: int = 0, given: dict[int, Value] | None = None
) -> Any:
    """Read a simple statement, or a branch: its exception, or the statement."""
    block = cx.builder.block
    statement = Statement(cx.frame, block, cx.state.fork(), len(block.ops), skip, now(), given or {})
    outer, cx.splitting = cx.splitting, statement
    span = cx.builder.span
    try:
        return run()
    except Splits as found:
        assert found.statement is statement, "the innermost statement splits"
        raised, cond, given, key, cx.state = found.raised, found.cond, found.given, found.key, found.state
    finally:
        cx.splitting = outer
    cx.builder.span = span

    def throw() -> None:
        if isinstance(raised, type):
            exec_caught(cx, raised, Lit(True))
        else:
            cx.state.set_name(cx.frame, "$raised", Lit(True))
            cx.state.set_name(cx.frame, "$kind", raised)
        drop_replaced(cx, node)

    if cx.static_value(cond) is True:
        throw()
        return None
    try:
        doors.branch(cx, cond, throw, lambda: exec_split(cx, node, run, statement.met, given), None)
    except AdError as problem:
        if key is not None and getattr(problem, "raises", None) is None:
            raise Restart({key}) from None
        raise
    return None


def drop_replaced(cx: Context, node: gast.AST) -> None:
    """What a statement would have replaced, and nobody reads now, need not be like what replaces it."""
    source = cx.frame.source
    live = None if source is None else live_if_thrown(source.tree).get(id(node))
    for target in getattr(node, "targets", ()):
        if isinstance(target, gast.Name) and live is not None and target.id not in live:
            if isinstance(cx.state.get_name(cx.frame, target.id), STRUCTURES):
                cx.state.set_name(cx.frame, target.id, Unbound(target.id))


def met(cx: Context, raised: type, test: Callable[[], Value | None]) -> None:
    """What is read next raises such an exception where the test holds; None: it can't be told."""
    statement: Statement | None = cx.splitting
    if statement is None or cx.builder.block is not statement.block:
        return
    if not catches(cx, statement.frame, raised):
        return
    statement.met += 1
    if statement.met <= statement.skip or statement.met > MOST:
        return
    cx.splitting = None
    try:
        cond = test()
        cond = None if cond is None else doors.truth(cx, cond)
    finally:
        cx.splitting = statement
    if cond is None or cx.static_value(cond) is False or not untouched(cx, statement):
        return
    raise Splits(statement, raised, cond)


def untouched(cx: Context, statement: Statement) -> bool:
    """Whether the statement has changed nothing so far, and done nothing that must not be done twice."""
    for op in effects(statement.block.ops[statement.mark :]):
        if op.fn not in RAISING:
            return False
    return unchanged(cx, statement.entry, statement.since)


def unchanged(cx: Context, before: State, since: int, within: Frame | None = None) -> bool:
    """Whether all that there was at a time holds what it held then; ``within``: of a call, whose frame it is.

    A call changes its own names, and none that those who ask for its items keep for themselves, ``$total``.
    """
    for key, content in cx.state.contents.items():
        if getattr(key, "serial", 0) > since or isinstance(key, Arr) and key.view or key is within:
            continue
        old = before.look(key)
        if content is old:
            continue
        if not isinstance(key, Frame) or not isinstance(content, dict) or not isinstance(old, dict):
            return False
        names = {**old, **content}
        if any(
            old.get(n) is not content.get(n) and not is_checked(old.get(n), content.get(n))
            for n in names
            if within is not None or not n.startswith("$")
        ):
            return False
    return True


def effects(ops: list[Any]) -> Iterator[Op]:
    """The operations with effects, in regions, too."""
    for op in walk(Block(list(ops))):
        if isinstance(op, Op) and op.effect:
            yield op


# ----- which operation raises where
def before_operation(cx: Context, fn: Callee, args: tuple[Value, ...]) -> None:
    """Note the exceptions of an operation that is about to be emitted."""
    if fn in DIVISIONS and len(args) == 2 and all(map(is_pythons, args)):
        met(cx, ZeroDivisionError, lambda: cx.emit(operator.eq, args[1], Lit(0)))
    elif len(args) == 1 and is_real(args[0]):
        rule = OF_MATH.get(fn)
        if rule is not None:
            met(cx, rule[0], lambda: rule[1](cx, args[0]))
    elif fn in OF_LINALG:
        met(cx, np.linalg.LinAlgError, lambda: cx.builder.opaque(fails, failing(cx, fn, args), BOOL))


def before_item(cx: Context, base: Value, index: Value) -> None:
    """Note the exceptions of an item that is about to be taken."""
    if isinstance(base, Dct):
        if isinstance(index, Var) and not is_integer(index) and isinstance(index.type, Scalar):
            return
        if doors.is_run_time(cx, base, index):
            met(cx, KeyError, lambda: cx.emit(operator.not_, doors.has_entry(cx, base, index)))
        return
    if isinstance(base, (Arr, Lst, Tup)) and is_integer(index):

        def out_of_range() -> Value | None:
            if isinstance(base, Arr) and not getattr(cx.read(base).type, "shape", None):
                return None
            count = Lit(len(base.items)) if isinstance(base, Tup) else doors.length(cx, base)
            low = cx.emit(operator.lt, index, cx.emit(operator.neg, count))
            return cx.emit(operator.or_, low, cx.emit(operator.ge, index, count))

        met(cx, IndexError, out_of_range)


def before_unpacking(cx: Context, count: Arg, expected: int, more: bool) -> None:
    """Items are to be unpacked: as many as names, or ``more``."""
    differs = operator.lt if more else operator.ne
    met(cx, ValueError, lambda: cx.emit(differs, count, Lit(expected)))


def is_pythons(value: Value) -> bool:
    """Whether it is a number of Python's own, real, on every path."""
    if isinstance(value, Lit):
        return type(value.value) in (bool, int, float)
    return is_number(value) and value.type.dtype is None  # type: ignore[union-attr]


def is_real(value: Value) -> bool:
    """Whether it is a number, be it of a type that depends on the path."""
    found = value.type if isinstance(value, Var) else None
    return isinstance(found, Scalar) and found.kind in ("bool", "int", "float")


def is_number(value: Value) -> bool:
    return is_real(value) and not is_mixed(value.type)  # type: ignore[union-attr]


def is_integer(value: Value) -> bool:
    if isinstance(value, Lit):
        return type(value.value) is int
    return is_number(value) and value.type.kind == "int"  # type: ignore[union-attr]


doors.before_item = before_item
doors.before_operation = before_operation
doors.before_unpacking = before_unpacking
doors.exec_split = exec_split
