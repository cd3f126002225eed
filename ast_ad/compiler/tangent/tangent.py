"""How is the derivative of a function along a direction built?

``tangent(function, wrt, of, region) -> Function``. What ``adjoint`` is for cotangents, it is for tangents:
the first stage behind the front end, on whose program all later ones work. It ends with ``simplify`` and
``require``.

It goes forward, once: behind each operation stands what makes the tangents of its results of those of its
arguments, in the same branches and loops. So nothing is recorded, and the values that a rule reads are at
hand. What does not depend on the inputs, or does not influence the results, has no tangent.
"""

from __future__ import annotations

import operator
from typing import Any

from ...errors import InternalError
from ...rules import helpers
from ...rules.real_by_value import as_real_as
from ...rules.registry import Linear, Primitive, tangent_rule
from ..adjoint.contributions import cotangent_type
from ..adjoint.leaving import Certainty, as_left
from ..adjoint.own_rules import OwnRule, used_rules
from ..adjoint.rule_calls import (
    check_call,
    gives,
    parameters,
    require_all,
    require_formula,
    rule_of,
    several,
    widened,
    with_arrays,
)
from ..adjoint.rule_copies import RuleCopies
from ..analysis.activity import Activity, analyse
from ..analysis.infinities import Infinities, flat_at_infinity, is_singular
from ..analysis.invariants import require
from ..analysis.undefined import doubtful_values, undefined_values
from ..frontend.builder import Builder, type_of_arg
from ..frontend.types.dummies import InferenceError
from ..ir.ops import Arg, Block, Function, If, Lit, Op, Seq, Statement, Var, atoms, variables
from ..ir.show import callable_name
from ..ir.types import Array, Scalar, carries_derivative
from ..simplify.renaming import copy_function, free
from ..simplify.simplify import simplify
from .structural_tangents import STRUCTURAL
from .tangent_values import Tangents, tangent_hint, tangent_type
from .transposed import transposed


def tangent(
    function: Function, wrt: tuple[int, ...], of: tuple[int, ...] | None = None, region: bool = False
) -> Function:
    """The function that computes the results and, after them, their tangents.

    It has a new parameter at the end for the tangent of each parameter in ``wrt``.

    Args:
        function: the primal; it is not changed.
        wrt: the positions of the parameters that move.
        of: the positions of the results whose tangents are computed; by default all. A result that carries
            no derivative has none, and a display has one for each number and array in it.
        region: whether the function is a part of another one, whose values it reads.

    Raises:
        BrokenInvariant: a pass made a program whose types can't be relied on.
        MissingRuleError: an operation without a rule lies between the parameters and the results.

    >>> from ast_ad.compiler.ir import evaluate, ops, types
    >>> x, y = ops.Var(types.Scalar("float"), "x"), ops.Var(types.Scalar("float"))
    >>> square = ops.Function("square", (x,), ops.Block([ops.Op(operator.mul, (x, x), (y,))], (y,)))
    >>> evaluate.evaluate(tangent(square, (0,)), 3.0, 0.5)
    (9.0, 3.0)
    """
    joint = copy_function(function)
    outer = free(joint.body) if region else ()
    results = joint.body.results
    chosen = results if of is None else tuple(results[i] for i in of)
    inputs = [joint.params[i] for i in wrt]
    builder = Builder(Block(), adjoint=True)
    builder.divisors.follow(joint.body)
    sweep = Forward(builder, analyse(joint.body, inputs, chosen), doubtful_values(joint.body))
    sweep.infinities.follow(joint.body.ops)
    for var in inputs:
        dot = Var(cotangent_type(var.type), tangent_hint(var), cotangent_of=var.type)
        joint.params += (dot,)
        if carries_derivative(var.type):
            sweep.tangents.values[var] = dot
    statements, joint.body.ops = joint.body.ops, []
    with builder.nested(joint.body):
        sweep.run(statements)
        certainty = Certainty(joint.body)
        found = [a for result in chosen for a in atoms(result) if carries_derivative(type_of_arg(a))]
        joint.body.results = (*results, *[sweep.result(a, certainty) for a in found])
    used_rules(joint, sweep.ruled)
    return require(simplify(joint), outer)


class Forward:
    """Writes statements into the builder's block, each with its tangents behind it."""

    def __init__(self, builder: Builder, activity: Activity, undefined: set[Var]) -> None:
        self.builder, self.activity = builder, activity
        self.rules, self.infinities = RuleCopies(builder), Infinities()
        self.tangents = Tangents(builder, activity, undefined)
        self.ruled: set[OwnRule] = set()  # the rules of the user's that it has used
        self.by_value = False  # whether what is complex by its type may be real

    def is_active(self, var: Var) -> bool:
        return var in self.activity.active and carries_derivative(var.type)

    def merged(self, variables: tuple[Var, ...]) -> None:
        """These come from one of several places: a number of Python's may be one of NumPy's."""
        self.builder.divisors.merged.update(variables)

    def give(self, op: Op, tangents: tuple[Arg, ...], covers: bool = True) -> None:
        """Let the results of an operation that carry a derivative have the tangents."""
        for out, dot in zip(op.outs, tangents, strict=True):
            if carries_derivative(out.type):
                self.tangents.put(out, dot, covers)

    def run(self, statements: list[Statement]) -> None:
        """Write the statements with their tangents."""
        from .tangent_regions import forward_if, forward_loop

        for op in statements:
            self.builder.span = op.span
            try:
                if isinstance(op, Op):
                    self.operation(op)
                elif isinstance(op, If):
                    forward_if(self, op)
                else:
                    forward_loop(self, op)
            except InferenceError as problem:
                name = callable_name(op.fn) if isinstance(op, Op) else type(op).__name__
                raise InternalError(f"the tangent of `{name}` failed: {problem}", op.span) from problem

    def operation(self, op: Op) -> None:
        """One operation and, if a result is active, its tangents."""
        ops = self.builder.block.ops
        ops.append(op)
        before = len(ops)
        self.by_value |= op.fn in helpers.COMPLEX_BY_VALUE
        active = any(out in self.activity.active for out in op.outs)
        if op.fn in STRUCTURAL and (active or not op.args):
            STRUCTURAL[op.fn](self, op)
        elif active:
            primitive = rule_of(op, STRUCTURAL)
            assert primitive is not None
            if primitive.kind != "nondifferentiable":
                self.builder.divisors.enter(op)
                self.primitive(op, primitive)
        self.infinities.follow(ops[before:])

    def primitive(self, op: Op, primitive: Primitive) -> None:
        """The tangents of one operation that has a rule."""
        if not any(map(self.tangents.has, (*op.args, *op.kwargs.values()))):
            return
        own = tangent_rule(primitive)
        if isinstance(own, Linear):
            if self.linear(op, primitive, own):
                return
        elif own is not None and not any(map(self.tangents.has, op.kwargs.values())):
            self.given(op, own)
            return
        check_call(op, primitive)
        if primitive.kind == "elementwise":
            self.elementwise(op, primitive)
        elif primitive.kind == "composite":
            self.composite(op, primitive)
        else:
            self.transpose(op)

    def linear(self, op: Op, primitive: Primitive, rule: Linear) -> bool:
        """The operation of the tangents, where the function is linear in all that has one."""
        places = [i for i, arg in enumerate(op.args) if self.tangents.has(arg)]
        moving = any(map(self.tangents.has, op.kwargs.values()))
        if moving or not rule.places.issuperset(places) or gives(op, primitive, rule.unless):
            return False
        args = list(op.args)
        if not rule.each:
            joint = [self.tangents.alike(a) if i in rule.places else a for i, a in enumerate(args)]
            self.give(op, self.tangents.call(op, tuple(joint)))
            return True
        total: Arg | None = None
        for i in places:
            moved = self.tangents.alike(args[i])
            (term,) = self.tangents.call(op, (*args[:i], moved, *args[i + 1 :]))
            total = term if total is None else self.builder.op(operator.add, total, term)
        assert total is not None
        self.tangents.put(op.out, total, covers=True)
        return True

    def given(self, op: Op, rule: Any) -> None:
        """What a rule for tangents says."""
        moving = [self.tangents.alike(a) if self.tangents.has(a) else Lit(None) for a in op.args]
        ans = op.out if len(op.outs) == 1 else Seq(op.outs)
        found = self.rules.inline(rule, (Seq(tuple(moving)), ans, *op.args), op.kwargs)
        self.give(op, (found,) if len(op.outs) == 1 else several(found), covers=False)

    def elementwise(self, op: Op, primitive: Primitive) -> None:
        """The sum of the partial derivatives times the tangents: real, if the result is."""
        assert primitive.rule is not None
        ops = self.builder.block.ops
        before = len(ops)
        args = widened(op, primitive, self.builder.op)
        partials = several(self.rules.inline(primitive.rule, (op.out, *args), op.kwargs))
        self.infinities.follow(ops[before:])
        names = parameters(primitive.rule)[1:]
        named = [
            (arg, partials[names.index(k)]) for k, arg in op.kwargs.items() if k in names[: len(partials)]
        ]
        require_all(op, names, len(partials), self.tangents.has)
        total: Arg | None = None
        covers = True
        for place, (arg, partial) in enumerate((*zip(op.args, partials, strict=False), *named)):
            term = None
            if self.tangents.has(arg) and partial is not None:
                require_formula(op, partial)
                term = self.product(op, primitive, place, self.tangents.alike(arg), partial)
            if term is not None:
                total = term if total is None else self.builder.op(operator.add, total, term)
            elif not isinstance(type_of_arg(arg), Scalar):
                covers = False
        if total is not None:
            self.tangents.put(op.out, total, covers)

    def product(self, op: Op, primitive: Primitive, place: int, dot: Arg, partial: Arg) -> Arg | None:
        """A partial derivative times a tangent; a tangent 0 counts for nothing, if that is infinite."""
        value = partial.value if isinstance(partial, Lit) else None
        if isinstance(partial, Lit) and value is None or self.infinities.is_zero(partial):
            return None
        if value == 1:
            return dot
        moved: Arg
        if value == -1:
            moved = self.builder.op(operator.neg, dot)
        elif flat_at_infinity(op, primitive) == place and self.infinities.is_wild(dot):
            moved = self.builder.op(helpers.safe_product, partial, dot)
        elif is_singular(op) and not self.infinities.is_finite(partial):
            moved = self.builder.op(helpers.safe_product, dot, partial)
        else:
            moved = self.builder.op(operator.mul, partial, dot)
        return moved

    def composite(self, op: Op, primitive: Primitive) -> None:
        """Compute the equivalent program here, with its tangents."""
        assert primitive.rule is not None
        block = Block()
        with self.builder.nested(block):
            args = with_arrays(op, self.builder.op)
            value = self.rules.inline(primitive.rule, args, op.kwargs)
        results = tuple(value) if isinstance(value, (tuple, list)) else (value,)
        inputs = [v for v in variables(*op.args, *op.kwargs.values()) if self.tangents.has(v)]
        self.activity.include(analyse(block, inputs, results))
        self.tangents.undefined |= undefined_values(block)
        span = self.builder.span
        for inner in block.ops:
            inner.span, inner.adjoint = span, True
        self.run(list(block.ops))
        for out, result in zip(op.outs, results, strict=True):
            if self.is_active(out) and self.tangents.has(result):
                self.tangents.put(out, self.tangents.held(result, tangent_type(out.type)))

    def transpose(self, op: Op) -> None:
        """What the transposed derivative rule says."""
        active = [v for v in variables(*op.args, *op.kwargs.values()) if self.tangents.has(v)]
        dots = {v: self.tangents.values[v] for v in active}
        found = iter(transposed(self.builder, op, dots))
        for out in op.outs:
            if carries_derivative(out.type):
                dot = next(found)
                if isinstance(out.type, Array) and out.type.shape is None:  # asked when it runs
                    dot = self.builder.op(helpers.unbroadcast, dot, out)
                self.tangents.put(out, dot, covers=True)

    def result(self, arg: Var | Lit, certainty: Certainty) -> Arg:
        """The tangent of a result, of its type, as a value of its own that the caller may change."""
        type = type_of_arg(arg)
        dot = self.tangents.held(arg, tangent_type(type))
        producer = next((op for op in self.builder.block.ops if dot in op.outs), None)
        if isinstance(producer, Op) and producer.fn is helpers.broadcast_like:
            if isinstance(type, Array) and type.shape != ():
                dot = self.builder.op(operator.add, self.tangents.zeros(arg, tangent_type(type)), dot)
        dot = as_left(self.builder, dot, type, certainty)
        if self.by_value and isinstance(type, (Array, Scalar)) and type.kind == "complex":
            dot = self.builder.op(as_real_as, dot, arg)
        return dot
