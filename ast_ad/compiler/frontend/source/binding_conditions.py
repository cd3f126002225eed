"""What is a loop whose condition binds names? One that begins with a branch.

``while (r := f(y)) > tol:`` is read as ``while True:`` with ``if not (r := f(y)) > tol: break`` before its
body, for what a condition binds is a part of the pass. What stands in ``else`` runs before that ``break``.
"""

from __future__ import annotations

import ast
import copy
from typing import Any


def with_branches(node: Any) -> Any:
    """The tree of a function, or another one with these loops in place of those whose conditions bind names.

    >>> print(ast.unparse(with_branches(ast.parse("while (r := f(r)) > 1: g(r)"))))
    while True:
        if not (r := f(r)) > 1:
            break
        g(r)
    """
    if not any(isinstance(inner, ast.While) and _binds(inner) for inner in ast.walk(node)):
        return node
    return ast.fix_missing_locations(_Branches().visit(copy.deepcopy(node)))


class _Branches(ast.NodeTransformer):
    def visit_While(self, node: ast.While) -> ast.While:
        self.generic_visit(node)
        if not _binds(node) or any(map(_leaves, node.orelse)):
            return node
        leave = ast.copy_location(ast.Break(), node.test)
        test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        branch = ast.copy_location(ast.If(test, [*node.orelse, leave], []), node.test)
        node.test = ast.copy_location(ast.Constant(True), node.test)
        node.body, node.orelse = [branch, *node.body], []
        return node


def _binds(node: ast.While) -> bool:
    return any(isinstance(inner, ast.NamedExpr) for inner in ast.walk(node.test))


def _leaves(statement: ast.AST) -> bool:
    """Whether it may leave a loop: in ``else``, one around the one that it belongs to."""
    return any(isinstance(inner, (ast.Break, ast.Continue)) for inner in ast.walk(statement))
