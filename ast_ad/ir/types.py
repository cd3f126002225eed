"""Which types have IR values? Numbers, arrays with symbolic dimensions, and containers of them.

Types steer specialisation: they say which derivative rule branch applies, where a broadcast has to be
summed back, and which values can carry a derivative at all. They are facts that hold for every call with
the same signature; emitted code stays dynamic Python and never converts a value to fit a type.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

import numpy as np

KINDS = "bool", "int", "float", "complex"
_fresh = itertools.count()


@dataclass(frozen=True, eq=False)
class Dim:
    """A symbolic array length: an affine form ``const + sum(coefficient * atom)``.

    An atom is any hashable key; equal keys denote equal lengths. ``not_one`` marks a length that is
    known to differ from 1 (an argument's, whose ones are part of the signature), ``least`` one that it is
    known to reach.

    >>> n = Dim.symbol("n")
    >>> (n - 1) + 1 == n, n - n
    (True, 0)
    """

    terms: tuple[tuple[object, int], ...]
    const: int = 0
    not_one: bool = False
    least: int = 0

    def __post_init__(self) -> None:
        # kept: an atom may hold further lengths, ever deeper
        object.__setattr__(self, "_hash", hash((self.terms, self.const)))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined, no-any-return]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            isinstance(other, Dim)
            and hash(self) == hash(other)
            and (self.terms, self.const) == (other.terms, other.const)
        )

    @staticmethod
    def symbol(key: object, not_one: bool = False, least: int = 0) -> Dim:
        return Dim(((key, 1),), 0, not_one, least)

    @staticmethod
    def fresh() -> Dim:
        """A length about which nothing is known."""
        return Dim.symbol(("fresh", next(_fresh)))

    def __add__(self, other: Dim | int) -> Dim | int:
        return _affine(self, other, 1)

    __radd__ = __add__

    def __sub__(self, other: Dim | int) -> Dim | int:
        return _affine(self, other, -1)

    def __rsub__(self, other: int) -> Dim | int:
        return _affine(self * -1, other, 1)

    def __mul__(self, factor: int) -> Dim | int:
        if factor == 0:
            return 0
        return Dim(tuple((a, c * factor) for a, c in self.terms), self.const * factor)

    __rmul__ = __mul__

    def __str__(self) -> str:
        parts = [f"{'' if c == 1 else c}{a if isinstance(a, str) else '?'}" for a, c in self.terms]
        return "+".join(parts + ([str(self.const)] if self.const else []))


def _affine(a: Dim | int, b: Dim | int, sign: int) -> Dim | int:
    terms: dict[object, int] = dict(a.terms) if isinstance(a, Dim) else {}
    const = a.const if isinstance(a, Dim) else a
    if isinstance(b, Dim):
        for atom, coefficient in b.terms:
            terms[atom] = terms.get(atom, 0) + sign * coefficient
        const += sign * b.const
    else:
        const += sign * b
    left = tuple(sorted(((t, c) for t, c in terms.items() if c), key=repr))
    return Dim(left, const) if left else const


def differs_from_one(dim: Dim | int) -> bool:
    return dim != 1 if isinstance(dim, int) else dim.not_one


@dataclass(frozen=True)
class Scalar:
    """A number. ``dtype`` is None for Python's own; ``size`` is an int's value where it is a length."""

    kind: str
    dtype: np.dtype | None = None
    size: Dim | int | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return self.kind if self.dtype is None else self.dtype.name


@dataclass(frozen=True)
class Array:
    """An ndarray; ``shape`` is None where the rank depends on the path taken (0-d or a number included)."""

    dtype: np.dtype
    shape: tuple[Dim | int, ...] | None

    @property
    def ndim(self) -> int | None:
        return None if self.shape is None else len(self.shape)

    @property
    def kind(self) -> str:
        return KIND_OF.get(self.dtype.kind, "other")

    def __str__(self) -> str:
        shape = "..." if self.shape is None else ",".join(map(str, self.shape))
        return f"{self.dtype.name}[{shape}]"


@dataclass(frozen=True)
class ListOf:
    """A list whose length is known at run time only; its elements share one type."""

    element: Type

    def __str__(self) -> str:
        return f"list[{self.element}]"


@dataclass(frozen=True)
class TupleOf:
    """A tuple of fixed length: what a loop saves at each iteration, or a function returns."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Optional:
    """None, or a value of the given type, by the path taken."""

    value: Type

    def __str__(self) -> str:
        return f"{self.value}?"


@dataclass(frozen=True)
class Opaque:
    """Any other Python object; it carries no derivative."""

    name: str = "object"

    def __str__(self) -> str:
        return self.name


Type = Scalar | Array | ListOf | TupleOf | Optional | Opaque
KIND_OF = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


def kind_of(type: Type) -> str:
    """'bool', 'int', 'float', 'complex', or 'other' for what is no number or array of numbers."""
    if isinstance(type, Optional):
        return kind_of(type.value)
    return type.kind if isinstance(type, (Scalar, Array)) else "other"


def carries_derivative(type: Type) -> bool:
    """Whether values of the type have a tangent space: floats, complex numbers and containers of them."""
    if isinstance(type, ListOf):
        return carries_derivative(type.element)
    if isinstance(type, TupleOf):
        return any(map(carries_derivative, type.items))
    return kind_of(type) in ("float", "complex")


def dtype_of(type: Type) -> np.dtype | None:
    """The NumPy dtype that values of the type have or convert to; None for containers and objects."""
    if isinstance(type, Optional):
        return dtype_of(type.value)
    if isinstance(type, Array):
        return type.dtype
    if isinstance(type, Scalar):
        return type.dtype or np.dtype(
            {"bool": bool, "int": int, "float": float, "complex": complex}[type.kind]
        )
    return None


def rank_of(type: Type) -> int | None:
    """The number of dimensions: 0 for numbers, None where unknown or meaningless."""
    if isinstance(type, Optional):
        return rank_of(type.value)
    return 0 if isinstance(type, Scalar) else type.ndim if isinstance(type, Array) else None


def type_of(value: object) -> Type:
    """The type of a run-time value, its lengths as constants (used by the checker and for literals)."""
    if value is None:
        return Opaque("None")
    if isinstance(value, bool):
        return Scalar("bool")
    if isinstance(value, int):
        return Scalar("int", None, value)
    if isinstance(value, np.generic) and value.dtype.kind in KIND_OF:  # before float: np.float64 is one
        return Scalar(KIND_OF[value.dtype.kind], value.dtype)
    if isinstance(value, float):
        return Scalar("float")
    if isinstance(value, complex):
        return Scalar("complex")
    if isinstance(value, np.ndarray):
        return Array(value.dtype, value.shape)
    if isinstance(value, tuple):
        return TupleOf(tuple(map(type_of, value)))
    if isinstance(value, list) and value:
        return ListOf(type_of(value[0]))
    return Opaque(type(value).__name__)
