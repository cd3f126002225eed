"""How does a loop become a region, or else its passes one by one?

A loop whose structure changes from pass to pass (a list of functions, arrays of other ranks) is unrolled if
its trip count is static.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Collection
from typing import Any

from ..errors import AdError
from ..ir.dims import reaches
from ..ir.ops import Block, For, Lit, Var, While
from ..ir.types import Dim, Scalar
from .core import Core
from .dummies import int_size
from .fixpoint import EveryPassRaises, Passes
from .iteration import IDENTITY
from .joins import ShapeChange
from .live_lists import ListChanges
from .liveness import live_at_loops
from .sharing import lists_of
from .statements import EXITS
from .values import Arr, Dct, Lst, now

MAX_UNROLLED = 600


class Loops(Core):
    branch_start: int

    # ----- for
    def exec_For(self, node: Any, rest: list[Any]) -> None:
        source = self.eval(node.iter)
        flag = self.state.get_name(self.frame, "$break")
        self.state.set_name(self.frame, "$break", Lit(False))

        def body(item: Any) -> None:
            self.assign(node.target, item)
            self.exec_block(node.body)

        self.run_for(source, body, self.assigned(node), node.target, self.live_at(node))
        self.after_loop(node, flag)

    def live_at(self, node: Any) -> Collection[str] | None:
        """The names that may be read at the start of a loop's pass or behind it; None: it is not known."""
        source = self.frame.source
        return None if source is None else live_at_loops(source.tree).get(id(node))

    def after_loop(self, node: Any, outer_flag: Any) -> None:
        broke = self.state.get_name(self.frame, "$break")
        returned = self.state.get_name(self.frame, "$return")
        endless = hasattr(node, "test") and self.is_true(node.test) and self.static_value(broke) is False
        if endless and isinstance(returned, Var):
            self.state.set_name(self.frame, "$return", Lit(True))
        self.state.set_name(self.frame, "$break", outer_flag if outer_flag is not None else Lit(False))
        if not node.orelse:
            return
        static = self.static_value(broke)
        if static is False:
            self.exec_block(node.orelse)
        elif static is not True:
            self.branch(broke, lambda: None, lambda: self.exec_block(node.orelse), None)

    def run_for(
        self,
        source: Any,
        body: Callable[[Any], None],
        names: set[str],
        target: Any = None,
        live: Collection[str] | None = None,
    ) -> None:
        """Run ``body`` for every item, as a region if the trip count is known at run time only."""
        entry, mark, start = self.state.fork(), len(self.builder.block.ops), self.branch_start
        self.iterated.append(source)
        self.fixed.append(self.fixed_lists(source))
        try:
            self.run_over(source, body, names, target, live)
            return
        except ListChanges as change:
            if change.base not in lists_of(source):
                raise
            changing = change.base
        finally:
            self.iterated.pop()
            self.fixed.pop()
        del self.builder.block.ops[mark:]
        self.state, self.branch_start = entry, start
        self.run_live(source, changing, body, names, live)

    def run_over(
        self,
        source: Any,
        body: Callable[[Any], None],
        names: set[str],
        target: Any,
        live: Collection[str] | None,
    ) -> None:
        spec = self.iteration(source)
        if isinstance(spec, list) and isinstance(source, Lst) and source.shows is not None:
            self.unroll([functools.partial(self.shown, source, i) for i in range(len(spec))], body)
            return
        if isinstance(spec, list):
            self.unroll([functools.partial(IDENTITY, item) for item in spec], body)
            return
        count, start, stop, step, get = spec
        entry = self.state.fork()
        mark = len(self.builder.block.ops)

        def any_turn() -> Any:
            return self.any_turn(count, start, stop, step)

        known = self.static_value(count)
        passes = Passes(live, any_turn, isinstance(known, int) and known > 0)
        try:
            self.region_loop((start, stop, step), get, body, names, target, passes)
            return
        except EveryPassRaises:
            del self.builder.block.ops[mark:]
            self.state = entry
            self.only_pass(any_turn(), lambda: body(get(start)))
            return
        except (ShapeChange, AdError) as problem:
            del self.builder.block.ops[mark:]
            self.state = entry
            first = problem
        static = self.static_value(count)
        if not isinstance(static, int) and isinstance(first, ShapeChange):
            try:
                static = self.demand(
                    count, "the trip count of a loop whose structure changes from pass to pass"
                )
            except AdError as problem:
                problem.why = f"{first}; {problem.why}"
                raise problem from None
        if not isinstance(static, int) or static > MAX_UNROLLED:
            if isinstance(first, ShapeChange):
                raise self.unsupported(
                    "a loop whose structure changes from pass to pass",
                    str(first),
                    "keep types and structure the same in every pass",
                )
            raise first
        self.unroll([functools.partial(get, Lit(i)) for i in self.static_indices(static, start, step)], body)

    def any_turn(self, count: Any, start: Any, stop: Any, step: Any) -> Any:
        """Whether a range is not empty."""
        known, by = self.static_value(count), self.static_value(step)
        if isinstance(known, int):
            return Lit(known > 0)
        if not isinstance(by, int):
            return self.emit(operator.gt, count, Lit(0))
        return self.emit(operator.gt, stop, start) if by > 0 else self.emit(operator.gt, start, stop)

    def only_pass(self, enters: Any, run: Callable[[], None]) -> None:
        """A loop that raises in its first pass, if there is one."""

        def once() -> None:
            run()
            if not self.state.dead:
                raise self.unsupported(
                    "a loop that seems to raise in each pass", "but not in its first", "unroll it by hand"
                )

        if self.static_value(enters) is True:
            once()
        elif self.static_value(enters) is not False:
            self.branch(enters, once, lambda: None, None)

    def static_indices(self, count: int, start: Any, step: Any) -> list[int]:
        first = self.demand(start, "the start of a range")
        stride = self.demand(step, "the step of a range")
        return [first + k * stride for k in range(count)]

    def unroll(self, items: list[Callable[[], Any]], body: Callable[[Any], None]) -> None:
        """Run ``body`` for one item after the other; each is read when its turn comes, as Python does."""
        self.unrolled += len(items)
        if self.unrolled > 20_000:
            raise self.unsupported(
                "a loop over a static structure",
                "unrolled, the program gets too long",
                "use an array instead of a list or tuple",
            )
        self.unroll_from(items, 0, body)

    def unroll_from(self, items: list[Callable[[], Any]], position: int, body: Callable[[Any], None]) -> None:
        while position < len(items) and not self.state.dead:
            self.state.set_name(self.frame, "$continue", Lit(False))
            alive = self.alive()
            if alive is False:
                break
            if alive is not True:
                self.branch(alive, lambda p=position: self.unroll_rest(items, p, body), lambda: None, None)
                break
            body(items[position]())
            position += 1
        self.state.set_name(self.frame, "$continue", Lit(False))

    def unroll_rest(self, items: list[Callable[[], Any]], position: int, body: Callable[[Any], None]) -> None:
        """Unroll further where the loop has not been left."""
        for name in EXITS:
            if self.state.get_name(self.frame, name) is not None:
                self.state.set_name(self.frame, name, Lit(False))
        self.unroll_from(items, position, body)

    def region_loop(
        self,
        bounds: tuple[Any, Any, Any],
        get: Callable[[Any], Any],
        body: Callable[[Any], None],
        names: set[str],
        target: Any,
        passes: Passes,
    ) -> None:
        hint = target.id if type(target).__name__ == "Name" and get is IDENTITY else None
        start, stop, step = map(self.arg, bounds)

        def make(params: Any, inits: Any, block: Block, outs: Any, stops: bool) -> None:
            self.builder.append(
                For(
                    index,
                    (start, stop, step),
                    (),
                    params,
                    inits,
                    block,
                    outs,
                    False,
                    stops,
                    span,
                    self.builder.adjoint,
                )
            )

        span = self.builder.span
        index = Var(Scalar("int"), hint)
        first = int_size(start)
        if isinstance(first, (int, Dim)) and reaches(first, 0) and isinstance(step, Lit) and step.value > 0:
            index.type = Scalar("int", None, Dim.symbol(("int", index.id), least=0))

        def once() -> None:
            body(get(index))

        self.fixpoint(once, names, make, passes, runs_over=1)

    # ----- while
    def exec_While(self, node: Any, rest: list[Any]) -> None:
        flag = self.state.get_name(self.frame, "$break")
        self.state.set_name(self.frame, "$break", Lit(False))
        entry, mark = self.state.fork(), len(self.builder.block.ops)
        try:
            self.region_while(node)
        except EveryPassRaises:
            del self.builder.block.ops[mark:]
            self.state = entry
            self.only_pass(self.truth(self.eval(node.test)), lambda: self.exec_block(node.body))
        except (ShapeChange, AdError) as problem:
            del self.builder.block.ops[mark:]
            self.state = entry
            if not self.unroll_while(node, 0):
                if isinstance(problem, ShapeChange):
                    raise self.unsupported(
                        "a loop whose structure changes from pass to pass",
                        str(problem),
                        "keep types and structure the same in every pass",
                    ) from None
                raise problem
        self.after_loop(node, flag)

    def unroll_while(self, node: Any, trips: int) -> bool:
        """Run the loop while its condition is static; False if it is not, or there is no end."""
        while True:
            self.state.set_name(self.frame, "$continue", Lit(False))
            if self.alive() is not True:
                return self.alive() is False
            cond = self.static_value(self.truth(self.eval(node.test)))
            if not isinstance(cond, bool) or trips > MAX_UNROLLED:
                return False
            if not cond:
                return True
            self.exec_block(node.body)
            trips += 1

    def region_while(self, node: Any) -> None:
        passes = (
            Passes(self.live_at(node), lambda: Lit(True), True)
            if self.is_true(node.test)
            else Passes(self.live_at(node))
        )
        self.while_region(
            lambda: self.eval(node.test), lambda: self.exec_block(node.body), self.assigned(node), passes
        )

    def while_region(
        self, condition: Callable[[], Any], body: Callable[[], None], names: set[str], passes: Passes
    ) -> None:
        span = self.builder.span
        conds: list[Block] = []

        def test() -> bool:
            with self.builder.nested(Block()) as block:
                before = dict(self.state.contents)
                cond = self.truth(condition())
                changed = {
                    k
                    for k, v in self.state.contents.items()
                    if before.get(k) is not v and not (k is self.frame and same_names(v, before.get(k)))
                }
                if any(
                    getattr(k, "serial", 0) < entry_time and not (isinstance(k, Arr) and k.view)
                    for k in changed
                ):
                    raise ShapeChange("its condition changes variables")
                self.state.contents = before
                block.results = (self.arg(cond),)
            conds.append(block)
            if self.static_value(cond) is False:
                return False
            return True

        entry_time = now()

        def make(params: Any, inits: Any, block: Block, outs: Any, stops: bool) -> None:
            self.builder.append(
                While(params, inits, conds[-1], block, outs, stops, span, self.builder.adjoint)
            )

        def once() -> None:
            test()
            body()

        self.fixpoint(once, names, make, passes)

    def is_true(self, test: Any) -> bool:
        """Whether the condition of a loop is a constant that holds."""
        return type(test).__name__ == "Constant" and bool(test.value)

    def assigned(self, node: Any) -> set[str]:
        """The local names that a loop assigns, read off its text."""
        import gast

        names: set[str] = set()
        stack = [*node.body, *(getattr(node, part) for part in ("target", "test") if hasattr(node, part))]
        while stack:
            part = stack.pop()
            if isinstance(part, (gast.FunctionDef, gast.Lambda)):
                if isinstance(part, gast.FunctionDef):
                    names.add(part.name)
                continue
            if isinstance(part, (gast.ListComp, gast.GeneratorExp, gast.DictComp, gast.SetComp)):
                continue
            if isinstance(part, gast.AugAssign) and isinstance(part.target, gast.Name):
                held = self.state.get_name(self.frame, part.target.id)
                if isinstance(
                    held, (Arr, Lst, Dct)
                ):  # written in place: the name still shows the same object
                    stack.append(part.value)
                    continue
            if isinstance(part, gast.Name) and isinstance(part.ctx, gast.Store):
                names.add(part.id)
            stack += list(gast.iter_child_nodes(part))
        return {
            n for n in names if n not in self.frame.nonlocals and "global " + n not in self.frame.nonlocals
        }


def same_names(after: dict[str, Any], before: Any) -> bool:
    """Whether two contents of a frame agree in all that the user can name."""
    return isinstance(before, dict) and {k: id(v) for k, v in after.items() if k != "$choice"} == {
        k: id(v) for k, v in before.items() if k != "$choice"
    }
