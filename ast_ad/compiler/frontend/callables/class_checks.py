"""Of which classes is a value? The answer decides the program, and some classes give it by code of their own.

``b_isinstance`` and ``b_issubclass`` read the builtins' calls. An ordinary class is found among the bases,
which are guarded. An abstract one may learn of classes meanwhile (``register``), or look at what they have:
it is asked again before each call. Other code of a class's class (``__instancecheck__``) is a function that
is called.
"""

from __future__ import annotations

import abc
import itertools
import types
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

from ....rules.standing import original_of
from ....rules.structured import PLAYS
from ...ir.ops import Lit
from .. import doors
from ..constructs.branches import choose, truth
from ..context import Context
from ..guards import Guard
from ..outside_values import bases_stay
from ..tables import handles
from ..types.type_questions import asked
from ..values import Callee, Dct, Live, Obj, Tup, Value


@handles(isinstance)
def b_isinstance(cx: Context, value: Value, cls: Value) -> Any:
    return _any_of(cx, "__instancecheck__", value, list(_classes(cx, cls)), _is_instance)


@handles(issubclass)
def b_issubclass(cx: Context, cls: Value, other: Value) -> Any:
    bases_stay(cx, cx.demand(cls, "a class"))
    return _any_of(cx, "__subclasscheck__", cls, list(_classes(cx, other)), _is_subclass)


def _any_of(cx: Context, name: str, value: Value, classes: list[Any], plainly: Callee) -> Any:
    """Whether one of the classes answers yes: those without code of their own by ``plainly``."""
    by_code = itertools.groupby(classes, lambda one: _code(one, name) is not None)
    groups = [(coded, list(alike)) for coded, alike in by_code]

    def ask(rest: list[tuple[bool, list[Any]]]) -> Any:
        if not rest:
            return Lit(False)
        (coded, several), *others = rest
        if not coded:
            found = plainly(cx, value, tuple(several))
        else:
            one, *more = several
            others = [(True, more), *others] if more else others
            found = _by_code(cx, name, one, value)
        if isinstance(found, Lit):
            return found if found.value else ask(others)
        return choose(cx, found, lambda: Lit(True), lambda: ask(others)) if others else found

    return ask(groups)


def _by_code(cx: Context, name: str, cls: Any, value: Value) -> Any:
    """What a class with code of its own answers; an instance of itself is none of its questions."""
    if name == "__instancecheck__" and asked(cx, lambda v: type(v) is cls, value):
        return Lit(True)
    return truth(cx, doors.call(cx, Lit(_code(cls, name)), [Lit(cls), value], {}))


def _is_instance(cx: Context, value: Value, classes: tuple[Any, ...]) -> Any:
    if isinstance(value, Live) and all(type(one) is type for one in classes):
        bases_stay(cx, type(value.value))
        return Lit(isinstance(value.value, classes))  # its class is guarded, and has no code for this
    if isinstance(value, Obj):
        bases_stay(cx, value.cls)
        played = original_of(value.cls) or vars(value.cls).get(PLAYS)
        if played is not None:
            return Lit(issubclass(value.cls, classes) or issubclass(played, classes))
    if isinstance(value, Dct) and value.cls is dict and OrderedDict in classes:
        raise cx.unsupported(
            "whether a dict is an OrderedDict", "one that the function makes is read as a dict", "do without"
        )
    kinds = set[type]()

    def question(dummy: object) -> bool:
        kinds.add(type(dummy))
        return isinstance(dummy, classes)

    found = asked(cx, question, value)
    _answers_stay(cx, kinds, classes)
    return Lit(found)


def _is_subclass(cx: Context, cls: Value, others: tuple[Any, ...]) -> Any:
    kind = cx.static_value(cls)
    _answers_stay(cx, [kind], others)
    return Lit(issubclass(kind, others))


def _answers_stay(cx: Context, kinds: Iterable[type], classes: tuple[Any, ...]) -> None:
    """What abstract classes answer now of classes of values decides the program."""
    for one in classes if cx.inputs is not None else ():
        for kind in kinds if isinstance(one, abc.ABCMeta) else ():
            cx.outside().guards.add(Guard.subclass(one, kind))


def _classes(cx: Context, value: Value) -> Iterator[Any]:
    """The classes of a tuple, of tuples in it and of unions; what ``typing.Sequence`` stands for."""
    if isinstance(value, Tup):
        for one in value.items:
            yield from _classes(cx, one)
        return
    found = value.python_value() if isinstance(value, Live) else cx.demand(value, "a class")
    if isinstance(found, (tuple, types.UnionType)):
        for one in found if isinstance(found, tuple) else found.__args__:
            yield from _classes(cx, Lit(one))
    elif type(found).__module__ == "typing" and not hasattr(found, "__args__"):
        yield getattr(found, "__origin__", found)
    else:
        yield found


def _code(cls: Any, name: str) -> types.FunctionType | None:
    """The function of a class's class that answers for it; None: Python's own, or abstract ones'."""
    found = getattr(type(cls), name, None)
    usual = getattr(abc.ABCMeta, name)
    return found if isinstance(found, types.FunctionType) and found is not usual else None
