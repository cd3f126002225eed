"""Which functions are linear in their arguments, so that the tangent is the function of the tangents?

The tangents of all others are those of their rules, transposed, which is as right, but may cost more: what
picks elements would be transposed twice.
"""

from __future__ import annotations

import operator

import numpy as np

from . import containers, helpers, memory
from .numpy import (  # those whose functions are named here have to have their rules
    contractions,  # noqa: F401
    cumulative,
    diagonals,
    elementwise,  # noqa: F401
    fft,  # noqa: F401
    indexing,
    joining,
    margins,
    products,  # noqa: F401
    reductions,
    shapes,
    signal,  # noqa: F401
    strided,  # noqa: F401
    views,
)
from .registry import linear, multilinear

# ----- in one argument: elements picked, moved, repeated, summed
linear(operator.getitem, helpers.written, helpers.astype, helpers.mT, helpers.expand_reduced)
linear(helpers.broadcast_like, helpers.unbroadcast, helpers.stack_like, helpers.list_from_array)
linear(containers.array_from_list, helpers.not_none, reductions.along_axis, reductions.from_axis)
linear(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d)
linear(np.copy, np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
linear(np.transpose, np.matrix_transpose, np.linalg.matrix_transpose, np.swapaxes, np.moveaxis, np.rollaxis)
linear(np.flip, np.fliplr, np.flipud, np.rot90, np.roll, np.broadcast_to, np.tile, np.repeat, np.resize)
linear(shapes.untransposed, shapes.unrolledaxis, margins.unpadded, margins.folded)
linear(views.sliding_window_view, views.take_view)
linear(memory.strided, diagonals.on_diagonal)
linear(np.tril, np.triu, np.diag, np.diagonal, np.linalg.diagonal, np.trace, np.linalg.trace)
linear(np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.delete, np.take_along_axis)
linear(np.compress, np.extract, places=(1,))
linear(np.sum, unless=("initial",))
linear(np.mean, np.cumsum, np.diff, unless=("prepend", "append"))
linear(np.take, np.diagflat)
linear(np.fft.fft, np.fft.ifft, np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn)
linear(np.fft.rfft, np.fft.irfft, np.fft.rfftn, np.fft.irfftn, np.fft.rfft2, np.fft.irfft2)
linear(np.fft.fftshift, np.fft.ifftshift)

# ----- in several arguments together: elements put beside each other, or in the place of others
linear(np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack, np.dstack, np.block)
linear(helpers.setitem, helpers.add_at, places=(0, 2))
linear(helpers.scatter, places=(2,))
linear(np.where, places=(1, 2))
linear(np.select, places=(1,), unless=("default",))
linear(indexing.copied_to, places=(0, 1))
linear(indexing.with_putmask, indexing.with_place, indexing.with_put, places=(0, 2))
linear(indexing.with_put_along_axis, places=(0, 2))
linear(diagonals.with_diagonal, places=(0, 1))
linear(joining.split_like, joining.join_like, joining.blocked)
linear(cumulative.shift, places=(0, 1))

# ----- in each of several: products
multilinear(np.matmul, np.linalg.matmul, np.matvec, np.vecmat, np.vecdot, np.vdot, np.dot)
multilinear(np.inner, np.outer, np.kron, np.tensordot, np.cross, np.linalg.cross, np.convolve, np.correlate)
multilinear(np.einsum, places=range(1, 30))
