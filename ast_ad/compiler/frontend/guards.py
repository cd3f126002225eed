"""Is what a compiled function read from outside still what it was, and what does it read anew at each call?

A global, a closure variable, a default or an object's attribute is reached by an access path. What decided
the compiled code (a function, a class, a flag) is guarded: before each call all guards are checked. Numbers
and arrays are captured: their paths are read at each call, and the values passed as extra inputs.
"""

from __future__ import annotations

import keyword
import operator
import re
import types
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .told_values import content, is_constant, same_constant

ATTRIBUTE, ITEM = "attribute", "item"
OWN_ITEM = "own item"  # of a dict, by no code that its class has for reading it
MISSING: Any = type("Missing", (), {"__repr__": lambda self: "MISSING"})()
UNREADABLE = (AttributeError, LookupError, TypeError, ValueError)  # ValueError: an empty closure cell


_READS: dict[str, Callable[[Any, Any], Any]] = {
    ATTRIBUTE: getattr,
    ITEM: operator.getitem,
    OWN_ITEM: dict.__getitem__,
}
_ASKS = {ATTRIBUTE: "hasattr({0}, {1})", ITEM: "{1} in {0}", OWN_ITEM: "dict.__contains__({0}, {1})"}
_TEXTS_OF_READS = {ATTRIBUTE: "getattr({0}, {1})", ITEM: "{0}[{1}]", OWN_ITEM: "dict.__getitem__({0}, {1})"}


@dataclass(frozen=True)
class Argument:
    """The root of a path that starts at the compiled function's argument with this position."""

    position: int


@dataclass(frozen=True)
class Spot:
    """What a path's place is called in symbols of lengths: these outlive programs, and hold no object."""

    key: Any
    label: str = field(compare=False)

    def __str__(self) -> str:
        return self.label

    @property
    def every(self) -> Spot:
        """What stands for the places that differ in the numbers of items only."""
        root, steps = self.key
        kinds = tuple((how, cls, ... if how == ITEM and cls is int else key) for how, cls, key in steps)
        return Spot((root, kinds), self.label)

    @property
    def beside(self) -> Spot | None:
        """What stands for all constants of one class or module, if this is one: its name says so."""
        root, steps = self.key
        if len(steps) != 1 or steps[0][1] is not str or not steps[0][2].isupper():
            return None
        return Spot((root, ((steps[0][0], "constants", ...),)), self.label)


@dataclass(frozen=True, eq=False)
class Path:
    """Where a value is found: steps of attribute and item reads from ``root``.

    ``root`` is an object (a globals dict, a cell, a function, a module) or an Argument; ``label`` is the
    path as the user writes it.

    >>> space = {"params": {"W": 2.0}}
    >>> path = Path.of_global(space, "params").item("W")
    >>> path.read(), str(path), path.identifier
    (2.0, "params['W']", 'params_W')
    """

    root: Any
    steps: tuple[tuple[str, Any], ...]
    label: str

    @staticmethod
    def of_global(space: dict[str, object], name: str) -> Path:
        return Path(space, ((ITEM, name),), name)

    @staticmethod
    def of_object(value: object, label: str) -> Path:
        """A value that is itself at hand."""
        return Path(value, (), label)

    @staticmethod
    def of_module(module: types.ModuleType, name: str) -> Path:
        label = f"{module.__name__}.{name}"
        if name in vars(module):
            return Path(vars(module), ((ITEM, name),), label)
        return Path(module, ((ATTRIBUTE, name),), label)  # made by the module's __getattr__

    @staticmethod
    def of_cell(cell: types.CellType, name: str) -> Path:
        return Path(cell, ((ATTRIBUTE, "cell_contents"),), name)

    @staticmethod
    def of_default(function: types.FunctionType, name: str) -> Path:
        """The default of a parameter, which ``function`` must have."""
        code = function.__code__
        positional = code.co_varnames[: code.co_argcount]
        if name in positional:
            index = positional.index(name) - len(positional)  # defaults belong to the last parameters
            return Path(function, ((ATTRIBUTE, "__defaults__"), (ITEM, index)), name)
        return Path(function, ((ATTRIBUTE, "__kwdefaults__"), (ITEM, name)), name)

    @staticmethod
    def of_argument(position: int, name: str) -> Path:
        return Path(Argument(position), (), name)

    def attribute(self, name: str) -> Path:
        return Path(self.root, (*self.steps, (ATTRIBUTE, name)), f"{self.label}.{name}")

    def item(self, key: object) -> Path:
        return Path(self.root, (*self.steps, (ITEM, key)), f"{self.label}[{key!r}]")

    def own_item(self, key: object) -> Path:
        return Path(self.root, (*self.steps, (OWN_ITEM, key)), f"{self.label}[{key!r}]")

    @property
    def is_listed(self) -> bool:
        """Whether it is the path of a global variable or of a closure's, or of an item in a list of one."""
        items = all(how == ITEM and type(key) is int for how, key in self.steps[1:])
        return items and len(self.steps) > 0 and isinstance(self.root, (dict, types.CellType))

    def read(self, args: Sequence[object] = ()) -> Any:
        """The value there now; raises one of the usual errors where there is none."""
        value: Any = args[self.root.position] if isinstance(self.root, Argument) else self.root
        for kind, key in self.steps:
            value = _READS[kind](value, key)
        return value

    @property
    def identifier(self) -> str:
        """The path as a name for generated code."""
        name = re.sub(r"\W+", "_", self.label).strip("_") or "captured"
        return f"_{name}" if name[0].isdigit() else name

    @property
    def key(self) -> Any:
        """Equal for paths that read the same place."""
        root = self.root if isinstance(self.root, Argument) else id(self.root)
        return root, tuple((kind, type(key), key) for kind, key in self.steps)

    @property
    def spot(self) -> Spot:
        return Spot(self.key, self.label)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Path) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __str__(self) -> str:
        return self.label


@dataclass(frozen=True, eq=False)
class Guard:
    """What must hold at a path: ``kind`` says how ``expected`` is compared (see the constructors)."""

    path: Path
    kind: str
    expected: Any

    @staticmethod
    def value(path: Path, expected: object) -> Guard:
        """The same constant (of the same type), or else the same object."""
        return Guard(path, "equal" if is_constant(expected) else "identical", expected)

    @staticmethod
    def type(path: Path, expected: type) -> Guard:
        """An instance of exactly this class."""
        return Guard(path, "type", expected)

    @staticmethod
    def length(path: Path, expected: int) -> Guard:
        """A container with so many elements."""
        return Guard(path, "length", expected)

    @staticmethod
    def keys(path: Path, expected: Iterable[object]) -> Guard:
        """A dict with these keys, in this order."""
        return Guard(path, "keys", tuple(expected))

    @staticmethod
    def content(path: Path, expected: Any) -> Guard:
        """A set, a range or a slice of the same constants."""
        return Guard(path, "content", content(expected))

    @staticmethod
    def missing(path: Path) -> Guard:
        """Nothing: the name is not defined (and so a builtin is meant)."""
        return Guard(path, "missing", MISSING)

    @staticmethod
    def present(path: Path) -> Guard:
        """Something, whatever it is."""
        return Guard(path, "present", MISSING)

    @staticmethod
    def same(path: Path, other: Path) -> Guard:
        """The object that is found along another path."""
        return Guard(path, "same", other)

    @staticmethod
    def subclass(cls: Any, kind: Any) -> Guard:
        """An abstract class that says of another one what it says now."""
        return Guard(Path.of_object(cls, cls.__name__), "subclass", (kind, issubclass(kind, cls)))

    @staticmethod
    def apart(paths: Sequence[Path]) -> Guard:
        """As many objects as there are paths to them."""
        return Guard(paths[0], "apart", tuple(paths))

    def holds(self, args: Sequence[object] = ()) -> bool:
        try:
            if self.kind == "apart":
                return len({id(path.read(args)) for path in self.expected}) == len(self.expected)
            value = self.path.read(args)
            expected = self.expected.read(args) if self.kind == "same" else self.expected
            return bool(_TESTS[self.kind](value, expected))
        except UNREADABLE:
            return self.kind == "missing"

    def __str__(self) -> str:
        what = _SEEN.get(self.kind, "its value")
        return f"`{self.path}` ({'which object it is' if self.kind in ('same', 'apart') else what})"


class Guards:
    """A set of guards with one fast check for all of them.

    >>> space = {"f": len, "flag": "a"}
    >>> guards = Guards()
    >>> guards.add(Guard.value(Path.of_global(space, "f"), len))
    >>> guards.add(Guard.value(Path.of_global(space, "flag"), "a"))
    >>> guards.check()
    True
    >>> space["flag"] = "b"
    >>> guards.check(), str(guards.broken())
    (False, '`flag` (its value)')
    """

    def __init__(self, guards: Iterable[Guard] = ()) -> None:
        self._guards: dict[Any, Guard] = {}
        self._check: Callable[[Sequence[Any]], bool] | None = None
        for guard in guards:
            self.add(guard)

    def add(self, guard: Guard) -> None:
        """Add a guard, unless it is there already.

        A function is guarded with its code and defaults, which reloading tools replace in place. Where it has
        no defaults, its calls pass everything, and defaults that come later don't matter. What this package
        is made of stays what it is.
        """
        if is_own(guard):
            return
        compared = guard.expected if guard.kind == "equal" else id(guard.expected)
        if guard.kind in ("same", "apart"):
            paths = guard.expected if guard.kind == "apart" else (guard.expected,)
            compared = [path.key for path in paths]
        key = guard.path.key, guard.kind, type(guard.expected), repr(compared)
        if key in self._guards:
            return
        self._guards[key] = guard
        self._check = None
        if guard.kind == "identical" and isinstance(guard.expected, types.FunctionType):
            for part in ("__code__", "__defaults__", "__kwdefaults__"):
                value = getattr(guard.expected, part)
                if value is None:
                    continue
                self.add(
                    Guard(Path(guard.expected, ((ATTRIBUTE, part),), guard.path.label), "identical", value)
                )

    def check(self, args: Sequence[object] = ()) -> bool:
        """Whether all guards hold."""
        check = self._check
        if check is None:
            check = self._check = _compiled(tuple(self._guards.values()))
        try:
            return check(args)
        except UNREADABLE:  # an attribute or an item that was compared is gone
            return False

    def broken(self, args: Sequence[object] = ()) -> Guard | None:
        """The first guard that does not hold."""
        return next((guard for guard in self._guards.values() if not guard.holds(args)), None)

    def renumbered(self, args: Sequence[object] = ()) -> bool:
        """Whether an int that was compared is another one now."""
        return not all(g.holds(args) for g in self if g.kind == "equal" and type(g.expected) is int)

    def __iter__(self) -> Any:
        return iter(self._guards.values())

    def __len__(self) -> int:
        return len(self._guards)


def is_own(guard: Guard) -> bool:
    """Whether it is about a function, a class or a module that one of this package's modules names."""
    root, steps = guard.path.root, guard.path.steps
    if isinstance(root, type):
        return str(getattr(root, "__module__", "")).startswith(_OWN)
    if len(steps) != 1:
        return False
    if isinstance(root, types.FunctionType):
        root = root.__globals__  # and no ``__module__``, which ``functools.wraps`` copies
        return str(root.get("__name__")).startswith(_OWN)
    named = guard.kind == "missing" or isinstance(
        guard.expected, (types.FunctionType, types.ModuleType, type)
    )
    return named and isinstance(root, dict) and str(root.get("__name__")).startswith(_OWN)


_OWN = f"{__name__.partition('.')[0]}."


_SEEN = {
    "content": "what it holds",
    "type": "its class",
    "length": "its length",
    "keys": "its keys",
    "subclass": "what it says of a class",
}
_TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "identical": lambda value, expected: value is expected,
    "same": lambda value, expected: value is expected,
    "equal": same_constant,
    "content": lambda value, expected: same_constant(content(value), expected),
    "type": lambda value, expected: type(value) is expected,
    "length": lambda value, expected: len(value) == expected,
    "keys": lambda value, expected: tuple(value) == expected,
    "missing": lambda value, expected: False,
    "present": lambda value, expected: True,
    "several": lambda value, expected: bool(value >= 2) is expected,
    "subclass": lambda value, expected: issubclass(expected[0], value) is expected[1],
}
_TEXTS = {
    "identical": "{value} is e{i}",
    "equal": "((v := {value}) is e{i} or same_constant(v, e{i}))",
    "content": "same_constant(content({value}), e{i})",
    "type": "type({value}) is e{i}",
    "length": "len({value}) == e{i}",
    "keys": "tuple({value}) == e{i}",
    "several": "bool({value} >= 2) is e{i}",
    "subclass": "issubclass(e{i}[0], {value}) is e{i}[1]",
}


CALLED = {"getattr": getattr, "hasattr": hasattr, "dict": dict}  # by the expressions of guards and paths


def _compiled(guards: tuple[Guard, ...]) -> Callable[[Sequence[Any]], bool]:
    """One expression for all guards."""
    tests, space = tests_of(guards)
    check: Any = eval("lambda args: " + (" and ".join(tests) or "True"), space)
    return check


def tests_of(guards: Iterable[Guard]) -> tuple[list[str], dict[str, Any]]:
    """Expressions that are true where the guards hold, and what their names mean.

    The names are ``v``, numbered ones (``e0``, ``m0``, ``r0``), and ``args``, the arguments that paths start
    from.
    """
    space: dict[str, Any] = {"same_constant": same_constant, "content": content, **CALLED}
    tests = []
    for i, guard in enumerate(guards):
        steps = guard.path.steps
        if not steps and guard.path.root is guard.expected:
            continue  # an object is itself
        if guard.kind in ("missing", "present"):
            (kind, space[f"m{i}"]), owner = steps[-1], access(guard.path, steps[:-1], f"r{i}", space)
            test = _ASKS[kind].format(owner, f"m{i}")
            tests.append(test if guard.kind == "present" else f"not {test}")
            continue
        value = access(guard.path, steps, f"r{i}", space)
        if guard.kind == "same":
            tests.append(f"{value} is {access(guard.expected, guard.expected.steps, f'e{i}', space)}")
            continue
        if guard.kind == "apart":
            reads = [access(p, p.steps, f"e{i}_{j}", space) for j, p in enumerate(guard.expected)]
            tests.append(f"len({{{', '.join(f'id({read})' for read in reads)}}}) == {len(reads)}")
            continue
        space[f"e{i}"] = guard.expected
        tests.append(_TEXTS[guard.kind].format(value=value, i=i))
    return tests, space


def access(path: Path, steps: Sequence[tuple[str, Any]], root: str, space: dict[str, object]) -> str:
    """The expression that follows the steps; what its names mean goes into ``space``.

    Only plain identifiers, strings and ints of the path stand in the text; ``root`` begins all other names.
    """
    if isinstance(path.root, Argument):
        value = f"args[{path.root.position:d}]"
    else:
        value = root
        space[root] = path.root
    for j, (kind, key) in enumerate(steps):
        if kind == ATTRIBUTE and type(key) is str and key.isidentifier() and not keyword.iskeyword(key):
            value = f"{value}.{key}"
        elif kind == ITEM and type(key) in (str, int):
            value = f"{value}[{key!r}]"
        else:
            name = f"{root}_{j}"
            value = _TEXTS_OF_READS[kind].format(value, name)
            space[name] = key
    return value
