"""Can the derivative rule of an operation be asked about this call?

Asked by ``adjoint`` and ``tangent`` where they meet an operation: before its rule is inlined, whether there
is one that knows the arguments; behind, whether it has the derivatives by all active ones.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Container, Sequence
from typing import Any

from ...errors import MissingRuleError, UnsupportedError
from ...rules import containers, helpers
from ...rules.narrow_integers import is_narrow, wide, widens
from ...rules.registry import Primitive, lookup
from ..frontend.builder import type_of_arg
from ..ir.ops import Arg, Lit, Op, Seq, Var
from ..ir.show import callable_name
from ..ir.types import Array, ListOf, Scalar

BEFORE = {"elementwise": 1, "vjp": 2, "composite": 0}
"""Parameters of a rule before those of its function."""


def rule_of(op: Op, structural: Container[object]) -> Primitive | None:
    """The primitive of an operation, which is refused if it has none and is not structural either."""
    primitive = lookup(op.fn)
    if primitive is None and op.fn not in structural:
        raise MissingRuleError(
            f"`{callable_name(op.fn)}` has no derivative rule",
            op.span,
            "its result depends on what is differentiated, and its Python source can't be followed",
            "register a rule for it (ast_ad.rule), or write it with NumPy functions",
        )
    return primitive


def check_call(op: Op, primitive: Primitive) -> None:
    """Refuse arguments that the rule doesn't know."""
    assert primitive.rule is not None
    problem = _misfit(primitive.rule, BEFORE[primitive.kind] + len(op.args), tuple(op.kwargs))
    if problem:
        raise UnsupportedError(
            f"`{callable_name(op.fn)}` with these arguments",
            op.span,
            f"its derivative rule: {problem}",
            "leave out the options that the rule does not know",
        )


def gives(op: Op, primitive: Primitive, options: Collection[str]) -> bool:
    """Whether the call passes one of these options of the function, by name or by position."""
    if not options:
        return False
    start = BEFORE[primitive.kind]
    by_position = parameters(primitive.rule)[start : start + len(op.args)]
    return not {*by_position, *op.kwargs}.isdisjoint(options)


def require_all(op: Op, names: Sequence[str], known: int, is_active: Callable[[Arg], bool]) -> None:
    """Refuse an active argument that is not among the first ``known``, whose derivatives the rule has."""
    given: dict[Any, Arg] = {**dict(enumerate(op.args)), **op.kwargs}
    for place, arg in given.items():
        position = place if isinstance(place, int) else names.index(place) if place in names else known
        if position >= known and helpers.METADATA.get(op.fn) != position and is_active(arg):
            name = names[place] if isinstance(place, int) and place < len(names) else place
            raise MissingRuleError(
                f"the derivative of `{callable_name(op.fn)}` by `{name}`",
                op.span,
                "its rule does not have it, and the argument depends on what is differentiated",
                "pass a number that does not depend on it, or write the operation out",
            )


def with_arrays(op: Op, call: Callable[..., Any]) -> tuple[Arg, ...]:
    """The arguments of a call as an equivalent array program takes them: arrays in place of lists of numbers.

    ``call``: what writes a call, and returns its result.
    """
    return tuple(call(containers.array_from_list, arg) if _is_vector(arg) else arg for arg in op.args)


def widened(op: Op, primitive: Primitive, call: Callable[..., Any]) -> tuple[Arg, ...]:
    """The arguments of a call as an elementwise rule takes them: narrow integers as wide ones."""
    if not widens(primitive, len(op.args)):
        return tuple(op.args)
    found = [[dtype for dtype in _dtypes(arg) if is_narrow(dtype)] for arg in op.args]
    return tuple(
        call(helpers.astype, arg, Lit(wide(*narrow))) if narrow else arg
        for arg, narrow in zip(op.args, found, strict=True)
    )


def _dtypes(arg: Arg) -> list[Any]:
    """The dtypes that a number or an array may have."""
    kind = type_of_arg(arg)
    each = (kind, *kind.among) if isinstance(kind, (Scalar, Array)) else ()
    return [getattr(one, "dtype", one) for one in each]


def _is_vector(arg: Arg) -> bool:
    return isinstance(arg, Var) and isinstance(arg.type, ListOf) and isinstance(arg.type.element, Scalar)


def require_formula(op: Op, derivative: Any) -> None:
    """Refuse ``NotImplemented``, which stands for a derivative that exists but has no formula."""
    if derivative is NotImplemented or (isinstance(derivative, Lit) and derivative.value is NotImplemented):
        raise MissingRuleError(
            f"`{callable_name(op.fn)}` by this argument has no derivative rule",
            op.span,
            "the derivative exists, but no formula for it is known here",
            "keep the argument constant, or register a rule (ast_ad.rule)",
        )


@functools.cache
def parameters(rule: Any) -> tuple[str, ...]:
    """The names of a rule's parameters."""
    return tuple(inspect.signature(rule).parameters)


@functools.cache
def _misfit(rule: Any, count: int, names: tuple[str, ...]) -> str:
    """Why the rule can't be called with so many arguments and these keywords; empty if it can."""
    try:
        inspect.signature(rule).bind(*[None] * count, **dict.fromkeys(names))
    except TypeError as problem:
        return str(problem)
    return ""


def several(derivatives: Any) -> tuple[Any, ...]:
    """The derivatives that a rule returned, as a tuple with one for each argument."""
    if isinstance(derivatives, Seq) and derivatives.kind is tuple:
        return derivatives.items
    return derivatives if isinstance(derivatives, tuple) else (derivatives,)
