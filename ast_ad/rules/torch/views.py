"""How do the tensor library's own ways of looking at an array pass a cotangent back?

Each returns a view where it can. ``overwritten`` and ``filled`` are what an array holds after a write.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..numpy.gather import gather, scatter_to
from ..numpy.views import OVERLAPPING, RETYPING
from ..registry import nondifferentiable, vjp
from .shapes import unfold

# ----- pieces -----


def unbound(x: Any, axis: int = 0) -> Any:
    """The slices of ``x`` along ``axis``, as a tuple.

    >>> unbound(np.eye(2))
    (array([1., 0.]), array([0., 1.]))
    """
    before = (slice(None),) * (axis % np.ndim(x))
    return tuple(x[(*before, i, ...)] for i in range(np.shape(x)[axis]))


def pieces(x: Any, sizes: Any, axis: int = 0) -> Any:
    """Consecutive pieces of ``x`` along ``axis``, of these lengths.

    >>> pieces(np.arange(3.0), (2, 1))
    (array([0., 1.]), array([2.]))
    """
    before, start, found = (slice(None),) * (axis % np.ndim(x)), 0, []
    for n in sizes:
        found.append(x[(*before, slice(start, start + n))])
        start += n
    return tuple(found)


@vjp(unbound, view=True)
def unbound_rule(g, ans, x, axis=0):
    return np.stack(g if isinstance(g, tuple) else (g,), axis), None


@vjp(pieces, view=True)
def pieces_rule(g, ans, x, sizes, axis=0):
    return np.concatenate(g if isinstance(g, tuple) else (g,), axis), None, None


# ----- places in memory -----


def at_places(x: Any, places: Any) -> Any:
    """The elements of the flattened ``x`` at ``places``; 0 where a place is negative.

    What ``as_strided`` shows, as a copy.

    >>> at_places(np.array([5.0, 6.0]), np.array([[1, 1], [0, -1]]))
    array([[6., 6.],
           [5., 0.]])
    """
    return gather(x, places)


@vjp(at_places)
def at_places_rule(g, ans, x, places):
    return scatter_to(x, places, g), None


# ----- complex numbers as pairs -----


def as_real(x: Any) -> Any:
    """A complex array as pairs of real and imaginary parts along a new last axis.

    >>> as_real(np.array([1 + 2j]))
    array([[1., 2.]])
    """
    return np.asarray(x)[..., None].view(x.real.dtype)


def as_complex(x: Any) -> Any:
    """Pairs along the last axis as complex numbers: the inverse of ``as_real``.

    >>> as_complex(np.array([[1.0, 2.0]]))
    array([1.+2.j])
    """
    if x.strides[-1] != x.itemsize:
        x = np.ascontiguousarray(x)
    return x.view(np.result_type(x, np.complex64))[..., 0]


@vjp(as_real, view=True)
def as_real_rule(g, ans, x):
    return as_complex(g)


@vjp(as_complex, view=True)
def as_complex_rule(g, ans, x):
    return as_real(g)


# ----- repeated -----


def repeated(x: Any, counts: Any) -> Any:
    """``x`` repeated as a whole along each dimension; further counts in front make new dimensions.

    >>> repeated(np.array([1.0, 2.0]), (2, 2))
    array([[1., 2., 1., 2.],
           [1., 2., 1., 2.]])
    """
    return np.tile(x, counts)


@vjp(repeated)
def repeated_rule(g, ans, x, counts):
    return unrepeated(g, x, counts), None


def unrepeated(g: Any, x: Any, counts: Any) -> Any:
    """``g`` summed over the repetitions: the adjoint of ``repeated``. Reads ``x``'s shape only.

    >>> unrepeated(np.ones(4), np.zeros(2), (2,))
    array([2., 2.])
    """
    own = (1,) * (len(counts) - np.ndim(x)) + np.shape(x)
    pairs = tuple(n for pair in zip(counts, own, strict=True) for n in pair)
    return np.reshape(np.sum(np.reshape(g, pairs), axis=tuple(range(0, len(pairs), 2))), np.shape(x))


@vjp(unrepeated)
def unrepeated_rule(g, ans, v, x, counts):
    return repeated(g, counts), None, None


# ----- written to -----


def overwrite(x: Any, src: Any) -> None:
    """``x[...] = src``, in ``x`` itself; of complex numbers the real parts where ``x`` is real.

    >>> x = np.zeros(2)
    >>> overwrite(x, 3 + 1j), x
    (None, array([3., 3.]))
    """
    x[...] = src.real if np.iscomplexobj(src) and x.dtype.kind not in "cb" else src


def overwritten(x: Any, src: Any) -> Any:
    """What ``x`` holds after ``x[...] = src``.

    >>> overwritten(np.zeros(2), 3.0)
    array([3., 3.])
    """
    src = np.asarray(src)
    if src.dtype.kind == "c" and x.dtype.kind not in "cb":
        src = src.real
    return np.broadcast_to(src.astype(x.dtype, copy=False), np.shape(x))


@vjp(overwritten, broadcasts=True, view=True)
def overwritten_rule(g, ans, x, src):
    return np.zeros_like(g), g


def filled(x: Any, value: Any) -> Any:
    """What ``x`` holds after it was filled with a number.

    >>> filled(np.zeros(2), 3.0)
    array([3., 3.])
    """
    return overwritten(x, value)


@vjp(filled, view=True)
def filled_rule(g, ans, x, value):
    return np.zeros_like(g), np.sum(g)


def zeroed(x: Any) -> Any:
    """What ``x`` holds after it was set to zero.

    >>> zeroed(np.ones(2))
    array([0., 0.])
    """
    return np.broadcast_to(np.zeros((), x.dtype), np.shape(x))


@vjp(zeroed, view=True)
def zeroed_rule(g, ans, x):
    return np.zeros_like(g)


def duplicate(x: Any, order: str = "K") -> Any:
    """A copy of ``x``; its axes lie in memory as those of ``x`` do, or row by row for ``order='C'``.

    >>> duplicate(np.zeros((2, 3)).T).strides
    (8, 24)
    """
    return np.array(x, order=order, copy=True)  # type: ignore[call-overload]


@vjp(duplicate)
def duplicate_rule(g, ans, x, order="K"):
    return g, None


def same(x: Any) -> Any:
    """Another view of all of ``x``.

    >>> same(np.ones(2))
    array([1., 1.])
    """
    return np.asarray(x)[...]


@vjp(same, view=True)
def same_rule(g, ans, x):
    return g


def reinterpreted(x: Any, dtype: Any) -> Any:
    """The bytes of ``x`` read as another type.

    >>> reinterpreted(np.array([1.0], np.float32), np.int32)
    array([1065353216], dtype=int32)
    """
    return x.view(dtype) if np.ndim(x) else np.asarray(x)[None].view(dtype)[0, ...]


nondifferentiable(reinterpreted)
helpers.METADATA[unrepeated] = 1
helpers.SHAPED_LIKE[unrepeated] = 1, (0,)
OVERLAPPING.add(unfold)
RETYPING.update({as_real, as_complex})
