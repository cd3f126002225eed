"""How does a program on arrays become loops of scalar operations?

``Scalarizer(function, around, trusted).run() -> Function``. For each kernel that ``partition`` cuts out,
before all passes on kernels, which work on the loops that it writes.

Statement by statement: what an array operation computes becomes a formula; formulas are evaluated where
arrays are written, reduced, or needed as memory. The loops of a run of statements are fused (``nests``). What
is written has no temporary arrays but those that several loops, or a loop and something else, have to share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.liveness import Liveness
from ...ir.ops import (
    Arg,
    Block,
    Function,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Var,
    binders,
    reads,
    variables,
    walk,
)
from ...ir.types import Array, Dim, Scalar
from .. import runtime as kernels
from ..lowering.forms import require_equal
from ..lowering.loop_values import Filled, Formula, Memory, Value
from ..lowering.masks import Chosen
from ..numbers.scalars import NoForm, is_python_int, scalar_operation
from ..partition.alias_sets import Groups
from . import nests
from .affine_indices import Index
from .body import Body, Origin
from .bounds import Bounds
from .nests import Action
from .regions import Unsupported, region
from .stencil_gather import Update, gathered

CHEAP = 8  # the cost from which a formula that several statements read is kept


class Scalarizer:
    """Writes one kernel. ``env`` maps the program's Vars to numbers (Args) or arrays (Values).

    Args:
        function: a part of a program.
        around: which arrays of the whole program may share memory.
        trusted: arguments whose lengths are known to be those of their types.
    """

    def __init__(self, function: Function, around: Groups | None = None, trusted: Sequence[Var] = ()) -> None:
        self.function, self.trusted = function, set(trusted)
        self.live = Liveness(function)
        self.groups = Groups(function, around)
        self.uses = _uses(function)
        self.without_axes: set[Arg] = set()  # arrays that are numbers here
        self.computed = _computed(function)
        self.program = {v for op in walk(function.body) for v in (*op.outs, *binders(op))}
        self.env: dict[Var, Any] = {}
        self.lengths: dict[Dim, Arg] = {}
        self.equal: dict[Var, Arg] = {}  # lengths that are checked to be those of others
        self.counts: dict[Value, Arg] = {}  # how many elements a mask chooses
        self.bounds = Bounds()
        self.origin = Origin()
        self.body = Body(origin=self.origin)
        self.pending: list[Action] = []
        self.waiting: set[Var] = set()  # numbers that pending actions make
        self.depth = 0
        self.op: Statement | None = None

    def run(self) -> Function:
        """The kernel: scalar operations and loops only."""
        for param in self.function.params:
            if isinstance(param.type, Array):
                self.env[param] = self.memory_of(param, self.groups.of(param))
            else:
                self.bounds.learn(param)
                self.env[param] = self.entering(param)
        try:
            self.statements(self.function.body)
            results = tuple(self.result(r) for r in self.function.body.results)
            self.flush()
        except NoForm as problem:  # of a formula, where it is written
            raise Unsupported(self.op, str(problem)) from None
        block = Block(self.body.ops, results)
        return Function(self.function.name, self.function.params, block, self.function.doc)

    def entering(self, param: Var) -> Arg:
        """A number that the kernel is given: one of Python's integers is checked before anything else."""
        if not is_python_int(param.type) or self.bounds.is_small(param) or param not in self.computed:
            return param
        checked = self.body.op(kernels.small, param, type=param.type, hint=param.hint)
        form = self.bounds.affine(param)
        if form is not None:
            self.bounds.define(checked, form)
        return checked

    def nearby(self, start: Arg) -> Arg:
        """The first number of a loop, from which all of its counters are small."""
        if self.bounds.is_small(start):
            return start
        checked = self.body.op(kernels.nearby, start, type=Scalar("int"))
        self.bounds.nearby(checked, self.bounds.affine(start))
        return checked

    # ----- blocks
    def statements(self, block: Block) -> None:
        for op in block.ops:
            self.op = op
            self.origin.span, self.origin.adjoint = op.span, op.adjoint
            if isinstance(op, Op):
                self.operation(op)
            else:
                self.settle(op)
                self.flush()
                region(self, op)

    def operation(self, op: Op) -> None:
        from ..lowering.lowering import form

        try:
            form(self, op)
        except NoForm as problem:
            raise Unsupported(op, str(problem)) from None

    def flush(self) -> None:
        """Write what is pending."""
        if self.pending:
            pending, self.pending = gathered(self, self.pending), []
            self.waiting = set()
            for action in pending:  # the checks stand before all that is pending
                action.keys = tuple(map(self.the_same, action.keys))
            nests.run(pending, self.body)
            self.body.forget_elements()

    def settle(self, op: Statement) -> None:
        """Make memory of the formulas that a region reads: it would compute them at every turn."""
        for var in dict.fromkeys(reads(op)):
            value = self.env.get(var)
            if isinstance(value, Value) and not (value.is_view and value.cost == 0 or value.of_counters):
                self.in_memory(var)

    # ----- arguments
    def arg(self, arg: Arg) -> Any:
        """A number, an array, or a tuple of them."""
        if isinstance(arg, Var) and (arg in self.env or arg in self.program):
            if arg not in self.env:
                raise Unsupported(self.op, f"`{arg}` has no value here")
            value = self.env[arg]
            if isinstance(value, Chosen):
                value = self.env[arg] = value.written(self)
            return value
        return arg

    def number(self, arg: Arg) -> Arg:
        value = self.arg(arg)
        if isinstance(value, Value) or isinstance(value, (Seq, Slice)):
            raise NoForm("an array where a number is wanted")
        return value

    def array(self, arg: Arg) -> Value:
        value = self.arg(arg)
        if not isinstance(value, Value):
            raise NoForm("a number where an array is wanted")
        return value

    def result(self, arg: Arg) -> Arg:
        """An argument as it leaves the kernel, or a region of it."""
        if isinstance(arg, Seq):
            raise Unsupported(self.op, "a tuple as a result")
        value = self.arg(arg)
        if isinstance(value, Value):
            assert isinstance(arg, Var)
            return self.in_memory(arg).var
        if value is None:
            raise Unsupported(self.op, "a result that is undefined on some path")
        return value

    # ----- lengths
    def extent(self, dim: Dim | int) -> Arg | None:
        """The number that a symbolic length stands for, if it is known."""
        if isinstance(dim, int):
            return Lit(dim)
        if dim in self.lengths:
            return self.lengths[dim]
        index = Index(None, 0, dim.const)
        for atom, coefficient in dim.terms:
            known = self.lengths.get(Dim(((atom, 1),)))
            if known is None:
                return None
            index = index.plus(Index.of(known).times(coefficient))
        return self.has_length(dim, self.body.number(index))

    def has_length(self, dim: Dim | int, number: Arg) -> Arg:
        """Remember which number a length is."""
        if isinstance(dim, int):
            return Lit(dim)
        if isinstance(number, Var) and self.bounds.affine(number) is None:
            self.bounds.define(number, dim)
        return self.lengths.setdefault(dim, number)

    def memory_of(self, var: Var, group: object) -> Memory:
        """An array that exists, with its lengths."""
        assert isinstance(var.type, Array)
        if var.type.shape is None or not var.type.shape or var.type.kind == "other":
            raise Unsupported(self.op, "an array of unknown rank, without axes, or of objects")
        lengths = []
        for axis, dim in enumerate(var.type.shape):
            known = self.extent(dim)
            if known is not None and var not in self.trusted:
                require_equal(self, self.body.length(var, axis), known)
            lengths.append(known if known is not None else self.has_length(dim, self.body.length(var, axis)))
            self.bounds.is_length(dim)
        return Memory(var.type, tuple(lengths), var, group)

    def are_equal(self, one: Arg, other: Arg) -> None:
        """From here on two lengths are one."""
        one, other = self.the_same(one), self.the_same(other)
        if not isinstance(one, Var):
            one, other = other, one
        if isinstance(one, Var) and one is not other:
            self.equal[one] = other

    def the_same(self, length: Any) -> Any:
        """A length, or what tells it from others, by the first name of it."""
        while isinstance(length, Var) and length in self.equal:
            length = self.equal[length]
        return length.value if isinstance(length, Lit) else length

    def key(self, length: Arg, dim: Dim | int) -> Any:
        """What tells whether two lengths are equal."""
        if isinstance(length, Lit):
            return length.value
        known = self.extent(dim)
        return known if known is not None else length

    # ----- actions
    def over(
        self,
        value: Value,
        emit: Callable[[Body, tuple[Index, ...]], None],
        **more: Any,
    ) -> Action:
        """Do something for every element of an array's space."""
        keys = tuple(n.value if isinstance(n, Lit) else n for n in value.lengths)
        return self.act(Action(value.lengths, keys, emit, **more))

    def prepared(
        self, lengths: tuple[Arg, ...], emit: Callable[[Body, tuple[Index, ...]], None], like: Action
    ) -> Action:
        """An action that stands for part of another."""
        keys = tuple(n.value if isinstance(n, Lit) else n for n in lengths)
        return self.retraced(Action(lengths, keys, emit, like.span, like.adjoint))

    def retraced(self, action: Action) -> Action:
        """The action with what it reads and writes."""
        action.trace()
        action.reads |= {v for n in action.lengths for v in variables(n)}
        return action

    def act(self, action: Action) -> Action:
        """Put an action behind those that are pending."""
        action.span, action.adjoint = self.origin.span, self.origin.adjoint
        action.trace()
        action.reads |= {v for n in action.lengths for v in variables(n)}
        self.pending.append(action)
        self.waiting |= action.defines
        return action

    def writes(self, group: object) -> bool:
        """Whether something pending changes memory of the group."""
        return any(a.group == group and a.kind != "r" for action in self.pending for a in action.accesses)

    def touched(self, group: object) -> bool:
        return any(a.group == group for action in self.pending for a in action.accesses)

    # ----- numbers
    def compute(self, fn: Callable[..., Any], args: Sequence[Arg], out: Var) -> None:
        """``out = fn(*args)`` of numbers."""
        self.define(out, lambda body: scalar_operation(body, self.bounds, fn, args, out), args)

    def define(self, out: Var, emit: Callable[[Body], Arg], args: Sequence[Arg] = ()) -> None:
        """A number that ``emit`` computes, now or, where it waits for something, later."""
        if self.waiting.isdisjoint(variables(*args)):
            self.env[out] = self.named(emit(self.body), out)
            return
        later = Var(out.type, out.hint)

        def bind(body: Body, place: tuple[Index, ...]) -> None:
            body.append(Op(builtin.assign, (emit(body),), (later,)))

        self.act(Action((), (), bind, reads=frozenset(variables(*args)), defines=frozenset((later,))))
        self.env[out] = later

    def named(self, value: Arg, out: Var) -> Arg:
        """The value, under the user's name where it has one."""
        if isinstance(value, Var):
            if value.hint is None:
                value.hint = out.hint
            self.bounds.same(out, value)
        return value

    # ----- memory
    def allocate(
        self, type: Array, lengths: Sequence[Arg], hint: str | None = None, of: Var | None = None
    ) -> Memory:
        """A new array, not initialised; ``of``: the Var of the program that it is."""
        if not self.waiting.isdisjoint(variables(*lengths)):
            self.flush()
        var = Var(type, hint or "buffer")
        shape = lengths[0] if len(lengths) == 1 else Seq(tuple(lengths))
        self.body.append(Op(np.empty, (shape, Lit(type.dtype.type)), (var,)))
        return Memory(type, tuple(lengths), var, self.groups.of(var if of is None else of))

    def fill(self, target: Memory, value: Value | Arg) -> None:
        """Write every element of an array."""
        if isinstance(value, Filled):
            value = value.value
        self.store(target, lambda place: place, target.lengths, value)

    def store(
        self,
        target: Memory,
        where: Callable[[tuple[Index, ...]], tuple[Index, ...]],
        lengths: tuple[Arg, ...],
        value: Value | Arg,
        kind: str = "w",
        sign: int = 1,
    ) -> None:
        """Write, or add, a value to a part of an array."""
        update = Update(target, where, lengths, value, kind, sign)

        def emit(body: Body, place: tuple[Index, ...]) -> None:
            x = update.element(body, place)
            body.store(target.var, target.group, where(place), x, kind, sign)

        space = Formula(target.type, lengths, (), lambda body, place: Lit(0))
        self.over(space, emit, update=update, early=kind == "w" and isinstance(value, Lit))

    def in_memory(self, var: Var) -> Memory:
        """The array as memory; a formula, or part of something else, is written out."""
        value = self.array(var)
        if isinstance(value, Memory):
            return value
        memory = self.allocate(value.type, value.lengths, var.hint, var)
        self.fill(memory, value)
        self.env[var] = memory
        return memory

    def before_write(self, group: object, op: Statement) -> None:
        """Keep what formulas would read of memory that is about to change."""
        kept: dict[Value, Memory] = {}
        named: set[Value] = set()

        def keep(value: Value, var: Var | None = None) -> Value:
            """The value, in memory of its own if it reads what changes."""
            if any(memory.group == group for memory in value.reads()) and value not in kept:
                kept[value] = self.allocate(value.type, value.lengths, var.hint if var else None, var)
                self.fill(kept[value], value)
            return kept.get(value, value)

        for var, value in list(self.env.items()):
            if not isinstance(value, Value) or value.is_view or not self.live.is_read_after(var, op):
                continue
            if isinstance(value, Chosen):
                self.env[var] = value.of(keep(value.base), keep(value.mask))
            elif value in named:  # another name: it may be written to by either
                self.in_memory(var) if value in kept else None
            else:
                named.add(value)
                self.env[var] = keep(value, var)
        self._recount(group, kept)

    def _recount(self, group: object, kept: dict[Value, Memory]) -> None:
        """Forget how many elements masks choose that change; not of those that are kept."""
        for mask in list(self.counts):
            if any(memory.group == group for memory in mask.reads()):
                count = self.counts.pop(mask)
                if mask in kept:
                    self.counts[kept[mask]] = count

    def bind(self, out: Var, value: Value) -> None:
        """Give an array operation's result to the program; expensive ones that are read twice are kept."""
        for length, dim in zip(value.lengths, value.type.shape or (), strict=True):
            self.has_length(dim, length)
            self.bounds.is_length(dim)
        self.env[out] = value
        if not (value.is_view or value.of_counters) and value.work >= CHEAP and self.uses.get(out, 0) > 1:
            self.in_memory(out)  # it goes again if all that read it are in one loop


def _uses(function: Function) -> dict[Var, int]:
    """How many statements read each Var, also under another name."""
    count: dict[Var, int] = {}
    statements = list(walk(function.body))
    for op in statements:
        own = set(variables(*_operands(op)))
        for var in own:
            count[var] = count.get(var, 0) + 1
    for op in reversed(statements):
        if isinstance(op, Op) and op.fn is builtin.assign and isinstance(op.args[0], Var):
            count[op.args[0]] += count.get(op.out, 0) - 1
    return count


def _computed(function: Function) -> set[Var]:
    """What Python's integers are computed from, or carried from turn to turn."""
    found: set[Var] = set()
    for op in walk(function.body):
        if not isinstance(op, Op) or any(is_python_int(out.type) for out in op.outs):
            found.update(variables(*_operands(op)))
    return found


def _operands(op: Statement) -> list[Arg]:
    from ...ir.ops import blocks, operands

    return [*operands(op), *(r for block in blocks(op) for r in block.results)]
