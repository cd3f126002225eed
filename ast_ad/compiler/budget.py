"""How much work may a compilation be? It is counted, so that a program fares alike on every machine.

A step is an expression that is read, an operation that is made, or a look at one by a pass that runs for each
level of blocks within blocks. It takes one or two tenths of a millisecond.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator

from ..errors import SpanLike, UnsupportedError

MOST_STEPS = 100_000
MOST_AGAIN = 40_000  # where a function that was refused is read once more, without the branches not taken
TOO_LARGE = "a program of this size"
MOST_FOR_KERNELS = 25_000
"""Operations, of which one on arrays counts four times; each takes about two milliseconds."""


class _Count:
    steps = 0


_count: contextvars.ContextVar[_Count | None] = contextvars.ContextVar("ast_ad-steps", default=None)


@contextlib.contextmanager
def counted() -> Iterator[None]:
    """One compilation; what is compiled for its sake is part of it.

    >>> with counted():
    ...     spend(MOST_STEPS)
    ...     spend(1)
    Traceback (most recent call last):
    ast_ad.errors.UnsupportedError: [E101] a program of this size
      why: compiling it takes more than 100,000 steps
      fix: unroll less, or divide the function
    """
    if _count.get() is not None:
        yield
        return
    before = _count.set(_Count())
    try:
        yield
    finally:
        _count.reset(before)


def spent() -> int:
    """How many steps it is so far."""
    count = _count.get()
    return 0 if count is None else count.steps


def spend(steps: int = 1, span: SpanLike | None = None) -> None:
    """Count work, for the sake of what stands at ``span``.

    Raises:
        UnsupportedError: it is too much. So is all that follows, whoever takes this for a local failure.
    """
    count = _count.get()
    if count is not None:
        count.steps += steps
        if count.steps > MOST_STEPS:
            raise UnsupportedError(
                TOO_LARGE,
                span,
                f"compiling it takes more than {MOST_STEPS:,} steps",
                "unroll less, or divide the function",
            )
