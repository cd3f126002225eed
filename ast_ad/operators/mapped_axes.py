"""Along which axis is each leaf of an argument or a result mapped?

An axis is given for each leaf, or for a whole container of them: ``in_axes`` and ``out_axes`` are trees that
end where the values go on, as those of JAX are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import InputTypeError, InputValueError
from ..trees import LEAF, STATIC, TreeDef, flatten

Axis = int | None


class Axes:
    """A tree of axes; ``name`` is that of the parameter it was given for.

    Raises:
        InputTypeError: there is something else than ints and None in it.

    >>> _, tree = flatten(({"w": 1.0, "b": 2.0}, 3.0))
    >>> list(Axes(({"w": 0, "b": None}, -1), "in_axes").of(tree, "args"))
    [("args[0]['w']", 0), ("args[0]['b']", None), ('args[1]', -1)]
    """

    def __init__(self, given: Any, name: str) -> None:
        self.given, self.name = given, name
        self.axes, self.tree = flatten(given, name)
        for axis in (*self.axes, *(s for s in self.tree.statics() if s is not None)):
            if isinstance(axis, bool) or not isinstance(axis, (int, np.integer)):
                raise InputTypeError(
                    f"{name}={given!r}",
                    why=f"{axis!r} is no axis",
                    fix="give an int, None for what is not mapped, or a tree of these",
                )

    def of(self, tree: TreeDef, root: str) -> Iterator[tuple[str, Axis]]:
        """The name and the axis of each leaf of a value called ``root``, in their order.

        Raises:
            InputValueError: the value has another structure than the axes.
            InputTypeError: something is mapped that is no number or array.
        """
        yield from self._of(self.tree, iter(self.axes), tree, root)

    def _of(self, own: TreeDef, axes: Iterator[Any], tree: TreeDef, path: str) -> Iterator[tuple[str, Axis]]:
        if own.type is STATIC:
            yield from ((name, None) for name in tree.paths(path))
        elif own.type is LEAF:
            axis = int(next(axes))
            self._require_leaves(tree, path)
            yield from ((name, axis) for name in tree.paths(path))
        else:
            given = {
                key: list(_taken(axes, child)) for key, child in zip(own.keys, own.children, strict=True)
            }
            self._require_alike(own, tree, path)
            parts = dict(zip(own.keys, own.children, strict=True))
            for key, child in zip(tree.keys, tree.children, strict=True):
                yield from self._of(parts[key], iter(given[key]), child, path + step(tree, key))

    def _require_leaves(self, tree: TreeDef, path: str) -> None:
        for static in tree.statics():
            if static is not None:
                raise InputTypeError(
                    f"a {type(static).__name__} in `{path}`, which {self.name} says is mapped",
                    why="it has no axes",
                    fix="give None for it",
                )

    def _require_alike(self, own: TreeDef, tree: TreeDef, path: str) -> None:
        if own.type is not tree.type or {*own.keys} != {*tree.keys}:
            raise InputValueError(
                f"{self.name}={self.given!r} of another structure",
                why=f"it has {own} for `{path}`, which is {tree}",
                fix="give an axis, or the same tuples, lists and dicts",
            )


def _taken(axes: Iterator[Any], tree: TreeDef) -> Iterator[Any]:
    for _ in range(tree.num_leaves):
        yield next(axes)


def step(tree: TreeDef, key: Any) -> str:
    """How a part of a container is reached."""
    plain = issubclass(tree.type, dict) or isinstance(key, int)
    return f"[{key!r}]" if plain else f".{key}"


class Arguments:
    """What the arguments of a call are mapped along: ``in_axes`` and, for those by keyword, ``named``."""

    def __init__(self, in_axes: Axes, named: Axes, names: tuple[str, ...]) -> None:
        self.in_axes, self.named, self.names = in_axes, named, names

    def axes(self, args: TreeDef, kwargs: TreeDef) -> Iterator[tuple[str, Axis]]:
        """The name and the axis of each leaf."""
        self._require_one_each(len(args.children))
        own = self.in_axes.tree
        for i, child in enumerate(args.children):
            label = self.names[i] if i < len(self.names) else f"args[{i}]"
            if own.type in (LEAF, STATIC):
                yield from self.in_axes.of(child, label)
            else:
                yield from Axes(self.in_axes.given[i], self.in_axes.name).of(child, label)
        for name, child in zip(kwargs.keys, kwargs.children, strict=True):
            yield from self.named.of(child, name)

    def _require_one_each(self, count: int) -> None:
        own = self.in_axes.tree
        if own.type in (LEAF, STATIC):
            return
        if own.type is not tuple or len(own.children) != count:
            raise InputValueError(
                f"{self.in_axes.name}={self.in_axes.given!r}",
                why=f"the call has {count} positional arguments",
                fix="give an int, or a tuple with an axis for each of them",
            )


def from_start(axis: int, ndim: int, what: str, name: str) -> int:
    """An axis counted from the first one.

    Raises:
        InputTypeError: it is one of a number.
        InputValueError: there is no such axis.
    """
    if not ndim:
        raise InputTypeError(
            f"`{what}`, a number, with {name}={axis}",
            why="it has no axis along which it could be mapped",
            fix="give None for it, or an array",
        )
    if not -ndim <= axis < ndim:
        raise InputValueError(
            f"{name}={axis} for `{what}`", why=f"it has {ndim} axes", fix="choose one of them"
        )
    return axis % ndim


def no_axis(name: str) -> InputValueError:
    return InputValueError(
        f"{name} that map nothing",
        why="how many rows there are can't be told",
        fix="give an axis for one of the arguments",
    )


def other_sizes(told: Sequence[str]) -> InputValueError:
    """``told``: the size of each axis, in words."""
    return InputValueError(
        "inconsistent sizes of the axes to map",
        why=", ".join(told),
        fix="pass arrays with the same number of rows, or give None for what is not mapped",
    )


def told_size(path: str, axis: int, size: Any) -> str:
    return f"`{path}` has {size} along axis {axis}"


def out_axis(axis: Axis, ndim: int, what: str, name: str) -> Axis:
    """Where the rows lie in a result whose rows have ``ndim`` axes; None: it is not mapped."""
    if axis is None:
        return None
    if not -ndim - 1 <= axis <= ndim:
        raise InputValueError(
            f"{name}={axis} for `{what}`",
            why=f"it has {ndim + 1} axes with that of the rows",
            fix="choose one of them",
        )
    return axis % (ndim + 1)
