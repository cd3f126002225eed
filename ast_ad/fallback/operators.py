"""What do operators and methods do with traced values? What NumPy or, with its own numbers, Python does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ..eager.dispatch import _plain, apply, inplace, operation
from ..eager.numpy_protocol import array_function, array_ufunc, run
from ..eager.tensor import Tensor
from ..rules import helpers
from .traced import Traced, complex_write


def _binary(name: str, ufunc: np.ufunc, python: Callable[..., Any]) -> None:
    def forward(self: Traced, other: Any) -> Any:
        if self._python is not None and _is_python(other):
            return _computed(python, self, other)
        if not isinstance(other, (Tensor, np.ndarray, int, float, complex, np.generic, list, tuple)):
            return NotImplemented
        return array_ufunc(self, ufunc, "__call__", self, _operand(other))

    def reflected(self: Traced, other: Any) -> Any:
        if self._python is not None and _is_python(other):
            return _computed(python, other, self)
        if not isinstance(other, (Tensor, np.ndarray, int, float, complex, np.generic, list, tuple)):
            return NotImplemented
        return array_ufunc(self, ufunc, "__call__", _operand(other), self)

    def in_place(self: Traced, other: Any) -> Any:
        if self._scalar:
            return forward(self, other)
        self.check_writeable()
        result = array_ufunc(self, ufunc, "__call__", self, _operand(other))
        if np.iscomplexobj(_plain(result)) and self._array.dtype.kind == "f":
            raise complex_write(f"the complex result of {ufunc.__name__} is written to a real array")
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
    """What Python makes of two of its numbers. The root of a negative one is complex."""
    if function is operator.pow and _plain(a).real < 0.0 and type(_plain(a)) is not complex:
        if isinstance(_plain(a) ** _plain(b), complex):
            a = run(complex, (a,), {}) if isinstance(a, Tensor) else complex(a)
    return apply(operation(function), (a, b))


def _operand(other: Any) -> Any:
    return run(np.array, (other,), {}) if isinstance(other, (list, tuple)) else other


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "pow": np.power,
    "floordiv": np.floor_divide, "mod": np.remainder, "matmul": np.matmul, "divmod": np.divmod,
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal,
}.items():  # fmt: skip
    _binary(_name, _ufunc, divmod if _name == "divmod" else getattr(operator, _name))


def _unary(name: str, ufunc: np.ufunc) -> None:
    def call(self: Traced) -> Any:
        if self._python is not None:
            return apply(operation(getattr(operator, name)), (self,))
        return array_ufunc(self, ufunc, "__call__", self)

    setattr(Traced, f"__{name}__", call)


for _name, _ufunc in {"neg": np.negative, "pos": np.positive, "abs": np.absolute}.items():
    _unary(_name, _ufunc)


def _method(name: str, fn: Callable[..., Any]) -> None:
    def method(self: Traced, *args: Any, **kwargs: Any) -> Any:
        return array_function(self, fn, (), (self, *args), kwargs)

    setattr(Traced, name, method)


for _name in (
    "sum prod mean std var max min argmax argmin argsort cumsum cumprod any all clip dot squeeze swapaxes "
    "repeat "
    "take trace diagonal ravel nonzero round searchsorted compress choose conj conjugate "
    "argpartition"
).split():
    if hasattr(np, _name):
        _method(_name, getattr(np, _name))
