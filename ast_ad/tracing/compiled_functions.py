"""What do SciPy's compiled functions do with traced arrays? They take what nothing differentiated led to.

They know plain arrays only, and what they compute is no operation of the trace. What is said of one that is
given what is differentiated, is here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from ..eager.dispatch import needs_grad, plain_of
from ..eager.state import state
from ..eager.tensor import Tensor
from ..errors import UnsupportedError


def on_constants(original: Any, made: Callable[[Any], Any]) -> Callable[..., Any]:
    """A compiled function of SciPy's: arrays that nothing differentiated led to are passed as plain ones.

    What it writes into them is a store of the program. That it finds no array where there is a traced one is
    no error of the program.
    """

    def call(*args: Any, **kwargs: Any) -> Any:
        given = [v for v in (*args, *kwargs.values()) if isinstance(v, Tensor)]
        if not (state.tracing and given):
            return original(*args, **kwargs)
        if any(map(needs_grad, given)):
            try:
                return original(*args, **kwargs)
            except ValueError as error:
                raise takes_plain_arrays(error) from error
        copies = {id(t): t._array.copy("K") if t._array.ndim else plain_of(t) for t in given}
        plain = [copies.get(id(v), v) for v in args]
        named = {k: copies.get(id(v), v) for k, v in kwargs.items()}
        found = _run(original, plain, named)
        for t in given:
            if t._array.ndim and copies[id(t)].tobytes() != t._array.tobytes():
                t[...] = copies[id(t)]
        return tuple(map(made, found)) if type(found) is tuple else made(found)

    return call


def _run(original: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What the function makes for itself is no part of the trace, but what it calls back is."""
    if any(callable(v) and not isinstance(v, type) for v in (*args, *kwargs.values())):
        return original(*args, **kwargs)
    before, state.tracing = state.tracing, 0
    try:
        return original(*args, **kwargs)
    finally:
        state.tracing = before


def takes_plain_arrays(error: Exception, place: Any = None) -> UnsupportedError:
    told = str(error).partition("\n")[0]
    return UnsupportedError(
        "compiled code that is called with a traced array",
        place,
        why=f"it takes plain arrays only, and its derivative is not known ({told})",
        fix="write an autograd.Function, or NumPy code in its place",
    )


def is_compiled(value: Any) -> bool:
    """Whether it is a function of SciPy's that is made of C, C++, Cython or Fortran, and no ufunc."""
    kind = type(value).__name__
    if kind in ("builtin_function_or_method", "cython_function_or_method", "fused_cython_function"):
        module = str(getattr(value, "__module__", ""))  # one of Cython's has its own name in some of SciPy
        return module.startswith("scipy.") or f"scipy.sparse.{module}" in sys.modules
    return kind == "fortran"
