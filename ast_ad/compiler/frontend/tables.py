"""Which function reads which statement, expression, callable or method? The modules enter theirs here."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from .context import Context

F = TypeVar("F", bound=Callable[..., Any])

EXEC: dict[type, Callable[[Context, Any, list[Any]], Any]] = {}
EVAL: dict[type, Callable[[Context, Any], Any]] = {}
CALLS: dict[Any, Callable[..., Any]] = {}
METHODS: dict[tuple[str, str], Callable[..., Any]] = {}


class Intrinsic(NamedTuple):
    """A callable of the compiler's own: ``run(cx, *args, **kwargs)``."""

    run: Callable[..., Any]


def statement(kind: type) -> Callable[[F], F]:
    """The function ``(cx, node, rest)`` reads such statements; ``rest``: those that follow in the block."""
    return _entering(EXEC, kind)


def expression(kind: type) -> Callable[[F], F]:
    """The function ``(cx, node)`` gives the value of such expressions."""
    return _entering(EVAL, kind)


def handles(*callables: object) -> Callable[[F], F]:
    """The function ``(cx, *args, **kwargs)`` reads calls of these."""
    return _entering(CALLS, *callables)


def method(kind: str, name: str) -> Callable[[F], F]:
    """The function ``(cx, receiver, *args, **kwargs)`` reads ``.name()`` of an "array", a "list", ..."""
    return _entering(METHODS, (kind, name))


def read_call(cx: Context, handler: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a reader of calls makes of one; it is refused if the reader has no such parameters."""
    try:
        return handler(*args, **kwargs)
    except TypeError:
        try:
            inspect.signature(handler).bind(*args, **kwargs)
        except TypeError as unfit:
            raise cx.unsupported(
                "a call with these arguments", f"{unfit}", "pass fewer, by position"
            ) from None
        raise


def _entering(table: dict[Any, Any], *keys: object) -> Callable[[F], F]:
    def enter(function: F) -> F:
        for key in keys:
            assert key not in table, f"{key} has two readers"
            table[key] = function
        return function

    return enter
