"""What does Numba do with a generated kernel, step by step?

Its own steps without those that look for what kernels don't contain, and with six of ours: names are told
apart for all at once (``names_apart``); types are asked for once, and operators and elements become few
instructions (``translation``); how long names live is asked once (``lifetimes``).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from numba.core import types
from numba.core.compiler import Compiler, Flags
from numba.core.cpu_options import FastMathOptions
from numba.core.typed_passes import (
    NativeLowering,
    NopythonRewrites,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    GenericRewrites,
    InlineClosureLikes,
    IRProcessing,
    MakeFunctionToJitFunction,
    ReconstructSSA,
    WithLifting,
)

from .lifetimes import Ordered, Rewritten, WithoutJoins
from .names_apart import NamesApart
from .translation import KnownOperators, PlacedAccesses

LEFT_OUT = {WithLifting, InlineClosureLikes, MakeFunctionToJitFunction, FindLiterallyCalls, NopythonRewrites}
"""Kernels have no ``with``, no functions or comprehensions in them, no arithmetic of whole arrays."""
REPLACED = {
    ReconstructSSA: NamesApart,
    NopythonTypeInference: KnownOperators,
    NativeLowering: PlacedAccesses,
    IRProcessing: Ordered,
    GenericRewrites: Rewritten,
    PreLowerStripPhis: WithoutJoins,
}


class _Settled(Flags):  # type: ignore[misc]
    """Flags that nothing changes. Numba asks for their hash and compares them to look up any helper."""

    def __init__(self, flags: Flags) -> None:
        super().__init__(flags)
        self._values: Any = MappingProxyType(dict(flags._values))
        self._told = super().values()
        self._hash = super().__hash__()

    def values(self) -> dict[str, Any]:
        return self._told

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> Any:
        return self is other or super().__eq__(other)

    def copy(self) -> Flags:
        return Flags(self)


class _Given(Flags):  # type: ignore[misc]
    """The flags of one function: Numba compiles it under a copy of them."""

    def copy(self) -> Flags:
        settled = _Settled(self)
        return _known_flags.setdefault(settled, settled)


_known_flags: dict[Flags, Flags] = {}


class Careful(Compiler):  # type: ignore[misc]
    """Takes back what LLVM may not do where a function has arguments in single precision."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, local: Any
    ) -> None:
        if flags.fastmath and any(_has_single(a) for a in args):
            flags = flags.copy()
            flags.fastmath = FastMathOptions(flags.fastmath.flags - {"arcp"})
        flags = flags if flags.auto_parallel.enabled else _Given(flags)
        super().__init__(typing, target, library, args, result, flags, local)

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        if not self.state.flags.auto_parallel.enabled:
            for pipeline in pipelines:
                shorten(pipeline)
        return pipelines


def _has_single(given: Any) -> bool:
    """Whether values of a type are numbers in single precision, or hold such."""
    if hasattr(given, "types"):  # a tuple's
        return any(map(_has_single, given.types))
    return getattr(given, "dtype", given) in (types.float32, types.complex64)


class Apart(Careful):
    """Tells LLVM that no array that a function writes to overlaps with another argument."""

    def define_pipelines(self) -> Any:
        self.state.flags.noalias = True
        return super().define_pipelines()


def shorten(pipeline: Any, replaced: dict[Any, Any] = REPLACED) -> None:
    """Leave steps out of Numba's pipeline and put others in their place."""
    pipeline.passes = [(replaced.get(p, p), why) for p, why in pipeline.passes if p not in LEFT_OUT]
    pipeline._finalized = False
    pipeline.finalize()
