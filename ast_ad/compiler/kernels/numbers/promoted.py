"""How does compiled code compute in the dtype that NumPy chooses, where its own rules choose another?

``float32`` times a Python float is ``float32`` to NumPy and ``float64`` to compiled code. The attribute
``mul_float32`` of this module is the function that converts its arguments, multiplies, and rounds to
``float32``; so for any function of the other modules and any dtype. They come into being when asked for.
"""

from __future__ import annotations

import builtins
import operator
from typing import Any

import numpy as np

from .. import vector_math
from ..linked import linked
from . import complex_math, kernel_math, remainders, selections

DTYPES = "int64", "float32", "float64", "complex64", "complex128"
# Functions whose results are booleans, whatever they compare.
PREDICATES = {
    *("lt", "le", "gt", "ge", "eq", "ne", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit"),
    *("isnan_complex", "isinf_complex", "isfinite_complex"),
    *("nowhere", "everywhere", "truth", "logical_not", "logical_and", "logical_or", "logical_xor"),
}


def name_of(form: Any, dtype: np.dtype) -> str:
    """What the function that computes ``form`` in ``dtype`` is called here."""
    return f"{form.__name__}_{dtype.name}"


def __getattr__(name: str) -> Any:
    text, _, dtype = name.rpartition("_")
    if dtype not in DTYPES:
        raise AttributeError(name)
    form = _find(text)
    if form is None:
        raise AttributeError(name)
    function = _converting(form, text, getattr(np, dtype))
    function.__name__ = function.__qualname__ = name
    globals()[name] = linked(function)
    return globals()[name]


def _find(name: str) -> Any:
    """The function of one of the other modules, of Python or NumPy, or else of SciPy."""
    for module in selections, remainders, kernel_math, complex_math, vector_math, builtins, operator:
        if callable(found := getattr(module, name, None)):
            return found
    if isinstance(found := getattr(np, name, None), np.ufunc):
        return found
    from . import special_math

    return getattr(special_math, name, None)


def _converting(form: Any, text: str, number: Any) -> Any:
    arity = _arity(form, text)
    rounded = (lambda x: x) if text in PREDICATES else number
    rounded = linked(rounded) if text in PREDICATES else rounded

    def unary(x):
        return rounded(form(number(x)))

    def binary(x, y):
        return rounded(form(number(x), number(y)))

    def ternary(x, y, z):
        return rounded(form(number(x), number(y), number(z)))

    def selection(condition, x, y):
        return form(condition, number(x), number(y))

    return selection if text == "where" else {1: unary, 2: binary, 3: ternary}[arity]


def _arity(form: Any, text: str) -> int:
    if isinstance(form, np.ufunc):
        return form.nin
    if isinstance(known := getattr(form, "arity", None), int):
        return known
    code = getattr(getattr(form, "py_func", form), "__code__", None)
    if code is not None:
        return int(code.co_argcount)
    return 1 if text in ("neg", "pos", "abs", "invert") else 2
