"""Expressions: names, operators, comparisons, subscripts, displays, comprehensions, lambdas, f-strings."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.ops import Lit, Var
from ..ir.types import Opaque, Optional, Scalar
from .core import Core
from .guards import Guard, Path
from .values import (
    Arr,
    ArrayMethod,
    Bound,
    Closure,
    Comprehension,
    Dct,
    Frame,
    Iterable,
    Lst,
    Obj,
    Range,
    Tup,
    Unbound,
)

BINARY = {
    "Add": operator.add,
    "Sub": operator.sub,
    "Mult": operator.mul,
    "Div": operator.truediv,
    "FloorDiv": operator.floordiv,
    "Mod": operator.mod,
    "Pow": operator.pow,
    "MatMult": operator.matmul,
    "BitAnd": operator.and_,
    "BitOr": operator.or_,
    "BitXor": operator.xor,
    "LShift": operator.lshift,
    "RShift": operator.rshift,
}
UNARY = {"USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert}
COMPARE = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


class Expressions(Core):
    def eval(self, node: Any) -> Any:
        """The abstract value of an expression."""
        handler = getattr(self, "eval_" + type(node).__name__, None)
        outer = self.builder.span
        self.place(node)
        try:
            if handler is None:
                raise self.unsupported(
                    f"`{type(node).__name__}` expression", "the compiler does not follow it yet", "rewrite it"
                )
            return handler(node)
        finally:
            self.builder.span = outer

    def eval_Constant(self, node: Any) -> Any:
        return Lit(node.value)

    def eval_Name(self, node: Any) -> Any:
        return self.load_name(node.id)

    def load_name(self, name: str) -> Any:
        """A local, a variable of an enclosing function, a global, or a builtin."""
        frame: Frame | None = self.frame
        while frame is not None:
            value = self.state.get_name(frame, name)
            if value is not None:
                return value
            if name in frame.cells:
                return self.outside(frame, "cell", name)
            if name in frame.locals and frame is self.frame:
                return Unbound(name)
            frame = frame.enclosing
        if name in self.frame.globals:
            return self.outside(self.frame, "global", name)
        if hasattr(builtins, name):
            if self.inputs is not None:
                self.inputs.guards.add(Guard.missing(Path.of_global(self.frame.globals, name)))
            return Lit(getattr(builtins, name))
        raise self.unsupported(f"name `{name}`", "it is not defined", "define it")

    # ----- operators
    def eval_BinOp(self, node: Any) -> Any:
        operands: list[tuple[Any, Any]] = []
        while (
            type(node).__name__ == "BinOp"
        ):  # a left-deep chain, without recursion: sums have thousands of terms
            operands.append((node, node.right))
            node = node.left
        value = self.eval(node)
        for parent, right in reversed(operands):
            other = self.eval(right)
            self.place(parent)
            value = self.binary(BINARY[type(parent.op).__name__], value, other)
        return value

    def binary(self, fn: Any, left: Any, right: Any) -> Any:
        """``left fn right`` of Python: sequences are concatenated and repeated, numbers computed."""
        if isinstance(left, (Tup, Lst)) or isinstance(right, (Tup, Lst)):
            found = self.binary_sequences(fn, left, right)
            if found is not None:
                return found
        if isinstance(left, Obj) or isinstance(right, Obj):
            return self.binary_objects(fn, left, right)
        one, two = self.static_value(left), self.static_value(right)
        if isinstance(one, str) and fn is operator.mod:
            return self.format_percent(left, right)
        if isinstance(left, Lit) and isinstance(right, Lit) and not isinstance(one, np.ndarray):
            return self.fold(fn, one, two)
        return self.emit(fn, left, right)

    def fold(self, fn: Any, *values: Any) -> Any:
        try:
            return self.from_python(fn(*values))
        except Exception as problem:
            raise self.unsupported(
                "a constant expression", f"{type(problem).__name__}: {problem}", "mend it"
            ) from None

    def binary_sequences(self, fn: Any, left: Any, right: Any) -> Any:
        if fn is operator.add and type(left) is type(right) and isinstance(left, Tup):
            return Tup(left.items + right.items)
        if fn is operator.add and isinstance(left, Lst) and isinstance(right, Lst):
            result = Lst(self.state.get(left))
            self.list_extend(result, right)
            return result
        if fn is operator.mul:
            sequence, times = (left, right) if isinstance(left, (Tup, Lst)) else (right, left)
            if (
                isinstance(times, (Arr, Tup, Lst))
                or isinstance(times, Var)
                and not (isinstance(times.type, Scalar) and times.type.kind in ("int", "bool"))
            ):
                return None
            content = sequence.items if isinstance(sequence, Tup) else self.state.get(sequence)
            count = self.static_value(times)
            if isinstance(count, int) and isinstance(content, tuple) and count * len(content) <= 4096:
                return Tup(content * count) if isinstance(sequence, Tup) else Lst(content * count)
            if isinstance(sequence, Lst):
                from ..ir.types import ListOf

                var = content if isinstance(content, Var) else self.dynamic_list(content)
                assert isinstance(var.type, ListOf)
                return Lst(self.builder.opaque(operator.mul, (var, self.arg(times)), var.type))
        return None

    def binary_objects(self, fn: Any, left: Any, right: Any) -> Any:
        """Operators of user classes."""
        name = {
            operator.add: "add",
            operator.sub: "sub",
            operator.mul: "mul",
            operator.truediv: "truediv",
            operator.pow: "pow",
            operator.matmul: "matmul",
            operator.mod: "mod",
            operator.floordiv: "floordiv",
        }.get(fn, "")
        for owner, other, method in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
            if isinstance(owner, Obj) and name and hasattr(owner.cls, method):
                return self.call(self.load_attribute(owner, method), [other], {})
        raise self.unsupported(
            f"operator {fn.__name__} on objects", "their class does not define it", "call a method"
        )

    def eval_UnaryOp(self, node: Any) -> Any:
        value = self.eval(node.operand)
        if type(node.op).__name__ == "Not":
            cond = self.truth(value)
            return Lit(not cond.value) if isinstance(cond, Lit) else self.emit(operator.not_, cond)
        if isinstance(value, Lit):
            return self.fold(UNARY[type(node.op).__name__], value.value)
        if isinstance(value, Obj):
            return self.call(self.load_attribute(value, "__neg__"), [], {})
        return self.emit(UNARY[type(node.op).__name__], value)

    def eval_Compare(self, node: Any) -> Any:
        left = self.eval(node.left)
        result: Any = None
        for op, comparator in zip(node.ops, node.comparators, strict=True):
            if result is not None:  # a < b < c: later operands are evaluated only if the first held
                cond = self.truth(result)
                if self.static_value(cond) is False:
                    return result
                right = self.eval(comparator)
                part = self.compare(type(op).__name__, left, right)
                result = part if isinstance(cond, Lit) else self.conjunction(cond, part)
            else:
                right = self.eval(comparator)
                result = self.compare(type(op).__name__, left, right)
            left = right
        return result

    def conjunction(self, cond: Any, part: Any) -> Any:
        """``cond and part`` of two booleans without side effects."""
        test = self.truth(part)
        if isinstance(test, Lit):
            return cond if test.value else test
        return self.emit(operator.and_, cond, test)

    def compare(self, op: str, left: Any, right: Any) -> Any:
        if op in ("Is", "IsNot"):
            return self.identity(op, left, right)
        if op in ("In", "NotIn"):
            return self.membership(op, left, right)
        fn = COMPARE[op]
        if isinstance(left, (Tup, Lst)) and isinstance(right, (Tup, Lst)):
            return self.compare_sequences(op, left, right)
        one, two = self.static_value(left), self.static_value(right)
        if not isinstance(left, Arr) and not isinstance(right, Arr):
            static = [self.is_static(left), self.is_static(right)]
            if all(static):
                try:
                    return self.from_python(fn(one, two))
                except TypeError as problem:
                    raise self.unsupported("a comparison", str(problem), "compare like with like") from None
            if op in ("Eq", "NotEq") and self.never_equal(left, right):
                return Lit(op == "NotEq")
        return self.emit(fn, left, right)

    def never_equal(self, left: Any, right: Any) -> bool:
        """A number is not equal to None or a string."""
        kinds = []
        for value in (left, right):
            static = self.static_value(value)
            number = isinstance(value, Var) and isinstance(value.type, Scalar)
            kinds.append(
                "number" if number else "other" if isinstance(static, (str, type(None), type)) else "?"
            )
        return sorted(kinds) == ["number", "other"]

    def compare_sequences(self, op: str, left: Any, right: Any) -> Any:
        one, two = (v.items if isinstance(v, Tup) else self.state.get(v) for v in (left, right))
        if op not in ("Eq", "NotEq") or isinstance(one, Var) or isinstance(two, Var):
            return self.emit(COMPARE[op], left, right)
        if len(one) != len(two) or type(left) is not type(right):
            return Lit(op == "NotEq")
        result: Any = Lit(True)
        for a, b in zip(one, two, strict=True):
            part = self.truth(self.compare("Eq", a, b))
            if isinstance(part, Lit) and not part.value:
                result = Lit(False)
                break
            result = part if isinstance(result, Lit) else self.conjunction(result, part)
        if op == "Eq":
            return result
        return Lit(not result.value) if isinstance(result, Lit) else self.emit(operator.not_, result)

    def identity(self, op: str, left: Any, right: Any) -> Any:
        for value, other in ((left, right), (right, left)):
            if (
                isinstance(other, Lit)
                and isinstance(value, Var)
                and isinstance(value.type, Optional)
                and other.value is None
            ):
                fn = operator.is_ if op == "Is" else operator.is_not
                return self.builder.opaque(fn, (value, other), Scalar("bool"))
        if isinstance(left, Lit) and isinstance(right, Lit):
            same = left.value is right.value or (
                type(left.value) is type(right.value)
                and isinstance(left.value, (bool, int, str))
                and left.value == right.value
            )
        else:
            same = left is right
            if (
                not same
                and isinstance(left, Var)
                and isinstance(right, Lit)
                and isinstance(right.value, bool)
            ):
                known = self.static_value(left)
                same = known is right.value
                if (
                    not isinstance(known, (bool, int, float))
                    and isinstance(left.type, Scalar)
                    and left.type == Scalar("bool")
                ):
                    return self.emit(operator.eq if op == "Is" else operator.ne, left, right)
        return Lit(same == (op == "Is"))

    def membership(self, op: str, left: Any, right: Any) -> Any:
        content = (
            self.state.get(right)
            if isinstance(right, (Dct, Lst))
            else right.items
            if isinstance(right, Tup)
            else None
        )
        needle = self.static_value(left)
        if isinstance(right, Dct) and self.is_static(left):
            return Lit((needle in content) == (op == "In"))
        if self.is_static(left) and self.is_static(right):
            return Lit((needle in self.static_value(right)) == (op == "In"))
        if isinstance(content, tuple):
            found: Any = Lit(False)
            for item in content:
                part = self.truth(self.compare("Eq", left, item))
                if isinstance(part, Lit):
                    found = part if part.value else found
                    if part.value:
                        break
                else:
                    found = part if isinstance(found, Lit) else self.emit(operator.or_, found, part)
            if op == "In":
                return found
            return Lit(not found.value) if isinstance(found, Lit) else self.emit(operator.not_, found)
        return self.builder.opaque(
            lambda a, b: a in b if op == "In" else a not in b,
            (self.arg(left), self.arg(right)),
            Scalar("bool"),
        )

    # ----- subscripts and attributes
    def eval_Subscript(self, node: Any) -> Any:
        return self.load_item(self.eval(node.value), self.eval(node.slice))

    def eval_Slice(self, node: Any) -> Any:
        return slice(
            *(Lit(None) if part is None else self.eval(part) for part in (node.lower, node.upper, node.step))
        )

    def eval_Attribute(self, node: Any) -> Any:
        return self.load_attribute(self.eval(node.value), self.mangled(node.attr))

    def mangled(self, name: str) -> str:
        """``__private`` names inside a class."""
        owner = getattr(self.frame.source, "class_name", None)
        return (
            f"_{owner.lstrip('_')}{name}"
            if owner and name.startswith("__") and not name.endswith("__")
            else name
        )

    # ----- displays
    def eval_Tuple(self, node: Any) -> Any:
        return Tup(tuple(self.eval_starred(node.elts)))

    def eval_List(self, node: Any) -> Any:
        return Lst(tuple(self.eval_starred(node.elts)))

    def eval_Set(self, node: Any) -> Any:
        items = [self.demand(v, "an element of a set") for v in self.eval_starred(node.elts)]
        return Lit(set(items))

    def eval_starred(self, nodes: list[Any]) -> list[Any]:
        items: list[Any] = []
        for node in nodes:
            if type(node).__name__ == "Starred":
                items += self.items_of(self.eval(node.value))
            else:
                items.append(self.eval(node))
        return items

    def eval_Dict(self, node: Any) -> Any:
        content: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                content.update(self.state.get(self.eval(value)))
            else:
                content[self.demand(self.eval(key), "a dict key")] = self.eval(value)
        return Dct(content)

    def eval_NamedExpr(self, node: Any) -> Any:
        value = self.eval(node.value)
        self.bind(node.target.id, value)
        return self.load_name(node.target.id)

    def eval_Lambda(self, node: Any) -> Any:
        return Closure(node, self.frame, self.closure_defaults(node.args))

    def eval_Starred(self, node: Any) -> Any:
        raise self.unsupported("`*` here", "the compiler does not follow it", "write the items out")

    # ----- comprehensions: nested loops over a list that grows
    def eval_ListComp(self, node: Any) -> Any:
        return self.comprehend(node, self.frame)

    def eval_GeneratorExp(self, node: Any) -> Any:
        return Comprehension(node, self.frame)

    def eval_DictComp(self, node: Any) -> Any:
        pairs = self.items_of(self.comprehend(node, self.frame))
        return Dct({self.demand(p.items[0], "a dict key"): p.items[1] for p in pairs})

    def eval_SetComp(self, node: Any) -> Any:
        return Lit(
            {self.demand(v, "an element of a set") for v in self.items_of(self.comprehend(node, self.frame))}
        )

    def comprehend(self, node: Any, enclosing: Frame) -> Lst:
        """Run a comprehension in a scope of its own."""
        outer = self.frame
        result = Lst(())
        self.frame = Frame(
            enclosing.source, enclosing.globals, enclosing, {}, set(), enclosing.path, depth=enclosing.depth
        )
        try:
            self.run_generators(node, list(node.generators), lambda item: self.list_append(result, item))
        finally:
            self.frame = outer
        return result

    def run_generators(self, node: Any, generators: list[Any], emit: Callable[[Any], None]) -> None:
        """Run the loops of a comprehension, and ``emit`` for each of its items."""
        if not generators:
            if type(node).__name__ == "DictComp":
                emit(Tup((self.eval(node.key), self.eval(node.value))))
            else:
                emit(self.eval(node.elt))
            return
        first, *rest = generators
        source = self.eval(first.iter)

        def body(item: Any) -> None:
            self.assign(first.target, item)
            self.run_filters(node, list(first.ifs), rest, emit)

        self.run_for(source, body, set(), first.target)

    def run_filters(self, node: Any, tests: list[Any], rest: list[Any], emit: Callable[[Any], None]) -> None:
        if not tests:
            self.run_generators(node, rest, emit)
            return
        cond = self.truth(self.eval(tests[0]))
        static = self.static_value(cond)
        if static is True:
            self.run_filters(node, tests[1:], rest, emit)
        elif static is not False:
            self.branch(cond, lambda: self.run_filters(node, tests[1:], rest, emit), lambda: None, None)

    # ----- text
    def eval_JoinedStr(self, node: Any) -> Any:
        parts = [self.eval(v) for v in node.values]
        if all(self.is_static(p) for p in parts):
            return Lit("".join(str(self.static_value(p)) for p in parts))
        text: Any = None
        for part in parts:
            text = (
                part
                if text is None
                else self.builder.opaque(operator.add, (self.arg(text), self.arg(part)), Opaque("str"))
            )
        return text

    def eval_FormattedValue(self, node: Any) -> Any:
        value = self.eval(node.value)
        spec = Lit("") if node.format_spec is None else self.eval(node.format_spec)
        convert = {114: repr, 115: str, 97: ascii}.get(node.conversion)
        if self.is_static(value) and self.is_static(spec):
            plain = self.static_value(value)
            return Lit(format(convert(plain) if convert else plain, self.static_value(spec)))
        arg = self.runtime_object(value)
        if convert is not None:
            arg = self.builder.opaque(convert, (arg,), Opaque("str"))
        return self.builder.opaque(format, (arg, self.arg(spec)), Opaque("str"))

    def format_percent(self, left: Any, right: Any) -> Any:
        if self.is_static(right):
            return self.fold(operator.mod, self.static_value(left), self.static_value(right))
        return self.builder.opaque(operator.mod, (self.arg(left), self.arg(right)), Opaque("str"))

    def runtime_object(self, value: Any) -> Any:
        """An argument for an effect (print, raise): anything that has a run-time form."""
        if isinstance(value, (Bound, Closure, ArrayMethod, Iterable, Range, Comprehension)):
            return Lit(f"<{type(value).__name__.lower()}>")
        if isinstance(value, Dct):
            return Lit("{...}")
        if isinstance(value, Obj):
            return Lit(f"<{value.cls.__name__}>")
        return self.arg(value)
