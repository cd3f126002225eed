"""Which programs stand for functions and classes that are compiled code, or made of introspection?

A program is Python code of plainer operations, with the same result: the compiler reads it in the place of
the original, and a trace runs it. So it needs no rule of its own, and every mode has the derivative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = __name__.rpartition(".")[0] + ".programs"  # whose modules have the programs
_programs: dict[Any, Callable[..., Any]] = {}
# Those of Python's own: the compiler reads them, and traces run the originals.
_read: dict[Any, Callable[..., Any]] = {}
# The methods of ufuncs: programs whose first argument is the ufunc.
UFUNC_METHODS: dict[str, Callable[..., Any]] = {}


def stands_for(*originals: Any) -> Callable[[F], F]:
    """Register a function or a class that is read, or run, in the place of the originals."""

    def enter(program: F) -> F:
        for original in originals:
            assert original not in _programs, f"{original} has two programs"
            _programs[original] = program
        return program

    return enter


def read_for(*originals: Any) -> Callable[[F], F]:
    """Register a function or a class that the compiler reads in the place of the originals."""

    def enter(program: F) -> F:
        for original in originals:
            _read[original] = program
        return program

    return enter


def ufunc_method(program: F) -> F:
    """Register the program of the method of ufuncs that has its name."""
    UFUNC_METHODS[program.__name__] = program
    return program


def program_for(original: Any) -> Callable[..., Any] | None:
    """The program that stands for a callable, or None."""
    try:
        return _programs.get(original) or _read.get(original)
    except TypeError:  # it can't be hashed
        return None


def original_of(program: Any) -> Any:
    """What a program stands for, or None."""
    return next((original for original, one in (_programs | _read).items() if one is program), None)


def programs() -> dict[Any, Callable[..., Any]]:
    """All originals with the programs that traces run in their place."""
    return dict(_programs)


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
