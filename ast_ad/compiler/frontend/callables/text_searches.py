"""What do functions of ``re`` find in texts that are known when a program is compiled?

They run then, as nothing but their arguments says what they find. Python's own are code that keeps a cache.
Methods of patterns and of what these match are compiled code (``source.opaque``). ``namedtuple`` is code that
makes code of a text: its class is made once for each program.
"""

from __future__ import annotations

import collections
import re
from collections.abc import Callable
from typing import Any

from ....interrupts import let_through
from ..context import Context
from ..conversion import from_python
from ..tables import handles
from ..values import Value

FOUND = re.compile, re.findall, re.match, re.search, re.fullmatch, re.split, re.escape, re.sub


def found_by(fn: Any, results: Callable[[Any], Any] = lambda found: found) -> Callable[..., Any]:
    """How a call of the function is read; ``results``: what stands for an iterator."""

    def run(cx: Context, *args: Value, **kwargs: Value) -> Any:
        values = [cx.demand(a, f"an argument of `{fn.__name__}`") for a in args]
        named = {k: cx.demand(v, f"{k}= of `{fn.__name__}`") for k, v in kwargs.items()}
        if any(map(callable, (*values, *named.values()))):
            raise cx.unsupported(f"`{fn.__name__}` with a function", "it may do something", "give a text")
        try:
            return from_python(cx, results(fn(*values, **named)))
        except Exception as problem:
            let_through(problem)
            raise cx.unsupported(
                f"`{fn.__name__}`", f"{type(problem).__name__}: {problem}", "mend it", exception=problem
            ) from None

    return run


for function in FOUND:
    handles(function)(found_by(function))
handles(re.finditer)(found_by(re.finditer, list))
handles(collections.namedtuple)(found_by(collections.namedtuple))
