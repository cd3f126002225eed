"""What does the static tape consist of, the structured, purely functional intermediate representation?

Grammar (``*`` repeats, ``?`` may be missing)::

    Function  ::= name params: Var* body: Block                  results of the body are the function's
    Block     ::= Statement* results: Arg*
    Statement ::= Op | If | For | While
    Op        ::= Var* = fn(Arg*, name=Arg ...)                  fn: the Python callable that computes it
    If        ::= Var* = if Arg then Block else Block            both blocks yield as many results as Vars
    For       ::= Var* = for Var in Range?, items: (Var* in Arg)*, carried: (Var = Arg)* do Block
    While     ::= Var* = while carried: (Var = Arg)* cond: Block do Block
    Range     ::= start: Arg stop: Arg step: Arg
    Arg       ::= Var | Lit | Seq | Slice                        Seq: a tuple or list display, nests
    Lit       ::= a constant | Undefined                         Undefined: no value, where no path reads it

Each Var is assigned once, before its uses in the block order; inner blocks read the Vars of outer ones.
A loop's block yields the carried values of the next iteration, and, where ``stops`` is set, one more
result, first: a boolean that ends the loop after this iteration. ``reverse`` runs the range and every
zipped list backwards. The loop's Vars are the carried values after the last iteration.

Nothing mutates: ``a[i] = v`` is ``a2 = setitem(a1, i, v)``, ``list.append`` is ``t2 = list_append(t1, v)``.
An Op with ``effect`` (print, raise, assert) stays where it is, whoever reads it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .types import Dim, Type

UNKNOWN: Any = type("Unknown", (), {"__repr__": lambda self: "UNKNOWN"})()
_ids = itertools.count()


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    """One call of a function whose body was read in its place: of ``callee``, ``at`` a place of its caller.

    Each reading of a body has its own, so that identity tells two calls in one line from each other.
    """

    callee: str
    at: Span


@dataclass(frozen=True, slots=True)
class Span:
    """Where in the user's source something stands; ``text`` is the statement's own, on one line.

    ``call``: the one by which its function was reached; None in the function that is differentiated. It is no
    part of the place: spans of one line are equal, whichever call they belong to.
    """

    filename: str = "<unknown>"
    line: int = 0
    column: int = 0
    end_column: int = 0
    text: str = ""
    function: str = ""
    call: Call | None = field(default=None, compare=False, repr=False)

    @property
    def path(self) -> tuple[Call, ...]:
        """The calls that lead here, the outermost first."""
        found: list[Call] = []
        call = self.call
        while call is not None:
            found.append(call)
            call = call.at.call
        return tuple(reversed(found))


NOWHERE = Span()


@dataclass(eq=False, slots=True)
class Var:
    """A value, assigned once. ``hint``: the name to print; ``known``: its value where that is static.

    ``cotangent_of``: the type of the value of which it is the cotangent, where that is known.
    ``noun``: what to call it where it has no hint and what computes it is not in sight.
    ``chooses``: how many elements it chooses, where it is booleans by which something is indexed.
    """

    type: Type
    hint: str | None = None
    known: Any = UNKNOWN
    id: int = field(default_factory=lambda: next(_ids))
    cotangent_of: Type | None = None
    noun: str | None = None
    chooses: Dim | None = None

    def __repr__(self) -> str:
        return f"%{self.hint or 't'}.{self.id}"


@dataclass(eq=False, slots=True)
class Lit:
    """A constant: None, a number, a string, a dtype, or another immutable object."""

    value: Any

    def __repr__(self) -> str:
        return repr(self.value)


class Undefined(Lit):
    """A value of a type that a path does not give: nothing that runs on that path reads it.

    It is told from the constant ``None``, which programs compute with, though a run stores ``None`` for it.
    """

    def __init__(self, type: Type) -> None:
        super().__init__(None)
        self.type = type

    def __repr__(self) -> str:
        return "undefined"


@dataclass(eq=False, slots=True)
class Seq:
    """A tuple or list written out as an argument: an index, a shape, the arrays to concatenate."""

    items: tuple[Arg, ...]
    kind: type = tuple

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.items))
        return f"[{inner}]" if self.kind is list else f"({inner}{',' if len(self.items) == 1 else ''})"


@dataclass(eq=False, slots=True)
class Slice:
    """``start:stop:step`` inside an index."""

    start: Arg
    stop: Arg
    step: Arg

    def __repr__(self) -> str:
        return f"{self.start}:{self.stop}:{self.step}"


Arg = Var | Lit | Seq | Slice


@dataclass(eq=False, slots=True)
class Op:
    """One call of ``fn``. ``adjoint`` tells a statement of the reverse sweep; its span is the primal's.

    ``sure``: it raises nothing where its result is read, and nobody asks for it where it is not.
    """

    fn: Callable[..., Any]
    args: tuple[Arg, ...]
    outs: tuple[Var, ...]
    kwargs: dict[str, Arg] = field(default_factory=dict)
    span: Span = NOWHERE
    effect: bool = False
    adjoint: bool = False
    sure: bool = False

    @property
    def out(self) -> Var:
        (out,) = self.outs
        return out


@dataclass(eq=False, slots=True)
class Block:
    ops: list[Statement] = field(default_factory=list)
    results: tuple[Arg, ...] = ()


@dataclass(eq=False, slots=True)
class If:
    cond: Arg
    then: Block
    orelse: Block
    outs: tuple[Var, ...]
    span: Span = NOWHERE
    adjoint: bool = False


@dataclass(eq=False, slots=True)
class For:
    """``range``: (start, stop, step), or None to run over ``items`` alone. ``items``: lists run through in
    step with it, each with the Vars that an element is unpacked to (one Var: the element itself).
    ``parallel``: its turns may run at the same time; only code for Numba says so."""

    index: Var
    range: tuple[Arg, Arg, Arg] | None
    items: tuple[tuple[Arg, tuple[Var, ...]], ...]
    params: tuple[Var, ...]
    inits: tuple[Arg, ...]
    body: Block
    outs: tuple[Var, ...]
    reverse: bool = False
    stops: bool = False
    span: Span = NOWHERE
    adjoint: bool = False
    parallel: bool = False


@dataclass(eq=False, slots=True)
class While:
    """``cond`` reads ``params`` and yields one boolean."""

    params: tuple[Var, ...]
    inits: tuple[Arg, ...]
    cond: Block
    body: Block
    outs: tuple[Var, ...]
    stops: bool = False
    span: Span = NOWHERE
    adjoint: bool = False


Statement = Op | If | For | While


@dataclass(eq=False, slots=True)
class Function:
    name: str
    params: tuple[Var, ...]
    body: Block
    doc: str = ""


def atoms(arg: Arg) -> Iterator[Var | Lit]:
    """Every Var and Lit inside an argument, left to right."""
    if isinstance(arg, (Var, Lit)):
        yield arg
    elif isinstance(arg, Seq):
        for item in arg.items:
            yield from atoms(item)
    else:
        for part in (arg.start, arg.stop, arg.step):
            yield from atoms(part)


# Every pass asks for the variables and operands of every statement: lists and tuples cost half of generators.


def variables(*args: Arg) -> list[Var]:
    """Every Var inside the arguments, left to right, repeats included."""
    found: list[Var] = []
    for arg in args:
        if isinstance(arg, Var):
            found.append(arg)
        elif isinstance(arg, Lit):
            continue
        elif isinstance(arg, Seq):
            found += variables(*arg.items)
        else:
            found += variables(arg.start, arg.stop, arg.step)
    return found


def map_arg(change: Callable[[Var], Arg], arg: Arg) -> Arg:
    """The argument with every Var replaced by ``change(var)``."""
    if isinstance(arg, Var):
        return change(arg)
    if isinstance(arg, Seq):
        return Seq(tuple(map_arg(change, item) for item in arg.items), arg.kind)
    if isinstance(arg, Slice):
        return Slice(*(map_arg(change, part) for part in (arg.start, arg.stop, arg.step)))
    return arg


def blocks(op: Statement) -> tuple[Block, ...]:
    """The regions of a statement, in the order in which they run."""
    if isinstance(op, Op):
        return ()
    if isinstance(op, If):
        return op.then, op.orelse
    return (op.body,) if isinstance(op, For) else (op.cond, op.body)


def operands(op: Statement) -> tuple[Arg, ...]:
    """The arguments that the statement itself reads (its regions' reads are not among them)."""
    if isinstance(op, Op):
        return (*op.args, *op.kwargs.values()) if op.kwargs else op.args
    if isinstance(op, If):
        return (op.cond,)
    if isinstance(op, For):
        return (*(op.range or ()), *[source for source, _ in op.items], *op.inits)
    return op.inits


def binders(op: Statement) -> Iterator[Var]:
    """The Vars that the statement binds for its regions (loop index, items, carried values)."""
    if isinstance(op, For):
        yield op.index
        for _, items in op.items:
            yield from items
    if isinstance(op, (For, While)):
        yield from op.params


# What looks at whole regions has a stack of its own: of generators within generators, each step would take
# as long as the regions are deep.


def all_operands(op: Statement) -> Iterator[Arg]:
    """The arguments that the statement reads, those in its regions and their results included."""
    todo: list[Statement | tuple[Arg, ...]] = [op]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            yield from part
            continue
        yield from operands(part)
        for block in reversed(blocks(part)):
            todo.append(block.results)
            todo.extend(reversed(block.ops))


def reads(op: Statement) -> list[Var]:
    """Every Var that the statement reads, its regions included (their own Vars too)."""
    return variables(*(operands(op) if isinstance(op, Op) else all_operands(op)))


def walk(block: Block) -> Iterator[Statement]:
    """Every statement of the block and of the regions within, outer before inner."""
    todo = [iter(block.ops)]
    while todo:
        for op in todo[-1]:
            yield op
            if not isinstance(op, Op):
                todo.extend(iter(region.ops) for region in reversed(blocks(op)))
                break
        else:
            todo.pop()
