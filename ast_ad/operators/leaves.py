"""How does a program of derivatives walk an argument or a value of any structure?

``leaves``, ``with_leaves``, ``number_like``, ``filled`` and others: plain functions on plain values. The
compiler knows what they mean for abstract ones, so that programs that use them are compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..calls.arguments import Arguments
from ..errors import InputTypeError, InputValueError
from ..options import chosen_by_number
from ..trees import flatten

if TYPE_CHECKING:
    from ..compiler.frontend.context import Context


def leaves(value: Any) -> tuple[Any, ...]:
    """The floats, complex numbers and arrays of them in a value.

    >>> leaves({"a": 1.0, "n": 3, "b": [2.0]})
    (1.0, 2.0)
    """
    return tuple(leaf for leaf in flatten(value)[0] if _carries(leaf))


def with_leaves(value: Any, parts: Sequence[Any]) -> Any:
    """A value with other parts in the places of its leaves, and 0 in those of integers.

    >>> with_leaves({"a": 1.0, "n": 3, "b": [2.0]}, (5.0, 6.0))
    {'a': 5.0, 'n': 0, 'b': [6.0]}
    """
    found, tree = flatten(value)
    given = iter(parts)
    return tree.unflatten([next(given) if _carries(leaf) else 0 for leaf in found])


def _carries(leaf: Any) -> bool:
    return np.result_type(leaf).kind in "fc"


def is_complex(leaf: Any) -> bool:
    """Whether a leaf is complex, whatever its values are.

    >>> is_complex(1.0), is_complex(np.ones(2, complex))
    (False, True)
    """
    return np.result_type(leaf).kind == "c"


def number_like(leaf: Any, number: int) -> Any:
    """A number of the type of a leaf that is one, whatever its value is.

    >>> number_like(np.inf, 0), number_like(np.float32(2.0), 1), number_like(1j, 1)
    (0.0, np.float32(1.0), (1+0j))
    """
    kind = type(leaf) if type(leaf) in (float, complex) else np.result_type(leaf).type
    found = kind(number)
    return np.array(found) if isinstance(leaf, np.ndarray) else found


def require_kind(value: Any, holomorphic: bool, what: str) -> None:
    """Real where no holomorphic function is promised, complex where one is.

    Raises:
        InputTypeError: it is not so.
    """
    found = leaves(value)
    if not _is_empty(value, what):
        _require_some(len(found), what, value)
    for leaf in found:
        _require_kind(is_complex(leaf), holomorphic, what)


def _is_empty(value: Any, what: str) -> bool:
    """Whether it has no items, as a list of run-time length may have none: so has its Jacobian."""
    return what == "value" and isinstance(value, (list, tuple)) and not flatten(value)[0]


def _require_some(count: int, what: str, value: Any) -> None:
    if not count:
        raise InputTypeError(
            f"a Jacobian whose {what} is {describe(value)}",
            why="it holds no floats",
            fix="return floats" if what == "value" else "pass floats, or choose other argnums",
        )


def describe(value: Any) -> str:
    dtype = getattr(value, "dtype", None)
    kind = type(getattr(value, "value", value)).__name__
    return f"an integer array ({dtype})" if dtype is not None else f"of type {kind}"


def require_argument(args: Sequence[Any], argnums: Any) -> None:
    """
    Raises:
        InputValueError: the call has no such argument.
    """
    for i in (argnums,) if isinstance(argnums, int) else argnums:
        if not -len(args) <= i < len(args):
            raise InputValueError(
                f"argnums={i}", why=f"the call has {len(args)} positional arguments", fix="choose one of them"
            )


def by_position(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of a call of a function: those that may go by position do.

    >>> by_position(lambda x, y, *, k: x, (1.0,), {"k": 3, "y": 2.0})
    ((1.0, 2.0), {'k': 3})
    """
    return Arguments(function, (), None).arrange(args, kwargs) if kwargs else (args, kwargs)


def filled(part: Callable[[int], Any], count: int, likes: Sequence[Any], last: bool) -> tuple[Any, ...]:
    """Blocks of ``part(0)``, ``part(1)``, ...: one for each of ``likes``, which say what a part consists of.

    The parts lie along the first axis. With ``last`` they lie along the second of two, raveled.

    >>> filled(lambda i: (np.full(2, i),), 3, (np.zeros(2, int),), True)
    (array([[0, 1, 2],
           [0, 1, 2]]),)
    """
    parts = [part(i) for i in range(count)]
    if not parts:
        shapes = [(np.size(like), 0) if last else (0, *np.shape(like)) for like in likes]
        return tuple(np.zeros(s, np.result_type(like)) for s, like in zip(shapes, likes, strict=True))
    if last:
        return tuple(np.stack([np.ravel(p[k]) for p in parts], axis=1) for k in range(len(likes)))
    return tuple(np.stack([p[k] for p in parts]) for k in range(len(likes)))


def _filled_in_place(part: Any, count: Any, likes: Any, last: Any) -> Any:
    """What the compiler reads in its place."""
    if last:
        columns = tuple([np.zeros((np.size(like), count), np.result_type(like)) for like in likes])
        for i in range(count):
            for block, found in zip(columns, part(i), strict=True):
                block[:, i] = np.ravel(found)
        return columns
    rows = tuple([np.zeros((count, *np.shape(like)), np.result_type(like)) for like in likes])
    for i in range(count):
        for block, found in zip(rows, part(i), strict=True):
            block[i] = found
    return rows


def _require_kind(found: bool, holomorphic: bool, what: str) -> None:
    if found and not holomorphic:
        raise InputTypeError(
            f"a complex {what} of a Jacobian",
            why="its entries would be no complex derivatives, unless the function is holomorphic",
            fix="holomorphic=True if it is, or split it into its real and imaginary part",
        )
    if holomorphic and not found:
        raise InputTypeError(
            f"holomorphic=True with a real {what}", why="it has to be complex", fix="pass complex numbers"
        )


# ----- the same for abstract values -------------------------------------------------------------------------
def _lower_leaves(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.frontend.values import Tup

    return Tup(tuple(_found(cx, args[0])))


def _found(cx: Context, value: Any) -> list[Any]:
    from ..calls.inside_later import mapped

    found: list[Any] = []
    mapped(cx, value, lambda leaf: found.append(leaf) if _abstract_kinds(cx, leaf) else None)
    return found


def _abstract_kinds(cx: Context, leaf: Any) -> set[str]:
    """Whether a leaf is "float" or "complex"; of a list of run-time length, what it holds."""
    from ..calls.inside_later import type_of_leaf
    from ..compiler.ir.types import DictOf, ListOf, carries_derivative, kind_of

    type = type_of_leaf(cx.arg(leaf))
    if not isinstance(type, (ListOf, DictOf)):
        return {kind_of(type)} if carries_derivative(type) else set()
    kinds = set(_kinds_held(type))
    if isinstance(type, DictOf) or not kinds:
        raise cx.unsupported(
            f"a Jacobian of {type}",
            "how many entries it has is known at run time only",
            "return arrays, or a list of floats",
        )
    return kinds


def _kinds_held(type: Any) -> Iterator[str]:
    """Of which kinds the floats and complex numbers are that values of a type consist of."""
    from ..compiler.ir.types import ListOf, TupleOf, carries_derivative, kind_of

    parts = type.items if isinstance(type, TupleOf) else (type.element,) if isinstance(type, ListOf) else None
    if parts is not None:
        for part in parts:
            yield from _kinds_held(part)
    elif carries_derivative(type):
        yield kind_of(type)


def _lower_with_leaves(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls.inside_later import mapped
    from ..compiler.frontend.values import Tup
    from ..compiler.ir.ops import Lit

    value, parts = args
    given = iter(parts.items if isinstance(parts, Tup) else cx.state.get(parts))
    return mapped(cx, value, lambda leaf: next(given) if _abstract_kinds(cx, leaf) else Lit(0))


def _lower_is_complex(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.ir.ops import Lit

    return Lit(_abstract_kinds(cx, args[0]) == {"complex"})


def _lower_require_kind(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls.inside_later import items_of
    from ..compiler.ir.ops import Lit

    value, holomorphic, what = args
    found = _found(cx, value)
    if what.value != "value" or items_of(cx, value) != ():
        _require_some(len(found), what.value, value)
    for kind in sorted({kind for leaf in found for kind in _abstract_kinds(cx, leaf)}):
        _require_kind(kind == "complex", holomorphic.value, what.value)
    return Lit(None)


def _lower_number_like(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls.inside_later import type_of_leaf
    from ..compiler.frontend.conversion import from_arg
    from ..compiler.ir.ops import Lit
    from ..compiler.ir.types import Array, dtype_of, kind_of

    leaf, number = cx.arg(args[0]), args[1].value
    type = type_of_leaf(leaf)
    if isinstance(type, Array):
        return from_arg(cx, cx.builder.op(np.ones_like if number else np.zeros_like, leaf))
    dtype = dtype_of(type)
    if dtype is not None:
        return Lit(dtype.type(number))
    return Lit(complex(number) if kind_of(type) == "complex" else float(number))


def _lower_filled(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return inlined(cx, _filled_in_place, args)


def _lower_require_argument(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..compiler.ir.ops import Lit

    require_argument(args[0].items, cx.demand(args[1], "argnums"))
    return Lit(None)


def _lower_by_position(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
    from ..calls.inside import parameter_names, positional
    from ..compiler.frontend.values import Dct, Tup

    function, given, named = args
    found, left = positional(parameter_names(function), list(given.items), cx.state.get(named))
    return Tup((Tup(tuple(found)), Dct(left)))


def inlined(cx: Context, program: Callable[..., Any], args: list[Any]) -> Any:
    """The abstract result of a Python function of this package."""
    from ..compiler.frontend.callables.calls import call
    from ..compiler.ir.ops import Lit

    return call(cx, Lit(program), args, {})


def _by_parts(made: Callable[..., Any], function: Any, wrt: Any, options: Sequence[Any]) -> Any:
    """An operator of the parts of arguments that ``wrt`` names."""
    from ..calls.of_parts import NestedOfParts
    from ..compiler.frontend.callables.calls import call
    from ..compiler.frontend.conversion import from_python
    from ..compiler.ir.ops import Lit

    def called(cx: Context, lifted: Any, names: Any, argnums: Any, args: Any, kwargs: Any) -> Any:
        return call(cx, inlined(cx, made, [lifted, from_python(cx, argnums), *options]), args, kwargs)

    return Lit(NestedOfParts(function, wrt, called))


def as_program(made: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """How the compiler reads a call of an operator: as one of ``made(function, *options)``.

    ``names``: of the options in their order; each is False, or 0 as the number of an argument, if not given.
    """

    def lower(cx: Context, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from ..compiler.ir.ops import Lit

        given = dict(zip(("function", *names), args, strict=False)) | kwargs
        if "argnum" in given and "argnums" in names:  # autograd's name
            given["argnums"] = chosen_by_number(cx.static_value(given.get("argnums", Lit(0))), given)
        options = [given.get(name, Lit(0 if name.startswith("argnum") else False)) for name in names]
        wrt = cx.demand(kwargs["wrt"], "wrt") if "wrt" in kwargs else None
        if wrt is not None and cx.static_value(options[0]) != 0:
            raise InputTypeError(
                "argnums and wrt together", why="both choose the arguments", fix="pass one of them"
            )
        if wrt is not None:
            return _by_parts(made, given["function"], wrt, options[1:])
        return inlined(cx, made, [given["function"], *options])

    return lower


_LOWERINGS: tuple[tuple[Any, Any], ...] = (
    (leaves, _lower_leaves),
    (with_leaves, _lower_with_leaves),
    (is_complex, _lower_is_complex),
    (number_like, _lower_number_like),
    (require_kind, _lower_require_kind),
    (require_argument, _lower_require_argument),
    (filled, _lower_filled),
    (by_position, _lower_by_position),
)
for _function, _lowering in _LOWERINGS:
    _function.__ast_ad_lower__ = _lowering
