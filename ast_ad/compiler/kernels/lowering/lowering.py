"""Which operations do kernels have, and what becomes of each?

Elementwise operations and views become formulas; writes, reductions and products become actions on loops.
"""

from __future__ import annotations

import builtins
import math
import operator
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules import helpers, required
from ....rules.numpy import sorting
from ....rules.registry import lookup
from ...ir import builtin
from ...ir.ops import Arg, Lit, Op, Seq, Var, variables
from ...ir.types import Array, Scalar
from .. import runtime as kernels
from ..nests.affine_indices import Index
from ..nests.body import INT, Body
from ..nests.nests import FOR_VECTORS
from ..numbers import python_math
from ..numbers.scalar_calls import scalar_form
from ..numbers.scalars import NoForm, argument_type
from ..partition.mixed_types import computes_alike
from ..plain_products import stored
from . import matrix_stacks, steps
from .forms import FORMS, form_of, pointwise, resolved
from .index_maps import select
from .loop_values import Formula, Mapped, Value

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer


def form(s: Scalarizer, op: Op) -> None:
    """Write an operation."""
    from .masks import of_chosen

    if of_chosen(s, op):
        return
    if not computes_alike(op):
        raise NoForm(f"`{getattr(op.fn, '__name__', op.fn)}` of what has another type on another path")
    if _is_number(s, op):
        return
    found = FORMS.get(op.fn)
    if found is not None and (len(op.outs) <= 1 or op.fn in SEVERAL):
        found(s, op)
        return
    if op.effect or len(op.outs) != 1:
        raise NoForm(f"`{getattr(op.fn, '__name__', op.fn)}`")
    values = [s.arg(a) for a in (*op.args, *op.kwargs.values())]
    if isinstance(op.out.type, Scalar) and not any(isinstance(v, Value) for v in values):
        if op.kwargs:
            raise NoForm("keywords")
        s.compute(op.fn, [s.number(a) for a in op.args], op.out)
    elif of_each_element(op.fn) and isinstance(op.out.type, Array) and not op.kwargs:
        pointwise(s, op, op.fn, values)
    else:
        raise NoForm(f"`{getattr(op.fn, '__name__', op.fn)}` of arrays")


def _is_number(s: Scalarizer, op: Op) -> bool:
    """Bind an array without axes that is computed of numbers, and what is read of one: the number in it."""
    if op.fn is operator.getitem and op.args[0] in s.without_axes and is_whole(op.args[1]):
        s.compute(builtin.assign, [s.number(op.args[0])], op.out)
        return True
    if len(op.outs) != 1 or not isinstance(op.out.type, Array) or op.out.type.shape != ():
        return False
    dtype = op.out.type.dtype
    number = Var(Scalar(op.out.type.kind, dtype), op.out.hint)
    values = [s.arg(a) for a in (*op.args, *op.kwargs.values())]
    if any(isinstance(v, (Value, Seq)) for v in values):
        return False
    if op.fn in (np.asarray, np.array):
        s.compute(dtype.type, [s.number(op.args[0])], number)
    elif of_each_element(op.fn) and not op.kwargs:
        s.compute(op.fn, [s.number(a) for a in op.args], number)
    else:
        return False
    s.without_axes.add(op.out)
    s.env[op.out] = s.arg(number)
    return True


def of_each_element(fn: Any) -> bool:
    """Whether a function of arrays is one of numbers, of each element by itself."""
    primitive = lookup(fn)
    return (primitive is not None and primitive.kind == "elementwise") or fn in POINTWISE or _is_ufunc(fn)


OF_NUMBERS: set[Any] = {sorting.quantile_position}

SEVERAL = {
    np.shape, np.histogram, np.unravel_index, builtins.divmod, math.modf, np.linalg.slogdet,
    np.linalg.eigh, np.linalg.svd, np.linalg.qr,
}  # fmt: skip
"""What has several results, and a form for them."""

POINTWISE: set[Any] = {
    operator.add, operator.sub, operator.mul, operator.truediv, operator.pow, operator.neg, operator.pos,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, operator.floordiv,
    operator.mod, operator.and_, operator.or_, operator.xor, operator.invert, abs, helpers.safe_product,
    helpers.exact_product,
    np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, np.logical_and,
    np.logical_or, np.logical_not, np.isnan, np.isfinite, np.isinf, np.sign, np.where, np.floor, np.ceil,
    np.conjugate, np.real, np.imag, np.fix, np.round, np.around, np.nan_to_num,
}  # fmt: skip


def has_form(op: Op) -> bool:
    """Whether kernels have the operation, in some of the ways that it is called."""
    if _is_own(op) or op.fn in POINTWISE or op.fn in _PURE_WRITES or _is_ufunc(op.fn):
        return not _of_stack(op) and steps.ARGUMENTS.get(op.fn) in (None, len(op.args) + len(op.kwargs))
    primitive = lookup(op.fn)
    if primitive is not None and primitive.kind == "elementwise":
        return not isinstance(op.fn, FunctionType) or op.fn.__module__ == "numpy" or _scalar(op) is not None
    return not any(isinstance(v.type, Array) for v in (*variables(*op.args), *op.outs))


def _is_own(op: Op) -> bool:
    """Whether there is a form for it: where one is for numbers only, arrays have a definition."""
    return op.fn in FORMS and (op.fn not in OF_NUMBERS or isinstance(op.out.type, Scalar))


def _is_ufunc(fn: Any) -> bool:
    """Whether it is a function of numbers, for each element of arrays."""
    return isinstance(fn, np.ufunc) and fn.signature is None and fn.nout == 1


def _of_stack(op: Op) -> bool:
    """Whether a definition is better: of a stack by one matrix, and of what is done to each of a stack."""
    types = [a.type for a in op.args if isinstance(a, Var)]
    ranks = [len(t.shape) for t in types if isinstance(t, Array) and t.shape is not None]
    if op.fn in (np.matmul, operator.matmul):
        return ranks[1:] == [2] and ranks[0] > 2
    return op.fn in matrix_stacks.DEFINITIONS and ranks[:1] > [2]


def is_pointwise(op: Op) -> bool:
    """Whether an operation is computed of every element of arrays by itself, or of numbers, in any kernel."""
    arrays = [v.type for v in (*variables(*op.args), *op.outs) if isinstance(v.type, Array)]
    if not all(type.shape for type in arrays):
        return False
    if op.fn is builtin.assign or not arrays:
        return True
    if op.fn is operator.getitem:
        return is_whole(op.args[1])
    return not op.kwargs and _scalar(op) is not None


def is_whole(index: Arg) -> bool:
    """Whether it is ``()``, which makes a number of an array without axes."""
    return isinstance(index, Seq) and not index.items or isinstance(index, Lit) and index.value == ()


def _scalar(op: Op) -> Any:
    """What computes an operation on arrays of one element, or None."""
    if not all(isinstance(a, (Var, Lit)) for a in op.args):
        return None
    types = [argument_type(a) for a in op.args]
    elements = [Scalar(t.kind, t.dtype) if isinstance(t, Array) else t for t in types]
    return scalar_form(op.fn, elements) if all(isinstance(t, Scalar) for t in elements) else None


_PURE_WRITES = {helpers.setitem, helpers.add_at, helpers.scatter}  # in place of which others stand in kernels


# ----- names, copies, shapes
@form_of(builtin.assign, builtin.copy, builtin.own, np.copy, np.asarray, np.array, np.ascontiguousarray)
def _copy(s: Scalarizer, op: Op) -> None:
    # in which order a copy lies in memory, its elements don't tell
    allowed = {"order"} if op.fn is np.copy else {"dtype"}
    if op.kwargs.keys() - allowed or len(op.args) != 1:
        raise NoForm("a conversion")
    (source,) = op.args
    if "dtype" in op.kwargs and not isinstance(source, Seq):
        if not isinstance(s.arg(source), Value):  # an array without axes, which kernels hold as no number
            raise NoForm("a number as an array")
        form(s, Op(helpers.astype, (source, op.kwargs["dtype"]), op.outs, {}, op.span))
        return
    if isinstance(source, Seq):
        from .joined import display

        display(s, op, source)
        return
    value = s.arg(source)
    if not isinstance(value, Value):
        if not isinstance(op.out.type, Scalar):
            raise NoForm("a number as an array")
        s.compute(builtin.assign, [value], op.out)
    elif op.fn is builtin.assign or op.fn is np.asarray:
        s.env[op.out] = value
    else:
        # What reads a copy reads the original, until one of the two is written to.
        s.bind(op.out, Formula(value.type, value.lengths, [value], value.element, 0))


@form_of(np.shape)
def _shape(s: Scalarizer, op: Op) -> None:
    lengths = s.array(op.args[0]).lengths
    if len(op.outs) > 1:
        s.env.update(zip(op.outs, lengths, strict=True))
    else:
        s.env[op.out] = Seq(lengths)


@form_of(builtins.divmod)
def _divmod(s: Scalarizer, op: Op) -> None:
    """Of numbers, as Python and NumPy have it: what ``//`` gives, and ``%``."""
    args = [s.number(a) for a in op.args]
    for fn, out in zip((operator.floordiv, operator.mod), op.outs, strict=True):
        s.compute(fn, args, out)


@form_of(math.modf)
def _modf(s: Scalarizer, op: Op) -> None:
    x = s.number(op.args[0])
    type = argument_type(x)
    if not isinstance(type, Scalar) or type.kind != "float" or type.dtype not in (None, np.float64):
        raise NoForm("the parts of other than doubles")
    for fn, out in zip((python_math.fraction, python_math.whole), op.outs, strict=True):
        s.define(out, lambda body, fn=fn, out=out: body.op(fn, x, type=out.type), [x])  # type: ignore[misc]


@form_of(np.ndim)
def _ndim(s: Scalarizer, op: Op) -> None:
    s.env[op.out] = Lit(s.array(op.args[0]).rank)


@form_of(np.size, len)
def _size(s: Scalarizer, op: Op) -> None:
    value = s.arg(op.args[0])
    if len(op.args) != 1 or op.kwargs or not isinstance(value, (Value, Seq)):
        raise NoForm("the size along an axis")
    if isinstance(value, Seq):
        s.env[op.out] = Lit(len(value.items))
        return
    lengths = value.lengths[:1] if op.fn is len else value.lengths
    s.env[op.out] = count_of(s, lengths)


def count_of(s: Scalarizer, lengths: tuple[Arg, ...]) -> Arg:
    """The product of lengths."""
    total: Arg = Lit(1)
    for n in lengths:
        if isinstance(total, Lit) and isinstance(n, Lit):
            total = Lit(total.value * n.value)
        elif isinstance(total, Lit) and total.value == 1:
            total = n
        else:
            total = s.body.op(operator.mul, total, n, type=INT)
    return total


@form_of(builtin.tuple_get)
def _tuple_get(s: Scalarizer, op: Op) -> None:
    value, index = s.arg(op.args[0]), op.args[1]
    if not isinstance(value, Seq) or not isinstance(index, Lit):
        raise NoForm("an element of a tuple")
    s.env[op.out] = s.named(s.arg(value.items[index.value]), op.out)


@form_of(builtin.undefined)
def _undefined(s: Scalarizer, op: Op) -> None:
    s.env[op.out] = None


@form_of(builtin.assert_)
def _assert(s: Scalarizer, op: Op) -> None:
    s.flush()
    s.body.append(Op(kernels.require, (s.number(op.args[0]),), (), effect=True))


@form_of(stored)
def _stored(s: Scalarizer, op: Op) -> None:
    (array,) = op.args
    assert isinstance(array, Var)
    s.in_memory(array)


@form_of(kernels.numbers)
def _numbers(s: Scalarizer, op: Op) -> None:
    s.flush()
    s.body.append(Op(kernels.numbers, (s.number(op.args[0]),), (), effect=True))


@form_of(required.require_items, required.require_as_many)
def _require_items(s: Scalarizer, op: Op) -> None:
    """Stop the kernel at another number of items than expected: the NumPy code raises the error."""
    count, expected = s.number(op.args[0]), s.number(op.args[1])
    s.flush()
    how = operator.ge if len(op.args) > 2 else operator.eq
    fits = s.body.op(how, count, expected, type=Scalar("bool"))
    s.body.append(Op(kernels.require, (fits,), (), effect=True))


@form_of(required.require_some)
def _require_some(s: Scalarizer, op: Op) -> None:
    """Stop the kernel at an empty list of which an array is made: the NumPy code raises the error."""
    count = s.number(op.args[0])
    s.flush()
    some = s.body.op(operator.ne, count, Lit(0), type=Scalar("bool"))
    s.body.append(Op(kernels.require, (some,), (), effect=True))


@form_of(required.require_told_apart)
def _require_told_apart(s: Scalarizer, op: Op) -> None:
    """Stop the kernel where two numbers are nan: whether they are one object the NumPy code asks."""
    same = [s.body.op(operator.eq, n, n, type=Scalar("bool")) for n in map(s.number, op.args)]
    s.flush()
    told = s.body.op(operator.or_, *same, type=Scalar("bool"))
    s.body.append(Op(kernels.require, (told,), (), effect=True))


@form_of(builtin.raise_)
def _raise(s: Scalarizer, op: Op) -> None:
    s.flush()
    s.body.append(Op(kernels.require, (Lit(False),), (), effect=True))


@form_of(
    *(kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception))
)
def _exception(s: Scalarizer, op: Op) -> None:
    """Leave an exception to the NumPy code, which answers where a kernel gives up."""


@form_of(required.require_real)
def _require_real(s: Scalarizer, op: Op) -> None:
    """Let the kernel give up where a power of Python's numbers is complex."""


@form_of(np.seterr, builtin.restore)
def _errors(s: Scalarizer, op: Op) -> None:
    """Kernels give no warnings, and handle errors in no way."""
    s.env.update(dict.fromkeys(op.outs))


@form_of(builtin.unread)
def _unread(s: Scalarizer, op: Op) -> None:
    """Compute a value for its exception alone: arrays are written out, and checked on the way."""
    values = []
    for arg in op.args:
        value = s.arg(arg)
        if isinstance(value, Value):
            assert isinstance(arg, Var)
            value = s.in_memory(arg).var
        values += list(variables(value)) if value is not None else []
    s.flush()
    s.body.append(Op(builtin.unread, tuple(values), (), effect=True))


@form_of(helpers.reserve)
def _reserve(s: Scalarizer, op: Op) -> None:
    """An array with room for more rows: another one, or the same."""
    source = op.args[0]
    assert isinstance(source, Var)
    memory = s.in_memory(source)
    length = s.number(op.args[1])
    s.flush()
    out = Var(op.out.type, op.out.hint)
    s.body.append(Op(kernels.reserve, (memory.var, length), (out,), effect=True))
    s.groups.alias(out, op.out)
    s.body.forget_elements()
    s.env[op.out] = s.memory_of(out, s.groups.of(op.out))


# ----- elements and parts
@form_of(operator.getitem)
def _getitem(s: Scalarizer, op: Op) -> None:
    source = s.arg(op.args[0])
    if isinstance(source, Seq):
        _tuple_get(s, op)
        return
    from .joined import with_arrays
    from .masks import chosen, mask_of, without_masks

    array = s.array(op.args[0])
    mask = mask_of(s, op.args[1], array)
    if mask is not None:
        chosen(s, op, array, mask)
        return
    dims = op.out.type.shape if isinstance(op.out.type, Array) else ()
    index = with_arrays(s, without_masks(s, array, op.args[1]))
    part = select(s, array, resolved(s, index), dims)
    if isinstance(op.out.type, Scalar):
        if part.lengths:
            raise NoForm("an element of unknown rank")
        load(s, op.out, array, part.where(()))
        return
    if not isinstance(op.out.type, Array) or len(part.lengths) != len(dims or ()):
        raise NoForm("a part of unknown rank")
    if part.gather is not None:
        gather = part.gather
        if isinstance(op.args[0], Var) and _takes_vectors(array):
            array = s.in_memory(op.args[0])  # once for each element, however often one is chosen
        parts = [array, *_arrays(s, op.args[1])]

        def element(body: Body, place: tuple[Index, ...]) -> Arg:
            return array.element(body, gather(body, place))

        chosen_ones = Formula(op.out.type, part.lengths, parts, element, 2)
        chosen_ones.gathers = True
        s.bind(op.out, chosen_ones)
        return
    s.bind(op.out, Mapped(op.out.type, part.lengths, array, part.where))


def _takes_vectors(array: Value) -> bool:
    """Whether elements are computed by what is several times as fast on vectors."""
    body = Body(accesses=[])
    array.element(body, tuple(Index(Var(INT)) for _ in array.lengths))
    return any(isinstance(op, Op) and op.fn in FOR_VECTORS for op in body.ops)


def _arrays(s: Scalarizer, index: Arg) -> list[Value]:
    return [v for v in (s.arg(x) for x in variables(index)) if isinstance(v, Value)]


def load(s: Scalarizer, out: Var, array: Value, place: tuple[Index, ...]) -> None:
    """Read one element: now, if nothing that waits changes it."""
    if any(s.writes(memory.group) for memory in array.reads()) or not _is_ready(s, array, place):
        s.flush()
    value = array.element(s.body, place)
    if isinstance(value, Var):
        s.env[out] = s.named(value, out)
    else:
        s.env[out] = value


def _is_ready(s: Scalarizer, array: Value, place: tuple[Index, ...]) -> bool:
    """Whether reading an element needs nothing that waits."""
    if not s.pending:
        return True
    return not s.waiting and array.is_view
