"""Of which Python function has Numba made a callable, and what does it do otherwise than Python?

Numba compiles a function for the types of a call (``njit``), or makes a ufunc of it: of a function of numbers
(``vectorize``), or of small arrays (``guvectorize``). Nothing of Numba is imported here.
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..homes import home_of

_UFUNCS = "numba.np.ufunc."


def made_of(value: Any) -> types.FunctionType | None:
    """The Python function of which Numba has made this callable; None if it isn't one of those.

    >>> made_of(len) is None
    True
    """
    if home_of(type(value)).partition(".")[0] != "numba":
        return None
    found = getattr(value, "__wrapped__" if is_ufunc(value) else "py_func", None)
    return found if isinstance(found, types.FunctionType) else None


def is_ufunc(value: Any) -> bool:
    """Whether ``vectorize`` or ``guvectorize`` has made it, of a function of numbers or of small arrays."""
    return home_of(type(value)).startswith(_UFUNCS)


def changed_since(fn: Any) -> str | None:
    """The global variable or cell that has another value now than the compiled function has; None: none has.

    Numba compiles in what it finds there. What is loaded from its cache doesn't tell.
    """
    python = made_of(fn)
    if python is None:
        return None
    cells = zip(python.__code__.co_freevars, python.__closure__ or (), strict=True)
    now = {name: cell.cell_contents for name, cell in cells if _is_filled(cell)}
    for compiled in getattr(getattr(fn, "_dispatcher", fn), "overloads", {}).values():
        for name, value in _compiled_in(compiled):
            if not _same(value, now.get(name, python.__globals__.get(name, value))):
                return name
    return None


def _compiled_in(compiled: Any) -> Iterator[tuple[str, Any]]:
    """The names of globals and cells that Numba has read, and what was there."""
    for block in getattr(compiled.type_annotation, "blocks", {}).values():
        for step in block.body:
            read: Any = vars(step).get("value")  # `getattr` of a statement of Numba's may raise a KeyError
            if type(read).__name__ in ("Global", "FreeVar"):
                yield str(read.name), read.value


def outdated(fn: Any, name: str) -> tuple[str, str, str]:
    """What is said of a compiled function whose global variable has changed."""
    return (
        f"`{getattr(fn, '__name__', 'function')}`, compiled by Numba when `{name}` had another value",
        "the compiled function keeps that value",
        "pass it as an argument, or make the function again",
    )


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _same(compiled: Any, now: Any) -> bool:
    """Whether data is the same; of functions and modules that is not asked."""
    if compiled is now or not isinstance(compiled, (int, float, complex, np.generic, np.ndarray, tuple)):
        return True
    if isinstance(compiled, tuple):
        return isinstance(now, tuple) and len(compiled) == len(now) and all(map(_same, compiled, now))
    if not isinstance(now, (int, float, complex, np.generic, np.ndarray)):
        return False
    return np.result_type(compiled) == np.result_type(now) and bool(
        np.array_equal(compiled, now, equal_nan=np.result_type(now).kind in "fc")
    )


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
    taken = [np.dtype(bool) if kind is bool else kind for kind in given]  # which that function does not know
    return list(fn.ufunc.resolve_dtypes((*taken, *(None,) * (fn.nin + fn.nout - len(taken)))))
