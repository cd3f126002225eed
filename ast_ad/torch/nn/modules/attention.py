"""Which layer lets each element of a sequence look at the others? Attention with several heads."""

from __future__ import annotations

from typing import Any

from ....eager.operations.creation import empty
from ....eager.tensor import Tensor
from .. import init
from ..functional.attention import multi_head_attention_forward
from ..parameter import Parameter
from .linear import Linear
from .module import Module

__all__ = ["MultiheadAttention"]


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer under the name that PyTorch's attention shows for its last one."""


class MultiheadAttention(Module):
    """Attention (Vaswani et al. 2017) by several heads, each on its own projection of the inputs.

    Shapes: ``(T, N, embed_dim), (S, N, embed_dim), (S, N, embed_dim) -> (T, N, embed_dim), (N, T, S)``;
    ``batch_first=True``:
    ``(N, T, embed_dim), (N, S, embed_dim), (N, S, embed_dim) -> (N, T, embed_dim), (N, T, S)``; ``N`` may be
    missing.

    Args:
        embed_dim: the length of the last dimension of queries and results.
        num_heads: how many heads share it.
        dropout: with which probability a weight is zeroed in training.
        bias: whether projections have biases.
        add_bias_kv: whether a learned key and value are added to the others.
        add_zero_attn: whether a key and value of zeros are added.
        kdim: the length of the last dimension of keys, ``embed_dim`` if None.
        vdim: the length of the last dimension of values, ``embed_dim`` if None.
        batch_first: whether the dimension of the batch comes first, not second.

    >>> import ast_ad
    >>> attention = MultiheadAttention(8, 2)
    >>> x = ast_ad.ones(4, 3, 8)
    >>> out, weights = attention(x, x, x)
    >>> out.shape, weights.shape
    (torch.Size([4, 3, 8]), torch.Size([3, 4, 4]))
    """

    __constants__ = ["batch_first"]
    bias_k: Any
    bias_v: Any

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True,
        add_bias_kv: bool = False, add_zero_attn: bool = False, kdim: int | None = None,
        vdim: int | None = None, batch_first: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads="
                f"{num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads, self.dropout, self.batch_first = num_heads, dropout, batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self._add_projections(dtype)
        bias_shape = 3 * embed_dim
        self.register_parameter("in_proj_bias", Parameter(empty(bias_shape, dtype=dtype)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, dtype=dtype)
        self.bias_k = Parameter(empty(1, 1, embed_dim, dtype=dtype)) if add_bias_kv else None
        self.bias_v = Parameter(empty(1, 1, embed_dim, dtype=dtype)) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _add_projections(self, dtype: Any) -> None:
        """One weight for queries, keys and values, or three if these differ in length."""
        width = self.embed_dim
        separate = {"q_proj_weight": width, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(empty(3 * width, width, dtype=dtype))
            for name in separate:
                self.register_parameter(name, None)
            return
        for name, length in separate.items():
            setattr(self, name, Parameter(empty(width, length, dtype=dtype)))
        self.register_parameter("in_proj_weight", None)

    def _reset_parameters(self) -> None:
        names = ["in_proj_weight"] if self._qkv_same_embed_dim else [f"{x}_proj_weight" for x in "qkv"]
        for name in names:
            init.xavier_uniform_(getattr(self, name))
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"_qkv_same_embed_dim": True, **state})

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
        need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:  # fmt: skip
        """What each query gets from the values, and with which weights.

        Args:
            query: ``(targets, batch, embed_dim)``, or without a batch ``(targets, embed_dim)``.
            key: ``(sources, batch, kdim)``.
            value: ``(sources, batch, vdim)``.
            key_padding_mask: ``(batch, sources)``: True for sources that are not used, or numbers that are
                added to their scores.
            need_weights: whether weights are returned; without them it is faster.
            attn_mask: ``(targets, sources)`` or ``(batch * num_heads, targets, sources)``, as the other mask.
            average_attn_weights: whether to return the mean of the heads' weights.
            is_causal: a hint that ``attn_mask`` allows sources up to the target's own place.

        Raises:
            AssertionError, RuntimeError: shapes or dtypes do not fit.
        """
        swap = self.batch_first and query.dim() == 3 == key.dim() == value.dim()
        if swap:
            q = query.transpose(0, 1)
            k = q if key is query else key.transpose(0, 1)
            query, key, value = q, k, k if value is key else value.transpose(0, 1)
        separate: dict[str, Any] = {}
        if not self._qkv_same_embed_dim:
            separate = {f"{x}_proj_weight": getattr(self, f"{x}_proj_weight") for x in "qkv"}
        out, weights = multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias,
            self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight,
            self.out_proj.bias, training=self.training, key_padding_mask=key_padding_mask,
            need_weights=need_weights, attn_mask=attn_mask, average_attn_weights=average_attn_weights,
            is_causal=is_causal, use_separate_proj_weight=bool(separate), **separate,
        )  # fmt: skip
        return out.transpose(0, 1) if swap else out, weights
