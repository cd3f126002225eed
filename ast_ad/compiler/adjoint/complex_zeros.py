"""Of which dtype are the zeros of a cotangent whose value is real, though complex by its type?

``complex_zeros(function) -> None``. The end of ``adjoint``. Eigenvalues of a real matrix are complex by
their type, and an array of floats where all are real (``helpers.COMPLEX_BY_VALUE``). Cotangents are of
the type: zeros made like the value would be floats, to which nothing complex can be added in place.
"""

from __future__ import annotations

import numpy as np

from ...rules.helpers import COMPLEX_BY_VALUE
from ..ir.ops import Function, Lit, Op, walk
from ..ir.types import Array


def complex_zeros(function: Function) -> None:
    """Let zeros that are made like another array be complex where their type is."""
    operations = [op for op in walk(function.body) if isinstance(op, Op)]
    if not any(op.fn in COMPLEX_BY_VALUE for op in operations):
        return
    for op in operations:
        if op.adjoint and op.fn is np.zeros_like and not op.kwargs and len(op.args) == 1:
            type = op.out.type
            if isinstance(type, Array) and type.kind == "complex":
                op.kwargs = {"dtype": Lit(type.dtype)}
