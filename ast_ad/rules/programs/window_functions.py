"""What do the filters of ``scipy.ndimage`` compute whose window is given to a function of the user's?

``generic_filter`` gives it the numbers around a place, and ``generic_filter1d`` a line and one to write to.
SciPy's compiled code calls back. The programs here call in a loop, so that the function is followed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage as nd
from scipy import LowLevelCallable

from ..numpy.gather import refuse
from ..scipy import image_splines  # noqa: F401
from ..scipy.morphology import rows_around
from ..scipy.ndimage import PADDED, require_plain
from ..standing import stands_for


@stands_for(nd.generic_filter)
def generic_filter(
    input,
    function,
    size=None,
    footprint=None,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
    *,
    axes=None,
):
    require_called_back("generic_filter", function, output, axes)
    if size is None and footprint is None:
        raise RuntimeError("no footprint or filter size provided")
    keywords = {} if extra_keywords is None else extra_keywords
    input = np.asarray(input)
    rows = rows_around(input, size, footprint, mode, cval, origin)
    found = np.empty(input.size)
    for i in range(input.size):
        found[i] = function(rows[i].copy(), *extra_arguments, **keywords)
    return np.reshape(found, input.shape).astype(input.dtype)


@stands_for(nd.generic_filter1d)
def generic_filter1d(
    input,
    function,
    filter_size,
    axis=-1,
    output=None,
    mode="reflect",
    cval=0.0,
    origin=0,
    extra_arguments=(),
    extra_keywords=None,
):
    require_called_back("generic_filter1d", function, output, None)
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    if filter_size // 2 + origin < 0 or filter_size // 2 + origin >= filter_size:
        raise ValueError("invalid origin")
    keywords = {} if extra_keywords is None else extra_keywords
    input = np.asarray(input)
    moved = np.moveaxis(input, axis, -1)
    lines = np.reshape(moved.astype(float), (-1, moved.shape[-1]))
    before = filter_size // 2 + origin
    sides = [(0, 0), (before, filter_size - 1 - before)]
    if PADDED[mode] == "constant":
        wide = np.pad(lines, sides, constant_values=cval)
    else:
        wide = np.pad(lines, sides, PADDED[mode])  # type: ignore[call-overload]
    found = np.empty(lines.shape)
    for i in range(len(lines)):
        line = np.zeros(lines.shape[1])
        function(wide[i].copy(), line, *extra_arguments, **keywords)
        found[i] = line
    moved = np.moveaxis(np.reshape(found, moved.shape), -1, axis)
    return np.ascontiguousarray(moved).astype(input.dtype)


def require_called_back(name: str, function: Any, output: Any, axes: Any) -> None:
    """Refuse what can't be followed."""
    require_plain(name, output, axes)
    if isinstance(function, LowLevelCallable):
        refuse(f"scipy.ndimage.{name} of a LowLevelCallable", fix="give a function of Python's")
