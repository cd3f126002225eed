"""What do operators and comparisons mean on numbers, arrays, sequences and objects?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.alternatives import is_mixed
from ..ir.dims import reaches
from ..ir.ops import Lit, Var
from ..ir.types import Opaque, Optional, Scalar
from ..rules import containers
from .core import Core
from .dummies import int_size
from .identities import CONTAINERS
from .opaque import run_apart
from .values import (
    Arr,
    Dct,
    Lst,
    Obj,
    Tup,
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
UNARY: dict[str, Callable[[Any], Any]] = {
    "USub": operator.neg,
    "UAdd": operator.pos,
    "Invert": operator.invert,
}
COMPARE = {
    "Eq": operator.eq,
    "NotEq": operator.ne,
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
}


class Operators(Core):
    # ----- operators
    def eval_BinOp(self, node: Any) -> Any:
        operands: list[tuple[Any, Any]] = []
        # A left-deep chain, without recursion: sums have thousands of terms.
        while type(node).__name__ == "BinOp":
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
        if fn is operator.pow:
            right = self.whole_exponent(left, right)
        of_rule = self.builder.adjoint and fn is operator.truediv  # which may be by zero
        if (
            isinstance(left, Lit)
            and isinstance(right, Lit)
            and not isinstance(one, np.ndarray)
            and not of_rule
        ):
            return self.fold(fn, one, two)
        return self.emit(fn, left, right)

    def whole_exponent(self, base: Any, exponent: Any) -> Any:
        """The exponent; that of an int has to be known if it may be negative: the power is a float then."""
        plain = Scalar("int")
        if not isinstance(exponent, Var) or exponent.type != plain or self.within_rules():
            return exponent
        whole = isinstance(self.static_value(base), int) or isinstance(base, Var) and base.type == plain
        if not whole or reaches(int_size(exponent), 0):
            return exponent
        return Lit(self.demand(exponent, "an exponent that may be negative"))

    def fold(self, fn: Any, *values: Any) -> Any:
        try:
            return self.from_python(run_apart(fn, values, {}))
        except Exception as problem:
            raise self.unsupported(
                "a constant expression",
                f"{type(problem).__name__}: {problem}",
                "mend it",
                exception=problem,
            ) from None

    def binary_sequences(self, fn: Any, left: Any, right: Any) -> Any:
        if fn is operator.add and type(left) is type(right) and isinstance(left, Tup):
            return Tup(left.items + right.items)
        if fn is operator.add and isinstance(left, Lst) and isinstance(right, Lst):
            result = self.same_elements(left, self.state.get(left))
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

                var = self.own_elements(sequence)
                assert isinstance(var.type, ListOf)
                times = self.builder.opaque(containers.list_repeat, (var, self.arg(times)), var.type)
                return self.same_elements(sequence, times)
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
            if op in ("Eq", "NotEq") and any(map(self.is_string, (left, right))):
                return self.builder.opaque(fn, (self.arg(left), self.arg(right)), Scalar("bool"))
        return self.emit(fn, left, right)

    def is_string(self, value: Any) -> bool:
        """Whether it is a string, or one of several, chosen at run time."""
        if isinstance(self.static_value(value), str):
            return True
        return isinstance(value, Var) and isinstance(value.type, Opaque) and value.type.name == "str"

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
            part = self.python_bool(self.truth(self.compare("Eq", a, b)))
            if isinstance(part, Lit) and not part.value:
                result = Lit(False)
                break
            result = part if isinstance(result, Lit) else self.conjunction(result, part)
        if op == "Eq":
            return result
        return Lit(not result.value) if isinstance(result, Lit) else self.emit(operator.not_, result)

    def identity(self, op: str, left: Any, right: Any) -> Any:
        for value, other in ((left, right), (right, left)):
            if not (isinstance(other, Lit) and other.value is None and isinstance(value, (Var, Arr))):
                continue
            var = self.variable(value)
            if isinstance(var.type, Optional):
                fn = operator.is_ if op == "Is" else operator.is_not
                return self.builder.opaque(fn, (var, other), Scalar("bool"))
        one, two = (getattr(v, "python_value", None) for v in (left, right))
        if (one or isinstance(left, Lit)) and (two or isinstance(right, Lit)) and (one or two):
            lasting = [v for v in (left, right) if not (isinstance(v, Lit) and v.value is None)]
            objects = [v.value if isinstance(v, Lit) else v.python_value() for v in lasting]
            same = len(objects) == 2 and objects[0] is objects[1]
        elif isinstance(left, Lit) and isinstance(right, Lit):
            same = left.value is right.value or (
                type(left.value) is type(right.value)
                and isinstance(left.value, (bool, int, str))
                and left.value == right.value
            )
        else:
            same = left is right
            if not same and perhaps_one(left, right):
                raise self.unsupported(
                    "`is` of what may be one object",
                    "whether they are one is known at run time only",
                    "compare what they hold",
                )
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
        content: Any = (
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
                part = self.python_bool(self.truth(self.compare("Eq", left, item)))
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


def perhaps_one(left: Any, right: Any) -> bool:
    """Whether two values that the compiler tells apart may be one object in the plain program."""
    if isinstance(left, CONTAINERS) and isinstance(right, CONTAINERS):
        return right in left.alike
    if isinstance(left, Arr) and isinstance(right, Arr):
        return not (surely_made(left) or surely_made(right)) or bool(left.sources or right.sources)
    if isinstance(left, Tup) and isinstance(right, Tup):  # `t + ()` and `tuple(t)` are t
        return len(left.items) == len(right.items)
    numbers = [v for v in (left, right) if isinstance(v, Var)]
    other = right if numbers == [left] else left
    constant = isinstance(other, Lit) and isinstance(other.value, (bool, int, float, complex, str))
    return len(numbers) == 2 or bool(numbers) and constant and not is_bool(other, numbers[0])


def is_bool(constant: Any, number: Var) -> bool:
    """Whether it is a question about True or False, which are one object each."""
    return isinstance(constant.value, bool) and not is_mixed(number.type)


def surely_made(arr: Arr) -> bool:
    """Whether an array is an object of its own: no argument of a function, which may return it as it is."""
    return arr.foreign is None and arr.argument is None and (arr.view is None or arr.view.index is not None)
