"""How do functions that reorder or repeat elements pass a cotangent back?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..helpers import unbroadcast
from ..registry import nondifferentiable, vjp
from .gather import positions, refuse, scatter_to

# ----- the same elements in another shape -----


@vjp(np.reshape, view=True)
def reshape(g, ans, a, shape, order="C", copy=None):
    if order == "A":
        refuse("np.reshape(order='A')", "the result depends on the memory layout", "write 'C' or 'F'")
    if order == "C":
        return np.reshape(g, np.shape(a))
    return np.reshape(g, np.shape(a), order)


@vjp(np.ravel, view=True)
def ravel(g, ans, a, order="C"):
    if order != "C" and order != "F":
        refuse(f"np.ravel(order={order!r})", "the result depends on the memory layout", "write 'C' or 'F'")
    if order == "C":
        return np.reshape(g, np.shape(a))
    return np.reshape(g, np.shape(a), order)


@vjp(np.squeeze, view=True)
def squeeze(g, ans, a, axis=None):
    return np.reshape(g, np.shape(a))


@vjp(np.expand_dims, view=True)
def expand_dims(g, ans, a, axis):
    return np.reshape(g, np.shape(a))


@vjp(np.atleast_1d, np.atleast_2d, np.atleast_3d, view=True)
def atleast(g, ans, *arys):
    if len(arys) == 1:
        return np.reshape(g, np.shape(arys[0]))
    return tuple([np.reshape(g[i], np.shape(arys[i])) for i in range(len(arys))])


@vjp(np.copy)
def copy(g, ans, a, order="K", subok=False):
    return g


def items_like(g, like):
    """``g`` taken apart as ``like`` is put together: nested lists of numbers and arrays."""
    return [
        items_like(g[i], like[i]) if isinstance(like[i], (list, tuple)) else g[i] for i in range(len(like))
    ]


@vjp(np.array)
def array(g, ans, object, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    if isinstance(object, (list, tuple)):
        return items_like(g if ndmin == 0 else np.reshape(g, np.shape(object)), object)
    return np.reshape(g, np.shape(object))


@vjp(np.asarray, view=True)
def asarray(g, ans, a, dtype=None, order=None, copy=None):
    if isinstance(a, (list, tuple)):
        return items_like(g, a)
    return g


@vjp(np.asanyarray, np.asarray_chkfinite, view=True)
def asanyarray(g, ans, a, dtype=None, order=None):
    if isinstance(a, (list, tuple)):
        return items_like(g, a)
    return g


@vjp(np.ascontiguousarray, np.asfortranarray, view=True)
def ascontiguousarray(g, ans, a, dtype=None):
    if isinstance(a, (list, tuple)):
        return items_like(np.reshape(g, np.shape(a)), a)
    return np.reshape(g, np.shape(a))


@vjp(np.require, view=True)
def require(g, ans, a, dtype=None, requirements=None):
    if isinstance(a, (list, tuple)):
        return items_like(g, a)
    return g


# ----- axes in another order -----


@vjp(np.transpose, view=True)
def transpose(g, ans, a, axes=None):
    if axes is None:
        return np.transpose(g)
    return untransposed(g, axes)


def untransposed(g: Any, axes: Any) -> Any:
    """The inverse of ``np.transpose(_, axes)``.

    >>> untransposed(np.zeros((4, 2, 3)), (2, 0, 1)).shape
    (2, 3, 4)
    """
    return np.transpose(g, np.argsort(np.mod(axes, np.ndim(g))))


@vjp(untransposed, view=True)
def untransposed_rule(g, ans, x, axes):
    return np.transpose(g, axes)


@vjp(np.matrix_transpose, np.linalg.matrix_transpose, view=True)
def matrix_transpose(g, ans, x):
    return np.matrix_transpose(g)


@vjp(np.swapaxes, view=True)
def swapaxes(g, ans, a, axis1, axis2):
    return np.swapaxes(g, axis1, axis2)


@vjp(np.moveaxis, view=True)
def moveaxis(g, ans, a, source, destination):
    return np.moveaxis(g, destination, source)


@vjp(np.rollaxis, view=True)
def rollaxis(g, ans, a, axis, start=0):
    return unrolledaxis(g, axis, start)


def unrolledaxis(g: Any, axis: int, start: int = 0) -> Any:
    """The inverse of ``np.rollaxis(_, axis, start)``.

    >>> unrolledaxis(np.zeros((4, 2, 3)), 2).shape
    (2, 3, 4)
    """
    n = np.ndim(g)
    axis, start = axis % n, start + n if start < 0 else start
    return np.moveaxis(g, start - 1 if axis < start else start, axis)


@vjp(unrolledaxis, view=True)
def unrolledaxis_rule(g, ans, x, axis, start=0):
    return np.rollaxis(g, axis, start)


@vjp(np.flip, view=True)
def flip(g, ans, m, axis=None):
    return np.flip(g, axis)


@vjp(np.fliplr, view=True)
def fliplr(g, ans, m):
    return np.fliplr(g)


@vjp(np.flipud, view=True)
def flipud(g, ans, m):
    return np.flipud(g)


@vjp(np.rot90, view=True)
def rot90(g, ans, m, k=1, axes=(0, 1)):
    return np.rot90(g, back(k), axes)


@vjp(np.roll)
def roll(g, ans, a, shift, axis=None):
    if isinstance(shift, tuple):
        return np.roll(g, tuple([back(each) for each in shift]), axis)
    return np.roll(g, back(shift), axis)


def back(steps: Any) -> Any:
    """``-steps``, also of booleans, integers that have no sign, and floats, of which the integer counts.

    >>> int(back(np.uint8(3))), int(back(2.7))
    (-3, -2)
    """
    return -steps if type(steps) is int else np.subtract(0, steps, dtype=np.int64, casting="unsafe")


# ----- elements repeated -----


@vjp(np.broadcast_to, view=True)
def broadcast_to(g, ans, array, shape, subok=False):
    return unbroadcast(g, array)


@vjp(np.broadcast_arrays, view=True)
def broadcast_arrays(g, ans, *args, subok=False):
    return tuple([unbroadcast(g[i], args[i]) for i in range(len(args))])


@vjp(np.ix_, view=True)
def open_mesh(g, ans, *args):
    return tuple([np.reshape(g[i], np.shape(args[i])) for i in range(len(args))])


@vjp(np.meshgrid, view=True)
def meshgrid(g, ans, *xi, copy=True, sparse=False, indexing="xy"):
    return tuple([from_mesh(g[i], xi[i], i, len(xi), indexing) for i in range(len(xi))])


def from_mesh(g: Any, x: Any, i: int, n: int, indexing: str) -> Any:
    """``g``, the cotangent of the ``i``-th of ``n`` mesh arrays, summed along all axes but that of ``x``.

    Reads ``x``'s shape only.

    >>> from_mesh(np.ones((2, 3)), np.zeros(3), 0, 2, "xy")
    array([2., 2., 2.])
    """
    others = tuple(j for j in range(n) if j != mesh_axis(i, n, indexing))
    return np.reshape(np.sum(g, axis=others), np.shape(x))


def to_mesh(x: Any, g: Any, i: int, n: int, indexing: str) -> Any:
    """``x`` along its axis of the mesh, stretched to the shape of ``g``: the adjoint of ``from_mesh``.

    >>> to_mesh(np.arange(3.0), np.ones((2, 3)), 0, 2, "xy")[1]
    array([0., 1., 2.])
    """
    shape = [1] * n
    shape[mesh_axis(i, n, indexing)] = -1
    return np.broadcast_to(np.reshape(x, shape), np.shape(g))


def mesh_axis(i: int, n: int, indexing: str) -> int:
    """The axis along which the ``i``-th of ``n`` mesh arrays varies."""
    return 1 - i if indexing == "xy" and n > 1 and i < 2 else i


@vjp(from_mesh)
def from_mesh_rule(g, ans, v, x, i, n, indexing):
    return to_mesh(g, v, i, n, indexing), None


@vjp(to_mesh, view=True)
def to_mesh_rule(g, ans, v, x, i, n, indexing):
    return from_mesh(g, v, i, n, indexing), None


@vjp(np.tile)
def tile(g, ans, A, reps):
    return scatter_to(A, np.tile(positions(A), reps), g)


@vjp(np.repeat)
def repeat(g, ans, a, repeats, axis=None):
    return scatter_to(a, np.repeat(positions(a), repeats, axis), g)


@vjp(np.resize)
def resize(g, ans, a, new_shape):
    return scatter_to(a, np.resize(positions(a), new_shape), g)


nondifferentiable(np.broadcast_shapes)
helpers.METADATA.update({from_mesh: 1, to_mesh: 1})
helpers.SHAPED_LIKE.update({from_mesh: (1, (0,)), to_mesh: (1, (0,))})
