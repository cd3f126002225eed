"""What is the tangent of a value that is complex by its type, and real where it turns out to be?

Eigenvalues of a real matrix are such (``helpers.COMPLEX_BY_VALUE``). Their rules compute with complex
numbers; as long as all stay real while the matrix varies, so do the tangents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .registry import linear, vjp


def as_real_as(t: Any, x: Any) -> Any:
    """``t``, or its real part where ``x`` is real; no view of it.

    >>> as_real_as(2.0 + 0j, 1.0), as_real_as(2.0 + 1j, 1j)
    (2.0, (2+1j))
    """
    found = t if np.iscomplexobj(x) else np.real(t)
    return found.copy() if isinstance(found, np.ndarray) else found


@vjp(as_real_as)
def as_real_as_rule(g, ans, t, x):
    return as_real_as(g, x), None


linear(as_real_as)
