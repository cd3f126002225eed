"""What do PyTorch's users find? The names of ``torch``, on NumPy arrays: ``import ast_ad.torch as torch``.

Everything is loaded when it is first used. ``ast_ad`` has these names, too, but those in ``ONLY_HERE``.
"""

from __future__ import annotations

from importlib import import_module, util
from typing import Any

from ..addresses import TORCH

# Functions of networks that PyTorch also has here, with the same parameters.
_NETWORKS = {
    "avg_pool1d", "adaptive_avg_pool1d", "bilinear", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "group_norm", "layer_norm", "max_pool1d",
    "max_pool2d", "max_pool3d", "pixel_shuffle", "pixel_unshuffle", "rms_norm",
}  # fmt: skip
MODULES = {*TORCH, "fft", "serialization"}
_FILES = {"load", "save"}
# Names that are the compiler's own in ``ast_ad``, now or to come.
ONLY_HERE = {"compiler", "distributed", "export", "fft", "serialization", "vmap"}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in MODULES:
        return import_module(f".{name}", __name__)
    if name in _FILES:
        return getattr(import_module(".serialization", __name__), name)
    if name in _NETWORKS:
        return getattr(import_module(".nn.functional", __name__), name)
    if name == "bfloat16":
        raise AttributeError("NumPy has no bfloat16: use float32, which holds all of its numbers")
    if name == "vmap":
        return import_module(".func", __name__).vmap
    if name == "autocast":
        return import_module(".amp", __name__).autocast
    if util.find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(name)  # ``from . import name`` asks before it imports: no cause to load tensors
    names = import_module("..eager.namespace", __name__).NAMES
    if name in names:
        globals()[name] = names[name]
        return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    names = import_module("..eager.namespace", __name__).NAMES
    return sorted({*MODULES, *_FILES, *_NETWORKS, "autocast", "vmap", *names})
