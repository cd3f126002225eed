"""Which leaves of the arguments are differentiated, and how do results become what the user asked for?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.signatures import is_object
from ..compiler.frontend.structures import rebuild
from ..errors import InputTypeError
from ..trees import LEAF, STATIC, TreeDef
from .program import Compiled, check_differentiable
from .shortcut import Fast, FastCall


class Request:
    """Which leaves of the arguments are differentiated, and how do their cotangents become the answer?"""

    mode = "compiled"
    backend = "numpy"
    plain = False
    is_program = False

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
            TreeDef(STATIC, (), ()) if t.type is STATIC and is_object(t.static) else t for t in trees
        ]
        self.ranges = _ranges(trees)
        self.chosen = owner.arguments.positions(self.names)
        self.wrt = self._differentiable(leaves, names)
        self.python = [_converter(leaves[i], self.mode) for i in self.wrt]
        self.flat = (
            not owner.single and not any(self.python) and all(trees[i].type is LEAF for i in self.chosen)
        )  # the cotangents are the answer

    def _differentiable(self, leaves: list[Any], names: Sequence[str]) -> tuple[int, ...]:
        wrt: list[int] = []
        if self.owner.every_leaf:
            return tuple(i for i, leaf in enumerate(leaves) if np.result_type(leaf).kind in "fc")
        for i in self.chosen:
            labels = self.trees[i].paths(names[i])
            start, stop = self.ranges[i]
            if start == stop:
                static = self.trees[i].static
                if isinstance(static, bool):
                    check_differentiable(static, names[i])
                what = f"dtype {static.dtype}" if isinstance(static, np.ndarray) else type(static).__name__
                raise InputTypeError(
                    f"a gradient with respect to `{names[i]}` ({what})",
                    why="it holds no numbers",
                    fix="pass floats or an array of floats",
                )
            floats = [p for p in range(start, stop) if np.result_type(leaves[p]).kind in "fc"]
            if not floats or self.trees[i].type is LEAF:
                check_differentiable(leaves[start], labels[0])
            wrt += floats  # what is no float among others is left alone
        return tuple(wrt)

    def gradients(self, cotangents: Sequence[Any]) -> Any:
        """Cotangents of leaves in the structure of the arguments that were asked for."""
        if self.flat:
            return tuple(cotangents)
        pairs = zip(self.wrt, self.python, cotangents, strict=True)
        given = {p: kind(g) if kind is not None else g for p, kind, g in pairs}
        out = [
            self.trees[i].unflatten([given.get(p, 0) for p in range(*self.ranges[i])]) for i in self.chosen
        ]
        return out[0] if self.owner.single else tuple(out)


class Compilation(Request):
    """A program that fits some calls.

    ``wanted``: the backend that was asked for; ``count``: how many values come before the cotangents among
    the program's results; ``plain``: results are the value and the gradient as they are.
    """

    is_program = True
    program: Compiled
    lowered: Any
    wanted: str
    count: int
    zeros: list[str] = []  # what is to be told of gradients that are always zero
    counted = False  # whether each call has to be noted, as it may be time for kernels
    checked: Any = None  # what was compared in its first call, or why nothing was; None: there was none
    keep: Callable[[], None] | None = None  # store it for later processes
    _fast: FastCall | None = None
    _calls = 0

    def is_plain(self) -> bool:
        """Whether the results are a value and a gradient, as the user gets them."""
        one = self.owner.single and len(self.chosen) == len(self.wrt) == 1
        if not (one and self.lowered.result == 0 and self.count == 1):
            return False
        return self.trees[self.chosen[0]].type is LEAF and not any(self.python)

    def fast_call(self, args: tuple[Any, ...]) -> Fast | None:
        """The short way for calls like this one, which the program answered, if it was not the first.

        A program that has not been checked yet, as it was called within another one's check, waits for that.
        """
        self._calls += 1
        if self._calls == 1 or self.counted or self.checked is None:
            return None
        if self._fast is None:
            self._fast = FastCall(self, args)
        self._fast.remember(args)
        return self._fast.run

    def forget(self) -> None:
        """The short way is to be made anew."""
        self._fast = None

    def finish(self) -> None:
        """Make the code that runs, so that what goes wrong in that does so while compiling."""
        for code in self.codes:
            assert code.run is not None

    @property
    def codes(self) -> tuple[Any, ...]:
        """The programs that run."""
        return (self.program.code,)

    @property
    def backend(self) -> str:  # type: ignore[override]
        """'numba' if any of them is made of kernels."""
        return "numba" if any(code.backend == "numba" for code in self.codes) else "numpy"

    @property
    def text(self) -> str:
        """The source of what runs."""
        return "\n\n".join(code.text for code in self.codes)

    def value(self, results: Sequence[Any]) -> Any:
        """What the function returned, from the results of a program."""
        return rebuild(self.lowered.result, results)


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
