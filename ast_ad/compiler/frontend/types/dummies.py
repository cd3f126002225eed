"""Which small run-time value stands for an argument of a given type, and which lengths does it have?"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ....interrupts import let_through
from ....rules.registry import for_trial, lookup
from ...ir import dim_values
from ...ir.alternatives import types_of
from ...ir.ops import UNKNOWN, Arg, Lit, Seq, Slice, Var, variables
from ...ir.types import NOTHING, Array, DictOf, Dim, ListOf, Opaque, Optional, Scalar, TupleOf, Type, type_of
from ..source.opaque import run_apart
from ..values import Callee

RUN = "which of the two runs"
ODD_SIZES = 37, 53  # of a length that comes out as none
INTEGERS = "what arrays of integers hold"
OBJECTS = {"str": "a", "None": None}  # of which no length can hang on the value


class InferenceError(Exception):
    """The function accepts none of the dummies; the text is what it said."""


def plain_type(arg: Arg) -> Type:
    if isinstance(arg, Var):
        return arg.type.value if isinstance(arg.type, Optional) else arg.type
    return type_of(arg.value) if isinstance(arg, Lit) else Opaque()


def atoms_of(args: tuple[Arg, ...], kwargs: dict[str, Arg]) -> list[Any]:
    atoms: dict[Any, None] = {}
    for var in variables(*args, *kwargs.values()):
        for dim in dims_of(var):
            for atom, _ in dim.terms if isinstance(dim, Dim) else ():
                atoms[atom.key] = None
    return list(atoms)


def is_int(var: Var) -> bool:
    return isinstance(var.type, Scalar) and var.type.kind == "int"


def dims_of(var: Var) -> tuple[Dim | int, ...]:
    if is_int(var) and var.known is UNKNOWN:
        return (int_size(var),)
    if isinstance(var.type, ListOf):
        return (list_length(var), *_lengths(var.type.element))
    return _lengths(var.type)


def list_length(var: Var) -> Dim:
    """How many elements a list has."""
    return Dim.symbol(("len", var.id), least=0)


def _lengths(type: Type) -> tuple[Dim | int, ...]:
    """Each length that an array has somewhere inside of a value of the type."""
    match type:
        case Array():
            return type.shape or ()
        case Optional():
            return _lengths(type.value)
        case TupleOf():
            return tuple(n for item in type.items for n in _lengths(item))
        case ListOf():
            return _lengths(type.element)
    return ()


def int_size(arg: Arg) -> Dim | int:
    """An int as a length: its constant, the length that it is known to be, or a symbol of its own."""
    value = int_value(arg)
    return Dim.symbol(("int", arg.id)) if value is ... and isinstance(arg, Var) else value


def int_value(part: Arg) -> Any:
    """None, an int, or the symbolic length that a bound is known to be."""
    if isinstance(part, Lit):
        return (
            None
            if part.value is None
            else int(part.value)
            if isinstance(part.value, (int, np.integer))
            else ...
        )
    if isinstance(part, Var) and part.known is not UNKNOWN and isinstance(part.known, (int, np.integer)):
        return int(part.known)
    if isinstance(part, Var) and isinstance(part.type, Scalar) and part.type.size is not None:
        return part.type.size
    return ...


def evaluate(dim: Dim | int, table: dict[object, int]) -> int:
    value = dim_values.evaluate(dim, table)  # less than 0: `n * m - m`, products have sizes of their own
    return value if value > 0 else ODD_SIZES[table.get(RUN, 0)]


def run_on_dummies(
    fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg], table: dict[object, int]
) -> Any:
    equal = table
    for arg in (*args, *kwargs.values()):
        equal = with_equal_rows(arg, equal)
    if equal is table:
        return run_on(fn, args, kwargs, table)
    try:
        return run_on(fn, args, kwargs, table)  # to some functions they are no rows of one array
    except ValueError as problem:
        let_through(problem)
        return run_on(fn, args, kwargs, equal)


def run_on(fn: Callee, args: tuple[Arg, ...], kwargs: dict[str, Arg], table: dict[object, int]) -> Any:
    """The result for dummies of these lengths."""
    given = [dummy(a, table) for a in args], {k: dummy(v, table) for k, v in kwargs.items()}
    if lookup(fn) is not None:
        return quietly(fn, *given)
    for value in (*given[0], *given[1].values()):
        if isinstance(value, np.ndarray):
            value.flags.writeable = False  # it may write what is there already
    return quietly(run_apart, [fn, *given], {})


def with_equal_rows(arg: Arg, table: dict[object, int]) -> dict[object, int]:
    """The table in which lists that are rows of one display are as long as each other, and as its other rows.

    If they are not, NumPy says so when the program runs, as it does to the function.
    """
    if not isinstance(arg, Seq):
        return table
    lists = [row for row in arg.items if isinstance(row, Var) and isinstance(row.type, ListOf)]
    if lists and len(arg.items) > 1:
        written = [len(row.items) for row in arg.items if isinstance(row, Seq)]
        length = written[0] if written else table.get(("len", lists[0].id), 3)
        table = {**table, **{("len", row.id): length for row in lists}}
    for row in arg.items:
        table = with_equal_rows(row, table)
    return table


def quietly(fn: Callee, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """What a function gives for made-up arguments, or for valid ones in their place."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        args, kwargs = for_trial(fn, args, kwargs)
        return fn(*args, **kwargs)


def dummy(arg: Arg, table: dict[object, int]) -> Any:
    """A small run-time value of the argument's type; lengths come from ``table``."""
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Seq):
        return arg.kind(dummy(a, table) for a in arg.items)
    if isinstance(arg, Slice):
        return slice(dummy(arg.start, table), dummy(arg.stop, table), dummy(arg.step, table))
    if arg.known is not UNKNOWN:
        return arg.known
    return _dummy_of(arg.type, arg, table)


def _dummy_of(type: Type, arg: Var, table: dict[object, int]) -> Any:
    if isinstance(type, Optional):
        return _dummy_of(type.value, arg, table)
    if isinstance(type, Scalar):
        return dummy_number(arg, type, table)
    if isinstance(type, Array):
        shape = tuple(evaluate(d, table) for d in type.shape or ())
        if type.dtype.kind in "iu":
            return np.full(shape, table.get(INTEGERS, 0), type.dtype)
        return _array(type, shape, table.get(RUN, 0))
    if isinstance(type, ListOf):
        count = 0 if type.element == NOTHING else table.get(("len", arg.id), 3)
        return [_part(type.element, table)] * count if count else []
    if isinstance(type, DictOf):
        return {} if type.key == NOTHING else {_part(type.key, table): _part(type.element, table)}
    if isinstance(type, TupleOf):
        return tuple(_part(item, table) for item in type.items)
    if type.name in OBJECTS:
        return OBJECTS[type.name]
    raise InferenceError(f"nothing is known of a value of type {type}")


def _part(type: Type, table: dict[object, int]) -> Any:
    """A dummy of an item of a list or tuple; an integer has another value in the second run."""
    part = Var(type)
    return _dummy_of(type, part, {**dict.fromkeys(atoms_of((part,), {}), 3 + table.get(RUN, 0)), **table})


_GENERATORS = {"Generator": np.random.default_rng, "RandomState": np.random.RandomState}


def class_dummies(var: Var) -> list[Any]:
    """Objects of each class, dtype and number of axes that a value may have at run time."""
    found: list[Any] = [None] if isinstance(var.type, Optional) else []
    for type in types_of(var.type.value if isinstance(var.type, Optional) else var.type):
        if isinstance(type, Opaque) and type.name in _GENERATORS:
            found.append(_GENERATORS[type.name](0))
        elif isinstance(type, Array) and type.shape is None:
            found += [
                filler(type.dtype),
                *(np.full((1,) * rank, filler(type.dtype), type.dtype) for rank in range(3)),
            ]
        else:
            one = Var(type)
            one.known = var.known
            found.append(dummy(one, dict.fromkeys(atoms_of((one,), {}), 1)))
    return found


def dummy_number(arg: Arg, type: Scalar, table: dict[object, int]) -> Any:
    if isinstance(arg, Lit):
        return arg.value
    if isinstance(arg, Var) and arg.known is not UNKNOWN:
        return arg.known
    if type.kind == "int" and isinstance(arg, Var):
        value: Any = evaluate(int_size(arg), table) if table else 2
    else:
        value = {"bool": True, "int": 2, "float": 2.3 if table.get(RUN) else 0.5, "complex": 0.5 + 0.25j}[
            type.kind
        ]
    return value if type.dtype is None else type.dtype.type(value)


def filler(dtype: np.dtype) -> Any:
    value: Any = {"b": True, "i": 1, "u": 1, "f": 0.5, "c": 0.5 + 0.25j, "U": "a", "S": b"a"}.get(dtype.kind)
    if value is None:
        if dtype.kind != "O":
            raise InferenceError(f"arrays of dtype {dtype} are not supported")
        return None
    return dtype.type(value)


def _array(type: Array, shape: tuple[int, ...], run: int = 0) -> np.ndarray:
    """Lengths that depend on the data (how many are nonzero, or unlike) differ between the two runs."""
    if type.dtype.kind == "b" and run:
        return np.arange(int(np.prod(shape))).reshape(shape) % 3 == 1  # also of one element another number
    if type.dtype.kind == "f" and len(shape) == 1:
        values = np.linspace(0.1, 0.9, shape[0]).astype(type.dtype)
        return np.where(np.arange(shape[0]) < 2, 0, 0.5).astype(type.dtype) if run else values
    out = np.full(shape, filler(type.dtype), type.dtype)  # texts of the length that they may have
    if len(shape) >= 2 and type.dtype.kind in "fc":  # well-conditioned, where squares are factorised
        diagonal = np.arange(1.5, shape[-1] + 1)  # no two of them have the product 1
        out = out * 0 + np.eye(shape[-2], shape[-1], dtype=type.dtype) * diagonal.astype(type.dtype)
    return out
