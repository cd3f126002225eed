"""How are vectors, matrices and stacks of matrices multiplied?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...rules.torch import products as torch_products
from ..checks import broadcast
from ..dispatch import Operation, apply, binary
from ..dtypes import cpp_name
from ..state import state
from ..surface import attach, function
from ..tensor import Tensor
from .dimensions import axes_of, axis_of
from .pointwise import require_tensor
from .refusals import check_kind

MM = Operation(np.matmul, "MmBackward0", ("self", "mat2"))
MV = Operation(np.matmul, "MvBackward0", ("self", "vec"))
VM = Operation(np.matmul, "SqueezeBackward4", ("self", "mat2"))
DOT = Operation(torch_products.plain_dot, "DotBackward0", ("self", "tensor"))
VDOT = Operation(np.vdot, "VdotBackward0", ("self", "other"))
BMM = Operation(np.matmul, "BmmBackward0", ("self", "mat2"))
STACKED = Operation(np.matmul, "UnsafeViewBackward0", ("self", "mat2"))
OUTER = Operation(np.outer, "MulBackward0", ("self", "other"))
INNER = Operation(np.inner, "ViewBackward0", ("self", "other"))
KRON = Operation(np.kron, "UnsafeViewBackward0", ("self", "other"))
CROSS = Operation(np.linalg.cross, "LinalgCrossBackward0", ("self", "other"))
VECDOT = Operation(np.linalg.vecdot, "SumBackward1", ("x", "y"))
EINSUM = Operation(np.einsum, "ViewBackward0", ("equation",))
TENSORDOT = Operation(np.tensordot, "ViewBackward0", ("self", "other"))
MULTI_DOT = Operation(np.linalg.multi_dot, "MmBackward0", ("tensors",))


def same_type(name: str, *tensors: Tensor) -> None:
    first = tensors[0]._array.dtype
    if state.rules:  # which may compute in another type than their arguments
        return
    for t in tensors[1:]:
        if t._array.dtype != first:
            raise RuntimeError(
                f"expected m1 and m2 to have the same dtype, but got: {cpp_name(first)} != "
                f"{cpp_name(t._array.dtype)}"
                if name != "dot"
                else "dot : expected both vectors to have same dtype, but found "
                f"{cpp_name(first)} and {cpp_name(t._array.dtype)}"
            )


def _rank(t: Tensor, rank: int, message: str) -> None:
    if t._array.ndim != rank:
        raise RuntimeError(message)


def _shapes_fit(a: Tensor, b: Tensor) -> None:
    m, n = a._array.shape, b._array.shape
    if m[-1] != n[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m[0]}x{m[1]} and {n[0]}x{n[1]})")


@function()
def matmul(input: Tensor, other: Tensor) -> Any:
    """The product of matrices, of stacks of them (broadcast), or of vectors with either.

    Shapes: ``(..., m, n), (..., n, k) -> (..., m, k)``; all ``...`` broadcast; ``(n), (n) -> ()``,
    ``(..., m, n), (n) -> (..., m)``, ``(n), (..., n, k) -> (..., k)``.
    """
    require_tensor("matmul", input)
    require_tensor("matmul", other, "other", 2)
    ranks = input._array.ndim, other._array.ndim
    if 0 in ranks:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {ranks[0]}D and {ranks[1]}D"
        )
    if ranks == (1, 1):
        return dot(input, other)
    if ranks == (2, 2):
        return mm(input, other)
    if ranks == (2, 1):
        return mv(input, other)
    same_type("matmul", input, other)
    if ranks == (1, 2):
        if input._array.shape[0] != other._array.shape[0]:
            n, m = other._array.shape
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied (1x{input._array.shape[0]} and {n}x{m})"
            )
        return apply(VM, (input, other))
    return _stacked(input, other)


def _stacked(input: Tensor, other: Tensor) -> Any:
    try:
        return apply(STACKED, (input, other))
    except ValueError:
        a, b = input._array.shape, other._array.shape
        inner = a[-1], b[-2] if len(b) > 1 else b[0]
        if inner[0] == inner[1]:
            broadcast(a[:-2], b[:-2])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, a))} and {'x'.join(map(str, b))})"
        ) from None


def _matmul_operator(self: Tensor, other: Any) -> Any:
    if isinstance(other, Tensor) and other._face is Tensor is self._face:
        x, y = self._array, other._array
        if x.ndim == 2 == y.ndim and x.dtype is y.dtype and x.shape[1] == y.shape[0]:
            return binary(MM, self, other)
    if isinstance(other, np.ndarray):
        other = Tensor._of(other)
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _matmul_reflected(self: Tensor, other: Any) -> Any:
    return matmul(Tensor._of(other), self) if isinstance(other, np.ndarray) else NotImplemented


attach("__matmul__", _matmul_operator)
attach("__rmatmul__", _matmul_reflected)


@function()
def mm(input: Tensor, mat2: Tensor) -> Any:
    """The product of two matrices: ``(m, n), (n, k) -> (m, k)``."""
    require_tensor("mm", mat2, "mat2", 2)
    _rank(input, 2, "self must be a matrix")
    _rank(mat2, 2, "mat2 must be a matrix")
    _shapes_fit(input, mat2)
    same_type("mm", input, mat2)
    check_kind("mm", input._array.dtype)
    return binary(MM, input, mat2)


@function()
def mv(input: Tensor, vec: Tensor) -> Any:
    """The product of a matrix and a vector: ``(m, n), (n) -> (m)``."""
    require_tensor("mv", vec, "vec", 2)
    if input._array.ndim != 2 or vec._array.ndim != 1:
        raise RuntimeError(
            f"vector + matrix @ vector expected, got 1, {input._array.ndim}, {vec._array.ndim}"
        )
    m, n = input._array.shape
    if n != vec._array.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({m}), mat ({m}x{n}), vec ({vec._array.shape[0]})")
    same_type("mv", input, vec)
    check_kind("mv", input._array.dtype)
    return apply(MV, (input, vec))


@function()
def bmm(input: Tensor, mat2: Tensor) -> Any:
    """The products of the matrices in two stacks of the same length.

    Shapes: ``(b, m, n), (b, n, k) -> (b, m, k)``.
    """
    _rank(input, 3, "batch1 must be a 3D tensor")
    _rank(mat2, 3, "batch2 must be a 3D tensor")
    (b, _, k), got = input._array.shape, mat2._array.shape
    if got[:2] != (b, k):
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{b}, {k}] but got: "
            f"[{got[0]}, {got[1]}]."
        )
    same_type("bmm", input, mat2)
    check_kind("bmm", input._array.dtype)
    return apply(BMM, (input, mat2))


@function()
def dot(input: Tensor, tensor: Tensor) -> Any:
    """The sum of the products of two vectors' elements: ``(n), (n) -> ()``."""
    _vectors("dot", input, tensor)
    return apply(DOT, (input, tensor))


def _vectors(name: str, input: Tensor, other: Tensor) -> None:
    require_tensor(name, other, "tensor", 2)
    x, y = input._array, other._array
    if x.ndim != 1 or y.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    same_type("dot", input, other)
    check_kind("dot", x.dtype)
    if x.size != y.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same "
            f"number of elements, but got {x.size} and {y.size} elements respectively"
        )


@function()
def vdot(input: Tensor, other: Tensor) -> Any:
    """``dot`` with the conjugate of the first vector: ``(n), (n) -> ()``."""
    _vectors("vdot", input, other)
    return apply(VDOT, (input, other))


@function()
def inner(input: Any, other: Tensor) -> Any:
    """The sums of products along the last dimensions.

    Shapes: ``(a, b, n), (c, n) -> (a, b, c)``, ``(n), (n) -> ()``.
    """
    if 0 in (input._array.ndim, other._array.ndim):
        return input * other
    if input._array.dtype != other._array.dtype and not state.rules:
        raise RuntimeError("both inputs should have same dtype")
    check_kind("dot", input._array.dtype)
    if input._array.shape[-1] != other._array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input._array.shape)} and {list(other._array.shape)}"
        )
    return apply(INNER, (input, other))


@function("outer", "ger")
def outer(input: Tensor, vec2: Tensor) -> Any:
    """Every element of a vector times every element of another: ``(m), (n) -> (m, n)``."""
    for argument, t in (("self", input), ("vec2", vec2)):
        if t._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {argument}, but got {t._array.ndim}-D")
    return input.reshape(-1, 1) * vec2


@function()
def kron(input: Tensor, other: Tensor) -> Any:
    """The Kronecker product: ``(a, b), (c, d) -> (a * c, b * d)``."""
    require_tensor("kron", other, "other", 2)
    return apply(KRON, (input, other))


@function()
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Any:
    """The cross products of the vectors along ``dim``, which has length 3 (by default the first that has).

    Shapes: ``(..., 3), (..., 3) -> (..., 3)``; all ``...`` broadcast.
    """
    if dim is None:
        shape = input._array.shape
        if 3 not in shape:
            raise RuntimeError("no dimension of size 3 in input")
        dim = shape.index(3)
    return apply(CROSS, (input, other), {"axis": axis_of(input._array.ndim, dim)})


def vecdot(x: Any, y: Tensor, *, dim: int = -1) -> Any:
    """``sum(conj(x) * y, dim)``. Shapes: ``(..., n), (..., n) -> (...)``; all ``...`` broadcast."""
    for t in (x, y):
        if t._array.dtype.kind not in "fc":
            raise RuntimeError("linalg.vecdot: Expected a floating point or complex tensor as input.")
    if x._array.ndim == y._array.ndim == 1 and x._array.shape != y._array.shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor {list(x._array.shape)} and src "
            f"{list(y._array.shape)} to have the same number of elements, but got {x._array.size} and "
            f"{y._array.size} elements respectively"
        )
    return ((x.conj() if x._array.dtype.kind == "c" else x) * y).sum(dim)


@function(method=False)
def einsum(equation: Any, *operands: Any) -> Any:
    """Sums of products, by Einstein's convention: a length for each letter.

    Shapes: ``equation='bij,bjk->bik'``: ``(b, i, j), (b, j, k) -> (b, i, k)``.

    >>> import ast_ad
    >>> ast_ad.einsum("i,i->", ast_ad.ones(3), ast_ad.ones(3))
    tensor(3.)
    """
    if not isinstance(equation, str):
        parts = (equation, *operands)
        tensors = parts[: len(parts) // 2 * 2 : 2]
        return apply(EINSUM, (_lettered(_from_sublists(parts), tensors), *tensors))
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    return apply(EINSUM, (_lettered(equation, operands), *operands))


def _lettered(equation: str, operands: Sequence[Any]) -> str:
    """The equation without spaces; dots that the result lacks are letters, which are summed over."""
    text = equation.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    if not arrow or "..." in result or "..." not in inputs:
        return text
    terms = inputs.split(",")
    unused = [c for c in LETTERS if c not in text]
    counts = [t._array.ndim - len(term.replace("...", "")) for term, t in zip(terms, operands, strict=True)]
    most = max(n for n, term in zip(counts, terms, strict=True) if "..." in term)
    if most > len(unused):
        raise RuntimeError("einsum(): too many dimensions for the letters that are left")
    filled = [
        term.replace("...", "".join(unused[most - n : most])) if "..." in term else term
        for n, term in zip(counts, terms, strict=True)
    ]
    return ",".join(filled) + "->" + result


LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _from_sublists(parts: Sequence[Any]) -> str:
    """An equation from operands that are each followed by a list of numbers."""

    def text(numbers: Sequence[Any]) -> str:
        return "".join("..." if n is Ellipsis else LETTERS[n] for n in numbers)

    inputs = ",".join(text(numbers) for numbers in parts[1 : len(parts) // 2 * 2 : 2])
    return inputs + ("->" + text(parts[-1]) if len(parts) % 2 else "")


@function(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2) -> Any:
    """Sums of products over dimensions: the last ``dims`` of ``a`` and the first of ``b``, or two lists.

    Shapes: ``dims=2``: ``(a, b, c), (b, c, d) -> (a, d)``; ``dims=((0,), (1,))``:
    ``(a, b, c), (d, a) -> (b, c, d)``.
    """
    if isinstance(dims, Tensor):
        dims = dims._array.tolist()
    first, second = _contracted(a, b, dims)
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    for i, j in zip(first, second, strict=True):
        n, m = a._array.shape[i], b._array.shape[j]
        if n != m and 1 not in (n, m):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {n} in dim {i} and second has size "
                f"{m} in dim {j}"
            )
        if n != m:  # a dimension of length 1 stands for all
            a, b = (a.sum(i, keepdim=True), b) if m == 1 else (a, b.sum(j, keepdim=True))
    return apply(TENSORDOT, (a, b), {"axes": (first, second)})


def _contracted(a: Tensor, b: Tensor, dims: Any) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The dimensions of both to sum over."""
    ranks = a._array.ndim, b._array.ndim
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(ranks):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        return tuple(range(ranks[0] - dims, ranks[0])), tuple(range(dims))
    given = [(d,) if isinstance(d, int) else tuple(d) for d in dims]
    if len(given[0]) != len(given[1]):
        raise RuntimeError("both dimension lists should have same length")
    found = [tuple(axis_of(rank, d) for d in each) for rank, each in zip(ranks, given, strict=True)]
    for each in found:
        axes_of(max(ranks), each)
    return found[0], found[1]


@function("chain_matmul", method=False)
def chain_matmul(*matrices: Any) -> Any:
    """The product of several matrices, in the order that takes the fewest operations.

    Shapes: ``(a, b), (b, c), (c, d) -> (a, d)``.
    """
    tensors = (
        list(matrices[0]) if len(matrices) == 1 and not isinstance(matrices[0], Tensor) else list(matrices)
    )
    for i, t in enumerate(tensors):
        if t._array.ndim != 2:
            raise RuntimeError(f"Tensor {i} must be 2D, but got {t._array.ndim}D")
    return tensors[0] if len(tensors) == 1 else apply(MULTI_DOT, (tensors,))
