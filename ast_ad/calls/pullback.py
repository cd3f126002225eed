"""What is the pullback at a point? The backward half of a program, with what the call has saved."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.frontend.structures import Position, opened
from ..interrupts import let_through
from ..tracing import is_tracing
from ..trees import LEAF, TreeDef, flatten
from .alike import as_like, check_like, structured
from .checks.late_failures import Instead
from .fitting.retirement import retire
from .request import Request


def pullback_at(program: Any, results: Sequence[Any], inputs: Sequence[Any]) -> PullbackAt:
    """The pullback at the point where a program gave ``results`` for ``inputs``."""
    *values, residuals = results
    backward, question = program.backward, program.question
    run = functools.partial(
        backward if backward.backend == "numba" else backward.run, kept(residuals, inputs)
    )
    several = as_tuple(run, len(program.wrt))
    tree, leaves = structure(question.parts(program.primal.result)[0], results)
    found = PullbackAt(program, program.primal.function.name, several, values, tree, leaves, program.of)
    found.linear = lambda seeds: _doors["of_code"](backward, run.args[0])(seeds)
    found.instead = Instead(program, inputs, results, functools.partial(retire, program.owner, program))
    return found


_doors: dict[str, Callable[..., Any]] = {}


def open_doors(**doors: Callable[..., Any]) -> None:
    """What becomes of cotangents that are traced: told by ``traced_cotangents``, once there is a trace."""
    _doors.update(doors)


def structure(places: Any, results: Sequence[Any]) -> tuple[TreeDef, list[Any]]:
    """That of a value, and its leaves: the position of each among the results, or a ``Constant``.

    ``places``: see ``structures``. What turns out to be no number, as a flag or a text does, is no leaf.
    """
    tree, leaves = opened(places)
    found: list[Any] = [leaf.number if isinstance(leaf, Position) else Constant(leaf) for leaf in leaves]
    numeric = [type(i) is Constant or is_leaf(results[i]) for i in found]
    if all(numeric):
        return tree, found
    given = [leaf if n else results[i] for i, n, leaf in zip(found, numeric, leaves, strict=True)]
    return flatten(tree.unflatten(given))[1], [i for i, n in zip(found, numeric, strict=True) if n]


class Constant:
    """A number or an array in a value that the function returns as it found it outside."""

    def __init__(self, value: Any) -> None:
        self.value = value


def is_leaf(value: Any) -> bool:
    """Whether a result is one leaf, or a list of run-time length, which is several."""
    return isinstance(value, (list, tuple)) or flatten(value)[1].type is LEAF


def as_tuple(run: Callable[..., Any], count: int) -> Callable[..., tuple[Any, ...]]:
    """Code with a tuple of results: it returns one as it is, and None where there is none."""
    if count > 1:
        return run
    return (lambda *given: (run(*given),)) if count else (lambda *given: (run(*given), ())[1])


def grouped(run: Callable[..., Any], trees: Sequence[TreeDef | None]) -> Callable[..., Any]:
    """Code that takes containers, called with their leaves; None stands for a leaf by itself."""

    def run_grouped(*seeds: Any) -> Any:
        left = iter(seeds)
        return run(
            *[
                next(left) if t is None else t.unflatten([*itertools.islice(left, t.num_leaves)])
                for t in trees
            ]
        )

    return run_grouped


def kept(residuals: Any, inputs: Sequence[Any]) -> Any:
    """The residuals, with copies of memory that is not theirs: it may change before the pullback runs."""
    roots = {id(_root(value)) for value in inputs if isinstance(value, np.ndarray)}
    return _detached(residuals, roots) if roots else residuals


def _root(array: Any) -> Any:
    while isinstance(getattr(array, "base", None), np.ndarray):
        array = array.base
    return array


def _detached(value: Any, roots: set[int]) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy() if id(_root(value)) in roots and 0 not in value.strides else value
    if isinstance(value, (tuple, list)):
        return type(value)([_detached(item, roots) for item in value])
    return value


class PullbackAt:
    """Maps a cotangent of the value to cotangents of the arguments; it may be called any number of times.

    Args:
        request: which leaves of the arguments are asked for.
        name: what the function is called.
        run: from cotangents of the results in ``of`` to those of the leaves.
        results: what the value consists of, and what else the program returned.
        tree: the structure of the value, as far as it is known to the program.
        leaves: the positions of its parts among the results, or ``Constant``s.
        of: the positions of those that are differentiated.
    """

    instead: Callable[[Sequence[Any], Exception], Sequence[Any]] | None = None  # where the program raises
    linear: Any = None  # see ``traced_cotangents``

    def __init__(
        self,
        request: Request,
        name: str,
        run: Callable[..., Sequence[Any]],
        results: Sequence[Any],
        tree: TreeDef,
        leaves: Sequence[Any],
        of: Sequence[int],
    ) -> None:
        self._request, self._name, self._leaves, self._of = request, name, leaves, of
        # A list whose length is known at run time only is one result, and as many leaves as it has then.
        places = {i for i in (*leaves, *of) if type(i) is not Constant}
        held = {i: flatten(results[i]) for i in places if isinstance(results[i], (list, tuple))}
        if held:
            given = [i.value if type(i) is Constant else results[i] for i in leaves]
            tree = flatten(tree.unflatten(given))[1]
            run = grouped(run, [held[i][1] if i in held else None for i in of])
        self.leaves, self._tree, self._has_lists = run, tree, bool(held)
        self._widths = [len(held[i][0]) if i in held else 1 for i in leaves]
        every = [leaf for i in of for leaf in (held[i][0] if i in held else (results[i],))]
        self._like = [(np.shape(leaf), np.result_type(leaf)) for leaf in every]

    def __call__(self, cotangent: Any) -> Any:
        if self._request.owner.every_leaf:  # it gets them leaf by leaf, as in compiled code
            leaves = flatten(cotangent)[0]
        else:
            found = iter(structured(self._tree, cotangent, "cotangent", "value"))
            places = zip(self._leaves, self._widths, strict=True)
            given = {i: list(itertools.islice(found, width)) for i, width in places}
            # Of integers in the value they mean nothing; a number that is None in this call has none.
            leaves = [leaf for i in self._of for leaf in given.get(i, (0.0,))]
        if is_tracing() and any(hasattr(type(leaf), "_is_eager_tensor") for leaf in leaves):
            return self._in_trace(leaves)
        seeds = [
            as_like(leaf, *like, "cotangent", "value") for leaf, like in zip(leaves, self._like, strict=True)
        ]
        try:
            bars = self.leaves(*seeds)
        except Exception as error:
            let_through(error)
            if self.instead is None:
                raise
            bars = self.instead(seeds, error)
        return self._request.gradients(bars)

    def _in_trace(self, leaves: Sequence[Any]) -> Any:
        """The answer for cotangents of which some are traced."""
        for leaf, like in zip(leaves, self._like, strict=True):
            check_like(leaf, *like, "cotangent", "value")
        dtypes = [dtype for _, dtype in self._like]
        linear = None if self._has_lists else self.linear
        return _doors["bars"](linear, self._name, leaves, dtypes, self._request)

    def __repr__(self) -> str:
        return f"<pullback of {self._name}>"
