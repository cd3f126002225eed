"""What are gradients written by hand compiled with? Numba, and plain Python where it is not installed.

The flags and the mathematical functions are those of the kernels that ``ast_ad`` writes, so that a comparison
shows what the generated code loses against code by hand, not what a vectorised ``exp`` gains.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

try:
    import numba

    from ast_ad.compiler.kernels.vector_math import cos, erf, exp, log, sin, tanh

    compiled: Callable[..., Any] = numba.njit(
        cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"}
    )
except ImportError:
    from math import erf

    cos, exp, log, sin, tanh = np.cos, np.exp, np.log, np.sin, np.tanh

    def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
        return function


__all__ = ["compiled", "cos", "erf", "exp", "log", "sin", "tanh"]
