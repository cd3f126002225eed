"""Which reads and writes of lists are reads and writes of one item of a list in a list?

``join_paths(function) -> Function``. The first pass behind the front end, before ``adjoint``: the gain is in
the derivative of the operations that it joins.

``d[i][j] = v`` comes as a read of ``d[i]``, a copy of that with another item, and a copy of ``d`` with that.
Joined to one operation on ``d``, neither its derivative nor the program that runs makes a list of zeros, or
saves one, for what concerns a single item.
"""

from __future__ import annotations

from typing import Any

from ...rules import containers
from ...rules.nested_lists import item_within, with_item
from ..ir.ops import Arg, Block, Function, Op, Seq, Var, blocks, operands, variables, walk
from ..ir.types import ListOf
from .patterns import arg_key
from .renaming import reads_of

READS = {containers.list_get, item_within}
WRITES = {containers.list_set, with_item}


def join_paths(function: Function) -> Function:
    """Join, in place, reads and writes of items of lists in lists; return the function.

    >>> from ast_ad.compiler.ir.ops import Lit
    >>> from ast_ad.compiler.ir.types import Scalar
    >>> number = Scalar("float")
    >>> d, row, item = Var(ListOf(ListOf(number))), Var(ListOf(number)), Var(number)
    >>> ops = [Op(containers.list_get, (d, Lit(1)), (row,)), Op(containers.list_get, (row, Lit(2)), (item,))]
    >>> found = join_paths(Function("f", (d,), Block(ops, (item,))))
    >>> [(op.fn.__name__, op.args[1]) for op in found.body.ops]
    [('item_within', (1, 2))]
    """
    if not any(isinstance(op, Op) and op.fn in READS and _is_list(op.out) for op in walk(function.body)):
        return function
    passed = _join(function.body)
    reads = reads_of(function.body)
    gone: set[int] = set()
    for op in reversed(passed):  # what raises in them raises in what went past them, too
        if id(op) not in gone and not reads[op.out]:
            gone.add(id(op))
            reads.subtract(variables(*operands(op)))
    _without(function.body, gone)
    return function


def _is_list(arg: Arg) -> bool:
    return isinstance(arg, Var) and isinstance(arg.type, ListOf)


def _join(block: Block) -> list[Op]:
    """Join in a block and in those within; returns the reads that joined operations no longer go through."""
    made: dict[Arg, Op] = {}
    passed: list[Op] = []
    for op in block.ops:
        for inner in blocks(op):
            passed += _join(inner)
        if not isinstance(op, Op):
            continue
        if op.fn in READS and (row := made.get(op.args[0])) is not None and row.fn in READS:
            op.fn, op.args = item_within, (row.args[0], Seq((*_path(row), *_path(op))))
            passed.append(row)
        elif op.fn in WRITES and (after := made.get(op.args[2])) is not None and after.fn in WRITES:
            row = made.get(after.args[0])
            if row is not None and _place(op.args[0], _path(op), made) == _place(after.args[0], (), made):
                op.fn, op.args = with_item, (op.args[0], Seq((*_path(op), *_path(after))), after.args[2])
                passed += [row, after]
        if op.fn in READS or op.fn in WRITES:
            made[op.out] = op
    return passed


def _path(op: Op) -> tuple[Arg, ...]:
    place = op.args[1]
    return place.items if isinstance(place, Seq) else (place,)


def _place(arg: Arg, path: tuple[Arg, ...], made: dict[Arg, Op]) -> Any:
    """Which item of which list: two that are equal are one."""
    while (row := made.get(arg)) is not None and row.fn in READS:
        arg, path = row.args[0], (*_path(row), *path)
    return arg, arg_key(Seq(path))


def _without(block: Block, gone: set[int]) -> None:
    block.ops = [op for op in block.ops if id(op) not in gone]
    for op in block.ops:
        for inner in blocks(op):
            _without(inner, gone)
