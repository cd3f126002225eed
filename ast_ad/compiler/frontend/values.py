"""What does the front end know of a Python value while it reads a program? Abstract values and their store.

Numbers and other immutable values are IR arguments themselves (``Var`` at run time, ``Lit`` when static).
Everything with an identity (arrays, lists, dicts, objects, frames of local variables) is an object of this
module; what it holds now is looked up in a ``State``, forked at a branch and merged after it. So aliases
and views stay exact while the IR underneath never mutates anything.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..ir.ops import Arg, Block, Call, Lit, Seq, Slice, Var

if TYPE_CHECKING:
    from ..ir.types import Dim, Type
    from .guards import Path

_serials = itertools.count()


def now() -> int:
    """A time stamp: objects with a smaller ``serial`` existed before."""
    return next(_serials)


def is_tensor(value: object) -> bool:
    """Whether it is a tensor; one that is being traced passes for an array or a number."""
    return hasattr(type(value), "_is_eager_tensor")


def _stamp() -> Any:
    return field(default_factory=now)


AGAIN: Any = type("Again", (), {"__repr__": lambda self: "AGAIN"})()  # what an element holds is to be read


@dataclass(frozen=True)
class Pool:
    """The elements of the lists that are made at one place of the program."""

    place: Any


@dataclass(frozen=True)
class Held:
    """What is known of pools.

    ``roots``: the pools that an array, or a list, is in; ``shared``: why elements of a pool may have
    references that are not known; ``written``: an object that changes with every write to an element;
    ``inside``: of elements that are lists, the pools of their elements.
    """

    roots: dict[Any, frozenset[Pool]] = field(default_factory=dict)
    shared: dict[Pool, str] = field(default_factory=dict)
    written: dict[Pool, object] = field(default_factory=dict)
    inside: dict[Pool, frozenset[Pool]] = field(default_factory=dict)

    def __or__(self, other: Held) -> Held:
        """What is known where two paths meet."""
        if self is other:
            return self
        roots = dict(self.roots)
        for root, pools in other.roots.items():
            roots[root] = roots.get(root, frozenset()) | pools
        written = {
            pool: mark if other.written.get(pool, mark) is self.written.get(pool, mark) else object()
            for pool, mark in {**self.written, **other.written}.items()
        }
        inside = dict(self.inside)
        for pool, pools in other.inside.items():
            inside[pool] = inside.get(pool, frozenset()) | pools
        return Held(roots, {**other.shared, **self.shared}, written, inside)


@dataclass(eq=False)
class Arr:
    """An array with its identity. ``view``: it is a window on another's memory, or an element of a list.

    ``foreign``: why writes to it are refused (a global, an array that may be one of several). ``sources``:
    arrays that it may be, each with what it held then: once one holds something else, reads are refused.
    ``within``: the pools that it may be in since it was made. ``orders``: those in which its elements
    certainly lie in memory (layouts.py); ``strides``: how far apart they are, if it is a view (strides.py).
    """

    initial: Var | None
    view: View | None = None
    foreign: str | None = None
    argument: int | None = None
    serial: int = _stamp()
    sources: tuple[tuple[Any, Any], ...] = ()
    within: frozenset[Pool] = frozenset()
    orders: frozenset[str] = frozenset()
    strides: tuple[Dim | int, ...] | None = None


@dataclass(eq=False)
class Heap(Arr):
    """Arrays of one type that are known by their places: what it holds is a list of them (heaps.py)."""

    initial: Any = ()
    serial: int = 0  # older than all that a program makes
    element: Any = None


@dataclass(eq=False)
class Choice:
    """One of two arrays: the ``first`` where ``flag`` holds, a boolean of the program, else the ``second``.

    The parent of a view of whichever it is. ``type``: what it holds; ``hint``: the name shown for that.
    """

    flag: Var
    first: Arr
    second: Arr
    type: Type
    hint: str | None = None


@dataclass(eq=False)
class View:
    """``get`` emits the window's value from the parent's; ``put`` the parent's value with a new window.

    Without ``put`` it is not written to; without ``get`` it may be a copy, which shows no later write; then
    ``by_lengths`` tells whether the lengths say which. ``at``: its position in a heap; ``fixed``: read-only.
    """

    parent: Any
    get: Callable[[Any], Any] | None
    put: Callable[[Any, Any], Any] | None
    index: Arg | None = None
    reads: tuple[Var, ...] | None = None  # what ``get`` and ``put`` read besides the parent; None: not known
    by_lengths: bool = False
    at: Arg | None = None
    fixed: bool = False


@dataclass(eq=False)
class Tup:
    """A tuple, or a named tuple of class ``cls``."""

    items: tuple[Any, ...]
    cls: type | None = None


@dataclass(eq=False)
class Lst:
    """A list; its content is a tuple of values while its length is static, else a Var of type ListOf.

    ``pools``: those of its elements; ``within``: those that it may be in itself since it was made;
    ``shows``: the dict, of which it is a view, and whether it shows 'keys', 'values' or 'items'; or None and
    'iterator', if it holds what an iterator is still to give. ``view``: of an element of a run-time list, how
    it is read and written; what it holds is ``Seen``, or to be read again.
    """

    initial: Any = ()
    serial: int = _stamp()
    pools: frozenset[Pool] = frozenset()
    within: frozenset[Pool] = frozenset()
    alike: set[Any] = field(default_factory=set)
    shows: tuple[Any, str] | None = None
    view: View | None = None


@dataclass(frozen=True, eq=False)
class Seen:
    """What a list held that is an element of another one, when that one held ``parent``."""

    parent: Any
    value: Any


@dataclass(eq=False)
class Dct:
    """A dict; its content maps keys to values while they are static, else it is a Var of type DictOf."""

    initial: Any = field(default_factory=dict)
    cls: type = dict
    of: Obj | None = None  # the object whose ``__dict__`` it is
    serial: int = _stamp()
    alike: set[Any] = field(default_factory=set)
    pools: frozenset[Pool] = frozenset()
    within: frozenset[Pool] = frozenset()
    view: None = None


@dataclass(eq=False)
class Obj:
    """An instance of a Python class built while reading the program, or a dataclass argument."""

    cls: type
    initial: dict[str, Any] = field(default_factory=dict)
    serial: int = _stamp()
    alike: set[Any] = field(default_factory=set)


@dataclass(eq=False)
class Frame:
    """Local variables of one function call; content maps names to values."""

    source: Any
    globals: dict[str, Any]
    enclosing: Frame | None = None
    cells: dict[str, Any] = field(default_factory=dict)
    nonlocals: set[str] = field(default_factory=set)
    path: Any = None
    initial: dict[str, Any] = field(default_factory=dict)
    locals: frozenset[str] = frozenset()
    comprehension: bool = False
    inlined: bool = False  # a comprehension's, where Python has no frame for it
    class_name: str | None = None  # of the class statement whose body it is of: functions don't see it
    caller: Frame | None = None
    call: Call | None = None  # by which its function was reached
    leave: Any = None  # the caller's statement that exceptions leave
    begun: Any = None  # what there was when the body began, and when that was
    serial: int = _stamp()


@dataclass(eq=False)
class Closure:
    """A nested ``def`` or ``lambda``: its tree, the frame it reads free names from, its defaults."""

    node: Any
    frame: Frame
    defaults: dict[str, Any]
    name: str = "<lambda>"


@dataclass(eq=False)
class Bound:
    """A function with leading arguments: a method of an abstract value, or a functools.partial."""

    fn: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Super:
    """``super()``: attributes of ``instance`` from the classes after ``cls``."""

    cls: type
    instance: Any


@dataclass(eq=False)
class ArrayMethod:
    """``x.sum`` before it is called."""

    receiver: Any
    name: str


@dataclass(eq=False)
class Range:
    start: Arg
    stop: Arg
    step: Arg


@dataclass(eq=False)
class Iterable:
    """zip, enumerate, reversed, map or filter over other iterables, unconsumed.

    Its content in the store: the frames that have read it under a name.
    """

    kind: str
    sources: tuple[Any, ...]
    start: Any = None
    initial: frozenset[Any] = frozenset()
    serial: int = _stamp()
    strict: bool = False  # whether zip asks for as many items of each


@dataclass(eq=False)
class Flat:
    """``x.flat``"""

    array: Any


@dataclass(eq=False)
class Comprehension:
    """A generator expression, run where it is consumed. Its content in the store is that of ``Iterable``."""

    node: Any
    frame: Frame
    first: Any  # what its outermost loop runs over, found where the generator is made
    initial: frozenset[Any] = frozenset()
    serial: int = _stamp()


@dataclass(eq=False)
class Generator:
    """A call of a generator function, of which nothing has run: its arguments are bound, its frame is empty.

    Its content in the store is that of ``Iterable``.
    """

    node: Any
    frame: Frame
    bound: dict[str, Any]
    name: str
    initial: frozenset[Any] = frozenset()
    serial: int = _stamp()


@dataclass(eq=False)
class Live:
    """An object that outlives the call; what it holds is read through ``path`` at every call."""

    value: Any
    path: Path
    embed: Callable[[], None] | None = None

    def python_value(self) -> Any:
        """The object itself, as a constant of the program: from now on it must stay this very one."""
        if self.embed is not None:
            self.embed()
        return self.value


@dataclass(eq=False)
class Unbound:
    """The state of a name without a value: a read raises what Python raises."""

    name: str = ""


@dataclass(eq=False)
class Maybe:
    """The state of a name that has a value if ``bound`` holds, which is known at run time only."""

    value: Any
    bound: Var


@dataclass(eq=False)
class Lost:
    """The state of a name of which the compiler can't tell what it holds: a read is refused."""

    name: str
    why: str
    fix: str = field(default="use a copy, or one name for it", kw_only=True)


@dataclass(eq=False)
class Closed(Lost):
    """The state of a list from outside that nobody has read: what is appended to it stands in ``tail``.

    ``open``: reads its items; it holds them from then on.
    """

    path: Path
    tail: Lst
    open: Callable[[], None]


Value = (
    Var
    | Lit
    | Seq
    | Slice
    | Arr
    | Tup
    | Lst
    | Dct
    | Obj
    | Closure
    | Bound
    | Super
    | ArrayMethod
    | Range
    | Iterable
    | Flat
    | Comprehension
    | Generator
    | Live
    | Unbound
    | Maybe
    | Lost
    | slice
)  # what a name, an element or an attribute is to the compiler


def is_outside(arr: Arr) -> bool:
    """Whether it is an array that outlives the call, or a window on one: that array is written."""
    root: Any = arr
    while isinstance(root, Arr) and root.view is not None:
        root = root.view.parent
    return isinstance(root, Arr) and root.serial < 0 and root.foreign == arr.foreign


Callee = Callable[..., Any]  # of the user's, of NumPy's, of the compiler's: what it takes can't be told
Slot = tuple[Any, Any]  # a frame, an object, ..., and a name or a key in it
Sides = tuple[tuple["State", Block], tuple["State", Block]]  # the paths of a branch: the store, and the code
Container = Lst | Dct | Obj  # what can be changed, and may be one of several


class State:
    """What every object holds now. Contents are replaced, never changed, so that a fork is a shallow copy.

    ``refuse``: makes the error for a read of what is lost; ``again``: reads an element of a list anew.
    """

    def __init__(self, contents: dict[object, Any] | None = None, dead: bool = False) -> None:
        self.contents: dict[Any, Any] = {} if contents is None else contents
        self.dead = dead
        self.held = Held()
        self.refuse: Callable[[Lost], Exception] | None = None
        self.again: Callable[[State, Lst], Any] | None = None

    def fork(self) -> State:
        found = State(dict(self.contents), self.dead)
        found.held, found.refuse, found.again = self.held, self.refuse, self.again
        return found

    def get(self, key: Any) -> Any:
        found = self.look(key)
        if isinstance(found, Closed):
            found.open()
            return self.get(key)
        if isinstance(found, Lost) and self.refuse is not None:
            raise self.refuse(found)
        if found is AGAIN and self.again is not None:
            return self.again(self, key)
        return found

    def look(self, key: Any) -> Any:
        """What an object holds, or Lost where that can't be told."""
        found = self.contents.get(key, self)
        if isinstance(found, Seen):
            place = key.view.parent if key.view.at is not None else None
            return found.value if place is None or self.contents.get(place) is found.parent else AGAIN
        return key.initial if found is self else found

    def set(self, key: object, content: object) -> None:
        self.contents[key] = content

    def get_name(self, frame: Frame, name: str) -> Any:
        return self.get(frame).get(name)

    def set_name(self, frame: Frame, name: str, value: object) -> None:
        self.set(frame, {**self.get(frame), name: value})
