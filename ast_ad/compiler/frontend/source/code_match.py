"""Which definition in a file's text is the one that a code object was compiled from?

The file is parsed and compiled as a whole, once per content. A definition matches where its compiled code
equals the running code in all that decides what it does; columns tell apart what shares a line.
"""

from __future__ import annotations
import __future__

import ast
import threading
import types
import warnings
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

Key = tuple[int, str]  # first line (the first decorator's) and name
_FUTURES = 0
for _feature in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _feature).compiler_flag


@dataclass(frozen=True, eq=False)
class Definition:
    """A ``def`` or lambda in a file; ``class_name``: the innermost class around it."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    class_name: str | None


@dataclass(eq=False)
class FileIndex:
    """The definitions and code objects of one file's text, by first line and name."""

    lines: list[str]
    flags: int
    definitions: dict[Key, list[Definition]] = field(default_factory=dict)
    codes: dict[Key, list[types.CodeType]] = field(default_factory=dict)


_lock = threading.RLock()
_indices: dict[str, FileIndex] = {}
_MOST_FILES = 200  # a notebook makes a file a cell


def indices(function: types.FunctionType, lines: list[str]) -> Iterator[FileIndex]:
    """The definitions in these lines, compiled in each way in which the function may have been compiled.

    Each is the same text; Python calls methods of names by other instructions where it sees their import.
    """
    code = function.__code__
    block = _index_block(function, lines)
    if block is not None:
        yield block
    yield _index_file(code.co_filename, lines, code.co_flags)
    alone = _index_statement(code, lines)
    if alone is not None:
        yield alone


def _index_file(filename: str, lines: list[str], co_flags: int) -> FileIndex:
    """The index of a file with these lines; raises SyntaxError or ValueError where they don't compile."""
    flags = co_flags & _FUTURES  # a prompt or doctest applies `from __future__` imports made elsewhere
    with _lock:
        known = _indices.get(filename)
        if known is not None and known.flags == flags and known.lines == lines:
            return known
        index = _index(filename, lines, flags)
        if len(_indices) >= _MOST_FILES:
            _indices.pop(next(iter(_indices)))
        _indices[filename] = index
        return index


def _index_block(function: types.FunctionType, lines: list[str]) -> FileIndex | None:
    """The index of the lines of one function at the top level of a file: it costs less than the file's.

    None where its lines can't be told without parsing more; a wrong guess matches nothing.
    """
    code = function.__code__
    if code.co_qualname != code.co_name or code.co_freevars or not code.co_name.isidentifier():
        return None
    first = end = code.co_firstlineno - 1
    while end < len(lines) and not lines[end].startswith(("def ", "async ")):
        end += 1
    end += 1
    while end < len(lines) and (not lines[end].strip() or lines[end][0] in " \t#)]}"):
        end += 1
    above = ["\n"] * first
    imported = [name for name in sorted(_names(code)) if _is_imported(name, function)]
    if above and imported:  # Python calls methods of imported names by other instructions
        above[0] = f"import {', '.join(imported)}\n"
    try:
        return _index(code.co_filename, above + lines[first:end], code.co_flags & _FUTURES)
    except (SyntaxError, ValueError):
        return None


def _index_statement(code: types.CodeType, lines: list[str]) -> FileIndex | None:
    """The index of the one statement that holds the code: prompts and notebooks compile each by itself."""
    for statement in _parsed(lines, code.co_filename).body:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])
        if first <= code.co_firstlineno <= (statement.end_lineno or first):
            alone = ["\n"] * (first - 1) + lines[first - 1 : statement.end_lineno]
            return _index(code.co_filename, alone, code.co_flags & _FUTURES)
    return None


def _names(code: types.CodeType) -> set[str]:
    return set(code.co_names).union(*(_names(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def _is_imported(name: str, function: types.FunctionType) -> bool:
    """Whether a global looks as if an import had bound it."""
    value = function.__globals__.get(name)
    module = getattr(value, "__module__", None)
    return isinstance(value, types.ModuleType) or isinstance(module, str) and module != function.__module__


def _index(filename: str, lines: list[str], flags: int) -> FileIndex:
    mode = flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # notebooks
    index = FileIndex(list(lines), flags)
    tree = _parsed(lines, filename)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the text, not of the tree: trees may not be as deep
        module = compile("".join(lines), filename, "exec", mode, dont_inherit=True)
    for code in _code_objects(module):
        index.codes.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    for definition in _definitions(tree):
        index.definitions.setdefault(_key(definition.node), []).append(definition)
    return index


def _parsed(lines: list[str], filename: str) -> ast.Module:
    with warnings.catch_warnings():  # the user got them when Python compiled the file
        warnings.simplefilter("ignore")
        return ast.parse("".join(lines), filename)


def match_definition(index: FileIndex, code: types.CodeType, rewritten: bool = False) -> Definition | None:
    """The definition that ``code`` was compiled from, or None if there is none, or no single one.

    ``rewritten``: pytest may have rewritten the asserts, so that functions with asserts are compared by
    arguments, names and lines.
    """
    key = code.co_firstlineno, code.co_name
    definitions = index.definitions.get(key, [])
    codes = [c for c in index.codes.get(key, []) if _same_code(c, code)]
    if not codes and rewritten:
        for definition in definitions:
            asserts = _assert_lines(definition.node)
            same = [c for c in index.codes.get(key, []) if asserts and _same_but_asserts(c, code, asserts)]
            if same and len(definitions) == 1:
                return definition
    if not codes or not definitions:
        return None
    if len(definitions) == 1:
        return definitions[0]
    places = list(code.co_positions())  # of a text edited since, another one may stand at these columns
    return _by_column(definitions, code) if any(list(c.co_positions()) == places for c in codes) else None


def ambiguous_or_changed(index: FileIndex, code: types.CodeType) -> str:
    """Why ``match_definition`` found nothing."""
    key = code.co_firstlineno, code.co_name
    return "ambiguous" if any(_same_code(c, code) for c in index.codes.get(key, [])) else "changed"


def _by_column(definitions: list[Definition], code: types.CodeType) -> Definition | None:
    """The innermost definition whose body holds all positions of the code."""
    starts, ends = [], []
    for line, end_line, column, end_column in code.co_positions():
        if line is not None and end_line is not None and column is not None and end_column is not None:
            if (column, end_column) != (0, 0):  # the prologue's place is the first line as a whole
                starts.append((line, column))
                ends.append((end_line, end_column))
    if not starts:
        same = [d for d in definitions if _gives(d.node, code)] or definitions
        return same[0] if len({ast.dump(d.node) for d in same}) == 1 else None
    inside = [d for d in definitions if _covers(d.node, min(starts), max(ends))]
    return max(inside, key=lambda d: _extent(d.node)[0], default=None)


def _gives(node: Any, code: types.CodeType) -> bool:
    """Whether it is a lambda that compiles to the code: one of a constant has no columns in Python 3.12."""
    if not isinstance(node, ast.Lambda):
        return False
    made = compile(ast.Expression(node), code.co_filename, "eval").co_consts
    return any(isinstance(c, types.CodeType) and _does(c) == _does(code) for c in made)


def _covers(node: gast.AST, start: tuple[int, int], end: tuple[int, int]) -> bool:
    first, last = _extent(node)
    return first <= start and end <= last


def _extent(node: gast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    first: Any
    last: Any
    first, last = (node.body, node.body) if isinstance(node, ast.Lambda) else (node.body[0], node.body[-1])
    return (first.lineno, first.col_offset), (last.end_lineno, last.end_col_offset)


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    return a is b or _fingerprint(a) == _fingerprint(b)


def _fingerprint(code: types.CodeType) -> Hashable:
    """All that decides what the code does; constants without order, as that of frozensets varies."""
    return (
        code.co_firstlineno,
        code.co_qualname,
        *_does(code),
    )


def _does(code: types.CodeType) -> tuple[Hashable, ...]:
    """The same but for the place."""
    return (
        code.co_code,
        code.co_names,
        _signature(code),
        code.co_varnames,
        code.co_cellvars,
        frozenset(_constant(c) for c in code.co_consts),
    )


def _signature(code: types.CodeType) -> Hashable:
    count = code.co_argcount + code.co_kwonlyargcount
    stars = code.co_flags & 0x0C  # *args, **kwargs
    arguments = code.co_varnames[: count + (stars > 0) + (stars == 0x0C)]
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount
    return counts, stars, arguments, code.co_freevars


def _constant(value: object) -> Hashable:
    """A key that tells 1 from 1.0 and True, 0.0 from -0.0, and makes nan equal to itself."""
    if isinstance(value, types.CodeType):
        return _fingerprint(value)
    if isinstance(value, tuple):
        return tuple(_constant(item) for item in value)
    if isinstance(value, frozenset):
        return frozenset(_constant(item) for item in value)
    if isinstance(value, (float, complex)):
        return type(value), repr(value)
    return type(value), value


def _same_but_asserts(plain: types.CodeType, rewritten: types.CodeType, asserts: set[int]) -> bool:
    """Whether the codes agree outside of the lines of assert statements."""
    names = set(rewritten.co_names) | {"AssertionError"}
    return (
        _signature(plain) == _signature(rewritten)
        and plain.co_qualname == rewritten.co_qualname
        and set(plain.co_varnames) <= set(rewritten.co_varnames)
        and set(plain.co_names) <= names
        and _lines(plain) - asserts == _lines(rewritten) - asserts
    )


def _lines(code: types.CodeType) -> set[int]:
    return {line for _, _, line in code.co_lines() if line is not None}


def _assert_lines(node: ast.AST) -> set[int]:
    spans = (n for n in ast.walk(node) if isinstance(n, ast.Assert))
    return {line for n in spans for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)}


def _key(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Key:
    if isinstance(node, ast.Lambda):
        return node.lineno, "<lambda>"
    return min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.name


def _code_objects(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _code_objects(constant)


def _definitions(tree: ast.AST) -> Iterator[Definition]:
    """Every definition in the tree; with a stack of its own, as expressions may nest deeply."""
    stack: list[tuple[ast.AST, str | None]] = [(tree, None)]
    while stack:
        node, class_name = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield Definition(node, class_name)
        inner = node.name if isinstance(node, ast.ClassDef) else class_name
        stack.extend((child, inner) for child in ast.iter_child_nodes(node))
