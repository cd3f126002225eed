"""Which class does ``raise`` raise, if nobody can tell that no object of it is made?

``class_raised(cx, node)``: a handler that is followed needs the class alone. The object is left out where its
constructor does nothing but keep what it is given: C code's does, and so does one that assigns names and
texts to attributes and hands them to that of the class before. What it is given is evaluated.
"""

from __future__ import annotations

import builtins
import inspect
import types
from collections.abc import Iterator
from typing import Any

import gast

from ....errors import SourceError
from ..context import Context
from ..outside_values import class_member
from ..source.functions import find_source
from .expressions import evaluate

# Whose C code looks at what it is given, so that making an object may raise.
_CHOOSY = UnicodeDecodeError, UnicodeEncodeError, UnicodeTranslateError


def class_raised(cx: Context, node: gast.Raise) -> type | None:
    """The class of what a statement raises, if no object of it need be made."""
    made, given, named = node.exc, [], []
    if isinstance(made, gast.Call):
        given, named = made.args, [keyword.arg for keyword in made.keywords]
        if not all(map(_is_text, (*given, *(keyword.value for keyword in made.keywords)))):
            return None
        made = made.func
    if not isinstance(made, (gast.Name, gast.Attribute)):
        return None
    found = cx.static_value(evaluate(cx, made))
    if not isinstance(found, type) or not issubclass(found, BaseException):
        return None
    return found if keeps_only(cx, found, len(given), named) else None


def evaluate_given(cx: Context, made: gast.AST | None) -> None:
    """Evaluate what the constructor is given: a name without a value raises something else."""
    if isinstance(made, gast.Call):
        for given in (*made.args, *(keyword.value for keyword in made.keywords)):
            evaluate(cx, given)


def _is_text(node: gast.AST) -> bool:
    """Whether it is a constant, a name, or a text that is made of such."""
    if isinstance(node, gast.BinOp):
        return isinstance(node.op, (gast.Add, gast.Mod)) and _has_text(node.left) and _is_text(node.right)
    if isinstance(node, gast.Tuple):
        return all(map(_is_text, node.elts))
    if isinstance(node, gast.Call):  # "{}".format(x)
        formats = isinstance(node.func, gast.Attribute) and node.func.attr == "format"
        return formats and _has_text(node.func.value) and not node.keywords and all(map(_is_text, node.args))
    return isinstance(node, (gast.Constant, gast.Name, gast.JoinedStr))


def _has_text(node: gast.AST) -> bool:
    text = isinstance(node, gast.Constant) and isinstance(node.value, str)
    return text or isinstance(node, gast.JoinedStr) or isinstance(node, gast.BinOp) and _is_text(node)


def keeps_only(cx: Context, cls: type, count: int, named: list[Any]) -> bool:
    """Whether an object made with so many values, and these keywords, does nothing but keep them."""
    if type(cls) is not type or issubclass(cls, _CHOOSY):
        return False
    for name in ("__new__", "__setattr__"):
        if isinstance(getattr(cls, name), types.FunctionType):
            return False
    constructors = list(_constructors(cls))
    for at, (owner, constructor) in enumerate(constructors):
        after = constructors[at + 1][1] if at + 1 < len(constructors) else None
        if at == 0 and not _takes(constructor, count, named) or not _only_keeps(cls, constructor, after):
            return False
        class_member(cx, owner, "__init__")
    return bool(constructors) or not named


def _constructors(cls: type) -> Iterator[tuple[type, types.FunctionType]]:
    for owner in cls.__mro__:
        own = vars(owner).get("__init__")
        if isinstance(own, types.FunctionType):
            yield owner, own


def _takes(constructor: types.FunctionType | None, count: int, named: list[Any]) -> bool:
    if constructor is None:  # C code
        return not named
    try:
        inspect.signature(constructor).bind(None, *[None] * count, **dict.fromkeys(named))
    except TypeError:
        return False
    return True


def _only_keeps(cls: type, constructor: types.FunctionType, after: types.FunctionType | None) -> bool:
    """Whether all its statements assign to attributes, or call the constructor ``after``."""
    try:
        tree = find_source(constructor).tree
    except SourceError:
        return False
    if not isinstance(tree, gast.FunctionDef) or not tree.args.args:
        return False
    outside = {**vars(builtins), **constructor.__globals__}
    stored = {
        n.attr for n in gast.walk(tree) if isinstance(n, gast.Attribute) and isinstance(n.ctx, gast.Store)
    }
    if any(hasattr(type(inspect.getattr_static(cls, name, None)), "__set__") for name in stored):
        return False  # a property's code would run
    calls = {name for name in constructor.__code__.co_names if _is_constructor_of(outside.get(name), after)}
    if outside["super"] is super:
        calls.add("super")
    return all(_keeps(statement, tree.args.args[0].id, calls, after) for statement in tree.body)


def _is_constructor_of(cls: Any, constructor: types.FunctionType | None) -> bool:
    """Whether this is the constructor of a class, None: one in C."""
    if not isinstance(cls, type) or not issubclass(cls, BaseException):
        return False
    own: Any = cls.__init__
    return (own if isinstance(own, types.FunctionType) else None) is constructor


def _keeps(node: gast.AST, this: str, calls: set[str], after: types.FunctionType | None) -> bool:
    if isinstance(node, gast.Pass):
        return True
    if isinstance(node, gast.Expr):
        return isinstance(node.value, gast.Constant) or _constructs(node.value, this, calls, after)
    if isinstance(node, gast.Assign):
        return all(_of_this(target, this) for target in node.targets) and _is_kept(node.value, this)
    return isinstance(node, gast.AnnAssign) and _of_this(node.target, this) and _is_kept(node.value, this)


def _of_this(node: gast.AST | None, this: str) -> bool:
    return isinstance(node, gast.Attribute) and _of_name(node.value, this)


def _is_kept(node: gast.AST | None, this: str) -> bool:
    return node is not None and (_is_text(node) or _of_this(node, this))


def _constructs(node: gast.AST, this: str, calls: set[str], after: types.FunctionType | None) -> bool:
    """Whether it is ``super().__init__(...)``, or ``Base.__init__(self, ...)``."""
    if not isinstance(node, gast.Call) or not isinstance(node.func, gast.Attribute):
        return False
    of, given = node.func.value, list(node.args)
    by_super = isinstance(of, gast.Call) and not of.args
    named = of.func if by_super else of
    if not isinstance(named, gast.Name) or named.id not in calls or by_super != (named.id == "super"):
        return False
    if not by_super and not _of_name(given.pop(0) if given else None, this):
        return False
    names = [keyword.arg for keyword in node.keywords]
    kept = all(_is_kept(value, this) for value in (*given, *(keyword.value for keyword in node.keywords)))
    return node.func.attr == "__init__" and kept and _takes(after, len(given), names)


def _of_name(node: gast.AST | None, name: str) -> bool:
    return isinstance(node, gast.Name) and node.id == name
