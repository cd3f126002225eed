"""How do the cosine and sine transforms of ``scipy.fft`` pass a cotangent back?

The matrices of types 1 and 4 are symmetric, those of types 2 and 3 each other's transpose: as they stand
where they are orthogonalized, else up to the factor 2 that one end of the numbers has, or both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf

from ..numpy.fft import fitted, other_side, transformed_axes, transformed_lengths
from ..registry import composite, nondifferentiable, vjp

OTHER_TYPE = {1: 1, 2: 3, 3: 2, 4: 4}


@vjp(sf.dct)
def dct(g, ans, x, type=2, n=None, axis=-1, norm=None, workers=None, orthogonalize=None):
    if orthogonal(norm, orthogonalize):
        bar = sf.dct(g, OTHER_TYPE[type], None, axis, norm, orthogonalize=True)
    else:
        before, after = end_factors(np.size(ans, axis), type, 0, (0, -1))
        bar = sf.dct(along(g, before, axis), OTHER_TYPE[type], None, axis, norm, orthogonalize=False)
        bar = along(bar, after, axis)
    return bar if n is None else fitted(bar, x)


@vjp(sf.dst)
def dst(g, ans, x, type=2, n=None, axis=-1, norm=None, workers=None, orthogonalize=None):
    if orthogonal(norm, orthogonalize):
        bar = sf.dst(g, OTHER_TYPE[type], None, axis, norm, orthogonalize=True)
    else:
        before, after = end_factors(np.size(ans, axis), type, -1, ())
        bar = sf.dst(along(g, before, axis), OTHER_TYPE[type], None, axis, norm, orthogonalize=False)
        bar = along(bar, after, axis)
    return bar if n is None else fitted(bar, x)


def orthogonal(norm: Any, orthogonalize: Any) -> bool:
    """Whether the ends are scaled so that the matrix is orthogonal, up to one factor."""
    return norm == "ortho" if orthogonalize is None else bool(orthogonalize)


def end_factors(n: int, type: int, end: int, both: tuple[int, ...]) -> tuple[Any, Any]:
    """What a cotangent is multiplied with before the transform of the other type, and after it.

    >>> end_factors(3, 2, 0, (0, -1))
    (array([2., 1., 1.]), array([1., 1., 1.]))
    >>> end_factors(3, 1, 0, (0, -1))
    (array([2., 1., 2.]), array([0.5, 1. , 0.5]))
    """
    ones, twice = np.ones(n), np.ones(n)
    twice[list(both) if type == 1 else end] = 2
    if type == 4 or (type == 1 and not both):
        return ones, ones
    return ones if type == 3 else twice, ones if type == 2 else 1 / twice


def along(g: Any, factors: Any, axis: int) -> Any:
    """``g`` times ``factors`` along an axis."""
    return np.moveaxis(np.moveaxis(g, axis, -1) * factors, -1, axis)


# ----- inverses: those of the other type, scaled as on the other side -----


@composite(sf.idct)
def idct(x, type=2, n=None, axis=-1, norm=None, workers=None, orthogonalize=None):
    ends = orthogonal(norm, orthogonalize)
    return sf.dct(x, OTHER_TYPE[type], n, axis, other_side(norm), orthogonalize=ends)


@composite(sf.idst)
def idst(x, type=2, n=None, axis=-1, norm=None, workers=None, orthogonalize=None):
    ends = orthogonal(norm, orthogonalize)
    return sf.dst(x, OTHER_TYPE[type], n, axis, other_side(norm), orthogonalize=ends)


# ----- of several axes: one after the other -----


def axes_and_lengths(x: Any, s: Any, axes: Any) -> list[tuple[int, int]]:
    """The axes that are transformed, each with the length to which it is cut or padded."""
    s = s if s is None or np.ndim(s) else (s,)
    axes = transformed_axes(x, s, axes if axes is None or np.ndim(axes) else (axes,))
    return list(zip(axes, transformed_lengths(x, s, axes), strict=True))


@composite(sf.dctn)
def dctn(x, type=2, s=None, axes=None, norm=None, workers=None, *, orthogonalize=None):
    for axis, n in axes_and_lengths(x, s, axes):
        x = sf.dct(x, type, n, axis, norm, orthogonalize=orthogonalize)
    return x


@composite(sf.idctn)
def idctn(x, type=2, s=None, axes=None, norm=None, workers=None, *, orthogonalize=None):
    for axis, n in axes_and_lengths(x, s, axes):
        x = sf.idct(x, type, n, axis, norm, orthogonalize=orthogonalize)
    return x


@composite(sf.dstn)
def dstn(x, type=2, s=None, axes=None, norm=None, workers=None, *, orthogonalize=None):
    for axis, n in axes_and_lengths(x, s, axes):
        x = sf.dst(x, type, n, axis, norm, orthogonalize=orthogonalize)
    return x


@composite(sf.idstn)
def idstn(x, type=2, s=None, axes=None, norm=None, workers=None, *, orthogonalize=None):
    for axis, n in axes_and_lengths(x, s, axes):
        x = sf.idst(x, type, n, axis, norm, orthogonalize=orthogonalize)
    return x


nondifferentiable(end_factors)
