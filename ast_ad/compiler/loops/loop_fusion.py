"""Which loops and their adjoints can run together, so that nothing is saved between them?

``fuse_loops(function, report) -> Function``. For kernels only, before the other passes on tapes: a loop that
is fused with its adjoint has no tape left. ``simplify`` follows each round, and then loops within these are
tried. ``fuse_block(block, report) -> bool``: one round, of the linear part of any program.

Where the adjoint of an iteration needs nothing of other iterations, it may follow the iteration itself::

    for i in range(n):                      for i in range(n):
        t = f(x[i])                             t = f(x[i])
        total += t * t                          total += t * t
        tape.append(t)                          x_bar[i] += f'(x[i]) * (2.0 * t)
    for i, t in reversed(...):
        x_bar[i] += f'(x[i]) * (2.0 * t)

It is so if the adjoint loop only adds to what it carries, in whatever order, and if nothing that it reads
comes from the primal loop, save the tape. The iterations then run in the primal's order: the sums of the
adjoint are taken in another order than before, all else is the same to the bit.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...rules import containers, helpers
from ..ir.builtin import assign
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Seq, Statement, Var, blocks, reads, variables
from ..ir.types import Array, computed_alike
from ..report import UNHEARD, Report
from ..simplify.joined_branches import has_effect, join_alike
from ..simplify.patterns import arg_key
from ..simplify.renaming import Renaming, copy_function, free, replace_reads
from ..simplify.simplify import simplify

# Each adds something to its first argument, the first two to either.
SUMS = {
    operator.add, np.add, operator.sub, np.subtract, helpers.add_at, containers.list_add,
    containers.list_add_at, assign,
}  # fmt: skip
SYMMETRIC = {operator.add, np.add}


def fuse_loops(function: Function, report: Report = UNHEARD) -> Function:
    """The same function with each adjoint loop merged into its primal loop where that is possible.

    >>> from ast_ad.compiler.ir.evaluate import evaluate
    >>> from ast_ad.compiler.ir.ops import Lit
    >>> from ast_ad.compiler.ir.types import Array, Scalar
    >>> from ast_ad.compiler.adjoint.adjoint import adjoint
    >>> x, s, t, e, i = (Var(Scalar("float")) for _ in range(5))
    >>> body = Block([Op(operator.mul, (x, x), (e,)), Op(operator.add, (s, e), (t,))], (t,))
    >>> total = Var(Scalar("float"))
    >>> loop = For(i, (Lit(0), Lit(3), Lit(1)), (), (s,), (Lit(0.0),), body, (total,))
    >>> fused = fuse_loops(adjoint(Function("f", (x,), Block([loop], (total,))), (0,)))
    >>> sum(isinstance(op, For) for op in fused.body.ops), evaluate(fused, 2.0)
    (1, (12.0, 12.0))
    """
    fused = copy_function(function)
    while fuse_block(fused.body, report):  # outer loops first: then those within stand in one block
        simplify(fused)
        if join_alike(fused):
            simplify(fused)
    return fused


def fuse_block(block: Block, report: Report = UNHEARD) -> bool:
    """Merge loops of the block, or else loops within; whether there were any."""
    found = False
    while any(_fuse(block, first, second, report) for first, second in _pairs(block)):
        found = True
    return found or any([fuse_block(inner, report) for op in block.ops for inner in blocks(op)])


def _pairs(block: Block) -> list[tuple[For, For]]:
    """Loops of the block, each with an adjoint loop behind that may be its own."""
    loops = [op for op in block.ops if isinstance(op, For)]
    return [
        (first, second)
        for k, second in enumerate(loops)
        for first in reversed(loops[:k])
        if second.adjoint and second.span == first.span and first.reverse is not second.reverse
    ]


def _fuse(block: Block, first: For, second: For, report: Report) -> bool:
    """Let the second loop run within the first, if it can; whether it could."""
    if first.stops or second.stops or not _only_adds(second):
        return False
    start, end = (next(i for i, op in enumerate(block.ops) if op is loop) for loop in (first, second))
    between, after = block.ops[start + 1 : end], Block(block.ops[end + 1 :], block.results)
    header, swaps = _match(first, second), _swaps(between, first, second, after)
    if header is None or swaps is None:
        return False
    moved = _needed_before(between, first, second, swaps)
    if moved is None:
        return False
    _swap(between, second, swaps, after)
    names, items = header
    replace_reads(second.body, names)
    first.items += items
    first.params += second.params
    first.inits += second.inits
    first.outs += second.outs
    first.body = Block(first.body.ops + second.body.ops, first.body.results + second.body.results)
    early = set(map(id, moved))
    later = [op for op in between if id(op) not in early]
    block.ops = [*block.ops[:start], *moved, first, *later, *after.ops]
    block.results = after.results
    report.note("loop fusion", first, "the loop and its adjoint run as one, with nothing saved between them")
    return True


# ----- the iterations -------------------------------------------------------------------------------
def _match(first: For, second: For) -> tuple[Renaming, tuple[tuple[Arg, tuple[Var, ...]], ...]] | None:
    """What the second loop's index and elements are in the same iteration of the first, and further lists
    to run through; None where the iterations are not the same."""
    names: Renaming = {}
    same = second.range is not None
    if second.range is not None:
        if first.range is None or list(map(arg_key, first.range)) != list(map(arg_key, second.range)):
            return None
        names[second.index] = first.index
    others = []
    for source, elements in second.items:
        known = _elements(first, source, len(elements))
        if known is None:
            others.append((source, elements))
        else:
            names.update(zip(elements, known, strict=True))
            same = True
    return (names, tuple(others)) if same else None


def element_of(loop: For, source: Arg, count: int, position: int) -> Arg | None:
    """What is on a tape that the loop records, of each iteration's ``count`` values the one at a position."""
    found = _elements(loop, source, count)
    return None if found is None else found[position]


def _elements(loop: For, source: Arg, count: int) -> tuple[Arg, ...] | None:
    """The element of a list that belongs to an iteration, as the loop itself has it."""
    for other, elements in loop.items:
        if arg_key(other) == arg_key(source) and len(elements) == count:
            return elements
    if not isinstance(source, Var) or source not in loop.outs:
        return None
    position = loop.outs.index(source)
    init, result = loop.inits[position], loop.body.results[position]
    append = next((op for op in loop.body.ops if result in op.outs), None)
    if not isinstance(append, Op) or append.fn is not containers.list_append:
        return None
    if append.args[0] is not loop.params[position] or not isinstance(init, Seq) or init.items:
        return None
    element = append.args[1]
    if count == 1:
        return (element,)
    return element.items if isinstance(element, Seq) and len(element.items) == count else None


# ----- the statements between -----------------------------------------------------------------------
def _needed_before(
    between: list[Statement], first: For, second: For, swaps: dict[int, Var]
) -> list[Statement] | None:
    """The statements between that the second loop needs, if they may all run before the first."""
    tapes = {v for source, n in second.items if _elements(first, source, len(n)) for v in variables(source)}
    needed = {*free(second.body)}
    needed.update(v for j, init in enumerate(second.inits) for v in variables(swaps.get(j, init)))
    needed.update(v for source, _ in second.items for v in variables(source) if v not in tapes)
    moved: list[Statement] = []
    for op in reversed(between):
        if needed.intersection(op.outs):
            if has_effect(op):
                return None
            moved.append(op)
            needed.update(reads(op))
    return None if needed.intersection(first.outs) else moved[::-1]


def _swaps(between: list[Statement], first: For, second: For, after: Block) -> dict[int, Var] | None:
    """Where the second loop adds to a sum that the statements between went on with: the sum as it was
    before them, by position. None where it is something else that depends on the first loop."""
    late = set(first.outs)
    for op in between:
        if not late.isdisjoint(reads(op)):
            late.update(op.outs)
    rest = [*_read(after), *free(second.body), *variables(*second.inits)]
    found: dict[int, Var] = {}
    for j, init in enumerate(second.inits):
        if late.isdisjoint(variables(init)):
            continue
        sums = _sum_before(between, init, late) if isinstance(init, Var) else None
        if sums is None or sum(v in sums[1:] for v in rest) != 1:
            return None
        found[j] = sums[0]
    return found


def _sum_before(between: list[Statement], last: Var, late: set[Var]) -> list[Var] | None:
    """The stages of the sum that ends with ``last``, from the one that does not depend on the first loop."""
    early = [v for op in between if not late.isdisjoint(op.outs) for v in reads(op)]
    for origin in dict.fromkeys(v for v in early if v not in late and computed_alike(v.type, last.type)):
        stages = _stages(between, origin)
        if stages is not None and stages[-1] is last:
            return stages
    return None


def _swap(between: list[Statement], second: For, swaps: dict[int, Var], after: Block) -> None:
    """Let the second loop add first, and the statements between go on from there."""
    inits, outs = list(second.inits), list(second.outs)
    for j, origin in swaps.items():
        replace_reads(after, {outs[j]: inits[j]})
        outs[j], inits[j] = Var(outs[j].type, outs[j].hint), origin
        replace_reads(Block(between), {origin: outs[j]})
    second.inits, second.outs = tuple(inits), tuple(outs)


def _read(block: Block) -> list[Var]:
    return [*(v for op in block.ops for v in reads(op)), *variables(*block.results)]


# ----- sums -----------------------------------------------------------------------------------------
def _only_adds(loop: For) -> bool:
    """Whether all that the body does with a carried value is to add to it."""
    results = loop.body.results
    return all(
        result is _sum(loop.body, param) and _count(result, results) == 1
        for param, result in zip(loop.params, results, strict=True)
    )


def _sum(block: Block, start: Var) -> Var | None:
    """The value after all that the block adds to ``start``; None if it does anything else with it."""
    stages = _stages(block.ops, start)
    if stages is None or not set(stages[:-1]).isdisjoint(variables(*block.results)):
        return None
    return stages[-1]


def _stages(statements: list[Statement], start: Var) -> list[Var] | None:
    """``start`` and the values that come about when the statements add to it; None if they do anything
    else with one of them. Among the values are the elements of what is taken apart and put together again."""
    stages, apart, elements = [start], list[Var](), dict[Any, Var]()
    for op in statements:
        read = [v for v in reads(op) if v in stages or v in apart]
        if not read:
            continue
        if _takes_apart(op, stages[-1]) and (place := arg_key(op.args[1])) not in elements:  # type: ignore[union-attr]
            elements[place] = op.outs[0]
            apart += op.outs
        elif elements and _puts_together(op, elements, stages[-1]):
            elements = {}
            stages += op.outs
        else:
            current = elements or {None: stages[-1]}
            place = next((key for key, v in current.items() if v is read[0]), start)
            after = _after(op, read[0]) if place is not start and set(read) == {read[0]} else None
            if after is None:
                return None
            (apart if elements else stages).append(after)
            if elements:
                elements[place] = after
    return None if elements else [start, *apart, *stages[1:]]


def _takes_apart(op: Statement, array: Var) -> bool:
    """Whether it reads an element, of a constant place, of an array whose lengths are numbers."""
    if not isinstance(op, Op) or op.fn is not operator.getitem or op.args[0] is not array:
        return False
    shape = array.type.shape if isinstance(array.type, Array) else None
    index = op.args[1].items if isinstance(op.args[1], Seq) else (op.args[1],)
    if not shape or not all(isinstance(n, int) for n in shape) or len(index) != len(shape):
        return False
    return all(isinstance(i, Lit) and type(i.value) is int and i.value >= 0 for i in index)


def _puts_together(op: Statement, elements: dict[Any, Var], array: Var) -> bool:
    """Whether it makes an array like another of all these elements, each in its place, of nothing else."""
    if not isinstance(op, Op) or op.fn is not np.array or op.kwargs or len(op.args) != 1:
        return False
    if not computed_alike(op.out.type, array.type):
        return False

    def placed(arg: Arg, place: tuple[int, ...]) -> list[bool]:
        if isinstance(arg, Seq):
            return [one for i, item in enumerate(arg.items) for one in placed(item, (*place, i))]
        key = arg_key(Lit(place[0]) if len(place) == 1 else Seq(tuple(map(Lit, place))))
        return [elements.get(key) is arg]

    found = placed(op.args[0], ())
    return len(found) == len(elements) and all(found)


def _after(op: Statement, current: Var) -> Var | None:
    """The value after one statement, which reads it."""
    if isinstance(op, Op):
        once = _count(current, (*op.args, *op.kwargs.values())) == 1
        place = op.args[0] is current or (op.fn in SYMMETRIC and op.args[1] is current)
        return op.out if once and op.fn in SUMS and place else None
    if isinstance(op, If):
        return _after_branch(op, current)
    if not isinstance(op, For) or op.stops or _count(current, op.inits) != 1:
        return None
    inside = sum(v is current for v in reads(op)) - 1
    position = next((i for i, init in enumerate(op.inits) if init is current), None)
    if inside or position is None:
        return None
    result = op.body.results[position]
    added = _sum(op.body, op.params[position])
    return op.outs[position] if added is result and _count(added, op.body.results) == 1 else None


def _after_branch(op: If, current: Var) -> Var | None:
    if current in variables(op.cond):
        return None
    added = [_sum(branch, current) for branch in (op.then, op.orelse)]
    for out, *results in zip(op.outs, op.then.results, op.orelse.results, strict=True):
        if all(a is r for a, r in zip(added, results, strict=True)):
            once = [_count(r, b.results) == 1 for r, b in zip(results, (op.then, op.orelse), strict=True)]
            return out if all(once) else None
    return None


def _count(var: Arg | None, args: Iterable[Arg]) -> int:
    return sum(v is var for v in variables(*args))
