"""Does compiled code answer by its arguments alone, so that it may be run while a program is compiled?

A function of C has no source. One that looks at the clock, at files, at the state of the process or at the
frame of its caller (``locals``, ``eval``) would be asked once, and in the compiler's frame: its answer is no
constant.
"""

from __future__ import annotations

import types
from typing import Any

import numpy as np

# Modules of compiled functions that look at nothing but their arguments.
_MODULES = frozenset(
    "builtins math cmath operator _operator numpy scipy itertools functools _functools"
    " collections _collections re _sre string _string struct _struct binascii unicodedata bisect _bisect"
    " heapq _heapq fractions copy typing types enum abc _abc ast_ad".split()
)
# What they have that looks elsewhere: at the caller's frame, the process, files, NumPy's settings.
_READERS = frozenset(
    "locals globals vars dir eval exec compile super __import__ __build_class__"
    " id hash open input print breakpoint setattr delattr next aiter anext"
    " fromfile tofile load save memmap _get_extobj_dict _make_extobj".split()
)
_VALUES = (
    str,
    bytes,
    int,
    float,
    complex,
    tuple,
    frozenset,
    range,
    slice,
    types.NoneType,
    np.dtype,
    np.generic,
)
_CONTAINERS = list, dict, set, np.ndarray, types.MappingProxyType  # read from outside under guards


def answers_by_arguments(fn: Any) -> bool:
    """Whether a callable without source is known to look at its arguments only, and at a guarded owner.

    >>> import math, time
    >>> [answers_by_arguments(f) for f in (math.gcd, "a".upper, time.time, locals, eval)]
    [True, True, False, False, False]
    """
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__name__", "")
    if owner is not None and not isinstance(owner, (types.ModuleType, type)):
        return isinstance(owner, (*_VALUES, *_CONTAINERS))
    module = getattr(fn, "__module__", None) or getattr(owner, "__module__", None)
    if module is None:
        module = getattr(getattr(fn, "__objclass__", type(fn)), "__module__", None)  # str.upper
    root, _, rest = str(module).partition(".")
    return root in _MODULES and name not in _READERS and "random" not in rest
