"""What is a function of rows, mapped over arrays of rows? A loop, as a user could have written it.

The compiler reads the loop together with the function: branches, loops and writes are those of each row.
Where that can't be compiled, the same loop runs as it is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .draws import require_randomness
from .leaves import inlined
from .mapped_axes import Axes
from .operator import Operator, operator, require_callable
from .rows import Count, Row, Stack

if TYPE_CHECKING:
    from ..compiler.frontend.context import Context


def vmap(
    function: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    randomness: str = "error",
    **choices: Any,
) -> Operator:
    """A function of rows, mapped over arrays of rows.

    Args:
        function: Python and NumPy code for one row; it returns numbers and arrays in any structure.
        in_axes: along which axis the rows of the arguments lie. An int is for all arguments, a tuple has an
            entry for each: an int, None for what is the same for all rows, or for containers a tree of these.
            Arguments that are passed by keyword are mapped along axis 0.
        out_axes: where the rows lie in the results: an int, or a tree of them for containers. None stands for
            what is the same for all rows, which is checked.
        randomness: whether drawing a random number in the function is an error ("error"), or gives other
            numbers for each row ("different") or the same ("same").
        choices: the options of ``grad``: ``backend=``, ``fallback=``, ...

    Returns:
        A function of the same arguments. A number in the result of ``function`` becomes an array with one for
        each row, an array one with an axis more.

    Raises:
        InputTypeError, InputValueError: the arguments of a call don't fit the axes.

    >>> import numpy as np
    >>> def first_above(x, bound):
    ...     for i in range(len(x)):
    ...         if x[i] > bound:
    ...             return i
    ...     return -1
    >>> vmap(first_above, in_axes=(0, None))(np.array([[1.0, 5.0], [3.0, 0.0], [0.0, 1.0]]), 2.0)
    array([ 1,  0, -1])
    """
    spelled = Spelling("in_axes", "out_axes", 0)
    return mapped(vmap, function, in_axes, out_axes, randomness, spelled, choices)


class Mapped(Operator):
    """A function that is mapped over rows."""

    def of_tensors(self, *given: Any) -> Any:
        """What answers a call with tensors."""
        from .rows_of_tensors import RowsOfTensors

        return RowsOfTensors(*given)

    def explain(self) -> str:
        """What becomes of the rows, and of the function's program."""
        return f"{ROWS if self.mode == 'compiled' else ROWS_AS_THEY_ARE}\n\n{super().explain()}"


class MappedAsItIs(Mapped):
    """The same for code about tensors, which keep their own methods in it."""

    def of_tensors(self, *given: Any) -> Any:
        from .rows_of_tensors import RowsAsTheyAre

        return RowsAsTheyAre(*given)


ROWS = "Rows: one after the other, by a loop over the rows that is a part of the program."
ROWS_AS_THEY_ARE = "Rows: one after the other, by calls of the function."


@dataclass(frozen=True)
class Spelling:
    """What the axes are called; ``named``: the axis of arguments that are passed by keyword."""

    in_axes: str
    out_axes: str
    named: int | None


def mapped(
    ask: Callable[..., Any],
    function: Any,
    in_axes: Any,
    out_axes: Any,
    randomness: str,
    spelled: Spelling,
    choices: dict[str, Any],
) -> Operator:
    """The operator that ``ask`` is: one of the functions that bear the name ``vmap``."""
    require_callable(function, "vmap")
    program = loop(function, *parts(function, in_axes, out_axes, randomness, spelled))
    found = operator(program, ask, function, choices, in_axes, out_axes, randomness=randomness)
    found.arguments.positional = list(names_of(function))
    return found


def parts(
    function: Any, in_axes: Any, out_axes: Any, randomness: str, spelled: Spelling
) -> tuple[Count, Row, Stack]:
    """What the loop calls."""
    require_randomness(randomness)
    if isinstance(in_axes, list):
        in_axes = tuple(in_axes)
    axes = Axes(in_axes, spelled.in_axes), Axes(spelled.named, spelled.in_axes), names_of(function)
    return Count(*axes), Row(*axes), Stack(Axes(out_axes, spelled.out_axes), randomness, function)


def loop(function: Any, count: Any, row: Any, stack: Any) -> Callable[..., Any]:
    def mapped(*args: Any, **kwargs: Any) -> Any:
        def turn(i: int) -> Any:
            own, named = row(args, kwargs, i)
            return function(*own, **named)

        return stack(turn, count(args, kwargs), (args, kwargs))

    return mapped


def names_of(function: Any) -> tuple[str, ...]:
    """The names of the parameters that are passed by position."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    kinds = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
    return tuple(p.name for p in parameters if p.kind in kinds)


# ----- within compiled code ---------------------------------------------------------------------------------
def as_mapped(spelled: Spelling) -> Callable[..., Any]:
    """How the compiler reads a call of a function that bears the name ``vmap``: as the loop."""
    names = "function", spelled.in_axes, spelled.out_axes, "randomness"

    def lower(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from ..compiler.ir.ops import Lit

        given = dict(zip(names, args, strict=False)) | kwargs
        function = given.get("function", given.get("func"))
        axes, to, drawn = (  # type: Any, Any, Any
            cx.demand(given[name], name) if name in given else absent
            for name, absent in zip(names[1:], (0, 0, "error"), strict=True)
        )
        called = getattr(function, "value", function)
        return inlined(cx, loop, [function, *map(Lit, parts(called, axes, to, drawn, spelled))])

    return lower


vmap.makes = Mapped  # type: ignore[attr-defined]
vmap.__ast_ad_lower__ = as_mapped(Spelling("in_axes", "out_axes", 0))  # type: ignore[attr-defined]
