"""Which statements become kernels, and which stay Python?

``partition(function, name, whole, parallel, dropped) -> Parts``. After ``write_in_place``, before emission.
Each kernel is written by ``Scalarizer`` and then goes through ``eliminate_dead_code``, ``tidy``,
``parallelise``, ``hoist``, ``shrink``, ``check_before``, ``carry`` and ``allocate_outside``, in this order.

Runs of statements that kernels can express become one kernel each; what they can't stays in the driver, which
calls the kernels. A loop with something in it that stays in Python stays there itself, with kernels inside.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ....rules import containers
from ...analysis import aliasing
from ...ir import builtin
from ...ir.builtin import MUTATORS
from ...ir.evaluate import evaluate
from ...ir.mixed_numbers import is_numpys
from ...ir.ops import (
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
    operands,
    reads,
    variables,
    walk,
)
from ...ir.types import Array, Opaque, Scalar, Type
from ...simplify.dead_code import eliminate_dead_code
from ...simplify.renaming import copy_function, replace_reads
from ..fresh_memory import empty
from ..nests.dead_arrays import tidy
from ..nests.improvements import improve
from ..nests.known_lengths import tell_lengths
from ..nests.parallel import parallelise
from ..nests.regions import Unsupported
from ..nests.scalarize import Scalarizer
from ..plain_products import is_watched, unguard
from .alias_sets import Groups
from .calls_alike import calls_alike
from .decisions import decide_as_written
from .first_values import first_values
from .mixed_types import can_hold, held_as, kinds, widened
from .restored import Tags, Untold, restoring, scalar_dtype
from .results import allocate_outside
from .rounding import keep_constants
from .single_precision import held_in_single, typed_numbers
from .undefined_values import DEFAULTS, or_default, undefined
from .zero_dimensions import numbers_made
from .zero_signs import with_free_signs

DTYPES = {
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128",
}  # fmt: skip

MADE_OF_LISTS = {containers.own_numbers, containers.own_column}  # before the first kernel
ERRORS = {np.seterr, builtin.restore}  # tell how errors are handled, of which kernels have none


class KernelCall:
    """Stands in the driver's IR for a kernel; called, it evaluates the kernel's IR."""

    def __init__(self, kernel: Function) -> None:
        self.kernel, self.__name__ = kernel, kernel.name

    def __call__(self, *args: Any) -> Any:
        return evaluate(self.kernel, *args)


@dataclass
class Parts:
    """A program in parts: the driver, which calls the kernels; ``refused``: what stays Python, and why."""

    driver: Function
    kernels: list[Function] = field(default_factory=list)
    calls: dict[str, KernelCall] = field(default_factory=dict)
    refused: list[tuple[Statement | None, str]] = field(default_factory=list)
    overlapping: set[str] = field(default_factory=set)  # kernels that write to what another argument may show
    threaded: set[str] = field(default_factory=set)  # kernels with loops that run in threads
    signless: set[str] = field(default_factory=set)  # kernels in which signs of zeros are free


def partition(
    function: Function,
    name: str,
    whole: bool = False,
    parallel: bool = False,
    dropped: Collection[tuple[str, int]] = (),
) -> Parts:
    """Split a program that writes in place; what it is given is not changed.

    Args:
        function: the program.
        name: what the names of kernels begin with.
        whole: whether what Python does as fast becomes kernels too.
        parallel: whether loops run in threads.
        dropped: files and lines of the statements for which what kernels assume does not hold.
    """
    driver = copy_function(function)
    first_values(driver)
    found = _Partition(driver, name, whole, parallel)
    for op in walk(driver.body):
        if isinstance(op, Op) and (op.span.filename, op.span.line) in dropped:
            found.refuse(op, "what kernels assume did not hold there")
    return found.run()


class _Partition:
    def __init__(self, driver: Function, name: str, whole: bool, parallel: bool) -> None:
        self.driver, self.name, self.whole, self.parallel = driver, name, whole, parallel
        self.parts, self.blocked, self.watched = Parts(driver), set[int](), is_watched(driver)
        self.groups, self.undefined = Groups(driver), undefined(driver)
        self.single, self.without_axes = held_in_single(driver), numbers_made(driver)

    def run(self) -> Parts:
        for op in walk(self.driver.body):
            if (
                isinstance(op, Op)
                and op.fn not in ERRORS
                and not all(
                    self.holds(v) or _is_index(v) or _is_exception(v)
                    for v in (*variables(*operands(op)), *op.outs)
                    if v not in self.without_axes
                )
            ):
                if op.fn in MADE_OF_LISTS:
                    self.blocked.add(id(op))
                else:
                    self.refuse(op, "a value that kernels don't know")
            if isinstance(op, (For, While)) and not all(self.holds(v) for v in (*binders(op), *op.outs)):
                self.refuse(op, "a loop that carries what kernels don't know")
            bounds = variables(*op.range) if isinstance(op, For) and op.range else []
            if any(kinds(v.type) - {"int", "bool"} for v in bounds):
                self.refuse(op, "a range of what may be no integer")
            if isinstance(op, If) and not all(can_hold(v.type) or v in self.single for v in op.outs):
                self.refuse(op, "a value of another type on another path")
        self.block(self.driver.body)
        for kernel in self.parts.kernels:
            decide_as_written(kernel)
            typed_numbers(kernel)
            keep_constants(kernel)
            for op in walk(kernel.body):
                if isinstance(op, Op) and op.fn is np.empty:
                    op.fn = empty
        self.parts.signless = with_free_signs(self.driver, self.parts.kernels, self.parts.overlapping)
        return self.parts

    def holds(self, var: Var) -> bool:
        """Whether kernels can be given a variable's values, or give them."""
        return var in self.single or is_supported(var.type)

    def refuse(self, op: Statement | None, why: str) -> None:
        self.blocked.add(id(op))
        self.parts.refused.append((op, why))

    def is_free(self, op: Statement) -> bool:
        """Whether nothing in a statement has to stay Python."""
        if id(op) in self.blocked:
            return False
        return all(self.is_free(inner) for block in blocks(op) for inner in block.ops)

    def block(self, block: Block) -> None:
        """Replace the runs of a block by kernels."""
        done: list[Statement] = []
        rest = list(block.ops)
        while rest:
            run: list[Statement] = []
            while rest and self.is_free(rest[0]):
                run.append(rest.pop(0))
            if run:
                block.ops = [*done, *run, *rest]
                new = self.kernel(run, block)
                if new is None:  # something in the run was refused
                    if all(map(self.is_free, run)):  # which the kernel reads, and a part of it does not
                        self.refuse(run[0], self.parts.refused[-1][1])
                    for alike in calls_alike(*self.parts.refused[-1], run):
                        self.refuse(alike, self.parts.refused[-1][1])
                    rest = run + rest
                    continue
                done += new
                block.ops = [*done, *rest]
                rest = block.ops[len(done) :]
            if rest:
                op = rest.pop(0)
                block.ops = [*done, op, *rest]
                for inner in blocks(op):
                    self.block(inner)
                done.append(op)
        block.ops = done

    def kernel(self, run: list[Statement], block: Block) -> list[Statement] | None:
        """The call of a new kernel in place of a run; None if it has to be split."""
        if not (_is_worthwhile(run) or self.whole and _computes(run)):
            if not (block is self.driver.body and len(run) == len(block.ops)):
                return run
        inside = {id(o) for op in run for o in (op, *_inner(op))}
        defined = [v for op in run for v in op.outs]
        outside = set(_reads_outside(self.driver, inside))
        views = _views(run, outside)
        shown = {view.outs[0] for view in views}
        run = [*self.shapes(run), *run]
        params = _free(run)
        results = [v for v in defined if v in outside and v not in shown]
        kernel = Function(f"{self.name}_{self.number()}", tuple(params), Block(list(run), tuple(results)))
        problem = next((v for v in params if isinstance(v.type, Array) and v in self.undefined), None)
        if problem is not None:
            self.refuse(_user(run, problem), "an array that may be undefined")
            return None
        problem = next((v for v in (*params, *results) if not self.holds(v)), None)
        if problem is not None:
            self.refuse(_user(run, problem), f"`{problem.hint}` of type {problem.type} in a kernel")
            return None
        tags = Tags(kernel.body)
        try:
            of_results = tags.of(results)
            tags.resolve()
        except Untold as error:
            self.refuse(error.op, "a number of several types that leaves a kernel")
            return None
        known = tags.asked.values()  # what has the type of what is read has it from outside
        results += dict.fromkeys(t for t in of_results.values() if isinstance(t, Var) and t not in known)
        kernel.body.results = tuple(results)
        kernel.params += tuple(tags.asked.values())
        asked: list[Statement] = [Op(is_numpys, (v,), (tag,)) for v, tag in tags.asked.items()]
        try:
            written = unguard(Scalarizer(kernel, self.groups, self.driver.params).run(), self.watched)
        except Unsupported as error:
            tags.undo()
            self.refuse(error.op if error.op is not None else run[0], error.why)
            return None
        return [*asked, *self.call(written, results, run, of_results), *views]

    def number(self) -> int:
        """Which kernel of those that the driver calls is the next one."""
        return 1 + sum("_part_" not in name.rpartition("_kernel_")[2] for name in self.parts.calls)

    def may_overlap(self, kernel: Function) -> bool:
        """Whether a kernel writes to an argument that may share memory with another one."""
        written = {op.args[0] for op in walk(kernel.body) if isinstance(op, Op) and op.fn in MUTATORS}
        written |= {op.args[-1] for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.dot}
        own = Groups(kernel)  # under another name: of a loop, or of what it may have been
        sets = {own.of(v) for v in variables(*written)}
        written |= {p for p in kernel.params if own.of(p) in sets}
        arrays = [p for p in kernel.params if isinstance(p.type, Array)]
        return any(
            self.groups.of(p) is self.groups.of(q)
            for p in arrays
            if p in written
            for q in arrays
            if q is not p
        )

    def shapes(self, run: list[Statement]) -> list[Statement]:
        """The shapes that a run reads, taken anew from their arrays: kernels have no tuples as arguments."""
        wanted = [v for v in _free(run) if _is_index(v)]
        made = {
            o: op
            for op in walk(self.driver.body)
            if isinstance(op, Op) and op.fn is np.shape
            for o in op.outs
        }
        return [Op(np.shape, made[v].args, (v,)) for v in wanted if v in made]

    def threads(self, kernel: Function) -> None:
        """Let loops of the kernel run in threads."""

        def stand_in(part: Function) -> KernelCall:
            return self.parts.calls.setdefault(part.name, KernelCall(part))

        for part, overlaps in parallelise(kernel, self.groups, stand_in):
            improve(part, overlaps)
            if overlaps:
                self.parts.overlapping.add(part.name)
            self.parts.kernels.append(part)
            self.parts.threaded.add(kernel.name)

    def call(
        self, kernel: Function, results: list[Var], run: list[Statement], tags: dict[Var, Arg]
    ) -> list[Statement]:
        returned: list[Var] = []
        ops: list[Statement] = []
        names, kept = dict[Var, Var](), list[Arg]()
        wrapped: list[Statement] = []
        told: list[Statement] = []  # behind what tells it
        for var, value in zip(results, kernel.body.results, strict=True):
            if isinstance(value, Var) and value in kernel.params and isinstance(value.type, Array):
                names[var] = value
                continue
            kept.append(value)
            dtype = scalar_dtype(var, run)
            if var in tags:
                returned.append(Var(var.type, var.hint))
                told.append(restoring(returned[-1], tags[var], var))
            elif dtype is not None:
                raw = Var(Scalar(var.type.kind), var.hint)  # type: ignore[union-attr]
                wrapped.append(Op(dtype.type, (raw,), (var,)))
                returned.append(raw)
            else:
                returned.append(var)
        kernel.body.results = tuple(kept)
        eliminate_dead_code(kernel)
        tidy(kernel)
        if self.parallel:
            self.threads(kernel)
        overlaps = self.may_overlap(kernel)
        improve(kernel, overlaps)
        given = kernel.body.results
        outside = allocate_outside(kernel)
        passed = {v: returned[given.index(v)] if v in given else Var(v.type, v.hint) for v in outside}
        for value, allocation in outside.items():
            value.hint = passed[value].hint or value.hint
            allocation[-1].outs = (passed[value],)
            ops += allocation
        returned = [v for v, value in zip(returned, given, strict=True) if value not in outside]
        eliminate_dead_code(kernel)
        tell_lengths(kernel)
        if overlaps:
            self.parts.overlapping.add(kernel.name)
        fn = self.parts.calls[kernel.name] = KernelCall(kernel)
        self.parts.kernels.append(kernel)
        for p in kernel.params:
            if p in self.undefined and isinstance(p.type, Scalar):
                passed[p] = Var(p.type, p.hint)
                ops.append(Op(or_default, (p, Lit(DEFAULTS[p.type.kind])), (passed[p],)))
            if held_as(p.type) is not None:
                wide = Var(p.type, p.hint)
                ops.append(Op(widened, (passed.get(p, p), Lit(held_as(p.type))), (wide,)))
                passed[p] = wide
        args = tuple(passed.get(p, p) for p in kernel.params)
        ops.append(Op(fn, args, tuple(returned), effect=True))
        if names:
            replace_reads(self.driver.body, names)
        return [*ops, *wrapped, *told]


def _views(run: list[Statement], outside: set[Var]) -> list[Op]:
    """The views among what a run leaves behind: the driver takes them, and no kernel has to copy them.

    What they show is added to ``outside``.
    """
    views: list[Op] = []
    for op in reversed(run):
        if isinstance(op, Op) and len(op.outs) == 1 and op.out in outside and isinstance(op.out.type, Array):
            if aliasing.behaviour(op) in ("view", "read-only") and op.out.type.shape:
                views.insert(0, op)
                outside.update(variables(*operands(op)))
    return views


def is_supported(type: Type) -> bool:
    """Whether kernels can be given, or give, values of a type."""
    if not can_hold(type):
        return False
    if isinstance(type, Array):
        return bool(type.shape) and type.dtype.name in DTYPES and type.dtype.isnative
    return isinstance(type, Scalar) and (type.dtype is None or type.dtype.name in DTYPES)


def _is_index(var: Var) -> bool:
    """A shape, whose elements are numbers."""
    items = getattr(var.type, "items", None)
    return items is not None and all(isinstance(t, Scalar) for t in items)


def _is_exception(var: Var) -> bool:
    """An exception that is raised: it stands right before that, and the kernel only gives up."""
    kind = getattr(builtins, var.type.name, None) if isinstance(var.type, Opaque) else None
    return isinstance(kind, type) and issubclass(kind, Exception)


def _inner(op: Statement) -> Iterator[Statement]:
    for block in blocks(op):
        yield from walk(block)


def _free(run: list[Statement]) -> list[Var]:
    """What the statements read and don't make."""
    made = {v for op in run for o in (op, *_inner(op)) for v in (*o.outs, *binders(o))}
    found: dict[Var, None] = {}
    for op in run:
        found.update(dict.fromkeys(v for v in reads(op) if v not in made))
    return list(found)


def _reads_outside(function: Function, inside: set[int]) -> Iterator[Var]:
    """What statements of the function read that are not among those ``inside``."""

    def visit(block: Block) -> Iterator[Var]:
        for op in block.ops:
            if id(op) in inside:
                continue
            yield from variables(*operands(op))
            for inner in blocks(op):
                yield from visit(inner)
        yield from variables(*block.results)

    yield from visit(function.body)


def _user(run: list[Statement], var: Var) -> Statement:
    return next((op for op in run if var in set(reads(op)) or var in op.outs), run[0])


def _is_worthwhile(run: list[Statement]) -> bool:
    """Whether there is more in a run than Python does as fast: a loop, or work on whole arrays."""
    for op in run:
        if isinstance(op, (For, While)):
            return True
        if isinstance(op, If):
            if any(_is_worthwhile(block.ops) for block in blocks(op)):
                return True
        elif op.fn in MUTATORS or any(isinstance(o.type, Array) for o in op.outs):
            if not _is_trivial(op):
                return True
        elif any(isinstance(v.type, Array) for v in variables(*op.args)) and not _is_trivial(op):
            return True
    return False


def _computes(run: list[Statement]) -> bool:
    """Whether there is anything but lengths in a run."""
    made = [v for op in run for v in op.outs if not _is_index(v)]
    return any(getattr(v.type, "kind", "") != "int" or isinstance(v.type, Array) for v in made)


def _is_trivial(op: Op) -> bool:
    """Views, and reads and writes of single elements."""
    if op.fn in MUTATORS:
        return isinstance(op.args[-1], Lit) or not any(
            isinstance(v.type, Array) for v in variables(*op.args[1:])
        )
    return aliasing.behaviour(op) != "fresh" or op.fn is operator.getitem or op.fn in (builtin.assign,)
