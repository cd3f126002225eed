"""What do ``addmm`` and its like take? Factors that fit, and what their product can be added to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...rules.torch import products as torch_products
from ..dispatch import Operation, apply, inplace
from ..surface import attach, function
from ..tensor import Tensor
from .pointwise import require_tensor
from .products import same_type
from .refusals import check_kind
from .whole_factors import whole_factor, whole_factor_only

ADDMM = Operation(torch_products.add_product, "AddmmBackward0", ("self", "mat1", "mat2"))
ADDMV = Operation(torch_products.add_product, "AddmvBackward0", ("self", "mat", "vec"))
BADDBMM = Operation(torch_products.add_product, "BaddbmmBackward0", ("self", "batch1", "batch2"))
ADDBMM = Operation(torch_products.add_summed_products, "AddbmmBackward0", ("self", "batch1", "batch2"))
ADDR = Operation(torch_products.add_outer, "AddrBackward0", ("self", "vec1", "vec2"))

Shape = tuple[int, ...]


# ----- which shapes fit


def _of_matrices(input: Tensor, a: Tensor, b: Tensor) -> Shape:
    for place, t in ((1, a), (2, b)):
        if t._array.ndim != 2:
            raise RuntimeError(f"mat{place} must be a matrix, got {t._array.ndim}-D tensor")
    (n, k), (m, p) = a._array.shape, b._array.shape
    if k != m:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {m}x{p})")
    return n, p


def _of_matrix_and_vector(input: Tensor, a: Tensor, b: Tensor) -> Shape:
    ranks = input._array.ndim, a._array.ndim, b._array.ndim
    if ranks[1:] != (2, 1) or ranks[0] > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {', '.join(map(str, ranks))}")
    (n, k), (m,) = a._array.shape, b._array.shape
    given = input._array.size
    if k != m or input._array.ndim and given not in (1, n):
        raise RuntimeError(f"size mismatch, got input ({given}), mat ({n}x{k}), vec ({m})")
    return (n,)


def _of_vectors(input: Tensor, a: Tensor, b: Tensor) -> Shape:
    for place, t in ((1, a), (2, b)):
        if t._array.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument vec{place}, but got {t._array.ndim}-D")
    return a._array.size, b._array.size


def _of_batches(input: Tensor, a: Tensor, b: Tensor) -> Shape:
    for place, t in ((1, a), (2, b)):
        if t._array.ndim != 3:
            raise RuntimeError(f"batch{place} must be a 3D tensor")
    (n, rows, k), (m, inner, columns) = a._array.shape, b._array.shape
    if n != m or k != inner:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{n}, {k}] but got: [{m}, "
            f"{inner}]."
        )
    return n, rows, columns


def _of_summed_batches(input: Tensor, a: Tensor, b: Tensor) -> Shape:
    return _of_batches(input, a, b)[1:]


def check_expansion(input: Tensor, wanted: Shape) -> None:
    """Refuse what cannot be stretched to the shape of the product."""
    given = input._array.shape
    if len(given) > len(wanted):
        raise RuntimeError(
            f"expand({list(given)}, size={list(wanted)}): the number of sizes provided ({len(wanted)}) must "
            f"be greater or equal to the number of dimensions in the tensor ({len(given)})"
        )
    for back, n in enumerate(reversed(given), 1):
        if n not in (1, wanted[-back]):
            raise RuntimeError(
                f"The expanded size of the tensor ({wanted[-back]}) must match the existing size ({n}) at "
                f"non-singleton dimension {len(wanted) - back}.  Target sizes: {list(wanted)}.  Tensor "
                f"sizes: {list(given)}"
            )


# ----- the functions


def _adding(name: str, op: Operation, shape_of: Callable[[Tensor, Tensor, Tensor], Shape]) -> None:
    def options(input: Tensor, first: Tensor, second: Tensor, beta: Any, alpha: Any) -> dict[str, Any]:
        for place, t in enumerate((input, first, second), 1):
            require_tensor(name, t, "input" if place == 1 else op.saved[place - 1], place)
        check_expansion(input, shape_of(input, first, second))
        dtype = np.result_type(input._array, first._array, second._array)
        check_kind(name, dtype)
        whole = whole_factor_only if name == "addr" else whole_factor
        factors = {"beta": whole(dtype, beta, "beta"), "alpha": whole(dtype, alpha, "alpha")}
        return {k: v for k, v in factors.items() if v != 1}

    def run(input: Tensor, first: Tensor, second: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
        how = options(input, first, second, beta, alpha)
        same_type(name, first, second)
        return apply(op, (input, first, second), how)

    def run_in_place(self: Tensor, first: Tensor, second: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Any:
        how = options(self, first, second, beta, alpha)
        return inplace(op, self, first, second, **how)

    run.__name__, run_in_place.__name__ = name, f"{name}_"
    run.__doc__ = f"``beta * input`` plus ``alpha`` times a product: ``{name}``."
    function(name)(run)
    attach(f"{name}_", run_in_place)


for _row in (
    ("addmm", ADDMM, _of_matrices),
    ("addmv", ADDMV, _of_matrix_and_vector),
    ("baddbmm", BADDBMM, _of_batches),
    ("addbmm", ADDBMM, _of_summed_batches),
    ("addr", ADDR, _of_vectors),
):
    _adding(*_row)
