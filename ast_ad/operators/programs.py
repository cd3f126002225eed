"""Which programs of derivatives are Jacobians, Hessians and products with them?

Each is a plain function that calls ``vjp``, ``linearize`` and ``grad``, as a user could have written it. The
compiler reads it together with the function that it is about, and its loops over rows or columns are loops of
the program. Where that can't be compiled, it runs as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..api import linearize, vjp
from ..calls.inside_along import lower_along
from ..calls.inside_units import columns as columns_at_once, columns_along, rows as rows_at_once, rows_along
from .chunks import columns_in_chunks, rows_in_chunks
from .leaves import (
    by_position,
    filled,
    inlined,
    is_complex,
    leaves,
    number_like,
    require_argument,
    require_kind,
    with_leaves,
)

Function = Callable[..., Any]


def pushed(function: Function, argnums: tuple[int, ...], has_aux: bool) -> Function:
    """``(primals, tangents) -> (value, tangent[, aux])``; tangents for ``argnums`` only."""

    def push(primals: Any, tangents: Any) -> Any:
        return pushed_along(function, argnums, has_aux, tangents, *primals)

    return push


def pushed_along(
    function: Function, argnums: tuple[int, ...], has_aux: bool, tangents: Sequence[Any], *primals: Any
) -> Any:
    """The value, its tangent and aux. Compiled, it is one pass: nothing is kept for other tangents."""
    value, lin, *aux = linearize(function, *primals, argnums=argnums, has_aux=has_aux)
    return (value, lin(*tangents), *aux)


pushed_along.__ast_ad_lower__ = lower_along  # type: ignore[attr-defined]


def asked(
    derivative: Function, args: Any, kwargs: Any, argnums: Any, has_aux: bool, holomorphic: bool
) -> Any:
    """The value, the function for later and aux, and the arguments that are varied."""
    chosen = varied(args, argnums)
    require_kind(chosen, holomorphic, "argument")
    if has_aux:
        value, later, aux = derivative(*args, **kwargs)
    else:
        value, later = derivative(*args, **kwargs)
        aux = None
    require_kind(value, holomorphic, "value")
    return value, later, aux, chosen


def rows(
    function: Function, argnums: Any, has_aux: bool, holomorphic: bool, chunk: int | None = None
) -> Function:
    """The Jacobian, a row for each number of the value; ``chunk``: of how many at most in one pass."""
    derivative = vjp(function, argnums=argnums, has_aux=has_aux)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(function, args, kwargs)
        value, pull, aux, chosen = asked(derivative, args, kwargs, argnums, has_aux, holomorphic)
        found = rows_of(pull, value, chosen, chunk)
        return (found, aux) if has_aux else found

    return jacobian


def rows_of(pull: Any, value: Any, chosen: Any, chunk: int | None) -> Any:
    """The Jacobian of what has this pullback.

    In compiled code a list whose length is known at run time only is one leaf of the value.
    """
    outs = leaves(value)
    blocks = [
        rows_of_items(pull, value, outs, k, chosen, chunk)
        if isinstance(out, list)
        else with_leaves(chosen, pulled(pull, value, outs, k, leaves(chosen), chunk))
        for k, out in enumerate(outs)
    ]
    return with_leaves(value, tuple(blocks))


def rows_of_items(pull: Any, value: Any, outs: Any, k: int, chosen: Any, chunk: int | None) -> Any:
    """The Jacobians of the items of a list, which is a leaf."""
    items = outs[k]
    found = []
    for j in range(len(items)):

        def pull_item(bar: Any) -> Any:
            seed = [bar if i == j else zeros_of(item) for i, item in enumerate(items)]  # noqa: B023
            return pull(unit(value, outs, k, seed))

        found.append(rows_of(pull_item, items[j], chosen, chunk))
    return found


def pulled(pull: Any, value: Any, outs: Any, k: int, ins: Any, chunk: int | None) -> Any:
    """The rows of one leaf of the value: a block for each leaf of the arguments."""
    out = outs[k]
    if np.ndim(out) == 0:
        return tuple([conjugated(bar) for bar in leaves(pull(unit(value, outs, k, number_like(out, 1))))])

    return each_row(pull, value, outs, k, ins, chunk)


def each_row(pull: Any, value: Any, outs: Any, k: int, ins: Any, chunk: int | None) -> Any:
    """The same for an array. Compiled, it is one pass for all rows where these share a factorization."""
    return row_by_row(pull, value, outs, k, ins)


def row_by_row(pull: Any, value: Any, outs: Any, k: int, ins: Any) -> Any:
    out = outs[k]

    def row(i: int) -> Any:
        bars = leaves(pull(unit(value, outs, k, basis(out, i))))
        return tuple([conjugated(bar) for bar in bars])

    blocks = filled(row, np.size(out), ins, False)
    return tuple([of_shapes(block, out, x) for block, x in zip(blocks, ins, strict=True)])


def basis(like: Any, i: int) -> Any:
    """Zeros, but a one in the ``i``-th place."""
    seed = np.zeros(np.size(like), np.result_type(like))
    seed[i] = 1
    return np.reshape(seed, np.shape(like))


def conjugated(bar: Any) -> Any:
    """The derivative of a holomorphic function, from a cotangent, which is its conjugate."""
    return np.conj(bar) if is_complex(bar) else bar


def columns(
    function: Function,
    argnums: Any,
    has_aux: bool,
    holomorphic: bool,
    chunk: int | None = None,
    of: Function | None = None,
) -> Function:
    """The Jacobian, a column for each number of the arguments.

    ``chunk``: how many columns are computed in one pass at most. ``of``: the function whose parameters these
    are, if not of this one, which takes any.
    """
    named = function if of is None else of
    derivative = linearize(function, argnums=argnums, has_aux=has_aux)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = by_position(named, args, kwargs)
        value, lin, aux, chosen = asked(derivative, args, kwargs, argnums, has_aux, holomorphic)
        ins, outs = leaves(chosen), leaves(value)
        single = isinstance(argnums, int)
        blocks = tuple([moved(lin, chosen, ins, n, outs, single, chunk) for n, _ in enumerate(ins)])
        found = beside(value, blocks, chosen)
        return (found, aux) if has_aux else found

    return jacobian


def beside(value: Any, blocks: Any, chosen: Any) -> Any:
    """The Jacobian, from the blocks of each leaf of the arguments: one for each leaf of the value."""
    parts = [
        [beside(item, tuple([block[k][j] for block in blocks]), chosen) for j, item in enumerate(out)]
        if isinstance(out, list)
        else with_leaves(chosen, tuple([block[k] for block in blocks]))
        for k, out in enumerate(leaves(value))
    ]
    return with_leaves(value, tuple(parts))


def moved(lin: Any, chosen: Any, ins: Any, n: int, outs: Any, single: bool, chunk: int | None) -> Any:
    """The columns of one leaf of the arguments: a block for each leaf of the value."""
    x = ins[n]
    if np.ndim(x) == 0:
        return parts_of(along(lin, unit(chosen, ins, n, number_like(x, 1)), single))

    return each(lin, chosen, ins, n, outs, single, chunk)


def each(lin: Any, chosen: Any, ins: Any, n: int, outs: Any, single: bool, chunk: int | None) -> Any:
    """The same for an array. Compiled, it is one pass for all columns where that is possible and allowed."""
    return in_turn(lin, chosen, ins, n, outs, single)


def in_turn(lin: Any, chosen: Any, ins: Any, n: int, outs: Any, single: bool) -> Any:
    x = ins[n]
    if any([isinstance(out, list) for out in outs]):
        columns = [parts_of(along(lin, unit(chosen, ins, n, basis(x, j)), single)) for j in range(np.size(x))]
        return tuple([stacked(out, [column[k] for column in columns], x) for k, out in enumerate(outs)])

    def column(j: int) -> Any:
        return leaves(along(lin, unit(chosen, ins, n, basis(x, j)), single))

    blocks = filled(column, np.size(x), outs, True)
    return tuple([of_shapes(block, out, x) for block, out in zip(blocks, outs, strict=True)])


def of_shapes(block: Any, out: Any, x: Any) -> Any:
    """A block with the axes of a leaf of the value and behind them those of one of the arguments."""
    if np.ndim(out) == 1 and np.ndim(x) == 1:
        return block
    return np.reshape(block, np.shape(out) + np.shape(x))


def parts_of(value: Any) -> Any:
    """The leaves of a value; of a list, which is one, those of its items."""
    return tuple(
        [[parts_of(item) for item in leaf] if isinstance(leaf, list) else leaf for leaf in leaves(value)]
    )


def stacked(out: Any, columns: Any, x: Any) -> Any:
    """The block of one leaf of the value, from its columns."""
    if isinstance(out, list):
        return [
            tuple(
                [
                    stacked(leaf, [column[j][k] for column in columns], x)
                    for k, leaf in enumerate(leaves(item))
                ]
            )
            for j, item in enumerate(out)
        ]
    if len(columns) == 0:
        return np.zeros(np.shape(out) + np.shape(x), np.result_type(out))
    block = np.stack([np.ravel(column) for column in columns], axis=-1)
    return np.reshape(block, np.shape(out) + np.shape(x))


def _lower_each(cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.frontend.values import Tup

    *given, chunk = args
    if cx.static_value(chunk):  # or it is known at run time only
        asked = columns_along(cx, args[0], args[3].value)
        return inlined(cx, in_turn, given) if asked is None else inlined(cx, columns_in_chunks, args)
    found = columns_at_once(cx, args[0], args[3].value)
    return inlined(cx, in_turn, given) if found is None else Tup(tuple(found))


def _lower_each_row(cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.frontend.values import Tup

    *given, chunk = args
    pull, _, _, place, ins = given
    found = None
    if isinstance(ins, Tup) and not cx.static_value(chunk):
        found = rows_at_once(cx, pull, place.value, len(ins.items))
    elif isinstance(ins, Tup) and rows_along(cx, pull, place.value, len(ins.items)) is not None:
        return inlined(cx, rows_in_chunks, args)
    return inlined(cx, row_by_row, given) if found is None else Tup(tuple(found))


each.__ast_ad_lower__ = _lower_each  # type: ignore[attr-defined]
each_row.__ast_ad_lower__ = _lower_each_row  # type: ignore[attr-defined]


def along(lin: Any, tangent: Any, single: bool) -> Any:
    return lin(tangent) if single else lin(*tangent)


def unit(whole: Any, parts: Any, k: int, one: Any) -> Any:
    """Zeros in the structure of ``whole``, but in the place of its ``k``-th leaf."""
    zeros = tuple([one if i == k else zero_like(part) for i, part in enumerate(parts)])
    return with_leaves(whole, zeros)


def zeros_of(value: Any) -> Any:
    return with_leaves(value, tuple([zero_like(part) for part in leaves(value)]))


def zero_like(part: Any) -> Any:
    if isinstance(part, list):
        return [zeros_of(item) for item in part]
    return np.zeros_like(part) if np.ndim(part) else number_like(part, 0)


def varied(args: Sequence[Any], argnums: Any) -> Any:
    """The arguments that are chosen: one, or a tuple."""
    require_argument(args, argnums)
    return args[argnums] if isinstance(argnums, int) else tuple([args[i] for i in argnums])
