"""What does a function read of its arguments: nothing, the shape and dtype, or the values?

A backward analysis of demand. Every expression is asked for its value or for its metadata only, and passes
the question on to the names in it; an assigned name passes on to its right-hand side what its readers ask.
Unclear constructs ask for values.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...rules.helpers import METADATA, mT
from ...rules.registry import lookup

NOTHING, META, VALUE = "", "meta", "value"
STRENGTH = {NOTHING: 0, META: 1, VALUE: 2}
RULES = __name__.partition(".")[0] + ".rules"

# Attributes of an array that tell nothing of its values.
ATTRIBUTES = {"shape", "ndim", "dtype", "size"}
# Functions that read metadata of all arguments, or of the first.
ALL_META = {np.result_type}
FIRST_META = {np.iscomplexobj, np.isrealobj, isinstance, type}
# Functions whose result has a shape and dtype that depend on those of the first argument (and on the values
# of the others): who asks for no more of the result asks for no more of the argument.
SHAPE_PRESERVING = {
    np.asarray,
    np.asanyarray,
    np.conj,
    np.negative,
    np.moveaxis,
    np.swapaxes,
    np.transpose,
    np.ravel,
    np.expand_dims,
    np.atleast_1d,
    np.atleast_2d,
    mT,
    tuple,
    list,
}

Levels = dict[str, str]


class NoSource(Exception):
    """The source of a function is not available, or not that of its code."""


def stronger(a: str, b: str) -> str:
    return a if STRENGTH[a] >= STRENGTH[b] else b


def parsed(fn: Callable[..., Any]) -> ast.FunctionDef:
    """A new syntax tree of a function, without decorators, annotations and docstring."""
    if not isinstance(fn, types.FunctionType) or fn.__closure__:
        raise NoSource(f"{fn!r} is no plain function")
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn))).body[0]
    except (OSError, TypeError, SyntaxError) as error:
        raise NoSource(str(error)) from error
    if not isinstance(tree, ast.FunctionDef):
        raise NoSource(f"{fn!r} is not defined by a def statement")
    tree.decorator_list, tree.returns = [], None
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    if not _same_code(tree, fn.__code__):
        raise NoSource(f"the source of {fn!r} has changed")
    if ast.get_docstring(tree) is not None:
        tree.body = tree.body[1:]
    return _Unannotated().visit(tree)


class _Unannotated(ast.NodeTransformer):
    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return node if node.value is None else ast.Assign([node.target], node.value, lineno=node.lineno)


def _same_code(tree: ast.FunctionDef, code: types.CodeType) -> bool:
    module = ast.fix_missing_locations(ast.Module([tree], []))
    found = next(c for c in compile(module, "<rule>", "exec").co_consts if isinstance(c, types.CodeType))
    return _used(found) == _used(code)


def _used(code: types.CodeType) -> tuple[Any, ...]:
    """The names and constants of a code object; its bytes depend on the rest of the file, too."""
    constants = [_used(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return code.co_names, code.co_varnames, constants


def is_rules_function(fn: Any) -> bool:
    """Whether this is a Python function of the rules package, the source of which can be read."""
    return isinstance(fn, types.FunctionType) and str(fn.__module__).startswith(RULES + ".")


def resolved(node: ast.expr, names: Mapping[str, Any], local: frozenset[str] = frozenset()) -> Any:
    """The object that a global name, or an attribute of a module, stands for; else None."""
    if isinstance(node, ast.Name):
        if node.id in local:
            return None
        return names[node.id] if node.id in names else getattr(builtins, node.id, None)
    if isinstance(node, ast.Attribute):
        base = resolved(node.value, names, local)
        return getattr(base, node.attr, None) if isinstance(base, types.ModuleType) else None
    return None


def parameter_names(tree: ast.FunctionDef) -> list[str]:
    """The names of all parameters: positional, variadic, keyword-only, as in ``inspect.signature``."""
    a = tree.args
    return [
        p.arg
        for p in (*a.posonlyargs, *a.args, *filter(None, [a.vararg]), *a.kwonlyargs, *filter(None, [a.kwarg]))
    ]


class Demand:
    """The demand on every name of one function; ``cuts`` are functions known by name in its tree only."""

    def __init__(
        self,
        tree: ast.FunctionDef,
        names: Mapping[str, Any],
        cuts: Mapping[str, Any] | None = None,
        result: str = VALUE,
    ) -> None:
        self.tree, self.names, self.cuts, self.result = tree, names, cuts or {}, result
        stored = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        self.local = frozenset(stored | set(parameter_names(tree)))
        self.levels: Levels = {}
        self.changed = True
        while self.changed:
            self.changed = False
            self.block(tree.body)

    def of(self, name: str) -> str:
        return self.levels.get(name, NOTHING)

    def raise_to(self, name: str, level: str) -> None:
        if STRENGTH[level] > STRENGTH[self.of(name)]:
            self.levels[name], self.changed = level, True

    def all_values(self, node: ast.AST) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name):
                self.raise_to(part.id, VALUE)

    # ----- statements -----

    def block(self, body: list[ast.stmt]) -> None:
        for statement in reversed(body):
            self.statement(statement)

    def statement(self, s: ast.stmt) -> None:
        if isinstance(s, ast.Assign):
            for target in s.targets:
                self.assignment(target, s.value)
        elif isinstance(s, ast.Return):
            if s.value is not None:
                self.expr(s.value, self.result)
        elif isinstance(s, ast.If):
            self.expr(s.test, VALUE)
            self.block(s.body)
            self.block(s.orelse)
        elif isinstance(s, ast.For):
            self.expr(s.iter, stronger(META, self.target(s.target)))
            self.block(s.body)
            self.block(s.orelse)
        elif isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name):
            self.expr(s.value, self.of(s.target.id))
        elif isinstance(s, ast.With):
            for item in s.items:
                self.expr(item.context_expr, VALUE)
            self.block(s.body)
        elif not isinstance(s, (ast.Pass, ast.Nonlocal)):
            self.all_values(s)

    def assignment(self, target: ast.expr, value: ast.expr) -> None:
        both = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        if both and len(target.elts) == len(value.elts):  # type: ignore[attr-defined]
            for t, v in zip(target.elts, value.elts, strict=True):  # type: ignore[attr-defined]
                self.assignment(t, v)
        elif isinstance(target, (ast.Name, ast.Tuple)):
            self.expr(value, self.target(target))
        else:  # an element of a local array is written
            self.all_values(target)
            self.expr(value, VALUE)

    def target(self, target: ast.expr) -> str:
        """What the readers of an assigned name ask for; a tuple is taken apart, which reads its length."""
        if isinstance(target, ast.Name):
            return self.of(target.id)
        if isinstance(target, ast.Tuple):
            level = NOTHING
            for item in target.elts:
                level = stronger(level, self.target(item))
            return level
        return VALUE

    # ----- expressions -----

    def expr(self, e: ast.expr, level: str) -> None:
        """Ask the expression for its value or its metadata; nobody asks for nothing."""
        if level == NOTHING or isinstance(e, ast.Constant):
            return
        if isinstance(e, ast.Name):
            self.raise_to(e.id, level)
        elif isinstance(e, ast.Attribute):
            if resolved(e, self.names, self.local) is None:
                self.expr(e.value, META if e.attr in ATTRIBUTES else VALUE)
        elif isinstance(e, ast.Call):
            self.call(e, level)
        elif isinstance(e, (ast.Tuple, ast.List)):
            for item in e.elts:
                self.expr(item, level)
        elif isinstance(e, ast.Starred):
            self.expr(e.value, level)
        elif isinstance(e, ast.Subscript):
            self.expr(e.value, level)
            self.expr(e.slice, VALUE)
        elif isinstance(e, ast.IfExp):
            self.expr(e.test, VALUE)
            self.expr(e.body, level)
            self.expr(e.orelse, level)
        elif isinstance(e, ast.Compare) and all(isinstance(op, (ast.Is, ast.IsNot)) for op in e.ops):
            for part in (e.left, *e.comparators):
                self.expr(part, META)
        elif isinstance(e, (ast.ListComp, ast.GeneratorExp)):
            self.expr(e.elt, level)
            for g in reversed(e.generators):
                for test in g.ifs:
                    self.expr(test, VALUE)
                self.expr(g.iter, stronger(META, self.target(g.target)))
        elif isinstance(e, (ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Slice)):
            for child in ast.iter_child_nodes(e):
                if isinstance(child, ast.expr):
                    self.expr(child, VALUE)
        else:
            self.all_values(e)

    def call(self, e: ast.Call, level: str) -> None:
        fn = resolved(e.func, self.names, self.local)
        if isinstance(e.func, ast.Name) and e.func.id in self.cuts:
            wanted = self.cuts[e.func.id].reads()
            order = parameter_names(self.cuts[e.func.id].tree)
        elif fn is None:
            self.expr(e.func, VALUE)
            wanted, order = {}, []
        else:
            wanted, order = argument_levels(fn, level)
        for i, argument in enumerate(e.args):
            known = i < len(order) and not any(isinstance(a, ast.Starred) for a in e.args[: i + 1])
            self.expr(argument, wanted.get(order[i], NOTHING) if known else VALUE)
        for keyword in e.keywords:
            named = keyword.arg is not None and keyword.arg in order
            self.expr(keyword.value, wanted.get(str(keyword.arg), NOTHING) if named else VALUE)


_found: dict[tuple[Any, str], tuple[Levels, list[str]]] = {}
_in_progress: list[tuple[Any, str]] = []


def argument_levels(fn: Any, level: str) -> tuple[Levels, list[str]]:
    """What a callable reads of its parameters, by name, and the order of those of which that is known."""
    if fn is mT and level == META:
        return {"x": META}, ["x"]
    if is_rules_function(fn):
        wanted, order = _levels_of_function(fn, level)
        if lookup(fn) is not None:  # on tensors it is recorded, and its own rule may read what it does not
            wanted = {name: kind if kind != NOTHING else VALUE for name, kind in wanted.items()}
    else:
        wanted, order = {}, []
    position = METADATA.get(fn) if fn.__hash__ else None
    if position is None:
        whole = fn in ALL_META
        first = fn in FIRST_META or level == META and fn in SHAPE_PRESERVING
        if whole:
            return {f"{i}": META for i in range(9)}, [f"{i}" for i in range(9)]
        return ({"0": META}, ["0"]) if first and not order else (wanted, order)
    if not order:
        order = [f"{i}" for i in range(position + 1)]
        wanted = dict.fromkeys(order, VALUE)
    return {**wanted, order[position]: META}, order


def _levels_of_function(fn: Any, level: str) -> tuple[Levels, list[str]]:
    key = fn, level
    if key in _found:
        if key in _in_progress and key != _in_progress[-1]:  # mutual recursion
            return {}, []
        return _found[key]
    try:
        tree = parsed(fn)
    except NoSource:
        return {}, []
    a = tree.args
    order = [] if a.vararg or a.kwarg else parameter_names(tree)
    _found[key] = {}, order  # what a function that calls itself reads is found by iteration
    _in_progress.append(key)
    try:
        while True:
            levels = Demand(tree, fn.__globals__, result=level).levels
            wanted = {name: levels.get(name, NOTHING) for name in order}
            if wanted == _found[key][0]:
                return _found[key]
            _found[key] = wanted, order
    except BaseException:  # half an answer is none: a full stack, say, on which the call is tried again
        del _found[key]
        raise
    finally:
        _in_progress.remove(key)
