"""How are draws of random numbers read? As operations that stay where they are, and are done once.

A generator is a value of the program: an input, or made by it. A draw whose parameters may depend on what is
differentiated is written as a formula of them and of noise (``rules.random_draws``).
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ....errors import AdError
from ....interrupts import let_through
from ....rules import random_draws as rules
from ...ir.ops import Lit, Var
from ...ir.types import NONE, Array, Opaque, Type, carries_derivative, rank_of, type_of
from .. import doors
from ..builder import type_of_arg
from ..constructs.attributes import is_generator
from ..context import NOT_STATIC, Context
from ..tables import handles
from ..types.infer import result_type
from ..values import Arr, Callee, Lst, Tup, Value
from .call_sites import call_followed

PACKAGE = __name__.partition(".")[0] + "."
_PARAMETERS = """
standard_normal size dtype, standard_exponential size dtype method, standard_cauchy size,
random size dtype,
random_sample size, normal loc scale size, uniform low high size, exponential scale size,
laplace loc scale size, logistic loc scale size, gumbel loc scale size, lognormal mean sigma size,
rayleigh scale size, weibull a size, pareto a size, power a size,
gamma shape scale size,
standard_gamma shape size dtype, chisquare df size, standard_t df size, beta a b size, f dfnum dfden size,
triangular left mode right size, vonmises mu kappa size, wald mean scale size,
noncentral_chisquare df nonc size,
multivariate_normal mean cov size check_valid tol method,
randint low high size dtype, integers low high size dtype endpoint, poisson lam size, binomial n p size,
geometric p size, negative_binomial n p size, logseries p size, zipf a size,
choice a size replace p axis shuffle, permutation x axis, shuffle x axis, seed seed, rand, randn
"""
PARAMETERS = {words[0]: words[1:] for words in map(str.split, _PARAMETERS.split(","))}
"""The methods that are read, with the names of their parameters."""
STEPS = set("randint integers poisson binomial geometric negative_binomial logseries zipf choice".split())
"""What jumps from number to number as its parameters change: the derivative is zero wherever there is one."""
VECTORS = {"multivariate_normal": "standard_normal"}
"""What draws vectors, and of what noise."""
OF_ITEMS = {"choice": "a", "permutation": "x", "shuffle": "x"}
"""What chooses among items or puts them in order, and the parameter that holds them, or their number."""
CHECKS = {"check_valid", "tol"}
"""What is checked of parameters, and changes no draw."""
KINDS = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}


@handles(np.random.default_rng)
def b_default_rng(cx: Context, seed: Value = Lit(None)) -> Any:
    return seed if is_generator(seed) else made(cx, np.random.default_rng, seed, "Generator")


@handles(np.random.RandomState)
def b_random_state(cx: Context, seed: Value = Lit(None)) -> Any:
    return made(cx, np.random.RandomState, seed, "RandomState")


def made(cx: Context, cls: Callee, seed: Value, kind: str) -> Var:
    """A generator of the program's own."""
    if isinstance(seed, Lit) and seed.value is None:
        raise cx.unsupported("a generator without a seed", "it is another one in each run", "give it a seed")
    return cx.builder.opaque(rules.made, (Lit(cls), cx.arg(seed)), Opaque(kind), True)


def draw(cx: Context, generator: Value, name: Lit, *args: Value, **kwargs: Value) -> Any:
    """A call of a method of a generator; ``Lit(None)``: NumPy's global one."""
    method = name.value
    names = PARAMETERS.get(method)
    if str(cx.frame.globals.get("__name__")).startswith(PACKAGE):
        raise refused(cx, method)  # what is drawn there becomes a tensor
    if names is None or len(args) > len(names) and names:
        raise refused(cx, method)
    if method == "shuffle" and not (args and isinstance(args[0], Arr)):
        raise refused(cx, method)
    args = tuple(cx.emit(np.array, a) if isinstance(a, Lst) else a for a in args)
    given = dict(zip(names, args, strict=False)) | kwargs
    if not set(given) <= set(names) or method in VECTORS and "mean" not in given:
        raise refused(cx, method)
    if method in OF_ITEMS and not is_count(cx, args):
        return of_items(cx, generator, method, given)
    if not names and args:  # of rand and randn the arguments are the lengths
        given = {"size": doors.from_arg(cx, tuple(map(cx.arg, args)))}
    size = given.pop("size", Lit(None))
    size = Lit(None) if isinstance(size, Lit) and size.value is None else size
    if cx.inputs is not None and not is_own(cx, generator):
        cx.inputs.draws += 1
    floats = any(carries_derivative(type_of_arg(cx.arg(v))) for v in given.values()) and method not in STEPS
    formula, noise, by = None, size, rules.FORMULAS.get(method)
    if method in VECTORS:
        noise = call_followed(cx, rules.sizes_of_vectors, [size, given["mean"]], {})  # type: ignore[arg-type]
        by = rules.MULTIVARIATE_NORMAL[kind_of(cx, generator)]
    if floats and by is not None:
        used = {k: v for k, v in given.items() if k not in CHECKS}
        formula = call_followed(cx, by, [generator, noise], used)  # type: ignore[arg-type]
    options = {**given, **({} if isinstance(size, Lit) and size.value is None else {"size": size})}
    operands = cx.arg(generator), Lit(method)
    if not names:
        operands, options = (*operands, *map(cx.arg, args)), {}  # type: ignore[assignment]
    out = cx.builder.opaque(
        rules.drawn if formula is not None or not floats else rules.drawn_with,
        operands,
        kind_of_draw(cx, generator, VECTORS[method], {}, (), noise)
        if method in VECTORS
        else kind_of_draw(cx, generator, method, given, given.values(), size),
        True,
        **{k: cx.arg(v) for k, v in options.items()},
    )
    value = cx.wrap_var(out)
    return value if formula is None else cx.emit(rules.standing_for, value, formula)


def of_items(cx: Context, generator: Value, method: str, given: dict[str, Value]) -> Any:
    """A draw of items: of their places, where the items are then. In a shuffle they get new ones."""
    items = given.pop(OF_ITEMS[method], None)
    along = cx.demand(given.pop("axis", Lit(0)), "an axis")
    rank = rank_of(cx.read(items).type) if isinstance(items, Arr) else None
    if not isinstance(items, Arr) or not rank or not -rank <= along < rank:
        raise refused(cx, method)
    axis = Lit(along)
    count = call_followed(cx, rules.count_of, [items, axis], {})  # type: ignore[arg-type]
    if method != "shuffle":
        return cx.emit(np.take, items, draw(cx, generator, Lit(method), count, **given), axis=axis)
    if cx.inputs is not None and not is_own(cx, generator):
        cx.inputs.draws += 1
    size = cx.emit(np.size, items)
    kind = replace(result_type(np.zeros, (cx.arg(count),), {}), dtype=np.dtype(int))
    operands = cx.arg(generator), cx.arg(count), cx.arg(size)
    order = cx.wrap_var(cx.builder.opaque(rules.order_of, operands, kind, True))
    everything = slice(Lit(None), Lit(None), Lit(None))
    doors.store_item(cx, items, everything, cx.emit(np.take, items, order, axis=axis))
    return Lit(None)


def refused(cx: Context, method: str) -> AdError:
    return cx.unsupported(
        f"random numbers drawn by `{method}`", "it is not compiled", "draw them outside and pass them in"
    )


def is_count(cx: Context, args: tuple[Value, ...]) -> bool:
    """Whether it is chosen among so many numbers."""
    return (
        len(args) > 0
        and getattr(type_of_arg(cx.arg(args[0])), "kind", "") == "int"
        and not isinstance(args[0], Arr)
    )


def is_own(cx: Context, generator: Value) -> bool:
    """Whether a generator is made by the program, and nobody else can tell that it is drawn from."""
    producers = cx.inputs.producers if cx.inputs is not None else {}
    made_here = isinstance(generator, Var) and any(
        op.fn is rules.made and generator in op.outs for op in cx.builder.block.ops if hasattr(op, "fn")
    )
    return (
        made_here
        or isinstance(generator, Var)
        and getattr(producers.get(generator.id), "fn", None) is rules.made
    )


@handles(np.random.seed)
def b_seed(cx: Context, seed: Value) -> Any:
    return draw(cx, Lit(None), Lit("seed"), seed)


@handles(rules.noise)
def b_noise(cx: Context, generator: Value, method: Lit, args: Value, params: Tup, size: Value) -> Any:
    given = {str(i): v for i, v in enumerate(args.items)}  # type: ignore[union-attr]
    operands = tuple(map(cx.arg, (generator, method, args, params, size)))
    kind = kind_of_draw(cx, generator, method.value, given, params.items, size)
    return cx.wrap_var(cx.builder.opaque(rules.noise, operands, kind, True))


def kind_of_draw(
    cx: Context, generator: Value, method: str, given: dict[str, Value], params: Iterable[Value], size: Value
) -> Type:
    """The type of a draw: the class is that of one from another generator, the lengths are told."""
    kind = kind_of(cx, generator)
    dummies = {k: dummy(cx, v, k) for k, v in given.items() if (method, k) != ("choice", "p")}
    numbered = [dummies.pop(k) for k in list(dummies) if k.isdigit()]
    try:
        one = rules.drawn(KINDS[kind](0), method, *numbered, **dummies)
        if one is None:
            return NONE
        if method == "permutation":
            size = given["x"]
        if not (isinstance(size, Lit) and size.value is None):
            found = result_type(np.zeros, (cx.arg(size),), {})
        else:
            arrays = [v for v in map(cx.arg, params) if isinstance(type_of_arg(v), Array)]
            if not arrays:
                return type_of(one)
            found = functools.reduce(both, map(type_of_arg, arrays))
    except Exception as problem:
        let_through(problem)
        raise cx.unsupported(
            f"random numbers drawn by `{method}`", f"{type(problem).__name__}: {problem}", "draw them outside"
        ) from None
    return replace(found, dtype=np.asarray(one).dtype)


def kind_of(cx: Context, generator: Value) -> str:
    """The name of a generator's class; NumPy's global one is of the older kind."""
    return str(type_of_arg(cx.arg(generator))) if is_generator(generator) else "RandomState"


def both(one: Type, other: Type) -> Any:
    """The type of a sum, which broadcasts."""
    return result_type(operator.add, (Var(one), Var(other)), {})


def dummy(cx: Context, value: Value, name: str) -> Any:
    """A number in the place of a parameter."""
    static = cx.static_value(value)
    if static is not NOT_STATIC:
        return static
    kind = getattr(type_of_arg(cx.arg(value)), "kind", "")
    return (
        {"low": 0, "high": 9}.get(name, 3) if kind == "int" else {"high": 0.75, "right": 0.75}.get(name, 0.5)
    )


doors.draw = draw
