"""How does a short call run a driver without calling it? Its statements become a part of the caller.

The driver of compiled kernels is straight-line Python: calls of kernels, and conversions of their results.
Written into the function that checks a call, it costs no call of its own, what the caller would undo is left
out, and a kernel that gets only Python's numbers is entered without the look-up of their types.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class Inlined:
    """``lines`` compute the ``results``, expressions; ``space``: what the names in them mean."""

    lines: list[str]
    results: list[str]
    space: dict[str, Any]


def inlined(
    run: Callable[..., Any], text: str, names: Sequence[str], values: Sequence[Any], floats: Sequence[int]
) -> Inlined | None:
    """The body of a driver, for a caller; None if it is not straight-line code.

    Args:
        run: the driver; ``text``: the module that it stands in.
        names: what its arguments are called in the caller, where they are not assigned to.
        values: arguments of the types that it will get.
        floats: the positions of results that the caller converts to Python's floats.
    """
    tree = ast.parse(text).body[-1]
    if not isinstance(tree, ast.FunctionDef) or tree.name != run.__name__:
        return None
    body = [s for s in tree.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    params = [a.arg for a in tree.args.args]
    last = body.pop() if body else None
    if not (isinstance(last, ast.Return) and isinstance(last.value, ast.Tuple)) or len(params) != len(names):
        return None
    if not all(isinstance(s, (ast.Assign, ast.Expr)) for s in body):
        return None
    body = _without_conversions(body, last.value, floats)
    assigned = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and _is_store(n)}
    if assigned & set(params):
        return None
    space: dict[str, Any] = {}
    kinds = dict(zip(params, map(type, values), strict=True))
    renaming = {**{n: f"u_{n}" for n in assigned}, **dict(zip(params, names, strict=True))}
    change = _Rename(renaming, run.__globals__, kinds, space)
    lines = [ast.unparse(change.visit(s)) for s in body]
    return Inlined(lines, [ast.unparse(change.visit(e)) for e in last.value.elts], space)


def _is_store(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _without_conversions(body: list[ast.stmt], results: ast.Tuple, floats: Sequence[int]) -> list[ast.stmt]:
    """Without ``x = np.float64(x)`` where ``x`` is only a result that becomes a float anyway."""
    names = [e.id if isinstance(e, ast.Name) else "" for e in results.elts]
    wanted = {names[i] for i in floats if names.count(names[i]) == 1}
    for name in wanted - {""}:
        uses = [s for s in body if any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(s))]
        if len(uses) == 2 and ast.unparse(uses[1]) == f"{name} = np.float64({name})":
            body = [s for s in body if s is not uses[1]]
    return body


class _Rename(ast.NodeTransformer):
    """Locals get the caller's names, and what else is read goes into ``space``."""

    def __init__(
        self, renaming: dict[str, str], around: dict[str, Any], kinds: dict[str, type], space: dict[str, Any]
    ) -> None:
        self.renaming, self.around, self.kinds, self.space = renaming, around, kinds, space

    def visit_Call(self, node: ast.Call) -> ast.AST:
        entry = self.entry(node)
        if entry is None:
            return self.generic_visit(node)
        name = f"x_{len(self.space)}"
        self.space[name] = entry
        return ast.Call(ast.Name(name, ast.Load()), [self.visit(a) for a in node.args], [])

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.renaming:
            return ast.Name(self.renaming[node.id], node.ctx)
        if node.id not in self.around:  # a builtin
            return node
        self.space[f"u_{node.id}"] = self.around[node.id]
        return ast.Name(f"u_{node.id}", node.ctx)

    def entry(self, node: ast.Call) -> Any:
        """The machine code of a kernel, if all that it gets are numbers of the types it was compiled for."""
        if not isinstance(node.func, ast.Name) or node.keywords:
            return None
        overloads = getattr(self.around.get(node.func.id), "overloads", None)
        kinds = [self.kinds.get(a.id) if isinstance(a, ast.Name) else None for a in node.args]
        if not isinstance(overloads, dict) or len(overloads) != 1:
            return None
        ((signature, found),) = overloads.items()
        names = {float: "float64", int: "int64", complex: "complex128"}
        if [names.get(k) if k is not None else None for k in kinds] != [str(t) for t in signature]:
            return None
        return getattr(found, "entry_point", None)
