"""Where does the memory of a value come from, in a program with writes in place?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..compiler.emit.names import COPIES
from ..compiler.ir import builtin
from ..compiler.ir.ops import Arg, For, Function, If, Op, Span, Statement, Var, While, walk
from ..rules import containers
from ..rules.registry import lookup

APPEND = (containers.list_append, builtin.append_)


@dataclass
class Storage:
    """Where the memory of a value comes from, in a program with writes in place."""

    function: Function
    origin: dict[Var, Var] = field(default_factory=dict)
    makers: dict[Var, Statement] = field(default_factory=dict)
    writes: list[Op] = field(default_factory=list)
    copies: list[tuple[Op, Var]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for op in walk(self.function.body):
            self.makers.update(dict.fromkeys(op.outs, op))
            if isinstance(op, Op):
                self.operation(op)
            elif isinstance(op, (For, While)):
                results = op.body.results[op.stops :]
                self.link(op.params, op.inits)
                self.link(op.outs, results)
            elif isinstance(op, If):
                self.link(op.outs, op.then.results)

    def link(self, targets: Iterable[Var], sources: Iterable[Arg]) -> None:
        self.origin.update((t, s) for t, s in zip(targets, sources, strict=True) if isinstance(s, Var))

    def operation(self, op: Op) -> None:
        source = op.args[0] if op.args else None
        primitive = lookup(op.fn)
        if op.fn in COPIES and isinstance(source, Var):
            self.copies.append((op, source))
        elif isinstance(source, Var) and (
            op.fn in builtin.MUTATORS or op.fn is builtin.assign or primitive is not None and primitive.view
        ):
            self.origin[op.outs[0]] = source
        if op.fn in builtin.MUTATORS and op.fn not in APPEND:
            self.writes.append(op)

    def root(self, var: Var) -> Var:
        seen = set()
        while var in self.origin and var not in seen:
            seen.add(var)
            var = self.origin[var]
        return var

    def overwritten_by(self, var: Var) -> list[Span]:
        """The lines that would have changed the value, had it not been copied."""
        root = self.root(var)
        maker = self.makers.get(root)
        found: list[Span] = []
        for copy, source in self.copies:
            kept = maker is copy  # the value is the copy, and its source was written to
            target = self.root(source) if kept else copy.out if self.root(source) is root else None
            found += [w.span for w in self.writes if target is not None and self.root(w.args[0]) is target]  # type: ignore[arg-type]
        return found
