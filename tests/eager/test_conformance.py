"""Do eager and compiled derivatives agree on every rule's samples, in second order too?"""

from __future__ import annotations

import copy
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "rules"))

from sample import Sample, all_samples

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.eager import namespace  # noqa: F401  (the operators of tensors)
from ast_ad.rule.direct import dot, holds_floats, is_inexact, random_like
from ast_ad.rule.programs import as_tuple, float_like, program_of
from ast_ad.rules.registry import lookup
from ast_ad.tracing import trace
from ast_ad.trees import flatten
from tests.eager.recorded import recorded

# Lists that grow while a program runs exist in compiled programs only: traced code has Python's own.
SKIPPED = {"ast_ad.rules.containers"}


def name(fn: Any) -> str:
    return f"{getattr(fn, '__module__', '') or ''}.{getattr(fn, '__name__', fn)}"


CASES = [
    pytest.param(fn, sample, id=f"{name(fn)}-{i}")
    for fn, entries in all_samples().items()
    for i, sample in enumerate(entries)
    if (primitive := lookup(fn)) is not None
    and primitive.kind != "nondifferentiable"
    and getattr(fn, "__module__", "") not in SKIPPED
    and not sample.kink
]


def positions(sample: Sample) -> list[int]:
    """The leaves of the arguments that the sample differentiates, among all leaves."""
    out, at = [], 0
    for key, value in [*enumerate(sample.args), *sample.kwargs.items()]:
        leaves, _ = flatten(value)
        wanted = sample.wrt is None or key in sample.wrt
        out += [at + i for i, leaf in enumerate(leaves) if wanted and is_inexact(leaf)]
        at += len(leaves)
    return out


def eager(function: Any, sample: Sample) -> tuple[list[Any], Any]:
    """The value's leaves and the pullback, the operation recorded as it is."""
    leaves, tree = flatten((sample.args, sample.kwargs))
    args, kwargs = tree.unflatten([copy.copy(leaf) for leaf in leaves])  # an array passed twice counts as two
    value, pullback = trace(function, args, kwargs, positions(sample))
    return flatten(value)[0], pullback


def compiled(program: Any, results: Any, seeds: list[Any]) -> tuple[Any, ...]:
    """The cotangents of the parameters, from the adjoint program."""
    of = tuple(i for i, r in enumerate(results) if float_like(r))
    transposed = adjoint(program.function, tuple(program.floats), True, of)
    bars = as_tuple(evaluate(transposed, *program.values, *[seeds[i] for i in of]), transposed)
    return bars[len(results) :]


@pytest.mark.drawn(of=16)
@pytest.mark.parametrize(("fn", "sample"), CASES)
def test_agrees_with_compiled(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        program = program_of(fn, sample, False)
        results = as_tuple(evaluate(program.function, *program.values), program.function)
        wanted = [program.values[p] for p in program.floats]
        if (
            any(isinstance(v, (list, tuple)) for v in wanted)
            or not any(map(float_like, results))
            or not wanted
        ):
            return  # nothing to differentiate
        rng = np.random.default_rng(3)
        seeds = [random_like(r, rng) for r in results]
        bars = compiled(program, results, seeds)
        values, pullback = eager(recorded(fn), sample)
        assert len(values) == len(results)
        found = pullback([s if holds_floats(v) else None for s, v in zip(seeds, values)])
        assert len(found) == len(bars)
        for got, expected, x in zip(found, bars, wanted, strict=True):
            assert np.shape(got) == np.shape(x) and np.asarray(got).dtype == np.asarray(x).dtype
            scale = 1 + np.max(np.abs(expected), initial=0)
            np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * scale)
        if sample.order2:
            second_order(pullback, seeds, values, wanted, rng, sample.tol)


def second_order(pullback: Any, seeds: Any, values: Any, wanted: Any, rng: Any, tol: float) -> None:
    """``linearize`` gives the same cotangents, and a pullback that agrees with differences in the seeds."""
    given = [s if holds_floats(v) else None for s, v in zip(seeds, values)]
    first = pullback(given)
    again, second = pullback.linearize(given)
    for a, b in zip(first, again, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * (1 + np.max(np.abs(a), initial=0)))
    weights = [random_like(x, rng) for x in wanted]
    bars = second(weights)[len(wanted) :]
    directions = [random_like(s, rng) for s in given if s is not None]
    moved = iter(directions)
    along = pullback([None if s is None else next(moved) for s in given])  # a pullback is linear in the seeds
    expected = sum(dot(w, a) for w, a in zip(weights, along, strict=True))
    got = sum(dot(b, d) for b, d in zip(bars, directions, strict=True))
    assert abs(got - expected) <= 1e-8 * (1 + abs(expected)), f"{got!r}, not {expected!r}"


def test_second_derivatives() -> None:
    """With respect to the arguments: differences of the traced gradient, for a sample of each function."""
    rng = np.random.default_rng(5)
    tried = 0
    seen: set[Any] = set()
    for case in CASES:
        fn, sample = case.values
        if fn in seen or not sample.order2 or sample.kwargs or not all(map(is_inexact, sample.args)):
            continue
        seen.add(fn)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tried += check_hessian(fn, sample, rng)
    assert tried > 200


def check_hessian(fn: Any, sample: Sample, rng: Any) -> bool:
    args = [np.asarray(x, np.result_type(x)) for x in sample.args]
    at = Sample(tuple(args), wrt=sample.wrt)
    which = positions(at)
    function = recorded(fn)
    values, pullback = eager(function, at)
    seeds = [random_like(v, rng) if holds_floats(v) else None for v in values]
    if all(s is None for s in seeds):
        return False
    weights = [random_like(args[i], rng) for i in which]
    bars = pullback.linearize(seeds)[1](weights)[: len(which)]
    directions = [random_like(args[i], rng) for i in which]

    def gradient(h: float) -> float:
        there = list(args)
        for i, v in zip(which, directions, strict=True):
            there[i] = np.asarray(args[i] + h * v, args[i].dtype)
        _, pull = eager(function, Sample(tuple(there), wrt=sample.wrt))
        return sum(dot(w, b) for w, b in zip(weights, pull(seeds), strict=True))

    step = 1e-3
    wide, narrow = ((gradient(h) - gradient(-h)) / (2 * h) for h in (step, step / 2))
    expected = (4 * narrow - wide) / 3
    got = sum(dot(b, v) for b, v in zip(bars, directions, strict=True))
    assert abs(got - expected) <= 100 * sample.tol * (1 + abs(expected)), (
        f"{name(fn)}: {got!r}, not {expected!r}"
    )
    return True
