"""Does what a traced function returns hold numbers of which nobody would get a derivative?

``holders(structure) -> list[Any]``: the parts of a value that are no containers to ``trees``, and lead to
what was traced. Functions and methods are no containers to anybody.
"""

from __future__ import annotations

import gc
import types
from typing import Any

import numpy as np

from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..trees import TreeDef

CLOSED = (
    *(int, float, complex, str, bytes, bytearray, memoryview, np.generic, np.dtype, type, types.ModuleType),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType, types.FrameType),
    *(range, slice, type(None), type(Ellipsis)),
)


def holders(structure: TreeDef) -> list[Any]:
    """The objects in a structure that hold numbers with a derivative."""
    return [static for static in structure.statics() if _leads_to_traced(static)]


def _leads_to_traced(value: Any) -> bool:
    pending, seen = [value], dict[int, Any]()
    while pending:
        one = pending.pop()
        if isinstance(one, Tensor):  # asked first: a traced number passes for a plain one
            if edge_of(one)[0] is not None:
                return True
        elif not isinstance(one, CLOSED) and id(one) not in seen:
            seen[id(one)] = one
            pending += gc.get_referents(one)
    return False
