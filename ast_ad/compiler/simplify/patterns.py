"""What made the operands of an operation? The vocabulary of rules that make a reverse sweep shorter."""

from __future__ import annotations

import itertools
import operator
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ...rules.narrow_integers import is_narrow
from ..frontend.builder import type_of_arg
from ..ir.alternatives import alternatives, is_mixed
from ..ir.ops import Arg, Lit, Op, Seq, Slice, Var
from ..ir.types import Array, Scalar, Type, differs_from_one, dtype_of, kind_of

MULTIPLY = {operator.mul, np.multiply}
ADD = {operator.add, np.add}
SUBTRACT = {operator.sub, np.subtract}
DIVIDE = {operator.truediv, np.divide}
NEGATE = {operator.neg, np.negative}
PRODUCT = {operator.matmul, np.matmul}
ARITHMETIC = MULTIPLY | ADD | SUBTRACT | DIVIDE | NEGATE


class Makers(dict[Var, Op]):
    """The operation that made each Var. ``new``: operations that a rule wants before the one it changes.
    ``find`` gives the Var that holds the result of an operation already, ``uses`` how many read each,
    ``values_read`` how many of these its value and not its shape only. ``above``: those around the block."""

    def __init__(self, known: Mapping[Var, Op] | None = None) -> None:
        super().__init__(known or {})
        self.new: list[Op] = []
        self.above: Mapping[Var, Op] = {} if known is None else known
        self.find: Callable[[Op], Var | None] = lambda op: None
        self.uses: Counter[Var] = known.uses if isinstance(known, Makers) else Counter()
        self.values_read: Counter[Var] = known.values_read if isinstance(known, Makers) else Counter()

    def is_local(self, var: Var) -> bool:
        """Whether it is made in the block itself, not in one around it."""
        return var not in self.above

    def before(self, op: Op, fn: Callable[..., Any], *args: Arg, type: Type, **kwargs: Arg) -> Var:
        """The result of a new operation that will stand before ``op``."""
        made = Op(fn, args, (Var(type),), kwargs, op.span, adjoint=True)
        self.new.append(made)
        self[made.out] = made
        return made.out


def maker_of(arg: Arg, makers: Makers, fns: Any) -> Op | None:
    op = makers.get(arg) if isinstance(arg, Var) else None
    if op is None or op.fn not in fns or op.kwargs:
        return None
    # what has wrapped in few bits is not what it would be in the type of the next operation
    return None if op.fn in ARITHMETIC and is_narrow(dtype_of(op.outs[0].type)) else op


def is_number(arg: Arg, number: float) -> bool:
    """Whether an argument is this constant, which changes no precision where it is left out."""
    return isinstance(arg, Lit) and isinstance(arg.value, (int, float, np.floating)) and arg.value == number \
        and not isinstance(arg.value, (bool, np.longdouble))  # fmt: skip


def same_type(arg: Arg, type: Type) -> bool:
    """Whether an argument has, for certain, the type of a result that it shall replace."""
    have = type_of_arg(arg)
    if isinstance(have, Scalar) and isinstance(type, Scalar):
        types = (*alternatives(have), *alternatives(type))
        return len({(t.kind, _width(t)) for t in types if isinstance(t, Scalar)}) == 1
    return have == type and (not isinstance(have, Array) or have.shape is not None)


def _width(type: Scalar) -> np.dtype | None:
    return dtype_of(type)


def is_full(arg: Arg, op: Op) -> bool:
    """Whether the operand has the dtype and, for certain, the shape of the elementwise operation's result."""
    if not isinstance(arg, Var) or kind_of(arg.type) not in ("float", "complex") or is_mixed(arg.type):
        return False
    have, want = arg.type, op.out.type
    if not (isinstance(have, Array) and isinstance(want, Array)) or have.shape is None or want.shape is None:
        return same_type(arg, want)
    return (
        have.dtype == want.dtype
        and len(have.shape) == len(want.shape)
        and all(h == w or differs_from_one(h) for h, w in zip(have.shape, want.shape, strict=True))
    )


def change(op: Op, fn: Callable[..., Any], *args: Arg) -> None:
    op.fn, op.args, op.kwargs = fn, args, {}


def result_dtype(*types: Type) -> np.dtype:
    """The dtype of arithmetic on the types: Python's numbers don't widen an array's."""
    return np.result_type(*(
        np.zeros((), t.dtype) if isinstance(t, Array) else
        {"bool": True, "int": 1, "float": 1.0, "complex": 1j}[t.kind] if t.dtype is None else t.dtype  # type: ignore[union-attr]
        for t in types
    ))  # fmt: skip


def gives_dtype(dtype: np.dtype, *types: Type) -> bool:
    """Whether arithmetic on the types gives a dtype, whichever of theirs the values have."""
    return all(result_dtype(*some) == dtype for some in itertools.product(*map(alternatives, types)))


def arg_key(arg: Arg) -> Any:
    """What an argument refers to: equal keys stand for equal values."""
    if isinstance(arg, Var):
        return arg.id
    if isinstance(arg, Seq):
        return (arg.kind.__name__, *map(arg_key, arg.items))
    if isinstance(arg, Slice):
        return ("slice", arg_key(arg.start), arg_key(arg.stop), arg_key(arg.step))
    exact = repr(arg.value) if isinstance(arg.value, (float, complex)) else ""
    return (type(arg.value).__name__, arg.value, exact)
