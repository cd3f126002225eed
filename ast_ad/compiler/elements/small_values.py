"""Where do the elements of a small array come from, and where is the array built again?

Elements are read, and arrays built, where the array or the elements are defined, so that loops inside don't
do it again and again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..frontend.builder import type_of_arg
from ..ir.alternatives import is_mixed
from ..ir.ops import Arg, Lit, Op, Seq, Statement, Var, map_arg
from ..ir.types import CLASSES, Array, Scalar
from ..simplify.patterns import arg_key
from ..simplify.renaming import Renaming
from .small_classes import Classes, is_small, scalar_type
from .small_elements import Elements, ElementWriter, NoForm, blank, one


class Level:
    """A block under construction. ``loop``: whether it may run several times in one run of the outer one."""

    def __init__(self, loop: bool = False) -> None:
        self.ops: list[Statement] = []
        self.loop = loop
        self.arrays: dict[Var, Var] = {}  # arrays built from the elements of others
        self.elements: dict[Var, Elements] = {}
        self.items: dict[Any, Var] = {}  # elements of larger arrays


class Values(ElementWriter):
    """``names``: the arguments that stand for the Vars of numbers; ``small``: the elements of the arrays that
    became scalars; ``level_of``: where a Var is defined; ``levels``: the blocks under construction."""

    def __init__(self, classes: Classes, limit: int, excluded: Collection[Any] = ()) -> None:
        super().__init__()
        self.classes, self.limit, self.excluded = classes, limit, excluded
        self.certain: set[Var] = set()  # arrays that have a value wherever they are defined
        self.names: Renaming = {}
        self.small: dict[Var, Elements] = {}
        self.level_of: dict[Var, int] = {}
        self.levels: list[Level] = []

    def is_small(self, type: Any) -> bool:
        return is_small(type, self.limit)

    def emit(self, op: Statement) -> None:
        self.levels[-1].ops.append(op)

    def bind(self, *variables: Var) -> None:
        self.level_of.update(dict.fromkeys(variables, len(self.levels) - 1))

    def define(self, var: Var, elements: Elements) -> None:
        for place in np.ndindex(elements.shape):
            if elements[place] in self.made:
                elements[place].hint = element_hint(var.hint, place)
                self.made.discard(elements[place])
        self.small[var] = elements
        self.bind(var)

    def data(self, arg: Arg) -> tuple[Elements, np.dtype | None]:
        """The elements of an argument, and their dtype; None for Python's own numbers."""
        if isinstance(arg, Lit):
            if isinstance(arg.value, np.ndarray):
                if not 1 <= arg.value.size <= self.limit or arg.value.dtype.kind not in "biufc":
                    raise NoForm
                return np.vectorize(Lit, otypes=[object])(arg.value.astype(object)), arg.value.dtype
            if not isinstance(arg.value, (bool, int, float, complex, np.generic)):
                raise NoForm
            return one(arg), getattr(arg.value, "dtype", None)
        if isinstance(arg, Seq):
            return self.display(arg)
        if not isinstance(arg, Var):
            raise NoForm
        type = arg.type
        if isinstance(type, Scalar):
            return one(self.names.get(arg, arg)), type.dtype
        if not isinstance(type, Array):
            raise NoForm
        if arg in self.small:
            return self.small[arg], type.dtype
        if not self.is_small(type) and type.shape != ():
            raise NoForm
        return self.read(arg), type.dtype

    def display(self, arg: Seq) -> tuple[Elements, np.dtype | None]:
        pairs = [self.data(item) for item in arg.items]
        if not pairs or len({e.shape for e, _ in pairs}) > 1:
            raise NoForm
        dtypes = [np.dtype(_python(e)) if d is None else d for e, d in pairs]
        want = np.result_type(*dtypes)
        return np.stack(
            [self.map(e, lambda x, d=d: self.convert(x, d, want)) for e, d in pairs]  # type: ignore[misc]
        ), want

    @staticmethod
    def map(elements: Elements, change: Callable[[Arg], Arg]) -> Elements:
        out = blank(elements.shape)
        for place in np.ndindex(out.shape):
            out[place] = change(elements[place])
        return out

    def read(self, var: Var) -> Elements:
        """The elements of an array that stays one, read where it is defined."""
        start = self.level_of.get(var, 0)
        for outer in self.levels[start:]:
            if var in outer.elements:
                return outer.elements[var]
        level = self.levels[start if var in self.certain else -1]
        if var not in level.elements:
            assert isinstance(var.type, Array) and var.type.shape is not None
            elements = blank(var.type.shape)
            for place in np.ndindex(elements.shape):
                out = Var(scalar_type(var.type.dtype), element_hint(var.hint, place))
                index: Arg = Lit(place[0]) if len(place) == 1 else Seq(tuple(map(Lit, place)))
                level.ops.append(
                    Op(operator.getitem, (var, index), (out,), {}, self.span, False, self.adjoint)
                )
                elements[place] = out
            level.elements[var] = elements
        return level.elements[var]

    def array(self, arg: Arg) -> Arg:
        """The argument for an operation that has no form: arrays are built again from their elements."""
        return map_arg(lambda v: self.built(v) if v in self.small else self.names.get(v, v), arg)

    def built(self, var: Var) -> Var:
        """The array with the elements of a Var; built outside the loops that don't change it."""
        start = self.level_of[var]
        for level in self.levels[start:]:
            if var in level.arrays:
                return level.arrays[var]
        loops = any(level.loop for level in self.levels[start + 1 :])
        level = self.levels[start] if loops else self.levels[-1]
        out = Var(var.type, var.hint)
        level.ops.append(self.building(var, out))
        level.arrays[var] = out
        return out

    def building(self, var: Var, out: Var) -> Op:
        """The operation that builds an array from the elements of a Var."""
        assert isinstance(var.type, Array)
        elements = self.small[var]
        have = [np.dtype(_python(one(e))) if _dtype(e) is None else _dtype(e) for e in elements.flat]
        certain = not any(is_mixed(type_of_arg(e)) for e in elements.flat)
        known = certain and np.result_type(*have) == var.type.dtype
        kwargs: dict[str, Arg] = {} if known else {"dtype": Lit(var.type.dtype)}
        return Op(np.array, (_display(elements),), (out,), kwargs, self.span, False, self.adjoint)

    def exact_elements(self, arg: Arg, like: Var) -> list[Arg]:
        """The elements of an argument as they are carried or saved: NumPy's scalars."""
        assert isinstance(like.type, Array)
        if isinstance(arg, Lit) and arg.value is None:
            return [arg] * int(np.prod(like.type.shape))  # type: ignore[arg-type]
        elements, _ = self.data(arg)
        return [self.exact(e, like.type.dtype) for e in elements.flat]

    def item_of(self, array: Var, index: Arg) -> Var:
        """An element of a larger array; read once only."""
        assert isinstance(array.type, Array)
        key = array, arg_key(index)
        for level in self.levels:
            if key in level.items:
                return level.items[key]
        found = self.new(operator.getitem, (array, index), scalar_type(array.type.dtype))
        self.levels[-1].items[key] = found
        return found


def element_hint(hint: str | None, place: tuple[int, ...]) -> str | None:
    return None if hint is None or not place else "_".join([hint, *map(str, place)])


def _dtype(arg: Arg) -> np.dtype | None:
    type = type_of_arg(arg)
    return type.dtype if isinstance(type, Scalar) else None


def _python(elements: Elements) -> Any:
    type = type_of_arg(elements[()])
    return CLASSES.get(getattr(type, "kind", ""), object)


def _display(elements: Elements) -> Arg:
    if elements.ndim == 0:
        return elements[()]
    return Seq(tuple(_display(np.asarray(row, object)) for row in elements), list)
