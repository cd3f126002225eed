"""Does compiled code answer by its arguments alone, so that it may be run while a program is compiled?

A function of C has no source. One that looks at the clock, at files, at the state of the process or at the
frame of its caller (``locals``, ``eval``) would be asked once, and in the compiler's frame: its answer is no
constant.
"""

from __future__ import annotations

import re
import types
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..values import Callee

# Modules of compiled functions that look at nothing but their arguments.
_MODULES = frozenset(
    "builtins math cmath operator _operator numpy scipy itertools functools _functools"
    " collections _collections re _sre string _string struct _struct binascii unicodedata bisect _bisect"
    " heapq _heapq fractions copy typing types enum abc _abc ast_ad".split()
)
# What they have that looks elsewhere: at the caller's frame, the process, files, NumPy's settings.
_READERS = frozenset(
    "locals globals vars dir eval exec compile super __import__ __build_class__"
    " id hash open input print breakpoint setattr delattr __setattr__ __delattr__ next aiter anext"
    " fromfile tofile load save memmap _get_extobj_dict _make_extobj".split()
)
_VALUES = (
    re.Match,
    re.Pattern,
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


class Entangled(Exception):
    """A function has changed an argument, or returned what is in one: the compiler's are copies."""


def run_apart(fn: Callee, args: Sequence[object], kwargs: dict[str, object]) -> Any:
    """What a function returns, if its lists, dicts, sets and arrays are its own, and its arguments stay.

    >>> run_apart(sorted, ([2, 1],), {})
    [1, 2]
    >>> run_apart(max, ([1], [2]), {})
    Traceback (most recent call last):
    ast_ad.compiler.frontend.source.opaque.Entangled: max returns or changes an object that it was given
    """
    given = list(_mutable((args, kwargs)))
    before = [_content(m) for m in given]
    result = fn(*args, **kwargs)
    shared = {id(m) for m in given} & {id(m) for m in _mutable(result)}
    if shared or before != [_content(m) for m in given]:
        name = getattr(fn, "__name__", fn)
        raise Entangled(f"{name} returns or changes an object that it was given")
    return result


def _mutable(value: object) -> Iterator[Any]:
    """The lists, dicts, sets and arrays in a value."""
    if isinstance(value, _CONTAINERS):
        yield value
    if isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _mutable(item)


def _content(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    if isinstance(value, (dict, types.MappingProxyType)):
        return [(id(k), id(v)) for k, v in value.items()]
    return list(map(id, value))


def answers_by_arguments(fn: Callee) -> bool:
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
