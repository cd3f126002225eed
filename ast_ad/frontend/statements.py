"""What do statements do: assignment in all its forms, and how a block goes on after return, break, continue?

Leaving early is data: three names that no program can spell (``$return``, ``$break``, ``$continue``) hold
booleans in the frame. False: go on. True: stop here. Known at run time only: the rest of the block is
guarded by a branch.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from ..ir.alternatives import is_mixed
from ..ir.ops import Lit, Span, Var
from ..ir.types import Array, Optional, Scalar, rank_of
from .boundness import Raised
from .core import Core
from .values import Arr, Closure, Dct, Flat, Frame, Lst, Obj, Tup, Unbound

RULES = __name__.partition(".")[0] + ".rules."
EXITS = ("$return", "$break", "$continue")
IN_PLACE = {
    "Add": (operator.add, operator.iadd),
    "Sub": (operator.sub, operator.isub),
    "Mult": (operator.mul, operator.imul),
    "Div": (operator.truediv, operator.itruediv),
    "FloorDiv": (operator.floordiv, operator.ifloordiv),
    "Mod": (operator.mod, operator.imod),
    "Pow": (operator.pow, operator.ipow),
    "MatMult": (operator.matmul, operator.imatmul),
    "BitAnd": (operator.and_, operator.iand),
    "BitOr": (operator.or_, operator.ior),
    "BitXor": (operator.xor, operator.ixor),
    "LShift": (operator.lshift, operator.ilshift),
    "RShift": (operator.rshift, operator.irshift),
}


class Statements(Core):
    def exec_block(self, statements: list[Any]) -> None:
        """Run statements until the block is left for certain; guard what follows a possible exit."""
        for position, node in enumerate(statements):
            if self.state.dead:
                return
            alive = self.alive()
            if alive is False:
                return
            if alive is not True:
                self.exec_guarded(alive, statements[position:])
                return
            self.place(node, node)
            handler = getattr(self, "exec_" + type(node).__name__, None)
            if handler is None:
                raise self.unsupported(
                    f"`{KEYWORDS.get(type(node).__name__, type(node).__name__)}` statement",
                    "the compiler does not follow it yet",
                    "rewrite it without, or move it out of the differentiated function",
                )
            try:
                if handler(node, statements[position + 1 :]):
                    return
            except Raised:
                self.state.dead = True

    def place(self, node: Any, statement: Any = None) -> None:
        """Operations from here on stem from ``node``."""
        source = self.frame.source
        if source is None or not hasattr(node, "lineno") or self.inputs is None or self.within_rules():
            return  # a rule, or a function that the rules come with: the caller's line stands
        text = self.builder.span.text
        if statement is not None:
            text = statement_text(source, statement)
        self.builder.span = Span(
            source.filename,
            node.lineno,
            node.col_offset,
            node.end_col_offset if node.end_lineno == node.lineno else 0,
            text,
            source.name,
        )

    def within_rules(self) -> bool:
        """Whether the function being read is one of the package's own."""
        return str(self.frame.globals.get("__name__")).startswith(RULES)

    # ----- leaving
    def alive(self) -> Any:
        """True, False, or an abstract boolean: does control get here?"""
        flags = [self.state.get_name(self.frame, name) for name in EXITS]
        flags = [f for f in flags if f is not None]
        if any(self.static_value(f) is True for f in flags):
            return False
        dynamic = [f for f in flags if isinstance(f, Var) and self.static_value(f) is not False]
        if not dynamic:
            return True
        left = dynamic[0]
        for flag in dynamic[1:]:
            left = self.emit(operator.or_, left, flag)
        return self.emit(operator.not_, left)

    def exec_Return(self, node: Any, rest: list[Any]) -> None:
        value = Lit(None) if node is None or node.value is None else self.eval(node.value)
        self.state.set_name(self.frame, "$value", value)
        self.state.set_name(self.frame, "$return", Lit(True))

    def exec_Break(self, node: Any, rest: list[Any]) -> None:
        self.state.set_name(self.frame, "$break", Lit(True))

    def exec_Continue(self, node: Any, rest: list[Any]) -> None:
        self.state.set_name(self.frame, "$continue", Lit(True))

    def exec_Pass(self, node: Any, rest: list[Any]) -> None:
        pass

    def exec_Expr(self, node: Any, rest: list[Any]) -> None:
        if type(node.value).__name__ == "Constant":
            return
        self.eval(node.value)

    def exec_Import(self, node: Any, rest: list[Any]) -> None:
        import importlib

        for alias in node.names:
            module = importlib.import_module(alias.name)
            top = importlib.import_module(alias.name.split(".")[0])
            self.bind(alias.asname or alias.name.split(".")[0], Lit(module if alias.asname else top))

    def exec_ImportFrom(self, node: Any, rest: list[Any]) -> None:
        import importlib

        package = self.frame.globals.get("__package__") if node.level else None
        module = importlib.import_module("." * (node.level or 0) + (node.module or ""), package)
        for alias in node.names:
            if hasattr(module, alias.name):
                found = getattr(module, alias.name)
            else:
                found = importlib.import_module(f"{module.__name__}.{alias.name}")
            self.bind(alias.asname or alias.name, Lit(found))

    def exec_Global(self, node: Any, rest: list[Any]) -> None:
        self.frame.nonlocals |= {"global " + name for name in node.names}

    def exec_Nonlocal(self, node: Any, rest: list[Any]) -> None:
        self.frame.nonlocals |= set(node.names)

    def exec_Delete(self, node: Any, rest: list[Any]) -> None:
        for target in node.targets:
            kind = type(target).__name__
            if kind == "Name":
                self.load_name(target.id)
                self.bind(target.id, Unbound(target.id))
            elif kind == "Subscript":
                self.delete_item(self.eval(target.value), self.eval(target.slice))
            else:
                raise self.unsupported(
                    "`del` of an attribute", "the compiler does not follow it", "rebind it instead"
                )

    def exec_FunctionDef(self, node: Any, rest: list[Any]) -> None:
        value: Any = Closure(node, self.frame, self.closure_defaults(node.args), node.name)
        for decorator in reversed(node.decorator_list):
            value = self.call(self.eval(decorator), [value], {})
        self.bind(node.name, value)

    # ----- binding
    def exec_Assign(self, node: Any, rest: list[Any]) -> None:
        value = self.eval(node.value)
        for target in node.targets:
            self.assign(target, value)

    def exec_AnnAssign(self, node: Any, rest: list[Any]) -> None:
        if node.value is not None:
            self.assign(node.target, self.eval(node.value))

    def bind(self, name: str, value: Any) -> None:
        """A local (or nonlocal) name gets a value."""
        if "global " + name in self.frame.nonlocals:
            raise self.unsupported(
                f"assignment to the global `{name}`", "it would outlive the call", "return the value instead"
            )
        frame = self.frame
        while name in frame.nonlocals and frame.enclosing is not None:
            frame = frame.enclosing
        if name in frame.nonlocals or (name in frame.cells and frame is not self.frame):
            raise self.unsupported(
                f"assignment to the nonlocal `{name}`",
                "it would outlive the call",
                "return the value instead",
            )
        self.state.set_name(frame, name, self.named(name, value))

    def named(self, name: str, value: Any) -> Any:
        """Let a fresh value carry the user's name for it; a constant number becomes a named one."""
        var = value.initial if isinstance(value, Arr) and value.view is None else value
        if isinstance(value, Arr) and value.view is not None:
            cached = self.state.contents.get(value)
            var = cached[1] if isinstance(cached, tuple) else None
        if isinstance(var, Var) and var.hint is None and not name.startswith("$"):
            var.hint = name
        if isinstance(value, Lit) and type(value.value) in (float, complex) and self.inputs is not None:
            from ..ir.builtin import assign

            constant = self.builder.op(assign, value)
            constant.hint = name
            return constant
        return value

    def assign(self, target: Any, value: Any) -> None:
        kind = type(target).__name__
        if kind == "Name":
            self.bind(target.id, value)
        elif kind in ("Tuple", "List"):
            self.unpack(target.elts, value)
        elif kind == "Subscript":
            self.store_item(self.eval(target.value), self.eval(target.slice), value)
        elif kind == "Attribute":
            self.store_attribute(self.eval(target.value), self.mangled(target.attr), value)
        else:
            raise self.unsupported(
                f"assignment to {kind}", "the compiler does not follow it", "use a plain name"
            )

    def unpack(self, targets: list[Any], value: Any) -> None:
        starred = [i for i, t in enumerate(targets) if type(t).__name__ == "Starred"]
        items = self.items_of(value, expected=None if starred else len(targets))
        if starred:
            (star,) = starred
            after = len(targets) - star - 1
            middle = items[star : len(items) - after]
            items = [*items[:star], Lst(tuple(middle)), *items[len(items) - after :]]
            targets = [t.value if type(t).__name__ == "Starred" else t for t in targets]
        if len(items) != len(targets):
            raise self.unsupported("unpacking", f"{len(items)} values for {len(targets)} names", "match them")
        for target, item in zip(targets, items, strict=True):
            self.assign(target, item)

    # ----- augmented assignment
    def exec_AugAssign(self, node: Any, rest: list[Any]) -> None:
        plain, in_place = IN_PLACE[type(node.op).__name__]
        kind = type(node.target).__name__
        if kind == "Name":
            before = self.load_name(node.target.id)
            after = self.augment(plain, in_place, before, self.eval(node.value))
            if after is not before:
                self.bind(node.target.id, after)
        elif kind == "Subscript":
            base, index = self.eval(node.target.value), self.eval(node.target.slice)
            before = self.load_item(base, index)
            after = self.augment(plain, in_place, before, self.eval(node.value))
            window = isinstance(after, Arr) and after.view is not None and after.view.put is not None
            if after is not before or isinstance(base, Flat) or isinstance(base, Arr) and not window:
                self.store_item(base, index, after)  # else it has been written where it lies
        else:
            base, name = self.eval(node.target.value), self.mangled(node.target.attr)
            before = self.load_attribute(base, name)
            after = self.augment(plain, in_place, before, self.eval(node.value))
            if after is not before:
                self.store_attribute(base, name, after)

    def augment(self, plain: Any, in_place: Any, before: Any, value: Any) -> Any:
        """``before op= value``: arrays are written, lists extended, everything else is rebound."""
        if isinstance(before, (Lst, Dct, Obj)):
            return self.augment_container(plain, in_place, before, value)
        if not isinstance(before, Arr):
            if hasattr(self.static_value(before), f"__{in_place.__name__}__"):
                raise self.unsupported(
                    "a change in place of this object", "it is not followed", "make a new one"
                )
            return self.binary(plain, before, value)
        old = self.read(before)
        if isinstance(old.type, Optional):
            raise self.unsupported(
                "a change in place of what may be None",
                "whether there is an array is known at run time only",
                "give it an array on every path before it is changed",
            )
        if old.type.shape is None:  # type: ignore[union-attr]
            self.require_alone(before)
            new = self.binary(plain, before, value)
            by, found = self.arg(value), self.arg(new)
            number = isinstance(by, Lit) or isinstance(by, Var) and isinstance(by.type, Scalar)
            if not number or is_mixed(old.type) or getattr(found.type, "dtype", None) != old.type.dtype:  # type: ignore[union-attr]
                raise self.unsupported(
                    "a change in place of what is a number or an array, or has different axes",
                    "an array keeps its shape and dtype in that, a number does not",
                    "write `a = a + b` for a new value",
                )
            return new
        new = self.arg(self.binary(plain, before, value))
        self.overwrite(before, old, new, in_place)
        return before

    def augment_container(self, plain: Any, in_place: Any, before: Any, value: Any) -> Any:
        """``before op= value`` of a list, dict or object: it changes itself where its class says so."""
        if isinstance(before, Lst) and plain is operator.add:
            numpys = isinstance(value, (Var, Lit, Arr)) and self.asked(is_numpys, value)
            if numpys:  # Python asks for a sum before it asks the list: the name gets a new array
                return self.binary(plain, before, value)
            self.list_extend(before, value)
            return before
        if isinstance(before, Lst) and plain is operator.mul:
            repeated = self.binary(plain, before, value)
            if not isinstance(repeated, Lst):
                return repeated
            self.set_list(before, self.state.get(repeated))
            return before
        if isinstance(before, Dct) and plain is operator.or_:
            self.dict_update(before, value)
            return before
        method = f"__{getattr(in_place, '__name__', '')}__"
        if isinstance(before, Obj) and hasattr(before.cls, method):
            return self.call(self.load_attribute(before, method), [value], {})
        return self.binary(plain, before, value)

    def require_alone(self, arr: Arr) -> None:
        """Nobody else has what is a number, which ``op=`` replaces, or an array, which it writes."""
        alone = arr.view is None and arr.argument is None and not arr.foreign
        found = self.references(self.state)
        alone = alone and not any(arr is s for root in found for s, _ in getattr(root, "sources", ()))
        if alone and not self.pools_with(arr, self.state) and found[arr] <= 1:
            return
        raise self.unsupported(
            "a change in place of what is a number or an array, and has another name or is in a list",
            "an array is changed under all its names, a number is not",
            "write `a = a + b` for a new value",
        )

    def overwrite(self, arr: Arr, old: Var, new: Any, name: Any = None) -> None:
        """The whole of ``arr`` becomes ``new``, in its own dtype and shape (as ``out=`` and ``op=`` do)."""
        from ..rules.helpers import astype

        dtype: Any = old.type.dtype  # type: ignore[union-attr]
        same_shape = isinstance(new, Var) and isinstance(new.type, Array) and new.type.shape == old.type.shape  # type: ignore[union-attr]
        ranks = rank_of(old.type), rank_of(new.type) if isinstance(new, Var) else 0
        if None in ranks or ranks[1] > ranks[0]:  # type: ignore[operator]
            raise self.unsupported(
                "an operation in place whose result may have more axes than the array",
                "NumPy raises an error then",
                "use an out-of-place operation",
            )
        if isinstance(new, Var) and not np.can_cast(
            getattr(new.type, "dtype", dtype) or np.result_type(float),
            dtype,
            "same_kind",
        ):
            raise self.unsupported(
                "an in-place operation that changes the kind of the array",
                f"NumPy can't cast the result to {dtype}",
                "use an out-of-place operation",
            )
        if same_shape and not is_mixed(old.type):
            if new.type.dtype != dtype:
                new = self.builder.op(astype, new, Lit(dtype))
        else:
            from ..rules.helpers import setitem

            new = self.builder.op(setitem, old, Lit(Ellipsis), new)
        if new.hint is None:
            new.hint = old.hint
        self.write(arr, new)


def is_numpys(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def statement_text(source: Any, node: Any) -> str:
    """A statement on one line, as the user wrote it; of a compound one the first line."""
    first = node.lineno - source.first_line
    last = (node.end_lineno if not hasattr(node, "body") else node.lineno) - source.first_line
    return " ".join(line.strip() for line in source.lines[first : last + 1])


KEYWORDS = {
    "Try": "try",
    "TryStar": "try",
    "AsyncFor": "async for",
    "AsyncWith": "async with",
    "AsyncFunctionDef": "async def",
    "ClassDef": "class",
    "TypeAlias": "type",
}
__all__ = ["Dct", "Flat", "Frame", "Obj", "Statements", "Tup"]
