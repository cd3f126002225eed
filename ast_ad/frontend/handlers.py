"""What do ``raise``, ``try`` and ``with`` do: which exceptions come up, and what runs whatever happens?

A program follows the path on which nothing is raised. An exception that is certain is followed to its
handler; where one comes up at run time that a handler or a ``finally`` might notice, the call is traced.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..errors import AdError
from ..ir.builtin import assert_, raise_, restore
from ..ir.ops import Lit, Op, Var
from ..ir.types import Opaque
from .core import Core
from .statements import EXITS
from .values import Unbound


class Handlers(Core):
    tried: list[tuple[str, int, int]]

    def exec_Raise(self, node: Any, rest: list[Any]) -> None:
        exception = self.eval(node.exc) if node.exc is not None else Lit(RuntimeError)
        arg = self.runtime_object(exception)
        self.effect(raise_, (arg,))
        self.state.dead = True

    def exec_Assert(self, node: Any, rest: list[Any]) -> None:
        test = self.truth(self.eval(node.test))
        if self.static_value(test) is True:
            return
        message = Lit(None) if node.msg is None else self.eval(node.msg)
        self.effect(assert_, (self.arg(test), self.runtime_object(message)))

    def effect(self, fn: Any, args: tuple[Any, ...], outs: tuple[Var, ...] = (), **kwargs: Any) -> None:
        """Append what stays where it is."""
        self.builder.append(Op(fn, args, outs, kwargs, self.builder.span, True, self.builder.adjoint))

    # ----- with
    def exec_With(self, node: Any, rest: list[Any]) -> None:
        """The errors of NumPy are handled as told in the block, and as before behind it."""
        before = [self.enter_context(item) for item in node.items]
        self.exec_block(node.body)
        if not self.state.dead:
            for old in filter(None, reversed(before)):
                self.effect(restore, (old,))

    def enter_context(self, item: Any) -> Var | None:
        """What is to be restored behind the block."""
        call = item.context_expr
        target = self.static_value(self.eval(call.func)) if type(call).__name__ == "Call" else None
        if target is warnings.catch_warnings and item.optional_vars is None:
            return None
        if target is not np.errstate or item.optional_vars is not None:
            raise self.unsupported(
                "`with` statement",
                "only np.errstate and warnings.catch_warnings are followed",
                "move the context manager out of the differentiated function",
            )
        options: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self.demand(self.eval(keyword.value), "an errstate option")
            if keyword.arg not in ("all", "divide", "over", "under", "invalid") or value in ("call", "log"):
                raise self.unsupported(
                    "this option of np.errstate", "the compiler does not follow it", "leave it out"
                )
            options[keyword.arg] = value
        self.errstate.update(options)
        old = Var(Opaque("dict"), "errors")
        self.effect(np.seterr, (), (old,), **{name: Lit(value) for name, value in options.items()})
        return old

    # ----- try
    def exec_Try(self, node: Any, rest: list[Any]) -> bool:
        block, source = self.builder.block, self.frame.source
        try:
            self.exec_block(node.body)
            if not self.state.dead:
                self.exec_block(node.orelse)
        except AdError as problem:
            handler = self.static_handler(node, problem)
            if handler is None or getattr(problem, "block", None) is not block:
                raise
            self.state = problem.state  # type: ignore[attr-defined]
            self.handle(handler, problem)
        else:
            if node.handlers or node.finalbody:
                self.tried.append((source.filename, node.body[0].lineno, node.body[-1].end_lineno))
        if node.finalbody and not self.state.dead:
            self.run_finally(node.finalbody)
        return False

    def handle(self, handler: Any, problem: AdError) -> None:
        """Run a handler for an exception that is raised for certain."""
        if handler.name:
            self.bind(handler.name.id, Lit(str(problem)))
        self.exec_block(handler.body)
        if handler.name and not self.state.dead:
            self.bind(handler.name.id, Unbound(handler.name.id))

    def run_finally(self, statements: list[Any]) -> None:
        """Run a block whatever way control leaves by, and go on that way."""
        flags = {name: self.state.get_name(self.frame, name) for name in EXITS}
        flags = {name: flag for name, flag in flags.items() if flag is not None}
        for name in flags:
            self.state.set_name(self.frame, name, Lit(False))
        value = self.state.get_name(self.frame, "$value")
        self.exec_block(statements)
        if self.state.dead:
            return
        after = {name: self.state.get_name(self.frame, name) for name in EXITS}
        if any(flag is not None and self.static_value(flag) is not False for flag in after.values()):
            raise self.unsupported(
                "`return`, `break` or `continue` out of `finally`",
                "it would swallow an exception",
                "leave the block behind `finally`",
            )
        for name, flag in flags.items():
            self.state.set_name(self.frame, name, flag)
        if value is not None:
            self.state.set_name(self.frame, "$value", value)

    def static_handler(self, node: Any, problem: Exception) -> Any:
        """The handler of an exception that is raised for certain, if the type is known."""
        raised = getattr(problem, "raises", None)
        if raised is None:
            return None
        for handler in node.handlers:
            if handler.type is None:
                return handler
            classes = self.demand(self.eval(handler.type), "an exception class")
            if issubclass(raised, classes):
                return handler
        return None
