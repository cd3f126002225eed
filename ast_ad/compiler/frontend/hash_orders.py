"""Does a program rest on an order that hashes decide? That of a set is another one in each process.

``note_order(cx, fn, *values) -> None``, where the compiler runs a function on what is known, or reads the
items of it. The program is right in this process, and is kept for no later one (``calls/store/programs.py``).
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

from .values import Callee

if TYPE_CHECKING:
    from .context import Context

UNORDERED = {
    len, bool, isinstance, set, frozenset, operator.contains, operator.eq, operator.ne, operator.lt,
    operator.le, operator.gt, operator.ge, operator.and_, operator.or_, operator.xor, operator.sub,
    operator.not_, operator.truth,
}  # fmt: skip
"""What answers the same whatever order a set has."""
NUMBERS = int, float, complex, bool  # whose hashes are the same in every process, but for NaN's


def note_order(cx: Context, fn: Callee | None, *values: object) -> None:
    """Note that the items of values are read in their order, by a function or by the compiler itself."""
    unordered = fn is not None and getattr(type(fn), "__hash__", None) is not None and fn in UNORDERED
    if cx.inputs is not None and not unordered and any(map(is_by_hash, values)):
        cx.inputs.by_hash = True


def is_by_hash(value: object) -> bool:
    """Whether the items of a value, or of one in it, come in an order that another process may not have.

    >>> is_by_hash({1, 2}), is_by_hash({"a", "b"}), is_by_hash([{"a", "b"}]), is_by_hash({"a": 1, "b": 2})
    (False, True, True, False)
    """
    if isinstance(value, (set, frozenset)):
        return len(value) > 1 and not all(isinstance(item, NUMBERS) and item == item for item in value)
    if isinstance(value, dict):
        return any(map(is_by_hash, value.values()))
    return isinstance(value, (tuple, list)) and any(map(is_by_hash, value))
