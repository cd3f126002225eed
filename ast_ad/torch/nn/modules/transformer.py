"""Which networks consist of attention? The transformer, its encoder and decoder, and their layers."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from ....eager.operations.creation import full
from ....eager.tensor import Tensor
from .. import init
from ..functional.activations import gelu, relu
from ..functional.multihead import canonical_mask
from .attention import MultiheadAttention
from .containers import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

Activation = str | Callable[[Tensor], Tensor]


def _activation(given: Activation) -> Any:
    named: dict[Any, Any] = {"relu": relu, "gelu": gelu}
    if not isinstance(given, str):
        return given
    if given not in named:
        raise RuntimeError(f"activation should be relu/gelu, not {given}")
    return named[given]


def _causal_mask(size: int, dtype: Any = None) -> Any:
    return full((size, size), -math.inf, dtype=dtype).triu(1)


def _is_causal(mask: Tensor | None, is_causal: bool | None, size: int) -> bool:
    """Whether a mask allows what lies before only, as far as it is not said."""
    if is_causal is not None or mask is None:
        return bool(is_causal)
    causal = _causal_mask(size, mask.dtype)
    return bool(mask.size() == causal.size() and (mask == causal).all())


class _Layer(Module):
    """What layers of encoders and decoders have in common: attention, then two linear layers."""

    _attentions: tuple[str, ...]

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
        activation: Activation = relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
        norm_first: bool = False, bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        for name in self._attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, dtype=dtype)
        self.norm_first = norm_first
        places = range(1, len(self._attentions) + 2)
        for i in places:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype))
        for i in places:
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "activation" not in self.__dict__ and "activation" not in self._modules:
            self.activation = relu

    def _around(self, x: Tensor, block: Callable[[Any], Any], i: int) -> Any:
        """``x`` and what a block adds to it; normalised before the block, or after the sum."""
        norm, dropout = getattr(self, f"norm{i}"), getattr(self, f"dropout{i}")
        if self.norm_first:
            return x + dropout(block(norm(x)))
        return norm(x + dropout(block(x)))

    def _feed_forward(self, x: Tensor) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and two linear layers, each with a dropout, a sum and a normalisation after it.

    Shapes: ``(T, N, d_model) -> (T, N, d_model)``; ``batch_first=True``:
    ``(N, T, d_model) -> (N, T, d_model)``; ``N`` may be missing.

    Args:
        d_model: the length of the last dimension of the input.
        nhead: how many heads the attention has.
        dim_feedforward: the length between the linear layers.
        dropout: with which probability elements are zeroed in training.
        activation: "relu", "gelu", or a function, between the linear layers.
        layer_norm_eps: what is added to variances.
        batch_first: whether the dimension of the batch comes first, not second.
        norm_first: whether to normalise before attention and linear layers instead of after the sums.
        bias: whether linear layers and normalisations have biases.

    >>> import ast_ad
    >>> TransformerEncoderLayer(8, 2)(ast_ad.ones(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm_first"]
    _attentions = ("self_attn",)

    def forward(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """The sequence after this layer, in the shape of ``src``.

        Args:
            src: ``(length, batch, d_model)``, or without a batch ``(length, d_model)``.
            src_mask: which elements each element may use, as in ``MultiheadAttention``.
            src_key_padding_mask: ``(batch, length)``: which elements are not used.
            is_causal: a hint that ``src_mask`` allows what lies before only.
        """
        padding = canonical_mask(
            src_key_padding_mask, "src_key_padding_mask", src_mask, "src_mask", src.dtype
        )
        mask = canonical_mask(src_mask, "src_mask", None, "", src.dtype)

        def attend(x: Tensor) -> Any:
            return self.self_attn(
                x, x, x, attn_mask=mask, key_padding_mask=padding, need_weights=False, is_causal=is_causal
            )[0]

        return self._around(self._around(src, attend, 1), self._feed_forward, 2)


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to what an encoder has made, and two linear layers.

    Shapes: ``(T, N, d_model), (S, N, d_model) -> (T, N, d_model)``; ``batch_first=True``:
    ``(N, T, d_model), (N, S, d_model) -> (N, T, d_model)``; ``N`` may be missing.

    The arguments are those of ``TransformerEncoderLayer``.

    >>> import ast_ad
    >>> TransformerDecoderLayer(8, 2)(ast_ad.ones(4, 3, 8), ast_ad.ones(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm_first"]
    _attentions = ("self_attn", "multihead_attn")

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """The sequence after this layer, in the shape of ``tgt``.

        Args:
            tgt: ``(length, batch, d_model)``, or without a batch ``(length, d_model)``.
            memory: what the encoder has made, ``(sources, batch, d_model)``.
            tgt_mask, memory_mask: which elements each element may use, as in ``MultiheadAttention``.
            tgt_key_padding_mask, memory_key_padding_mask: which elements are not used.
            tgt_is_causal, memory_is_causal: hints that a mask allows what lies before only.
        """

        def attend(x: Tensor) -> Any:
            return self.self_attn(
                x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, need_weights=False,
                is_causal=tgt_is_causal,
            )[0]  # fmt: skip

        def look(x: Tensor) -> Any:
            return self.multihead_attn(
                x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask,
                need_weights=False, is_causal=memory_is_causal,
            )[0]  # fmt: skip

        return self._around(self._around(self._around(tgt, attend, 1), look, 2), self._feed_forward, 3)


def _copies(layer: Module, n: int) -> ModuleList:
    return ModuleList([copy.deepcopy(layer) for _ in range(n)])


def _length(x: Tensor, batch_first: bool) -> int:
    return int(x.size(1 if batch_first and x.dim() == 3 else 0))


class TransformerEncoder(Module):
    """Several copies of a layer, one after the other.

    Shapes: ``(T, N, d_model) -> (T, N, d_model)``, as the layer.

    Args:
        encoder_layer: what is copied.
        num_layers: how often.
        norm: a module that follows, or None.
        enable_nested_tensor: kept for its name: there are no nested tensors.
        mask_check: kept for its name too.

    >>> import ast_ad
    >>> encoder = TransformerEncoder(TransformerEncoderLayer(8, 2), 2)
    >>> encoder(ast_ad.ones(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(
        self, encoder_layer: Any, num_layers: int, norm: Module | None = None,
        enable_nested_tensor: bool = True, mask_check: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.layers = _copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.use_nested_tensor, self.mask_check = (
            enable_nested_tensor,
            False,
            mask_check,
        )

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Any:  # fmt: skip
        """The sequence after all layers; the arguments are those of a layer."""
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", mask, "mask", src.dtype)
        mask = canonical_mask(mask, "mask", None, "", src.dtype)
        first = self.layers[0].self_attn
        causal = _is_causal(mask, is_causal, _length(src, first.batch_first))
        out: Any = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(Module):
    """Several copies of a layer, one after the other.

    Shapes: ``(T, N, d_model), (S, N, d_model) -> (T, N, d_model)``, as the layer.

    Args:
        decoder_layer: what is copied.
        num_layers: how often.
        norm: a module that follows, or None.

    >>> import ast_ad
    >>> decoder = TransformerDecoder(TransformerDecoderLayer(8, 2), 2)
    >>> decoder(ast_ad.ones(4, 3, 8), ast_ad.ones(5, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """The sequence after all layers; the arguments are those of a layer."""
        first = self.layers[0].self_attn
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, first.batch_first))
        out: Any = tgt
        for layer in self.layers:
            out = layer(
                out, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal, memory_is_causal=memory_is_causal,
            )  # fmt: skip
        return out if self.norm is None else self.norm(out)


class Transformer(Module):
    """An encoder and a decoder that looks at what the encoder made (Vaswani et al. 2017).

    Shapes: ``(S, N, d_model), (T, N, d_model) -> (T, N, d_model)``; ``batch_first=True``:
    ``(N, S, d_model), (N, T, d_model) -> (N, T, d_model)``; ``N`` may be missing.

    Args:
        d_model: the length of the last dimension of both inputs.
        nhead: how many heads each attention has.
        num_encoder_layers, num_decoder_layers: how many layers there are.
        dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias: those of a layer.
        custom_encoder, custom_decoder: modules in place of the usual ones.

    >>> import ast_ad
    >>> model = Transformer(8, 2, 1, 1, 16)
    >>> model(ast_ad.ones(5, 3, 8), ast_ad.ones(4, 3, 8)).shape
    torch.Size([4, 3, 8])
    """

    def __init__(
        self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
        dim_feedforward: int = 2048, dropout: float = 0.1, activation: Activation = relu,
        custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
        batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        how = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
               bias, device, dtype)  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, dtype=dtype)

        self.encoder = custom_encoder
        if custom_encoder is None:
            self.encoder = TransformerEncoder(TransformerEncoderLayer(*how), num_encoder_layers, norm())
        self.decoder = custom_decoder
        if custom_decoder is None:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*how), num_decoder_layers, norm())
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """The mask that allows what lies before only: ``-inf`` above the diagonal, 0 elsewhere.

        >>> Transformer.generate_square_subsequent_mask(2)
        tensor([[0., -inf],
                [0., 0.]])
        """
        return _causal_mask(sz, dtype)

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False,
    ) -> Any:  # fmt: skip
        """The decoder's sequence, in the shape of ``tgt``; masks are those of ``MultiheadAttention``.

        Raises:
            RuntimeError: the batches differ, or the last dimensions are not ``d_model`` long.
        """
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal,
        )  # fmt: skip
