"""How are tensors summed up, averaged and multiplied, over all dimensions or some?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...rules.torch import moments as torch_moments, norms as torch_norms, softmax as torch_softmax
from ..dispatch import Operation, apply, inplace, unary
from ..dtypes import as_numpy, scalar_name
from ..surface import attach, function
from ..tensor import Tensor
from .dimensions import axes_of, axis_of, numpy_names
from .pointwise import floating, require_tensor
from .refusals import check_kind

SUM = Operation(np.sum, "SumBackward0")
SUM_OVER = Operation(np.sum, "SumBackward1")
NANSUM = Operation(np.nansum, "NansumBackward0")
MEAN = Operation(np.mean, "MeanBackward0")
MEAN_OVER = Operation(np.mean, "MeanBackward1")
PROD = Operation(np.prod, "ProdBackward0", keeps=("result",))
PROD_OVER = Operation(np.prod, "ProdBackward1", keeps=("result",))
STD = Operation(np.std, "StdBackward0")
VAR = Operation(np.var, "VarBackward0")
STD_MEAN = Operation(torch_moments.std_mean, "StdMeanBackward0")
VAR_MEAN = Operation(torch_moments.var_mean, "VarMeanBackward0")
CUMSUM = Operation(np.cumsum, "CumsumBackward0", rows=True)
CUMPROD = Operation(np.cumprod, "CumprodBackward0", rows=True)
LOGCUMSUMEXP = Operation(torch_softmax.logcumsumexp, "LogcumsumexpBackward0", rows=True)
LOGSUMEXP = Operation(torch_softmax.logsumexp, "LogsumexpBackward0")
NORM = Operation(torch_norms.norm, "LinalgVectorNormBackward0")
NUCLEAR = Operation(np.linalg.norm, "SumBackward1")
TRACE = Operation(np.trace, "TraceBackward0")


def result_type(input: Tensor, dtype: Any) -> dict[str, Any]:
    """The ``dtype=`` of a NumPy sum: as asked for, or int64 of integers and booleans."""
    if dtype is not None:
        return {"dtype": as_numpy(dtype)}
    return {"dtype": np.dtype(np.int64)} if input._array.dtype.kind in "iub" else {}


def options(input: Tensor, dim: Any, keepdim: bool) -> dict[str, Any]:
    """``axis=`` and ``keepdims=`` of a NumPy reduction."""
    found: dict[str, Any] = {"axis": axes_of(input._array.ndim, dim)}
    if keepdim:
        found["keepdims"] = True
    return found


@function()
@numpy_names
def sum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum over all dimensions, or over ``dim``; integers are summed as int64.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("sum", input)
    if dim is None and dtype is None and input._array.dtype.kind in "fc":
        return unary(SUM, input) if not keepdim else apply(SUM, (input,), {"keepdims": True})
    op = SUM if dim is None else SUM_OVER
    return apply(op, (input,), {**options(input, dim, keepdim), **result_type(input, dtype)})


@function()
@numpy_names
def nansum(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The sum of all that is not NaN.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("nansum", input)
    check_kind("nansum", input._array.dtype)
    return apply(NANSUM, (input,), {**options(input, dim, keepdim), **result_type(input, dtype)})


@function()
@numpy_names
def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean over all dimensions, or over ``dim``.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("mean", input)
    kind = input._array.dtype if dtype is None else as_numpy(dtype)
    if kind.kind in "iub":
        which = "Input" if dtype is None else "Optional"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {which} dtype must be either a floating point or complex "
            f"dtype. Got: {scalar_name(kind)}"
        )
    if input._array.size == 0:
        return _without_warning(_mean, input, dim, keepdim, dtype)
    return _mean(input, dim, keepdim, dtype)


def _mean(input: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if dim is None and dtype is None and not keepdim:
        return unary(MEAN, input)
    given = {} if dtype is None else {"dtype": as_numpy(dtype)}
    return apply(MEAN if dim is None else MEAN_OVER, (input,), {**options(input, dim, keepdim), **given})


def _without_warning(fn: Any, *args: Any) -> Any:
    """Run what NumPy warns of by the module ``warnings``: empty slices."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return fn(*args)


@function()
@numpy_names
def nanmean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The mean of all that is not NaN.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("nanmean", input)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(
            "nanmean(): expected input to have floating point or complex dtype but got "
            f"{scalar_name(input._array.dtype)}"
        )
    present = ~np.isnan(input._array)
    count = np.sum(present, axis=axes_of(present.ndim, dim), keepdims=keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / Tensor._of(count)


@function()
@numpy_names
def prod(input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """The product over all dimensions, or along one; integers are multiplied as int64.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("prod", input)
    if dim is None and dtype is None and input._array.dtype.kind in "fc":
        return unary(PROD, input)
    given = result_type(input, dtype)
    if dim is None:
        return apply(PROD, (input,), given)
    axis_of(input._array.ndim, dim)
    return apply(PROD_OVER, (input,), {**options(input, dim, keepdim), **given})


# ----- moments


def _moment_options(
    input: Tensor, dim: Any, unbiased: bool | None, correction: float | None, keepdim: bool
) -> tuple[Tensor, dict[str, Any]]:
    """What NumPy is told of a variance: ``var(False)`` means ``unbiased``, not a dimension."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if input._array.dtype.kind not in "fc":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    given = options(input, dim, keepdim)
    if correction:
        given["ddof"] = correction
    return input, given


def _moment(op: Operation, input: Tensor, given: dict[str, Any]) -> Any:
    array, axis = input._array, given["axis"]
    over = array.shape if axis is None else [array.shape[i] for i in np.atleast_1d(axis)]
    if np.prod(over) > given.get("ddof", 0):
        return apply(op, (input,), given)
    name = {VAR: "var", STD: "std", VAR_MEAN: "var_mean", STD_MEAN: "std_mean"}[op]
    warnings.warn(
        f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
        "(input numel divided by output numel).",
        stacklevel=4,
    )
    return _without_warning(apply, op, (input,), given)


@function()
@numpy_names
def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The standard deviation; the sum of squares is divided by the number of elements less ``correction``.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    return _moment(STD, *_moment_options(input, dim, unbiased, correction, keepdim))


@function()
@numpy_names
def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> Any:
    """The variance; the sum of squares is divided by the number of elements less ``correction``.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    return _moment(VAR, *_moment_options(input, dim, unbiased, correction, keepdim))


def _with_mean(op: Operation, input: Tensor, *how: Any) -> Any:
    return _moment(op, *_moment_options(input, *how))


@function(method=False)
@numpy_names
def std_mean(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Any, Any]:
    """``std`` and ``mean``. Shapes: ``(...) -> (), ()``; ``dim=-1``: ``(..., n) -> (...), (...)``."""
    return _with_mean(STD_MEAN, input, dim, unbiased, correction, keepdim)


@function(method=False)
@numpy_names
def var_mean(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    keepdim: bool = False,
    *,
    correction: float | None = None,
) -> tuple[Any, Any]:
    """``var`` and ``mean``. Shapes: ``(...) -> (), ()``; ``dim=-1``: ``(..., n) -> (...), (...)``."""
    return _with_mean(VAR_MEAN, input, dim, unbiased, correction, keepdim)


# ----- running


def _running(op: Operation, input: Tensor, dim: int, dtype: Any) -> Any:
    axis = axis_of(input._array.ndim, dim)
    if input._array.ndim == 0:
        return input.clone() if dtype is None else input.to(dtype)
    return apply(op, (input,), {"axis": axis, **result_type(input, dtype)})


@function()
@numpy_names
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The sums of all elements so far along ``dim``: ``(...) -> (...)``."""
    require_tensor("cumsum", input)
    return _running(CUMSUM, input, dim, dtype)


@function()
@numpy_names
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Any:
    """The products of all elements so far along ``dim``: ``(...) -> (...)``."""
    require_tensor("cumprod", input)
    return _running(CUMPROD, input, dim, dtype)


def _running_in_place(name: str, op: Operation) -> None:
    def run(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        if dtype is not None and as_numpy(dtype) != self._array.dtype:
            raise RuntimeError(
                f"Bad in-place call: input tensor dtype {scalar_name(self._array.dtype)} and output tensor "
                f"dtype {scalar_name(as_numpy(dtype))} should match"
            )
        axis = axis_of(self._array.ndim, dim)
        if self._array.ndim == 0:  # NumPy's result has a dimension
            return self.mul_(1)
        return inplace(op, self, axis=axis)

    run.__name__, run.__doc__ = f"{name}_", f"``{name}`` in place."
    attach(f"{name}_", run)


_running_in_place("cumsum", CUMSUM)
_running_in_place("cumprod", CUMPROD)


@function()
@numpy_names
def logcumsumexp(input: Tensor, dim: int) -> Any:
    """``log(cumsum(exp(input), dim))`` without overflow: ``(...) -> (...)``."""
    check_kind("logcumsumexp", input._array.dtype)
    return apply(LOGCUMSUMEXP, (input,), {"axis": axis_of(input._array.ndim, dim)})


# ----- norms


@function()
@numpy_names
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Any:
    """``log(sum(exp(input), dim))`` without overflow.

    Shapes: ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    input = floating(input)
    axis = axes_of(input._array.ndim, dim)
    if axis is None:
        axis = tuple(range(input._array.ndim))
    return apply(LOGSUMEXP, (input,), {"axis": axis, "keepdims": keepdim})


@function()
@numpy_names
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of order ``p`` over ``dim``, by default all; 'fro' is 2, 'nuc' sums the singular values.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    require_tensor("norm", input)
    if dtype is not None:
        input = input.to(dtype)
    if input._array.dtype.kind not in "fc":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{scalar_name(input._array.dtype)}"
        )
    if p == "nuc":
        axes = (-2, -1) if dim is None else axes_of(input._array.ndim, dim)
        return apply(NUCLEAR, (input,), {"ord": "nuc", "axis": axes, "keepdims": keepdim})
    order = 2.0 if p is None or p == "fro" else float(p)
    how = options(input, dim, keepdim)
    check_identity(input, order, how.get("axis"))
    return apply(NORM, (input,), {"p": order, **how})


def check_identity(input: Tensor, p: float, axis: Any) -> None:
    """Refuse a norm of nothing whose order has none: it would be the smallest or the largest of no numbers.

    Raises:
        RuntimeError: the elements, or those along an axis, are none.
    """
    if input._array.size or 0 <= p < np.inf:
        return
    order = f"linalg.vector_norm cannot compute the {p:g} norm on"
    if axis is None or not isinstance(axis, int) and len(axis) == input._array.ndim:
        raise RuntimeError(f"{order} an empty tensor because the operation does not have an identity")
    for each in (axis,) if isinstance(axis, int) else axis:
        if not input._array.shape[each]:
            raise RuntimeError(
                f"{order} the dimension {each}because this dimension is empty and the operation does not "
                "have an identity"
            )


# ----- questions


def _counted(name: str, fn: Any, input: Tensor, dim: Any, keepdim: bool) -> Tensor:
    require_tensor(name, input)
    if name != "count_nonzero" and isinstance(dim, (tuple, list)) and not dim:  # none: unlike elsewhere
        return Tensor._of(input._array.astype(bool))
    found = fn(input._array, axis=axes_of(input._array.ndim, dim), keepdims=keepdim)
    if name != "count_nonzero" and input._array.dtype == np.uint8:
        found = np.asarray(found).astype(np.uint8)
    return Tensor._of(found)


@function()
@numpy_names
def all(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether all elements are true.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    return _counted("all", np.all, input, dim, keepdim)


@function()
@numpy_names
def any(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """Whether any element is true.

    Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``, ``keepdim=True``: ``(..., n) -> (..., 1)``.
    """
    return _counted("any", np.any, input, dim, keepdim)


@function()
@numpy_names
def count_nonzero(input: Tensor, dim: Any = None) -> Tensor:
    """How many elements are not zero. Shapes: ``(...) -> ()``; ``dim=-1``: ``(..., n) -> (...)``."""
    return _counted("count_nonzero", np.count_nonzero, input, dim, False)


# ----- others


@function()
def trace(input: Tensor) -> Any:
    """The sum of the diagonal of a matrix: ``(m, n) -> ()``."""
    if input._array.ndim != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(input._array.ndim))
    return apply(TRACE, (input,))
