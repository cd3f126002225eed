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


class Family:
    """A function that is made anew, and those in its cells that are, too; in whose cells there may be more.

    ``shape``: a key of their codes, which cells they have, and which cell holds which of them.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self.functions = [function]
        self.cells: list[types.CellType] = []
        places, cells = {id(function): 0}, dict[int, int]()
        rows: list[Any] = []
        self.holds: list[int | None] = []
        for one in self.functions:  # which grows
            for cell in one.__closure__ or ():
                if cells.setdefault(id(cell), len(self.cells)) == len(self.cells):
                    self.cells.append(cell)
                    self.holds.append(self._place(held(cell), places))
            mine = tuple([cells[id(cell)] for cell in one.__closure__ or ()])
            rows.append((id(one.__code__), id(one.__globals__), one.__qualname__, mine))
        self.shape = tuple(rows), tuple(self.holds)

    def _place(self, value: Any, places: dict[int, int]) -> int | None:
        if not _is_made_anew(value) or len(places) >= MOST:
            return None
        if places.setdefault(id(value), len(self.functions)) == len(self.functions):
            self.functions.append(value)
        return places[id(value)]

    def stores(self) -> bool:
        """Whether one of them assigns to a cell."""
        codes = [one.__code__ for one in self.functions]
        return any(name in code.co_freevars for code in codes for name in _stored(code))

    def models(self, cells: Cells) -> list[types.FunctionType]:
        """Functions of the same codes with other cells, one for each of these."""
        own = dict(zip(map(id, self.cells), cells, strict=True))
        return [
            types.FunctionType(
                one.__code__,
                one.__globals__,
                one.__name__,
                None,
                tuple([own[id(cell)] for cell in one.__closure__ or ()]),
            )
            for one in self.functions
        ]


class Lender:
    """The model of functions of one code; ``plain``: one of them without what it is bound to."""

    def __init__(self, function: Any, plain: types.FunctionType, family: Family | None) -> None:
        self.plain = None if family is not None else plain
        self.first = weakref.ref(function)
        self.code, self.space = plain.__code__, plain.__globals__
        self.lock = threading.Lock()
        self.refused = False
        self.derivatives: dict[Any, Any] = {}
        self.approved: weakref.WeakSet[Any] = weakref.WeakSet()
        self.models: list[types.FunctionType] = []
        if family is not None:
            self.refused = family.stores()
            self.cells = tuple([types.CellType() for _ in family.cells])
            self.models = family.models(self.cells)
            self.model = self.models[0]
            for model, one in zip(self.models, family.functions, strict=True):
                _name_like(model, one)
        else:
            self.model = _bound(plain, None, (), {})
            bound, _, *others = self.model.__closure__ or ()
            self.cells = bound, *others
            self.model.__signature__ = _unbound(function)  # type: ignore[attr-defined]
            _name_like(self.model, plain)

    def answer(
        self,
        derivative: Any,
        function: Any,
        family: Family | None,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """What the model's derivative answers; OWN where the function needs programs of its own.

        Where the model is taken, by another thread or by a call that this one is made in, it does, too.
        """
        if self.refused or function is self.first() or not self.lock.acquire(blocking=False):
            return OWN
        try:
            for mine, value in zip(self.cells, self._values(function, family), strict=True):
                if value is not MISSING:
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

    def _values(self, function: Any, family: Family | None) -> list[Any]:
        """What the cells of the model are to hold, models in the place of functions that are made anew."""
        if family is None:
            if type(function) is types.MethodType:
                return [(function.__self__,), (), {}]
            return [(), function.args, function.keywords]
        return [
            held(cell) if place is None else self.models[place]
            for cell, place in zip(family.cells, family.holds, strict=True)
        ]

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
        spaces = [self.space, *(model.__globals__ for model in self.models)]
        own = {id(one) for one in (*spaces, *self.cells, *self.models)} | self._parts(derivative, set())
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
    family = Family(plain) if plain is function else None
    key = type(function), id(plain.__code__), _given(function), None if family is None else family.shape
    lender = _lenders.get(key)
    if lender is None or lender.space is not plain.__globals__ or lender.plain not in (None, plain):
        while len(_lenders) >= MOST:
            _lenders.pop(next(iter(_lenders)), None)
        lender = _lenders[key] = Lender(function, plain, family)
    return lender.answer(derivative, function, family, args, kwargs)


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


def _name_like(model: types.FunctionType, one: types.FunctionType) -> None:
    model.__name__, model.__qualname__, model.__module__ = one.__name__, one.__qualname__, one.__module__


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
