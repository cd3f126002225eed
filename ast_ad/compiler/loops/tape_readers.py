"""Who reads a tape? One loop: where several do, each has a tape of its own.

``read_once(function) -> None``. A tape becomes arrays if one loop reads it (``tape_layout``). The linear
half of a derivative of an adjoint reads what the adjoint reads, once more for each direction: the loop that
records then does so on one list for each of its readers, which may need different elements. The tape of a
loop around is a reader, too: what a Jacobian within a loop has saved is read in the same turn, and later.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...rules import containers
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Block, For, Function, Op, Seq, Statement, Var, While, blocks, operands, variables
from ..ir.types import ListOf

Uses = dict[Var, list[Statement | None]]


def read_once(function: Function) -> None:
    """Let every loop that reads a tape read one of its own, as far as tapes hold numbers and arrays."""
    _in_block(function.body, function, _surveyed(function))


def _surveyed(function: Function) -> Uses:
    uses: Uses = {}
    _survey(function.body, uses)
    return uses


def _survey(block: Block, uses: Uses) -> None:
    for op in block.ops:
        for var in variables(*operands(op)):
            uses.setdefault(var, []).append(op)
        for inner in blocks(op):
            _survey(inner, uses)
    for var in variables(*block.results):
        uses.setdefault(var, []).append(None)


def _in_block(block: Block, function: Function, uses: Uses) -> Uses:
    """From the innermost loops outwards; who reads what then."""
    for op in block.ops:
        for inner in blocks(op):
            uses = _in_block(inner, function, uses)
        if isinstance(op, (For, While)) and _parted(op, uses):
            uses = _surveyed(function)
    return uses


def _parted(loop: For | While, uses: Uses) -> bool:
    """Let each reader of what a loop records have a list of its own; whether that changed anything."""
    changed = False
    for position, out in enumerate(loop.outs):
        readers = list(_readers(out, uses))
        append = _append(loop, position, uses) if len(readers) > 1 and None not in readers else None
        for reader in readers[1:] if append is not None else ():
            assert append is not None and reader is not None
            _change(reader, out, _another(loop, position, append, uses))
            changed = True
    return changed


def _readers(out: Var, uses: Uses) -> Iterator[Statement | None]:
    """What runs over a list, forwards or backwards, or records it; None for what does anything else."""
    for op in uses.get(out, ()):
        last, source = op, out
        if isinstance(op, Op) and op.fn is containers.list_append and _parts(op).count(out) == 1:
            yield op
            continue
        if isinstance(op, Op) and op.fn is containers.list_reverse and len(uses.get(op.out, ())) == 1:
            (last,), source = uses[op.out], op.out
        runs = isinstance(last, For) and [s for s, _ in last.items].count(source) == 1
        yield op if runs else None


def _append(loop: For | While, position: int, uses: Uses) -> Op | None:
    """The operation that records numbers, arrays and tapes on a list that begins empty, its only purpose."""
    param, init, result = (
        loop.params[position],
        loop.inits[position],
        loop.body.results[position + loop.stops],
    )
    if not (isinstance(param.type, ListOf) and isinstance(init, Seq) and not init.items):
        return None
    append = next((op for op in loop.body.ops if isinstance(op, Op) and op.outs == (result,)), None)
    if append is None or append.fn is not containers.list_append or append.args[0] is not param:
        return None
    for part in _parts(append):
        if isinstance(part, Seq) or isinstance(type_of_arg(part), ListOf) and not _inner(loop, part, uses):
            return None
    return append if len(uses.get(param, ())) == len(uses.get(append.out, ())) == 1 else None


def _parts(append: Op) -> tuple[Arg, ...]:
    return append.args[1].items if isinstance(append.args[1], Seq) else (append.args[1],)


def _inner(loop: For | While, part: Arg, uses: Uses) -> tuple[For | While, int, Op] | None:
    """The loop within that records what is an element of a tape, and nothing else, as ``_another`` has it."""
    for op in loop.body.ops:
        if isinstance(op, (For, While)) and isinstance(part, Var) and part in op.outs:
            position = op.outs.index(part)
            append = _append(op, position, uses) if len(uses.get(part, ())) == 1 else None
            return None if append is None else (op, position, append)
    return None


def _another(loop: For | While, position: int, append: Op, uses: Uses) -> Var:
    """Another list on which the loop records the same; what holds it behind the loop."""
    old = loop.outs[position]
    param, longer, out = (Var(var.type, var.hint) for var in (loop.params[position], append.out, old))
    place = next(k for k, op in enumerate(loop.body.ops) if op is append)
    within = [(part, _inner(loop, part, uses)) for part in _parts(append)]
    parts = tuple([_another(*found, uses) if found else part for part, found in within])
    element = Seq(parts, append.args[1].kind) if isinstance(append.args[1], Seq) else parts[0]
    more = Op(append.fn, (param, element), (longer,), {}, append.span, adjoint=append.adjoint)
    loop.body.ops.insert(place + 1, more)
    loop.params, loop.inits = (*loop.params, param), (*loop.inits, loop.inits[position])
    loop.body.results, loop.outs = (*loop.body.results, longer), (*loop.outs, out)
    return out


def _change(reader: Statement, old: Var, new: Var) -> None:
    if isinstance(reader, Op) and reader.fn is containers.list_append:
        parts = tuple([new if part is old else part for part in _parts(reader)])
        element = reader.args[1]
        reader.args = reader.args[0], Seq(parts, element.kind) if isinstance(element, Seq) else parts[0]
    elif isinstance(reader, Op):
        reader.args = (new, *reader.args[1:])
        reader.out.type = new.type
    elif isinstance(reader, For):
        reader.items = tuple(
            [(new if source is old else source, targets) for source, targets in reader.items]
        )
