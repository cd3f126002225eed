"""Which lengths has the result of a call, by the definition of the function?

``shape_of`` tells them as terms of the arguments' lengths and of integers. Functions without an entry are
*regular*, if they have a derivative rule: whatever the lengths are, each length of the result is one of an
argument, or a constant. Those that are neither are listed; nothing is known of the lengths of their results.
The test of all rules' samples (``tests/rules/test_lengths.py``) holds each function to it.
"""

from __future__ import annotations

import enum
import inspect
import itertools
import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from ....rules import containers
from ....rules.registry import lookup
from ...ir.alternatives import common
from ...ir.dims import count
from ...ir.ops import UNKNOWN, Arg, Lit, Seq, Var, atoms, variables
from ...ir.spans import stretched
from ...ir.types import EACH, Array, Dim, ListOf, Scalar, TupleOf, Type, dtype_of, type_of
from ..values import Callee
from .dummies import InferenceError, atoms_of, int_size, is_int, list_length

Int = Dim | int
Shape = tuple[Int | None, ...]
Told: TypeAlias = "Shape | OneOf | list[Told]"

RULES: dict[Any, Callable[..., Any]] = {}
# Python integers that these return are lengths.
COUNTS: set[Any] = {len, containers.list_len, np.size, np.ndim}
BY_VALUE: set[Any] = set()  # what the arguments hold decides how long the results are
COMPUTED: set[Any] = set()  # lengths that are computed, of which there is no entry
COMPUTED_IN: set[str] = set()  # modules of such functions


class Untold(Exception):
    """Of this call no lengths are known."""


class OneOf(tuple["Shape | Number", ...]):
    """Shapes of which a result has one: how many axes it has hangs on what is not known yet."""


class Number(enum.Enum):
    """What stands among shapes for one of NumPy's numbers, which is no array without axes."""

    NUMBER = enum.auto()


NUMBER = Number.NUMBER


MOST_OPEN = 3  # axes of which it is not known whether they are dropped


def shape_of(*fns: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register what tells the result's lengths: a function of the call's arguments (Args of the IR).

    It returns a tuple of lengths (None: not known), or a list of such for several results. Lengths that it
    does not know, and calls that it does not cover (``Untold``, or parameters that it lacks), are unknown.
    """

    def decorate(told: Callee) -> Callable[..., Any]:
        signature = inspect.signature(told)
        RULES.update(dict.fromkeys(fns, (told, signature)))
        return told

    return decorate


def told_lengths(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> Told | None:
    """The lengths of the results as the table tells them; None if it has no entry."""
    from . import shapes_computed, shapes_created, shapes_joined  # noqa: F401  fill the table

    entry: Any = RULES.get(_key(fn))
    if entry is None:
        return None
    told, signature = entry
    options = {k: v for k, v in kwargs.items() if k not in NEUTRAL or k in signature.parameters}
    try:
        bound = signature.bind(*args, **options)
        return told(*bound.args, **bound.kwargs)
    except (TypeError, ValueError, Untold, IndexError, ZeroDivisionError):  # of no fitting arguments
        return []


def _key(fn: Callee) -> Any:
    """What a function goes by in the tables: those of SciPy by their names, as it may not be imported."""
    if (getattr(fn, "__module__", None) or "").startswith("scipy."):
        place = fn.__qualname__ if isinstance(fn, types.MethodType) else fn.__name__
        return f"{fn.__module__.split('._')[0]}.{place}"
    try:
        hash(fn)
    except TypeError:
        return None
    return fn


NEUTRAL = {"dtype", "order", "like", "where", "initial", "casting", "out", "copy", "device"}


def with_lengths(found: object, told: Told) -> Any:
    """The type with the lengths that are told; the others are unknown."""
    if isinstance(found, (tuple, list)):
        parts = told if isinstance(told, list) and len(told) == len(found) else [[] for _ in found]
        items = [with_lengths(t, p) for t, p in zip(found, parts, strict=True)]
        return type(found)(*items) if hasattr(found, "_fields") else type(found)(items)
    if isinstance(told, OneOf) and isinstance(found, (Array, Scalar)):
        dtype = np.dtype(dtype_of(found))
        return common([type_of(dtype.type(0)) if s is NUMBER else _array(dtype, s) for s in told])
    if not isinstance(found, Array) or found.shape is None:
        return found
    return _array(found.dtype, told if _is_shape(told, len(found.shape)) else (None,) * len(found.shape))


def _is_shape(told: Told, rank: int) -> TypeGuard[Shape]:
    return isinstance(told, tuple) and len(told) == rank


def _array(dtype: np.dtype, shape: Shape) -> Array:
    return Array(dtype, tuple(Dim.fresh() if n is None else n for n in shape))


def is_regular(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> bool:
    """Whether the lengths of the result are lengths of arguments or constants."""
    key = _key(fn)
    if key is None or key in BY_VALUE or key in RULES or _selects(fn, args):
        return False
    if key in COMPUTED or getattr(fn, "__module__", None) in COMPUTED_IN:
        return not atoms_of(args, kwargs)  # it is run with the very lengths
    given = list(variables(*args, *kwargs.values()))
    if not given:  # it was run on its very arguments
        return True
    if any(is_int(v) and v.known is UNKNOWN for v in given) and fn not in COUNTS:
        return False
    return lookup(fn) is not None or fn in COUNTS


def _selects(fn: Callee, args: tuple[Arg, ...]) -> bool:
    """Whether booleans select items: how many they are depends on what they hold."""
    if fn is not operator.getitem:
        return False
    parts = list(atoms(args[1]))
    if any(isinstance(a, Var) and isinstance(a.type, Scalar) and a.type.kind == "bool" for a in parts):
        return True
    held = [a.type if isinstance(a, Var) else type_of(getattr(a, "value", None)) for a in parts]
    return any(isinstance(t, Array) and t.kind == "bool" for t in held)


# ----- reading arguments
def dims(arg: Arg) -> tuple[Int, ...]:
    """The shape of an array or of what is taken for one."""
    if isinstance(arg, Var):
        return _dims_of(arg.type, arg)
    if isinstance(arg, Lit):
        try:
            return tuple(np.shape(arg.value))
        except ValueError:
            raise Untold from None
    if isinstance(arg, Seq):
        inner = [dims(item) for item in arg.items]
        if any(len(d) != len(inner[0]) for d in inner):
            raise Untold
        rest = [
            next((n for n in lengths if isinstance(n, int)), lengths[0])
            for lengths in zip(*inner, strict=True)
        ]
        return (len(inner), *rest)
    raise Untold


def _dims_of(type: Type, arg: Arg | None) -> tuple[Int, ...]:
    if isinstance(type, Scalar):
        return ()
    if isinstance(type, Array) and type.shape is not None:
        return type.shape
    if isinstance(type, TupleOf):
        return (len(type.items), *(_dims_of(type.items[0], None) if type.items else ()))
    if isinstance(type, ListOf):
        count = list_length(arg) if isinstance(arg, Var) else Dim.fresh()
        # What differs from element to element is the same for all of those that make one array.
        return count, *[Dim.fresh() if n == EACH else n for n in _dims_of(type.element, None)]
    raise Untold


def certain_dims(arg: Arg) -> tuple[Int, ...]:
    """The shape of an argument on whose lengths it hangs how many axes the result has.

    Raises
    ------
    InferenceError
        if it is not known: a trial on made-up arguments would tell one of several ranks.
    """
    try:
        return dims(arg)
    except Untold:
        raise InferenceError("the lengths are not known that decide how many axes there are") from None


def number(arg: Arg) -> Int:
    """An integer argument."""
    if isinstance(arg, Lit) and (type(arg.value) is int or isinstance(arg.value, np.integer)):
        return int(arg.value)
    if isinstance(arg, Var) and is_int(arg):
        found = int_size(arg)
        if isinstance(found, (int, Dim)):
            return found
    raise Untold


def static(arg: Arg) -> Any:
    """An argument that has to be known: an axis, a mode."""
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Var) and arg.known is not UNKNOWN:
        return arg.known
    if isinstance(arg, Seq):
        return arg.kind(static(item) for item in arg.items)
    raise Untold


def shape_argument(arg: Arg) -> Shape:
    """What ``np.ones`` takes: a number or several."""
    if isinstance(arg, Seq):
        return tuple(map(number, arg.items))
    if isinstance(arg, Lit) and isinstance(arg.value, (tuple, list)):
        return tuple(arg.value)
    if isinstance(arg, Var) and isinstance(arg.type, TupleOf):
        sizes = [t.size if isinstance(t, Scalar) else None for t in arg.type.items]
        return tuple(sizes)
    return (number(arg),)


def position(axis: object, rank: int) -> int:
    if type(axis) is not int or not -rank <= axis < rank:
        raise Untold
    return axis % rank


def replaced(shape: Sequence[Any], axis: int, *lengths: Int | None) -> Shape:
    """The shape with another length, several or none along an axis."""
    return (*shape[:axis], *lengths, *shape[axis + 1 :])


def one_of(lengths: Sequence[Int]) -> Int:
    """A length that several have to share."""
    return next((n for n in lengths if isinstance(n, int)), lengths[0])


def size(arg: Arg) -> Int:
    return count(dims(arg))


def only_ones(n: Int, what: str) -> bool:
    """Whether a length is 1; the rank of a result depends on it."""
    if n == 1:
        return True
    if isinstance(n, Dim) and not n.not_one:
        raise InferenceError(f"whether {what} has length 1 is not known")
    return False


def without_ones(shape: tuple[Int, ...]) -> Shape | OneOf:
    """The shape without the axes of length 1, or each that this may be."""
    kept = [() if n == 1 else (n,) if isinstance(n, int) or n.not_one else None for n in shape]
    if kept.count(None) > MOST_OPEN:
        raise InferenceError("whether axes have length 1 is not known")
    each = [((), (n,)) if k is None else (k,) for k, n in zip(kept, shape, strict=True)]
    shapes = [sum(parts, ()) for parts in itertools.product(*each)]
    return shapes[0] if len(shapes) == 1 else OneOf(shapes)


def broadcast(*shapes: tuple[Int, ...]) -> tuple[Int, ...]:
    rank = max(map(len, shapes), default=0)
    return tuple(stretched(*[s[axis] for s in shapes if len(s) >= -axis]) for axis in range(-rank, 0))


def at_least(shape: tuple[Int, ...], rank: int) -> tuple[Int, ...]:
    return (1,) * (rank - len(shape)) + shape


def is_none(arg: Arg) -> bool:
    return isinstance(arg, Lit) and arg.value is None


def is_integer(arg: Arg) -> bool:
    if isinstance(arg, Lit):
        return isinstance(arg.value, (int, np.integer)) and not isinstance(arg.value, bool)
    return isinstance(arg, Var) and is_int(arg)


NONE = Lit(None)
