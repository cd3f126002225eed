"""How do the filters and convolutions of ``scipy.signal`` pass a cotangent back?

Read by the registry once the user's program has imported ``scipy.signal``. All of them are programs of two
functions: a filter along the last axis, whose adjoint is the same filter from behind, and a full
convolution, whose adjoint is a part of one with the other operand turned round. The values are SciPy's own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd
import scipy.signal as sg
from scipy.signal._upfirdn import _output_len

from .. import helpers
from ..numpy.gather import refuse
from ..registry import composite, multilinear, nondifferentiable, shape, vjp
from ..standing import stands_for

# ----- filters -----


def filtered(b: Any, a: Any, x: Any) -> Any:
    """``sg.lfilter`` along the last axis, from rest.

    >>> filtered(np.array([1.0]), np.array([1.0, -0.5]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    return sg.lfilter(b, a, x)


def lag_sums(g: Any, x: Any, like: Any) -> Any:
    """``sum(g[n] * x[n - k])`` for as many lags ``k`` as ``like`` is long, over all rows.

    >>> lag_sums(np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.zeros(3))
    array([13.,  6.,  0.])
    """
    found = np.zeros(np.shape(like), np.result_type(g, x))
    n = np.shape(x)[-1]
    for k in range(min(n, len(found))):
        found[k] = np.sum(g[..., k:] * x[..., : n - k])
    return found


@shape(filtered)
def filtered_shape(b, a, x):
    return x


@shape(lag_sums)
def lag_sums_shape(g, x, like):
    return like


@vjp(filtered)
def filtered_rule(g, ans, b, a, x):
    one = np.ones(1)
    b_bar = lag_sums(g, np.conj(filtered(one, a, x)), b)
    a_bar = -lag_sums(g, np.conj(filtered(one, a, ans)), a)
    return b_bar, a_bar, filtered(np.conj(b), np.conj(a), g[..., ::-1])[..., ::-1]


@vjp(lag_sums)
def lag_sums_rule(g, ans, h, x, like):
    one = np.ones(1)
    return filtered(g, one, np.conj(x)), filtered(g, one, np.conj(h)[..., ::-1])[..., ::-1], None


helpers.METADATA[lag_sums] = 2


def lined(x: Any, axis: int) -> Any:
    """The array with an axis moved to the end."""
    return x if np.ndim(x) == 1 else np.moveaxis(x, axis, -1)


def back(x: Any, axis: int) -> Any:
    return x if np.ndim(x) == 1 else np.moveaxis(x, -1, axis)


def from_state(b: Any, a: Any, x: Any, zi: Any) -> Any:
    """Filtered rows that begin in a state, which adds to the first values, and the state at the end.

    What is left of ``b * x + zi - a * y`` beyond the end is that state.
    """
    b, a = b / a[0], a / a[0]
    count, n = max(len(a), len(b)) - 1, np.shape(x)[-1]
    rest = np.zeros(np.shape(x)[:-1] + (count,))
    one = np.ones(1)
    zi = zi + rest
    driven = filtered(b, one, np.concatenate((x, rest), axis=-1))
    driven = driven + np.concatenate((zi, np.zeros(np.shape(x))), axis=-1)
    y = filtered(one, a, driven)[..., :n]
    left = driven - filtered(a, one, np.concatenate((y, rest), axis=-1))
    return y, left[..., n:]


@shape(sg.lfilter)
def lfilter_shape(b, a, x, axis=-1, zi=None):
    return x if zi is None else [x, (None,) * len(x)]


@composite(sg.lfilter)
def lfilter(b, a, x, axis=-1, zi=None):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    if zi is None:
        return back(filtered(b, a, lined(np.asarray(x), axis)), axis)
    y, state = from_state(b, a, lined(np.asarray(x), axis), lined(np.asarray(zi), axis))
    return back(y, axis), back(state, axis)


@composite(sg.upfirdn)
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    """Zeros between the numbers, a filter, and every ``down``-th of what comes out."""
    if mode not in ("constant", None) or cval != 0:
        refuse("scipy.signal.upfirdn with another mode than zeros", fix="extend the signal before")
    h, rows = np.asarray(h), lined(np.asarray(x), axis)
    n, lead = np.shape(rows)[-1], np.shape(rows)[:-1]
    between = np.zeros_like(np.repeat(rows[..., None], up - 1, axis=-1))
    behind = np.zeros_like(np.repeat(rows[..., :1], len(h) - 1, axis=-1))
    apart = np.reshape(np.concatenate((rows[..., None], between), axis=-1), (*lead, n * up))
    apart = np.concatenate((apart[..., : (n - 1) * up + 1], behind), axis=-1)
    return back(filtered(h, np.ones_like(h[:1]), apart)[..., ::down], axis)


nondifferentiable(_output_len)


@composite(sg.lfilter_zi)
def lfilter_zi(b, a):
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    n = max(len(a), len(b))
    b = np.concatenate((b, np.zeros(n - len(b)))) / a[0]
    a = np.concatenate((a, np.zeros(n - len(a)))) / a[0]
    first = np.eye(n - 1)[:1]
    system = np.eye(n - 1) - np.eye(n - 1, k=1) + a[1:, None] * first
    return np.linalg.solve(system, b[1:] - a[1:] * b[0])


@shape(sg.filtfilt)
def filtfilt_shape(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    return x


@composite(sg.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    if method != "pad":
        refuse("scipy.signal.filtfilt with method='gust'", "there is no rule for it", "use method='pad'")
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    edge = edge_length(padtype, padlen, max(len(a), len(b)))
    wide = padded(lined(np.asarray(x), axis), padtype, edge)
    zi = sg.lfilter_zi(b, a)
    y, _ = from_state(b, a, wide, zi * wide[..., :1])
    y = y[..., ::-1]
    y, _ = from_state(b, a, y, zi * y[..., :1])
    return back(inner(y[..., ::-1], edge), axis)


def edge_length(padtype: Any, padlen: Any, taps: Any) -> Any:
    if padtype is None:
        return 0
    return 3 * taps if padlen is None else padlen


def padded(x: Any, padtype: Any, edge: int) -> Any:
    """Rows continued on both sides: turned round a point, mirrored, or with the value at the end."""
    if edge == 0:
        return x
    n = np.shape(x)[-1]
    first, last = x[..., :1], x[..., -1:]
    before, behind = x[..., 1 : edge + 1][..., ::-1], x[..., n - 1 - edge : n - 1][..., ::-1]
    if padtype == "odd":
        before, behind = 2 * first - before, 2 * last - behind
    elif padtype == "constant":
        before, behind = first + 0 * before, last + 0 * behind
    return np.concatenate((before, x, behind), axis=-1)


def inner(y: Any, edge: int) -> Any:
    return y[..., edge : np.shape(y)[-1] - edge]


def sections(sos: Any, x: Any, axis: int, zi: Any) -> Any:
    """``sg.sosfilt``, which wants arrays that may be written to."""
    return sg.sosfilt(np.array(sos), np.array(x), axis, zi)


def both_ways(sos: Any, x: Any, axis: int, padtype: Any, padlen: Any) -> Any:
    """``sg.sosfiltfilt``, which wants arrays that may be written to."""
    return sg.sosfiltfilt(np.array(sos), np.array(x), axis, padtype, padlen)


@shape(both_ways)
def both_ways_shape(sos, x, axis=None, padtype=None, padlen=None):
    return x


@stands_for(sg.sosfilt)
def sosfilt(sos: Any, x: Any, axis: int = -1, zi: Any = None) -> Any:
    return sections(sos, x, axis, zi)


@stands_for(sg.sosfiltfilt)
def sosfiltfilt(sos: Any, x: Any, axis: int = -1, padtype: Any = "odd", padlen: Any = None) -> Any:
    return both_ways(sos, x, axis, padtype, padlen)


@shape(sections)
def sections_shape(sos, x, axis=None, zi=None):
    return x if zi is None else [x, (None,) * (len(x) + 1)]


@composite(sections)
def one_after_the_other(sos, x, axis, zi):
    rows = lined(np.asarray(x), axis)
    if zi is None:
        for section in sos:
            rows = filtered(section[:3], section[3:], rows)
        return back(rows, axis)
    states = []
    for section, state in zip(sos, zi, strict=True):
        rows, left = from_state(section[:3], section[3:], rows, lined(state, axis))
        states.append(back(left, axis))
    return back(rows, axis), np.stack(states)


@composite(both_ways)
def forth_and_back(sos, x, axis, padtype, padlen):
    taps = 2 * len(sos) + 1 - min(np.count_nonzero(sos[:, 2] == 0), np.count_nonzero(sos[:, 5] == 0))
    edge = edge_length(padtype, padlen, taps)
    rows = padded(lined(np.asarray(x), axis), padtype, edge)
    for _ in range(2):
        first, scale = rows[..., :1], 1.0
        for section in sos:
            b, a = section[:3], section[3:]
            rows, _ = from_state(b, a, rows, scale * sg.lfilter_zi(b, a) * first)
            scale = scale * np.sum(b) / np.sum(a)
        rows = rows[..., ::-1]
    return back(inner(rows, edge), axis)


# ----- convolutions -----


def full_convolution(x: Any, y: Any) -> Any:
    """The convolution of two arrays of one rank along all axes.

    >>> full_convolution(np.array([1.0, 2.0]), np.array([1.0, 0.0, 3.0]))
    array([1., 2., 3., 6.])
    """
    return sg.convolve(x, y)


@shape(full_convolution)
def full_shape(x, y):
    return tuple(None if m is None or n is None else m + n - 1 for m, n in zip(x, y, strict=True))


@vjp(full_convolution)
def full_rule(g, ans, x, y):
    return (
        window(full_convolution(g, np.conj(np.flip(y))), np.shape(y), np.shape(x)),
        window(full_convolution(g, np.conj(np.flip(x))), np.shape(x), np.shape(y)),
    )


multilinear(full_convolution)


def window(wide: Any, skipped: Any, lengths: Any) -> Any:
    """What is left of the array behind so many rows less one."""
    return wide[tuple([slice(m - 1, m - 1 + n) for m, n in zip(skipped, lengths, strict=True)])]


def cropped(full: Any, x: Any, y: Any, mode: str) -> Any:
    """What a mode leaves of a full convolution."""
    if mode == "full":
        return full
    sizes = zip(np.shape(x), np.shape(y), strict=True)
    if mode == "same":
        return full[tuple([slice((n - 1) // 2, (n - 1) // 2 + m) for m, n in sizes])]
    return full[tuple([slice(min(m, n) - 1, max(m, n)) for m, n in sizes])]


def of_mode(x: Any, y: Any, mode: Any) -> Any:
    """The lengths that are told for a mode."""
    if mode == "same":
        return x
    if mode == "full":
        return full_shape(x, y)
    return (None,) * len(x)


def by_fft(x: Any, y: Any, mode: str) -> Any:
    """``sg.fftconvolve``, which makes a vector of empty arrays of any rank."""
    if not np.size(x) or not np.size(y):
        raise ValueError("a convolution of an empty array")
    return sg.fftconvolve(x, y, mode)


def by_blocks(x: Any, y: Any, mode: str) -> Any:
    """``sg.oaconvolve``, which makes a vector of empty arrays of any rank."""
    if not np.size(x) or not np.size(y):
        raise ValueError("a convolution of an empty array")
    return sg.oaconvolve(x, y, mode)


@stands_for(sg.fftconvolve)
def fftconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    if axes is not None:
        refuse("a convolution with axes=", "there is no rule for it", "write the loop out")
    return by_fft(np.asarray(in1), np.asarray(in2), mode)


@stands_for(sg.oaconvolve)
def oaconvolve(in1: Any, in2: Any, mode: str = "full", axes: Any = None) -> Any:
    if axes is not None:
        refuse("a convolution with axes=", "there is no rule for it", "write the loop out")
    return by_blocks(np.asarray(in1), np.asarray(in2), mode)


@shape(by_fft, by_blocks)
def by_fft_shape(x, y, mode=None):
    return of_mode(x, y, mode)


@composite(by_fft, by_blocks)
def summed(x, y, mode):
    return cropped(full_convolution(x, y), x, y, mode)


@shape(sg.convolve, sg.correlate)
def convolve_shape(in1, in2, mode="full", method="auto"):
    return of_mode(in1, in2, mode)


@composite(sg.convolve)
def convolve(in1, in2, mode="full", method="auto"):
    x, y = np.asarray(in1), np.asarray(in2)
    return cropped(full_convolution(x, y), x, y, mode)


@composite(sg.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    x, y = np.asarray(in1), np.conj(np.flip(np.asarray(in2)))
    return cropped(full_convolution(x, y), x, y, mode)


BOUNDARIES = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap"}
BOUNDARIES |= {"symm": "symmetric", "symmetric": "symmetric"}


def planes(x: Any, y: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    """``sg.convolve2d``, which ends the process where an array is empty and goes on beyond its edges."""
    if not np.size(x) or not np.size(y):
        raise ValueError("convolve2d of an empty array")
    return sg.convolve2d(x, y, mode, boundary, fillvalue)


def turned_planes(x: Any, y: Any, mode: str, boundary: str, fillvalue: Any) -> Any:
    """``sg.correlate2d``."""
    if not np.size(x) or not np.size(y):
        raise ValueError("correlate2d of an empty array")
    return sg.correlate2d(x, y, mode, boundary, fillvalue)


@stands_for(sg.convolve2d)
def convolve2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    return planes(np.asarray(in1), np.asarray(in2), mode, boundary, fillvalue)


@stands_for(sg.correlate2d)
def correlate2d(in1: Any, in2: Any, mode: str = "full", boundary: str = "fill", fillvalue: Any = 0) -> Any:
    return turned_planes(np.asarray(in1), np.asarray(in2), mode, boundary, fillvalue)


@shape(planes, turned_planes)
def planes_shape(x, y, mode=None, boundary=None, fillvalue=None):
    return of_mode(x, y, mode)


@composite(planes)
def summed_planes(x, y, mode, boundary, fillvalue):
    return cropped(full_2d(x, y, boundary, fillvalue), x, y, mode)


@composite(turned_planes)
def summed_turned_planes(x, y, mode, boundary, fillvalue):
    y = np.conj(np.flip(y))
    full = full_2d(x, y, boundary, fillvalue)
    if mode != "same":
        return cropped(full, x, y, mode)
    (m, n), (k, l) = np.shape(x), np.shape(y)
    return full[k // 2 : k // 2 + m, l // 2 : l // 2 + n]


def full_2d(x: Any, y: Any, boundary: str, fillvalue: Any) -> Any:
    """The full convolution of a matrix that goes on beyond its edges."""
    if boundary in ("fill", "pad") and fillvalue == 0:
        return full_convolution(x, y)
    margins = [(n - 1, n - 1) for n in np.shape(y)]
    if boundary in ("fill", "pad"):
        wide = np.pad(x, margins, constant_values=fillvalue)
    else:
        wide = np.pad(x, margins, BOUNDARIES[boundary])  # type: ignore[call-overload]
    return cropped(full_convolution(wide, y), wide, y, "valid")


# ----- spectra, trends, smoothing -----


@composite(sg.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    x = lined(np.asarray(data), axis)
    if type in ("constant", "c"):
        return back(x - np.mean(x, axis=-1, keepdims=True), axis)
    if np.ndim(bp) > 0 or bp != 0:
        refuse("scipy.signal.detrend with bp=", "there is no rule for it", "cut the array into pieces")
    n = np.shape(x)[-1]
    t = np.arange(n) - (n - 1) / 2
    slope = np.sum(x * t, axis=-1, keepdims=True) / np.sum(t * t)
    return back(x - np.mean(x, axis=-1, keepdims=True) - slope * t, axis)


@composite(sg.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    x, window_length = np.asarray(x), int(window_length)  # which may be of few bits
    taps = sg.savgol_coeffs(window_length, polyorder, deriv, delta)  # by position: it has a derivative
    if mode != "interp":
        return nd.convolve1d(x, taps, axis, None, mode, cval)
    rows = lined(x, axis)
    half, n = window_length // 2, np.shape(rows)[-1]
    middle = nd.convolve1d(rows, taps, -1, None, "constant")[..., half : n - half]
    ends = end_weights(window_length, polyorder, deriv, delta)
    first = rows[..., :window_length] @ ends[:, :half]
    last = rows[..., n - window_length :] @ ends[:, window_length - half :]
    return back(np.concatenate((first, middle, last), axis=-1), axis)


def end_weights(length: int, degree: int, deriv: int, delta: float) -> Any:
    """What each value of a window adds to the polynomial through it, or its derivative, at each place."""
    weights = [sg.savgol_coeffs(length, degree, deriv, delta, pos=p, use="dot") for p in range(length)]
    return np.stack(weights, axis=1)


@vjp(sg.savgol_coeffs, end_weights)
def savgol_coeffs(g, ans, window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv"):
    return None, None, None, -deriv * np.sum(g * ans) / delta
