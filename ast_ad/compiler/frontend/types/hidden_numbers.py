"""Does an operation put differentiated numbers where no derivative is followed, among objects or texts?

``refuse_hidden(fn, args, kwargs, types)``, of every operation that the front end writes. What comes back from
such an array (``a.astype(float)``) would have the derivative zero.
"""

from __future__ import annotations

import numpy as np

from ...ir.ops import Arg, Lit, variables
from ...ir.types import Array, Type, carries_derivative
from ..values import Callee
from .dummies import InferenceError

SHAPES = frozenset({np.full_like, np.empty_like, np.zeros_like, np.ones_like})  # of their first arguments


def refuse_hidden(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg], types: object) -> None:
    if not _holds_anything(types):
        return
    read = variables(*(args[1:] if fn in SHAPES else args), *kwargs.values())
    if any(carries_derivative(v.type) for v in read):
        raise InferenceError("no derivative is followed through arrays of objects and texts")


def is_label(type: Type, new: Arg) -> bool:
    """Whether it is a constant without a number in it that goes into an array of such: a name of a class."""
    return _holds_anything(type) and isinstance(new, Lit) and isinstance(new.value, str | bytes | bool | None)


def _holds_anything(types: object) -> bool:
    if isinstance(types, tuple | list):
        return any(map(_holds_anything, types))
    return isinstance(types, Array) and types.dtype.kind in "OUS"
