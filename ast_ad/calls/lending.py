"""Can a function that is made anew in each turn of a loop use what was compiled for the one before?

``borrowed(derivative, args, kwargs) -> Any``. ``grad(lambda p: loss(p, batch))(p)`` makes another function
each time, of the same code. From the second one on it is a *model* of theirs that has derivatives: it has the
code, and cells of its own, which hold what the function's cells hold while it stands for it, and nothing
afterwards. Programs read these cells as all that is outside. That is the function itself as long as nobody
writes to its cells meanwhile; so only what is compiled as a whole and stores nothing is lent. What depends on
objects that are made anew with the function is not: it could serve no other. The rest is compiled for each.
"""

from __future__ import annotations

import dis
import functools
import inspect
import sys
import threading
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from .. import shelves
from ..compiler.frontend.guards import MISSING, Argument, Path
from .fitting.kept_stores import held
from .program import Program

PACKAGE = __name__.partition(".")[0] + "."
MOST = 64  # pieces of code that are known
OWN: Any = type("Own", (), {"__repr__": lambda self: "OWN"})()
_STORES = "STORE_DEREF", "DELETE_DEREF"


class NotLentError(Exception):
    """What a model's derivative would do can't stand for the function's own."""


Cells = tuple[types.CellType, ...]


class Lender:
    """The model of functions of one code; ``plain``: one of them without what it is bound to."""

    def __init__(self, function: Any, plain: types.FunctionType) -> None:
        self.plain = None if plain is function else plain
        self.first = weakref.ref(function)
        self.code, self.space = plain.__code__, plain.__globals__
        self.lock = threading.Lock()
        self.refused = False
        self.derivatives: dict[Any, Any] = {}
        self.approved: weakref.WeakSet[Any] = weakref.WeakSet()
        if self.plain is None:
            self.refused = any(name in self.code.co_freevars for name in _stored(self.code))
            self.cells = tuple([types.CellType() for _ in self.code.co_freevars])
            self.model = types.FunctionType(self.code, self.space, plain.__name__, None, self.cells)
        else:
            self.model = _bound(plain, None, (), {})
            bound, _, *others = self.model.__closure__ or ()
            self.cells = bound, *others
            self.model.__signature__ = _unbound(function)  # type: ignore[attr-defined]
        self.model.__name__ = plain.__name__
        self.model.__qualname__, self.model.__module__ = plain.__qualname__, plain.__module__

    def answer(self, derivative: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What the model's derivative answers; OWN where the function needs programs of its own.

        Where the model is taken, by another thread or by a call that this one is made in, it does, too.
        """
        if self.refused or function is self.first() or not self.lock.acquire(blocking=False):
            return OWN
        try:
            for mine, theirs in zip(self.cells, _cells(function), strict=True):
                if (value := held(theirs)) is not MISSING:
                    mine.cell_contents = value
            lent = self._derivative(derivative)
            found = lent(*args, **kwargs)
            derivative._last = lent._last
            return found
        except NotLentError:
            self.refused = True
            self.derivatives.clear()
            return OWN
        finally:
            for mine in self.cells:
                del mine.cell_contents
            self.lock.release()

    def _derivative(self, derivative: Any) -> Any:
        found = self.derivatives.get(derivative.key)
        if found is None:
            while len(self.derivatives) >= MOST:
                self.derivatives.pop(next(iter(self.derivatives)))
            found = self.derivatives[derivative.key] = derivative.again(self.model)
            found.lender = self
        return found

    def approve(self, derivative: Any, program: Any) -> None:
        """Let a program answer the calls of the model's derivative.

        Raises:
            NotLentError: the program could not stand for other functions of the code, or only for this one.
        """
        if program in self.approved:
            return
        alone = type(program) is Program and program.mode == "compiled" and not program.primal.calls
        if not alone or program.stores or program.fit.changes or program.loud or program.draws:
            raise NotLentError
        seen = [path.root for path in _paths(program)]
        same = [g for g in program.primal.inputs.guards if g.kind in ("identical", "type")]
        seen += [g.expected for g in same if type(g.path.root) is not types.FunctionType]  # or its defaults
        own = {id(one) for one in (self.space, *self.cells)} | self._parts(derivative, set())
        if not all(id(one) in own or isinstance(one, Argument) or _lasts(one) for one in seen):
            raise NotLentError
        self.approved.add(program)

    def _parts(self, value: Any, found: set[int]) -> set[int]:
        """What the model's derivative is made of, as far as this package has put it together, by identity."""
        plain = type(value) is types.FunctionType
        name = value.__globals__.get("__name__") if plain else type(value).__module__
        ours = str(name).startswith(PACKAGE)
        if id(value) in found or not (ours or value is self.model):
            return found
        found.add(id(value))
        if ours and plain:
            cells = value.__closure__ or ()
            found.update(map(id, cells))
            inner = list(map(held, cells))
        elif hasattr(type(value), "shares_programs"):
            inner = [value.function, value.about]
        else:
            inner = [] if value is self.model else [*getattr(value, "__dict__", {}).values()]
        for part in inner:
            self._parts(part, found)
        return found


def borrowed(derivative: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The answer to a call of the derivative of a function that is made anew; OWN of others."""
    if derivative.lender is not None or derivative.key is None or derivative.question.later:
        return OWN
    function = derivative
    while hasattr(type(function), "shares_programs"):
        if function._programs or function.key is None or function.arguments.has_defaults():
            return OWN  # it has some already, or differentiates a default, which a model has not
        function = function.about
    plain = _plain(function)
    if plain is None or type(function) is functools.partial and kwargs.keys() & function.keywords.keys():
        return OWN
    key = type(function), id(plain.__code__), _given(function)
    lender = _lenders.get(key)
    if lender is None or lender.space is not plain.__globals__ or lender.plain not in (None, plain):
        while len(_lenders) >= MOST:
            _lenders.pop(next(iter(_lenders)), None)
        lender = _lenders[key] = Lender(function, plain)
    return lender.answer(derivative, function, args, kwargs)


_lenders: dict[Any, Lender] = {}


def _plain(function: Any) -> types.FunctionType | None:
    """A function that is made anew, or the one that a method or a partial object binds; None for others."""
    if type(function) in (types.MethodType, functools.partial):
        inner = function.__func__ if type(function) is types.MethodType else function.func
        return inner if type(inner) is types.FunctionType and _lasts(inner) else None
    return function if _is_made_anew(function) else None


def _given(function: Any) -> Any:
    """What a partial object leaves no argument for."""
    if type(function) is not functools.partial:
        return None
    return len(function.args), tuple(function.keywords)


def _unbound(function: Any) -> inspect.Signature:
    """The parameters that are left, without what a partial object has for some by keyword."""
    found = inspect.signature(function)
    named = getattr(function, "keywords", {})
    return found.replace(parameters=[p for p in found.parameters.values() if p.name not in named])


def _bound(function: Any, bound: Any, given: tuple[Any, ...], named: dict[str, Any]) -> types.FunctionType:
    """The model of methods or partial objects of a function."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*bound, *given, *args, **named, **kwargs)

    assert called.__code__.co_freevars == ("bound", "function", "given", "named")
    return called  # type: ignore[return-value]


def _cells(function: Any) -> Cells:
    """What the cells of the model are to hold."""
    if type(function) is types.MethodType:
        return tuple(map(types.CellType, ((function.__self__,), (), {})))
    if type(function) is functools.partial:
        return tuple(map(types.CellType, ((), function.args, function.keywords)))
    return function.__closure__ or ()


def _is_made_anew(function: Any) -> bool:
    """Whether it is a plain function in a function, or a lambda, and is its code and its cells alone."""
    if type(function) is not types.FunctionType:
        return False
    if "<locals>" not in function.__qualname__ and function.__name__ != "<lambda>":
        return False
    return not (function.__defaults__ or function.__kwdefaults__ or vars(function).keys() - {shelves.NAME})


def _stored(code: types.CodeType) -> set[str]:
    """The variables of enclosing functions that code assigns to, that of functions in it included."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in _STORES}
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found |= _stored(inner)
    return found


def _paths(program: Any) -> Iterator[Path]:
    """All that a program reads from outside."""
    yield from program.fit.captures.paths
    for guard in program.primal.inputs.guards:
        yield guard.path
        if guard.kind == "same":
            yield guard.expected
        elif guard.kind == "apart":
            yield from guard.expected


def _lasts(value: Any) -> bool:
    """Whether something is there as long as the program is: what a module has, and not a function's own."""
    if value is None or isinstance(value, (types.ModuleType, types.CodeType, np.dtype, np.ufunc)):
        return True
    if isinstance(value, dict):
        module = sys.modules.get(value.get("__name__", ""))
        return module is not None and vars(module) is value
    module = sys.modules.get(getattr(value, "__module__", None) or "")
    found: Any = module
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", "")
    for part in str(name).split("."):
        found = getattr(found, part, None)
    return module is not None and found is value or isinstance(value, types.BuiltinFunctionType)
