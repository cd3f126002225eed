"""What becomes of products of vectors and matrices? Sums in loops, or calls of BLAS."""

from __future__ import annotations

import importlib.util
import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...ir.ops import Arg, Lit, Op, Var
from ...ir.types import KIND_OF, Array, Scalar
from ..nests.affine_indices import ZERO, Index
from ..nests.body import INT, Access, Body
from ..numbers.scalars import NoForm
from .forms import form_of, mapped_function, require_equal
from .loop_values import Filled, Formula, Mapped, Memory, Value
from .new_arrays import converted
from .reductions import reduce_axes, reduction_of
from .thin_products import thin_product
from .view_order import runs_down

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

Place = tuple[Index, ...]


@form_of(np.dot, np.matmul, operator.matmul, np.inner, np.vdot)
def _product(s: Scalarizer, op: Op) -> None:
    """Products with a vector; those of two matrices are left to BLAS unless they are small."""
    op = _of_one_type(s, op)
    a, b = s.array(op.args[0]), s.array(op.args[1])
    if op.fn is np.vdot and a.type.kind == "complex":
        a = mapped_function(s, np.conjugate, [a], a.type)
    if a.rank > 2 and b.rank == 1 and op.fn is not np.vdot:
        _stack_vector(s, op, a, b)
        return
    if min(a.rank, b.rank) > 1 and max(a.rank, b.rank) > 2 and op.fn in (np.matmul, operator.matmul):
        _stacks(s, op, a, b)
        return
    if (a.rank, b.rank) not in ((1, 1), (2, 1), (1, 2), (2, 2)):
        raise NoForm("a product of stacks of matrices")
    if op.fn is np.inner and b.rank == 2 or op.fn is np.vdot and a.rank == 2:
        raise NoForm("a product of matrices")
    require_equal(s, a.lengths[-1], b.lengths[0])
    if a.rank == b.rank == 2 and not _with_one(a, b):
        _matrices(s, op, a, b)
    elif a.rank == b.rank == 1:
        _sum_over(s, op.out, _products(s, a, b, a), 0)
    elif b.rank == 1 or a.rank == 2 and _is_one(b.lengths[1]):
        _matrix_vector(s, op, a, b, op.args[1], True)
    else:
        _matrix_vector(s, op, b, a, op.args[0], False)


def _of_one_type(s: Scalarizer, op: Op) -> Op:
    """The product with factors of one type, or a real and a complex one: as NumPy makes them first."""
    dtype = _number(s.array(op.args[0]), s.array(op.args[1]))
    if op.kwargs or dtype.kind not in "fc" and dtype != np.int64:
        raise NoForm(f"a product of {dtype.name}")
    real = np.empty(0, dtype).real.dtype

    def factor(arg: Arg) -> Arg:
        value = s.array(arg)
        if np.empty(0, value.type.dtype).real.dtype == real:
            return arg
        wanted = dtype if value.type.kind == "complex" else real
        var = Var(replace(value.type, dtype=wanted), getattr(arg, "hint", ""))
        s.bind(var, converted(value, var.type))  # type: ignore[arg-type]
        return var

    return replace(op, args=tuple(map(factor, op.args[:2])))


def _number(a: Value, b: Value) -> np.dtype:
    """The type of products of two values' elements."""
    return np.result_type(a.type.dtype, b.type.dtype)


def _products(s: Scalarizer, a: Value, b: Value, of: Value) -> Value:
    """The products of the elements, with the axes of one of the two."""
    return mapped_function(s, operator.mul, [a, b], replace(of.type, dtype=_number(a, b)))


def _sum_over(s: Scalarizer, out: Var, products: Value, axis: int) -> None:
    reduce_axes(s, out, products, (axis,), False, reduction_of(np.sum, products.type.dtype), None)


def _stack_vector(s: Scalarizer, op: Op, stack: Value, vector: Value) -> None:
    """The sum along the last axis with the factors of a vector."""
    require_equal(s, stack.lengths[-1], vector.lengths[0])
    if vector.cost and isinstance(op.args[1], Var):
        vector = s.in_memory(op.args[1])  # read anew for every row
    _sum_over(s, op.out, _products(s, stack, vector, stack), stack.rank - 1)


def _is_one(length: Arg) -> bool:
    return isinstance(length, Lit) and length.value == 1


def _with_one(a: Value, b: Value) -> bool:
    """Whether one of two matrices is a single row from the left, or column from the right."""
    return not _is_one(a.lengths[1]) and (_is_one(a.lengths[0]) or _is_one(b.lengths[1]))


def _matrix_vector(s: Scalarizer, op: Op, matrix: Value, vector: Value, source: Arg, by_rows: bool) -> None:
    """The sum over a matrix's columns, or rows, with the factors of a vector, or of a matrix that is one."""
    if vector.cost and isinstance(source, Var):
        vector = s.in_memory(source)  # read anew for every row
    out, kept = op.out, vector.rank == 2
    if kept:
        axis = 0 if by_rows else 1
        type = Array(vector.type.dtype, (vector.type.shape or ())[axis : axis + 1])
        place = (lambda p: (*p, ZERO)) if by_rows else (lambda p: (ZERO, *p))
        vector = Mapped(type, (vector.lengths[axis],), vector, place)
        left = (matrix.type.shape or ())[axis : axis + 1]
        out = Var(Array(_number(matrix, vector), tuple(left)), op.out.hint)
    rows = by_rows
    if runs_down(matrix):
        turned = Array(matrix.type.dtype, (matrix.type.shape or ())[::-1])
        matrix, rows = Mapped(turned, matrix.lengths[::-1], matrix, lambda p: p[::-1]), not by_rows
    if rows:
        value = _products(s, matrix, vector, matrix)
    else:
        shape = (*(vector.type.shape or ()), 1)
        column = Mapped(Array(vector.type.dtype, shape), (vector.lengths[0], Lit(1)), vector, lambda p: p[:1])
        value = _products(s, column, matrix, matrix)
    _sum_over(s, out, value, 1 if rows else 0)
    if kept and isinstance(op.out.type, Array):
        line = s.array(out)
        lengths = (*line.lengths, Lit(1)) if by_rows else (Lit(1), *line.lengths)
        s.bind(op.out, Mapped(op.out.type, lengths, line, lambda p: p[:1] if by_rows else p[1:]))


def _matrices(s: Scalarizer, op: Op, a: Value, b: Value) -> None:
    """A product of matrices that share a short length: each element is a sum that is written out."""
    count = a.lengths[1]
    if isinstance(count, Lit) and count.value == 0 and isinstance(op.out.type, Array):
        zero = Lit(op.out.type.dtype.type(0).item())
        s.bind(op.out, Filled(op.out.type, (a.lengths[0], b.lengths[1]), zero))
        return
    if s.depth and not (isinstance(count, Lit) and count.value <= SHORT):
        if not thin_product(s, op, a, b):
            _blas(s, op, a, b)
        return
    if not isinstance(count, Lit) or not 0 < count.value <= SHORT or not isinstance(op.out.type, Array):
        raise NoForm("a product of two matrices")
    a, b = _kept(s, a, op.args[0], b.lengths[1]), _kept(s, b, op.args[1], a.lengths[0])

    def element(body: Body, place: Place) -> Arg:
        row, column = place
        places = [((row, at), (at, column)) for at in (Index(None, 0, k) for k in range(count.value))]
        return _sum_of_products(body, a, b, places)

    s.bind(op.out, Formula(op.out.type, (a.lengths[0], b.lengths[1]), [a, b], element, 2 * count.value))


def _kept(s: Scalarizer, value: Value, arg: Arg, times: Arg) -> Value:
    """A factor each element of which is read so many times; as memory if it would be computed as often."""
    often = not (isinstance(times, Lit) and times.value <= SHORT)
    return s.in_memory(arg) if often and value.cost > 1 and isinstance(arg, Var) else value


def _sum_of_products(body: Body, a: Value, b: Value, places: Sequence[tuple[Place, Place]]) -> Arg:
    dtype = _number(a, b)
    number = Scalar(KIND_OF[dtype.kind], dtype)
    terms = [body.op(operator.mul, a.element(body, p), b.element(body, q), type=number) for p, q in places]
    total = terms[0]
    for term in terms[1:]:
        total = body.op(operator.add, total, term, type=number)
    return total


def _stacks(s: Scalarizer, op: Op, a: Value, b: Value) -> None:
    """Products of many small matrices that share a short length, each element written out.

    Of larger ones NumPy's calls of BLAS, one for each, are faster.
    """
    count = a.lengths[-1]
    require_equal(s, count, b.lengths[-2])
    if not isinstance(count, Lit) or not 0 < count.value <= SHORT or not isinstance(op.out.type, Array):
        raise NoForm("a product of stacks of matrices")
    a, b = (
        s.in_memory(arg) if value.cost and isinstance(arg, Var) else value
        for value, arg in zip((a, b), op.args, strict=True)
    )
    stack = _joined(s, a.lengths[:-2], b.lengths[:-2])

    def element(body: Body, place: Place) -> Arg:
        *at, row, column = place
        left, right = _of_stack(a, tuple(at)), _of_stack(b, tuple(at))
        turns = [Index(None, 0, k) for k in range(count.value)]
        return _sum_of_products(body, a, b, [((*left, row, k), (*right, k, column)) for k in turns])

    lengths = (*stack, a.lengths[-2], b.lengths[-1])
    s.bind(op.out, Formula(op.out.type, lengths, [a, b], element, 2 * count.value))


def _joined(s: Scalarizer, a: tuple[Arg, ...], b: tuple[Arg, ...]) -> tuple[Arg, ...]:
    """The lengths of two stacks that are broadcast, aligned at their ends."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    ahead = longer[: len(longer) - len(shorter)]
    found = []
    for one, other in zip(longer[len(ahead) :], shorter, strict=True):
        if not (_is_one(one) or _is_one(other)):
            require_equal(s, one, other)
        found.append(other if _is_one(one) else one)
    return (*ahead, *found)


def _of_stack(value: Value, at: Place) -> Place:
    """Which of a stack's matrices belongs to a place in the product's."""
    lengths = value.lengths[:-2]
    return tuple(
        ZERO if _is_one(n) else place for n, place in zip(lengths, at[len(at) - len(lengths) :], strict=True)
    )


def _blas(s: Scalarizer, op: Op, a: Value, b: Value) -> None:
    """A product of matrices within a loop, as a call of BLAS: Numba takes it from SciPy."""
    if (
        importlib.util.find_spec("scipy") is None
        or a.type.kind == "int"
        or not isinstance(op.out.type, Array)
    ):
        raise NoForm("a product of two matrices")
    dtype = _number(a, b)
    factors = [_factor(s, value, arg, dtype) for value, arg in ((a, op.args[0]), (b, op.args[1]))]
    out = s.allocate(op.out.type, (a.lengths[0], b.lengths[1]), op.out.hint, op.out)
    s.flush()
    passed = [s.body.op(np.transpose, v.var, type=v.type) if down else v.var for v, down in factors]
    s.body.append(Op(np.dot, (*passed, out.var), (), effect=True))
    s.bind(op.out, out)


def _factor(s: Scalarizer, value: Value, arg: Arg, dtype: np.dtype) -> tuple[Memory, bool]:
    """A factor as memory, and whether it is the transpose of that."""
    if value.type.dtype != dtype:
        converted = s.allocate(replace(value.type, dtype=dtype), value.lengths)
        s.fill(converted, value)
        return converted, False
    row, column = Var(INT), Var(INT)
    accesses: list[Access] = []
    value.element(Body(accesses=accesses), (Index(row), Index(column)))
    whole = next(value.reads(), None) if value.is_view and len(accesses) == 1 else None
    if whole is not None and accesses[0].index == (Index(column), Index(row)):
        if whole.lengths == value.lengths[::-1]:
            return whole, True
    if isinstance(value, Memory):
        return value, False
    if runs_down(value):
        shape = (value.type.shape or ())[::-1]
        rows = Mapped(Array(value.type.dtype, shape), value.lengths[::-1], value, lambda p: p[::-1])
        memory = s.allocate(rows.type, rows.lengths)
        s.fill(memory, rows)
        return memory, True
    if isinstance(arg, Var):
        return s.in_memory(arg), False
    memory = s.allocate(value.type, value.lengths)
    s.fill(memory, value)
    return memory, False


SHORT = 4  # products of matrices over no more than so many terms are written out
