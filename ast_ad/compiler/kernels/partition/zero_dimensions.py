"""Which arrays without axes are numbers to kernels?

``numbers_made(function) -> set[Var]`` is what ``partition`` does to its driver beside ``first_values``. Some
functions of numbers, as ``np.asarray`` and a spline at one point, give arrays without axes. NumPy computes
with them as with numbers; kernels have no memory for them. So what is computed of one, element by element,
gets the number in it from here on, ``a[()]``: where all stands in one kernel there is no array any more.
"""

from __future__ import annotations

import operator

from ...ir.ops import Block, Function, Op, Seq, Statement, Var, blocks, map_arg, operands, variables
from ...ir.types import KIND_OF, Array, Scalar
from ..lowering.lowering import of_each_element


def numbers_made(function: Function) -> set[Var]:
    """The arrays without axes that are made of numbers alone, each of which is read as a number."""
    found: set[Var] = set()
    _block(function.body, {}, found)
    return found


def _block(block: Block, numbers: dict[Var, Var], found: set[Var]) -> None:
    """``numbers``: the number in each of those that are known here."""
    numbers = dict(numbers)
    done: list[Statement] = []
    for op in block.ops:
        for inner in blocks(op):
            _block(inner, numbers, found)
        if isinstance(op, Op) and of_each_element(op.fn):
            op.args = tuple(map_arg(lambda v: numbers.get(v, v), arg) for arg in op.args)
        done.append(op)
        if isinstance(op, Op) and is_made_of_numbers(op):
            number = Var(Scalar(op.out.type.kind, op.out.type.dtype), op.out.hint)  # type: ignore[union-attr]
            numbers[op.out] = number
            found.add(op.out)
            done.append(Op(operator.getitem, (op.out, Seq(())), (number,), span=op.span, adjoint=op.adjoint))
    block.ops = done


def is_made_of_numbers(op: Op) -> bool:
    """Whether the result is an array without axes, of a machine's numbers, and the operands have none."""
    if len(op.outs) != 1 or op.effect or not _has_no_axes(op.out):
        return False
    return not any(isinstance(v.type, Array) and v.type.shape == () for v in variables(*operands(op)))


def _has_no_axes(var: Var) -> bool:
    type = var.type
    return isinstance(type, Array) and type.shape == () and type.dtype.kind in KIND_OF and type.dtype.isnative
