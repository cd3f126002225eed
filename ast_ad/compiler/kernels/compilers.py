"""What does Numba do with a generated kernel, step by step?

Its own steps without those that look for what kernels don't contain, and with six of ours: names are told
apart for all at once (``names_apart``); types are asked for once, and operators and elements become few
instructions (``translation``); how long names live is asked once (``lifetimes``).
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.compiler import Compiler
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
from .translation import KnownOperators, ShortAccesses

LEFT_OUT = {WithLifting, InlineClosureLikes, MakeFunctionToJitFunction, FindLiterallyCalls, NopythonRewrites}
"""Kernels have no ``with``, no functions or comprehensions in them, no arithmetic of whole arrays."""
REPLACED = {
    ReconstructSSA: NamesApart,
    NopythonTypeInference: KnownOperators,
    NativeLowering: ShortAccesses,
    IRProcessing: Ordered,
    GenericRewrites: Rewritten,
    PreLowerStripPhis: WithoutJoins,
}


class Careful(Compiler):  # type: ignore[misc]
    """Takes back what LLVM may not do where a function has arguments in single precision."""

    def __init__(
        self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, local: Any
    ) -> None:
        if flags.fastmath and any(_has_single(a) for a in args):
            flags = flags.copy()
            flags.fastmath = FastMathOptions(flags.fastmath.flags - {"arcp"})
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
