"""What is the source of a function, and is it really that of the code that runs?

``inspect.getsource`` returns the text of another function when the file was edited after the import, and
the whole line where two lambdas share one. Here the whole file is compiled once, and the function's code
object must be found in the result: same first line, name, bytecode, names and constants. What cannot be
verified is an error.
"""

from __future__ import annotations

import ast
import functools
import textwrap
import threading
import types
import weakref
from dataclasses import dataclass
from typing import Any

import gast

from ....deep import run_deep
from ....errors import SourceError
from ....rules.of_numba import made_of
from ...ir.ops import Span
from ..values import Callee
from .binding_conditions import with_branches
from .code_match import Definition, ambiguous_or_changed, indices, match_definition
from .lines import file_lines, unnamed_texts


@dataclass(frozen=True, eq=False)
class Source:
    """The verified source of one function.

    ``tree``: its gast node (FunctionDef, AsyncFunctionDef or Lambda) without decorators; positions are those
    of the file. It is shared: copy before changing it. ``lines``: the file's lines from ``first_line``, the
    first decorator's. ``class_name``: the innermost class around it, which private names are mangled with.
    """

    tree: Any
    filename: str
    first_line: int
    lines: tuple[str, ...]
    function: types.FunctionType
    is_lambda: bool
    name: str
    class_name: str | None = None

    @property
    def text(self) -> str:
        """The lines, dedented."""
        return textwrap.dedent("".join(self.lines))

    @property
    def span(self) -> Span:
        """The place of the whole function, for errors."""
        return _span(self.function.__code__, self.lines[0].strip() if self.lines else "")

    def mangle(self, name: str) -> str:
        """The name under which ``name``, as written in the function, is looked up (``__p`` in a class)."""
        class_name = (self.class_name or "").lstrip("_")
        if not class_name or not name.startswith("__") or name.endswith("__") or "." in name:
            return name
        return f"_{class_name}{name}"


@dataclass(frozen=True, eq=False)
class _Parsed:
    """All of a Source but the function: what may be kept as long as the code object lives."""

    tree: Any
    lines: tuple[str, ...]
    class_name: str | None


_lock = threading.RLock()
_parsed: dict[int, tuple[weakref.ref[types.CodeType], _Parsed]] = {}  # by id: equal code may differ in file


def find_source(function: Callee, follow_wrapped: bool = False) -> Source:
    """The verified source of a Python function, lambda or method.

    Args:
        function: a function, a bound method, a Numba dispatcher or an ``lru_cache`` wrapper (whose plain
            functions are used).
        follow_wrapped: go through wrappers made with ``functools.wraps`` to what they wrap.

    Raises:
        SourceError: there is no Python source, or it is not that of the running code.

    >>> import colorsys
    >>> source = find_source(colorsys.rgb_to_yiq)
    >>> source.name, type(source.tree).__name__, source.lines[0]
    ('rgb_to_yiq', 'FunctionDef', 'def rgb_to_yiq(r, g, b):\\n')
    """
    plain = plain_function(function, follow_wrapped)
    code = plain.__code__
    with _lock:
        reference, parsed = _parsed.get(id(code), (None, None))
        if parsed is None or reference is None or reference() is not code:
            parsed = run_deep(_parse, plain)
            # No code of Python's: an exception of a signal's handler would be lost in what a reference calls.
            forget = functools.partial(_parsed.pop, id(code))  # the reference is its default
            _parsed[id(code)] = weakref.ref(code, forget), parsed
    return Source(
        tree=parsed.tree,
        filename=code.co_filename,
        first_line=code.co_firstlineno,
        lines=parsed.lines,
        function=plain,
        is_lambda=isinstance(parsed.tree, _gast().Lambda),
        name=plain.__name__,
        class_name=parsed.class_name,
    )


def plain_function(function: Callee, follow_wrapped: bool = False) -> types.FunctionType:
    """The Python function whose code runs when ``function`` is called; see ``find_source``."""
    seen: Any = function
    for _ in range(100):
        if isinstance(seen, (types.MethodType, staticmethod, classmethod)):
            seen = seen.__func__
        elif isinstance(seen, functools._lru_cache_wrapper):
            seen = seen.__wrapped__
        elif made_of(seen) is not None:
            seen = made_of(seen)
        elif isinstance(seen, types.FunctionType):
            if not follow_wrapped or not hasattr(seen, "__wrapped__"):
                return seen
            seen = seen.__wrapped__
        else:
            break
    raise _no_source(function)


def _parse(function: types.FunctionType) -> _Parsed:
    code = function.__code__
    lines, definition = _found(function)
    node = definition.node
    if not isinstance(node, ast.Lambda):
        node = _without_decorators(node)
    tree = _gast().ast_to_gast(with_branches(node))
    own = tuple(lines[code.co_firstlineno - 1 : definition.node.end_lineno])
    return _Parsed(tree, own, definition.class_name)


def _found(function: types.FunctionType) -> tuple[list[str], Definition]:
    """The lines of the function's file, and its definition in them."""
    lines = file_lines(function)
    if lines:
        return lines, _definition(function, lines)
    for lines in unnamed_texts(function):
        try:
            return lines, _definition(function, lines)
        except SourceError:  # another text than that of this function
            continue
    raise _not_available(function)


def _definition(function: types.FunctionType, lines: list[str]) -> Definition:
    code = function.__code__
    rewritten = "@pytest_ar" in function.__globals__  # pytest puts this name where it rewrites asserts
    reasons = set()
    try:
        for index in indices(function, lines):
            found = match_definition(index, code, rewritten)
            if found is not None:
                return found
            reasons.add(ambiguous_or_changed(index, code))
    except (SyntaxError, ValueError) as error:
        raise _changed(function) from error
    if "ambiguous" in reasons:
        raise SourceError(
            "two functions on one line that cannot be told apart",
            _span(code, _line(lines, code)),
            why="the interpreter keeps no columns (-X no_debug_ranges)",
            fix="write them on separate lines",
        )
    raise _changed(function)


def _not_available(function: types.FunctionType) -> SourceError:
    filename = function.__code__.co_filename
    if filename.startswith("<"):
        why = f"its code was made by exec, a prompt or a pipe, which keep no text ({filename})"
    else:
        why = f"{filename} cannot be read (moved, deleted, or only compiled files are installed)"
    return SourceError(
        f"the source of `{function.__qualname__}` is not available",
        why=why,
        fix="define the function in a file that can be read, or give it a derivative rule",
    )


def _without_decorators(node: gast.AST) -> Any:
    fields = {name: getattr(node, name) for name in node._fields if hasattr(node, name)}
    return ast.copy_location(type(node)(**{**fields, "decorator_list": []}), node)


def _changed(function: types.FunctionType) -> SourceError:
    return SourceError(
        f"the source of `{function.__qualname__}` changed since import",
        _span(function.__code__, ""),
        why="the file's text, compiled anew, does not give the code that runs (edited, or altered on import)",
        fix="reload the module or restart Python",
    )


def _no_source(function: object) -> SourceError:
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None) or repr(function)
    if isinstance(function, functools.partial):
        why, fix = "it is a functools.partial", "pass the function inside, `.func`"
    elif isinstance(function, type):
        why, fix = "it is a class", "pass one of its methods, or a function that calls it"
    elif not callable(function):
        why, fix = f"it is not a function but a {type(function).__name__}", "pass a function"
    elif isinstance(type(function).__call__, types.FunctionType):
        why, fix = f"it is an object of class {type(function).__name__}", "pass its `__call__` method"
    else:
        why = f"it is compiled code ({type(function).__module__}.{type(function).__name__})"
        fix = "give it a derivative rule, or write it in Python and NumPy"
    return SourceError(f"`{name}` has no Python source", why=why, fix=fix)


def _line(lines: list[str], code: types.CodeType) -> str:
    return lines[code.co_firstlineno - 1].strip() if code.co_firstlineno <= len(lines) else ""


def _span(code: types.CodeType, text: str) -> Span:
    return Span(code.co_filename, code.co_firstlineno, 0, 0, text, code.co_name)


def _gast() -> Any:
    import gast  # costs 16 ms: not before the first function is read

    return gast
