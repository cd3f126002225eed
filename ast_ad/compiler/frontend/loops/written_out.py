"""Which short loop is written out, pass by pass, because a key of a dict is made of the number of its pass?

``p[f"W{i}"]`` in ``for i in range(3)`` reads an entry that is known where ``i`` is. Left a loop, the dict
would have to be one whose keys are known at run time only, with entries of one type, which kernels refuse.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from ...ir.ops import UNKNOWN, Var, operands, variables
from ..context import Context
from ..values import Value
from .passes import Passes

MAX_PASSES = 32  # of one loop
MAX_COPIES = 256  # of all bodies of a program that are written out


class KeyOfPass(Exception):
    """A key is made of the number of a pass of this loop, which is to be written out."""

    def __init__(self, passes: Passes) -> None:
        super().__init__()
        self.passes = passes


@contextmanager
def may_be_written_out(cx: Context, count: object, passes: Passes) -> Iterator[None]:
    """While a loop is read as a region: keys in it may ask for its passes, if they are few."""
    few = isinstance(count, int) and count <= MAX_PASSES and cx.unrolled + count <= MAX_COPIES
    if few:
        cx.short.append(passes)
    try:
        yield
    finally:
        if few:
            cx.short.pop()


def write_out_for(cx: Context, key: Value) -> None:
    """Ask for the outermost of the loops of whose passes' numbers a key is made, if of nothing else.

    Raises
    ------
    KeyOfPass
        if there is one.
    """
    if not cx.short or cx.inputs is None:
        return
    made_of = {passes.index.id: passes for passes in cx.short if passes.index is not None}
    found: set[int] = set()
    if all(_is_made_of(cx, var, made_of.keys(), found) for var in variables(cx.arg(key))) and found:
        raise KeyOfPass(next(passes for id, passes in made_of.items() if id in found))


def _is_made_of(cx: Context, var: Var, indices: Collection[int], found: set[int]) -> bool:
    """Whether only these variables, arguments and constants stand behind a value; which ones is ``found``."""
    inputs = cx.outside()
    if var.known is not UNKNOWN or var.id in inputs.keys:
        return True
    if var.id in indices:
        found.add(var.id)
        return True
    op = inputs.producers.get(var.id)
    return op is not None and all(_is_made_of(cx, v, indices, found) for v in variables(*operands(op)))
