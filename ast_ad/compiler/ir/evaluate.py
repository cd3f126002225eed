"""What does an IR function mean? The reference evaluator: it runs the statements as they stand.

Every later stage is tested against it; it is written to be obviously right, not to be fast.

>>> from ast_ad.compiler.ir import ops, types
>>> import operator
>>> x, y = ops.Var(types.Scalar("float"), "x"), ops.Var(types.Scalar("float"), "y")
>>> double = ops.Function("double", (x,), ops.Block([ops.Op(operator.mul, (x, ops.Lit(2)), (y,))], (y,)))
>>> evaluate(double, 1.5)
3.0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .builtin import unpack
from .ops import Arg, Block, For, Function, If, Lit, Op, Seq, Slice, Var, While

Environment = dict[Var, Any]


def evaluate(function: Function, *args: Any) -> Any:
    """The result of the function on the arguments: a bare value for one result, else a tuple."""
    if len(args) != len(function.params):
        raise TypeError(f"{function.name} takes {len(function.params)} arguments, {len(args)} given")
    results = run_block(function.body, dict(zip(function.params, args, strict=True)))
    return results[0] if len(results) == 1 else results


def run_block(block: Block, env: Environment) -> tuple[Any, ...]:
    """Run the statements, binding their Vars in ``env``, and return the block's results."""
    for op in block.ops:
        if isinstance(op, Op):
            outs = _run_op(op, env)
        elif isinstance(op, If):
            outs = run_block(op.then if value(op.cond, env) else op.orelse, env)
        elif isinstance(op, For):
            outs = _run_for(op, env)
        else:
            outs = _run_while(op, env)
        bind(op.outs, outs, env)
    return tuple(value(result, env) for result in block.results)


def value(arg: Arg, env: Environment) -> Any:
    """The value of an argument: Vars are looked up, displays and slices are built anew."""
    if isinstance(arg, Var):
        return env[arg]
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Slice):
        return slice(value(arg.start, env), value(arg.stop, env), value(arg.step, env))
    assert isinstance(arg, Seq), arg
    return arg.kind(value(item, env) for item in arg.items)


def bind(variables: tuple[Var, ...], values: Iterable[Any], env: Environment) -> None:
    """Bind one value to each Var; a different number of values is an error."""
    env.update(zip(variables, values, strict=True))


def _run_op(op: Op, env: Environment) -> tuple[Any, ...]:
    result = op.fn(*(value(a, env) for a in op.args), **{k: value(a, env) for k, a in op.kwargs.items()})
    if len(op.outs) == 1 and op.fn is not unpack:
        return (result,)
    return tuple(result) if op.outs else ()


def _iterations(op: For, env: Environment) -> Iterator[tuple[tuple[Any, tuple[Any, ...]], ...]]:
    """For each iteration, the values of the index and of every zipped list with the Vars they bind."""
    sources: list[tuple[Any, Any]] = []
    if op.range is not None:
        sources.append(((op.index,), [(i,) for i in range(*(value(a, env) for a in op.range))]))
    for source, variables in op.items:
        items = value(source, env)
        sources.append((variables, [(item,) for item in items] if len(variables) == 1 else items))
    lengths = {len(items) for _, items in sources}
    if op.reverse and len(lengths) > 1:
        raise ValueError(f"a reversed loop over ranges and lists of different lengths: {sorted(lengths)}")
    streams = [reversed(items) if op.reverse else iter(items) for _, items in sources]
    for values in zip(*streams, strict=False):
        yield tuple((variables, tuple(v)) for (variables, _), v in zip(sources, values, strict=True))


def _run_for(op: For, env: Environment) -> tuple[Any, ...]:
    carried = tuple(value(a, env) for a in op.inits)
    for bindings in _iterations(op, env):
        for variables, values in bindings:
            bind(variables, values, env)
        bind(op.params, carried, env)
        results = run_block(op.body, env)
        carried = results[1:] if op.stops else results
        if op.stops and results[0]:
            break
    return carried


def _run_while(op: While, env: Environment) -> tuple[Any, ...]:
    carried = tuple(value(a, env) for a in op.inits)
    while True:
        bind(op.params, carried, env)
        (condition,) = run_block(op.cond, env)
        if not condition:
            return carried
        results = run_block(op.body, env)
        carried = results[1:] if op.stops else results
        if op.stops and results[0]:
            return carried
