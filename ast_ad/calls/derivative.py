"""What is a derivative? A function that is compiled when it is called, once for each kind of arguments."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..compiler.emit.load import build_lock
from ..compiler.frontend.length_patterns import Known
from ..compiler.frontend.signatures import is_object, is_table, signature
from ..compiler.garbage import collector_paused
from ..deep import run_deep
from ..errors import (
    AdError,
    InputError,
    InputTypeError,
    InternalError,
    NoDerivativeError,
    StaleError,
    UnsupportedError,
)
from ..inspection.views import Inspection
from ..interrupts import let_through
from ..options import Options
from ..rules.registry import changes
from ..trees import STATIC, TreeDef, flatten
from .ahead import Ahead
from .arguments import Arguments
from .fitting.effects import begin, traced_again
from .fitting.recursion_depths import deeper, may_be_deeper
from .fitting.retirement import retire
from .forward import Pushforward
from .lending import OWN, borrowed
from .program import Program
from .questions import Gradient, Pullback, Question, Value, ValueAndGradient
from .request import Described
from .sharing import Shared, Sharing
from .shortcut import Fast
from .tiers import Tier, has_numba

MAX_STORING = 6  # programs that store outside kept for one kind of arguments
MAX_PROGRAMS = 16  # programs kept for one kind of arguments, where what they read from outside keeps changing


class Derivative(Ahead, Inspection, Sharing):
    """A derivative of ``function``, compiled when it is first called with arguments of a new kind.

    Attributes: ``source`` (what ran last), ``forward_source`` and ``backward_source`` (the same as two
    functions), ``ir`` and ``adjoint_ir`` (the programs before emission), ``mode``, ``backend``.
    """

    asks: type[Question]
    of_tensors: Callable[..., Any] | None = None  # what answers calls with tensors, if not what does usually
    every_leaf = False  # whether all floats are differentiated, whatever arguments were asked for

    def __init__(
        self,
        function: Callable[..., Any],
        argnums: Any = None,
        wrt: Any = None,
        has_aux: bool = False,
        options: Options | None = None,
    ) -> None:
        if not callable(function):
            raise InputTypeError(
                f"a derivative of a {type(function).__name__}",
                why="it is not callable",
                fix="pass a function",
            )
        self.function = function
        self.question = self.asks(has_aux)
        self.options = options or Options()
        self._asked = (argnums, wrt)
        self.arguments = Arguments(function, argnums, wrt)
        self.single = self.arguments.single
        self._last: Any = None
        self._fast: Fast | None = None
        self._method: Derivative | None = None
        self._caller: Any = None
        functools.update_wrapper(self, function, updated=())
        self.share(*self._common(function))

    # ----- calls
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.any_call(args, kwargs)

    def any_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The long way of a call; the next one like it may be short."""
        answer = borrowed(self, args, kwargs)
        if answer is not OWN:
            return answer
        fast, before, since = None, self._last, changes()
        try:
            program, inputs, results = self._results(args, kwargs)
            if program is before and not kwargs and isinstance(program, Program):
                with contextlib.suppress(Exception):  # there is the long way
                    fast = program.fast_call(args)
        finally:
            self._use(fast)
            self.let_go(since)
        return program.answer(results, inputs)

    def _results(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The program that fits, its inputs and its results; traced, where a compiled one gives up."""
        program, inputs = self._prepare(args, kwargs)
        if program.mode != "compiled":
            program = program.in_place()
            return program, inputs, program(inputs)
        states = program.states(inputs) if isinstance(program, Program) else None
        try:
            begin(program)
            if program.checked is None:
                from .checks.first_call import first_call

                return program, inputs, first_call(program, *self.arguments.arrange(args, kwargs), inputs)
            return program, inputs, program(inputs)
        except Exception as error:
            let_through(error)
            if not isinstance(program, Program):
                raise
            args, kwargs = self.arguments.arrange(args, kwargs)
            from .checks.failures import reason_to_trace

            problem = reason_to_trace(self, program, args, kwargs, error, states)
            if problem is None:
                raise
            if not self.may_trace() and not may_be_deeper(self, program, problem):
                raise problem from problem.__cause__
        if not self.may_trace():  # not in the handler: what is raised now stands alone
            return self._results(args, kwargs)
        return self._instead(program, problem, args, kwargs)

    def _instead(
        self, program: Any, problem: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Any, Any, Any]:
        """The trace of a call that a program can't answer; one that is defective is never used again."""
        self._answered_by(traced := self._traced(problem, args, kwargs))
        inputs = [*args, *kwargs.values()]
        found = traced.in_place()
        if not isinstance(problem, InternalError):
            with traced_again(program):
                return found, inputs, deeper(self, program, problem, found, inputs)
        from .checks.first_call import answered

        results = answered(problem, found, inputs, functools.partial(retire, self, program, traced))
        return found, inputs, results

    def _prepare(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        """The compiled program that fits, and the leaves of the arguments."""
        since = changes()
        args, kwargs = self.arguments.arrange(args, kwargs)
        leaves: list[Any] = []
        tensors = False
        key: list[Any] = [tuple(kwargs)] if kwargs else []
        values = (*args, *kwargs.values()) if kwargs else args
        for value in values:
            kind = type(value)
            if kind is np.ndarray and value.dtype.kind in "biufc":
                leaves.append(value)
                shape = value.shape
                key.append((value.dtype, tuple([n == 1 for n in shape]) if 1 in shape else len(shape)))
            elif kind is float or kind is int:
                leaves.append(value)
                key.append(kind)
            elif kind is list and is_table(value):
                key.append(is_table)
            else:
                parts, tree = flatten(value)
                tensors = tensors or any([hasattr(type(part), "_is_eager_tensor") for part in parts])
                leaves += parts
                key.append(kind if tree.type is STATIC and is_object(value) else tree)
                key.extend(map(signature, parts))
        if tensors:
            from .with_tensors import in_the_graph

            self._answered_by(call := in_the_graph(self, tuple(kwargs)))
            return call, list(values)
        found = self._kernels(tuple(key), args, kwargs, leaves, values)
        if found is None:
            found = self._fitting(tuple(key), leaves, values)
        if found is None:
            found = self._compile(tuple(key), args, kwargs, leaves, values)
        self._answered_by(found[0])
        self.let_go(since)
        return found

    def _fitting(self, key: Any, leaves: list[Any], values: Any) -> tuple[Any, list[Any]] | None:
        """The NumPy program that fits a call, or its trace, and the inputs."""
        for program in self._programs.get(key, ()):
            inputs = program.fits(leaves, values)
            if inputs is not None:
                self._count(key, program, inputs)
                return program, inputs
        return None

    def _kernels(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], values: Any
    ) -> tuple[Any, list[Any]] | None:
        """The kernels that fit a call, compiled if it is time for that, and the inputs."""
        tier = self._tiers.get(key)
        if tier is None:
            if self.options.backend == "numpy" or not has_numba():
                return None
            tier = self._tiers[key] = Tier(self.options.backend == "numba")
        found = tier.find(leaves, values)
        if found is not None or not tier.is_due():
            return found
        with build_lock:
            found = tier.compile(functools.partial(self._build_kernels, args, kwargs), leaves, values)
        if found is not None:
            self._warn_of_calls(found[0])
        return found

    def _build_kernels(self, args: tuple[Any, ...], kwargs: dict[str, Any], known: Known) -> Any:
        described, since = self._described(args, kwargs), changes()
        if self.question.later:  # whose residuals would have to be told, too
            return self.compiled(described, "numba", known)
        from .store.programs import find, kept_later

        found = find(self, described, "numba", known)
        if found is None:
            found = self.compiled(described, "numba", known)
            found.keep = kept_later(found, described, known, since)
            if self.options.check is False:
                found.keep()
        return found

    def _compile(
        self, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any], leaves: list[Any], values: Any
    ) -> tuple[Any, list[Any]]:
        with build_lock, collector_paused():
            try:
                program = self.compiled(self._described(args, kwargs))
                program.fit.check_repeated(values)
                self._require_few(key, program)
                inputs = program.fits(leaves, values)
                if inputs is None:
                    guard = program.primal.inputs.guards.broken(values)
                    raise StaleError(
                        f"`{program.primal.function.name}` reads {guard or 'something'} from outside",
                        why="it is another object at every read",
                        fix="pass it as an argument",
                    )
            except NoDerivativeError:
                raise
            except Exception as error:
                let_through(error)
                if isinstance(error, AdError) and (error.untraceable or not self.may_trace()):
                    raise
                if not self.may_trace():
                    from .reasons import as_reason

                    raise as_reason(error) from error
                from ..compiler.frontend.context import TensorOutside

                try:
                    program = self._traced(error, args, kwargs)
                except InputError as refusal:  # the arguments are no good for a trace, either
                    raise (error if isinstance(error, InputError) else refusal) from None
                inputs = program.fits(leaves, values)
                self.paths.trace(key, program, error)
                if isinstance(error, TensorOutside):  # another time it may be an array
                    return program, inputs
            self._warn_of_calls(program)
            programs = self._programs.setdefault(key, [])
            programs.insert(0, program)
            del programs[MAX_PROGRAMS:]
            self._count(key, program, inputs)
        return program, inputs

    def _count(self, key: Any, program: Any, inputs: list[Any]) -> None:
        tier = self._tiers.get(key)
        if tier is not None and program.mode == "compiled":
            tier.count(program, inputs)

    def _require_few(self, key: Any, program: Any) -> None:
        """What a function stores must not decide, again and again, what the program of the next call is.

        Raises
        ------
        UnsupportedError
            if it does.
        """
        stores = program.primal.stores
        others = [v for v in self._programs.get(key, ()) if v.mode == "compiled" and v.primal.stores]
        if stores and len(others) >= MAX_STORING:
            raise UnsupportedError(
                f"a store to `{stores[0]}`, which outlives the call",
                why="what is stored makes the next call another program",
                fix="return the value instead",
            )

    def compiled(self, described: Described, backend: str = "numpy", known: Known = Known.ONES) -> Any:
        """What the compiler makes of arguments like these."""
        from .pipeline import compile_program

        with collector_paused():
            return run_deep(compile_program, self, described, backend, known)

    def _described(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Described:
        """A call's arguments."""
        if self.question.argnums is None and not self.has_chosen():
            given = (*args, *kwargs.values()) if self.question.forward else args  # as tangents are given
            self.arguments.choose([i for i, a in enumerate(given) if self.question.differentiates(floats(a))])
            self.single = False
        names = self.arguments.label(args, kwargs)
        named = zip((*args, *kwargs.values()), names, strict=True)
        flat = [
            ([], TreeDef(STATIC, (), (), value)) if is_table(value) else flatten(value, name)
            for value, name in named
        ]
        leaves = [leaf for parts, _ in flat for leaf in parts]
        return names, [tree for _, tree in flat], leaves, tuple(kwargs)

    def constants(self, leaves: Sequence[Any]) -> frozenset[Any]:
        """The keys of arguments whose values are compiled in, whether they have to be or not."""
        return frozenset()

    def halves(self, program: Program) -> Any:
        """A program as a forward and a backward function."""
        from .halves import halves

        return halves(program)

    def _warn_of_calls(self, program: Any) -> None:
        """Callees that are traced within a compiled program are told of, too."""
        if program.mode == "compiled" and program.primal.calls:
            from .reasons import warn

            for function, reason in program.primal.calls.items():
                warn(function, reason, self.function)
        if program.mode == "compiled" and program.zeros:
            from .zero_gradients import tell

            tell(self, program.zeros)

    def has_chosen(self) -> bool:
        """Whether the user has said what to differentiate."""
        return self._asked != (None, None)

    def may_trace(self) -> bool:
        """Whether calls of what can't be compiled are traced."""
        return self.options.fallback != "error"

    def _traced(self, reason: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What stands in for a program, because of an error of the compiler."""
        from .traced import TracedProgram

        return TracedProgram(reason, self, *self._described(args, kwargs))

    def __ast_ad_lower__(self, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        """This derivative called inside of a function that is being compiled."""
        from .inside import Nested, outside

        argnums, wrt = self._asked
        function = outside(cx, self, "function")
        names = self.arguments.positional
        asked = Nested(self.question, function, names, argnums, wrt, self.every_leaf)
        return asked.__ast_ad_lower__(cx, args, kwargs)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes this object for, in functions that it compiles."""
        from numba import types

        from .from_numba import Caller

        if self._caller is None:
            self._caller = Caller(self)
        return types.Dispatcher(self._caller)

    def __repr__(self) -> str:
        inner = f"{type(self).__name__.lower()}({getattr(self.function, '__qualname__', self.function)})"
        programs = sum(map(len, self._programs.values())) + sum(len(t.programs) for t in self._tiers.values())
        count = f"{programs} program{'s' * (programs != 1)}"
        return f"<ast_ad.{inner} with respect to {self.arguments}, {count} compiled>"

    def __reduce__(self) -> Any:
        return self._public(), (self.function, *self._asked, self.question.has_aux, self.options)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self.as_method(), instance)

    def as_method(self) -> Derivative:
        """The derivative as a method: unless told otherwise, with respect to the argument after ``self``."""
        if self.has_chosen() or self.question.argnums is None:
            return self
        if self._method is None:
            self._method = self._public()(self.function, 1, None, self.question.has_aux, self.options)
        return self._method


class ValueAndGrad(Derivative):
    """See ``value_and_grad``."""

    asks = ValueAndGradient


class Grad(Derivative):
    """See ``grad``."""

    asks = Gradient


class Vjp(Derivative):
    """See ``vjp``."""

    asks = Pullback


class Linearize(Derivative):
    """See ``linearize``."""

    asks = Pushforward


class Compiled(Derivative):
    """A function as it is, compiled: for programs that consist of derivatives."""

    asks = Value

    def __init__(self, function: Callable[..., Any], options: Options | None = None) -> None:
        super().__init__(function, (), None, False, options)

    def _common(self, function: Any) -> tuple[Shared, Any]:
        return Shared(), None  # an operator's program is made for it; ``operator`` knows what was asked

    def __ast_ad_lower__(self, cx: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        from ..compiler.frontend.callables.calls import call
        from .inside import outside

        return call(cx, outside(cx, self, "function"), args, kwargs)

    def __reduce__(self) -> Any:
        return self._public(), (self.function, self.options)


def has_floats(value: Any) -> bool:
    """Whether there are floats in an argument."""
    return any(floats(value))


def floats(value: Any) -> list[bool]:
    """Which leaves of an argument are floats."""
    leaves, _ = flatten(value)
    return [getattr(leaf, "dtype", np.dtype(type(leaf))).kind in "fc" for leaf in leaves]
