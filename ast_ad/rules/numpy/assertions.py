"""NumPy's checks for tests: they look at values, and return nothing."""

import numpy.testing as checks

from ..registry import nondifferentiable

nondifferentiable(
    checks.assert_allclose,
    checks.assert_almost_equal,
    checks.assert_approx_equal,
    checks.assert_array_almost_equal,
    checks.assert_array_almost_equal_nulp,
    checks.assert_array_equal,
    checks.assert_array_less,
    checks.assert_array_max_ulp,
    checks.assert_equal,
)
