"""What type does a call return? Ask the function itself, on tiny dummy arguments.

There is no typing table of NumPy here. The callable is run on small arrays whose lengths stand for the
symbolic dimensions of its arguments, twice with different lengths: an output length that follows the same
symbol in both runs is that symbol, one that stays the same is a constant, any other is unknown. Two
families are computed instead, because every program is full of them: broadcasting and basic indexing.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..ir.ops import UNKNOWN, Arg, Lit, Seq, Slice, Var, variables
from ..ir.types import (
    KIND_OF,
    KINDS,
    Array,
    Dim,
    ListOf,
    Opaque,
    Optional,
    Scalar,
    TupleOf,
    Type,
    differs_from_one,
    dtype_of,
    type_of,
)
from ..rules.helpers import ITEMS
from ..rules.registry import lookup
from .shaped_like import shaped_like


class InferenceError(Exception):
    """The function accepts none of the dummies; the text is what it said."""


# In the two runs the lengths have other orders and other differences, so that neither min(m, n) nor m - n
# can be taken for one of them or for a constant.
SIZES = ((7, 11, 13, 17, 19, 23), (31, 26, 20, 15, 9, 6))
SMALL_SIZES = ((2, 3, 4, 5, 6, 7), (9, 7, 6, 4, 3, 2))
RUN = "which of the two runs"
DATA_DEPENDENT = {
    np.nonzero,
    np.flatnonzero,
    np.argwhere,
    np.unique,
    np.compress,
    np.extract,
    np.trim_zeros,
    np.union1d,
    np.intersect1d,
    np.setdiff1d,
    np.setxor1d,
    np.unique_values,
    np.bincount,
    np.repeat,
    np.roots,
    np.polymul,
    np.linalg.lstsq,
}
# Real arguments give real or complex results, depending on their values: complex covers both.
COMPLEX_BY_VALUE = {np.linalg.eig, np.linalg.eigvals, np.roots}
_cache: dict[Any, Any] = {}


def result_type(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
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
    result = _infer(fn, args, kwargs)
    if fn in COMPLEX_BY_VALUE:
        result = _complexified(result)
    if key is not None and not _has_fresh(result):
        _cache[key] = result
    return result


def _key(arg: Arg) -> Any:
    if isinstance(arg, Var):
        if isinstance(arg.type, ListOf):
            return arg.type, ("len", arg.id)
        size = arg.type.size if isinstance(arg.type, Scalar) else None
        known = None if arg.known is UNKNOWN else (type(arg.known), arg.known, str(arg.known))
        return (arg.type, size if size is not None or not _is_int(arg) else ("int", arg.id), known)
    if isinstance(arg, Seq):
        return (arg.kind, tuple(map(_key, arg.items)))
    if isinstance(arg, Slice):
        return ("slice", _key(arg.start), _key(arg.stop), _key(arg.step))
    hash(arg.value)
    return (type(arg.value), arg.value, str(arg.value) if isinstance(arg.value, float) else None)


def _has_fresh(result: Any) -> bool:
    if isinstance(result, (list, tuple)):
        return any(map(_has_fresh, result))
    if isinstance(result, Array) and result.shape is not None:
        return any(
            isinstance(d, Dim) and any(a[0] == "fresh" for a, _ in d.terms if isinstance(a, tuple))
            for d in result.shape
        )
    return False


def _complexified(result: Any) -> Any:
    if isinstance(result, tuple):
        items = [_complexified(item) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else tuple(items)
    assert isinstance(result, Array)
    return Array(np.result_type(result.dtype, np.complex64), result.shape)


def _infer(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    if fn is operator.getitem or fn in ITEMS:
        found = index_type(args[0], args[1])
        if found is not None:
            return found
    if not kwargs:
        found = _extremum(args) if fn in (max, min) else shaped_like(fn, args)
        if found is not None:
            return found
    if fn is np.reshape and len(args) == 2 and isinstance(args[0], Var):
        found = _reshaped(args[0].type, args[1])
        if found is not None:
            return found
    primitive = lookup(fn)
    if primitive is not None and primitive.kind == "elementwise" or is_plain_ufunc(fn) or fn in COMPARISONS:
        if not kwargs and not any(isinstance(a, Seq) for a in args):
            found = _elementwise(fn, args)
            if found is not None:
                return found
    return _probe(fn, args, kwargs)


def is_plain_ufunc(fn: Callable[..., Any]) -> bool:
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

    >>> _extremum((Var(Scalar("float")), Lit(0)))
    Scalar(kind='float', dtype=None, size=None)
    """
    types = [_type(a) for a in args]
    numbers = [t for t in types if isinstance(t, Scalar)]
    if len(args) < 2 or len(numbers) < len(args):
        return None
    kind = max((t.kind for t in numbers), key=KINDS.index)
    if kind not in ("float", "complex"):
        return None
    dtypes = [t.dtype for t in numbers if t.dtype is not None and t.kind == kind]
    return Scalar(kind, np.result_type(*dtypes) if dtypes else None)


# ----- Elementwise: the dtype from NumPy, the shape by the broadcasting rules -----------------------
def _elementwise(fn: Callable[..., Any], args: tuple[Arg, ...]) -> Any:
    types = [_type(a) for a in args]
    if not all(isinstance(t, (Scalar, Array)) for t in types) or not any(isinstance(t, Array) for t in types):
        return None
    dummies = []
    for arg, type in zip(args, types, strict=True):
        if isinstance(type, Array):
            ndim = 1 if type.ndim is None else type.ndim
            dummies.append(np.full((1,) * ndim, _filler(type.dtype)))
        else:
            dummies.append(_number(arg, type, {}))
    result = _quietly(fn, dummies, {})
    shape = broadcast_shapes([() if isinstance(t, Scalar) else t.shape for t in types])
    if isinstance(result, tuple):
        return tuple(_with_shape(r, shape) for r in result)
    return _with_shape(result, shape)


def _with_shape(result: Any, shape: tuple[Dim | int, ...] | None) -> Type:
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
        out.append(_broadcast_dims(dims))
    return tuple(out)


def _broadcast_dims(dims: list[Dim | int]) -> Dim | int:
    dims = [d for d in dims if d != 1]
    if not dims:
        return 1
    if all(d == dims[0] for d in dims):
        return dims[0]
    certain = [d for d in dims if differs_from_one(d)]
    if certain:
        return next((d for d in certain if isinstance(d, int)), certain[0])
    return Dim.symbol(("broadcast", *dims))


# ----- Basic indexing -------------------------------------------------------------------------------
def index_type(base: Arg, index: Arg) -> Type | None:
    """The type of ``base[index]`` for basic indices; None where another way must find it."""
    type = _type(base)
    if isinstance(type, TupleOf) and isinstance(index, Lit) and isinstance(index.value, int):
        return type.items[index.value]
    if isinstance(type, ListOf):
        return type if isinstance(index, Slice) else type.element
    if not isinstance(type, Array) or type.shape is None:
        return None
    parts = index.items if isinstance(index, Seq) and index.kind is tuple else (index,)
    if not all(_is_basic(p) for p in parts):
        return None
    consumed = sum(1 for p in parts if not (isinstance(p, Lit) and (p.value is None or p.value is Ellipsis)))
    if consumed > len(type.shape):
        raise InferenceError(f"too many indices: array is {len(type.shape)}-dimensional")
    dims = list(type.shape)
    out: list[Dim | int] = []
    for part in _without_ellipsis(parts, len(dims) - consumed):
        if isinstance(part, Lit) and part.value is None:
            out.append(1)
        elif isinstance(part, Slice):
            out.append(_sliced(dims.pop(0), part))
        else:
            dims.pop(0)
    shape = (*out, *dims)
    keeps_array = any(isinstance(p, Lit) and p.value is Ellipsis for p in parts)
    if not shape and not keeps_array:
        return Scalar(KIND_OF[type.dtype.kind], type.dtype) if type.dtype.kind in KIND_OF else Opaque()
    return Array(type.dtype, shape)


def _without_ellipsis(parts: tuple[Arg, ...], missing: int) -> list[Arg]:
    full = Slice(Lit(None), Lit(None), Lit(None))
    out: list[Arg] = []
    for part in parts:
        out += [full] * missing if isinstance(part, Lit) and part.value is Ellipsis else [part]
    return out


def _is_basic(part: Arg) -> bool:
    if isinstance(part, Slice):
        return True
    if isinstance(part, Lit):
        return (
            part.value is None
            or part.value is Ellipsis
            or (isinstance(part.value, (int, np.integer)) and not isinstance(part.value, bool))
        )
    return isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.kind == "int"


def _sliced(dim: Dim | int, part: Slice) -> Dim | int:
    start, stop, step = (_int_value(p) for p in (part.start, part.stop, part.step))
    if all(x is None or isinstance(x, int) for x in (start, stop, step)):
        if isinstance(dim, int):
            return len(range(*slice(start, stop, step).indices(dim)))
        if start in (None, 0) and stop is None and step in (None, 1, -1):
            return dim
        if step in (None, 1) and (start is None or start >= 0) and (stop is None or stop < 0):
            return dim - (start or 0) + (stop or 0)
    if part.start is not None and start in (None, 0) and step in (None, 1) and stop == dim:
        return dim
    keys = tuple(_bound_key(p) for p in (part.start, part.stop, part.step))
    return Dim.symbol(("slice", dim, *keys))


def _int_value(part: Arg) -> Any:
    """None, an int, or the symbolic length that a bound is known to be."""
    if isinstance(part, Lit):
        return (
            None
            if part.value is None
            else int(part.value)
            if isinstance(part.value, (int, np.integer))
            else ...
        )
    if isinstance(part, Var) and part.known is not UNKNOWN and isinstance(part.known, (int, np.integer)):
        return int(part.known)
    if isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.size is not None:
        return part.type.size
    return ...


def _bound_key(part: Arg) -> Any:
    value = _int_value(part)
    return ("var", part.id) if value is ... and isinstance(part, Var) else value


def _reshaped(type: Type, shape: Arg) -> Type | None:
    parts = shape.items if isinstance(shape, Seq) else (shape,)
    if not isinstance(type, (Array, Scalar)) or not all(
        isinstance(p, (Var, Lit)) and _is_basic(p) for p in parts
    ):
        return None
    dims = [int_size(p) for p in parts]
    if -1 in dims:
        rest = type.shape[0] if len(dims) == 1 and isinstance(type, Array) and type.ndim == 1 else None  # type: ignore[index]
        dims[dims.index(-1)] = rest if rest is not None else Dim.fresh()
    return Array(dtype_of(type), tuple(dims))  # type: ignore[arg-type]


# ----- Everything else: run it ----------------------------------------------------------------------
def _probe(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    if any(isinstance(v.type, Array) and v.type.shape is None for v in variables(*args, *kwargs.values())):
        return _probe_ranks(fn, args, kwargs)
    atoms = _atoms(args, kwargs)
    depends = fn in DATA_DEPENDENT or fn is np.where and len(args) == 1
    depends = depends or fn is np.arange and any(not _is_int(v) for v in variables(*args, *kwargs.values()))
    many = sum(1 for _ in atoms) > 3
    error: Exception | None = None
    for first, second in (SMALL_SIZES if many else SIZES, SMALL_SIZES):
        try:
            runs = []
            for run, sizes in enumerate((first, second)):
                table = {a: sizes[i % 6] + 9 * (i // 6) for i, a in enumerate(atoms)} | {RUN: run}
                runs.append((table, _run(fn, args, kwargs, table)))
            return _match(runs, args, kwargs, data_dependent=depends)
        except Exception as problem:
            error = problem
    for partition in _partitions(atoms):
        try:
            runs = []
            for run, sizes in enumerate(SMALL_SIZES if many else SIZES):
                table = {a: sizes[i % 6] for i, block in enumerate(partition) for a in block} | {RUN: run}
                runs.append((table, _run(fn, args, kwargs, table)))
            return _match(runs, args, kwargs, data_dependent=depends)
        except Exception:
            continue
    runs = []
    constants = {
        dim for var in variables(*args, *kwargs.values()) for dim in _dims_of(var) if isinstance(dim, int)
    }
    for size in dict.fromkeys((2, 3, 4, 6, 1, *sorted(constants))):
        table = dict.fromkeys(atoms, size)
        try:
            runs.append((table, _run(fn, args, kwargs, table)))
        except Exception as problem:
            error = problem
        if len(runs) == 2 or (runs and not atoms):
            break
    if not runs:
        raise InferenceError(f"{type(error).__name__}: {error}")
    return _match(
        [runs[0], runs[-1]],
        args,
        kwargs,
        only_constants=len(set(atoms)) > 1,
        single=len(runs) < 2,
        data_dependent=depends,
    )


def may_share(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> bool:
    """Whether the result may share memory with an argument, as it does (or not) for dummies."""
    atoms = _atoms(args, kwargs)
    for sizes in (SIZES[0], SMALL_SIZES[0], *((n,) * 6 for n in (2, 3, 1))):
        table = {a: sizes[i % 6] for i, a in enumerate(atoms)}
        given = [dummy(a, table) for a in args], {k: dummy(v, table) for k, v in kwargs.items()}
        try:
            results = _quietly(fn, *given)
        except Exception:
            continue
        outs = results if isinstance(results, (tuple, list)) else [results]
        arrays = [a for a in (*given[0], *given[1].values()) if isinstance(a, np.ndarray)]
        return any(np.may_share_memory(o, a) for o in outs if isinstance(o, np.ndarray) for a in arrays)
    return True


def _partitions(atoms: list[Any]) -> Iterator[list[list[Any]]]:
    """Which lengths may have to be equal for the call to work: ever fewer classes, the finest first."""
    if not 2 <= len(atoms) <= 4:
        return

    def all_partitions(rest: list[Any]) -> Iterator[list[list[Any]]]:
        if not rest:
            yield []
            return
        first, *others = rest
        for smaller in all_partitions(others):
            for i, block in enumerate(smaller):
                yield [*smaller[:i], [first, *block], *smaller[i + 1 :]]
            yield [[first], *smaller]

    found = [p for p in all_partitions(atoms) if 1 < len(p) < len(atoms)]
    yield from sorted(found, key=lambda p: -len(p))


def _probe_ranks(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """Arrays of unknown rank: what do numbers, vectors and matrices agree on?"""
    found: list[Any] = []
    for rank in (0, 1, 2):

        def fix(var: Var, rank: int = rank) -> Arg:
            if isinstance(var.type, Array) and var.type.shape is None:
                return Var(Array(var.type.dtype, tuple(Dim.symbol(("any", i)) for i in range(rank))))
            return var

        from ..ir.ops import map_arg

        try:
            found.append(
                _probe(
                    fn, tuple(map_arg(fix, a) for a in args), {k: map_arg(fix, v) for k, v in kwargs.items()}
                )
            )
        except InferenceError as problem:
            error = problem
    if not found:
        raise error
    if all(f == found[0] for f in found) and isinstance(found[0], Scalar):
        return found[0]
    dtypes = {dtype_of(f) if isinstance(f, (Scalar, Array)) else None for f in found}
    if len(dtypes) == 1 and None not in dtypes:
        return Array(dtypes.pop(), None)  # type: ignore[arg-type]
    raise InferenceError("the rank of an argument depends on the path taken")


def _atoms(args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> list[Any]:
    atoms: dict[Any, None] = {}
    for var in variables(*args, *kwargs.values()):
        for dim in _dims_of(var):
            for atom, _ in dim.terms if isinstance(dim, Dim) else ():
                atoms[atom] = None
    return list(atoms)


def _is_int(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind == "int"


def _dims_of(var: Var) -> tuple[Dim | int, ...]:
    if isinstance(var.type, Array):
        return var.type.shape or ()
    if _is_int(var) and var.known is UNKNOWN:
        return (int_size(var),)
    if isinstance(var.type, ListOf):
        return (Dim.symbol(("len", var.id)), *_dims_of(Var(var.type.element)))
    return ()


def int_size(arg: Arg) -> Dim | int:
    """An int as a length: its constant, the length that it is known to be, or a symbol of its own."""
    value = _int_value(arg)
    return Dim.symbol(("int", arg.id)) if value is ... and isinstance(arg, Var) else value


def _evaluate(dim: Dim | int, table: dict[Any, int]) -> int:
    if isinstance(dim, int):
        return dim
    return max(dim.const + sum(c * table.get(a, 2) for a, c in dim.terms), 0)


def _run(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg], table: dict[Any, int]) -> Any:
    return _quietly(fn, [dummy(a, table) for a in args], {k: dummy(v, table) for k, v in kwargs.items()})


def _quietly(fn: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return fn(*args, **kwargs)


def dummy(arg: Arg, table: dict[Any, int]) -> Any:
    """A small run-time value of the argument's type; lengths come from ``table``."""
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Seq):
        return arg.kind(dummy(a, table) for a in arg.items)
    if isinstance(arg, Slice):
        return slice(dummy(arg.start, table), dummy(arg.stop, table), dummy(arg.step, table))
    if arg.known is not UNKNOWN:
        return arg.known
    return _dummy_of(arg.type, arg, table)


def _dummy_of(type: Type, arg: Var, table: dict[Any, int]) -> Any:
    if isinstance(type, Optional):
        return _dummy_of(type.value, arg, table)
    if isinstance(type, Scalar):
        return _number(arg, type, table)
    if isinstance(type, Array):
        return _array(type, tuple(_evaluate(d, table) for d in type.shape or ()), table.get(RUN, 0))
    if isinstance(type, ListOf):
        element = Var(type.element)
        inner = _dummy_of(type.element, element, {**dict.fromkeys(_atoms((element,), {}), 3), **table})
        return [inner] * table.get(("len", arg.id), 3)
    if isinstance(type, TupleOf):
        return tuple(_dummy_of(t, Var(t), table) for t in type.items)
    raise InferenceError(f"nothing is known of a value of type {type}")


def _number(arg: Arg, type: Scalar, table: dict[Any, int]) -> Any:
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Var) and arg.known is not UNKNOWN:
        return arg.known
    if type.kind == "int" and isinstance(arg, Var):
        value: Any = _evaluate(int_size(arg), table) if table else 2
    else:
        value = {"bool": True, "int": 2, "float": 2.3 if table.get(RUN) else 0.5, "complex": 0.5 + 0.25j}[
            type.kind
        ]
    return value if type.dtype is None else type.dtype.type(value)


def _filler(dtype: np.dtype) -> Any:
    value = {"b": True, "i": 1, "u": 1, "f": 0.5, "c": 0.5 + 0.25j}.get(dtype.kind)
    if value is None:
        if dtype.kind != "O":
            raise InferenceError(f"arrays of dtype {dtype} are not supported")
        return None
    return dtype.type(value)


def _array(type: Array, shape: tuple[int, ...], run: int = 0) -> np.ndarray:
    """Lengths that depend on the data (how many are nonzero, or unlike) differ between the two runs."""
    if type.dtype.kind == "b" and run:
        return np.arange(int(np.prod(shape))).reshape(shape) % 3 == 0
    if type.dtype.kind == "f" and len(shape) == 1:
        values = np.linspace(0.1, 0.9, shape[0]).astype(type.dtype)
        return np.where(np.arange(shape[0]) < 2, 0, 0.5).astype(type.dtype) if run else values
    if type.dtype.kind in "iu":
        return np.zeros(shape, type.dtype)
    out = np.full(shape, _filler(type.dtype))
    if len(shape) >= 2 and type.dtype.kind in "fc":  # well-conditioned, where squares are factorised
        out = out * 0 + np.eye(shape[-2], shape[-1], dtype=type.dtype) * np.arange(1, shape[-1] + 1).astype(
            type.dtype
        )
    return out


def _match(
    runs: list[Any],
    args: Any,
    kwargs: Any,
    only_constants: bool = False,
    single: bool = False,
    data_dependent: bool = False,
) -> Any:
    """Read the symbolic lengths of the result off two runs."""
    candidates: dict[tuple[int, int], Dim | int] = {}
    if not only_constants:
        (table1, _), (table2, _) = runs
        for var in variables(*args, *kwargs.values()):
            for dim in _dims_of(var):
                if isinstance(dim, Dim):
                    candidates.setdefault((_evaluate(dim, table1), _evaluate(dim, table2)), dim)

    def convert(a: Any, b: Any) -> Any:
        if isinstance(a, (tuple, list)):
            if len(a) != len(b):
                if isinstance(a, list) and a:
                    return ListOf(convert(a[0], b[0]))
                raise InferenceError("the number of results depends on a length")
            items = [convert(x, y) for x, y in zip(a, b, strict=True)]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if isinstance(a, np.ndarray):
            if not isinstance(b, np.ndarray) or a.ndim != b.ndim:
                raise InferenceError("the rank of the result depends on a length")
            return Array(a.dtype, tuple(length(m, n) for m, n in zip(a.shape, b.shape, strict=True)))
        if isinstance(a, int) and not isinstance(a, bool):
            return Scalar("int", None, a if a == b and not single else candidates.get((a, b)))
        return type_of(a)

    def length(m: int, n: int) -> Dim | int:
        if data_dependent:
            return Dim.fresh()
        if single:
            return Dim.fresh() if candidates or only_constants else m
        if (m, n) in candidates:
            return candidates[m, n]
        return m if m == n else Dim.fresh()

    return convert(runs[0][1], runs[1][1])


def _type(arg: Arg) -> Type:
    if isinstance(arg, Var):
        return arg.type.value if isinstance(arg.type, Optional) else arg.type
    return type_of(arg.value) if isinstance(arg, Lit) else Opaque()
