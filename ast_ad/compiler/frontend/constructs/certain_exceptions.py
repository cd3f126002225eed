"""Which calls raise for certain, wherever they run?

A trial of a call fails for many reasons: lengths that do not fit, a matrix that has no inverse. Other values
would not mend one of them: that the function does not take values of such types. The call then stands in the
program as it is, and raises there what the function itself raises.
"""

from __future__ import annotations

import contextlib
import operator

import numpy as np

from ...ir.alternatives import TooMany, choices, is_mixed, is_open
from ...ir.ops import Arg, Lit, Op, Var, variables
from ...ir.types import Array, ListOf, Opaque, Optional, Scalar, TupleOf, Type, differs_from_one
from ..builder import Builder, type_of_arg
from ..types.dummies import InferenceError, atoms_of
from ..types.infer import result_type
from ..values import Callee, Tup, Value

DIVISIONS = {operator.truediv, operator.floordiv, operator.mod, divmod}
ONE_IS_A_NUMBER = np.lib.NumpyVersion(np.__version__) < "2.4.0"
JOINING = {np.matmul, operator.matmul, np.dot, np.concatenate, np.stack, np.vstack, np.hstack}


def raised_for_certain(
    fn: Callee, args: list[Arg], kwargs: dict[str, Arg], problem: InferenceError
) -> Exception | None:
    """What a call raises whose type can't be found, if it does so whatever its arguments hold."""
    cause = problem.__cause__
    types = [var.type for var in variables(*args, *kwargs.values())]
    if any(map(_is_open, types)):
        return _of_each_type(fn, args, kwargs)
    if isinstance(cause, ZeroDivisionError):
        by_constant = len(args) == 2 and isinstance(args[1], Lit)
        return cause if fn in DIVISIONS and by_constant else None
    if not all(map(_is_exact, types)):
        return None
    if type(cause) is ValueError:  # lengths do not fit, all of which are constants
        return cause if fn in JOINING and not atoms_of(tuple(args), kwargs) else None
    if isinstance(cause, IndexError):  # an index of a number is one too many
        indexed = isinstance(args[0], Var) and isinstance(args[0].type, Scalar)
        return cause if fn is operator.getitem and indexed else None
    return cause if isinstance(cause, TypeError) else None


def _of_each_type(fn: Callee, args: list[Arg], kwargs: dict[str, Arg]) -> Exception | None:
    """What a call raises for certain, where the types of its arguments depend on the path taken."""
    raised = None
    with contextlib.suppress(TooMany):
        for some, named in choices(tuple(args), kwargs):
            if any(_is_open(var.type) for var in variables(*some, *named.values())):
                return None  # what is in a list, or how many axes there are
            try:
                result_type(fn, some, named)
                return None
            except InferenceError as problem:
                raised = raised_for_certain(fn, list(some), named, problem)
                if raised is None:
                    return None
        return raised
    return None


def _is_open(type: Type) -> bool:
    """Whether a type depends on the path taken."""
    return is_open(type) or isinstance(type, Optional)


def _is_exact(type: Type) -> bool:
    """Whether nothing about a type is left open but lengths.

    Of an array with one element NumPy before 2.4 makes a number where it needs one: there an array is exact
    where one of its lengths is certainly not 1.
    """
    if isinstance(type, TupleOf):
        return all(map(_is_exact, type.items))
    if isinstance(type, ListOf):
        return _is_exact(type.element)
    if isinstance(type, Array) and type.shape is not None:
        return not (type.shape and ONE_IS_A_NUMBER) or any(map(differs_from_one, type.shape))
    return isinstance(type, Scalar)


def raising(fn: Callee, args: list[Arg], kwargs: dict[str, Arg], builder: Builder) -> Op:
    """The call that raises, as a statement."""
    return Op(fn, tuple(args), (Var(Opaque()),), kwargs, builder.span, True, builder.adjoint)


def class_without_items(base: Value) -> str | None:
    """What Python calls the class of a value that takes no items, where that is known."""
    if isinstance(base, Tup):
        return "tuple" if base.cls is None else base.cls.__name__
    type = base.type if isinstance(base, Var) else type_of_arg(base) if isinstance(base, Lit) else None
    if isinstance(type, Opaque) and type.name in ("str", "None"):
        return "NoneType" if type.name == "None" else type.name
    if not isinstance(type, Scalar) or is_mixed(type):
        return None
    return type.kind if type.dtype is None else f"numpy.{type.dtype.type.__name__}"
