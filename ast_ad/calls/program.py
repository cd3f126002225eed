"""One compiled program: when does it fit a call, and how is it run?"""

from __future__ import annotations

import contextlib
import functools
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..compiler.adjoint.seeds import may_be_one
from ..compiler.emit.load import add_user_note
from ..compiler.frontend.guards import Captures, aspect_of, same_constant
from ..compiler.frontend.length_patterns import Known, pattern, shapes_of
from ..compiler.frontend.signatures import signature
from ..compiler.ir.builtin import own, raise_
from ..compiler.ir.ops import Arg, Block, If, Lit, Op, Statement, Var
from ..compiler.ir.types import Array, Opaque, Optional, Scalar
from ..errors import TWICE, InputTypeError, SharedMemoryError, UnsupportedError, not_one_number
from ..trees import repeated
from .fitting.effects import again, begin, counted, is_loud
from .fitting.kept_stores import Given, Rehearsed, Stores, overtaken

if TYPE_CHECKING:
    from ..compiler.frontend.lower import Lowered
    from .code import Program


MOST_RUNS = 1000  # of a program that stores, where other threads store at the same places


@dataclass
class Compiled:
    """A program's code with what has to hold for a call to use it.

    The code takes the leaves of the arguments and what is read from outside. Arrays that the user's function
    writes to are copied first, so that no call ever changes the caller's.
    """

    lowered: Lowered
    code: Program

    def __post_init__(self) -> None:
        inputs = self.lowered.inputs
        self.known = inputs.lengths.known
        self._pattern: Any = None  # of the call that it was compiled for
        self._shapes: Any = None  # that fitted last
        self.captures = Captures()
        outside = [*inputs.captures, *inputs.observed]
        for path, _, _ in outside:
            self.captures.add(path)
        self.signatures = [found for _, _, found in outside]
        self.passed = len(inputs.captures)
        self.constants = [
            (key[1], "".join(key[2:]), value)
            for key, value in self.lowered.constants.items()
            if key[0] == "arg"
        ]
        self._written = sorted(self.lowered.written)
        self._changes = getattr(inputs, "changes", False)  # what is stored on disk changes none
        self.stores = Stores(self.lowered.stores)
        self.simple = not (self._written or self._changes or self.lowered.errstate or self.stores)
        self.loud = is_loud(self.code.run)  # and may begin again, or be traced

    def fits(self, leaves: list[Any], objects: Sequence[Any] = ()) -> list[Any] | None:
        """The program's inputs; None where constants, guards or kinds of outside values are not this build's.

        ``objects``: the arguments that are objects, which paths may start from.
        """
        for position, aspect, value in self.constants:
            if not same_constant(aspect_of(leaves[position], aspect), value):
                return None
        if not self.lowered.inputs.guards.check(objects):
            return None
        if self.stores:
            return self._given(leaves, objects)
        return self._fitting(leaves, objects)

    def _given(self, leaves: list[Any], objects: Sequence[Any]) -> Given | None:
        """The inputs of a program that stores; what it finds there is read before anything else."""
        try:
            owners, before = self.stores.prepare(objects)
        except (KeyError, AttributeError, IndexError, ValueError, TypeError):
            return None
        inputs = self._fitting(leaves, objects)
        if inputs is None:
            return None
        given = Given(inputs)
        given.owners, given.before, given.objects = owners, before, objects
        given.read = functools.partial(self.fits, leaves, objects)
        return given

    def _fitting(self, leaves: list[Any], objects: Sequence[Any]) -> list[Any] | None:
        if self._changes and repeated(objects):
            return None
        if not self.signatures:
            return leaves if self.known is Known.ONES or self._fits_lengths(leaves) else None
        try:
            outside = self.captures.read(objects)
        except (KeyError, AttributeError, IndexError, ValueError, TypeError):
            return None
        if list(map(signature, outside)) != self.signatures:
            return None
        if self.known is not Known.ONES and not self._fits_lengths(leaves + outside):
            return None
        return leaves + outside[: self.passed]

    def check_repeated(self, objects: Sequence[Any]) -> None:
        """The arguments of a call that the program is for.

        Raises
        ------
        UnsupportedError
            if one list, dict or object is in them twice, and the program changes such a one.
        """
        if self._changes and repeated(objects):
            raise UnsupportedError(*TWICE)

    def _fits_lengths(self, values: list[Any]) -> bool:
        """Whether the lengths have the pattern that the program was compiled for."""
        shapes = shapes_of(values)
        if shapes == self._shapes:
            return True
        found = pattern(shapes, self.known)
        if self._pattern is None:  # the first call is the one that it was compiled for
            self._pattern = found
        if found != self._pattern:
            return False
        self._shapes = shapes
        return True

    @property
    def run(self) -> Callable[..., Any]:
        """The code that is called."""
        return self.code.run

    @property
    def text(self) -> str:
        """Its source."""
        return self.code.text

    def __call__(self, inputs: list[Any]) -> Any:
        """The results; what the function stores outside is put there."""
        if not isinstance(inputs, Given):
            return self.results(inputs)
        for _ in range(MOST_RUNS):
            results = self.results(inputs)
            if self.stores.keep(results, inputs):
                return results
            again = inputs.read()
            if again is None:
                break
            inputs.renew(again)
        raise overtaken()

    def rehearsed(self, inputs: list[Any], results: Any) -> Rehearsed | None:
        """What the program would leave outside; None if it stores nothing, or has not come to its end."""
        return Rehearsed(self.stores, results, inputs) if isinstance(inputs, Given) and results else None

    def results(self, inputs: list[Any]) -> Any:
        """The results, and nothing else."""
        if isinstance(inputs, Given):
            self.stores.check(inputs)
        begin(self)
        try:
            return self._run(counted(self.code.run) if self.loud else self.code.run, inputs)
        except Exception as error:
            problem = error
        try:
            return self.failed(inputs, problem)
        finally:
            del problem  # it refers to this frame

    def failed(self, inputs: list[Any], problem: Exception) -> Any:
        """What becomes of an error in the code: NumPy's results or errors, where kernels failed.

        Kernels that failed where NumPy succeeds are made anew without what they assumed, or not used again.
        """
        if self.code.backend == "numpy":
            self._explained(problem)
        try:
            with again() if self.loud else contextlib.nullcontext():
                results = self._run(counted(self.code.numpy) if self.loud else self.code.numpy, inputs)
        except Exception as error:
            self._explained(error)
        self.code.drop_kernels(problem)
        return results

    def _run(self, run: Callable[..., Any], inputs: list[Any]) -> Any:
        if self.simple:
            return run(*inputs)
        # what the program sets is undone, where it raises in the middle of it, too
        with np.errstate() if self.lowered.errstate else contextlib.nullcontext():
            return run(*self._protected(inputs))

    def _explained(self, error: Exception) -> NoReturn:
        """Raise an error of the program with the place in the user's code."""
        if isinstance(error, UnsupportedError):  # no exception of the function
            raise error
        add_user_note(error)
        if self.lowered.tried:
            raise self._not_followed(error) from error
        if self.lowered.storing:
            raise UnsupportedError(
                "an exception at run time, in a function that stores outside",
                why=f"{type(error).__name__}: {error}; the function itself leaves what it has stored by then",
                fix="test for the condition with `if` instead",
            ) from error
        raise error

    def _not_followed(self, error: Exception) -> UnsupportedError:
        """What was raised might have been caught by a handler that is not part of the program."""
        file, first, last = self.lowered.tried[0]
        return UnsupportedError(
            "an exception at run time, in a function with `try`",
            why=f"{type(error).__name__}: {error}; handlers are not compiled: {file}, {first} to {last}",
            fix="test for the condition with `if` instead",
        )

    def _protected(self, leaves: list[Any]) -> list[Any]:
        """The leaves, with copies of those that the function writes to."""
        leaves = list(leaves)
        arrays = [leaf for leaf in leaves if isinstance(leaf, np.ndarray)]
        for position in self._written:
            array = leaves[position]
            if not isinstance(array, np.ndarray):
                continue
            if sum(np.may_share_memory(array, other) for other in arrays) > 1:
                raise SharedMemoryError(
                    "two arguments that share memory, one of which the function writes to",
                    why="the write would change the other one too",
                    fix="pass a copy of one of them",
                )
            leaves[position] = own(array)
        return leaves


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


def require_number(body: Block, position: int) -> None:
    """Let a program raise where the result that is differentiated is None."""
    result = body.results[position]
    if not (isinstance(result, Var) and isinstance(result.type, Optional)):
        return
    present, error = Var(Scalar("bool")), Var(Opaque("InputTypeError"))
    text = ("the gradient of None", None, "grad is defined for functions with a real scalar result")
    told = (*text, "return a number on every path")
    failure: list[Statement] = [
        Op(InputTypeError, tuple(map(Lit, told)), (error,)),
        Op(raise_, (error,), (), effect=True),
    ]
    body.ops += [
        Op(operator.is_not, (result, Lit(None)), (present,)),
        If(present, Block(), Block(failure), ()),
    ]


def scalar_result(
    structure: Any, results: Sequence[Arg], has_aux: bool, complex_by_value: bool = False
) -> int:
    """The position of the number to differentiate among the results: of one element, for all that is known.

    Raises
    ------
    InputTypeError
        for what is no real number.
    UnsupportedError
        for a complex one that is real for some arguments (``complex_by_value``).
    """
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
        found = result.type.value if isinstance(result.type, Optional) else result.type
        if (
            isinstance(found, (Scalar, Array))
            and found.kind in ("float", "int", "bool")
            and may_be_one(found)
        ):
            return structure
        if complex_by_value and isinstance(found, (Scalar, Array)) and found.kind == "complex":
            raise UnsupportedError(
                "a result that is real or complex by its value",
                why="what was computed on the way is real for some arguments only",
                fix="return its real part",
            )
        what = f"a result of type {result.type}"
    elif isinstance(structure, tuple) and structure and structure[0] == "static":
        what = repr(structure[1])
    raise not_one_number(what)
