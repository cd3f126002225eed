"""Does the compiler turn a rule into the right adjoint, and that adjoint into the right second derivative?

One call becomes a program of one operation. Its adjoint, run by the reference evaluator, has to agree with
the rule run directly on arrays; and differences of that adjoint with the adjoint of the adjoint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiler.adjoint.adjoint import adjoint
from ..compiler.frontend.builder import Builder
from ..compiler.frontend.types.dummies import InferenceError
from ..compiler.ir.check import check as check_ir
from ..compiler.ir.evaluate import evaluate
from ..compiler.ir.ops import Arg, Block, Function, Lit, Op, Seq, Slice, Var
from ..compiler.ir.types import Array, Dim, ListOf, TupleOf, Type, carries_derivative, type_of
from ..extrapolation import extrapolated
from ..rules import containers
from .direct import STEP, dot, holds_floats, is_inexact, moved, random_like, require, tree
from .samples import Sample


def symbolic(x: Any, prefix: str) -> Type:
    """The type of an argument: its lengths are symbols, ones are known to be ones."""
    if isinstance(x, list):
        return ListOf(symbolic(x[0], prefix))
    if isinstance(x, tuple):
        return TupleOf(tuple(symbolic(item, f"{prefix}_{i}") for i, item in enumerate(x)))
    found = type_of(x)
    if not isinstance(found, Array) or found.shape is None:
        return found
    dims = tuple(1 if n == 1 else Dim.symbol(f"n{n}", not_one=True) for n in found.shape)
    return Array(found.dtype, dims)


class Program:
    """The IR of one call, with the values of its parameters."""

    def __init__(self, fn: Any, sample: Sample, run_time_lists: bool, exact: bool = False) -> None:
        self.exact = exact  # lengths are constants, as in the front end where the symbols don't tell enough
        self.params: list[Var] = []
        self.values: list[Any] = []
        self.floats: list[int] = []
        self.run_time_lists = run_time_lists
        block = Block()
        args = [self.argument(x, sample.wrt is None or i in sample.wrt) for i, x in enumerate(sample.args)]
        kwargs = {
            k: self.argument(x, sample.wrt is None or k in sample.wrt) for k, x in sample.kwargs.items()
        }
        result = typed_call(Builder(block), fn, args, kwargs)
        block.results = tuple(leaves(result))
        self.function = Function("call", tuple(self.params), block)

    def argument(self, x: Any, active: bool) -> Arg:
        if isinstance(x, slice):
            return Slice(Lit(x.start), Lit(x.stop), Lit(x.step))
        as_list = isinstance(x, list) and self.run_time_lists and holds_floats(x)
        if isinstance(x, (list, tuple)) and not as_list:
            return Seq(tuple(self.argument(item, active) for item in x), type(x))
        variable = active and is_inexact(x) or isinstance(x, np.ndarray)  # an inactive number is an option
        if not as_list and not variable:
            return Lit(x)
        hint = f"a{len(self.params)}"
        var = Var(type_of(x) if self.exact else symbolic(x, hint), hint)
        if active and carries_derivative(var.type):
            self.floats.append(len(self.params))
        self.params.append(var)
        self.values.append(x)
        return var


def program_of(fn: Any, sample: Sample, run_time_lists: bool) -> Program:
    try:
        return Program(fn, sample, run_time_lists)
    except InferenceError:
        return Program(fn, sample, run_time_lists, exact=True)


def check_float32(fn: Any, sample: Sample, run_time_lists: bool = False) -> None:
    """Raise AssertionError where the adjoint of a float32 program is not float32, or far from float64's."""

    def narrow(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(narrow, x))
        narrower = {"float64": np.float32, "complex128": np.complex64}
        return (
            x.astype(narrower[x.dtype.name]) if isinstance(x, np.ndarray) and x.dtype.name in narrower else x
        )

    wide = program_of(fn, sample, run_time_lists)
    small = Sample(narrow(sample.args), {k: narrow(v) for k, v in sample.kwargs.items()}, sample.wrt)
    found = []
    for program in (wide, program_of(fn, small, run_time_lists)):
        rng = np.random.default_rng(7)
        results = as_tuple(evaluate(program.function, *program.values), program.function)
        of = tuple(i for i, r in enumerate(results) if float_like(r))
        if not of or not program.floats:
            return
        seeds = [random_like(results[i], rng) for i in of]
        transposed = adjoint(program.function, tuple(program.floats), True, of)
        bars = as_tuple(evaluate(transposed, *program.values, *seeds), transposed)[len(results) :]
        for position, bar in zip(program.floats, bars, strict=True):
            same_structure(bar, program.values[position])
        found.append(bars)

    def close(a: Any, b: Any) -> None:
        scale = 1 + np.max(np.abs(a), initial=0)
        require(
            np.allclose(a, b, rtol=0, atol=0.002 * scale, equal_nan=True), f"{b} in float32, {a} in float64"
        )

    if not sample.kink:
        for exact, rounded in zip(*found, strict=True):
            tree(close, exact, rounded)


def typed_call(builder: Builder, fn: Any, args: list[Arg], kwargs: dict[str, Arg]) -> Any:
    """The call as the front end emits it: of a list that grows it knows the type itself."""
    if fn is containers.list_append:
        return builder.opaque(fn, tuple(args), args[0].type)  # type: ignore[union-attr]
    if fn is containers.list_pop:
        outs = Var(args[0].type), Var(args[0].type.element)  # type: ignore[union-attr]
        builder.append(Op(fn, tuple(args), outs))
        return outs
    return builder.op(fn, *args, **kwargs)


def leaves(result: Any) -> list[Arg]:
    if isinstance(result, (list, tuple)):
        return [leaf for item in result for leaf in leaves(item)]
    return [result]


def check_program(fn: Any, sample: Sample, run_time_lists: bool = False, order: int = 2) -> None:
    """Raise AssertionError where an adjoint of the given order differs from differences of the program."""
    program = program_of(fn, sample, run_time_lists)
    check_ir(program.function)
    function, values, floats = program.function, program.values, program.floats
    rng = np.random.default_rng(7)
    for level in range(order if sample.order2 else 1):
        results = as_tuple(evaluate(function, *values), function)
        of = tuple(
            i
            for i, r in enumerate(results)
            if i >= level * len(program.function.body.results) and float_like(r)
        )
        if not of or not floats:
            return
        transposed = adjoint(function, tuple(floats), True, of)
        check_ir(transposed)
        seeds = [random_like(results[i], rng) for i in of]
        bars = as_tuple(evaluate(transposed, *values, *seeds), transposed)[len(results) :]
        if not sample.kink:
            compare(function, values, floats, of, seeds, bars, sample.tol * 10**level, rng)
        function, floats = transposed, [*floats, *range(len(values), len(values) + len(seeds))]
        values = [*values, *seeds]


def compare(
    function: Any, values: Any, floats: Any, of: Any, seeds: Any, bars: Any, tol: float, rng: Any
) -> None:
    for position, bar in zip(floats, bars, strict=True):
        v = random_like(values[position], rng)

        def along(h: float, position: int = position, v: Any = v) -> float:
            there = [moved(x, v, h) if i == position else x for i, x in enumerate(values)]
            results = as_tuple(evaluate(function, *there), function)
            return sum(dot(seed, results[i]) for i, seed in zip(of, seeds, strict=True))

        with np.errstate(all="ignore"):
            expected = extrapolated(along, STEP)
        same_structure(bar, values[position])
        got = dot(bar, v)
        require(
            abs(got - expected) <= tol * (1 + abs(expected)),
            f"parameter {position}: {got!r}, not {expected!r}",
        )


def same_structure(bar: Any, x: Any) -> None:
    def leaf(b: Any, a: Any) -> None:
        if is_inexact(a):
            require(np.shape(b) == np.shape(a), f"cotangent of shape {np.shape(b)} for {np.shape(a)}")
            if isinstance(a, (float, complex)) and not isinstance(a, np.generic):
                return  # a Python number is of any precision
            require(
                np.asarray(b).dtype == np.asarray(a).dtype, f"{np.asarray(b).dtype} for {np.asarray(a).dtype}"
            )

    tree(leaf, bar, x)


def float_like(x: Any) -> bool:
    return holds_floats(x)


def as_tuple(results: Any, function: Function) -> tuple[Any, ...]:
    return (results,) if len(function.body.results) == 1 else tuple(results)
