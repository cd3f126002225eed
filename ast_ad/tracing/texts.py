"""What if a number that is differentiated is written into text, and read from text again?

Text has no history, so that the gradient would silently be lost. The numbers that are written in full are
noted, and it is an error to read one of them from a text. Where so many digits are asked for a number is
rounded, and has the derivative zero, as with ``np.round``: nothing is noted.
"""

from __future__ import annotations

import ast
import builtins
import functools
import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..eager.state import state
from ..eager.tensor import Tensor
from .births import is_followed
from .memory import DETACHED, refused

NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ROUNDED = re.compile(
    r"\.(?:\d|1[0-6])[a-zA-Z%]?$|^[^.]*[a-zA-Z%]$"
)  # a format with fewer digits than a double has


class _Written(threading.local):
    """The sizes of the numbers that the trace under way has written; None where there is no trace."""

    sizes: set[float] | None = None


_written = _Written()


@contextmanager
def noting() -> Iterator[None]:
    """One trace, and those within it."""
    outer = _written.sizes
    _written.sizes = set() if outer is None else outer
    try:
        yield
    finally:
        _written.sizes = outer


def written(t: Any, text: str, spec: str = "") -> str:
    """The text of a traced value, whose numbers are noted."""
    if _written.sizes is not None and is_followed(t) and not ROUNDED.search(spec):
        _written.sizes.update(map(float, NUMBER.findall(text)))
    return text


def check_read(source: Any) -> None:
    """Refuse a text, or a list of texts, with a number that was noted."""
    if not _written.sizes or not state.tracing:
        return
    if isinstance(source, (list, tuple)):
        for part in source:
            check_read(part)
    elif isinstance(source, (str, bytes, bytearray)):
        text = source if isinstance(source, str) else source.decode("latin-1")
        if not _written.sizes.isdisjoint(map(float, NUMBER.findall(text))):
            what = "a number read from a text into which it was written"
            raise refused(what, DETACHED, "compute with the number itself")


def reading(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose first argument may be a text with numbers."""

    @functools.wraps(original)
    def read(*args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)  # what it raises comes first
        check_read(args[0] if args else next(iter(kwargs.values()), None))
        return found

    read.in_place_of = original  # type: ignore[attr-defined]
    return read


def writing(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes a text of an array."""

    @functools.wraps(original)
    def write(a: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(a, *args, **kwargs)
        return written(a, found) if isinstance(a, Tensor) else found

    return write


def _running(original: Callable[..., Any]) -> Callable[..., Any]:
    """``eval`` and ``exec``, which run a text among the names of their caller."""

    @functools.wraps(original)
    def run(source: Any, globals: Any = None, locals: Any = None, /, **kwargs: Any) -> Any:
        check_read(source)
        caller = sys._getframe(1)
        if globals is None:
            globals = caller.f_globals
            if locals is None:  # since Python 3.13 a function's are a view, and it would run on a copy
                locals = caller.f_locals
                locals = locals if isinstance(locals, dict) else dict(locals)
        return original(source, globals, globals if locals is None else locals, **kwargs)

    run.in_place_of = original  # type: ignore[attr-defined]
    return run


FUNCTIONS = {"eval": _running(builtins.eval), "exec": _running(builtins.exec)}
# Modules of Python's, the names in them, what stands there, and what takes its place.
PLACES = [
    (vars(module), name, vars(module)[name], reading(vars(module)[name]))
    for module, name in ((ast, "literal_eval"), (json, "loads"))
]
