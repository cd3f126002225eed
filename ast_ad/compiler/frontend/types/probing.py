"""Which type has the result of a call, when the function itself is asked?

The callable is run on small arrays whose lengths stand for the symbolic dimensions of its arguments, twice
with different lengths. That tells dtype, rank and the number of results. Lengths are told by ``shape_rules``,
or the function is regular; else each is a fresh symbol: a trial can refute a length, never prove it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from typing import Any, Literal

import gast
import numpy as np

from ....interrupts import let_through
from ...ir.alternatives import is_mixed
from ...ir.dim_values import evaluate as exact
from ...ir.dims import has_fresh
from ...ir.ops import UNKNOWN, Arg, Lit, Var, map_arg, variables
from ...ir.types import (
    EACH,
    Array,
    DictOf,
    Dim,
    ListOf,
    Optional,
    Scalar,
    TupleOf,
    Type,
    dtype_of,
    is_strange,
    list_of,
    type_of,
)
from ..values import Callee
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
from .shape_rules import COUNTS, is_regular, told_lengths, with_lengths

# In the two runs the lengths have other orders and other differences, so that neither min(m, n) nor m - n
# can be taken for one of them or for a constant.
SIZES = ((7, 11, 13, 17, 19, 23), (31, 26, 20, 15, 9, 6))
SMALL_SIZES = ((2, 3, 4, 5, 6, 7), (9, 7, 6, 4, 3, 2))
MOST_ELEMENTS = 100_000  # of an array with the larger ones
MOST_PRODUCTS = 10_000_000  # of an element of each array


ORDERS: tuple[Literal["C", "F"], ...] = "C", "F"


def probe(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    if any(has_unknown_rank(v.type) for v in variables(*args, *kwargs.values())):
        return _probe_ranks(fn, args, kwargs)
    lengths = told_lengths(fn, args, kwargs)
    found = _trial(fn, args, kwargs)
    return found if lengths is None else with_lengths(found, lengths)


def _trial(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    atoms = atoms_of(args, kwargs)
    regular = is_regular(fn, args, kwargs)
    many = len(atoms) > 3 or _are_large(atoms, args, kwargs)
    error: Exception | None = None
    for first, second in (SMALL_SIZES if many else SIZES, SMALL_SIZES):
        tables = [
            _sized({a: sizes[i % 6] + 9 * (i // 6) for i, a in enumerate(atoms)}, args, kwargs) | {RUN: run}
            for run, sizes in enumerate((first, second))
        ]
        try:
            runs = [(table, run_on_dummies(fn, args, kwargs, table)) for table in tables]
            return match_runs(fn, runs, args, kwargs, regular)
        except Exception as problem:
            let_through(problem)
            error = problem
    regular = regular and not isinstance(error, IndexError)  # that is about places, not about equal lengths
    both = SMALL_SIZES if many else SIZES
    partitions = [
        [{a: sizes[i % 6] for i, block in enumerate(partition) for a in block} for sizes in both]
        for partition in _partitions(atoms)
    ]
    equal = _with_equal_lengths(args, kwargs)  # what then stays the same need not be a constant
    for tables in (*partitions, *equal):
        try:
            runs = [
                (table | {RUN: run}, run_on_dummies(fn, args, kwargs, table | {RUN: run}))
                for run, table in enumerate(tables)
            ]
            return match_runs(fn, runs, args, kwargs, regular and tables not in equal)
        except Exception as problem:  # lengths that don't fit: the next partition has more that are equal
            let_through(problem)
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
                let_through(problem)
                error = problem
        if len(runs) == 2 or (runs and not atoms):
            break
    found = None if runs or not isinstance(error, IndexError) else _with_first_places(fn, args, kwargs)
    if found is not None:
        return found
    if not runs:
        raise InferenceError(f"{type(error).__name__}: {error}") from error
    if len(runs) == 1:
        runs += _with_longer_lists(fn, args, kwargs, *runs[0])
    return match_runs(fn, [runs[0], runs[-1]], args, kwargs, regular and not atoms)


def _with_longer_lists(
    fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg], table: dict[object, int], result: Any
) -> list[Any]:
    """A second run where the lengths of arrays allow for one: how many results there are, lists tell, too.

    Where other lists don't go with the arrays, a list of results is one of as many as it may be.

    Raises
    ------
    InferenceError
        if its items are not all of one kind.
    """
    lists = [v for v in variables(*args, *kwargs.values()) if isinstance(v.type, ListOf)]
    if not lists:
        return []
    longer = table | {("len", v.id): table.get(("len", v.id), 3) + 1 for v in lists}
    try:
        return [(longer, run_on_dummies(fn, args, kwargs, longer))]
    except Exception as problem:
        let_through(problem)
        if not isinstance(result, list):
            return []
        if not is_uniform(result):
            raise InferenceError("the number of results may depend on the length of a list") from problem
        return [(longer, [*result, result[0]])]


def is_uniform(items: list[Any]) -> bool:
    """Whether there are items, all of one type and number of axes."""
    kinds = {(type(item), getattr(item, "dtype", None), getattr(item, "ndim", None)) for item in items}
    return len(kinds) == 1


def _with_first_places(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Type | None:
    """The type with 0 for each int, where others were no indices of small arrays; it tells no length."""
    if not any(is_int(v) and v.known is UNKNOWN for v in variables(*args, *kwargs.values())):
        return None

    def first(var: Var) -> Arg:
        return Lit(0) if is_int(var) and var.known is UNKNOWN else var

    found = _trial(
        fn, tuple(map_arg(first, a) for a in args), {k: map_arg(first, v) for k, v in kwargs.items()}
    )
    return with_lengths(found, ()) if isinstance(found, (Array, Scalar)) else None


def _are_large(atoms: list[Any], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> bool:
    """Whether an array would be large, or what ``np.outer`` and its like make of all.

    Of 31 by 31 numbers the minors of all minors take gigabytes, and so does the outer product of two arrays
    of rank 3.
    """
    table = dict.fromkeys(atoms, max(max(SIZES)))
    arrays = [v.type.shape or () for v in variables(*args, *kwargs.values()) if isinstance(v.type, Array)]
    sizes = [prod(evaluate(d, table) for d in shape) for shape in arrays]
    return max(sizes, default=0) > MOST_ELEMENTS or prod(sizes) > MOST_PRODUCTS


def _sized(table: dict[object, int], args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> dict[Any, int]:
    """Sizes with which no array comes out empty: ``n - 20`` needs a larger ``n``."""
    dims = [
        d for v in variables(*args, *kwargs.values()) if isinstance(v.type, Array) for d in v.type.shape or ()
    ]
    lowest = min([exact(d, table, default=2) for d in dims if isinstance(d, Dim)], default=2)
    return table if lowest > 1 or lowest < -60 else {a: n + 2 - lowest for a, n in table.items()}


def may_share(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> bool:
    """Whether the result may share memory with an argument or be read-only, as it does (or not) for dummies.

    Which axes, and how many elements, decides. Where an integer, a rank, a dtype or whether there is a value
    at all is not known before the run, it may: a dummy has one of them.
    """
    read = variables(*args, *kwargs.values())
    if any(
        is_int(v) or isinstance(v.type, Optional) or has_unknown_rank(v.type) or is_mixed(v.type)
        for v in read
    ):
        return True
    atoms = atoms_of(args, kwargs)
    for sizes in (SIZES[0], SMALL_SIZES[0], *((n,) * 6 for n in (2, 3, 1))):
        table = {a: sizes[i % 6] for i, a in enumerate(atoms)}
        given = [dummy(a, table) for a in args], {k: dummy(v, table) for k, v in kwargs.items()}
        try:
            return any(_shares(fn, *_laid_out(given, order)) for order in ORDERS)
        except Exception as problem:  # sizes that don't fit: the next ones; if none do, it may share
            let_through(problem)
            continue
    return True


def _laid_out(
    given: tuple[list[object], dict[str, object]], order: Literal["C", "F"]
) -> tuple[list[Any], dict[str, Any]]:
    """Arguments whose arrays lie in memory row by row, or column by column."""

    def laid(value: Any) -> Any:
        return np.array(value, order=order) if isinstance(value, np.ndarray) else value

    return [laid(a) for a in given[0]], {k: laid(a) for k, a in given[1].items()}


def _shares(fn: Callee, args: list[object], kwargs: dict[str, object]) -> bool:
    results = quietly(fn, args, kwargs)
    outs = results if isinstance(results, (tuple, list)) else [results]
    arrays = [a for a in (*args, *kwargs.values()) if isinstance(a, np.ndarray)]
    found = [o for o in outs if isinstance(o, np.ndarray)]
    return any(
        not o.size or not o.flags.writeable or np.may_share_memory(o, a) for o in found for a in arrays
    )


def _partitions(atoms: list[object]) -> Iterator[list[list[Any]]]:
    """Which lengths may have to be equal for the call to work: ever fewer classes, the finest first."""
    if not 2 <= len(atoms) <= 4:
        return

    def all_partitions(rest: list[gast.AST]) -> Iterator[list[list[Any]]]:
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


def _with_equal_lengths(args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> list[list[dict[object, int]]]:
    """Sizes with which ``n - 1`` and ``m`` are equal, as arrays that stand side by side need."""
    dims = [d for v in variables(*args, *kwargs.values()) for d in dims_of(v) if isinstance(d, Dim)]
    if not all(len(d.terms) == 1 and d.terms[0][1] == 1 for d in dims) or len(dims) < 2:
        return []
    tables: list[dict[object, int]] = [{}, {}]
    for dim in dims:
        for table, size in zip(tables, (14, 22), strict=True):
            table.setdefault(dim.terms[0][0].key, size - dim.const)
    return [tables]


def has_unknown_rank(type: Type) -> bool:
    """Whether a value is an array of unknown rank, or None, or holds some."""
    if isinstance(type, (ListOf, DictOf)):
        return has_unknown_rank(type.element)
    if isinstance(type, TupleOf):
        return any(map(has_unknown_rank, type.items))
    if isinstance(type, Optional):
        return has_unknown_rank(type.value)
    return isinstance(type, Array) and type.shape is None


def _of_rank(type: Type, rank: int) -> Type:
    """The type where arrays of unknown rank have this one."""
    if isinstance(type, (ListOf, DictOf)):
        return replace(type, element=_of_rank(type.element, rank))
    if isinstance(type, TupleOf):
        return replace(type, items=tuple([_of_rank(item, rank) for item in type.items]))
    if isinstance(type, Optional):
        return Optional(_of_rank(type.value, rank))
    if not isinstance(type, Array) or type.shape is not None:
        return type
    return Array(type.dtype, tuple(Dim.symbol(("any", i)) for i in range(rank)))


def _probe_ranks(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """Arrays of unknown rank: what do numbers, vectors, matrices and stacks of them agree on?"""
    found: list[Any] = []
    told = True  # whether those of which no type is found certainly raise
    for rank in (0, 1, 2, 3):

        def fix(var: Var, rank: int = rank) -> Arg:
            return Var(_of_rank(var.type, rank)) if has_unknown_rank(var.type) else var

        try:
            found.append(
                probe(
                    fn, tuple(map_arg(fix, a) for a in args), {k: map_arg(fix, v) for k, v in kwargs.items()}
                )
            )
        except InferenceError as problem:
            error, told = problem, told and for_its_rank(problem)
    if not found:
        raise error
    if told and all(f == found[0] for f in found) and isinstance(found[0], Scalar):
        return replace(found[0], size=None)  # the lengths are made up
    return _of_any_rank(found)


def _of_any_rank(found: list[Any]) -> Any:
    """The type of what is of one of these types, which may differ in rank."""
    first = found[0]
    if isinstance(first, (tuple, list)) and all(
        type(f) is type(first) and len(f) == len(first) for f in found
    ):
        items = [_of_any_rank([f[i] for f in found]) for i in range(len(first))]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    if all(isinstance(f, ListOf) for f in found):
        return ListOf(_of_any_rank([f.element for f in found]))
    if all(f == first for f in found) and not isinstance(first, (Scalar, Array)):
        return first
    dtypes = {dtype_of(f) if isinstance(f, (Scalar, Array)) else None for f in found}
    if len(dtypes) == 1 and None not in dtypes:
        return Array(dtypes.pop(), None)  # type: ignore[arg-type]
    raise InferenceError("the rank of an argument depends on the path taken")


def for_its_rank(problem: InferenceError) -> bool:
    """Whether a trial failed for the type of an argument, or its number of axes: then the call raises."""
    cause = problem.__cause__
    if isinstance(cause, (TypeError, np.exceptions.AxisError)):
        return True
    return (
        str(problem).removeprefix("IndexError: ").startswith(("too many indices", "invalid index to scalar"))
    )


def as_element(found: Any) -> Type:
    """The type of an element of a list, which is one even where it is a tuple."""
    return TupleOf(tuple(map(as_element, found))) if isinstance(found, tuple) else found


def match_runs(fn: Callee, runs: list[Any], args: Any, kwargs: dict[str, Arg], regular: bool) -> Any:
    """The type of the results of two runs.

    The lengths of a regular function's result are lengths of its arguments, or constants: then two runs with
    lengths that all differ tell which. Of other functions no length is known.
    """
    (table1, first), (table2, second) = runs
    candidates: dict[tuple[int, int], list[Dim]] = {}
    for var in variables(*args, *kwargs.values()):
        for dim in () if is_int(var) else dims_of(var):
            if isinstance(dim, Dim):
                same = candidates.setdefault((evaluate(dim, table1), evaluate(dim, table2)), [])
                same += [] if dim in same else [dim]

    def convert(a: Any, b: Any) -> Any:
        if isinstance(a, (tuple, list)):
            if len(a) != len(b):
                if isinstance(a, list) and a:
                    return list_of(as_element(convert(a[0], b[0])))
                raise InferenceError("the number of results depends on a length")
            items = [convert(x, y) for x, y in zip(a, b, strict=True)]
            return type(a)(*items) if hasattr(a, "_fields") else type(a)(items)
        if is_strange(a):
            raise InferenceError(f"the result is a {type(a).__name__}")
        if isinstance(a, np.ndarray):
            if not isinstance(b, np.ndarray) or a.ndim != b.ndim:
                raise InferenceError("the rank of the result depends on a length")
            return Array(a.dtype, tuple(length(m, n) for m, n in zip(a.shape, b.shape, strict=True)))
        if isinstance(a, int) and not isinstance(a, bool):
            found = length(a, b) if fn in COUNTS else None
            return Scalar("int", None, None if found is not None and has_fresh(found) else found)
        return type_of(a)

    def length(m: int, n: int) -> Dim | int:
        same = candidates.get((m, n), [])
        if not regular or EACH in same or len(same) > 1 and not any(d.not_one for d in same):
            return Dim.fresh()
        if same:  # two that had to fit each other are equal, or one of them is 1
            return next((d for d in same if d.not_one), same[0])
        return m if m == n else Dim.fresh()

    return convert(first, second)
