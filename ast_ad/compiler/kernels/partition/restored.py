"""Which type has a number that leaves a kernel, where that depends on the path taken?

Kernels hold it as the widest of its types (``mixed_types``). A boolean goes beside it, through branches and
around loops: whether it is NumPy's number or Python's own. By it the driver restores the number.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...ir import builtin
from ...ir.alternatives import alternatives, is_mixed
from ...ir.mixed_numbers import is_numpys, own_and_numpys, restored
from ...ir.ops import Arg, Block, For, If, Lit, Op, Statement, Undefined, Var, While, blocks, walk
from ...ir.types import CLASSES, Scalar

Tag = Arg  # a boolean: whether a number is NumPy's
_BOOL = Scalar("bool")
_JOINING = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.neg,
    operator.pos, operator.abs, operator.pow, builtins.abs, builtin.assign,
}  # fmt: skip

_ARITHMETIC = {
    builtin.assign, operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg,
}  # fmt: skip


_OWN = {builtins.float, builtins.int, builtins.complex}  # what makes Python's own numbers of any
_BEATS = {builtins.max: operator.gt, builtins.min: operator.lt}


class Untold(Exception):
    """Raised at a statement that makes a number whose type the boolean can't tell."""

    def __init__(self, op: Statement) -> None:
        self.op = op


def restoring(raw: Var, tag: Tag, var: Var) -> Op:
    """The operation by which ``var`` gets the type that the number has in NumPy code."""
    own, dtype = own_and_numpys(var.type) or (None, None)
    return Op(restored, (raw, tag, Lit(dtype), Lit(own)), (var,))


class Tags:
    """The booleans of the numbers that a run of statements makes; ``asked``: those of numbers that it reads.

    What makes the booleans is added to the statements when all of them are known, and can be taken back.
    """

    def __init__(self, body: Block) -> None:
        self.asked: dict[Var, Var] = {}
        self._places: dict[Var, tuple[Statement, int, Block]] = {}
        self._params: dict[Var, tuple[For | While, int, Block]] = {}
        self._found: dict[Var, Tag] = {}
        self._changes: list[tuple[Any, str, Any]] = []
        self._new: dict[int, list[Op]] = {}
        self._body = body
        self._visit(body)

    def _visit(self, block: Block) -> None:
        for op in block.ops:
            self._places.update({out: (op, i, block) for i, out in enumerate(op.outs)})
            if isinstance(op, (For, While)):
                self._params.update({param: (op, i, block) for i, param in enumerate(op.params)})
            for inner in blocks(op):
                self._visit(inner)

    def of(self, results: Sequence[Var]) -> dict[Var, Tag]:
        """The booleans of those results that need one.

        Raises
        ------
        Untold
            if there is none; nothing is changed then.
        """
        try:
            return {v: self._tag(v) for v in results if isinstance(v.type, Scalar) and is_mixed(v.type)}
        except Untold:
            self.undo()
            raise

    def resolve(self) -> None:
        """Let the statements hold every number as the widest of its types, and tell by booleans which it is.

        Raises
        ------
        Untold
            if there is none that somebody asks for; nothing is changed then.
        """
        try:
            for op in [op for op in walk(self._body) if isinstance(op, Op)]:
                if op.fn is is_numpys:
                    self._become(op, self._tag(op.args[0]))
            for op in [op for op in walk(self._body) if isinstance(op, Op)]:
                if op.fn is restored:  # which may be Python's still: dividing by zero raises
                    self._become(op, op.args[0], CLASSES[op.out.type.kind])  # type: ignore[union-attr]
        except Untold:
            self.undo()
            raise

    def _become(self, op: Op, value: Arg, fn: Any = builtin.assign) -> None:
        self._change(op, "fn", fn)
        self._change(op, "args", (value,))

    def undo(self) -> None:
        """Leave the statements as they were."""
        for thing, name, value in reversed(self._changes):
            setattr(thing, name, value)
        self._changes = []

    def _change(self, thing: Any, name: str, value: Any) -> None:
        self._changes.append((thing, name, getattr(thing, name)))
        setattr(thing, name, value)

    def _tag(self, arg: Arg) -> Tag:
        if not isinstance(arg, Var):
            return Lit(isinstance(arg, Lit) and isinstance(arg.value, np.generic))
        if not isinstance(arg.type, Scalar) or not is_mixed(arg.type):
            return Lit(not isinstance(arg.type, Scalar) or arg.type.dtype is not None)
        if arg not in self._found:
            self._found[arg] = self._made(arg)
        return self._found[arg]

    def _made(self, var: Var) -> Tag:
        if var in self._params:
            self._carried(*self._params[var])
            return self._found[var]
        if var not in self._places:
            return self.asked.setdefault(var, Var(_BOOL))
        op, i, block = self._places[var]
        if own_and_numpys(var.type) is None:
            raise Untold(op)
        if isinstance(op, If):
            return self._chosen(op, i)
        if isinstance(op, (For, While)):
            return self._left(op, i, block)
        if op.fn is builtin.undefined or op.fn in _OWN:
            return Lit(False)
        if op.fn is restored:
            return op.args[1]
        if op.fn in _BEATS and len(op.args) == 2:
            return self._picked(op, block)
        if op.fn not in _JOINING:
            raise Untold(op)
        tag: Tag = Lit(False)
        for other in map(self._operand, op.args):
            tag = self._either(op, block, tag, other)
        return tag

    def _operand(self, arg: Arg) -> Tag:
        """The boolean of an operand, of which alone it is asked whether it is NumPy's."""
        kinds = alternatives(arg.type) if isinstance(arg, Var) else ()
        own = kinds and all(isinstance(kind, Scalar) and kind.dtype is None for kind in kinds)
        return Lit(False) if own else self._tag(arg)

    def _picked(self, op: Op, block: Block) -> Tag:
        """The boolean of the larger or the smaller of two: the second only where it beats the first."""
        first, second = map(self._tag, op.args)
        known = {tag.value for tag in (first, second) if isinstance(tag, Lit)}
        if first is second or isinstance(first, Lit) and isinstance(second, Lit) and len(known) == 1:
            return first
        beats = self._computed(op, block, _BEATS[op.fn], op.args[1], op.args[0])
        stays = self._computed(op, block, operator.not_, beats)
        ways = [self._both(op, block, *pair) for pair in ((beats, second), (stays, first))]
        return self._either(op, block, *ways)

    def _both(self, op: Statement, block: Block, a: Var, b: Tag) -> Tag:
        if isinstance(b, Lit):
            return a if b.value else b
        return self._computed(op, block, operator.and_, a, b)

    def _either(self, op: Statement, block: Block, a: Tag, b: Tag) -> Tag:
        for one, other in ((a, b), (b, a)):
            if isinstance(one, Lit):
                return one if one.value else other
        return a if a is b else self._computed(op, block, operator.or_, a, b)

    def _computed(self, op: Statement, block: Block, fn: Any, *args: Arg) -> Var:
        """A boolean that is computed behind a statement."""
        out = Var(_BOOL)
        new = self._new.setdefault(id(op), [])
        at = block.ops.index(op) + 1 + len(new)
        new.append(Op(fn, args, (out,), {}, op.span, adjoint=op.adjoint))
        self._change(block, "ops", [*block.ops[:at], new[-1], *block.ops[at:]])
        return out

    def _chosen(self, op: If, i: int) -> Tag:
        ends = op.then.results[i], op.orelse.results[i]
        then, orelse = map(self._tag, ends)
        for tag, other, end in ((then, orelse, ends[1]), (orelse, then, ends[0])):
            same = isinstance(other, Lit) and isinstance(tag, Lit) and other.value == tag.value
            if isinstance(tag, Lit) and (same or isinstance(end, Undefined)):
                return tag
        out = Var(_BOOL)
        self._change(op.then, "results", (*op.then.results, then))
        self._change(op.orelse, "results", (*op.orelse.results, orelse))
        self._change(op, "outs", (*op.outs, out))
        return out

    def _left(self, op: For | While, i: int, block: Block) -> Tag:
        """The boolean of a number that a loop leaves: that of its last turn, if there was one."""
        last = op.body.results[i + op.stops]
        if isinstance(op, For) and op.range is not None and isinstance(op.range[2], Lit):
            if isinstance(last, Var) and not is_mixed(last.type) and last.type.dtype is not None:  # type: ignore[union-attr]
                start, stop, step = op.range
                ran = self._computed(op, block, operator.lt if step.value > 0 else operator.gt, start, stop)  # type: ignore[union-attr]
                return self._either(op, block, self._tag(op.inits[i]), ran)
        self._carried(op, i, block)
        return self._found[op.outs[i]]

    def _carried(self, op: For | While, i: int, block: Block) -> None:
        """The boolean goes round the loop with the number."""
        self._found[op.params[i]] = inside = Var(_BOOL)
        self._found[op.outs[i]] = out = Var(_BOOL)
        first, last = self._tag(op.inits[i]), self._tag(op.body.results[i + op.stops])
        self._change(op, "params", (*op.params, inside))
        self._change(op, "inits", (*op.inits, first))
        self._change(op.body, "results", (*op.body.results, last))
        self._change(op, "outs", (*op.outs, out))


def scalar_dtype(arg: Arg, run: list[Statement], seen: set[Var] | None = None) -> np.dtype | None:
    """The dtype of a number that NumPy code gives as a NumPy scalar; None for Python's own numbers.

    A sum that starts with Python's ``0.0`` and adds elements of an array has Python's type, since it may add
    none; what NumPy code gives is a NumPy scalar then, and so kernels do.
    """
    seen = set() if seen is None else seen
    if not isinstance(arg, Var) or not isinstance(arg.type, Scalar) or arg in seen:
        return None
    seen.add(arg)
    if arg.type.dtype is not None or arg.type.kind not in ("float", "complex"):
        return arg.type.dtype
    maker = next((op for op in run if arg in op.outs), None)
    sources: list[tuple[Arg, list[Statement]]] = []
    if isinstance(maker, Op) and maker.fn in _ARITHMETIC:
        sources = [(a, run) for a in maker.args]
    elif isinstance(maker, If):
        i = maker.outs.index(arg)
        sources = [(block.results[i], block.ops) for block in (maker.then, maker.orelse)]
    elif isinstance(maker, (For, While)):
        i = maker.outs.index(arg)
        sources = [(maker.inits[i], run), (maker.body.results[i + maker.stops], maker.body.ops)]
    found = next((found for a, ops in sources if (found := scalar_dtype(a, ops, seen)) is not None), None)
    if found is not None and arg.type.kind == "complex":  # Python's own complex number times NumPy's float
        return np.result_type(found, np.complex64)
    return found
