"""What does a function with a rule of its own, and its rule, do to values? Called by traces."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...errors import InputTypeError
from ...rules.rule_results import no_pair, wrong_number
from ...tracing.own_rules import LATER
from ...trees import flatten
from .traced_tangents import transposed, zeros

if TYPE_CHECKING:
    from .functions import Own


def run(own: Own, args: Sequence[Any], kwargs: dict[str, Any], outermost: bool) -> tuple[Any, Any]:
    """The value, and what ``bwd`` needs; ``outermost``: it is the call itself that is differentiated."""
    if outermost and own.bwd is not None:
        return pair(own, "fwd", own.fwd(*args), "value, residuals")
    if outermost and own.tangent is not None:
        fixed, primals = own.split(args)
        found = own.tangent(*fixed, tuple(primals), tuple(map(zeros, primals)))
        return pair(own, "the rule", found, "value, tangent")[0], None
    return own.function(*args, **kwargs), LATER if own.saves else None


def pair(own: Own, rule: str, found: Any, wanted: str) -> tuple[Any, Any]:
    """What a rule returned, if that is a pair."""
    if not isinstance(found, (tuple, list)) or len(found) != 2:
        raise no_pair(own.name, rule, wanted)
    return found[0], found[1]


def pulled(
    own: Own,
    args: Sequence[Any],
    kwargs: dict[str, Any],
    ans: Any,
    saved: Any,
    g: Any,
    by_tangent: bool,
) -> list[Any]:
    """A cotangent for each argument, in its structure, or None."""
    found: list[Any] = [None] * len(args)
    chosen = [i for i in range(len(args)) if own.is_differentiated(i)]
    if own.bwd is not None and not by_tangent:
        fixed, _ = own.split(args)
        bars = own.bwd(*fixed, saved, g)
        count = len(bars) if isinstance(bars, (tuple, list)) else None
        if count != len(chosen):
            raise wrong_number(own.name, "bwd", count, len(chosen))
    elif own.makers is not None and not by_tangent:
        makers = [own.makers[i] for i in chosen]
        bars = [None if maker is None else maker(ans, *args, **kwargs)(g) for maker in makers]
    else:

        def tangent(args: Sequence[Any], *tangents: Any) -> Any:
            if own.tangent is not None:
                fixed, _ = own.split(args)
                found = own.tangent(*fixed, tuple(args[i] for i in chosen), tangents)
                return pair(own, "the rule", found, "value, tangent")[1]
            parts = own.parts or {}
            pairs = [(parts[i], t) for i, t in zip(chosen, tangents, strict=True) if parts.get(i) is not None]
            return summed(own, [rule(t, ans, *args, **kwargs) for rule, t in pairs])

        bars = transposed(own, lambda args: functools.partial(tangent, args), args, chosen, ans, g)
    for i, bar in zip(chosen, bars, strict=True):
        found[i] = bar
    return found


def summed(own: Own, parts: Sequence[Any]) -> Any:
    """The sum of parts of a tangent; None for none."""
    if not parts:
        return None
    leaves, tree = flatten(parts[0])
    for part in parts[1:]:
        more, other = flatten(part)
        if other != tree:
            raise InputTypeError(
                f"tangents of `{own.name}` with different structures",
                why="they are added",
                fix="give them that of the value",
            )
        leaves = [a + b for a, b in zip(leaves, more, strict=True)]
    return tree.unflatten(leaves)
