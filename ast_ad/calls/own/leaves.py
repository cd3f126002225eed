"""Which leaves has an abstract value, and do those of a cotangent fit them?"""

from __future__ import annotations

from typing import Any

from ...compiler.adjoint.contributions import cotangent_type
from ...compiler.frontend.builder import type_of_arg
from ...compiler.frontend.context import Context
from ...compiler.frontend.registered_objects import parts_of
from ...compiler.frontend.values import Dct, Lst, Obj, Tup
from ...compiler.ir.alternatives import is_mixed
from ...compiler.ir.ops import Arg, Lit
from ...compiler.ir.types import Array, Scalar, carries_derivative, kind_of
from ...errors import AdError
from ...rules.rule_results import checked, wrong_dtype, wrong_shape, wrong_structure
from ..inside_later import is_leaf, mapped


def leaves(cx: Context, value: Any) -> list[Any]:
    """The leaves of a value."""
    found: list[Any] = []
    mapped(cx, value, found.append)
    return found


class Fitting:
    """The leaves of what a rule returned, in the structure of what they belong to.

    Args:
        name: what the function is called.
        rule: and its rule.
    """

    def __init__(self, cx: Context, name: str, rule: str) -> None:
        self.cx, self.name, self.rule = cx, name, rule

    def leaves(self, like: Any, found: Any, where: str) -> list[Arg]:
        """A value for each leaf, or None.

        Raises:
            AdError: structure, shape or dtype certainly are others. Where types don't tell, the program
                finds out when it runs.
        """
        if isinstance(found, Lit) and found.value is None:
            return [Lit(None) for _ in leaves(self.cx, like)]
        parts, others = self.items(like), self.items(found)
        if parts is None:
            if not is_leaf(like):
                return []
            if others is not None or not is_leaf(found):
                raise self.placed(wrong_structure(self.name, self.rule, where))
            return [self.fitted(self.cx.arg(like), self.cx.arg(found), where)]
        alike = others is not None and type(found) is type(like) and list(parts) == list(others)
        if others is None or not alike or cls(like) != cls(found):
            raise self.placed(wrong_structure(self.name, self.rule, where))
        return [leaf for key, part in parts.items() for leaf in self.leaves(part, others[key], where)]

    def items(self, value: Any) -> dict[Any, Any] | None:
        """The parts of a container; None for what is no container."""
        if isinstance(value, Tup):
            return dict(enumerate(value.items))
        if isinstance(value, Obj):
            held, constant = parts_of(self.cx, value)
            return {name: part for name, part in held.items() if name not in constant}
        content = self.cx.state.get(value) if isinstance(value, (Lst, Dct)) else None
        if isinstance(content, tuple):
            return dict(enumerate(content))
        return content if isinstance(content, dict) else None

    def placed(self, error: AdError) -> AdError:
        return error.at(self.cx.builder.span)

    def fitted(self, like: Arg, found: Arg, where: str) -> Arg:
        """A leaf, checked."""
        wanted, given = type_of_arg(like), type_of_arg(found)
        if not carries_derivative(wanted) or not isinstance(wanted, (Scalar, Array)):
            return found if carries_derivative(wanted) else Lit(None)
        if not isinstance(given, (Scalar, Array)) or given.kind == "other":
            raise self.placed(wrong_structure(self.name, self.rule, where))
        if is_mixed(wanted) or is_mixed(given):
            return self.later(like, found, where)
        here, there = (t.shape if isinstance(t, Array) else () for t in (given, wanted))
        if here is None or there is None:
            return self.later(like, found, where)
        numbers = all(isinstance(n, int) for n in (*here, *there))
        if len(here) != len(there) or numbers and here != there:
            raise self.placed(wrong_shape(self.name, self.rule, where, shown(here), shown(there)))
        assert not isinstance(given, Scalar) or not there
        other = isinstance(given, Array) and here and given.dtype != wanted.dtype
        if other or kind_of(given) == "complex" != kind_of(wanted):
            names = (str(getattr(t, "dtype", None) or t.kind) for t in (given, wanted))
            raise self.placed(wrong_dtype(self.name, self.rule, where, *names))
        return found if here == there else self.later(like, found, where)

    def later(self, like: Arg, found: Arg, where: str) -> Arg:
        """A leaf that the program checks when it runs."""
        told = (found, like, Lit(self.name), Lit(self.rule), Lit(where))
        return self.cx.builder.opaque(checked, told, cotangent_type(type_of_arg(like)))


def cls(value: Any) -> Any:
    """The class of a container that is known by its own."""
    return getattr(value, "cls", None)


def shown(shape: tuple[Any, ...]) -> str:
    """A shape as NumPy shows it."""
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"
