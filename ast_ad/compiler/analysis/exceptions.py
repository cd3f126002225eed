"""Which operations may raise an exception, as far as types, lengths and indices tell?

``may_raise(op, counters, handling) -> bool``. Asked by ``keep_exceptions`` of what nobody reads.

What is not listed here as harmless may raise. Python's own numbers raise where NumPy warns: a division by
zero, a function outside of its domain, a float that overflows.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...rules import containers, dicts, helpers
from ...rules.registry import lookup
from ..ir import builtin
from ..ir.dims import count, reaches
from ..ir.ops import Arg, Lit, Op, Seq, Slice, Var, variables
from ..ir.types import Array, Dim, ListOf, Scalar, Type, kind_of, type_of
from .counters import Counters

KINDS = ("bool", "int", "float", "complex")
Test = Callable[[Op, Counters], bool]


def may_raise(op: Op, counters: Counters, handling: bool = False) -> bool:
    """Whether an operation may raise; ``handling``: whether NumPy's floating point errors do, too."""
    if op.sure:
        return False
    if handling and any(kind_of(out.type) in ("float", "complex") for out in op.outs):
        return True
    test = _TESTS.get(op.fn) if callable(op.fn) and getattr(op.fn, "__hash__", None) else None
    if test is not None:
        return test(op, counters)
    if is_elementwise(op.fn):
        return _elementwise(op, counters)
    return True


def is_elementwise(fn: Any) -> bool:
    primitive = lookup(fn)
    return primitive is not None and primitive.kind == "elementwise" or isinstance(fn, np.ufunc)


# ----- types and lengths
def _type(arg: Arg) -> Type | None:
    if isinstance(arg, Var):
        return arg.type
    return type_of(arg.value) if isinstance(arg, Lit) else None


def _is_number(type: Type | None) -> bool:
    return isinstance(type, (Scalar, Array)) and type.kind in KINDS


def _fit(shapes: Iterable[tuple[Dim | int, ...] | None]) -> bool:
    """Whether shapes certainly broadcast."""
    known = list(shapes)
    if any(shape is None for shape in known):
        return False
    for axis in range(1, 1 + max(map(len, known), default=0)):  # type: ignore[arg-type]
        lengths = {shape[-axis] for shape in known if len(shape) >= axis} - {1}  # type: ignore[arg-type, index]
        if len(lengths) > 1:
            return False
    return True


def _shape(type: Type | None) -> tuple[Dim | int, ...] | None:
    return type.shape if isinstance(type, Array) else ()


def _never(op: Op, counters: Counters) -> bool:
    return False


def _not_of_numbers(op: Op, counters: Counters) -> bool:
    return not all(_is_number(_type(arg)) for arg in op.args)


# ----- functions of every element
def _elementwise(op: Op, counters: Counters) -> bool:
    """A function of elements raises where lengths don't fit; Python's numbers have tests of their own."""
    types = [_type(arg) for arg in (*op.args, *op.kwargs.values())]
    if op.kwargs or not all(map(_is_number, types)):
        return True
    if isinstance(op.fn, np.ufunc) and len(op.args) != op.fn.nin:
        return True  # one that writes to an array
    if getattr(op.fn, "__module__", None) in ("math", "cmath"):
        return op.fn not in _ALWAYS_DEFINED or any(_shape(t) != () for t in types)
    if not _fit(map(_shape, types)):
        return True
    if op.fn in _POWERS and all(kind_of(t) in ("bool", "int") for t in types):  # type: ignore[arg-type]
        return True  # a negative exponent
    if isinstance(op.fn, np.ufunc) or any(isinstance(t, Array) for t in types):
        return False
    pythons = [t for t in types if isinstance(t, Scalar) and t.dtype is None]
    if len(pythons) < len(types) and "complex" not in map(kind_of, pythons):
        return False  # of NumPy's floats and a complex number, the latter decides
    test = _OF_PYTHON.get(op.fn)
    return test is None or test(op, counters)


def _divides(op: Op, counters: Counters) -> bool:
    """A division of Python's numbers raises unless the divisor is known not to be 0."""
    if len(op.args) != 2:
        return True
    divisor = op.args[1]
    if isinstance(divisor, Lit):
        return not divisor.value
    form = counters.form(divisor)
    return form is None or not (counters.at_least(form, 1) or counters.at_least(0 - form, 1))


def _shifts(op: Op, counters: Counters) -> bool:
    form = counters.form(op.args[1]) if len(op.args) == 2 else None
    return form is None or not counters.at_least(form, 0)


def _compared(op: Op, counters: Counters) -> bool:
    """``max(a, b)`` and ``not a`` raise for arrays, which have no truth value."""
    return len(op.args) < 1 + (op.fn is not operator.not_) or not all(
        isinstance(t, Scalar) and t.kind in KINDS[:3] for t in map(_type, op.args)
    )


def _rounded(op: Op, counters: Counters) -> bool:
    """``round(x)`` raises for NaN, as it is an integer."""
    type = _type(op.args[0])
    return not (isinstance(type, Scalar) and type.kind in ("bool", "int") and len(op.args) == 1)


def _complex(op: Op, counters: Counters) -> bool:
    return any(kind_of(t) == "complex" for t in map(_type, op.args) if t is not None)


_POWERS = {operator.pow, np.power, pow, np.float_power}
_ALWAYS_DEFINED = {
    math.fabs, math.copysign, math.atan, math.atan2, math.tanh, math.erf, math.erfc, math.asinh, math.degrees,
    math.radians, math.isnan, math.isinf, math.isfinite, math.hypot, math.cbrt,
}  # fmt: skip
_ARITHMETIC = (
    operator.add, operator.sub, operator.mul, operator.neg, operator.pos, operator.lt, operator.le,
    operator.gt, operator.ge, operator.eq, operator.ne, operator.and_, operator.or_, operator.xor,
    operator.invert,
)  # fmt: skip
_OF_PYTHON: dict[Any, Test] = {
    **dict.fromkeys(_ARITHMETIC, _never),
    **dict.fromkeys((operator.truediv, operator.floordiv, operator.mod, divmod), _divides),
    **dict.fromkeys((operator.lshift, operator.rshift), _shifts),
    abs: _complex,
}


# ----- conversions
def _converted(op: Op, counters: Counters) -> bool:
    """``float(x)`` raises unless there is one element, ``int(x)`` for what is no integer (NaN)."""
    type = _type(op.args[0]) if len(op.args) == 1 and not op.kwargs else None
    if not _is_number(type):
        return True
    single = isinstance(type, Scalar) or isinstance(type, Array) and type.shape == ()
    wanted = _CONVERSIONS[op.fn]
    fits = wanted == "bool" or KINDS.index(kind_of(type)) <= KINDS.index(wanted)  # type: ignore[arg-type]
    return not (single and fits)


_CONVERSIONS: dict[Any, str] = {
    bool: "bool", int: "int", np.int64: "int", float: "float", np.float64: "float", np.float32: "float",
    complex: "complex",
}  # fmt: skip


def _of_one(op: Op, counters: Counters) -> bool:
    """A function of one array or number does not raise; that of a sequence may, which can be ragged."""
    return len(op.args) != 1 or bool(op.kwargs) or not _is_number(_type(op.args[0]))


def _of_axes(op: Op, counters: Counters) -> bool:
    """A function that turns the last two axes round, or all, raises where there are fewer."""
    type = _type(op.args[0])
    return _of_one(op, counters) or not isinstance(type, Array) or len(type.shape or ()) < 2


def _cast(op: Op, counters: Counters) -> bool:
    """A conversion of an array does not raise; that of a number may, as NaN is no integer."""
    return (
        len(op.args) != 2
        or not (isinstance(op.args[1], Lit) and isinstance(op.args[1].value, (type, np.dtype)))
        or not isinstance(_type(op.args[0]), Array)
        or not _is_number(_type(op.args[0]))
    )


def _outer(op: Op, counters: Counters) -> bool:
    return len(op.args) != 2 or bool(op.kwargs) or not all(map(_is_number, map(_type, op.args)))


def _chosen(op: Op, counters: Counters) -> bool:
    return len(op.args) != 3 or _elementwise(op, counters)


# ----- elements and parts
def _read(op: Op, counters: Counters) -> bool:
    return not is_inside(_type(op.args[0]), op.args[1], counters)


def _written(op: Op, counters: Counters) -> bool:
    """A write raises unless a number that fits, or an array of the same type, goes to places that exist."""
    array, index, value = op.args[0], op.args[1], _type(op.args[2])
    target = _type(array)
    if not (isinstance(target, Array) and _is_number(target) and _is_number(value)):
        return True
    if KINDS.index(kind_of(value)) > KINDS.index(target.kind):  # type: ignore[arg-type]
        return True
    whole = isinstance(index, Slice) and all(isinstance(p, Lit) and p.value is None for p in _parts(index))
    fits = isinstance(value, Scalar) or whole and isinstance(value, Array) and value.shape == target.shape
    return not (fits and is_inside(target, index, counters))


def is_inside(type: Type | None, index: Arg, counters: Counters) -> bool:
    """Whether an index certainly picks places that an array has."""
    if not isinstance(type, Array) or type.shape is None:
        return False
    parts = list(index.items) if isinstance(index, Seq) else [index]
    taken = [p for p in parts if not (isinstance(p, Lit) and (p.value is None or p.value is ...))]
    if len(taken) > len(type.shape):
        return False
    rest = len(type.shape) - len(taken)
    axis = 0
    for part in parts:
        if isinstance(part, Lit) and part.value is None:
            continue
        if isinstance(part, Lit) and part.value is ...:
            axis += rest
            continue
        if not _has_place(part, type.shape[axis], counters):
            return False
        axis += 1
    return True


def _has_place(part: Arg, length: Dim | int, counters: Counters) -> bool:
    if isinstance(part, Slice):
        step = _parts(part)[2]
        return isinstance(step, Lit) and step.value != 0
    if isinstance(part, Lit) and type(part.value) is not int:
        return False
    form = counters.form(part)
    if form is None:
        return False
    before = counters.at_least(length - form, 1)
    return (
        before
        and counters.at_least(form, 0)
        or (counters.at_least(form + length, 0) and counters.at_least(0 - form, 1))
    )


def _parts(part: Slice) -> tuple[Arg, Arg, Arg]:
    return part.start, part.stop, part.step


# ----- whole arrays
def _reduced(op: Op, counters: Counters) -> bool:
    return not _is_plain(op)


def _extreme(op: Op, counters: Counters) -> bool:
    """An extremum of no elements raises."""
    type = _type(op.args[0]) if op.args else None
    shape = type.shape if isinstance(type, Array) else None
    return not (_is_plain(op) and shape is not None and all(reaches(n, 1) for n in shape))


def _is_plain(op: Op) -> bool:
    """Whether it is a reduction of one array along axes that it has, with options that are written out."""
    known = _type(op.args[0]) if op.args else None
    if not _is_number(known) or len(op.args) > 2 or _shape(known) is None:
        return False
    axis = op.args[1] if len(op.args) == 2 else op.kwargs.get("axis", Lit(None))
    items = axis.items if isinstance(axis, Seq) else (axis,)
    axes = [a.value for a in items if isinstance(a, Lit) and (a.value is None or type(a.value) is int)]
    rank = len(_shape(known) or ())
    if len(axes) < len(items) or not all(a is None or -rank <= a < rank for a in axes):
        return False
    single = len({a % rank for a in axes if a is not None}) + (None in axes) == len(axes)
    options = {name: arg for name, arg in op.kwargs.items() if name != "axis"}
    return single and options.keys() <= {"keepdims", "ddof"} and not any(variables(*options.values()))


def _added(op: Op, counters: Counters) -> bool:
    """``sum`` raises unless it adds numbers."""
    type = _type(op.args[0]) if len(op.args) == 1 else None
    if isinstance(type, ListOf):
        return not _is_number(type.element) or isinstance(type.element, Array)
    return not (
        isinstance(type, Array) and _is_number(type) and type.shape is not None and len(type.shape) == 1
    )


def _made(op: Op, counters: Counters) -> bool:
    """A new array raises where a length is negative, or what fills it is no number."""
    if not op.args or isinstance(op.args[0], Slice):
        return True
    lengths: list[Arg] = [*op.args[0].items] if isinstance(op.args[0], Seq) else [op.args[0]]
    if op.fn in (np.eye, np.identity):
        lengths += op.args[1:]
    elif op.fn is np.full and (len(op.args) != 2 or op.kwargs or not isinstance(_type(op.args[1]), Scalar)):
        return True
    elif op.fn is not np.full and not all(isinstance(arg, Lit) for arg in op.args[1:]):
        return True
    forms = [counters.form(n) for n in lengths]
    return any(form is None or not counters.at_least(form, 0) for form in forms) or _is_huge(forms)


def _is_huge(lengths: Iterable[Dim | int | None]) -> bool:
    """Whether memory may not have room for it, for all that is written out."""
    return math.prod([n for n in lengths if isinstance(n, int)]) > 2**24


def _reshaped(op: Op, counters: Counters) -> bool:
    """A reshape raises unless there are as many elements before as behind."""
    old = _shape(_type(op.args[0]))
    if old is None or len(op.args) != 2 or op.kwargs or not _is_number(_type(op.args[0])):
        return True
    asked = op.args[1].items if isinstance(op.args[1], Seq) else (op.args[1],)
    if len(asked) == 1 and isinstance(asked[0], Lit) and asked[0].value == -1:
        return False
    told = [counters.form(n) for n in asked]
    if not all(form is not None and counters.at_least(form, 0) for form in told):
        return True
    return count(old) != count(told)  # type: ignore[arg-type]


def _multiplied(op: Op, counters: Counters) -> bool:
    """A product raises unless the inner lengths of its vectors and matrices are the same."""
    shapes = [_shape(_type(arg)) for arg in op.args]
    if len(shapes) != 2 or not all(shapes) or any(len(s) > 2 for s in shapes):  # type: ignore[arg-type]
        return True
    a, b = shapes
    return a[-1] != b[-2 if len(b) == 2 else 0]  # type: ignore[index, arg-type]


def _joined(op: Op, counters: Counters) -> bool:
    """Joining raises unless all arrays have one shape."""
    parts = op.args[0]
    shapes = [_shape(_type(part)) for part in parts.items] if isinstance(parts, Seq) else []
    same = bool(shapes) and bool(shapes[0]) and all(shape == shapes[0] for shape in shapes)
    return not same or any(variables(*op.args[1:], *op.kwargs.values()))


_HARMLESS = (
    builtin.assign, builtin.told, builtin.ruled, builtin.undefined, builtin.make_tuple, builtin.make_list,
    builtin.tuple_get, builtin.copy, builtin.own, operator.is_, operator.is_not,
    helpers.zero_like, helpers.one_like, helpers.hollow,
    containers.list_append, containers.list_len, containers.list_concat, containers.list_reverse,
    containers.list_repeat, containers.list_put, containers.list_place, containers.list_start,
    containers.list_stop, dicts.dict_empty, dicts.dict_get_or, dicts.dict_set, dicts.dict_take,
    dicts.dict_add_at, dicts.dict_add, dicts.dict_keys, dicts.dict_len, dicts.dict_has,
)  # fmt: skip
_OF_ONE_ARRAY = (
    np.copy, np.asarray, np.array, np.ravel, np.transpose, np.zeros_like, np.ones_like, np.empty_like,
    np.real, np.imag, np.conj, np.shape, np.ndim, np.size,
)  # fmt: skip
_REDUCTIONS = (
    np.sum, np.prod, np.mean, np.std, np.var, np.any, np.all, np.cumsum, np.cumprod, np.nansum,
    np.count_nonzero, np.median,
)  # fmt: skip
_TESTS: dict[Any, Test] = {
    **dict.fromkeys(_HARMLESS, _never),
    **dict.fromkeys(_OF_ONE_ARRAY, _of_one),
    **dict.fromkeys((helpers.mT, np.triu, np.tril, np.flip), _of_axes),
    **dict.fromkeys(_OF_PYTHON, _elementwise),
    **dict.fromkeys((max, min, operator.not_), _compared),
    **dict.fromkeys(_CONVERSIONS, _converted),
    **dict.fromkeys(_REDUCTIONS, _reduced),
    **dict.fromkeys((np.max, np.min, np.amax, np.amin, np.argmax, np.argmin, np.ptp), _extreme),
    **dict.fromkeys((np.zeros, np.ones, np.empty, np.full, np.eye, np.identity), _made),
    **dict.fromkeys((np.matmul, np.dot, operator.matmul), _multiplied),
    **dict.fromkeys((np.concatenate, np.stack, np.vstack, np.hstack), _joined),
    operator.getitem: _read,
    helpers.setitem: _written,
    helpers.add_at: _written,
    np.where: _chosen,
    np.outer: _outer,
    np.reshape: _reshaped,
    helpers.astype: _cast,
    round: _rounded,
    sum: _added,
    len: lambda op, counters: not (_shape(_type(op.args[0])) or isinstance(_type(op.args[0]), ListOf)),
}
