"""How does an operation run in place? Checked before, recorded on the old value, counted as a new version."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..rules import helpers
from ..rules.torch import views as torch_views
from .checks import refuse_shapes, require_arrays
from .dtypes import get_default_dtype, scalar_name
from .recording import is_active, make_node, pack_saved, plain_of, twin
from .state import restore, silence, state, watch
from .table import Operation
from .tensor import Tensor
from .views import check_inference, check_inplace, check_overlap, rebase

# Pure functions that have a way of writing to the array itself, without a copy of it.
WRITERS: dict[Callable[..., Any], Callable[..., None]] = {
    helpers.setitem: operator.setitem,
    torch_views.overwritten: torch_views.overwrite,
    torch_views.filled: torch_views.overwrite,
    torch_views.zeroed: lambda x: x.fill(0),
}

# Those that write one number everywhere.
CONSTANT = {torch_views.filled, torch_views.zeroed}


def inplace(op: Operation, t: Tensor, *others: Any, **kwargs: Any) -> Tensor:
    """``t`` becomes ``op.fn(t, *others)``, in its own memory.

    Raises:
        RuntimeError: a leaf that requires grad, a view that forbids it, or a result that does not fit.
    """
    if watch.profiler is not None:
        with watch.profiler.operation(op, (t, *others), "_"):
            return _inplace(op, t, others, kwargs)
    return _inplace(op, t, others, kwargs)


def _inplace(op: Operation, t: Tensor, others: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    if state.tracing:
        require_arrays(others)
    differentiable = t._array.dtype.kind in "fc"
    recorded = state.grad and differentiable and (t.requires_grad or any(map(is_active, others)))
    if recorded:
        check_inplace(t)
    active = tuple([is_active(a) for a in (t, *others)]) if state.grad else ()
    check_inference(t)
    x = t._array
    check_overlap(x, op.fn in CONSTANT and True not in active[1:])
    plain = [x, *map(plain_of, others)]
    writer = WRITERS.get(op.fn)
    out = x if writer is not None else _result(op, plain, kwargs)
    node = None
    if recorded:
        old = twin(t, x)
        node = make_node(op, (old, *others), plain, x, kwargs, active, None, pack=False)
        if node is not None:
            node.take_the_long_way()
            if node.slice.reads[0] == "value":
                old._array = x.copy()
            node.values = [node.values[0], old._array, *node.values[2:]]
    if writer is not None:
        writer(*plain)
    else:
        x[...] = out
    t._version_counter[0] += 1
    if node is not None:
        if node.slice.reads_ans == "value":
            node.values = [out.copy() if state.safe else x, *node.values[1:]]
            if not state.safe:
                node.checks = [*node.checks, (0, t._version_counter, t._version_counter[0])]
        if state.pack is not None:
            pack_saved(node)
        rebase(t, node)
    return t


def _result(op: Operation, plain: list[Any], kwargs: dict[str, Any]) -> np.ndarray:
    token = silence()
    try:
        out = np.asarray(op.fn(*plain, **kwargs))
    except ValueError as error:
        refuse_shapes(error, [p for p in plain if isinstance(p, np.ndarray)])
    finally:
        restore(token)
    x = plain[0]
    computed = get_default_dtype().dtype if x.dtype.kind in "iub" and out.dtype == np.float64 else out.dtype
    check_result(out, x, computed)
    return out


def check_result(out: np.ndarray, x: np.ndarray, computed: Any = None) -> None:
    """Refuse a result that does not fit into ``x``; ``computed``: the dtype that messages give it."""
    if out.shape != x.shape:
        raise RuntimeError(
            f"output with shape {list(x.shape)} doesn't match the broadcast shape {list(out.shape)}"
        )
    order = "biufc"
    if order.index(out.dtype.kind) > order.index(x.dtype.kind) and not (
        out.dtype.kind in "iu" and x.dtype.kind in "iu"
    ):
        raise RuntimeError(
            f"result type {scalar_name(computed or out.dtype)} can't be cast to the desired output type "
            f"{scalar_name(x.dtype)}"
        )
