"""Which lines may a function have been compiled from?

Files and the cells of notebooks are in ``linecache``. What Python got from ``-c``, a prompt or a redirected
standard input it keeps elsewhere, or not at all; it is looked for where it may still be. Nothing here is
believed: the lines are compiled again and compared with the code that runs (``code_match``).
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import stat
import sys
import tokenize
import types
from collections.abc import Iterator
from typing import Any

import gast

_SHARED = "<string>", "<stdin>"  # names that Python gives to whatever text has none
_FROZEN = "<frozen "
_MOST_BYTES = 10_000_000  # a standard input that is longer is data


def file_lines(function: types.FunctionType) -> list[str]:
    """The lines of the function's file, or of the notebook's cell; empty if there are none."""
    filename = function.__code__.co_filename
    if filename in _SHARED:
        return []
    if filename.startswith(_FROZEN):  # modules that the interpreter holds itself, as that of `Mapping`
        filename = function.__globals__.get("__file__") or filename
    linecache.checkcache(filename)
    return linecache.getlines(filename, function.__globals__)


def unnamed_texts(function: types.FunctionType) -> Iterator[list[str]]:
    """Texts without a file or name of their own, one of which the function may have been compiled from."""
    filename = function.__code__.co_filename
    if not (filename.startswith("<") and filename.endswith(">")):
        return
    yield linecache.getlines(filename)
    try:
        yield inspect.findsource(function)[0]  # the prompt of Python 3.13 and later
    except (OSError, TypeError, IndexError):
        pass
    if filename == "<string>":
        yield from map(_split, _commands())
    elif filename == "<stdin>":
        yield _split(_redirected_input())


def _commands() -> Iterator[str]:
    """What may have stood behind ``-c``: alone, or behind other flags as in ``-Bc``, or joined to it."""
    arguments = sys.orig_argv[1:]
    for number, argument in enumerate(arguments):
        flags, c, joined = argument.partition("c")
        if c and flags.startswith("-") and not flags.startswith("--"):
            yield joined or "".join(arguments[number + 1 : number + 2])


def _redirected_input() -> str:
    """The file that is the standard input, as in ``python < program.py``; its position stays where it is."""
    try:
        state = os.fstat(0)
        if not stat.S_ISREG(state.st_mode) or state.st_size > _MOST_BYTES:
            return ""
        data = io.BytesIO(os.pread(0, state.st_size, 0))
        encoding, _ = tokenize.detect_encoding(data.readline)
        return data.getvalue().decode(encoding)
    except (OSError, AttributeError, SyntaxError, UnicodeDecodeError):  # closed, no pread, no Python
        return ""


def _split(text: str) -> list[str]:
    return io.StringIO(text + "\n", newline=None).readlines() if text else []


def statement_text(source: Any, node: gast.AST) -> str:
    """A statement on one line, as the user wrote it; of a compound one the first line."""
    first = node.lineno - source.first_line
    last = (node.end_lineno if not hasattr(node, "body") else node.lineno) - source.first_line
    return " ".join(line.strip() for line in source.lines[first : last + 1])
