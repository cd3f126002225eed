"""How is an operation spelled as a Python expression?

Operators become infix, subscripts and displays their syntax, methods and attributes what people write;
everything else a call. Only ``ast`` nodes are built, never text.
"""

from __future__ import annotations

import ast
import builtins
import cmath
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...rules import containers, dicts, nested_lists
from ...rules.helpers import mT
from ..ir import builtin
from ..ir.ops import Arg, If, Lit, Op, Seq, Slice, Var
from ..ir.types import Array, Scalar, rank_of
from .imports import References, name

BINARY: dict[Any, ast.operator] = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    operator.mul: ast.Mult(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
    operator.pow: ast.Pow(),
    operator.matmul: ast.MatMult(),
    operator.and_: ast.BitAnd(),
    operator.or_: ast.BitOr(),
    operator.xor: ast.BitXor(),
    operator.lshift: ast.LShift(),
    operator.rshift: ast.RShift(),
}
COMPARE: dict[Any, ast.cmpop] = {
    operator.lt: ast.Lt(),
    operator.le: ast.LtE(),
    operator.gt: ast.Gt(),
    operator.ge: ast.GtE(),
    operator.eq: ast.Eq(),
    operator.ne: ast.NotEq(),
    operator.is_: ast.Is(),
    operator.is_not: ast.IsNot(),
}
UNARY: dict[Any, ast.unaryop] = {
    operator.neg: ast.USub(),
    operator.pos: ast.UAdd(),
    operator.invert: ast.Invert(),
    operator.not_: ast.Not(),
}
ATTRIBUTES = {np.shape: "shape", np.size: "size", np.transpose: "T", np.ndim: "ndim"}
_OPPOSITE: dict[type, ast.cmpop] = {ast.Is: ast.IsNot(), ast.IsNot: ast.Is(), ast.In: ast.NotIn()}


def constant(value: Any) -> ast.expr:
    return ast.Constant(value)


def call(fn: ast.expr, args: Iterable[ast.expr], **kwargs: ast.expr) -> ast.expr:
    return ast.Call(fn, list(args), [ast.keyword(key, value) for key, value in kwargs.items()])


def subscript(value: ast.expr, index: ast.expr) -> ast.Subscript:
    return ast.Subscript(value, index, ast.Load())


def method(value: ast.expr, text: str, *args: ast.expr) -> ast.expr:
    return call(ast.Attribute(value, text, ast.Load()), args)


def negate(test: ast.expr) -> ast.expr:
    """``not test``, as people write it. Comparisons of numbers stay: ``not a < b`` is true for NaN."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and type(test.ops[0]) in _OPPOSITE:
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


class Expressions:
    """Expressions of one function: ``value`` of an argument, ``op`` of an operation.

    ``names`` gives the Vars that have a name, ``inlined`` what computes those that are nested instead.
    """

    def __init__(
        self, references: References, names: Callable[[Var], str], inlined: dict[Var, Op | If]
    ) -> None:
        self.references, self.names, self.inlined = references, names, inlined

    def value(self, arg: Arg) -> ast.expr:
        if isinstance(arg, Var):
            nested = self.inlined.get(arg)
            return name(self.names(arg)) if nested is None else self.statement_value(nested)
        if isinstance(arg, Lit):
            return self.literal(arg.value)
        if isinstance(arg, Slice):
            return self.slice(*map(self.value, (arg.start, arg.stop, arg.step)))
        items = [self.value(item) for item in arg.items]
        return ast.List(items, ast.Load()) if arg.kind is list else ast.Tuple(items, ast.Load())

    def slice(self, *parts: ast.expr) -> ast.expr:
        """A slice outside of a subscript; ``index`` turns it into ``a:b:c`` where it is inside one."""
        return call(self.references.builtin("slice"), parts)

    def statement_value(self, op: Op | If) -> ast.expr:
        if isinstance(op, Op):
            return self.op(op)
        return self.conditional(op)

    def conditional(self, op: If) -> ast.expr:
        """``a if c else b``, ``c and b`` or ``c or b``."""
        test = self.value(op.cond)
        then, orelse = self.value(op.then.results[0]), self.value(op.orelse.results[0])
        if op.orelse.results[0] is op.cond:
            return _boolean(ast.And(), test, then)
        if op.then.results[0] is op.cond:
            return _boolean(ast.Or(), test, orelse)
        boolean = isinstance(op.cond, Var) and op.cond.type == Scalar("bool")
        if boolean and isinstance(orelse, ast.Constant) and orelse.value is False:
            return _boolean(ast.And(), test, then)
        if boolean and isinstance(then, ast.Constant) and then.value is True:
            return _boolean(ast.Or(), test, orelse)
        return ast.IfExp(test, then, orelse)

    def index(self, arg: Arg) -> ast.expr:
        """An argument as it stands between brackets."""
        if isinstance(arg, Slice):
            parts = [None if _is_none(p) else self.value(p) for p in (arg.start, arg.stop, arg.step)]
            return ast.Slice(*parts)
        if isinstance(arg, Lit) and isinstance(arg.value, slice):
            value = arg.value
            return self.index(Slice(Lit(value.start), Lit(value.stop), Lit(value.step)))
        if isinstance(arg, Lit) and type(arg.value) is tuple and arg.value:
            return ast.Tuple([self.index(Lit(item)) for item in arg.value], ast.Load())
        if isinstance(arg, Seq) and arg.kind is tuple and arg.items:
            return ast.Tuple([self.index(item) for item in arg.items], ast.Load())
        return self.value(arg)

    def view(self, array: ast.expr, rank: int | None, path: Arg) -> ast.expr:
        """The view of an array of so many axes to which a path leads (``builtin.through_``)."""
        for step in path.items if isinstance(path, Seq) else ():
            assert isinstance(step, Seq) and isinstance(step.items[0], Lit) and isinstance(step.items[1], Lit)
            fn, args, before = step.items[0].value, step.items[2:], rank
            rank = rank_of(step.items[1].value)
            if fn is operator.getitem:
                array = subscript(array, self.index(args[0]))
            elif fn in (np.reshape, np.ravel):
                # Of several axes the order in memory says whether it is a view: else the write fails.
                checked = {} if before == 1 else {"copy": constant(False)}
                lengths = self.value(args[0] if args else Lit(-1))
                array = call(ast.Attribute(array, "reshape", ast.Load()), [lengths], **checked)
            elif fn is np.transpose and args:
                array = method(array, "transpose", self.value(args[0]))
            elif fn is np.swapaxes or fn is mT and rank != 2:
                array = method(array, "swapaxes", *map(self.value, args or (Lit(-1), Lit(-2))))
            else:
                assert fn in (np.transpose, mT)
                array = ast.Attribute(array, "T", ast.Load())
        return array

    def op(self, op: Op) -> ast.expr:
        """The expression that computes an op's result."""
        if op.fn in SPECIAL and (not op.kwargs or op.fn is np.copy):
            special = SPECIAL[op.fn](self, op)
            if special is not None:
                return special
        args, kwargs = op.args, {key: self.value(arg) for key, arg in op.kwargs.items()}
        if op.fn is builtin.call:
            return call(self.value(args[0]), map(self.value, args[1:]), **kwargs)
        if not kwargs and len(args) == 2 and op.fn in BINARY:
            return ast.BinOp(self.value(args[0]), BINARY[op.fn], self.value(args[1]))
        if not kwargs and len(args) == 2 and op.fn in COMPARE:
            return ast.Compare(self.value(args[0]), [COMPARE[op.fn]], [self.value(args[1])])
        if not kwargs and len(args) == 1 and op.fn in UNARY:
            operand = self.value(args[0])
            return negate(operand) if op.fn is operator.not_ else ast.UnaryOp(UNARY[op.fn], operand)
        return call(self.references.callable(op.fn), map(self.value, args), **kwargs)

    def literal(self, value: Any) -> ast.expr:
        """A constant; negative, complex and infinite numbers as expressions that parse back to themselves."""
        kind = type(value)
        if value is None or value is Ellipsis or kind in (bool, str, bytes):
            return constant(value)
        if kind is int:
            return ast.UnaryOp(ast.USub(), constant(-value)) if value < 0 else constant(value)
        if kind is float:
            return self._float(value)
        if kind is complex:
            if value.real == 0 and math.copysign(1, value.real) > 0 and _plain(value):
                return constant(value)
            return call(self.references.builtin("complex"), map(self._float, (value.real, value.imag)))
        if kind in (tuple, list):
            items = [self.literal(item) for item in value]
            return ast.List(items, ast.Load()) if kind is list else ast.Tuple(items, ast.Load())
        if kind is slice:
            return self.slice(*map(self.literal, (value.start, value.stop, value.step)))
        if isinstance(value, np.dtype):
            return self._dtype(value)
        if isinstance(value, (np.longdouble, np.clongdouble)):  # Python has no number of as many digits
            return call(self.references.callable(kind), [constant(str(value).strip("()"))])
        if isinstance(value, np.generic) and value.dtype.kind in "biufc":
            return call(self.references.callable(kind), [self.literal(value.item())])
        if callable(value):
            return self.references.callable(value)
        return self.references.inject(value, f"{kind.__name__}_value")

    def _float(self, value: float) -> ast.expr:
        if math.isfinite(value):
            negative = math.copysign(1, value) < 0
            return ast.UnaryOp(ast.USub(), constant(-value)) if negative else constant(value)
        infinity = self.references.module("np.nan" if math.isnan(value) else "np.inf")
        return ast.UnaryOp(ast.USub(), infinity) if value < 0 else infinity

    def _dtype(self, dtype: np.dtype[Any]) -> ast.expr:
        if dtype.isnative and dtype.kind in "biufc" and np.dtype(dtype.type) == dtype:
            return self.references.callable(dtype.type)
        if dtype.names or dtype.subdtype:
            return self.references.inject(dtype, "dtype")
        return call(self.references.module("np.dtype"), [constant(dtype.str)])


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None


def _plain(value: complex) -> bool:
    return cmath.isfinite(value) and math.copysign(1, value.imag) > 0


def _boolean(op: ast.boolop, *values: ast.expr) -> ast.expr:
    """A chain of one operator, flat: ``a and b and c``."""
    first, second = values
    if isinstance(first, ast.BoolOp) and type(first.op) is type(op):
        return ast.BoolOp(op, [*first.values, second])
    if isinstance(second, ast.BoolOp) and type(second.op) is type(op):
        return ast.BoolOp(op, [first, *second.values])
    return ast.BoolOp(op, [first, second])


def _getitem(e: Expressions, op: Op) -> ast.expr | None:
    return subscript(e.value(op.args[0]), e.index(op.args[1])) if len(op.args) == 2 else None


def _getattr(e: Expressions, op: Op) -> ast.expr | None:
    match op.args:
        case (owner, Lit(value=str(text))) if text.isidentifier():
            return ast.Attribute(e.value(owner), text, ast.Load())
    return None


def _attribute(e: Expressions, op: Op) -> ast.expr | None:
    """``x.shape`` for ``np.shape(x)`` where ``x`` is an array for certain."""
    match op.args:
        case (Var(type=Array(shape=tuple(shape))) as array,) if shape:
            return ast.Attribute(e.value(array), ATTRIBUTES[op.fn], ast.Load())
    return None


def _transposed(e: Expressions, op: Op) -> ast.expr | None:
    match op.args:
        case (Var(type=Array(shape=(_, _))) as array,):
            return ast.Attribute(e.value(array), "T", ast.Load())
    return None


def _item_within(e: Expressions, op: Op) -> ast.expr:
    items, path = op.args
    found = e.value(items)
    for index in path.items if isinstance(path, Seq) else ():
        found = subscript(found, e.index(index))
    return found


def _contains(e: Expressions, op: Op) -> ast.expr:
    items, item = op.args
    return ast.Compare(e.value(item), [ast.In()], [e.value(items)])


def _copy(e: Expressions, op: Op) -> ast.expr:
    """``x.copy()``, or ``np.copy(x)``, which keeps the order of axes in memory: sums depend on it."""
    type_ = op.outs[0].type
    if isinstance(type_, Array) and type_.ndim != 1 and not op.adjoint:
        return call(e.references.callable(np.copy), [e.value(op.args[0])])
    return method(e.value(op.args[0]), "copy")


def _copy_in_rows(e: Expressions, op: Op) -> ast.expr | None:
    """``x.copy()``, which lies by rows."""
    order = op.kwargs.get("order")
    by_rows = isinstance(order, Lit) and order.value == "C" and len(op.args) + len(op.kwargs) == 2
    return method(e.value(op.args[0]), "copy") if by_rows and isinstance(op.out.type, Array) else None


def _sliced(e: Expressions, op: Op) -> ast.expr:
    owner, *bounds = op.args
    return subscript(e.value(owner), e.index(Slice(*bounds)))


def _reversed(e: Expressions, op: Op) -> ast.expr:
    return subscript(e.value(op.args[0]), e.index(Lit(slice(None, None, -1))))


def _repeated(e: Expressions, op: Op) -> ast.expr:
    xs, times = op.args
    return ast.BinOp(e.value(xs), ast.Mult(), e.value(times))


def _joined(e: Expressions, op: Op) -> ast.expr:
    return ast.BinOp(e.value(op.args[0]), ast.Add(), e.value(op.args[1]))


def _length(e: Expressions, op: Op) -> ast.expr:
    return call(e.references.builtin("len"), [e.value(op.args[0])])


def _list_of(e: Expressions, op: Op) -> ast.expr:
    return ast.List([e.value(arg) for arg in op.args], ast.Load())


def _tuple_of(e: Expressions, op: Op) -> ast.expr:
    return ast.Tuple([e.value(arg) for arg in op.args], ast.Load())


SPECIAL: dict[Any, Callable[[Expressions, Op], ast.expr | None]] = {
    operator.getitem: _getitem,
    operator.contains: _contains,
    builtins.getattr: _getattr,
    mT: _transposed,
    builtin.tuple_get: _getitem,
    containers.list_get: _getitem,
    nested_lists.item_within: _item_within,
    containers.list_slice: _sliced,
    containers.list_reverse: _reversed,
    containers.list_concat: _joined,
    containers.list_repeat: _repeated,
    containers.list_len: _length,
    dicts.dict_empty: lambda e, op: ast.Dict([], []),
    dicts.dict_get: _getitem,
    dicts.dict_get_or: lambda e, op: method(e.value(op.args[0]), "get", *map(e.value, op.args[1:])),
    dicts.dict_has: _contains,
    dicts.dict_len: _length,
    dicts.dict_keys: lambda e, op: call(e.references.builtin("list"), [e.value(op.args[0])]),
    builtin.assign: lambda e, op: e.value(op.args[0]),
    builtin.told: lambda e, op: e.value(op.args[0]),
    builtin.undefined: lambda e, op: constant(None),
    builtin.restore: lambda e, op: ast.Call(
        e.references.callable(np.seterr), [], [ast.keyword(None, e.value(op.args[0]))]
    ),
    builtin.make_tuple: _tuple_of,
    builtin.make_list: _list_of,
    builtin.copy: _copy,
    np.copy: _copy_in_rows,
    **{fn: _attribute for fn in ATTRIBUTES},
}
