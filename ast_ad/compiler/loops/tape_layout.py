"""How do the lists that loops record become arrays?

``typed_tapes(function, report) -> Function``. For kernels only, after ``fuse_loops`` and ``read_final``,
which leave fewer tapes and read them as lists; before ``write_in_place``, since it writes to the arrays by
pure ``setitem``.

A loop appends what its adjoint reads to a list, the tape; the adjoint is zipped with it. Lists are slow, in
compiled code most of all. Each element of a tape whose type is known gets an array instead, allocated before
the loop and written at the iteration's place, and the adjoint reads it there::

    tape = []                                  tape = np.empty(max(n, 0))
    for i in range(n):                         for i in range(n):
        tape.append(y)                             tape[i] = y
    for i, y in reversed(zip(range(n), tape)): for i in reversed(range(n)):
                                                   y = tape[i]

Tapes of loops within are elements of the tapes of the loops around them; they become arrays with one more
axis, or, where their lengths vary, one array with a position that moves on. What does not fit stays a list.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field

from ...rules import containers, helpers
from ..analysis.undefined import undefined_values
from ..arrays.lengths import Bounds, Lengths, Ops, is_number
from ..ir.ops import (
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    binders,
    blocks,
    operands,
    variables,
    walk,
)
from ..ir.types import KINDS, Array, Dim, ListOf, Scalar, kind_of
from ..report import UNHEARD, Report
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.renaming import copy_function
from .tape_places import Path, is_missing, within
from .tape_readers import read_once
from .tape_storage import Storing


def typed_tapes(function: Function, report: Report = UNHEARD) -> Function:
    """The same function with arrays for the tapes that its loops record, as far as their types allow.

    Args:
        function: pure IR; it is left as it is.

    >>> from ast_ad.compiler.ir.ops import Block
    >>> typed_tapes(Function("nothing", (), Block([], (Lit(1),)))).body.results
    (1,)
    """
    function = copy_function(function)
    read_once(function)
    for _ in range(4):  # a tape that is gone may have been what was in the way of another
        found = _Tapes(function, report)
        if not found.convert():
            break
        eliminate_dead_code(function)
    return function


@dataclass
class Slot:
    """One element of what is appended, and the Var that stands for it in the reader. ``way``: what becomes
    of it: 'list' (stays), 'drop', 'constant', 'number', 'array', 'rows', 'ragged', 'shape', or 'tape'."""

    value: Arg
    item: Var
    way: str = "list"
    tape: Tape | None = None


@dataclass(eq=False)
class Tape:
    """A list recorded by ``loop`` and read by ``reader``. ``turned``: the reader goes through it backwards
    by way of a reversed copy. ``steps``: the branches around the loop that hand the tape on. ``holders``:
    the Vars that hold it."""

    loop: For | While
    position: int
    append: Op
    reader: For
    source: Var
    turned: bool
    steps: Path = ()
    slots: list[Slot] = field(default_factory=list)
    parent: Tape | None = None
    holders: list[Var] = field(default_factory=list)

    @property
    def anchor(self) -> Statement:
        """The statement that holds the loop, in the block where its tape is read."""
        return self.steps[0][0] if self.steps else self.loop

    @property
    def useful(self) -> bool:
        return any(slot.way != "list" for slot in self.slots)

    @property
    def bounds(self) -> Bounds | None:
        """The range that tells how often the loop runs; None where that shows at the end only."""
        loop = self.loop
        if isinstance(loop, While) or loop.stops or loop.range is None or loop.items:
            return None
        step = loop.range[2]
        return loop.range if isinstance(step, Lit) and not is_number(step, 0) else None

    def rest(self) -> list[Slot]:
        """The elements that stay on the list."""
        return [s for s in self.slots if s.way == "list" or s.tape is not None and s.tape.rest()]

    def remove(self) -> None:
        """Leave on the list what has no array, and nothing at all where everything has one."""
        for slot in self.slots:
            if slot.tape is not None and slot.way == "tape":
                slot.tape.remove()
        rest = self.rest()
        items = []
        for source, targets in self.reader.items:
            if source is self.source:
                targets = tuple(s.item for s in rest)
            if targets:
                items.append((source, targets))
        self.reader.items = tuple(items)
        if not rest:
            return
        for slot in rest:
            if slot.tape is not None and isinstance(slot.value, Var):
                slot.item.type = slot.value.type
        values = tuple(s.value for s in rest)
        self.append.args = self.append.args[0], values[0] if len(values) == 1 else Seq(values)
        self.set_types()

    def set_types(self) -> None:
        from ..frontend.builder import type_of_arg

        type_ = ListOf(type_of_arg(self.append.args[1]))
        for var in (*self.holders, self.append.out, self.source):
            var.type = type_


class _Tapes:
    """Finds the tapes of a function and converts them."""

    def __init__(self, function: Function, report: Report) -> None:
        self.function, self.report = function, report
        self.undefined = undefined_values(function.body)
        self.uses: dict[Var, list[Statement | None]] = {}
        self.makers: dict[Var, Statement] = {}
        self.survey(function.body)

    def survey(self, block: Block) -> None:
        for op in block.ops:
            self.makers.update((out, op) for out in op.outs)
            for var in variables(*operands(op)):
                self.uses.setdefault(var, []).append(op)
            for inner in blocks(op):
                self.survey(inner)
        for var in variables(*block.results):
            self.uses.setdefault(var, []).append(None)

    # ----- finding -----

    def convert(self) -> bool:
        """Convert every tape that is no element of another; whether there were any."""
        return self.block(self.function.body, list(self.function.params))

    def block(self, block: Block, visible: list[Var]) -> bool:
        changed, seen = False, list(visible)
        for op in list(block.ops):
            for out in () if isinstance(op, Op) else list(op.outs):
                tape = self.recorded(out, block)
                if tape is not None:
                    changed |= self.store(tape, block, seen)
            bound = [*seen, *(() if isinstance(op, (Op, If)) else binders(op))]
            for inner in blocks(op):
                changed |= self.block(inner, bound)
            seen += op.outs
        return changed

    def recorded(self, name: Var, block: Block, source: Var | None = None) -> Tape | None:
        """The tape of that name in a block; ``source``: how its reader calls it."""
        steps, value, holders = (), name, [name]  # type: tuple[Path, Var, list[Var]]
        if not isinstance(name.type, ListOf):
            return None
        maker = self.makers[value]
        while isinstance(maker, If) and _within(block, maker):
            place = maker.outs.index(value)
            found = [b for b in (maker.then, maker.orelse) if not is_missing(b.results[place], self.makers)]
            inner = found[0].results[place] if len(found) == 1 else None
            if not isinstance(inner, Var) or len(self.uses[inner]) != 1 or inner not in self.makers:
                return None
            steps, value, block = (*steps, (maker, found[0])), inner, found[0]
            maker = self.makers[value]
            holders.append(value)
        if not isinstance(maker, (For, While)) or not _within(block, maker):
            return None
        loop, position = maker, maker.outs.index(value)
        param, init = loop.params[position], loop.inits[position]
        result = loop.body.results[position + loop.stops]
        append = self.makers.get(result) if isinstance(result, Var) else None
        if not (isinstance(init, Seq) and not init.items) or not isinstance(append, Op):
            return None
        if append.fn is not containers.list_append or append.args[0] is not param:
            return None
        if not _within(loop.body, append):
            return None
        if not all(len(self.uses.get(v, ())) == 1 for v in (param, append.out, name)):
            return None
        tape = Tape(loop, position, append, loop, name, False, steps, holders=[*holders, param])  # type: ignore[arg-type]
        return self.read(tape, source or name)

    def read(self, tape: Tape, source: Var) -> Tape | None:
        """Find the one loop that is zipped with the tape, and what it calls the elements."""
        users = self.uses.get(source, [])
        if len(users) == 1 and isinstance(users[0], Op) and users[0].fn is containers.list_reverse:
            tape.turned, source = True, users[0].out
            users = self.uses.get(source, [])
        if len(users) != 1 or not isinstance(users[0], For):
            return None
        if not users[0].adjoint and (users[0].range is not None or len(users[0].items) > 1):
            return None  # whichever is shorter ends the loop
        tape.reader, tape.source = users[0], source
        found = [targets for s, targets in users[0].items if s is source]
        element = tape.append.args[1]
        parts = element.items if isinstance(element, Seq) and element.kind is tuple else (element,)
        if len(found) != 1 or len(found[0]) != len(parts) or isinstance(element, Seq) and len(parts) == 1:
            return None
        tape.slots = [Slot(value, item) for value, item in zip(parts, found[0], strict=True)]
        return tape

    # ----- deciding -----

    def store(self, tape: Tape, block: Block, visible: list[Var]) -> bool:
        """Give the tape arrays, which are allocated before its loop in the block; whether there are any."""
        before = Ops(span=tape.loop.span, adjoint=tape.loop.adjoint)
        known = [v for v in visible if v not in self.undefined]
        lengths = Lengths(known, self.makers, before)
        self.decide(tape, lengths)
        if not tape.useful:
            return False
        self.note(tape)
        storing = Storing(block, tape, lengths, self.undefined, self.makers)
        storing.run()
        tape.remove()
        storing.finish()
        return True

    def note(self, tape: Tape) -> None:
        """Tell what each turn leaves for the adjoint, and where."""
        ways = {"number": "in an array", "array": "in an array", "rows": "row by row", "ragged": "end to end"}
        for slot in tape.slots:
            if slot.way in ways and isinstance(slot.value, Var):
                name = f"`{slot.value.hint}`" if slot.value.hint else "a value"
                self.report.note("tape layout", tape.loop, f"{name} of each turn is saved {ways[slot.way]}")

    def decide(self, tape: Tape, lengths: Lengths) -> None:
        for slot in tape.slots:
            slot.way = self.way(slot, tape, lengths)
            if slot.way in ("shape", "ragged") and slot.value in self.undefined:
                self.forget_lengths(slot.item, lengths)

    def forget_lengths(self, item: Var, lengths: Lengths) -> None:
        """What some paths don't have is read as an array of length 0 there; no length follows from that."""
        assert isinstance(item.type, Array) and item.type.shape is not None
        shape = tuple(Dim.fresh() if lengths.of(dim) is None else dim for dim in item.type.shape)
        item.type = Array(item.type.dtype, shape)

    def way(self, slot: Slot, tape: Tape, lengths: Lengths) -> str:
        value, item = slot.value, slot.item
        if not self.uses.get(item):
            return "drop"
        if isinstance(value, Lit) or value in lengths.visible:
            return "constant"
        if not isinstance(value, Var):
            return "list"
        if isinstance(value.type, ListOf):
            return self.inner(slot, tape, lengths)
        type_ = value.type
        if not isinstance(type_, (Scalar, Array)) or kind_of(type_) not in KINDS:
            return "list"
        unsure = value in self.undefined
        makers = self.makings(value, tape.loop.body) if unsure else 1
        if not makers or unsure and not self.harmless(item):
            return "list"
        if isinstance(type_, Scalar):
            return "number"
        if type_.shape is None or not type_.dtype.isnative:
            return "list"
        fixed = all(lengths.of(dim) is not None for dim in type_.shape)
        maker = self.makers.get(within(value, self.undefined, self.makers)[1] if makers == 1 else value)
        if isinstance(maker, Op) and maker.fn is helpers.hollow:
            return "shape"
        if unsure and makers == 1 and not all(isinstance(dim, int) for dim in type_.shape):
            return "rows" if fixed else "ragged"  # most iterations may have none
        return "array" if fixed else "list" if unsure else "ragged"

    def inner(self, slot: Slot, tape: Tape, lengths: Lengths) -> str:
        """Whether the element is the tape of a loop within, which the reader's own inner loop reads."""
        found = None
        if slot.value in self.makers:
            found = self.recorded(slot.value, tape.loop.body, slot.item)
        if found is None:
            return "list"
        found.parent = tape
        self.decide(found, lengths)
        slot.tape = found
        return "tape" if found.useful else "list"

    def makings(self, value: Arg, block: Block) -> int:
        """How many branches make a value that some paths don't have; 0 where not only branches do."""
        if value not in self.undefined:
            return 1
        maker = self.makers.get(value) if isinstance(value, Var) else None
        if not isinstance(maker, If) or not _within(block, maker):
            return 0
        place = maker.outs.index(value)
        found = [b for b in (maker.then, maker.orelse) if not is_missing(b.results[place], self.makers)]
        counts = [self.makings(b.results[place], b) for b in found]
        return sum(counts) if all(counts) else 0

    def harmless(self, item: Var) -> bool:
        """Whether the reader never asks if the value is there."""
        asks = {containers.add, operator.is_, operator.is_not}
        return not any(isinstance(op, Op) and op.fn in asks for op in self.uses.get(item, []))


def _within(block: Block, op: Statement) -> bool:
    return any(other is op for other in block.ops)


def lists(function: Function) -> Iterable[Var]:
    """The lists that the loops of a function carry."""
    for op in walk(function.body):
        if isinstance(op, (For, While)):
            yield from (p for p in op.params if isinstance(p.type, ListOf))
