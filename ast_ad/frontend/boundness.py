"""What does a read of a name without a value do, and what becomes of a value that one of two paths has?

Whether a name is bound is a state of the store, beside the value: ``Unbound``, ``Maybe`` (with the boolean
that tells it at run time), or a plain value. A read checks it, and raises Python's own error; from then on
the name is bound. A path that gives no value gives an ``Undefined`` of its type, which nothing reads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import AdError
from ..ir.builtin import raise_
from ..ir.ops import Arg, Block, If, Lit, Op, Seq, Slice, Undefined, Var, map_arg, variables
from ..ir.types import Opaque, Scalar
from .core import Core
from .values import (
    Arr,
    ArrayMethod,
    Bound,
    Closure,
    Comprehension,
    Dct,
    Flat,
    Frame,
    Iterable,
    Lost,
    Lst,
    Maybe,
    Obj,
    Range,
    State,
    Super,
    Tup,
    Unbound,
)

LOCAL = "cannot access local variable '{}' where it is not associated with a value"
FREE = "cannot access free variable '{}' where it is not associated with a value in enclosing scope"


class Raised(Exception):
    """The statement that is being read raises for certain; the operation that does so has been emitted."""


class Boundness(Core):
    # ----- reads
    def read_name(self, state: Any, frame: Frame, name: str) -> Any:
        """The value of a variable of ``frame`` that is in this state; emits the check that it has one."""
        error, text = self.unbound_error(frame, name)
        if isinstance(state, (Unbound, Maybe)):
            self.unbound_reads.add((frame, name))
        value = self.checked(state, error, text)
        if value is not state:
            self.state.set_name(frame, name, value)
        return value

    def unbound_error(self, frame: Frame, name: str) -> tuple[type[Exception], str]:
        """What Python raises for a read of a name of ``frame`` that has no value."""
        here = self.frame
        while here is not frame and here.inlined and here.enclosing is not None:
            here = here.enclosing
        return (UnboundLocalError, LOCAL.format(name)) if here is frame else (NameError, FREE.format(name))

    def checked(self, state: Any, error: type[Exception], text: str) -> Any:
        """What is bound, after a check if that is known at run time only."""
        if isinstance(state, Unbound):
            self.emit_raise(error(text))
            raise Raised
        if isinstance(state, Lost):
            raise self.unsupported(f"a read of `{state.name}`", state.why, "give it a value on every path")
        if not isinstance(state, Maybe):
            return state
        with self.builder.nested(Block()) as unbound:
            self.emit_raise(error(text))
        self.builder.append(If(state.bound, Block(), unbound, (), self.builder.span, self.builder.adjoint))
        return state.value

    def emit_raise(self, error: Exception) -> None:
        kind = type(error)
        exception = self.builder.opaque(kind, tuple(map(Lit, error.args)), Opaque(kind.__name__))
        self.builder.append(Op(raise_, (exception,), (), {}, self.builder.span, effect=True))

    @staticmethod
    def is_certain(problem: AdError, block: Block) -> bool:
        """Whether an error tells what the plain program raises wherever the block runs."""
        error = getattr(problem, "exception", None)
        if error is None or type(error).__module__ != "builtins" or problem.block is not block:  # type: ignore[attr-defined]
            return False
        return all(isinstance(arg, (str, int, float)) for arg in error.args)

    def maybe(self, value: Any, bound: Any) -> Any:
        """``value`` where ``bound`` holds, a boolean that may be static."""
        known = self.static_value(bound)
        if isinstance(known, bool):
            return value if known else Unbound()
        return Maybe(value, bound)

    # ----- two paths
    def merge_bound(self, a: Any, b: Any, sides: Any, phis: Any, since: int, name: str) -> Any:
        """The state of a slot that has no value on one of two paths, or perhaps none."""
        if isinstance(a, Lost) or isinstance(b, Lost):
            return a if isinstance(a, Lost) else b
        values = [self.value_of(state) for state in (a, b)]
        if values == [None, None]:
            return a
        if None not in values:
            value = values[0]
            if value is not values[1]:
                value = self.merge_values(*values, sides, phis, since, name)
        else:
            first = values[1] is None
            value = self.exported(values[0 if first else 1], first, phis, sides, since)
        if name.startswith("$"):
            return value
        return self.maybe(value, self.merge_flags(bound_flag(a), bound_flag(b), phis, name))

    @staticmethod
    def value_of(state: Any) -> Any:
        if isinstance(state, Unbound):
            return None
        return state.value if isinstance(state, Maybe) else state

    def merge_flags(self, a: Any, b: Any, phis: Any, name: str) -> Any:
        """A boolean that is ``a`` on the one path and ``b`` on the other."""
        known = [self.static_value(flag) for flag in (a, b)]
        if known == [True, True]:
            return Lit(True)
        if known == [True, False] and self.flag_cond is not None:
            return self.flag_cond
        return phis.add(a, b, Scalar("bool"), f"{name}_bound" if name.isidentifier() else None)

    def merge_dead(self, sides: Any, phis: Any, since: int) -> State:
        """One side raised: what the other holds goes on, as results that the dead side leaves undefined."""
        (first, _), (second, _) = sides
        if first.dead and second.dead:
            return first
        alive = second if first.dead else first
        merged = phis.merged = alive.fork()
        for key in alive.contents:
            if isinstance(key, Arr) and key.view is not None:
                merged.contents.pop(key, None)
        for key, content in alive.contents.items():
            if getattr(key, "serial", 0) <= since and not (isinstance(key, Arr) and key.view is not None):
                merged.set(key, self.exported(content, alive is first, phis, sides, since))
        for arr in phis.arrays:
            self.watch(arr, merged)
        return merged

    def exported(self, value: Any, first: bool, phis: Any, sides: Any, since: int) -> Any:
        """What only one path holds, as it is known behind the branch.

        What the path computed becomes a result of the branch. An object keeps its identity; of one that the
        path made, the contents are treated alike.
        """

        def again(part: Any) -> Any:
            return self.exported(part, first, phis, sides, since)

        if isinstance(value, (Var, Seq, Slice)):
            return map_arg(lambda var: self.exported_var(var, first, phis), value)
        if isinstance(value, dict):
            return {k: again(v) for k, v in value.items()}
        if isinstance(value, tuple):
            return tuple(map(again, value))
        if isinstance(value, slice):
            return slice(again(value.start), again(value.stop), again(value.step))
        if isinstance(value, Maybe):
            return Maybe(again(value.value), again(value.bound))
        if isinstance(value, (Closure, Comprehension)):
            again(value.frame)
        rebuild = REBUILT.get(type(value))
        if rebuild is not None:
            found = rebuild(value, again)
            if isinstance(value, Iterable):
                phis.merged.set(found, phis.merged.look(value))
            return found
        if isinstance(value, Arr) and value.view is not None and value.serial > since:
            return self.exported_view(value, first, phis, sides, since)
        if isinstance(value, (Arr, Lst, Dct, Obj, Frame)) and value.serial > since:
            self.export_contents(value, again, phis, sides[0 if first else 1][0])
        return value

    def exported_var(self, var: Var, first: bool, phis: Any) -> Arg:
        if not self.was_emitted_in_branch(var):
            return var
        nothing = Undefined(var.type)
        return phis.add(var if first else nothing, nothing if first else var, var.type, var.hint)

    def export_contents(self, value: Any, again: Callable[[Any], Any], phis: Any, state: State) -> None:
        """Give an object that a path made its contents behind the branch."""
        if ("exported", id(value)) not in phis.memo:
            phis.memo["exported", id(value)] = value
            phis.merged.set(value, again(state.look(value)))

    def exported_view(self, arr: Arr, first: bool, phis: Any, sides: Any, since: int) -> Any:
        """A window that a path opened, as an array; what its index reads may not be known elsewhere."""
        side = sides[0 if first else 1]
        if any(state.dead for state, _ in sides):
            if self.is_known_outside(arr, since):
                return arr
            phis.shared = (self.shared_roots(side[0]),) * 2
        key = ("exported", id(arr))
        if key not in phis.memo:
            found = self.exported_var(self.variable_in(arr, side), first, phis)
            values = (arr, None) if first else (None, arr)
            phis.memo[key] = self.merged_array(found, values, phis, since), arr
        return phis.memo[key][0]

    def variable_in(self, arr: Arr, side: Any) -> Var:
        leaf = self.leaf_in(arr, side)
        assert isinstance(leaf, Var)
        return leaf

    def is_known_outside(self, arr: Any, since: int) -> bool:
        """Whether a window can be opened behind the branch as well."""
        while isinstance(arr, Arr) and arr.view is not None and arr.serial > since:
            index = arr.view.index
            if index is None or any(map(self.was_emitted_in_branch, variables(index))):
                return False
            arr = arr.view.parent
        return bool(getattr(arr, "serial", since) <= since)

    def was_emitted_in_branch(self, var: Any) -> bool:
        return isinstance(var, Var) and var.id >= self.branch_start


def bound_flag(state: Any) -> Any:
    """The boolean that tells whether a slot in this state has a value; None: it was never set."""
    if isinstance(state, Maybe):
        return state.bound
    return Lit(state is not None and not isinstance(state, Unbound))


def components(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]]:
    """What a value of no identity is made of, and how to make it of other parts."""
    parts: list[Any] = []

    def note(part: Any) -> Any:
        parts.append(part)
        return part

    rebuild = REBUILT[type(value)]
    rebuild(value, note)

    def again(others: list[Any]) -> Any:
        left = iter(others)
        return rebuild(value, lambda part: next(left))

    return parts, again


PARTS = (Closure, Bound, Range)


def same_make(a: Any, b: Any) -> bool:
    """Whether two functions or ranges are made alike, of parts that may differ."""
    if type(a) is not type(b) or len(components(a)[0]) != len(components(b)[0]):
        return False
    if isinstance(a, Closure):
        return a.node is b.node and a.frame is b.frame
    return not isinstance(a, Bound) or list(a.kwargs) == list(b.kwargs)


REBUILT: dict[type, Callable[[Any, Callable[[Any], Any]], Any]] = {
    Tup: lambda v, f: Tup(tuple(map(f, v.items)), v.cls),
    Range: lambda v, f: Range(f(v.start), f(v.stop), f(v.step)),
    Bound: lambda v, f: Bound(f(v.fn), tuple(map(f, v.args)), {k: f(x) for k, x in v.kwargs.items()}),
    Iterable: lambda v, f: Iterable(
        v.kind, tuple(map(f, v.sources)), v.start if v.start is None else f(v.start)
    ),
    ArrayMethod: lambda v, f: ArrayMethod(f(v.receiver), v.name),
    Flat: lambda v, f: Flat(f(v.array)),
    Super: lambda v, f: Super(v.cls, f(v.instance)),
    Closure: lambda v, f: replace(v, defaults={k: f(x) for k, x in v.defaults.items()}),
}
"""What is made of its parts, without an identity: how it is made of others."""
