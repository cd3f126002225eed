"""Do rules compute as well with booleans and integers of few bits as with other integers?

A derivative needs ``k - 1``, ``k * k`` and ``-k``: these may wrap where nothing wraps in the function itself.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.special as sp

import ast_ad
from ast_ad.eager.slices.slices import slice_rule
from ast_ad.errors import AdError
from ast_ad.rules.registry import lookup, primitives

x = np.array([0.3, 1.7, 0.6, 0.9])
weights = np.array([0.1, 0.7, -0.3, 1.9])
NARROW = (
    np.array([200, 3, 0, 17], np.uint8),
    np.array([-128, 3, 0, 100], np.int8),
    np.array([60000, 255, 0, 9], np.uint16),
    np.array([True, False, True, True]),
)


def mixed_rules() -> list[Any]:
    """An entry for each elementwise rule of several arguments."""
    rules = {p.rule: fn for fn, p in primitives().items() if p.kind == "elementwise" and p.rule is not None}
    return [fn for rule, fn in rules.items() if len(inspect.signature(rule).parameters) in (3, 4, 5)]


@pytest.mark.parametrize("fn", mixed_rules(), ids=lambda fn: getattr(fn, "__name__", str(fn)))
def test_a_rule_gives_what_it_gives_for_other_integers(fn: Any) -> None:
    primitive = lookup(fn)
    assert primitive is not None and primitive.rule is not None
    count = len(inspect.signature(primitive.rule).parameters) - 1
    for place in range(count):
        active = tuple(i != place for i in range(count))
        for narrow in NARROW:
            wide, cotangents = narrow.astype(np.int64), []
            for k in (narrow, wide):
                args = [k if i == place else x for i in range(count)]
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        # NumPy has the logarithm of eight bits to three digits, as its value
                        ans = primitive.fn(*[wide if i == place else x for i in range(count)])
                        cut = slice_rule(primitive, active)
                        assert cut is not None
                        cotangents.append(cut.run(weights, ans, *args))
                    except (AdError, ArithmeticError, TypeError, ValueError, AttributeError) as error:
                        cotangents.append(type(error))  # of numbers alone, or what takes no such integers
            found, wanted = cotangents
            if isinstance(wanted, type):
                continue
            assert not isinstance(found, type), (place, narrow, found)
            for a, b in zip(found, wanted, strict=True):
                if a is None:
                    assert b is None
                else:
                    np.testing.assert_allclose(a, b, rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("make", [np.asarray, ast_ad.tensor])
def test_tensors_of_them_are_widened_too(make: Any) -> None:
    t, k = ast_ad.tensor(x, requires_grad=True), np.array([200, 3, 0, 17], np.uint8)
    (first,) = ast_ad.autograd.grad(sp.jv(make(k), t).sum(), t, create_graph=True)
    (second,) = ast_ad.autograd.grad(first.sum(), t)
    np.testing.assert_allclose(first.numpy(force=True), sp.jvp(k.astype(int), x), rtol=1e-12)
    np.testing.assert_allclose(second.numpy(), sp.jvp(k.astype(int), x, 2), rtol=1e-12)


def angles(x, k):
    return np.sum(np.arctan2(x, k) * weights) + np.sum(np.arctan2(k, x))


def powers(x, k):
    return np.sum(np.power(x, k % 100) * weights)


def table(x, k):
    return np.sum(np.interp(x * 60.0, np.sort(k), k[::-1]) * weights)


def counts(x, k):
    return np.sum(np.bincount(k % 4, weights=x)[:4] ** 2)


def slopes(x, k):
    return np.sum(np.gradient(x, k) * weights)


def bessel(x, k):
    return np.sum(sp.jv(k, x) * weights) + np.sum(sp.boxcox(x, k % 4))


def hermite(x, k):
    return np.sum(sp.eval_hermite(k % 5, x) * weights)


def of_number(x, k):
    matrix = np.outer(x, weights)
    turned = np.sum(np.rot90(matrix, k) @ weights) + np.sum(np.diagonal(matrix, k) ** 2) + np.trace(matrix, k)
    return turned + np.roll(np.append(x, 1.0), k) @ np.append(weights, 0.5)


def rolled_back(x, k):
    with np.errstate(over="ignore"):
        return np.roll(np.append(x, 1.0), -k) @ np.append(weights, 0.5)


def taken(x, k):
    return np.sum(np.take(x, k) * weights)


PROGRAMS = [
    *[(f, k) for f in (angles, powers, counts, bessel, hermite) for k in NARROW[:3] if (k >= 0).all()],
    *[(table, k) for k in NARROW[:3]],
    *[(slopes, np.sort(k)) for k in NARROW[:3]],
    *[(of_number, k) for k in (np.uint8(3), np.int8(-2), np.uint64(1))],
    (angles, NARROW[1]),
    (counts, np.array([0, 5, 1, 1], np.uint64)),
    (taken, NARROW[3]),
    (rolled_back, np.uint8(3)),
]


@pytest.mark.parametrize("backend", ["numpy", pytest.param("numba", marks=pytest.mark.drawn(of=68))])
@pytest.mark.parametrize(("f", "k"), PROGRAMS)
def test_a_program_has_the_derivative_that_differences_give(f: Any, k: Any, backend: str) -> None:
    direction = np.array([0.7, -0.2, 1.1, 0.4])
    value, gradient = ast_ad.value_and_grad(f, backend=backend)(x, k)
    np.testing.assert_allclose(value, f(x, k), rtol=1e-12)
    h = 1e-4
    slopes = [(f(x + s * direction, k) - f(x - s * direction, k)) / (2 * s) for s in (h, h / 2)]
    np.testing.assert_allclose(gradient @ direction, (4 * slopes[1] - slopes[0]) / 3, rtol=1e-6)
    _, tangent = ast_ad.jvp(f, (x, k), (direction, None), backend=backend)
    np.testing.assert_allclose(tangent, gradient @ direction, rtol=1e-10)


@pytest.mark.parametrize("traced", [False, True])
def test_half_of_the_largest_integers_is_beyond_int64(traced: bool) -> None:
    """As int64 they were negative, and so was the derivative."""
    large = np.uint64(2**63 + 2**40)

    def angle(x: Any) -> Any:
        return np.arctan2(x, large) * 1e19

    if traced:
        x = ast_ad.tensor(1.5, dtype=ast_ad.float64, requires_grad=True)
        angle(x).backward()
        found = float(x.grad)
    else:
        found = ast_ad.grad(angle, backend="numpy", fallback="error")(1.5)
    assert found == pytest.approx(1e19 / float(large), rel=1e-14)
