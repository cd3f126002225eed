"""Which layers of normalisation, pooling, padding and resizing are compared with PyTorch's, and how?"""

from __future__ import annotations

from typing import Any

import numpy as np

from .image_cases import digest, draw

SHAPES = {1: (4, 3, 6), 2: (4, 3, 4, 6), 3: (2, 3, 4, 4, 6)}
BOUNDS = {"float32": 2e-5, "float64": 1e-11}

# Class, arguments, options.
LAYERS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("BatchNorm1d", (3,), {}),
    ("BatchNorm1d", (3,), {"momentum": None}),
    ("BatchNorm1d", (3,), {"affine": False}),
    ("BatchNorm2d", (3,), {"track_running_stats": False}),
    ("BatchNorm2d", (3,), {}),
    ("BatchNorm2d", (3,), {"bias": False}),
    ("BatchNorm3d", (3, 1e-3, 0.2), {}),
    ("InstanceNorm1d", (3,), {}),
    ("InstanceNorm2d", (3,), {"affine": True}),
    ("InstanceNorm2d", (3,), {"track_running_stats": True}),
    ("InstanceNorm3d", (3,), {}),
    ("LayerNorm", (6,), {}),
    ("LayerNorm", ((4, 6),), {}),
    ("LayerNorm", (6,), {"elementwise_affine": False}),
    ("LayerNorm", (6,), {"bias": False}),
    ("GroupNorm", (3, 3), {}),
    ("GroupNorm", (1, 3), {"affine": False}),
    ("LocalResponseNorm", (2,), {}),
    ("RMSNorm", (6,), {}),
    ("RMSNorm", ((4, 6),), {"eps": 1e-3, "elementwise_affine": False}),
    ("MaxPool1d", (2,), {}),
    ("MaxPool2d", (2,), {}),
    ("MaxPool2d", ((2, 1),), {"stride": (2, 1), "padding": (1, 0), "return_indices": True}),
    ("MaxPool3d", (2,), {}),
    ("AvgPool1d", (2, 1, 1), {}),
    ("AvgPool2d", ((2, 1), 1), {}),
    ("AvgPool3d", (2,), {}),
    ("AdaptiveAvgPool1d", (2,), {}),
    ("AdaptiveAvgPool2d", ((1, 1),), {}),
    ("AdaptiveAvgPool2d", ((None, 2),), {}),
    ("AdaptiveAvgPool3d", (2,), {}),
    ("AdaptiveMaxPool1d", (2,), {}),
    ("AdaptiveMaxPool2d", (2, True), {}),
    ("AdaptiveMaxPool3d", (2,), {}),
    ("LPPool1d", (2, 2), {}),
    ("LPPool2d", (2, 2, 1), {"ceil_mode": True}),
    ("LPPool3d", (2, 2), {}),
    ("MaxUnpool1d", (2,), {}),
    ("MaxUnpool2d", (2, 3, 1), {}),
    ("MaxUnpool3d", ((2, 1, 2),), {}),
    *[
        (f"{kind}Pad{rank}d", (1,), {})
        for kind in ("Zero", "Reflection", "Replication")
        for rank in (1, 2, 3)
    ],
    *[(f"CircularPad{rank}d", (1,), {}) for rank in (1, 2, 3)],
    *[(f"ConstantPad{rank}d", (1, 3.5), {}) for rank in (1, 2, 3)],
    ("ZeroPad2d", ((1, 0, 2, 1),), {}),
    ("Upsample", (), {"scale_factor": 2}),
    ("Upsample", (7,), {}),
    ("Upsample", (), {"scale_factor": (1.5, 2), "mode": "bilinear"}),
    ("UpsamplingNearest2d", (), {"scale_factor": 2}),
    ("UpsamplingBilinear2d", (), {"size": (3, 4)}),
    ("PixelShuffle", (1,), {}),
    ("PixelUnshuffle", (2,), {}),
    ("ChannelShuffle", (3,), {}),
    ("Unfold", ((2, 3), 1, 1, 2), {}),
    ("Fold", ((4, 5), 2), {}),
]
NAMES = [f"{name}{args}{options}" for name, args, options in LAYERS]


def outcome(torch: Any, i: int, dtype: str) -> dict[str, Any]:
    """The text and the state of a layer, and its results and gradients in two steps and in evaluation."""
    name, args, options = LAYERS[i]
    layer = getattr(torch.nn, name)(*args, **options)
    layer = layer.to(getattr(torch, dtype))
    found: dict[str, Any] = {"text": repr(layer)}
    found["state"] = [[k, str(v.dtype), list(v.shape)] for k, v in layer.state_dict().items()]
    found["steps"] = [] if "Unpool" in name else [step(torch, layer, n, dtype) for n in range(3)]
    return found


def step(torch: Any, layer: Any, n: int, dtype: str) -> list[Any]:
    layer.train(n < 2)
    name = type(layer).__name__
    shape = (2, 12, 12) if name == "Fold" else SHAPES[int(name[-2]) if name[-2] in "123" else 2]
    x = torch.tensor((draw(*shape) * (n + 1) + n).astype(dtype), requires_grad=True)
    y = layer(x)
    several = y if isinstance(y, tuple) else (y,)
    several[0].backward(torch.tensor(draw(*several[0].shape, seed=7).astype(dtype)))
    tensors = [*several, x.grad, *(p.grad for p in layer.parameters()), *layer.buffers()]
    found = [digest(np.asarray(t.detach().numpy())) for t in tensors]
    for p in layer.parameters():
        p.grad = None
    return found
