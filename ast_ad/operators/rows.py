"""How are the rows of arguments taken, and those of results put together?

``Count``, ``Row`` and ``Stack`` are called by the program of ``vmap``. Called with arrays and tensors they do
what they say; what they are in compiled code is in ``rows_inside``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..trees import TreeDef, flatten
from .draws import Draws
from .mapped_axes import Arguments, Axes, from_start, no_axis, other_sizes, told_size
from .row_results import no_rows, numbers, require_alike, stacked

if TYPE_CHECKING:
    from ..compiler.frontend.context import Context


class Count(Arguments):
    """How many rows the arguments have."""

    def __call__(self, args: Any, kwargs: Any) -> int:
        (leaves, tree), (named, keywords) = flatten(args), flatten(kwargs)
        sizes: list[int] = []
        told: list[str] = []
        for leaf, (path, axis) in zip((*leaves, *named), self.axes(tree, keywords), strict=True):
            if axis is not None:
                place = from_start(axis, np.ndim(leaf), path, self.in_axes.name)
                sizes.append(np.shape(leaf)[place])
                told.append(told_size(path, place, sizes[-1]))
        if not sizes:
            raise no_axis(self.in_axes.name)
        if len({*sizes}) > 1:
            raise other_sizes(told)
        return sizes[0]

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from .rows_inside import count

        return count(cx, self, *args)


class Row(Arguments):
    """The arguments of one turn. All arrays are its own, as no turn sees what another one writes."""

    def __call__(self, args: Any, kwargs: Any, i: int) -> Any:
        (leaves, tree), (named, keywords) = flatten(args), flatten(kwargs)
        axes = [axis for _, axis in self.axes(tree, keywords)]
        found = [
            own_copy(leaf if axis is None else leaf[index_of_row(axis % leaf.ndim, i)])
            for leaf, axis in zip((*leaves, *named), axes, strict=True)
        ]
        split = len(leaves)
        return tree.unflatten(found[:split]), keywords.unflatten(found[split:])

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from .rows_inside import row

        return row(cx, self, *args)


def own_copy(leaf: Any) -> Any:
    return np.copy(leaf) if hasattr(leaf, "shape") and not isinstance(leaf, np.generic) else leaf


def index_of_row(axis: int, i: Any) -> Any:
    return (*(slice(None),) * axis, i) if axis else i


class Stack:
    """The results of all turns: in the place of each number or array one with an axis more."""

    def __init__(self, out_axes: Axes, randomness: str, function: Any) -> None:
        self.out_axes, self.randomness, self.function = out_axes, randomness, function

    def __call__(self, turn: Callable[[int], Any], count: int, given: Any) -> Any:
        if not count:
            error = no_rows()
            error.only_as_it_is = True  # a compiled program knows the types of what it would return
            raise error
        draws = Draws(self.randomness, self.function, given)
        rows: list[list[Any]] = []
        first: TreeDef | None = None
        for i in range(count):
            found, tree = numbers(draws.run(turn, i))
            found = [own_copy(leaf) for leaf in found]  # it may be an array that the next turn writes to
            first = first or tree
            require_alike(i, tree, first)
            rows.append(found)
        assert first is not None
        axes = list(self.out_axes.of(first, "the result"))
        return first.unflatten(
            [
                stacked(list(parts), *axis, self.out_axes.name)
                for parts, axis in zip(zip(*rows, strict=True), axes, strict=True)
            ]
        )

    def __ast_ad_lower__(self, cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from .rows_inside import stack

        return stack(cx, self.out_axes, self.randomness, *args)
