"""What does a ufunc that Numba has made do with traced arrays? Its Python function runs for each element."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import plain_of
from ..errors import UnsupportedError
from ..rules import element_loops
from ..rules.of_numba import axes_of, loop_types, made_of, taken_as_arrays
from .builtin_classes import CLASSES
from .extrema import FUNCTIONS


def apply_ufunc(ufunc: Any, numpy: Callable[[], Any], *args: Any, out: Any = None) -> Any:
    """The ufunc of traced arrays; what is given as its result is written to.

    ``numpy``: gives the module as code finds it that is traced.
    """
    outs = args[ufunc.nin :] or (() if out is None else out if isinstance(out, tuple) else (out,))
    inputs, space = args[: ufunc.nin], _names(numpy())
    given = [_kind(a) for a in (*inputs, *(outs if ufunc.signature else ()))]
    dtypes = loop_types(ufunc, given)
    if outs and [o.dtype for o in outs] != dtypes[ufunc.nin :]:
        raise UnsupportedError(
            "an array of another dtype for the result of a ufunc", why="it is converted", fix="leave it out"
        )
    arrays = [space["np"].array(a, dtype=d) for a, d in zip(inputs, dtypes, strict=False)]
    if ufunc.signature:
        axes = axes_of(ufunc)
        alone = taken_as_arrays(ufunc, dtypes, axes[0])
        return space["on_parts"](made_of(ufunc), axes, tuple(dtypes[ufunc.nin :]), alone, arrays, outs)
    found = space["on_elements"](made_of(ufunc), dtypes[-1], *arrays)
    if outs:
        outs[0][...] = found
        return outs[0]
    return found if any(map(np.ndim, map(plain_of, inputs))) else found[()]


def _kind(value: Any) -> Any:
    plain = plain_of(value)
    return type(plain) if type(plain) in (bool, int, float, complex) else np.asarray(plain).dtype


@functools.lru_cache(1)
def _names(numpy: Any) -> dict[str, Any]:
    """The functions of loops over elements, as code that is traced."""
    names: dict[str, Any] = {**vars(element_loops), **CLASSES, **FUNCTIONS, "np": numpy}
    for name in ("on_elements", "on_parts", "along"):
        fn = names[name]
        names[name] = types.FunctionType(fn.__code__, names, name)
    return names
