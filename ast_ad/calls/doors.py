"""What do lower modules of calls ask of a higher one? The package opens this door when it is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

solver_call: Callable[[], Any]
"""The class of calls of solvers, which stands on derivatives and tensors: loaded when one is read."""
