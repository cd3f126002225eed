"""What of a trace is left in the user's objects? Plain arrays and numbers, as the plain function leaves them.

``make_plain(survivors, plain) -> None``. The end of a trace, when all that is gone to which
only the trace referred.

What was traced is mostly gone when the trace ends. What is not is held by something that the function wrote
to: a list, a dict, an attribute, a variable of an enclosing function, or by an exception. The traced value is
replaced there.
Nothing else is touched: compiled code may be at work on it, on a tuple that is not yet filled for one.
"""

from __future__ import annotations

import functools
import gc
import sys
import types
from collections import Counter, deque
from collections.abc import Callable
from typing import Any

from .traced_array import plain

DEPTH = 4  # of tuples in tuples
_FIXED = tuple, slice, frozenset  # which are made anew
MOST_YOUNG = (
    50_000  # objects; to look at more takes as long as the collector does for a heap of half a million
)
CHUNK = 64  # objects whose references are looked at together
_HOLDERS = dict, list, deque, set, types.CellType, types.FunctionType, functools.partial, BaseException


class OwnList(list[Any]):
    """A list of a function for later, which needs the traced values that it was made with."""


class OwnDict(dict[Any, Any]):
    """A dict of a function for later, likewise."""


_MADE_BY_PROGRAM = 1 << 9  # Py_TPFLAGS_HEAPTYPE, which classes written in Python have


def make_plain(survivors: list[Any], plain: Callable[[Any], Any] = plain) -> None:
    """Put plain values in the places of traced ones, which have no history any more."""
    if not survivors:
        return
    places, tuples = _holding(survivors)
    found = {id(t): plain(t) for t in survivors}

    def now(value: Any) -> Any:
        """What stands for it. A tuple that is asked for is held by what Python code sees: it is filled."""
        if id(value) in tuples and id(value) not in found:
            found[id(value)] = _rebuilt(value, [now(item) for item in _parts(value)])
        return found.get(id(value), value)

    for place in places:
        kind = next((kind for kind in (dict, list, deque) if isinstance(place, kind)), None)
        if kind is not None:  # whose own method is asked: a class of the user's may have another one
            items = dict.items(place) if kind is dict else enumerate(kind.__iter__(place))
            changes: list[Any] = [(key, new) for key, value in items if (new := now(value)) is not value]
            cls = class_of_namespace(place) if kind is dict and changes else None
            for key, new in changes:
                if cls is None:
                    kind.__setitem__(place, key, new)
                else:  # Python remembers where it found an attribute of a class, but for stores by this way
                    type.__setattr__(cls, key, new)
        elif type(place) is types.CellType:
            place.cell_contents = now(place.cell_contents)
        elif isinstance(place, set):
            members = list(set.__iter__(place))
            set.clear(place)
            set.update(place, map(now, members))
        elif isinstance(place, types.FunctionType):
            place.__defaults__ = now(place.__defaults__)
        elif isinstance(place, functools.partial):
            state: Any = functools.partial.__reduce__(place)[2]
            place.__setstate__(tuple(map(now, state)))  # type: ignore[attr-defined]
        else:
            if isinstance(place, BaseException):
                _replace_in_exception(place, now)
            _replace_attributes(place, now)


def class_of_namespace(place: dict[Any, Any]) -> type | None:
    """The class of whose attributes this is the dict itself, which no Python code is given."""
    if "__module__" not in place:
        return None
    classes = (holder for holder in gc.get_referrers(place) if isinstance(holder, type))
    return next((cls for cls in classes if gc.get_referents(cls.__dict__)[0] is place), None)


def _holding(values: list[Any]) -> tuple[list[Any], dict[int, Any]]:
    """What holds one of the values, itself or in a tuple, and the tuples by identity.

    They are asked for once for each depth of tuples.
    """
    places: dict[int, Any] = {}
    tuples: dict[int, Any] = {}
    ours = [id(values), id(places), id(tuples)]
    sought: list[Any] = values
    for _ in range(DEPTH + 1):
        holders = _holders(sought)
        sought = [h for h in holders if isinstance(h, _FIXED) and id(h) not in tuples]
        ours += [id(holders), id(sought)]
        places.update({id(h): h for h in holders if _is_place(h)})
        tuples.update({id(h): h for h in sought})
        if not sought:
            break
    return [place for key, place in places.items() if key not in ours], tuples


def _holders(sought: list[Any]) -> list[Any]:
    """What refers to one of the objects.

    The collector reads the whole heap to tell that, for up to a second. Mostly all holders are as young as
    the trace: frames of an exception, containers that the function has made.
    """
    young = _young_holders(sought)
    return gc.get_referrers(*sought) if young is None else young


def _young_holders(sought: list[Any]) -> list[Any] | None:
    """The holders of the objects among what is young; None if the counts of references tell of others."""
    young = gc.get_objects(generation=0)
    young += gc.get_objects(generation=1)
    if len(young) > MOST_YOUNG:
        return None
    wanted = set(map(id, sought))
    counts = Counter(wanted.intersection(map(id, young)))  # the list is no holder, but it refers to them
    holders: list[Any] = []
    for start in range(0, len(young), CHUNK):
        if wanted.isdisjoint(map(id, gc.get_referents(*young[start : start + CHUNK]))):
            continue
        for i in range(start, min(start + CHUNK, len(young))):  # a name for one would be a reference more
            held = [key for key in map(id, gc.get_referents(young[i])) if key in wanted]
            counts.update(held)
            if held:
                holders.append(young[i])
    counts.update(map(id, holders))  # which may be wanted themselves, and are in this list now
    for i in range(len(sought)):
        if sys.getrefcount(sought[i]) - 1 != counts[id(sought[i])]:
            return None
    return holders


def _is_place(value: Any) -> bool:
    """Whether it is a container or an object of a class written in Python, and no part of ours."""
    cls = type(value)
    made = bool(cls.__flags__ & _MADE_BY_PROGRAM) and not issubclass(cls, type)
    return (made or isinstance(value, _HOLDERS)) and not _is_ours(cls)


def _is_ours(cls: type) -> bool:
    return str(cls.__module__).startswith("ast_ad.")


def _parts(holder: Any) -> Any:
    return (holder.start, holder.stop, holder.step) if isinstance(holder, slice) else holder


def _rebuilt(holder: Any, items: list[Any]) -> Any:
    if isinstance(holder, slice):
        return slice(*items)
    if type(holder) in (tuple, frozenset):
        return type(holder)(items)
    make = getattr(type(holder), "_make", None)  # of a named tuple
    return holder if make is None else make(items)


def _replace_in_exception(error: BaseException, now: Callable[[Any], Any]) -> None:
    error.args = now(error.args)
    for name in "value", "code", "obj":  # of StopIteration, SystemExit and AttributeError
        if isinstance(getattr(type(error), name, None), types.MemberDescriptorType):
            value = getattr(error, name)
            if now(value) is not value:
                setattr(error, name, now(value))


def _replace_attributes(holder: Any, now: Callable[[Any], Any]) -> None:
    names = [*holder.__dict__] if type(holder).__dictoffset__ else []
    names += [name for cls in type(holder).__mro__ for name in _slots(cls)]
    for name in names:
        value = getattr(holder, name, None)
        if now(value) is not value:
            object.__setattr__(holder, name, now(value))


def _slots(cls: type) -> list[str]:
    found = cls.__dict__.get("__slots__", ())
    return [found] if isinstance(found, str) else list(found)
