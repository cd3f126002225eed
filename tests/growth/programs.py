"""Programs of any length, as functions."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

_count = itertools.count()


def made(lines: list[str]) -> Callable[..., Any]:
    """The function ``f`` of a text that the compiler can read."""
    text, filename = "\n".join(lines) + "\n", f"<growth {next(_count)}>"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(text, filename, "exec"), space)
    return space["f"]  # type: ignore[no-any-return]


def scalars(count: int) -> Callable[..., Any]:
    """Numbers, each of others: all of them are read again by the reverse sweep."""
    body = [f"    v{i} = math.sin(v{i - 1}) * v{i // 2} + 0.1 * v{i - 2}" for i in range(2, count)]
    return made(
        [
            "import math",
            "def f(x):",
            "    v0 = x * 1.5",
            "    v1 = x + 1.0",
            *body,
            f"    return v{count - 1}",
        ]
    )


def arrays(count: int) -> Callable[..., Any]:
    """Arrays under few names."""
    steps = (
        "a = a * x + 0.3",
        "b = np.sin(a) + x",
        "a = a - b * 0.2",
        "c = b / (1.5 + a * a)",
        "a = c + a * 0.5",
    )
    body = [f"    {steps[i % 5]}" for i in range(count)]
    return made(
        ["import numpy as np", "def f(x):", "    a = x * 1.5", "    b = c = x", *body, "    return np.sum(a)"]
    )


def writes(count: int) -> Callable[..., Any]:
    """Writes to one array, whole ones and those of elements."""
    body = [
        f"    a[{i % 7}] = a[{(i + 1) % 7}] * 0.5 + x[{i % 5}]" if i % 2 else "    a[1:] += 0.1 * a[:-1]"
        for i in range(count)
    ]
    return made(["import numpy as np", "def f(x):", "    a = x * 1.5", *body, "    return np.sum(a)"])


def loops(count: int) -> Callable[..., Any]:
    """Small loops, one after the other."""
    body = [
        line
        for i in range(count)
        for line in ("    for i in range(m):", f"        a = a * 0.9 + b * {i % 5}.0", "    b = b + a * 0.01")
    ]
    return made(["def f(x, m=3):", "    a = x", "    b = x * 0.5", *body, "    return a + b"])


def branches(count: int) -> Callable[..., Any]:
    """Branches, one after the other."""
    body = [
        line
        for i in range(count)
        for line in (
            f"    if a > 0.{i % 10}:",
            "        a = a * 0.9 + x",
            "    else:",
            "        b = b + a * x",
        )
    ]
    return made(["def f(x):", "    a = x", "    b = x * 2.0", *body, "    return a + b"])
