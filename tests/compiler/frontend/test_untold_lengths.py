"""Is the program right where a table can't tell the length of a result?

Then the length is a symbol of which nothing is known, and the call is compiled as ever.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.builder import Builder, fold
from ast_ad.compiler.frontend.context import TensorOutside
from ast_ad.compiler.frontend.conversion import from_python
from ast_ad.compiler.frontend.interpreter import new_context
from ast_ad.compiler.frontend.types import integers, shape_rules, shapes_joined
from ast_ad.compiler.frontend.types.dummies import InferenceError
from ast_ad.compiler.ir.ops import Block, Lit, Seq, Slice

VECTOR = np.array([0.4, -0.9, 1.3, 0.2, 0.7, -0.5])
MATRIX = VECTOR.reshape(2, 3)
TIMES = np.arange(6.0)

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "an axis that is NumPy's number": (lambda x: np.sum(np.cumsum(x, axis=np.int64(0)) ** 2), (VECTOR,)),
    "options of polyfit": (lambda x: np.sum(np.polyfit(TIMES, x, 1, rcond=None) ** 2), (VECTOR,)),
    "a step of arange": (lambda x, k: np.sum(x * x) * np.sum(np.arange(0, 6, k)), (VECTOR, 2)),
    "a width of pad": (lambda x, k: np.sum(np.pad(x * x, [[k]], mode="edge")), (VECTOR, 2)),
    "rows that are joined": (lambda x: np.sum(np.concatenate(x * x)), (MATRIX,)),
    "parts in a number": (lambda x, k: np.sum(np.array_split(x * x, k)[0]), (VECTOR, 4)),
    "a sparse grid": (lambda x: np.sum(np.meshgrid(x, x * x, sparse=True)[1]), (VECTOR,)),
    "deletion by a run-time step": (lambda x, k: np.sum(np.delete(x * x, slice(0, 6, k))), (VECTOR, 2)),
}


@pytest.mark.slow(one_in=4)
@pytest.mark.parametrize("function, args", PROGRAMS.values(), ids=PROGRAMS)
def test_gradient(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    x, *rest = args
    value, gradient = ast_ad.value_and_grad(function, fallback="error")(x, *rest)
    assert value == function(x, *rest)
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = 1e-6
        slope = (function(x + step, *rest) - function(x - step, *rest)) / 2e-6
        np.testing.assert_allclose(gradient[place], slope, rtol=1e-6, atol=1e-7)


RAGGED = Seq((Lit(1.0), Seq((Lit(1.0),), list)), list)
UNTOLD: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (shape_rules.dims, (Lit([1.0, [2.0]]),)),
    (shape_rules.dims, (RAGGED,)),
    (shape_rules.dims, (Slice(Lit(0), Lit(1), Lit(None)),)),
    (shape_rules.position, (2, 2)),
    (shapes_joined._delete, (Lit(VECTOR), Slice(Lit(0), Lit(6), Lit(0)))),
    (shapes_joined._joined, ([(2,), (2, 3)], 0)),
    (shapes_joined._cuts, (4, Lit(0), True)),
]


@pytest.mark.parametrize("tell, args", UNTOLD)
def test_what_numpy_refuses_is_not_told(tell: Callable[..., Any], args: tuple[Any, ...]) -> None:
    with pytest.raises(shape_rules.Untold):
        tell(*args)


def test_what_has_no_value_has_no_type() -> None:
    with pytest.raises(InferenceError, match="math domain error"):
        fold(math.sqrt, (Lit(-1.0),))
    with pytest.raises(OverflowError, match="no length"):
        integers._power(2, -1)
    with pytest.raises(TensorOutside):
        from_python(new_context(Builder(Block())), ast_ad.tensor(1.0))
