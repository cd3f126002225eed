"""How are the columns, or the rows, of a block of a Jacobian computed so many in one pass?

``columns_in_chunks``, ``rows_in_chunks``: what the compiler reads where ``chunk=`` is asked for and a pass
can take several directions. The arrays of a pass have one more axis, of that length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..calls.inside_units import columns_along, rows_along
from .leaves import leaves, with_leaves


def columns_in_chunks(
    lin: Any, chosen: Any, ins: Any, n: int, outs: Any, single: bool, chunk: int
) -> tuple[Any, ...]:
    """The columns of one leaf of the arguments, an array: a block for each leaf of the value."""
    x = ins[n]
    size = np.size(x)
    blocks = tuple([np.zeros((*np.shape(out), size), np.result_type(out)) for out in outs])
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        seeds = np.reshape(np.eye(size, stop - start, -start), (*np.shape(x), stop - start))
        for block, found in zip(blocks, columns_of(lin, chosen, ins, n, outs, single, seeds), strict=True):
            block[..., start:stop] = found
    if np.ndim(x) == 1:
        return blocks
    return tuple([np.reshape(b, np.shape(out) + np.shape(x)) for b, out in zip(blocks, outs, strict=True)])


def columns_of(lin: Any, chosen: Any, ins: Any, n: int, outs: Any, single: bool, seeds: Any) -> Any:
    """The tangents along directions, along the last axis of ``seeds``. Compiled, it is one pass."""
    several = []
    for j in range(np.shape(seeds)[-1]):
        tangent = with_leaves(
            chosen, tuple([seeds[..., j] if i == n else np.zeros_like(x) for i, x in enumerate(ins)])
        )
        several.append(leaves(lin(tangent) if single else lin(*tangent)))
    return tuple([np.stack([one[k] for one in several], axis=-1) for k in range(len(outs))])


def rows_in_chunks(pull: Any, value: Any, outs: Any, k: int, ins: Any, chunk: int) -> tuple[Any, ...]:
    """The rows of one leaf of the value, an array: a block for each leaf of the arguments."""
    out = outs[k]
    size = np.size(out)
    blocks = tuple([np.zeros((size, *np.shape(x)), np.result_type(x)) for x in ins])
    for start in range(0, size, chunk):
        stop = min(start + chunk, size)
        seeds = np.reshape(np.eye(size, stop - start, -start), (*np.shape(out), stop - start))
        for block, found in zip(blocks, rows_of_several(pull, value, outs, k, ins, seeds), strict=True):
            block[start:stop] = np.moveaxis(found, -1, 0)
    if np.ndim(out) == 1:
        return blocks
    return tuple([np.reshape(b, np.shape(out) + np.shape(x)) for b, x in zip(blocks, ins, strict=True)])


def rows_of_several(pull: Any, value: Any, outs: Any, k: int, ins: Any, seeds: Any) -> Any:
    """The cotangents of the arguments from those of a leaf of the value, along the last axis."""
    several = []
    for j in range(np.shape(seeds)[-1]):
        bars = tuple([seeds[..., j] if i == k else np.zeros_like(out) for i, out in enumerate(outs)])
        several.append(leaves(pull(with_leaves(value, bars))))
    return tuple([np.stack([one[i] for one in several], axis=-1) for i in range(len(ins))])


def _lower_columns_of(cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.frontend.values import Tup

    found = columns_along(cx, args[0], args[3].value, cx.arg(args[6]))
    assert found is not None  # it was asked before
    return Tup(tuple(found))


def _lower_rows_of_several(cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.frontend.values import Tup

    found = rows_along(cx, args[0], args[3].value, len(args[4].items), cx.arg(args[5]))
    assert found is not None
    return Tup(tuple(found))


columns_of.__ast_ad_lower__ = _lower_columns_of  # type: ignore[attr-defined]
rows_of_several.__ast_ad_lower__ = _lower_rows_of_several  # type: ignore[attr-defined]
