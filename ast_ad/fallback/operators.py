"""What do operators and methods do with traced values? What NumPy or, with its own numbers, Python does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import apply, inplace, needs_grad, operation, plain_of
from ..eager.numpy_protocol import array_function, run, zero_of
from ..eager.tensor import Tensor
from ..rules import helpers
from .traced import DETACHED, Traced, complex_write, refused


def _binary(name: str, function: Callable[..., Any]) -> None:
    def forward(self: Traced, other: Any) -> Any:
        if not isinstance(other, (Tensor, np.ndarray, int, float, complex, np.generic, list, tuple)):
            return NotImplemented
        return _computed(function, self, _operand(other))

    def reflected(self: Traced, other: Any) -> Any:
        if not isinstance(other, (Tensor, np.ndarray, int, float, complex, np.generic, list, tuple)):
            return NotImplemented
        return _computed(function, _operand(other), self)

    def in_place(self: Traced, other: Any) -> Any:
        if self._scalar:
            return forward(self, other)
        self.check_writeable()
        result = _computed(function, self, _operand(other))
        if np.iscomplexobj(plain_of(result)) and self._array.dtype.kind == "f":
            raise complex_write(f"the complex result of `{name}` is written to a real array")
        inplace(operation(helpers.setitem), self, Ellipsis, result)
        return self

    setattr(Traced, f"__{name}__", forward)
    if name not in ("lt", "le", "gt", "ge", "eq", "ne"):
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


def _operand(other: Any) -> Any:
    return run(np.array, (other,), {}) if isinstance(other, (list, tuple)) else other


for _name in "add sub mul truediv pow floordiv mod matmul divmod lt le gt ge eq ne".split():
    _binary(_name, divmod if _name == "divmod" else getattr(operator, _name))


def _unary(name: str) -> None:
    def call(self: Traced) -> Any:
        return apply(operation(getattr(operator, name)), (self,))

    setattr(Traced, f"__{name}__", call)


for _name in ("neg", "pos", "abs"):
    _unary(_name)


def _method(name: str, fn: Callable[..., Any]) -> None:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        return array_function(self, fn, (), (self, *args), kwargs)

    setattr(Traced, name, method)


for _name in (
    "sum prod mean std var max min argmax argmin argsort cumsum cumprod any all clip dot squeeze swapaxes "
    "repeat "
    "take trace diagonal ravel nonzero round searchsorted compress choose "
    "argpartition"
).split():
    if hasattr(np, _name):
        _method(_name, getattr(np, _name))


def _bytewise(name: str) -> None:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        if needs_grad(self):
            raise refused(f".{name}() of a traced array", DETACHED, "use the numbers")
        return getattr(self._array, name)(*args, **kwargs)

    setattr(Traced, name, method)


for _name in "byteswap dump dumps tofile getfield setfield".split():
    _bytewise(_name)
