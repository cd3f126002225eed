"""Which uses of attention are compared with PyTorch, and what of them?

``measured(torch, case)`` runs one of them with PyTorch or with this package in its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .recurrent_cases import described, fill, leaf, numbers

WIDTH, HEADS, TARGETS, SOURCES, BATCH = 6, 2, 4, 5, 3
Case = Callable[[Any], tuple[dict[str, Any], list[Any]]]
CASES: dict[str, Case] = {}


def case(name: str, *args: Any, **options: Any) -> Callable[[Any], Any]:
    def add(make: Any) -> Any:
        CASES[name] = lambda torch: make(torch, *args, **options)
        return make

    return add


def allowed(torch: Any, *shape: int) -> Any:
    """A mask of booleans; the first row allows nothing."""
    mask = numbers("mask", shape) > -0.2
    mask[..., 0] = True
    mask[0] = False
    return torch.tensor(mask)


# ----- one head -----

SHAPES = {"q": (2, HEADS, TARGETS, WIDTH), "k": (2, HEADS, SOURCES, WIDTH), "v": (2, HEADS, SOURCES, 3)}


def plain(torch: Any, cut: int = 0, mask: str = "", shapes: Any = SHAPES, **options: Any) -> Any:
    leaves = {name: leaf(torch, name, *shape[cut:]) for name, shape in shapes.items()}
    if mask == "bool":
        options["attn_mask"] = allowed(torch, TARGETS, SOURCES)
    elif mask:
        leaves["mask"] = options["attn_mask"] = leaf(torch, "mask", TARGETS, SOURCES)
    attend = torch.nn.functional.scaled_dot_product_attention
    return leaves, [attend(leaves["q"], leaves["k"], leaves["v"], **options)]


case("plain")(plain)
case("plain-matrix", cut=2)(plain)
case("plain-stack", cut=1, is_causal=True)(plain)
case("plain-causal", is_causal=True, scale=0.3)(plain)
case("plain-bool", mask="bool", cut=1)(plain)
case("plain-float", mask="float")(plain)
case("plain-shared", enable_gqa=True, shapes={**SHAPES, "q": (2, 2 * HEADS, TARGETS, WIDTH)})(plain)


# ----- several heads -----


def multihead(
    torch: Any, kind: str = "self", mask: str = "", padding: bool = False, unbatched: bool = False,
    layer: Any = None, **options: Any,
) -> Any:  # fmt: skip
    module = torch.nn.MultiheadAttention(WIDTH, HEADS, **(layer or {})).double()
    fill(torch, module)
    batch = () if unbatched else (BATCH,)
    swap = (layer or {}).get("batch_first") and not unbatched

    def sequence(name: str, length: int, width: int) -> Any:
        return leaf(torch, name, *((*batch, length, width) if swap else (length, *batch, width)))

    leaves = {"q": sequence("q", TARGETS, WIDTH)}
    given = [leaves["q"]] * 3
    if kind == "memory":
        leaves["k"] = sequence("k", SOURCES, WIDTH)
        given = [leaves["q"], leaves["k"], leaves["k"]]
    if kind == "three":
        leaves["k"] = sequence("k", SOURCES, module.kdim)
        leaves["v"] = sequence("v", SOURCES, module.vdim)
        given = list(leaves.values())
    sources = TARGETS if kind == "self" else SOURCES
    if mask == "bool":
        options["attn_mask"] = ~allowed(torch, TARGETS, sources).roll(1, 1) & torch.tensor(
            np.arange(sources) != 1
        )
    elif mask == "heads":
        leaves["mask"] = options["attn_mask"] = leaf(
            torch, "mask", (BATCH if batch else 1) * HEADS, TARGETS, sources
        )
    elif mask == "causal":
        options["attn_mask"] = torch.nn.Transformer.generate_square_subsequent_mask(
            TARGETS, dtype=torch.float64
        )
        options["is_causal"] = True
    if padding:
        skipped = numbers("padding", (*batch, sources)) > 0.6
        skipped[..., 1] = False
        options["key_padding_mask"] = torch.tensor(skipped)
    outs = [out for out in module(*given, **options) if out is not None]
    return {**leaves, **dict(module.named_parameters())}, outs


for weights in (True, False):
    suffix = "" if weights else "-fast"
    how: dict[str, Any] = {"need_weights": weights}
    case(f"heads-self{suffix}", **how)(multihead)
    case(f"heads-memory{suffix}", kind="memory", padding=True, **how)(multihead)
    case(f"heads-three{suffix}", kind="three", mask="heads", **how)(multihead)
    case(f"heads-bool{suffix}", mask="bool", padding=True, **how)(multihead)
    case(f"heads-causal{suffix}", mask="causal", **how)(multihead)
    case(f"heads-lengths{suffix}", kind="three", layer={"kdim": 4, "vdim": 7, "bias": False}, **how)(
        multihead
    )
    case(
        f"heads-extended{suffix}", kind="memory", mask="heads", padding=True,
        layer={"add_bias_kv": True, "add_zero_attn": True}, **how,
    )(multihead)  # fmt: skip
    case(f"heads-first{suffix}", kind="memory", layer={"batch_first": True}, padding=True, **how)(multihead)
    case(f"heads-unbatched{suffix}", unbatched=True, mask="heads", padding=True, **how)(multihead)
case("heads-each", average_attn_weights=False)(multihead)


# ----- transformers -----


def layers(torch: Any, cls: str, masks: bool = False, unbatched: bool = False, **options: Any) -> Any:
    nn = torch.nn
    options = {"dropout": 0.0, **options}
    if cls == "Transformer":
        module = nn.Transformer(WIDTH, HEADS, 1, 2, 7, **options)
    elif cls.endswith("Layer"):
        module = getattr(nn, cls)(WIDTH, HEADS, 7, **options)
    else:
        layer = getattr(nn, cls + "Layer")(WIDTH, HEADS, 7, **options)
        module = getattr(nn, cls)(layer, 2, nn.LayerNorm(WIDTH))
    module.double()
    fill(torch, module, 0.9)
    batch = () if unbatched else (BATCH,)

    def sequence(name: str, length: int) -> Any:
        first = options.get("batch_first") and not unbatched
        return leaf(torch, name, *((*batch, length, WIDTH) if first else (length, *batch, WIDTH)))

    def skipped(name: str, length: int) -> Any:
        mask = numbers(name, (*batch, length)) > 0.6
        mask[..., 1] = False
        return torch.tensor(mask)

    causal = nn.Transformer.generate_square_subsequent_mask(TARGETS, dtype=torch.float64)
    leaves = {"tgt": sequence("tgt", TARGETS)}
    how: dict[str, Any] = {}
    if "Encoder" in cls:
        given = [leaves["tgt"]]
        if masks:
            how = {"src_mask" if "Layer" in cls else "mask": causal}
            how["src_key_padding_mask"] = torch.zeros_like(skipped("p", TARGETS), dtype=torch.float64)
    else:
        leaves["src"] = sequence("src", SOURCES)
        given = [leaves["src"], leaves["tgt"]] if cls == "Transformer" else [leaves["tgt"], leaves["src"]]
        if masks:
            how = {"tgt_mask": causal, "memory_key_padding_mask": skipped("m", SOURCES)}
    return {**leaves, **dict(module.named_parameters())}, [module(*given, **how)]


for name in ("EncoderLayer", "DecoderLayer", "Encoder", "Decoder"):
    case(name, f"Transformer{name}")(layers)
    case(f"{name}-masks", f"Transformer{name}", masks=True)(layers)
case("EncoderLayer-first", "TransformerEncoderLayer", norm_first=True, batch_first=True, masks=True)(layers)
case("EncoderLayer-gelu", "TransformerEncoderLayer", activation="gelu", bias=False)(layers)
case("DecoderLayer-first", "TransformerDecoderLayer", norm_first=True, batch_first=True)(layers)
case("EncoderLayer-unbatched", "TransformerEncoderLayer", unbatched=True)(layers)
case("Transformer", "Transformer")(layers)
case("Transformer-masks", "Transformer", masks=True, batch_first=True, norm_first=True)(layers)


def measured(torch: Any, name: str) -> dict[str, list[float]]:
    """Results, gradients of inputs, masks and weights, and those of the gradients' squares."""
    leaves, outs = CASES[name](torch)
    loss = sum(
        (out * torch.tensor(numbers(f"seed{i}", out.shape), dtype=out.dtype)).sum()
        for i, out in enumerate(outs)
    )
    first = torch.autograd.grad(loss, list(leaves.values()), create_graph=True, allow_unused=True)
    known = [g for g in first if g is not None and g.requires_grad]
    second = torch.autograd.grad(sum((g * g).sum() for g in known), list(leaves.values()), allow_unused=True)
    arrays = {f"out{i}": out for i, out in enumerate(outs)}
    for kind, grads in (("grad", first), ("second", second)):
        arrays |= {f"{kind} {n}": g for n, g in zip(leaves, grads, strict=True) if g is not None}
    return {key: described(t.detach().numpy()) for key, t in arrays.items()}
