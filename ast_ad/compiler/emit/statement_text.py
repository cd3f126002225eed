"""How do the statements of the IR become Python statements?

``function_def(function, references, by_name) -> tuple[ast.FunctionDef, dict[ast.stmt, Source]]``. For each
function of a module: ``plan`` decides which values have no name, ``assign_names`` names the others, and only
then are statements written.

Carried values and the results of branches become assignments to shared names; where several must move at
once, one parallel assignment.
"""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Iterable, Sequence

import numpy as np

from ..ir import builtin
from ..ir.builtin import MUTATORS
from ..ir.liveness import Liveness
from ..ir.ops import Arg, Block, For, Function, If, Lit, Op, Span, Statement, Var, While
from ..ir.types import Scalar, rank_of
from .expression_text import Expressions, call, constant, method, negate, subscript
from .imports import STORE, References, name
from .names import assign_names
from .nesting import Nesting, plan
from .releases import releases

Source = tuple[Span, bool]  # where a statement comes from, and whether it belongs to the reverse sweep
_AUGMENTED = {
    operator.add: ast.Add(),
    operator.sub: ast.Sub(),
    builtin.iadd_: ast.Add(),
    builtin.isub_: ast.Sub(),
    builtin.imul_: ast.Mult(),
    builtin.itruediv_: ast.Div(),
    builtin.extend_: ast.Add(),
    builtin.add_item_: ast.Add(),
}


def function_def(
    function: Function, references: References, by_name: bool = True
) -> tuple[ast.FunctionDef, dict[ast.stmt, Source]]:
    """The definition of the function, and for its statements where they come from.

    ``by_name``: whether arrays live as long as their names, as in Python, and not only while they are read.
    """
    body = _Body(function, references, by_name)
    statements = body.function()
    args = ast.arguments([], [ast.arg(body.names[p], None) for p in function.params], None, [], [], None, [])
    text = " ".join(function.doc.replace("\\", "/").replace('"""', "'''").split())
    if text:
        statements.insert(0, ast.Expr(constant(text)))
    definition = ast.FunctionDef(name=function.name, args=args, body=statements, decorator_list=[])
    return definition, body.sources


class _Body:
    """The statements of one function."""

    def __init__(self, function: Function, references: References, by_name: bool) -> None:
        self.fn, self.references = function, references
        self.nesting: Nesting = plan(function)
        self.live = Liveness(function, self.nesting.leaves, self.nesting.reads)
        self.names = names = dict[Var, str]()
        self.expressions = Expressions(references, lambda var: names.get(var, "_"), self.nesting.inlined)
        self.sources: dict[ast.stmt, Source] = {}
        self.inlined = set(self.nesting.inlined)
        self.by_name, self.released = by_name, dict[int, list[str]]()

    def _name(self, var: Var) -> str:
        return self.names.get(var, "_")

    def function(self) -> list[ast.stmt]:
        self._translate()  # once to learn which global names are used, once with the names that respects
        reserved = self.references.names | {"np", "math", "range", "zip", "reversed", "list"}
        self.names.update(assign_names(self.fn, self.live, self.nesting.is_inlined, reserved))
        if self.by_name:
            self.released = releases(self.fn, self.live, self.names, self.nesting.is_inlined)
        self.sources = {}
        return self._translate()

    def _translate(self) -> list[ast.stmt]:
        statements = self.block(self.fn.body)
        results = [self.expressions.value(r) for r in self.fn.body.results]
        if len(results) == 1:
            statements.append(ast.Return(results[0]))
        elif results:
            statements.append(ast.Return(ast.Tuple(results, ast.Load())))
        else:
            statements.append(ast.Return(None))
        return statements

    # ----- blocks and assignments -----

    def block(self, block: Block) -> list[ast.stmt]:
        out: list[ast.stmt] = []
        for op in block.ops:
            if not self.nesting.is_inlined(op):
                new = list(self.statement(op))
                if released := self.released.get(id(op)):
                    new.append(ast.Delete([ast.Name(text, ast.Del()) for text in released]))
                self.sources.update(dict.fromkeys(new, (op.span, op.adjoint)))
                out += new
        return out

    def statement(self, op: Statement) -> Iterable[ast.stmt]:
        if isinstance(op, Op):
            return self.op(op)
        if isinstance(op, If):
            return self.branch(op)
        return self.for_loop(op) if isinstance(op, For) else self.while_loop(op)

    def assign(self, target: Var | str, value: ast.expr) -> ast.stmt:
        text = target if isinstance(target, str) else self._name(target)
        return ast.Assign([ast.Name(text, STORE)], value)

    def moves(self, targets: Sequence[Var], values: Sequence[Arg]) -> list[ast.stmt]:
        """Assignments of all values to all targets at once; none where the names are the same."""
        pairs = [(t, v) for t, v in zip(targets, values, strict=True) if t in self.live.needed]
        pairs = [(t, v) for t, v in pairs if not (isinstance(v, Var) and self._is_named(v, self._name(t)))]
        moved: list[ast.stmt] = []
        in_order = self._is_in_order(pairs)
        while pairs:
            group = pairs[:1] if in_order else self._next_moves(pairs)
            left: list[ast.expr] = [ast.Name(self._name(t), ast.Store()) for t, _ in group]
            right = [self.expressions.value(v) for _, v in group]
            moved += [ast.Assign(left, right[0]) if len(group) == 1 else _together(left, right)]
            for _, value in group:  # a nested value brings its place along
                if isinstance(value, Var) and (nested := self.nesting.inlined.get(value)) is not None:
                    self.sources[moved[-1]] = nested.span, nested.adjoint
            pairs = [pair for pair in pairs if pair not in group]
        return moved

    def _is_in_order(self, pairs: Sequence[tuple[Var, Arg]]) -> bool:
        """Whether one assignment after the other destroys nothing that a later one reads."""
        written: set[str] = set()
        for target, value in pairs:
            if any(self._name(v) in written for v in self.nesting.leaves(value)):
                return False
            written.add(self._name(target))
        return True

    def _next_moves(self, pairs: Sequence[tuple[Var, Arg]]) -> list[tuple[Var, Arg]]:
        """The first assignments that destroy nothing which others read; several where they exchange names."""
        read = [{self._name(v) for v in self.nesting.leaves(value)} for _, value in pairs]
        before = [
            {k for k, names in enumerate(read) if self._name(target) in names and pairs[k][0] is not target}
            for target, _ in pairs
        ]
        found = [*range(len(pairs))]
        for first in range(len(pairs)):
            group, todo = {first}, [first]
            while todo:
                new = before[todo.pop()] - group
                group |= new
                todo += new
            if len(group) < len(found):
                found = sorted(group)
            if len(found) == 1:
                break
        return [pairs[k] for k in found]

    def _is_named(self, var: Var, text: str) -> bool:
        return var not in self.inlined and self._name(var) == text

    # ----- single operations -----

    def op(self, op: Op) -> Iterable[ast.stmt]:
        value = self.expressions.value
        if op.fn in MUTATORS:
            yield from self.mutation(op)
        elif op.fn is builtin.raise_:
            yield ast.Raise(value(op.args[0]), None)
        elif op.fn is builtin.assert_:
            message = op.args[1] if len(op.args) > 1 and not _is_none(op.args[1]) else None
            yield ast.Assert(value(op.args[0]), value(message) if message else None)
        elif op.fn is builtin.unread:  # what has a name was computed before
            yield from (ast.Expr(value(arg)) for arg in op.args if arg in self.inlined)
        elif op.fn is builtin.unpack:
            yield ast.Assign([self.targets(op.outs, True)], value(op.args[0]))
        elif not op.outs:
            yield ast.Expr(self.expressions.op(op))
        elif len(op.outs) > 1:
            yield ast.Assign([self.targets(op.outs)], self.expressions.op(op))
        elif op.effect and op.out not in self.live.needed:
            yield ast.Expr(self.expressions.op(op))
        elif self._accumulates(op):
            yield self.augmented(ast.Name(self._name(op.out)), op)
        else:
            yield self.assign(op.out, self.expressions.op(op))

    def targets(self, outs: Sequence[Var], as_tuple: bool = False) -> ast.expr:
        names: list[ast.expr] = [
            ast.Name(self._name(o) if o in self.live.needed else "_", ast.Store()) for o in outs
        ]
        return names[0] if len(names) == 1 and not as_tuple else ast.Tuple(names, ast.Store())

    def augmented(self, target: ast.Name | ast.Subscript, op: Op) -> ast.stmt:
        target.ctx = ast.Store()
        sign, value = _AUGMENTED[op.fn], self.expressions.value(op.args[-1])
        is_sum = isinstance(sign, (ast.Add, ast.Sub))
        if is_sum and op.adjoint and isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
            sign, value = (ast.Sub() if isinstance(sign, ast.Add) else ast.Add()), value.operand
        return ast.AugAssign(target, sign, value)

    def _accumulates(self, op: Op) -> bool:
        """Whether ``s = s + x`` can be ``s += x`` whatever the operands are: for numbers."""
        if op.fn not in (operator.add, operator.sub) or op.kwargs or not isinstance(op.args[0], Var):
            return False
        first = op.args[0]
        same = self._is_named(first, self._name(op.out)) and op.out.hint is not None
        return same and isinstance(op.out.type, Scalar) and isinstance(first.type, Scalar)

    def mutation(self, op: Op) -> Iterable[ast.stmt]:
        """A write in place, and the result under its own name where that differs."""
        value, target = self.expressions.value, op.args[0]
        assert isinstance(target, Var)
        place = ast.Name(self._name(target), ast.Load())
        if op.fn in (builtin.setitem_, builtin.through_):
            seen: ast.expr = place
            if op.fn is builtin.through_:
                seen = self.expressions.view(place, rank_of(target.type), op.args[3])
            item = subscript(seen, self.expressions.index(op.args[1]))
            item.ctx = ast.Store()
            yield ast.Assign([item], value(op.args[2]))
        elif op.fn is builtin.add_item_:
            yield self.augmented(subscript(place, self.expressions.index(op.args[1])), op)
        elif op.fn is builtin.set_sum_:
            index = self.expressions.index(op.args[1])
            item = subscript(place, index)
            item.ctx = ast.Store()
            old = subscript(name(place.id), self.expressions.index(op.args[1]))
            yield ast.Assign([item], ast.BinOp(old, ast.Add(), value(op.args[2])))
        elif op.fn in (builtin.sum_item_, builtin.sum_entry_):
            item = subscript(place, self.expressions.index(op.args[1]))
            item.ctx = ast.Store()
            if op.fn is builtin.sum_item_:
                summed: ast.expr = subscript(name(place.id), self.expressions.index(op.args[1]))
            else:
                summed = method(name(place.id), "get", value(op.args[1]))
            yield ast.Assign([item], call(value(op.args[3]), [summed, value(op.args[2])]))
        elif op.fn is builtin.add_entry_:
            item = subscript(place, self.expressions.index(op.args[1]))
            item.ctx = ast.Store()
            before = method(name(place.id), "get", value(op.args[1]), constant(0.0))
            yield ast.Assign([item], ast.BinOp(before, ast.Add(), value(op.args[2])))
        elif op.fn is builtin.add_at_:
            at = self.references.callable(np.add.at)
            yield ast.Expr(call(at, [place, value(op.args[1]), value(op.args[2])]))
        elif op.fn in (builtin.into_, builtin.fill_):
            ufunc, *args = map(value, op.args[1:])
            given = args if op.fn is builtin.fill_ else [place, *args]
            filled = call(ufunc, given, out=name(place.id))
            out = op.outs[0]
            differs = out in self.live.needed and not self._is_named(target, self._name(out))
            yield self.assign(out, filled) if differs else ast.Expr(filled)
            return
        elif op.fn is builtin.within_:
            yield ast.Expr(call(value(op.args[3]), [place, value(op.args[1]), value(op.args[2])]))
        elif op.fn is builtin.insert_:
            yield ast.Expr(method(place, "insert", value(op.args[1]), value(op.args[2])))
        elif op.fn is builtin.append_:
            yield ast.Expr(method(place, "append", value(op.args[1])))
        elif op.fn in (builtin.pop_, builtin.pop_key_):
            popped = method(place, "pop", *map(value, op.args[1:]))
            keep = op.outs[1] in self.live.needed
            yield self.assign(op.outs[1], popped) if keep else ast.Expr(popped)
        else:
            yield self.augmented(ast.Name(place.id), op)
        out = op.outs[0]
        if out in self.live.needed and not self._is_named(target, self._name(out)):
            yield self.assign(out, name(self._name(target)))

    # ----- regions -----

    def branch(self, op: If) -> Iterable[ast.stmt]:
        if id(op) in self.nesting.choices:
            yield self.assign(op.outs[0], self.expressions.conditional(op))
            return
        then = self.block(op.then) + self.moves(op.outs, op.then.results)
        orelse = self.block(op.orelse) + self.moves(op.outs, op.orelse.results)
        test = self.expressions.value(op.cond)
        if then:
            yield ast.If(test, then, orelse)
        elif orelse:
            yield ast.If(negate(test), orelse, [])

    def for_loop(self, op: For) -> Iterable[ast.stmt]:
        yield from self.moves(op.params, op.inits)
        body = self.body(op)
        target, source = self.header(op)
        yield ast.For(target, source, body or [ast.Pass()], [], None)
        yield from self.moves(op.outs, op.params)

    def header(self, op: For) -> tuple[ast.expr, ast.expr]:
        """The target and the iterable of a ``for`` statement."""
        targets: list[ast.expr] = []
        sources: list[ast.expr] = []
        read = self.live.is_read_inside(op)
        if op.range is not None and (read or not op.items or not op.reverse):
            targets.append(ast.Name(self._name(op.index) if read else "_", ast.Store()))
            sources.append(self.range(op.range, op.parallel))
        for source, items in op.items:
            targets.append(self.targets(items))
            sources.append(self.expressions.value(source))
        if op.reverse:
            sources = [call(self.references.builtin("reversed"), [source]) for source in sources]
        if len(sources) == 1:
            return targets[0], sources[0]
        return ast.Tuple(targets, ast.Store()), call(self.references.builtin("zip"), sources)

    def range(self, bounds: tuple[Arg, Arg, Arg], parallel: bool = False) -> ast.expr:
        start, stop, step = bounds
        if not _is_int(step, 1):
            args = [start, stop, step]
        else:
            args = [stop] if _is_int(start, 0) else [start, stop]
        if parallel:
            from numba import prange

            return call(self.references.callable(prange), map(self.expressions.value, args))
        return call(self.references.builtin("range"), map(self.expressions.value, args))

    def while_loop(self, op: While) -> Iterable[ast.stmt]:
        yield from self.moves(op.params, op.inits)
        before = self.block(op.cond)
        test = self.expressions.value(op.cond.results[0])
        body = self.body(op)
        if before:
            before.append(ast.If(negate(test), [ast.Break()], []))
            yield ast.While(constant(True), before + body, [])
        else:
            yield ast.While(test, body or [ast.Pass()], [])
        yield from self.moves(op.outs, op.params)

    def body(self, op: For | While) -> list[ast.stmt]:
        """The loop's block, the carried values moved on, and ``break`` where it stops."""
        yields = op.body.results[1:] if op.stops else op.body.results
        statements = self.block(op.body)
        moves = self.moves(op.params, yields)
        if not op.stops:
            return statements + moves
        flag = op.body.results[0]
        if isinstance(flag, Lit) and not flag.value:
            return statements + moves
        if not moves and isinstance(flag, Var) and self.nesting.uses[flag] == 1:
            broken = _break_inside(statements, self._name(flag))
            if broken is not None:
                return broken
        test = self.expressions.value(flag)
        if isinstance(test, ast.Constant) and test.value:
            return [*statements, *moves, ast.Break()]
        if _names(test, ast.Load) & set().union(*(_names(move, ast.Store) for move in moves)):
            # the test is of values before they are moved on
            return [*statements, ast.If(test, [*copy.deepcopy(moves), ast.Break()], []), *moves]
        return [*statements, *moves, ast.If(test, [ast.Break()], [])]


def _names(tree: ast.AST, context: type[ast.expr_context]) -> set[str]:
    """The names that are read or written in a tree."""
    nodes = ast.walk(tree)
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def _break_inside(statements: list[ast.stmt], flag: str) -> list[ast.stmt] | None:
    """The end of a loop's body with ``break`` for ``flag = True`` and nothing for ``flag = False``.

    None where the flag is more than that.
    """
    if not statements:
        return None
    match last := statements[-1]:
        case ast.Assign(targets=[ast.Name(id=text)], value=ast.Constant(value=bool(value))) if text == flag:
            return statements[:-1] + ([ast.Break()] if value else [])
        case ast.If():
            then, orelse = _break_inside(last.body, flag), _break_inside(last.orelse, flag)
            if then is None or orelse is None:
                return None
            if then:
                last.body, last.orelse = then, orelse
            elif orelse:
                last.test, last.body, last.orelse = negate(last.test), orelse, []
            else:
                return statements[:-1]
            return statements
    return None


def _is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None


def _is_int(arg: Arg, value: int) -> bool:
    return isinstance(arg, Lit) and type(arg.value) is int and arg.value == value


def _together(left: list[ast.expr], right: list[ast.expr]) -> ast.stmt:
    return ast.Assign([ast.Tuple(left, ast.Store())], ast.Tuple(right, ast.Load()))
