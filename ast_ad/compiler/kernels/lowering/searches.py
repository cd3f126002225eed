"""What becomes of searches in sorted arrays, of interpolation between nodes, and of histograms?

Loops that call a function for each number: which one is searched for, and where.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ir.ops import Arg, Block, If, Lit, Op, Seq, Var
from ...ir.types import Array, Dim, Scalar, Type
from ..nests.affine_indices import Index
from ..nests.body import Body, element_type
from ..numbers import counts, sorted_places
from ..numbers.scalars import NoForm, argument_type
from .forms import form_of, require_equal
from .loop_values import Memory, Value
from .masks import places

if TYPE_CHECKING:
    from ..nests.scalarize import Scalarizer

_PLACES: dict[Any, Any] = {"left": sorted_places.place_before, "right": sorted_places.place_behind}
Placed = Callable[[Body, Arg], Arg]


def _vector(s: Scalarizer, arg: Arg, dtypes: str = "d") -> Memory:
    """A vector in memory, where the searches read it."""
    value = s.array(arg) if isinstance(arg, Var) and isinstance(arg.type, Array) else None
    if value is None or value.rank != 1 or value.type.dtype.char not in dtypes:
        raise NoForm("a search in other than a vector of floats")
    if isinstance(value, Memory):
        return value
    memory = s.allocate(value.type, value.lengths)
    s.fill(memory, value)
    return memory


def each(s: Scalarizer, op: Op, x: Arg, placed: Placed) -> None:
    """What is found for a number, or for each element of an array."""
    value = s.arg(x)
    if not isinstance(value, Value):
        s.flush()
        s.env[op.out] = placed(s.body, s.number(x))
        return
    if not isinstance(op.out.type, Array) or value.type.dtype.char not in "fd":
        raise NoForm("a search for other than floats")
    result = s.allocate(op.out.type, value.lengths, op.out.hint, op.out)
    s.flush()

    def emit(body: Body, place: tuple[Index, ...]) -> None:
        found = placed(body, value.element(body, place))
        body.store(result.var, result.group, place, found)

    s.over(value, emit)
    s.flush()  # what is searched is read as it is now
    s.bind(op.out, result)


def called(s: Scalarizer, fn: Any, *args: Arg, out: Type) -> Placed:
    """The call of a search for each number; ``args``: arrays and ends, behind the number."""

    def placed(body: Body, x: Arg) -> Arg:
        found = Var(element_type(out))
        body.append(Op(fn, (x, *args), (found,), effect=True))
        return found

    return placed


@form_of(np.searchsorted)
def _searchsorted(s: Scalarizer, op: Op) -> None:
    side: Any = op.args[2] if len(op.args) > 2 else op.kwargs.get("side", Lit("left"))
    if len(op.args) > 3 or op.kwargs.keys() - {"side"} or not isinstance(side, Lit):
        raise NoForm("a search with options")
    nodes = _vector(s, op.args[0], "fd")
    each(s, op, op.args[1], called(s, _PLACES[side.value], nodes.var, out=op.out.type))


@form_of(np.digitize)
def _digitize(s: Scalarizer, op: Op) -> None:
    """A search in bins that ascend: NumPy answers for others, with a number or an error."""
    right: Any = op.args[2] if len(op.args) > 2 else op.kwargs.get("right", Lit(False))
    if not isinstance(right, Lit) or type(right.value) is not bool:
        raise NoForm("bins whose side is known at run time only")
    bins = _vector(s, op.args[1], "fd")
    s.flush()
    s.body.append(Op(sorted_places.require_ascending, (bins.var,), (), effect=True))
    fn = _PLACES["left" if right.value else "right"]
    each(s, op, op.args[0], called(s, fn, bins.var, out=op.out.type))


@form_of(np.flatnonzero)
def _flatnonzero(s: Scalarizer, op: Op) -> None:
    shape = op.out.type.shape if isinstance(op.out.type, Array) else None
    s.env[op.out] = places(s, s.array(op.args[0]), (shape or (Dim.fresh(),))[0])


@form_of(np.interp)
def _interp(s: Scalarizer, op: Op) -> None:
    names: dict[str, Arg] = dict(zip(("x", "xp", "fp", "left", "right", "period"), op.args, strict=False))
    names |= op.kwargs
    ends = [names.get(side, Lit(None)) for side in ("left", "right")]
    given = [not isinstance(end, Lit) or end.value is not None for end in ends]
    period = names.get("period", Lit(None))
    if not isinstance(period, Lit) or period.value is not None:
        raise NoForm("interpolation with a period")
    if element_type(op.out.type).dtype != np.float64:
        raise NoForm("interpolation of other than doubles")
    xp, fp = _vector(s, names["xp"]), _vector(s, names["fp"])
    require_equal(s, xp.lengths[0], fp.lengths[0])
    fn = _WITHIN[given[0], given[1]]
    beyond = [s.number(end) for end, is_given in zip(ends, given, strict=True) if is_given]
    each(s, op, names["x"], called(s, fn, xp.var, fp.var, *beyond, out=op.out.type))


_WITHIN: dict[Any, Any] = {
    (True, True): sorted_places.interpolated,
    (True, False): sorted_places.interpolated_from,
    (False, True): sorted_places.interpolated_to,
    (False, False): sorted_places.interpolated_within,
}


_BINS: dict[bool, Any] = {True: counts.equal_bin, False: counts.any_bin}


@form_of(np.histogram)
def _histogram(s: Scalarizer, op: Op) -> None:
    """Counts, or sums of weights, between edges that are made or given."""
    names: dict[str, Arg] = dict(zip(("a", "bins", "range", "density", "weights"), op.args, strict=False))
    names |= op.kwargs
    given = {name: arg for name, arg in names.items() if not isinstance(arg, Lit) or arg.value is not None}
    values, number = s.array(given["a"]), op.outs[0].type
    if given.keys() - {"a", "bins", "range", "weights"} or values.type.dtype != np.float64:
        raise NoForm("a histogram, called like this")
    weights = s.array(given["weights"]) if "weights" in given else None
    if weights is not None and (weights.type.dtype != np.float64 or weights.rank != values.rank):
        raise NoForm("a histogram with weights of another kind")
    for n, m in zip(values.lengths, weights.lengths if weights is not None else (), strict=False):
        require_equal(s, n, m)
    equal, edges = _edges(s, op, given, values)
    assert isinstance(number, Array)
    last = s.body.number(Index.of(edges.lengths[0]).plus(Index(None, 0, -1)))
    result = s.allocate(number, (last,), op.outs[0].hint, op.outs[0])
    zero, one = (0, 1) if number.kind == "int" else (0.0, 1.0)
    s.fill(result, Lit(zero))
    s.flush()
    placed = called(s, _BINS[equal], edges.var, out=Scalar("int"))

    def emit(body: Body, place: tuple[Index, ...]) -> None:
        which = placed(body, values.element(body, place))
        then = body.inner()
        more = weights.element(then, place) if weights is not None else Lit(one)
        then.store(result.var, result.group, (Index.of(which),), more, "a")
        inside = body.op(operator.ge, which, Lit(0), type=Scalar("bool"))
        body.append(If(inside, Block(then.ops, ()), Block([], ()), ()))
        body.forget(result.group)

    s.over(values, emit, scatters=True)
    s.flush()
    s.bind(op.outs[0], result)
    s.bind(op.outs[1], edges)


def _edges(s: Scalarizer, op: Op, given: dict[str, Arg], values: Value) -> tuple[bool, Memory]:
    """The edges of bins, and whether these have one width."""
    bins, type = s.arg(given.get("bins", Lit(10))), op.outs[1].type
    if isinstance(bins, Value):
        edges = _vector(s, given["bins"])
        s.flush()
        s.body.append(Op(counts.require_edges, (edges.var,), (), effect=True))
        return False, edges
    ends = s.arg(given["range"]) if "range" in given else None
    if isinstance(ends, Lit) and isinstance(ends.value, tuple):
        ends = Seq(tuple(map(Lit, ends.value)))
    whole = argument_type(bins) if not isinstance(bins, Seq) else None
    if not isinstance(ends, Seq) or len(ends.items) != 2 or not isinstance(type, Array) or not type.shape:
        raise NoForm("a histogram between the least and the largest number")
    if not isinstance(whole, Scalar) or whole.kind != "int":
        raise NoForm("a histogram with a rule for its bins")
    one_more = s.body.number(Index.of(bins).plus(Index(None, 0, 1)))
    edges = s.allocate(type, (one_more,), op.outs[1].hint, op.outs[1])
    low, high = map(s.number, ends.items)
    s.flush()
    s.body.append(Op(counts.equal_edges, (low, high, edges.var), (), effect=True))
    s.body.forget_elements()
    return True, edges
