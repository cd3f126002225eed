"""What is a function with a derivative rule of its own, to those who call it?"""

from __future__ import annotations

import functools
import inspect
import math
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ...errors import AdError, InputTypeError, InputValueError, MissingRuleError
from ...rules.rule_results import by_another_value, by_name_only, other_value
from ...tracing import is_tracing
from ...tracing.askers import depth, within
from ...trees import flatten
from ..checks.check import is_inside

Function = Callable[..., Any]


class Own:
    """A function whose derivative is not that of its body.

    Called outside of a derivative it is the function itself. ``name``: what errors call it.
    """

    has_shelf = True  # see ``calls.sharing``
    function: Function
    nondiff: frozenset[int] = frozenset()
    fwd: Any = None
    bwd: Any = None
    tangent: Any = None  # from primals and tangents to the value and its tangent
    makers: dict[int, Any] | None = None  # ``maker(ans, *args)`` by position: from cotangents to cotangents
    parts: dict[int, Any] | None = None  # ``rule(t, ans, *args)`` by position: its part of the tangent
    opaque: Any = None  # the function as an operation of programs, where it is never followed
    zero = False  # whether the derivative is zero
    transposable = False  # whether tangents may be found by the transpose of the rule for cotangents
    kind = "function"
    names: list[str] | None = None  # the positional parameters, if they are known

    def __init__(self, function: Function, nondiff_argnums: int | Sequence[int] = ()) -> None:
        if not callable(function):
            raise InputTypeError(
                f"a derivative rule for a {type(function).__name__}",
                why="it is not callable",
                fix="pass a function",
            )
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.names = self._names()
        self.nondiff = self._positions(nondiff_argnums)
        functools.update_wrapper(self, function, updated=())

    def _parameters(self) -> list[inspect.Parameter] | None:
        try:
            return list(inspect.signature(self.function).parameters.values())
        except (TypeError, ValueError):
            return None

    def _names(self) -> list[str] | None:
        """The positional parameters of the function, if they are known."""
        found = self._parameters()
        if found is None:
            return None
        return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]

    def _positions(self, given: int | Sequence[int]) -> frozenset[int]:
        """The arguments that have no derivative, counted from the first one."""
        count: float = math.inf  # what can't be told, as where there is a parameter `*args`
        if self.names is not None and not any(p.kind is p.VAR_POSITIONAL for p in self._parameters() or ()):
            count = len(self.names)
        found = set()
        for position in given if isinstance(given, Iterable) else (given,):
            if not isinstance(position, (int, np.integer)) or isinstance(position, bool):
                raise InputTypeError(
                    f"nondiff_argnums={given!r} of `{self.name}`",
                    why=f"{position!r} is no integer",
                    fix="give the positions of arguments, an int or a tuple of ints",
                )
            at = position + count if position < 0 else position
            if not 0 <= at < count:
                raise InputValueError(
                    f"nondiff_argnums={position} of `{self.name}`",
                    why="it has no such argument" if count < math.inf else "it has any number of arguments",
                    fix="give the position of an argument, counted from the first one",
                )
            found.add(int(at))
        return frozenset(found)

    # ----- calls
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        from ...tracing.own_rules import RecordedCall

        leaves, _ = flatten((args, kwargs))
        if any(hasattr(type(leaf), "_is_eager_tensor") for leaf in leaves):
            self.require()
            return RecordedCall(self, *self.arranged(args, kwargs)).result()
        if depth.get() or not (is_tracing() or is_inside()):
            return self.function(*args, **kwargs)
        self.require()
        if is_inside():
            self.compare(args, kwargs)
        with within():
            return self.run(*self.arranged(args, kwargs), True)[0]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def as_method(self) -> Own:
        """What the front end calls with the instance, where a class has it as a method."""
        return self

    def __repr__(self) -> str:
        return f"<ast_ad.{self.kind} of {getattr(self.function, '__qualname__', self.function)}>"

    def __ast_ad_lower__(self, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """A call in a program that is being compiled."""
        from .lowering import lowered

        self.require()
        return lowered(cx, self, args, kwargs)

    def compare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Ask, where a program is checked, whether the rule's value is like that of the function.

        Raises:
            InputTypeError: it has another structure, shape or dtype.
        """
        from ...tracing.argument_copies import copied
        from ...tracing.purity import Search

        if not self.has_value or not Search().pure(self):
            return
        with within():
            mine = self.function(
                *copied(args), **dict(zip(kwargs, copied(list(kwargs.values())), strict=True))
            )
            arranged = self.arranged(args, kwargs)[0]
            found = self.run(copied(arranged), {}, True)[0]
        if like(mine) != like(found):
            raise other_value(self.name, "fwd" if self.bwd is not None else "the rule")

    def require(self) -> None:
        """Refuse a derivative where there is no rule.

        Raises:
            InputTypeError: there is none.
        """

    def arranged(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments by position, defaults among them; of an opaque function as they are.

        Raises:
            InputTypeError: one can be passed by its name only.
        """
        if self.opaque is not None:
            return args, kwargs
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        if bound.kwargs:
            raise by_name_only(self.name, next(iter(bound.kwargs)))
        if not self.is_library:
            bound.apply_defaults()
        return bound.args, {}

    @property
    def is_library(self) -> bool:
        """Whether it is NumPy's function or a builtin, whose rules don't want to know all options."""
        return isinstance(self.function, (np.ufunc, types.BuiltinFunctionType, type(np.sum)))

    def label(self, position: int) -> str:
        """What errors call an argument."""
        names = self.names or []
        return f"argument {position}" + (f", `{names[position]}`" if position < len(names) else "")

    def is_differentiated(self, position: int) -> bool:
        """Whether there is a derivative by an argument."""
        return not self.zero and position not in self.nondiff

    def refusal(self) -> AdError:
        """The error for a derivative by something that the rule has no cotangent for."""
        return by_another_value(self.name)

    def split(self, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """The arguments that have no derivative, and the others."""
        fixed = [arg for i, arg in enumerate(args) if i in self.nondiff]
        return fixed, [arg for i, arg in enumerate(args) if i not in self.nondiff]

    # ----- which rules there are
    @property
    def pulls(self) -> bool:
        """Whether there is a rule for cotangents."""
        return self.bwd is not None or self.makers is not None

    @property
    def has_tangent(self) -> bool:
        """Whether there is a rule for tangents."""
        return self.tangent is not None or self.parts is not None

    @property
    def has_value(self) -> bool:
        """Whether a rule computes the value, so that its code is what is differentiated after the rule."""
        return self.bwd is not None or self.tangent is not None

    # ----- for traces
    @property
    def saves(self) -> bool:
        """Whether the rule needs more than arguments and value."""
        return self.bwd is not None

    @property
    def rule(self) -> str:
        """What errors call the rule."""
        return "bwd" if self.bwd is not None else "the rule"

    @property
    def roots(self) -> tuple[Any, ...]:
        """The functions that a derivative runs."""
        several = *(self.makers or {}).values(), *(self.parts or {}).values()
        rules = (self.fwd, self.bwd, self.tangent, *several)
        return (self.function, *(rule for rule in rules if rule is not None))

    def run(self, args: Any, kwargs: Any, outermost: bool) -> tuple[Any, Any]:
        """See ``tracing.own_rules.Ruled``."""
        from . import concrete

        return concrete.run(self, args, kwargs, outermost)

    def pulled(self, args: Any, kwargs: Any, ans: Any, saved: Any, g: Any, by_tangent: bool) -> list[Any]:
        """See ``tracing.own_rules.Ruled``."""
        from . import concrete

        return concrete.pulled(self, args, kwargs, ans, saved, g, by_tangent)


def like(value: Any) -> Any:
    """Structure, shapes and dtypes of a value."""
    leaves, tree = flatten(value)
    return tree, [(np.shape(leaf), np.result_type(leaf)) for leaf in leaves]


def missing(own: Own, method: str, why: str) -> AdError:
    """The error for a function that has got no rule."""
    return InputTypeError(
        f"the derivative of `{own.name}`, a {own.kind} without a rule", why=why, fix=f"call {method} first"
    )


def _callable_rule(rule: Any, what: str) -> Any:
    if not callable(rule):
        raise InputTypeError(
            f"a {type(rule).__name__} as {what}", why="it is not callable", fix="pass a function"
        )
    return rule


def _rules(name: str, rules: Sequence[Any]) -> list[Any]:
    return [None if rule is None else _callable_rule(rule, f"a rule of `{name}`") for rule in rules]


class WithTangent(Own):
    """A function that may get a rule for tangents."""

    def defjvp(self, rule: Function) -> Function:
        """Let ``rule(primals, tangents) -> (value, tangent)`` be the derivative.

        Args:
            rule: gets the arguments and their tangents as two tuples; behind the arguments without a
                derivative, if there are any. The tangent that it returns has to be linear in the tangents.

        Returns:
            The rule, so that this may be a decorator.
        """
        self.tangent = _callable_rule(rule, f"the rule of `{self.name}`")
        return rule

    def defjvps(self, *rules: Function | None) -> None:
        """Let the tangent be the sum of ``rule(t, ans, *args)``, with a rule or None for each argument.

        Args:
            rules: each gets the tangent of its argument, the value, and the arguments.
        """
        if self.nondiff:
            raise InputTypeError(
                f"defjvps of `{self.name}`",
                why="it has nondiff_argnums",
                fix="use defjvp, whose rule gets them",
            )
        self.parts = dict(enumerate(_rules(self.name, rules)))


class CustomVjp(WithTangent):
    """See ``custom_vjp``."""

    kind = "custom_vjp"

    def defvjp(self, fwd: Function, bwd: Function) -> None:
        """Let ``bwd`` be the derivative.

        Args:
            fwd: has the arguments of the function; it returns the value and what ``bwd`` needs.
            bwd: ``bwd(*nondiff_args, residuals, g)`` returns a tuple of cotangents.
        """
        self.fwd = _callable_rule(fwd, f"fwd of `{self.name}`")
        self.bwd = _callable_rule(bwd, f"bwd of `{self.name}`")

    def require(self) -> None:
        if self.bwd is None and self.tangent is None and self.parts is None:
            raise missing(self, f"{self.name}.defvjp(fwd, bwd)", "defvjp was never called")


class CustomJvp(WithTangent):
    """See ``custom_jvp``."""

    kind = "custom_jvp"

    def require(self) -> None:
        if self.tangent is None and self.parts is None:
            raise missing(self, f"{self.name}.defjvp(rule)", "defjvp was never called")


class Primitive(Own):
    """See ``primitive``."""

    kind = "primitive"
    transposable = True

    def __init__(self, function: Function) -> None:
        from ...rules.registry import nondifferentiable

        super().__init__(function)

        def opaque(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        functools.update_wrapper(opaque, function)
        del opaque.__wrapped__  # type: ignore[attr-defined]
        nondifferentiable(opaque)
        self.opaque = opaque

    def is_differentiated(self, position: int) -> bool:
        rules = self.parts if self.makers is None else self.makers
        return rules is not None and position in rules

    def refusal(self) -> AdError:
        return MissingRuleError(
            f"the derivative of `{self.name}`, a primitive, by an argument without a rule",
            why="it is called as it is, and what it does with the argument is not known",
            fix=f"ast_ad.defvjp({self.name}, ...) with a rule for each argument, None where there is nothing",
        )


def defvjp(function: Any, *makers: Function | None, argnums: Sequence[int] | None = None) -> None:
    """Give a ``primitive`` cotangents, as autograd's function of this name.

    Args:
        function: what ``primitive`` returned.
        makers: ``maker(ans, *args, **kwargs)`` returns the function from the cotangent of the value to that
            of one argument; None where that is zero.
        argnums: of which arguments; by default the first ones.

    Raises:
        InputTypeError: it is no primitive, or a maker is not callable.
        InputValueError: there are not as many makers as argnums.

    >>> import math, ast_ad
    >>> cube = ast_ad.primitive(lambda x: math.pow(x, 3.0))
    >>> ast_ad.defvjp(cube, lambda ans, x: lambda g: 3.0 * x * x * g)
    >>> ast_ad.grad(cube)(2.0), ast_ad.grad(ast_ad.grad(cube))(2.0)
    (12.0, 12.0)
    """
    own = _primitive(function, "defvjp")
    own.makers = {**(own.makers or {}), **_by_position(own, makers, argnums)}


def defjvp(function: Any, *rules: Function | None, argnums: Sequence[int] | None = None) -> None:
    """Give a ``primitive`` tangents, as autograd's function of this name; cotangents are their transpose.

    Args:
        function: what ``primitive`` returned.
        rules: ``rule(t, ans, *args, **kwargs)`` returns what the tangent ``t`` of one argument adds to that
            of the value, and is linear in it; None where that is zero.
        argnums: of which arguments; by default the first ones.

    Raises:
        InputTypeError, InputValueError: as ``defvjp``.

    >>> import math, ast_ad
    >>> cube = ast_ad.primitive(lambda x: math.pow(x, 3.0))
    >>> ast_ad.defjvp(cube, lambda t, ans, x: 3.0 * x * x * t)
    >>> ast_ad.grad(cube)(2.0)
    12.0
    """
    own = _primitive(function, "defjvp")
    own.parts = {**(own.parts or {}), **_by_position(own, rules, argnums)}


def _primitive(function: Any, asked: str) -> Primitive:
    if isinstance(function, Primitive):
        return function
    name = getattr(function, "__name__", type(function).__name__)
    raise InputTypeError(
        f"{asked} of `{name}`", why="it is no primitive", fix=f"{name} = ast_ad.primitive({name}), before"
    )


def _by_position(own: Primitive, rules: Sequence[Any], argnums: Sequence[int] | None) -> dict[int, Any]:
    positions = tuple(range(len(rules)) if argnums is None else argnums)
    if len(positions) != len(rules):
        raise InputValueError(
            f"{len(rules)} rules for {len(positions)} arguments of `{own.name}`",
            why="there has to be one for each in argnums",
            fix="None is the rule of an argument without derivative",
        )
    return dict(zip(positions, _rules(own.name, rules), strict=True))
