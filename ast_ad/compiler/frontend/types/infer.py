"""What type does a call return? Ask the function itself, on tiny dummy arguments.

There is no typing table of NumPy here. Two families are computed instead, because every program is full of
them: broadcasting and basic indexing.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ....rules import containers, registry
from ....rules.helpers import COMPLEX_BY_VALUE, ITEMS
from ....rules.registry import lookup
from ...ir.alternatives import TooMany, choices, common, has_ranks, is_mixed, is_open, one_of, united
from ...ir.dims import has_fresh, reaches, symbols
from ...ir.ops import UNKNOWN, Arg, Lit, Seq, Slice, Var, map_arg, variables
from ...ir.spans import stretched
from ...ir.types import KINDS, Array, Dim, ListOf, Optional, Scalar, Type, dtype_of, kind_of, rank_of, type_of
from ..values import Callee
from .basic_indices import chosen_type, index_type, reshaped
from .dummies import (
    InferenceError,
    dummy_number,
    filler,
    int_size,
    is_int,
    list_length,
    plain_type,
    quietly,
)
from .probing import for_its_rank, probe
from .shaped_like import shaped_like, told_type

_cache: dict[Any, Any] = {}
_MOST_CACHED = 4000  # types of one large program, and not of all that a process has ever compiled


def result_type(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """The type of ``fn(*args, **kwargs)``: a Type, or a list/tuple (a named tuple too) of such.

    Raises
    ------
    InferenceError
        if the function raises on every dummy.
    """
    try:
        key = (fn, _key(Seq(args)), tuple((k, _key(v)) for k, v in kwargs.items()))
        if key in _cache:
            return _cache[key]
    except TypeError:
        key = None
    result = _of_each_type(fn, args, kwargs)
    if fn is containers.array_from_list and not kwargs and may_be_empty(args[0]):
        result = or_of_nothing(result)
    if key is not None and not _has_fresh(result):
        if len(_cache) >= _MOST_CACHED:
            _cache.clear()
        _cache[key] = result
    return result


def _of_each_type(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """The type, where those of the arguments depend on the path taken: found for each that they may have."""
    types = [v.type for v in variables(*args, *kwargs.values())]
    absent = any(isinstance(t, Optional) for t in types) and not is_own(fn)
    if not absent and not any(map(is_open, types)):
        return _infer(fn, args, kwargs)
    found: list[Any] = []
    failed: list[InferenceError] = []
    try:
        for some, named in choices(args, kwargs, absent):
            try:
                found.append(_infer(fn, some, named))
            except InferenceError as problem:
                failed.append(problem)
    except TooMany:
        if not any(map(has_ranks, types)):
            raise InferenceError("the types of many arguments depend on the path taken") from None
        found = []
    nothing = any(f == type_of(None) for f in found)  # `np.sum(None)` is None
    if found and any(map(has_ranks, types)) and all(map(for_its_rank, failed)):
        result = _in_common([f for f in found if f != type_of(None)])
        if result is not None:
            return Optional(result) if nothing else result
    try:
        result = _infer(fn, args, kwargs)
    except InferenceError:  # types that it does not take: where they come up, the call raises
        refused = all(isinstance(problem.__cause__, (TypeError, AttributeError)) for problem in failed)
        if not found or not refused or not all(map(is_number, found)):
            raise
        result = found[0]
    nothing = is_number(result) and nothing
    found = [f for f in found if is_number(f) or not is_number(result)]
    if rank_of(result) is not None and any(rank_of(f) != rank_of(result) for f in found):
        raise InferenceError("the rank of the result depends on the path taken")
    if any(isinstance(f, Array) and kind_of(f) == "other" for f in (result, *found)):
        raise InferenceError("it is an array of objects on some path")
    result = united(result, found)
    if not all(map(for_its_rank, failed)):
        result = _of_any_rank(result)
    return Optional(result) if nothing else result


def _of_any_rank(result: Any) -> Any:
    """The type, where it is not known of which numbers and arrays a value is one."""
    if isinstance(result, (tuple, list)):
        items = map(_of_any_rank, result)
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return replace(result, either=frozenset()) if isinstance(result, Array) else result


def _in_common(found: list[Any]) -> Any:
    """The type of what has one of these types of any rank; None where there is no such type."""
    if found and all(map(is_number, found)):
        return common(found)
    if found and all(f == found[0] for f in found):
        return found[0]
    first = found[0] if found else None
    if isinstance(first, (tuple, list)) and all(
        type(f) is type(first) and len(f) == len(first) for f in found
    ):
        items = [_in_common([f[i] for f in found]) for i in range(len(first))]
        if not any(item is None for item in items):
            return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    return None


OF_NOTHING: dict[Any, int] = {sum: 0, math.prod: 1}
"""What functions of several numbers make of none."""


def may_be_empty(arg: Arg) -> bool:
    if not isinstance(arg, Var):
        return False
    if isinstance(arg.type, ListOf):
        return isinstance(arg.type.element, Scalar)
    length = arg.type.shape[0] if isinstance(arg.type, Array) and arg.type.shape else None
    return length is not None and not (length > 0 if isinstance(length, int) else reaches(length, 1))


def or_of_nothing(type: Type) -> Any:
    """The type of an array of single numbers that may be empty: then it is of doubles."""
    if not isinstance(type, Array) or type.dtype.kind != "f" or type.dtype.itemsize >= 8:
        return type
    double = replace(type, dtype=np.dtype(float))
    return one_of(double, (type, double))


def is_own(fn: Callee) -> bool:
    """Whether a function is one of the package's, which are not called with None for a number."""
    return (getattr(fn, "__module__", None) or "").startswith("ast_ad")


def is_number(type: Type) -> bool:
    return isinstance(type, (Scalar, Array)) and kind_of(type) != "other"


def _key(arg: Arg) -> Any:
    if isinstance(arg, Var):
        if isinstance(arg.type, ListOf):
            return arg.type, ("len", arg.id)
        size = arg.type.size if isinstance(arg.type, Scalar) else None
        known = None if arg.known is UNKNOWN else (type(arg.known), arg.known, str(arg.known))
        if isinstance(arg.type, Array):
            return arg.type, _facts(arg.type.shape or ()), known
        return (
            arg.type,
            size if size is not None or not is_int(arg) else ("int", arg.id),
            _facts((size,)),
            known,
        )
    if isinstance(arg, Seq):
        return (arg.kind, tuple(map(_key, arg.items)))
    if isinstance(arg, Slice):
        return ("slice", _key(arg.start), _key(arg.stop), _key(arg.step))
    hash(arg.value)
    return (type(arg.value), arg.value, str(arg.value) if isinstance(arg.value, float) else None)


def _facts(sizes: Sequence[Dim | int | None]) -> tuple[Any, ...]:
    """What is known of integers, which are equal whatever that is: another build may know more, or less."""
    dims = [d for d in sizes if isinstance(d, Dim)]
    return tuple([(a.least, a.not_one) for d in dims for a in symbols(d)])


def _has_fresh(result: object) -> bool:
    if isinstance(result, (list, tuple)):
        return any(map(_has_fresh, result))
    if isinstance(result, Array) and result.shape is not None:
        return any(has_fresh(d) for d in result.shape)
    return False


def _complexified(result: object) -> Any:
    if isinstance(result, tuple):
        items = [_complexified(item) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else tuple(items)
    if isinstance(result, Scalar):
        return Scalar("complex")
    assert isinstance(result, Array)
    return Array(np.result_type(result.dtype, np.complex64), result.shape)


def _infer(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    result = _inferred(fn, args, kwargs)
    if fn in OF_NOTHING and may_be_empty(args[0]):
        start = args[1] if len(args) > 1 else kwargs.get("start", Lit(OF_NOTHING[fn]))
        return united(result, [result, plain_type(start)])
    return _complexified(result) if fn in COMPLEX_BY_VALUE else result


def _inferred(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    if fn in ITEMS and isinstance(args[0], Var) and isinstance(args[0].type, ListOf):
        return args[0].type.element
    if fn in (len, containers.list_len) and isinstance(args[0], Var) and isinstance(args[0].type, ListOf):
        return Scalar("int", None, list_length(args[0]))
    if fn in ITEMS and isinstance(plain_type(args[0]), Scalar):  # of a number it makes an array
        args = Var(Array(np.dtype(dtype_of(plain_type(args[0]))), ())), *args[1:]
    if fn is operator.getitem or fn in ITEMS:
        found = index_type(args[0], args[1])
        if found is not None:
            return found
        if (found := chosen_type(args[0], args[1])) is not None:
            return found
        fn, args = operator.getitem, (args[0], map_arg(_valid_index, args[1]))
    if (told := registry.shapes.get(fn)) and (found := told_type(told, args, kwargs)) is not None:
        return found
    if not kwargs:
        found = _extremum(args) if fn in (max, min) else shaped_like(fn, args)
        if found is not None:
            return found
    if fn is np.reshape and len(args) > 1 and isinstance(args[0], Var):  # whatever the order
        found = reshaped(args[0].type, args[1])
        if found is not None:
            return found
    if fn is operator.pow and not kwargs and all(plain_type(arg) == Scalar("int") for arg in args):
        return power_of_integers(int_size(args[1]))
    primitive = lookup(fn)
    if gives_a_float(fn, args) and not kwargs:
        return Scalar("float")
    if primitive is not None and primitive.kind == "elementwise" or is_plain_ufunc(fn) or fn in COMPARISONS:
        if not kwargs and not any(isinstance(a, Seq) for a in args):
            found = _elementwise(fn, args)
            if found is not None:
                return found
    return probe(fn, args, kwargs)


def power_of_integers(exponent: Dim | int) -> Type:
    """The type of a power of Python's integers: a float where the exponent is negative."""
    whole, float = Scalar("int"), Scalar("float")
    if reaches(exponent, 0):
        return whole
    return float if reaches(-1, exponent) else one_of(float, (whole, float))


def _valid_index(var: Var) -> Arg:
    """An int inside an index, or a list of some: which ones makes no difference to the type."""
    if isinstance(var.type, ListOf) and var.type.element == Scalar("int"):
        return Var(Array(np.dtype(int), (list_length(var),)))
    return Lit(0) if isinstance(var.type, Scalar) and var.type.kind == "int" else var


def gives_a_float(fn: Callee, args: tuple[Arg, ...]) -> bool:
    """Whether it is a function of ``math``, of real numbers: wherever it is defined, it gives a float.

    >>> import math
    >>> gives_a_float(math.acosh, (Var(Scalar("int")),)), gives_a_float(math.floor, (Var(Scalar("float")),))
    (True, False)
    """
    primitive = lookup(fn)
    if primitive is None or primitive.kind != "elementwise" or getattr(fn, "__module__", None) != "math":
        return False
    types = [arg.type if isinstance(arg, Var) else plain_type(arg) for arg in args]
    real = all(isinstance(t, Scalar) and t.kind != "complex" and not is_mixed(t) for t in types)
    return real and any(isinstance(arg, Var) for arg in args)


def is_plain_ufunc(fn: Callee) -> bool:
    """Elementwise, unlike ``np.matmul``, which is a ufunc too."""
    return isinstance(fn, np.ufunc) and fn.signature is None


COMPARISONS = {
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.invert,
    operator.floordiv,
    operator.mod,
}


def _extremum(args: tuple[Arg, ...]) -> Type | None:
    """Python's max or min of several numbers: any of them, so the widest type stands for all.

    >>> _extremum((Var(Scalar("float")), Var(Scalar("int"))))
    Scalar(kind='float', dtype=None, size=None)
    """
    types = [plain_type(a) for a in args]
    numbers = [t for t in types if isinstance(t, Scalar)]
    if len(args) < 2 or len(numbers) < len(args):
        return None
    if all(t.kind in ("int", "bool") and t == numbers[0] for t in numbers):
        return None
    kind = max((t.kind for t in numbers), key=KINDS.index)
    dtypes = [t.dtype for t in numbers if t.dtype is not None and t.kind == kind]
    return one_of(Scalar(kind, np.result_type(*dtypes) if dtypes else None), numbers)


# ----- Elementwise: the dtype from NumPy, the shape by the broadcasting rules -----------------------
def _elementwise(fn: Callee, args: tuple[Arg, ...]) -> Any:
    types = [plain_type(a) for a in args]
    if not any(isinstance(t, Array) for t in types):
        return None
    if not all(isinstance(t, (Scalar, Array)) for t in types):
        return None
    shape = broadcast_shapes([t.shape if isinstance(t, Array) else () for t in types])
    try:
        result = quietly(fn, _small(args, types, 1), {})
    except (TypeError, AttributeError) as error:  # which NumPy raises of objects, by the function
        if shape is not None:
            raise InferenceError(f"TypeError: {error}") from error
        result = _of_numbers(fn, args, types)
    if isinstance(result, tuple):
        return tuple(_with_shape(r, shape) for r in result)
    return _with_shape(result, shape)


def _of_numbers(fn: Callee, args: tuple[Arg, ...], types: list[Type]) -> Any:
    """What a function of numbers makes of what may be one; where that is an array with axes, it raises."""
    try:
        return quietly(fn, _small(args, types, 0), {})
    except (TypeError, AttributeError) as error:
        raise InferenceError(f"TypeError: {error}") from error


def _small(args: tuple[Arg, ...], types: list[Any], rank: int) -> list[Any]:
    """A value for each argument; ``rank``: of those whose rank depends on the path taken."""
    return [
        np.full((1,) * (rank if type.ndim is None else type.ndim), filler(type.dtype))
        if isinstance(type, Array)
        else dummy_number(arg, type, {})
        for arg, type in zip(args, types, strict=True)
    ]


def _with_shape(result: object, shape: tuple[Dim | int, ...] | None) -> Type:
    if isinstance(result, (bool, int, float, complex)) and not isinstance(result, np.generic):
        return Scalar(kind_of(type_of(result)))  # Python's number, also of an array: or it raises
    if shape is None:
        return Array(np.asarray(result).dtype, None)
    return type_of(result) if not isinstance(result, np.ndarray) else Array(result.dtype, shape)


def broadcast_shapes(shapes: Iterable[tuple[Dim | int, ...] | None]) -> tuple[Dim | int, ...] | None:
    """The symbolic shape that NumPy's broadcasting gives (None where a rank is unknown)."""
    shapes = list(shapes)
    if any(s is None for s in shapes):
        return None
    rank = max(map(len, shapes), default=0)  # type: ignore[arg-type]
    out: list[Dim | int] = []
    for axis in range(-rank, 0):
        dims = [s[axis] for s in shapes if len(s) >= -axis]  # type: ignore[arg-type, index]
        out.append(stretched(*dims))
    return tuple(out)
