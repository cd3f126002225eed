"""What computes functions of which an argument is an integer: an order, or the exponent of a power?

``form(fn, types, values) -> Function | None``: what kernels call; None where it is no such function, or is
called otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....rules import partials
from ...ir.types import Scalar
from . import families, integer_powers

Function = Callable[..., Any]


def form(fn: Function, types: Sequence[Scalar], values: Sequence[Any]) -> Function | None:
    """What computes it; ``values``: of the arguments, as far as they are known."""
    if fn in OF_ORDER and len(types) > OF_ORDER[fn][0]:
        found = _of_order(fn, types)
        if found is not None:
            return found
    if fn in WHOLE_POWERS and len(types) > 1:
        found = _whole_power(fn, types, values)
        if found is not None:
            return found
    return _power_derivative(types) if fn is partials.power_derivative else None


# Functions with an order, which is an integer: by where it stands among the arguments, what computes them.
OF_ORDER: dict[Function, tuple[int, Function]] = {
    partials.polygamma: (0, families.polygamma),
    partials.sinc_derivative: (1, families.sinc_derivative),
}


def _of_order(fn: Function, types: Sequence[Scalar]) -> Function | None:
    place, form = OF_ORDER[fn]
    order, others = types[place], [type for k, type in enumerate(types) if k != place]
    double = any(type.dtype == np.float64 for type in others)
    own = all(type.kind == "float" and type.dtype in (None, np.float64) for type in others)
    known = order.kind == "int" and order.dtype in (None, np.int64)
    return form if double and own and known else None


def _whole_power(fn: Function, types: Sequence[Scalar], values: Sequence[Any]) -> Function | None:
    """Of a double by an integer that is no small constant, for which there is something better."""
    if types[0].kind != "float" or types[1].kind != "int":
        return None
    native = types[0].dtype in (None, np.float64) and types[1].dtype in (None, np.int64)
    small = type(values[1]) is int and 0 < values[1] <= 4
    found = native and not small and (len(types) == 2 or values[3] == 0)
    return WHOLE_POWERS[fn] if found else None


WHOLE_POWERS: dict[Function, Function] = {
    np.power: integer_powers.whole_power,
    partials.power_dx: integer_powers.whole_power_dx,
    partials.power_derivative: integer_powers.whole_power_derivative,
}


def _power_derivative(types: Sequence[Scalar]) -> Function | None:
    """Of doubles, integers and complex numbers of doubles, by orders that are integers."""
    own = (None, np.float64, np.int64, np.complex128)
    if any(t.dtype not in own or t.kind == "bool" for t in types) or any(t.kind != "int" for t in types[2:]):
        return None
    is_complex = any(t.kind == "complex" for t in types)
    return families.power_derivative_complex if is_complex else families.power_derivative
