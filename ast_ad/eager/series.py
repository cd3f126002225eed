"""How are sequences of samples differenced, integrated and correlated, and what are they made of?"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import return_types
from .checks import only_placement
from .dimensions import axis_of, numpy_names
from .dispatch import Operation, apply, call
from .dtypes import as_numpy, dtype_of, get_default_dtype, result_dtype
from .pointwise import floating, require_tensor
from .surface import FUNCTIONS, function
from .tensor import Tensor

DIFF = Operation(np.diff, "SubBackward0", ("self",))
TRAPEZOID = Operation(np.trapezoid, "MulBackward0", ("y", "x"))
COV = Operation(np.cov, "SqueezeBackward0", ("self",))
CORRCOEF = Operation(np.corrcoef, "ClampBackward1", ("self",))
FREXP = Operation(np.frexp, "FrexpBackward0", ("self",))
GRADIENT = Operation(np.gradient, "CatBackward0", ("self",))
VANDER = Operation(np.vander, "FlipBackward0", ("self",))
FREXP.results = ("", "exponent")


@function()
@numpy_names
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along ``dim``, taken ``n`` times."""
    if n and (prepend is not None or append is not None):
        parts = [t for t in (prepend, input, append) if t is not None]
        input = FUNCTIONS["cat"](parts, dim)
    if input._array.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    axis = axis_of(input._array.ndim, dim)
    n = min(n, input._array.shape[axis])  # more of them leave nothing too
    return apply(DIFF, (input,), {"n": n, "axis": axis}) if n else input.clone()


@function("trapezoid", "trapz", method=False)
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integral along ``dim`` by the trapezoidal rule, over points ``x`` or at distances ``dx``."""
    args = (y,) if x is None else (y, x)
    found = apply(TRAPEZOID, args, {"dx": dx, "axis": dim} if x is None else {"axis": dim})
    dtype = result_dtype(*(a._array for a in args))
    if dtype.kind in "iub":
        dtype = get_default_dtype().dtype
    return found if found._array.dtype == dtype else found.to(dtype_of(dtype))


@function()
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance of variables, one a row."""
    weights = {"fweights": fweights, "aweights": aweights}
    given = {k: v._array for k, v in weights.items() if v is not None}
    return _as_given(apply(COV, (input,), {"ddof": correction, **given}), input)


@function()
def corrcoef(input: Tensor) -> Any:
    """The correlation of variables, one a row."""
    return _as_given(apply(CORRCOEF, (input,)), input)


def _as_given(found: Any, input: Tensor) -> Any:
    """A result in the type of ``input``; the default one if those are integers."""
    dtype = input.dtype if input._array.dtype.kind in "fc" else get_default_dtype()
    return found if found.dtype == dtype else found.to(dtype)


@function(method=False)
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integrals up to each sample along ``dim`` by the trapezoidal rule."""
    axis = axis_of(y._array.ndim, dim)
    n = y._array.shape[axis]
    middle: Any = (y.narrow(axis, 1, n - 1) + y.narrow(axis, 0, n - 1)) / 2
    if x is None:
        return (middle * dx).cumsum(axis)
    steps = diff(x, dim=-1 if x._array.ndim == 1 else axis)
    if x._array.ndim == 1:
        steps = steps.reshape(-1, *[1] * (y._array.ndim - axis - 1))
    return (middle * steps).cumsum(axis)


@function(method=False)
def gradient(input: Tensor, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> Any:
    """Central differences along each dimension (or ``dim``): a tuple with a tensor for each."""
    dims = range(input._array.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    given = spacing if isinstance(spacing, (list, tuple)) else [spacing] * len(list(dims))
    steps = [s._array if isinstance(s, Tensor) else s for s in given]
    return tuple(
        call(np.gradient, (input, step), {"axis": axis_of(input._array.ndim, d), "edge_order": edge_order})
        for d, step in zip(dims, steps, strict=True)
    )


@function(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of the elements of a vector, a row for each."""
    return apply(VANDER, (x,), {"N": N, "increasing": increasing})


@function()
def frexp(input: Tensor) -> Any:
    """Mantissas between 0.5 and 1 and exponents of 2."""
    require_tensor("frexp", input)
    if input._array.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return return_types.frexp(*apply(FREXP, (input,)))


@function(method=False)
def polar(abs: Tensor, angle: Tensor) -> Any:
    """Complex numbers of these absolute values and angles."""
    size: Any = abs
    return FUNCTIONS["complex"](size * angle.cos(), size * angle.sin())


@function()
def histogram(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many elements (or how much weight) are in each interval, and the borders of the intervals."""
    x = floating(input)._array
    borders = bins._array if isinstance(bins, Tensor) else bins
    weights = None if weight is None else weight._array
    counts, edges = np.histogram(x, borders, range, density, weights)
    return return_types.histogram(Tensor._of(counts.astype(x.dtype)), Tensor._of(edges.astype(x.dtype)))


def _triangle(name: str, fn: Any) -> None:
    def run(row: int, col: int, offset: int = 0, *, dtype: Any = np.int64, **ignored: Any) -> Tensor:
        only_placement(name, ignored)
        found: Tensor = Tensor._of(np.stack(fn(row, offset, col)).astype(as_numpy(dtype)))
        return found

    run.__name__, run.__doc__ = name, "The row and column of each element of a triangle of a matrix."
    function(name, method=False)(run)


_triangle("tril_indices", np.tril_indices)
_triangle("triu_indices", np.triu_indices)
