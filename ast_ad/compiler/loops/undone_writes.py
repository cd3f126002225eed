"""Which arrays can the adjoint of a loop get back by undoing what the loop has written?

``undo_writes(function, report) -> Function``. After ``read_final``, which saves nothing at all, and before
``typed_tapes``, which would allocate memory for an array in every turn.

A loop that writes a part of an array in each turn, while its adjoint reads what the array was, saves all of
it. It is enough to save what the write overwrites: the adjoint begins with the array as the loop left it,
goes through the turns backwards, and puts back what was there::

    for i in range(n):                          for i in range(n):
        tape.append(a)                              tape.append(a[i])
        a[i] = f(a)                                 a[i] = f(a)
    for i in reversed(range(n)):                for i in reversed(range(n)):
        b_bar = f_bar(tape[i])                      a[i] = tape[i]
                                                    b_bar = f_bar(a)

Nothing has to be proved of the places: what is put back is what was there, in the opposite order. A part that
is written between slices is saved along the whole axis. Loops within are undone by their own adjoints.
"""

from __future__ import annotations

import math
import operator

from ...rules import containers, helpers
from ..frontend.builder import type_of_arg
from ..ir.alternatives import is_mixed
from ..ir.ops import (
    Arg,
    For,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    blocks,
    operands,
    variables,
)
from ..ir.types import KIND_OF, Array, ListOf, Scalar
from ..report import UNHEARD, Report
from ..simplify.renaming import Renaming, copy_function, free, renamed, replace_reads
from ..simplify.simplify import simplify
from ..simplify.view_indices import is_int, parts_of
from .loop_fusion import element_of
from .tape_elision import Env, Finder, Pair

Step = tuple[Statement, int]  # a write, or a loop with the position of the array among what it carries
COMPUTED = {operator.add, operator.sub, operator.mul, operator.neg}
TYPICAL = 16  # elements of an axis whose length is not known
WHOLE = Slice(Lit(None), Lit(None), Lit(None))


def undo_writes(function: Function, report: Report = UNHEARD) -> Function:
    """The same function with what is overwritten on its tapes, instead of whole arrays.

    Args:
        function: pure IR; it is left as it is.

    >>> from ..ir.ops import Block
    >>> undo_writes(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    result = copy_function(function)
    undoing = _Undoing(result, report)
    undoing.visit(result.body)
    return simplify(result) if undoing.found else result


class _Undoing(Finder):
    """``saves``: the arrays that each loop saves whole, by the names that its adjoint has for them."""

    def __init__(self, function: Function, report: Report) -> None:
        super().__init__(function, report)
        self.saves: dict[For, dict[Var, list[Var]]] = {}

    def matches(self, nest: list[Pair]) -> bool:
        """Whether the adjoint runs through the turns of the last loop backwards: along what they recorded."""
        first, second = nest[-1]
        if first.stops or second.stops or first.reverse or not second.reverse:
            return False
        return any(self.recorded(first, source, names) for source, names in second.items)

    def recorded(self, first: For, source: Arg, names: tuple[Var, ...]) -> dict[Var, Arg]:
        """What the loop has saved under each of the names read from a source, if that is its tape."""
        tape = self.tapes.get(source, source) if isinstance(source, Var) else source
        found = [element_of(first, tape, len(names), k) for k in range(len(names))]
        return {name: value for name, value in zip(names, found, strict=True) if value is not None}

    def element(self, nest: list[Pair], value: Var, var: Var) -> None:
        if isinstance(value.type, Array):
            self.saves.setdefault(nest[-1][0], {}).setdefault(value, []).append(var)

    def together(self, first: For) -> None:
        for k in range(len(first.params)):
            if not self.worth(first, k):
                continue
            self.undo(first, k, first.outs[k], None)
            self.found = True
            name = f"`{first.outs[k].hint}`" if first.outs[k].hint else "an array"
            text = f"of {name} each turn saves what it overwrites, and the sweep puts that back"
            self.report.note("undone writes", first, text)
        self.saves.clear()

    # ----- whether -----
    def worth(self, loop: For, k: int) -> bool:
        """Whether the writes to a carried array can be undone, and that takes less than what is saved of it:
        in the innermost loops, since a loop within may write to all of the array before it is saved again."""
        steps = self.steps(loop, k)
        if steps is None:
            return False
        inner = [(op, j) for op, j in steps if isinstance(op, For)]
        if inner:
            return all(self.undoable(*step) for step in inner) and any(self.worth(*step) for step in inner)
        saved = self.saves.get(loop, {})
        return (
            any(v in saved for v in _versions(loop, k, steps)) and sum(_share(op) for op, _ in steps) <= 0.5
        )

    def undoable(self, loop: For, k: int) -> bool:
        steps = self.steps(loop, k)
        return steps is not None and all(self.undoable(op, j) for op, j in steps if isinstance(op, For))

    def ordered(self, loop: For, k: int, steps: list[Step]) -> list[Statement] | None:
        """The statements of the adjoint, what reads the array as late as it may be; None where some reads
        what the array was before a loop within, and is needed before that is undone."""
        ops, saved, earlier = self.nests[loop][-1][1].body.ops, self.saves.get(loop, {}), set[Var]()
        if not any(isinstance(op, For) for op, _ in steps):
            return ops
        versions = _versions(loop, k, steps)
        ops = _late(ops, {var for v in versions for var in saved.get(v, ())})
        for version, (op, _) in zip(versions, steps, strict=False):
            earlier.update(saved.get(version, ()))
            if isinstance(op, For):
                if op not in self.nests:
                    return None
                place = ops.index(self.nests[op][-1][1])
                if any(not _reads(other).isdisjoint(earlier) for other in ops[: place + 1]):
                    return None
        return ops

    def steps(self, loop: For, k: int) -> list[Step] | None:
        """What the body does to the array, first to last; None if that can't be undone."""
        kind = loop.params[k].type
        if loop not in self.nests or not isinstance(kind, Array) or not kind.shape or is_mixed(kind):
            return None
        found = self.chain(loop.body, loop.body.results[k], loop.params[k])
        if not found or not all(_is_part(op, kind) for op, _ in found if isinstance(op, Op)):
            return None
        found.reverse()
        return None if self.ordered(loop, k, found) is None else found

    # ----- how -----
    def undo(self, first: For, k: int, last: Arg, around: _Tape | None) -> Var:
        """Undo a loop in its adjoint, after which the array is ``last``; what it was before."""
        second, steps = self.nests[first][-1][1], self.steps(first, k)
        assert steps is not None
        second.body.ops = self.ordered(first, k, steps) or []
        before, after = (Var(first.params[k].type, first.params[k].hint) for _ in range(2))
        versions, tape, now = _versions(first, k, steps), _Tape(first, second), before
        reads = {v: self.saves.get(first, {}).get(v, []) for v in versions}
        names: Renaming = {var: before for var in reads[versions[-1]]}
        deadlines = self.deadlines(second, steps, [reads[v] for v in versions])
        put: dict[int, list[Statement]] = {}
        for n in reversed(range(len(steps))):
            op, j = steps[n]
            if isinstance(op, For):
                now = self.undo(op, j, now, tape)
            elif isinstance(op, Op):
                now = self.put_back(first, op, now, tape, put.setdefault(deadlines[n], []))
            names.update((var, now) for var in reads[versions[n]])
        for place in sorted(put, reverse=True):
            second.body.ops[place:place] = put[place]
        replace_reads(second.body, names)
        tape.close(around)
        _carry(second, before, last, now, after)
        return after

    def deadlines(self, second: For, steps: list[Step], reads: list[list[Var]]) -> list[int]:
        """Before which statement of the adjoint each write has to be undone: the first that reads what the
        array was before it, or undoes an earlier loop."""
        ops = second.body.ops
        users = [_reads(op) for op in ops]
        found, soonest = [], len(ops)
        for n, (op, _) in enumerate(steps):
            soonest = min([soonest, *(i for i, used in enumerate(users) if not used.isdisjoint(reads[n]))])
            if isinstance(op, For):
                partner = self.nests[op][-1][1]
                soonest = min(soonest, ops.index(partner))
            found.append(soonest)
        return found

    def put_back(self, first: For, op: Op, now: Var, tape: _Tape, ops: list[Statement]) -> Var:
        """Save what a write overwrites, and write it again in the adjoint, as ``ops``."""
        array, kind = op.args[0], op.out.type
        assert isinstance(kind, Array) and kind.shape is not None and isinstance(array, Var)
        parts = [p if is_int(p) else WHOLE for p in parts_of(op.args[1])]
        rest = [
            n for n, p in zip(kind.shape, [*parts, *[WHOLE] * len(kind.shape)], strict=False) if p is WHOLE
        ]
        shape = tuple(rest)
        old = Var(Array(kind.dtype, shape) if shape else Scalar(KIND_OF[kind.dtype.kind], kind.dtype))
        read = Op(operator.getitem, (array, _index(parts)), (old,), {}, op.span)
        first.body.ops.insert(first.body.ops.index(op), read)
        names = self.counters(self.nests[first])
        there = [renamed(self.again(p, names, tape, ops), names) for p in parts]
        new, back = Var(now.type, now.hint), tape.save(old)
        ops.append(Op(helpers.setitem, (now, _index(there), back), (new,), {}, op.span, adjoint=True))
        return new

    def counters(self, nest: list[Pair]) -> Renaming:
        """What the adjoint calls the counters of loops, as far as its own run over the same range."""
        saved: dict[Var, Arg] = {}
        names: Renaming = {}
        env: Env = {}
        for first, second in nest:
            env[first.index] = {first.index: 1}
            if first.range is not None and second.range is not None:
                pairs = [(a, renamed(b, saved)) for a, b in zip(first.range, second.range, strict=True)]
                if all(self.same(a, b, env) for a, b in pairs):
                    names[first.index], env[second.index] = second.index, {first.index: 1}
            for source, items in second.items:
                saved.update(self.recorded(first, source, items))
        return names

    def same(self, a: Arg, b: Arg, env: Env) -> bool:
        forms = self.linear(a, env), self.linear(b, env)
        return a is b or forms[0] is not None and forms[0] == forms[1]

    def again(self, part: Arg, names: Renaming, tape: _Tape, ops: list[Statement]) -> Arg:
        """An index as the adjoint has it: it computes it again, or finds it on the tape."""
        if not isinstance(part, Var) or part in names or part not in self.inside:
            return part
        if self.computed(part, names):
            self.rebuild(part, names, ops)
            return part
        return tape.save(part)

    def computed(self, part: Arg, names: Renaming) -> bool:
        if not isinstance(part, Var) or part in names or part not in self.inside:
            return True
        op = self.makers.get(part)
        return isinstance(op, Op) and op.fn in COMPUTED and all(self.computed(a, names) for a in op.args)


class _Tape:
    """What each turn of a loop saves for its adjoint, besides what it saves anyway."""

    def __init__(self, first: For, second: For) -> None:
        self.first, self.second = first, second
        self.values: list[Arg] = []
        self.items: list[Var] = []

    def save(self, value: Var) -> Var:
        """Save a value; what the adjoint calls it."""
        self.values.append(value)
        self.items.append(Var(value.type, value.hint))
        return self.items[-1]

    def close(self, around: _Tape | None) -> None:
        """Let the loop record it, and the adjoint run through it; ``around``: what it is saved on itself."""
        if not self.values:
            return
        element = self.values[0] if len(self.values) == 1 else Seq(tuple(self.values))
        before, after, tape = (Var(ListOf(type_of_arg(element)), "tape") for _ in range(3))
        append = Op(containers.list_append, (before, element), (after,), {}, self.first.span)
        self.first.body.ops.append(append)
        _carry(self.first, before, Seq((), list), after, tape)
        source = tape if around is None else around.save(tape)
        self.second.items += ((source, tuple(self.items)),)


def _carry(loop: For, param: Var, init: Arg, result: Var, out: Var) -> None:
    loop.params, loop.inits = (*loop.params, param), (*loop.inits, init)
    loop.body.results, loop.outs = (*loop.body.results, result), (*loop.outs, out)


def _versions(loop: For, k: int, steps: list[Step]) -> list[Var]:
    """What the array is before each step, and after the last."""
    return [loop.params[k], *(op.outs[j] for op, j in steps)]


def _reads(op: Statement) -> set[Var]:
    return {*variables(*operands(op)), *(v for block in blocks(op) for v in free(block))}


def _late(ops: list[Statement], of: set[Var]) -> list[Statement]:
    """The statements, with those that only compute something of the values as late as they may be."""
    late, waiting, found = set(of), list[Op](), list[Statement]()
    for op in ops:
        if isinstance(op, Op) and op.adjoint and not op.effect and not late.isdisjoint(_reads(op)):
            late.update(op.outs)
            waiting.append(op)
            continue
        needed = _reads(op)
        for other in reversed(waiting):
            if not needed.isdisjoint(other.outs):
                needed |= _reads(other)
        found += [w for w in waiting if not needed.isdisjoint(w.outs)]
        waiting = [w for w in waiting if needed.isdisjoint(w.outs)]
        found.append(op)
    return [*found, *waiting]


def _index(parts: list[Arg]) -> Arg:
    return parts[0] if len(parts) == 1 else Seq(tuple(parts))


def _is_part(write: Op, of: Array) -> bool:
    """Whether it writes where ints and slices say, one int at least."""
    parts = parts_of(write.args[1])
    fits = all(is_int(p) or isinstance(p, Slice) for p in parts) and len(parts) <= len(of.shape or ())
    return fits and any(map(is_int, parts))


def _share(write: Statement) -> float:
    """How much of the array is saved for a write, about."""
    assert isinstance(write, Op) and isinstance(write.out.type, Array) and write.out.type.shape is not None
    lengths = [n if isinstance(n, int) else TYPICAL for n in write.out.type.shape]
    parts = parts_of(write.args[1])
    return math.prod(1.0 / max(n, 1) for n, part in zip(lengths, parts, strict=False) if is_int(part))
