"""Do kernels of every sample call, of its adjoint and of the adjoint's adjoint, give what NumPy gives?"""

from __future__ import annotations

import copy
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")
sys.path.insert(0, str(Path(__file__).parents[2] / "rules"))

from sample import Sample, all_samples  # type: ignore[import-not-found]

from ast_ad.calls.code import NotCompiled
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Function
from ast_ad.rule.direct import random_like
from ast_ad.rule.programs import as_tuple, float_like, program_of
from ast_ad.rules.containers import array_from_list
from ast_ad.rules.numpy.linalg import cofactor_bar
from ast_ad.rules.registry import lookup

from .comparing import differ
from .running import HANDED_BACK, evaluated, watched

LISTS = {"ast_ad.rules.containers"}
SLOW = {cofactor_bar}
LEFT_TO_NUMPY: list[tuple[str, Any]] = []  # what had no kernels at all, for statistics


def programs(fn: Any, sample: Sample, order: int) -> Any:
    """The program of a call, its adjoint and (order 2) the adjoint of that, each with its arguments."""
    program = program_of(fn, sample, getattr(fn, "__module__", "") in LISTS)
    function, values, floats = program.function, program.values, program.floats
    yield function, values
    rng = np.random.default_rng(7)
    count = len(function.body.results)
    for level in range(order if sample.order2 else 1):
        results = as_tuple(evaluate(function, *values), function)
        of = tuple(i for i, r in enumerate(results) if i >= level * count and float_like(r))
        if not of or not floats:
            return
        function = adjoint(function, tuple(floats), True, of)
        seeds = [random_like(results[i], rng) for i in of]
        floats = [*floats, *range(len(values), len(values) + len(seeds))]
        values = [*values, *seeds]
        yield function, values


def check(function: Function, values: list[Any], make: Any = evaluated) -> str:
    """How the kernels of a program differ from the program; nothing if they don't, or if there are none."""
    wanted = evaluate(function, *copy.deepcopy(values))
    try:
        program = make(function, (), range(len(function.body.results)))
    except NotCompiled as reason:
        LEFT_TO_NUMPY.append((function.name, str(reason)))
        return ""
    given = copy.deepcopy(values)
    try:
        got = program.run(*given)
    except HANDED_BACK as problem:
        LEFT_TO_NUMPY.append((function.name, repr(problem)))
        return ""
    return differ(got, wanted) or differ(given, list(values))


CASES = [
    pytest.param(fn, entries, id=f"{getattr(fn, '__module__', '') or ''}.{getattr(fn, '__name__', fn)}")
    for fn, entries in all_samples().items()
    if (primitive := lookup(fn)) is not None
    and primitive.kind != "nondifferentiable"
    and fn is not array_from_list  # a list of which these programs don't know the lengths of the arrays
]


@pytest.mark.drawn(of=336)
@pytest.mark.parametrize(("fn", "entries"), CASES)
def test_evaluated_kernels(fn: Any, entries: list[Sample]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings(), watched("evaluated"):
        warnings.simplefilter("ignore")
        for i, sample in enumerate(entries[:4]):
            highest = 2 if i == 0 and len(fn.__name__) % 4 == 0 and fn not in SLOW else 1  # all take minutes
            for order, (function, values) in enumerate(programs(fn, sample, highest)):
                why = check(function, values)
                assert not why, f"sample {i}, order {order}: {why}"
