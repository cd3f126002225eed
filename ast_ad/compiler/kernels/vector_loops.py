"""Which loops of a known number of turns does LLVM make vectors of before it writes their turns out?

It writes short loops out first, up to 60 turns, and finds vectors in what it has written out then only here
and there: the sum of 32 products takes 3.5 times as long as by vectors, 32 hyperbolic tangents five times,
since each is a call of its own. A loop that is marked here is left alone until the vectoriser has seen it;
what that makes of it, and the turns that are left over, may be written out as ever.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import ir as numba_ir
from numba.core.ir_utils import get_definition, guard

from . import vector_math

CALLS, STORES, SUMS = range(4, 36), range(16, 41), range(16, 64)
"""Numbers of turns, measured: with a call of the vector library, of other loops, of such without a store.

With fewer turns, where sums are kept in an array, what was just written is read back by other lanes, which a
processor waits for; loops with more turns LLVM does not write out.
"""


def is_vector_loop(function: Any, turn: Any) -> bool:
    """Whether a block of Numba's IR is all of a turn of a loop that is better left to the vectoriser."""
    turns = _turns(function, turn)
    if turns is None:
        return False
    if any(_is_vector_math(callee) for callee in _callees(function, turn)):
        return turns in CALLS
    return turns in (STORES if any(isinstance(s, _STORES) for s in turn.body) else SUMS)


def mark(branch: Any) -> None:
    """Let the loop that a branch of LLVM's goes back in be neither written out nor changed before vectors."""
    module = branch.parent.parent.parent  # of its block and its function
    done = module.add_metadata(
        [ir.MetaDataString(module, "llvm.loop.isvectorized"), ir.Constant(ir.IntType(32), 1)]
    )
    after = [
        module.add_metadata([ir.MetaDataString(module, f"llvm.loop.vectorize.followup_{part}"), done])
        for part in ("vectorized", "epilogue")
    ]
    waits = module.add_metadata([ir.MetaDataString(module, "llvm.loop.unroll.disable")])
    branch.set_metadata("llvm.loop", _Itself(module, [waits, *after]))


class _Itself(ir.MDValue):  # type: ignore[misc]
    """A node that names itself first: by it LLVM knows one loop from another of the same properties."""

    def __init__(self, module: Any, properties: list[Any]) -> None:
        super().__init__(module, [], str(len(module.metadata)))
        self.operands = (self, *properties)


_STORES = numba_ir.SetItem, numba_ir.StaticSetItem


def _turns(function: Any, turn: Any) -> int | None:
    """How many turns a loop has of which a block is the whole body; None where that is not known."""
    jump = turn.body[-1]
    head = function.blocks[jump.target].body if isinstance(jump, numba_ir.Jump) else [None]
    if not isinstance(head[-1], numba_ir.Branch) or function.blocks.get(head[-1].truebr) is not turn:
        return None
    asked = [s.value for s in head if isinstance(s, numba_ir.Assign) and _is(s.value, "iternext")]
    iterator: Any = _made(function, asked[0].value) if asked else None
    counted: Any = _made(function, iterator.value) if _is(iterator, "getiter") else None
    if not _is(counted, "call") or _known(function, counted.func) is not range:
        return None
    bounds = [_known(function, bound) for bound in counted.args]
    return len(range(*bounds)) if all(isinstance(bound, int) for bound in bounds) else None


def _is(value: Any, operation: str) -> bool:
    return isinstance(value, numba_ir.Expr) and value.op == operation


def _made(function: Any, name: Any) -> Any:
    """What a name stands for, if it is the same wherever it is read; else None."""
    return guard(get_definition, function, name)


def _known(function: Any, name: Any) -> Any:
    """What a name of the function is known to hold, or None."""
    made = _made(function, name)
    if _is(made, "getattr"):
        return getattr(_known(function, made.value), made.attr, None)
    return made.value if isinstance(made, (numba_ir.Const, numba_ir.Global, numba_ir.FreeVar)) else None


def _callees(function: Any, turn: Any) -> Iterator[Any]:
    for statement in turn.body:
        if isinstance(statement, numba_ir.Assign) and _is(statement.value, "call"):
            yield _known(function, statement.value.func)


def _is_vector_math(callee: Any) -> bool:
    """Whether a function is one of the vector library, or one of numbers that is made of such."""
    python = getattr(callee, "py_func", callee)
    if getattr(python, "__module__", "") == vector_math.__name__:
        return True
    names, code = getattr(python, "__globals__", {}), getattr(python, "__code__", None)
    return code is not None and any(names.get(name) is vector_math for name in code.co_names)
