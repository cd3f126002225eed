"""Does an exception belong to the work that it ends, or did a signal's handler raise it there?

A time limit is set by an alarm whose handler raises: in whatever happens to run then, a trial run of the
compiler's, Numba, a check. Taken for a failure of that, it would be answered by other code, and the limit
would be lost. So whoever catches any exception gives it to ``let_through`` first.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from types import CodeType, TracebackType
from typing import Any


def let_through(error: BaseException, causes: bool = False) -> None:
    """Raise ``error`` again if the handler of a signal has raised it; ``causes``: or what it was made of.

    Causes are for errors that a library has put in an exception's place. In a user's function that is what
    the function does. What somebody is handling who has called this is no cause of it, though Python notes it
    as the context: a user may call a derivative after a time limit.

    >>> let_through(ValueError("of the work itself"))
    """
    if threading.current_thread() is not threading.main_thread():
        return  # handlers run in the main thread
    codes = {code for code in map(_code, _handlers()) if code is not None}
    for one in _made_of(error) if causes else [error]:
        handled = one is not error and _is_running(one.__traceback__)
        if codes and not handled and any(code in codes for code in _passed(one)):
            raise one


def _handlers() -> Iterator[Any]:
    """The handlers of the program's own."""
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if callable(handler) and handler is not signal.default_int_handler:
            yield handler


def _code(handler: Any) -> CodeType | None:
    """What runs when a handler is called."""
    handler = getattr(handler, "func", handler)  # a partial
    handler = getattr(handler, "__func__", handler)
    found = getattr(handler, "__code__", None) or getattr(type(handler).__call__, "__code__", None)
    return found if isinstance(found, CodeType) else None


def _made_of(error: BaseException) -> list[BaseException]:
    found: list[BaseException] = []
    todo: list[BaseException | None] = [error]
    while todo:
        one = todo.pop()
        if one is not None and all(one is not other for other in found):
            found.append(one)
            todo += [one.__context__, one.__cause__]
    return found


def _is_running(caught: TracebackType | None) -> bool:
    """Whether the code that has caught an exception has not ended yet."""
    frame = sys._getframe()
    while caught is not None and frame is not None:
        if frame is caught.tb_frame:
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _passed(error: BaseException) -> Iterator[CodeType]:
    """The code that an exception has left."""
    at = error.__traceback__
    while at is not None:
        yield at.tb_frame.f_code
        at = at.tb_next
