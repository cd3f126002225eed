"""Which programs stand for functions and classes that are compiled code, or made of introspection?

A program is Python code of plainer operations, with the same result: the compiler reads it in the place of
the original, and a trace runs it. So it needs no rule of its own, and every mode has the derivative.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .registry import load_optional

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = __name__.rpartition(".")[0] + ".programs"  # whose modules find replacements while traces run


@dataclass(frozen=True, eq=False)
class Standing:
    """A function, a method or a class, and the program that is read in its place.

    ``traced``: a trace runs the program, too, where it reaches something traced by the arguments; and
    ``also`` where this says so of them. Otherwise it runs the original. ``copies``: what the original makes
    shares no memory with what it is given, so that a trace may run it where nothing given is differentiated.
    """

    original: Any
    program: Callable[..., Any]
    traced: bool
    also: Callable[..., bool] | bool
    copies: bool = False


_standing: dict[Any, Standing] = {}


def stands_for(
    *originals: Any,
    traced: bool = True,
    also: Callable[..., bool] | bool = False,
    copies: bool = False,
) -> Callable[[F], F]:
    """Register a function or a class that is read, or run, in the place of the originals.

    Unlike the rule of a composite it may take objects, read their attributes and, as ``__init__``, set them.
    """

    def enter(program: F) -> F:
        for original in originals:
            assert original not in _standing, f"{original} has two programs"
            _standing[original] = Standing(original, program, traced, also, copies)
        return program

    return enter


def stands_always_for(*originals: Any) -> Callable[[F], F]:
    """The same of what is never the original's in a trace: its objects may get what is traced later."""
    return stands_for(*originals, also=True)


def read_for(*originals: Any) -> Callable[[F], F]:
    """The same of what takes traced values as it is: only the compiler reads the program."""
    return stands_for(*originals, traced=False)


def program_for(original: Any) -> Callable[..., Any] | None:
    """The program that stands for a callable, or None."""
    original = getattr(original, "__dict__", {}).get("in_place_of", original)  # what a trace has there
    try:
        standing = _standing.get(original)
    except TypeError:  # it can't be hashed
        return None
    if standing is not None:
        return standing.program
    return program_for(original) if load_optional() else None


def program_of_method(method: object) -> Callable[..., Any] | None:
    """The program of a method of compiled code, bound to an object: a function of that and the rest."""
    if not isinstance(method, types.BuiltinMethodType):
        return None
    of_class = getattr(type(method.__self__), method.__name__, None)
    return program_for(of_class) if isinstance(of_class, types.MethodDescriptorType) else None


def of_ufuncs(method: str) -> Callable[..., Any]:
    """The program of a method of ufuncs, which takes the ufunc first."""
    return _standing[getattr(np.ufunc, method)].program


def original_of(program: Any) -> Any:
    """What a program stands for, or None."""
    return next((one.original for one in _standing.values() if one.program is program), None)


def traced_programs() -> list[Standing]:
    """All that traces run in the place of something."""
    load_optional()
    return [standing for standing in _standing.values() if standing.traced]


def in_index_order(arrays: Sequence[Any]) -> bool:
    """Whether arrays lie in memory so that NumPy meets their elements in the order of their indices.

    One array that lies row by row is enough, unless it is stretched to the shape of the others.

    >>> a = np.zeros((2, 3))
    >>> in_index_order([a]), in_index_order([a.T]), in_index_order([a[0, ::-1]])
    (True, False, False)
    """
    shape = np.broadcast_shapes(*[a.shape for a in arrays])
    if any(a.shape == shape and a.flags.c_contiguous for a in arrays):
        return True
    steps = [[s for s, n in zip(a.strides, a.shape, strict=True) if n > 1] for a in arrays]
    return all(s == sorted(s, reverse=True) and min(s, default=0) >= 0 for s in steps)


def is_made_on_demand(iterable: Any) -> bool:
    """Whether code of the user's runs for each item when it is asked for: it must not be asked too early.

    >>> is_made_on_demand([1, 2]), is_made_on_demand(zip([1], [2])), is_made_on_demand(map(abs, [1]))
    (False, False, True)
    """
    return isinstance(iterable, (map, filter, types.GeneratorType))


def is_read() -> bool:
    """Whether a program is read by the compiler, and not run."""
    return False


def subscripts_of(labels: Sequence[Sequence[Any]], result: Sequence[Any] | None) -> str:
    """The subscripts of ``np.einsum`` as text, from lists of labels: ints, and an ellipsis.

    >>> subscripts_of([[0, 1], [1, ...]], [0, ...])
    'AB,B...->A...'
    """
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"  # in their order, as NumPy's own

    def text(part: Sequence[Any]) -> str:
        return "".join("..." if label is Ellipsis else letters[int(label)] for label in part)

    return ",".join(map(text, labels)) + ("" if result is None else "->" + text(result))
