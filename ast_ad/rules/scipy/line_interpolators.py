"""How is ``scipy.interpolate.interp1d`` made of its data, and evaluated, as a program with derivatives?

The object has SciPy's attributes, so that either kind of object, SciPy's own or one made by the program
here, is called by the same code. Steps (``nearest``, ``previous``, ``next``) pass cotangents to the data
only.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import interp1d

from ..numpy.gather import refuse
from ..standing import stands_for
from .piecewise_polynomials import around, settled
from .splines import interpolating

_base = interp1d.__mro__[1]
ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}
NUMPYS = (np.dtype(float), np.dtype(int))  # for these it calls np.interp, whose results are doubles


@stands_for(interp1d.__init__)
def line(
    self: Any,
    x: Any,
    y: Any,
    kind: Any = "linear",
    axis: int = -1,
    copy: bool = True,
    bounds_error: Any = None,
    fill_value: Any = np.nan,
    assume_sorted: bool = False,
) -> None:
    x, y = np.asarray(x), np.asarray(y)
    if len(x) != np.shape(y)[axis]:
        raise ValueError("x and y arrays must be equal in length along interpolation axis.")
    if not np.issubdtype(y.dtype, np.inexact):
        y = y.astype(float)
    if not assume_sorted:
        order = np.argsort(x, kind="mergesort")
        x, y = x[order], np.take(y, order, axis=axis)
    ndim = np.ndim(y)
    axis = axis % ndim
    rows = y if ndim == 1 else np.moveaxis(y, axis, 0)
    self.x, self.y, self.axis, self._y_axis, self.copy = x, y, axis, axis, copy
    self._y_extra_shape = np.shape(rows)[1:]
    self._y = np.reshape(rows, (len(x), -1))
    self.bounds_error = bounds_error
    set_kind(self, kind)
    set_fill_value(self, kind, fill_value)


def set_kind(self: Any, kind: Any) -> None:
    x = self.x
    if kind == "linear":
        self._kind, self._call = kind, interp1d._call_linear
    elif kind in ("nearest", "nearest-up"):
        self._kind, self._call, self._side = (
            kind,
            interp1d._call_nearest,
            "left" if kind == "nearest" else "right",
        )
        halves = x / 2.0
        self.x_bds = halves[1:] + halves[:-1]
    elif kind in ("previous", "next"):
        self._kind, self._call, self._ind = kind, interp1d._call_previousnext, 0 if kind == "previous" else 1
        self._side = "left" if kind == "previous" else "right"
        self._x_shift = np.nextafter(x, -np.inf if kind == "previous" else np.inf)
    else:
        degree = ORDERS[kind] if isinstance(kind, str) else kind
        if np.any(np.isnan(x)) or np.any(np.isnan(self._y)):
            refuse("interp1d of NaN", "its values are NaN", "leave NaN out of the data")
        self._kind, self._call = "spline", interp1d._call_spline
        self._spline = interpolating(x, self._y, degree)


def set_fill_value(self: Any, kind: Any, fill_value: Any) -> None:
    """What stands beyond the ends: values, or the last piece that goes on."""
    goes_on = isinstance(fill_value, str) and fill_value == "extrapolate"
    if goes_on and self.bounds_error:
        raise ValueError("Cannot extrapolate and raise at the same time.")
    self._fill_value_orig = fill_value
    self._extrapolate = goes_on and kind not in ("previous", "next")
    if goes_on:
        self.bounds_error = False
    elif self.bounds_error is None:
        self.bounds_error = True
    if isinstance(fill_value, tuple) and len(fill_value) == 2:
        below, above = fill_value
    elif goes_on:
        below, above = (np.nan, self._y[-1]) if kind == "previous" else (self._y[0], np.nan)
    else:
        below, above = fill_value, fill_value
    if not self._extrapolate:
        self._fill_value_below, self._fill_value_above = np.asarray(below), np.asarray(above)


@stands_for(_base._prepare_x)
def points(self: Any, x: Any) -> Any:
    x = np.asarray(x)
    if not np.issubdtype(x.dtype, np.inexact):
        x = x.astype(float)
    return np.ravel(x), np.shape(x)


@stands_for(_base._finish_y)
def finished(self: Any, y: Any, x_shape: Any) -> Any:
    rest = self._y_extra_shape
    y = np.reshape(y, tuple(x_shape) + tuple(rest))
    if len(rest) == 0 or len(x_shape) == 0:
        return y
    return around(y, len(x_shape), settled(self._y_axis))


@stands_for(interp1d._evaluate)
def evaluate(self: Any, x_new: Any) -> Any:
    """A row for each point; beyond the ends the fill values."""
    y = piece(self, x_new)
    if self._extrapolate:
        return y
    low, high = x_new < self.x[0], x_new > self.x[-1]
    if self.bounds_error and np.any(low):
        raise ValueError("A value in x_new is below the interpolation range.")
    if self.bounds_error and np.any(high):
        raise ValueError("A value in x_new is above the interpolation range.")
    below, above = np.ravel(self._fill_value_below), np.ravel(self._fill_value_above)
    return np.where(low[:, None], below, np.where(high[:, None], above, y)).astype(y.dtype)


def piece(self: Any, x_new: Any) -> Any:
    x, y, kind = self.x, self._y, self._kind
    if kind == "spline":
        if self._call is not interp1d._call_spline:
            refuse("interp1d of NaN", "its values are NaN", "leave NaN out of the data")
        return self._spline(x_new)
    if kind in ("nearest", "nearest-up"):
        place = np.searchsorted(self.x_bds, x_new, side=self._side)
        return y[np.clip(place, 0, len(x) - 1)]
    if kind in ("previous", "next"):
        ahead = 0 if kind == "previous" else 1
        place = np.clip(np.searchsorted(self._x_shift, x_new, side=self._side), 1 - ahead, len(x) - ahead)
        return y[place + ahead - 1]
    plain = x.dtype in NUMPYS and self.y.dtype in NUMPYS
    if plain and len(self._y_extra_shape) == 0 and not self._extrapolate:
        return np.interp(x_new, x, self.y)[:, None]
    return interp1d._call_linear(self, x_new)  # SciPy's own: its formula is another one since SciPy 1.18
