"""In which kernels may LLVM choose the signs of zeros? Where all that a sign would be seen by is known.

``with_free_signs(driver, kernels, overlapping) -> set[str]``. When the only kernel of a program is done, for
the choice of its decorator. What keeps its sign is marked, in place.

With free signs LLVM writes ``a * x - b * x * y`` as ``x * (a - b * y)``, as one would by hand, which it may
not where ``0.0 - 0.0`` has to be ``0.0``. A sign of zero is seen by what divides by it (``1 / -0.0``), and by
little else; so sums and products that lead to a divisor are made with signs (``numbers.signed_zeros``), those
of quotients stay, and all others are free. Not at all where there is a root: of ``x / sqrt(x)`` LLVM makes
``sqrt(x)``, and so the NaN at 0 goes. What is not known here may see signs, or take roots.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from ...ir import builtin
from ...ir.ops import Arg, For, Function, If, Lit, Op, Statement, Var, While, operands, variables, walk
from ...ir.types import Array, Scalar, dtype_of, kind_of
from .. import runtime, vector_math
from ..fresh_memory import empty
from ..numbers import as_written, python_math, selections
from ..numbers.signed_zeros import SIGNED
from .alias_sets import Groups
from .rounding import cancels

_DIVIDE = {operator.truediv, python_math.truediv, python_math.truediv_as_written, as_written.over}
_BLIND = {
    vector_math.exp, vector_math.exp2, vector_math.cos, vector_math.cosh, vector_math.log, vector_math.log2,
    vector_math.log10, vector_math.acos, vector_math.erfc, runtime.numbers, runtime.whole, runtime.require,
    operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne,
}  # fmt: skip
"""What gives the same for both zeros."""
_POSITIVE = {vector_math.exp, vector_math.exp2, vector_math.cosh}
_PASSING = {
    *SIGNED, operator.neg, operator.pos, builtin.assign, runtime.defined, runtime.nonzero, np.float64, float,
    as_written.plus, as_written.minus, as_written.times, selections.maximum, selections.minimum,
    vector_math.sin, vector_math.tan, vector_math.sinh, vector_math.tanh, vector_math.asin, vector_math.atan,
    vector_math.asinh, vector_math.atanh, vector_math.erf, vector_math.cbrt, vector_math.expm1,
    vector_math.log1p, operator.getitem,
}  # fmt: skip
"""What gives a zero whose sign is that of a zero, or hangs on those of several."""
_WRITES = {builtin.setitem_, builtin.add_item_}
_MEMORY = {np.empty, empty, np.shape, np.transpose, len}


def with_free_signs(driver: Function, kernels: Sequence[Function], overlapping: Collection[str]) -> set[str]:
    """The names of the kernels in which signs of zeros are free, but for those that are marked now.

    Args:
        driver: calls them.
        kernels: all of the program.
        overlapping: those of which arguments may overlap.
    """
    if len(kernels) != 1 or overlapping or cancels(kernels[0]):
        return set()
    found = _are_results_only(driver, kernels[0]) and frees_signs(kernels[0])
    return {kernels[0].name} if found else set()


def frees_signs(kernel: Function) -> bool:
    """Whether the signs of zeros are free in a kernel, but for those that are marked now.

    >>> x, y, z, q = (Var(Scalar("float"), name) for name in "xyzq")
    >>> body = [Op(operator.mul, (x, y), (z,)), Op(operator.truediv, (x, z), (q,))]
    >>> from ...ir.ops import Block
    >>> frees_signs(kernel := Function("f", (x, y), Block(body, (q,)))), kernel.body.ops[0].fn.__name__
    (True, 'mul_signed')
    """
    if not all(map(_is_known, walk(kernel.body))):
        return False
    groups, positive = Groups(kernel), set[Arg]()
    seen = _seen(kernel, groups)
    for op in walk(kernel.body):
        if isinstance(op, Op) and op.fn in _POSITIVE:
            positive.add(op.out)
        if isinstance(op, Op) and op.fn in SIGNED and op.out in seen and not _is_positive(op, positive):
            op.fn = SIGNED[op.fn]
        elif isinstance(op, Op) and op.fn is builtin.add_item_ and groups.of(op.args[0]) in seen:  # type: ignore[arg-type]
            return False  # a sum that is written as one statement
    return True


def _is_positive(op: Op, positive: Collection[Arg]) -> bool:
    """Whether it is the sum of a number above 0 and what is not below, as in a logistic function."""
    sums = op.fn is operator.add and len(op.args) == 2
    return sums and all(a in positive or isinstance(a, Lit) and a.value > 0 for a in op.args)


def _are_results_only(driver: Function, kernel: Function) -> bool:
    """Whether a driver does nothing with what the kernel computes but return it."""
    ops = [op for op in driver.body.ops if isinstance(op, Op)]
    calls = [op for op in ops if getattr(op.fn, "kernel", None) is kernel]
    if len(calls) != 1 or len(ops) < len(driver.body.ops):
        return False
    (call,) = calls
    computed = {*call.outs, *(v for v in variables(*call.args) if isinstance(v.type, Array))}
    for op in ops:
        converts = isinstance(op.fn, type) and issubclass(op.fn, np.generic)
        if op is not call and op.fn not in _MEMORY and not converts:
            if not computed.isdisjoint(variables(*operands(op))):
                return False
    return True


def _is_known(op: Statement) -> bool:
    """Whether it is told here what a statement does with signs of zeros."""
    values = [*variables(*operands(op)), *op.outs]
    if any(kind_of(v.type) == "complex" or dtype_of(v.type) == np.float32 for v in values):
        return False
    if not isinstance(op, Op) or op.fn in _MEMORY or not any(map(_is_float, values)):
        return True
    return op.fn in _BLIND or op.fn in _PASSING or op.fn in _DIVIDE or op.fn in _WRITES or op.fn is np.dot


def _is_float(var: Var) -> bool:
    return isinstance(var.type, (Scalar, Array)) and kind_of(var.type) == "float"


def _seen(kernel: Function, groups: Groups) -> set[Var]:
    """The numbers, and first names of arrays, of which signs of zeros are seen."""

    def name(arg: Arg) -> Iterable[Var]:
        for var in filter(_is_float, variables(arg)):
            yield groups.of(var) if isinstance(var.type, Array) else var

    sources: dict[Var, set[Var]] = {}
    seen: set[Var] = set()

    def hangs(out: Var, *args: Arg) -> None:
        for target in name(out):
            sources.setdefault(target, set()).update(v for arg in args for v in name(arg))

    for op in walk(kernel.body):
        if isinstance(op, If):
            for out, *sides in zip(op.outs, op.then.results, op.orelse.results, strict=True):
                hangs(out, *sides)
        elif isinstance(op, (For, While)):
            ends = op.body.results[op.stops :]
            for out, param, init, end in zip(op.outs, op.params, op.inits, ends, strict=True):
                hangs(out, param)
                hangs(param, init, end)
        elif op.fn in _WRITES:
            hangs(op.args[0], op.args[2])  # type: ignore[arg-type]
        elif op.fn is np.dot:
            hangs(op.args[-1], *op.args[:-1])  # type: ignore[arg-type]
        elif op.fn in _DIVIDE:
            hangs(op.out, op.args[0])
            seen.update(name(op.args[1]))
        elif op.fn in _PASSING:
            args = [a for a in op.args if not isinstance(a, Lit)]
            added = op.fn in (operator.add, operator.sub) and len(args) < len(op.args)
            nonzero = added and all(a.value for a in op.args if isinstance(a, Lit))
            hangs(op.out, *(() if nonzero else args))  # a zero and another number are not zero
    todo = list(seen)
    while todo:
        for source in sources.get(todo.pop(), ()):
            if source not in seen:
                seen.add(source)
                todo.append(source)
    return seen
