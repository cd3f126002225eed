"""How is a function traced? It runs once on traced arrays; the operations on them are recorded as a graph.

``trace(function, args, kwargs, wrt, writes) -> tuple[Any, TracedPullback]``; see the package for what it
promises. In it, in this order: ``Sharing`` and ``Twice`` look at the arguments, the function runs while
``replaced`` has its names, both check what it did to the arguments, and when the pullback has been made, what
was traced becomes plain (``make_plain``).
"""

from __future__ import annotations

import traceback
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import errors
from ..eager import namespace  # noqa: F401  (what tensors have, to be hidden)
from ..eager.collector import collected_rarely
from ..eager.engine import execute
from ..eager.numpy_protocol import run
from ..eager.recording import twin
from ..eager.state import state
from ..eager.tensor import Tensor
from ..eager.views import edge_of
from ..errors import AdError, UnsupportedError
from ..trees import flatten, noting_changes, register_leaf
from . import (
    array_libraries,  # noqa: F401  (puts other libraries' functions among the replacements)
    operators,  # noqa: F401  (attaches them)
)
from .argument_copies import Copies
from .askers import asked_by
from .births import births
from .compiled_functions import takes_plain_arrays
from .ends import INSIDE, End, Places, ends, lost
from .faces import hide
from .held_numbers import holders
from .identity import given as in_places
from .object_arrays import check_result, made_plain
from .patches import replaced
from .ran_lines import lines_noted
from .records_left import made_plain as records_made_plain
from .replacements import replaced_by
from .shared_arguments import Sharing, Twice
from .solvers import table  # noqa: F401  (puts SciPy's solvers among the replacements)
from .sought import differentiated_by
from .subclass_operators import TracedOperated
from .subclasses import TracedSubclass
from .survivors import make_plain
from .texts import noting
from .traced_array import Traced, TracedNumber, TracedScalar, plain

for _class in (Traced, TracedScalar, TracedNumber, TracedSubclass, TracedOperated):
    register_leaf(_class)
    hide(_class)


def trace(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    wrt: Sequence[int],
    writes: bool = False,
) -> tuple[Any, TracedPullback]:
    """The value of ``function(*args, **kwargs)`` and the pullback to the leaves at ``wrt``; see the package.

    ``writes``: whether it is known that the function writes to one of two arguments that share memory.
    """
    with collected_rarely(), recording(), made_plain(), forgetting(), records_made_plain():
        result, structure, pullback = _traced(function, args, kwargs, wrt, writes)
    return structure.unflatten(result), pullback


def _traced(
    function: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    wrt: Sequence[int],
    writes: bool,
) -> tuple[list[Any], Any, TracedPullback]:
    """The leaves of the value, its structure, and the pullback; what was traced is let go of."""
    leaves, tree = flatten((tuple(args), dict(kwargs)))
    starts: dict[int, Any] = {i: _start(leaves[i]) for i in wrt}
    given = [_entry(starts[i], leaf) if i in starts else _constant(leaf) for i, leaf in enumerate(leaves)]
    sharing = Sharing(leaves, wrt, writes)
    sharing.enter(given)
    call_args, call_kwargs = in_places(tree.unflatten(given), replaced_by)
    twice = Twice((tuple(args), dict(kwargs)), (call_args, call_kwargs))
    with differentiated_by(starts.values(), alone=True), noting_changes() as within:
        value = _run(function, call_args, call_kwargs, (*args, *kwargs.values()))
    sharing.check(function, list(tree.statics()), within)
    twice.check(function, list(tree.statics()), within)
    found, structure = flatten(value)
    for leaf in found:
        check_result(leaf)
    outputs = [twin(t, t._array) if isinstance(t, Tensor) else t for t in found]
    pullback = TracedPullback(outputs, [starts[i] for i in wrt], ends.nodes or {})
    pullback.holders = holders(structure)
    return [plain(leaf) for leaf in found], structure, pullback


# Numba's, Cython's and pybind11's for what they don't take.
OTHER_WORDS = "can't unbox", "No matching signature found", "incompatible function arguments"


def _run(function: Callable[..., Any], args: Any, kwargs: Any, objects: Sequence[Any]) -> Any:
    """The function's result; an error of ours is placed at the user's line, caught or not."""
    before, errors.made.errors = errors.made.errors, list[AdError]()
    made = errors.made.errors
    try:
        try:
            with noting(), replaced(function, objects):
                called = replaced_by(function) or function
                with lines_noted():
                    value = called(*args, **kwargs)
        finally:
            errors.made.errors = before
        gone = next(filter(_swallowed, made), None)
        if gone is not None:
            raise gone.at(place(gone))
        return value
    except AdError as error:
        error.at(place(error))
        raise
    except Exception as error:
        gone = next(filter(_swallowed, made), None)
        if gone is not None:  # the function, NumPy or other compiled code has put another error in its place
            raise gone.at(place(gone) or place(error)) from error
        if not isinstance(error, TypeError):
            raise
        if not any(words in str(error) for words in (Traced.__name__, *OTHER_WORDS)):
            raise
        raise takes_plain_arrays(error, place(error)) from error
    finally:
        made.clear()  # their tracebacks lead here, and to the variables of all callers


def _swallowed(error: AdError) -> bool:
    """Whether the function went on after an error: then its result is not that of the plain function."""
    caught_in = error.__traceback__ and error.__traceback__.tb_frame.f_code.co_filename
    return getattr(error, "final", False) or bool(caught_in and not INSIDE.search(caught_in))


@contextmanager
def forgetting() -> Iterator[list[Any]]:
    """What is traced in the block is plain after it, but for what is put in the list."""
    before, births.made = births.made, []
    outer, ends.nodes, ends.differences = (ends.nodes, ends.differences), {}, set()
    kept: list[Any] = []
    try:
        yield kept
    finally:
        made, births.made, (ends.nodes, ends.differences) = births.made, before, outer
        staying = {id(t) for t in kept}
        for reference in made:
            t = reference()
            if t is not None and id(t) not in staying:
                t.forget()
        t = None
        survivors = [t for t in (reference() for reference in made) if t is not None and id(t) not in staying]
        make_plain(survivors)


@contextmanager
def recording() -> Iterator[None]:
    """Operations are recorded, values are kept as they are now, and a cotangent of 0 stays 0."""
    before = state.grad, state.safe, state.ordinary, state.pack
    state.grad, state.safe, state.ordinary, state.pack = True, True, False, None
    try:
        yield
    finally:
        state.grad, state.safe, state.ordinary, state.pack = before


@dataclass(frozen=True)
class Place:
    """A place in the code that is traced, as errors show it."""

    filename: str
    line: int
    column: int
    end_column: int
    text: str
    function: str


def place(error: BaseException) -> Place | None:
    """The innermost line of the user's own code that an error went through."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not INSIDE.search(f.filename)]
    if not frames:
        return None
    last = frames[-1]
    return Place(
        last.filename, last.lineno or 0, last.colno or 0, last.end_colno or 0, last.line or "", last.name
    )


def _start(leaf: Any) -> Any:
    """A leaf of the graph with the value of an argument; it outlives what is traced around it."""
    if isinstance(leaf, Traced):  # a trace within a trace: the inner one has a graph of its own
        leaf = plain(leaf)
    if isinstance(leaf, (float, complex)) and not isinstance(leaf, np.generic) and has_code(type(leaf)):
        raise UnsupportedError(
            f"the derivative by a {type(leaf).__name__}",
            why="its class has code of its own, which a traced number does not run",
            fix="use float(...) of it",
        )
    made, births.made = births.made, None
    t = Traced._of(leaf.copy("K") if isinstance(leaf, np.ndarray) else leaf)
    births.made = made
    t._requires_grad = True
    return t


def has_code(cls: type) -> bool:
    """Whether a class of numbers has methods in Python, which may say what an operator means."""
    return any(isinstance(m, types.FunctionType) for k in cls.__mro__ for m in vars(k).values())


def _entry(start: Any, leaf: Any) -> Any:
    """What the function gets: a number, or an array of its own that it may write to."""
    if start._scalar:  # another object, for the function may keep it
        entry = Traced._of(plain(leaf))
        (entry._node, entry._nr), entry._requires_grad = edge_of(start), True
        return entry
    entry = run(np.copy, (start,), {})
    entry._array = _own(plain(leaf))
    entry._given = plain(leaf)
    return entry


def _own(array: np.ndarray) -> np.ndarray:
    """A copy with the same strides: whether NumPy makes a view or a copy of it depends on them."""
    if not array.flags.writeable or array.dtype.kind not in "biufc":  # perhaps of one element many times
        copy = array.copy("K")
        copy.flags.writeable = array.flags.writeable
        return copy
    return Copies((array,)).of(array)


def _constant(leaf: Any) -> Any:
    """An argument that is not differentiated: what is written to it may well be."""
    if type(leaf) is np.ndarray and leaf.dtype.kind in "fc":
        entry = Traced._of(_own(leaf))
        entry._given = leaf
        return entry
    return _own(leaf) if type(leaf) is np.ndarray else leaf


class TracedPullback:
    """Maps cotangents of ``outputs`` to those of ``starts``, as often as wanted.

    ``ended``: where derivatives ended on the way, a node of the graph for each line. ``asker``: the
    derivative that it belongs to, if it has several.
    """

    def __init__(
        self,
        outputs: Sequence[Any],
        starts: Sequence[Any],
        ended: Places | None = None,
        asker: Any = None,
    ) -> None:
        self.outputs, self.starts, self.ended = list(outputs), list(starts), ended or {}
        self.asker = object() if asker is None else asker  # no cycle of references

    holders: Sequence[Any] = ()  # the objects in the value that hold numbers of which it knows nothing
    unreached: Sequence[int] = ()  # the positions of starts that got nothing in the last sweep

    def ends_at(self, start: int) -> Iterator[End]:
        """How and where derivatives of what depends on a start ended."""
        return lost(self.ended, self.starts[start])

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        seeds = [None if g is None else Tensor._of(np.asarray(g)) for g in cotangents]
        found = self._sweep(seeds, False)
        self.unreached = [at for at, g in enumerate(found) if g is None]
        return tuple(
            _like(np.zeros_like(s._array) if g is None else g, s)
            for g, s in zip(found, self.starts, strict=True)
        )

    def linearize(
        self, cotangents: Sequence[Any], linear: bool = False
    ) -> tuple[tuple[Any, ...], TracedPullback]:
        """The cotangents of the starts, and their own pullback; ``linear``: which is asked for tangents."""
        seeds = [None if g is None else _start(g) for g in cotangents]
        with recording():
            found = self._sweep(seeds, True, linear)
            results = [
                Tensor._of(np.zeros_like(s._array)) if g is None else g
                for g, s in zip(found, self.starts, strict=True)
            ]
        values = tuple(_like(r._array, s) for r, s in zip(results, self.starts, strict=True))
        # A trace around this one lets go of what was made in it; the pullback may be needed later.
        outputs = [twin(r, r._array) for r in results]
        return values, TracedPullback(outputs, [*self.starts, *(s for s in seeds if s is not None)])

    def _sweep(self, seeds: Sequence[Any], graph: bool, linear: bool = False) -> list[Any]:
        roots = []
        for out, seed in zip(self.outputs, seeds, strict=True):
            if seed is None or not isinstance(out, Tensor):
                continue
            node, nr = edge_of(out)
            if node is not None:
                roots.append((node, nr, _cast(seed, out, graph)))
        if not roots:
            return [None] * len(self.starts)
        edges = [edge_of(start) for start in self.starts]
        with collected_rarely(), asked_by(self.asker, linear):
            captured = execute(roots, True, graph, edges) or {}
        return [captured.get(edge) for edge in edges]


def _cast(seed: Any, out: Any, graph: bool) -> Any:
    if seed._array.dtype == out._array.dtype and seed._array.shape == out._array.shape:
        return seed
    if graph:
        return run(np.broadcast_to, (seed, out._array.shape), {})
    return Tensor._of(np.broadcast_to(seed._array, out._array.shape).astype(out._array.dtype))


def _like(g: Any, start: Any) -> Any:
    array = np.array(g, start._array.dtype.newbyteorder("="))
    return array[()] if start._scalar else array
