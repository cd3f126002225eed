"""Which functions do networks consist of? PyTorch's ``nn.functional``, on tensors and on arrays."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


# The modules that define the functions; all that their ``__all__`` name are names of this package. They are
# loaded at once, so that a function wins over a module of the same name.
DEFINING = ("linear", "activations", "losses", "convolution", "pooling", "normalization", "regularization",
            "embedding", "attention", "shaping", "distances")  # fmt: skip

for _name in DEFINING:
    if find_spec(f"{__name__}.{_name}"):
        _module = import_module(f".{_name}", __name__)
        globals().update({name: getattr(_module, name) for name in _module.__all__})
