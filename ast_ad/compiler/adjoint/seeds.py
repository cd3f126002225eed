"""What cotangents does a reverse sweep start with?

``seeds(builder, results, given) -> list[tuple[Arg, Arg]]``. Before ``adjoint`` visits the first statement.

A parameter for each result, or 1 for the only one, which has one element: where the type can't tell so, the
program asks when it runs.
"""

from __future__ import annotations

import numpy as np

from ...errors import InputTypeError
from ...rules import helpers
from ..frontend.builder import Builder, type_of_arg
from ..ir.ops import Arg, Lit, Var, atoms
from ..ir.types import (
    Array,
    Optional,
    Scalar,
    Type,
    carries_derivative,
    differs_from_one,
    kind_of,
    rank_of,
)
from .contributions import bar_hint, cotangent_type


def seeds(builder: Builder, results: tuple[Arg, ...], given: bool) -> list[tuple[Arg, Arg]]:
    """The values to differentiate, each with its cotangent, which is a new Var if it is to be ``given``.

    Raises:
        InputTypeError: none is given, and there is not exactly one real result of one element.
    """
    found = [a for result in results for a in atoms(result) if carries_derivative(type_of_arg(a))]
    if given:
        return [
            (a, Var(cotangent_type(type_of_arg(a)), (isinstance(a, Var) and bar_hint(a)) or "value_bar"))
            for a in found
        ]
    if len(found) != 1 or kind_of(type_of_arg(found[0])) != "float" or not may_be_one(type_of_arg(found[0])):
        types = ", ".join(str(type_of_arg(a)) for r in results for a in atoms(r)) or "nothing"
        raise InputTypeError(
            f"the gradient of a function that returns {types}",
            why="a gradient is that of one real number",
            fix="return a float, or compute a vector-Jacobian product with a cotangent for each result",
        )
    (value,) = found
    type = type_of_arg(value)
    if isinstance(type, Scalar) and type.dtype is not None and type.dtype != np.float64:
        return [(value, Lit(type.dtype.type(1)))]  # Python's 1.0 would make doubles, once it is an array
    if rank_of(type) == 0:
        return [(value, Lit(1.0))]
    certain = isinstance(type, Array) and type.shape is not None and set(type.shape) == {1}
    one = builder.opaque(np.ones_like if certain else helpers.one_like, (value,), type)
    one.hint = "value_bar"
    return [(value, one)]


def may_be_one(type: Type) -> bool:
    """Whether a number or an array of this type may have one element."""
    type = type.value if isinstance(type, Optional) else type
    if isinstance(type, Scalar):
        return True
    return isinstance(type, Array) and not any(map(differs_from_one, type.shape or ()))
