"""Does a value have the type that the compiler believes it to have?

``Facts`` of one run: symbolic lengths get their values where they are first seen, and have to keep them. A
length that belongs to the turn of a loop is forgotten with the turn.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from ...compiler.ir.ops import UNKNOWN, Var
from ...compiler.ir.types import EACH, Array, DictOf, Dim, ListOf, Optional, Scalar, TupleOf, Type, rank_of

ENDS = 16  # how many elements are looked at at both ends of a list that is four times as long, or longer
EARLY = 4  # the first turns of a loop that are looked at; later ones where their number is a power of two
LOOKED = frozenset([*range(1, EARLY + 1), *(1 << n for n in range(62))])  # the numbers of these turns
ORDER = {"bool": 0, "int": 1, "float": 2, "complex": 3}  # a lower number passes for a higher one
ORDER_OF = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
KINDS = {bool: 0, int: 1, float: 2, complex: 3}
Casting = Literal["safe", "same_kind"]


def unlooked(turn: int, more: int) -> bool:
    """Whether none of the turns that follow one is looked at.

    >>> [unlooked(5, 2), unlooked(5, 3), unlooked(8, 7), unlooked(2, 1), unlooked(4, 0)]
    [True, False, True, False, True]
    """
    return turn >= EARLY and (turn + more).bit_length() == turn.bit_length()


class Broken(Exception):
    """A value is not what the compiler believed. ``var``: which value it is of the program's."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.var: Var | None = None


class Facts:
    """The lengths that were seen in one run: of the whole run, and of the turn of each enclosing loop."""

    def __init__(self) -> None:
        self.scopes: list[dict[Any, int]] = [{}]
        self.turns: tuple[Any, ...] = ()  # of the enclosing loops, outermost first: (loop, turn)
        self.looked = 0  # blocks that were looked at
        self.adjoint = self.optional = False
        self.inner = 0  # in how many lists the value is that is looked at
        self.casting: Casting = "safe"

    # ----- blocks
    def block(self, turns: tuple[Any, ...]) -> None:
        """A block is looked at, in these turns of the enclosing loops; those of others are forgotten."""
        same = 0
        for one, other in zip(turns, self.turns, strict=False):
            if one != other:
                break
            same += 1
        self.scopes[same + 1 :] = ({} for _ in turns[same:])
        self.turns = turns
        self.looked += 1

    def check(self, believed: Sequence[tuple[Var, bool, bool, Casting]], values: Sequence[Any]) -> None:
        """Compare values with the types of their variables.

        Args:
            believed: the variables; whether each is a cotangent, for which a number may stand that is
                the same for all elements; whether it may have no value; which dtypes pass for its own.
            values: what they hold.

        Raises:
            Broken: one differs.
        """
        for (var, self.adjoint, self.optional, self.casting), value in zip(believed, values, strict=True):
            try:
                self.value(var.type, value)
                if var.known is not UNKNOWN:
                    self.known(var.known, value)
                if var.cotangent_of is not None:
                    self.cotangent(var.cotangent_of, value)
            except Broken as problem:
                problem.var = var
                raise

    # ----- values
    def value(self, type: Type, value: Any) -> None:
        if self.optional and (value is None or self.adjoint and value.__class__ in KINDS and not value):
            return  # what has no value has no cotangent, or zero
        if isinstance(type, Scalar):
            self.scalar(type, value)
        elif isinstance(type, Array):
            self.array(type, value)
        elif isinstance(type, ListOf):
            self.list(type, value)
        elif isinstance(type, DictOf):
            if not isinstance(value, dict):
                raise Broken(f"{told(value)}, believed to be a dict")
            self.list(ListOf(type.element), [*value.values()])
        elif isinstance(type, TupleOf):
            if not isinstance(value, (tuple, list)) or len(value) != len(type.items):
                raise Broken(f"{told(value)}, believed to be a tuple of {len(type.items)}")
            for inner, item in zip(type.items, value, strict=True):
                self.value(inner, item)
        elif isinstance(type, Optional) and value is not None:
            self.value(type.value, value)

    def scalar(self, type: Scalar, value: Any) -> None:
        if self.adjoint and _is_cotangent(type, value):
            return
        if not _is_number(type, value, self.casting):
            raise Broken(f"{told(value)}, believed to be {type}")
        if isinstance(type.size, Dim):  # what rests on it is a length of an array, and is compared there
            with contextlib.suppress(Broken):
                self.length(type.size, int(value), exact=True)

    def array(self, type: Array, value: Any) -> None:
        if self.adjoint and value.__class__ in KINDS:
            return
        if type.shape is None:
            if value.__class__ not in KINDS and not np.can_cast(
                np.result_type(value), type.dtype, self.casting
            ):
                raise Broken(f"{told(value)}, believed to be of dtype {type.dtype}")
            if type.either and np.ndim(value) not in {rank_of(one) for one in type.either}:
                raise Broken(f"{told(value)}, believed to be {' or '.join(sorted(map(str, type.either)))}")
            return
        if not isinstance(value, np.ndarray):
            fits = isinstance(value, np.generic) and np.can_cast(value.dtype, type.dtype, self.casting)
            if type.shape or not fits:
                raise Broken(f"{told(value)}, believed to be an array {_shape(type)} of {type.dtype}")
            return
        # paths may differ in it
        fits = value.dtype == type.dtype or np.can_cast(value.dtype, type.dtype, self.casting)
        if not fits or value.ndim != len(type.shape):
            raise Broken(f"{told(value)}, believed to be an array {_shape(type)} of {type.dtype}")
        for dim, n in zip(type.shape, value.shape, strict=True):
            self.length(dim, n)

    def list(self, type: ListOf, value: Any) -> None:
        if not isinstance(value, (list, tuple)):
            raise Broken(f"{told(value)}, believed to be a list")
        ends = max(
            ENDS >> 2 * self.inner, 1
        )  # what is in a list was a value of its own before, and looked at
        items = value if len(value) <= 4 * ends else [*value[:ends], *value[-ends:]]
        scopes = self.scopes
        self.inner += 1
        try:
            for item in items:
                self.scopes = [scopes[0], {}]  # elements come from other turns than this one
                self.value(type.element, item)
        finally:
            self.inner -= 1
            self.scopes = scopes

    def known(self, expected: Any, value: Any) -> None:
        if isinstance(expected, (bool, int, float, complex, str)) and not _same(expected, value):
            raise Broken(f"{value!r}, believed to be {expected!r}")

    # ----- lengths
    def find(self, atom: Any) -> int | None:
        for scope in reversed(self.scopes):
            if atom in scope:
                known: int = scope[atom]
                return known
        return None

    def length(self, dim: Dim | int, n: int, exact: bool = False) -> None:
        """Compare a length; the first sight of a symbol defines it."""
        if not isinstance(dim, Dim):
            if dim != n:
                raise Broken(f"a length of {n}, believed to be {dim}")
            return
        if dim == EACH:  # of rows and columns, too: they need not be equal
            return
        if dim.not_one and n == 1 and not exact:
            raise Broken("a length of 1, believed to be another")
        if n < dim.least and not exact:
            raise Broken(f"a length of {n}, believed to be at least {dim.least}")
        total, unknown = dim.const, None
        for atom, coefficient in dim.terms:
            known = self.find(atom)
            if known is not None:
                total += coefficient * known
            elif unknown is not None:
                return  # two that are not known: nothing can be said
            else:
                unknown = atom, coefficient
        if unknown is not None:
            atom, coefficient = unknown
            if (n - total) % coefficient == 0 and (n > 0 or exact or not dim.const):
                self.scopes[-1][atom] = (n - total) // coefficient
        elif total != n and (exact or max(total, 0) != n):
            raise Broken(f"a length of {n}, believed to be {dim} = {total}")

    def cotangent(self, primal: Type, value: Any) -> None:
        """A cotangent has the shape of its value, or none: then it is the same for all elements."""
        ndim = np.ndim(value) if isinstance(value, (np.ndarray, np.generic, float, complex, int)) else 0
        if not ndim:
            return
        if isinstance(primal, Scalar):
            raise Broken(f"a cotangent of shape {np.shape(value)}, of a number")
        if isinstance(primal, Array) and primal.shape is not None:
            if ndim != len(primal.shape):
                raise Broken(f"a cotangent of shape {np.shape(value)}, of an array {_shape(primal)}")
            for dim, n in zip(primal.shape, np.shape(value), strict=True):
                self.length(dim, n)


def _is_cotangent(type: Scalar, value: Any) -> bool:
    """Whether it may be a number's cotangent: a zero of whatever kind, and NumPy's numbers for Python's."""
    if value.__class__ in KINDS:
        return True
    return isinstance(value, np.generic) and (value.dtype.kind in "biuf" or type.kind == "complex")


def _is_number(type: Scalar, value: Any, casting: Casting) -> bool:
    """Whether it is a number of the type, or one of Python's that converts to it without loss."""
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        kind = next((KINDS[cls] for cls in value.__class__.__mro__ if cls in KINDS), None)
        return kind is not None and kind <= ORDER[type.kind]
    if np.ndim(value):
        return False
    if type.dtype is not None:
        return bool(np.can_cast(dtype, type.dtype, casting))
    return ORDER_OF.get(dtype.kind, 9) <= ORDER[type.kind]


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def _shape(type: Array) -> str:
    return "(" + ", ".join(map(str, type.shape or ())) + ")"


def told(value: Any) -> str:
    """A value in an error's words."""
    if isinstance(value, np.ndarray):
        return f"an array {value.shape} of {value.dtype}"
    if value is None:
        return "None"
    return f"a {type(value).__name__}"
