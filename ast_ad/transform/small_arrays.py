"""Which program computes with the elements of small arrays instead of the arrays?

An array whose lengths are constants, at most ``limit`` elements in all, becomes one scalar for each element
wherever what makes and reads it can be done on elements (``small_forms``) and no class of values that flow
into each other speaks against it (``small_classes``)::

    k = np.array([p[0] * x, x + 1.0])           k_0 = p_0 * x
    a[i] = a[i - 1] + h * k                     k_1 = x + 1.0
                                                a[i, 0] = a[i - 1, 0] + h * k_0
                                                a[i, 1] = a[i - 1, 1] + h * k_1

Parameters stay arrays, of which elements are read; where an operation without a form reads a small array, or
the function returns it, the array is built from the scalars. Every operation gives the values that it gave on
arrays; only sums, products of matrices and what ends in them may differ by rounding. Terms of the reverse
sweep that are zero by construction are left out.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import AdError
from ..frontend.builder import Builder, type_of_arg
from ..frontend.indexing import index_type
from ..ir import builtin
from ..ir.ops import NOWHERE, Arg, Block, For, Function, If, Lit, Op, Seq, Statement, Var, While
from ..ir.types import Array, Scalar
from ..rules import helpers
from ..rules.containers import list_append
from ..rules.registry import lookup
from .copying import Renaming, copy_function, renamed
from .dead_code import eliminate_dead_code
from .matching import arg_key
from .merged_additions import merge_additions
from .simplify import simplify
from .small_classes import Classes, is_small, scalar_type
from .small_elements import Elements, ElementWriter, NoForm, cast, one
from .small_forms import form_of
from .small_indices import places
from .tapes import share_saved


def small_arrays(function: Function, limit: int = 16) -> Function:
    """The same function with scalars in place of small arrays.

    Args:
        function: pure IR; it is left as it is.
        limit: the largest number of elements of an array that is taken apart.
    """
    function = copy_function(function)
    classes = Classes(function, limit, lambda op: form_of(op) is not None)
    classes.retype_tapes()
    _Pass(classes, limit).function(function)
    eliminate_dead_code(function)
    merge_additions(function.body)
    simplify(function)
    while share_saved(function.body):
        simplify(function)
    return function


class _Level:
    """A block under construction. ``loop``: whether it may run several times in one run of the outer one."""

    def __init__(self, loop: bool = False) -> None:
        self.ops: list[Statement] = []
        self.loop = loop
        self.arrays: dict[Var, Var] = {}  # arrays built from the elements of others
        self.elements: dict[Var, Elements] = {}
        self.items: dict[Any, Var] = {}  # elements of larger arrays


class _Pass(ElementWriter):
    """Rewrites statement by statement. ``names``: the arguments that stand for the Vars of numbers;
    ``small``: the elements of the arrays that became scalars; ``level_of``: where a Var is defined."""

    def __init__(self, classes: Classes, limit: int) -> None:
        super().__init__()
        self.classes, self.limit = classes, limit
        self.names: Renaming = {}
        self.small: dict[Var, Elements] = {}
        self.level_of: dict[Var, int] = {}
        self.levels: list[_Level] = []

    def is_small(self, type: Any) -> bool:
        return is_small(type, self.limit)

    def emit(self, op: Statement) -> None:
        self.levels[-1].ops.append(op)

    def bind(self, *variables: Var) -> None:
        self.level_of.update(dict.fromkeys(variables, len(self.levels) - 1))

    # ----- blocks
    def function(self, function: Function) -> None:
        self.levels.append(_Level())
        self.bind(*function.params)
        for op in function.body.ops:
            self.statement(op)
        self.span, self.adjoint = NOWHERE, function.body.ops[-1].adjoint if function.body.ops else False
        function.body.results = tuple(map(self.array, function.body.results))
        function.body.ops = self.levels.pop().ops

    def block(self, block: Block, results: Callable[[], tuple[Arg, ...]], loop: bool = False) -> None:
        self.levels.append(_Level(loop))
        for op in block.ops:
            self.statement(op)
        block.results = results()
        block.ops = self.levels.pop().ops

    def statement(self, op: Statement) -> None:
        self.span, self.adjoint = op.span, op.adjoint
        if isinstance(op, Op):
            self.operation(op)
        elif isinstance(op, If):
            self.branch(op)
        else:
            self.loop(op)

    def branch(self, op: If) -> None:
        op.cond = self.array(op.cond)
        for block in (op.then, op.orelse):
            found = block.results
            self.block(block, lambda found=found: self.flat(op.outs, found))  # type: ignore[misc]
        self.span, self.adjoint = op.span, op.adjoint
        op.outs = self.opened(op.outs)
        self.emit(op)

    def loop(self, op: For | While) -> None:
        if isinstance(op, For):
            if op.range is not None:
                start, stop, step = map(self.array, op.range)
                op.range = start, stop, step
            op.items = tuple((self.array(source), vars) for source, vars in op.items)
        op.inits = self.flat(op.params, op.inits)
        outer, params = op.outs, op.params
        if isinstance(op, While):
            (condition,) = op.cond.results
            op.params = self.region(op, params, op.cond, lambda: (self.array(condition),))
        results = op.body.results
        stops = results[: op.stops]
        op.params = self.region(
            op, params, op.body, lambda: (*map(self.array, stops), *self.flat(params, results[op.stops :]))
        )
        self.span, self.adjoint = op.span, op.adjoint
        op.outs = self.opened(outer)
        self.emit(op)

    def region(
        self, op: For | While, params: tuple[Var, ...], block: Block, results: Callable[[], tuple[Arg, ...]]
    ) -> tuple[Var, ...]:
        """Rewrite a block of a loop; what the loop binds is defined before the block's own statements."""
        self.levels.append(_Level(True))
        if isinstance(op, For):
            self.bind(op.index)
            op.items = tuple((source, self.item(source, vars)) for source, vars in op.items)
        if op.params is params:
            op.params = self.opened(params)
        else:
            self.bind(*params, *op.params)
        self.block(block, results)
        block.ops = self.levels.pop().ops + block.ops
        return op.params

    def item(self, source: Arg, vars: tuple[Var, ...]) -> tuple[Var, ...]:
        if self.classes.tape_slots(source) is not None:
            return self.opened(vars)
        self.bind(*vars)
        return vars

    def opened(self, vars: tuple[Var, ...]) -> tuple[Var, ...]:
        """The Vars, those of small arrays as one Var for each element."""
        out: list[Var] = []
        for var in vars:
            if self.classes.scalar(var):
                assert isinstance(var.type, Array)
                elements = np.empty(var.type.shape, object)
                for place in np.ndindex(elements.shape):
                    element = Var(scalar_type(var.type.dtype), _hint(var.hint, place))
                    elements[place] = element
                    out.append(element)
                self.define(var, elements)
            else:
                out.append(var)
        self.bind(*out)
        return tuple(out)

    def flat(self, vars: tuple[Var, ...], args: tuple[Arg, ...]) -> tuple[Arg, ...]:
        """The arguments that flow to the Vars."""
        out: list[Arg] = []
        for var, arg in zip(vars, args, strict=True):
            out += self.exact_elements(arg, var) if self.classes.scalar(var) else [self.array(arg)]
        return tuple(out)

    def exact_elements(self, arg: Arg, like: Var) -> list[Arg]:
        """The elements of an argument as they are carried or saved: NumPy's scalars."""
        assert isinstance(like.type, Array)
        if isinstance(arg, Lit) and arg.value is None:
            return [arg] * int(np.prod(like.type.shape))  # type: ignore[arg-type]
        elements, _ = self.data(arg)
        return [self.exact(e, like.type.dtype) for e in elements.flat]

    # ----- values
    def define(self, var: Var, elements: Elements) -> None:
        for place in np.ndindex(elements.shape):
            if elements[place] in self.made:
                elements[place].hint = _hint(var.hint, place)
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
        out = np.empty(elements.shape, object)
        for place in np.ndindex(out.shape):
            out[place] = change(elements[place])
        return out

    def read(self, var: Var) -> Elements:
        """The elements of an array that stays one, read where it is defined."""
        level = self.levels[self.level_of.get(var, 0)]
        if var not in level.elements:
            assert isinstance(var.type, Array) and var.type.shape is not None
            elements = np.empty(var.type.shape, object)
            for place in np.ndindex(elements.shape):
                out = Var(scalar_type(var.type.dtype), _hint(var.hint, place))
                index: Arg = Lit(place[0]) if len(place) == 1 else Seq(tuple(map(Lit, place)))
                level.ops.append(
                    Op(operator.getitem, (var, index), (out,), {}, self.span, False, self.adjoint)
                )
                elements[place] = out
            level.elements[var] = elements
        return level.elements[var]

    def array(self, arg: Arg) -> Arg:
        """The argument for an operation that has no form: arrays are built again from their elements."""
        return renamed(arg, self.names) if isinstance(arg, Lit) else self._arrays(arg)

    def _arrays(self, arg: Arg) -> Arg:
        from ..ir.ops import map_arg

        return map_arg(lambda v: self.built(v) if v in self.small else self.names.get(v, v), arg)

    def built(self, var: Var) -> Var:
        """The array with the elements of a Var; built outside the loops that don't change it."""
        start = self.level_of[var]
        for level in self.levels[start:]:
            if var in level.arrays:
                return level.arrays[var]
        loops = any(level.loop for level in self.levels[start + 1 :])
        level = self.levels[start] if loops else self.levels[-1]
        assert isinstance(var.type, Array)
        out = Var(var.type, var.hint)
        elements = self.small[var]
        have = [np.dtype(_python(one(e))) if _dtype(e) is None else _dtype(e) for e in elements.flat]
        kwargs: dict[str, Arg] = (
            {} if np.result_type(*have) == var.type.dtype else {"dtype": Lit(var.type.dtype)}
        )
        op = Op(np.array, (_display(elements),), (out,), kwargs, self.span, False, self.adjoint)
        level.ops.append(op)
        level.arrays[var] = out
        return out

    # ----- operations
    def operation(self, op: Op) -> None:
        if op.fn is list_append and self.classes.tape_slots(op.args[0]) is not None:
            self.append(op)
            return
        if not op.effect:
            self.made.clear()
            try:
                if self.boundary(op) or self.formed(op):
                    return
            except NoForm:
                pass
        op.args = tuple(map(self.array, op.args))
        op.kwargs = {k: self.array(v) for k, v in op.kwargs.items()}
        self.emit(op)
        self.bind(*op.outs)

    def append(self, op: Op) -> None:
        """Save the elements of small arrays."""
        tape, element = op.args
        n = self.classes.tape_slots(tape)
        row = element.items if n is not None and n > 1 and isinstance(element, Seq) else (element,)
        flat: list[Arg] = []
        for arg in row:
            scalar = isinstance(arg, Var) and self.classes.scalar(arg)
            flat += self.exact_elements(arg, arg) if scalar else [self.array(arg)]  # type: ignore[arg-type]
        op.args = self.array(tape), flat[0] if len(flat) == 1 else Seq(tuple(flat))
        self.emit(op)
        self.bind(*op.outs)

    def formed(self, op: Op) -> bool:
        """Do an operation on elements; whether it was done."""
        wanted = [out for out in op.outs if isinstance(out.type, Array)]
        if any(not self.classes.scalar(out) for out in wanted) or any(
            not isinstance(out.type, (Scalar, Array)) for out in op.outs
        ):
            return False
        if op.fn is builtin.undefined and wanted:
            found: Any = self.opened_undefined(op)
            return bool(found)
        if not wanted and not any(self.reads_small(a) for a in (*op.args, *op.kwargs.values())):
            return False
        form = form_of(op)
        if form is None:
            return self.inlined(op)
        found = form(self, op)
        results = found if isinstance(found, list) and len(op.outs) != 1 else [found]
        if len(results) != len(op.outs):
            return False
        checked = [self.checked(r, out) for r, out in zip(results, op.outs, strict=True)]
        for result, out in zip(checked, op.outs, strict=True):
            if isinstance(out.type, Array):
                self.define(out, result)
            else:
                self.names[out] = result[()]
                if result[()] in self.made:
                    result[()].hint = out.hint
        return True

    def inlined(self, op: Op) -> bool:
        """Do what an operation stands for that is a program of others; whether it was done."""
        primitive = lookup(op.fn)
        if primitive is None or primitive.kind != "composite" or len(op.outs) != 1:
            return False
        assert primitive.rule is not None
        builder = Builder(Block(), op.adjoint)
        builder.span = op.span
        try:
            result = builder.inline(primitive.rule, op.args, op.kwargs)
        except AdError:
            return False
        block = builder.block.ops
        if not all(isinstance(o, Op) for o in block) or not isinstance(result, (Var, Lit, Seq)):
            return False
        for inner in block:
            self.statement(inner)
        if isinstance(op.out.type, Array):
            self.define(op.out, self.checked(cast(self, result, op.out.type.dtype), op.out))
        else:
            self.names[op.out] = self.array(result)
        return True

    def opened_undefined(self, op: Op) -> bool:
        for element in self.opened(op.outs):
            self.emit(Op(op.fn, op.args, (element,), op.kwargs, op.span, op.effect, op.adjoint))
        return True

    def reads_small(self, arg: Arg) -> bool:
        from ..ir.ops import variables

        return any(v in self.small or self.is_small(v.type) for v in variables(arg))

    def checked(self, result: Any, out: Var) -> Elements:
        """A result of the type that is expected, its elements arguments."""
        elements = result if isinstance(result, np.ndarray) else one(result)
        shape = out.type.shape if isinstance(out.type, Array) else ()
        if elements.shape != shape:
            raise NoForm
        elements = self.map(elements, lambda e: e if isinstance(e, (Var, Lit)) else Lit(e))
        if isinstance(out.type, Scalar):
            if out.type.dtype is None:  # a length
                return elements
            return one(self.exact(elements[()], out.type.dtype))
        return elements

    def boundary(self, op: Op) -> bool:
        """Parts of larger arrays: one operation for each element."""
        first = op.args[0] if op.args else None
        if not isinstance(first, Var) or not isinstance(first.type, Array) or op.kwargs or len(op.outs) != 1:
            return False
        if self.is_small(first.type) and op.fn is not operator.getitem:
            return False
        if op.fn is operator.getitem and self.classes.scalar(op.out) and first not in self.small:
            if self.is_small(first.type):
                return False
            shape = op.out.type.shape  # type: ignore[union-attr]
            index = places(renamed(op.args[1], self.names), first.type, shape, self.index_sum)  # type: ignore[arg-type]
            elements = np.empty(shape, object)  # type: ignore[arg-type]
            for place in np.ndindex(elements.shape):
                elements[place] = self.new(
                    operator.getitem, (first, index[place]), scalar_type(first.type.dtype)
                )
            self.define(op.out, elements)
            return True
        if op.fn in (helpers.setitem, helpers.add_at):
            return self.part_written(op, first)
        return False

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

    def part_written(self, op: Op, target: Var) -> bool:
        part = index_type(target, renamed(op.args[1], self.names))
        if not isinstance(part, Array) or not self.is_small(part):
            return False
        value, _ = self.data(op.args[2])
        assert isinstance(target.type, Array) and part.shape is not None
        index = places(renamed(op.args[1], self.names), target.type, part.shape, self.index_sum)  # type: ignore[arg-type]
        try:
            value = np.broadcast_to(value, index.shape)
        except ValueError as problem:
            raise NoForm from problem
        *others, last = np.ndindex(index.shape)
        array: Var = target
        for place in [*others, last]:
            out = op.out if place == last else Var(op.out.type, op.out.hint)
            args = array, index[place], value[place]
            self.emit(Op(op.fn, args, (out,), {}, op.span, False, op.adjoint))
            self.bind(out)
            array = out
        return True

    def index_sum(self, start: Arg, offset: int) -> Arg:
        """``start + offset``."""
        if offset == 0:
            return start
        return self.new(operator.add, (start, Lit(offset)), Scalar("int"))


def _hint(hint: str | None, place: tuple[int, ...]) -> str | None:
    return None if hint is None or not place else "_".join([hint, *map(str, place)])


def _dtype(arg: Arg) -> np.dtype | None:
    type = type_of_arg(arg)
    return type.dtype if isinstance(type, Scalar) else None


def _python(elements: Elements) -> Any:
    type = type_of_arg(elements[()])
    return {"bool": bool, "int": int, "float": float, "complex": complex}.get(
        getattr(type, "kind", ""), object
    )


def _display(elements: Elements) -> Arg:
    if elements.ndim == 0:
        return elements[()]
    return Seq(tuple(_display(np.asarray(row, object)) for row in elements), list)
