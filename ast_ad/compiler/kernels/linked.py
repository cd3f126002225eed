"""How are the functions compiled that kernels call, and hardly anybody else?

Numba makes machine code of each function by itself, and of a copy of it in each that calls it: of three that
call one another, of the innermost four times, with all of LLVM's passes. What kernels call stays LLVM's text
until the kernel is compiled, and becomes a part of it. Python calls it through a function that calls it,
which Numba compiles as any. It may not call itself with arguments of other types, which takes an address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numba
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from .compilers import REPLACED, shorten
from .translation import ShortAccesses

UNRESOLVED = ".numba.unresolved$"
"""What Numba's names of addresses begin with that are filled in when there is machine code."""
OPTIONS = {"error_model": "numpy", "no_cfunc_wrapper": True, "fastmath": False}
"""Numbers are computed as written: left open, it would be as the kernel has it that is compiled first."""


def linked(function: Callable[..., Any]) -> Any:
    """Decorate a function that kernels call."""
    return function if numba.config.DISABLE_JIT else Linked(function)


class Linked(CPUDispatcher):  # type: ignore[misc]
    """What Numba takes for a compiled function where another one calls it."""

    def __init__(self, function: Callable[..., Any], *_: Any, **__: Any) -> None:
        options = {**OPTIONS, "nopython": True, "boundscheck": None, "no_cpython_wrapper": True}
        super().__init__(function, targetoptions=options, pipeline_class=_Text)

    @cached_property
    def _whole(self) -> Any:
        function = self
        return numba.njit(**OPTIONS)(lambda *args: function(*args))

    def add_overload(self, result: Any) -> None:
        """Keep what was compiled for one signature, but not for Python: it has no machine code."""
        self.overloads[tuple(result.signature.args)] = result

    def _compile_for_args(self, *args: Any, **kwargs: Any) -> Any:
        """What Python calls, as nothing was kept for it."""
        return self._whole


@register_pass(mutates_CFG=True, analysis_only=False)
class StaysText(ShortAccesses):
    """In place of ``NativeLowering``: what follows it is left to the kernel."""

    _name = "ast_ad_stays_text"

    def run_pass(self, state: Any) -> bool:
        library = state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
        library._optimize_final_module = lambda: None
        library._finalize_final_module = lambda: setattr(library, "_finalized", True)
        state.flags.no_compile = True
        changed = bool(super().run_pass(state))
        if UNRESOLVED in str(library._final_module):
            raise NotImplementedError(f"{state.func_id.func_name} calls itself with other types")
        lowered = state["cr"]
        name = object()  # by which callers find it, as they find others by their machine code
        state.targetctx.insert_user_function(name, lowered.fndesc, [library])
        state["cr"] = lowered._replace(cfunc=name)
        return changed


class _Text(Compiler):  # type: ignore[misc]
    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            shorten(pipeline, {**REPLACED, NativeLowering: StaysText})
        return pipelines
