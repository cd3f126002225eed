"""How does a list of IR functions become the text of a Python module?

``emit_module(functions, header, decorators, local, outline) -> Emitted``. After ``write_in_place``, and for
kernels after ``partition``: no later stage sees IR. ``load_module`` makes a module of the text.

The tree is built from nodes, printed, and parsed again: what the text means is what the tree says, or the
emitter refuses. Comments are put in afterwards: the source line that a group of adjoint statements
differentiates stands above them.
"""

from __future__ import annotations

import ast
import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...errors import InternalError, UnsupportedError
from ..ir.check import check
from ..ir.ops import Function, Span
from . import outlining
from .imports import References
from .nesting import plan
from .statement_text import Source, function_def

MAX_COMMENT = 100


@dataclass(frozen=True)
class Emitted:
    """A module's ``text``; ``injected``: what must be bound in its namespace before it runs; ``lines``: for
    line numbers of the text, in order, the place in the user's source that they come from."""

    text: str
    injected: dict[str, Any]
    lines: list[tuple[int, Span]]


def emit_module(
    functions: list[Function],
    header: str = "",
    decorators: Mapping[str, Callable[..., Any]] | None = None,
    local: Mapping[str, object] | None = None,
    outline: bool = False,
) -> Emitted:
    """Print the functions as one module.

    Args:
        functions: the IR, written in place where that is wanted (``arrays.in_place``).
        header: remarks for the top of the file, printed as comments.
        decorators: by the name of a function, what decorates it.
        local: by the name of a function, the object that stands for it in calls from the others.
        outline: whether bodies of calls that are equal up to names become one function. A prototype:
            nothing but tests asks for it. The statements are taken out of ``functions``.

    Raises:
        InternalError: if the IR is malformed, or the text does not parse back to its tree.

    >>> from ast_ad.compiler.ir import ops, types
    >>> import operator
    >>> x, y = ops.Var(types.Scalar("float"), "x"), ops.Var(types.Scalar("float"), "y")
    >>> body = ops.Block([ops.Op(operator.mul, (x, ops.Lit(2)), (y,))], (y,))
    >>> print(emit_module([ops.Function("double", (x,), body)]).text)
    def double(x):
        y = x * 2
        return y
    <BLANKLINE>
    """
    references, local = References(), dict(local or {})
    if outline:
        functions, found = _outlined(functions, {*local, *(function.name for function in functions)})
        local |= found
    for name, stand_in in local.items():
        references.know(stand_in, name)
    for function in functions:
        references.names.add(check(function).name)
    definitions: list[ast.stmt] = []
    sources: dict[ast.stmt, Source] = {}
    for function in functions:
        compiled = decorators is not None and function.name in decorators
        definition, own = function_def(function, references, by_name=not compiled)
        if decorators and compiled:
            definition.decorator_list.append(references.callable(decorators[function.name]))
        definitions.append(definition)
        sources.update(own)
    tree = ast.Module([*references.imports(), *definitions], [])
    text, parsed = to_source(tree)
    comments, places = _annotations(tree, parsed, sources)
    top = [f"# {_one_line(line)}".rstrip() for line in header.splitlines()]
    return _annotated(text, top, comments, places, references.injected)


def _outlined(functions: list[Function], taken: set[str]) -> tuple[list[Function], dict[str, object]]:
    """The functions, each behind those that stand for runs of its statements; and what stands for these."""
    found, local = list[Function](), dict[str, object]()
    for function in functions:
        several, own = outlining.outline(function, lambda outer: plan(outer).inlined, taken)
        found += several
        local |= own
    return found, local


def to_source(tree: ast.Module) -> tuple[str, ast.Module]:
    """Text that parses back to exactly this tree, and what the parser makes of it."""
    printers = [_unparsed] if _astor() is None else [_astor_source, _unparsed]
    for printer in printers:
        try:
            text = printer(tree)
            parsed = ast.parse(text)
            if _says_the_same(tree, parsed):
                return text, parsed
        except SyntaxError as problem:
            refuse_nesting(problem)
        except (ValueError, AttributeError):  # the next printer, or the error below
            continue
    raise InternalError("generated code", why="the printed text does not parse back to its tree")


def refuse_nesting(problem: SyntaxError) -> None:
    """Tell of the limits that Python sets to blocks within blocks; other errors are not the user's.

    Raises:
        UnsupportedError: it is one of these limits.
    """
    if isinstance(problem, IndentationError) or "nested blocks" in str(problem):
        raise UnsupportedError(
            "blocks within blocks",
            why=f"their derivative has more than Python reads ({problem.msg})",
            fix="divide the function, or return a value at its end only",
        ) from None


@functools.cache
def _astor() -> Any:
    """The preferred printer; None where it doesn't load: it reads names of ``ast`` that Python 3.14 lacks."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.13 announces that
            import astor  # the printer is needed only where code is generated
    except (ImportError, AttributeError):
        return None
    return astor


def _unparsed(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))


def _astor_source(tree: ast.Module) -> str:
    def string(text: str, embedded: Any, current_line: str, *args: Any, **kwargs: Any) -> str:
        alone = not current_line.strip() and '"' not in text and "\\" not in text and text.isprintable()
        return f'"""{text}"""' if alone else repr(text)

    return str(_astor().to_source(tree, pretty_string=string, pretty_source="".join))


_NOT_SAID = frozenset(("ctx", "kind", "type_comment"))  # depends on how the tree was made


@functools.cache
def _said(fields: tuple[str, ...]) -> tuple[str, ...]:
    """Those fields of a node that tell what the program is."""
    return tuple(name for name in fields if name not in _NOT_SAID)


def _says_the_same(made: ast.AST, parsed: ast.AST) -> bool:
    """Whether two trees are one program.

    Each version of Python adds fields, which the parser fills and who makes a node may leave out: a field
    that a node lacks, one that is None and an empty list are the same.
    """
    pairs: list[tuple[Any, Any]] = [(made, parsed)]
    while pairs:
        a, b = pairs.pop()
        if a is b and (a is None or type(a) is str):  # most names are one object, most other fields none
            continue
        if isinstance(a, ast.AST):
            if type(a) is not type(b):
                return False
            for name in _said(a._fields):
                pairs.append((getattr(a, name, None), getattr(b, name, None)))
        elif isinstance(a, list) or isinstance(b, list):
            a, b = ([] if x is None else x for x in (a, b))
            if not (isinstance(a, list) and isinstance(b, list) and len(a) == len(b)):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif type(a) is not type(b) or repr(a) != repr(b):  # repr tells 0.0 from -0.0, and nan is itself
            return False
    return True


def _annotations(
    tree: ast.Module, parsed: ast.Module, sources: dict[ast.stmt, Source]
) -> tuple[dict[int, str], list[tuple[int, Span]]]:
    """The comment above each line, and the origin of each line, by the line numbers of the plain text."""
    comments: dict[int, str] = {}
    places: list[tuple[int, Span]] = []
    for owner, block, twins in _blocks(tree, parsed):
        last: tuple[object, ...] = ()
        if owner in sources:  # a loop within the loops of one statement
            span, adjoint = sources[owner]
            last = adjoint, span.filename, span.text
        for node, twin in zip(block, twins, strict=True):
            source = sources.get(node)
            if source is None:
                continue
            span, adjoint = source
            if span.line or span.text:
                places.append((twin.lineno, span))
            group = adjoint, span.filename, span.text  # parts of one statement may stand in several lines
            if adjoint and span.text and group != last:
                comments.setdefault(twin.lineno, f"{' ' * twin.col_offset}# {_one_line(span.text)}")
            last = group
    return comments, sorted(places, key=lambda place: place[0])


def _blocks(node: ast.AST, twin: ast.AST) -> Iterator[tuple[ast.AST, list[ast.stmt], list[ast.stmt]]]:
    """Every list of statements in a tree, with the node that holds it, and its twin in an equal tree.

    An ``elif`` has no line of its own.
    """
    for field, value in ast.iter_fields(node):
        other = getattr(twin, field)
        if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
            chained = field == "orelse" and isinstance(value[0], ast.If) and len(value) == 1
            if not chained:
                yield node, value, other
            for inner, inner_twin in zip(value, other, strict=True):
                yield from _blocks(inner, inner_twin)


def _annotated(
    text: str,
    top: list[str],
    comments: dict[int, str],
    places: list[tuple[int, Span]],
    injected: dict[str, Any],
) -> Emitted:
    lines = list(top)
    moved: dict[int, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if number in comments:
            lines.append(comments[number])
        lines.append(line)
        moved[number] = len(lines)
    return Emitted("\n".join(lines) + "\n", injected, [(moved[number], span) for number, span in places])


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    line = "".join(c if c.isprintable() else "?" for c in line)
    return line if len(line) <= MAX_COMMENT else line[: MAX_COMMENT - 3] + "..."
