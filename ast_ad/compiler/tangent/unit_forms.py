"""What is a value along all unit vectors at once, and how are the statements of a block written for them?

``Columns`` writes a block that is linear in its seeds, so that its values are those of all directions, for
``unit_vectors``. A number that is a sum of few elements of the seed is held as ``Terms``, any other value as
an array with one more axis, the last one. What each operation makes of these, ``rules`` tell.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...rules import helpers
from ..frontend.builder import Builder, type_of_arg
from ..ir import builtin
from ..ir.ops import Arg, Block, For, If, Lit, Op, Seq, Statement, Undefined, Var, While, variables
from ..ir.types import Array, Scalar, Type, dtype_of, kind_of, type_of_shape
from .linear_last import bound

MOST = 12
"""Terms of a sum: with more it is an array."""
SMALL = 64
"""Elements of an array that may be held for all directions in any case."""


@dataclass(frozen=True)
class Terms:
    """A number: the sum of some elements of the seed, each times a factor."""

    parts: tuple[tuple[Arg, Arg], ...] = ()


class Zero:
    """An array of zeros that nothing has needed yet."""


class Unit:
    """The seed itself."""


Form = Terms | Zero | Unit | Var
ZERO = Zero()
Rules = dict[Any, Callable[["Columns", Op], Form]]


class NoForm(Exception):
    """Something in the block is not known here."""


class Columns:
    """Writes the statements of a block again, in the ``builder``. ``forms``: of what depends on the seeds."""

    def __init__(self, late: set[Var], count: Arg, length: Any, rules: Rules) -> None:
        self.late, self.count, self.rules = late, count, rules
        self.builder = Builder(Block(), adjoint=True)
        self.forms: dict[Var, Form] = {}
        self.shapes: set[Any] = set()
        self.held: set[Any] = set()
        self.length = length
        self.bounded = False  # the directions are few, so that arrays with an axis for them may be any

    def region(self, block: Block, places: Iterable[int]) -> Block:
        """A block of its own; the results in ``places`` are arrays with the axis of directions."""
        made = Block()
        with self.builder.nested(made):
            for op in block.ops:
                self.statement(op)
            places = set(places)
            made.results = tuple([self.dense(a) if i in places else a for i, a in enumerate(block.results)])
        return made

    def statement(self, op: Statement) -> None:
        self.builder.span = op.span
        if self.late.isdisjoint(bound(op)):
            self.builder.append(op)
        elif isinstance(op, Op):
            rule = self.rules.get(op.fn)
            if rule is None or op.kwargs and op.fn is not np.sum or op.effect or len(op.outs) != 1:
                raise NoForm
            self.type(op.out.type)  # or there is none
            form = rule(self, op)
            self.forms[op.out] = self.dense_of(form, op.out) if _is_long(form) else form
        elif isinstance(op, If):
            self.branch(op)
        else:
            self.loop(op)

    def branch(self, op: If) -> None:
        places = [i for i, out in enumerate(op.outs) if out in self.late]
        then, orelse = self.region(op.then, places), self.region(op.orelse, places)
        if variables(op.cond) and not self.late.isdisjoint(variables(op.cond)):
            raise NoForm
        outs = tuple(map(self.several, op.outs))
        self.builder.append(replace(op, then=then, orelse=orelse, outs=outs))

    def loop(self, op: For | While) -> None:
        if isinstance(op, For) and any(not self.late.isdisjoint(items) for _, items in op.items):
            raise NoForm
        carried = [i for i, out in enumerate(op.outs) if out in self.late]
        inits = tuple([self.dense(a, op.params[i]) if i in carried else a for i, a in enumerate(op.inits)])
        params = tuple(map(self.several, op.params))
        body = self.region(op.body, [i + op.stops for i in carried])
        outs = tuple(map(self.several, op.outs))
        self.builder.append(replace(op, inits=inits, params=params, body=body, outs=outs))

    def several(self, var: Var) -> Var:
        """A Var for the values of ``var`` along all directions, or itself."""
        if var not in self.late:
            return var
        self.forms[var] = made = Var(self.type(var.type), var.hint)
        return made

    def type(self, type: Type) -> Array:
        """The type of the values along all directions."""
        if kind_of(type) != "float" or dtype_of(type) not in (None, np.float64):
            raise NoForm
        if isinstance(type, Scalar):
            return Array(np.dtype(float), (self.length,))
        if not isinstance(type, Array) or type.shape is None:
            raise NoForm
        if not self.bounded and type.shape not in self.shapes and (*type.shape, self.length) not in self.held:
            known = [n for n in type.shape if isinstance(n, int)]
            if len(known) < len(type.shape) or math.prod(known) > SMALL:
                raise NoForm
        return Array(type.dtype, (*type.shape, self.length))

    # ----- forms
    def form(self, arg: Arg) -> Form:
        """The form of an argument; what does not depend on the seeds is zero, as the block is linear."""
        if isinstance(arg, Var) and arg in self.late:
            return self.forms[arg]
        if isinstance(arg, Undefined):
            raise NoForm
        return Terms() if isinstance(type_of_arg(arg), Scalar) else ZERO

    def dense(self, arg: Arg, like: Arg | None = None) -> Var:
        """The values of an argument along all directions; ``like``: says what it is, if it is none itself."""
        form = self.form(arg)
        if isinstance(form, Terms) and like is not None and isinstance(type_of_arg(like), Array):
            raise NoForm
        return self.dense_of(form, arg)

    def dense_of(self, form: Form, of: Arg) -> Var:
        if isinstance(form, Var):
            return form
        if kind_of(type_of_arg(of)) == "float" and dtype_of(type_of_arg(of)) not in (None, np.float64):
            raise NoForm
        if isinstance(form, Unit):
            return self.builder.op(np.eye, self.count)  # type: ignore[no-any-return]
        return self.added(self.zeros(()), form) if isinstance(form, Terms) else self.zeros(self.lengths(of))

    def added(self, array: Var, form: Terms, at: tuple[Arg, ...] = ()) -> Var:
        """An array with the terms added to its row at an index."""
        for place, factor in form.parts:
            index = Seq((*at, place)) if at else place
            array = self.builder.opaque(helpers.add_at, (array, index, factor), array.type)
        return array

    def zeros(self, lengths: tuple[Arg, ...]) -> Var:
        return self.builder.op(np.zeros, Seq((*lengths, self.count)))  # type: ignore[no-any-return]

    def lengths(self, arg: Arg) -> tuple[Arg, ...]:
        """The lengths of an array that does not depend on the seeds, or whose lengths are constants."""
        type = type_of_arg(arg)
        if not isinstance(type, Array) or type.shape is None:
            raise NoForm
        if all(isinstance(n, int) for n in type.shape):
            return tuple(map(Lit, type.shape))
        if not isinstance(arg, Var) or arg in self.late:
            raise NoForm
        sized = type_of_shape(type)  # by which the result is known to have the same lengths
        shape = self.builder.opaque(np.shape, (arg,), sized)
        return tuple(
            [self.builder.opaque(builtin.tuple_get, (shape, Lit(i)), n) for i, n in enumerate(sized.items)]
        )

    def spread(self, arg: Arg) -> Arg:
        """What does not depend on the seeds, with an axis for the directions if it has any axes."""
        if isinstance(type_of_arg(arg), Scalar):
            return arg
        return self.builder.op(operator.getitem, arg, Seq((Lit(Ellipsis), Lit(None))))  # type: ignore[no-any-return]


def _is_long(form: Form) -> bool:
    return isinstance(form, Terms) and len(form.parts) > MOST


def changed(form: Terms, change: Callable[[Arg], Arg]) -> Terms:
    return Terms(tuple([(index, change(factor)) for index, factor in form.parts]))
