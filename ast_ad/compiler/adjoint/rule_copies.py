"""Which derivative rules need not be read again for each operation?

What the front end makes of a rule is decided by the rule, the types of its arguments, the constants among
them, and what is known of divisors. A program has many operations that agree in all of that: the rule is read
for the first of them, and what came of it is copied for the others. Only straight lines of operations on
numbers and arrays are copied, none with a length that no argument has; copies last as long as the sweep.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..budget import spend, spent
from ..frontend.builder import Builder
from ..frontend.interpreter import inline
from ..frontend.types.rule_divisions import Known
from ..ir.dims import Atom, Dim, symbols
from ..ir.ops import UNKNOWN, Lit, Op, Seq, Slice, Statement, Var
from ..ir.types import Array, Scalar, Type
from ..simplify.renaming import Renaming, copy_statement, renamed

_CONSTANTS = {bool, int, float, complex, str, type(None)}
Rule = Callable[..., Any]


class CannotCopy(Exception):
    """Raised for an argument of a rule, or an operation in its body, of which no copies are made."""


@dataclass(frozen=True)
class Reading:
    """The operations and results that the front end made of a rule.

    ``given``: the variables among the arguments, ``ops``: copies of the operations, ``known``: what is known
    of their results as divisors, ``steps``: the work that it was.
    """

    given: list[Var]
    ops: list[Statement]
    result: Any
    known: list[tuple[Var, Known]]
    steps: int


class RuleCopies:
    """Reads rules into the blocks of a builder.

    >>> import operator
    >>> from ..ir.ops import Block
    >>> def rule(ans, x):
    ...     return 2.0 * x
    >>> builder = Builder(Block(), adjoint=True)
    >>> copies, x, y = RuleCopies(builder), Var(Scalar("float")), Var(Scalar("float"))
    >>> [copies.inline(rule, (Lit(0.0), v), {}) is builder.block.ops[-1].out for v in (x, y)]
    [True, True]
    >>> [op.args[1] is v for op, v in zip(builder.block.ops, (x, y))], len(copies.known)
    ([True, True], 1)
    """

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.known: dict[Any, Reading | None] = {}

    def inline(self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Read a rule into the block as the front end's ``inline`` does, or copy an earlier reading."""
        given: list[Var] = []
        try:
            key = self._key(rule, args, kwargs, given)
        except CannotCopy:
            return inline(self.builder, rule, args, kwargs)
        if key not in self.known:
            return self._read(key, rule, args, kwargs, given)
        reading = self.known[key]
        return inline(self.builder, rule, args, kwargs) if reading is None else self._copied(reading, given)

    def _key(self, rule: Rule, args: tuple[Any, ...], kwargs: dict[str, Any], given: list[Var]) -> Any:
        """All that decides what the rule is read as; the variables among its arguments go to ``given``."""
        if self.builder.narrowed:
            raise CannotCopy
        parts = [self._part(arg, given) for arg in args]
        return rule, tuple(parts), tuple([(name, self._part(arg, given)) for name, arg in kwargs.items()])

    def _part(self, arg: Any, given: list[Var]) -> Any:
        if isinstance(arg, Var):
            if arg in given:
                return given.index(arg)
            given.append(arg)
            known = self.builder.divisors.of(arg)
            if arg.known is not UNKNOWN or known.quotient is not None or not is_one(arg.type):
                raise CannotCopy
            return arg.type, getattr(arg.type, "size", None), known, arg.hint is None
        if type(arg) is Lit and type(arg.value) in _CONSTANTS:  # no value at all has a type of its own
            return type(arg.value), repr(arg.value)
        raise CannotCopy

    def _read(self, key: Any, rule: Rule, args: Any, kwargs: Any, given: list[Var]) -> Any:
        block, steps = self.builder.block, spent()
        before, hints = len(block.ops), [v.hint for v in given]
        result = inline(self.builder, rule, args, kwargs)
        self.known[key] = None
        if [v.hint for v in given] == hints:
            made, work = block.ops[before:], spent() - steps
            try:
                self.known[key] = self._reading(given, made, result, work)
            except CannotCopy:  # known as None: it is read anew each time
                pass
        return result

    def _reading(self, given: list[Var], made: list[Statement], result: Any, steps: int) -> Reading:
        """A copy of what was read, which no pass will change."""
        lengths = {symbol for v in given for symbol in symbols_in(v.type)}
        hints = {v.hint for v in given if v.hint is not None}
        span, divisors = self.builder.span, self.builder.divisors
        names: Renaming = {v: v for v in given}
        copies: list[Statement] = []
        known: list[tuple[Var, Known]] = []
        for op in made:
            if not isinstance(op, Op) or op.effect or op.span is not span or not op.adjoint:
                raise CannotCopy
            for out in op.outs:
                if out.hint in hints or not is_one(out.type) or not lengths.issuperset(symbols_in(out.type)):
                    raise CannotCopy  # of that name, or length, each has its own
            copies.append(copy_statement(op, names))
        for op in made:
            for out in op.outs:
                about = divisors.of(out)
                if about.quotient is not None:
                    about = about._replace(quotient=_renamed(about.quotient, names))
                if any(about):
                    known.append((_renamed(out, names), about))
        return Reading(given, copies, _mapped(result, names), known, steps)

    def _copied(self, reading: Reading, given: list[Var]) -> Any:
        """The operations once more, of other arguments."""
        builder = self.builder
        spend(reading.steps, builder.span)
        names: Renaming = dict(zip(reading.given, given, strict=True))
        for op in reading.ops:
            made = copy_statement(op, names)
            made.span = builder.span
            builder.block.ops.append(made)
        for var, about in reading.known:
            if about.quotient is not None:
                about = about._replace(quotient=_renamed(about.quotient, names))
            builder.divisors.tell(_renamed(var, names), about)
        return _mapped(reading.result, names)


def is_one(type: Type) -> bool:
    """Whether the type is that of a number or an array, and the same on every path."""
    return (
        isinstance(type, Scalar)
        and not type.among
        or isinstance(type, Array)
        and not (type.among or type.either)
    )


def symbols_in(type: Type) -> list[Atom]:
    """The symbols in the lengths of a value, or in the number that it is."""
    dims = (type.shape or ()) if isinstance(type, Array) else (getattr(type, "size", None),)
    return [symbol for dim in dims if isinstance(dim, Dim) for symbol in symbols(dim)]


def _renamed(var: Var, names: Renaming) -> Var:
    found = names[var]
    assert isinstance(found, Var)
    return found


def _mapped(result: Any, names: Renaming) -> Any:
    """The result of a rule with other variables in it."""
    if isinstance(result, (tuple, list)) and type(result) in (tuple, list):
        return type(result)([_mapped(part, names) for part in result])
    if result is None:
        return None
    if isinstance(result, (Var, Lit, Seq, Slice)):
        return renamed(result, names)
    raise CannotCopy
