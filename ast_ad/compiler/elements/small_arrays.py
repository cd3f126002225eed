"""Which program computes with the elements of small arrays instead of the arrays?

``small_arrays(function, limit, differentiated, report) -> Function``. For kernels only, right after
``adjoint``: it follows arrays onto the tapes that loops record, as long as these are lists (``typed_tapes``
comes later).

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

from ...errors import AdError
from ...rules import helpers
from ...rules.containers import list_append
from ...rules.registry import lookup
from ..frontend.builder import Builder
from ..frontend.interpreter import inline
from ..frontend.types.basic_indices import index_type
from ..ir import builtin
from ..ir.ops import (
    NOWHERE,
    Arg,
    Block,
    For,
    Function,
    If,
    Lit,
    Op,
    Seq,
    Statement,
    Var,
    While,
    variables,
    walk,
)
from ..ir.types import Array, DictOf, ListOf, Opaque, Optional, Scalar, TupleOf
from ..report import UNHEARD, Report
from ..simplify.dead_code import eliminate_dead_code
from ..simplify.dead_tapes import share_saved
from ..simplify.known_sums import read_known_sums
from ..simplify.merged_additions import merge_additions
from ..simplify.renaming import copy_function, renamed
from ..simplify.simplify import simplify
from .small_classes import Classes, scalar_type, size
from .small_elements import Elements, NoForm, blank, broadcast, cast, map_elements, one
from .small_forms import KINKED, REFUSED_BY_VALUE, form_of
from .small_indices import places
from .small_values import Level, Values, element_hint


def small_arrays(
    function: Function, limit: int = 16, differentiated: bool = False, report: Report = UNHEARD
) -> Function:
    """The same function with scalars in place of small arrays.

    Args:
        function: pure IR; it is left as it is.
        limit: the largest number of elements of an array that is taken apart.
        differentiated: whether the adjoint is still to come; it then has the same gradient at kinks too.
    """
    function = copy_function(function)
    excluded = KINKED if differentiated else frozenset()
    classes = Classes(function, limit, lambda op: op.fn not in excluded and form_of(op) is not None)
    if classes.mixed:
        return function
    for op in walk(function.body):
        for var in op.outs:
            if var.hint and isinstance(var.type, Array) and not op.adjoint and classes.scalar(var):
                report.note("small arrays", op, f"`{var.hint}` is {size(var.type)} numbers, no array")
    classes.retype_tapes()
    _Pass(classes, limit, excluded).function(function)
    eliminate_dead_code(function)
    merge_additions(function.body)
    read_known_sums(function.body)
    simplify(function)
    while share_saved(function.body):
        simplify(function)
    return function


class _Pass(Values):
    """Rewrites statement by statement."""

    # ----- blocks
    def function(self, function: Function) -> None:
        self.levels.append(Level())
        self.bind(*function.params)
        self.certain.update(function.params)
        for op in function.body.ops:
            self.statement(op)
        self.span, self.adjoint = NOWHERE, function.body.ops[-1].adjoint if function.body.ops else False
        function.body.results = tuple(map(self.array, function.body.results))
        function.body.ops = self.levels.pop().ops

    def block(self, block: Block, results: Callable[[], tuple[Arg, ...]], loop: bool = False) -> None:
        self.levels.append(Level(loop))
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
        self.levels.append(Level(True))
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
                elements = blank(var.type.shape)
                for place in np.ndindex(elements.shape):
                    element = Var(scalar_type(var.type.dtype), element_hint(var.hint, place))
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
            except NoForm:  # it is done on arrays, which are built from their elements
                pass
        op.args = tuple(map(self.array, op.args))
        op.kwargs = {k: self.array(v) for k, v in op.kwargs.items()}
        self.emit(op)
        self.bind(*op.outs)
        containers = (ListOf, DictOf, TupleOf, Optional, Opaque)
        if lookup(op.fn) and not any(isinstance(v.type, containers) for v in variables(*op.args)):
            self.certain.update(op.outs)  # an operation on numbers and arrays, which has a result or fails

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
        kept = [out for out in wanted if not self.classes.scalar(out)]
        if any(not isinstance(out.type, (Scalar, Array)) for out in op.outs):
            return False
        if kept and not (all(map(self.classes.small, kept)) and self.built_from_scalars(op)):
            return False
        if op.fn is builtin.undefined and wanted:
            found: Any = self.opened_undefined(op)
            return bool(found)
        if not wanted and not any(self.reads_small(a) for a in (*op.args, *op.kwargs.values())):
            return False
        form = form_of(op)
        if op.fn in self.excluded:
            return False
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
                if out in kept:
                    self.emit(self.building(out, out))
                    del self.small[out]
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
        if op.fn in REFUSED_BY_VALUE:
            return False
        assert primitive.rule is not None
        builder = Builder(Block(), op.adjoint)
        builder.span = op.span
        try:
            result = inline(builder, primitive.rule, op.args, op.kwargs)
        except AdError:  # the program does not fit these arguments: the operation is done on arrays
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

    def built_from_scalars(self, op: Op) -> bool:
        """Whether an array that stays one is better built from elements than computed from arrays."""
        writes = helpers.setitem, helpers.add_at
        return op.fn not in writes and any(v in self.small for v in variables(*op.args))

    def opened_undefined(self, op: Op) -> bool:
        for element in self.opened(op.outs):
            self.emit(Op(op.fn, op.args, (element,), op.kwargs, op.span, op.effect, op.adjoint))
        return True

    def reads_small(self, arg: Arg) -> bool:
        return any(v in self.small or self.is_small(v.type) for v in variables(arg))

    def checked(self, result: Any, out: Var) -> Elements:
        """A result of the type that is expected, its elements arguments."""
        elements = result if isinstance(result, np.ndarray) else one(result)
        shape = out.type.shape if isinstance(out.type, Array) else ()
        if elements.shape != shape:
            raise NoForm
        dtype = getattr(out.type, "dtype", None)
        elements = self.map(elements, lambda e: e if isinstance(e, Var) else literal(e, dtype))
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
        if first in self.small:
            return False
        if op.fn is operator.getitem and self.classes.scalar(op.out):
            assert isinstance(op.out.type, Array)
            index = places(renamed(op.args[1], self.names), first.type, op.out.type.shape)
            self.define(op.out, map_elements(lambda i: self.item_of(first, i), index))
            return True
        if op.fn in (helpers.setitem, helpers.add_at):
            return self.part_written(op, first)
        return False

    def part_written(self, op: Op, target: Var) -> bool:
        part = index_type(target, renamed(op.args[1], self.names))
        if not isinstance(part, Array) or not self.is_small(part):
            return False
        if self.classes.scalar(target):
            return False
        value, _ = self.data(op.args[2])
        assert isinstance(target.type, Array) and part.shape is not None
        index = places(renamed(op.args[1], self.names), target.type, part.shape)
        try:
            value = broadcast(value, index.shape)
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


def literal(element: Any, dtype: np.dtype | None) -> Lit:
    """A constant element of an array of this dtype, as a Python number."""
    value = element.value if isinstance(element, Lit) else element
    try:
        return Lit(value if dtype is None or value is None else dtype.type(value).item())
    except (TypeError, ValueError, OverflowError) as problem:
        raise NoForm from problem
