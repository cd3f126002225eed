"""Which of SciPy's searches answer with whole numbers, that jump? Read once ``scipy.optimize`` is imported.

What is chosen is decided by the values, as it is by comparisons; what stands at the places has derivatives.
"""

from __future__ import annotations

import scipy.optimize as so

from ..registry import nondifferentiable

nondifferentiable(so.linear_sum_assignment)
