"""Which Fourier transforms do tensors have? Those of ``torch.fft``, by NumPy's functions and their rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..checks import only_placement
from ..dispatch import Operation, apply
from ..dtypes import as_numpy, get_default_dtype, scalar_name
from ..tensor import Tensor
from .creation import finished
from .dimensions import axis_of
from .pointwise import floating, require_tensor

FFT: dict[str, Any] = {}
# The other normalisation: that of the inverse, where a transform is written as one of the conjugate.
TURNED = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
SHIFTS = {name: Operation(getattr(np.fft, name), "RollBackward0") for name in ("fftshift", "ifftshift")}


def fft_function(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Publish under its name, in ``torch.fft``."""
    FFT[fn.__name__] = fn
    return fn


def _operations(name: str) -> dict[bool, Operation]:
    """The operation on complex numbers (True) and on real ones, with the names of PyTorch's nodes."""
    fn, several = getattr(np.fft, name), name.endswith(("2", "n"))
    if name.startswith("irfft"):
        return dict.fromkeys((True, False), Operation(fn, "FftC2RBackward0"))
    if name.startswith("rfft"):
        return {False: Operation(fn, "FftR2CBackward0")}
    real = "FftC2CBackward0" if several else {"fft": "FftR2CBackward0", "ifft": "ConjBackward0"}[name]
    return {True: Operation(fn, "FftC2CBackward0"), False: Operation(fn, real)}


def _operand(name: str, input: Any, of_real: bool = False) -> Tensor:
    """What is transformed: floating-point numbers, where the transform is one of real numbers."""
    require_tensor(f"fft_{name}", input)
    dtype = input._array.dtype
    if dtype == np.float16:
        raise RuntimeError("Unsupported dtype Half")
    if of_real and dtype.kind == "c":
        kind = "real input" if name in ("rfft", "ihfft") else "real-valued input"
        raise RuntimeError(f"{name} expects a {kind} tensor, but got {scalar_name(dtype)}")
    return floating(input)


def _axis(x: Tensor, dim: int) -> int:
    if x._array.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return axis_of(x._array.ndim, dim)


def _check(norm: Any, *lengths: int) -> None:
    for n in lengths:
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
    if norm not in TURNED:
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')


# ----- along one dimension


def _along(name: str, text: str) -> None:
    ops = _operations(name)

    def run(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
        x = _operand(name, input, name == "rfft")
        axis = _axis(x, dim)
        own = x._array.shape[axis]
        _check(norm, n if n is not None else 2 * (own - 1) if name == "irfft" else own)
        return apply(ops[x._array.dtype.kind == "c"], (x,), {"n": n, "axis": axis, "norm": norm})

    run.__name__, run.__doc__ = (
        name,
        f"{text}\n\n    ``n``: the length that ``dim`` is cut or filled to first.",
    )
    fft_function(run)


_along("fft", "The Fourier transform along a dimension: ``(..., n) -> (..., n)``, complex.")
_along("ifft", "The inverse of ``fft``: ``(..., n) -> (..., n)``.")
_along(
    "rfft", "The half of the ``fft`` of real numbers that tells the other: ``(..., n) -> (..., n // 2 + 1)``."
)
_along("irfft", "The real inverse of ``rfft``: ``(..., m) -> (..., 2 * (m - 1))``, or of length ``n``.")


@fft_function
def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The transform, which is real, of the half of a Hermitian signal: ``(..., m) -> (..., 2 * (m - 1))``."""
    return FFT["irfft"](_conjugate(_operand("hfft", input)), n, dim, TURNED.get(norm, norm))


@fft_function
def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:
    """The inverse of ``hfft``: ``(..., n) -> (..., n // 2 + 1)``."""
    return _conjugate(FFT["rfft"](_operand("ihfft", input, True), n, dim, TURNED.get(norm, norm)))


def _conjugate(t: Any) -> Any:
    return t.conj()


# ----- along several


def _axes(name: str, x: Tensor, s: Any, dim: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Lengths and axes of a transform; -1 is the length that a dimension has."""
    ndim, shape = x._array.ndim, x._array.shape
    lengths = None if s is None else (s,) if isinstance(s, int) else tuple(s)
    if dim is None:
        count = ndim if lengths is None else len(lengths)
        if count > ndim:
            raise RuntimeError(f"Got shape with {count} values but input tensor only has {ndim} dimensions.")
        dim = range(ndim - count, ndim)
    axes = tuple(_axis(x, d) for d in ((dim,) if isinstance(dim, int) else dim))
    if len(set(axes)) != len(axes):
        raise RuntimeError("FFT dims must be unique")
    if lengths is not None and len(lengths) != len(axes):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if not axes and name not in ("fftn", "ifftn"):
        raise RuntimeError(f"{name} must transform at least one axis")
    given = lengths or (-1,) * len(axes)
    sizes = [shape[axis] if n == -1 else int(n) for axis, n in zip(axes, given, strict=True)]
    if name in ("irfftn", "hfftn") and given[-1] == -1:
        sizes[-1] = 2 * (sizes[-1] - 1)
    return tuple(sizes), axes


def _over(name: str, default: tuple[int, ...] | None, text: str) -> None:
    base = f"{name[:-1]}n"
    ops = _operations(base)

    def run(input: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Any:
        x = _operand(base, input, name.startswith("rfft"))
        sizes, axes = _axes(base, x, s, dim)
        _check(norm, *sizes)
        if not axes:
            return x.to(x.dtype.to_complex(), copy=True)
        return apply(ops[x._array.dtype.kind == "c"], (x,), {"s": sizes, "axes": axes, "norm": norm})

    run.__name__, run.__doc__ = name, text
    fft_function(run)


def _hermitian(name: str, default: tuple[int, ...] | None, text: str) -> None:
    base = f"{name[:-1]}n"

    def run(input: Tensor, s: Any = None, dim: Any = default, norm: str | None = None) -> Any:
        x = _operand(base, input)
        sizes, axes = _axes(base, x, s, dim)
        _check(norm, *sizes)
        if name.startswith("h"):
            return FFT["irfftn"](_conjugate(x), sizes, axes, TURNED[norm])
        if x._array.dtype.kind == "c":
            raise RuntimeError(
                f"Only supports floating-point dtypes, but found: {scalar_name(x._array.dtype)}"
            )
        return _conjugate(FFT["rfftn"](x, sizes, axes, TURNED[norm]))

    run.__name__, run.__doc__ = name, text
    fft_function(run)


for _suffix, _default, _which in (("n", None, "all dimensions"), ("2", (-2, -1), "the last two dimensions")):
    for _stem in ("fft", "ifft", "rfft", "irfft"):
        _over(_stem + _suffix, _default, f"``{_stem}`` over {_which}, or those of ``dim``, of lengths ``s``.")
    for _stem in ("hfft", "ihfft"):
        _hermitian(_stem + _suffix, _default, f"``{_stem}`` over {_which}, or those of ``dim``.")


# ----- frequencies


@fft_function
def fftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """The frequencies of the results of ``fft``, for samples at distance ``d``: ``(n,)``."""
    return _frequencies("fftfreq", n, d, dtype, requires_grad, ignored)


@fft_function
def rfftfreq(
    n: int, d: float = 1.0, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """The frequencies of the results of ``rfft``, for samples at distance ``d``: ``(n // 2 + 1,)``."""
    return _frequencies("rfftfreq", n, d, dtype, requires_grad, ignored)


def _frequencies(name: str, n: int, d: float, dtype: Any, requires_grad: bool, ignored: Any) -> Tensor:
    only_placement(name, ignored)
    if not isinstance(n, int):
        raise TypeError(f"fft_{name}(): argument 'n' (position 1) must be int, not {type(n).__name__}")
    kind = get_default_dtype().dtype if dtype is None else as_numpy(dtype)
    found = getattr(np.fft, name)(n, d) if n else np.zeros(1 if name == "rfftfreq" else 0)
    return finished(found.astype(kind), requires_grad)


def _shift(name: str, text: str) -> None:
    def run(input: Tensor, dim: Any = None) -> Any:
        require_tensor(f"fft_{name}", input)
        ndim = input._array.ndim
        dims = range(ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
        axes = tuple(_axis(input, d) for d in dims)
        if not axes:
            raise RuntimeError("`shifts` required")
        return apply(SHIFTS[name], (input,), {"axes": axes})

    run.__name__, run.__doc__ = name, text
    fft_function(run)


_shift(
    "fftshift", "The results of ``fft`` in the order of their frequencies, along all dimensions or ``dim``."
)
_shift("ifftshift", "The inverse of ``fftshift``.")
