"""How does an operation get into a block? Its result types are inferred; what is static is folded."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...interrupts import let_through
from ...rules import helpers, required
from ..budget import spend
from ..ir.alternatives import is_mixed
from ..ir.builtin import tuple_get
from ..ir.ops import NOWHERE, UNKNOWN, Arg, Block, Lit, Op, Seq, Slice, Span, Statement, Undefined, Var, atoms
from ..ir.types import Array, DictOf, ListOf, Scalar, TupleOf, Type, element_of, type_of
from .callables.empty_lists import must_hold_some
from .callables.real_powers import Signs
from .equal_masks import EqualMasks
from .new_numbers import NewNumbers
from .types.dummies import InferenceError
from .types.hidden_numbers import refuse_hidden
from .types.infer import result_type
from .types.integers import size_of_result
from .types.rule_divisions import Divisors, number_class
from .values import Callee

_NUMBERS = (bool, int, float, complex, str, type(None))
_ARITHMETIC = {
    *(operator.add, operator.sub, operator.mul, operator.truediv),
    *(helpers.broadcast_like, helpers.expand_reduced),
}
_FOLDABLE = {
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.neg,
    operator.pos,
    operator.invert,
    operator.not_,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
    operator.eq,
    operator.ne,
    operator.and_,
    operator.or_,
    operator.xor,
    operator.lshift,
    operator.rshift,
    abs,
    int,
    float,
    bool,
    min,
    max,
    round,
    divmod,
    len,
    format,
    str,
    complex,
}


class Builder:
    """The current block and the source position that new operations get.

    >>> import operator
    >>> from ast_ad.compiler.ir.types import Scalar
    >>> b = Builder(Block())
    >>> x = Var(Scalar("float"), "x")
    >>> b.op(operator.mul, x, 2.0).type, b.op(operator.add, 1, 2)
    (Scalar(kind='float', dtype=None, size=None), 3)
    """

    def __init__(self, block: Block, adjoint: bool = False) -> None:
        self.block = block
        self.span: Span = NOWHERE
        self.adjoint = adjoint
        self.divisors = Divisors()
        self.signs = Signs()
        self.masks = EqualMasks()
        self.new_numbers = NewNumbers()
        self.narrowed: dict[int, Var] = {}  # what stands for variables of which more is known by now

    @contextlib.contextmanager
    def nested(self, block: Block) -> Iterator[Block]:
        """Emit into another block for a while."""
        outer, self.block = (self.block, self.narrowed, self.masks), block
        self.masks = self.masks.within()
        try:
            yield block
        finally:
            self.block, self.narrowed, self.masks = outer

    def narrow(self, var: Var, better: Var) -> None:
        """Let ``better`` stand for the variable to the end of the block, and for what that stood for."""
        stood_for = {id: better for id, known in self.narrowed.items() if known is var}
        self.narrowed = {**self.narrowed, **stood_for, var.id: better}

    def op(self, fn: Callee, *args: object, **kwargs: object) -> Any:
        """Append ``fn(*args, **kwargs)`` and return its result: an Arg, or a list/tuple of such.

        Raises
        ------
        InferenceError
            if no result type can be found.
        """
        arguments = tuple(as_arg(a) for a in args)
        keywords = {k: as_arg(v) for k, v in kwargs.items()}
        asked = fn
        if self.adjoint:
            if fn is np.zeros_like and not keywords and is_mixed(type_of_arg(arguments[0])):
                fn = asked = helpers.zero_like  # zeros like integers hold no cotangent
            fn = self.divisors.division(fn, arguments)
            if fn is np.divide and all(map(_is_number, arguments)):
                with np.errstate(all="ignore"):
                    return Lit(float(fn(*(a.value for a in arguments))))  # type: ignore[union-attr]
        if fn in _FOLDABLE and not keywords and all(_is_number(a) for a in arguments):
            return fold(fn, arguments)
        types = result_type(asked, arguments if fn is asked else _divisible(arguments), keywords)
        if not self.adjoint:
            refuse_hidden(fn, arguments, keywords, types)
        for items in () if self.adjoint else must_hold_some(asked, arguments, keywords, types):
            self.append(Op(required.require_some, (self.op(len, items),), (), {}, self.span, effect=True))
        if isinstance(types, Scalar) and types.kind == "int":
            size = None if keywords else size_of_result(fn, arguments, types)
            types = replace(types, size=types.size if size is None else size)
        if isinstance(types, TupleOf) and len(types.items) == 1:
            types = types.items
        if isinstance(types, (tuple, list)) and len(types) == 1:  # one result that is a sequence of one
            return self._opened(self.opaque(fn, arguments, _whole(types), False, **keywords), types)
        if getattr(types, "dtype", None) == np.float64 and fn in _ARITHMETIC:  # a double either way
            arguments = tuple(self.divisors.quotients.get(a, a) for a in arguments)
        outs, kind = _variables(types)
        number = number_class(outs[0].type) if fn is not asked and kind is None else None
        if number is not None:  # NumPy's double would widen float32
            quotient = self.opaque(fn, arguments, Scalar("float", np.dtype(float)))
            self.append(Op(number, (quotient,), outs, {}, self.span, adjoint=self.adjoint))
            self.divisors.quotients[outs[0]] = quotient
        else:
            self.append(Op(fn, arguments, outs, keywords, self.span, adjoint=self.adjoint))
        if kind is None:
            self.divisors.learn(asked, arguments, outs[0])
            self._check_power(asked, arguments, outs[0])
            outs[0].known = _known(fn, arguments, keywords)
            return outs[0]
        return _made(kind, [self._opened(out, t) for out, t in zip(outs, _items(types), strict=True)])

    def _check_power(self, fn: Callee, args: tuple[Arg, ...], out: Var) -> None:
        if self.adjoint:  # of what the user's own power has let through
            return
        if self.signs.may_be_complex(fn, args, out.type):
            self.append(Op(required.require_real, (out,), (), {}, self.span, effect=True))
        self.signs.learn(fn, args, out)

    def _opened(self, var: Var, types: object) -> Any:
        """A result that is a sequence itself, item by item."""
        if not isinstance(types, (tuple, list)):
            return var
        items = [
            self._opened(self.opaque(tuple_get, (var, Lit(i)), _whole(t)), t) for i, t in enumerate(types)
        ]
        return _made(type(types), items)

    def append(self, op: Statement) -> None:
        spend(1, self.span)
        if isinstance(op, Op):
            self.masks.append(op, self.block)
            self.new_numbers.append(op)
            if self.adjoint:
                self.divisors.load(op)
        self.block.ops.append(op)

    def opaque(
        self, fn: Callee, args: tuple[object, ...], type: Type, effect: bool = False, **kwargs: object
    ) -> Var:
        """Append a call whose result type is given."""
        out = Var(type)
        self.append(
            Op(
                fn,
                tuple(map(as_arg, args)),
                (out,),
                {k: as_arg(v) for k, v in kwargs.items()},
                self.span,
                effect,
                self.adjoint,
            )
        )
        return out


def as_arg(value: object) -> Arg:
    """Python constants become Lit, tuples and lists Seq, slices Slice; Args stay."""
    if isinstance(value, (Var, Lit, Seq, Slice)):
        return value
    if isinstance(value, (tuple, list)):
        return Seq(tuple(map(as_arg, value)), list if isinstance(value, list) else tuple)
    if isinstance(value, slice):
        return Slice(as_arg(value.start), as_arg(value.stop), as_arg(value.step))
    return Lit(value)


def _divisible(args: tuple[Arg, ...]) -> tuple[Arg, ...]:
    """The arguments of a division that NumPy does, as ones that Python can divide: the type is the same."""
    zero = len(args) == 2 and _is_number(args[1]) and not args[1].value  # type: ignore[union-attr]
    return (args[0], Lit(1)) if zero else args


def _is_number(arg: Arg) -> bool:
    return isinstance(arg, Lit) and type(arg.value) in _NUMBERS


def fold(fn: Callee, args: tuple[Arg, ...]) -> Any:
    try:
        result = fn(*(a.value for a in args))  # type: ignore[union-attr]
    except Exception as problem:
        let_through(problem)
        raise InferenceError(f"{type(problem).__name__}: {problem}") from problem
    return tuple(map(Lit, result)) if isinstance(result, tuple) else Lit(result)


def _known(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Any:
    """The value of an operation on constants."""
    from ..ir.builtin import assign

    if kwargs or not (fn in _FOLDABLE or fn is assign):
        return UNKNOWN
    values = [known_value(a) for a in args]
    if any(v is UNKNOWN or _may_change(fn, v) for v in values):
        return UNKNOWN
    try:
        return fn(*values)
    except Exception as problem:
        let_through(problem)
        return UNKNOWN


def _may_change(fn: Callee, value: object) -> bool:
    """Whether an object may hold something else at the next call, so that the operation gives another result.

    What can be hashed by what it holds keeps that. Of what is told by its identity only this lasts that it
    is equal to itself.
    """
    hashed: Any = type(value).__hash__
    by_identity = hashed is object.__hash__ and not isinstance(value, type)
    return hashed is None or by_identity and fn not in (operator.eq, operator.ne)


def known_value(arg: Arg) -> Any:
    """The Python number, string or None that an argument is known to be; UNKNOWN otherwise."""
    if isinstance(arg, Lit):
        return arg.value
    return arg.known if isinstance(arg, Var) else UNKNOWN


def _variables(types: Any) -> tuple[tuple[Var, ...], type | None]:
    """A Var for each result, and the type of the sequence that they make (None: there is just one result)."""
    if not isinstance(types, (tuple, list, TupleOf)):
        return (Var(types),), None
    return tuple(Var(_whole(t)) for t in _items(types)), tuple if isinstance(types, TupleOf) else type(types)


def _made(kind: type, items: list[object]) -> Any:
    return kind(*items) if hasattr(kind, "_fields") else kind(items)


def _items(types: Any) -> tuple[Any, ...]:
    return types.items if isinstance(types, TupleOf) else tuple(types)


def _whole(types: Any) -> Type:
    """The type of a sequence that is taken apart later."""
    return TupleOf(tuple(map(_whole, types))) if isinstance(types, (tuple, list)) else types


def type_of_arg(arg: Arg) -> Type:
    """The type of a Var, of a literal, or of a display."""
    if isinstance(arg, (Var, Undefined)):
        return arg.type
    if isinstance(arg, Lit):
        return type_of(arg.value)
    if isinstance(arg, Seq):
        return TupleOf(tuple(map(type_of_arg, arg.items)))
    return type_of(slice(None))


def content_type(items: Var) -> Type:
    """The type of one element that is read from a run-time list or dict."""
    assert isinstance(items.type, (ListOf, DictOf))
    return element_of(items.type)


def contains_array(arg: Arg) -> bool:
    return any(isinstance(a, Var) and isinstance(a.type, Array) for a in atoms(arg))
