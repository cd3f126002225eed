"""What becomes of the results of the rows? Arrays of numbers, with an axis more than that of one row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import InputTypeError, InputValueError
from ..trees import LEAF, STATIC, TreeDef, flatten
from .mapped_axes import Axis, out_axis


def stacked(parts: list[Any], path: str, axis: Axis, name: str) -> Any:
    """One leaf of the results of all rows, as an array."""
    shapes = {np.shape(part) for part in parts}
    if len(shapes) > 1:
        one, other = sorted(shapes)[:2]
        raise InputValueError(
            f"rows of `{path}` of other shapes",
            why=f"there are some of shape {one} and of {other}",
            fix="return arrays of one shape for all rows",
        )
    place = out_axis(axis, np.ndim(parts[0]), path, name)
    if place is None:
        return only(np.stack(parts), f"{name}=None for `{path}`")
    return np.stack(parts, axis=place)


def only(rows: Any, asked: str) -> Any:
    """What all rows are alike."""
    for i in range(len(rows)):
        if np.any((rows[i] != rows[0]) & ((rows[i] == rows[i]) | (rows[0] == rows[0]))):
            raise InputValueError(
                asked,
                why="it is another one for another row",
                fix="give the axis along which the rows shall lie",
            )
    return rows[0]


def require_alike(i: int, tree: TreeDef, first: TreeDef) -> None:
    """
    Raises:
        InputTypeError: the result of row ``i`` is not of the structure of row 0, or its objects have other
            attributes that are no rows.
    """
    if tree != first:
        raise InputTypeError(
            f"row {i} of the result, of another structure than row 0",
            why=f"it is {tree}, and not {first}",
            fix="return the same tuples, lists and dicts for each row",
        )
    name = tree.other_attribute(first)
    if name is not None:
        raise InputTypeError(
            f"row {i} of the result, with another `{name}` than row 0",
            why="it is no child of the object that has it, and the result has one for all rows",
            fix="make it a child, or give it the same value for each row",
        )


def no_rows() -> InputValueError:
    return InputValueError(
        "an axis to map that has no rows",
        why="what the function returns for one can't be told without a call",
        fix="leave out the call for arrays without rows",
    )


def numbers(value: Any) -> tuple[list[Any], TreeDef]:
    """The numbers, arrays and flags in a result, and its structure.

    Raises:
        InputTypeError: it holds something else, but for None.
    """
    leaves, tree = flatten(value)
    given, found = iter(leaves), list[Any]()
    return found, _with_flags(tree, given, found)


def _with_flags(tree: TreeDef, given: Iterator[Any], found: list[Any]) -> TreeDef:
    if tree.type is STATIC and tree.static is None:
        return tree
    if tree.type in (STATIC, LEAF):
        leaf = tree.static if tree.type is STATIC else next(given)
        if not isinstance(leaf, bool):
            require_numbers(None if tree.type is STATIC else np.result_type(leaf).kind, leaf)
        found.append(leaf)
        return TreeDef(LEAF, (), ())
    children = tuple(_with_flags(part, given, found) for part in tree.children)
    return TreeDef(tree.type, tree.keys, children, tree.static, tree.whole)


def require_numbers(kind: str | None, leaf: Any) -> None:
    if kind is None or kind not in "biufc":
        raise InputTypeError(
            f"a {type(leaf).__name__} in the result of a function that is mapped",
            why="the results of its rows become arrays of numbers",
            fix="return numbers, arrays of numbers, and containers of these",
        )
