"""How do the transforms of ``scipy.fft`` pass a cotangent back? As NumPy's do.

Read by the registry once the user's program has imported ``scipy.fft``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf

from ..numpy.fft import (
    fftfreq,
    fftshift,
    fitted,
    ifftshift,
    multiplicity,
    other_side,
    transformed_axes,
    transformed_lengths,
)
from ..registry import composite, nondifferentiable, vjp
from . import cosine_transforms  # noqa: F401

nondifferentiable(sf.next_fast_len, sf.prev_fast_len)  # of integers


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
    return fitted(sf.ifftn(g, axes=transformed_axes(x, listed(s), axes), norm=other_side(norm)), x)


@vjp(sf.ifftn)
def ifftn(g, ans, x, s=None, axes=None, norm=None, workers=None):
    return fitted(sf.fftn(g, axes=transformed_axes(x, listed(s), axes), norm=other_side(norm)), x)


@vjp(sf.rfft)
def rfft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    length = np.size(x, axis) if n is None else n
    return fitted(np.real(sf.ifft(g, length, axis, other_side(norm))), x)


@vjp(sf.irfft)
def irfft(g, ans, x, n=None, axis=-1, norm=None, workers=None):
    spectrum = np.moveaxis(sf.rfft(g, axis=axis, norm=other_side(norm)), axis, -1)
    return fitted(np.moveaxis(spectrum * multiplicity(np.size(ans, axis)), -1, axis), x)


def listed(s: Any) -> Any:
    """Lengths or axes, of which SciPy takes one alone for a list of one."""
    return s if s is None or np.ndim(s) else (s,)


@composite(sf.rfftn)
def rfftn(x, s=None, axes=None, norm=None, workers=None):
    s = listed(s)
    axes = transformed_axes(x, s, listed(axes))
    lengths = transformed_lengths(x, s, axes)
    out = sf.rfft(x, lengths[-1], axes[-1], norm)
    for n, axis in zip(lengths[-2::-1], axes[-2::-1], strict=True):
        out = sf.fft(out, n, axis, norm)
    return out


@composite(sf.irfftn)
def irfftn(x, s=None, axes=None, norm=None, workers=None):
    s = listed(s)
    axes = transformed_axes(x, s, listed(axes))
    lengths = transformed_lengths(x, s, axes, True)
    out = x
    for n, axis in zip(lengths[:-1], axes[:-1], strict=True):
        out = sf.ifft(out, n, axis, norm)
    return sf.irfft(out, lengths[-1], axes[-1], norm)


@composite(sf.rfft2)
def rfft2(x, s=None, axes=(-2, -1), norm=None, workers=None):
    return sf.rfftn(x, s, axes, norm)


@composite(sf.irfft2)
def irfft2(x, s=None, axes=(-2, -1), norm=None, workers=None):
    return sf.irfftn(x, s, axes, norm)


# ----- of spectra that are half given, and back -----


@composite(sf.hfft)
def hfft(x, n=None, axis=-1, norm=None, workers=None):
    return sf.irfft(np.conj(x), n, axis, other_side(norm))


@composite(sf.ihfft)
def ihfft(x, n=None, axis=-1, norm=None, workers=None):
    return np.conj(sf.rfft(x, n, axis, other_side(norm)))


@composite(sf.hfftn)
def hfftn(x, s=None, axes=None, norm=None, workers=None):
    return sf.irfftn(np.conj(x), s, axes, other_side(norm))


@composite(sf.ihfftn)
def ihfftn(x, s=None, axes=None, norm=None, workers=None):
    return np.conj(sf.rfftn(x, s, axes, other_side(norm)))


@composite(sf.hfft2)
def hfft2(x, s=None, axes=(-2, -1), norm=None, workers=None):
    return sf.hfftn(x, s, axes, norm)


@composite(sf.ihfft2)
def ihfft2(x, s=None, axes=(-2, -1), norm=None, workers=None):
    return sf.ihfftn(x, s, axes, norm)


vjp(sf.fftshift)(fftshift)
vjp(sf.ifftshift)(ifftshift)
vjp(sf.fftfreq, sf.rfftfreq)(fftfreq)
