"""What does an IR function look like as text? (For people, error messages and tests; it is not parsed.)

>>> from ast_ad.compiler.ir import ops, types
>>> import operator
>>> x, y = ops.Var(types.Scalar("float"), "x"), ops.Var(types.Scalar("float"), "y")
>>> body = ops.Block([ops.Op(operator.mul, (x, ops.Lit(2)), (y,))], (y,))
>>> print(show(ops.Function("double", (x,), body)))
function double(x: float)
  y: float = operator.mul(x, 2)
  return y
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from .ops import Arg, Block, For, Function, If, Lit, Op, Seq, Slice, Statement, Var, While, binders


def show(function: Function, notes: dict[int, str] | None = None) -> str:
    """The function as indented text, the same for the same structure.

    ``notes``: remarks to put above statements, by the statement's ``id``.
    """
    return "\n".join(_Printer(notes or {}).function(function))


def ufunc_name(fn: np.ufunc) -> str:
    """Where a reader finds a ufunc; one of somebody's own has its name alone.

    >>> from scipy.special import hyp2f1
    >>> ufunc_name(np.tan), ufunc_name(hyp2f1), ufunc_name(np.frompyfunc(abs, 1, 1))
    ('np.tan', 'scipy.special.hyp2f1', 'abs (vectorized)')
    """
    for spelled, home in ("np", np), ("scipy.special", sys.modules.get("scipy.special")):
        if getattr(home, fn.__name__, None) is fn:
            return f"{spelled}.{fn.__name__}"
    return fn.__name__


def callable_name(fn: Callable[..., Any]) -> str:
    """A short dotted name for a callable: ``np.sum``, ``operator.mul``, ``abs``."""
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    module = getattr(fn, "__module__", None) or ""
    if isinstance(fn, np.ufunc):
        return ufunc_name(fn)
    if module.partition(".")[0] == "numpy":
        inner = module.removeprefix("numpy").strip(".")
        return ".".join(["np", *filter(None, [inner if not inner.startswith("_") else ""]), name])
    if module in ("_operator", "operator"):
        return f"operator.{name}"
    if module in ("builtins", "") or module.startswith("ast_ad."):
        return name
    return f"{module}.{name}"


class _Printer:
    """One pass over a function; names are hints, numbered where a hint repeats."""

    def __init__(self, notes: dict[int, str]) -> None:
        self.notes = notes
        self.names: dict[int, str] = {}
        self.taken: dict[str, int] = {}

    def name(self, var: Var) -> str:
        if var.id not in self.names:
            base = var.hint or "t"
            count = self.taken[base] = self.taken.get(base, -1) + 1
            self.names[var.id] = base if var.hint and not count else f"{base}.{count}"
        return self.names[var.id]

    def typed(self, variables: Iterable[Var]) -> str:
        return ", ".join(f"{self.name(v)}: {v.type}" for v in variables)

    def arg(self, arg: Arg) -> str:
        if isinstance(arg, Var):
            return self.name(arg)
        if isinstance(arg, Lit):
            return repr(arg.value)
        if isinstance(arg, Slice):
            parts = (arg.start, arg.stop, arg.step)
            return ":".join("" if isinstance(p, Lit) and p.value is None else self.arg(p) for p in parts)
        assert isinstance(arg, Seq), arg
        inner = ", ".join(map(self.arg, arg.items))
        if arg.kind is list:
            return f"[{inner}]"
        return f"({inner},)" if len(arg.items) == 1 else f"({inner})"

    def function(self, function: Function) -> Iterator[str]:
        yield f"function {function.name}({self.typed(function.params)})"
        yield from self.block(function.body, "return", "  ")

    def block(self, block: Block, word: str, indent: str) -> Iterator[str]:
        for op in block.ops:
            if id(op) in self.notes:
                yield f"{indent}>>> {self.notes[id(op)]}"
            yield from (indent + line for line in self.statement(op))
        if block.results or word == "return":
            yield f"{indent}{word} {', '.join(map(self.arg, block.results))}".rstrip()

    def statement(self, op: Statement) -> Iterator[str]:
        if isinstance(op, Op):
            args = [*map(self.arg, op.args), *(f"{k}={self.arg(v)}" for k, v in op.kwargs.items())]
            mark = "! " if op.effect else ""
            call = f"{mark}{callable_name(op.fn)}({', '.join(args)})"
            yield f"{self.typed(op.outs)} = {call}" if op.outs else call
            return
        if isinstance(op, If):
            yield f"if {self.arg(op.cond)}"
            yield from self.block(op.then, "yield", "  ")
            yield "else"
            yield from self.block(op.orelse, "yield", "  ")
        else:
            yield from self.loop(op)
        if op.outs:
            yield f"-> {self.typed(op.outs)}"

    def loop(self, op: For | While) -> Iterator[str]:
        list(map(self.name, binders(op)))
        carried = ", ".join(
            f"{self.name(p)}: {p.type} = {self.arg(a)}" for p, a in zip(op.params, op.inits, strict=False)
        )
        flags = (" reversed" if isinstance(op, For) and op.reverse else "") + (" stops" if op.stops else "")
        flags += " parallel" if isinstance(op, For) and op.parallel else ""
        if isinstance(op, For):
            sources = [f"{self.name(op.index)} in {':'.join(map(self.arg, op.range))}"] if op.range else []
            sources += [f"({self.typed(vars)}) in {self.arg(source)}" for source, vars in op.items]
            yield f"for {', '.join(sources)}{flags} [{carried}]"
        else:
            yield f"while{flags} [{carried}]"
            yield from self.block(op.cond, "test", "    ")
        yield from self.block(op.body, "yield", "  ")
