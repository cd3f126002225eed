"""Which case of a ``match`` is taken, and what do the names of its pattern hold then?"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import gast

from ...ir.ops import Lit, Var
from .. import doors
from ..context import Context
from ..outside_values import class_stays
from ..store.identities import static_entries
from ..tables import statement
from ..values import Arr, Dct, Lst, Obj, Tup, Value
from .attributes import load_attribute
from .branches import branch, choose, condition, truth
from .comparisons import compare
from .expressions import evaluate
from .statements import bind, exec_block


@statement(gast.Match)
def exec_match(cx: Context, node: gast.Match, rest: list[gast.AST]) -> bool:
    subject = evaluate(cx, node.subject)
    return match_cases(cx, subject, node.cases, rest)


def match_cases(cx: Context, subject: Value, cases: list[gast.match_case], rest: list[gast.AST]) -> bool:
    if not cases:
        return False
    case = cases[0]
    entry = cx.state.fork()
    cond = matches(cx, case.pattern, subject)
    if case.guard is not None and cx.static_value(cond) is not False:
        cond = both(cx, cond, lambda: condition(cx, case.guard))
    static = cx.static_value(cond)
    if static is True:
        exec_block(cx, case.body)
        return False
    if static is False:
        cx.state = entry
        return match_cases(cx, subject, cases[1:], rest)
    return branch(
        cx,
        cond,
        lambda: exec_block(cx, case.body),
        lambda: _no_result(cx, subject, cases[1:]),
        lambda: exec_block(cx, rest) if rest else None,
    )


def _no_result(cx: Context, subject: Value, cases: list[Value]) -> None:
    match_cases(cx, subject, cases, [])


def both(cx: Context, cond: Value, other: Callable[[], object]) -> Any:
    if cx.static_value(cond) is True:
        return other()
    return choose(cx, cond, other, lambda: Lit(False))


def matches(cx: Context, pattern: gast.AST, subject: Value) -> Any:
    """A condition; names in the pattern are bound as it is read."""
    kind = type(pattern).__name__
    if kind == "MatchValue":
        return truth(cx, compare(cx, "Eq", subject, evaluate(cx, pattern.value)))
    if kind == "MatchSingleton":
        return truth(cx, compare(cx, "Is", subject, Lit(pattern.value)))
    if kind == "MatchAs":
        cond = Lit(True) if pattern.pattern is None else matches(cx, pattern.pattern, subject)
        if pattern.name is not None:
            bind(cx, pattern.name, subject)
        return cond
    if kind == "MatchOr":
        for choice in pattern.patterns:
            cond = matches(cx, choice, subject)
            static = cx.static_value(cond)
            if static is True:
                return cond
            if static is not False:
                others = pattern.patterns[pattern.patterns.index(choice) + 1 :]
                for other in others:
                    cond = cx.emit(operator.or_, cond, matches(cx, other, subject))
                return cond
        return Lit(False)
    if kind == "MatchSequence":
        return match_sequence(cx, pattern, subject)
    return (
        match_mapping(cx, pattern, subject) if kind == "MatchMapping" else match_class(cx, pattern, subject)
    )


def every(cx: Context, parts: list[tuple[gast.AST, Callable[[], Value]]]) -> Any:
    """Whether each pattern matches what is read for it, one after the other."""
    cond: Any = Lit(True)
    for pattern, read in parts:
        cond = both(cx, cond, lambda pattern=pattern, read=read: matches(cx, pattern, read()))  # type: ignore[misc]
        if cx.static_value(cond) is False:
            return cond
    return cond


def match_mapping(cx: Context, pattern: gast.AST, subject: Value) -> Any:
    """``{"kind": "a", "x": x, **rest}``"""
    if not isinstance(subject, Dct):
        if not isinstance(subject, (Var, Arr, Tup, Lst, Obj, Lit)):
            doors.place(cx, pattern)
            raise cx.unsupported("a mapping pattern", "what is matched is no dict", "use if/elif")
        return Lit(False)
    content = static_entries(cx, subject)
    keys = [cx.demand(evaluate(cx, key), "a dict key") for key in pattern.keys]
    if not all(key in content for key in keys):
        return Lit(False)
    read = [functools.partial(doors.load_item, cx, subject, Lit(key)) for key in keys]
    cond = every(cx, list(zip(pattern.patterns, read, strict=True)))
    if pattern.rest is not None and cx.static_value(cond) is not False:
        bind(cx, pattern.rest, Dct({k: v for k, v in content.items() if k not in keys}))
    return cond


def match_class(cx: Context, pattern: gast.AST, subject: Value) -> Any:
    """``Point(x, y=0)``: the class is asked for, then attributes; ``float(v)`` binds the number itself."""
    cls = evaluate(cx, pattern.cls)
    cond = truth(cx, doors.call(cx, Lit(isinstance), [subject, cls], {}))
    known = cx.demand(cls, "the class of a pattern")
    if cx.static_value(cond) is False:
        return cond
    if pattern.patterns and known in ITSELF:
        return both(cx, cond, lambda: matches(cx, pattern.patterns[0], subject))
    if pattern.patterns:
        class_stays(cx, known, "__match_args__")
    names = (*getattr(known, "__match_args__", ())[: len(pattern.patterns)], *pattern.kwd_attrs)
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    for name in names:
        if cx.static_value(doors.call(cx, Lit(hasattr), [subject, Lit(name)], {})) is not True:
            return Lit(False)
    read = [functools.partial(load_attribute, cx, subject, name) for name in names]
    return both(cx, cond, lambda: every(cx, list(zip(parts, read, strict=True))))


ITSELF = bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple


def match_sequence(cx: Context, pattern: gast.AST, subject: Value) -> Any:
    if not isinstance(subject, (Tup, Lst)) and not isinstance(cx.static_value(subject), (tuple, list)):
        return Lit(False)
    items = doors.items_of(cx, subject)
    patterns = pattern.patterns
    star = next((i for i, p in enumerate(patterns) if type(p).__name__ == "MatchStar"), None)
    if len(items) != len(patterns) if star is None else len(items) < len(patterns) - 1:
        return Lit(False)
    if star is None:
        return every(cx, [(p, functools.partial(_itself, v)) for p, v in zip(patterns, items, strict=True)])
    behind = len(patterns) - 1 - star
    middle = Lst(tuple(items[star : len(items) - behind]))
    fixed = [*items[:star], *items[len(items) - behind :]]
    others = [*patterns[:star], *patterns[star + 1 :]]
    cond = every(cx, [(p, functools.partial(_itself, v)) for p, v in zip(others, fixed, strict=True)])
    if patterns[star].name is not None and cx.static_value(cond) is not False:
        bind(cx, patterns[star].name, middle)
    return cond


def _itself(value: Value) -> Any:
    return value
