"""What do operators and methods do with traced values? What NumPy or, with its own numbers, Python does."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..eager.dispatch import apply, inplace, needs_grad, operation, plain_of
from ..eager.numpy_protocol import array_function, array_ufunc, run, zero_of
from ..eager.state import state
from ..eager.tensor import Tensor
from ..homes import home_of
from ..rules import helpers
from ..rules.other_operands import LOWEST, UFUNCS, has_ufunc, is_converted, is_left_to
from .births import births
from .creation import has_traced
from .ends import compared, counted, subtracted
from .memory import DETACHED, PLAIN, complex_write, refused
from .rebound import is_rebound
from .traced_array import Traced, TracedNumber, TracedScalar

VALUES = Tensor, np.ndarray, int, float, complex, np.generic
COMPARISONS = "lt", "le", "gt", "ge", "eq", "ne"
SIMPLE = frozenset((Traced, TracedScalar, TracedNumber, np.ndarray, np.float64, float, int))


def unrecorded(function: Callable[..., Any], *args: Any) -> Any:
    """What an operator or a ufunc makes of simple values where nothing is recorded: no view, no history.

    Functions that solvers call compute so, a thousand times.
    """
    found = function(*map(plain_of, args))
    if type(found) is tuple:
        return tuple(map(Traced._of, found))
    return found if type(found) in (bool, np.bool_) else Traced._of(found)


def _ufunc(self: Traced, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if not state.grad and method == "__call__" and not kwargs and SIMPLE.issuperset(map(type, inputs)):
        return unrecorded(ufunc, *inputs)
    out = kwargs.get("out")
    if out is not None:
        references = sys.getrefcount(out[0])
        if len(out) == 1 and is_rebound(sys._getframe(1), out[0], references):
            kwargs["out"] = (Traced._of(out[0].copy("K")),)
        _refuse_plain(kwargs["out"])
    return array_ufunc(self, ufunc, method, *inputs, **kwargs)


def _function(self: Traced, fn: Any, types: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    _refuse_plain(kwargs.get("dst", args and args[0]) if fn is np.copyto else kwargs.get("out"))
    return array_function(self, fn, types, args, kwargs)


def _refuse_plain(targets: Any) -> None:
    """What a solver's points lead to is followed; in an array from outside nobody could find it."""
    plain_ones = (t for t in (targets if type(targets) is tuple else (targets,)) if type(t) is np.ndarray)
    if births.unknown and state.tracing and any(t.dtype.kind in "fc" for t in plain_ones):
        raise refused("a traced value written to a plain array", DETACHED, PLAIN)


setattr(Traced, "__array_ufunc__", _ufunc)  # noqa: B010
setattr(Traced, "__array_function__", _function)  # noqa: B010


def _binary(name: str, function: Callable[..., Any]) -> None:
    def forward(self: Traced, other: Any) -> Any:
        if not state.grad and type(other) in SIMPLE:
            return unrecorded(function, self, other)
        if issubclass(type(other), VALUES):  # a masked array plays one of NumPy's
            if name in COMPARISONS:
                compared(self, other, name in ("eq", "ne"))
            found = _computed(function, self, other)
            if name == "sub":
                subtracted(self, other, found)
            return found
        return _with_others(function, self, other)

    def reflected(self: Traced, other: Any) -> Any:
        if not state.grad and type(other) in SIMPLE:
            return unrecorded(function, other, self)
        if issubclass(type(other), VALUES):  # a masked array plays one of NumPy's
            found = _computed(function, other, self)
            if name == "sub":
                subtracted(self, other, found)
            return found
        return _with_others(function, other, self)

    def in_place(self: Traced, other: Any) -> Any:
        if self._scalar:
            return forward(self, other)
        self.check_writeable()
        if (
            not issubclass(type(other), VALUES)
            and hasattr(type(other), "__array_ufunc__")
            and not _plays(other)
        ):
            return UFUNCS[function](self, other, out=(self,))
        result = forward(self, other)
        if result is NotImplemented:
            return result
        if np.iscomplexobj(plain_of(result)) and self._array.dtype.kind == "f":
            raise complex_write(f"the complex result of `{name}` is written to a real array")
        if (
            np.ndim(plain_of(result)) > self._array.ndim
        ):  # an item may have more axes than where it is written
            np.positive(plain_of(result), out=np.copy(self._array))
        inplace(operation(helpers.setitem), self, Ellipsis, result)
        return self

    setattr(Traced, f"__{name}__", forward)
    if name not in COMPARISONS:
        setattr(Traced, f"__r{name}__", reflected)
        setattr(Traced, f"__i{name}__", in_place)


def _is_python(value: Any) -> bool:
    """Whether it is a number of Python's, traced or not."""
    return value.__class__ in (float, int, complex, bool)


def _computed(function: Callable[..., Any], a: Any, b: Any) -> Any:
    """What an operator makes of two operands. To Python the root of a negative number is complex."""
    if function is operator.pow and _is_python(a) and _is_python(b) and not isinstance(plain_of(a), complex):
        if plain_of(a) < 0.0 and isinstance(plain_of(a) ** plain_of(b), complex):
            a = run(complex, (a,), {}) if isinstance(a, Tensor) else complex(a)
    if function is operator.truediv and type(b) in (int, float) and b == 0 and not _is_python(a):
        b = zero_of(a, b)
    return apply(operation(function), (a, b))


def _with_others(function: Callable[..., Any], a: Any, b: Any) -> Any:
    """What an operator makes of a traced value and one that is none, nor a number or an array.

    Whether it can make anything is known to plain values, but for objects of other classes than Python's own.
    """
    other = b if isinstance(a, Tensor) else a
    if home_of(type(other)) != "builtins":
        return _with_object(function, a, b)
    found = function(plain_of(a), plain_of(b))
    parts = found if isinstance(found, tuple) else (found,)
    if not any(isinstance(part, (np.ndarray, np.generic)) and part.dtype.kind in "fcO" for part in parts):
        return found
    return _computed(function, _as_array(a), _as_array(b))


def _with_object(function: Callable[..., Any], a: Any, b: Any) -> Any:
    """What an operator makes of a traced value and an object: what NumPy would make of an array's."""
    mine, other = (a, b) if isinstance(a, Tensor) else (b, a)
    if _is_python(mine) or _plays(other):
        return NotImplemented
    if other is b and is_left_to(other, LOWEST if mine._scalar else 0.0):
        return NotImplemented
    if has_ufunc(type(other)):
        return UFUNCS[function](a, b)
    if other is a:
        return NotImplemented
    if not is_converted(type(other)):
        return _each(function, a, b)
    array = other.__array__() if hasattr(type(other), "__array__") else _as_array(other)
    if plain_of(array).dtype.kind not in "biufc":
        raise refused(
            "an operator of a traced array and this object", "NumPy makes objects of it", "convert it"
        )
    return _computed(function, a, array)


def _plays(value: Any) -> bool:
    """Whether an object is an array by its own word: Python asks it first, as it asks subclasses."""
    return issubclass(value.__class__, np.ndarray)


def _each(function: Callable[..., Any], array: Any, other: Any) -> Any:
    """What an operator makes of each element, a number of Python's, and an object."""
    number = complex if array.dtype.kind == "c" else float
    found = [function(run(number, (array[i],), {}), other) for i in np.ndindex(*array.shape)]
    if array.shape == ():
        return found[0]
    if all(issubclass(type(one), VALUES) for one in found):
        return run(np.array, (found,), {}).reshape(array.shape) if found else np.empty(array.shape)
    made = np.empty(len(found), object)
    made[:] = found
    return made.reshape(array.shape)


def _as_array(value: Any) -> Any:
    if isinstance(value, Tensor):
        return value
    return run(np.array, (value,), {}) if has_traced(value) else np.array(value)


for _name in "add sub mul truediv pow floordiv mod matmul divmod lt le gt ge eq ne".split():
    _binary(_name, divmod if _name == "divmod" else getattr(operator, _name))


OPERATORS_OF_BITS: dict[str, Callable[..., Any]] = {
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "lshift": operator.lshift,
    "rshift": operator.rshift,
}


def _bitwise(name: str) -> None:
    function = OPERATORS_OF_BITS[name]

    def forward(self: Traced, other: Any) -> Any:
        if issubclass(type(other), VALUES):
            return function(plain_of(self), plain_of(other))
        return _with_others(function, self, other)

    def reflected(self: Traced, other: Any) -> Any:
        if issubclass(type(other), VALUES):
            return function(plain_of(other), plain_of(self))
        return _with_others(function, other, self)

    setattr(Traced, f"__{name}__", forward)
    setattr(Traced, f"__r{name}__", reflected)
    setattr(Traced, f"__i{name}__", getattr(Traced, f"__{name}__"))


for _name in OPERATORS_OF_BITS:
    _bitwise(_name)
setattr(Traced, "__invert__", lambda self: operator.invert(plain_of(self)))  # noqa: B010


def _unary(name: str) -> None:
    def call(self: Traced) -> Any:
        function = getattr(operator, name)
        return apply(operation(function), (self,)) if state.grad else unrecorded(function, self)

    setattr(Traced, f"__{name}__", call)


for _name in ("neg", "pos", "abs"):
    _unary(_name)


def _method(name: str, fn: Callable[..., Any]) -> None:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        return array_function(self, fn, (), (self, *args), kwargs)

    setattr(Traced, name, method)


for _name in (
    "sum prod mean std var max min argmax argmin argsort cumsum cumprod any all dot squeeze swapaxes "
    "take trace diagonal ravel nonzero round searchsorted choose "
    "argpartition"
).split():
    if hasattr(np, _name):
        _method(_name, getattr(np, _name))


def _repeat(self: Traced, repeats: Any, *args: Any, **kwargs: Any) -> Any:
    return array_function(self, np.repeat, (), (self, counted(repeats), *args), kwargs)


setattr(Traced, "repeat", _repeat)  # noqa: B010


def _bytewise(name: str) -> None:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        if needs_grad(self):
            raise refused(f".{name}() of a traced array", DETACHED, "use the numbers")
        return getattr(self._array, name)(*args, **kwargs)

    setattr(Traced, name, method)


for _name in "byteswap dump dumps tofile getfield setfield".split():
    _bytewise(_name)
