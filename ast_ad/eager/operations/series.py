"""How are sequences of samples differenced, integrated and correlated, and what are they made of?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..checks import only_placement
from ..dispatch import Operation, apply, call, plain_of
from ..dtypes import as_numpy, scalar_name
from ..surface import FUNCTIONS, function
from ..tensor import Tensor
from . import return_types
from .creation import require_real_pair
from .dimensions import axis_of, numpy_names
from .linear_algebra import linalg
from .pointwise import floating, require_tensor

DIFF = Operation(np.diff, "SubBackward0")
FREXP = Operation(np.frexp, "FrexpBackward0")
GRADIENT = Operation(np.gradient, "CatBackward0")
VANDER = Operation(np.vander, "FlipBackward0")
FREXP.results = ("", "exponent")


@function()
@numpy_names
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """The differences of neighbours along ``dim``, taken ``n`` times: ``(..., L) -> (..., L - n)``."""
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
    """The integral along ``dim`` by the trapezoidal rule, over points ``x`` or at distances ``dx``.

    Shapes: ``(..., n) -> (...)``.
    """
    axis = _axis_of_samples(y, dim)
    if not y._array.shape[axis]:
        return y.sum(axis, dtype=y.dtype).detach()
    if x is None:
        total: Any = y.sum(axis) * 2 - y.select(axis, 0) - y.select(axis, -1)
        return total * dx / 2.0
    return (_pairs(y, axis) * _steps(x, y, axis)).sum(axis) / 2.0


@function(method=False)
def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1.0, dim: int = -1) -> Any:
    """The integrals up to each sample along ``dim`` by the trapezoidal rule: ``(..., n) -> (..., n - 1)``."""
    axis = _axis_of_samples(y, dim)
    if x is None:
        return (_pairs(y, axis) * (dx / 2.0)).cumsum(axis)
    return (_pairs(y, axis) * _steps(x, y, axis)).cumsum(axis) / 2.0


def _axis_of_samples(y: Tensor, dim: int) -> int:
    axis = axis_of(y._array.ndim, dim)
    if not y._array.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if y._array.dtype.kind == "b":
        raise RuntimeError("trapezoid: received a bool input for `y`, but bool is not supported")
    return axis


def _pairs(y: Tensor, axis: int) -> Any:
    """The sums of neighbours."""
    n = max(y._array.shape[axis] - 1, 0)
    first: Any = y.narrow(axis, 0, n)
    return first + y.narrow(axis, y._array.shape[axis] - n, n)


def _steps(x: Tensor, y: Tensor, axis: int) -> Any:
    """The distances of points, which are given along ``axis`` of ``y`` or for all of it."""
    if "b" in (x._array.dtype.kind, y._array.dtype.kind):
        raise RuntimeError("trapezoid: received a bool input for `x` or `y`, but bool is not supported")
    ndim = y._array.ndim
    if x._array.ndim == 1:
        if x._array.size != y._array.shape[axis]:
            raise RuntimeError("trapezoid: There must be one `x` value for each sample point")
        x = x.view(*[-1 if i == axis else 1 for i in range(ndim)])
    elif x._array.ndim < ndim:
        x = x.view(*[1] * (ndim - x._array.ndim), *x._array.shape)
    return diff(x, dim=axis)


@function()
def cov(input: Tensor, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariance of variables, one a row: ``(d, n) -> (d, d)``, ``(n) -> ()``."""
    require_tensor("cov", input)
    if input._array.ndim > 2:
        raise RuntimeError(
            "cov(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    if input._array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input if input._array.ndim == 2 else input.view(1, -1)
    n = rows._array.shape[1]
    weights = _sample_weights(n, fweights, aweights)
    count: Any = n if weights is None else weights.sum()
    if weights is not None and n and count._array == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    weighted = rows if weights is None else rows * weights
    if weights is not None and aweights is not None and correction != 0:
        freedom: Any = count - correction * (weights * aweights).sum() / count
    else:
        freedom = count - correction
    if (plain_of(freedom) if isinstance(freedom, Tensor) else freedom) <= 0:
        warnings.warn("cov(): degrees of freedom is <= 0", UserWarning, stacklevel=2)
        freedom = 0
    centred = rows - (weighted.sum(1) / count).unsqueeze(1)
    other = centred if weights is None else centred * weights
    return (centred @ other.t().conj() / freedom).squeeze()


def _sample_weights(n: int, fweights: Any, aweights: Any) -> Any:
    """How much each sample counts, or None: the frequencies times the weights."""
    for name, given, kinds in (("fweights", fweights, "iu"), ("aweights", aweights, "f")):
        if given is None:
            continue
        if given._array.ndim > 1:
            raise RuntimeError(
                f"cov(): expected {name} to have one or fewer dimensions but got {name} with "
                f"{given._array.ndim} dimensions"
            )
        if given._array.dtype.kind not in kinds:
            kind = "integral" if name == "fweights" else "floating point"
            raise RuntimeError(
                f"cov(): expected {name} to have {kind} dtype but got {name} with "
                f"{scalar_name(given._array.dtype)} dtype"
            )
        if given._array.size != n:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but "
                f"got {given._array.size} != {n}"
            )
        if np.any(given._array < 0):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is None:
        return aweights
    return fweights if aweights is None else fweights * aweights


@function()
def corrcoef(input: Tensor) -> Any:
    """The correlation of variables, one a row: ``(d, n) -> (d, d)``."""
    require_tensor("corrcoef", input)
    if input._array.ndim > 2:
        raise RuntimeError(
            "corrcoef(): expected input to have two or fewer dimensions but got an input with "
            f"{input._array.ndim} dimensions"
        )
    found = cov(input)
    if not found._array.ndim:
        return found / found
    variances = found.diag()
    deviations = (variances.real if variances.is_complex() else variances).sqrt()
    found = found / deviations.view(-1, 1) / deviations.view(1, -1)
    if found.is_complex():
        return FUNCTIONS["complex"](found.real.clip(-1, 1), found.imag.clip(-1, 1))
    return found.clip(-1, 1)


@function(method=False)
def gradient(input: Tensor, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> Any:
    """Central differences along each dimension (or ``dim``): a tuple with a tensor for each."""
    ndim = input._array.ndim
    if input._array.dtype.kind == "b":
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported.")
    if dim is None:
        axes = list(range(ndim))
    else:
        axes = [axis_of(ndim, d) for d in ([dim] if isinstance(dim, int) else dim)]
    if not ndim and axes:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    several = isinstance(spacing, (list, tuple))
    if several and len(spacing) != len(axes):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments "
            f"to have the same length, but got a spacing argument of length {len(spacing)} and a dim "
            f"argument of length {len(axes)}."
        )
    given = spacing if several else [1 if spacing is None else spacing] * len(axes)
    steps = [s._array if isinstance(s, Tensor) else s for s in given]
    if any(input._array.shape[axis] <= edge_order for axis in axes):
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")
    samples = floating(input)
    return tuple(
        call(np.gradient, (samples, step), {"axis": axis, "edge_order": edge_order})
        for axis, step in zip(axes, steps, strict=True)
    )


@function(method=False)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Any:
    """The powers of the elements of a vector, a row for each: ``(n) -> (n, N)``."""
    return apply(VANDER, (x,), {"N": N, "increasing": increasing})


@linalg("vander")
def vander_of_rows(x: Tensor, *, N: int | None = None) -> Any:
    """The powers of each number, from 0 to ``N - 1``, by default as many as there are numbers.

    Shapes: ``(..., n) -> (..., n, n)``; ``N=3``: ``(..., n) -> (..., n, 3)``.
    """
    require_tensor("linalg_vander", x)
    shape = x._array.shape
    count = N if N is not None else shape[-1] if shape else 0
    if count < 2:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*shape, count - 1).cumprod(-1)
    return FUNCTIONS["cat"]([powers.new_ones((*shape, 1)), powers], -1)


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
    require_real_pair(abs, angle)
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
        if as_numpy(dtype).kind not in "iu":
            raise NotImplementedError(f"\"{name}\" not implemented for '{scalar_name(as_numpy(dtype))}'")
        found: Tensor = Tensor._of(np.stack(fn(row, offset, col)).astype(as_numpy(dtype)))
        return found

    run.__name__, run.__doc__ = name, "The row and column of each element of a triangle of a matrix."
    function(name, method=False)(run)


_triangle("tril_indices", np.tril_indices)
_triangle("triu_indices", np.triu_indices)
