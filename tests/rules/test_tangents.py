"""Is the tangent of every sample call the transpose of its adjoint: ``<g, J v> == <J^T g, v>``?"""

from __future__ import annotations

import operator
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, each_sample
from test_conformance import LISTS, is_differentiable

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.tangent.tangent import tangent
from ast_ad.rule.direct import dot, random_like, require
from ast_ad.rule.programs import as_tuple, float_like, program_of, same_structure
from ast_ad.rules import registry
from ast_ad.rules.registry import lookup

# Typed complex, and real or complex by what the numbers are; a residue of `lstsq` may be of rank 0 or 1.
BY_VALUE = {"eig", "eigvals", "roots", "sqrtm", "lstsq"}


def agree(fn: Any, sample: Sample) -> None:
    """Raise AssertionError where the tangents of a call are not those of its transposed adjoint."""
    program = program_of(fn, sample, getattr(fn, "__module__", "") in LISTS)
    function, values, wrt = program.function, program.values, tuple(program.floats)
    results = as_tuple(evaluate(function, *values), function)
    of = tuple(i for i, r in enumerate(results) if float_like(r))
    if not of or not wrt:
        return
    rng = np.random.default_rng(3)
    along = [random_like(values[i], rng) for i in wrt]
    forward = tangent(function, wrt, of)
    together = as_tuple(evaluate(forward, *values, *along), forward)
    np.testing.assert_equal(together[: len(results)], results)
    dots = together[len(results) :]
    if fn.__name__ not in BY_VALUE:
        for own, i in zip(dots, of, strict=True):
            same_structure(own, results[i])
    if sample.kink:
        return
    pulled = adjoint(function, wrt, True, of)
    for _ in range(2):
        back = [random_like(results[i], rng) for i in of]
        bars = as_tuple(evaluate(pulled, *values, *back), pulled)[len(results) :]
        forth, expected = sum(map(dot, back, dots)), sum(map(dot, bars, along))
        require(abs(forth - expected) <= 1e-10 * (1 + abs(expected)), f"{forth!r}, not {expected!r}")


@pytest.mark.drawn(of=24)
@each_sample(is_differentiable)
def test_tangents(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(fn, sample)


def everything_doubled(tangents, ans, a, b):
    return 2.0 * (tangents[0] + tangents[1])


@pytest.mark.parametrize(
    ("fn", "args", "rule"),
    [
        (np.dot, (np.ones(2), np.array([1.0, 3.0])), registry.Linear(frozenset({0, 1}), each=False)),
        (operator.add, (np.ones(2), np.ones(2)), everything_doubled),
    ],
    ids=["dot taken for linear", "a sum that is doubled"],
)
def test_a_wrong_rule_is_found(fn: Any, args: Any, rule: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    agree(fn, Sample(args))
    monkeypatch.setitem(registry._tangents, lookup(fn), rule)
    with pytest.raises(AssertionError):
        agree(fn, Sample(args))


def test_a_wrong_pullback_is_no_tangent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The transposed rule is that of the registry: spoilt behind the adjoint's back, they disagree."""
    from ast_ad.compiler.tangent import tangent as module

    right = module.transposed

    def wrong(builder: Any, op: Any, tangents: Any) -> Any:
        return tuple(builder.op(operator.mul, 1.5, dot) for dot in right(builder, op, tangents))

    monkeypatch.setattr(module, "transposed", wrong)
    with pytest.raises(AssertionError):
        agree(np.linalg.det, Sample((np.array([[2.0, 1.0], [0.5, 3.0]]),)))
