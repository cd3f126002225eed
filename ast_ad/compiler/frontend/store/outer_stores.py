"""What does a program store in what outlives the call: attributes, globals, cells, lists, dicts, arrays?

While a program is read, its stores are held back. A *place* (an attribute of an object, a global, a cell) has
a slot in the store of the front end, as a local name has; lists, dicts and arrays from outside change there
as those of the function do. A read finds what was stored before. At the end what the places hold are further
results of the program, and each ``Store`` tells where one belongs. So the program has no effects: it may
fail, and be run again. ``kept_stores`` puts the results in their places when a call has succeeded.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ....errors import AdError
from ....registered import is_slot, reads_plainly
from ...ir.ops import Lit, Var
from .. import doors
from ..constructs.boundness import bound_flag, checked
from ..context import Context
from ..guards import ATTRIBUTE, ITEM, Guard, Path
from ..values import Arr, Dct, Live, Lost, Lst, Maybe, Obj, Unbound, Value

BEFORE = -1  # the time stamp of what is outside: no branch or loop makes it


class Slots:
    """The class of what holds a place's value in the store."""


@dataclass(eq=False)
class Place:
    """``owner.name`` or ``owner[name]`` of an object, a cell or the globals, which is read along ``path``.

    ``held``: its value, and whether the program has stored it, as two slots of the store.
    """

    owner: Any
    path: Path
    kind: str
    name: str
    label: str
    order: int = 0  # of its first store
    held: Obj = field(default_factory=lambda: Obj(Slots, {}, BEFORE))

    @property
    def flag(self) -> str:
        return f"{self.label}_stored"


@dataclass(frozen=True)
class Store:
    """What is done when a call has succeeded.

    ``kind``: 'attribute' or 'item' (which ``key``), 'delete' (an item), 'list' (its whole content), 'extend'
    (a list) or 'array' (its whole content). ``value``: a structure of the program's results (structures.py);
    ``flag``: the position of the result that tells whether it is done, or None.
    """

    path: Path  # of the owner
    kind: str
    key: Any
    value: Any
    flag: int | None = None

    def holds(self, path: Path) -> bool:
        """Whether what is read along a path is, or lies in, what is stored."""
        steps = (
            self.path.steps
            if self.kind not in (ATTRIBUTE, ITEM)
            else (*self.path.steps, (self.kind, self.key))
        )
        return path.root is self.path.root and path.steps[: len(steps)] == steps

    def __str__(self) -> str:
        if self.kind == ATTRIBUTE and self.key != "cell_contents":
            return f"{self.path}.{self.key}"
        if self.kind in (ITEM, "delete"):
            return str(self.key) if self.path.label == GLOBALS else f"{self.path}[{self.key!r}]"
        return str(self.path)


GLOBALS = "globals()"


class Places:
    """What a program reads and stores outside, apart from lists, dicts and arrays."""

    def __init__(self) -> None:
        self.found: dict[tuple[int, str], Place] = {}
        self.count = 0  # of the stores that were read
        self.objects: dict[Path, Any] = {}  # all that were met
        self.changed: dict[Any, None] = {}  # the lists and dicts that were changed, be it for a time
        self.tails: dict[Path, Lst] = {}  # what was appended to lists that nobody had read
        self.whole: dict[int, Any] = {}  # the objects that are used as a whole
        self.lifted: dict[Place, None] = {}  # the attributes that are inputs of their own
        self.computed: dict[str, bool] = {}  # attributes that code makes; whether it runs when they are read
        self.lifted_items: dict[Any, None] = {}  # the lists and dicts of which items are
        self.attributes: dict[Any, None] = {}  # the dicts that are an object's ``__dict__``
        self.records: set[tuple[str, Any]] = set()  # what happens to objects of which class
        self.known: dict[int, Any] = {}  # the dicts of which calls read items as constants

    def let_go(self) -> None:
        """Of the objects themselves, when all is read."""
        self.objects, self.found = dict.fromkeys(self.objects), {}
        self.known, self.whole = dict.fromkeys(self.known), dict.fromkeys(self.whole)

    def of(self, owner: object, path: Path, kind: str, name: str, label: str) -> Place:
        key = id(owner), name
        if key not in self.found:
            self.found[key] = Place(owner, path, kind, name, label)
        return self.found[key]

    def holders(self) -> Iterator[Obj | Lst | Dct]:
        """What holds something that the program stored."""
        yield from (place.held for place in self.stored())
        yield from self.changed
        yield from self.tails.values()

    def stored(self) -> Iterator[Place]:
        return (place for place in self.found.values() if place.order)


@dataclass(eq=False)
class Attributes(Live):
    """``obj.__dict__``: its items are attributes of ``base``."""

    base: Live | None = None


# ----- reads
def read(
    cx: Context, owner: object, path: Path, kind: str, name: str, label: str, load: Callable[[], Any]
) -> Any:
    """What a place holds: what the program stored there, or what ``load`` finds outside."""
    if cx.inputs is None:
        return load()
    place = cx.inputs.places.of(owner, path, kind, name, label)
    state = cx.state.get(place.held).get(place.label)
    if isinstance(state, Lost):
        raise cx.lost(replace(state, name=place.label))
    if isinstance(state, Maybe):
        cx.unbound_reads.add((place.held, place.label))
        return read_perhaps(cx, place, state, load)
    if state is not None and not isinstance(state, Unbound):
        return state
    cx.unbound_reads.add((place.held, place.label))
    value = load()
    if place.held not in cx.state.contents:
        place.held.initial[place.label] = value
    return value


def read_perhaps(cx: Context, place: Place, state: Any, load: Callable[[], Any]) -> Any:
    """What a place holds that was stored on some paths; where it was not, it may be that there is nothing."""
    try:
        load()
    except AdError as problem:
        kind = getattr(problem, "raises", None)
        if kind is None or cx.inputs is None:
            raise
        found = place.path.attribute(place.name) if place.kind == ATTRIBUTE else place.path.item(place.name)
        cx.inputs.guards.add(Guard.missing(found))
        value = checked(cx, state, kind, str(problem.why))
        cx.state.set(place.held, {**cx.state.get(place.held), place.label: value})
        return value
    return doors.choose(cx, state.bound, lambda: state.value, load)


def is_stored(cx: Context, owner: object, name: str) -> bool:
    """Whether the program stores there, in what has been read of it."""
    place = None if cx.inputs is None else cx.inputs.places.found.get((id(owner), name))
    return place is not None and place.order > 0


def is_bound(cx: Context, owner: object, name: str) -> Any:
    """Whether the program has stored something in a place: a boolean of the program's, or static."""
    place = None if cx.inputs is None else cx.inputs.places.found.get((id(owner), name))
    if place is None:
        return Lit(False)
    cx.unbound_reads.add((place.held, place.flag))
    return bound_flag(cx.state.get(place.held).get(place.flag))


def held_outside(cx: Context, owner: object, name: str) -> Any:
    """What a place holds that was read or stored, to be compared only; None if that can't be told."""
    place = None if cx.inputs is None else cx.inputs.places.found.get((id(owner), name))
    return None if place is None else cx.state.get(place.held).get(place.label)


# ----- stores
def store(cx: Context, place: Place, value: Value) -> None:
    """The place holds the value from now on."""
    places = cx.outside().places
    if not isinstance(value, (Var, Lit)):
        cx.outside().hold_arrays()
    places.count += 1
    place.order = place.order or places.count
    var = value.initial if isinstance(value, Arr) else value
    if isinstance(var, Var) and var.hint is None:
        var.hint = place.label
    cx.state.set(place.held, {**cx.state.get(place.held), place.label: value, place.flag: Lit(True)})


def store_attribute_outside(
    cx: Context, owner: object, path: Path, name: str, value: Value, hooked: bool = False
) -> None:
    """``obj.name = value`` of an object, class or function from outside, whose class has no code for it.

    ``hooked``: it is what a ``__setattr__`` of the class does in the end.
    """
    cls, base = type(owner), type if isinstance(owner, type) else object
    raw = found_in_class(cls, name)
    setters = base.__setattr__, types.SimpleNamespace.__setattr__
    held = isinstance(getattr(owner, "__dict__", None), (dict, types.MappingProxyType))
    plain = (
        (hooked or cls.__setattr__ in setters)
        and (base is type or reads_plainly(cls))
        and (is_slot(raw) or held and not hasattr(type(raw), "__set__"))
        and not (name.startswith("__") and name.endswith("__"))
    )
    if cx.inputs is None or not plain:
        raise cx.unsupported(
            f"assignment to attribute `{name}`",
            f"{cls.__name__} has code or slots for it",
            "use a plain attribute",
        )
    guards, of = cx.inputs.guards, Path.of_object(cls, cls.__name__)
    guards.add(Guard.value(of.attribute("__setattr__"), cls.__setattr__))
    guards.add(Guard.missing(of.attribute(name)) if raw is None else Guard.value(of.attribute(name), raw))
    store(cx, cx.inputs.places.of(owner, path, ATTRIBUTE, name, name), value)


def found_in_class(cls: type, name: str) -> Any:
    """What a class, or one that it derives from, holds under a name: as it is, be it a descriptor or None."""
    return next((k.__dict__[name] for k in cls.__mro__ if name in k.__dict__), None)


def is_in_class(cls: type, name: str) -> bool:
    """Whether a class, or one that it derives from, holds anything under a name: it may be None."""
    return any(name in k.__dict__ for k in cls.__mro__)


def storing_class(cx: Context, cls: type, name: str, of_itself: bool = False) -> type | None:
    """The class of those that ``cls`` derives from where an attribute is found that the program stores.

    ``of_itself``: the class is asked, not an object of it, and its metaclass for what it has not.
    """
    found = _storing(cx, cls.__mro__, name)
    if found or not of_itself or any(name in vars(base) for base in cls.__mro__):
        return found
    metaclass: type = type(cls)
    return _storing(cx, metaclass.__mro__, name)


def _storing(cx: Context, classes: tuple[type, ...], name: str) -> type | None:
    for i, cls in enumerate(classes):
        if is_stored(cx, cls, name):
            if name not in vars(cls) and _storing(cx, classes[i + 1 :], name):
                why = f"{cls.__name__} and a class that it derives from get one"
                raise cx.unsupported(f"attribute `{name}`", why, "use two names")
            return cls
        if name in vars(cls):
            return None
    return None


def store_global(cx: Context, space: dict[str, Any], name: str, value: Value) -> None:
    """``global name; name = value``"""
    path = Path.of_object(space, GLOBALS)
    store(cx, cx.outside().places.of(space, path, ITEM, name, name), value)


def store_cell(cx: Context, cell: types.CellType, name: str, value: Value) -> None:
    """``nonlocal name; name = value`` of a function that has returned."""
    path = Path.of_object(cell, name)
    store(cx, cx.outside().places.of(cell, path, ATTRIBUTE, "cell_contents", name), value)
