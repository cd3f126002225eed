"""How does attention run on tensors? The plain one as one operation, and the one with several heads."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....eager.checks import broadcast
from ....eager.dispatch import Operation, apply
from ....eager.dtypes import cpp_name, scalar_name
from ....eager.operations.pointwise import require_tensors
from ....eager.operations.randomness import generator
from ....eager.recording import is_active
from ....eager.tensor import Tensor
from ....rules.networks import attention as rules
from .linear import linear
from .multihead import Heads, check_ranks, check_widths, masks_of, projected, with_batch
from .surface import functional

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]

_SAVED = ("query", "key", "value", "attn_mask")
FUSED = Operation(rules.attention, "ScaledDotProductFlashAttentionForCpuBackward0", _SAVED)
PLAIN = {
    2: Operation(rules.attention, "MmBackward0", _SAVED),
    3: Operation(rules.attention, "UnsafeViewBackward0", _SAVED),
}
for _op in PLAIN.values():
    _op.results = ("", "weights")  # the first result is not read: it may be changed in place


@functional(rules.scaled_dot_product_attention)
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """``softmax(scale * query @ key.T + attn_mask) @ value``, for each element of the leading dimensions.

    Shapes: ``(..., T, E), (..., S, E), (..., S, V) -> (..., T, V)``; all ``...`` broadcast.

    Args:
        query: of shape ``(..., heads, targets, width)``.
        key: of shape ``(..., heads, sources, width)``.
        value: of shape ``(..., heads, sources, width of the result)``.
        attn_mask: numbers that are added to the scores, or booleans: which sources each target may use. What
            may use none gets zeros.
        dropout_p: with which probability a weight is zeroed, also outside of training.
        is_causal: whether each target may use sources up to its own place only.
        scale: ``1 / sqrt(width)`` if None.
        enable_gqa: whether several heads of queries share a head of keys and values.

    Raises:
        RuntimeError: the shapes or the dtypes do not fit.

    >>> import ast_ad
    >>> scaled_dot_product_attention(ast_ad.zeros(1, 2), ast_ad.ones(2, 2), ast_ad.tensor([[1.0], [3.0]]))
    tensor([[2.]])
    """
    require_tensors("scaled_dot_product_attention", query=query, key=key, value=value)
    _check(query, key, value, attn_mask, dropout_p)
    fused = query.dim() == 4 and not dropout_p and not is_active(attn_mask)
    if is_causal and attn_mask is not None and not fused:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
        )
    if enable_gqa:
        key, value = _shared(key, query), _shared(value, query)
    _check_lengths(query, key, value, attn_mask)
    op = FUSED if fused else PLAIN.get(query.dim(), PLAIN[3])
    args = query, key, value, attn_mask, _kept(query, key, dropout_p)
    how = {"is_causal": True} if is_causal else {}
    return apply(op, args, how if scale is None else {**how, "scale": float(scale)})[0]


def _check(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, dropout_p: float) -> None:
    """Refuse ranks and dtypes that do not fit, as PyTorch words it."""
    q, k, v = query._array, key._array, value._array
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{q.ndim} key.dim: {k.ndim} and value.dim: {v.ndim} instead."
        )
    if not q.dtype == k.dtype == v.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{cpp_name(q.dtype)} key.dtype: {cpp_name(k.dtype)} and value.dtype: {cpp_name(v.dtype)} "
            "instead."
        )
    if q.dtype.kind not in "fc":
        raise RuntimeError(f"expected scalar type Float but found {scalar_name(q.dtype)}")
    if mask is not None and mask._array.dtype not in (np.bool_, q.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{cpp_name(mask._array.dtype)} and  query.dtype: {cpp_name(q.dtype)} instead."
        )
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")


def _check_lengths(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> None:
    """Refuse shapes that do not fit, as PyTorch words it."""
    q, k, v = query._array.shape, key._array.shape, value._array.shape
    if q[-1] != k[-1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{math.prod(q[:-2])}, {q[-1]}] "
            f"but got: [{math.prod(k[:-2])}, {k[-1]}]."
        )
    if k[-2] != v[-2]:
        raise RuntimeError(f"Expected key and value to have the same length, but got {k[-2]} and {v[-2]}")
    scores = (*broadcast(q[:-2], k[:-2]), q[-2], k[-2])
    broadcast(scores[:-2], v[:-2])
    if mask is not None:
        broadcast(scores, mask._array.shape)


def _shared(t: Tensor, query: Tensor) -> Any:
    """Keys or values, repeated for each head of queries that uses them."""
    heads, own = query._array.shape[-3], t._array.shape[-3]
    if heads % own:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    return t if heads == own else t.repeat_interleave(heads // own, -3)


def _kept(query: Tensor, key: Tensor, p: float) -> Tensor | None:
    """The factors of the weights: 0 with probability ``p``, else ``1 / (1 - p)``."""
    if not p:
        return None
    q, k = query._array, key._array
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    factor = q.dtype.type(0 if p == 1 else 1 / (1 - p))
    kept: Tensor = Tensor._of((generator(None).random(shape, np.float32) >= p) * factor)
    return kept


# ----- with several heads -----


def multi_head_attention_forward(
    query: Tensor, key: Tensor, value: Tensor, embed_dim_to_check: int, num_heads: int,
    in_proj_weight: Tensor | None, in_proj_bias: Tensor | None, bias_k: Tensor | None, bias_v: Tensor | None,
    add_zero_attn: bool, dropout_p: float, out_proj_weight: Tensor, out_proj_bias: Tensor | None,
    training: bool = True, key_padding_mask: Tensor | None = None, need_weights: bool = True,
    attn_mask: Tensor | None = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None, k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None, static_k: Tensor | None = None, static_v: Tensor | None = None,
    average_attn_weights: bool = True, is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """What ``nn.MultiheadAttention`` computes, with its parameters as arguments.

    Shapes: ``(T, N, E), (S, N, E), (S, N, E) -> (T, N, E), (N, T, S)``; ``average_attn_weights=False``:
    ``(T, N, E), (S, N, E), (S, N, E) -> (T, N, E), (N, H, T, S)``; ``N`` may be missing.

    Returns:
        The result, of shape ``(targets, batch, embed_dim)``, and the weights, ``(batch, targets, sources)``,
        with a dimension for the heads unless they are averaged; None without ``need_weights``.

    Raises:
        AssertionError, RuntimeError: shapes or dtypes do not fit.
    """
    batched = check_ranks(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = with_batch(query, key, value)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    check_widths(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    masks = masks_of(attn_mask, key_padding_mask, is_causal, need_weights, query.dtype)
    weights = in_proj_weight
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)  # type: ignore[assignment]
    heads = Heads(projected(query, key, value, weights, in_proj_bias), num_heads, *masks)
    heads.extend(bias_k, bias_v, static_k, static_v, add_zero_attn)
    dropout_p = dropout_p if training else 0.0
    targets, batch, width = query.shape
    if need_weights:
        out, used = heads.weighted(dropout_p)
        used = used.view(batch, num_heads, targets, used.shape[-1])
        used = used.mean(dim=1) if average_attn_weights else used
    else:
        q, k, v = (heads.split(x) for x in (heads.q, heads.k, heads.v))
        out = scaled_dot_product_attention(q, k, v, heads.fused_mask(), dropout_p, heads.is_causal)
        out, used = out.permute(2, 0, 1, 3), None
    out = linear(out.reshape(targets * batch, width), out_proj_weight, out_proj_bias)
    out = out.view(targets, batch, out.size(1))
    if batched:
        return out, used
    return out.squeeze(1), None if used is None else used.squeeze(0)
