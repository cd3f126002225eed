"""What is the smallest program that still goes wrong in the same way?"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import signal
from collections.abc import Callable, Iterator

from .generate import Program, sound

# Functions whose argument has the shape of their result.
POINTWISE = "sin cos tanh exp log1p sqrt square arctan expm1 logaddexp abs clip cumsum roll".split()


def shrink(program: Program, fails: Callable[[Program], bool], attempts: int = 1500) -> Program:
    """A smaller sound program for which ``fails`` still holds; no single step makes it smaller."""
    position = since = 0  # `since`: positions tried since the last success
    while attempts > 0:
        source = next(itertools.islice(_smaller(program.source), position, None), None)
        if source is None:
            if since >= position:
                break
            position = 0
            continue
        attempts -= 1
        candidate = dataclasses.replace(program, source=source)
        if _runs(candidate) and fails(candidate):
            program, since = candidate, 0
        else:
            position, since = position + 1, since + 1
    return program


def _runs(program: Program) -> bool:
    """Whether it still runs: a deleted line may have defined a name, or advanced a loop."""

    def alarm(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        return sound(program)
    except Exception:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _smaller(source: str) -> Iterator[str]:
    """The program without one statement, or with a compound one replaced by its body; large cuts first."""
    tree = ast.parse(source)
    suites = [
        (node, name)
        for node in ast.walk(tree)
        for name in ("body", "orelse")
        if isinstance(getattr(node, name, None), list)
    ]
    for node, name in suites:
        suite = getattr(node, name)
        for k, statement in enumerate(suite):
            inner = [] if isinstance(statement, ast.FunctionDef) else getattr(statement, "body", [])
            for replacement in ([], inner) if inner else ([],):
                rest = [*suite[:k], *replacement, *suite[k + 1 :]]
                setattr(node, name, rest or ([ast.Pass()] if name == "body" else []))
                yield ast.unparse(tree) + "\n"
                setattr(node, name, suite)
    for k in itertools.count():
        tree = ast.parse(source)
        parts = [(node, part) for node in ast.walk(tree) for part in _parts(node)]
        if k >= len(parts):
            return
        yield ast.unparse(_Replace(*parts[k]).visit(tree)) + "\n"


def _parts(node: ast.AST) -> list[ast.expr]:
    """Expressions that may stand for a compound one."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in POINTWISE:
        return node.args[:1]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return (
        [node.operand] if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant) else []
    )


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)
