"""What are the cotangents of a function that has a rule for tangents only? The rule's transpose.

The tangent is linear in those of the arguments: its own cotangents by them don't depend on where they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...eager.tensor import Tensor
from ...rules.rule_results import check_leaf, not_linear, wrong_structure
from ...tracing.own_rules import Ruled, is_float
from ...tracing.patches import replaced
from ...tracing.recorder import TracedPullback, recording
from ...tracing.rule_results import leaves_like
from ...tracing.sought import differentiated_by
from ...tracing.traced_array import Traced, plain
from ...trees import flatten
from ..forward import far_from_zero, is_same


def zeros(value: Any) -> Any:
    """A tangent of zeros for a value, traced where that is: a rule may write to a copy of it.

    What has no derivative stays.
    """
    leaves, tree = flatten(value)
    found = [zero(plain(leaf)) for leaf in leaves]
    traced = [isinstance(leaf, Traced) and is_float(plain(leaf)) for leaf in leaves]
    return tree.unflatten([Traced._of(t) if to else t for t, to in zip(found, traced, strict=True)])


def zero(leaf: Any) -> Any:
    """The zero of the kind of a number or an array."""
    return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else type(leaf)(0)


def transposed(
    own: Ruled,
    tangent: Callable[[Sequence[Any]], Callable[..., Any]],
    args: Sequence[Any],
    chosen: Sequence[int],
    ans: Any,
    g: Any,
) -> list[Any]:
    """The cotangents of the ``chosen`` arguments for that of the value; traced if something given is.

    ``tangent`` gives, for the arguments, the tangent of the value as a function of theirs.

    Raises:
        InputValueError: the tangent is not linear.
    """

    def at(args: Sequence[Any], ans: Any, g: Any, where: Callable[..., Any]) -> list[Any]:
        return _transposed(own, tangent(args), [args[i] for i in chosen], ans, g, where)

    found = once = at(args, ans, g, np.zeros_like)
    if any(isinstance(leaf, Traced) for leaf in flatten((args, g))[0]):  # perhaps at a cotangent of zero
        args, ans = _plain(list(args)), _plain(ans)
        g = _anywhere(ans)
        once = at(args, ans, g, np.zeros_like)
    (here, tree), (there, other) = flatten(once), flatten(at(args, ans, g, far_from_zero))
    if tree != other or not all(is_same(plain(a), plain(b)) for a, b in zip(here, there, strict=True)):
        raise not_linear(own.name)
    return found


def _plain(value: Any) -> Any:
    leaves, tree = flatten(value)
    return tree.unflatten([plain(leaf) for leaf in leaves])


def _anywhere(value: Any) -> Any:
    """A cotangent for a value."""
    leaves, tree = flatten(value)
    return tree.unflatten([_as_kind(far_from_zero(t), t) if is_float(t) else 0 for t in leaves])


def _transposed(
    own: Ruled, tangent: Callable[..., Any], primals: Sequence[Any], ans: Any, g: Any, at: Callable[..., Any]
) -> list[Any]:
    """The same, by tangents that are ``at`` this point, given those of the leaves of the arguments."""
    points, trees, graph = list[Any](), list[Any](), False
    for value in primals:
        leaves, tree = flatten(value)
        graph = graph or any(isinstance(leaf, Tensor) for leaf in leaves)
        made = [
            Traced._of(_as_kind(at(plain(leaf)), plain(leaf))) if is_float(plain(leaf)) else zero(leaf)
            for leaf in leaves
        ]
        for point in made:
            if isinstance(point, Tensor):
                point._requires_grad = True
        points.append(made)
        trees.append(tree)
    starts = [point for made in points for point in made if isinstance(point, Tensor)]
    with recording(), replaced(own.roots[0], own.roots), differentiated_by(starts):
        found = tangent(*(tree.unflatten(list(made)) for tree, made in zip(trees, points, strict=True)))
    values, structure = flatten(ans)
    outputs = leaves_like(structure, found, wrong_structure(own.name, "the rule", "the value"))
    for out, value in zip(outputs, values, strict=True):
        if out is not None and is_float(plain(value)):
            check_leaf(own.name, "the rule", "the value", out, value)
            if at is np.zeros_like and np.any(np.nan_to_num(plain(out), posinf=0.0, neginf=0.0)):
                raise not_linear(own.name)
    seeds = [
        _seed(bar) if is_float(plain(value)) else None
        for bar, value in zip(flatten(g)[0], values, strict=True)
    ]
    graph = graph or any(isinstance(seed, Traced) for seed in seeds)
    swept = iter(TracedPullback(outputs, starts)._sweep(seeds, graph))
    bars = [[next(swept) if isinstance(point, Tensor) else None for point in made] for made in points]
    return [tree.unflatten(found) for tree, found in zip(trees, bars, strict=True)]


def _as_kind(tangent: Any, value: Any) -> Any:
    return tangent if isinstance(value, np.ndarray) else type(value)(tangent)


def _seed(bar: Any) -> Any:
    return bar if isinstance(bar, Tensor) else Tensor._of(np.asarray(bar))
