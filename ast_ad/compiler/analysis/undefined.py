"""Which Vars may have no value on some path, or hold elements that have none?

``undefined_values(block, known) -> set[Var]`` is asked by ``adjoint``, ``split`` and ``typed_tapes``,
``doubtful_values(block, known) -> set[Var]``, which adds their zeros, by ``adjoint`` and ``write_in_place``.

Such a value is only ever used where it does exist; but its cotangent may have to be made everywhere, so that
it must not be asked for its shape as a matter of course.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable

from ...rules import helpers
from ...rules.containers import list_append
from ..ir.builtin import append_, own, undefined
from ..ir.ops import Arg, Block, For as ForLoop, If, Lit, Op, Var, atoms, walk

SUMS = {operator.add, operator.sub, operator.neg}


def undefined_values(block: Block, known: Iterable[Var] = ()) -> set[Var]:
    """Those Vars of the block and of the regions within; of the ``known`` ones it is known from elsewhere."""
    found = set(known)
    size = -1
    while size != len(found):
        size = len(found)
        _visit(block, found)
    return found


def doubtful_values(block: Block, known: Iterable[Var] = ()) -> set[Var]:
    """Vars that may be no array on some path, whatever their type is: the zero of a missing value is 0.0."""
    found = undefined_values(block, known)
    size = -1
    while size != len(found):
        size = len(found)
        zeros = [op for op in walk(block) if isinstance(op, Op) and _is_zero(op, found)]
        found.update(out for op in zeros for out in op.outs)
        _visit(block, found)
    return found


def _is_zero(op: Op, found: set[Var]) -> bool:
    """Whether the result is a number where the arguments have no value, or are such zeros."""
    if op.fn is helpers.zero_like:
        return _any(op.args, found)
    return op.fn in SUMS and all(isinstance(arg, Lit) or arg in found for arg in op.args)


def _visit(block: Block, found: set[Var]) -> None:
    for op in block.ops:
        if isinstance(op, Op):
            if op.fn is undefined or op.fn in (list_append, append_, own) and _any(op.args, found):
                found.update(op.outs)
        elif isinstance(op, If):
            _visit(op.then, found)
            _visit(op.orelse, found)
            for out, *results in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                if _any(results, found):
                    found.add(out)
        else:
            if isinstance(op, ForLoop):
                for source, items in op.items:
                    if _any((source,), found):
                        found.update(items)
            _visit(op.body, found)
            carried = zip(op.params, op.outs, op.inits, op.body.results[op.stops :], strict=True)
            for param, out, init, result in carried:
                if _any((init, result, param), found):
                    found.update((param, out))


def _any(args: Iterable[Arg], found: set[Var]) -> bool:
    """Whether a value among the arguments, or a part of one, may be missing."""
    return any(
        atom.value is None if isinstance(atom, Lit) else atom in found for arg in args for atom in atoms(arg)
    )
