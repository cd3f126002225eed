"""How do loops and branches of the program pass into a kernel?

``region(s, op) -> None``, where the ``Scalarizer`` meets one, when all that was pending is written.

As they are; arrays that they carry, or that come out of them, are memory. An array that a loop only writes to
in place is the same before, in and behind the loop.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from ....errors import AdError
from ...ir import builtin
from ...ir.builtin import MUTATORS
from ...ir.ops import Arg, Block, For, If, Lit, Op, Statement, Var, While, blocks, reads, variables, walk
from ...ir.types import Array, ListOf, Scalar, TupleOf
from .. import runtime as kernels
from ..lowering.loop_values import Value
from ..partition.user_loops import as_updates
from .body import INT, Body

if TYPE_CHECKING:
    from .scalarize import Scalarizer


class Unsupported(AdError):
    """A statement that kernels can't express."""

    def __init__(self, op: Statement | None, why: str) -> None:
        super().__init__(why)
        self.op, self.why = op, why


def region(s: Scalarizer, op: Statement) -> None:
    """Write a loop or a branch."""
    for written in _written(s, op):
        s.before_write(written, op)
    s.flush()
    if isinstance(op, If):
        _branch(s, op)
    elif isinstance(op, For):
        _for(s, op)
    elif isinstance(op, While):
        _while(s, op)
    s.body.forget_elements()


def _written(s: Scalarizer, op: Statement) -> set[object]:
    """The groups of arrays that something in a region writes to."""
    inner = [o for block in blocks(op) for o in walk(block)]
    return {s.groups.of(o.args[0]) for o in inner if isinstance(o, Op) and o.fn in MUTATORS}  # type: ignore[arg-type]


class _Inside:
    """What is known within a region, and forgotten behind it."""

    def __init__(self, s: Scalarizer) -> None:
        self.s = s

    def __enter__(self) -> Body:
        s = self.s
        self.outer, self.lengths, self.env, self.counts = s.body, s.lengths, s.env, s.counts
        self.equal = s.equal
        s.body = s.body.inner()
        s.lengths, s.env, s.counts = dict(s.lengths), dict(s.env), dict(s.counts)
        s.equal = dict(s.equal)
        return s.body

    def __exit__(self, *problem: Any) -> None:
        self.s.flush() if problem[0] is None else None
        self.s.body, self.s.lengths, self.s.env = self.outer, self.lengths, self.env
        self.s.counts, self.s.equal = self.counts, self.equal


def _block(s: Scalarizer, block: Block, results: tuple[Arg, ...], types: list[Any]) -> Block:
    """A region's statements, and its results as numbers and memory."""
    with _Inside(s) as body:
        s.statements(block)
        found = tuple(_value(s, r, t) for r, t in zip(results, types, strict=True))
        s.flush()
        return Block(body.ops, found)


def _value(s: Scalarizer, arg: Arg, type: Any) -> Arg:
    """A result, of the type that it has on all paths; what is undefined on a path is any number."""
    if isinstance(arg, Lit) and arg.value is None or _is_undefined(s, arg):
        if isinstance(type, Scalar):
            return Lit({"float": 0.0, "int": 0, "bool": False, "complex": 0j}[type.kind])
        raise Unsupported(s.op, "an array that is undefined on some path")
    found = s.result(arg)
    if isinstance(found, Lit) and type == Scalar("float") and not isinstance(found.value, (bool, float)):
        return Lit(float(found.value))  # as compiled code has it, where another path has a float
    return found


def _is_undefined(s: Scalarizer, arg: Arg) -> bool:
    return isinstance(arg, Var) and s.env.get(arg) is None and arg in s.env


def _branch(s: Scalarizer, op: If) -> None:
    cond = s.number(op.cond)
    if isinstance(cond, Lit):
        _taken(s, op, op.then if cond.value else op.orelse)
        return
    types = [_checked(s, op, out) for out in op.outs]
    then = _block(s, op.then, op.then.results, types)
    orelse = _block(s, op.orelse, op.orelse.results, types)
    outs = tuple(Var(t, o.hint) for t, o in zip(types, op.outs, strict=True))
    s.body.append(If(cond, then, orelse, outs))
    for out, new in zip(op.outs, outs, strict=True):
        _bind(s, out, new)


def _taken(s: Scalarizer, op: If, side: Block) -> None:
    """The only side of a branch that a kernel takes."""
    s.statements(side)
    for out, result in zip(op.outs, side.results, strict=True):
        number = isinstance(out.type, Scalar)
        s.env[out] = _value(s, result, out.type) if number else s.arg(result)


def _checked(s: Scalarizer, op: Statement, out: Var) -> Any:
    type = out.type
    optional = getattr(type, "value", None)
    if optional is not None and isinstance(optional, Scalar):
        type = optional
    if not isinstance(type, (Scalar, Array)) or (isinstance(type, Array) and not type.shape):
        raise Unsupported(op, f"a value of type {type}")
    return type


def _bind(s: Scalarizer, out: Var, new: Var) -> None:
    if isinstance(new.type, Array):
        s.groups.alias(new, out)
        s.env[out] = s.memory_of(new, s.groups.of(out))
    else:
        s.bounds.same(out, new)
        s.env[out] = new


# ----- loops
def _carried(s: Scalarizer, op: For | While) -> tuple[list[int], list[int]]:
    """The positions of carried values that are arrays written in place only, and of the others."""
    results = op.body.results[op.stops :]
    same = [
        j
        for j, p in enumerate(op.params)
        if isinstance(p.type, Array) and _object(results[j], _makers(op.body)) is p
    ]
    return same, [j for j in range(len(op.params)) if j not in same]


def _makers(block: Block) -> dict[Var, tuple[Statement, int]]:
    return {out: (op, i) for op in block.ops for i, out in enumerate(op.outs)}


def _object(arg: Arg, makers: dict[Var, tuple[Statement, int]]) -> Arg:
    """The array that a Var is, back through writes in place."""
    while isinstance(arg, Var) and arg in makers:
        op, i = makers[arg]
        if isinstance(op, Op):
            if op.fn not in MUTATORS and op.fn is not builtin.assign or i:
                return arg
            arg = op.args[0]
        elif isinstance(op, If):
            then = _object(op.then.results[i], _makers(op.then))
            orelse = _object(op.orelse.results[i], _makers(op.orelse))
            if then is not orelse:
                return arg
            arg = then
        else:
            inner = _object(op.body.results[i + op.stops], _makers(op.body))
            if inner is not op.params[i]:
                return arg
            arg = op.inits[i]
    return arg


def _enter(s: Scalarizer, op: For | While) -> tuple[list[int], list[Var], list[Arg]]:
    """Bind the carried values; the positions, params and initial values of those that the kernel carries."""
    same, others = _carried(s, op)
    for j in same:
        s.env[op.params[j]] = s.env[op.outs[j]] = s.in_memory(op.inits[j])  # type: ignore[arg-type]
    s.flush()
    params, inits = [], []
    for j in others:
        type = op.params[j].type
        if isinstance(type, (ListOf, TupleOf)) or not isinstance(type, (Array, Scalar)):
            type = _checked(s, op, op.params[j])
        if isinstance(type, Array) and not _alike(type, _type_of_init(s, op.inits[j])):
            raise Unsupported(op, "an array whose shape or dtype changes from turn to turn")
        inits.append(_value(s, op.inits[j], type))
        params.append(Var(type, op.params[j].hint))
    s.flush()
    return others, params, inits


def _alike(type: Array, other: Any) -> bool:
    return isinstance(other, Array) and (type.dtype, type.ndim) == (other.dtype, other.ndim)


def _type_of_init(s: Scalarizer, arg: Arg) -> Any:
    value = s.arg(arg)
    return value.type if isinstance(value, (Value, Var)) else None


def _loop_body(s: Scalarizer, op: For | While, others: list[int], params: list[Var]) -> Block:
    read = {var for inner in op.body.ops for var in reads(inner)} | set(variables(*op.body.results))
    with _Inside(s) as body:
        for j, param in zip(others, params, strict=True):
            if op.params[j] in read:  # what each turn makes anew may have other lengths before the first one
                _bind(s, op.params[j], param)
        s.depth += 1
        s.statements(op.body)
        results = op.body.results[op.stops :]
        found = [_value(s, results[j], p.type) for j, p in zip(others, params, strict=True)]
        if op.stops:
            found.insert(0, s.number(op.body.results[0]))
        s.flush()
        s.depth -= 1
        return Block(body.ops, tuple(found))


def _leave(op: For | While, others: list[int], params: list[Var]) -> tuple[Var, ...]:
    """The values after a loop. A length that turns change is another one there than in any of them."""
    outs = [op.outs[j] for j in others]
    types = [o.type if _renewed(p.type, o.type) else p.type for p, o in zip(params, outs, strict=True)]
    return tuple(Var(type, out.hint) for type, out in zip(types, outs, strict=True))


def _renewed(type: Any, after: Any) -> bool:
    return isinstance(type, Array) and _alike(type, after) and after.shape is not None


def _for(s: Scalarizer, op: For) -> None:
    if op.items or op.range is None:
        raise Unsupported(op, "a loop over a list")
    if as_updates(s, op):
        return
    others, params, inits = _enter(s, op)
    start, stop, step = (s.number(a) for a in op.range)
    start = s.nearby(start)
    index = Var(INT, op.index.hint)
    s.env[op.index] = index
    if isinstance(step, Lit) and type(step.value) is int and step.value:
        low, high = s.bounds.affine(start), s.bounds.affine(stop)
        if step.value > 0:
            s.bounds.loop(index, low, None if high is None else high - 1)
        else:
            s.bounds.loop(index, None if high is None else high + 1, low)
    else:
        _require_forwards(s, op, step)
        high = s.bounds.affine(stop)
        s.bounds.loop(index, s.bounds.affine(start), None if high is None else high - 1)
    block = _loop_body(s, op, others, params)
    outs = _leave(op, others, params)
    bounds = _backwards(s, start, stop, step) if op.reverse else (start, stop, step)
    s.body.append(For(index, bounds, (), tuple(params), tuple(inits), block, outs, False, op.stops))
    for j, out in zip(others, outs, strict=True):
        _bind(s, op.outs[j], out)


def _require_forwards(s: Scalarizer, op: For, step: Arg) -> None:
    """A step that is known at run time only has to be positive."""
    if not isinstance(step, Var):
        raise Unsupported(op, "a step of zero")
    positive = s.body.op(operator.gt, step, Lit(0), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (positive,), (), effect=True))


def _backwards(s: Scalarizer, start: Arg, stop: Arg, step: Arg) -> tuple[Arg, Arg, Arg]:
    """The range that runs through the same numbers from the last to the first."""
    if isinstance(step, Lit):
        first, back = _moved(s, start, -step.value), Lit(-step.value)
        if step.value in (1, -1):
            return _moved(s, stop, -step.value), first, back
    else:
        first = s.body.op(operator.sub, start, step, type=INT)
        back = s.body.op(operator.neg, step, type=INT)  # type: ignore[assignment]
    count = s.body.op(kernels.turns, start, stop, step, type=INT)
    covered = s.body.op(operator.mul, count, step, type=INT)
    last = s.body.op(operator.add, first, covered, type=INT)
    return last, first, back


def _moved(s: Scalarizer, number: Arg, by: int) -> Arg:
    if isinstance(number, Lit):
        return Lit(number.value + by)
    fn = operator.add if by > 0 else operator.sub
    return s.body.op(fn, number, Lit(abs(by)), type=INT)


def _while(s: Scalarizer, op: While) -> None:
    others, params, inits = _enter(s, op)
    with _Inside(s) as body:
        for j, param in zip(others, params, strict=True):
            _bind(s, op.params[j], param)
        s.statements(op.cond)
        cond = Block(body.ops, (s.number(op.cond.results[0]),))
        s.flush()
    block = _loop_body(s, op, others, params)
    outs = _leave(op, others, params)
    s.body.append(While(tuple(params), tuple(inits), cond, block, outs, op.stops))
    for j, out in zip(others, outs, strict=True):
        _bind(s, op.outs[j], out)
