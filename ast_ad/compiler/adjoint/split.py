"""How does a joint program become two, a forward one and a backward one that runs later?

``split(joint, values, seeds, often) -> tuple[Function, Function]``. After ``adjoint``, for pullbacks only,
while the program is pure, so that a statement can stand in either half.

The forward function computes the values and, with them, a tuple of residuals: what the backward function
reads of it. As in a loop, shapes are read off what is saved anyway, and what is cheap is computed again.
What the values don't need is left to the backward function, unless that is to do the least (``often``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...rules import helpers
from ..analysis.undefined import undefined_values
from ..ir.builtin import unpack
from ..ir.ops import Arg, Block, For, Function, Lit, Op, Seq, Statement, Var, binders, reads, walk
from ..ir.temporaries import Temporaries
from ..ir.types import Array, TupleOf
from ..simplify.dead_code import eliminate, live_statements
from ..simplify.renaming import Renaming, copy_function, free, fresh, replace_reads
from .residuals import borrow_metadata, plan, read_for_metadata_only, read_for_values, repeat_into


def split(joint: Function, values: int, seeds: int, often: bool = False) -> tuple[Function, Function]:
    """The two halves of what ``adjoint(function, wrt, seed=True)`` returned.

    Args:
        joint: the joint program; it is not changed.
        values: how many of its results, the first ones, are the function's own.
        seeds: how many of its parameters, the last ones, are cotangents of results.
        often: whether the backward function is there to be called many times, so that nothing that doesn't
            depend on the seeds is done in it.

    Returns:
        ``forward(*args) -> (*values, residuals)`` and ``backward(residuals, *seeds) -> cotangents``.

    >>> import operator
    >>> from ast_ad.compiler.ir import evaluate, types
    >>> from ast_ad.compiler.adjoint.adjoint import adjoint
    >>> x, t = Var(types.Scalar("float"), "x"), Var(types.Scalar("float"))
    >>> square = Function("square", (x,), Block([Op(operator.mul, (x, x), (t,))], (t,)))
    >>> forward, backward = split(adjoint(square, (0,), seed=True), 1, 1)
    >>> value, residuals = evaluate.evaluate(forward, 3.0)
    >>> value, residuals, evaluate.evaluate(backward, residuals, 1.0)
    (9.0, (3.0,), 6.0)
    """
    joint = copy_function(joint)
    _name_items(joint.body)
    params = joint.params[: len(joint.params) - seeds]
    results = joint.body.results
    early = Block(_early(joint.body, joint.params[len(params) :]), results[:values])
    asked = early.results
    if often:
        ids = {id(op) for op in early.ops}
        late = [op for op in joint.body.ops if id(op) not in ids]
        asked = (*asked, *free(Block(late, results[values:])))
    running = _with_sources(early, live_statements(early, asked))
    primal = Block([op for op in joint.body.ops if id(op) in running])
    reverse = Block([op for op in joint.body.ops if id(op) not in running], results[values:])
    bars = joint.params[len(params) :]
    own = {*params, *(out for op in primal.ops for out in op.outs)}
    shapes_only = read_for_metadata_only(reverse)
    missing = undefined_values(primal)
    kept = [v for v in free(reverse) if v in own and v not in shapes_only and v not in missing]
    needed = borrow_metadata(reverse, own, kept)
    choice = plan([v for v in needed if v in own], primal, lambda v: v not in own)
    shapes_only -= read_for_values(choice.repeated)
    names: Renaming = {}
    temporaries = Temporaries(primal)
    for var in choice.saved:
        var.noun = temporaries.name(var)
    local = tuple(fresh(v, names) for v in choice.saved)
    saved = _stored(choice.saved, shapes_only - {*params, *missing}, primal)
    repeat_into(reverse, choice.repeated, names)
    replace_reads(reverse, names)
    residuals = Var(TupleOf(tuple(v.type for v in local)), "residuals")
    if local:
        reverse.ops.insert(0, Op(unpack, (residuals, Lit(len(local))), local, adjoint=True))
    primal.results = (*results[:values], Seq(saved))
    eliminate(primal)
    forward = Function(f"{joint.name}_forward", params, primal, joint.doc)
    return forward, Function(f"{joint.name}_backward", (residuals, *bars), reverse)


def _early(body: Block, seeds: Sequence[Var]) -> list[Statement]:
    """The statements that depend on no seed. Those that do belong to the backward function, effects too."""
    late, found = set(seeds), list[Statement]()
    for op in body.ops:
        if late.isdisjoint(reads(op)):
            found.append(op)
        else:
            late.update(op.outs)
    return found


def _name_items(body: Block) -> None:
    """Note what the items of lists were called where they were put in, which another function will do."""
    temporaries = Temporaries(body)
    for op in walk(body):
        if isinstance(op, For):
            for var in binders(op):
                if var.hint is None:
                    var.noun = temporaries.name(var)


def _with_sources(body: Block, running: Collection[int]) -> set[int]:
    """The statements, by ``id``, with what makes the initial values of all that their loops carry."""
    found: set[int] = set()
    needed: set[Var] = set()
    for op in reversed(body.ops):
        if id(op) in running or not needed.isdisjoint(op.outs):
            found.add(id(op))
            needed.update(reads(op))
    return found


def _stored(variables: list[Var], shapes_only: set[Var], primal: Block) -> tuple[Arg, ...]:
    """The residuals; a stand-in without storage for what is read for its shape only."""
    stored: list[Arg] = []
    for var in variables:
        value = var
        if var in shapes_only and isinstance(var.type, Array):
            value = Var(var.type, var.hint)
            primal.ops.append(Op(helpers.hollow, (var,), (value,)))
        stored.append(value)
    return tuple(stored)
