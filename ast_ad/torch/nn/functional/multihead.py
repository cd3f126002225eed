"""What does attention with several heads consist of? Masks, projections, and the heads side by side."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ....eager.operations.creation import zeros, zeros_like
from ....eager.surface import FUNCTIONS
from ....eager.tensor import Tensor
from .linear import linear

__all__: list[str] = []

NO_MASK = (
    "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
    "`generate_square_subsequent_mask` to create this mask."
)


# ----- masks -----


def canonical_mask(mask: Tensor | None, name: str, other: Tensor | None, other_name: str, dtype: Any) -> Any:
    """A mask as numbers to be added; ``other``: another mask, which should be of the same type."""
    if mask is None:
        return None
    kind = mask._array.dtype.kind
    if kind not in "bf":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    if other is not None and other.dtype != mask.dtype:
        text = (
            f"Support for mismatched {name} and {other_name} is deprecated. Use same type for both instead."
        )
        warnings.warn(text, stacklevel=6)
    return mask if kind == "f" else zeros_like(mask, dtype=dtype).masked_fill_(mask, -math.inf)


def masks_of(
    attn_mask: Tensor | None, padding: Tensor | None, is_causal: bool, need_weights: bool, dtype: Any
) -> tuple[Any, Any, bool]:
    """Both masks as numbers, and whether the first is replaced by its being causal, of which it is told."""
    padding = canonical_mask(padding, "key_padding_mask", attn_mask, "attn_mask", dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError(NO_MASK)
    if is_causal and padding is None and not need_weights:
        return None, None, True
    return canonical_mask(attn_mask, "attn_mask", None, "", dtype), padding, False


# ----- what comes in -----


def check_ranks(query: Tensor, key: Tensor, value: Tensor, padding: Any, mask: Any, num_heads: int) -> bool:
    """Whether there is a dimension for the batch; AssertionError where ranks do not fit."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        )
    kind = "For batched (3-D) `query`" if rank == 3 else "For unbatched (2-D) `query`"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"{kind}, expected `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D "
            "tensors respectively"
        )
    if padding is not None and padding.dim() != rank - 1:
        raise AssertionError(
            f"{kind}, expected `key_padding_mask` to be `None` or {rank - 1}-D but found {padding.dim()}-D "
            "tensor instead"
        )
    if mask is not None and mask.dim() not in (2, 3):
        raise AssertionError(
            f"{kind}, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.dim()}-D tensor instead"
        )
    if rank == 2 and mask is not None and mask.dim() == 3:
        expected = num_heads, query.shape[0], key.shape[0]
        if mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {mask.shape}")
    return rank == 3


def with_batch(query: Tensor, key: Tensor, value: Tensor) -> tuple[Any, Any, Any]:
    """The tensors with a dimension for the batch; what was one tensor stays one."""
    q = query.unsqueeze(1)
    k = q if key is query else key.unsqueeze(1)
    return q, k, k if value is key else value.unsqueeze(1)


def check_widths(
    query: Tensor, key: Tensor, value: Tensor, width: int, num_heads: int, separate: bool
) -> None:
    """Refuse lengths that do not fit."""
    if query.shape[-1] != width:
        raise AssertionError(f"was expecting embedding dimension of {width}, but got {query.shape[-1]}")
    if width % num_heads:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if separate and key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    if not separate and key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def projected(query: Tensor, key: Tensor, value: Tensor, weight: Any, bias: Any) -> tuple[Any, Any, Any]:
    """Queries, keys and values; ``weight``: one for all three below each other, or three of them."""
    width = query.shape[-1]
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if isinstance(weight, tuple):
        weights = weight
        for name, x, w in zip("qkv", (query, key, value), weights, strict=True):
            if w is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
            if w.shape != (width, x.shape[-1]):
                expected = width, x.shape[-1]
                raise AssertionError(f"expecting {name}_proj_weight of shape {expected}, but got {w.shape}")
    elif key is value and query is key:
        q, k, v = linear(query, weight, bias).unflatten(-1, (3, width)).unbind(-2)
        return q, k, v
    elif key is value:
        w_q, w_kv = weight.split([width, 2 * width])
        b_q, b_kv = (None, None) if bias is None else bias.split([width, 2 * width])
        k, v = linear(key, w_kv, b_kv).unflatten(-1, (2, width)).unbind(-2)
        return linear(query, w_q, b_q), k, v
    else:
        weights = weight.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True))
    return q, k, v


# ----- the heads -----


class Heads:
    """Queries, keys and values, ``(length, batch, width)`` each, and their masks.

    ``mask`` has the shape ``(targets, sources)``, or three dimensions with ``batch * heads`` first;
    ``padding`` the shape ``(batch, sources)``.
    """

    def __init__(
        self, projections: tuple[Any, Any, Any], heads: int, mask: Any, padding: Any, is_causal: bool
    ) -> None:
        self.q, self.k, self.v = projections
        self.heads, self.mask, self.padding, self.is_causal = heads, mask, padding, is_causal
        self.targets, self.batch, self.width = self.q.shape
        for t in (self.k, self.v):
            if t.shape[1] != self.batch:
                wanted = [t.shape[0], self.batch * heads, self.width // heads]
                raise RuntimeError(f"shape '{wanted}' is invalid for input of size {t.numel()}")
        if mask is not None:
            self._check_mask(mask, self.k.shape[0])
            self.mask = mask.unsqueeze(0) if mask.dim() == 2 else mask
        if padding is not None:
            for i, n in enumerate((self.batch, self.k.shape[0])):
                if padding.shape[i] != n:
                    raise AssertionError(
                        f"Expected key_padded_mask.shape[{i}] to be {n}, but got {padding.shape[i]}"
                    )

    def _check_mask(self, mask: Tensor, sources: int) -> None:
        shapes = {2: (self.targets, sources), 3: (self.batch * self.heads, self.targets, sources)}
        expected = shapes[mask.dim()]
        if mask.shape != expected:
            raise RuntimeError(
                f"The shape of the {mask.dim()}D attn_mask is {mask.shape}, but should be {expected}."
            )

    def extend(self, bias_k: Any, bias_v: Any, static_k: Any, static_v: Any, add_zero_attn: bool) -> None:
        """Use other keys and values, and add a learned pair of them and a pair of zeros."""
        if bias_k is not None and bias_v is not None:
            if static_k is not None or static_v is not None:
                name = "key" if static_k is not None else "value"
                raise AssertionError(f"bias cannot be added to static {name}.")
            self._append(bias_k.repeat(1, self.batch, 1), bias_v.repeat(1, self.batch, 1))
        elif bias_k is not None or bias_v is not None:
            raise AssertionError("bias_k and bias_v have to be given together")
        rows, depth = self.batch * self.heads, self.width // self.heads
        for name, t in (("static_k", static_k), ("static_v", static_v)):
            if t is None:
                continue
            for i, n in ((0, rows), (2, depth)):
                if t.size(i) != n:
                    raise AssertionError(f"expecting {name}.size({i}) of {n}, but got {t.size(i)}")
            joined = t.unflatten(0, (self.batch, self.heads)).permute(2, 0, 1, 3).flatten(2)
            setattr(self, name[-1], joined)
        if add_zero_attn:
            zero = zeros(1, self.batch, self.width, dtype=self.k.dtype)
            self._append(zero, zero)

    def _append(self, key: Tensor, value: Tensor) -> None:
        """One more source, which no mask forbids."""
        cat = FUNCTIONS["cat"]
        self.k, self.v = cat([self.k, key]), cat([self.v, value])
        for name in ("mask", "padding"):
            mask = getattr(self, name)
            if mask is not None:
                setattr(self, name, cat([mask, zeros(*mask.shape[:-1], 1, dtype=mask.dtype)], -1))

    def split(self, t: Any) -> Any:
        """``(batch, heads, length, depth)``."""
        return t.unflatten(-1, (self.heads, self.width // self.heads)).permute(1, 2, 0, 3)

    def _whole_mask(self) -> Any:
        """Both masks together, for three dimensions."""
        if self.padding is None:
            return self.mask
        sources = self.k.shape[0]
        padding = self.padding.view(self.batch, 1, 1, sources).expand(-1, self.heads, -1, -1)
        padding = padding.reshape(self.batch * self.heads, 1, sources)
        return padding if self.mask is None else self.mask + padding

    def fused_mask(self) -> Any:
        """Both masks together, for four dimensions."""
        mask = self._whole_mask()
        if mask is None:
            return None
        return mask.unsqueeze(0) if mask.size(0) == 1 else mask.unflatten(0, (self.batch, self.heads))

    def weighted(self, dropout_p: float) -> tuple[Any, Any]:
        """The results, ``(targets, batch * heads, depth)``, and the weights that led to them."""
        q, k, v = (self.split(t).flatten(0, 1) for t in (self.q, self.k, self.v))
        q, mask = q * math.sqrt(1.0 / q.shape[-1]), self._whole_mask()
        across = k.transpose(-2, -1)
        scores = q.bmm(across) if mask is None else FUNCTIONS["baddbmm"](mask, q, across)
        used = scores.softmax(-1)
        if dropout_p > 0:
            used = FUNCTIONS["dropout"](used, dropout_p, True)
        return used.bmm(v).transpose(0, 1), used
