"""Which statements does nobody need? Marks what the results reach, and removes the rest in place.

``eliminate_dead_code(function) -> Function``. The end of ``simplify`` and of every pass that replaces
statements; ``eliminate(block) -> None`` does it for the adjoint of a branch or loop, before its residuals are
chosen.

Loops lose the carried values that nothing reads, branches the results; a zipped list whose elements nobody
reads is no longer zipped. Statements with an effect stay, and so does what decides whether they run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..ir.ops import Arg, Block, For, Function, If, Op, Statement, Var, While, blocks, operands, variables


def eliminate_dead_code(function: Function) -> Function:
    """Remove, in place, what neither the results nor an effect need; return the function."""
    eliminate(function.body)
    return function


def eliminate(block: Block) -> None:
    """Remove, in place, the statements of a block (and of the regions within) that its results don't need."""
    liveness = Liveness()
    liveness.visit(block, None)
    liveness.need(*block.results)
    liveness.run()
    _Sweep(liveness).block(block)


def live_statements(block: Block, results: tuple[Arg, ...]) -> set[int]:
    """The ``id`` of every statement, in the block and within, that these results or an effect need."""
    liveness = Liveness()
    liveness.visit(block, None)
    liveness.need(*results)
    liveness.run()
    return liveness.statements


class Liveness:
    """Marks Vars and statements as live, from the roots backwards, with one rule per way to bind a Var."""

    def __init__(self) -> None:
        self.vars: set[Var] = set()
        self.statements: set[int] = set()
        self._causes: dict[Var, tuple[Callable[..., None], Statement, int]] = {}
        self._parent: dict[int, Statement | None] = {}
        self._pending: list[Var] = []

    def visit(self, block: Block, parent: Statement | None) -> None:
        """Note how each Var of the block comes about, and mark the effects."""
        effects: list[Statement] = []
        for op in block.ops:
            self._parent[id(op)] = parent
            if isinstance(op, Op):
                for out in op.outs:
                    self._causes[out] = Liveness._alive, op, 0
                if op.effect:
                    effects.append(op)
                continue
            if isinstance(op, If):
                self._causes.update((out, (Liveness._branch, op, i)) for i, out in enumerate(op.outs))
            else:
                for i, (param, out) in enumerate(zip(op.params, op.outs, strict=True)):
                    self._causes[param] = self._causes[out] = (Liveness._carried, op, i)
                if isinstance(op, For):
                    self._causes[op.index] = (Liveness._alive, op, 0)
                    for i, (_, items) in enumerate(op.items):
                        self._causes.update((item, (Liveness._item, op, i)) for item in items)
            for inner in blocks(op):
                self.visit(inner, op)
        for op in effects:
            self._alive(op)

    def need(self, *args: Arg) -> None:
        for var in variables(*args):
            if var not in self.vars:
                self.vars.add(var)
                self._pending.append(var)

    def run(self) -> None:
        while self._pending:
            cause = self._causes.get(self._pending.pop())
            if cause is not None:
                rule, op, position = cause
                rule(self, op, position)

    def read(self, op: Op | If) -> Iterable[Arg]:
        """What an operation, or the choice of a branch, needs."""
        return operands(op)

    def keep(self, op: Statement) -> None:
        """Mark a statement as a root."""
        self._alive(op)

    def _alive(self, op: Statement, position: int = 0) -> None:
        """The statement runs: so do those around it, and what decides how often is needed."""
        if id(op) in self.statements:
            return
        self.statements.add(id(op))
        parent = self._parent[id(op)]
        if parent is not None:
            self._alive(parent)
        if isinstance(op, (Op, If)):
            self.need(*self.read(op))
            return
        if isinstance(op, While):
            self.need(*op.cond.results)
        elif op.range is not None:
            self.need(*op.range)
        else:
            self.need(op.items[0][0])
        if op.stops:
            self.need(op.body.results[0])

    def _branch(self, op: If, position: int) -> None:
        self._alive(op)
        self.need(op.outs[position], op.then.results[position], op.orelse.results[position])

    def _carried(self, op: For | While, position: int) -> None:
        self._alive(op)
        result = op.body.results[position + op.stops]
        self.need(op.params[position], op.outs[position], op.inits[position], result)

    def _item(self, op: For, position: int) -> None:
        self._alive(op)
        self.need(op.items[position][0])


class _Sweep:
    """Removes what was not marked."""

    def __init__(self, liveness: Liveness) -> None:
        self.vars, self.statements = liveness.vars, liveness.statements

    def block(self, block: Block) -> None:
        block.ops = [op for op in block.ops if id(op) in self.statements]
        for op in block.ops:
            if isinstance(op, If):
                kept = self.live(op.outs)
                op.outs = tuple(op.outs[i] for i in kept)
                for branch in (op.then, op.orelse):
                    branch.results = tuple(branch.results[i] for i in kept)
            elif not isinstance(op, Op):
                self.loop(op)
            for inner in blocks(op):
                self.block(inner)

    def loop(self, op: For | While) -> None:
        kept = self.live(op.outs)
        results = op.body.results
        op.body.results = results[: op.stops] + tuple(results[i + op.stops] for i in kept)
        op.params = tuple(op.params[i] for i in kept)
        op.inits = tuple(op.inits[i] for i in kept)
        op.outs = tuple(op.outs[i] for i in kept)
        if isinstance(op, For):
            items = tuple((source, vars) for source, vars in op.items if any(v in self.vars for v in vars))
            op.items = items if items or op.range is not None else op.items[:1]

    def live(self, variables: tuple[Var, ...]) -> list[int]:
        return [i for i, var in enumerate(variables) if var in self.vars]
