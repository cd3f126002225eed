"""How does compiled code compute on numbers what NumPy's functions compute on the elements of arrays?

Each function takes numbers of one type, has NumPy's results at edges (NaN, infinities, division by zero,
ties), and has no branches that a loop vectoriser could not turn into selections. Only those are here for
which Numba's own differ from NumPy or do not vectorise.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from .. import vector_math
from ..linked import linked
from .selections import maximum, minimum

# For transcendental functions: the kernel itself has to hold their calls, so as to use the widest vectors.
inlined: Any = numba.njit(error_model="numpy", inline="always")

LN2, LOG2E, SQRT_HALF = math.log(2), 1 / math.log(2), math.sqrt(0.5)
DEGREES, RADIANS = 180 / math.pi, math.pi / 180
EPS, EPS32 = float(np.finfo(np.float64).eps), float(np.finfo(np.float32).eps)
HUGE, HUGE32 = float(np.finfo(np.float64).max), float(np.finfo(np.float32).max)

# ----- arithmetic -----


@linked
def reciprocal(x):
    return 1 / x


@linked
def square(x):
    return x * x


@linked
def identity(x):
    return x


@inlined
def power_dx(x, y):
    """``y * x ** (y - 1)``, which is 0 for ``y = 0``."""
    return y * vector_math.pow(x, y - 1) if y != 0 else y


@linked
def power_dx_single(x, y):
    return y * vector_math.pow(x, y - np.float32(1)) if y != 0 else y


@inlined
def power_dy(x, y, power):
    """``power * log(x)``, which is 0 at ``x = 0`` unless ``y`` is negative."""
    flat = x == 0 and y >= 0
    slope = power * vector_math.log(x)
    return x if flat else slope


# ----- selections -----


@linked
def clip(x, low, high):
    return minimum(maximum(x, low), high)


@linked
def heaviside(x, at_zero):
    return 1.0 if x > 0 else (0.0 if x < 0 else (at_zero if x == 0 else x))


@linked
def nan_to_num(x):
    limited = min(max(x, -HUGE), HUGE)
    return limited if x == x else 0.0


@linked
def nan_to_num_single(x):
    limited = min(max(x, np.float32(-HUGE32)), np.float32(HUGE32))
    return limited if x == x else np.float32(0.0)


# ----- predicates -----


@linked
def isnan(x):
    return x != x


@linked
def isinf(x):
    return abs(x) == np.inf


@linked
def isfinite(x):
    return abs(x) < np.inf


@linked
def isposinf(x):
    return x == np.inf


@linked
def isneginf(x):
    return x == -np.inf


@linked
def nowhere(x):
    return False


@linked
def everywhere(x):
    return True


@linked
def truth(x):
    return x != 0


@linked
def logical_not(x):
    return x == 0


@linked
def logical_and(x, y):
    return (x != 0) & (y != 0)


@linked
def logical_or(x, y):
    return (x != 0) | (y != 0)


@linked
def logical_xor(x, y):
    return (x != 0) != (y != 0)


@linked
def left_shift(x, n):
    """``x << y``; 0 where nothing of ``x`` is left."""
    return x << n if 0 <= n < 64 else 0


@linked
def right_shift(x, n):
    """``x >> y``; 0 or -1 where nothing of ``x`` is left."""
    return x >> (n if 0 <= n < 64 else 63)


# ----- exponentials, logarithms, angles -----


@inlined
def logaddexp(x, y):
    larger, distance = (x if x > y else y), abs(x - y)
    value = larger + vector_math.log1p(vector_math.exp(-distance))
    return value if x != y else x + LN2


@inlined
def logaddexp2(x, y):
    larger, distance = (x if x > y else y), abs(x - y)
    value = larger + LOG2E * vector_math.log1p(vector_math.exp2(-distance))
    return value if x != y else x + 1


@inlined
def exp_share(x, total):
    """``exp(x - total)``: 1 where they are equal, 0 where ``x`` is minus infinity."""
    share = vector_math.exp(x - total)
    return 0.0 if x == -np.inf else (1.0 if x == total else share)


@linked
def degrees(x):
    return x * DEGREES


@linked
def radians(x):
    return x * RADIANS


@inlined
def sinc(x):
    angle = math.pi * x
    angle = angle if angle != 0 else EPS
    return vector_math.sin(angle) / angle


@linked
def sinc_single(x):
    angle = np.float32(np.float32(math.pi) * x)
    angle = angle if angle != 0 else np.float32(EPS32)
    return vector_math.sin(angle) / angle


@linked
def angle_of_real(x):
    """The angle of a real number: 0 or pi."""
    return vector_math.atan2(0.0, x)


@linked
def zero(x):
    return 0.0


# ----- of scipy.special -----


@inlined
def expit(x):
    return 1 / (1 + vector_math.exp(-x))


@inlined
def ndtr(x):
    """Of doubles: its tail, by a rounded argument, is as exact as SciPy's."""
    return 0.5 * vector_math.erfc(x * -SQRT_HALF)


@inlined
def logit(x):
    middle = 2 * (x - 0.5)
    near = vector_math.log1p(middle) - vector_math.log1p(-middle)
    far = vector_math.log(x / (1 - x))
    return far if x < 0.3 or x > 0.65 or x != x else near


@inlined
def log_expit(x):
    tail = vector_math.log1p(vector_math.exp(-abs(x)))
    return (x if x < 0 else 0.0) - tail


@inlined
def xlogy(x, y):
    product = x * vector_math.log(y)
    return 0.0 if x == 0 and y == y else product


@inlined
def xlog1py(x, y):
    product = x * vector_math.log1p(y)
    return 0.0 if x == 0 and y == y else product


@inlined
def entr(x):
    value = -x * vector_math.log(x)
    return value if x > 0 or x != x else (0.0 if x == 0 else -np.inf)
