"""How deep did functions call themselves in a call? What went deeper than its program is traced."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Iterator
from types import FrameType
from typing import Any

from ...compiler.frontend.callables.recursion import LAST_BOUND, Code, code_of
from ...errors import OtherTypeError, RecursionDepthError, UntakenPathError
from .retirement import drop
from .taken_paths import watched


def deeper(owner: Any, program: Any, problem: Exception, run: Callable[..., Any], inputs: Any) -> Any:
    """The results of the trace of a call. One that was too deep for a program lets the next go that deep.

    So does one in which a number was of another type. One that took a branch that its program leaves out lets
    the next have it.
    """
    if isinstance(problem, UntakenPathError) and owner.paths.wants_more():
        with watched(owner.paths):
            results = run(inputs)
        drop(owner, program)
        return results
    if isinstance(problem, OtherTypeError):
        drop(owner, program)
    if not isinstance(problem, RecursionDepthError):
        return run(inputs)
    known = dict(program.primal.depths)
    with measured(known, owner.depths):
        results = run(inputs)
    if any(owner.depths[code] > depth for code, depth in known.items()):
        drop(owner, program)
    return results


def may_be_deeper(owner: Any, program: Any, problem: Exception) -> bool:
    """Whether a program goes deeper that is made anew for a call which must not be traced: twice as deep."""
    depths = program.primal.depths
    if not isinstance(problem, RecursionDepthError) or min(depths.values()) >= LAST_BOUND:
        return False
    owner.depths.update({code: min(2 * depth, LAST_BOUND) for code, depth in depths.items()})
    drop(owner, program)
    return True


@contextlib.contextmanager
def measured(codes: Collection[Code], depths: dict[Code, int]) -> Iterator[None]:
    """Put into ``depths`` how many calls of each code were under way at once, and one more: at most 32.

    Where another profiler is at work, which must not lose its events, the depths are doubled instead.

    >>> def countdown(n):
    ...     return n and countdown(n - 1)
    >>> code, depths = code_of(countdown.__code__), {}
    >>> with measured([code], depths):
    ...     _ = countdown(5)
    >>> depths[code]
    7
    """
    if sys.getprofile() is not None:
        yield
        depths.update({code: min(2 * depths.get(code, LAST_BOUND), LAST_BOUND) for code in codes})
        return
    under_way, most = dict.fromkeys(codes, 0), dict.fromkeys(codes, 0)

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event not in ("call", "return"):
            return
        code = code_of(frame.f_code)
        if code in under_way:
            under_way[code] += 1 if event == "call" else -1
            most[code] = max(most[code], under_way[code])

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        depths.update({code: min(most[code] + 1, LAST_BOUND) for code in codes})
