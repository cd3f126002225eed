"""How do linear layers run on tensors? One product of matrices, recorded as PyTorch records it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....eager.dispatch import Operation, apply
from ....eager.dtypes import cpp_name, scalar_name
from ....eager.node import next_number
from ....eager.operations.added_products import check_expansion
from ....eager.operations.pointwise import require_tensor, require_tensors
from ....eager.operations.shapes import UNSAFE_VIEW, T
from ....eager.recording import needs_grad
from ....eager.state import restore, silence, state, watch
from ....eager.tensor import Tensor
from ....eager.views import edge_of
from ....rules.networks import linear as rules
from .surface import functional

__all__ = ["bilinear", "linear"]

AFFINE = Operation(rules.affine, "AddmmBackward0", ("self", "mat1", "mat2"))
TRILINEAR = Operation(rules.trilinear, "TrilinearBackward0", ("i1", "i2", "i3"))
_new = object.__new__
_FLAGS = [(i & 1 > 0, i & 2 > 0, i & 4 > 0) for i in range(8)]
_plans: list[Any] = [None] * 8
_transposing: list[Any] = []


@functional(rules.linear)
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """``input @ weight.T + bias``.

    Shapes: ``(..., I), (O, I), (O) -> (..., O)``, ``(..., I), (I) -> (...)``.

    Args:
        input: of shape ``(*, in_features)``.
        weight: of shape ``(out_features, in_features)``, or ``(in_features,)``.
        bias: of shape ``(out_features,)``, or None.

    Returns:
        A tensor of shape ``(*, out_features)``; ``(*)`` for a weight that is a vector.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    >>> import ast_ad
    >>> linear(ast_ad.ones(2), ast_ad.tensor([[1.0, 2.0]]), ast_ad.tensor([0.5]))
    tensor([3.5000])
    """
    if bias is not None and input.__class__ is Tensor and isinstance(weight, Tensor):
        x, w, b = input._array, weight._array, bias._array
        if (
            x.ndim == 2 == w.ndim
            and x.dtype is w.dtype is b.dtype
            and x.dtype.kind == "f"
            and x.shape[1] == w.shape[1]
            and b.shape == w.shape[:1]
            and watch.profiler is None
            and (not state.grad or _is_plain(input, weight))
        ):
            return _affine(input, weight, bias, x, w, b)
    return _any_linear(input, weight, bias)


def _is_plain(input: Tensor, weight: Tensor) -> bool:
    """Whether nothing looks on, and what is saved may be."""
    return state.ordinary and not watch.anomaly and not input._inference and not weight._inference


def _affine(input: Tensor, weight: Tensor, bias: Tensor, x: Any, w: Any, b: Any) -> Tensor:
    """The layer of two matrices and a vector, recorded in the fewest steps."""
    turned = w.T
    token = silence()
    try:
        out = x @ turned
        out += b
    finally:
        restore(token)
    t: Tensor = Tensor._of(out)
    if not state.grad:
        return t
    flags = needs_grad(bias) + 2 * needs_grad(input) + 4 * needs_grad(weight)
    if not flags:
        return t
    plan = _plans[flags]
    if plan is None:
        plan = _plans[flags] = AFFINE.plan(_FLAGS[flags], (), False, False)
    of_bias = edge_of(bias) if flags & 1 else (None, 0)
    of_input = edge_of(input) if flags & 2 else (None, 0)
    transpose, of_weight = None, (None, 0)
    if flags & 4:
        transpose = _transpose_node(weight, turned)
        of_weight = (transpose, 0)
    node = AFFINE.node()
    node.slice, node._meta = plan, (out.shape, out.dtype)
    node._edges = edges = (of_bias, of_input, of_weight)
    node._live = edges if flags == 7 else tuple([e for e in edges if e[0] is not None])
    _save(node, flags, input, weight, transpose, (None, b, x if flags & 4 else None, turned))
    node._number = next_number()
    t._node, t._requires_grad = node, True
    return t


def _transpose_node(weight: Tensor, turned: np.ndarray) -> Any:
    """The node of ``weight.t()``."""
    if not _transposing:
        _transposing.append(T.plan((True,), (), False, False))
    node = T.node()
    node.slice, node.values, node.quick = _transposing[0], (None, None), True
    node._meta = turned.shape, turned.dtype
    node._live = node._edges = (edge_of(weight),)
    node._number = next_number()
    return node


def _save(node: Any, flags: int, input: Tensor, weight: Tensor, transpose: Any, values: Any) -> None:
    """Keep the input for the weight's gradient, and the transposed weight for the input's."""
    node.values = values
    if not flags & 6:
        return
    of_input = input._version_counter if flags & 4 else None
    of_weight = owner = None
    if flags & 2:
        of_weight = weight._version_counter
        owner = _new(Tensor)
        owner._array, owner._version_counter = values[3], of_weight
        if transpose is not None:
            owner._node, owner._requires_grad = transpose, True
    else:
        node.values = (*values[:3], None)
    node.owners, node.frees = (None, None, input if flags & 4 else None, owner), True
    if (of_input is None or not of_input[0]) and (of_weight is None or not of_weight[0]):
        node.checks, node.quick = (None, None, of_input, of_weight), True
        return
    found = ((2, of_input), (3, of_weight))
    node.checks = [(i, counter, counter[0]) for i, counter in found if counter is not None]


# ----- the general way


def _any_linear(input: Tensor, weight: Tensor, bias: Tensor | None) -> Any:
    """The layer, of arguments of any rank and type."""
    require_tensor("linear", input)
    require_tensor("linear", weight, "weight", 2)
    if bias is not None:
        require_tensor("linear", bias, "bias", 3)
    m, n = input._array.ndim, weight._array.ndim
    if not m or not n:
        raise RuntimeError(f"both arguments to linear need to be at least 1D, but they are {m}D and {n}D")
    if n == 1 and bias is not None:
        raise RuntimeError("mat2 must be a matrix, got 1-D tensor")
    shape = input._array.shape
    flat = input if m == 2 or n == 1 else input.reshape(-1, shape[-1])
    _check(flat, weight, bias)
    turned = weight.t()
    if bias is not None:
        out = apply(AFFINE, (bias, flat, turned))
        return out if m == 2 else out.view(*shape[:-1], weight._array.shape[0])
    if m < 3 or n == 1:
        return input.matmul(turned)
    return apply(UNSAFE_VIEW, (flat.mm(turned), (*shape[:-1], weight._array.shape[0])))._without_view()


def _check(flat: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    """Refuse shapes and dtypes that do not fit, as PyTorch words it."""
    x, w = flat._array, weight._array
    if w.ndim == 2 and x.ndim == 2 and x.shape[1] != w.shape[1]:
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and "
            f"{w.shape[1]}x{w.shape[0]})"
        )
    if x.dtype != w.dtype and bias is None:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {cpp_name(x.dtype)} != {cpp_name(w.dtype)}"
        )
    if bias is None:
        return
    b = bias._array
    if x.dtype != w.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {scalar_name(x.dtype)} and "
            f"{scalar_name(w.dtype)}"
        )
    if b.dtype != w.dtype:
        raise RuntimeError(
            f"self and mat2 must have the same dtype, but got {scalar_name(b.dtype)} and "
            f"{scalar_name(w.dtype)}"
        )
    check_expansion(bias, (x.shape[0], w.shape[0]))


@functional(rules.bilinear)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """``sum(input1[i] * weight[k, i, j] * input2[j]) + bias[k]`` for each pair of vectors.

    Shapes: ``(..., I), (..., J), (O, I, J), (O) -> (..., O)``.

    Args:
        input1: of shape ``(*, in1_features)``.
        input2: of shape ``(*, in2_features)``.
        weight: of shape ``(out_features, in1_features, in2_features)``.
        bias: of shape ``(out_features,)``, or None.

    >>> import ast_ad
    >>> bilinear(ast_ad.ones(1, 2), ast_ad.ones(1, 3), ast_ad.ones(1, 2, 3))
    tensor([[6.]])
    """
    require_tensors("bilinear", input1=input1, input2=input2, weight=weight)
    x, y, w = input1._array, input2._array, weight._array
    if x.ndim != y.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {x.ndim} and {y.ndim}")
    for i, (m, n) in enumerate(zip(x.shape[:-1], y.shape[:-1], strict=True)):
        if m != n:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {i}: got {m} and {n}")
    for k, t in ((1, x), (2, y)):
        if t.shape[-1] != w.shape[k]:
            raise RuntimeError(
                f"bilinear(): input{k} size does not match weight size: got {t.shape[-1]} but expected "
                f"{w.shape[k]}"
            )
    if bias is not None and bias._array.shape[0] != w.shape[0]:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias._array.shape[0]} but expected "
            f"{w.shape[0]}"
        )
    flat = [t.reshape(-1, t._array.shape[-1]) for t in (input1, input2)]
    out = apply(TRILINEAR, (flat[0], weight, flat[1])).reshape(*x.shape[:-1], w.shape[0])
    return out if bias is None else out + bias
