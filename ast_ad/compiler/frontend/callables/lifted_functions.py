"""What is a function of the program's to code that is not compiled? Itself, with what it finds around it.

``Structure(cx).function(value) -> TreeDef``: a nested ``def`` or ``lambda`` as a part of the structure of
arguments (``call_sites``), with its free variables as children: what they mean when the call is made, for
Python looks them up late. At run time it is an ``Enclosed``, whose ``function()`` is the user's own code with
these values in its closure. ``lowered`` is the way back, where that code is read anew, as a function of them.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import gast

from ....errors import SourceError
from ....registered import entry_of
from ....trees import LEAF, STATIC, TreeDef, bare
from ...ir.ops import Var
from ..constructs.expressions import load_name
from ..constructs.local_classes import is_local
from ..context import Context
from ..conversion import from_python
from ..guards import Path
from ..outside_values import outside_value
from ..source.functions import find_source
from ..told_values import is_constant
from ..values import Bound, Closure, Dct, Frame, Lst, Maybe, Obj, Tup, Unbound, Value
from .call_sites import tree_of


# ----- at run time
class Enclosed:
    """A function: its code, with empty cells, what goes into them, and its defaults."""

    template: types.FunctionType
    cells: tuple[Any, ...]
    defaults: tuple[Any, ...]
    keywords: dict[str, Any]

    def function(self) -> Any:
        of: Any = self.template
        cells = tuple(types.CellType(plainly(value)) for value in self.cells)
        made: Any = types.FunctionType(of.__code__, of.__globals__, of.__name__, None, cells)
        made.__defaults__ = plainly(self.defaults) or None
        made.__kwdefaults__ = plainly(self.keywords) or None
        return made


class Partial:
    """A function with its first arguments: a method of an object, or a ``functools.partial``."""

    called: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def function(self) -> Any:
        return functools.partial(plainly(self.called), *plainly(self.args), **plainly(self.kwargs))


class Instance:
    """An object that the program has made, for methods that read it: its class and its attributes."""

    cls: type
    attributes: dict[str, Any]

    def function(self) -> Any:
        made = bare(self.cls)
        vars(made).update(plainly(self.attributes))
        return made


def plainly(value: Any) -> Any:
    """A value with functions and objects in the places of ``Enclosed``, ``Partial`` and ``Instance``."""
    if isinstance(value, (Enclosed, Partial, Instance)):
        return value.function()
    if isinstance(value, (list, tuple)):
        make = getattr(type(value), "_make", type(value))
        return make(map(plainly, value))
    if isinstance(value, dict):
        return type(value)((key, plainly(item)) for key, item in value.items())
    return value


# ----- from the program to a structure
class Structure:
    """The structure of the arguments of one call; their numbers and arrays are ``leaves``."""

    def __init__(self, cx: Context) -> None:
        self.cx = cx
        self.leaves: list[Var] = []
        self._open: list[Closure] = []
        self._depth = 0  # of functions in functions
        self._objects: list[Obj] = []  # those that the outermost one of them finds

    def of(self, value: Any) -> TreeDef:
        return tree_of(self.cx, value, self.leaves, self.structure)

    def structure(self, value: Closure | Bound | Obj) -> TreeDef | None:
        """That of a function, and of an object that a function finds around it; None of any other object."""
        if isinstance(value, Obj):
            return self._object(value) if self._depth and _is_plain(value.cls) else None
        self._depth += 1
        found = self._partial(value) if isinstance(value, Bound) else self._closure(value)
        self._depth -= 1
        if not self._depth:
            self._objects.clear()
        return found

    def _object(self, value: Obj) -> TreeDef:
        """It is made anew for each function, so that nobody may ask whether two are one."""
        if value in self._objects:
            what = f"a {value.cls.__name__} that a function finds in two places"
            raise self.cx.unsupported(what, "each would be an object of its own", "pass it once")
        self._objects.append(value)
        attributes = self.of(self.cx.state.get(value))
        return TreeDef(Instance, tuple(Instance.__annotations__), (_static(value.cls), attributes))

    def _partial(self, value: Bound) -> TreeDef:
        return TreeDef(Partial, tuple(Partial.__annotations__), tuple(map(self.of, _parts(value))))

    def _closure(self, value: Closure) -> TreeDef:
        code = code_of(value)
        if code is None or "__class__" in code.co_freevars or value in self._open:
            what = f"`{value.name}` as an argument of code that is not compiled"
            raise self.cx.unsupported(what, "its code is not known as a whole", "define it in a plain way")
        placed = [name for name in code.co_varnames[: code.co_argcount] if name in value.defaults]
        named = {name: v for name, v in value.defaults.items() if name not in placed}
        self._open.append(value)
        children = (
            _static(template_of(code, value)),
            self._tuple(free_value(self.cx, value, name) for name in code.co_freevars),
            self._tuple(value.defaults[name] for name in placed),
            TreeDef(dict, tuple(named), tuple(map(self.of, named.values()))),
        )
        self._open.pop()
        return TreeDef(Enclosed, tuple(Enclosed.__annotations__), children)

    def _tuple(self, values: Iterable[Value]) -> TreeDef:
        items = tuple(map(self.of, values))
        return TreeDef(tuple, tuple(range(len(items))), items)


def _static(value: Any) -> TreeDef:
    return TreeDef(STATIC, (), (), value)


def _is_plain(cls: type) -> bool:
    """Whether the attributes of an instance are all that it has."""
    own = cls.__mro__[:-1]
    slots = any("__slots__" in vars(base) for base in own)
    made_by: Any = cls.__new__
    return made_by is object.__new__ and not slots and not is_local(cls) and entry_of(cls) is None


def _parts(value: Bound) -> tuple[Any, ...]:
    return value.fn, tuple(value.args), dict(value.kwargs)


def free_value(cx: Context, closure: Closure, name: str) -> Any:
    """What a variable of the functions around means now."""
    outer, cx.frame = cx.frame, Frame(closure.frame.source, closure.frame.globals, closure.frame)
    frame: Frame | None = closure.frame
    try:
        while frame is not None and name not in frame.locals:
            frame = frame.enclosing
        if frame is not None and isinstance(cx.state.get_name(frame, name), (Unbound, Maybe, type(None))):
            what = f"`{closure.name}` as an argument"
            raise cx.unsupported(what, f"`{name}` has no value on some path", "set it before the call")
        return load_name(cx, name)
    finally:
        cx.frame = outer


def code_of(closure: Closure) -> types.CodeType | None:
    """The code of a nested function, in that of the function with source around it; None if in doubt.

    The instructions of a lambda may all stand within another one that it returns.
    """
    function = getattr(closure.frame.source, "function", None)
    if not isinstance(function, types.FunctionType):
        return None
    within = [code for code in _codes(function.__code__) if _is_within(code, closure.node, closure.name)]
    found = [code for code in within if _places(_tree(code, closure)) == _places(closure.node)]
    return found[0] if len(found) == 1 else None


def _tree(code: types.CodeType, closure: Closure) -> Any:
    """The definition that a code was compiled from."""
    try:
        return find_source(template_of(code, closure)).tree
    except SourceError:
        return None


def _places(node: Any) -> Any:
    return node and (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def template_of(code: types.CodeType, closure: Closure) -> types.FunctionType:
    """The function without what it finds around it."""
    empty = tuple(types.CellType() for _ in code.co_freevars)
    return types.FunctionType(code, closure.frame.globals, closure.name, None, empty)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The codes of the functions that are defined in a code, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes(constant)


def _is_within(code: types.CodeType, node: Any, name: str) -> bool:
    """Whether all of a code stands where a definition does."""
    if code.co_name != ("<lambda>" if isinstance(node, gast.Lambda) else name):
        return False
    first, last = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    places = [place for place in code.co_positions() if place[3]]  # the first instruction stands nowhere
    if not places or any(None in place for place in places):
        return False
    return all(first <= (p[0], p[2]) and (p[1], p[3]) <= last for p in places)


# ----- and from a structure to the program that reads it anew
def lowered(cx: Context, tree: TreeDef, leaves: Iterator[Value]) -> Any:
    """The abstract value of a structure with these leaves."""
    if tree.type is LEAF:
        return next(leaves)
    if tree.type is STATIC:
        if is_constant(tree.static):
            return from_python(cx, tree.static)
        return outside_value(cx, tree.static, Path.of_object(tree.static, "what is enclosed"))
    items = tuple(lowered(cx, child, leaves) for child in tree.children)
    if tree.type is Partial:
        return Bound(items[0], items[1].items, cx.state.get(items[2]))
    if tree.type is Instance:
        return Obj(tree.children[0].static, dict(cx.state.get(items[1])))
    if tree.type is Enclosed:
        return _function(cx, tree.children[0].static, *items[1:])
    if tree.type is list:
        return Lst(items)
    if tree.type is dict:
        return Dct(dict(zip(tree.keys, items, strict=True)))
    if issubclass(tree.type, tuple):
        return Tup(items, None if tree.type is tuple else tree.type)
    raise cx.unsupported(f"a {tree.type.__name__} in a closure", "it is not followed", "pass its parts")


def _function(cx: Context, of: types.FunctionType, cells: Tup, defaults: Tup, keywords: Dct) -> Closure:
    source, names = find_source(of), of.__code__.co_freevars
    around = Frame(source, of.__globals__, locals=frozenset(names))
    for name, value in zip(names, cells.items, strict=True):
        cx.state.set_name(around, name, value)
    placed = of.__code__.co_varnames[: of.__code__.co_argcount]
    known = dict(zip(placed[len(placed) - len(defaults.items) :], defaults.items, strict=True))
    return Closure(source.tree, around, {**known, **cx.state.get(keywords)}, of.__name__)
