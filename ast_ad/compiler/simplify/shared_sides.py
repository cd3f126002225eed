"""What do both sides of a branch do? It is done once, before the branch or behind it.

``share_sides(function, backend) -> Function``. Before ``adjoint``, for kernels alone. ::

    if r < 0:  s[t] = w + (a + g) * r + b * s[t - 1]
    else:      s[t] = w + a * r + b * s[t - 1]

reads ``s[t - 1]`` before the branch, which chooses ``a + g`` or ``a`` and no more; all else comes behind.
So the processor chooses a number where it would guess at a jump, what both sides read is saved once, and
the adjoint has a branch as short as this one. Sides that share nothing stay what they are.

Numbers that both sides compute come before, if all that they read is there. What both give is made behind,
if it differs in one float. Neither passes an effect, and what may raise passes nothing that may.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..analysis.counters import Counters
from ..analysis.exceptions import may_raise
from ..frontend.builder import type_of_arg
from ..ir.alternatives import is_mixed
from ..ir.ops import (
    Arg,
    Block,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Slice,
    Statement,
    Undefined,
    Var,
    blocks,
    variables,
    walk,
)
from ..ir.types import Scalar
from .common_loops import is_pure
from .patterns import arg_key
from .renaming import Renaming, reads_of, renamed, replace_reads


def share_sides(function: Function, backend: str = "numba") -> Function:
    """Take out of branches, in place, what both sides do, for kernels; return the function.

    >>> import operator
    >>> number, c, x, y = Scalar("float"), Var(Scalar("bool")), *(Var(Scalar("float")) for _ in "xy")
    >>> s, t, u, v, out = (Var(number) for _ in range(5))
    >>> then = Block([Op(operator.neg, (x,), (s,)), Op(operator.mul, (s, y), (t,))], (t,))
    >>> other = Block([Op(operator.neg, (x,), (u,)), Op(operator.mul, (u, x), (v,))], (v,))
    >>> ops = share_sides(Function("f", (c, x, y), Block([If(c, then, other, (out,))], (out,)))).body.ops
    >>> [type(op).__name__ if isinstance(op, If) else op.fn.__name__ for op in ops]
    ['neg', 'If', 'mul']
    >>> ops[1].then.results == (y,), ops[1].orelse.results == (x,), len(ops[1].then.ops)
    (True, True, 0)
    """
    if backend == "numba":
        _share(function.body)
    return function


def _share(block: Block) -> None:
    ops: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):  # what leaves an inner branch may leave this one, too
            _share(inner)
        if isinstance(op, If) and op.then.ops and op.orelse.ops:
            ops += [*_before(op), op, *_behind(op)]
        else:
            ops.append(op)
    block.ops = ops


# ----- before the branch
def _before(op: If) -> list[Op]:
    """Numbers that both sides compute of what is there before; taken out of them."""
    found: list[Op] = []
    first = _Side(op.then, {})
    second = _Side(op.orelse, first.numbers)
    for key, j in list(second.places.items()):
        i = first.places.get(key)
        if i is None or not (first.may_lead(i) and second.may_lead(j)):
            continue
        one, other = op.then.ops[i], op.orelse.ops[j]
        assert isinstance(one, Op) and isinstance(other, Op)
        if one.out.type == other.out.type:
            second.names[other.out] = one.out
            one.sure = one.sure and other.sure
            first.taken.add(i)
            second.taken.add(j)
            found.append(one)
    first.leave()
    second.leave()
    return found


class _Side:
    """The statements of one side, and which of them are taken out of it.

    ``places``: where each number is computed first, by what it is. ``numbers``: the value that it is; what
    the second side has in common with the first is told by values of the first.
    """

    def __init__(self, block: Block, numbers: dict[Any, Var]) -> None:
        self.block, self.taken, self.numbers = block, set[int](), numbers
        self.made = {out for op in block.ops for out in op.outs}
        self.names: Renaming = {}
        self.places: dict[Any, int] = {}
        alike: Renaming = {}
        for i, op in enumerate(block.ops):
            key = self.key(op, alike)
            if key is None or not isinstance(op, Op):
                continue
            value = numbers.setdefault(key, op.out)
            if key in self.places:  # a second time in one side
                twin = block.ops[self.places[key]]
                if twin.outs[0].type == op.out.type:
                    self.names[op.out], alike[op.out] = twin.outs[0], renamed(twin.outs[0], alike)
                    self.taken.add(i)
                continue
            self.places[key] = i
            if value is not op.out:
                alike[op.out] = value

    def key(self, op: Statement, alike: Renaming) -> Any:
        """What a statement computes; None where it is no number."""
        if not isinstance(op, Op) or not _is_shareable(op) or not isinstance(op.out.type, Scalar):
            return None
        args = [renamed(arg, alike) for arg in (*op.args, *op.kwargs.values())]
        try:
            key = op.fn, *map(arg_key, args), *op.kwargs
            hash(key)
        except TypeError:  # a literal without a hash
            return None
        return key

    def may_lead(self, place: int) -> bool:
        """Whether a statement may come before all others that stay, which compute nothing that it reads."""
        op = self.block.ops[place]
        assert isinstance(op, Op)
        ahead = [other for i, other in enumerate(self.block.ops[:place]) if i not in self.taken]
        left = self.made.difference(out for i in self.taken for out in self.block.ops[i].outs)
        return _may_pass(op, ahead) and left.isdisjoint(renamed(v, self.names) for v in _read(op))

    def leave(self) -> None:
        self.block.ops = [op for i, op in enumerate(self.block.ops) if i not in self.taken]
        replace_reads(self.block, {var: renamed(value, self.names) for var, value in self.names.items()})


# ----- behind the branch
def _behind(op: If) -> list[Op]:
    """What both sides give as results of one operation; each gives what differs instead, if anything."""
    found: list[Op] = []
    place = 0
    while place < len(op.outs):
        last = _last(op, place)
        if last is None:
            place += 1
        else:
            found.insert(0, last)
    return found


def _last(op: If, place: int) -> Op | None:
    """The operation by which both sides make one of the results, taken out of both; None if there is none."""
    one, other = (_maker(side, side.results[place]) for side in (op.then, op.orelse))
    if one is None or other is None or one.fn is not other.fn or one.kwargs.keys() != other.kwargs.keys():
        return None
    chosen: list[_Choice] = []
    try:
        args = tuple(_joined(a, b, chosen) for a, b in zip(one.args, other.args, strict=True))
        kwargs = {name: _joined(arg, other.kwargs[name], chosen) for name, arg in one.kwargs.items()}
    except (_Unlike, ValueError):  # or a number of arguments that differs
        return None
    if len(chosen) > 1 or one.out.type != other.out.type:
        return None
    out = op.outs[place]
    for side, last, at in ((op.then, one, 0), (op.orelse, other, 1)):
        side.ops = [inner for inner in side.ops if inner is not last]
        side.results = (*side.results[:place], *(c[at] for c in chosen), *side.results[place + 1 :])
    op.outs = (*op.outs[:place], *(c[2] for c in chosen), *op.outs[place + 1 :])
    return Op(one.fn, args, (out,), kwargs, one.span, False, one.adjoint, one.sure and other.sure)


_Choice = tuple[Arg, Arg, Var]
"""What the one side gives, and the other, and the name for either."""


class _Unlike(Exception):
    """Two arguments differ in more than a float."""


def _joined(one: Arg, other: Arg, chosen: list[_Choice]) -> Arg:
    """An argument that is either, by what is chosen; what both sides name was there before the branch."""
    if isinstance(one, Seq) and isinstance(other, Seq) and one.kind is other.kind:
        if len(one.items) == len(other.items):
            items = zip(one.items, other.items, strict=True)
            return Seq(tuple(_joined(a, b, chosen) for a, b in items), one.kind)
    elif isinstance(one, Slice) and isinstance(other, Slice):
        parts = zip((one.start, one.stop, one.step), (other.start, other.stop, other.step), strict=True)
        return Slice(*(_joined(a, b, chosen) for a, b in parts))
    elif isinstance(one, (Var, Lit)) and isinstance(other, (Var, Lit)):
        if arg_key(one) == arg_key(other):
            return one
        for first, second, name in chosen:
            if arg_key(first) == arg_key(one) and arg_key(second) == arg_key(other):
                return name
        type = _float(one)
        if type is not None and type == _float(other):
            chosen.append((one, other, Var(type)))
            return chosen[-1][2]
    raise _Unlike


def _float(arg: Var | Lit) -> Scalar | None:
    """The type of a float of one type; an index that varies would cost more than a branch."""
    type = None if isinstance(arg, Undefined) else type_of_arg(arg)
    return type if isinstance(type, Scalar) and type.kind == "float" and not is_mixed(type) else None


def _maker(side: Block, result: Arg) -> Op | None:
    """The operation that makes a result, if nothing else in its side reads that and it may come last."""
    for i, op in enumerate(side.ops):
        if result in op.outs:
            may = isinstance(op, Op) and _is_shareable(op) and _may_pass(op, side.ops[i + 1 :])
            return op if may and reads_of(side)[op.out] == 1 else None  # type: ignore[return-value, union-attr]
    return None


# ----- order
def _is_shareable(op: Op) -> bool:
    return len(op.outs) == 1 and not op.effect and is_pure(op)


def _may_pass(op: Op, others: Sequence[Statement]) -> bool:
    """Whether nobody sees an operation run before or after others."""
    inner = [part for other in others for part in walk(Block([other]))]
    if any(isinstance(part, Op) and part.effect for part in inner):
        return False
    return not may_raise(op, Counters()) or not any(map(_may_raise, inner))


def _may_raise(op: Statement) -> bool:
    """A loop may run for ever."""
    return may_raise(op, Counters()) if isinstance(op, Op) else not isinstance(op, If)


def _read(op: Op) -> Iterable[Var]:
    return variables(*op.args, *op.kwargs.values())
