"""How do tests compare tensors, and where do they get them from? ``assert_close`` and ``make_tensor``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..eager.dtypes import as_numpy, dtype_of
from ..eager.metadata import Size
from ..eager.operations.creation import finished
from ..eager.operations.randomness import default_generator
from ..eager.tensor import Tensor

__all__ = ["assert_close", "make_tensor"]

# Relative and absolute, by the number of bytes of a real number.
TOLERANCES = {2: (1e-3, 1e-5), 4: (1.3e-6, 1e-5), 8: (1e-7, 1e-7)}


def _tolerances(dtype: np.dtype[Any]) -> tuple[float, float]:
    if dtype.kind not in "fc":
        return 0.0, 0.0
    return TOLERANCES.get(dtype.itemsize // (2 if dtype.kind == "c" else 1), (1e-7, 1e-7))


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    check_stride: bool = False,
    msg: Any = None,
) -> None:
    """Fail unless tensors, numbers, or sequences and mappings of them agree up to rounding.

    ``|actual - expected| <= atol + rtol * |expected|`` has to hold; by default both follow from the dtypes.

    Raises:
        AssertionError: they don't.

    >>> import ast_ad
    >>> assert_close(ast_ad.tensor([1.0]), ast_ad.tensor([1.0 + 1e-7]))
    >>> assert_close(1.0, 1.1)
    Traceback (most recent call last):
    AssertionError: Scalars are not close!
    <BLANKLINE>
    Expected 1.1 but got 1.0.
    Absolute difference: 0.10000000000000009 (up to 1e-07 allowed)
    Relative difference: 0.09090909090909098 (up to 1e-07 allowed)
    """
    if (rtol is None) != (atol is None):
        raise ValueError(
            "Both 'rtol' and 'atol' must be either specified or omitted, but got no "
            f"{'rtol' if rtol is None else 'atol'}."
        )
    options = rtol, atol, equal_nan, check_dtype, check_stride
    text = _difference(actual, expected, options)
    if text:
        raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


def _difference(actual: Any, expected: Any, options: tuple[Any, ...]) -> str:
    """What distinguishes two objects; '' if nothing does."""
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            return f"The keys of the mappings do not match: {list(actual)} and {list(expected)}"
        pairs = [(f"[{key!r}]", actual[key], expected[key]) for key in actual]
    elif isinstance(actual, (Sequence, Size)) and isinstance(expected, (Sequence, Size)):
        if len(actual) != len(expected):
            return f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
        pairs = [(f"[{i}]", a, b) for i, (a, b) in enumerate(zip(actual, expected, strict=True))]
    else:
        return _of_arrays(actual, expected, options)
    for item, a, b in pairs:
        text = _difference(a, b, options)
        if text:
            return f"{text}\n\nThe failure occurred for item {item}"
    return ""


def _array(value: Any) -> np.ndarray:
    return value.detach()._array if isinstance(value, Tensor) else np.asarray(value)


def _of_arrays(actual: Any, expected: Any, options: tuple[Any, ...]) -> str:
    rtol, atol, equal_nan, check_dtype, check_stride = options
    tensors = isinstance(actual, Tensor) or isinstance(expected, Tensor)
    x, y = _array(actual), _array(expected)
    if x.shape != y.shape:
        return f"The values for attribute 'shape' do not match: {Size(x.shape)} != {Size(y.shape)}."
    if check_dtype and tensors and x.dtype != y.dtype:
        return f"The values for attribute 'dtype' do not match: {dtype_of(x.dtype)} != {dtype_of(y.dtype)}."
    if check_stride and tensors and actual.stride() != expected.stride():
        return f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}."
    if rtol is None:
        rtol, atol = map(max, _tolerances(x.dtype), _tolerances(y.dtype))
    close = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if close.all():
        return ""
    with np.errstate(all="ignore"):
        apart = np.where(close, 0, _apart(x, y))
        relative = np.where(close, 0, apart / abs(y))
    if apart.dtype.kind in "iu" and tensors:
        relative = relative.astype(np.float32)
    equal = rtol == atol == 0
    what = "equal" if equal else "close"
    most, part = ("", "") if equal else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    if not x.shape:
        return (
            f"Scalars are not {what}!\n\nExpected {y.item()} but got {x.item()}.\nAbsolute difference: "
            f"{apart.item()}{most}\nRelative difference: {relative.item()}{part}"
        )
    wrong = int((~close).sum())
    return (
        f"Tensor-likes are not {what}!\n\n"
        f"Mismatched elements: {wrong} / {x.size} ({100 * wrong / x.size:.1f}%)\n"
        f"Greatest absolute difference: {apart.max()} at index {_place(apart)}{most}\n"
        f"Greatest relative difference: {relative.max()} at index {_place(relative)}{part}"
    )


def _apart(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    if x.dtype.kind == "b" or y.dtype.kind == "b":
        x, y = x.astype(np.int64), y.astype(np.int64)
    return np.asarray(abs(np.subtract(x, y)))


def _place(a: np.ndarray) -> tuple[int, ...]:
    return tuple(int(i) for i in np.unravel_index(np.argmax(a), a.shape))


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
) -> Tensor:
    """A tensor of random numbers between ``low`` and ``high``, by default -9 and 9.

    >>> import ast_ad
    >>> make_tensor(2, 3, dtype=ast_ad.float64).shape
    torch.Size([2, 3])
    """
    size = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    kind = np.dtype(as_numpy(dtype))
    if noncontiguous and size:
        size = (*size[:-1], 2 * size[-1])
    low, high = -9.0 if low is None else low, 9.0 if high is None else high
    draw = default_generator.numbers
    if kind.kind == "b":
        a = draw.integers(0, 2, size).astype(kind)
    elif kind.kind in "iu":
        a = draw.integers(int(max(low, 0) if kind.kind == "u" else low), int(high) + 1, size).astype(kind)
    else:
        a = np.asarray(draw.uniform(low, high, size)).astype(kind)
        if kind.kind == "c":
            a = (a + 1j * draw.uniform(low, high, size)).astype(kind)
    if exclude_zero:
        a = np.where(a == 0, np.ones((), kind), a)
    t = finished(a[..., ::2] if noncontiguous and size else a)
    return t.requires_grad_() if requires_grad else t
