"""Of which Python function has Numba made a callable, and what does it do otherwise than Python?

Numba compiles a function for the types of a call (``njit``), or makes a ufunc of it: of a function of numbers
(``vectorize``), or of small arrays (``guvectorize``). Nothing of Numba is imported here.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

_UFUNCS = "numba.np.ufunc."


def made_of(value: Any) -> types.FunctionType | None:
    """The Python function of which Numba has made this callable; None if it isn't one of those.

    >>> made_of(len) is None
    True
    """
    module = type(value).__module__
    if not isinstance(module, str) or module.partition(".")[0] != "numba":
        return None
    found = getattr(value, "__wrapped__" if is_ufunc(value) else "py_func", None)
    return found if isinstance(found, types.FunctionType) else None


def is_ufunc(value: Any) -> bool:
    """Whether ``vectorize`` or ``guvectorize`` has made it, of a function of numbers or of small arrays."""
    module = type(value).__module__
    return isinstance(module, str) and module.startswith(_UFUNCS)


# In compiled code these give nan or inf where Python raises. Of ints they are floats, too.
WITHOUT_EXCEPTIONS: dict[Any, Any] = {
    **{
        getattr(math, name): getattr(np, name)
        for name in "sqrt log log2 log10 log1p exp expm1 sinh cosh fmod".split()
    },
    math.asin: np.arcsin,
    math.acos: np.arccos,
    math.acosh: np.arccosh,
    math.atanh: np.arctanh,
}


# ----- ufuncs: NumPy says how one converts its arguments; it is asked with arrays that have no element
def axes_of(fn: Any) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The names of the axes of each argument, and of each result: ``(m,n),(n)->(m)``."""
    return tuple(
        tuple(tuple(name.strip() for name in part.split(",") if name.strip()) for part in found)
        for found in (re.findall(r"\(([^)]*)\)", side) for side in fn.signature.split("->"))
    )


def taken_as_arrays(fn: Any, dtypes: Sequence[Any], axes: Any) -> list[bool]:
    """Which arguments without axes the compiled function takes as arrays of one number."""
    for signature in fn.gufunc_builder._sigs:
        if [np.dtype(str(getattr(t, "dtype", t))) for t in signature.args] == list(dtypes):
            return [not names and hasattr(t, "ndim") for names, t in zip(axes, signature.args, strict=False)]
    return [not names for names in axes]


def loop_types(fn: Any, given: Sequence[Any]) -> list[Any]:
    """The dtypes of arguments and results in a ufunc's loop for these dtypes, or types of Python's.

    Of what it has not been called with yet, and isn't called with dtypes chosen when it was made, it is
    compiled for that, as a call would.
    """
    if not fn.signature or getattr(fn, "is_dynamic", False):
        ranks = [len(names) for side in axes_of(fn) for names in side] if fn.signature else [0] * fn.nin
        fn(*(np.empty((0,) * (1 + rank), kind) for kind, rank in zip(given, ranks, strict=False)))
    return list(fn.ufunc.resolve_dtypes((*given, *(None,) * (fn.nin + fn.nout - len(given)))))
