"""Loops: what is carried from one iteration to the next is found by running the body until nothing changes.

The body is read on parameters that stand for the values at the start of any iteration. Slots of the store
that it changes become parameters, their types joined with what the body leaves, and it is read again; most
loops need one pass, because the names that a body assigns can be seen in its text. A loop whose
structure changes from pass to pass (a list of functions, arrays of other ranks) is unrolled if its trip count
is static.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..errors import AdError
from ..ir.ops import Arg, Block, For, Lit, Var, While
from ..ir.types import Array, Dim, ListOf, Scalar, Type
from .builder import type_of_arg
from .core import Core
from .merge import NOTHING, ShapeChange, join, join_carried, join_lists, renewed, same_constant
from .statements import EXITS
from .values import Arr, Bound, Closure, Dct, Frame, Iterable, Lst, Obj, Range, State, Tup, Unbound, now

MAX_PASSES = 10
MAX_UNROLLED = 600
OUT_ONLY = ("$return", "$break", "$value", "$choice")


@dataclass
class Template:
    """The structure of a carried slot: leaves with types, or a value that stays the same."""

    kind: str  # 'leaf' | 'unbound' | 'same' | 'tuple' | 'list' | 'dict' | 'object'
    type: Type | None = None
    children: tuple[Template, ...] = ()
    info: Any = None
    array: bool = False
    foreign: str | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Template)
            and self.kind == other.kind
            and self.type == other.type
            and self.children == other.children
            and self.array == other.array
            and self.foreign == other.foreign
            and (self.info is other.info or self.kind != "same")
        )


class Loops(Core):
    own_dims: set[Dim] = set()

    # ----- for
    def exec_For(self, node: Any, rest: list[Any]) -> None:
        source = self.eval(node.iter)
        flag = self.state.get_name(self.frame, "$break")
        self.state.set_name(self.frame, "$break", Lit(False))

        def body(item: Any) -> None:
            self.assign(node.target, item)
            self.exec_block(node.body)

        self.run_for(source, body, self.assigned(node), node.target)
        self.after_loop(node, flag)

    def after_loop(self, node: Any, outer_flag: Any) -> None:
        broke = self.state.get_name(self.frame, "$break")
        self.state.set_name(self.frame, "$break", outer_flag if outer_flag is not None else Lit(False))
        if not node.orelse:
            return
        static = self.static_value(broke)
        if static is False:
            self.exec_block(node.orelse)
        elif static is not True:
            self.branch(broke, lambda: None, lambda: self.exec_block(node.orelse), None)

    def run_for(self, source: Any, body: Callable[[Any], None], names: set[str], target: Any = None) -> None:
        """Run ``body`` for every item, as a region if the trip count is known at run time only."""
        spec = self.iteration(source)
        if isinstance(spec, list):
            self.unroll(spec, body)
            return
        count, start, stop, step, get = spec
        entry = self.state.fork()
        mark = len(self.builder.block.ops)
        try:
            self.region_loop((start, stop, step), get, body, names, target)
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
        self.unroll([get(Lit(i)) for i in self.static_indices(static, start, step)], body)

    def static_indices(self, count: int, start: Any, step: Any) -> list[int]:
        first = self.demand(start, "the start of a range")
        stride = self.demand(step, "the step of a range")
        return [first + k * stride for k in range(count)]

    def unroll(self, items: list[Any], body: Callable[[Any], None]) -> None:
        self.unrolled += len(items)
        if self.unrolled > 20_000:
            raise self.unsupported(
                "a loop over a static structure",
                "unrolled, the program gets too long",
                "use an array instead of a list or tuple",
            )
        self.unroll_from(items, 0, body)

    def unroll_from(self, items: list[Any], position: int, body: Callable[[Any], None]) -> None:
        while position < len(items) and not self.state.dead:
            self.state.set_name(self.frame, "$continue", Lit(False))
            alive = self.alive()
            if alive is False:
                break
            if alive is not True:
                self.branch(alive, lambda p=position: self.unroll_rest(items, p, body), lambda: None, None)
                break
            body(items[position])
            position += 1
        self.state.set_name(self.frame, "$continue", Lit(False))

    def unroll_rest(self, items: list[Any], position: int, body: Callable[[Any], None]) -> None:
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

        def once() -> None:
            body(get(index))

        self.fixpoint(once, names, make)

    # ----- while
    def exec_While(self, node: Any, rest: list[Any]) -> None:
        flag = self.state.get_name(self.frame, "$break")
        self.state.set_name(self.frame, "$break", Lit(False))
        entry, mark = self.state.fork(), len(self.builder.block.ops)
        try:
            self.region_while(node)
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
        span = self.builder.span
        conds: list[Block] = []

        def test() -> bool:
            with self.builder.nested(Block()) as block:
                before = dict(self.state.contents)
                cond = self.truth(self.eval(node.test))
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
            self.exec_block(node.body)

        self.fixpoint(once, self.assigned(node), make)

    # ----- the fixpoint
    def fixpoint(self, once: Callable[[], None], names: set[str], make: Callable[..., None]) -> None:
        entry, since = self.state, now()
        frame = self.frame
        templates: dict[Any, Template] = {}
        for name in sorted(names):
            value = entry.get_name(frame, name)
            templates[frame, name] = self.template(value if value is not None else Unbound(name), entry)
        before_errors = dict(self.errstate)
        outer_dims, self.own_dims = self.own_dims, set()
        try:
            self.settle(once, templates, make, since)
        finally:
            self.own_dims = outer_dims
        self.errstate = {**before_errors, **self.errstate}

    def settle(self, once: Callable[[], None], templates: dict[Any, Template], make: Callable[..., None], since: int) -> None:
        """Read the body until what it carries stays the same, then append the loop."""
        entry, frame = self.state, self.frame
        for count in range(MAX_PASSES):
            state, params = self.enter(entry, templates)
            self.state = state.fork()
            outer_pass, self.first_pass, self.unbound_read = self.first_pass, count == 0, False
            with self.builder.nested(Block()) as block:
                try:
                    once()
                finally:
                    self.first_pass = outer_pass
                end = self.state
                if end.dead:
                    raise ShapeChange("every pass raises")
                stops = self.stop_flag(end)
            changed = self.changed_slots(state, end, since, frame)
            grown = self.grow(templates, changed, entry, state, end, block)
            if grown == templates and not self.unbound_read:
                self.finish(entry, end, templates, params, block, stops, make)
                return
            templates = grown
        raise ShapeChange("its types change in every pass")

    def stop_flag(self, end: State) -> Any:
        """The condition that ends the loop after this pass, or None."""
        flags = [end.get_name(self.frame, n) for n in ("$break", "$return")]
        flags = [f for f in flags if f is not None and self.static_value(f) is not False]
        if not flags:
            return None
        stop = flags[0]
        for flag in flags[1:]:
            stop = self.emit(operator.or_, stop, flag)
        return stop

    def enter(self, entry: State, templates: dict[Any, Template]) -> tuple[State, dict[Any, list[Var]]]:
        """The store at the start of any pass, and the parameters that it holds."""
        state = entry.fork()
        state.set_name(self.frame, "$continue", Lit(False))
        state.set_name(self.frame, "$return", Lit(False))
        state.set_name(self.frame, "$break", Lit(False))
        params: dict[Any, list[Var]] = {}
        for slot, template in templates.items():
            owner, key = slot
            hint = key if isinstance(key, str) else None
            if isinstance(key, str) and key in OUT_ONLY:
                continue
            params[slot] = []
            if owner is not None and template.kind == "unbound":
                value: Any = Unbound(str(key))
            else:
                value = self.instantiate(template, params[slot], hint)
            put_slot(state, slot, value)
        for key in [
            k for k in state.contents if isinstance(k, Arr) and k.view is not None and k.view.put is not None
        ]:
            del state.contents[key]  # windows on arrays are taken anew inside
        return state, params

    def changed_slots(self, state: State, end: State, since: int, frame: Frame) -> list[Any]:
        slots: list[Any] = []
        for key, content in end.contents.items():
            if getattr(key, "serial", 0) > since or (isinstance(key, Arr) and key.view is not None):
                continue
            before = state.get(key)
            if content is before:
                continue
            if isinstance(key, (Frame, Dct, Obj)):
                if isinstance(key, Dct) and set(before) != set(content):
                    raise ShapeChange("the keys of a dict change in the loop")
                slots += [
                    (key, name)
                    for name, v in content.items()
                    if before.get(name) is not v and name != "$continue"
                ]
            else:
                slots.append((key, None))
        return slots

    def grow(
        self,
        templates: dict[Any, Template],
        changed: list[Any],
        entry: State,
        state: State,
        end: State,
        block: Block,
    ) -> dict[Any, Template]:
        """The templates, widened to what the body left."""
        grown = dict(templates)
        for slot in changed:
            value = get_slot(end, slot)
            if slot not in grown:
                first = get_slot(entry, slot)
                grown[slot] = self.template(first if first is not None else Unbound(str(slot[1])), entry)
            if isinstance(slot[1], str) and slot[1] in OUT_ONLY:
                continue
            if grown[slot].kind == "unbound":
                if self.unbound_read:  # a later pass reads what an earlier one assigned
                    grown[slot] = self.template(value, end)
                continue
            outer, self.state = self.state, end
            try:
                with self.builder.nested(Block()):
                    grown[slot] = self.widen(grown[slot], value, state)
            finally:
                self.state = outer
        return grown

    def widen(self, old: Template, value: Any, start: State) -> Template:
        if old.kind == "same":
            if (
                value is old.info
                or isinstance(value, Lit)
                and isinstance(old.info, Lit)
                and same_constant(value.value, old.info.value)
            ):
                return old
            if isinstance(value, Unbound):
                return old
            if isinstance(value, Closure) and isinstance(old.info, Closure) and value.node is old.info.node:
                return Template("same", info=value)
            if isinstance(old.info, Lit):
                return self.widen(Template("leaf", type_of_arg(old.info)), value, start)
            raise ShapeChange("a variable refers to another object in each pass")
        if old.kind == "tuple":
            if not isinstance(value, Tup) or len(value.items) != len(old.children):
                raise ShapeChange("the length of a tuple changes")
            children = tuple(self.widen(c, v, start) for c, v in zip(old.children, value.items, strict=True))
            return Template("tuple", None, children, old.info)
        if old.kind == "list":
            return self.widen_list(old, value, start)
        if old.kind in ("dict", "object"):
            content = self.state.get(value) if isinstance(value, (Dct, Obj)) else None
            if content is None or list(content) != list(old.info[1]):
                raise ShapeChange("the structure of a dict or object changes")
            children = tuple(
                self.widen(c, content[k], start) for c, k in zip(old.children, old.info[1], strict=True)
            )
            return Template(old.kind, None, children, old.info)
        return self.widen_leaf(old, value)

    def widen_leaf(self, old: Template, value: Any) -> Template:
        if isinstance(value, Unbound):
            return old
        if (
            isinstance(value, Lst)
            and not isinstance(self.state.get(value), Var)
            and isinstance(old.type, ListOf)
        ):
            var: Any = self.dynamic_list(self.state.get(value))
        elif isinstance(value, (Tup, Lst, Dct, Obj, Closure, Bound)) and not (
            isinstance(value, Lst) and isinstance(self.state.get(value), Var)
        ):
            raise ShapeChange("a variable becomes a container or function")
        else:
            var = self.arg(value)
        assert old.type is not None
        found = type_of_arg(var)
        if isinstance(old.type, ListOf) and isinstance(found, ListOf):
            return Template("leaf", join_lists(old.type, found), array=False)
        foreign = old.foreign or (value.foreign if isinstance(value, Arr) else None)
        return Template(
            "leaf", join_carried(old.type, found, self.own_dims), array=old.array or isinstance(value, Arr), foreign=foreign
        )

    def widen_list(self, old: Template, value: Any, start: State) -> Template:
        content = self.state.get(value) if isinstance(value, Lst) else value
        if isinstance(content, tuple) and len(content) == len(old.children):
            return Template(
                "list",
                None,
                tuple(self.widen(c, v, start) for c, v in zip(old.children, content, strict=True)),
            )
        if isinstance(content, tuple):
            content = self.dynamic_list(content)
        if not isinstance(content, Var) or not isinstance(content.type, ListOf):
            raise ShapeChange("a list becomes something else")
        type: Type = content.type
        for child in old.children:
            if child.type is None and not (child.kind == "same" and isinstance(child.info, Lit)):
                raise ShapeChange("a list of containers changes its length")
            own = child.type if child.type is not None else type_of_arg(child.info)
            type = (
                ListOf(join(type.element, own))
                if isinstance(type, ListOf) and type.element != NOTHING
                else ListOf(own)
            )
        return Template("leaf", type)

    def template(self, value: Any, state: State) -> Template:
        """The structure of a value at the entry of the loop."""
        if isinstance(value, Unbound):
            return Template("unbound", info=value)
        if isinstance(value, tuple):
            return self.template_content(value, state)
        if isinstance(value, Tup):
            return Template("tuple", None, tuple(self.template(v, state) for v in value.items), value.cls)
        if isinstance(value, Lst):
            content = state.get(value)
            return self.template_content(content, state)
        if isinstance(value, (Dct, Obj)):
            content = state.get(value)
            kind = "dict" if isinstance(value, Dct) else "object"
            return Template(
                kind,
                None,
                tuple(self.template(v, state) for v in content.values()),
                (value.cls, list(content)),
            )
        if isinstance(value, Arr):
            outer, self.state = self.state, state
            type = self.read(value).type
            self.state = outer
            return Template("leaf", type, array=True, foreign=value.foreign)
        if isinstance(value, Var):
            type = value.type
            return Template("leaf", Scalar(type.kind, type.dtype) if isinstance(type, Scalar) else type)
        if isinstance(value, Lit) and type_of_number(value.value):
            return Template(
                "leaf",
                type_of_arg(value)
                if not isinstance(value.value, int) or isinstance(value.value, bool)
                else Scalar("int"),
            )
        return Template("same", info=value)

    def template_content(self, content: Any, state: State) -> Template:
        if isinstance(content, Var):
            return Template("leaf", content.type)
        return Template("list", None, tuple(self.template(v, state) for v in content))

    def instantiate(self, template: Template, params: list[Var], hint: str | None) -> Any:
        """A value of the template's structure on fresh parameters."""
        if template.kind == "same" or template.kind == "unbound":
            return template.info
        if template.kind == "leaf":
            assert template.type is not None
            var = Var(template.type, hint)
            params.append(var)
            if template.array and isinstance(template.type, Array):
                return Arr(var, None, template.foreign)
            return self.wrap_var(var)
        children = tuple(self.instantiate(c, params, hint) for c in template.children)
        if template.kind == "tuple":
            return Tup(children, template.info)
        if template.kind == "list":
            return Lst(children)
        cls, keys = template.info
        content = dict(zip(keys, children, strict=True))
        return Dct(content, cls) if template.kind == "dict" else Obj(cls, content)

    def flatten(self, template: Template, value: Any, out: list[Arg]) -> None:
        """The arguments that a value of the template's structure has at its leaves."""
        if template.kind == "same" or template.kind == "unbound":
            return
        if template.kind == "leaf":
            if isinstance(value, tuple):
                value = self.dynamic_list(value)
            if isinstance(value, Lst) and isinstance(self.state.get(value), tuple):
                value = self.dynamic_list(self.state.get(value))
            out.append(Lit(None) if value is None or isinstance(value, Unbound) else self.arg(value))
            return
        if template.kind == "tuple":
            items: Any = value.items
        elif template.kind == "list":
            items = self.state.get(value) if isinstance(value, Lst) else value
        else:
            items = self.state.get(value).values()
        for child, item in zip(template.children, items, strict=True):
            self.flatten(child, item, out)

    def finish(
        self,
        entry: State,
        end: State,
        templates: dict[Any, Template],
        params: dict[Any, list[Var]],
        block: Block,
        stops: Any,
        make: Callable[..., None],
    ) -> None:
        """Append the region, and go on with its results."""
        self.state = entry
        inits: list[Arg] = []
        yields: list[Arg] = []
        variables: list[Var] = []
        outs: list[Var] = []
        after = entry.fork()
        bound: dict[Any, Any] = {}
        for slot, template in templates.items():
            late = template.kind == "unbound" or isinstance(slot[1], str) and slot[1] in OUT_ONLY
            if late:
                bound[slot] = self.finish_late(slot, entry, end, block, (inits, yields, variables, outs))
                continue
            self.state = entry
            self.flatten(template, get_slot(entry, slot), inits)
            self.state = end
            with self.builder.nested(block):
                self.flatten(template, get_slot(end, slot), yields)
            variables += params[slot]
            results: list[Var] = []
            hint = slot[1] if isinstance(slot[1], str) else next((p.hint for p in params[slot]), None)
            bound[slot] = self.instantiate(template, results, hint)
            for result, init in zip(results, inits[len(inits) - len(results):], strict=True):
                result.type = renewed(result.type, type_of_arg(init))
            outs += results
        block.results = (*(() if stops is None else (self.arg(stops),)), *yields)
        self.state = after
        for slot, value in bound.items():
            put_slot(after, slot, value)
        for key in [
            k for k in after.contents if isinstance(k, Arr) and k.view is not None and k.view.put is not None
        ]:
            del after.contents[key]
        make(tuple(variables), tuple(inits), block, tuple(outs), stops is not None)

    def finish_late(self, slot: Any, entry: State, end: State, block: Block, lists: Any) -> Any:
        """A slot that no pass reads from the one before: its value after the loop is the last pass's."""
        inits, yields, variables, outs = lists
        first, last = get_slot(entry, slot), get_slot(end, slot)
        if last is first or last is None or isinstance(last, Unbound):
            return first if first is not None else Unbound(str(slot[1]))
        self.state = end
        found = self.template(last, end)
        if found.kind == "same" or found.kind == "list" and not found.children:
            return last
        with self.builder.nested(block):
            ends: list[Arg] = []
            self.flatten(found, last, ends)
        starts: list[Arg] = [Lit(None)] * len(ends)
        if isinstance(first, Lit):
            starts = [first]
        results: list[Var] = []
        name = str(slot[1]).lstrip("$")
        value = self.instantiate(found, results, name)
        for result in results:
            result.type = renewed(result.type, None)
            if isinstance(first, Lit) and isinstance(first.value, bool):
                result.type = Scalar("bool")
        yields += ends
        inits += starts
        variables += [Var(r.type, r.hint) for r in results]
        outs += results
        return value

    # ----- what a loop runs over
    def iteration(self, source: Any) -> Any:
        """A list of items, or (count, start, stop, step, get): ``get(index)`` for the indices of a range."""
        if isinstance(source, Range):
            parts = [self.static_value(p) for p in (source.start, source.stop, source.step)]
            if all(isinstance(p, int) for p in parts):
                return Lit(len(range(*parts))), source.start, source.stop, source.step, IDENTITY  # type: ignore[arg-type]
            return self.range_length(source), source.start, source.stop, source.step, IDENTITY
        source = self.consumed(source)
        items = self.static_items(source)
        if items is not None:
            return items
        count, get = self.indexable(source)
        return count, Lit(0), count, Lit(1), get

    def range_length(self, source: Range) -> Any:
        step = self.static_value(source.step)
        if self.static_value(source.start) == 0 and step == 1:
            return source.stop
        span = self.emit(operator.sub, source.stop, source.start)
        if step == 1:
            return span
        return self.emit(
            operator.neg, self.emit(operator.floordiv, self.emit(operator.neg, span), source.step)
        )

    def indexable(self, source: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The number of items at run time, and how to get one by its position."""
        if isinstance(source, Iterable):
            return getattr(self, "indexable_" + source.kind)(source)
        if isinstance(source, Range):
            return self.range_length(source), lambda i: self.emit(
                operator.add, source.start, self.emit(operator.mul, i, source.step)
            )
        return self.length(source), lambda i: self.load_item(source, i)

    def indexable_zip(self, source: Iterable) -> Any:
        parts = [self.indexable(self.as_indexable(s)) for s in source.sources]
        counts: list[Any] = []
        for count, _ in parts:
            if not any(self.same_length(count, c) for c in counts):
                counts.append(count)
        count = counts[0] if len(counts) == 1 else self.emit(min, *counts)
        return count, lambda i: Tup(tuple(get(i) for _, get in parts))

    def same_length(self, a: Any, b: Any) -> bool:
        from .infer import int_size

        return bool(int_size(self.arg(a)) == int_size(self.arg(b)))

    def as_indexable(self, source: Any) -> Any:
        """Static sequences beside run-time ones are read by run-time position."""
        items = self.static_items(source)
        return source if items is None or not items else Lst(self.dynamic_list(tuple(items)))

    def indexable_enumerate(self, source: Iterable) -> Any:
        count, get = self.indexable(source.sources[0])
        return count, lambda i: Tup((self.binary(operator.add, i, source.start), get(i)))

    def indexable_reversed(self, source: Iterable) -> Any:
        count, get = self.indexable(source.sources[0])
        last = self.binary(operator.sub, count, Lit(1))
        return count, lambda i: get(self.binary(operator.sub, last, i))

    def indexable_map(self, source: Iterable) -> Any:
        function, *rest = source.sources
        parts = [self.indexable(s) for s in rest]
        count = parts[0][0] if len(parts) == 1 else self.emit(min, *(c for c, _ in parts))
        return count, lambda i: self.call(function, [get(i) for _, get in parts], {})

    def indexable_ndindex(self, source: Iterable) -> Any:
        total: Any = Lit(1)
        for dim in source.sources:
            total = self.binary(operator.mul, total, dim)

        def get(i: Any) -> Tup:
            parts = []
            for dim in reversed(source.sources):
                parts.append(self.binary(operator.mod, i, dim))
                i = self.binary(operator.floordiv, i, dim)
            return Tup(tuple(reversed(parts)))

        return total, get

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
                if isinstance(held, (Arr, Lst)):  # written in place: the name still shows the same object
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


def IDENTITY(index: Any) -> Any:
    """The items of a range are its indices."""
    return index


def type_of_number(value: Any) -> bool:
    import numpy as np

    return isinstance(value, (bool, int, float, complex, np.generic))


def get_slot(state: State, slot: Any) -> Any:
    key, name = slot
    content = state.get(key)
    return content.get(name) if isinstance(key, (Frame, Dct, Obj)) else content


def put_slot(state: State, slot: Any, value: Any) -> None:
    key, name = slot
    if isinstance(key, (Frame, Dct, Obj)):
        state.set(key, {**state.get(key), name: value})
    elif isinstance(key, Lst):
        state.set(key, state.get(value) if isinstance(value, Lst) else value)
    else:
        state.set(key, state.get(value) if isinstance(value, Arr) else value)
