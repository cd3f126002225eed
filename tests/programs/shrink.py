"""What is the smallest program that still goes wrong in the same way?"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterator

from .generate import Program, sound


def shrink(program: Program, fails: Callable[[Program], bool], attempts: int = 600) -> Program:
    """A smaller sound program for which ``fails`` still holds; no single step makes it smaller."""
    again = True
    while again:
        again = False
        for source in _smaller(program.source):
            attempts -= 1
            if attempts < 0:
                return program
            candidate = dataclasses.replace(program, source=source)
            if _runs(candidate) and fails(candidate):
                program, again = candidate, True
                break
    return program


def _runs(program: Program) -> bool:
    try:
        return sound(program)
    except Exception:  # a deleted line defined a name that a later one reads
        return False


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
    yield from _shorter_results(source)


def _shorter_results(source: str) -> Iterator[str]:
    """The program with one side of a sum in place of the sum."""
    for k in range(source.count(" + ")):
        for keep in ("left", "right"):
            tree = ast.parse(source)
            sums = [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Add)]
            if k >= len(sums):
                return
            text = ast.unparse(_Replace(sums[k], getattr(sums[k], keep)).visit(tree))
            yield text + "\n"


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST:
        return self.new if node is self.old else self.generic_visit(node)
