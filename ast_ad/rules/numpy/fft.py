"""How do Fourier transforms pass a cotangent back?

They are linear: the adjoint of a transform is the inverse one, with the other side's scaling, cut or padded
to the length of the argument.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import helpers
from ..registry import composite, nondifferentiable, vjp
from .gather import refuse


def other_side(norm: str | None) -> Any:
    """The ``norm`` that gives the inverse transform the scaling of the forward one.

    >>> other_side(None), other_side("ortho"), other_side("forward")
    ('forward', 'ortho', 'backward')
    """
    if norm is None or norm == "backward":
        return "forward"
    return "backward" if norm == "forward" else "ortho"


def fitted(g: Any, x: Any) -> Any:
    """``g`` cut off or padded with zeros at the end of each axis, to ``x``'s shape. Reads ``x``'s shape only.

    >>> fitted(np.ones((2, 2)), np.zeros((1, 3)))
    array([[1., 1., 0.]])
    """
    if np.shape(g) == np.shape(x):
        return g
    out = np.zeros(np.shape(x), np.asarray(g).dtype)
    common = tuple(slice(min(n, m)) for n, m in zip(np.shape(g), np.shape(x), strict=True))
    out[common] = g[common]
    return out


@vjp(fitted, view=True)
def fitted_rule(g, ans, x, like):
    return fitted(g, x), None


# ----- complex transforms -----


@vjp(np.fft.fft)
def fft(g, ans, a, n=None, axis=-1, norm=None):
    bar = np.fft.ifft(g, axis=axis, norm=other_side(norm))
    return bar if n is None else fitted(bar, a)


@vjp(np.fft.ifft)
def ifft(g, ans, a, n=None, axis=-1, norm=None):
    bar = np.fft.fft(g, axis=axis, norm=other_side(norm))
    return bar if n is None else fitted(bar, a)


@vjp(np.fft.fft2)
def fft2(g, ans, a, s=None, axes=(-2, -1), norm=None):
    bar = np.fft.ifft2(g, axes=axes, norm=other_side(norm))
    return bar if s is None else fitted_once(bar, a, axes)


@vjp(np.fft.ifft2)
def ifft2(g, ans, a, s=None, axes=(-2, -1), norm=None):
    bar = np.fft.fft2(g, axes=axes, norm=other_side(norm))
    return bar if s is None else fitted_once(bar, a, axes)


@vjp(np.fft.fftn)
def fftn(g, ans, a, s=None, axes=None, norm=None):
    axes = transformed_axes(a, s, axes)
    bar = np.fft.ifftn(g, axes=axes, norm=other_side(norm))
    return bar if s is None else fitted_once(bar, a, axes)


@vjp(np.fft.ifftn)
def ifftn(g, ans, a, s=None, axes=None, norm=None):
    axes = transformed_axes(a, s, axes)
    bar = np.fft.fftn(g, axes=axes, norm=other_side(norm))
    return bar if s is None else fitted_once(bar, a, axes)


def transformed_axes(a: Any, s: Any, axes: Any) -> Any:
    """The axes of an n-dimensional transform, by default the last ``len(s)`` or all."""
    if axes is not None:
        return axes
    if s is None:
        return tuple(range(-np.ndim(a), 0))
    return tuple(range(-len(s), 0))


def fitted_once(bar, a, axes):
    """The cotangent of what was cut or padded before all; an axis given twice is so in between, too."""
    check_axes(a, axes)
    return fitted(bar, a)


def check_axes(a: Any, axes: Any) -> None:
    if len({i % np.ndim(a) for i in axes}) < len(axes):
        refuse("an axis given twice, with lengths", fix="transform it once after the other")


def transformed_lengths(a: Any, s: Any, axes: Any, halved: bool = False) -> list[Any]:
    """To which length each of ``axes`` is cut or padded when its turn comes: by default to that it has now.

    ``halved``: the last is that of half a spectrum, whose other half follows from it.

    >>> transformed_lengths(np.zeros((3, 4)), (-1, 5), (0, 1)), transformed_lengths(np.zeros(3), None, (0, 0))
    ([3, 5], [3, 3])
    """
    lengths = [np.shape(a)[axis] for axis in axes]
    if s is not None:
        return [m if n == -1 else n for n, m in zip(s, lengths, strict=True)]
    return [*lengths[:-1], 2 * (lengths[-1] - 1)] if halved else lengths


# ----- transforms of real numbers -----


@vjp(np.fft.rfft)
def rfft(g, ans, a, n=None, axis=-1, norm=None):
    length = np.size(a, axis) if n is None else n
    bar = np.real(np.fft.ifft(g, length, axis, other_side(norm)))
    return bar if n is None else fitted(bar, a)


@vjp(np.fft.irfft)
def irfft(g, ans, a, n=None, axis=-1, norm=None):
    """All but the first and the middle element stand for two: themselves and their mirror image."""
    spectrum = np.moveaxis(np.fft.rfft(g, axis=axis, norm=other_side(norm)), axis, -1)
    bar = np.moveaxis(spectrum * multiplicity(np.size(ans, axis)), -1, axis)
    return bar if n is None else fitted(bar, a)


def multiplicity(n: int) -> Any:
    """How often each element of ``rfft`` of ``n`` numbers occurs in their ``fft``.

    >>> multiplicity(4), multiplicity(5)
    (array([1., 2., 1.]), array([1., 2., 2.]))
    """
    k = np.arange(n // 2 + 1)
    return np.where((k > 0) & (2 * k < n), 2.0, 1.0)


@composite(np.fft.rfftn)
def rfftn(a, s=None, axes=None, norm=None):
    axes = transformed_axes(a, s, axes)
    lengths = transformed_lengths(a, s, axes)
    out = np.fft.rfft(a, lengths[-1], axes[-1], norm)
    for n, axis in zip(lengths[-2::-1], axes[-2::-1], strict=True):
        out = np.fft.fft(out, n, axis, norm)
    return out


@composite(np.fft.irfftn)
def irfftn(a, s=None, axes=None, norm=None):
    axes = transformed_axes(a, s, axes)
    lengths = transformed_lengths(a, s, axes, True)
    out = a
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        out = np.fft.ifft(out, n, axis, norm)
    return np.fft.irfft(out, lengths[-1], axes[-1], norm)


@composite(np.fft.rfft2)
def rfft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.rfftn(a, s, axes, norm)


@composite(np.fft.irfft2)
def irfft2(a, s=None, axes=(-2, -1), norm=None):
    return np.fft.irfftn(a, s, axes, norm)


@composite(np.fft.hfft)
def hfft(a, n=None, axis=-1, norm=None):
    return np.fft.irfft(np.conj(a), n, axis, other_side(norm))


@composite(np.fft.ihfft)
def ihfft(a, n=None, axis=-1, norm=None):
    return np.conj(np.fft.rfft(a, n, axis, other_side(norm)))


# ----- order and frequencies -----


@vjp(np.fft.fftshift)
def fftshift(g, ans, x, axes=None):
    return np.fft.ifftshift(g, axes)


@vjp(np.fft.ifftshift)
def ifftshift(g, ans, x, axes=None):
    return np.fft.fftshift(g, axes)


@vjp(np.fft.fftfreq, np.fft.rfftfreq)
def fftfreq(g, ans, n, d=1.0):
    return None, -np.sum(g * ans) / d


nondifferentiable(multiplicity, check_axes)
helpers.METADATA.update({fitted: 1})
helpers.SHAPED_LIKE[fitted] = 1, (0,)
