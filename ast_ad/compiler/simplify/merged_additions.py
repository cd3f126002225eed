"""Which additions to elements of a cotangent can be made at once?

``merge_additions(block) -> None``. In ``small_arrays``, which writes an addition for each element, and before
the ``simplify`` at its end.

Additions commute. So a chain of them, of which nothing reads what is between, adds what belongs to the same
element first, and writes once::

    a_bar[i, 0] += t
    a_bar[i, 1] += u                    a_bar[i, 0] += t + v
    a_bar[i, 0] += v                    a_bar[i, 1] += u
"""

from __future__ import annotations

import operator
from collections import Counter
from typing import Any

from ...rules import helpers
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Block, Op, Statement, Var, blocks, operands, variables
from ..ir.types import Array, Scalar, Type, dtype_of
from .patterns import arg_key, result_dtype
from .view_indices import is_int, parts_of


def merge_additions(block: Block) -> None:
    """Change, in place, the adjoint statements of a block and of the regions within."""
    for op in block.ops:
        for inner in blocks(op):
            merge_additions(inner)
    for chain in _chains(block):
        groups: dict[Any, list[Op]] = {}
        for op in chain:
            groups.setdefault(arg_key(op.args[1]), []).append(op)
        if len(groups) == len(chain):
            continue
        merged = _merged(chain, list(groups.values()))
        gone = {id(op) for op in chain[:-1]}
        kept: list[Statement] = []
        for op in block.ops:
            if op is chain[-1]:
                kept += merged
            elif id(op) not in gone:
                kept.append(op)
        block.ops = kept


def _chains(block: Block) -> list[list[Op]]:
    """Additions each of which changes what the one before gave, and which nothing else reads."""
    uses = Counter(_reads(block))
    chains: dict[Var, list[Op]] = {}  # by the result of the last
    for op in block.ops:
        if isinstance(op, Op) and _is_addition(op):
            target = op.args[0]
            before = chains.pop(target, []) if isinstance(target, Var) and uses[target] == 1 else []
            chains[op.out] = [*before, op]
    return [chain for chain in chains.values() if len(chain) > 1]


def _reads(block: Block) -> list[Var]:
    found: list[Var] = []
    for op in block.ops:
        found += variables(*operands(op))
        for inner in blocks(op):
            found += _reads(inner)
    return [*found, *variables(*block.results)]


def _is_addition(op: Op) -> bool:
    """Whether a number is added to one element."""
    target = op.out.type if len(op.outs) == 1 else None
    if not (op.adjoint and op.fn is helpers.add_at and isinstance(target, Array) and target.shape):
        return False
    parts, value = parts_of(op.args[1]), type_of_arg(op.args[2])
    return len(parts) == len(target.shape) and all(map(is_int, parts)) and isinstance(value, Scalar)


def _merged(chain: list[Op], groups: list[list[Op]]) -> list[Op]:
    """The chain with one addition for each group of equal indices, the sums before it."""
    out: list[Op] = []
    whole = chain[0].args[0]
    for group in groups:
        total: Arg = group[0].args[2]
        for op in group[1:]:
            value = op.args[2]
            sum_ = Op(
                operator.add, (total, value), (Var(_sum_type(total, value)),), {}, op.span, adjoint=True
            )
            out.append(sum_)
            total = sum_.out
        last = group[-1]
        addition = Op(
            last.fn, (whole, last.args[1], total), (Var(last.out.type, last.out.hint),), {}, last.span,
            adjoint=True,
        )  # fmt: skip
        out.append(addition)
        whole = addition.out
    out[-1].outs = chain[-1].outs
    return out


def _sum_type(a: Arg, b: Arg) -> Type:
    """The type of the sum of two numbers."""
    types = type_of_arg(a), type_of_arg(b)
    plain = all(isinstance(t, Scalar) and t.dtype is None for t in types)
    dtype = result_dtype(*types)
    kind = {"f": "float", "c": "complex"}.get(dtype.kind, "int")
    return Scalar(kind, None if plain else dtype_of(Scalar(kind, dtype)))
