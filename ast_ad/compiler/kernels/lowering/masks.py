"""What becomes of ``a[mask]`` where booleans choose elements? Loops that count and write the chosen ones."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, Block, If, Lit, Op, Seq, Var
from ...ir.types import Array, Dim, Scalar
from ..nests.affine_indices import Index
from ..nests.body import INT, Body, element_type
from ..nests.nests import SLOW, Action
from ..numbers import as_written, promoted, selections
from ..numbers.scalars import NoForm, argument_type
from .forms import in_memory, mapped_function, require_equal
from .loop_values import Filled, Formula, Memory, Value
from .new_arrays import CONVERSIONS, converted
from .reductions import reduce_axes, reduction_of

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


def mask_of(s: Scalarizer, index: Arg, array: Value) -> Value | None:
    """The booleans that an index is, if it is just that, and has one for each element of the array."""
    if isinstance(index, Seq) and len(index.items) == 1:
        index = index.items[0]
    value = s.arg(index) if isinstance(index, Var) else None
    if not isinstance(value, Value) or value.type.kind != "bool":
        return None
    return value if value.rank == array.rank else None


@dataclass(eq=False)
class Chosen(Value):
    """``base[mask]``, not yet written one by one: sums and writes under the same mask need not do that."""

    base: Value
    mask: Value
    hint: str | None = None

    def reads(self) -> Iterator[Memory]:
        yield from self.base.reads()
        yield from self.mask.reads()

    def written(self, s: Scalarizer) -> Memory:
        """The chosen elements, one behind the other."""
        memory = s.allocate(self.type, self.lengths, self.hint)

        def write(body: Body, place: Place, position: Index) -> None:
            body.store(memory.var, memory.group, (position,), self.base.element(body, place))

        _one_by_one(s, self.mask, write)
        return memory

    def of(self, base: Value, mask: Value) -> Chosen:
        """The same of another array, by another mask."""
        return Chosen(self.type, self.lengths, base, mask, self.hint)

    def everywhere(self, other: Any) -> Value:
        """The base, with ``other`` in the place of what is not chosen."""
        type = Array(self.type.dtype, self.base.type.shape)

        def element(body: Body, place: Place) -> Arg:
            x = self.base.element(body, place)
            return body.choose(self.mask.element(body, place), x, Lit(other), element_type(type))

        return Formula(type, self.base.lengths, [self.base, self.mask], element, 1)


def chosen(s: Scalarizer, op: Op, array: Value, mask: Value) -> None:
    """``array[mask]``: counted now, written when it is needed."""
    type = op.out.type
    _same_shape(s, array, mask)
    if not isinstance(type, Array) or type.shape is None or len(type.shape) != 1:
        raise NoForm("an index of booleans")
    count = counted(s, mask)
    s.has_length(type.shape[0], count)
    s.bounds.is_length(type.shape[0])
    s.env[op.out] = Chosen(type, (count,), array, mask, op.out.hint)


def places(s: Scalarizer, mask: Value, length: Dim | int) -> Chosen:
    """``np.flatnonzero(mask)`` of a vector: the chosen ones of all places."""
    if mask.rank != 1:
        raise NoForm("places in other than a vector")
    if mask.type.kind != "bool":
        test = Array(np.dtype(bool), mask.type.shape)
        mask = mapped_function(s, operator.ne, [mask, Lit(0)], test)
    (found,) = coordinates(s, mask, length)
    return found


def coordinates(s: Scalarizer, mask: Value, length: Dim | int) -> list[Chosen]:
    """``np.nonzero(mask)``: of the chosen places, the coordinate on each axis."""
    count = counted(s, mask)
    s.has_length(length, count)
    s.bounds.is_length(length)

    def on(axis: int) -> Chosen:
        type = Array(np.dtype(int), mask.type.shape)
        every = Formula(type, mask.lengths, [], lambda body, place: body.number(place[axis]))
        return Chosen(Array(np.dtype(int), (length,)), (count,), every, mask)

    return [on(axis) for axis in range(mask.rank)]


def without_masks(s: Scalarizer, array: Value, index: Arg) -> Arg:
    """An index in which booleans, for one axis of several or some, are the places that they choose.

    Args:
        array: what the index is for.
        index: booleans, or with such among others.
    """
    items = index.items if isinstance(index, Seq) else (index,)
    values = [s.arg(item) if isinstance(item, Var) else None for item in items]
    if not any(isinstance(value, Value) and value.type.kind == "bool" for value in values):
        return index
    new: list[Arg] = []
    axis = 0
    for item, mask in zip(items, values, strict=True):
        if not isinstance(mask, Value) or mask.type.kind != "bool":
            new.append(item)
            axis += 1
            continue
        unknown = any(isinstance(i, Lit) and i.value in (None, ...) for i in new)
        if unknown or not 1 <= mask.rank <= array.rank - axis:
            raise NoForm("booleans for an axis that is not known")
        for length, chosen in zip(array.lengths[axis:], mask.lengths, strict=False):
            require_equal(s, length, chosen)
        for found in coordinates(s, mask, Dim.fresh()):  # its own: two masks need not choose as many
            new.append(Var(found.type))
            s.env[new[-1]] = found.written(s)  # type: ignore[index]
        axis += mask.rank
    return Seq(tuple(new)) if isinstance(index, Seq) or len(new) > 1 else new[0]


def of_chosen(s: Scalarizer, op: Op) -> bool:
    """Do an elementwise operation, or a sum, on what a mask chooses, where it is; whether that went."""
    from .lowering import of_each_element
    from .partial_writes import IN_PLACE

    raw = [s.env.get(a) if isinstance(a, Var) else None for a in op.args]
    found = [v for v in raw if isinstance(v, Chosen)]
    if not found or len(op.outs) != 1 or op.kwargs:
        return False
    first, type, fn = found[0], op.out.type, IN_PLACE.get(op.fn, op.fn)
    if fn in _COPIES:
        s.env[op.out] = first
        return True
    if fn in _SHAPES and len(op.args) == 1:
        s.env[op.out] = first.lengths[0] if isinstance(type, Scalar) else Seq(first.lengths)
        return True
    if fn in _SUMS and isinstance(type, Scalar) and len(op.args) == len(found):
        return _summed(s, op, found, type)
    if not isinstance(type, Array) or any(v.mask is not first.mask for v in found):
        return False
    everywhere = Array(type.dtype, first.base.type.shape)
    if fn in CONVERSIONS:
        s.env[op.out] = Chosen(
            type, first.lengths, converted(first.base, everywhere), first.mask, op.out.hint
        )
        return True
    if not of_each_element(fn):
        return False
    others = [None if isinstance(v, Chosen) else s.arg(a) for v, a in zip(raw, op.args, strict=True)]
    others = [v.value if isinstance(v, Filled) and v.rank == 1 else v for v in others]
    if any(isinstance(v, Value) for v in others):  # which has its elements one behind the other
        return False
    values = [v.base if isinstance(v, Chosen) else other for v, other in zip(raw, others, strict=True)]
    base = mapped_function(s, fn, values, everywhere)
    if _is_too_much(base):
        return False
    s.env[op.out] = Chosen(type, first.lengths, base, first.mask, op.out.hint)
    return True


def _is_too_much(base: Value) -> bool:
    """Whether elements had better be computed where they are chosen only: they may be few of many.

    What vectors compute fast is done everywhere, a few functions of ``vector_math`` for each place included.
    """
    body = Body(accesses=[])
    base.element(body, tuple(Index(Var(INT)) for _ in base.lengths))
    fns = [op.fn for op in body.ops if isinstance(op, Op)]
    return sum(fn in SLOW for fn in fns) > MOST_FUNCTIONS or not all(
        fn in SLOW or _is_light(fn) for fn in fns
    )


MOST_FUNCTIONS = 3
_LIGHT = (
    "_operator",
    "operator",
    "builtins",
    "numpy",
    selections.__name__,
    as_written.__name__,
    promoted.__name__,
)


def _is_light(fn: Any) -> bool:
    """Whether it is an instruction or two of the processor, on vectors as well."""
    return isinstance(fn, np.ufunc) or getattr(fn, "__module__", None) in (*_LIGHT, builtin.__name__)


_COPIES: set[Any] = {builtin.assign, builtin.copy}
_SHAPES: set[Any] = {np.shape, np.size, len}
_SUMS: set[Any] = {np.sum, np.mean, np.dot, np.matmul, operator.matmul}


def _summed(s: Scalarizer, op: Op, found: list[Chosen], type: Scalar) -> bool:
    """A sum, a mean or a product of vectors, of what one mask chooses: in all places, most of which add 0."""
    first = found[0]
    if any(v.mask is not first.mask or v.type.kind != "float" for v in found) or type.kind != "float":
        return False
    if (len(found) == 2) == (op.fn in (np.sum, np.mean)):
        return False
    if len(found) == 2:
        whole_type = Array(np.dtype(type.dtype or float), first.base.type.shape)
        base = mapped_function(s, operator.mul, [v.base for v in found], whole_type)
        first = Chosen(Array(whole_type.dtype, first.type.shape), first.lengths, base, first.mask)
    whole = first.everywhere(0.0)

    def mean(body: Body, total: Arg) -> Arg:
        return body.op(operator.truediv, total, first.lengths[0], type=type)

    finish = mean if op.fn is np.mean else None
    kind = reduction_of(np.sum, first.type.dtype)
    reduce_axes(s, op.out, whole, tuple(range(whole.rank)), False, kind, finish)
    return True


def put(s: Scalarizer, op: Op, memory: Memory, mask: Value, value: Value | Arg, kind: str) -> None:
    """``array[mask] = value``, or ``+=``."""
    from .partial_writes import unaliased

    _same_shape(s, memory, mask)
    if isinstance(value, Chosen) and value.mask is mask:
        _under(s, memory, mask, value, kind)
        return
    if isinstance(value, Chosen):
        value = value.written(s)
    mask = unaliased(s, mask, memory, lambda place: place)
    if isinstance(value, Value):
        generated = op.adjoint and isinstance(value, Filled)  # as many as were read
        if value.rank != 1:
            raise NoForm("an index of booleans")
        if not generated and not (isinstance(value.lengths[0], Lit) and value.lengths[0].value == 1):
            require_equal(s, value.lengths[0], counted(s, mask))
    if isinstance(value, Filled):
        value = value.value
    if not isinstance(value, Value):
        _everywhere(s, memory, mask, value, kind)
        return
    if any(m.group == memory.group for m in value.reads()):
        value = in_memory(s, value)
    given = value
    single = isinstance(given.lengths[0], Lit) and given.lengths[0].value == 1

    def write(body: Body, place: Place, position: Index) -> None:
        x = given.element(body, (Index(None, 0, 0) if single else position,))
        body.store(memory.var, memory.group, place, x, kind)

    _one_by_one(s, mask, write)


def put_in_filled(s: Scalarizer, op: Op, kind: str) -> bool:
    """``array[mask] = value``, or ``+=``, of an array that holds one number everywhere; whether that went.

    It was never in memory, and need not be: each element is one of two. So are the arrays of which a function
    sets what a mask chooses, and the cotangents of what it chooses.
    """
    array, value = (s.env.get(a, a) if isinstance(a, Var) else a for a in (op.args[0], op.args[2]))
    mask = mask_of(s, op.args[1], array) if isinstance(array, Filled) else None
    if not isinstance(array, Filled) or mask is None or isinstance(array.value, Var):
        return False
    type, old = element_type(array.type), _literal(array.type, array.value)
    if isinstance(value, Filled) and value.rank == 0:
        value = value.value
    if isinstance(value, Chosen):
        if value.mask is not mask or value.type.dtype != array.type.dtype:
            return False
        base: Value = value.base
    elif isinstance(value, Lit):
        base = Filled(array.type, array.lengths, _literal(array.type, value))
    elif isinstance(value, Var) and argument_type(value) == type:
        base = Filled(array.type, array.lengths, value)
    else:
        return False
    _same_shape(s, array, mask)

    def element(body: Body, place: Place) -> Arg:
        new = base.element(body, place)
        new = new if kind == "w" else body.op(operator.add, old, new, type=type)
        return body.choose(mask.element(body, place), new, old, type)

    s.bind(op.outs[0], Formula(array.type, array.lengths, [mask, base], element, 2))
    return True


def _literal(type: Array, value: Arg) -> Lit:
    """A constant as an element of an array."""
    assert isinstance(value, Lit)
    return Lit(type.dtype.type(value.value).item())


def counted(s: Scalarizer, mask: Value) -> Arg:
    """How many elements a mask chooses: counted once, until something is written to what it is made of."""
    if mask in s.counts:
        return s.counts[mask]
    result = s.counts[mask] = Var(INT, "count")

    def step(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        one = body.choose(mask.element(body, place), Lit(1), Lit(0), INT)
        return [body.op(operator.add, states[0], one, type=INT)]

    def finish(body: Body, place: Place, states: list[Var]) -> None:
        body.append(Op(builtin.assign, (states[0],), (result,)))

    _counting(s, mask, step, finish, frozenset((result,)))
    return result


def _same_shape(s: Scalarizer, array: Value, mask: Value) -> None:
    if array.rank != mask.rank:
        raise NoForm("an index of booleans for some axes")
    for n, m in zip(array.lengths, mask.lengths, strict=True):
        require_equal(s, n, m)


def _one_by_one(s: Scalarizer, mask: Value, write: Any) -> None:
    """Do something for every chosen place, with its number among those that are."""

    def step(body: Body, place: Place, states: list[Var]) -> list[Arg]:
        test = mask.element(body, place)
        then = body.inner()
        write(then, place, Index.of(states[0]))
        following = then.op(operator.add, states[0], Lit(1), type=INT)
        out = Var(INT, "count")
        body.append(If(test, Block(then.ops, (following,)), Block([], (states[0],)), (out,)))
        body.forget_elements()
        return [out]

    _counting(s, mask, step, lambda body, place, states: None, frozenset(), True)


def _counting(
    s: Scalarizer, mask: Value, step: Any, finish: Any, defines: frozenset[Var], singly: bool = False
) -> None:
    """Go through a mask with a number that starts at 0."""

    def start(body: Body) -> list[Arg]:
        state = Var(INT, "count")
        body.append(Op(builtin.assign, (Lit(0),), (state,)))
        return [state]

    keys = tuple(n.value if isinstance(n, Lit) else n for n in mask.lengths)
    action = Action(
        mask.lengths, keys, lambda body, place: None, kept=0, start=start, step=step, finish=finish
    )
    action.defines, action.singly = defines, singly
    s.act(action)


def _everywhere(s: Scalarizer, memory: Memory, mask: Value, value: Arg, kind: str) -> None:
    """A number for every chosen place: all are written, most of them with what they hold."""
    type = element_type(memory.type)
    if isinstance(value, Lit):
        value = _literal(memory.type, value)
    elif argument_type(value) not in (type, Scalar(type.kind)):
        raise NoForm("a number of another type for chosen places")

    def element(body: Body, place: Place) -> Arg:
        old = body.load(memory.var, memory.group, place)
        new = value if kind == "w" else body.op(operator.add, old, value, type=type)
        return body.choose(mask.element(body, place), new, old, type)

    s.fill(memory, Formula(memory.type, memory.lengths, [memory, mask], element, 2))


def _under(s: Scalarizer, memory: Memory, mask: Value, value: Chosen, kind: str) -> None:
    """What was chosen by the same mask."""
    from .partial_writes import unaliased

    if value.type.dtype != memory.type.dtype:
        raise NoForm("values of another type for chosen places")
    mask = unaliased(s, mask, memory, lambda place: place)
    base, type = unaliased(s, value.base, memory, lambda place: place), element_type(memory.type)

    def element(body: Body, place: Place) -> Arg:
        old, new = body.load(memory.var, memory.group, place), base.element(body, place)
        new = new if kind == "w" else body.op(operator.add, old, new, type=type)
        return body.choose(mask.element(body, place), new, old, type)

    s.fill(memory, Formula(memory.type, memory.lengths, [memory, mask, base], element, 2))
