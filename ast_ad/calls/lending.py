"""Can a function that is made anew in each turn of a loop use what was compiled for the one before?

``borrowed(derivative, args, kwargs) -> Any``. ``grad(lambda p: loss(p, batch))(p)`` makes another function
each time, of the same code. From the second one on it is a *model* of theirs that has derivatives: it has the
code, and cells of its own, which hold what the function's cells hold while it stands for it, and nothing
afterwards. Programs read these cells as all that is outside. That is the function itself as long as nobody
writes to its cells meanwhile; so only what is compiled as a whole and stores nothing is lent. What depends on
objects that are made anew with the function is not: it could serve no other. The rest is compiled for each.

What ``vjp`` and ``linearize`` answer is called when the model stands for another function, or for none. It
reads what the call has saved and nothing else; where it raises, no trace of the model is its answer.
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
from ..homes import home_of
from .fitting.kept_stores import held
from .program import Program

PACKAGE = __name__.partition(".")[0] + "."
MOST = 64  # pieces of code that are known
OWN: Any = type("Own", (), {"__repr__": lambda self: "OWN"})()
_STORES = "STORE_DEREF", "DELETE_DEREF"


class NotLentError(Exception):
    """What a model's derivative would do can't stand for the function's own."""


Cells = tuple[types.CellType, ...]
Binds = tuple[tuple[Any, ...], tuple[Any, ...], dict[str, Any]] | None  # an object, and arguments
PASSING_ON = ("", "jacfwd", "jacrev", "hessian")  # gradients, and operators with the function's own arguments


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
    """The model of functions of one code.

    ``family``: if that is made anew, else the code is that of ``core``, which lasts. ``binds``: what is
    bound to it; the first cells are for that.
    """

    def __init__(self, function: Any, core: types.FunctionType, family: Family | None, binds: Binds) -> None:
        self.core = core if family is None else None
        self.first = weakref.ref(function)
        self.code, self.space = core.__code__, core.__globals__
        self.lock = threading.Lock()
        self.refused = family is not None and family.stores()
        self.derivatives: dict[Any, Any] = {}
        self.approved: weakref.WeakSet[Any] = weakref.WeakSet()
        cells = tuple([types.CellType() for _ in family.cells]) if family is not None else ()
        self.models = family.models(cells) if family is not None else []
        for model, one in zip(self.models, family.functions if family is not None else (), strict=True):
            _name_like(model, one)
        self.model, self.cells = self.models[0] if self.models else core, cells
        if binds is not None:
            self.model = _bound(self.model, None, (), {})
            bound, _, *others = self.model.__closure__ or ()
            self.cells = bound, *others, *cells
            self.model.__signature__ = _unbound(function, binds)  # type: ignore[attr-defined]
            _name_like(self.model, core)

    def answer(
        self,
        derivative: Any,
        function: Any,
        values: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """What the model's derivative answers; OWN where the function needs programs of its own.

        ``values``: what its cells are to hold. Where the model is taken, by another thread or by a call that
        this one is made in, it does, too.
        """
        if self.refused or function is self.first() or not self.lock.acquire(blocking=False):
            return OWN
        try:
            for mine, value in zip(self.cells, values, strict=True):
                if value is not MISSING:
                    mine.cell_contents = value
            lent = self._derivative(derivative)
            found = lent(*args, **kwargs)
            derivative._last = lent._last
            if derivative.question.later and getattr(found[1], "instead", None) is not None:
                found[1].instead.alone = self.refuse
            return found
        except NotLentError:
            self.refuse()
            return OWN
        finally:
            for mine in self.cells:
                del mine.cell_contents
            self.lock.release()

    def refuse(self) -> None:
        """From now on each function of the code gets programs of its own."""
        self.refused = True
        self.derivatives.clear()

    def held_by(self, family: Family) -> list[Any]:
        """What cells of functions hold, models in the place of functions that are made anew."""
        pairs = zip(family.cells, family.holds, strict=True)
        return [held(cell) if place is None else self.models[place] for cell, place in pairs]

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
        name = value.__globals__.get("__name__") if plain else home_of(type(value))
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
    if derivative.lender is not None or derivative.key is None:
        return OWN
    function = derivative
    while hasattr(type(function), "shares_programs"):
        if function._programs or function.key is None or function.arguments.has_defaults():
            return OWN  # it has some already, or differentiates a default, which a model has not
        function = function.about
    core, binds = _bindings(function)
    if core is None or binds is not None and kwargs.keys() & binds[2].keys():
        return OWN
    if core is function and binds is not None and not _leaves_out(derivative, core, args):
        return OWN
    family = None if core is not function and _lasts(core) else Family(core)
    shape = None if family is None else family.shape
    named = None if binds is None else (len(binds[1]), tuple(binds[2]))
    key = type(function), id(core.__code__), named, shape
    lender = _lenders.get(key)
    if lender is None or lender.space is not core.__globals__ or lender.core not in (None, core):
        while len(_lenders) >= MOST:
            _lenders.pop(next(iter(_lenders)), None)
        lender = _lenders[key] = Lender(function, core, family, binds)
    values = [*(binds or ()), *(lender.held_by(family) if family is not None else ())]
    return lender.answer(derivative, function, values, args, kwargs)


_lenders: dict[Any, Lender] = {}


def _bindings(function: Any) -> tuple[types.FunctionType | None, Binds]:
    """The plain function in it, if that lasts or is made anew, and what is bound to that."""
    core: Any
    binds: Binds
    if type(function) is types.MethodType:
        core, binds = function.__func__, ((function.__self__,), (), {})
    elif type(function) is functools.partial:
        core, binds = function.func, ((), function.args, function.keywords)
    elif _is_made_anew(function, defaults=True):
        values = _defaults(function)
        return function, ((), (), values) if values else None
    else:
        return None, None
    known = type(core) is types.FunctionType and (_lasts(core) or _is_made_anew(core))
    return core if known else None, binds


def _defaults(function: types.FunctionType) -> dict[str, Any]:
    """The values of parameters that a call may leave out."""
    values, code = function.__defaults__ or (), function.__code__
    names = code.co_varnames[code.co_argcount - len(values) : code.co_argcount]
    return {**dict(zip(names, values, strict=True)), **(function.__kwdefaults__ or {})}


def _leaves_out(derivative: Any, function: types.FunctionType, args: tuple[Any, ...]) -> bool:
    """Whether a call leaves out what has a default; not if it is one of something else than the function."""
    code = function.__code__
    required = code.co_argcount - len(function.__defaults__ or ())
    same = derivative.about is function and getattr(derivative, "operator", "") in PASSING_ON
    return same and len(args) <= required and code.co_posonlyargcount <= required


def _unbound(function: Any, binds: Any) -> inspect.Signature:
    """The parameters that are left, without those that are bound by name."""
    found = inspect.signature(function)
    return found.replace(parameters=[p for p in found.parameters.values() if p.name not in binds[2]])


def _bound(function: Any, bound: Any, given: tuple[Any, ...], named: dict[str, Any]) -> types.FunctionType:
    """The model of methods or partial objects of a function."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return function(*bound, *given, *args, **named, **kwargs)

    assert called.__code__.co_freevars == ("bound", "function", "given", "named")
    return called  # type: ignore[return-value]


def _name_like(model: types.FunctionType, one: types.FunctionType) -> None:
    model.__name__, model.__qualname__, model.__module__ = one.__name__, one.__qualname__, one.__module__


def _is_made_anew(function: Any, defaults: bool = False) -> bool:
    """Whether it is a plain function in a function, or a lambda, and is its code and its cells alone.

    ``defaults``: or these and its defaults.
    """
    if type(function) is not types.FunctionType:
        return False
    if "<locals>" not in function.__qualname__ and function.__name__ != "<lambda>":
        return False
    more = not defaults and (function.__defaults__ or function.__kwdefaults__)
    return not (more or vars(function).keys() - {shelves.NAME})


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
