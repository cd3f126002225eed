"""Which symbolic lengths has the result of a call, when the function itself is asked?

The callable is run on small arrays whose lengths stand for the symbolic dimensions of its arguments, twice
with different lengths: an output length that follows the same symbol in both runs is that symbol, one that
stays the same is a constant, any other is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..ir.ops import Arg, Var, variables
from ..ir.types import (
    Array,
    Dim,
    ListOf,
    Scalar,
    dtype_of,
    type_of,
)
from .dummies import (
    INTEGERS,
    RUN,
    InferenceError,
    atoms_of,
    dims_of,
    dummy,
    evaluate,
    is_int,
    quietly,
    run_on_dummies,
)

# In the two runs the lengths have other orders and other differences, so that neither min(m, n) nor m - n
# can be taken for one of them or for a constant.
SIZES = ((7, 11, 13, 17, 19, 23), (31, 26, 20, 15, 9, 6))
SMALL_SIZES = ((2, 3, 4, 5, 6, 7), (9, 7, 6, 4, 3, 2))
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


def probe(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    if any(isinstance(v.type, Array) and v.type.shape is None for v in variables(*args, *kwargs.values())):
        return _probe_ranks(fn, args, kwargs)
    atoms = atoms_of(args, kwargs)
    depends = fn in DATA_DEPENDENT or fn is np.where and len(args) == 1
    depends = depends or fn is np.arange and any(not is_int(v) for v in variables(*args, *kwargs.values()))
    many = sum(1 for _ in atoms) > 3
    error: Exception | None = None
    for first, second in (SMALL_SIZES if many else SIZES, SMALL_SIZES):
        try:
            runs = []
            for run, sizes in enumerate((first, second)):
                table = {a: sizes[i % 6] + 9 * (i // 6) for i, a in enumerate(atoms)} | {RUN: run}
                runs.append((table, run_on_dummies(fn, args, kwargs, table)))
            found = match_runs(runs, args, kwargs, data_dependent=depends)
            return _without_minima(found, fn, args, kwargs, atoms)
        except Exception as problem:
            error = problem
    for partition in _partitions(atoms):
        try:
            runs = []
            for run, sizes in enumerate(SMALL_SIZES if many else SIZES):
                table = {a: sizes[i % 6] for i, block in enumerate(partition) for a in block} | {RUN: run}
                runs.append((table, run_on_dummies(fn, args, kwargs, table)))
            found = match_runs(runs, args, kwargs, data_dependent=depends)
            return _without_minima(found, fn, args, kwargs, atoms)
        except Exception:
            continue
    runs = []
    constants = {
        dim for var in variables(*args, *kwargs.values()) for dim in dims_of(var) if isinstance(dim, int)
    }
    for size in dict.fromkeys((2, 3, 4, 6, 1, *sorted(constants))):
        for integers in (0, 1):  # indices have to be small, weights not to be zero
            table = dict.fromkeys(atoms, size) | {INTEGERS: integers}
            try:
                runs.append((table, run_on_dummies(fn, args, kwargs, table)))
                break
            except Exception as problem:
                error = problem
        if len(runs) == 2 or (runs and not atoms):
            break
    if not runs:
        raise InferenceError(f"{type(error).__name__}: {error}")
    return match_runs(
        [runs[0], runs[-1]],
        args,
        kwargs,
        only_constants=len(set(atoms)) > 1,
        single=len(runs) < 2,
        data_dependent=depends,
    )


def _without_minima(
    found: Any, fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg], atoms: list[Any]
) -> Any:
    """The type without the constants that are none where lengths are smaller or larger.

    Like ``min(n, 5)``, and like ``n // 3``, which two lengths may have in common.
    """
    ranks = [len(dims_of(var)) for var in variables(*args, *kwargs.values())]
    for size in (0, 2, 40 if max(ranks, default=0) < 3 else 11):
        if not atoms or not _has_constant(found):
            break
        try:
            found = _agreeing(found, run_on_dummies(fn, args, kwargs, dict.fromkeys(atoms, size)))
        except Exception:  # not a call that has a result
            continue
    return found


def _has_constant(found: Any) -> bool:
    if isinstance(found, (tuple, list)):
        return any(map(_has_constant, found))
    return isinstance(found, Array) and any(isinstance(n, int) and n > 0 for n in found.shape or ())


def _agreeing(found: Any, result: Any) -> Any:
    """The type, its constant lengths unknown where the result has others."""
    if isinstance(found, (tuple, list)) and isinstance(result, (tuple, list)) and len(found) == len(result):
        items = [_agreeing(t, r) for t, r in zip(found, result, strict=True)]
        return type(found)(*items) if hasattr(found, "_fields") else type(found)(items)
    shape = found.shape or () if isinstance(found, Array) else ()
    if not isinstance(result, np.ndarray) or len(shape) != result.ndim:
        return found
    pairs = zip(shape, result.shape, strict=True)
    return Array(found.dtype, tuple(Dim.fresh() if isinstance(d, int) and d != n else d for d, n in pairs))


def may_share(fn: Callable[..., Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> bool:
    """Whether the result may share memory with an argument, as it does (or not) for dummies."""
    atoms = atoms_of(args, kwargs)
    for sizes in (SIZES[0], SMALL_SIZES[0], *((n,) * 6 for n in (2, 3, 1))):
        table = {a: sizes[i % 6] for i, a in enumerate(atoms)}
        given = [dummy(a, table) for a in args], {k: dummy(v, table) for k, v in kwargs.items()}
        try:
            results = quietly(fn, *given)
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
                probe(
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


def match_runs(
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
            for dim in dims_of(var):
                if isinstance(dim, Dim):
                    candidates.setdefault((evaluate(dim, table1), evaluate(dim, table2)), dim)

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
        # Where all lengths were equal, what stays the same may be the difference of two of them.
        return m if m == n and not only_constants else Dim.fresh()

    return convert(runs[0][1], runs[1][1])
