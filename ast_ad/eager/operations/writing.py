"""How are the elements of a tensor written: copied from another, or set to a number?"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...rules.torch import views as torch_views
from ..checks import broadcast, type_name
from ..dispatch import Operation, inplace
from ..dtypes import cpp_name, legacy_name
from ..surface import method
from ..tensor import Tensor

COPY = Operation(torch_views.overwritten, "CopyBackwards", ("self", "src"))
FILL = Operation(torch_views.filled, "FillBackward2")
FILL_TENSOR = Operation(torch_views.filled, "FillBackward3", ("self", "value"))
ZERO = Operation(torch_views.zeroed, "ZeroBackward0")


def as_number(value: Any, dtype: np.dtype) -> np.ndarray:
    if not isinstance(value, (int, float, complex, np.generic, np.ndarray)):
        raise TypeError(f"can't assign a {type(value).__name__} to a {legacy_name(dtype)}")
    if isinstance(value, complex) and dtype.kind != "c":
        raise RuntimeError(f"value cannot be converted to type {cpp_name(dtype)} without overflow")
    return np.asarray(value).astype(dtype)


def fits(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(given) <= len(wanted) and all(
        n in (1, m) for n, m in zip(reversed(given), reversed(wanted), strict=False)
    )


@method()
def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write the elements of ``src`` into the tensor, converted to its dtype."""
    if not isinstance(src, Tensor):
        if not isinstance(src, (int, float, complex, np.generic)):
            raise TypeError(f"copy_(): argument 'other' (position 1) must be Tensor, not {type_name(src)}")
        src = Tensor._of(np.asarray(src))
    given, wanted = src._array.shape, self._array.shape
    if not fits(given, wanted):
        _refuse_expansion(given, wanted)
    return inplace(COPY, self, src)


def _refuse_expansion(given: tuple[int, ...], wanted: tuple[int, ...]) -> NoReturn:
    shape = list(broadcast(wanted, given))
    raise RuntimeError(f"output with shape {list(wanted)} doesn't match the broadcast shape {shape}")


@method()
def fill_(self: Tensor, value: Any) -> Tensor:
    """Set every element to a number."""
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{value._array.ndim} dimensions."
            )
        return inplace(FILL_TENSOR, self, value)
    return inplace(FILL, self, as_number(value, self._array.dtype)[()])


@method()
def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    return inplace(ZERO, self)
