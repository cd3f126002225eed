"""What of an array is no matter of its numbers? Its memory, which other code would read and write unseen.

A traced array refuses to show it.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from ..eager.dispatch import apply, needs_grad, operation, plain_of
from ..eager.operations.pieces import reshaped_in_place
from ..eager.table import Operation
from ..eager.tensor import Tensor
from ..errors import InputTypeError, MissingRuleError
from ..rules import helpers
from .asked_numbers import is_asked_for_array, is_storing
from .births import is_followed
from .faces import makers

DETACHED = "the number would leave the trace, and its gradient would silently be lost"
IN_ORDER = "write x[...] = x[rng.permutation(len(x))]"
PLAIN = "write to np.array(a), not to a.copy(), if the array a is none of the function's; leave float() out"
NO_KEY = "use no traced number as a key, and no cache of functions that get one"


_RESHAPE = Operation(np.reshape, "ReshapeBackward0")
_OWN = frozenset(name for name in (*vars(Tensor), *Tensor.__annotations__) if name[0] == "_")

SETTABLE = frozenset("shape dtype strides real imag flat data __class__".split())


def as_array(traced: Any, dtype: Any, frame: Any) -> Any:
    """What ``traced.__array__(dtype)`` gives the code of a frame, or NumPy's that it has called."""
    if not is_followed(traced):
        return np.array(traced._array, dtype=dtype)
    if dtype is None and is_asked_for_array(frame):
        return traced
    raise refused("conversion of a traced array to a plain one", DETACHED, "use functions of NumPy")


class Memory(Tensor):
    """What traced arrays have in common with others that are made of bytes."""

    def check_writeable(self) -> None:
        """Raise what NumPy raises where an array can't be written to."""
        if not self._array.flags.writeable:
            raise ValueError("assignment destination is read-only")

    def require_statement(self, value: Any, asking: Any) -> None:
        """Refuse a row of this array that compiled code puts into another place of it.

        So ``shuffle`` exchanges the rows of what is no array of NumPy's. It takes them for values, but they
        show what is overwritten by then. In the user's own statements they do, too, as NumPy's would.
        """
        shown = isinstance(value, Tensor) and value._array.ndim > 0 and value._view is not None
        if shown and np.may_share_memory(self._array, value._array) and not is_storing(asking):
            what = "a row of a traced array stored by compiled code"
            raise refused(what, "the row shows what is overwritten by then", IN_ORDER)

    def __setattr__(self, name: str, value: Any) -> None:
        """Numbers and arrays take no further attributes, and code may find out by that what it has."""
        if name not in _OWN and name not in SETTABLE:
            if not sys._getframe(1).f_globals.get("__name__", "").startswith("ast_ad."):
                raise AttributeError(f"'{self.__class__.__name__}' object has no attribute '{name}'")
        object.__setattr__(self, name, value)

    @property
    def shape(self) -> Any:
        return self._array.shape

    @shape.setter
    def shape(self, value: Any) -> None:
        """The same numbers in another shape; views that were made before keep theirs."""
        seen = self._array[...]
        seen.shape = value  # what does not fit, and what can't be done without a copy, is NumPy's to say
        reshaped_in_place(_RESHAPE, self, seen, seen.shape)

    @property
    def dtype(self) -> Any:
        return self._array.dtype

    @dtype.setter
    def dtype(self, value: Any) -> None:
        raise refused("assignment to .dtype", "it reads the bytes of the numbers", "use .astype")

    @property
    def strides(self) -> Any:
        return self._array.strides

    @strides.setter
    def strides(self, value: Any) -> None:
        raise refused("assignment to .strides", "it changes an array that may have views", "use np.reshape")

    def tobytes(self, order: Any = "C") -> bytes:
        if needs_grad(self):
            raise refused("the bytes of a traced array", DETACHED, "use the numbers")
        return self._array.tobytes(order)

    def __reduce_ex__(self, protocol: Any) -> Any:
        if needs_grad(self):
            raise refused("pickling a traced array", DETACHED, "pickle what is not differentiated")
        return self._array[()].__reduce_ex__(protocol)

    @property
    def __array_priority__(self) -> Any:  # type: ignore[override]
        return plain_of(self).__array_priority__

    @property  # type: ignore[misc]
    def data(self) -> Any:
        return self.__getattr__("data")

    def __getattr__(self, name: str) -> Any:
        """What an array has, and this has not: its memory, for code that is not NumPy's."""
        getattr(plain_of(self), name)  # raises NumPy's own error
        if name not in ("__array_interface__", "__array_struct__"):
            raise refused(f".{name} of a traced array", DETACHED, "use functions of NumPy")
        as_array(self, self._array.dtype, None)  # perhaps refused
        raise AttributeError(name)  # NumPy asks for it, and takes the copy

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        given = shape[0] if len(shape) == 1 else shape
        if given is None or given == ():
            return
        lengths = np.empty(given, bool).shape  # what are no lengths is NumPy's to say
        if math.prod(lengths) != self._array.size or not _is_one_piece(self._array):
            raise refused(".resize() to another size", "the array gets other memory", "use np.resize")
        self.shape = lengths

    def view(self, *args: Any, **kwargs: Any) -> Any:
        kind = args[-1] if args else kwargs.get("type", kwargs.get("dtype", np.ndarray))
        if len(args) + len(kwargs) < 2 and kind is np.ndarray:
            return self[...]  # type: ignore[index]
        if isinstance(kind, type) and issubclass(kind, np.ndarray) and len(args) + len(kwargs) < 2:
            return makers["view"](self, kind)
        raise refused(".view(dtype)", "it reads the bytes of the numbers", "use .astype")


def _is_one_piece(array: np.ndarray) -> bool:
    """Whether the numbers lie one after the other by rows, as ``resize`` reads them."""
    return array.flags.c_contiguous


def flags_of(array: np.ndarray, given: np.ndarray | None) -> Any:
    """The flags of an array, which may stand for one of the caller's and lie as that does."""
    told = ["shape", "strides", "dtype"]
    same = given is not None and all(getattr(given, name) == getattr(array, name) for name in told)
    if given is None or not same or given.flags.writeable != array.flags.writeable:
        return array.flags
    return CopiedFlags(array.flags, given.flags)


class CopiedFlags:
    """The flags of a copy, as those of the array that it stands for; what is set is set of the copy."""

    __slots__ = "_own", "_told"

    def __init__(self, own: Any, told: Any) -> None:
        object.__setattr__(self, "_own", own)
        object.__setattr__(self, "_told", told)

    def _of(self, name: str) -> Any:
        return self._own if name.lower() in ("writeable", "w") else self._told

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of(name), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._own, name, value)

    def __getitem__(self, name: str) -> Any:
        return self._of(name)[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._own[name] = value

    def __eq__(self, other: object) -> bool:
        return bool(self._told == (other._told if isinstance(other, CopiedFlags) else other))

    def __hash__(self) -> int:
        return hash(self._told)

    def __repr__(self) -> str:
        return repr(self._told)


def refused(what: str, why: str, fix: str) -> MissingRuleError:
    error = MissingRuleError(what, why=why, fix=fix)
    error.final = True  # type: ignore[attr-defined]  # code that is not Python's may swallow it
    return error


def complex_write(what: str) -> InputTypeError:
    return InputTypeError(what, why="NumPy refuses it too", fix="make the array complex")


def imaginary_part(array: Any) -> Any:
    """What is written where an array's imaginary part is set."""
    if array.dtype.kind != "c" and array._python is None:  # a number has none to set
        raise TypeError("array does not have imaginary part to set")
    return array.imag


def real_part(value: Any, dtype: Any) -> Any:
    """What an array of floats takes of a complex value: NumPy warns, and drops the rest."""
    if not isinstance(value, Tensor):
        return value
    if not np.ndim(plain_of(value)):
        raise InputTypeError(
            "a complex value is written to a real array",
            why="NumPy refuses it too, if the number is Python's",
            fix="store .real, or make the array complex",
        )
    return apply(operation(helpers.astype), (value, dtype))
