"""How do the transforms of ``scipy.fftpack`` pass a cotangent back? As those of ``scipy.fft``.

Read by the registry once the user's program has imported ``scipy.fftpack``. Its ``rfft`` and ``irfft`` lay
real and imaginary parts one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft as sf
import scipy.fftpack as fp

from ..numpy.fft import fftfreq
from ..registry import composite, nondifferentiable, vjp
from .cosine_transforms import OTHER_TYPE


@composite(fp.fft)
def fft(x, n=None, axis=-1, overwrite_x=False):
    return sf.fft(x, n, axis)


@composite(fp.ifft)
def ifft(x, n=None, axis=-1, overwrite_x=False):
    return sf.ifft(x, n, axis)


@composite(fp.fft2)
def fft2(x, shape=None, axes=(-2, -1), overwrite_x=False):
    return sf.fft2(x, shape, axes)


@composite(fp.ifft2)
def ifft2(x, shape=None, axes=(-2, -1), overwrite_x=False):
    return sf.ifft2(x, shape, axes)


@composite(fp.fftn)
def fftn(x, shape=None, axes=None, overwrite_x=False):
    return sf.fftn(x, shape, axes)


@composite(fp.ifftn)
def ifftn(x, shape=None, axes=None, overwrite_x=False):
    return sf.ifftn(x, shape, axes)


@composite(fp.rfft)
def rfft(x, n=None, axis=-1, overwrite_x=False):
    length = np.shape(x)[axis] if n is None else n
    spectrum = np.moveaxis(sf.rfft(x, n, axis), axis, -1)
    parts = np.stack([np.real(spectrum), np.imag(spectrum)], axis=-1)
    return np.moveaxis(np.reshape(parts, (*np.shape(spectrum)[:-1], -1))[..., in_packed(length)], -1, axis)


def in_packed(n: int) -> Any:
    """Where the numbers that ``rfft`` gives stand among all real and imaginary parts.

    >>> in_packed(4)
    array([0, 2, 3, 4])
    """
    return np.concatenate((np.zeros(1, int), np.arange(2, n + 1)))[:n]


@composite(fp.irfft)
def irfft(x, n=None, axis=-1, overwrite_x=False):
    packed = np.moveaxis(x, axis, -1)
    length = np.shape(packed)[-1] if n is None else n
    if np.shape(packed)[-1] < length:
        more = np.zeros((*np.shape(packed)[:-1], length - np.shape(packed)[-1]), np.result_type(packed))
        packed = np.concatenate((packed, more), axis=-1)
    packed = packed[..., :length]
    none = np.zeros_like(packed[..., :1])
    parts = [packed[..., :1], none, packed[..., 1:]] + ([none] if length % 2 == 0 else [])
    pairs = np.reshape(np.concatenate(parts, axis=-1), (*np.shape(packed)[:-1], -1, 2))
    return np.moveaxis(sf.irfft(pairs[..., 0] + 1j * pairs[..., 1], length), -1, axis)


# ----- cosine and sine transforms; the inverse ones without a norm are those of the other type -----


@composite(fp.dct)
def dct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    return sf.dct(x, type, n, axis, norm)


@composite(fp.idct)
def idct(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    return sf.dct(x, OTHER_TYPE[type], n, axis, norm)


@composite(fp.dst)
def dst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    return sf.dst(x, type, n, axis, norm)


@composite(fp.idst)
def idst(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False):
    return sf.dst(x, OTHER_TYPE[type], n, axis, norm)


@composite(fp.dctn)
def dctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    return sf.dctn(x, type, shape, axes, norm)


@composite(fp.idctn)
def idctn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    return sf.dctn(x, OTHER_TYPE[type], shape, axes, norm)


@composite(fp.dstn)
def dstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    return sf.dstn(x, type, shape, axes, norm)


@composite(fp.idstn)
def idstn(x, type=2, shape=None, axes=None, norm=None, overwrite_x=False):
    return sf.dstn(x, OTHER_TYPE[type], shape, axes, norm)


nondifferentiable(in_packed)
vjp(fp.rfftfreq)(fftfreq)
