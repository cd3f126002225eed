"""How are passes of a loop read one by one, each only where the loop has not been left?"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ...ir.ops import Lit
from ..constructs.branches import branch
from ..constructs.statements import alive, stay
from ..context import Context
from ..values import Value


def unroll(cx: Context, items: list[Callable[[], Value]], body: Callable[[Value], None]) -> None:
    """Run ``body`` for one item after the other; each is read when its turn comes, as Python does."""
    cx.unrolled += len(items)
    if cx.unrolled > 20_000:
        raise cx.unsupported(
            "a loop over a static structure",
            "unrolled, the program gets too long",
            "use an array instead of a list or tuple",
        )
    unroll_from(cx, items, 0, body)


def unroll_from(
    cx: Context, items: list[Callable[[], Value]], position: int, body: Callable[[Value], None]
) -> None:
    while position < len(items) and not cx.state.dead:
        cx.state.set_name(cx.frame, "$continue", Lit(False))
        still_alive = alive(cx)
        if still_alive is False:
            break
        if still_alive is not True:
            branch(
                cx, still_alive, functools.partial(unroll_rest, cx, items, position, body), lambda: None, None
            )
            break
        body(items[position]())
        position += 1
    cx.state.set_name(cx.frame, "$continue", Lit(False))


def unroll_rest(
    cx: Context, items: list[Callable[[], Value]], position: int, body: Callable[[Value], None]
) -> None:
    """Unroll further where the loop has not been left."""
    stay(cx, cx.frame)
    unroll_from(cx, items, position, body)


def pass_and_rest(cx: Context, first: Callable[[], None], rest: Callable[[], None]) -> None:
    """Run the first pass, and the rest of the loop where that has not left it."""
    cx.state.set_name(cx.frame, "$continue", Lit(False))
    first()
    if cx.state.dead:
        return
    cx.state.set_name(cx.frame, "$continue", Lit(False))
    still_alive = alive(cx)

    def go_on() -> None:
        stay(cx, cx.frame)
        rest()

    if still_alive is True:
        rest()
    elif still_alive is not False:
        branch(cx, still_alive, go_on, lambda: None, None)
