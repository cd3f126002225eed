"""How is the source of a derivative rule cut down to the cotangents that are wanted?

``cut_rule(rule, skip, active, keywords, factor, widens) -> Cut``. First ``fix_absent`` and
``fix_count`` put in what the call leaves open, so that more tests are decided; then ``trimmed``.

Parameters that a call leaves out become constants, tests of constants are decided, every return keeps the
wanted entries, a helper that returns several results is cut the same way, and what nobody reads is dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...rules.registry import lookup
from .folding import Folder, fix_absent, fix_count
from .reads import (
    NOTHING,
    VALUE,
    Demand,
    Levels,
    NoSource,
    is_rules_function,
    parameter_names,
    parsed,
    resolved,
)

# Names that the cut source uses besides the rule's own; `slices` provides them.
PICK, NO_FORMULA, SAFE, EXACT, CONJ = "_picked", "_no_formula", "_safe_product", "_exact_product", "_conj"
WIDENED = "_widened"
Factor = Callable[[ast.expr, int], ast.expr]


@dataclass(eq=False)
class Cut:
    """A function cut down to some of its results. ``home``: the function, whose global names it uses;
    ``cuts``: the cut functions that it calls, by the name it calls them."""

    name: str
    tree: ast.FunctionDef
    home: Callable[..., Any]
    cuts: dict[str, Cut] = field(default_factory=dict)
    _reads: Levels | None = None

    def demand(self) -> Demand:
        return Demand(self.tree, self.home.__globals__, self.cuts)

    def reads(self) -> Levels:
        """What it reads of each parameter."""
        if self._reads is None:
            self._reads = self.demand().levels
        return self._reads

    @property
    def source(self) -> str:
        """The text, with that of the cut functions it calls in front."""
        return "\n\n\n".join([*(c.source for c in self.cuts.values()), ast.unparse(self.tree)])


def cut_rule(
    rule: Callable[..., Any],
    skip: int,
    active: tuple[bool, ...],
    keywords: tuple[str, ...],
    factor: Factor | None,
    widens: bool = False,
) -> Cut:
    """The rule cut down to the cotangents of the active arguments, as a tuple.

    ``skip``: the parameters of the rule that come before the arguments; ``factor(partial, i)``: makes a
    cotangent of the partial derivative by argument ``i`` (None: the rule gives cotangents); ``widens``: the
    rule gets integers of few bits as int64.
    """
    tree = parsed(rule)
    if factor is not None:
        if "g" in parameter_names(tree):
            raise NoSource("the rule has a parameter of the name of the cotangent")
        tree.args.args.insert(0, ast.arg("g"))
        skip += 1
    fix_absent(tree, rule, skip, len(active), keywords)
    fix_count(tree, skip, len(active))
    cut = trimmed(Cut(f"{tree.name}_slice", tree, rule), [i for i, on in enumerate(active) if on], factor)
    if widens:
        read = cut.demand().levels
        names = [name for name, on in zip(parameter_names(tree)[skip:], active, strict=False) if not on]
        tree.body[:0] = [_widening(name) for name in names if read.get(name) == VALUE]
        ast.fix_missing_locations(tree)
    return cut


def _widening(name: str) -> ast.stmt:
    wide = ast.Call(ast.Name(WIDENED, ast.Load()), [ast.Name(name, ast.Load())], [])
    return ast.Assign([ast.Name(name, ast.Store())], wide)


_helpers: dict[tuple[Any, tuple[int, ...]], Cut] = {}


def cut_helper(fn: Callable[..., Any], wanted: list[int]) -> Cut:
    """A function of the rules package cut down to some of the results that it returns as a tuple."""
    key = fn, tuple(wanted)
    if key not in _helpers:
        name = f"{fn.__name__}_{'_'.join(map(str, wanted))}"
        _helpers[key] = trimmed(Cut(name, parsed(fn), fn), wanted, None)
    return _helpers[key]


def trimmed(cut: Cut, wanted: list[int], factor: Factor | None) -> Cut:
    """The body rewritten to return the wanted results only."""
    tree = cut.tree
    tree.name = cut.name
    tree.body = Folder(tree).block(tree.body)
    Returns(cut, wanted, factor).visit(tree)
    Split().visit(tree)
    before = assigned(tree) - set(parameter_names(tree))
    for _ in range(2):  # once more without what only the dropped results of helpers read
        Dead(cut, cut.demand()).visit(tree)
    Unread(before - assigned(tree)).visit(tree)
    ast.fix_missing_locations(tree)
    return cut


# ----- returns -----


def no_formula(i: int) -> ast.expr:
    """What refuses the derivative by argument ``i``, when it runs."""
    return ast.Call(ast.Name(NO_FORMULA, ast.Load()), [ast.Constant(i)], [])


class Returns(ast.NodeTransformer):
    """Every return gives the tuple of the wanted results."""

    def __init__(self, cut: Cut, wanted: list[int], factor: Factor | None) -> None:
        self.cut, self.wanted, self.factor = cut, wanted, factor
        self.names = cut.home.__globals__

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        return self.generic_visit(node) if node is self.cut.tree else node  # type: ignore[return-value]

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        return ast.Return(self.wanted_of(node.value or ast.Constant(None)))

    def wanted_of(self, e: ast.expr) -> ast.expr:
        if isinstance(e, ast.IfExp):
            return ast.IfExp(e.test, self.wanted_of(e.body), self.wanted_of(e.orelse))
        if isinstance(e, ast.Tuple) and not any(isinstance(item, ast.Starred) for item in e.elts):
            return self.entries(e.elts)
        if self.factor is None and isinstance(e, ast.Call):
            fn = resolved(e.func, self.names)
            if is_helper(fn) and returns_tuple(fn):
                return call_of_cut(self.cut, e, fn, self.wanted)
        if self.is_single(e):
            return self.entries([e])
        if self.factor is not None:
            raise NoSource("partial derivatives in a form that can't be taken apart")
        picked = ast.Tuple([ast.Constant(i) for i in self.wanted], ast.Load())
        return ast.Call(ast.Name(PICK, ast.Load()), [e, picked], [])

    def entries(self, items: list[ast.expr]) -> ast.expr:
        one = [self.entry(items[i], i) if i < len(items) else no_formula(i) for i in self.wanted]
        return ast.Tuple(one, ast.Load())

    def entry(self, e: ast.expr, i: int) -> ast.expr:
        return e if self.factor is None else self.factor(e, i)

    def is_single(self, e: ast.expr) -> bool:
        """Whether the expression is surely the one cotangent itself, not a tuple of several."""
        if isinstance(e, ast.Call):
            fn = resolved(e.func, self.names)
            if fn is None or fn is tuple or fn is zip:
                return False
            return not returns_tuple(fn) if is_rules_function(fn) else not self.cut.tree.args.vararg
        if isinstance(e, ast.Name):
            return e.id == "g" or not self.cut.tree.args.vararg
        return not isinstance(e, ast.Tuple)


def is_helper(fn: Any) -> bool:
    """Whether this is a function of the rules package that is no primitive itself."""
    return is_rules_function(fn) and lookup(fn) is None


_tuples: dict[Any, bool] = {}


def returns_tuple(fn: Callable[..., Any]) -> bool:
    """Whether a function of the rules package returns several results."""
    if fn not in _tuples:
        _tuples[fn] = False  # for one that calls itself
        try:
            returns = [n.value for n in ast.walk(parsed(fn)) if isinstance(n, ast.Return) and n.value]
        except NoSource:  # it can't be cut, and is called as a whole
            return False
        _tuples[fn] = any(map(lambda e: _is_tuple(e, fn), returns))
    return _tuples[fn]


def _is_tuple(e: ast.expr, fn: Callable[..., Any]) -> bool:
    if isinstance(e, ast.IfExp):
        return _is_tuple(e.body, fn) or _is_tuple(e.orelse, fn)
    if isinstance(e, ast.Call):
        callee = resolved(e.func, fn.__globals__)
        return callee is tuple or is_rules_function(callee) and returns_tuple(callee)
    return isinstance(e, ast.Tuple)


def call_of_cut(cut: Cut, call: ast.Call, fn: Callable[..., Any], wanted: list[int]) -> ast.Call:
    """The same call of the function cut down to the wanted results."""
    helper = cut_helper(fn, wanted)
    cut.cuts[helper.name] = helper
    return ast.Call(ast.Name(helper.name, ast.Load()), call.args, call.keywords)


# ----- what nobody reads -----


class Split(ast.NodeTransformer):
    """``a, b = x, y`` as two assignments, unless ``y`` reads ``a``."""

    def visit_Assign(self, node: ast.Assign) -> Any:
        targets, values = node.targets[0], node.value
        if len(node.targets) > 1 or not (isinstance(targets, ast.Tuple) and isinstance(values, ast.Tuple)):
            return node
        if len(targets.elts) != len(values.elts) or any(isinstance(t, ast.Starred) for t in targets.elts):
            return node
        written: set[str] = set()
        for target, value in zip(targets.elts, values.elts, strict=True):
            if written & {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}:
                return node
            written |= {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        pairs = zip(targets.elts, values.elts, strict=True)
        parts = [self.visit_Assign(ast.Assign([t], v)) for t, v in pairs]
        return [s for part in parts for s in (part if isinstance(part, list) else [part])]


def assigned(tree: ast.AST) -> set[str]:
    """The names that are assigned somewhere."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


class Unread(ast.NodeTransformer):
    """None for what is handed to helpers that don't read it, where it is not assigned any more."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(None) if node.id in self.names and isinstance(node.ctx, ast.Load) else node


class Dead(ast.NodeTransformer):
    """Drops assignments that nobody reads, and cuts helpers down to the results that somebody reads."""

    def __init__(self, cut: Cut, demand: Demand) -> None:
        self.cut, self.demand = cut, demand

    def visit_Assign(self, node: ast.Assign) -> Any:
        if len(node.targets) != 1 or not isinstance(node.targets[0], (ast.Name, ast.Tuple)):
            return node
        target = node.targets[0]
        if self.demand.target(target) == NOTHING:
            return None
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Call):
            fn = resolved(node.value.func, self.demand.names, self.demand.local)
            if is_helper(fn) and returns_tuple(fn):
                return self.cut_call(target, node.value, fn)
        return node

    def cut_call(self, target: ast.Tuple, call: ast.Call, fn: Callable[..., Any]) -> ast.Assign:
        live = [i for i, item in enumerate(target.elts) if self.demand.target(item) != NOTHING]
        plain = all(isinstance(item, ast.Name) for item in target.elts)
        if not plain or len(live) == len(target.elts):
            return ast.Assign([target], call)
        left = ast.Tuple([target.elts[i] for i in live], ast.Store())
        return ast.Assign([left], call_of_cut(self.cut, call, fn, live))

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        dead = isinstance(node.target, ast.Name) and self.demand.target(node.target) == NOTHING
        return None if dead else node

    def visit_If(self, node: ast.If) -> Any:
        self.generic_visit(node)
        if not node.body and not node.orelse:
            return None
        node.body = node.body or [ast.Pass()]
        return node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        return node if node.body else None

    def visit_With(self, node: ast.With) -> Any:
        self.generic_visit(node)
        return node if node.body else None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self.generic_visit(node) if node is self.cut.tree else node
