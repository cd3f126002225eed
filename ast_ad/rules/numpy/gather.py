"""How is a function that only rearranges elements differentiated?

Running it on the elements' positions shows where each element of its result comes from: where
``ans = f(x)`` copies elements, ``f(positions(x))`` are the places in the flattened ``x`` to which the
cotangent is added back. -1 marks elements that come from elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnsupportedError
from .. import helpers
from ..helpers import unbroadcast
from ..registry import nondifferentiable, vjp

NOWHERE = np.intp(-1)  # which no unsigned integers could hold, if it were Python's


def positions(x: Any) -> Any:
    """The place of each element of ``x`` in the flattened ``x``. Reads ``x``'s shape only.

    >>> positions(np.zeros((2, 2)))
    array([[0, 1],
           [2, 3]])
    """
    return np.arange(np.size(x)).reshape(np.shape(x))


def nowhere(x: Any) -> Any:
    """An array of -1 in the shape of ``x``: no element has a place. Reads ``x``'s shape only.

    >>> nowhere(np.zeros(2))
    array([-1, -1])
    """
    return np.full(np.shape(x), -1)


def gather(x: Any, places: Any) -> Any:
    """The elements of the flattened ``x`` at ``places``; 0 where a place is negative.

    >>> gather(np.array([5.0, 6.0]), np.array([1, -1, 1]))
    array([6., 0., 6.])
    """
    flat = np.append(np.ravel(x), np.zeros(1, np.asarray(x).dtype))  # -1 picks the 0
    return flat[np.maximum(places, NOWHERE)]


def scatter_to(x: Any, places: Any, g: Any) -> Any:
    """Zeros of ``x``'s shape with ``g`` added at ``places``; negative ones are skipped.

    The adjoint of ``gather(x, places)``. Reads ``x``'s shape only; ``g`` broadcasts against ``places``.

    >>> scatter_to(np.zeros(2), np.array([1, -1, 1]), np.array([1.0, 2.0, 3.0]))
    array([0., 4.])
    """
    flat = np.zeros(np.size(x) + 1, np.result_type(g, np.float16))
    np.add.at(flat, np.maximum(places, NOWHERE), g)
    return flat[:-1].reshape(np.shape(x))[()]


@vjp(gather)
def gather_rule(g, ans, x, places):
    return scatter_to(x, places, g), None


@vjp(scatter_to)
def scatter_to_rule(g, ans, x, places, v):
    return None, None, unbroadcast(gather(g, places), v)


def refuse(construct: str, why: str = "", fix: str = "") -> None:
    """Raise ``UnsupportedError``: the derivative exists, but there is no rule for this case."""
    raise UnsupportedError(construct, why=why, fix=fix)


nondifferentiable(positions, nowhere)
helpers.METADATA.update({positions: 0, nowhere: 0, scatter_to: 0})
helpers.SHAPED_LIKE[scatter_to] = 0, (2,)
helpers.OF_VECTORS.add(scatter_to)
helpers.SHAPED_LIKE[gather] = 1, (0,)
