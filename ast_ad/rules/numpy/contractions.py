"""How do general tensor contractions, ``np.tensordot`` and ``np.einsum``, pass a cotangent back?

A contraction is linear in each factor. Its adjoint in one factor is a contraction of the cotangent with the
others, and the adjoints are closed under differentiation.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import vjp
from .gather import refuse

# ----- tensordot -----


@vjp(np.tensordot, np.linalg.tensordot)
def tensordot(g, ans, a, b, axes=2):
    return tensordot_left(g, np.conj(b), a, axes), tensordot_right(g, np.conj(a), b, axes)


def tensordot_left(g: Any, b: Any, a: Any, axes: Any) -> Any:
    """The cotangent of ``a`` in ``np.tensordot(a, b, axes)``: ``g`` contracted with ``b``.

    Reads only the shape of ``a``.

    >>> tensordot_left(np.ones((2, 4)), np.ones((3, 4)), np.zeros((2, 3)), 1)
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """
    over_a, over_b = contracted_axes(np.ndim(a), np.ndim(b), axes)
    free_a = [i for i in range(np.ndim(a)) if i not in over_a]
    free_b = [i for i in range(np.ndim(b)) if i not in over_b]
    product = np.tensordot(g, b, (range(len(free_a), np.ndim(g)), free_b))  # axes: free_a, sorted(over_b)
    order = free_a + [over_a[over_b.index(i)] for i in sorted(over_b)]
    return np.transpose(product, np.argsort(order))


def tensordot_right(g: Any, a: Any, b: Any, axes: Any) -> Any:
    """The cotangent of ``b`` in ``np.tensordot(a, b, axes)``: ``g`` contracted with ``a``.

    Reads only the shape of ``b``.

    >>> tensordot_right(np.ones((2, 4)), np.ones((2, 3)), np.zeros((3, 4)), 1).shape
    (3, 4)
    """
    over_a, over_b = contracted_axes(np.ndim(a), np.ndim(b), axes)
    free_a = [i for i in range(np.ndim(a)) if i not in over_a]
    free_b = [i for i in range(np.ndim(b)) if i not in over_b]
    product = np.tensordot(a, g, (free_a, range(len(free_a))))  # axes: sorted(over_a), free_b
    order = [over_b[over_a.index(i)] for i in sorted(over_a)] + free_b
    return np.transpose(product, np.argsort(order))


def contracted_axes(ndim_a: int, ndim_b: int, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of both factors over which ``np.tensordot`` sums, from any form of its ``axes``."""
    if np.ndim(axes) == 0 and not isinstance(axes, (tuple, list)):
        return list(range(ndim_a - int(axes), ndim_a)), list(range(int(axes)))
    over_a, over_b = (np.atleast_1d(np.asarray(part, dtype=int)) for part in axes)
    return [int(i) % ndim_a for i in over_a], [int(i) % ndim_b for i in over_b]


@vjp(tensordot_left)
def tensordot_left_rule(g, ans, x, b, a, axes):
    return np.tensordot(g, np.conj(b), axes), tensordot_right(np.conj(x), g, b, axes)


@vjp(tensordot_right)
def tensordot_right_rule(g, ans, x, a, b, axes):
    return np.tensordot(np.conj(a), g, axes), tensordot_left(np.conj(x), g, a, axes)


# ----- einsum -----


@vjp(np.einsum, view=True)
def einsum(g, ans, subscripts, *operands, optimize=False):
    if not isinstance(subscripts, str):
        refuse("np.einsum with lists of subscripts", fix="write the subscripts as a string")
    n = len(operands)
    conjugates = [np.conj(x) for x in operands]
    bars = [
        einsum_bar(g, operands[i], subscripts, i, (*conjugates[:i], *conjugates[i + 1 :])) for i in range(n)
    ]
    return (None, *bars)


def einsum_bar(g: Any, x: Any, subscripts: str, i: int, others: tuple[Any, ...]) -> Any:
    """The cotangent of operand ``i``, of the shape of ``x``, in an ``np.einsum`` with ``others``.

    Reads only the shape of ``x``.

    >>> einsum_bar(np.ones((2, 4)), np.zeros((2, 3)), "ij,jk->ik", 0, (np.ones((3, 4)),))
    array([[4., 4., 4.],
           [4., 4., 4.]])
    """
    ranks = [np.ndim(o) for o in others]
    inputs, output = _known_subscripts(subscripts, (*ranks[:i], np.ndim(x), *ranks[i:]))
    mine, rest = inputs[i], inputs[:i] + inputs[i + 1 :]
    if not mine:
        return _summed(",".join([output, *rest]) + "->", g, *others)
    letters = "".join(dict.fromkeys(mine))
    present = "".join(c for c in letters if c in output or any(c in other for other in rest))
    lengths = dict(zip("".join([output, *rest]), [n for o in (g, *others) for n in np.shape(o)], strict=True))
    many = bool(others) and math.prod(lengths.values()) > LARGE
    product = _summed(",".join([output, *rest]) + "->" + present, g, *others, optimize=many)
    if others and present == mine and product.shape == np.shape(x):  # of one array it may be a view
        return product
    lengths = dict(zip(mine, np.shape(x), strict=True))
    wide = np.reshape(product, [product.shape[present.index(c)] if c in present else 1 for c in letters])
    narrow = [1 if lengths[c] == 1 else n for c, n in zip(letters, wide.shape, strict=True)]
    kept = unbroadcast(wide, np.empty(narrow))
    bar = np.zeros(np.shape(x), product.dtype)
    np.einsum(f"{mine}->{letters}", bar)[...] = kept  # a view: a repeated letter is a diagonal
    return bar


def _summed(subscripts: str, *operands: Any, **options: Any) -> Any:
    """``np.einsum``; of operands without elements, where NumPy may give what memory held, 0."""
    found = np.einsum(subscripts, *operands, **options)
    return np.zeros_like(found) if any(np.size(o) == 0 for o in operands) else found


LARGE = 3e5
"""From how many products on it pays to look for the best order of a contraction, which takes 0.1 ms: NumPy
asks BLAS for two factors, too, only then."""


def explicit_subscripts(subscripts: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, with an ellipsis and an implied result spelt out.

    >>> explicit_subscripts("...i,ij", [3, 2])
    (['ABi', 'ij'], 'ABj')
    """
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" if c not in subscripts]
    lengths = [rank - len(t) + 3 if "..." in t else 0 for t, rank in zip(inputs, ranks, strict=True)]
    dots = "".join(spare[: max(lengths)])
    inputs = [t.replace("...", dots[len(dots) - n :]) for t, n in zip(inputs, lengths, strict=True)]
    if arrow:
        return inputs, output.replace("...", dots)
    letters = "".join(inputs)
    return inputs, dots + "".join(sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1))


_known_subscripts = functools.cache(explicit_subscripts)


@vjp(einsum_bar)
def einsum_bar_rule(g, ans, v, x, subscripts, i, others):
    """``<g, ans>`` is ``<v, einsum>`` with ``g`` as operand ``i``: linear in ``v`` and the others."""
    conjugates = [np.conj(o) for o in others]
    operands = [*conjugates[:i], g, *conjugates[i:]]
    others_bar = [
        einsum_bar(np.conj(v), others[j], subscripts, j + (j >= i), tuple(without(operands, j + (j >= i))))
        for j in range(len(others))
    ]
    return np.einsum(subscripts, *operands), None, None, None, others_bar


def without(items: list[Any], i: int) -> list[Any]:
    """The items but for number ``i``."""
    return [*items[:i], *items[i + 1 :]]


helpers.METADATA.update({tensordot_left: 2, tensordot_right: 2, einsum_bar: 1})
helpers.SHAPED_LIKE.update(
    {tensordot_left: (2, (0, 1)), tensordot_right: (2, (0, 1)), einsum_bar: (1, (0, 4))}
)
