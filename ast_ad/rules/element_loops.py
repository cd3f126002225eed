"""What does a function of numbers, or of small arrays, do with larger ones, if a ufunc was made of it?

The compiler reads these functions in the place of a ufunc's call, and a trace runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def on_elements(function: Callable[..., Any], dtype: Any, *arrays: Any) -> Any:
    """The function of the elements of arrays that broadcast together, in an array of the dtype.

    >>> on_elements(lambda a, b: a if a > b else b, np.dtype(float), np.array([1.0, 5.0]), np.full(2, 3.0))
    array([3., 5.])
    """
    shape = np.broadcast_shapes(*[np.shape(a) for a in arrays])
    columns = [np.broadcast_to(a, shape).flatten() for a in arrays]
    found = np.empty(columns[0].shape, dtype)
    for i in range(columns[0].shape[0]):
        found[i] = function(*[column[i] for column in columns])
    return found.reshape(shape)


def on_parts(
    function: Callable[..., Any], axes: Any, dtypes: Any, arrays: Any, inputs: Any, outputs: Any
) -> Any:
    """What a function writes to the parts of new arrays, or of ``outputs``, with the parts of the inputs.

    ``axes``: the names of the axes that a part has, of each input and each output; what is before them is
    broadcast. ``arrays``: which of the inputs without such axes are passed as arrays of one number.

    >>> def total(a, out):
    ...     out[0] = a.sum()
    >>> on_parts(total, ((("n",),), ((),)), (np.dtype(float),), (False,), (np.ones((2, 3)),), ())
    array([3., 3.])

    Raises
    ------
    ValueError
        if axes of one name have several lengths.
    """
    lengths: dict[str, int] = {}
    shapes = [np.shape(a)[: np.ndim(a) - len(names)] for a, names in zip(inputs, axes[0], strict=True)]
    shapes += [np.shape(o)[: np.ndim(o) - len(names)] for o, names in zip(outputs, axes[1], strict=False)]
    given = [*zip(inputs, axes[0], strict=True), *zip(outputs, axes[1], strict=False)]
    for array, names in given:
        for k, name in enumerate(names):
            length = np.shape(array)[k - len(names)]
            if name in lengths and lengths[name] != length:
                raise ValueError(f"Input operand has a mismatch in its core dimension, {name} of {lengths}")
            lengths[name] = length
    shape = np.broadcast_shapes(*shapes)
    parts = []
    for array, names, as_array in zip(inputs, axes[0], arrays, strict=True):
        wide = np.broadcast_to(array, (*shape, *np.shape(array)[np.ndim(array) - len(names) :]))
        parts.append(wide[..., None] if as_array else wide)
    if outputs:
        written = [o if names else o[..., None] for o, names in zip(outputs, axes[1], strict=True)]
        along(function, len(shape), parts, written)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)
    made = [
        np.empty((*shape, *([lengths[name] for name in names] if names else [1])), dtype)
        for names, dtype in zip(axes[1], dtypes, strict=True)
    ]
    along(function, len(shape), parts, made)
    found = [o if names else o[..., 0][()] for o, names in zip(made, axes[1], strict=True)]
    return found[0] if len(found) == 1 else tuple(found)


def along(function: Callable[..., Any], count: int, inputs: Any, outputs: Any) -> None:
    """Call the function with what the arrays have at each place of so many first axes.

    >>> sums = np.zeros((2, 1))
    >>> along(lambda a, out: out.__setitem__(0, a.sum()), 1, (np.ones((2, 3)),), (sums,))
    >>> sums[:, 0]
    array([3., 3.])
    """
    if count == 0:
        function(*[a if np.ndim(a) else a[()] for a in inputs], *outputs)
    else:
        for i in range(outputs[0].shape[0]):
            along(function, count - 1, [a[i] for a in inputs], [o[i] for o in outputs])
