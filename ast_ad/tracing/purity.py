"""May a function be run on trial, on made-up arguments?

``Search().pure(value, objects) -> bool``. Before a call becomes an operation of a compiled program that is
traced there: the types of its results come from a trial run.

Only if nobody can tell afterwards that it ran. Its byte code, and that of the functions it calls, is searched
for what outlives a call: writes to attributes, globals and closure variables, to containers from outside, and
calls of what prints, draws random numbers, writes files or talks to the system, or finds elements by their
addresses, which made-up arrays may not have. In doubt the answer is no.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import dis
import functools
import inspect
import random
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..homes import home_of
from ..rules.of_numba import made_of
from ..rules.registry import lookup

_ATTRIBUTE_WRITES = {"STORE_ATTR", "DELETE_ATTR"}
_GLOBAL_WRITES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_ITEM_WRITES = {"STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"}
_FIXED = {  # containers that change, and those beside them that don't
    (list, collections.deque): tuple,
    (dict, collections.OrderedDict): types.MappingProxyType,
    (set,): frozenset,
    (bytearray,): bytes,
}
_READ = "copy fromkeys maxlen __copy__ __alloc__ __dict__ __reversed__".split()
_MUTATORS = frozenset(
    {*"write writelines send throw close __init__ __setstate__".split()}.union(
        *({*dir(cls)} - {*dir(other), *_READ} for classes, other in _FIXED.items() for cls in classes)
    )
)
_MAKE_NUMBERS = "LOAD_CONST", "BINARY_OP", "UNARY_NEGATIVE"
_STORE_ONE = "STORE_FAST", "STORE_FAST_LOAD_FAST"
_BY_NAME = {"getattr", "attrgetter", "methodcaller"}  # what finds an attribute by a text
_TOLD_ONCE = dataclasses.make_dataclass("One", ()).__repr__.__code__  # the wrapper around each __repr__
_WRITERS = frozenset(("tofile", "dump"))  # methods of arrays: files
_IMPURE: set[Any] = {print, input, open, exec, eval, compile, setattr, delattr, globals, vars, breakpoint}
_IMPURE |= {np.save, np.savetxt, np.savez, np.savez_compressed, np.memmap}
_IMPURE |= {np.seterr, np.seterrcall, np.setbufsize, np.set_printoptions}
_IMPURE |= {as_strided}  # of a shorter array it shows, and writes, what lies behind that
_IMPURE_IDENTITIES = frozenset(map(id, _IMPURE))
_PURE_MODULES = frozenset(
    "numpy math cmath operator itertools functools collections copy typing dataclasses contextlib scipy enum"
    " builtins numbers abc string re fractions decimal statistics bisect heapq inspect ast_ad".split()
)
_RANDOM = np.random.Generator, np.random.RandomState, random.Random
_EFFECTS = "numpy.random", "ast_ad.eager.operations.randomness", "scipy.io"  # modules that draw, or write
_OF_FUNCTIONS = "__defaults__", "__kwdefaults__", "args", "keywords"
_CONTAINERS = list, dict, set, bytearray, collections.deque


class Search:
    """``arrays``: those from outside that were found; writes to them can be seen by comparing.

    ``holding``: the code of functions that find a container, and of those that call one: it may be returned.
    ``writing``: of those that write to one, or call one that does: it may be an argument.
    """

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.read: set[tuple[types.CodeType, bool]] = set()  # code, and whether its object is a new one
        self.arrays: list[np.ndarray] = []
        self.holding: set[Any] = set()
        self.writing: set[Any] = set()

    def pure(self, value: Any, objects: Iterable[Any] = ()) -> bool:
        """Whether a function has no effect but its result, when it is called or when it reads ``value``.

        ``objects``: what else the function may use, such as objects among its arguments.
        """
        if isinstance(value, types.MethodType):
            if isinstance(value.__self__, _RANDOM):  # `draw = generator.normal`, which has no code to search
                return False
            return self.pure(value.__func__, [*objects, value.__self__])
        if isinstance(value, types.ModuleType):
            return _known(value.__name__) is not False
        if callable(value) and id(value) in _IMPURE_IDENTITIES:
            return False
        if isinstance(value, type):
            return self.constructor(value)
        if isinstance(value, np.ndarray):
            self.arrays.append(value)
            return True
        if isinstance(value, functools.partial):
            given = [*value.args, *value.keywords.values()]  # the object of a method, perhaps
            return all(self.pure(v, [*objects, *given]) for v in (value.func, *given))
        if hasattr(type(value), "__ast_ad_lower__"):  # a derivative, or a function with rules
            runs = getattr(value, "roots", None) or (getattr(value, "function", None),)
            return all(self.pure(fn, objects) for fn in runs)
        plain = value  # a wrapper finds what it wraps; what stands for a function is that
        if not isinstance(value, types.FunctionType) or "in_place_of" in value.__dict__:
            plain = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None) or value
        if isinstance(plain, types.FunctionType):
            return lookup(value) is not None or self.function(plain, list(objects))
        if isinstance(value, types.BuiltinFunctionType):
            inside = value.__self__ is None or isinstance(value.__self__, types.ModuleType)
            return inside and _known(value.__module__ or "builtins") is not False
        if isinstance(value, _CONTAINERS):
            items = value.values() if isinstance(value, dict) else value
            return all(self.pure(v, objects) for v in items)
        if isinstance(value, tuple):
            return all(self.pure(v, objects) for v in value)
        return not hasattr(value, "__next__") and (_of_library(value) or _is_instance(value))

    def constructor(self, cls: type) -> bool:
        """Whether making an instance is pure: a new object may be written to, as nobody else has it yet."""
        if _known(home_of(cls)) or issubclass(cls, BaseException):
            return True
        functions = [f for base in cls.__mro__ for f in vars(base).values()]
        functions = [f for f in functions if isinstance(f, types.FunctionType)]
        own = not any(
            "__new__" in vars(base) for base in cls.__mro__[:-1]
        )  # which may give one that was there
        return all(self.function(f, [], own) for f in functions)

    def function(self, fn: types.FunctionType, objects: list[Any], own: bool = False) -> bool:
        known = _known(home_of(fn))
        if known:  # it may call what was given to it when it was made: the function of an operator
            captured = [given for given in _captured(fn) if callable(given) and id(given) not in self.seen]
            self.seen.update(map(id, captured))
            return all(self.pure(given, objects) for given in captured)
        if (fn.__code__, own) in self.read:
            return True
        if known is False:
            return False
        self.read.add((fn.__code__, own))
        if fn.__code__ is _TOLD_ONCE:  # the set of whose texts are under way is its own
            return all(self.pure(given, objects) for given in _captured(fn) if callable(given))
        names = {n for code in _codes(fn.__code__) for n in code.co_names}
        constants = {c for code in _codes(fn.__code__) for c in code.co_consts if isinstance(c, str)}
        names |= constants if names & _BY_NAME else set()
        if names & _WRITERS or names & {"__setattr__", "__delattr__"} and not own:
            return False
        outside = _reachable([*objects, *_outside(fn)], names)
        forbidden = _GLOBAL_WRITES | (set() if own else _ATTRIBUTE_WRITES)
        if "__dict__" in names | constants and not own:  # perhaps of an object from outside
            forbidden = forbidden | _ITEM_WRITES
        instances = [v for v in outside if _is_instance(v)]
        if not all(self.pure(v, instances) for v in outside):
            return False
        steps = [step for code in _codes(fn.__code__) for step in dis.get_instructions(code)]
        opnames = {step.opname for step in steps}
        called = set(map(_code_of, outside))
        in_place = any(map(_changes_in_place, _codes(fn.__code__)))
        mutators = _MUTATORS - {"__init__"} if own else _MUTATORS  # of a base class
        if in_place or opnames & _ITEM_WRITES or names & mutators or called & self.writing:
            self.writing.add(fn.__code__)
        if any(map(_holds_items, outside)) or called & self.holding:
            self.holding.add(fn.__code__)
        if fn.__code__ in self.writing & self.holding or opnames & forbidden:
            return False
        if any(step.opname == "STORE_DEREF" and step.argval in fn.__code__.co_freevars for step in steps):
            return False
        return not own or all(map(_stores_in_own, _codes(fn.__code__)))


def read_outside(fn: types.FunctionType, objects: Iterable[Any]) -> list[Any]:
    """What a function of no library finds by names other than its parameters', attributes included."""
    if _known(home_of(fn)) is not None:
        return []
    names = {n for code in _codes(fn.__code__) for n in code.co_names}
    return _reachable([*objects, *_outside(fn)], names)


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function and of those defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _stores_in_own(code: types.CodeType) -> bool:
    """Whether all attributes that a method stores are those of its own object."""
    steps = list(dis.get_instructions(code))
    owners = [a for a, b in zip(steps, steps[1:], strict=False) if b.opname in _ATTRIBUTE_WRITES]
    return all("LOAD_FAST" in a.opname and _last(a.argval) == code.co_varnames[0] for a in owners)


def _changes_in_place(code: types.CodeType) -> bool:
    """Whether ``a += b`` may change a container, and not only name another number."""
    steps = list(dis.get_instructions(code))
    pairs = list(zip(steps, steps[1:], strict=False))
    targets = {name for a, b in pairs if _is_in_place(a) for name in _stored(b)}
    if not targets:
        return False
    arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    return not targets.isdisjoint(code.co_varnames[:arguments]) or not all(
        _is_in_place(a) or a.opname in _MAKE_NUMBERS and b.opname in _STORE_ONE
        for a, b in pairs
        if not targets.isdisjoint(_stored(b))
    )


def _is_in_place(step: dis.Instruction) -> bool:
    return step.opname.startswith("INPLACE_") or step.opname == "BINARY_OP" and step.argrepr.endswith("=")


def _stored(step: dis.Instruction) -> tuple[Any, ...]:
    """The names that an instruction binds: some bind two, or load another one, too."""
    if not step.opname.startswith("STORE_"):
        return ()
    if step.opname == "STORE_FAST_LOAD_FAST":
        return (step.argval[0],)
    return step.argval if isinstance(step.argval, tuple) else (step.argval,)


def _last(names: Any) -> Any:
    """The name that an instruction loads last: some load two."""
    return names[-1] if isinstance(names, tuple) else names


def _outside(fn: types.FunctionType) -> Iterator[Any]:
    """The values of the global and closure variables, and the defaults, of a function."""
    for code in _codes(fn.__code__):
        for step in dis.get_instructions(code):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                found = fn.__globals__.get(step.argval, getattr(builtins, step.argval, None))
                yield found
    yield from _captured(fn)
    yield from fn.__defaults__ or ()
    yield from (fn.__kwdefaults__ or {}).values()


def _captured(fn: types.FunctionType) -> Iterator[Any]:
    """The values of the closure variables of a function."""
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not yet assigned
            continue


def _reachable(values: list[Any], names: set[str]) -> list[Any]:
    """The values, and what the names mean as attributes of them: in modules, objects, classes, functions."""
    found: dict[int, Any] = {}
    pending = list(values)
    while pending:
        value = pending.pop()
        if id(value) in found:
            continue
        found[id(value)] = value
        if made_of(value) is not None:  # its Python code, and nothing of what Numba keeps beside that
            pending.append(made_of(value))
        elif isinstance(value, types.ModuleType):
            pending += [vars(value)[n] for n in names if n in vars(value)]
        elif _is_instance(value):
            pending += [vars(value)[n] for n in names if n in vars(value)]
            inherited = [getattr(type(value), n, None) for n in {*names, *_operators(type(value))}]
            pending += [f.fget if isinstance(f, property) else f for f in inherited]
        elif isinstance(value, (types.FunctionType, functools.partial)):
            own = {n for n in _OF_FUNCTIONS if hasattr(value, n)}
            pending += [getattr(value, n) for n in names if n in vars(value) or n in own]
        elif isinstance(value, type) and _known(home_of(value)) is None:
            members = [vars(cls).get(n) for cls in value.__mro__ for n in names]
            pending += [getattr(m, "__func__", m) for m in members if not isinstance(m, property)]
        elif hasattr(value, "__dict__") and not isinstance(value, type):  # a partial method, say
            pending += [vars(value)[n] for n in names if n in vars(value)]
        elif isinstance(value, tuple):
            pending += value
    return list(found.values())


def _operators(cls: type) -> Iterator[str]:
    """The methods that are called without being named: by operators, items, calls."""
    for base in cls.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.FunctionType) and name[:2] == "__" == name[-2:]:
                if name not in ("__init__", "__new__", "__post_init__", "__init_subclass__", "__setattr__"):
                    yield name


def _is_instance(value: Any) -> bool:
    """Whether it is an object with attributes that are known, no iterator and no source of randomness."""
    code = (type, types.ModuleType, types.FunctionType, types.MethodType, np.ndarray, *_CONTAINERS)
    return (
        hasattr(value, "__dict__")
        and not isinstance(value, code)
        and not isinstance(value, _RANDOM)
        and not hasattr(type(value), "__next__")  # an object may have code that is asked for names
        and made_of(value) is None
        and not _of_library(value)
    )


def _holds_items(value: Any) -> bool:
    """Whether it is a container; what is written to arrays can be seen by comparing."""
    stores = hasattr(type(value), "__setitem__") and not isinstance(value, np.ndarray)  # a UserDict, say
    return stores or isinstance(value, _CONTAINERS)


def _code_of(value: Any) -> types.CodeType | None:
    """The code of a function, a method or a partial of one."""
    if isinstance(value, (functools.partial, types.MethodType)):
        return _code_of(value.func if isinstance(value, functools.partial) else value.__func__)
    return value.__code__ if isinstance(value, types.FunctionType) else None


def _of_library(value: Any) -> bool:
    """Whether it is a number, a string, a ufunc or another object of a library without effects."""
    return _known(home_of(type(value))) is True and not isinstance(value, _RANDOM)


def _known(module: str) -> bool | None:
    """Whether the functions of a module have no effects; None where they have to be looked at."""
    root = module.partition(".")[0]
    if root == "random" or module.startswith(_EFFECTS):
        return False
    if root in _PURE_MODULES:
        return True
    return False if root in sys.stdlib_module_names else None
