"""Which values are keys of a dict whose keys are known at run time only, and of which type?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...ir.ops import Arg, Lit, Seq, Var
from ...ir.types import ANY_KEY, Opaque, Scalar, TupleOf, Type, type_of

STRING = Opaque("str")


def key_type(arg: Arg) -> Type | None:
    """The type of a key; None if it can't be one."""
    if isinstance(arg, Seq) and arg.kind is tuple:
        items = [key_type(item) for item in arg.items]
        return None if None in items else TupleOf(tuple(items))  # type: ignore[arg-type]
    if isinstance(arg, Lit):
        value = arg.value
        if isinstance(value, tuple):
            return key_type(Seq(tuple(map(Lit, value)), tuple))
        return plain(type_of(value)) if isinstance(value, (int, str, np.integer, np.bool_)) else None
    return plain(arg.type) if isinstance(arg, Var) else None


def plain(type: Type) -> Type | None:
    """The type of ints and strings, without their values; booleans are equal to ints, but look otherwise."""
    if isinstance(type, TupleOf):
        items = tuple(plain(item) for item in type.items)
        return None if None in items else TupleOf(items)  # type: ignore[arg-type]
    if isinstance(type, Scalar) and type.kind == "bool":
        return ANY_KEY
    if isinstance(type, Scalar):
        return replace(type, size=None) if type.kind == "int" and not type.among else None
    return type if isinstance(type, Opaque) and type in (STRING, ANY_KEY) else None
