"""One compiled program: when does it fit a call, and how is it run?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .emit.load import add_user_note
from .errors import InputTypeError, InputValueError, UnsupportedError
from .frontend.inputs import signature
from .frontend.lower import Lowered
from .ir.builtin import own
from .ir.ops import Arg, Var
from .ir.types import Array, Scalar


@dataclass
class Compiled:
    """A generated function with what has to hold for a call to use it.

    ``run`` takes the leaves of the arguments and what is read from outside. Arrays that the user's function
    writes to are copied first, so that no call ever changes the caller's.
    """

    lowered: Lowered
    run: Callable[..., Any]
    text: str
    readers: list[Callable[[], Any]] = field(init=False)

    def __post_init__(self) -> None:
        inputs = self.lowered.inputs
        self.readers = [path.reader() for path, _, _ in inputs.captures]
        self._signatures = [found for _, _, found in inputs.captures]
        self._guards = [
            (path.reader(), kind == "is", expected) for path, (kind, expected) in inputs.guards.items()
        ]
        self._constants = [
            (key[1], "shape" in key, value)
            for key, value in self.lowered.constants.items()
            if key[0] == "arg"
        ]
        self._written = sorted(self.lowered.written)
        self._simple = not (self._constants or self._written or self.lowered.errstate)
        self._scope = dict(self.lowered.errstate)

    def fits(self, leaves: Sequence[Any]) -> bool:
        """Whether constants, guards and the kinds of outside values are those of this build."""
        for position, is_shape, value in self._constants:
            found = leaves[position].shape if is_shape else leaves[position]
            if not (type(found) is type(value) and found == value):
                return False
        try:
            for read, by_identity, expected in self._guards:
                found = read()
                if found is not expected and (by_identity or not _same(found, expected)):
                    return False
            return all(
                signature(read()) == known for read, known in zip(self.readers, self._signatures, strict=True)
            )
        except (KeyError, AttributeError, IndexError, ValueError, TypeError):
            return False

    def __call__(self, leaves: list[Any]) -> Any:
        if self.readers:
            leaves = leaves + [read() for read in self.readers]
        try:
            if self._simple:
                return self.run(*leaves)
            with np.errstate(**self._scope) if self._scope else contextlib.nullcontext():  # type: ignore[arg-type]
                return self.run(*self._protected(leaves))
        except Exception as error:
            add_user_note(error)
            if self.lowered.tried:
                file, first, last = self.lowered.tried[0]
                raise UnsupportedError(
                    "an exception at run time, in a function with `try`",
                    why=f"{type(error).__name__}: {error}; the handlers (lines {first} to {last} of "
                    f"{file}) are not part of the compiled program",
                    fix="test for the condition with `if` instead",
                ) from error
            raise

    def _protected(self, leaves: list[Any]) -> list[Any]:
        """The leaves, with copies of those that the function writes to."""
        leaves = list(leaves)
        arrays = [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]
        for position in self._written:
            array = leaves[position]
            if not isinstance(array, np.ndarray):
                continue
            if sum(np.may_share_memory(array, other) for other in arrays) > 1:
                raise InputValueError(
                    "two arguments that share memory, one of which the function writes to",
                    why="the write would change the other one too",
                    fix="pass a copy of one of them",
                )
            leaves[position] = own(array)
        return leaves


def _same(found: Any, expected: Any) -> bool:
    return type(found) is type(expected) and bool(found == expected)


def check_differentiable(leaf: Any, label: str) -> None:
    """Only floats and complex numbers have a derivative.

    Raises
    ------
    InputTypeError
        for integers and booleans, with what to do.
    """
    dtype = getattr(leaf, "dtype", None)
    kind = dtype.kind if dtype is not None else {bool: "b", int: "i"}.get(type(leaf), "f")
    if kind not in "fc":
        name = dtype.name if dtype is not None else type(leaf).__name__
        raise InputTypeError(
            f"a gradient with respect to `{label}`, which has integer values (dtype {name})",
            why="grad requires real- or complex-valued inputs, whose dtype is a sub-dtype of np.inexact",
            fix=f"pass floats (`{label} = np.asarray({label}, float)`), or choose other argnums",
        )


def scalar_result(structure: Any, results: Sequence[Arg], has_aux: bool) -> int:
    """The position of the number to differentiate among the results."""
    if has_aux:
        if not (isinstance(structure, tuple) and len(structure) == 2 and not isinstance(structure[0], str)):
            raise InputTypeError(
                "has_aux=True", why="the function does not return a pair", fix="return (value, aux)"
            )
        structure = structure[0]
    what = "a container"
    if isinstance(structure, int):
        result = results[structure]
        if not isinstance(result, Var):
            return structure
        found = result.type
        if (
            isinstance(found, (Scalar, Array))
            and found.kind == "float"
            and (isinstance(found, Scalar) or not found.shape)
        ):
            return structure
        what = f"a result of type {found}"
        if (
            isinstance(found, (Scalar, Array))
            and found.kind in ("int", "bool")
            and not getattr(found, "shape", ())
        ):
            return structure
    elif isinstance(structure, tuple) and structure and structure[0] == "static":
        what = repr(structure[1])
    raise InputTypeError(
        f"the gradient of {what}",
        why="grad is defined for functions with a real scalar result",
        fix="use jacobian for arrays, vjp for a cotangent of your own, or return a sum",
    )
