"""How is ``np.lib.stride_tricks.as_strided`` read? Together with how its array lies in memory.

So what it shows is a matter of the elements of the array, which derivatives may lay elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ....rules.memory import strided
from ...ir.ops import Lit
from .. import doors
from ..constructs.attributes import shape_of
from ..context import Context
from ..store.memory_layouts import itemsize_of, strides_read
from ..tables import handles
from ..values import Arr, Lst, Tup, Value


@handles(as_strided)
def b_as_strided(
    cx: Context,
    x: Value,
    shape: Value = Lit(None),
    strides: Value = Lit(None),
    subok: Value = Lit(False),
    writeable: Value = Lit(True),
) -> Any:
    if isinstance(x, (Lst, Tup)):
        x = cx.emit(np.array, x)
    if not isinstance(x, Arr):
        raise cx.unsupported("as_strided of a number", "it has no axis", "use np.broadcast_to")
    own = strides_read(cx, x)
    lengths = shape_of(cx, cx.read(x)) if _is_none(shape) else shape
    steps = own if _is_none(strides) else strides
    return doors.call_primitive(cx, strided, [x, lengths, steps, own, Lit(itemsize_of(cx, x))], {})


def _is_none(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is None
