"""What is a call of a function with a rule of its own in a program that is being compiled?

The body of ``fwd``, or of the function, in place of the call, and behind it one operation, ``ruled``, which
has the rule: what that makes of cotangents is read here, too, as a block of its own, so that what it reads
from outside is guarded as all else is.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ...compiler.adjoint.contributions import cotangent_type
from ...compiler.adjoint.own_rules import OwnRule
from ...compiler.frontend.builder import type_of_arg
from ...compiler.frontend.callables.calls import call, call_primitive
from ...compiler.frontend.constructs.boundness import Raised
from ...compiler.frontend.context import Context
from ...compiler.frontend.conversion import from_python
from ...compiler.frontend.guards import Guard, Path
from ...compiler.frontend.outside_values import outside_constant, outside_value
from ...compiler.frontend.structures import rebuilt, structure_of
from ...compiler.frontend.values import Arr, Dct, Frame, Lst, Obj, Tup, now
from ...compiler.ir.builtin import assign, ruled
from ...compiler.ir.ops import Arg, Block, Lit, Op, Seq, Var, variables, walk
from ...compiler.ir.types import carries_derivative
from ...compiler.simplify.dead_code import live_statements
from ...compiler.simplify.renaming import free
from ...errors import UnsupportedError
from ...rules import helpers
from ...rules.rule_results import by_name_only, no_linear_cotangent, no_pair, no_tangent, writes, wrong_number
from ...tracing.purity import Search
from ..inside_later import mapped
from ..inside_stores import is_outside
from .leaves import Fitting, leaves
from .transposed import Tangent

if TYPE_CHECKING:
    from .functions import Own

DEEPEST = 3  # rules within rules: more are needed for higher derivatives only, which are traced then


def lowered(cx: Context, own: Own, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The abstract result of a call."""
    return Reading(cx, own, args, kwargs).result()


class Reading:
    """One call, as it is being read."""

    def __init__(self, cx: Context, own: Own, args: list[Any], kwargs: dict[str, Any]) -> None:
        self.cx, self.own, self.born = cx, own, now()
        self.path = Path.of_object(own, own.name)
        self.depth, cx.has_own_rules = cx.own_rules, True
        given, self.kwargs = self.arranged(args, kwargs)
        self.originals: list[tuple[Arr, Arr]] = []
        self.args = [self.copied(arg) for arg in given]
        self.contents = self.held()
        self.chosen = [i for i in range(len(given)) if own.is_differentiated(i)]
        self.inputs = [cx.arg(leaf) for i in self.chosen for leaf in leaves(cx, self.args[i])]
        fixed = [arg for i, arg in enumerate(self.args) if i not in self.chosen]
        self.others = [cx.arg(leaf) for arg in (*fixed, *self.kwargs.values()) for leaf in leaves(cx, arg)]

    def rule(self, attribute: str, key: int | None = None) -> Any:
        """A rule, or the function: it has to stay the same one."""
        found, path = getattr(self.own, attribute), self.path.attribute(attribute)
        if key is not None:
            found, path = found[key], path.item(key)
        return outside_value(self.cx, found, path)

    # ----- arguments
    def arranged(self, args: list[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """The arguments by position, defaults among them."""
        cx, own = self.cx, self.own
        self.guard_rules()
        if own.opaque is not None:
            return args, kwargs
        signature = inspect.signature(own.function)
        try:
            bound = signature.bind(*args, **kwargs)
        except TypeError as problem:
            raise cx.unsupported(
                f"a call of `{own.name}`", str(problem), "check the call", exception=problem
            ) from None
        if bound.kwargs:
            raise by_name_only(own.name, next(iter(bound.kwargs))).at(cx.builder.span)
        parameters = {} if own.is_library else signature.parameters
        for position, (name, parameter) in enumerate(parameters.items()):
            by_name = parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
            if name not in bound.arguments and parameter.default is not parameter.empty and not by_name:
                bound.arguments[name] = self.default(position, parameter.default)
        return list(bound.args), {}

    def default(self, position: int, value: Any) -> Any:
        """The default of a parameter of the function."""
        function = self.own.function
        if not isinstance(function, types.FunctionType):
            return from_python(self.cx, value)
        first = function.__code__.co_argcount - len(function.__defaults__ or ())
        path = Path.of_object(function, self.own.name).attribute("__defaults__")
        return outside_constant(self.cx, value, path.item(position - first))

    def guard_rules(self) -> None:
        """A program is one for these rules."""
        if self.cx.inputs is None:
            return
        for name in ("fwd", "bwd", "tangent"):
            if getattr(self.own, name) is None:
                self.cx.inputs.guards.add(Guard.value(self.path.attribute(name), None))
        for name in ("makers", "parts"):
            rules, path = getattr(self.own, name), self.path.attribute(name)
            self.cx.inputs.guards.add(Guard.value(path, None) if rules is None else Guard.keys(path, rules))

    def copied(self, value: Any) -> Any:
        """An argument of the function's own: no write reaches the caller's."""
        return mapped(self.cx, value, self.copied_leaf)

    def copied_leaf(self, value: Any) -> Any:
        found = self.cx.arg(value)
        if not isinstance(found, Var):
            return value
        # What the function reads of the same value by another name is none of its arguments.
        own = found
        if carries_derivative(found.type):
            own = Var(found.type, found.hint)
            self.cx.builder.append(Op(assign, (found,), (own,), {}, self.cx.builder.span))
        made = self.cx.wrap_var(own)
        if not isinstance(value, Arr):
            return made
        assert isinstance(made, Arr)
        made.orders, made.strides = value.orders, value.strides
        self.originals.append((made, value))
        return made

    # ----- the function
    def result(self) -> Any:
        """What the function returned, with the rule behind it."""
        cx, block = self.cx, self.cx.builder.block
        start = len(block.ops)
        with self.within():
            value, again, saved = self.forward()
        self.refuse_writes()
        results: list[Arg] = []
        structure = structure_of(cx, value, results)
        repeated = self.repeated(again, structure)
        floats = [i for i, r in enumerate(results) if carries_derivative(type_of_arg(r))]
        if not floats:
            return value
        self.others += self.around(Block(block.ops[start:]))
        outs = tuple(Var(type_of_arg(results[i])) for i in floats)
        rule = self.read_rule(structure, results, floats, outs, saved)
        values = tuple(results[i] for i in floats)
        again = [repeated[i] for i in floats if repeated]
        read: list[Sequence[Arg]] = [self.inputs, self.others, rule.reads, again]
        read = [()] * 4 if self.own.zero else read
        parts: list[Arg] = [Lit(rule), *(Seq(tuple(part)) for part in (values, *read))]
        cx.builder.append(Op(ruled, tuple(parts), outs, {}, cx.builder.span, adjoint=cx.builder.adjoint))
        for i, out in zip(floats, outs, strict=True):
            results[i] = out
        found = rebuilt(cx, structure, results)
        self.relate(found, values, outs)
        return found

    @contextmanager
    def within(self) -> Iterator[None]:
        self.cx.own_rules += 1
        try:
            yield
        finally:
            self.cx.own_rules -= 1

    def forward(self) -> tuple[Any, Any, Any]:
        """The value; the value whose code is differentiated next, or None; and what ``bwd`` needs.

        The call that is differentiated first runs ``fwd``, or the rule for tangents. One within a rule runs
        the function, and ``fwd`` beside it for a derivative of that.
        """
        own = self.own
        if self.depth == 0 and own.has_value:
            value, saved = self.by_rule(asked=True)
            return value, value, saved
        if own.opaque is not None:
            self.require_no_effects()
            value = call_primitive(self.cx, own.opaque, list(self.args), dict(self.kwargs))
        else:
            value = call(self.cx, self.rule("function"), list(self.args), {})
        if not own.has_value or self.depth >= DEEPEST:
            return value, None, Lit(None)
        return value, *self.by_rule(asked=False)

    def require_no_effects(self) -> None:
        """What its result is, trial runs tell, and the check of a first call repeats the call."""
        if not Search().pure(self.own.function):
            raise self.cx.unsupported(
                f"a call of `{self.own.name}`, a primitive that may have effects",
                "the compiler would run it on made-up arguments for the type of its result",
                "use it as it is: it is traced, and called once; or let it change nothing outside of it",
            )

    def by_rule(self, asked: bool) -> tuple[Any, Any]:
        """The value that a rule computes, and what ``bwd`` needs; ``asked``: whether it is the call's."""
        own, block = self.own, self.cx.builder.block
        start = len(block.ops)
        if own.bwd is not None:
            value, saved = self.pair(
                "fwd", call(self.cx, self.rule("fwd"), self.args, {}), "value, residuals"
            )
        else:
            fixed, primals = own.split(self.args)
            tangents = Tup(tuple(mapped(self.cx, arg, self.zero) for arg in primals))
            found = call(self.cx, self.rule("tangent"), [*fixed, Tup(tuple(primals)), tangents], {})
            value, saved = self.pair("the rule", found, "value, tangent")[0], Lit(None)
        if not asked or own.bwd is None:
            self.run_if_read(Block(block.ops[start:]), value if asked else None)
        return value, saved

    def run_if_read(self, block: Block, value: Any) -> None:
        """What nobody asked for, all but a value, need not run for the exceptions that it may raise."""
        results: list[Arg] = []
        if value is not None:
            structure_of(self.cx, value, results)
        asked = live_statements(block, tuple(results)) if results else ()
        for op in walk(block):
            if isinstance(op, Op) and id(op) not in asked:
                op.sure = True

    def repeated(self, again: Any, structure: Any) -> list[Arg]:
        """The leaves of the value that is differentiated next."""
        results: list[Arg] = []
        if again is not None and structure_of(self.cx, again, results) != structure:
            raise self.cx.unsupported(
                f"the rule of `{self.own.name}`",
                "it returns a value of another structure than the function",
                "let both return the same tuples, lists and dicts",
            )
        return results

    def zero(self, leaf: Any) -> Any:
        """A tangent of zeros."""
        found = self.cx.arg(leaf)
        if isinstance(found, Lit):
            return Lit(type(found.value)(0))
        made = self.cx.builder.opaque(helpers.zero_like, (found,), cotangent_type(type_of_arg(found)))
        return self.cx.wrap_var(made)

    def pair(self, rule: str, found: Any, wanted: str) -> tuple[Any, Any]:
        """What a rule returned, if that is a pair."""
        items = self.items(found)
        if items is None or len(items) != 2:
            raise no_pair(self.own.name, rule, wanted).at(self.cx.builder.span)
        return items[0], items[1]

    def items(self, found: Any) -> tuple[Any, ...] | None:
        """The items of a tuple or list, or None."""
        if isinstance(found, Tup):
            return found.items
        content = self.cx.state.get(found) if isinstance(found, Lst) else None
        return content if isinstance(content, tuple) else None

    def refuse_writes(self) -> None:
        """A function with a rule leaves its arguments as they are."""
        arrays = [made for made, _ in self.originals]
        if any(self.cx.state.get(a) is not a.initial for a in arrays) or self.held() != self.contents:
            raise writes(self.own.name).at(self.cx.builder.span)

    def held(self) -> list[Any]:
        """What the lists, dicts and objects in the arguments hold."""
        found, pending = list[Any](), [*self.args]
        while pending:
            value = pending.pop()
            content = self.cx.state.get(value) if isinstance(value, (Lst, Dct, Obj)) else ()
            content = value.items if isinstance(value, Tup) else content
            found.append(content)
            if isinstance(content, (tuple, dict)):
                pending += content.values() if isinstance(content, dict) else content
        return found

    def around(self, block: Block) -> list[Arg]:
        """What the function reads of the program beside its arguments."""
        known = set(variables(*self.inputs, *self.others))
        return [v for v in free(block) if v not in known and carries_derivative(v.type)]

    def relate(self, found: Any, values: Sequence[Arg], outs: Sequence[Var]) -> None:
        """An array that is returned as it was given has two names: a write through one loses the other."""
        returned = {out: value for out, value in zip(outs, values, strict=True)}
        for leaf in leaves(self.cx, found):
            if not isinstance(leaf, Arr):
                continue
            for made, original in self.originals:
                if returned.get(leaf.initial) is made.initial:  # type: ignore[arg-type]
                    root = original
                    while isinstance(root.view and root.view.parent, Arr):
                        root = root.view.parent  # type: ignore[union-attr]
                    leaf.sources += ((root, self.cx.state.get(root)),)
                    root.sources += ((leaf, leaf.initial),)

    # ----- the rule
    def read_rule(
        self, structure: Any, results: list[Arg], floats: list[int], outs: Sequence[Var], saved: Any
    ) -> OwnRule:
        """The rule, as a block."""
        own, name = self.own, self.own.name
        if self.depth >= DEEPEST and not own.zero:
            problem = UnsupportedError(
                f"a derivative of `{name}` within its own rules",
                self.cx.builder.span,
                f"rules are read within rules to a depth of {DEEPEST}",
                "trace it, or write the rule without calls of functions with rules",
            )
            return OwnRule(name, missing=problem, refusal=own.refusal())
        bars = tuple(Var(cotangent_type(out.type), "value_bar") for out in outs)
        answers = tuple(Var(out.type) for out in outs)
        if own.zero:
            return OwnRule(name, bars, answers)
        g: list[Arg] = [Lit(0) for _ in results]
        ans = list(results)
        for i, bar, answer in zip(floats, bars, answers, strict=True):
            g[i], ans[i] = bar, answer
        ways = [own.pulls, None] if own.pulls and own.has_tangent else [own.pulls]
        body, *tangent = (self.rule_block(way, structure, saved, ans, g) for way in ways)
        known = {*bars, *answers}
        reads = tuple({v: None for block in (body, *tangent) for v in free(block) if v not in known})
        errors = {"no_tangent": no_tangent(name), "not_linear": no_linear_cotangent(name)}
        if own.transposable or self.depth or not own.pulls:
            del errors["no_tangent"]
        transposed = tangent[0] if tangent else None if own.pulls else body
        return OwnRule(name, bars, answers, reads, body, transposed, refusal=own.refusal(), **errors)

    def rule_block(self, pulls: Any, structure: Any, saved: Any, ans: list[Arg], g: list[Arg]) -> Block:
        """The cotangents of the inputs, as a block; ``pulls``: by a rule for cotangents."""
        block, before = Block(), self.cx.state
        self.cx.state = before.fork()
        try:
            with self.cx.builder.nested(block), self.within():
                try:
                    block.results = tuple(self.cotangents(pulls, structure, saved, ans, g))
                except Raised:
                    block.results = tuple(Lit(None) for _ in self.inputs)
            self.refuse_stores(before, self.cx.state)
        finally:
            self.cx.state = before
        return block

    def cotangents(self, pulls: Any, structure: Any, saved: Any, ans: list[Arg], g: list[Arg]) -> list[Arg]:
        """The cotangents of the inputs."""
        cx, own = self.cx, self.own
        if not pulls:
            return Tangent(self, structure, ans, g).cotangents()
        bar = rebuilt(cx, structure, g)
        if own.bwd is not None:
            fixed, _ = own.split(self.args)
            items = self.items(call(cx, self.rule("bwd"), [*fixed, saved, bar], {}))
            count = None if items is None else len(items)
            if items is None or count != len(self.chosen):
                raise wrong_number(own.name, "bwd", count, len(self.chosen)).at(cx.builder.span)
        else:
            answer = rebuilt(cx, structure, ans)
            items = tuple(self.made(i, answer, bar) for i in self.chosen)
        fitting = Fitting(cx, own.name, own.rule)
        return [
            leaf
            for i, item in zip(self.chosen, items, strict=True)
            for leaf in fitting.leaves(self.args[i], item, own.label(i))
        ]

    def made(self, position: int, answer: Any, bar: Any) -> Any:
        """A cotangent by a maker."""
        assert self.own.makers is not None
        if self.own.makers[position] is None:
            return Lit(None)
        maker = self.rule("makers", position)
        return call(self.cx, call(self.cx, maker, [answer, *self.args], dict(self.kwargs)), [bar], {})

    def refuse_stores(self, before: Any, after: Any) -> None:
        """What a rule stores outside is stored at another time than the program's own."""
        for key, content in after.contents.items():
            if isinstance(key, Arr) and (key.view is not None or key.serial >= self.born):
                continue
            known = before.contents.get(key, getattr(key, "initial", None))
            old = is_outside(key) or getattr(key, "serial", 0) < self.born
            if old and content is not known and content != known:
                what = "a local variable" if isinstance(key, Frame) else "an object"
                raise self.cx.unsupported(
                    f"a write to {what} from the rule of `{self.own.name}`",
                    "the rule runs later than what is around it, and perhaps never",
                    "trace it, or return the value",
                )
