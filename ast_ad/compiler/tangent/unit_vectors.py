"""What are the tangents along all unit vectors, a column for each?

``along_units(block, seed, others, count) -> Block | None``, and ``along`` for some directions. Asked of the
linear half of a program, for a Jacobian: one pass gives all columns, where a loop over them would run the
half once for each.

A number that is linear in the seed is a sum of few of its elements, as long as no loop or branch has carried
it: so it is kept as their places and factors, and only what is not zero is computed. Any other value is an
array with one more axis, the last one, for the directions. Statements are taken as they are known here; a
block with another one has no such form, and is run for each direction. So is one with arrays that may be, for
all directions, larger than the Jacobian and all that it is computed from.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..frontend.builder import Builder, type_of_arg
from ..ir.builtin import tuple_get
from ..ir.ops import Arg, Block, Lit, Var
from ..ir.types import Array, Scalar, type_of_shape
from ..simplify.renaming import free
from .linear_last import dependents
from .unit_forms import ZERO, Columns, Form, NoForm, Terms, Unit
from .unit_rules import RULES


def along_units(block: Block, seed: Var, others: Iterable[Var], count: Arg) -> Block | None:
    """A block whose results have one more axis, for the directions; None if it has no such form.

    Args:
        block: what is linear in its seeds; it is changed.
        seed: a vector.
        others: further seeds, which are zero.
        count: the length of the vector.
    """
    assert isinstance(seed.type, Array) and seed.type.shape is not None
    columns = Columns(dependents(block, (seed, *others)), count, seed.type.shape[0], RULES)
    columns.shapes = {getattr(type_of_arg(arg), "shape", ()) for arg in (seed, *block.results)}
    columns.held = {getattr(var.type, "shape", ()) for var in free(block)}
    return _made(columns, block, seed, Unit(), others)


def along(block: Block, seed: Var, others: Iterable[Var], seeds: Var) -> Block | None:
    """The same along some directions, as few as memory allows: ``seeds`` has them along its last axis."""
    builder = Builder(Block(), adjoint=True)
    assert isinstance(seeds.type, Array) and seeds.type.shape is not None
    shape = builder.opaque(np.shape, (seeds,), type_of_shape(seeds.type))
    last = len(seeds.type.shape) - 1
    count = builder.opaque(tuple_get, (shape, Lit(last)), type_of_shape(seeds.type).items[last])
    columns = Columns(dependents(block, (seed, *others)), count, seeds.type.shape[last], RULES)
    columns.bounded = True
    found = _made(columns, block, seed, seeds, others)
    return None if found is None else Block([*builder.block.ops, *found.ops], found.results)


def _made(columns: Columns, block: Block, seed: Var, form: Form, others: Iterable[Var]) -> Block | None:
    columns.forms[seed] = form
    columns.forms.update((var, Terms() if isinstance(var.type, Scalar) else ZERO) for var in others)
    try:
        return columns.region(block, range(len(block.results)))
    except NoForm:
        return None
