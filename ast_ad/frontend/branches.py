"""When does a branch, conditional expression or match become a region? If its condition is not static."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from ..errors import AdError
from ..ir.ops import Block, If, Lit, Var
from ..ir.types import Array, Optional, Scalar
from .boundness import Raised
from .core import Core
from .merge import Phis
from .statements import EXITS
from .values import Arr, Dct, Lst, Obj, Range, State, Tup, now


class Branches(Core):
    flag_cond: Var | None = None
    branch_start: int = 0

    def exec_If(self, node: Any, rest: list[Any]) -> bool:
        cond = self.truth(self.eval(node.test))
        static = self.static_value(cond)
        if isinstance(static, bool):
            self.exec_block(node.body if static else node.orelse)
            return False
        return self.branch(
            cond,
            lambda: self.exec_block(node.body),
            lambda: self.exec_block(node.orelse),
            lambda: self.exec_block(rest) if rest else None,
        )

    def exec_guarded(self, alive: Any, rest: list[Any]) -> None:
        """The rest of a block that may have been left already."""

        def go_on() -> None:
            for name in EXITS:
                if self.state.get_name(self.frame, name) is not None:
                    self.state.set_name(self.frame, name, Lit(False))
            self.exec_block(rest)

        self.branch(alive, go_on, self.left, None)

    def left(self) -> None:
        """Here the block has been left: by ``return``, where nothing else is possible."""
        flags = {name: self.state.get_name(self.frame, name) for name in EXITS}
        open_ = [name for name, flag in flags.items() if flag is not None and not self.is_static(flag)]
        if open_ == ["$return"]:
            self.state.set_name(self.frame, "$return", Lit(True))

    def branch(
        self,
        cond: Any,
        then: Callable[[], None],
        orelse: Callable[[], None],
        after: Callable[[], None] | None,
    ) -> bool:
        """Read both branches into an If. Where one of them leaves the block for certain, what comes ``after``
        belongs to the other; then the result is True."""
        since, entry = now(), self.state
        start, self.branch_start = self.branch_start, Var(Scalar("bool")).id
        span = self.builder.span
        try:
            sides = [self.side(entry, run, None) for run in (then, orelse)]
            left = [self.leaves(state) for state, _ in sides]
            absorbed = False
            if after is not None and left[0] != left[1] and not any(state.dead for state, _ in sides):
                position = left.index(False)
                if self.stays(sides[position][0]):
                    sides[position] = self.side(sides[position][0], after, sides[position][1])
                    absorbed = True
            phis = Phis()
            self.flag_cond = cond if isinstance(cond, Var) and cond.type == Scalar("bool") else None
            self.state = self.merged(since, tuple(sides), phis, cond)
        finally:
            self.flag_cond, self.branch_start = None, start
        sides[0][1].results, sides[1][1].results = tuple(phis.then), tuple(phis.orelse)
        self.builder.append(
            If(self.arg(cond), sides[0][1], sides[1][1], tuple(phis.outs), span, self.builder.adjoint)
        )
        self.builder.span = span
        return absorbed

    def merged(self, since: int, sides: Any, phis: Phis, cond: Any) -> State:
        try:
            return self.merge_states(since, sides, phis)
        except AdError:
            if self.inputs is not None:  # two structures: perhaps the condition can be made static
                self.inputs.demand(self._variables_of(cond))
            raise

    def side(self, entry: State, run: Callable[[], None], block: Block | None) -> tuple[State, Block]:
        self.state = entry.fork()
        with self.builder.nested(block or Block()) as block:
            try:
                run()
            except Raised:
                self.state.dead = True
            except AdError as problem:
                if not self.is_certain(problem, block):
                    raise
                self.emit_raise(problem.exception)  # type: ignore[attr-defined]
                self.state.dead = True
        return self.state, block

    def leaves(self, state: State) -> bool:
        """Whether control leaves the block for certain."""
        return state.dead or any(
            self.static_value(state.get_name(self.frame, name)) is True for name in EXITS
        )

    def stays(self, state: State) -> bool:
        """Whether control goes on for certain."""
        flags = [state.get_name(self.frame, name) for name in EXITS]
        return all(f is None or self.static_value(f) is False for f in flags)

    # ----- truth
    def truth(self, value: Any) -> Any:
        """``bool(value)``: Lit(True/False), or a run-time boolean."""
        if isinstance(value, (Tup, Lst, Dct)):
            content = value.items if isinstance(value, Tup) else self.state.get(value)
            if isinstance(content, Var):
                return self.emit(operator.gt, self.length(value), Lit(0))
            return Lit(bool(content))
        if isinstance(value, Lit):
            return Lit(bool(value.value))
        if isinstance(value, Range):
            return self.truth(self.length(value))
        if not isinstance(value, (Var, Arr)):
            asked = ("__bool__", "__len__") if isinstance(value, Obj) else ()
            method = next((name for name in asked if hasattr(value.cls, name)), None)
            return self.truth(self.call(self.load_attribute(value, method), [], {})) if method else Lit(True)
        var = self.variable(value)
        known = self.static_value(var)
        if isinstance(known, (bool, int, float)):
            return Lit(bool(known))
        if isinstance(var.type, Optional):
            return self.emit(bool, var)
        if isinstance(var.type, Scalar) and var.type.kind == "bool":
            return var
        if (
            isinstance(var.type, Array)
            and (var.type.ndim or 0) > 0
            and any(isinstance(d, int) and d > 1 for d in var.type.shape or ())
        ):
            raise self.unsupported(
                "the truth value of an array", "it has more than one element", "use .any() or .all()"
            )
        return self.emit(bool, var)

    def python_bool(self, cond: Any) -> Any:
        """A truth value as Python's own: two of them add up to 2, NumPy's to True."""
        own = isinstance(cond, Lit) or cond.type == Scalar("bool")
        return cond if own else self.emit(bool, cond)

    # ----- expressions with branches
    def eval_IfExp(self, node: Any) -> Any:
        cond = self.truth(self.eval(node.test))
        static = self.static_value(cond)
        if isinstance(static, bool):
            return self.eval(node.body if static else node.orelse)
        return self.choose(cond, lambda: self.eval(node.body), lambda: self.eval(node.orelse))

    def choose(self, cond: Any, then: Callable[[], Any], orelse: Callable[[], Any]) -> Any:
        """``then() if cond else orelse()`` as a region with a result."""
        frame = self.frame
        outer = self.state.get_name(frame, "$choice")

        def run(side: Callable[[], Any]) -> Callable[[], None]:
            def choice() -> None:
                value = side()  # may replace the store
                self.state.set_name(frame, "$choice", value)

            return choice

        self.branch(cond, run(then), run(orelse), None)
        if self.state.dead:
            raise Raised
        result = self.state.get_name(frame, "$choice")
        self.state.set_name(frame, "$choice", outer)
        if isinstance(result, Var) and result.hint == "choice":
            result.hint = None
        if isinstance(result, Arr) and result.initial is not None and result.initial.hint == "choice":
            result.initial.hint = None
        return result

    def eval_BoolOp(self, node: Any) -> Any:
        """``and`` / ``or`` return an operand, evaluated only if need be."""
        is_and = type(node.op).__name__ == "And"

        def go(position: int) -> Any:
            value = self.eval(node.values[position])
            if position == len(node.values) - 1:
                return value
            cond = self.truth(value)
            static = self.static_value(cond)
            if isinstance(static, bool):
                return go(position + 1) if static == is_and else value
            if is_and:
                return self.choose(cond, lambda: go(position + 1), lambda: value)
            return self.choose(cond, lambda: value, lambda: go(position + 1))

        return go(0)

    # ----- match
    def exec_Match(self, node: Any, rest: list[Any]) -> bool:
        subject = self.eval(node.subject)
        return self.match_cases(subject, node.cases, rest)

    def match_cases(self, subject: Any, cases: list[Any], rest: list[Any]) -> bool:
        if not cases:
            return False
        case = cases[0]
        entry = self.state.fork()
        cond = self.matches(case.pattern, subject)
        if case.guard is not None and self.static_value(cond) is not False:
            cond = self.both(cond, lambda: self.truth(self.eval(case.guard)))
        static = self.static_value(cond)
        if static is True:
            self.exec_block(case.body)
            return False
        if static is False:
            self.state = entry
            return self.match_cases(subject, cases[1:], rest)
        return self.branch(
            cond,
            lambda: self.exec_block(case.body),
            lambda: self._no_result(subject, cases[1:]),
            lambda: self.exec_block(rest) if rest else None,
        )

    def _no_result(self, subject: Any, cases: list[Any]) -> None:
        self.match_cases(subject, cases, [])

    def both(self, cond: Any, other: Callable[[], Any]) -> Any:
        if self.static_value(cond) is True:
            return other()
        return self.choose(cond, other, lambda: Lit(False))

    def matches(self, pattern: Any, subject: Any) -> Any:
        """A condition; names in the pattern are bound as it is read."""
        kind = type(pattern).__name__
        if kind == "MatchValue":
            return self.truth(self.compare("Eq", subject, self.eval(pattern.value)))
        if kind == "MatchSingleton":
            return self.truth(self.compare("Is", subject, Lit(pattern.value)))
        if kind == "MatchAs":
            cond = Lit(True) if pattern.pattern is None else self.matches(pattern.pattern, subject)
            if pattern.name is not None:
                self.bind(pattern.name, subject)
            return cond
        if kind == "MatchOr":
            for choice in pattern.patterns:
                cond = self.matches(choice, subject)
                static = self.static_value(cond)
                if static is True:
                    return cond
                if static is not False:
                    others = pattern.patterns[pattern.patterns.index(choice) + 1 :]
                    for other in others:
                        cond = self.emit(operator.or_, cond, self.matches(other, subject))
                    return cond
            return Lit(False)
        if kind == "MatchSequence":
            return self.match_sequence(pattern, subject)
        raise self.unsupported(f"`{kind}` pattern", "the compiler does not follow it yet", "use if/elif")

    def match_sequence(self, pattern: Any, subject: Any) -> Any:
        if not isinstance(subject, (Tup, Lst)) and not isinstance(self.static_value(subject), (tuple, list)):
            return Lit(False)
        items = self.items_of(subject)
        if any(type(p).__name__ == "MatchStar" for p in pattern.patterns):
            raise self.unsupported("a starred pattern", "the compiler does not follow it yet", "use indexing")
        if len(items) != len(pattern.patterns):
            return Lit(False)
        cond: Any = Lit(True)
        for part, item in zip(pattern.patterns, items, strict=True):
            cond = self.both(cond, functools.partial(self.matches, part, item))
            if self.static_value(cond) is False:
                return cond
        return cond
