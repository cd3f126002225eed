"""Which branches of a reverse sweep would another simplification leave as they are?

Asked by ``simplify_block`` at each branch. The sweep over a branch is simplified where it is made, and again
as a part of the sweep over each branch around it. A branch at which the last pass changed nothing is passed
over as long as it is what it was, and nothing that it reads, or computes, is known around it: so the work on
branches within branches does not grow with the square of their depth.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from typing import Any

from ..ir.ops import Block, If, Op, Statement, Var, all_operands, blocks, variables


@dataclass(frozen=True)
class _Branch:
    """A branch as it was: its ``content``, the variables that it reads, what its operations compute."""

    content: list[Any]
    reads: Set[Var]
    keys: Set[Any]


class Settled:
    """The branches of one sweep that are as simple as they get.

    Args:
        key: what an operation computes, as what is known is found by.
    """

    def __init__(self, key: Callable[[Op], Any]) -> None:
        self.key = key
        self._found: dict[int, _Branch] = {}

    def holds(
        self, op: If, content: list[Any], known: Set[Any], makers: Mapping[Any, Any], names: Mapping[Any, Any]
    ) -> bool:
        """Whether a branch with this content would stay as it is, by what is known around it."""
        found = self._found.get(id(op))
        if found is None or found.content != content:
            return False
        return _is_apart(found.reads, makers, names) and found.keys.isdisjoint(known)

    def settle(self, op: If, content: list[Any], makers: Mapping[Any, Any], names: Mapping[Any, Any]) -> None:
        """The branch stayed what it was, by what is known around it."""
        reads = _reads_in(op)
        if _is_apart(reads, makers, names):
            self._found[id(op)] = _Branch(content, reads, self._keys(op))

    def _keys(self, op: If) -> Set[Any]:
        """What the operations of a branch compute."""
        keys: set[Any] = set()
        todo = list(blocks(op))
        while todo:
            for inner in todo.pop().ops:
                if isinstance(inner, Op):
                    keys.add(self.key(inner))
                    continue
                found = self._found.get(id(inner))
                if found is not None and found.content == content_of(inner):
                    keys |= found.keys
                else:
                    todo += blocks(inner)
        return keys


def content_of(op: Statement) -> list[Any] | None:
    """All that the simplification of a branch may depend on within it; None where it holds loops."""
    if not isinstance(op, If):
        return None
    content: list[Any] = [op, op.cond, op.outs]
    todo: list[Block] = [op.orelse, op.then]
    while todo:
        block = todo.pop()
        content += (block, block.results, len(block.ops))
        for inner in block.ops:
            if isinstance(inner, Op):
                content += (inner, inner.fn, inner.args, inner.outs)
                if inner.kwargs:
                    content += inner.kwargs.items()
            elif isinstance(inner, If):
                content += (inner, inner.cond, inner.outs)
                todo += (inner.orelse, inner.then)
            else:
                return None
    return content


def _reads_in(op: If) -> Set[Var]:
    """What the sides of a branch read, the variables of their own included."""
    return frozenset(variables(*itertools.islice(all_operands(op), 1, None)))


def _is_apart(reads: Set[Var], makers: Mapping[Any, Any], names: Mapping[Any, Any]) -> bool:
    """Whether nothing of this was made by an operation around, and nothing else stands for it."""
    few, many = (reads, makers) if len(reads) < len(makers) else (makers, reads)
    return not any(var in many for var in few) and reads.isdisjoint(names)
