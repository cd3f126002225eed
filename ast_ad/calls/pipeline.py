"""How does a function become a program? Every stage by its name, in order; nothing else calls them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..compiler.adjoint.split import split
from ..compiler.adjoint.unread import keep_exceptions
from ..compiler.arrays.in_place import write_in_place
from ..compiler.budget import counted
from ..compiler.elements.small_arrays import small_arrays
from ..compiler.emit.load import load_module
from ..compiler.emit.nesting import plan
from ..compiler.emit.python import Emitted, emit_module
from ..compiler.frontend.length_patterns import Known
from ..compiler.frontend.lower import Primal, lower
from ..compiler.ir.ops import Function
from ..compiler.loops.gathered_products import gather_products
from ..compiler.loops.list_arrays import lists_as_arrays
from ..compiler.loops.list_rows import rows_end_to_end
from ..compiler.loops.loop_fusion import fuse_loops
from ..compiler.loops.tape_elision import read_final
from ..compiler.loops.tape_layout import typed_tapes
from ..compiler.loops.tuple_lists import tuples_apart
from ..compiler.loops.undone_writes import undo_writes
from ..compiler.report import Report
from ..compiler.simplify.expand_definitions import expand
from ..compiler.simplify.joined_branches import join_branches
from ..compiler.simplify.loop_views import views_before_loops
from ..compiler.simplify.shared_sides import share_sides
from ..compiler.simplify.substitution import substitute
from ..compiler.simplify.within import join_paths
from .code import Code, Loaded, NotCompiled, Pure, Stages
from .program import Program, policy_of
from .request import Described
from .traced_callees import call_sites, require_more_than_a_call, without_constants, without_unread


@counted()
def compile_program(derivative: Any, described: Described, backend: str, known: Known) -> Program:
    """The program that answers a question for one kind of arguments."""
    program = answered(derivative, described, backend, known)
    primal, backend = program.primal, "numpy" if program.primal.heeds_errors else backend
    parts = [Pure(program.joint, primal.written, program.fresh)]
    if program.question.later:
        joint = typed_tapes(small_arrays(program.joint)) if backend == "numba" else program.joint
        parts = halved(joint, primal.function, primal.written, program.question.forward)
    return program.with_code([code(part, backend, derivative.options.parallel) for part in parts])


def answered(derivative: Any, described: Described, backend: str, known: Known) -> Program:
    """A program as far as it is IR: source, primal, what is asked."""
    question, primal = derivative.question, read(derivative, described, known, policy_of(backend))
    function = settled(primal.function, backend)
    program = Program(derivative, described, require_more_than_a_call(primal), backend)
    of = question.results(primal.result, without_constants(function, program.wrt))
    joint = question.program(function, program.wrt, of, program.policy)
    return program.answered_by(substitute(without_unread(joint)), of)


def read(of: Any, args: Described, known: Known = Known.ONES, residuals: str = "cheap") -> Primal:
    """The function that a derivative is of, as it is read for arguments like these."""
    return lower(of.function, *args, call_sites(of), known, of.so_far, of.constants(args[2]), residuals)


def settled(function: Function, backend: str = "numpy") -> Function:
    """A primal as it is differentiated: changed in place."""
    return keep_exceptions(views_before_loops(share_sides(join_branches(join_paths(function)), backend)))


def halved(joint: Function, of: Function, written: Collection[int] = (), often: bool = False) -> list[Pure]:
    """What a question with an answer for later made ``of`` a primal, in two (``often``: see ``split``)."""
    forward, backward = split(joint, count := len(of.body.results), len(joint.params) - len(of.params), often)
    return [Pure(forward, written, range(count)), Pure(backward, (), range(len(backward.body.results)))]


def code(pure: Pure, backend: str = "numpy", parallel: bool = False) -> Code:
    """A pure program as code of either kind; see ``Code``."""
    return Code(pure, Stages(in_place, numpy_code, kernel_code), backend, parallel)


def in_place(pure: Pure, report: Report) -> Function:
    """A pure program with writes in place, for NumPy code."""
    return write_in_place(*pure, lambda placed: plan(placed).inlined, report)


def numpy_code(placed: Function) -> Loaded:
    """A program that writes in place, as NumPy code."""
    return loaded(emit_module([placed]), placed.name)


def for_kernels(pure: Pure, report: Report, dropped: Collection[Any] = (None,)) -> Function:
    """A pure program with writes in place, in the form that kernels like best; see ``kernel_code``."""
    from ..compiler.kernels.numba import ROWS_LIKE, forms
    from ..compiler.kernels.plain_products import watched

    fused = fuse_loops(expand(small_arrays(substitute(pure.function, True), report=report), *forms()), report)
    arrays = expand(lists_as_arrays(rows_end_to_end(tuples_apart(fused), ROWS_LIKE), ROWS_LIKE), *forms())
    raw = undo_writes(read_final(arrays if None in dropped else watched(arrays), report), report)
    return write_in_place(gather_products(typed_tapes(raw, report), report), *pure[1:], None, report, pure[0])


def kernel_code(
    pure: Pure, report: Report, parallel: bool = False, dropped: Collection[Any] = (), whole: bool = False
) -> Loaded:
    """A pure program as kernels with a driver; ``whole``: which compiled code can call."""
    from ..compiler.kernels.numba import decorators, heading, why_left
    from ..compiler.kernels.partition.partition import partition

    parts = partition(for_kernels(pure, report, dropped), f"{pure[0].name}_kernel", whole, parallel, dropped)
    if not parts.kernels and not whole:
        raise NotCompiled(f"nothing for kernels: {why_left(parts)}")
    emitted = emit_module([*parts.kernels, parts.driver], heading(), decorators(parts, whole), parts.calls)
    return loaded(emitted, pure.function.name, parts.refused)


def loaded(of: Emitted, name: str, refused: Sequence[Any] = ()) -> Loaded:
    """Emitted text as a module."""
    return Loaded(getattr(load_module(of.text, of.injected, name, dict(of.lines)), name), of.text, refused)
