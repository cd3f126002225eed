"""Is the shape that the compiler infers for a call the shape of its result, whatever the lengths are?

Each axis of each sample's arguments gets a symbol of its own; the inferred lengths, evaluated where the
symbols have the lengths of a call, must be those of its result. The calls are the sample itself and variants
with other lengths, 0 and 1 among them, as far as the function accepts them.
"""

from __future__ import annotations

import itertools
import math
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, each_sample

from ast_ad.compiler.frontend.spelling import STRUCTURAL, parameter_names
from ast_ad.compiler.frontend.types.dummies import InferenceError
from ast_ad.compiler.frontend.types.infer import result_type
from ast_ad.compiler.ir.dim_values import evaluate
from ast_ad.compiler.ir.dims import symbols
from ast_ad.compiler.ir.ops import Arg, Lit, Seq, Slice, Var
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar, TupleOf
from ast_ad.rules.helpers import SHAPED_LIKE

# Functions of compiled libraries that read beyond their arguments where lengths don't fit.
FITTING = {"solve_banded", "solveh_banded", "lu_solve", "cho_solve", "cho_solve_banded"}
# Those that give something else for arrays of nothing than for others.
EMPTY_DIFFERS = {"nanquantile", "nanpercentile", "chosen_parts"}
LIBRARY = "ast_ad.rules.networks.", "ast_ad.rules.torch."
LENGTHS = (lambda n: n, lambda n: n + 1, lambda n: 2 * n + 3, lambda n: n + 20, lambda n: 1, lambda n: 0)


class Symbols:
    """A call with symbols for lengths, and what they are in a call with lengths."""

    def __init__(self, ints: bool) -> None:
        self.ints = ints
        self.values: dict[Any, int] = {}
        self.count = itertools.count()

    def symbol(self, least: int | None, n: int) -> Dim:
        key = ("arg", next(self.count), 0)
        self.values[key] = n
        return Dim.symbol(key, least=least)

    def call(self, fn: Any, sample: Sample) -> tuple[tuple[Arg, ...], dict[str, Arg]]:
        names = [*parameter_names(fn), *[""] * len(sample.args)]
        args = [self.arg(v, name in STRUCTURAL) for v, name in zip(sample.args, names, strict=False)]
        return tuple(args), {k: self.arg(v, k in STRUCTURAL) for k, v in sample.kwargs.items()}

    def arg(self, value: Any, structural: bool = False) -> Arg:
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return Var(Array(value.dtype, tuple(self.symbol(0, n) for n in value.shape)))
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return Seq(tuple(self.arg(v, structural) for v in value), type(value))
        if type(value) is float:
            return Var(Scalar("float"))
        if type(value) is int and self.ints and not structural:
            return Var(Scalar("int", None, self.symbol(None, value)))
        if isinstance(value, slice):
            return Slice(Lit(value.start), Lit(value.stop), Lit(value.step))
        return Lit(value)


def inferred(fn: Any, sample: Sample, ints: bool) -> tuple[Any, Symbols] | None:
    found = Symbols(ints)
    try:
        return result_type(fn, *found.call(fn, sample)), found
    except (InferenceError, NotImplementedError):
        return None


def varied(fn: Any, sample: Sample) -> Iterator[Sample]:
    """The sample, and ones whose arrays have other lengths: one length becomes another, or all do."""
    arrays = arrays_of((sample.args, sample.kwargs))
    lengths = sorted({n for a in arrays for n in a.shape})
    if fn.__name__ in FITTING or fn in SHAPED_LIKE:
        lengths = []
    library = getattr(fn, "__module__", "").startswith(LIBRARY)
    largest = 2_000 if library else 20_000
    seen: set[Any] = set()
    for change in LENGTHS:
        for some in [lengths] if len(lengths) < 2 else [lengths, *([n] for n in lengths)]:
            table = {n: change(n) if n in some else n for n in lengths}
            if tuple(table.items()) not in seen:
                seen.add(tuple(table.items()))
                if sum(math.prod(table.get(n, n) for n in a.shape) for a in arrays) > largest:
                    continue
                if fn.__name__ in EMPTY_DIFFERS and 0 in table.values():
                    continue
                yield Sample(resized(sample.args, table), resized(sample.kwargs, table))


def arrays_of(value: Any) -> list[np.ndarray]:
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [a for part in parts for a in arrays_of(part)]


def resized(value: Any, table: dict[int, int]) -> Any:
    if isinstance(value, np.ndarray):
        shape = tuple(table.get(n, n) for n in value.shape)
        return (
            np.resize(value, shape)
            if value.size and value.dtype.kind in "biufc"
            else np.ones(shape, value.dtype)
        )
    if isinstance(value, dict):
        return {k: resized(v, table) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(resized(v, table) for v in value)
    return value


def wrong_lengths(type: Any, result: Any, values: dict[Any, int]) -> list[str]:
    if isinstance(type, (TupleOf, tuple, list)) and isinstance(result, (tuple, list)):
        items = type.items if isinstance(type, TupleOf) else type
        if len(items) != len(result):
            return [f"{len(items)} results, but {len(result)}"]
        return [w for t, r in zip(items, result, strict=True) for w in wrong_lengths(t, r, values)]
    if isinstance(type, ListOf) and isinstance(result, (tuple, list)):
        return [w for r in result for w in wrong_lengths(type.element, r, values)]
    if isinstance(type, Scalar):
        if type.kind == "int" and isinstance(type.size, (int, Dim)) and np.ndim(result) == 0:
            return differing(type.size, int(result), values)
        return [] if np.ndim(result) == 0 else [f"a number, but shape {np.shape(result)}"]
    if isinstance(type, Array) and type.shape is not None:
        if np.ndim(result) != len(type.shape):
            return [f"rank {len(type.shape)}, but shape {np.shape(result)}"]
        return [w for d, n in zip(type.shape, np.shape(result), strict=True) for w in differing(d, n, values)]
    return []


def differing(dim: Dim | int, n: int, values: dict[Any, int]) -> list[str]:
    known = isinstance(dim, int) or all(s.key in values for s in symbols(dim))
    return [f"{evaluate(dim, values)}, but {n}"] if known and evaluate(dim, values) != n else []


def has_lengths(fn: Any, sample: Sample) -> bool:
    """Lists have no shape, and SciPy's residuals are a number or no numbers, by the values."""
    return getattr(fn, "__module__", "") != "ast_ad.rules.containers" and "lstsq" not in fn.__name__


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("ints", [False, True], ids=["constants", "symbols"])
@each_sample(has_lengths)
def test_lengths(fn: Any, sample: Sample, ints: bool) -> None:
    if ints and getattr(fn, "__module__", "").startswith(LIBRARY):
        return  # their integers are options
    found = inferred(fn, sample, ints)
    if found is None:
        return
    type, _ = found
    for call in varied(fn, sample):
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                result = fn(*call.args, **call.kwargs)
        except Exception:  # not a call that has a result
            continue
        given = Symbols(ints)
        given.call(fn, call)
        assert not wrong_lengths(type, result, given.values), [np.shape(a) for a in arrays_of(call.args)]
