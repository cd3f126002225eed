"""What of a rule is known before it runs: options left out, the number of arguments, tests of constants?"""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from .reads import parameter_names


def fix_absent(
    tree: ast.FunctionDef, rule: Callable[..., Any], skip: int, given: int, keywords: tuple[str, ...]
) -> None:
    """Put the defaults of the parameters that a call leaves out in their places."""
    a = tree.args
    positional = [p.arg for p in (*a.posonlyargs, *a.args)]
    kept = {*keywords, *positional[: skip + given], *_bound_within(tree)}
    if not a.vararg:  # an active keyword counts as a position behind the positional ones
        kept |= {p.arg for p in a.kwonlyargs[: max(skip + given - len(positional), 0)]}
    constants = {
        name: ast.Constant(parameter.default)
        for name, parameter in inspect.signature(rule).parameters.items()
        if name not in kept and _is_plain(parameter.default)
    }
    for p, default in list(zip(a.args[::-1], a.defaults[::-1], strict=False)):
        if p.arg in constants:
            a.args.remove(p)
            a.defaults.remove(default)
    for p, kw_default in list(zip(a.kwonlyargs, a.kw_defaults, strict=True)):
        if p.arg in constants:
            a.kwonlyargs.remove(p)
            a.kw_defaults.remove(kw_default)
    Substitute(constants).visit(tree)


def _is_plain(value: Any) -> bool:
    return isinstance(value, (type(None), bool, int, float, str)) and value == value


def _bound_within(tree: ast.FunctionDef) -> set[str]:
    """The names that the body assigns, or that a function or lambda in it has as parameters."""
    stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return stored | {n.arg for s in tree.body for n in ast.walk(s) if isinstance(n, ast.arg)}


class Substitute(ast.NodeTransformer):
    """Constants in place of names."""

    def __init__(self, constants: Mapping[str, ast.expr]) -> None:
        self.constants = constants

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.constants.get(node.id, node))


MOST_ITEMS = 16  # of a list that is taken apart


def fix_count(tree: ast.FunctionDef, skip: int, given: int) -> None:
    """A parameter for each of the arguments that a variadic parameter takes in this call."""
    a = tree.args
    count = skip + given - len(a.posonlyargs) - len(a.args)
    if a.vararg is None or not 0 <= count <= MOST_ITEMS or a.vararg.arg in _bound_within(tree):
        return
    name = a.vararg.arg
    parameters = [f"{name}_{i}" for i in range(count)]
    a.args += [ast.arg(p) for p in parameters]
    a.vararg, a.defaults = None, []
    tree.body = [
        Substitute({name: ast.Tuple([ast.Name(p, ast.Load()) for p in parameters], ast.Load())}).visit(s)
        for s in tree.body
    ]


def is_display(e: ast.expr) -> TypeGuard[ast.List | ast.Tuple]:
    """Whether this is a list or tuple spelt out."""
    return isinstance(e, (ast.List, ast.Tuple)) and not any(isinstance(item, ast.Starred) for item in e.elts)


def items_of(e: ast.expr) -> list[ast.expr] | None:
    """The items of a list or tuple spelt out, or of a range of constants."""
    if is_display(e):
        return e.elts
    ranging = isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id == "range"
    if ranging and all(isinstance(a, ast.Constant) for a in e.args):  # type: ignore[attr-defined]
        return [ast.Constant(i) for i in range(*(a.value for a in e.args))]  # type: ignore[attr-defined]
    return None


class Folder(ast.NodeTransformer):
    """Decides tests of constants, and takes apart lists and tuples of known length.

    A name that is assigned a list or tuple once becomes a name for each item, and a comprehension over such
    items a list of what it gives for each.
    """

    def __init__(self, tree: ast.FunctionDef) -> None:
        stores = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        changed = {
            n.value.id
            for n in ast.walk(tree)
            if isinstance(n, ast.Attribute) or isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
            if isinstance(n.value, ast.Name)
        }
        inner = [
            s
            for s in ast.walk(tree)
            if isinstance(s, (ast.For, ast.While, ast.FunctionDef)) and s is not tree
        ]
        looping = {n.id for s in inner for n in ast.walk(s) if isinstance(n, ast.Name)}
        self.once = (
            {name for name in stores if stores.count(name) == 1}
            - changed
            - looping
            - set(parameter_names(tree))
        )
        self.known: dict[str, ast.expr] = {}

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The statements up to the first that surely returns."""
        out: list[ast.stmt] = []
        for s in body:
            new = self.visit(s)
            out += new if isinstance(new, list) else [new]
            if out and isinstance(out[-1], (ast.Return, ast.Raise)):
                break
        return out

    # ----- lists and tuples -----

    def visit_Assign(self, node: ast.Assign) -> Any:
        node.value = self.visit(node.value)
        target, value = node.targets[0], node.value
        if len(node.targets) > 1 or not isinstance(target, ast.Name) or target.id not in self.once:
            return node
        if isinstance(value, ast.Constant):
            self.known[target.id] = value
        if not is_display(value) or len(value.elts) > MOST_ITEMS:
            return node
        names = [f"{target.id}_{i}" for i in range(len(value.elts))]
        self.known[target.id] = type(value)([ast.Name(name, ast.Load()) for name in names], ast.Load())
        pairs = zip(names, value.elts, strict=True)
        return [ast.Assign([ast.Name(name, ast.Store())], item) for name, item in pairs]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if isinstance(node.ctx, ast.Store):
            return node
        return copy.deepcopy(self.known.get(node.id, node))

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> ast.expr:
        part = node.generators[0]
        part.iter = self.visit(part.iter)
        items = items_of(part.iter)
        plain = len(node.generators) == 1 and not part.ifs and isinstance(part.target, ast.Name)
        if not plain or items is None or len(items) > MOST_ITEMS:
            node.elt = self.visit(node.elt)
            return node
        name = part.target.id  # type: ignore[attr-defined]
        each = [Substitute({name: item}).visit(copy.deepcopy(node.elt)) for item in items]
        return ast.List([self.visit(e) for e in each], ast.Load())

    visit_GeneratorExp = visit_ListComp

    def spliced(self, items: list[ast.expr]) -> list[ast.expr]:
        out: list[ast.expr] = []
        for item in items:
            inner = item.value if isinstance(item, ast.Starred) else None
            out += inner.elts if inner is not None and is_display(inner) else [item]
        return out

    def visit_Tuple(self, node: ast.Tuple | ast.List) -> ast.expr:
        self.generic_visit(node)
        node.elts = self.spliced(node.elts)
        return node

    visit_List = visit_Tuple

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not is_display(node.value):
            return node
        items = node.value.elts
        try:
            if not isinstance(node.slice, ast.Slice):
                item: ast.expr = items[ast.literal_eval(node.slice)]
                return item
            bounds = (node.slice.lower, node.slice.upper, node.slice.step)
            chosen = items[slice(*(None if b is None else ast.literal_eval(b) for b in bounds))]
        except (ValueError, TypeError, IndexError):
            return node
        return type(node.value)(chosen, ast.Load())

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        a, b = node.left, node.right
        if (
            isinstance(node.op, (ast.Add, ast.Sub))
            and isinstance(a, ast.Constant)
            and isinstance(b, ast.Constant)
        ):
            if type(a.value) is type(b.value) is int:
                return ast.Constant(a.value + b.value if isinstance(node.op, ast.Add) else a.value - b.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        node.args = self.spliced(node.args)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        first = node.args[0] if node.args else None
        if name == "isinstance" and isinstance(first, ast.Constant) and first.value is None:
            return ast.Constant(False)
        if name in ("len", "tuple", "list") and first is not None and is_display(first):
            items = first.elts
            if name == "len":
                return ast.Constant(len(items))
            return ast.Tuple(items, ast.Load()) if name == "tuple" else ast.List(items, ast.Load())
        return node

    # ----- tests -----

    def visit_If(self, node: ast.If) -> Any:
        node.test = self.visit(node.test)
        if isinstance(node.test, ast.Constant):
            return self.block(node.body if node.test.value else node.orelse)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.Constant(not node.operand.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)
        kept: list[ast.expr] = []
        for value in node.values:
            if not isinstance(value, ast.Constant):
                kept.append(value)
            elif value is node.values[-1]:
                kept.append(value)
            elif bool(value.value) == decisive:
                kept.append(value)
                break
        if not kept:
            return node.values[-1]
        return kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if len(node.ops) > 1 or not isinstance(node.left, ast.Constant):
            return node
        right = node.comparators[0]
        if not isinstance(right, ast.Constant):
            return node
        a, b, op = node.left.value, right.value, node.ops[0]
        singletons = any(x is None or isinstance(x, bool) for x in (a, b))
        if isinstance(op, (ast.Is, ast.IsNot)) and singletons:
            return ast.Constant((a is b) == isinstance(op, ast.Is))
        if isinstance(op, (ast.Eq, ast.NotEq)):
            return ast.Constant((a == b) == isinstance(op, ast.Eq))
        return node
