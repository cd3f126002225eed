"""What is a case? The source of a module with a function ``f``, calls of it, and what is asked of them."""

from __future__ import annotations

import importlib.util
import itertools
import linecache
import pathlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

_numbers = itertools.count()


@dataclass(frozen=True)
class Call:
    """Arguments, and statements that are run in the module before: a global gets another value, say."""

    args: tuple[Any, ...]
    kwargs: tuple[tuple[str, Any], ...] = ()
    before: str = ""


@dataclass(frozen=True)
class Case:
    source: str
    calls: tuple[Call, ...]
    argnums: tuple[int, ...]
    stateful: bool = False  # whether a call changes what the next one sees
    productions: frozenset[str] = frozenset()

    def script(self) -> str:
        """The case as a program that stands alone."""
        lines = [self.source, "", "import ast_ad", ""]
        lines.append(f"derivative = ast_ad.value_and_grad(f, argnums={self.argnums})")
        for call in self.calls:
            lines += [call.before] if call.before else []
            inner = [written(a) for a in call.args] + [f"{k}={written(v)}" for k, v in call.kwargs]
            lines.append(f"print(derivative({', '.join(inner)}))")
        return "\n".join(lines) + "\n"


def written(value: Any) -> str:
    """A value as Python source."""
    if isinstance(value, np.ndarray):
        dtype = "" if value.dtype in (np.float64, np.int64) and value.size else f", dtype=np.{value.dtype}"
        return f"np.array({value.tolist()!r}{dtype})"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(written, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k!r}: {written(v)}" for k, v in value.items()) + "}"
    return repr(value)


def copies(value: Any) -> Any:
    """The same value with arrays and containers of its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, list | tuple):
        return type(value)([copies(v) for v in value])
    if isinstance(value, dict):
        return {k: copies(v) for k, v in value.items()}
    return value


def leaves(value: Any) -> Iterator[Any]:
    """The numbers and arrays in an argument or in a gradient."""
    if isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, dict):
        for inner in value.values():
            yield from leaves(inner)
    else:
        yield value


def replaced(value: Any, following: Iterator[Any]) -> Any:
    """The same structure with other leaves."""
    if isinstance(value, list | tuple):
        return type(value)([replaced(v, following) for v in value])
    if isinstance(value, dict):
        return {k: replaced(v, following) for k, v in value.items()}
    return next(following)


class Plain:
    """The function of a case as Python runs it: each evaluation begins with a fresh module."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.code = compile(case.source, "<case>", "exec", dont_inherit=True)

    def at(self, index: int) -> Callable[..., Any]:
        """The function as the call of this number finds it, after those before it where they leave traces."""
        namespace: dict[str, Any] = {"__name__": "case"}
        exec(self.code, namespace)
        for k, call in enumerate(self.case.calls[: index + 1]):
            run_before(call, namespace)
            if k < index and self.case.stateful:
                attempt(namespace["f"], copies(call.args), copies(dict(call.kwargs)))
        function: Callable[..., Any] = namespace["f"]
        return function


def run_before(call: Call, namespace: dict[str, Any]) -> None:
    """Run what stands before a call, as a notebook's cell: what it defines has a source."""
    if call.before:
        name = f"<before {call.before}>"
        linecache.cache[name] = len(call.before), None, [call.before + "\n"], name
        exec(compile(call.before, name, "exec", dont_inherit=True), namespace)


def attempt(function: Callable[..., Any], args: Any, kwargs: Any) -> tuple[Any, BaseException | None]:
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, error


def load(source: str, folder: pathlib.Path) -> ModuleType:
    """The source as a module from a real file, so that it can be found."""
    path = folder / f"case_{next(_numbers)}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def unload(module: ModuleType) -> None:
    sys.modules.pop(module.__name__, None)
