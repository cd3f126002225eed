"""Which of a program's masks are the same? Those that one operation makes of the same values.

``EqualMasks().append(op, block)``, for each operation that the ``Builder`` appends, before it stands there.

``r[r > 0] = r[r > 0] ** -1.5`` computes one mask twice. Where both choose by the same Var, what they choose
is known to have one length, and loops of kernels need not write it out (``kernels.lowering.masks``).
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...rules import helpers
from ..ir.ops import Arg, Block, Lit, Op, Var
from ..ir.types import Array

_LOGICAL: set[Any] = {
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    *(operator.and_, operator.or_, operator.xor, operator.invert),
    *(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal),
    *(np.logical_and, np.logical_or, np.logical_not, np.logical_xor, np.isfinite, np.isnan),
}
_INDEXING: set[Any] = {operator.getitem, helpers.setitem, helpers.add_at}


@dataclass(frozen=True)
class _Made:
    """A mask, and where the operation stands that makes it: what is read anew is taken out of its block."""

    var: Var
    op: Op
    block: Block
    position: int

    @property
    def stands(self) -> bool:
        ops = self.block.ops
        return self.position < len(ops) and ops[self.position] is self.op


class EqualMasks:
    """The masks that are in sight: by what makes them, and by their identity what stands for them."""

    def __init__(self, made: dict[Any, _Made] | None = None, first: dict[int, _Made] | None = None) -> None:
        self.made = made or {}
        self.first = first or {}

    def within(self) -> EqualMasks:
        """The same for a block within: what is made there is not in sight behind it."""
        return EqualMasks(dict(self.made), dict(self.first))

    def append(self, op: Op, block: Block) -> None:
        """Let an index by a mask name the first that is the same; remember what makes a mask.

        Args:
            op: about to be appended.
            block: to which.
        """
        if op.fn in _INDEXING and len(op.args) > 1:
            op.args = (op.args[0], self._stands_for(op.args[1]), *op.args[2:])
        elif op.fn in _LOGICAL and not op.kwargs and len(op.outs) == 1 and _is_mask(op.out):
            key = (op.fn, *map(self._key, op.args))
            if key not in self.made or not self.made[key].stands:
                self.made[key] = _Made(op.out, op, block, len(block.ops))
            self.first[op.out.id] = self.made[key]

    def _stands_for(self, arg: Arg) -> Arg:
        found = self.first.get(arg.id) if isinstance(arg, Var) else None
        return arg if found is None or not found.stands else found.var

    def _key(self, arg: Arg) -> Any:
        if isinstance(arg, Var):
            return self._stands_for(arg)
        if isinstance(arg, Lit) and isinstance(arg.value, (bool, int, float, complex, np.number, np.bool_)):
            return type(arg.value), repr(arg.value)
        return arg  # whatever else it is, it is the same as itself only


def _is_mask(var: Var) -> bool:
    return isinstance(var.type, Array) and var.type.kind == "bool"
