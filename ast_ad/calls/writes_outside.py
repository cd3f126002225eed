"""Does a function write to what it finds around it? As far as its text tells that.

``writes_outside(function) -> bool``, of a function that a solver is given: it may fill arrays of its own.
What the text doesn't tell, a write under another name, is found by comparing when it has run.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterator
from typing import Any

import gast

from ..compiler.frontend.source.functions import find_source
from ..errors import SourceError

WRITERS = frozenset(
    "copyto put putmask place fill sort partition resize itemset put_along_axis setfield".split()
)


def writes_outside(function: Any) -> bool:
    """Whether it does, or its text is not known."""
    while not isinstance(function, types.FunctionType):
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, types.MethodType):
            function = function.__func__
        else:
            function = getattr(type(function), "__call__", None)  # noqa: B004
            if not isinstance(function, types.FunctionType):
                return False  # compiled code, which is followed by a rule or not at all
    try:
        tree = find_source(function).tree
    except SourceError:
        return True
    own = set(_names(function.__code__))
    return any(name not in own for node in gast.walk(tree) for name in _written(node))


def _names(code: types.CodeType) -> Iterator[str]:
    """The local names of a function, and of those that it defines."""
    yield from code.co_varnames
    yield from code.co_cellvars
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _written(node: Any) -> Iterator[str]:
    """The names of arrays that are written to at a place of the text."""
    if isinstance(node, (gast.Subscript, gast.Attribute)) and not isinstance(node.ctx, gast.Load):
        yield from _base(node)
    if not isinstance(node, gast.Call):
        return
    for keyword in node.keywords:
        if keyword.arg == "out":
            yield from (one.id for one in gast.walk(keyword.value) if isinstance(one, gast.Name))
    called = node.func.attr if isinstance(node.func, gast.Attribute) else getattr(node.func, "id", "")
    if called in WRITERS or called == "at":
        for part in (node.func, *node.args[:1]):
            yield from _base(part)


def _base(node: Any) -> Iterator[str]:
    """The name at which a chain of attributes and items begins."""
    while isinstance(node, (gast.Subscript, gast.Attribute, gast.Starred)):
        node = node.value
    if isinstance(node, gast.Name):
        yield node.id
