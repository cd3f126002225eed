"""How does an array become what an operation has made, as by ``op=``, ``out=`` and ``sort()``?

NumPy writes to the array, which keeps its place and its order in memory. What lies in the same order takes
the array's place; what may lie otherwise is written to it: sums depend on the order. A part of an array is
always written to where it lies, and read there again if the order may be another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....rules.helpers import astype, setitem
from ...ir.alternatives import is_mixed
from ...ir.ops import Lit, Var
from ...ir.types import Array, Optional, dtype_of, rank_of
from ..context import Context
from ..store.sole_names import in_shape
from ..store.windows import orders_of
from ..types.several import of_several
from ..values import Arr, Lst, Tup, Value


def overwrite(cx: Context, arr: Arr, old: Var, made: Value, given: Sequence[Value]) -> None:
    """All of ``arr`` becomes what is ``made`` of ``given``, in its dtype and shape.

    What does not certainly lie in memory as ``arr`` does is written to it.
    """
    new = cx.arg(made)
    if isinstance(old.type, Optional):
        raise cx.unsupported(
            "a result in place of what may be None", "NumPy makes a new one", "test for None"
        )
    dtype: Any = old.type.dtype  # type: ignore[union-attr]
    same_shape = isinstance(new, Var) and isinstance(new.type, Array) and new.type.shape == old.type.shape  # type: ignore[union-attr]
    ranks = rank_of(old.type), rank_of(new.type) if isinstance(new, Var) else 0
    if ranks[0] is not None and ranks[1] is None and isinstance(new, Var):
        new, ranks = in_shape(cx, new, old), (ranks[0], ranks[0])
    if None in ranks or ranks[1] > ranks[0]:  # type: ignore[operator]
        error = cx.unsupported(
            "an operation in place whose result may have more axes than the array",
            "NumPy raises an error then",
            "use an out-of-place operation",
        )
        raise of_several(error, old, new)
    if isinstance(new, Var) and not np.can_cast(
        getattr(new.type, "dtype", dtype) or np.result_type(float),
        dtype,
        "same_kind",
    ):
        raise cx.unsupported(
            "an in-place operation that changes the kind of the array",
            f"NumPy can't cast the result to {dtype}",
            "use an out-of-place operation",
        )
    alike, window = lies_as(cx, arr, made, given), arr.view is not None and arr.view.index is not None
    if same_shape and isinstance(new, Var) and not is_mixed(old.type) and (alike or window):
        if dtype_of(new.type) != dtype:
            new = cx.builder.op(astype, new, Lit(dtype))
    else:
        new = cx.builder.op(setitem, old, Lit(Ellipsis), new)
    written = cx.variable(new)
    if written.hint is None:
        written.hint = old.hint
    cx.write(arr, written)
    if not alike and window and arr.view.get is not None:  # type: ignore[union-attr]
        cx.state.contents.pop(arr, None)  # who reads it looks at where it was written to


def lies_as(cx: Context, arr: Arr, made: Value, given: Sequence[Value]) -> bool:
    """Whether what an operation made of ``given`` certainly lies in memory as ``arr`` does.

    It does if ``arr`` is the only one of them that has a say: a number has none, nor a row that is stretched.
    """
    if rank_of(cx.read(arr).type) in (0, 1):
        return True
    if isinstance(made, Arr) and orders_of(cx, arr) & orders_of(cx, made):
        return True
    return any(one is arr for one in given) and all(one is arr or not has_say(cx, one) for one in given)


def has_say(cx: Context, value: Value) -> bool:
    """Whether an operand may decide in which order the axes of a result lie in memory."""
    if isinstance(value, (Tup, Lst)):
        return True
    type = value.type if isinstance(value, Var) else cx.read(value).type if isinstance(value, Arr) else None
    rank = rank_of(type) if type is not None else np.ndim(getattr(value, "value", 0))
    shape = type.shape if isinstance(type, Array) else None
    return rank is None or rank > 1 and (shape is None or sum(n != 1 for n in shape) > 1)
