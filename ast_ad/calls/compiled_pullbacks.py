"""What is the derivative of a derivative that is compiled, at a point that is known only when it is called?

Its pullback, which is compiled when it is first needed: the compiler reads a call of the derivative and of
its pullback as any other code. The pullback of that pullback is built the same way, and so on to any order.
Where it can't be built, the same pullback comes from a trace.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from ..eager.state import state
from ..errors import InternalError, NoDerivativeError, UnsupportedError
from ..interrupts import let_through
from ..options import Options
from ..tracing.argument_copies import copied
from ..tracing.jitted_loops import TRACED, open_door
from ..tracing.pullbacks import Rearranged
from ..tracing.recorder import trace
from ..tracing.traced_array import Traced, plain
from ..trees import flatten
from .checks.failures import TOLD, defect, prints, raised_by
from .checks.first_call import first_call
from .derivative import Derivative, Vjp
from .fitting.generator_states import States
from .reasons import as_reason, warn
from .tensor_nodes import edges_of, has_derivative, recorded

Answer = TypeVar("Answer")


class CannotCompile(Exception):
    """There is no compiled pullback; the error says why."""


class EveryFloat(Vjp):
    """The pullback of a function to every number and array of floats among its arguments, or an error."""

    every_leaf = True

    def __init__(
        self, function: Callable[..., Any], check: bool | None = None, of: Callable[..., Any] | None = None
    ) -> None:
        check = Options().check if check is None else check
        super().__init__(function, options=Options(fallback="error", check=check))
        self.of = function if of is None else of  # the user's function, which is named

    def at(self, args: tuple[Any, ...]) -> tuple[Any, Any, States | None]:
        """The value, the pullback from its leaves to those of the arguments, as tuples, and states.

        These are of the generators that the program draws from, before it ran; None if it draws nothing.
        """
        try:
            program, inputs = self._prepare(args, {})
        except NoDerivativeError:
            raise
        except Exception as error:  # of the kind of a result, too: for these arguments it may be another
            let_through(error)
            raise CannotCompile() from error
        self.require_none_seen(program)
        states = program.states(inputs)
        try:
            if program.checked is None:
                results = first_call(program, args, {}, inputs)
            else:
                results = program(inputs)
        except (UnsupportedError, InternalError) as error:
            raise CannotCompile() from error
        return program.value(results), program.pullback(results, inputs), states

    def require_none_seen(self, program: Any) -> None:
        """Raise ``CannotCompile`` where it would be seen that a program has run again."""
        if program.primal.stores:
            raise CannotCompile() from UnsupportedError(
                "a derivative of a function that stores outside, where it is differentiated in turn",
                why="where its pullback is differentiated it runs again, and so does what it stores",
                fix="return what it stores",
            )


class EveryJitted(EveryFloat):
    """The same of a function that Numba has compiled.

    Its ints choose one of many paths, or count turns: the first program takes them as constants, of which a
    long function of many cases becomes a short one. Calls with other ints get a program for any.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, False)
        self.first: dict[int, int | np.integer[Any]] | None = None

    def constants(self, leaves: Sequence[Any]) -> frozenset[Any]:
        ints = {at: leaf for at, leaf in enumerate(leaves) if isinstance(leaf, (int, np.integer))}
        if self.first is None:
            self.first = ints
        return frozenset(("arg", at) for at in ints) if ints == self.first else frozenset()

    def require_none_seen(self, program: Any) -> None:
        if program.draws or program.primal.stores or prints(program):
            raise CannotCompile()


class CompiledPullback:
    """From cotangents of the leaves of a value to those of the leaves of arguments; see the package.

    ``every``: what computed the value from ``args``; ``traced``: gives the same pullback by tracing;
    ``states``: those of the generators before that. What runs anew draws what the value was computed with.
    """

    def __init__(
        self,
        every: EveryFloat,
        args: tuple[Any, ...],
        value: Any,
        pullback: Any,
        traced: Callable[[], Any],
        states: States | None,
    ) -> None:
        self.every, self.args, self.pullback, self.run_traced = every, args, pullback, traced
        self.again = contextlib.nullcontext if states is None else states.again
        self.like = [leaf for leaf in flatten(value)[0] if has_derivative(leaf)]
        self.positions = [i for i, leaf in enumerate(flatten(value)[0]) if has_derivative(leaf)]

    def seeds(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        """A cotangent for each leaf that has a derivative, zeros made explicit."""
        given = [cotangents[i] for i in self.positions]
        return tuple(map(_seed, given, self.like))

    def traced(self) -> Any:
        """The same pullback, from a trace."""
        with self.again():
            return self.run_traced()

    def __call__(self, cotangents: Sequence[Any]) -> tuple[Any, ...]:
        try:
            return tuple(self.pullback.leaves(*self.seeds(cotangents)))
        except UnsupportedError:  # on this path of its program
            return tuple(self.traced()(cotangents))

    def linearize(self, cotangents: Sequence[Any]) -> tuple[tuple[Any, ...], Any]:
        """The same cotangents, and their pullback."""
        seeds = self.seeds(cotangents)
        count = len(seeds)

        def traced() -> Any:
            """The pullback of ``pulled``, by tracing: there the seeds come first."""
            full: list[Any] = [None] * len(cotangents)
            for position, seed in zip(self.positions, seeds, strict=True):
                full[position] = seed
            found, second = self.traced().linearize(full)
            leaves = len(found)
            return Rearranged(second, range(leaves), [*range(leaves, leaves + count), *range(leaves)])

        try:
            with self.again():
                found, second = compiled(pulled(self.every), (seeds, *self.args), traced)
        except CannotCompile as problem:
            return told_of(self.every.of, problem.__cause__, lambda: self.traced().linearize(cotangents))
        leaves = len(found)
        given = [n for n, i in enumerate(self.positions) if cotangents[i] is not None]
        return found, Rearranged(second, range(leaves), [*range(count, count + leaves), *given])


def pulled(every: EveryFloat) -> Any:
    """The pullback as a function of the cotangents and of the point: code that the compiler reads."""
    found = vars(every).get("_pulled")
    if found is None:

        def pull_back(cotangents: Any, *args: Any) -> Any:
            return every(*args)[1](cotangents)

        found = every._pulled = EveryFloat(pull_back, every.options.check, every.of)  # type: ignore[attr-defined]
    return found


def compiled(every: EveryFloat, args: tuple[Any, ...], traced: Callable[[], Any]) -> tuple[Any, Any]:
    """The value and the pullback at a point; ``traced``: the pullback, where a compiled one is missing.

    Raises:
        CannotCompile: there is no compiled one at all.
    """
    value, pullback, states = every.at(args)
    return value, CompiledPullback(every, args, value, pullback, traced, states)


def compiled_vjp(
    function: Callable[..., Any], args: tuple[Any, ...], every: EveryFloat | None = None
) -> tuple[Any, Any]:
    """The value of a derivative, or of another function, at plain ``args``, and its pullback.

    The pullback has the form that is described in the package; its leaves are the floats among ``args``.

    Raises:
        CannotCompile: the function can only be traced.
    """
    every = every or vars(function).get("_every")
    if every is None:
        options = getattr(function, "options", None)
        every = EveryFloat(function, getattr(options, "check", None))
        function._every = every  # type: ignore[attr-defined]
    leaves, _ = flatten(args)
    wrt = tuple(i for i, leaf in enumerate(leaves) if has_derivative(leaf))

    def traced() -> Any:
        from .with_tensors import TensorCall, TracedInPlace

        if not isinstance(function, Derivative):
            return trace(function, args, {}, wrt)[1]
        derivative = function
        if derivative.question.as_it_is:  # its value is what the function returns
            return trace(derivative.function, args, {}, wrt)[1]

        def answer(*given: Any) -> Any:
            call = TensorCall(derivative)
            call.take(given)
            return TracedInPlace(call).answer()

        return trace(answer, args, {}, wrt)[1]

    return compiled(every, tuple(copied(args)), traced)


def told_of(function: Any, problem: BaseException | None, trace: Callable[[], Answer]) -> Answer:
    """What a trace answers; a failure of ours, which is why there is one, is told once it has an answer."""
    found = trace()
    reason = as_reason(problem) if isinstance(problem, Exception) else None
    if isinstance(reason, InternalError):
        warn(function, reason)
    return found


def numbers_of(leaves: Sequence[Any]) -> list[Any]:
    """Plain leaves, arrays without axes as numbers."""
    values = map(plain, leaves)
    return [v[()] if isinstance(v, np.ndarray) and not v.ndim else v for v in values]


# ----- functions that Numba has compiled, within a trace


def jitted_call(jitted: Any, python: Any, args: Sequence[Any]) -> Any:
    """The value of a call with traced arguments as one node, or ``TRACED``.

    The function itself runs on copies: what it writes to is traced, and so is what it returns a part of.
    """
    leaves, tree = flatten(tuple(args))
    values = [plain(leaf) for leaf in leaves]
    kind = tree, tuple((type(v), getattr(v, "dtype", None), np.ndim(v)) for v in values)
    every, refused = vars(python).setdefault("_jitted", (EveryJitted(python), set()))
    if kind in refused:
        return TRACED
    tracing, state.tracing = state.tracing, 0  # what is read and run here gets plain arrays
    try:
        if not all(isinstance(v, (int, float, complex, np.ndarray, np.generic)) for v in values):
            raise CannotCompile()
        numbers = numbers_of(values)
        value, pullback = _as_compiled(python, tree.unflatten(numbers), every)
        parts, structure = flatten(value)
        if not _same(parts, _as_jitted(jitted, values, tree)):  # which sees writes, to arrays of no axes too
            raise CannotCompile()
    except CannotCompile as failed:
        problem = failed.__cause__
        refused.add(kind)
    except Exception as error:
        let_through(error)
        return TRACED  # which raises it, too, if it is not for a number that stands for an array
    else:
        edges = edges_of(leaf for leaf, v in zip(leaves, values, strict=True) if has_derivative(v))
        return structure.unflatten(recorded(parts, pullback, edges, Traced))
    finally:
        state.tracing = tracing
    return told_of(python, problem, lambda: python(*args)) if problem is not None else TRACED


def _as_compiled(python: Any, args: tuple[Any, ...], every: EveryFloat) -> tuple[Any, Any]:
    """The value and the pullback of a function that Numba has compiled.

    Raises:
        CannotCompile: there is none; or its program raised what the function does not, a defect of ours.
    """
    try:
        return compiled_vjp(python, args, every)
    except (CannotCompile, *TOLD):
        raise
    except Exception as error:
        let_through(error)
        if isinstance(raised_by(python, args, {}), type(error)):
            raise
        told = f"{type(error).__name__}: {error}"
        problem = defect(f"the program of `{python.__name__}` raised {told}", "the function does not", error)
        raise CannotCompile() from problem


def _as_jitted(jitted: Any, values: Sequence[Any], tree: Any) -> list[Any]:
    """The leaves of what the function itself returns.

    Raises:
        CannotCompile: it does more than to return something new.
    """
    given = copied(values)
    found = flatten(jitted(*tree.unflatten(given)))[0]
    arrays = [(v, copy) for v, copy in zip(values, given, strict=True) if isinstance(copy, np.ndarray)]
    written = any(v.tobytes() != copy.tobytes() for v, copy in arrays)
    if written or any(np.may_share_memory(part, copy) for part in found for _, copy in arrays):
        raise CannotCompile()
    return found


def _same(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether values are those that Numba's code gives, up to rounding."""
    if len(found) != len(expected):
        return False
    for a, b in zip(found, expected, strict=True):
        size = np.max(np.abs(b), initial=0.0, where=np.isfinite(b))
        if isinstance(a, np.ndarray) is not isinstance(b, np.ndarray):
            return False
        if np.shape(a) != np.shape(b) or not np.allclose(a, b, rtol=1e-8, atol=1e-10 * size, equal_nan=True):
            return False
    return True


open_door(jitted_call)


def _seed(bar: Any, like: Any) -> Any:
    """A cotangent in the form of its value; None is zero."""
    found = np.zeros_like(like) if bar is None else np.array(bar, np.result_type(like))
    return found if isinstance(like, np.ndarray) else found[()]
