"""How is a piece of IR copied, and how are the Vars that it reads replaced?

``copy_function(function) -> Function`` begins every pass that leaves its argument as it is;
``replace_reads(block, names) -> None`` ends many of those that replace values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Statement,
    Var,
    While,
    binders,
    blocks,
    map_arg,
    operands,
    variables,
    walk,
)

Renaming = dict[Var, Arg]


def copy_function(function: Function) -> Function:
    """The same function with Vars and statements of its own, so that a pass may change it in place."""
    names: Renaming = {}
    params = tuple(fresh(p, names) for p in function.params)
    return Function(function.name, params, copy_block(function.body, names), function.doc)


def copy_block(block: Block, names: Renaming) -> Block:
    """The block with fresh Vars, which are added to ``names``; what ``names`` knows is replaced."""
    ops = [copy_statement(op, names) for op in block.ops]
    return Block(ops, tuple(renamed(a, names) for a in block.results))


def copy_statement(op: Statement, names: Renaming) -> Statement:
    """The statement with fresh Vars for what it binds."""
    if isinstance(op, Op):
        args = tuple([renamed(a, names) for a in op.args])
        kwargs = {k: renamed(v, names) for k, v in op.kwargs.items()}
        return Op(op.fn, args, _fresh(op.outs, names), kwargs, op.span, op.effect, op.adjoint)
    if isinstance(op, If):
        cond = renamed(op.cond, names)
        then, orelse = copy_block(op.then, names), copy_block(op.orelse, names)
        return If(cond, then, orelse, _fresh(op.outs, names), op.span, op.adjoint)
    inits = tuple(renamed(a, names) for a in op.inits)
    if isinstance(op, While):
        params = _fresh(op.params, names)
        cond_block, body = copy_block(op.cond, names), copy_block(op.body, names)
        outs = _fresh(op.outs, names)
        return While(params, inits, cond_block, body, outs, op.stops, op.span, op.adjoint)
    bounds = None if op.range is None else _three(op.range, names)
    sources = [renamed(source, names) for source, _ in op.items]
    index = fresh(op.index, names)
    items = tuple((s, _fresh(vars, names)) for s, (_, vars) in zip(sources, op.items, strict=True))
    params = _fresh(op.params, names)
    body = copy_block(op.body, names)
    outs = _fresh(op.outs, names)
    flags = op.reverse, op.stops, op.span, op.adjoint, op.parallel
    return For(index, bounds, items, params, inits, body, outs, *flags)


def _three(bounds: tuple[Arg, Arg, Arg], names: Mapping[Var, Arg]) -> tuple[Arg, Arg, Arg]:
    start, stop, step = bounds
    return renamed(start, names), renamed(stop, names), renamed(step, names)


def fresh(var: Var, names: Renaming) -> Var:
    """A new Var with the same type and hint, which stands for ``var`` in ``names``."""
    new = Var(var.type, var.hint, var.known, cotangent_of=var.cotangent_of, noun=var.noun)
    new.chooses = var.chooses
    names[var] = new
    return new


def _fresh(variables: tuple[Var, ...], names: Renaming) -> tuple[Var, ...]:
    return tuple([fresh(v, names) for v in variables])


def renamed(arg: Arg, names: Mapping[Var, Arg]) -> Arg:
    """The argument with the Vars in ``names`` replaced."""
    if isinstance(arg, Var):
        return names.get(arg, arg)
    return arg if isinstance(arg, Lit) else map_arg(lambda v: names.get(v, v), arg)


def replace_reads(block: Block, names: Mapping[Var, Arg]) -> None:
    """Replace, in place and in the regions within too, every read of a Var in ``names``."""
    if not names:
        return
    for op in block.ops:
        replace_operands(op, names)
        for inner in blocks(op):
            replace_reads(inner, names)
    block.results = tuple(renamed(a, names) for a in block.results)


def replace_operands(op: Statement, names: Mapping[Var, Arg]) -> None:
    """Replace what the statement itself reads, not what its regions read."""
    if not names:
        return
    if isinstance(op, Op):
        op.args = tuple([renamed(a, names) for a in op.args])
        if op.kwargs:
            op.kwargs = {k: renamed(v, names) for k, v in op.kwargs.items()}
    elif isinstance(op, If):
        op.cond = renamed(op.cond, names)
    else:
        op.inits = tuple(renamed(a, names) for a in op.inits)
        if isinstance(op, For):
            if op.range is not None:
                op.range = _three(op.range, names)
            op.items = tuple((renamed(source, names), vars) for source, vars in op.items)


def defined(block: Block) -> Iterator[Var]:
    """Every Var that a statement of the block assigns, in order; not those of inner regions."""
    for op in block.ops:
        yield from op.outs


def bound_within(block: Block) -> Iterator[Var]:
    """Every Var that is assigned or bound anywhere inside the block."""
    for op in walk(block):
        yield from op.outs
        yield from binders(op)


def reads_of(block: Block) -> Counter[Var]:
    """How often a block, and the regions within, read each Var."""
    found = Counter(variables(*block.results))
    for op in walk(block):
        found.update(variables(*operands(op)))
        for inner in blocks(op):
            found.update(variables(*inner.results))
    return found


def free(block: Block) -> list[Var]:
    """The Vars that the block reads from outside, in the order of their first reads."""
    read: list[Var] = []
    bound: set[Var] = set()
    todo: list[Statement | tuple[Arg, ...]] = [block.results, *reversed(block.ops)]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            read += variables(*part)
            continue
        read += variables(*operands(part))
        bound.update(part.outs)
        if not isinstance(part, Op):
            bound.update(binders(part))
            for inner in reversed(blocks(part)):
                todo += (inner.results, *reversed(inner.ops))
    return [v for v in dict.fromkeys(read) if v not in bound]
