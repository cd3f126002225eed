"""What is a small change of the value for small changes of the arguments? The question of ``linearize``.

``Pushforward`` is asked as the questions of ``questions`` are. Its answer is a function for later, from
tangents of the arguments to those of the value. The program is that of ``tangent``, with what is linear in
the tangents behind all the rest: so its second half is linear, and whatever is not has been computed in the
first. A trace has a pullback only. That is linear in its cotangents, and its own pullback maps tangents to
tangents.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.adjoint.residuals import Policy
from ..compiler.ir.ops import Function
from ..compiler.tangent.linear_last import linear_last
from ..compiler.tangent.tangent import tangent
from ..errors import InputTypeError, UnsupportedError
from ..trees import flatten
from .alike import as_like
from .pullback import Constant, as_tuple, kept, structure
from .questions import Pullback, Question, together


class Pushforward(Question):
    """The value, and the function from tangents of the arguments to those of the value."""

    name = "linearize"
    later = True
    argnums = None
    forward = True

    def results(self, structure: Any, function: Function) -> tuple[int, ...]:
        return Pullback(self.has_aux).results(structure, function)

    def width(self, wrt: Sequence[int], of: Sequence[int]) -> int:
        return len(of)

    def program(
        self,
        function: Function,
        wrt: tuple[int, ...],
        of: tuple[int, ...],
        residuals: Policy = "cheap",
        region: bool = False,
    ) -> Function:
        return linear_last(tangent(function, wrt, of, region), len(wrt), residuals, region)

    def at(self, program: Any, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        return pushforward_at(program, results, inputs)

    def recorded(self, call: Any) -> Any:
        return call.in_place()

    def traced(self, trace: Any, *inputs: Any) -> Any:
        return trace.pushed_later(*inputs)

    def at_trace(self, trace: Any, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        return traced_pushforward(trace, results, inputs)

    def answer(self, value: Any, aux: Any, derivative: Any, together: Callable[..., Any] = together) -> Any:
        return together(value, derivative, aux) if self.has_aux else together(value, derivative)


# ----- the function from tangents to tangents ---------------------------------------------------------------
def pushforward_at(program: Any, results: Sequence[Any], inputs: Sequence[Any]) -> PushforwardAt:
    """The pushforward at the point where a program gave ``results`` for ``inputs``."""
    *values, residuals = results
    backward = program.backward
    run = functools.partial(
        backward if backward.backend == "numba" else backward.run, kept(residuals, inputs)
    )
    several = as_tuple(run, len(program.of))
    tree, leaves = structure(program.question.parts(program.primal.result)[0], values)

    def structured(tangents: Sequence[Any]) -> Any:
        given = dict(zip(program.of, tangents, strict=True))
        return tree.unflatten(
            [
                zero_of(i.value) if type(i) is Constant else as_number(given.get(i, 0), values[i])
                for i in leaves
            ]
        )

    return PushforwardAt(program, program.primal.function.name, several, inputs, structured)


def traced_pushforward(trace: Any, results: Sequence[Any], inputs: Sequence[Any]) -> PushforwardAt:
    """The same of a trace that gave the value and its pullback."""
    value, pull = results
    every, of = trace.floats(value)
    count = len(flatten(trace.question.parts(value)[0])[0])
    leaves, tree = flatten(trace.question.parts(value)[0])
    name = getattr(trace.owner.function, "__name__", "function")
    bars, second = pull.linearize(
        [np.zeros_like(leaf)[()] if i in of else None for i, leaf in enumerate(every)], linear=True
    )
    _, elsewhere = pull.linearize(
        [far_from_zero(leaf) if i in of else None for i, leaf in enumerate(every)], linear=True
    )

    require_no_constant(bars, name)

    def run(*tangents: Any) -> Sequence[Any]:
        found = second(tangents)[len(bars) :]
        for one, other in zip(found, elsewhere(tangents)[len(bars) :], strict=True):
            require_same(one, other, name)
        return found  # type: ignore[no-any-return]

    def structured(tangents: Sequence[Any]) -> Any:
        given = {i: as_number(t, every[i]) for i, t in zip(of, tangents, strict=True)}
        return tree.unflatten([given.get(i, 0) for i in range(count)])

    flat = [leaf for value in inputs for leaf in flatten(value)[0]]
    return PushforwardAt(trace, name, run, flat, structured)


def as_number(tangent: Any, value: Any) -> Any:
    """The tangent of one of Python's own numbers is one, too, and that of an integer in a list is 0."""
    if isinstance(value, (list, tuple)):
        parts = tangent if isinstance(tangent, (list, tuple)) else [0] * len(value)
        return type(value)([as_number(t, part) for t, part in zip(parts, value, strict=True)])
    if tangent is None:
        return 0
    return type(value)(tangent) if type(value) in (float, complex) else tangent


def zero_of(constant: Any) -> Any:
    """The tangent of a number or an array that does not vary."""
    return as_number(np.zeros_like(constant)[()], constant) if np.result_type(constant).kind in "fc" else 0


def far_from_zero(leaf: Any) -> Any:
    """Cotangents of both signs and many sizes, for which a rule that is not linear is another than at 0."""
    numbers = np.random.default_rng(0)
    found = numbers.standard_normal(np.shape(leaf)) * 10.0 ** numbers.uniform(-1.0, 3.0, np.shape(leaf))
    return np.asarray(found).astype(np.result_type(leaf))[()]


def require_no_constant(bars: Sequence[Any], name: str) -> None:
    """The cotangents are zero where those of the value are.

    Raises:
        UnsupportedError: a rule adds something to them.
    """
    for bar in bars:
        require_same(np.zeros_like(bar), np.where(np.isfinite(bar), bar, 0), name)


def require_same(one: Any, other: Any, name: str) -> None:
    """A tangent does not depend on the cotangents that a pullback was transposed at.

    Raises:
        UnsupportedError: it does.
    """
    if not is_same(one, other):
        error = UnsupportedError(
            f"a tangent of `{name}`",
            why="a rule in it is not linear in the cotangent, so that it is that of a pullback only",
            fix="use vjp or jacrev, or give the operation a rule that is linear in `g`",
        )
        error.of_tangents = True
        raise error


def is_same(one: Any, other: Any) -> bool:
    """Whether two numbers or arrays are the same, as far as rounding lets know."""
    eps = np.finfo(np.result_type(one)).eps
    return np.allclose(one, other, rtol=np.sqrt(eps), atol=np.sqrt(eps) * _largest(one), equal_nan=True)


def _largest(array: Any) -> float:
    return float(np.max(np.abs(array), initial=0.0, where=np.isfinite(array)))


def _itself(seed: Any) -> Any:
    return seed


class PushforwardAt:
    """Maps tangents of the arguments to those of the value; it may be called any number of times.

    Args:
        request: which leaves of the arguments are varied.
        name: what the function is called.
        run: from tangents of these leaves to those of the value's.
        leaves: the leaves of the arguments.
        structured: puts tangents into the structure of the value.
    """

    def __init__(
        self,
        request: Any,
        name: str,
        run: Callable[..., Sequence[Any]],
        leaves: Sequence[Any],
        structured: Callable[[Sequence[Any]], Any],
    ) -> None:
        self._request, self._name, self.leaves, self._structured = request, name, run, structured
        varied = [leaves[i] for i in request.wrt]
        self._like = [(np.shape(leaf), np.result_type(leaf)) for leaf in varied]
        # a tangent of one of Python's own numbers is one, and does not widen what it is multiplied with
        self._kinds = [type(leaf) if type(leaf) in (float, complex) else _itself for leaf in varied]

    def __call__(self, *tangents: Any) -> Any:
        given = self._request.varied(tangents)
        if any(hasattr(type(t), "_is_eager_tensor") for t in given):
            raise InputTypeError(
                f"tensors as tangents of `{self._name}`, whose arguments are none",
                why="the tangent of the value, which is an array, would lose their history",
                fix="pass the arguments as tensors, too, or detached tangents as arrays",
            )
        seeds = [
            kind(np.zeros(*like)[()] if t is None else as_like(t, *like, "tangent", "argument"))
            for t, like, kind in zip(given, self._like, self._kinds, strict=True)
        ]
        return self._structured(self.leaves(*seeds))

    def __repr__(self) -> str:
        return f"<pushforward of {self._name}>"
