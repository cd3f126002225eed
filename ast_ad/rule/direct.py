"""Is a rule right when it is run on NumPy arrays, with no compiler between?

The cotangents of a random ``g`` are contracted with random directions and compared with a central
difference of the function itself: ``<g, J v> == <J^T g, v>``.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..extrapolation import extrapolated
from ..rules.helpers import unbroadcast
from ..rules.registry import Primitive
from .samples import Sample

STEP = 2e-3


def require(holds: Any, text: str) -> None:
    """Raise AssertionError, as ``numpy.testing`` does, where something does not hold."""
    if not holds:
        raise AssertionError(text)


def is_inexact(x: Any) -> bool:
    return (
        np.asarray(x).dtype.kind in "fc" if isinstance(x, (float, complex, np.ndarray, np.generic)) else False
    )


def holds_floats(x: Any) -> bool:
    return any(map(holds_floats, x)) if isinstance(x, (list, tuple)) else is_inexact(x)


def tree(fn: Any, x: Any, *rest: Any) -> Any:
    """``fn`` applied to the numbers and arrays inside lists and tuples."""
    if isinstance(x, (list, tuple)) or (hasattr(x, "_fields")):
        items = [tree(fn, *parts) for parts in zip(x, *rest, strict=True)]
        return list(items) if isinstance(x, list) else tuple(items)
    return fn(x, *rest)


def dot(a: Any, b: Any) -> float:
    """The real inner product of two trees; a missing part counts as zero."""
    if a is None or b is None:
        return 0.0
    if isinstance(a, (list, tuple)):
        return sum((dot(x, y) for x, y in zip(a, b, strict=True)), 0.0)
    return float(np.sum(np.real(np.conj(a) * b)))


def random_like(x: Any, rng: np.random.Generator) -> Any:
    """A random direction (or cotangent): None for what carries no derivative."""

    def draw(leaf: Any) -> Any:
        if not is_inexact(leaf):
            return None
        v = rng.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            v = v + 1j * rng.normal(size=np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(v, dtype=leaf.dtype)
        return (leaf.dtype.type if isinstance(leaf, np.generic) else type(leaf))(v)

    return tree(draw, x)


def moved(x: Any, v: Any, h: float) -> Any:
    return tree(lambda leaf, d: leaf if d is None else leaf + h * d, x, v)


def projected(contribution: Any, x: Any) -> Any:
    """A contribution brought to the space of its argument: real where that is, of its shape and dtype."""
    if contribution is None:
        return None

    def project(leaf: Any, c: Any) -> Any:
        if c is None or not is_inexact(leaf):
            return None
        c = np.real(c) if np.iscomplexobj(c) and not np.iscomplexobj(leaf) else c
        require(np.shape(c) == np.shape(leaf), f"cotangent of shape {np.shape(c)} for {np.shape(leaf)}")
        return np.asarray(c, dtype=np.asarray(leaf).dtype)

    return tree(project, x, contribution)


def bound_arguments(primitive: Primitive, sample: Sample) -> list[tuple[int | str, Any]]:
    """(position or keyword, name, value) of the arguments, keywords that the rule names among them."""
    names = rule_parameters(primitive)
    bound: list[tuple[int | str, Any]] = list(enumerate(sample.args))
    return bound + [(k, v) for k, v in sample.kwargs.items() if k in names]


def rule_parameters(primitive: Primitive) -> list[str]:
    assert primitive.rule is not None
    skip = {"elementwise": 1, "vjp": 2, "composite": 0}[primitive.kind]
    return list(inspect.signature(primitive.rule).parameters)[skip:]


def cotangents(primitive: Primitive, g: Any, ans: Any, sample: Sample) -> dict[int | str, Any]:
    """The cotangent of each argument, after what the compiler does to a rule's results centrally."""
    assert primitive.rule is not None
    args, kwargs = sample.args, sample.kwargs
    if primitive.kind == "elementwise":
        parts = primitive.rule(ans, *args)
        parts = parts if isinstance(parts, tuple) else (parts,)
        parts = tuple(None if p is None or p is NotImplemented else g * np.conj(p) for p in parts)
    else:
        parts = primitive.rule(g, ans, *args, **kwargs)
        parts = parts if isinstance(parts, tuple) else (parts,)
    names = rule_parameters(primitive)
    out: dict[int | str, Any] = {}
    for key, x in bound_arguments(primitive, sample):
        variadic = inspect.signature(primitive.rule).parameters.get(names[-1]) if names else None
        position = key if isinstance(key, int) else names.index(key)
        if variadic is not None and variadic.kind is inspect.Parameter.VAR_KEYWORD:
            position = key  # type: ignore[assignment]
        part = parts[position] if isinstance(position, int) and position < len(parts) else None
        if primitive.broadcasts and part is not None:
            part = tree(lambda leaf, c: None if c is None else unbroadcast(c, leaf), x, part)
        out[key] = projected(part, x)
    return out


def active(primitive: Primitive, sample: Sample) -> list[int | str]:
    chosen = [key for key, x in bound_arguments(primitive, sample) if holds_floats(x)]
    return chosen if sample.wrt is None else [key for key in chosen if key in sample.wrt]


def directional_derivative(fn: Any, sample: Sample, directions: dict[int | str, Any], g: Any) -> float:
    """``<g, J v>`` by central differences with one Richardson step."""

    def along(h: float) -> float:
        args = tuple(moved(x, directions[i], h) if i in directions else x for i, x in enumerate(sample.args))
        kwargs = {k: moved(x, directions[k], h) if k in directions else x for k, x in sample.kwargs.items()}
        return dot(g, fn(*args, **kwargs))

    return extrapolated(along, STEP)


def check(primitive: Primitive, fn: Any, sample: Sample, seed: int = 0) -> None:
    """Raise AssertionError where the rule's answer differs from the finite difference (or from ``fn``)."""
    ans = fn(*sample.args, **sample.kwargs)
    if primitive.kind == "composite":
        assert primitive.rule is not None
        same_value(primitive.rule(*sample.args, **sample.kwargs), ans)
        return
    if primitive.kind == "nondifferentiable" or sample.wrt == ():  # the rule may be there to refuse
        return
    rng = np.random.default_rng(seed)
    g = random_like(ans, rng)
    before = tree(np.array, g), [tree(np.array, x) for x in sample.args if holds_floats(x)]
    found = cotangents(primitive, g, ans, sample)
    after = tree(np.array, g), [tree(np.array, x) for x in sample.args if holds_floats(x)]
    np.testing.assert_equal(after, before, err_msg="the rule changed its arguments")
    if sample.kink:
        return
    for key in active(primitive, sample):
        value = dict(bound_arguments(primitive, sample))[key]
        v = random_like(value, rng)
        expected = directional_derivative(fn, sample, {key: v}, g)
        got = dot(found[key], v)
        scale = 1 + abs(expected)
        require(
            abs(got - expected) <= sample.tol * scale,
            f"argument {key}: rule {got!r}, differences {expected!r}",
        )


def same_value(found: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        require(len(found) == len(expected), "results differ in structure")
        for f, e in zip(found, expected, strict=True):
            same_value(f, e)
        return
    require(np.shape(found) == np.shape(expected), "results differ in structure")
    require(np.asarray(found).dtype == np.asarray(expected).dtype, "the rule changes the dtype")
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
