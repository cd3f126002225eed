"""How do the transforms of ``scipy.fft`` pass a cotangent back? As NumPy's do; and the cosine transform.

Read by the registry once the user's program has imported ``scipy.fft``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf

from ..numpy.fft import fftfreq, fftshift, fitted, ifftshift, multiplicity, other_side, transformed_axes
from ..numpy.gather import refuse
from ..registry import composite, vjp


@vjp(sf.fft)
def fft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    return fitted(sf.ifft(g, axis=axis, norm=other_side(norm)), x)


@vjp(sf.ifft)
def ifft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    return fitted(sf.fft(g, axis=axis, norm=other_side(norm)), x)


@vjp(sf.fft2)
def fft2(g, ans, x, s=None, axes=(-2, -1), norm=None, workers=None):
    return fitted(sf.ifft2(g, axes=axes, norm=other_side(norm)), x)


@vjp(sf.ifft2)
def ifft2(g, ans, x, s=None, axes=(-2, -1), norm=None, workers=None):
    return fitted(sf.fft2(g, axes=axes, norm=other_side(norm)), x)


@vjp(sf.fftn)
def fftn(g, ans, x, s=None, axes=None, norm=None, workers=None):
    return fitted(sf.ifftn(g, axes=transformed_axes(x, s, axes), norm=other_side(norm)), x)


@vjp(sf.ifftn)
def ifftn(g, ans, x, s=None, axes=None, norm=None, workers=None):
    return fitted(sf.fftn(g, axes=transformed_axes(x, s, axes), norm=other_side(norm)), x)


@vjp(sf.rfft)
def rfft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    length = np.size(x, axis) if n is None else n
    return fitted(np.real(sf.ifft(g, length, axis, other_side(norm))), x)


@vjp(sf.irfft)
def irfft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    spectrum = np.moveaxis(sf.rfft(g, axis=axis, norm=other_side(norm)), axis, -1)
    return fitted(np.moveaxis(spectrum * multiplicity(np.size(ans, axis)), -1, axis), x)


@composite(sf.rfftn)
def rfftn(x, s=None, axes=None, norm=None):
    axes = transformed_axes(x, s, axes)
    lengths = [None for _ in axes] if s is None else s
    out = sf.rfft(x, lengths[-1], axes[-1], norm)
    for n, axis in zip(lengths[-2::-1], axes[-2::-1], strict=True):
        out = sf.fft(out, n, axis, norm)
    return out


@composite(sf.irfftn)
def irfftn(x, s=None, axes=None, norm=None):
    axes = transformed_axes(x, s, axes)
    lengths = [None for _ in axes] if s is None else s
    out = x
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        out = sf.ifft(out, n, axis, norm)
    return sf.irfft(out, lengths[-1], axes[-1], norm)


@composite(sf.rfft2)
def rfft2(x, s=None, axes=(-2, -1), norm=None):
    return sf.rfftn(x, s, axes, norm)


@composite(sf.irfft2)
def irfft2(x, s=None, axes=(-2, -1), norm=None):
    return sf.irfftn(x, s, axes, norm)


# ----- the cosine transform of type 2, and its inverse -----


@vjp(sf.dct)
def dct(g, ans, x, type=2, n=None, axis=-1, norm=None):
    """The orthonormal transform, whose adjoint is its inverse, times a scale per frequency."""
    check_cosine("dct", type, n, norm)
    if norm == "ortho":
        return sf.idct(g, 2, None, axis, "ortho")
    scaled = np.moveaxis(np.moveaxis(g, axis, -1) * cosine_scale(np.size(ans, axis)), -1, axis)
    return sf.idct(scaled, 2, None, axis, "ortho")


@vjp(sf.idct)
def idct(g, ans, x, type=2, n=None, axis=-1, norm=None):
    check_cosine("idct", type, n, norm)
    bar = sf.dct(g, 2, None, axis, "ortho")
    if norm == "ortho":
        return bar
    return np.moveaxis(np.moveaxis(bar, axis, -1) / cosine_scale(np.size(ans, axis)), -1, axis)


def check_cosine(name: str, type: Any, n: Any, norm: Any) -> None:
    if type != 2 or n is not None or norm == "forward":
        refuse(f"scipy.fft.{name} with these options", fix="use type=2, no n, and no norm or norm='ortho'")


def cosine_scale(n: int) -> Any:
    """What the transform of type 2 of ``n`` numbers is, divided by the orthonormal one."""
    return np.sqrt(np.where(np.arange(n) > 0, 2.0, 4.0) * n)


vjp(sf.fftshift)(fftshift)
vjp(sf.ifftshift)(ifftshift)
vjp(sf.fftfreq, sf.rfftfreq)(fftfreq)
