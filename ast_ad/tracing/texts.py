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
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..eager.recording import plain_of
from ..eager.state import state
from ..eager.tensor import Tensor
from .births import is_followed
from .memory import DETACHED, refused

NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
ROUNDED = re.compile(
    r"\.(?:\d|1[0-6])[a-zA-Z%]?$|^[^.]*[a-zA-Z%]$"
)  # a format with fewer digits than a double has
PERCENT = re.compile(r"%(?:\([^)]*\))?([-+ #0]*\d*(?:\.\d+)?[eEfFgG])")


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


def formatted(value: float, text: str | None) -> None:
    """Note a traced number that ``text % value`` writes; of the text it may be that none is known."""
    rounds = text is not None and "*" not in text and all(map(ROUNDED.search, PERCENT.findall(text)))
    if _written.sizes is not None and not rounds:
        _written.sizes.add(abs(value))


def check_read(source: Any) -> None:
    """Refuse a text, a list of texts, or an array that was read, with a number that was noted."""
    if not _written.sizes or not state.tracing:
        return
    if isinstance(source, (list, tuple)):
        for part in source:
            check_read(part)
    elif isinstance(source, (str, bytes, bytearray)):
        text = source if isinstance(source, str) else source.decode("latin-1")
        _refuse_noted(map(float, NUMBER.findall(text)))
    elif isinstance(source, np.ndarray) and source.dtype.kind in "fc":
        _refuse_noted(_sizes(source))
    elif isinstance(source, np.ndarray) and source.dtype.names:
        for name in source.dtype.names:
            check_read(source[name])


def _sizes(array: np.ndarray) -> list[float]:
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    return [size for part in parts for size in np.abs(part).ravel().tolist()]


def _refuse_noted(sizes: Iterable[float]) -> None:
    assert _written.sizes is not None
    if not _written.sizes.isdisjoint(sizes):
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


def loading(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that reads arrays from a file, or from lines of text."""

    @functools.wraps(original)
    def load(*args: Any, **kwargs: Any) -> Any:
        found = original(*args, **kwargs)
        several = found.values() if isinstance(found, np.lib.npyio.NpzFile) else found
        for array in (found,) if isinstance(found, np.ndarray) else several:
            check_read(array)
        return found

    return load


def saving(original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes arrays to a file."""

    @functools.wraps(original)
    def save(*args: Any, **kwargs: Any) -> Any:
        _note_within((*args, *kwargs.values()))
        return original(*map(plain_within, args), **plain_within(kwargs))

    return save


def dumping(original: Callable[..., Any]) -> Callable[..., Any]:
    """``json.dumps``, which knows the numbers of Python's and NumPy's classes only."""

    @functools.wraps(original)
    def dump(obj: Any, *args: Any, **kwargs: Any) -> Any:
        _note_within(obj)
        return original(plain_within(obj), *args, **kwargs)

    dump.in_place_of = original  # type: ignore[attr-defined]
    return dump


def _note_within(value: Any) -> None:
    """Note the numbers of a traced value, or of those in a list or dict."""
    if isinstance(value, (list, tuple)):
        for item in value:
            _note_within(item)
    elif isinstance(value, dict):
        _note_within(list(value.values()))
    elif isinstance(value, Tensor) and is_followed(value) and _written.sizes is not None:
        _written.sizes.update(_sizes(value._array))


def plain_within(value: Any) -> Any:
    """The value with plain numbers in place of traced ones, also in lists and dicts."""
    if type(value) in (list, tuple):
        return type(value)(map(plain_within, value))
    if type(value) is dict:
        return {key: plain_within(item) for key, item in value.items()}
    return plain_of(value) if isinstance(value, Tensor) else value


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
] + [(vars(json), name, vars(json)[name], dumping(vars(json)[name])) for name in ("dumps", "dump")]
