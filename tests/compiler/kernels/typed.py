"""Have arrays the types that the program gives them? Kernels rely on every length that a type tells."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from ast_ad.compiler.ir import evaluate
from ast_ad.compiler.ir.ops import Var
from ast_ad.compiler.ir.types import Array, Dim


class Untrue(BaseException):
    """A value of another type than its Var's."""


undefined: list[Any] = []  # empty arrays from kernels: may be all that a path has in the place of an array
inside_kernel = [False]  # memory there need not have all the axes of the array that it holds


@contextlib.contextmanager
def types_checked() -> Iterator[None]:
    """Evaluated programs check the dtype, rank and lengths of every array that they bind."""
    before = evaluate.bind

    def bind(variables: tuple[Var, ...], values: Any, env: Any) -> None:
        values = tuple(values)
        if inside_kernel[0]:
            before(variables, values, env)
            return
        lengths = env.setdefault(_LENGTHS, {})
        for var, value in zip(variables, values, strict=True):
            if var in env:  # another turn of a loop: its lengths are new ones
                for atom in _own_lengths(var):
                    lengths.pop(atom, None)
            check(var, value, lengths)
        before(variables, values, env)

    evaluate.bind = bind  # type: ignore[assignment]
    try:
        yield
    finally:
        evaluate.bind = before
        undefined.clear()


_LENGTHS: Any = "lengths"


def _own_lengths(var: Var) -> list[Any]:
    shape = (var.type.shape or ()) if isinstance(var.type, Array) else ()
    atoms = [a for dim in shape if isinstance(dim, Dim) for a, _ in dim.terms]
    return [*atoms, ("len", var.id), ("int", var.id)]


def check(var: Var, value: Any, lengths: dict[Any, int]) -> None:
    """Raise Untrue where the value has not the type; learn what the symbols of lengths stand for."""
    type = var.type
    if value is None or any(value is empty for empty in undefined):
        return
    if not isinstance(type, Array) or not isinstance(value, np.ndarray):
        return
    real = type.dtype.kind == "c" and value.dtype.kind == "f"  # eigenvalues, where all happen to be real
    if value.dtype != type.dtype and not real:
        raise Untrue(f"{var}: {type}, but {value.dtype}")
    if type.shape is None:
        return
    if len(type.shape) != value.ndim or not all(
        _agrees(d, n, lengths) for d, n in zip(type.shape, value.shape, strict=True)
    ):
        raise Untrue(f"{var}: {type}, but of shape {value.shape}; {lengths}")


def _agrees(dim: Dim | int, n: int, lengths: dict[Any, int]) -> bool:
    if isinstance(dim, int):
        return dim == n
    unknown = [a for a, _ in dim.terms if a not in lengths]
    if not unknown:
        return max(dim.const + sum(c * lengths[a] for a, c in dim.terms), 0) == n
    if len(unknown) == 1:
        rest = n - dim.const - sum(c * lengths[a] for a, c in dim.terms if a in lengths)
        coefficient = dict(dim.terms)[unknown[0]]
        if n and rest % coefficient == 0:
            lengths[unknown[0]] = rest // coefficient
    return True
