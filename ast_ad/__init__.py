"""What does a user import? ``grad`` and its relatives, the tensor library, and the errors they raise.

Everything is loaded when it is first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import grad, inspect, value_and_grad, vjp
    from .emit.storage import clear_cache
    from .errors import AdError, FallbackWarning, ZeroGradientWarning

__version__ = "0.1.0"
__all__ = [
    "AdError",
    "FallbackWarning",
    "ZeroGradientWarning",
    "clear_cache",
    "grad",
    "inspect",
    "value_and_grad",
    "vjp",
]

_COMPILER = {"grad", "inspect", "value_and_grad", "vjp"}
_FILES = {"load", "save"}
# Functions of networks that PyTorch also has here, with the same parameters.
_NETWORKS = {
    "avg_pool1d", "adaptive_avg_pool1d", "bilinear", "channel_shuffle", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "group_norm", "layer_norm", "max_pool1d",
    "max_pool2d", "max_pool3d", "pixel_shuffle", "pixel_unshuffle", "rms_norm",
}  # fmt: skip
_MODULES = {
    "_C",
    "amp",
    "backends",
    "autograd",
    "utils",
    "cuda",
    "testing",
    "fallback",
    "random",
    "linalg",
    "special",
    "nn",
    "optim",
    "func",
    "files",
    "safetensors",
}


def __getattr__(name: str) -> Any:
    from importlib import import_module, util

    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    errors = import_module(".errors", __name__)
    if isinstance(error := getattr(errors, name, None), type) and error.__module__ == errors.__name__:
        return error
    if name in _COMPILER:
        return getattr(import_module(".api", __name__), name)
    if name == "clear_cache":
        return import_module(".emit.storage", __name__).clear_cache
    if name in _FILES:
        return getattr(import_module(".files", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name in _NETWORKS:
        return getattr(import_module(".nn.functional", __name__), name)
    if name == "bfloat16":
        raise AttributeError("NumPy has no bfloat16: use float32, which holds all of its numbers")
    if name == "autocast":
        return import_module(".amp", __name__).autocast
    if util.find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(
            name
        )  # ``from . import name`` asks here before it imports: no cause to load tensors
    names = import_module(".eager.namespace", __name__).NAMES
    if name in names:
        globals()[name] = names[name]
        return names[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
