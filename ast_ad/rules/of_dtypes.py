"""How do the numbers and arrays in a container get their dtypes?"""

from __future__ import annotations

from typing import Any

from .helpers import astype
from .registry import vjp


def of_dtypes(xs: Any, dtypes: Any) -> Any:
    """What lists, dicts and tuples hold, converted; of a tuple there is a dtype, or None, for each item.

    >>> import numpy as np
    >>> of_dtypes([np.float64(1.0), 0.0], np.dtype("float32"))
    [np.float32(1.0), np.float32(0.0)]
    """
    if isinstance(xs, tuple) and isinstance(dtypes, tuple):
        return tuple(of_dtypes(item, dtype) for item, dtype in zip(xs, dtypes, strict=True))
    if isinstance(xs, (list, tuple)):
        return type(xs)(of_dtypes(item, dtypes) for item in xs)
    if isinstance(xs, dict):
        return {key: of_dtypes(item, dtypes) for key, item in xs.items()}
    return xs if xs is None or dtypes is None else astype(xs, dtypes)


@vjp(of_dtypes)
def of_dtypes_rule(g, ans, xs, dtypes):
    return g, None
