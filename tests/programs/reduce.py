"""What is the smallest case that still goes wrong in the same way?"""

from __future__ import annotations

import ast
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .case import Case
from .probe import Refuted, run

# A pass changes one tree and takes each change back: what is passed over is never written as a source.
Written = Callable[[], Case | None]
BLOCKS = ("body", "orelse", "finalbody", "handlers")


def reduce(case: Case, fails: Callable[[Case], bool], attempts: int = 250) -> Case:
    """A smaller case for which ``fails`` still holds; large cuts are tried first."""
    allowed = set(_errors(case) or ())
    case = _with(case, ast.unparse(_split(ast.parse(case.source))) + "\n", case)
    for passes in (_calls, _statements, _expressions, _statements, _calls, _expressions):
        position = 0
        while attempts > 0:
            for number, written in enumerate(passes(case)):
                candidate = written() if number >= position else None
                errors = None if candidate is None else _errors(candidate)
                if candidate is None or errors is None or not set(errors) <= allowed or all(errors):
                    continue
                attempts -= 1
                if fails(candidate):
                    case, position = candidate, max(0, number - 1)
                    break
                if attempts <= 0:
                    break
            else:
                break  # nothing is left to try
    return case


def _errors(case: Case) -> tuple[str, ...] | None:
    """The exceptions of its calls; None if it can't be run at all."""
    try:
        with np.errstate(all="ignore"):
            trial = run(case.source, case.calls)
    except (Refuted, Exception):
        return None
    return trial.errors if all(np.isscalar(v) or v is None for v in trial.values) else None


def _with(case: Case, source: str, otherwise: Case) -> Case:
    new = dataclasses.replace(case, source=source)
    return new if _errors(new) == _errors(case) else otherwise


def _split(tree: ast.Module) -> ast.Module:
    """The sum that ``f`` returns as a statement for each of its terms: these go one by one."""
    function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f")
    last = function.body[-1]
    terms: list[ast.expr] = []
    value = last.value if isinstance(last, ast.Return) else None
    while isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        terms.insert(0, value.right)
        value = value.left
    if value is not None and terms:
        lines = [ast.parse(f"result = result + {ast.unparse(t)}").body[0] for t in terms]
        first = ast.parse(f"result = {ast.unparse(value)}").body[0]
        function.body[-1:] = [first, *lines, ast.parse("result").body[0]]
        function.body[-1] = ast.Return(ast.Name("result", ast.Load()))
    return ast.fix_missing_locations(tree)


def _calls(case: Case) -> Iterator[Written]:
    for k in range(len(case.calls) - 1, -1, -1):
        if len(case.calls) > 1:
            yield _of(dataclasses.replace(case, calls=case.calls[:k] + case.calls[k + 1 :]))
        if case.calls[k].before:
            call = dataclasses.replace(case.calls[k], before="")
            yield _of(dataclasses.replace(case, calls=(*case.calls[:k], call, *case.calls[k + 1 :])))
    if len(case.argnums) > 1:
        for i in case.argnums:
            yield _of(dataclasses.replace(case, argnums=tuple(j for j in case.argnums if j != i)))
    if case.stateful:
        yield _of(dataclasses.replace(case, stateful=False))
    yield from _without_argument(case)


def _of(case: Case) -> Written:
    return lambda: case


def _without_argument(case: Case) -> Iterator[Written]:
    """Without a parameter of ``f`` that is given by position and not asked for."""
    for i in range(len(case.calls[0].args)):
        if i in case.argnums or len(case.calls[0].args) < 2:
            continue
        tree = ast.parse(case.source)
        function = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f")
        del function.args.args[i]
        calls = tuple(dataclasses.replace(c, args=c.args[:i] + c.args[i + 1 :]) for c in case.calls)
        argnums = tuple(j - (j > i) for j in case.argnums)
        yield _of(dataclasses.replace(case, source=ast.unparse(tree) + "\n", calls=calls, argnums=argnums))


def _statements(case: Case) -> Iterator[Written]:
    """Without some statements, or with a compound one replaced by its body: last and largest first."""
    tree = ast.parse(case.source)
    written = functools.partial(_case, case, tree)
    blocks = [
        (node, name, block)
        for node in ast.walk(tree)
        for name in BLOCKS
        if isinstance(block := getattr(node, name, None), list) and block
    ]
    for size in (8, 4, 2, 1):
        for node, name, block in blocks:
            if size > 1 and len(block) <= size:
                continue
            for start in range(len(block) - size, -1, -max(1, size // 2)):
                for option in _instead(block[start : start + size]):
                    rest = [*block[:start], *option, *block[start + size :]]
                    setattr(node, name, rest or ([ast.Pass()] if name == "body" else []))
                    yield written
                    setattr(node, name, block)


def _instead(removed: list[Any]) -> Iterator[list[Any]]:
    yield []
    if len(removed) == 1 and not isinstance(removed[0], ast.FunctionDef | ast.ClassDef | ast.ExceptHandler):
        for inner in ("body", "orelse", "finalbody"):
            if getattr(removed[0], inner, None):
                yield getattr(removed[0], inner)


def _expressions(case: Case) -> Iterator[Written]:
    """With a part of an expression in its place, or a number."""
    tree = ast.parse(case.source)
    written = functools.partial(_case, case, tree)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            places: list[tuple[int | None, Any]] = [(None, value)]
            if isinstance(value, list):
                places = list(enumerate(value))
            for k, old in places:
                if isinstance(old, ast.expr) and not isinstance(
                    getattr(old, "ctx", None), ast.Store | ast.Del
                ):
                    for new in _parts(old):
                        _put(parent, field, k, new)
                        yield written
                        _put(parent, field, k, old)


def _case(case: Case, tree: ast.AST) -> Case | None:
    """The case with a tree, as it is at the moment, for its source; None if that is no program."""
    try:
        text = ast.unparse(tree) + "\n"
        compile(text, "<smaller>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, AttributeError, IndexError, TypeError):
        return None
    return dataclasses.replace(case, source=text)


def _put(parent: ast.AST, field: str, k: int | None, value: ast.AST) -> None:
    if k is None:
        setattr(parent, field, value)
    else:
        getattr(parent, field)[k] = value


def _parts(node: ast.expr) -> list[ast.expr]:
    """Simpler expressions that may stand for one."""
    if isinstance(node, ast.Constant | ast.Name | ast.Lambda | ast.ListComp | ast.GeneratorExp):
        return []
    if isinstance(node, ast.Compare):
        return [ast.Constant(True)]
    inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.Call):
        inner = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        inner += [k.value for k in node.keywords]
    return [p for p in inner if not (isinstance(p, ast.Name) and p.id in ("np", "math", "functools"))]
