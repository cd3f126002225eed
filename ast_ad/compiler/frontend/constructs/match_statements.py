"""Which case of a ``match`` is taken, and what do the names of its pattern hold then?"""

from __future__ import annotations

import functools
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

Read = list[tuple[gast.AST, Callable[[], Any]]]
Parts = tuple[Any, Read, tuple[str, Any] | None]


@statement(gast.Match)
def exec_match(cx: Context, node: gast.Match, rest: list[gast.AST]) -> bool:
    subject = evaluate(cx, node.subject)
    return match_cases(cx, subject, node.cases, rest)


def match_cases(cx: Context, subject: Value, cases: list[gast.match_case], rest: list[gast.AST]) -> bool:
    if not cases:
        return False
    case = cases[0]
    cond = matches(cx, case.pattern, subject)
    if case.guard is not None and cx.static_value(cond) is not False:
        cond = both(cx, cond, lambda: guarded(cx, case, subject))
    static = cx.static_value(cond)
    if static is False:
        return match_cases(cx, subject, cases[1:], rest)
    if static is True:
        taken(cx, case, subject)
        return False
    return branch(
        cx,
        cond,
        lambda: taken(cx, case, subject),
        lambda: _no_result(cx, subject, cases[1:]),
        lambda: exec_block(cx, rest) if rest else None,
    )


def guarded(cx: Context, case: gast.match_case, subject: Value) -> Any:
    """The guard of a case whose pattern matches; its names stay bound whatever the guard says."""
    capture(cx, case.pattern, subject)
    return condition(cx, case.guard)


def taken(cx: Context, case: gast.match_case, subject: Value) -> None:
    if case.guard is None:
        capture(cx, case.pattern, subject)
    exec_block(cx, case.body)


def _no_result(cx: Context, subject: Value, cases: list[Value]) -> None:
    match_cases(cx, subject, cases, [])


def both(cx: Context, cond: Value, other: Callable[[], object]) -> Any:
    if cx.static_value(cond) is True:
        return other()
    return choose(cx, cond, other, lambda: Lit(False))


def matches(cx: Context, pattern: gast.AST, subject: Value) -> Any:
    """A condition. The names of the pattern are bound by ``capture``, once the whole of it has matched."""
    kind = type(pattern).__name__
    if kind == "MatchValue":
        return truth(cx, compare(cx, "Eq", subject, evaluate(cx, pattern.value)))
    if kind == "MatchSingleton":
        return truth(cx, compare(cx, "Is", subject, Lit(pattern.value)))
    if kind == "MatchAs":
        return Lit(True) if pattern.pattern is None else matches(cx, pattern.pattern, subject)
    if kind == "MatchOr":
        return matches_one(cx, pattern.patterns, subject)
    parts = parts_of(cx, pattern, subject)
    if parts is None:
        return Lit(False)
    cond, read, _ = parts
    return cond if cx.static_value(cond) is False else both(cx, cond, lambda: every(cx, read))


def matches_one(cx: Context, choices: list[gast.AST], subject: Value) -> Any:
    first, *others = choices
    cond = matches(cx, first, subject)
    if not others or cx.static_value(cond) is True:
        return cond
    if cx.static_value(cond) is False:
        return matches_one(cx, others, subject)
    return choose(cx, cond, lambda: Lit(True), lambda: matches_one(cx, others, subject))


def capture(cx: Context, pattern: gast.AST, subject: Value) -> None:
    """Bind the names of a pattern that has matched."""
    kind = type(pattern).__name__
    if not any(getattr(part, name, None) for part in gast.walk(pattern) for name in ("name", "rest")):
        return
    if kind == "MatchOr":
        capture_one(cx, pattern.patterns, subject)
    elif kind == "MatchAs":
        if pattern.pattern is not None:
            capture(cx, pattern.pattern, subject)
        if pattern.name is not None:
            bind(cx, pattern.name, subject)
    else:
        parts = parts_of(cx, pattern, subject)
        assert parts is not None, "it has matched"
        _, read, rest = parts
        for part, of in read:
            capture(cx, part, of())
        if rest is not None:
            bind(cx, *rest)


def capture_one(cx: Context, choices: list[gast.AST], subject: Value) -> None:
    """Bind the names of the first pattern that matches."""
    first, *others = choices
    cond = matches(cx, first, subject) if others else Lit(True)
    if cx.static_value(cond) is True:
        capture(cx, first, subject)
    elif cx.static_value(cond) is False:
        capture_one(cx, others, subject)
    else:
        branch(
            cx,
            cond,
            lambda: capture(cx, first, subject),
            lambda: capture_one(cx, others, subject),
            None,
        )


def parts_of(cx: Context, pattern: gast.AST, subject: Value) -> Parts | None:
    """What else has to hold, the parts with what reads them, and the name of the rest with what it is.

    None where it is known that the pattern does not match.
    """
    kind = type(pattern).__name__
    if kind == "MatchSequence":
        return parts_of_sequence(cx, pattern, subject)
    return (
        parts_of_mapping(cx, pattern, subject)
        if kind == "MatchMapping"
        else parts_of_class(cx, pattern, subject)
    )


def every(cx: Context, parts: Read) -> Any:
    """Whether each pattern matches what is read for it, one after the other."""
    cond: Any = Lit(True)
    for pattern, read in parts:
        cond = both(cx, cond, lambda pattern=pattern, read=read: matches(cx, pattern, read()))  # type: ignore[misc]
        if cx.static_value(cond) is False:
            return cond
    return cond


def parts_of_mapping(cx: Context, pattern: gast.AST, subject: Value) -> Parts | None:
    """``{"kind": "a", "x": x, **rest}``"""
    if not isinstance(subject, Dct):
        if not isinstance(subject, (Var, Arr, Tup, Lst, Obj, Lit)):
            doors.place(cx, pattern)
            raise cx.unsupported("a mapping pattern", "what is matched is no dict", "use if/elif")
        return None
    content = static_entries(cx, subject)
    keys = [cx.demand(evaluate(cx, key), "a dict key") for key in pattern.keys]
    if not all(key in content for key in keys):
        return None
    read = [functools.partial(doors.load_item, cx, subject, Lit(key)) for key in keys]
    others = {k: v for k, v in content.items() if k not in keys}
    rest = None if pattern.rest is None else (pattern.rest, Dct(others))
    return Lit(True), list(zip(pattern.patterns, read, strict=True)), rest


def parts_of_class(cx: Context, pattern: gast.AST, subject: Value) -> Parts | None:
    """``Point(x, y=0)``: the class is asked for, then attributes; ``float(v)`` binds the number itself."""
    cls = evaluate(cx, pattern.cls)
    cond = truth(cx, doors.call(cx, Lit(isinstance), [subject, cls], {}))
    known = cx.demand(cls, "the class of a pattern")
    if cx.static_value(cond) is False:
        return None
    if pattern.patterns and known in ITSELF:
        return cond, [(pattern.patterns[0], functools.partial(_itself, subject))], None
    if pattern.patterns:
        class_stays(cx, known, "__match_args__")
    names = (*getattr(known, "__match_args__", ())[: len(pattern.patterns)], *pattern.kwd_attrs)
    parts = [*pattern.patterns, *pattern.kwd_patterns]
    for name in names:
        if cx.static_value(doors.call(cx, Lit(hasattr), [subject, Lit(name)], {})) is not True:
            return None
    read = [functools.partial(load_attribute, cx, subject, name) for name in names]
    return cond, list(zip(parts, read, strict=True)), None


ITSELF = bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple


def parts_of_sequence(cx: Context, pattern: gast.AST, subject: Value) -> Parts | None:
    if not isinstance(subject, (Tup, Lst)) and not isinstance(cx.static_value(subject), (tuple, list)):
        return None
    items = doors.items_of(cx, subject)
    patterns = pattern.patterns
    star = next((i for i, p in enumerate(patterns) if type(p).__name__ == "MatchStar"), None)
    if len(items) != len(patterns) if star is None else len(items) < len(patterns) - 1:
        return None
    rest = None
    if star is not None:
        behind = len(patterns) - 1 - star
        if patterns[star].name is not None:
            rest = patterns[star].name, Lst(tuple(items[star : len(items) - behind]))
        items = [*items[:star], *items[len(items) - behind :]]
        patterns = [*patterns[:star], *patterns[star + 1 :]]
    return Lit(True), [(p, functools.partial(_itself, v)) for p, v in zip(patterns, items, strict=True)], rest


def _itself(value: Value) -> Any:
    return value
