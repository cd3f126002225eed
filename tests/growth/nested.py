"""Programs of any depth, as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .programs import made


def alternatives(count: int, returning: bool = False) -> Callable[..., Any]:
    """``elif`` after ``elif``, chosen by an int that is known at run time only."""
    leave = "return" if returning else "y ="
    lines = ["def f(x, k):", "    if k == 0:", f"        {leave} x"]
    for i in range(1, count):
        lines += [f"    elif k == {i}:", f"        {leave} x * {i}.0 + x * x"]
    return made([*lines, "    else:", f"        {leave} -x", *([] if returning else ["    return y * y"])])


def helpers(count: int) -> Callable[..., Any]:
    """Helpers, each of which calls the next."""
    lines = ["def h0(x, y):", "    return x * y"]
    for i in range(1, count):
        lines += [f"def h{i}(x, y):", f"    z = x * 0.9 + {i % 5}.0", f"    return h{i - 1}(z, y) + y"]
    return made([*lines, "def f(x):", f"    return h{count - 1}(x, 0.5 * x)"])


def tree(levels: int) -> Callable[..., Any]:
    """Helpers that each call the two before."""
    lines = ["def h0(x):", "    return x * 0.5", "def h1(x):", "    return x * x"]
    for i in range(2, levels):
        lines += [f"def h{i}(x):", f"    return h{i - 1}(x) + h{i - 2}(x * 0.9)"]
    return made([*lines, "def f(x):", f"    return h{levels - 1}(x)"])


def early_returns(count: int) -> Callable[..., Any]:
    """What follows a return is nested in what returns not."""
    lines = ["def f(x, y):", "    p = x"]
    for i in range(count):
        lines += [f"    if p > {i + 1}.5:", f"        return p * {i}.0 + y", "    p = p + y * 0.1"]
    return made([*lines, "    return p"])


def within_branches(depth: int) -> Callable[..., Any]:
    """Branches within branches; each side sets numbers that the next ones read."""
    names = [f"v{i}" for i in range(depth)]
    lines = ["def f(x, y):", *(f"    v{i} = x * {i + 1}.0" for i in range(depth))]
    for i in range(depth):
        indent = "    " * (i + 1)
        lines += [
            f"{indent}if v{i} * y < {2 * depth - i}.0:",
            f"{indent}    v{i} = v{i} * y + v{(i + 3) % depth}",
        ]
    for i in reversed(range(depth)):
        indent = "    " * (i + 1)
        lines += [f"{indent}else:", f"{indent}    v{i} = v{i} + {i}.0 * v{(i + 1) % depth}"]
        lines += [f"{indent}    v{(i + 2) % depth} = v{(i + 5) % depth} * y"]
    return made([*lines, f"    return {' + '.join(names)}"])


def writes_within_branches(depth: int) -> Callable[..., Any]:
    """Branches within branches that write to three arrays."""
    lines = [
        "import numpy as np",
        "def f(x, y):",
        "    a = y * 2.0",
        "    b = y * 1.0",
        "    c = np.zeros(5)",
    ]
    for i in range(depth):
        indent = "    " * (i + 1)
        lines += [
            f"{indent}if a[{i % 5}] * x < {2 * depth - i}.0:",
            f"{indent}    a[{i % 4}:] += b[{i % 3}] * x",
        ]
        lines += [f"{indent}    c[{i % 5}] = x * a[0]"]
    for i in reversed(range(depth)):
        indent = "    " * (i + 1)
        lines += [f"{indent}else:", f"{indent}    b[{i % 5}] = x", f"{indent}    c = a * {i}.0"]
    return made([*lines, "    return np.sum(a * b + c)"])


def sum_of_terms(count: int) -> Callable[..., Any]:
    """One expression, a tree as deep as it is long."""
    return made(["def f(x):", "    return " + " + ".join(f"x * {i}.0" for i in range(count))])
