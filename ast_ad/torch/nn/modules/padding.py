"""Which layers add edges? Of a constant, mirrored, repeated, or from the other side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....eager.tensor import Tensor
from .. import functional as F
from .module import Module

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d",
    "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip


class _Pad(Module):
    """``padding``: a number for all edges, or as for ``functional.pad``."""

    rank = 0
    mode = "constant"
    __constants__ = ["padding"]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        several = isinstance(padding, Sequence)
        self.padding = tuple(padding) if several else (padding,) * (2 * self.rank)

    def forward(self, input: Tensor) -> Any:
        """The input with its edges."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Any:
        """The input with edges of ``value``."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


def _layers(family: str, base: type[_Pad], mode: str, what: str) -> tuple[Any, ...]:
    """The layers for one, two and three dimensions."""
    return tuple(
        type(
            f"{family}{rank}d",
            (base,),
            {
                "rank": rank,
                "mode": mode,
                "__module__": __name__,
                "__doc__": f"Edges {what}, along the last dimensions: a number for all, or as for "
                "``functional.pad``.",
            },
        )
        for rank in (1, 2, 3)
    )


ConstantPad1d, ConstantPad2d, ConstantPad3d = _layers("ConstantPad", _ConstantPad, "constant", "of ``value``")
ZeroPad1d, ZeroPad2d, ZeroPad3d = _layers("ZeroPad", _ZeroPad, "constant", "of zeros")
ReflectionPad1d, ReflectionPad2d, ReflectionPad3d = _layers("ReflectionPad", _Pad, "reflect", "that mirror")
ReplicationPad1d, ReplicationPad2d, ReplicationPad3d = _layers(
    "ReplicationPad", _Pad, "replicate", "that repeat the border"
)
CircularPad1d, CircularPad2d, CircularPad3d = _layers("CircularPad", _Pad, "circular", "from the other side")
