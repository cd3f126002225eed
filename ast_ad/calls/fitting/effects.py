"""What a program writes outside is written once, even if it fails and NumPy code, or a trace, begins again.

The modules of a program that prints or warns get functions of ours under these names. They count what was
done, and leave out of a second run as much as the first had done.
"""

from __future__ import annotations

import builtins
import contextlib
import logging
import threading
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from ...compiler.ir.builtin import log_


class _Told(threading.local):
    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.skip: Counter[str] = Counter()


_told = _Told()


def _once(tell: Callable[..., Any], kind: str) -> Callable[..., None]:
    def told(*args: Any, **kwargs: Any) -> None:
        if _told.skip[kind]:
            _told.skip[kind] -= 1
        else:
            tell(*args, **kwargs)  # what raises has told nothing
        _told.done[kind] += 1

    return told


def _warn(message: Any, category: Any = None, stacklevel: int = 1, *args: Any, **kwargs: Any) -> None:
    warnings.warn(message, category, stacklevel + 2, *args, **kwargs)


print_, warn_ = _once(builtins.print, "print"), _once(_warn, "warn")
logged = _once(log_, "log")


def is_loud(run: Callable[..., Any]) -> bool:
    """Whether a generated function prints, warns or logs.

    >>> is_loud(lambda x: print(x)), is_loud(lambda x: -x)
    (True, False)
    """
    return not {"print", "warn", "warnings", "log_"}.isdisjoint(run.__code__.co_names)


def counted(run: Callable[..., Any]) -> Callable[..., Any]:
    """A generated function, whose module counts from now on what it prints, warns of and logs."""
    names = run.__globals__
    names["print"] = print_
    for name, value in list(names.items()):
        if value is warnings.warn:
            names[name] = warn_
        elif value is log_:
            names[name] = logged
        elif value is warnings:
            names[name] = types.SimpleNamespace(warn=warn_)
    return run


def begin(program: Any) -> None:
    """A program begins: if it is loud, it has not written anything so far."""
    if getattr(program, "loud", False):
        _told.done, _told.skip = Counter(), Counter()


@contextlib.contextmanager
def again() -> Iterator[None]:
    """In the block a program begins again; what it has written before is not written a second time."""
    _told.skip, _told.done = _told.done, Counter()
    try:
        yield
    finally:
        _told.skip = Counter()


@contextlib.contextmanager
def traced_again(program: Any) -> Iterator[None]:
    """In the block the function itself stands for a program that failed; it prints and logs what is left."""
    if not getattr(program, "loud", False):
        yield
        return
    plain, handle = builtins.print, logging.Logger.handle
    with again():
        builtins.print, logging.Logger.handle = (  # type: ignore[method-assign]
            print_,
            _once(handle, "log"),
        )
        try:
            yield
        finally:
            builtins.print, logging.Logger.handle = plain, handle  # type: ignore[method-assign]
