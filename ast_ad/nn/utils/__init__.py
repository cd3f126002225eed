"""What else do training loops need? Clipping of gradients, parameters as one vector, padded sequences."""

from __future__ import annotations
