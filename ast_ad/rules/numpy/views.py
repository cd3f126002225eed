"""How does what is done to a view reach the array that it looks into, and back?

A view is described by ``steps``: the functions, with their further arguments, that lead from the base to it.
The three functions here are pure; each is the other ones' derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..registry import vjp
from .gather import positions, refuse


def take_view(x: Any, steps: Any) -> Any:
    """What a view that was reached by ``steps`` would show if its base were ``x``.

    >>> take_view(np.arange(6.0), ((np.reshape, ((2, 3),)), (np.transpose, ())))
    array([[0., 3.],
           [1., 4.],
           [2., 5.]])
    """
    for fn, args in steps:
        x = fn(x, *args)
    return x


def add_view(like: Any, steps: Any, g: Any) -> Any:
    """Zeros of the shape of ``like`` with ``g`` added where the view looks: the adjoint of ``take_view``.

    >>> add_view(np.ones(3), ((np.broadcast_to, ((2, 3),)),), np.ones((2, 3)))
    array([2., 2., 2.])
    """
    kind = np.result_type(g)
    if np.result_type(like).kind == "c":  # the view may be of the parts of complex numbers
        kind = np.result_type(g, like)
    elif kind.kind == "c" and any(fn in RETYPING for fn, _ in steps):  # or of pairs as complex numbers
        kind = np.real(g).dtype
    out = np.zeros(np.shape(like), kind)
    view, rest = _reached(out, steps)
    if rest:
        view[...] = _sums(_places(view, rest), g, view)[:-1].reshape(view.shape)
    else:
        view[...] = g
    return out


def _sums(places: Any, g: Any, view: Any) -> Any:
    """What is added to each element of ``view``; the last number is for what lies outside of it."""
    if view.dtype == np.float64 and view.size:
        weights = np.ravel(np.broadcast_to(g, np.shape(places)))
        return np.bincount(np.ravel(places) % (view.size + 1), weights, view.size + 1)
    sums = np.zeros(view.size + 1, view.dtype)
    np.add.at(sums, places, g)
    return sums


def write_view(x: Any, steps: Any, v: Any) -> Any:
    """A copy of ``x`` in which the view shows ``v``.

    >>> write_view(np.zeros(3), ((np.flip, ()),), np.array([1.0, 2.0, 3.0]))
    array([3., 2., 1.])
    """
    out = np.array(x, order="C")
    view, rest = _reached(out, steps)
    if rest:
        part = np.append(np.ravel(view), np.zeros(1, view.dtype))
        part[_places(view, rest)] = v
        view[...] = part[:-1].reshape(view.shape)
    else:
        view[...] = v
    return out


def _reached(out: Any, steps: Any) -> tuple[Any, Any]:
    """How far ``steps`` lead from ``out`` by views that can be written to, and the steps that are left."""
    view = out
    for i, (fn, args) in enumerate(steps):
        if fn in OVERLAPPING or getattr(fn, "__wrapped__", fn) in OVERLAPPING:
            return view, steps[i:]
        further = fn(view, *args)
        if not (np.may_share_memory(further, out) and further.flags.writeable):
            return view, steps[i:]
        view = further
    return view, ()


def _places(view: Any, steps: Any) -> Any:
    """Where in the flattened ``view`` the elements lie to which ``steps`` lead; -1: outside of it."""
    if any(fn in RETYPING for fn, _ in steps):
        refuse(
            "a change of the real or imaginary parts of a view that shows elements twice",
            "only whole elements are followed through such a view",
            fix="clone() it",
        )
    return take_view(positions(view) + 1, steps) - 1


# Views that may show one element at several places.
OVERLAPPING = {np.broadcast_to, np.lib.stride_tricks.sliding_window_view}
RETYPING: set[Any] = set()  # views whose elements are of another type


@vjp(take_view, view=True)
def take_view_rule(g, ans, x, steps):
    return add_view(x, steps, g), None


@vjp(add_view)
def add_view_rule(g, ans, like, steps, v):
    return None, None, take_view(g, steps)


@vjp(write_view)
def write_view_rule(g, ans, x, steps, v):
    return write_view(g, steps, 0), None, take_view(g, steps)


sliding_window_view = np.lib.stride_tricks.sliding_window_view


@vjp(sliding_window_view, view=True)
def sliding_window_view_rule(g, ans, x, window_shape, axis=None, *, subok=False, writeable=False):
    return add_view(x, ((sliding_window_view, (window_shape, axis)),), g), None


helpers.METADATA[add_view] = 0
helpers.SHAPED_LIKE[add_view] = 0, (2,)
helpers.SHAPED_LIKE[write_view] = 0, (0,)
