"""What do programs find that ask for PyTorch's libraries? Switches, which are remembered, and no library."""

from __future__ import annotations

from typing import Any

__all__ = ["SWITCHES"]


class Switches:
    """A library's switches: attributes that may be set, and whether the library is there (it is not)."""

    def __init__(self, **switches: Any) -> None:
        self.__dict__.update(switches)

    def is_available(self) -> bool:
        """False."""
        return False

    def is_built(self) -> bool:
        """False."""
        return False

    def version(self) -> None:
        """None: there is no such library."""


SWITCHES: dict[str, Switches] = {
    "cudnn": Switches(enabled=True, benchmark=False, deterministic=False, allow_tf32=True),
    "cuda": Switches(matmul=Switches(allow_tf32=False)),
    "mps": Switches(),
    "mkl": Switches(),
    "mkldnn": Switches(enabled=False),
    "openmp": Switches(),
    "opt_einsum": Switches(enabled=False),
}
