"""What does a program leave in what outlives the call? Further results, and the places where they belong.

``Left`` gathers them at the end. What is stored is a number, or a copy of an array, and what it is made of is
to be nobody else's: where another name could tell the copy from the original, the store is refused.
``guard_identities`` keeps apart what was. ``require_alone`` refuses what sees whether it is stored already.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ....rules.structured import PLAYS
from ...ir.builtin import TELLING
from ...ir.ops import Arg, Lit, Op, Var, operands, walk
from ...ir.types import DictOf, ListOf, Optional, Scalar, element_of, has_references
from ..constructs.boundness import bound_flag, value_of
from ..constructs.leaving_values import kind_inside
from ..constructs.local_classes import is_local
from ..context import Context
from ..guards import ITEM, Guard, Path
from ..loops.slots import in_heap
from ..signatures import is_code
from ..told_values import is_constant
from ..values import Arr, Closed, Dct, Live, Lost, Lst, Obj, Pool, Tup, Unbound, Value
from .holding import pools_with
from .keys import STRING
from .outer_stores import Place, Store
from .shared_names import PERHAPS, may_be, roots_of

if TYPE_CHECKING:
    from ..inputs import Inputs

OUTLIVES = "what outlives the call"
OURS = __name__.partition(".")[0]
KNOWN = OURS, "numpy", "scipy", "math", "cmath", "builtins", "operator", "_operator", "itertools"


class Left:
    """Gathers what is stored, and appends the values to the program's results."""

    def __init__(self, cx: Context, results: list[Arg]) -> None:
        self.cx, self.results = cx, results
        assert cx.inputs is not None
        self.inputs: Inputs = cx.inputs
        captured = reversed(self.inputs.captured.items())
        self.known = {found: path for path, found in captured if not isinstance(found, Lit)}
        self.perhaps = False  # whether an array is stored that may be one of several
        self.positions: dict[Any, int] = {}  # arrays that are stored already
        self.roots: dict[Any, Arr] = {}  # what these lie in
        self.containers: set[Any] = set()  # that are stored already
        self.pools: dict[Pool, str] = {}  # of the arrays in lists of run-time length that are stored

    def stores(self) -> tuple[Store, ...]:
        places = sorted(self.inputs.places.stored(), key=lambda place: place.order)
        found = [store for place in places for store in self.of_place(place)]
        for path, known in self.inputs.captured.items():
            if self.known.get(known, path) != path:
                continue  # it was met by another name before
            if isinstance(known, (Lst, Dct)):
                found += self.of_container(path, known)
            elif isinstance(known, Arr) and self.cx.state.look(known) is not known.initial:
                found.append(Store(path, "array", None, self.result(self.cx.state.get(known))))
        self.require_apart()
        return tuple(found)

    def require_apart(self) -> None:
        """An array is stored once, if a list of run-time length has it: its elements are stored as copies."""
        state = self.cx.state
        stored = [root for value in self.positions for root in roots_of(value)]
        pools = [pools_with(self.cx, root, state) for root in stored]
        pools += [root.pools for root in stored if isinstance(root, (Lst, Dct))]
        several = {pool: "it is stored under another name, too" for found in pools for pool in found}
        several |= state.held.shared
        for pool, label in self.pools.items():
            if pool in several:
                raise self.refuse(label, f"an element of it has other names: {several[pool]}")

    def result(self, arg: Arg) -> int:
        self.results.append(arg)
        return len(self.results) - 1

    def run_time(self, content: Var, label: str, pools: frozenset[Pool] = frozenset()) -> int:
        """The position of a list of run-time length."""
        assert isinstance(content.type, (ListOf, DictOf))
        if not isinstance(_present(element_of(content.type)), Scalar):
            self.pools |= dict.fromkeys(pools, label)
        if has_references(content.type):
            raise self.refuse(label, "its elements have other names")
        return self.result(content)

    def flag(self, bound: Value) -> int | None:
        return None if self.cx.static_value(bound) is True else self.result(self.cx.arg(bound))

    def refuse(self, what: str, why: str) -> Exception:
        return self.cx.unsupported(stored_to(what), why, "store a number, or a copy of an array")

    def lost(self, what: str, state: Lost) -> Exception:
        return self.cx.aliased(stored_to(what), state.why, "store a number, or a copy of an array")

    def of_place(self, place: Place) -> Iterator[Store]:
        content = self.cx.state.get(place.held)
        stored, state = content.get(place.flag), content.get(place.label)
        if isinstance(state, Lost):
            raise self.lost(place.label, state)
        if stored is None or isinstance(stored, Unbound):
            return
        if id(place.owner) in self.inputs.places.whole:
            if self.inputs.places.attributes:
                self.inputs.follow_code()
            raise self.refuse(place.label, "the object is also used as a whole")
        value = self.structure(value_of(state), place.label, place.held.initial.get(place.label))
        yield Store(place.path, place.kind, place.name, value, self.flag(bound_flag(stored)))

    def of_container(self, path: Path, known: Lst | Dct) -> Iterator[Store]:
        now, before = self.cx.state.look(known), known.initial
        if isinstance(now, Closed):
            yield from self.of_tail(path, self.cx.state.get(now.tail), now.tail.pools)
        if now is before:
            return
        if isinstance(now, Lost):
            raise self.cx.write_outside(path)
        if isinstance(known, Dct):
            yield from self.of_dict(path, self.entries(known, str(path)), before)
        elif isinstance(now, Var):
            if isinstance(before, tuple) and any(not isinstance(old, (Var, Lit)) for old in before):
                raise self.refuse(str(path), "it holds objects, and others take their places")
            yield Store(path, "list", None, self.run_time(now, str(path), known.pools))
        elif len(now) != len(before) or any(a is not b for a, b in zip(now, before, strict=True)):
            yield Store(path, "list", None, [self.structure(item, str(path)) for item in now])

    def entries(self, known: Dct, label: str) -> dict[Any, Any]:
        content = self.cx.state.get(known)
        if isinstance(content, Var):
            raise self.refuse(label, "the keys of the dict are known at run time only")
        assert isinstance(content, dict)
        return content

    def of_tail(self, path: Path, added: Any, pools: frozenset[Pool]) -> Iterator[Store]:
        if isinstance(added, Var):
            yield Store(path, "extend", None, self.run_time(added, str(path), pools))
        elif added:
            yield Store(path, "extend", None, [self.structure(item, str(path)) for item in added])

    def of_dict(self, path: Path, now: dict[Any, Any], before: dict[Any, Any]) -> Iterator[Store]:
        stay = staying(list(now), list(before))
        for key in before:
            if key not in stay:
                yield Store(path, "delete", key, None)
        for key, state in now.items():
            if key not in stay or state is not before[key]:
                if isinstance(state, Lost):
                    raise self.lost(f"{path}[{key!r}]", state)
                value = self.structure(value_of(state), f"{path}[{key!r}]")
                yield Store(path, ITEM, key, value, self.flag(bound_flag(state)))

    # ----- values
    def structure(self, value: Any, label: str, before: Any = None) -> Any:
        """What is stored: positions among the results, containers, objects from outside.

        ``before``: what the place held when the call began.
        """
        if isinstance(value, Live):
            return ("outside", value.path)
        if isinstance(value, (Arr, Lst, Dct)) and value in self.known:
            return ("outside", self.known[value])
        if isinstance(value, Arr):
            return self.array(value, label, before)
        if isinstance(value, Lit) and is_storable(value.value):
            return ("static", value.value)
        if isinstance(value, Var) and (isinstance(kind := _present(value.type), Scalar) or kind == STRING):
            return self.result(value)
        if isinstance(value, Tup):
            items = tuple(self.structure(item, label) for item in value.items)
            return items if value.cls is None else ("namedtuple", value.cls, items)
        if (kind := kind_inside(value)) is not None:
            raise self.refuse(label, f"the {kind} is made of lists and numbers in compiled code")
        if isinstance(value, (Lst, Dct, Obj)):
            return self.container(value, label)
        raise self.refuse(label, "what is stored has no form outside of compiled code")

    def container(self, value: Lst | Dct | Obj, label: str) -> Any:
        if value in self.containers or value.alike or in_heap(value):
            raise self.refuse(label, "the list, dict or object has another name")
        if isinstance(value, Obj) and is_local(value.cls):
            raise self.refuse(label, "the function defines its class at each call")
        if isinstance(value, Obj) and PLAYS in vars(value.cls):
            raise self.refuse(label, "a structured array is an array for each field there")
        self.containers.add(value)
        content = self.entries(value, label) if isinstance(value, Dct) else self.cx.state.get(value)
        if isinstance(content, Var):
            return self.run_time(content, label, getattr(value, "pools", frozenset()))
        if isinstance(value, Lst):
            return [self.structure(item, label) for item in content]
        items = {key: self.structure(item, label) for key, item in content.items()}
        return ("dict" if isinstance(value, Dct) else "object", value.cls, items)

    def array(self, value: Arr, label: str, before: Any) -> int:
        """An array is stored as a copy; nobody may tell that it is not the array itself."""
        if value in self.positions:
            return self.positions[value]
        own = before.foreign if isinstance(before, Arr) else None
        lies_in = {*roots_of(value), *(root for one in may_be(value) for root in roots_of(one))}
        outside = any(root in self.known and root is not before for root in lies_in)
        shared = value.foreign not in (None, own)
        if outside or shared and (value.foreign not in PERHAPS or self.positions) or self.perhaps:
            raise self.refuse(label, "it may be, or be a view of, an array that has another name")
        self.perhaps = shared
        if any(self.roots.setdefault(root, value) is not value for root in lies_in):
            raise self.refuse(label, "an array that shares memory with it is stored, too")
        self.positions[value] = self.result(self.cx.arg(value))
        return self.positions[value]


def staying(now: list[Any], before: list[Any]) -> set[Any]:
    """The keys of a dict that need not be taken out for it to have its keys in the order of ``now``."""
    found: set[Any] = set()
    places = {key: i for i, key in enumerate(before)}
    last = -1
    for key in now:
        if places.get(key, -1) < last or key not in places:
            break
        last = places[key]
        found.add(key)
    return found


def _present(type: Any) -> Any:
    return type.value if isinstance(type, Optional) else type


def is_storable(value: object) -> bool:
    """Whether a constant of the program can be stored as it is."""
    return not is_local(value) and (
        is_constant(value)
        or is_code(value)
        or isinstance(value, (np.generic, np.dtype, enum.Enum, type(Ellipsis), range))
    )


def changed_outside(cx: Context) -> set[Path]:
    """Where the lists, dicts and arrays were met that are changed, be it for a time."""
    inputs = cx.outside()
    places = inputs.places
    held = {*places.changed, *places.lifted_items}
    held |= {found for found in inputs.arrays_held() if cx.state.look(found) is not found.initial}
    return {p for p in inputs.sources if inputs.captured[p] in held or p in places.tails}


def guard_identities(cx: Context) -> None:
    """Objects that are stored to stay one and the same, or apart, at all paths where they were met.

    Raises
    ------
    Restart
        if a list, dict or array that is changed, be it for a time, is met along two paths.
    """
    inputs = cx.outside()
    places = inputs.places
    changed = changed_outside(cx)
    lists = {id(inputs.sources[path]): path for path in changed}
    if any(lists.get(id(value), path) != path for path, value in inputs.sources.items()):
        inputs.one_thing()
    guard_apart(inputs, inputs.sources, {type(inputs.sources[path]) for path in changed} & {list, dict})
    guard_apart(inputs, places.objects, {type(place.owner) for place in (*places.stored(), *places.lifted)})


def require_no_code(cx: Context) -> None:
    """What a program stores is seen by all that it reads: nothing was read by running code.

    Raises
    ------
    Restart
        so that code is followed.
    UnsupportedError
        if some of it can't be followed.
    """
    for name, now in cx.outside().places.computed.items():
        if not now:
            continue
        cx.outside().follow_code()
        why = f"`{name}` is computed by code that can't be followed, and that may read what is stored"
        raise cx.unsupported(f"a store to {OUTLIVES}", why, "use a method")


def stored_to(what: object) -> str:
    """A store, as an error tells it."""
    return f"a store to `{what}`, which outlives the call"


def guard_apart(inputs: Inputs, met: dict[Path, Any], classes: set[type]) -> None:
    """What was met of some classes along several paths is so many objects in each call."""
    for cls in classes:
        first: dict[int, Path] = {}
        for path, value in met.items():
            if type(value) is cls and first.setdefault(id(value), path) != path:
                inputs.guards.add(Guard.same(path, first[id(value)]))
        if len(first) > 1:
            inputs.guards.add(Guard.apart([*first.values()]))


def require_alone(cx: Context, calls: bool) -> None:
    """What a program stores is seen by nothing that it does before it ends, and done by nobody else.

    Raises
    ------
    UnsupportedError
        if it calls what it can't see into.
    """
    why = "a part of the function is traced, and may read what is stored" if calls else ""
    for op in walk(cx.builder.block):
        if not isinstance(op, Op) or op.fn in TELLING:  # what was told is not told again
            continue
        if not all(map(is_known, (op.fn, *functions_of(op)))):
            why = "the function calls what can't be followed, and that may read what is stored"
    if why:
        raise cx.unsupported(f"a store to {OUTLIVES}", why, "store before or behind the call")


def functions_of(op: Op) -> Iterator[object]:
    """The functions among the arguments of an operation."""
    for arg in operands(op):
        if isinstance(arg, Lit) and isinstance(arg.value, (types.FunctionType, types.MethodType)):
            yield arg.value


def is_known(fn: object) -> bool:
    """Whether a function is no code of the user's."""
    module = str(getattr(fn, "__module__", None) or getattr(type(fn), "__module__", ""))
    return module.partition(".")[0] in KNOWN


def written_outside(inputs: Inputs, stores: tuple[Store, ...]) -> Iterator[int]:
    """The positions among the parameters of the arrays from outside that are written to."""
    written = {store.path for store in stores if store.kind == "array"}
    for position, (path, _, _) in enumerate(inputs.captures, len(inputs.params)):
        if path in written:
            yield position
