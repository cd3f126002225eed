"""What do roundings and conditions stand for that are more than a function of one number?

Part of the ``definitions``.
"""

from __future__ import annotations

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
from typing import Any

import numpy as np

from ....rules.numpy.gather import refuse

ARGUMENTS = {np.round: 1, np.around: 1, np.where: 3}
"""With how many these are functions of numbers, for each element."""


def rounded(a, decimals=0):
    """To the decimals as NumPy does it: of the number times a power of ten."""
    if not isinstance(decimals, int) or a.dtype.kind != "f":
        refuse("this call")
    if decimals == 0:
        return np.rint(a)
    power = 10.0 ** abs(decimals)
    return np.rint(a * power) / power if decimals > 0 else np.rint(a / power) * power


def modf(x):
    if x.dtype.kind != "f":
        refuse("this call")
    whole = np.trunc(x)
    return np.copysign(np.where(np.isinf(x), 0.0 * whole, x - whole), x), whole


def divided(a, b):
    return np.floor_divide(a, b), np.remainder(a, b)


def nonzero(a):
    if np.ndim(a) != 1:
        refuse("this call")
    return (np.flatnonzero(a),)


DEFINITIONS: dict[Any, Any] = {
    np.round: rounded,
    np.around: rounded,
    np.modf: modf,
    np.nonzero: nonzero,
    np.where: nonzero,
    np.divmod: divided,
}
