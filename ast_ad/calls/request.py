"""Which leaves of the arguments are differentiated, and how do their cotangents become what was asked for?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.signatures import is_object, is_table
from ..errors import InputTypeError, InputValueError
from ..trees import LEAF, STATIC, TreeDef
from .alike import structured

Described = tuple[Sequence[str], list[TreeDef], list[Any], tuple[str, ...]]
"""The names, structures and leaves of a call's arguments, and the names of those given by keyword."""


class Request:
    """Which leaves of the arguments are differentiated, and how do their cotangents become the answer?"""

    mode = "compiled"

    def __init__(
        self,
        owner: Any,
        names: Sequence[str],
        trees: list[TreeDef],
        leaves: list[Any],
        keywords: tuple[str, ...],
    ) -> None:
        self.owner, self.names, self.keywords = owner, list(names), keywords
        self.trees = [
            TreeDef(STATIC, (), ())
            if t.type is STATIC and (is_object(t.static) or is_table(t.static))
            else t.bare()
            for t in trees
        ]
        self.ranges = _ranges(trees)
        self.chosen = owner.arguments.positions(self.names)
        self.wrt = self._differentiable(leaves, names, trees)
        self.python = [_converter(leaves[i], self.mode) for i in self.wrt]
        self.flat = (
            not owner.single and not any(self.python) and all(trees[i].type is LEAF for i in self.chosen)
        )  # the cotangents are the answer

    def _differentiable(
        self, leaves: list[Any], names: Sequence[str], trees: Sequence[TreeDef]
    ) -> tuple[int, ...]:
        wrt: list[int] = []
        if self.owner.every_leaf:
            return tuple(i for i, leaf in enumerate(leaves) if np.result_type(leaf).kind in "fc")
        for i in self.chosen:
            labels = self.trees[i].paths(names[i])
            start, stop = self.ranges[i]
            if start == stop:
                raise self._no_numbers(names[i], trees[i].static)
            floats = [p for p in range(start, stop) if np.result_type(leaves[p]).kind in "fc"]
            if not floats or self.trees[i].type is LEAF:
                check_differentiable(leaves[start], labels[0])
            wrt += floats  # what is no float among others is left alone
        return tuple(wrt)

    def _no_numbers(self, name: str, static: Any) -> InputTypeError:
        if isinstance(static, bool):
            check_differentiable(static, name)
        what = f"dtype {static.dtype}" if isinstance(static, np.ndarray) else type(static).__name__
        why, fix = "it holds no numbers", "pass floats or an array of floats"
        if is_object(static):
            why = "it is not taken apart into numbers"
            fix = f'choose its parts (wrt="{name}.a"), or let ast_ad.register_container tell them'
        return InputTypeError(f"a gradient with respect to `{name}` ({what})", why=why, fix=fix)

    def gradients(self, cotangents: Sequence[Any]) -> Any:
        """Cotangents of leaves in the structure of the arguments that were asked for."""
        if self.flat:
            return tuple(cotangents)
        pairs = zip(self.wrt, self.python, cotangents, strict=True)
        given = {p: kind(g) if kind is not None else g for p, kind, g in pairs}
        if self.owner.every_leaf:  # leaf by leaf, as in compiled code
            return tuple(given.values())
        out = [
            self.trees[i].unflatten([given.get(p, 0) for p in range(*self.ranges[i])]) for i in self.chosen
        ]
        return out[0] if self.owner.single else tuple(out)

    def varied(self, tangents: Sequence[Any]) -> list[Any]:
        """The tangents of the leaves that are varied, from one for each argument, or each that was chosen.

        None, and what belongs to an integer, is no tangent.

        Raises:
            InputValueError: they don't match the arguments.
        """
        chosen = self.owner.has_chosen()
        expected = len(self.chosen) if chosen else len(self.ranges)
        if len(tangents) != expected:
            raise InputValueError(
                f"{len(tangents)} tangents",
                why=f"there are {expected} arguments" + " that were chosen" * chosen,
                fix="give one for each, None for what is not varied",
            )
        for i, given in enumerate(() if chosen else tangents):
            if given is not None and i not in self.chosen:
                raise no_floats(self.names[i])
        found: dict[int, Any] = {}
        for n, i in enumerate(self.chosen):
            given, places = tangents[n if chosen else i], range(*self.ranges[i])
            leaves = [None] * len(places)
            if given is not None:
                leaves = structured(self.trees[i], given, "tangent", f"argument `{self.names[i]}`")
            found |= zip(places, leaves, strict=True)
        return [found[p] for p in self.wrt]


def no_floats(name: str, span: Any = None) -> InputTypeError:
    """The refusal of a tangent that would be dropped."""
    return InputTypeError(
        f"a tangent of argument `{name}`", span, "it holds no floats", "pass None, or floats as the argument"
    )


HELD = {"b": "booleans", "i": "integer values", "u": "integer values", "O": "Python objects"}


def check_differentiable(leaf: Any, label: str) -> None:
    """Only floats and complex numbers have a derivative.

    Raises
    ------
    InputTypeError
        for integers, booleans and what else is no such number, with what to do.
    """
    dtype = getattr(leaf, "dtype", None)
    kind = dtype.kind if dtype is not None else {bool: "b", int: "i"}.get(type(leaf), "f")
    if kind not in "fc":
        name = dtype.name if dtype is not None else type(leaf).__name__
        held = HELD.get(kind, "no numbers")
        raise InputTypeError(
            f"a gradient with respect to `{label}`, which has {held} (dtype {name})",
            why="grad requires real- or complex-valued inputs, whose dtype is a sub-dtype of np.inexact",
            fix=f"pass floats (`{label} = np.asarray({label}, float)`), or choose other argnums",
        )


def _converter(leaf: Any, mode: str) -> Any:
    """What makes a cotangent of the leaf's type, where the program's may have another."""
    if mode != "compiled" and isinstance(leaf, np.ndarray) and not leaf.ndim:
        return np.asarray
    return type(leaf) if type(leaf) in (float, complex) else None


def _ranges(trees: Sequence[TreeDef]) -> list[tuple[int, int]]:
    out, start = [], 0
    for tree in trees:
        out.append((start, start + tree.num_leaves))
        start += tree.num_leaves
    return out
