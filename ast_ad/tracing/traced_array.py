"""What takes the place of an array while a function is traced? A tensor that behaves like an ndarray.

It has the methods, the types and the promotion of NumPy. What is no float has no history: comparisons,
integers and shapes are plain, so that they may index and branch. Python's numbers fail as Python's do.
"""

from __future__ import annotations

import math
import operator
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..eager.dispatch import apply, inplace, needs_grad, operation, plain_of
from ..eager.numpy_protocol import array_function, run
from ..eager.state import state
from ..eager.tensor import Tensor
from ..rules import helpers
from .asked_numbers import format_of, is_about_set, is_formatting, is_indexing, is_truth, settled
from .births import births, is_followed
from .ends import becomes_integer
from .faces import Face, Missing, makers
from .flat_iterator import Flat
from .hashing import hashing
from .memory import DETACHED, NO_KEY, PLAIN, Memory, as_array, flags_of, imaginary_part, real_part, refused
from .object_arrays import objects_of
from .texts import formatted, written


class Traced(Memory, metaclass=Face):
    """An array whose operations are recorded while NumPy code runs."""

    _scalar = False
    _python: Any = None
    _plays: Any = np.ndarray
    _given: Any = None  # of an argument: the caller's array

    @classmethod
    def _of(cls, value: Any) -> Any:
        kind = value.__class__
        if kind is float or kind is complex:
            return of_array(TracedNumber, np.asarray(value), value)
        if kind is not np.ndarray and isinstance(value, np.ndarray):
            return makers["subclass"](value)
        array = value if kind is np.ndarray else np.asarray(value)
        if array.dtype.kind not in "fc":
            return value
        return of_array(Traced, array) if array is value else of_array(TracedScalar, array, array[()])

    @classmethod
    def _of_number(cls, number: Any) -> Any:
        return cls._of(number)

    def forget(self) -> None:
        """Become a constant: the trace is over, and only an object of the user's holds this array."""
        self._node, self._nr, self._requires_grad, self._view = None, 0, False, None

    # ----- what code asks of an array
    @property
    def __class__(self) -> Any:
        return np.ndarray

    @__class__.setter
    def __class__(self, value: Any) -> None:
        raise TypeError("the class of a traced array can't be changed")

    @property
    def size(self) -> Any:
        return self._array.size

    @property
    def flags(self) -> Any:
        return flags_of(self._array, self._given)

    @property
    def base(self) -> Any:
        owner = self if self._view is None else self._view.base
        if getattr(getattr(owner, "_given", None), "base", None) is not None:
            raise refused(".base of a view that is an argument", "it is memory of the caller's", "do without")
        return None if self._view is None else owner

    @property
    def T(self) -> Any:
        return run(np.transpose, (self,), {})

    @property
    def mT(self) -> Any:
        return run(np.matrix_transpose, (self,), {})

    @property
    def real(self) -> Any:
        return run(np.real, (self,), {}) if self.dtype.kind == "c" else self

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Any:
        return run(np.imag, (self,), {})

    @imag.setter
    def imag(self, value: Any) -> None:
        imaginary_part(self)[...] = value

    @property
    def flat(self) -> Any:
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        Flat(self)[:] = value

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Any]:
        if not self._array.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self._array)))

    def __delitem__(self, index: Any) -> None:
        operator.delitem(self._array, index)  # type: ignore[call-overload]  # NumPy refuses it

    def __getitem__(self, index: Any) -> Any:
        if type(index) is int and self._array.ndim == 1 and not state.grad:
            return Traced._of(self._array[index])
        return apply(operation(operator.getitem), (self, plain_of(settled(index))))

    def __setitem__(self, index: Any, value: Any) -> None:
        self.check_writeable()
        self.require_statement(value, sys._getframe(1))
        by_code = type(getattr(type(value), "__array__", None)) is types.FunctionType
        if by_code and not isinstance(value, Tensor):
            value = value.__array__()  # it may give a traced array
        if not isinstance(value, (Tensor, np.ndarray, int, float, complex, np.generic)):
            value = run(np.array, (value,), {})
        if np.iscomplexobj(plain_of(value)) and self._array.dtype.kind == "f":
            value = real_part(value, self._array.dtype)
        inplace(operation(helpers.setitem), self, plain_of(settled(index)), value)

    def __contains__(self, item: Any) -> bool:
        return bool(np.any(self == item))

    # ----- numbers
    def __float__(self) -> float:
        found, asking = float(self._array), sys._getframe(1)
        if is_followed(self):
            if not is_formatting(asking):
                raise refused("a traced number made a plain one", DETACHED, PLAIN)
            formatted(found, format_of(asking))
        return found

    def __complex__(self) -> complex:
        if is_followed(self):
            raise refused("a traced number made a plain one", DETACHED, PLAIN)
        return complex(self._array)

    def __int__(self) -> int:
        becomes_integer(self)
        return int(plain(self))

    def __index__(self) -> int:
        return operator.index(plain(self))  # raises what it raises for floats

    def __bool__(self) -> bool:
        return bool(self._array)

    def __round__(self, digits: int | None = None) -> Any:
        found = round(plain(self), digits) if digits is not None else round(plain(self))
        return found if digits is None else run(np.round, (self, digits), {})

    def __trunc__(self) -> int:
        return math.trunc(self._array.item())

    def __floor__(self) -> int:
        return math.floor(self._array.item())

    def __ceil__(self) -> int:
        return math.ceil(self._array.item())

    def __hash__(self) -> int:
        raise TypeError("unhashable type: 'numpy.ndarray'")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return as_array(self, dtype, sys._getframe(1))

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return written(self, repr(self._array))

    def __str__(self) -> str:
        return written(self, str(self._array))

    def __format__(self, spec: str) -> str:
        array = self._array[()] if self._array.ndim == 0 else self._array
        return written(self, format(array, spec), spec)

    def item(self, *index: Any) -> Any:
        if index:
            self._array.item(*index)  # what is out of bounds is NumPy's to say
            first = index[0]
            known = first if isinstance(first, tuple) else index if len(index) > 1 else None
            places = np.unravel_index(first, self._array.shape) if known is None else known
            return python_number(self[places])
        if self._array.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return python_number(run(np.ravel, (self,), {})[0])

    def tolist(self) -> Any:
        return [row.tolist() for row in self] if self._array.ndim else python_number(self[()])

    # ----- methods that are no functions of NumPy
    def copy(self, order: str = "C") -> Any:
        return run(np.copy, (self,), {"order": order})

    def __copy__(self) -> Any:
        return run(np.copy, (self,), {})

    def __deepcopy__(self, memo: Any) -> Any:
        return run(np.copy, (self,), {})

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        kind = np.dtype(dtype).kind
        if args or kwargs.get("casting", "unsafe") != "unsafe":
            kwargs |= dict(zip(("order", "casting", "subok", "copy"), args, strict=False))
            self._array.astype(dtype, casting=kwargs.get("casting", "unsafe"))  # perhaps raises
        order = kwargs.get("order", "K")
        if not kwargs.get("copy", True) and self._array.astype(dtype, order, copy=False) is self._array:
            return self
        if kind not in "fc":
            if kind == "O":
                return python_number(self) if self._scalar else objects_of(self, self._array.astype(dtype))
            if kind in "VSU" and needs_grad(self):
                what = "conversion of a traced array to one " + ("with fields" if kind == "V" else "of texts")
                raise refused(what, DETACHED, "use a list")
            if kind in "iu":
                becomes_integer(self)
            return self._array.astype(dtype)[()] if self._scalar else self._array.astype(dtype)
        found = apply(operation(helpers.astype), (self, np.dtype(dtype)))
        return found if found._scalar or order == "K" else found.copy(order)

    def reshape(self, *shape: Any, order: str = "C", copy: Any = None) -> Any:
        given = shape[0] if len(shape) == 1 else shape
        return run(np.reshape, (self, given), {} if order == "C" else {"order": order})

    def transpose(self, *axes: Any) -> Any:
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], (int, np.integer)) else axes or None
        return run(np.transpose, (self, given), {}) if given is not None else run(np.transpose, (self,), {})

    def flatten(self, order: str = "C") -> Any:
        return run(np.ravel, (self.copy(),), {} if order == "C" else {"order": order})

    def fill(self, value: Any, /) -> None:
        np.empty_like(self._array).fill(plain_of(value))  # refuses what is no number
        self[...] = value

    def sort(self, axis: int = -1, **kwargs: Any) -> None:
        operator.index(axis)
        self[...] = run(np.sort, (self, axis), {})

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        array_function(self, np.put, (), (self, indices, values, mode), {})

    def partition(self, kth: Any, axis: int = -1, **kwargs: Any) -> None:
        self[...] = run(np.partition, (self, kth, axis), kwargs)

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **kwargs: Any) -> Any:
        return array_function(self, np.clip, (), (self, min, max), {"out": out, **kwargs})

    def compress(self, condition: Any, axis: Any = None, out: Any = None) -> Any:
        return array_function(self, np.compress, (), (condition, self, axis), {"out": out})

    def conj(self) -> Any:
        return run(np.conjugate, (self,), {}) if self._array.dtype.kind == "c" or self._scalar else self

    conjugate = conj

    @property
    def device(self) -> Any:
        return "cpu"

    def to_device(self, device: Any, /, *, stream: Any = None) -> Any:
        self._array.to_device(device, stream=stream)
        return self

    def setflags(self, *args: Any, **kwargs: Any) -> None:
        self._array.setflags(*args, **kwargs)

    def __array_namespace__(self, *, api_version: Any = None) -> Any:
        from .replacements import replacement, replacements

        return replacement(self._array.__array_namespace__(api_version=api_version), replacements())


class TracedScalar(Traced):
    """A number of NumPy's."""

    _face = Traced
    _scalar = True
    _plays: Any = np.float64

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._array[()])

    @property
    def flags(self) -> Any:
        return self._array[()].flags

    def __getitem__(self, index: Any) -> Any:
        parts = index if type(index) is tuple else (index,)
        if not all(part is None or part is Ellipsis or is_truth(part) for part in parts):
            if not is_indexing(sys._getframe(1)):  # an IndexError would end an iteration
                raise TypeError(f"'numpy.{type(plain(self)).__name__}' object is not iterable")
            raise IndexError("invalid index to scalar variable.")
        return apply(operation(operator.getitem), (self, index)) if parts else self

    def __hash__(self) -> int:
        if needs_grad(self) and not (hashing.by_value or is_about_set(sys._getframe(1))):
            raise refused("the hash of a traced number", "what is found by it is another number", NO_KEY)
        return hash(self._array[()])

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return written(self, repr(self._array[()]))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise Missing(f"'{type(self._python).__name__}' object does not support item assignment")

    def fill(self, value: Any, /) -> None:
        self._python.fill(plain_of(value))  # of an array that NumPy makes for it

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        self._python.put(plain_of(indices), plain_of(values), mode)

    def copy(self, order: str = "C") -> Any:
        return self

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def _value(self) -> Any:
        """The number itself."""
        return self._array[()]

    def is_integer(self) -> bool:
        return bool(self._value().is_integer())

    def as_integer_ratio(self) -> Any:
        if needs_grad(self):
            raise refused("the integer ratio of a traced number", DETACHED, "compute with the number")
        return self._value().as_integer_ratio()

    def hex(self) -> str:
        if needs_grad(self):
            raise refused("the digits of a traced number", DETACHED, "compute with the number")
        return float(self._array).hex()


class TracedNumber(TracedScalar):
    """A float or a complex number of Python's."""

    _face = Traced
    _plays = float

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self._python)

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        return written(self, repr(self._python))

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return written(self, format(self._python, spec), spec)

    def __round__(self, digits: int | None = None) -> Any:
        state.rounded = True
        return round(self._python, digits)

    def __getnewargs__(self) -> Any:
        return (self._python,)

    @property  # type: ignore[misc]
    def real(self) -> Any:
        return python_number(run(np.real, (self,), {})) if self._array.dtype.kind == "c" else self

    @property  # type: ignore[misc]
    def imag(self) -> Any:
        return python_number(run(np.imag, (self,), {}))

    __pos__ = TracedScalar.__copy__

    def conjugate(self) -> Any:
        return python_number(run(np.conjugate, (self,), {})) if self._array.dtype.kind == "c" else self


def of_array(cls: type, array: np.ndarray, number: Any = None) -> Any:
    t: Any = object.__new__(cls)
    put = object.__setattr__  # these names are known to be the class's own
    put(t, "_array", array)
    put(t, "_version_counter", [0])
    if number is not None:
        put(t, "_python", number)
    if births.made is not None:
        births.made.append(weakref.ref(t))
    return t


def plain(value: Any) -> Any:
    """A traced array as an array of NumPy's, a traced number as a number."""
    if not isinstance(value, Tensor):
        return value
    return value._python if isinstance(value, Traced) and value._scalar else value._array


def like(t: Any, array: np.ndarray) -> Any:
    """A new value of the kind of ``t``, an array or a number."""
    if not isinstance(t, Traced):
        return Traced._of(array if array.ndim else array[()])
    if not t._scalar:
        return of_array(Traced, array)
    return of_array(type(t), array, array.item() if isinstance(t, TracedNumber) else array[()])


def point(value: Any, node: Any, nr: int) -> Any:
    """A traced number or array, of this value, that stands at a place of the graph."""
    found = Traced._of(value.copy("K") if type(value) is np.ndarray else value)
    if node is not None:
        found._node, found._nr, found._requires_grad = node, nr, True
    return found


def python_number(t: Any) -> Any:
    """A number of NumPy's as one of Python's."""
    if not isinstance(t, Traced):
        return t.item() if isinstance(t, np.generic) else t
    return run(complex if t._array.dtype.kind == "c" else float, (t,), {})
