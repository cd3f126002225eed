"""What are the tangents along all unit vectors, a column for each?

``along_units(block, seed, others, count) -> Block | None``. Asked of the linear half of a program, for a
Jacobian: one pass gives all columns, where a loop over them would run the half once for each.

A number that is linear in the seed is a sum of few of its elements, as long as no loop or branch has carried
it: so it is kept as their places and factors, and only what is not zero is computed. Any other value is an
array with one more axis, the last one, for the directions. Statements are taken as they are known here; a
block with another one has no such form, and is run for each direction. So is one with arrays that may be, for
all directions, larger than the Jacobian and all that it is computed from.
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
from ..simplify.patterns import arg_key
from ..simplify.renaming import free
from ..simplify.view_indices import is_basic_index, is_int, parts_of
from .linear_last import bound, dependents

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


class NoForm(Exception):
    """Something in the block is not known here."""


def along_units(block: Block, seed: Var, others: Iterable[Var], count: Arg) -> Block | None:
    """A block whose results have one more axis, for the directions; None if it has no such form.

    Args:
        block: what is linear in its seeds; it is changed.
        seed: a vector.
        others: further seeds, which are zero.
        count: the length of the vector.
    """
    others = tuple(others)
    assert isinstance(seed.type, Array) and seed.type.shape is not None
    columns = Columns(dependents(block, (seed, *others)), count, seed.type.shape[0])
    columns.shapes = {getattr(type_of_arg(arg), "shape", ()) for arg in (seed, *block.results)}
    columns.held = {getattr(var.type, "shape", ()) for var in free(block)}
    columns.forms[seed] = Unit()
    columns.forms.update((var, Terms() if isinstance(var.type, Scalar) else ZERO) for var in others)
    try:
        return columns.region(block, range(len(block.results)))
    except NoForm:
        return None


class Columns:
    """Writes the statements of a block again, in the ``builder``. ``forms``: of what depends on the seeds."""

    def __init__(self, late: set[Var], count: Arg, length: Any) -> None:
        self.late, self.count = late, count
        self.builder = Builder(Block(), adjoint=True)
        self.forms: dict[Var, Form] = {}
        self.shapes: set[Any] = set()
        self.held: set[Any] = set()
        self.length = length

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
            rule = RULES.get(op.fn)
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
        if type.shape not in self.shapes and (*type.shape, self.length) not in self.held:
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


def _changed(form: Terms, change: Callable[[Arg], Arg]) -> Terms:
    return Terms(tuple([(index, change(factor)) for index, factor in form.parts]))


# ----- arithmetic -------------------------------------------------------------------------------------------
def _same(columns: Columns, op: Op) -> Form:
    return columns.form(op.args[0])


def _negated(columns: Columns, op: Op) -> Form:
    form = columns.form(op.args[0])
    if isinstance(form, Terms):
        return _changed(form, lambda factor: columns.builder.op(operator.neg, factor))
    if isinstance(form, Zero):
        return form
    return columns.builder.op(operator.neg, columns.dense(op.args[0]))  # type: ignore[no-any-return]


def _sum(columns: Columns, op: Op) -> Form:
    """Of two numbers, or of two values one of which may be an array."""
    a, b = map(columns.form, op.args)
    if isinstance(a, Terms) and isinstance(b, Terms) and isinstance(op.out.type, Scalar):
        return _merged(columns, op.fn, a, b)
    if isinstance(b, Terms) and b.parts and isinstance(op.out.type, Scalar):
        terms = _changed(b, lambda f: columns.builder.op(operator.neg, f)) if op.fn in SUBTRACT else b
        return columns.added(columns.dense(op.args[0]), terms)
    if isinstance(a, Terms) and a.parts and isinstance(op.out.type, Scalar):
        row = columns.dense(op.args[1])
        return columns.added(columns.builder.op(operator.neg, row) if op.fn in SUBTRACT else row, a)
    first = _in_sum(columns, op.args[0], op.args[1], op.out)
    second = _in_sum(columns, op.args[1], op.args[0], op.out)
    if first is None or second is None:
        if second is None:
            return ZERO if first is None else first
        return columns.builder.op(operator.neg, second) if op.fn in SUBTRACT else second
    return columns.builder.op(op.fn, first, second)  # type: ignore[no-any-return]


def _in_sum(columns: Columns, arg: Arg, other: Arg, out: Var) -> Var | None:
    """The values of a summand; None for zeros beside which the other one has the shape of the sum."""
    form = columns.form(arg)
    if isinstance(form, Zero) or isinstance(form, Terms) and not form.parts:
        if isinstance(out.type, Scalar) or type_of_arg(other) == out.type:
            return None
    return columns.dense(arg)


def _merged(columns: Columns, fn: Any, a: Terms, b: Terms) -> Terms:
    """The sum, in which each element of the seed has one factor."""
    found = {arg_key(index): (index, factor) for index, factor in a.parts}
    for index, factor in b.parts:
        key = arg_key(index)
        if key in found:
            found[key] = (index, columns.builder.op(fn, found[key][1], factor))
        else:
            negative = fn in SUBTRACT
            found[key] = (index, columns.builder.op(operator.neg, factor) if negative else factor)
    return Terms(tuple(found.values()))


def _product(columns: Columns, op: Op) -> Form:
    """Of a value that depends on the seeds and one that does not; a quotient of such."""
    places = [i for i, arg in enumerate(op.args) if not columns.late.isdisjoint(variables(arg))]
    if len(op.args) != 2 or len(places) != 1 or op.fn in DIVIDE and places != [0]:
        raise NoForm
    (place,) = places
    form, args = columns.form(op.args[place]), list(op.args)
    if isinstance(form, Terms) and isinstance(op.out.type, Scalar):

        def change(factor: Arg) -> Arg:
            args[place] = factor
            return columns.builder.op(op.fn, *args)  # type: ignore[no-any-return]

        return _changed(form, change)
    args[1 - place] = columns.spread(args[1 - place])
    args[place] = columns.dense(args[place])
    return columns.builder.op(op.fn, *args)  # type: ignore[no-any-return]


# ----- arrays -----------------------------------------------------------------------------------------------
def _broadcast(columns: Columns, op: Op) -> Form:
    value, like = op.args
    form = columns.form(value)
    if isinstance(form, Zero) or isinstance(form, Terms) and not form.parts:
        return ZERO
    if isinstance(like, Var) and like in columns.late:
        raise NoForm
    zeros = columns.zeros(columns.lengths(like))
    return columns.builder.op(operator.add, zeros, columns.dense(value))  # type: ignore[no-any-return]


def _total(columns: Columns, op: Op) -> Form:
    """A sum over all axes, or along one."""
    axes = [*op.args[1:], *op.kwargs.values()]
    rank, form = _rank(op.args[0]), columns.form(op.args[0])
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else form
    if rank < 0 or len(axes) > 1 or not set(op.kwargs) <= {"axis"}:
        raise NoForm
    axis = axes[0].value if axes and isinstance(axes[0], Lit) else None if not axes else NoForm
    if axis is None:
        axis = tuple(range(rank))
    elif type(axis) is int:
        axis %= rank
    else:
        raise NoForm
    return columns.builder.op(op.fn, columns.dense(op.args[0]), axis=axis)  # type: ignore[no-any-return]


def _matrix_product(columns: Columns, op: Op) -> Form:
    """Of a vector that depends on the seeds, and a matrix or a vector that does not."""
    a, b = op.args
    late = [not columns.late.isdisjoint(variables(arg)) for arg in op.args]
    if late == [True, False] and _rank(a) == 1 and _rank(b) in (1, 2):
        a, b = columns.builder.op(np.transpose, b) if _rank(b) == 2 else b, a
    elif late != [False, True] or _rank(b) != 1 or _rank(a) not in (1, 2):
        raise NoForm
    form = columns.form(b)
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else ZERO
    if isinstance(form, Unit) and isinstance(a, Var):
        return a  # of the unit vectors the columns
    return columns.builder.op(operator.matmul, a, columns.dense(b))  # type: ignore[no-any-return]


# ----- elements ---------------------------------------------------------------------------------------------
def _basic(columns: Columns, index: Arg) -> Arg:
    """An index of ints and slices, which leaves the last axes alone, or one of all there is."""
    if _is_ellipsis(index):
        return index
    late = not columns.late.isdisjoint(variables(index))
    if late or not is_basic_index(index) or any(_is_ellipsis(part) for part in parts_of(index)):
        raise NoForm
    return index


def _is_ellipsis(part: Arg) -> bool:
    return isinstance(part, Lit) and part.value is Ellipsis


def _item(columns: Columns, op: Op) -> Form:
    form, index = columns.form(op.args[0]), _basic(columns, op.args[1])
    if isinstance(form, Zero):
        return Terms() if isinstance(op.out.type, Scalar) else form
    parts = parts_of(index)
    if isinstance(form, Unit) and len(parts) == 1 and is_int(parts[0]):
        return Terms(((parts[0], Lit(1.0)),))
    return columns.builder.op(operator.getitem, columns.dense(op.args[0]), index)  # type: ignore[no-any-return]


def _write(columns: Columns, op: Op) -> Form:
    """An element set, or added to: of a sum, those of its terms."""
    target, index, value = op.args
    _basic(columns, index)
    array, form = columns.dense(target), columns.form(value)
    if isinstance(form, (Zero, Terms)):
        if op.fn is helpers.setitem:
            array = columns.builder.opaque(helpers.setitem, (array, index, Lit(0.0)), array.type)
        whole = len(parts_of(index)) == _rank(target) and all(map(is_int, parts_of(index)))
        if isinstance(form, Zero) or not form.parts:
            return array
        if not whole:
            raise NoForm
        return columns.added(array, form, parts_of(index))
    return columns.builder.opaque(op.fn, (array, index, columns.dense(value)), array.type)


def _array(columns: Columns, op: Op) -> Form:
    """An array of numbers that are written out, or another one copied."""
    items, *options = op.args
    if options:
        raise NoForm
    if not isinstance(items, Seq):
        return columns.form(items)
    if not all(isinstance(type_of_arg(item), Scalar) for item in items.items):
        raise NoForm
    array = columns.zeros((Lit(len(items.items)),))
    for i, item in enumerate(items.items):
        form = columns.form(item)
        if isinstance(form, Terms):
            array = columns.added(array, form, (Lit(i),))
        else:
            array = columns.builder.opaque(helpers.setitem, (array, Lit(i), columns.dense(item)), array.type)
    return array


def _rank(arg: Arg) -> int:
    type = type_of_arg(arg)
    return len(type.shape) if isinstance(type, Array) and type.shape is not None else -1


def _zeros(columns: Columns, op: Op) -> Form:
    form = columns.form(op.args[0])
    if isinstance(form, (Var, Unit)):
        return columns.builder.op(np.zeros_like, columns.dense(op.args[0]))  # type: ignore[no-any-return]
    return Terms() if isinstance(op.out.type, Scalar) else ZERO


Rule = Callable[[Columns, Op], Form]
SUBTRACT = (operator.sub, np.subtract)
DIVIDE = (operator.truediv, np.divide)
RULES: dict[Any, Rule] = {
    builtin.assign: _same,
    **dict.fromkeys((operator.neg, np.negative), _negated),
    **dict.fromkeys((operator.add, np.add, *SUBTRACT), _sum),
    **dict.fromkeys((operator.mul, np.multiply, *DIVIDE), _product),
    **dict.fromkeys((helpers.safe_product, helpers.exact_product), _product),
    helpers.broadcast_like: _broadcast,
    np.sum: _total,
    **dict.fromkeys((operator.matmul, np.matmul, np.dot), _matrix_product),
    operator.getitem: _item,
    **dict.fromkeys((helpers.setitem, helpers.add_at), _write),
    np.zeros_like: _zeros,
    **dict.fromkeys((np.array, np.asarray, np.copy, builtin.copy, builtin.own), _array),
}
