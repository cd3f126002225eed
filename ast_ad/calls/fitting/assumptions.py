"""What do kernels take for granted, where does it stand in the user's code, and what did not hold?

Each check in the text of a kernel is an assumption. One that fails is dropped for good: the statement that it
belongs to is left to NumPy, and the rest compiled again. What is taken for granted of lengths is compared
before the call: other lengths get other kernels, and after some of them less is taken for granted.
"""

from __future__ import annotations

import ast
import functools
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ...compiler.emit.load import nearest
from ...compiler.frontend.length_patterns import Known
from ...compiler.ir.ops import Span, Var
from ...compiler.ir.types import Array, Dim

NO_NAN = "no zero that meets an infinity in a product"
"""Of the whole program: none of its lines is left to NumPy where it does not hold."""
RUNTIME = "ast_ad.compiler.kernels.runtime"  # which is not imported for that: it loads Numba
MOST_DROPPED = 4  # assumptions of one program that are dropped before it has no kernels any more
KINDS = {
    "position": "an index within bounds",
    "all_inside": "an index within bounds",
    "small": "no overflow",
    "nearby": "no overflow",
    "product": "no overflow",
    "nonzero": "a divisor that is not zero",
    "defined": "a finite number",
    "whole": "a finite number",
    "numbers": NO_NAN,
}


@dataclass(frozen=True)
class Assumption:
    """One kind of fact at one line of the user's; ``span``: None where no line of his is the cause."""

    kind: str
    span: Span | None

    @property
    def place(self) -> tuple[str, int] | None:
        """The file and the line."""
        return None if self.span is None or not self.span.line else (self.span.filename, self.span.line)

    def __str__(self) -> str:
        if self.span is None or not self.span.line:
            return self.kind
        return f"{self.kind} (line {self.span.line}, {self.span.text})"


def assumptions(run: Callable[..., Any], text: str) -> list[Assumption]:
    """Those of a module of kernels, of which ``run`` is the driver.

    >>> assumptions(len, "def kernel(x): return x")
    []
    """
    return list(dict.fromkeys(found for _, found in _checks(run, text)))


def of_lengths(parameters: Iterable[Var]) -> list[Assumption]:
    """The lengths of arrays that a program takes as known: small ones, and those that are equal to another.

    They are compared before each call, so that one with others gets a program of its own.
    """
    found: list[Assumption] = []
    first: dict[Dim, str] = {}
    for var in parameters:
        for axis, dim in enumerate(var.type.shape or () if isinstance(var.type, Array) else ()):
            name = f"{var.hint}.shape[{axis}]"
            known = dim if isinstance(dim, int) else first.setdefault(dim, name)
            if known != name and dim != 1:
                found.append(Assumption(f"{name} == {known}", None))
    return found


def given_up(known: Known) -> list[Assumption]:
    """What a program does without, as there were so many sets of lengths before."""
    kinds = ["small lengths that are constants", "lengths that are equal"]
    return [Assumption(kind, None) for kind in kinds[: int(known)]]


def failed(problem: BaseException, run: Callable[..., Any], text: str) -> list[Assumption]:
    """The assumptions that an exception of a kernel may stand for: those of the line where it arose."""
    kind = type(problem)
    if (kind.__module__, kind.__name__) != (
        RUNTIME,
        "Mismatch",
    ):  # the user may have one of that name
        return []
    own, checks = _file(run), sys.modules[RUNTIME].__file__
    frames = [(frame.f_code, line) for frame, line in traceback.walk_tb(problem.__traceback__)]
    lines = [line for code, line in frames if code.co_filename == own]
    last, _ = frames[-1]
    if last.co_filename == checks and last.co_name in KINDS:  # called by the driver, wherever that is written
        return list(dict.fromkeys(one for _, one in _checks(run, text) if one.kind == KINDS[last.co_name]))
    if not lines:
        return []
    if last.co_filename != own:
        place = last.co_filename, last.co_name
        return list(dict.fromkeys(found for _, found in _calls(run, text, place)))
    return list(dict.fromkeys(found for line, found in _checks(run, text) if line == lines[-1]))


def _file(run: Callable[..., Any]) -> str:
    return str(getattr(getattr(run, "__code__", None), "co_filename", ""))


def _checks(run: Callable[..., Any], text: str) -> Iterator[tuple[int, Assumption]]:
    """The checks in a module's text, each with its line there."""
    return _told(run, text, "kernels.runtime", _kind)


def _calls(run: Callable[..., Any], text: str, place: tuple[str, str]) -> Iterator[tuple[int, Assumption]]:
    """The calls of what may give up in such a function of a file, in a module's text."""
    known = getattr(run, "__globals__", {})

    def kind(name: str, call: ast.Call) -> str:
        assert isinstance(call.func, ast.Name)
        plain = name.removeprefix("library_").removesuffix("_d").removesuffix("_D")
        return f"a case that kernels compute (`{plain}`)" if place in _places(known.get(call.func.id)) else ""

    return _told(run, text, "kernels.numbers.", kind)


def _told(
    run: Callable[..., Any], text: str, module: str, kind: Callable[[str, ast.Call], str]
) -> Iterator[tuple[int, Assumption]]:
    """What calls of a module's functions in a kernel's text take for granted, if ``kind`` says it."""
    tree = ast.parse(text)
    names = {
        alias.asname or alias.name: alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and module in f"{node.module}."
        for alias in node.names
    }
    spans = getattr(run, "__globals__", {}).get("__source_map__") or {}
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                found = kind(names[node.func.id], node)
                if found:
                    inside = {n: span for n, span in spans.items() if n > function.lineno}
                    span = None if found == NO_NAN else nearest(inside, node.lineno)
                    yield node.lineno, Assumption(found, span)


@functools.cache
def _places(function: Any) -> frozenset[tuple[str, str]]:
    """The files and names of a function that kernels call, and of what it calls itself."""
    code = getattr(getattr(function, "py_func", None), "__code__", None)
    if code is None:
        return frozenset()
    cells = [cell.cell_contents for cell in function.py_func.__closure__ or ()]
    known = function.py_func.__globals__
    called = [*cells, *(known[name] for name in code.co_names if name in known)]
    others = [_places(other) for other in called if hasattr(other, "py_func")]
    return frozenset({(code.co_filename, code.co_name)}).union(*others)


def _kind(check: str, call: ast.Call) -> str:
    if check != "require":
        return KINDS.get(check, "")
    (condition,) = call.args
    if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.Eq):
        return "equal lengths"
    if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.GtE):
        return "a length that is not negative"
    if isinstance(condition, ast.Constant):
        return "a path that raises nothing"
    return "a condition of the operation"
