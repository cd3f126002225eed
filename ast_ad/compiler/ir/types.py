"""Which types have IR values? Numbers, arrays with symbolic dimensions, and containers of them.

Types steer specialisation: they say which derivative rule branch applies, where a broadcast has to be
summed back, and which values can carry a derivative at all. They are facts that hold for every call with
the same signature; emitted code stays dynamic Python and never converts a value to fit a type.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from .dims import Dim as Dim, differs_from_one as differs_from_one, symbols

KINDS = "bool", "int", "float", "complex"
CLASSES: dict[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}  # Python's own


Among = frozenset[Any]  # of Scalars, and dtypes for arrays


@dataclass(frozen=True, eq=False)
class Scalar:
    """A number. ``dtype`` is None for Python's own; ``size`` is an int's value where it is a length.

    Where paths differ in it, ``among`` has the types of which it has one; ``kind`` and ``dtype`` hold all.
    """

    kind: str
    dtype: np.dtype | None = None
    size: Dim | int | None = field(default=None, compare=False)
    among: Among = field(default=frozenset(), repr=False)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scalar):
            return NotImplemented
        if self.kind != other.kind or self.among != other.among:
            return False
        if self.dtype is None or other.dtype is None:  # to NumPy, None is float64
            return self.dtype is other.dtype
        return self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.kind, self.dtype, self.among))

    def __str__(self) -> str:
        return self.kind if self.dtype is None else self.dtype.name


@dataclass(frozen=True)
class Array:
    """An ndarray; ``shape`` is None where the rank depends on the path taken (0-d or a number included).

    ``among`` has the dtypes of which it has one (and the numbers that it may be instead), where paths differ.
    ``either`` has the numbers and arrays of which it is one, if that is known where ``shape`` is None.
    """

    dtype: np.dtype
    shape: tuple[Dim | int, ...] | None
    among: Among = field(default=frozenset(), repr=False)
    either: Among = field(default=frozenset(), repr=False)

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
    """A list whose length is known at run time only.

    Its elements share one type, but for lengths that are EACH.
    """

    element: Type

    def __str__(self) -> str:
        return f"list[{self.element}]"


@dataclass(frozen=True)
class DictOf:
    """A dict whose keys are known at run time only. Keys share a type, or are ``ANY_KEY``; values share one.

    Its cotangent is a dict, too; a key that it lacks has the cotangent zero.
    """

    key: Type
    element: Type

    def __str__(self) -> str:
        return f"dict[{self.key}, {self.element}]"


@dataclass(frozen=True)
class TupleOf:
    """A tuple of fixed length: what a loop saves at each iteration, or a function returns."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Reference(TupleOf):
    """A reference to an array: the number of a place, one of ``places``, and where the array is there.

    The front end gives the numbers; behind it, it is a tuple of ints as any other.
    """

    places: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return f"&{sorted(self.places)}"


@dataclass(frozen=True)
class Record(TupleOf):
    """A named tuple, a dict or an object as an element of a list: what its keys or attributes hold.

    ``names``: these; None of a named tuple. Behind the front end it is a tuple as any other.
    """

    cls: type = tuple
    names: tuple[Any, ...] | None = None

    def __str__(self) -> str:
        return f"{self.cls.__name__}{TupleOf.__str__(self)}"


STANDING = Reference, Record  # tuples that stand for something else


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


NONE = Opaque("None")
NOTHING = Opaque("nothing")  # the type of the elements of a list that has none yet
Type = Scalar | Array | ListOf | DictOf | TupleOf | Optional | Opaque
KIND_OF = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}


# A length that each element of a list has for itself.
EACH = Dim.symbol(("each",), least=0)


def places_in(type: Type | None) -> frozenset[int]:
    """The places to which references in a value of the type lead."""
    if isinstance(type, Reference):
        return type.places
    if isinstance(type, TupleOf):
        return frozenset[int]().union(*map(places_in, type.items))
    if isinstance(type, (ListOf, DictOf)):
        return places_in(type.element)
    return places_in(type.value) if isinstance(type, Optional) else frozenset()


def has_references(type: Type | None) -> bool:
    """Whether values of the type are, or hold, references to arrays."""
    return bool(places_in(type))


def has_one_kind(type: Type) -> bool:
    """Whether values of the type, and what they hold, are never None and have one number of axes.

    >>> import numpy as np
    >>> has_one_kind(ListOf(Scalar("float"))), has_one_kind(ListOf(Array(np.dtype("d"), None)))
    (True, False)
    """
    if isinstance(type, TupleOf):
        return all(map(has_one_kind, type.items))
    if isinstance(type, (ListOf, DictOf)):
        return has_one_kind(type.element)
    return not isinstance(type, Optional) and (not isinstance(type, Array) or type.shape is not None)


def without_places(type: Type) -> Type:
    """The type with tuples of ints for references."""
    if isinstance(type, TupleOf):
        return TupleOf(tuple(map(without_places, type.items)))
    if isinstance(type, ListOf):
        return ListOf(without_places(type.element))
    if isinstance(type, DictOf):
        return DictOf(type.key, without_places(type.element))
    return Optional(without_places(type.value)) if isinstance(type, Optional) else type


def list_of(element: Type) -> ListOf:
    """The type of a list that holds such values at one time or another.

    A length that is no function of the arguments may be another one for each element.
    """

    def common(dim: Dim | int) -> Dim | int:
        return dim if isinstance(dim, int) or of_arguments(dim) else EACH

    return ListOf(_with_dims(element, common))


def dict_of(key: Type, element: Type) -> DictOf:
    """The type of a dict that holds such keys and values at one time or another."""
    return DictOf(_with_dims(key, lambda dim: dim), list_of(element).element)


ANY_KEY = Opaque("key")
"""The type of the keys of a dict that has some of several types: nothing more is known of one of them."""


def element_of(type: ListOf | DictOf) -> Type:
    """The type of one element that is read."""
    return _with_dims(type.element, lambda dim: Dim.fresh() if dim == EACH else dim)


def of_arguments(dim: Dim) -> bool:
    """Whether a length depends on arguments only."""
    return all(isinstance(a.key, tuple) and a.key[0] in ("arg", "outside") for a in symbols(dim))


def _with_dims(type: Type, change: Callable[[Dim | int], Dim | int]) -> Type:
    if isinstance(type, Array) and type.shape is not None:
        return replace(type, shape=tuple(map(change, type.shape)))
    if isinstance(type, TupleOf):
        return replace(type, items=tuple([_with_dims(t, change) for t in type.items]))
    if isinstance(type, Optional):
        return Optional(_with_dims(type.value, change))
    if isinstance(type, Scalar):
        return replace(type, size=None)
    return type


def kind_of(type: Type) -> str:
    """'bool', 'int', 'float', 'complex', or 'other' for what is no number or array of numbers."""
    if isinstance(type, Optional):
        return kind_of(type.value)
    return type.kind if isinstance(type, (Scalar, Array)) else "other"


def carries_derivative(type: Type) -> bool:
    """Whether values of the type have a tangent space: floats, complex numbers and containers of them."""
    if isinstance(type, Optional):
        return carries_derivative(type.value)
    if isinstance(type, (ListOf, DictOf)):
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
        return type.dtype or np.dtype(CLASSES[type.kind])
    return None


def is_single(dtype: np.dtype) -> bool:
    """Whether it is less precise than Python's own numbers, which become its own in arithmetic.

    >>> is_single(np.dtype("float32")), is_single(np.dtype("complex128"))
    (True, False)
    """
    return bool(np.result_type(dtype, np.float64) != dtype)


def computed_alike(a: Type, b: Type) -> bool:
    """Whether kernels compute with values of the types in the same way: Python's floats are NumPy's doubles.

    >>> computed_alike(Scalar("float"), Scalar("float", np.dtype(float))), Scalar("float") == type_of(np.pi)
    (True, True)
    >>> computed_alike(Scalar("int"), Scalar("int", np.dtype(int)))  # Python's can't overflow
    False
    """
    if isinstance(a, Scalar) and isinstance(b, Scalar) and a.kind in ("float", "complex"):
        return a.kind == b.kind and dtype_of(a) == dtype_of(b)
    return a == b


def rank_of(type: Type) -> int | None:
    """The number of dimensions: 0 for numbers, None where unknown or meaningless."""
    if isinstance(type, Optional):
        return rank_of(type.value)
    return 0 if isinstance(type, Scalar) else type.ndim if isinstance(type, Array) else None


def type_of_shape(type: Array) -> TupleOf:
    """The type of the shape of an array whose rank is known."""
    assert type.shape is not None
    return TupleOf(tuple(Scalar("int", None, length) for length in type.shape))


def is_none(type: Type) -> bool:
    """Whether None is the only value of the type."""
    return type == NONE


def is_strange(value: object) -> bool:
    """Whether operators mean something else on an array or a number than on others: its class has its own.

    Masked arrays, matrices and other subclasses; numbers of a class with code in Python.
    """
    cls = type(value)
    if isinstance(value, np.ndarray):
        return cls not in (np.ndarray, np.memmap)
    if not issubclass(cls, (int, float, complex)) or issubclass(cls, (np.generic, enum.Enum)):
        return False
    return any(isinstance(m, types.FunctionType) for k in cls.__mro__ for m in vars(k).values())


def type_of(value: object) -> Type:
    """The type of a run-time value, its lengths as constants (used by the checker and for literals)."""
    if value is None:
        return NONE
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
