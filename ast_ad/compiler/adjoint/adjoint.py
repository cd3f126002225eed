"""How is the reverse sweep of a function built?

``adjoint(function, wrt, seed, of, residuals, region, zeros, linear) -> Function``. The first stage behind the
front end and what prepares its program (``join_paths``, ``keep_exceptions``): all later ones work on the
primal and its adjoint together, so that they see what the one saves and the other reads. It ends with
``simplify`` and ``require``.

It appends the sweep to a copy of the function: the statements are visited backwards, and each adds what its
derivative rule says to the cotangents of its arguments. A rule is inlined whole; what only inactive arguments
would need is dead code and vanishes. ``branch_adjoints`` and ``loop_adjoints`` sweep over regions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import InternalError, UnsupportedError
from ...rules import helpers
from ...rules.registry import Primitive, lookup
from ..analysis.activity import Activity, analyse
from ..analysis.aliasing import read_for_its_shape
from ..analysis.infinities import Infinities, is_singular
from ..analysis.invariants import require
from ..analysis.masked_cotangents import EXTREMA, Masks, chooses, masks
from ..analysis.undefined import doubtful_values, undefined_values
from ..frontend.builder import Builder, type_of_arg
from ..frontend.types.dummies import InferenceError
from ..ir import builtin
from ..ir.ops import Arg, Block, Function, If, Lit, Op, Seq, Statement, Var, atoms, walk
from ..ir.show import callable_name
from ..ir.types import Array, Opaque, kind_of
from ..simplify.renaming import copy_function, defined, free
from ..simplify.settled import Settled
from ..simplify.simplify import expression_key, simplify
from .complex_zeros import complex_zeros
from .contributions import Cotangents
from .leaving import Certainty, as_left
from .linearity import is_linear
from .own_rules import OwnRule, used_rules
from .residuals import Policy
from .rule_calls import (
    check_call,
    parameters,
    require_all,
    require_formula,
    rule_of,
    several,
    widened,
    with_arrays,
)
from .rule_copies import RuleCopies
from .seeds import seeds
from .structural import STRUCTURAL


def adjoint(
    function: Function,
    wrt: tuple[int, ...],
    seed: bool | None = None,
    of: tuple[int, ...] | None = None,
    residuals: Policy = "cheap",
    region: bool = False,
    zeros: bool = False,
    linear: bool = False,
) -> Function:
    """The function that computes the results and, after them, the cotangents of the parameters in ``wrt``.

    Args:
        function: the primal; it is not changed.
        wrt: the positions of the parameters to differentiate with respect to.
        seed: whether the function gets a parameter for the cotangent of each result that carries a
            derivative. Otherwise the only one is a real number and its cotangent 1.
        of: the positions of the results to differentiate; by default all.
        residuals: what loops and branches save rather than compute again, see ``residuals``.
        region: whether the function is a part of another one, whose values it reads.
        zeros: whether parts of cotangents are zero, so that they meet infinite factors: unit vectors, say.
        linear: whether every rule has to be linear in the cotangent, as the sweep is to be transposed.

    Raises:
        BrokenInvariant: a pass made a program whose types can't be relied on.
        MissingRuleError: an operation without a rule lies between the parameters and the results.
        InputTypeError: there is no seed, and not exactly one result to differentiate, a real number.
        UnsupportedError: a rule is not linear, and has to be.

    >>> from ast_ad.compiler.ir import evaluate, ops, types
    >>> x = ops.Var(types.Scalar("float"), "x")
    >>> t = ops.Var(types.Scalar("float"))
    >>> append = ops.Op(operator.add, (x, x), (t,))
    >>> evaluate.evaluate(adjoint(ops.Function("double", (x,), ops.Block([append], (t,))), (0,)), 3.0)
    (6.0, 2.0)
    """
    joint = copy_function(function)
    outer = free(joint.body) if region else ()
    results = joint.body.results
    chosen = results if of is None else tuple(results[i] for i in of)
    inputs = [joint.params[i] for i in wrt]
    builder = Builder(joint.body, adjoint=True)
    builder.divisors.follow(joint.body)
    activity = analyse(joint.body, inputs, chosen)
    sweep = Sweep(builder, activity, doubtful_values(joint.body), residuals)
    sweep.zeros, sweep.linear = zeros, linear
    sweep.infinities.follow(joint.body.ops)
    sweep.masks = masks(joint.body, activity.active, chosen, sweep.infinities)
    primal = list(joint.body.ops)
    joint.params += sweep.start(chosen, bool(seed))
    handled = _errors_ignored(builder, joint.body)
    sweep.run(primal)
    if handled is not None:
        builder.append(Op(builtin.restore, (handled,), (), {}, effect=True, adjoint=True))
    certainty = Certainty(joint.body)
    joint.body.results = (*results, *(sweep.result(var, certainty) for var in inputs))
    used_rules(joint, sweep.ruled)
    complex_zeros(joint)
    return require(simplify(joint), outer)


def _errors_ignored(builder: Builder, body: Block) -> Var | None:
    """Let the sweep ignore the floating-point errors that some part of the program ignores.

    Where it raises, the sweep does not: the value has been found without an error.
    """
    options: dict[str, Arg] = {
        name: arg
        for op in walk(body)
        if isinstance(op, Op) and op.fn is np.seterr and not op.adjoint
        for name, arg in op.kwargs.items()
        if isinstance(arg, Lit) and arg.value == "ignore"
    }
    if not options:
        return None
    old = Var(Opaque("dict"), "errors")
    builder.append(Op(np.seterr, (), (old,), options, effect=True, adjoint=True))
    return old


class Sweep:
    """Emits the adjoints of statements, last first, into the builder's block.

    ``bars`` holds the cotangents of the region that is being swept; ``undefined`` the Vars that may have no
    value on some path. ``residuals``: the policy of what to save. ``zeros``, ``linear``: see ``adjoint``.
    """

    zeros = linear = False

    def __init__(
        self, builder: Builder, activity: Activity, undefined: set[Var], residuals: Policy = "cheap"
    ) -> None:
        self.builder, self.rules = builder, RuleCopies(builder)
        self.residuals = residuals
        self.activity = activity
        self.undefined, self.recorded = undefined, set[Var]()
        self.bars = Cotangents(builder, activity, undefined)
        self.ruled: set[OwnRule] = set()  # the rules of the user's that it has used
        self.masks, self.infinities, self.settled = Masks(), Infinities(), Settled(expression_key)

    def start(self, results: tuple[Arg, ...], given: bool) -> tuple[Var, ...]:
        """Give the results their cotangents, and return those that are ``given``: new Vars."""
        found = seeds(self.builder, results, given)
        for target, bar in found:
            if isinstance(target, Var):
                self.bars.add(target, bar)
        return tuple(bar for _, bar in found if given and isinstance(bar, Var))

    def run(self, statements: list[Statement]) -> None:
        """Sweep back over the statements."""
        for op in reversed(statements):
            self.builder.span = op.span
            try:
                self.statement(op)
            except InferenceError as problem:
                raise InternalError(
                    f"the derivative rule of {_describe(op)} failed: {problem}", op.span
                ) from problem

    def statement(self, op: Statement) -> None:
        if isinstance(op, Op):
            if any(out in self.activity.active for out in op.outs):
                self.operation(op)
        elif isinstance(op, If):
            from .branch_adjoints import reverse_if

            reverse_if(self, op)
        else:
            from .loop_adjoints import reverse_loop

            reverse_loop(self, op)

    def operation(self, op: Op) -> None:
        """The adjoint of one operation with an active result."""
        primitive = rule_of(op, STRUCTURAL)
        bars = [self.bars.take(out) for out in op.outs]
        if all(bar is None for bar in bars):
            return
        self.builder.divisors.enter(op)
        if op.fn in STRUCTURAL:
            STRUCTURAL[op.fn](self, op, bars)
            return
        assert primitive is not None
        propagate = {"elementwise": self.elementwise, "vjp": self.vjp, "composite": self.composite}.get(
            primitive.kind
        )
        if propagate is not None:
            check_call(op, primitive)
            propagate(op, primitive, bars)

    def elementwise(self, op: Op, primitive: Primitive, bars: list[Arg | None]) -> None:
        (g,) = bars
        assert g is not None and primitive.rule is not None
        before = len(self.builder.block.ops)
        args = widened(op, primitive, self.builder.op)
        partials = several(self.rules.inline(primitive.rule, (op.out, *args), op.kwargs))
        self.infinities.follow(self.builder.block.ops[before:])
        names = parameters(primitive.rule)[1:]
        named = [
            (arg, partials[names.index(k)]) for k, arg in op.kwargs.items() if k in names[: len(partials)]
        ]
        require_all(op, names, len(partials), self.activity.of)
        for arg, partial in (*zip(op.args, partials, strict=False), *named):
            if self.activity.of(arg) and partial is not None:
                require_formula(op, partial)
                self.bars.add(arg, self.product(g, partial, self.times(op, partial)), broadcast=True)

    def times(self, op: Op, partial: Arg) -> Callable[..., Any]:
        """The product by a partial derivative; safe, where a masked zero may meet an infinite one.

        What a choice by value leaves out has the partial 0, whatever the cotangent is: that may be infinite.
        """
        masks, out = self.masks, op.out
        if out in masks.steep and (chooses(op) or kind_of(type_of_arg(partial)) == "bool"):
            return helpers.exact_product
        if out in masks.decomposed and lookup(op.fn) is lookup(np.multiply) and not self.activity.of(partial):
            return helpers.exact_product
        if out in masks.chosen:
            safe = not self.infinities.is_finite(partial)
        else:
            poles = self.infinities.has_poles(op)
            wild = poles or out in masks.masked
            safe = out in masks.saturated and wild and self.infinities.is_wild(partial)
            safe = safe or out in masks.weighted and is_singular(op)
            safe = safe or self.zeros and self.infinities.is_wild(partial)
        return helpers.safe_product if safe else operator.mul

    def product(self, g: Arg, partial: Arg, times: Callable[..., Any]) -> Arg | None:
        """``g`` times the conjugate of a partial derivative."""
        value = partial.value if isinstance(partial, Lit) else None
        if isinstance(partial, Lit) and value is None or self.infinities.is_zero(partial):
            return None
        if value == 1:
            return g
        if value == -1:
            return self.builder.op(operator.neg, g)
        if kind_of(type_of_arg(partial)) == "complex":
            partial = self.builder.op(np.conj, partial)
        if isinstance(g, Lit) and g.value == 1 and kind_of(type_of_arg(partial)) in ("float", "complex"):
            return partial
        return self.builder.op(times, g, partial)

    def vjp(self, op: Op, primitive: Primitive, bars: list[Arg | None]) -> None:
        completed = [
            Lit(None) if bar is None and primitive.absent else self.bars.complete(bar, out)
            for bar, out in zip(bars, op.outs, strict=True)
        ]
        g = completed[0] if len(op.outs) == 1 else Seq(tuple(completed))
        ans = op.out if len(op.outs) == 1 else Seq(op.outs)
        rule = primitive.rule
        assert rule is not None
        before = len(self.builder.block.ops)
        cotangents = several(self.rules.inline(rule, (g, ans, *op.args), op.kwargs))
        made = self.builder.block.ops[before:]
        if op.fn in EXTREMA and not self.masks.steep.intersection(op.outs):
            for inner in made:  # where the cotangent is finite, zeros need no care
                if isinstance(inner, Op) and inner.fn is helpers.exact_product:
                    inner.fn = operator.mul
        if self.linear and not is_linear(primitive, made, completed, cotangents, adjoint):
            error = UnsupportedError(
                f"a tangent of `{callable_name(op.fn)}`",
                op.span,
                "its derivative rule is not linear in the cotangent, so that it is that of a pullback only",
                "use vjp or jacrev, or give it a rule that is linear in `g`",
            )
            error.of_tangents = True
            raise error
        unread = read_for_its_shape(op)
        for i, (arg, bar) in enumerate(zip(op.args, cotangents, strict=False)):
            if i != unread:
                self.bars.add(arg, bar, broadcast=primitive.broadcasts)
        names = parameters(rule)[2:]
        for name, arg in op.kwargs.items():
            position = names.index(name) if name in names else len(cotangents)
            if self.activity.of(arg) and position < len(cotangents):
                self.bars.add(arg, cotangents[position], broadcast=primitive.broadcasts)
        require_all(op, names, len(cotangents), self.activity.of)

    def composite(self, op: Op, primitive: Primitive, bars: list[Arg | None]) -> None:
        """Compute the equivalent program here, and sweep back over it."""
        assert primitive.rule is not None
        block = Block()
        with self.builder.nested(block):
            args = with_arrays(op, self.builder.op)
            value = self.rules.inline(primitive.rule, args, op.kwargs)
        results = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        inputs = [v for arg in (*op.args, *op.kwargs.values()) for v in atoms(arg) if isinstance(v, Var)]
        activity = analyse(block, [v for v in inputs if v in self.activity.active], results)
        self.activity.include(activity)
        self.infinities.follow(block.ops)
        around = self.masks.like(op.outs)
        self.masks.include(masks(block, activity.active, results, self.infinities, around))
        self.builder.block.ops += block.ops
        self.bars.extend(defined(block))
        self.undefined |= undefined_values(block)
        for result, bar in zip(results, bars, strict=True):
            self.bars.add(result, bar)
        span = self.builder.span
        for inner in block.ops:
            inner.span, inner.adjoint = span, True
        self.run(list(block.ops))

    def result(self, var: Var, certainty: Certainty) -> Arg:
        """The cotangent of an input, of its type, as a value of its own that the caller may change."""
        bar = self.bars.take(var)
        if bar is None:
            bar = self.bars.zeros(var)
            if isinstance(var.type, Array) and var.type.dtype.isnative:
                return bar
        producer = next((op for op in self.builder.block.ops if bar in op.outs), None)
        if isinstance(producer, Op) and producer.fn is helpers.broadcast_like:
            if isinstance(var.type, Array) and var.type.shape != ():
                bar = self.builder.op(operator.add, self.bars.zeros(var), bar)
        return as_left(self.builder, bar, var.type, certainty)


def _describe(op: Statement) -> str:
    return f"`{callable_name(op.fn)}`" if isinstance(op, Op) else f"the {type(op).__name__.lower()} statement"
