"""Which functions are constant wherever they are smooth, or give no numbers to differentiate?"""

from __future__ import annotations

import builtins
import cmath
import math
import operator

import numpy as np

from ..registry import nondifferentiable

# ----- steps -----
nondifferentiable(np.floor, np.ceil, np.trunc, np.fix, np.rint, np.round, np.around)
nondifferentiable(np.floor_divide, operator.floordiv, np.signbit, np.spacing)
nondifferentiable(math.floor, math.ceil, math.trunc, math.ulp, builtins.round, builtins.int, builtins.bool)

# ----- shapes, lengths and types -----
nondifferentiable(np.shape, np.ndim, np.size, builtins.len, np.result_type, np.promote_types, np.can_cast)
nondifferentiable(np.iterable, np.finfo, np.iinfo, builtins.isinstance, builtins.type, builtins.range)

# ----- predicates -----
nondifferentiable(np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
nondifferentiable(operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)
nondifferentiable(operator.is_, operator.is_not, operator.not_, operator.truth, operator.contains)
nondifferentiable(
    np.isnan, np.isfinite, np.isinf, np.isnat, np.isposinf, np.isneginf, np.isreal, np.iscomplex
)
nondifferentiable(np.isin, np.isdtype, np.issubdtype, np.min_scalar_type, np.common_type)
nondifferentiable(np.isrealobj, np.iscomplexobj, np.isscalar, np.isclose, np.allclose, np.array_equal)
nondifferentiable(np.array_equiv, np.may_share_memory, np.shares_memory, np.isfortran)
nondifferentiable(math.isnan, math.isfinite, math.isinf, math.isclose)
nondifferentiable(cmath.isnan, cmath.isfinite, cmath.isinf, cmath.isclose)
nondifferentiable(np.logical_and, np.logical_or, np.logical_xor, np.logical_not)
nondifferentiable(np.any, np.all, builtins.any, builtins.all, np.count_nonzero)

# ----- integers and bits -----
nondifferentiable(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift)
nondifferentiable(
    operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift
)
nondifferentiable(np.gcd, np.lcm, np.packbits, np.unpackbits, operator.index, np.bitwise_count)
nondifferentiable(math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt)

# ----- positions -----
nondifferentiable(np.argmax, np.argmin, np.nanargmax, np.nanargmin)
