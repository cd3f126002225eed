"""How does attention differentiate? As one operation, whose second result are the weights that it used.

Vaswani et al., "Attention is all you need" (2017). A row of weights whose keys are all masked is zero.

Index: attention scaled_dot_product_attention.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..helpers import mT, unbroadcast
from ..numpy.gather import refuse
from ..registry import program, vjp


def scale_of(query: Any, scale: float | None) -> float:
    """The factor of the scores: one over the root of the length of a query, unless it is given."""
    return 1 / math.sqrt(np.shape(query)[-1]) if scale is None else scale


def masked(scores: Any, mask: Any, is_causal: bool) -> None:
    """Let scores of keys that must not be used be ``-inf``; a mask of numbers is added. In place."""
    if mask is not None and mask.dtype == bool:
        np.copyto(scores, -np.inf, where=np.logical_not(mask))
    elif mask is not None:
        scores += mask
    if is_causal:
        np.copyto(scores, -np.inf, where=np.triu(np.ones(scores.shape[-2:], bool), 1))


def attention(
    query: Any, key: Any, value: Any, mask: Any = None, kept: Any = None, is_causal: bool = False,
    scale: float | None = None,
) -> Any:  # fmt: skip
    """``softmax(scale * query @ key.T + mask) @ value``, and the weights, which are that softmax.

    Args:
        query: of shape ``(..., targets, width)``.
        key: of shape ``(..., sources, width)``.
        value: of shape ``(..., sources, width of the result)``.
        mask: numbers that are added to the scores, or booleans: which of the sources each target may use.
        kept: factors of the weights before they meet the values (of a dropout).
        is_causal: whether each target may use sources up to its own place only.
        scale: ``1 / sqrt(width)`` if None.

    >>> out, weights = attention(np.zeros((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]]))
    >>> out, weights
    (array([[2.]]), array([[0.5, 0.5]]))
    """
    scores = np.matmul(query * query.dtype.type(scale_of(query, scale)), np.swapaxes(key, -1, -2))
    if mask is not None and mask.ndim > scores.ndim:
        scores = np.broadcast_to(scores, np.broadcast_shapes(scores.shape, mask.shape)).copy()
    masked(scores, mask, is_causal)
    largest = np.max(scores, axis=-1, keepdims=True, initial=-np.inf)
    largest[np.isneginf(largest)] = 0
    scores -= largest
    weights = np.exp(scores, out=scores)
    total = np.sum(weights, axis=-1, keepdims=True)
    total[total == 0] = 1
    weights /= total
    return np.matmul(weights if kept is None else weights * kept, value), weights


@vjp(attention)
def attention_rule(g, ans, query, key, value, mask=None, kept=None, is_causal=False, scale=None):
    (g_out, g_weights), (_, weights) = g, ans
    g_used = g_out @ mT(value)
    used = weights if kept is None else weights * kept
    g_all = g_weights + (g_used if kept is None else g_used * kept)
    g_scores = weights * (g_all - np.sum(g_all * weights, axis=-1, keepdims=True))
    factor = scale_of(query, scale)
    g_query = unbroadcast((g_scores @ key) * factor, query)
    g_key = unbroadcast((mT(g_scores) @ query) * factor, key)
    g_value = unbroadcast(mT(used) @ g_out, value)
    g_mask = None if mask is None else unbroadcast(g_scores, mask)
    g_kept = None if kept is None else unbroadcast(g_used * weights, kept)
    return g_query, g_key, g_value, g_mask, g_kept


@program
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """The result of ``attention``; ``enable_gqa``: several heads of queries share a head of keys and values.

    >>> scaled_dot_product_attention(np.zeros((1, 2)), np.ones((2, 2)), np.array([[1.0], [3.0]]))
    array([[2.]])
    """
    if dropout_p > 0:
        refuse("dropout in the attention of arrays", "an array function draws no random numbers")
    if enable_gqa:
        heads = np.shape(query)[-3]
        key = np.repeat(key, heads // np.shape(key)[-3], axis=-3)
        value = np.repeat(value, heads // np.shape(value)[-3], axis=-3)
    return attention(query, key, value, attn_mask, None, is_causal, scale)[0]
