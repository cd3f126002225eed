"""Does every rule agree with finite differences, and is every primitive sampled?"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, all_samples, each_sample, name

from ast_ad import rules  # noqa: F401  (fills the registry)
from ast_ad.rule import direct
from ast_ad.rules.registry import lookup, primitives
from ast_ad.trees import flatten

SAMPLES = all_samples()


@each_sample()
def test_rule(fn: Any, sample: Sample) -> None:
    primitive = lookup(fn)
    assert primitive is not None, f"{name(fn)} is not registered"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        direct.check(primitive, fn, sample)


@each_sample(lambda fn, sample: lookup(fn).kind == "vjp" and sample.wrt != ())
def test_rules_are_linear_in_the_cotangent(fn: Any, sample: Sample) -> None:
    """Pullbacks are transposed for tangents: of two cotangents, one ten times the other and of any sign."""
    primitive = lookup(fn)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ans = fn(*sample.args, **sample.kwargs)
        numbers = np.random.default_rng(1)
        one, two = direct.random_like(ans, numbers), direct.random_like(ans, numbers)
        both = direct.tree(lambda a, b: None if a is None else a - 10 * b, one, two)
        of_one, of_two, of_both = (direct.cotangents(primitive, g, ans, sample) for g in (one, two, both))
    for key, found in of_both.items():
        parts = [flatten(bars[key])[0] for bars in (of_one, of_two)]
        for got, a, b in zip(flatten(found)[0], *parts, strict=True):
            size = np.max(np.abs(got), initial=0.0, where=np.isfinite(got))
            np.testing.assert_allclose(got, a - 10 * b, rtol=1e-6, atol=1e-9 * (1.0 + size))


# Calls that are traced within a program are registered when they are first needed: tests/tracing has them.
DIFFERENTIABLE = {
    p.fn: p
    for p in primitives().values()
    if p.kind != "nondifferentiable" and not name(p.fn).startswith(("ast_ad.calls.", "ast_ad.tracing."))
}


def test_every_primitive_has_a_sample() -> None:
    sampled = {id(p) for f, p in primitives().items() if f in SAMPLES}
    assert [name(fn) for fn in DIFFERENTIABLE if id(lookup(fn)) not in sampled] == []


def called_functions(rule: Any) -> list[Any]:
    """What the rule's source calls, as far as the names are global ones."""
    found = []
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(rule))).body[0]):
        if isinstance(node, ast.Call) and (value := resolve(node.func, rule)) is not None:
            found.append(value)
    return found


def resolve(node: ast.expr, rule: Any) -> Any:
    if isinstance(node, ast.Name):
        return rule.__globals__.get(node.id)
    if isinstance(node, ast.Attribute):
        base = resolve(node.value, rule)
        return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
    return None


def test_everything_a_rule_calls_has_a_rule() -> None:
    """This is what makes derivatives of any order possible. Python helpers are read by the compiler."""
    without = {name(fn): missing for fn in DIFFERENTIABLE if (missing := called_without(fn))}
    assert without == {}


def called_without(fn: Any) -> list[str]:
    """What the rule of a function calls that has no rule."""
    called = called_functions(DIFFERENTIABLE[fn].rule)
    missing = [f for f in called if lookup(f) is None and not isinstance(f, types.FunctionType)]
    missing += [f for f in called if getattr(f, "__module__", "").startswith("numpy") and lookup(f) is None]
    return list(map(name, missing))
