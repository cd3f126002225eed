"""What does a compiled function depend on? Its arguments, the data outside that it reads, the code it calls.

Data outside (globals, closure variables, attributes of objects) is read again at every call and passed as a
further input; code and structure are guarded: if a function that was inlined is replaced, or a list
changes its length, the program is compiled anew. A changed constant is never stale.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...homes import home_of
from ...rules.random_draws import GENERATORS, GLOBAL
from ...rules.standing import program_of_method
from ..ir.alternatives import symbols_behind
from ..ir.ops import Lit, Op, Var
from ..ir.types import Array, Dim, Opaque, Scalar, is_strange
from . import doors
from .aspects import aspect_of
from .constructs.attributes import load_attribute
from .context import Context, TensorOutside
from .conversion import TOLD, from_python
from .guards import Guard, Guards, Path
from .length_patterns import Known, Lengths, leaf_type
from .outside_records import outside_records
from .outside_values import outside_value, require_plain_items
from .signatures import ITEMS_APART, is_code, list_type, signature
from .store.outer_stores import BEFORE, Places
from .tables import Intrinsic
from .told_values import is_set, is_told
from .values import Arr, Bound, Closed, Dct, Live, Lst, Tup, is_tensor

HELD = ("outside", "held")  # among the constants: arrays from outside have names there
MOST_STEPS = 100  # of a path to a container
REFERENCES = ("references",)  # among the constants of a build: names of several arrays carry references
HANDLES = ("references", "elements")  # among them: so do lists, and all names that loops carry
CODE = ("outside", "code")  # among them: what the code of classes does to attributes is followed
NAMES = ("outside", "names")  # among them: what several paths lead to is one list, dict or array
WIDTH = ("references", "places")  # with a number: so many ints tell where an array is
MOST_FOLLOWED = 20_000  # items of containers from outside that one build looks at


class Restart(Exception):
    """Build again, with these inputs as constants."""

    def __init__(self, keys: set[object]) -> None:
        super().__init__(keys)
        self.keys = keys


def is_method(value: object) -> bool:
    """Whether what a class has is no function, but a method all the same: Numba's, ours, or with a cache."""
    return any(hasattr(value, name) for name in ("py_func", "as_method", "cache_info"))


class Inputs:
    """What one build reads from outside.

    ``constants``: keys of inputs whose value is compiled in. ``captures``: what is passed to the program;
    ``observed``: what is not, but may have decided by its kind what the program is.
    """

    def __init__(self, constants: frozenset[object] = frozenset(), known: Known = Known.ONES) -> None:
        self.constants = constants
        self.lengths = Lengths(known)
        self.params: list[Var] = []
        self.captured: dict[Path, Any] = {}
        self.at_run_time = False  # whether a list has its items then
        self.captures: list[tuple[Path, Var, Any]] = []
        self.observed: list[tuple[Path, Var, Any]] = []
        self.guards = Guards()
        self.written: set[int] = set()
        self.containers: set[Any] = set()  # the lists, dicts and objects of the arguments
        self.changes = self.asks = False  # whether the program changes one of them, or asks by `is` for one
        self.keys: dict[int, Any] = {}
        self.producers: dict[int, Op] = {}
        self.static_values: dict[Any, Any] = {}
        self.open: set[int] = set()  # the containers from outside that are being read, by identity
        self.followed = 0
        self.places = Places()
        self.draws = 0  # how often the program draws from a generator that is not its own
        self.sources: dict[Path, Any] = {}  # the lists, dicts and arrays in ``captured`` themselves
        self.several = False  # whether one of these was met along two paths
        self.by_hash = False  # whether an order is read that hashes decide: another process has another one
        self.first: dict[int, Path] = {}  # the path along which each of these was met first, by identity

    @property
    def references(self) -> bool:
        """Whether names that hold one of several arrays carry references."""
        return REFERENCES in self.constants

    @property
    def handles(self) -> bool:
        """Whether lists, and names that loops carry, hold references to arrays."""
        return HANDLES in self.constants

    @property
    def width(self) -> int:
        """How many ints tell where an array is."""
        return max((key[2] for key in self.constants if key[:2] == WIDTH), default=1)  # type: ignore[index]

    def demand_width(self, width: int) -> None:
        """Ask for a build in which references have room for so many ints."""
        if width > self.width:
            raise Restart({(*WIDTH, width)})

    def argument(self, value: object, position: int, name: str) -> Any:
        """The abstract value of one leaf of the arguments."""
        key = ("arg", position)
        several = self._aspect(key, value, "several")
        var = Var(leaf_type(value, key, self.lengths, (*key, "shape") in self.constants, several), name)
        if key in self.constants:
            var.known = value
            self.static_values[key] = value
        if isinstance(value, np.ndarray):
            self._aspect(key, value, "shape")
        self.params.append(var)
        self.keys[var.id] = key
        if not isinstance(var.type, Array):
            return var
        lying = self._aspect(key, value, "order")
        if isinstance(lying, tuple):
            return Arr(var, None, None, position, strides=lying)
        return Arr(var, None, None, position, orders=frozenset(lying or ""))

    def _aspect(self, key: tuple[Any, ...], value: object, aspect: str) -> Any:
        """What of an input the build was asked to know; None if it was not."""
        if (*key, aspect) not in self.constants:
            return None
        self.static_values[(*key, aspect)] = found = aspect_of(value, aspect)
        return found

    def demand(self, variables: list[Var]) -> None:
        """Ask for a build in which these values are static, if only arguments stand behind them."""
        keys: set[object] = set()
        if all(self._leaves(var, keys, False) for var in variables) and keys - self.constants:
            raise Restart(keys)

    def demand_several(self, count: Dim) -> None:
        """Ask for a build in which it is known of the ints behind a length whether they are 2 at least."""
        ints = [a.key for a in symbols_behind(count) if isinstance(a.key, tuple) and len(a.key) == 2]
        keys: set[object] = {(*key, "several") for key in ints if key[0] in ("arg", "outside")}
        if keys - self.constants:
            raise Restart(keys)

    def demand_shapes(self, variables: list[Var]) -> None:
        """Ask for a build in which the lengths of these arrays are static."""
        keys: set[object] = set()
        arrays = [
            v
            for v in variables
            if isinstance(v.type, Array) and not all(isinstance(d, int) for d in v.type.shape or ())
        ]
        if arrays and all(self._leaves(v, keys, True) for v in arrays) and keys - self.constants:
            raise Restart(keys)

    def demand_orders(self) -> None:
        """Ask for a build in which it is known how the arrays of the arguments lie in memory."""
        found = self.unknown_orders()
        if found:
            raise Restart(set(found))

    def unknown_orders(self) -> frozenset[object]:
        """The arrays of the arguments of which it is not known how they lie in memory."""
        found = {(*self.keys[p.id], "order") for p in self.params if isinstance(p.type, Array)}
        return frozenset(found) - self.constants

    def _leaves(self, var: Var, keys: set[object], shape: bool) -> bool:
        """Collect the inputs behind a value; False if something else is among them."""
        from ..ir.ops import UNKNOWN, operands, variables

        if var.known is not UNKNOWN:
            return True
        key = self.keys.get(var.id)
        if key is not None:
            if isinstance(var.type, Array) and not shape:
                return False
            keys.add((*key, "shape") if isinstance(var.type, Array) else key)
            return True
        if isinstance(var.type, Scalar) and isinstance(var.type.size, Dim):
            found: set[Any] = set()
            if self.dim_leaves(var.type.size, found):
                keys |= found
                return True
        if isinstance(var.type, Array):
            return (
                shape
                and var.type.shape is not None
                and all(isinstance(d, int) or self.dim_leaves(d, keys) for d in var.type.shape)
            )
        op = self.producers.get(var.id)
        if op is None:
            return False
        only_shape = shape or op.fn in (np.shape, np.size, len, np.ndim)
        return all(self._leaves(v, keys, only_shape) for v in variables(*operands(op)))

    def dim_leaves(self, dim: Dim, keys: set[object]) -> bool:
        for atom in symbols_behind(dim):
            key = atom.key
            if not (isinstance(key, tuple) and key[0] in ("arg", "outside")):
                return False
            keys.add((*key[:2], "shape") if len(key) == 3 else key)
        return True

    # ----- outside
    def load(self, cx: Context, value: object, path: Path, deep: bool = False) -> Any:
        """An abstract value for something outside: data is captured, code and structure are guarded."""
        if is_tensor(value):
            raise TensorOutside(f"`{path}`, a tensor", cx.builder.span)
        if isinstance(value, (bool, np.bool_)) or value is None or isinstance(value, TOLD):
            self.guards.add(Guard.value(path, value))
            return Lit(value)
        if isinstance(value, (int, float, complex, np.generic, np.ndarray)):
            return self.capture(cx, value, path)
        if value is sys.modules:
            return Live(value, path)
        plain = isinstance(value, (tuple, list, dict)) and home_of(type(value)) == "builtins"
        if plain or hasattr(type(value), "_fields"):
            return self.container(cx, value, path)
        if isinstance(value, types.BuiltinMethodType) and (
            isinstance(owner := value.__self__, type) or program_of_method(value) is not None
        ):
            program = program_of_method(value)
            self.guards.add(Guard.value(path.attribute("__self__"), owner))  # methods are made when read
            return Lit(value) if program is None else Bound(Lit(program), (Lit(owner),))
        if is_code(value):
            self.guards.add(Guard.value(path, value))
            return Lit(value)
        if isinstance(value, types.MethodType):
            self.guards.add(Guard.value(path.attribute("__func__"), value.__func__))
            if value.__self__ is GLOBAL:
                return Bound(Lit(Intrinsic(doors.draw)), (Lit(None), Lit(value.__name__)))
            owner = self.load(cx, value.__self__, path.attribute("__self__"))
            if isinstance(value.__self__, GENERATORS):
                return load_attribute(cx, owner, value.__name__)
            # An attribute of the object's own may be a method of its own: read anew, it would never end.
            classes = type(value.__self__).__mro__
            members = (vars(cls).get(value.__name__) for cls in classes if value.__name__ in vars(cls))
            found = next(members, None)
            of_class = found is value.__func__ and (isinstance(found, types.FunctionType) or is_method(found))
            if isinstance(owner, Live) and of_class:
                return load_attribute(cx, owner, value.__name__)
            return Bound(Lit(value.__func__), (owner,))
        if isinstance(value, GENERATORS):
            return self.generator(value, path)
        if is_told(value) and (deep or not is_set(value)):
            self.guards.add(Guard.content(path, value))
            return from_python(cx, value)
        if deep:
            raise cx.unsupported(
                f"a {type(value).__name__} from outside as a sequence of numbers",
                "it is no list, tuple, dict or array",
                "convert it before the call",
            )
        self.guards.add(Guard.type(path, type(value)))
        return self.live(value, path)

    def generator(self, value: object, path: Path) -> Var:
        """A generator of random numbers, which the program gets at every call."""
        if path not in self.captured:
            self.captured[path] = var = Var(Opaque(type(value).__name__), path.identifier)
            self.captures.append((path, var, type(value)))
        return self.captured[path]

    def live(self, value: object, path: Path, fixed: bool = False) -> Live:
        """An object from outside; ``fixed``: it is the same in every call."""
        self.places.objects[path] = value

        def embed() -> None:
            self.places.whole[id(value)] = value
            if not fixed:
                self.guards.add(Guard.value(path, value))

        return Live(value, path, embed)

    def container(self, cx: Context, value: Any, path: Path) -> Any:
        """A tuple, list or dict: one object for each path, as every read of it yields the same one."""
        if path in self.captured or self.has_name(value, path):
            return self.captured[path]
        found: Any
        if len(path.steps) > MOST_STEPS:
            raise cx.unsupported(
                f"a {type(value).__name__} from outside", "it lies too deep", "pass what is needed of it"
            )
        if isinstance(value, dict):
            self.guards.add(Guard.type(path, type(value)))
            self.guards.add(Guard.keys(path, value))
            items = self.items(cx, value, [(v, path.item(k)) for k, v in value.items()])
            found = Dct(dict(zip(value, items, strict=True)))
        elif isinstance(value, list):
            found = self.closed_list(cx, value, path)
        else:
            require_plain_items(cx, type(value))
            found = Tup(
                self.sequence(cx, value, path), type(value) if hasattr(type(value), "_fields") else None
            )
        found.serial = BEFORE
        self.captured[path] = found
        self.name(value, path)
        return found

    def name(self, value: object, path: Path) -> None:
        """A list, dict or array is known by a path."""
        self.sources[path] = value
        self.several = self.several or self.first.setdefault(id(value), path) != path

    def has_name(self, value: object, path: Path) -> bool:
        """Whether it is known by another path, and was asked for to be one thing then."""
        first = self.first.get(id(value))
        if first is None or NAMES not in self.constants:
            return False
        self.guards.add(Guard.same(path, first))
        self.captured[path] = self.captured[first]
        return True

    def one_thing(self) -> None:
        """Ask for a build in which all paths to one list, dict or array lead to one thing."""
        if NAMES not in self.constants:
            raise Restart({NAMES})

    def closed_list(self, cx: Context, value: list[Any], path: Path) -> Lst:
        """A list, whose items are read when they are asked for: it may be that something is appended only."""
        self.guards.add(Guard.type(path, list))
        found, tail, key = Lst(), Lst(serial=BEFORE), ("items", path)

        def open_() -> None:
            if key not in self.constants and path in self.places.tails:
                raise Restart({key})  # something has been appended: read them before
            kind = None if ITEMS_APART in self.constants else list_type(value)
            if kind is None:
                found.initial = self.sequence(cx, value, path)
                return
            self.at_run_time, found.initial = True, Var(kind, path.identifier)
            self.captures.append((path, found.initial, signature(value)))

        found.initial = Closed(str(path), "its items were not read", path, tail, open_)
        if key in self.constants:
            open_()
        return found

    def sequence(self, cx: Context, value: Any, path: Path) -> tuple[Any, ...]:
        """The items of a list or tuple of this length."""
        self.guards.add(Guard.type(path, type(value)))
        self.guards.add(Guard.length(path, len(value)))
        return tuple(self.items(cx, value, [(v, path.item(i)) for i, v in enumerate(value)]))

    def items(self, cx: Context, value: Any, paths: Iterable[tuple[Any, Path]]) -> list[Any]:
        """The abstract values of a container's items.

        What is inside of itself has no end, and a large structure no place in a program: both are refused.
        """
        self.followed += len(value)
        if id(value) in self.open or self.followed > MOST_FOLLOWED:
            raise cx.unsupported(
                f"a {type(value).__name__} from outside",
                "it contains itself" if id(value) in self.open else "too much is reached from it",
                "pass what is needed of it as an argument",
            )
        self.open.add(id(value))
        try:
            return [outside_value(cx, v, path) for v, path in paths]
        finally:
            self.open.discard(id(value))

    def capture(self, cx: Context, value: Any, path: Path) -> Any:
        """A number or array, read again at every call."""
        if cx.jitted:  # a constant of what Numba compiles
            self.guards.add(Guard.value(path, value))
        if path in self.captured or isinstance(value, np.ndarray) and self.has_name(value, path):
            return self.captured[path]
        if getattr(value, "dtype", None) is not None and value.dtype.kind not in "biufc":
            return outside_records(cx, self, value, path)
        if value is np.ma.masked:
            self.guards.add(Guard.value(path, value))
            return Lit(value)
        if is_strange(value):
            raise cx.unsupported(
                f"`{path}`, a {type(value).__name__}",
                "its operators do not mean what they mean for arrays",
                "use np.asarray(...) of it, or float(...)",
            )
        key = ("outside", path.spot)
        asked, several = (*key, "shape") in self.constants, self._aspect(key, value, "several")
        var = Var(leaf_type(value, key, self.lengths, asked, several), path.identifier)
        if several is not None:
            self.guards.add(Guard(path, "several", several))
        flag = ("outside", path.spot.beside) if type(value) is int else key
        if {key, ("outside", path.spot.every), flag} & self.constants or self._is_fixed(value, path):
            self.guards.add(Guard.value(path, value))
            self.static_values[key] = value
            return self.captured.setdefault(path, Lit(value))
        if asked:
            self.guards.add(Guard.value(path.attribute("shape"), self._aspect(key, value, "shape")))
        self.keys[var.id] = key
        self.captures.append((path, var, signature(value)))
        found: Any = var
        if isinstance(var.type, Array):
            found = Arr(var, None, f"`{path}`, which outlives the call", serial=BEFORE)
            self.name(value, path)
        self.captured[path] = found
        return found

    def _is_fixed(self, value: object, path: Path) -> bool:
        """Whether a number is a constant: an int as lengths are, which it makes; ``inf``, for adjoints."""
        size = type(value) is int and path.is_listed and self.lengths.known is Known.CONSTANTS
        return size or type(value) is float and not np.isfinite(value)

    def hold_arrays(self) -> None:
        """Ask for a build in which arrays from outside have the name that they have there, too.

        That matters only where they, or what holds them, are changed.
        """
        if HELD not in self.constants:
            raise Restart({HELD})

    @property
    def follows_code(self) -> bool:
        """Whether attributes that code computes are found by following that."""
        return CODE in self.constants

    def follow_code(self) -> None:
        """Ask for a build in which the code of descriptors is followed, and ``__dict__`` shows the object.

        That matters only where the program stores: what is read by running that code sees no store.
        """
        if CODE not in self.constants:
            raise Restart({CODE})

    def arrays_held(self) -> list[Arr]:
        """The arrays that have a name outside."""
        known = self.captured.values() if HELD in self.constants else ()
        return [found for found in known if isinstance(found, Arr)]

    def class_member(self, cls: type, name: str) -> None:
        """A method or property was found in a class; it must stay there."""
        path, found = Path.of_object(cls, cls.__name__).attribute(name), getattr(cls, name)
        if isinstance(found, types.MethodType):
            path, found = path.attribute("__func__"), found.__func__
        self.guards.add(Guard.value(path, found))

    def class_attribute(self, base: Live, name: str) -> None:
        """A method or property was found in the class of an outside object; it must stay there."""
        self.class_member(type(base.value), name)
        if hasattr(base.value, "__dict__") and not isinstance(getattr(type(base.value), name), property):
            self.guards.add(Guard.missing(base.path.attribute("__dict__").item(name)))
