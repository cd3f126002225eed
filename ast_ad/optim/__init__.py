"""How do parameters follow their gradients? PyTorch's optimisers, and pure ones for dicts of arrays."""

from __future__ import annotations
