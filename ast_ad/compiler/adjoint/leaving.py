"""Is the cotangent of an input what the input is: a number or an array, of its precision?

``as_left(builder, bar, type, certainty) -> Arg``. The last thing that ``adjoint`` writes, for each input: the
contributions to its cotangent have to be added up.

Types say what NumPy makes of values of other types. Where values come together without an operation, in lists
and dicts, behind branches and in loops, a number of Python's may stand for one of NumPy's, and a double where
single precision is expected. So a cotangent is followed back to where its class and dtype are certain; where
they are not, it is converted as it leaves the program.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...rules import helpers
from ..frontend.builder import Builder, type_of_arg
from ..ir.alternatives import alternatives, is_mixed
from ..ir.ops import Arg, Block, For, If, Lit, Op, Statement, Var, While, variables, walk
from ..ir.types import Array, DictOf, ListOf, Scalar, TupleOf, Type, dtype_of, is_single
from ..simplify.renaming import free


class Certainty:
    """The values of an adjoint program whose class and dtype are certainly those of their types."""

    def __init__(self, block: Block) -> None:
        self.makers: dict[Var, tuple[Statement, int]] = dict(_makers(block))
        self.certain: set[Var] = set()
        self.single = any(_has_single(var.type) for var in (*self.makers, *free(block)))

    def of(self, arg: Arg) -> bool:
        """Whether the argument is certainly of the class and the dtype that its type tells."""
        found, waiting = set(self.certain), list(variables(arg))
        while waiting:
            var = waiting.pop()
            if var in found:
                continue
            found.add(var)  # what a loop carries is certain if what goes into it is
            behind = self._behind(var)
            if behind is None:
                return False
            waiting += behind
        self.certain = found
        return True

    def _behind(self, var: Var) -> list[Var] | None:
        """The values whose class and dtype have to be certain, too; None: the argument's never is."""
        type = var.type
        if (
            not isinstance(type, (Scalar, Array))
            or type.among
            or isinstance(type, Array)
            and type.shape is None
        ):
            return None
        statement, place = self.makers.get(var, (None, 0))
        if statement is None or not statement.adjoint:
            return []
        if isinstance(statement, Op):
            return [] if statement.fn is helpers.astype else list(_read(statement))
        if isinstance(statement, If):
            sources = [statement.then.results[place], statement.orelse.results[place]]
        elif place < len(statement.inits):
            sources = [statement.inits[place], statement.body.results[statement.stops :][place]]
        else:
            return None  # an element of a list
        if not all(_alike(type_of_arg(source), type) for source in sources):
            return None
        return list(variables(*sources))


def _alike(a: Type, b: Type) -> bool:
    """Whether two types are both of numbers, or both of arrays, and of the same class and dtype."""
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return a.kind == b.kind and a.dtype == b.dtype and (a.dtype is None) == (b.dtype is None)
    return isinstance(a, Array) and isinstance(b, Array) and a.dtype == b.dtype


def _has_single(type: Type) -> bool:
    """Whether a value may be, or hold, numbers that are less precise than Python's."""
    if isinstance(type, (ListOf, DictOf)):
        return _has_single(type.element)
    if isinstance(type, TupleOf):
        return any(map(_has_single, type.items))
    dtypes = (dtype_of(one) for one in alternatives(type)) if isinstance(type, (Scalar, Array)) else ()
    return any(dtype is not None and dtype.kind in "fc" and is_single(dtype) for dtype in dtypes)


def _read(op: Op) -> Iterator[Var]:
    """The arguments whose dtypes tell the dtype of the result."""
    unread = helpers.METADATA.get(op.fn) if op.fn in helpers.SHAPED_LIKE else None
    if unread is not None and unread in helpers.SHAPED_LIKE[op.fn][1]:
        unread = None
    for position, arg in enumerate((*op.args, *op.kwargs.values())):
        if position != unread:
            yield from (v for v in variables(arg) if not _is_count(v))


def _is_count(var: Var) -> bool:
    """Whether it is an integer or a condition of Python's, which leaves the precision as it is."""
    return isinstance(var.type, Scalar) and var.type.dtype is None and var.type.kind in ("int", "bool")


def _makers(block: Block) -> Iterator[tuple[Var, tuple[Statement, int]]]:
    for statement in walk(block):
        for place, out in enumerate(statement.outs):
            yield out, (statement, place)
        if isinstance(statement, (For, While)):
            for place, param in enumerate(statement.params):
                yield param, (statement, place)
        if isinstance(statement, For):
            for item in (v for _, items in statement.items for v in items):
                yield item, (statement, len(statement.inits))


def as_left(builder: Builder, bar: Arg, type: Type, certainty: Certainty) -> Arg:
    """The cotangent ``bar`` of an input of the type, as it leaves the program: with its class and dtype.

    Arrays are of native byte order, as all that NumPy makes.
    """
    certain = _alike(type_of_arg(bar), type) and certainty.of(bar)
    if isinstance(type, Scalar) and type.dtype is not None:
        return bar if certain and not is_single(type.dtype) else builder.op(type.dtype.type, bar)
    if not isinstance(type, Array):
        return bar
    native = type.dtype.newbyteorder("=")
    left = Array(native, type.shape)
    if type.shape == ():  # a single number is one of Python's where a kernel gives it
        double = certain and type.dtype.isnative and native == np.float64
        number = bar if double else builder.op(native.type, bar)
        return builder.opaque(np.array, (number,), left)
    if native != type.dtype:
        return builder.opaque(helpers.astype, (bar, Lit(native)), left)
    if is_mixed(type):  # on each path it has the dtype that its value has there
        return bar
    if certainty.single and not certain:  # no `astype`, which goes where types say that it changes nothing
        return builder.opaque(np.array, (bar,), left, dtype=native)
    return bar
