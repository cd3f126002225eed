"""How do products read and write matrices whose short rows lie column by column? As transposes, or in loops.

``of_products(kernel) -> list[Op]`` for ``axis_order.own``, which asks what whole arrays are used for,
``rows_of(kernel) -> list[tuple[Var, Var]]`` for ``short_axes``, which weighs, and
``turn_products(kernel, turned) -> None`` for ``axis_order.turn``.

BLAS takes a factor or its transpose at the same price. So a matrix that a product reads whole may lie in
either order, and so may the one that it writes: ``c.T = b.T @ a.T``. Where ``c = a @ b`` has many short rows,
both in ``a`` and in ``c``, and both lie column by column, a loop over the rows is one of vectors, and faster
than BLAS, for which there is too little to do in a row.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Collection

import numpy as np

from ...ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, blocks, variables, walk
from ...ir.types import Array
from ...simplify.renaming import reads_of
from ..numbers.selections import minimum
from .affine_indices import Index
from .body import INT, Body, Origin, element_type
from .cells import LONGEST

BLOCK = 256
"""Rows at once: what is read for each column of the result stays near the processor."""

Factor = tuple[Var, bool]
"""A matrix, and whether its transpose is what is meant."""


def of_products(kernel: Function) -> list[Op]:
    """The products by BLAS, and the transposes that only they read."""
    products = [op for op in walk(kernel.body) if isinstance(op, Op) and _is_product(op)]
    if not products:
        return []
    reads = reads_of(kernel.body)
    reads.subtract(v for op in products for v in variables(*op.args[:2]))
    views = [op for op in walk(kernel.body) if isinstance(op, Op) and _is_transpose(op) and not reads[op.out]]
    return [*products, *views]


def rows_of(kernel: Function) -> list[tuple[Var, Var]]:
    """The factor and the result, both of many short rows, of each product with a small matrix."""
    bases = _bases(kernel)
    products = [op for op in walk(kernel.body) if isinstance(op, Op) and _is_product(op)]
    return [
        (rows, op.args[2]) for op in products if (rows := _rows(op, bases)) and isinstance(op.args[2], Var)
    ]


def turn_products(kernel: Function, turned: Collection[Var]) -> None:
    """Let products have their factors and results in the new order, in place.

    Args:
        turned: the matrices that have one; accesses of their elements are left to the caller.
    """
    if turned:
        _Turned(kernel, turned).block(kernel.body)


class _Turned:
    """``bases``: the matrices of which others are the transposes; ``shapes``: those of arrays."""

    def __init__(self, kernel: Function, turned: Collection[Var]) -> None:
        self.turned, self.bases = turned, _bases(kernel)
        made = [op for op in walk(kernel.body) if isinstance(op, Op) and op.fn is np.empty]
        self.shapes = {op.out: op.args[0] for op in made}

    def block(self, block: Block) -> None:
        kept: list[Statement] = []
        for op in block.ops:
            for inner in blocks(op):
                self.block(inner)
            if isinstance(op, Op) and _is_transpose(op) and op.args[0] in self.turned:
                continue
            kept += self.product(op) if isinstance(op, Op) and _is_product(op) else [op]
        block.ops = kept

    def product(self, op: Op) -> list[Statement]:
        out = op.args[2]
        assert isinstance(out, Var)
        rows = _rows(op, self.bases)
        if rows in self.turned and out in self.turned and rows is not None:
            return [self.loop(op, rows, out)]
        first, second = (_factor(arg, self.bases) for arg in op.args[:2])
        if out in self.turned:
            first, second = (second[0], not second[1]), (first[0], not first[1])
        if first[0] in self.turned or second[0] in self.turned or out in self.turned:
            views: list[Statement] = []
            op.args = (self.view(first, op, views), self.view(second, op, views), out)
            return [*views, op]
        return [op]

    def view(self, factor: Factor, op: Op, views: list[Statement]) -> Var:
        """A factor in the order in which it lies."""
        array, transposed = factor
        if (array in self.turned) == transposed:
            return array
        assert isinstance(array.type, Array) and array.type.shape is not None
        view = Var(Array(array.type.dtype, array.type.shape[::-1]), array.hint)
        views.append(Op(np.transpose, (array,), (view,), span=op.span, adjoint=op.adjoint))
        return view

    def loop(self, op: Op, rows: Var, out: Var) -> For:
        """Each column of the result for some rows at once; the axes of arrays are in their old order yet."""
        matrix, transposed = _factor(op.args[1], self.bases)
        shape, number = self.shapes[out], element_type(out.type)
        assert isinstance(shape, Seq)
        start, end, j, i = (Var(INT, hint) for hint in ("start", "end", "j", "i"))
        terms = [Index.of(Lit(k)) for k in range(_short(rows))]
        outer = Body(origin=Origin(op.span, op.adjoint))
        columns = outer.inner(frozenset({out}))
        places = [(Index(j), k) if transposed else (k, Index(j)) for k in terms]
        numbers = [columns.load(matrix, matrix, place) for place in places]
        inner = columns.inner(frozenset({out}))
        products = [
            inner.op(operator.mul, inner.load(rows, rows, (Index(i), k)), n, type=number)
            for k, n in zip(terms, numbers, strict=True)
        ]
        total = functools.reduce(lambda x, y: inner.op(operator.add, x, y, type=number), products)
        inner.store(out, out, (Index(i), Index(j)), total)
        columns.append(_loop(i, start, end, 1, inner))
        after = outer.op(operator.add, start, Lit(BLOCK), type=INT)
        outer.append(Op(minimum, (after, shape.items[0]), (end,)))
        outer.append(_loop(j, Lit(0), Lit(_short(out)), 1, columns))
        whole = _loop(start, Lit(0), shape.items[0], BLOCK, outer)
        whole.span, whole.adjoint = op.span, op.adjoint
        return whole


def _loop(counter: Var, start: Arg, stop: Arg, step: int, body: Body) -> For:
    return For(counter, (start, stop, Lit(step)), (), (), (), Block(body.ops), ())


def _rows(op: Op, bases: dict[Var, Factor]) -> Var | None:
    """The first factor, where it and the result have short rows, and all numbers are of one type."""
    (rows, transposed), (matrix, _) = (_factor(arg, bases) for arg in op.args[:2])
    out = op.args[2]
    assert isinstance(out, Var)
    short = all(0 < _short(array) <= LONGEST for array in (rows, out))
    alike = len({element_type(a.type) for a in (rows, matrix, out)}) == 1
    real = element_type(out.type).kind == "float"
    return rows if not transposed and alike and real and short else None


def _short(matrix: Var) -> int:
    """The length of a matrix' rows, where it is known; 0 where it is not."""
    assert isinstance(matrix.type, Array) and matrix.type.shape is not None
    last = matrix.type.shape[-1]
    return last if isinstance(last, int) else 0


def _bases(kernel: Function) -> dict[Var, Factor]:
    """The matrices that are transposes of others, each with that."""
    found: dict[Var, Factor] = {}
    for op in walk(kernel.body):
        if isinstance(op, Op) and _is_transpose(op):
            array, transposed = _factor(op.args[0], found)
            found[op.out] = array, not transposed
    return found


def _factor(arg: object, bases: dict[Var, Factor]) -> Factor:
    assert isinstance(arg, Var)
    return bases.get(arg, (arg, False))


def _is_product(op: Op) -> bool:
    return op.fn is np.dot and len(op.args) == 3


def _is_transpose(op: Op) -> bool:
    return op.fn is np.transpose and len(op.args) == 1 and not op.kwargs
