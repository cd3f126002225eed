"""What can be asked of a function? Its gradient, the value with it, its pullback: a class for each question.

A question knows what is differentiated (``results``), the program that answers it (``program``, from IR to
IR, so that questions can be asked of answers) and what the user gets (``answer``). The rest of the package
asks it for these, and never which question it is.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ..compiler.adjoint.adjoint import adjoint
from ..compiler.adjoint.recomputation import size
from ..compiler.adjoint.residuals import Policy
from ..compiler.adjoint.seeds import may_be_one
from ..compiler.analysis.invariants import require
from ..compiler.frontend.builder import type_of_arg
from ..compiler.frontend.structures import Position, holder_of, opened, positions
from ..compiler.ir.builtin import raise_
from ..compiler.ir.ops import Arg, Block, Function, If, Lit, Op, Statement, Var, walk
from ..compiler.ir.types import Array, Opaque, Optional, Scalar, carries_derivative
from ..compiler.simplify.renaming import copy_function
from ..compiler.simplify.simplify import simplify
from ..errors import InputTypeError, UnsupportedError, holds_numbers, not_numbers, not_one_number
from ..rules.helpers import COMPLEX_BY_VALUE

TEXT = ("str", "bytes")
PLAIN = ("slice", "NoneType", "dtype")  # what else holds no numbers with a derivative


def together(*parts: Any) -> Any:
    """Several parts of an answer, as the user gets them."""
    return parts


@dataclass(frozen=True)
class Question:
    """What is asked of a function.

    ``has_aux``: it returns ``(value, aux)``, and the value alone is differentiated.

    ``name``: of the public function. ``later``: whether the answer is a function, so that the program has two
    halves, one for the call and one for the calls of the answer. ``argnums``: what is differentiated where
    the user doesn't choose; None: what ``differentiates`` says. ``forward``: whether the answer for later
    goes from tangents to tangents, and not from cotangents to cotangents. ``as_it_is``: whether tensors are
    left to the function, as it consists of derivatives.
    """

    has_aux: bool = False

    name: ClassVar[str]
    later: ClassVar[bool] = False
    argnums: ClassVar[int | None] = 0
    forward: ClassVar[bool] = False
    as_it_is: ClassVar[bool] = False

    def differentiates(self, floats: Sequence[bool]) -> bool:
        """Whether an argument that nobody has chosen is differentiated; ``floats``: which leaves are some.

        A container is where one of its leaves is a float: the others get zeros, as they do of ``grad``.
        """
        return any(floats)

    def results(self, structure: Any, function: Function) -> tuple[int, ...]:
        """The positions of what is differentiated among a primal's results.

        Args:
            structure: that of the value, with positions among the results as leaves.
            function: the primal. Where the question may turn out to have no answer it gets a statement that
                raises then.

        Raises:
            InputTypeError: the question can't be asked of such a value.
        """
        raise NotImplementedError

    def program(
        self,
        function: Function,
        wrt: tuple[int, ...],
        of: tuple[int, ...],
        residuals: Policy = "cheap",
        region: bool = False,
    ) -> Function:
        """The program that computes a primal's results and, behind them, what is asked of each in ``wrt``.

        Args:
            function: the primal; it is not changed.
            wrt: the positions of the parameters to differentiate with respect to.
            of: the positions of the results to differentiate.
            residuals: what loops and branches save rather than compute again, see ``adjoint``.
            region: whether the primal is a part of another program, whose values it reads.
        """
        raise NotImplementedError

    def saving(self, policy: str, wrt: Sequence[Arg], of: Sequence[Arg]) -> Policy:
        """What to save within another program, where an answer for later may be for each unit vector."""
        if policy == "cheap" or not self.later:
            return policy
        return max(sum(size(type_of_arg(arg)) for arg in (wrt if self.forward else of)), 1)

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        """What the user gets.

        Args:
            value, aux: what the function returned; ``aux`` means nothing without ``has_aux``.
            derivative: the cotangents in the structure of the arguments; of a question with an answer for
                later, the function that gives them.
            together: makes one of several: a tuple, or what stands for it in a program or a text.
        """
        raise NotImplementedError

    def parts(self, value: Any) -> tuple[Any, Any]:
        """What a function returned, or its structure, as value and aux.

        Raises:
            InputTypeError: it is no pair, with ``has_aux``.
        """
        return require_pair(value) if self.has_aux else (value, None)

    def width(self, wrt: Sequence[int], of: Sequence[int]) -> int:
        """How many results the program has behind the primal's."""
        return len(wrt)

    def at(self, program: Any, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """The answer for later, where a program gave ``results`` for ``inputs``."""
        return program.pullback(results, inputs)

    def at_trace(self, trace: Any, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """The same of a trace."""
        return trace.pullback(results)

    def recorded(self, call: Any) -> Any:
        """The answer as a part of the graph of tensors.

        Raises:
            CannotCompile: it has to be traced.
        """
        return call.pulled() if self.later else call.node()

    def inside(self, region: Any) -> Any:
        """The abstract answer in compiled code, where the derivative is called there."""
        value, aux, derivative = region.joined(self)
        return self.answer(value, aux, derivative, region.together)

    def given(self, region: Any) -> Sequence[Arg]:
        """What the program takes behind the arguments, in compiled code."""
        return ()

    def traced(self, trace: Any, *inputs: Any) -> Any:
        """What is asked of a function that is traced: ``trace`` has the pullback of this call.

        Raises:
            UnsupportedError: unless a class says what it does with that.
        """
        raise UnsupportedError(
            f"`{self.name}` of a function that is traced",
            why="it is asked of compiled programs only",
            fix="see .explain(); rewrite what can't be compiled",
        )


class Reverse(Question):
    """What one reverse sweep answers: from 1, or from cotangents that come later, as the last parameters."""

    def program(
        self,
        function: Function,
        wrt: tuple[int, ...],
        of: tuple[int, ...],
        residuals: Policy = "cheap",
        region: bool = False,
    ) -> Function:
        # Cotangents that come later may have zeros, as the unit vectors of a Jacobian do.
        joint = adjoint(
            function, wrt, seed=self.later, of=of, residuals=residuals, region=region, zeros=self.later
        )
        return joint if self.later else replace(joint, name=f"{joint.name}_value_and_grad")


class Gradient(Reverse):
    """The gradient of a number."""

    name = "grad"

    def results(self, structure: Any, function: Function) -> tuple[int, ...]:
        by_value = any(isinstance(op, Op) and op.fn in COMPLEX_BY_VALUE for op in walk(function.body))
        position = scalar_result(structure, function.body.results, self.has_aux, by_value)
        require_number(function.body, position)
        return (position,)

    def traced(self, trace: Any, *inputs: Any) -> Any:
        return trace.pulled(*inputs)

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        return together(derivative, aux) if self.has_aux else derivative


class ValueAndGradient(Gradient):
    """The value, and the gradient of a number."""

    name = "value_and_grad"

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        return together(together(value, aux) if self.has_aux else value, derivative)


class Pullback(Reverse):
    """The value, and the function from its cotangents to those of the arguments."""

    name = "vjp"
    later = True
    argnums = None

    def results(self, structure: Any, function: Function) -> tuple[int, ...]:
        results = function.body.results
        if self.has_aux:
            require_pair_of(structure)
        differentiated = self.parts(structure)[0]
        require_no_text(differentiated, results)
        require_open(differentiated, results)
        return tuple(i for i in positions(differentiated) if carries_derivative(type_of_arg(results[i])))

    def traced(self, trace: Any, *inputs: Any) -> Any:
        return trace.pulled_later(*inputs)

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        return together(value, derivative, aux) if self.has_aux else together(value, derivative)


class Value(Question):
    """The value alone: what a program that calls derivatives is compiled for."""

    name = "value"
    argnums = None
    as_it_is = True

    def results(self, structure: Any, function: Function) -> tuple[int, ...]:
        return ()

    def program(
        self,
        function: Function,
        wrt: tuple[int, ...],
        of: tuple[int, ...],
        residuals: Policy = "cheap",
        region: bool = False,
    ) -> Function:
        return require(simplify(copy_function(function)))

    def traced(self, trace: Any, *inputs: Any) -> Any:
        return trace.untraced(*inputs)

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        return value


# ----- the number that has a gradient ---------------------------------------------------------------------
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


def require_no_text(structure: Any, results: Sequence[Arg]) -> None:
    """
    Raises:
        InputTypeError: the value is text, a function, or what else is neither number nor container nor None.
    """
    if isinstance(structure, tuple) and structure and structure[0] == "static":
        require_numeric(structure[1])
    elif isinstance(structure, int):
        found = type_of_arg(results[structure])
        if isinstance(found, Opaque) and found.name in TEXT:
            raise not_numbers(f"a value of type {found.name}")


def require_open(structure: Any, results: Sequence[Arg]) -> None:
    """
    Raises:
        InputTypeError: the value holds numbers that are none of its leaves, as objects do.
    """
    leaves = {leaf.number for leaf in opened(structure)[1] if isinstance(leaf, Position)}
    for i in positions(structure):
        found = type_of_arg(results[i])
        if isinstance(found, Opaque) and found.name not in (*TEXT, *PLAIN):  # an exception, perhaps
            raise holds_numbers(found.name)
        if i not in leaves and isinstance(results[i], Var) and carries_derivative(found):
            raise holds_numbers(holder_of(structure, i).__name__)


def require_numeric(value: Any) -> None:
    """The same of the value itself."""
    if isinstance(value, (str, bytes, types.FunctionType, types.BuiltinFunctionType, np.ufunc)):
        raise not_numbers(repr(value))


def require_pair(value: Any) -> tuple[Any, Any]:
    """What a function returned, if that is ``(value, aux)``.

    Raises:
        InputTypeError: it is no tuple of two.
    """
    if type(value) is not tuple or len(value) != 2:
        raise InputTypeError(
            "has_aux=True", why="the function does not return a pair", fix="return (value, aux)"
        )
    return value


def require_pair_of(structure: Any) -> tuple[Any, Any]:
    """The same by its structure, where a tuple that begins with a word is something else."""
    named = isinstance(structure, tuple) and structure and isinstance(structure[0], str)
    return require_pair(None if named else structure)


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
        structure, _ = require_pair_of(structure)
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
