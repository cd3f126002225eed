"""What is a node of the graph? One recorded operation: its edges to older nodes and what its rule reads."""

from __future__ import annotations

import functools
import itertools
import math
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from . import doors
from .dtypes import dtype_of
from .fitting import fitted
from .handles import RemovableHandle
from .metadata import InputMetadata
from .saved import FREED, SavedTensor, SavedValue, changed_text, check_version
from .saved_options import options_of, raw_indices
from .tensor import Tensor

next_number = itertools.count(1).__next__
NO_EDGE: tuple[None, int] = (None, 0)


# Nodes whose full name tells where PyTorch's own are defined.
OF_THE_ENGINE = {"AccumulateGrad", "CopySlices", "CopyBackwards", "Error", "NotImplemented"}


class Hooks:
    """The hooks of one node. ``tensor`` and ``retain`` are kept per output."""

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, OrderedDict[int, Callable[..., Any]]] = {}
        self.retain: dict[int, weakref.ref[Any]] = {}
        self.pre: OrderedDict[int, Callable[..., Any]] = OrderedDict()
        self.post: OrderedDict[int, Callable[..., Any]] = OrderedDict()


class Node:
    """A step of the reverse sweep. ``_edges``: where its results go, an entry per tensor argument.

    ``_live`` holds the edges that lead somewhere; ``_backward`` returns one cotangent for each of them.
    ``_meta``: shape and dtype of the output, a list of such pairs where ``_outputs`` is not 1. The sequence
    number is higher than that of every node that an edge leads to: the engine relies on it. What belongs to
    the engine has an underscore, since the node of an ``autograd.Function`` carries the attributes that a
    user gives it.
    """

    renumbered = False  # whether any number was given by a user
    _number = 0
    _outputs = 1
    _edges: tuple[tuple[Node | None, int], ...] = ()
    _live: tuple[tuple[Any, int], ...] = ()
    _meta: Any = None
    _hooks: Hooks | None = None
    _dropped: Mapping[int, Any] = MappingProxyType({})  # gradients, by edge, of inputs that need none
    _takes_none = False  # runs, though there is no gradient for its output
    quick = False
    _metadata: dict[str, Any] | None = None
    result_node: Any = None  # to which a saved result belongs, if not to this node (see CopySlices)

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        """The cotangents for ``live``. ``g``: an array, a Tensor if ``graph``, a list of them per output."""
        raise NotImplementedError

    def _release(self) -> None:
        """Forget what was saved."""

    def _meta_of(self, nr: int) -> tuple[Any, Any]:
        """Shape and dtype of an output."""
        return self._meta if self._outputs == 1 else self._meta[nr]

    # ----- what the user sees
    def name(self) -> str:
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in OF_THE_ENGINE else name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        return self._edges

    @property
    def metadata(self) -> dict[str, Any]:
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    def _sequence_nr(self) -> int:
        return self._number

    def _set_sequence_nr(self, number: int) -> None:
        """Among nodes that could run next, the one with the highest number does."""
        self._number = number
        Node.renumbered = True

    @property
    def _input_metadata(self) -> list[Any]:
        found = [self._meta] if self._outputs == 1 else self._meta
        return [None if meta is None else InputMetadata(meta[0], dtype_of(meta[1])) for meta in found]

    def register_hook(self, fn: Callable[..., Any]) -> Any:
        """``fn(grad_inputs, grad_outputs)`` runs after the node; a tuple replaces ``grad_inputs``."""
        return self._add(self._hooked().post, fn)

    def register_prehook(self, fn: Callable[..., Any]) -> Any:
        """``fn(grad_outputs)`` runs before the node; a tuple replaces ``grad_outputs``."""
        return self._add(self._hooked().pre, fn)

    def _hooked(self) -> Hooks:
        if self._hooks is None:
            self._hooks = Hooks()
        return self._hooks

    def _add(self, where: OrderedDict[int, Callable[..., Any]], fn: Callable[..., Any]) -> Any:
        return RemovableHandle.added(where, fn)

    def __call__(self, *grads: Any) -> Any:
        """The gradients of the inputs for gradients of the outputs."""
        return doors.apply_node(self, grads)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {hex(id(self))}>"

    __str__ = __repr__


class RuleNode(Node):
    """An operation with a rule. ``values``: the arguments of the slice, ``ans`` first; None once freed.

    ``owners`` are the tensors behind the values, for those that came from arguments; ``checks`` the version
    counters and what they said when the values were saved. ``frees``: there is something to forget.
    ``boxed``: the one output comes in a list. ``nesting``: the numbers of several outputs, in the lists that
    they come in, where these are nested. ``quick``: ``checks`` holds a counter or None for each value,
    and all stood at 0; the engine runs such a node itself.
    """

    operation: Any = None
    slice: Any = None
    values: Any = ()
    owners: Any = ()
    checks: Any = ()
    options: dict[str, Any] = {}
    layout: Any = None
    wrap: Any = None
    packed = False
    boxed = False
    nesting: Any = None
    frees = False
    shown: dict[str, Any] = {}  # what the user may look at, beside what the slice keeps
    result_checks: Any = ()  # of several results: which is read, its version counter and version

    def all_checks(self) -> Any:
        """(place, version counter, version when saved) of everything that was saved."""
        if not self.quick:
            return self.checks
        return [(i, counter, 0) for i, counter in enumerate(self.checks) if counter is not None]

    def take_the_long_way(self) -> None:
        """Keep values and checks as lists, which may be changed, and let no engine run the slice itself."""
        self.values, self.checks, self.quick = list(self.values), list(self.all_checks()), False

    def _backward(self, g: Any, graph: bool) -> Sequence[Any]:
        values = self.values
        if values is None:
            raise RuntimeError(FREED)
        for i, counter, version in self.all_checks():
            now = counter[0]
            if now != version or now.__class__ is not int:
                self._check(i, now, version)
        for nr, counter, version in self.result_checks:
            if counter[0] != version:
                raise RuntimeError(changed_text(self.values[0][nr], self, nr, counter[0], version))
        if graph:
            run, values = self.slice.run_tensors, self._tensors()
        else:
            run = self.slice.run
            if self.packed:
                values = [self._unpacked(v) for v in values]
        if self._outputs != 1:
            g = self._complete(g, graph)
        elif self.boxed:
            g = (g,)
        if self.nesting is not None:
            g = _nested(self.nesting, g)
        found = run(g, *values, **self.options) if self.options else run(g, *values)
        return found if self.layout is None else self._flat(found, graph)

    def _unpacked(self, value: Any) -> Any:
        """The array of a tensor that hooks have packed, also within a subscript."""
        if value.__class__ is tuple:
            return tuple([self._unpacked(item) for item in value])
        return value.tensor(self)._array if value.__class__ is SavedValue else value

    def _release(self) -> None:
        if self.frees:
            self.values = None
            self.owners = ()
            self.checks = ()
            self.shown = dict.fromkeys(self.shown)

    def _tensors(self) -> list[Any]:
        """The values as tensors of the graph."""
        return [self._tensor(i, value) for i, value in enumerate(self.values)]

    def _tensor(self, i: int, value: Any) -> Any:
        if value.__class__ is SavedValue:
            return value.tensor(self, self.result_node)
        if i == 0:
            return self._result(value) if self.slice.reads_ans == "value" else value
        owner = self.owners[i] if self.owners else None
        if owner is None:
            return self._unpacked(value) if self.packed else value
        return owner

    def _result(self, value: Any) -> Any:
        """What was saved of the outputs, as other tensors of the same history."""
        if self._outputs == 1:
            return self.wrap(value, self.result_node or self, 0, self._counter())
        outputs = [
            self.wrap(np.asarray(v), self, i, None)
            if isinstance(v, (np.ndarray, np.generic))
            else (v.tensor(self) if isinstance(v, SavedValue) else v)
            for i, v in enumerate(value)
        ]
        return type(value)(*outputs) if hasattr(value, "_fields") else type(value)(outputs)

    def _counter(self) -> Any:
        return next((counter for i, counter, _ in self.all_checks() if i == 0), None)

    def _complete(self, g: Any, graph: bool) -> Any:
        """A cotangent for every output, as the rule expects: zeros for those that got none."""
        full = []
        for given, (shape, dtype) in zip(g, self._meta, strict=True):
            zeros = _zeros(shape, dtype) if given is None else None
            full.append(given if zeros is None else Tensor._of(zeros) if graph else zeros)
        return tuple(full)

    def _flat(self, found: Sequence[Any], graph: bool) -> list[Any]:
        """One cotangent per live edge, where arguments are lists of tensors."""
        out: list[Any] = []
        for g, chosen in zip(found, self.layout, strict=True):
            if chosen is None:
                out.append(g)
                continue
            shape, paths = chosen
            g = g if shape is None else fitted(g, (shape, None), graph)
            out += [None if g is None else functools.reduce(_item, path, g) for path in paths]
        return out

    # ----- saved tensors, as attributes
    def _check(self, i: int, now: int, then: int) -> None:
        if not check_version(now, then, self.owners[i] if i and self.owners else None):
            raise RuntimeError(self._changed(i, now, then))

    def _changed(self, i: int, now: int, then: int) -> str:
        value = self.values[i]
        owner = self.owners[i] if i and self.owners else None
        node, nr = (self, 0) if i == 0 else (getattr(owner, "grad_fn", None), getattr(owner, "_nr", 0))
        first = value[0] if isinstance(value, (tuple, list)) else value
        array = first if isinstance(first, np.ndarray) else np.asarray(getattr(owner, "_array", 0.0))
        return changed_text(array, node, nr, now, then)

    def _places_of_saved(self) -> dict[str, int]:
        """The names of what was saved, and where it is among the values."""
        kinds = (self.slice.reads_ans, *self.slice.reads)
        names = ("" if self.operation.results else "result", *self.operation.saved)
        out = {}
        for i, kind in enumerate(kinds):
            if i < len(names) and names[i] and (kind == "value" or (self.values is None and kind)):
                out[names[i]] = i
        return out

    def __getattr__(self, name: str) -> Any:
        raw = name.startswith("_raw_saved_")
        if not raw and not name.startswith("_saved_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        short = name.removeprefix("_raw_saved_").removeprefix("_saved_")
        options = options_of(self)
        if short in options:
            if not raw:
                return options[short](self)
            if short == "indices":
                return raw_indices(self)
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        found = self._places_of_saved().get(short)
        if found is None and short in self.operation.saved and not raw:
            return None  # an argument that the derivative in use does not read
        if found is None and short in (self.operation.results or ()):
            return self.one_result(self.operation.results.index(short))
        if found is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        if raw:
            kept = () if self.values is None else self.values[found]
            if isinstance(kept, (bool, int, float, complex)) and not self.operation.scalars:
                raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
            return SavedTensor(self, found)
        return self.saved(found)

    def one_result(self, nr: int) -> Any:
        """One of several results, as it was saved."""
        if self.values is None:
            raise RuntimeError(FREED)
        return self._result(self.values[0])[nr]

    def saved(self, i: int) -> Any:
        """What was saved at place ``i``, unpacked and checked."""
        if self.values is None:
            raise RuntimeError(FREED)
        for j, counter, version in self.all_checks():
            if i == j:
                self._check(i, counter[0], version)
        value = self._tensor(i, self.values[i])
        if self.operation.scalars and isinstance(value, (bool, int, float, complex)):
            value = Tensor._of(np.asarray(value))
        return value

    def pack(self, i: int, hooks: tuple[Callable[[Any], Any], Callable[[Any], Any]]) -> None:
        """Pack what was saved at place ``i`` with a pair of hooks."""
        tensor = self.saved(i)
        self.values = list(self.values)
        self.values[i] = SavedValue(tensor, hooks, self)
        self.checks, self.quick = [check for check in self.all_checks() if check[0] != i], False
        self.packed = True

    def __dir__(self) -> list[str]:
        names = {**self._places_of_saved(), **options_of(self)}
        return sorted(
            [*super().__dir__(), *(f"_saved_{n}" for n in names), *(f"_raw_saved_{n}" for n in names)]
        )


class AccumulateGrad(Node):
    """The end of a path: adds what arrives to the ``grad`` of a leaf."""

    def __init__(self, variable: Any) -> None:
        self._number = next_number()
        self.variable = variable
        array = variable._array
        wanted = variable._grad_dtype
        self._meta = array.shape, array.dtype if wanted.__class__ is str else wanted


def _zeros(shape: tuple[int, ...], dtype: Any) -> Any:
    """Zeros to be read; many of them are one in memory, which a rule that looks finds at once."""
    if math.prod(shape) < 1 << 12:
        return np.zeros(shape, dtype)
    return np.broadcast_to(np.zeros((), dtype), shape)


def _nested(places: Any, g: Sequence[Any]) -> Any:
    """What is in a row, by its places, in the lists that these are in."""
    return type(places)(_nested(p, g) for p in places) if isinstance(places, (list, tuple)) else g[places]


def _item(g: Any, i: int) -> Any:
    return None if g is None else g[i]


accumulate_lock = threading.Lock()
_classes: dict[str, type[RuleNode]] = {}


def node_class(name: str) -> type[RuleNode]:
    """The class of nodes with this name."""
    if name not in _classes:
        _classes[name] = type(name, (RuleNode,), {"__module__": "torch.autograd"})
    return _classes[name]
