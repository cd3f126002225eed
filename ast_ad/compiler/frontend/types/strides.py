"""How far apart do the elements of an array lie in memory, and what follows from that?

The strides of an array, counted in elements, are integers like its lengths (``compiler/ir/dims.py``).
Whether an array has gaps, whether its axes join into one, and in which order an operation lays its result,
follow from strides and lengths alone. Where they are not known well enough, nothing is said. An array of no
elements is left out: whatever is said of it, nobody can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....interrupts import let_through
from ...ir.dims import MINIMUM, Dim, Int, differs_from_one, divided, lower, product
from ...ir.ops import Arg, Lit, Slice

Strides = tuple[Int, ...]
Shape = Sequence[Int]
APART = (11, 13, 17, 19)  # strides by which axes are told apart, of this many elements each:
EACH = 60


def of_order(shape: Shape, order: str) -> Strides:
    """The strides of an array without gaps that lies by rows ("C") or by columns ("F").

    >>> of_order((2, 3, 4), "C"), of_order((2, 3, 4), "F")
    ((12, 4, 1), (1, 2, 6))
    """
    total: Int = 1
    found: list[Int] = []
    shape = filled(shape)
    for n in reversed(shape) if order == "C" else shape:
        found.append(total)
        total = product(total, n)
    return tuple(reversed(found) if order == "C" else found)


def filled(shape: Shape) -> Shape:
    """The lengths, taken that there are elements: what is one or none is one."""
    return tuple(1 if isinstance(n, Dim) and is_at_most_one(n) else n for n in shape)


def is_at_most_one(dim: Dim) -> bool:
    """Whether a length is 0 or 1, as that of ``x[:1]``."""
    single = len(dim.terms) == 1 and dim.terms[0][1] == 1 and not dim.const
    key = dim.terms[0][0].key if single else None
    return isinstance(key, tuple) and key[0] is MINIMUM and 1 in key[1]


def is_equal(a: Int, b: Int) -> bool | None:
    """Whether two strides are the same; None where that is not known.

    >>> from ast_ad.compiler.ir.dims import Dim
    >>> n, m = Dim.symbol("n", not_one=True), Dim.symbol("m")
    >>> is_equal(n * m, m), is_equal(n, m), is_equal(n, n), is_equal(2 * m, m)
    (False, None, True, False)
    """
    if a == b:
        return True
    if isinstance(a, int) and isinstance(b, int):
        return False
    quotients = divided(a, b) if b != 0 else None, divided(b, a) if a != 0 else None
    if any(q is not None and differs_from_one(q) for q in quotients):
        return False
    return False if any((lower(d) or 0) > 0 for d in (a - b, b - a)) else None


def has_no_gaps(shape: Shape, strides: Strides, order: str) -> bool | None:
    """Whether the elements lie one after the other, by rows or by columns; None where that is not known.

    >>> has_no_gaps((2, 3), (3, 1), "C"), has_no_gaps((2, 3), (6, 1), "C"), has_no_gaps((1, 3), (9, 1), "C")
    (True, False, True)
    """
    return _one_by_one(shape, strides, order, 1)


def joins(shape: Shape, strides: Strides, order: str) -> bool | None:
    """Whether the elements, by rows or by columns, are the same step apart: a reshaped array is a view then.

    >>> joins((2, 3), (6, 2), "C"), joins((2, 3), (6, 1), "C")
    (True, False)
    """
    if has_no_gaps(shape, strides, order):
        return True  # whichever lengths are 1
    return _one_by_one(shape, strides, order, None)


def _one_by_one(shape: Shape, strides: Strides, order: str, wanted: Int | None) -> bool | None:
    """Whether each axis begins where those inside of it end; ``wanted``: the stride of the innermost one."""
    known: bool | None = True
    axes = list(zip(filled(shape), strides, strict=True))
    for n, stride in reversed(axes) if order == "C" else axes:
        if n == 1:
            continue
        same = True if wanted is None else is_equal(stride, wanted)
        if same is False and differs_from_one(n):
            return False
        if wanted is None and not differs_from_one(n):
            return None
        known = known if same else None
        if same is not False:  # else it has one element, or none: it takes no room
            wanted = product(stride if wanted is None else wanted, n)
    return known


# ----- the order that an operation keeps
Given = Sequence[tuple[Strides | None, Shape | None]]  # of each array among the arguments


def kept_orders(given: Given, shape: Shape) -> frozenset[str]:
    """The orders in which NumPy certainly lays a result that is to lie as the arguments do.

    It sorts the axes by what the arguments say of each two of them. One that is stretched, or has the length
    1 there, says nothing; where they disagree, or nobody says anything, the rows win.

    >>> sorted(kept_orders([((1, 2), (2, 3)), ((3, 1), (2, 3))], (2, 3)))
    ['C']
    """
    shape, rank = filled(shape), len(shape)
    if rank <= 1:
        return frozenset("CF")
    votes = [
        _vote(given, shape, outer, inner)
        for inner in range(rank)
        for outer in range(inner)
        if shape[inner] != 1 and shape[outer] != 1
    ]
    return frozenset(order for order in "CF" if all(vote == order for vote in votes))


def _vote(given: Given, shape: Shape, outer: int, inner: int) -> str:
    """ "C" if the outer one of two axes stays outside, "F" if they change places, "" if that is not known."""
    found, sure = "", True
    for strides, its in given:
        if its is None:
            return ""
        its = filled(its)
        at = [axis - len(shape) + len(its) for axis in (outer, inner)]
        if at[0] < 0 or any(its[axis] == 1 for axis in at):
            continue
        full = all(its[axis] == shape[to] for axis, to in zip(at, (outer, inner), strict=True))
        full = full or all(differs_from_one(its[axis]) for axis in at)
        says = "" if strides is None else _larger(strides[at[0]], strides[at[1]])
        if says == "C" and full:
            return "C"
        sure = sure and (says == "C" or says == "F" and full)
        found = found or says
        if says != found:
            sure = False
    if found == "F":
        return "F" if sure else ""
    return "C" if sure else ""


def _larger(outer: Int, inner: Int) -> str:
    """ "C" if the outer stride is not the smaller one, "F" if it is, "" if that is not known."""
    outer, inner = (abs(s) if isinstance(s, int) else s for s in (outer, inner))
    if 0 in (outer, inner):
        return ""
    if outer == inner or _reaches_one(divided(outer, inner)):
        return "C"
    back = divided(inner, outer)
    return "F" if _reaches_one(back) and differs_from_one(back) else ""  # type: ignore[arg-type]


def _reaches_one(quotient: Int | None) -> bool:
    """Of two strides, which are not 0."""
    low = None if quotient is None else lower(quotient)
    return low is not None and low >= 0


# ----- the strides of views
def of_item(strides: Strides, parts: Sequence[Arg]) -> Strides | None:
    """Those of ``a[parts]``, by basic indices without an ellipsis."""
    left = list(strides)
    found: list[Int] = []
    for part in parts:
        if isinstance(part, Lit) and part.value is None:
            found.append(0)
        elif isinstance(part, Slice) or isinstance(part, Lit) and isinstance(part.value, slice):
            step = part.step if isinstance(part, Slice) else Lit(part.value.step)
            if not isinstance(step, Lit) or not isinstance(step.value, (int, type(None))):
                return None
            found.append(left.pop(0) * (1 if step.value is None else step.value))
        else:
            left.pop(0)
    return (*found, *left)


def of_moved(strides: Strides, shape: Shape, look: Callable[[np.ndarray], Any]) -> Strides | None:
    """Those of a view that moves, turns, adds or drops axes, or takes a part of them.

    ``look`` makes it, of any array; which axis is which shows an array whose strides all differ.
    """
    if len(shape) > len(APART):
        return None
    apart = APART[: len(shape)]
    lengths = tuple(1 if n == 1 else EACH for n in shape)
    buffer = np.empty(EACH * sum(APART), dtype=np.int8)
    view = np.lib.stride_tricks.as_strided(buffer, lengths, apart)
    try:
        seen = look(view)
    except Exception as problem:  # a failed trial tells nothing, whatever the library has raised
        let_through(problem)
        return None
    if not isinstance(seen, np.ndarray):
        return None
    found: list[Int] = []
    for n, stride in zip(seen.shape, seen.strides, strict=True):
        if abs(stride) in apart:
            own = strides[apart.index(abs(stride))]
            found.append(own if stride > 0 else own * -1)
        elif n == 1:
            found.append(0)
        else:
            return None
    return tuple(found)
