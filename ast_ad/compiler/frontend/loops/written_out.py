"""Which short loop is written out, pass by pass, because the structure of the program depends on it?

``p[f"W{i}"]`` in ``for i in range(3)`` reads an entry that is known where ``i`` is. Left a loop, the dict
would have to be one whose keys are known at run time only, with entries of one type, which kernels refuse.

``x.transpose(list(range(x.ndim - 2)) + [-1, -2])`` and ``f(*[g(row) for row in x])`` read lists that loops
make. Where one was refused as its items were known at run time only, the program is read again with all short
loops written out (``ITEMS_KNOWN``), for the lengths and ints of the call if those decide how many passes
there are.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import gast

from ....errors import AdError
from ...ir.ops import UNKNOWN, Block, Var, operands, variables, walk
from ..context import Context
from ..types.joins import ShapeChange
from ..values import Value
from .passes import Passes
from .unrolling import unroll

ITEMS_KNOWN = ("items known",)  # among the constants of a build: short loops are written out
GROW = {"append", "extend", "insert"}
MAX_PASSES = 32  # of one loop
MAX_COPIES = 256  # of all bodies of a program that are written out
MAX_STATEMENTS = 1000  # of one loop, in all its passes


class KeyOfPass(Exception):
    """A key is made of the number of a pass of this loop, which is to be written out."""

    def __init__(self, passes: Passes) -> None:
        super().__init__()
        self.passes = passes


@contextmanager
def may_be_written_out(cx: Context, count: Value | None, grows: bool, passes: Passes) -> Iterator[None]:
    """While a loop is read as a region: keys in it may ask for its passes, if they are few.

    Raises
    ------
    KeyOfPass
        if it is written out whatever is in it.
    """
    if count is not None and is_written_out(cx, count, grows):
        raise KeyOfPass(passes)
    static = None if count is None else cx.static_value(count)
    few = isinstance(static, int) and static <= MAX_PASSES and cx.unrolled + static <= MAX_COPIES
    if few:
        cx.short.append(passes)
    try:
        yield
    finally:
        if few:
            cx.short.pop()


def grows_lists(node: gast.AST) -> bool:
    """Whether a loop's text puts something into a list."""
    return any(isinstance(part, gast.Attribute) and part.attr in GROW for part in gast.walk(node))


def is_written_out(cx: Context, count: Value, grows: bool) -> bool:
    """Whether a loop has few passes, of a program that has to know the items of lists.

    Raises
    ------
    Restart
        if it ``grows`` a list, and arguments tell how many passes there are.
    """
    if cx.inputs is None or ITEMS_KNOWN not in cx.inputs.constants:
        return False
    if grows and not cx.is_static(count):
        cx.inputs.demand(list(variables(cx.arg(count))))
    passes = cx.static_value(count)
    return isinstance(passes, int) and passes <= MAX_PASSES and cx.unrolled + passes <= MAX_COPIES


class TooLong(Exception):
    """What a loop becomes, pass by pass, has too many statements."""


def written_out(
    cx: Context, items: list[Callable[[], Value]], body: Callable[[Value], None]
) -> Exception | None:
    """Read the passes of a loop one by one; what stopped that, if something did: some may have been read."""
    ops, mark = cx.builder.block.ops, len(cx.builder.block.ops)

    def item(position: int) -> Value:
        made = sum(1 for _ in walk(Block(ops[mark:]))) if position == 1 else 0
        if made * len(items) > MAX_STATEMENTS:
            raise TooLong
        return items[position]()

    try:
        unroll(cx, [functools.partial(item, k) for k in range(len(items))], body)
    except (TooLong, ShapeChange, AdError) as problem:
        return problem
    return None


def write_out_for(cx: Context, key: Value) -> None:
    """Ask for the outermost of the loops of whose passes' numbers a key is made, if of nothing else.

    Raises
    ------
    KeyOfPass
        if there is one.
    """
    if not cx.short or cx.inputs is None:
        return
    made_of = {passes.index.id: passes for passes in cx.short if passes.index is not None}
    found: set[int] = set()
    if all(_is_made_of(cx, var, made_of.keys(), found) for var in variables(cx.arg(key))) and found:
        raise KeyOfPass(next(passes for id, passes in made_of.items() if id in found))


def _is_made_of(cx: Context, var: Var, indices: Collection[int], found: set[int]) -> bool:
    """Whether only these variables, arguments and constants stand behind a value; which ones is ``found``."""
    inputs = cx.outside()
    if var.known is not UNKNOWN or var.id in inputs.keys:
        return True
    if var.id in indices:
        found.add(var.id)
        return True
    op = inputs.producers.get(var.id)
    return op is not None and all(_is_made_of(cx, v, indices, found) for v in variables(*operands(op)))
