"""How do weights get into files and back? PyTorch's format and safetensors, read and written as data only.

``ast_ad.save`` and ``ast_ad.load`` are the public names. A file is never a program here: the reader knows the
few instructions and names that weights are made of, and checks every number before memory is touched.
"""

from __future__ import annotations

from ...eager import namespace  # noqa: F401  (gives tensors their methods)
from .reading import load
from .writing import save

__all__ = ["load", "save"]
