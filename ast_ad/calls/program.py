"""What was compiled for one kind of arguments: when does it fit a call, how is it run, what is its text?"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from ..compiler.adjoint.own_rules import without_rules
from ..compiler.emit.load import add_user_note
from ..compiler.frontend.structures import rebuild
from ..compiler.ir.builtin import own
from ..compiler.ir.ops import Function, Op, walk
from ..errors import InternalError, SharedMemoryError, UnsupportedError
from ..interrupts import let_through
from ..rules.numpy.decompositions import reciprocal_gaps
from ..trees import LEAF, changed
from .code import Code
from .fitting.effects import again, begin, counted, is_loud
from .fitting.fit import Fit
from .fitting.generator_states import States, draws
from .fitting.kept_stores import Given, Rehearsed, overtaken
from .pullback import PullbackAt, pullback_at
from .request import Described, Request
from .shortcut import Fast, FastCall
from .zero_gradients import zeros

MOST_RUNS = 1000  # of a program that stores, where other threads store at the same places


def policy_of(backend: str) -> str:
    """What loops save rather than compute again, see ``adjoint``: in kernels the least."""
    return "min-cut" if backend == "numba" else "cheap"


class Program(Request):
    """What was compiled for one kind of arguments, with what has to hold for a call to use it.

    Its code takes the leaves of the arguments and what is read from outside. Arrays that the user's function
    writes to are copied first, so that no call ever changes the caller's.

    ``primal``: what the front end made; ``joint``: what the question made of that; ``of``: which of the
    results are differentiated; ``wanted``: the backend that was asked for; ``count``: how many values come
    before the cotangents among the results; ``plain``: results are the value and the gradient as they are.
    """

    zeros: list[str] = []  # what is to be told of gradients that are always zero
    counted = False  # whether each call has to be noted, as it may be time for kernels
    checked: Any = None  # what was compared in its first call, or why nothing was; None: there was none
    keep: Callable[[], None] | None = None  # store it for later processes
    stored = False  # whether an earlier process has
    halves: Any = None  # see ``halves``
    _fast: FastCall | None = None

    def __init__(self, derivative: Any, described: Described, primal: Any, wanted: str) -> None:
        super().__init__(derivative, *described)
        self.question, self.primal, self.wanted = derivative.question, primal, wanted
        self.count = primal.count
        self.fit = Fit(primal)
        self.fits, self.stores = self.fit.inputs, self.fit.stores
        found: tuple[bool, bool] = getattr(primal, "draws", None) or draws(primal.function)
        self.draws, self._globally = found

    @property
    def values(self) -> range:
        """The positions of the function's own among the results."""
        return range(self.count)

    @property
    def policy(self) -> str:
        """What loops save rather than compute again."""
        return "cheap" if self.primal.heeds_errors else policy_of(self.wanted)

    @property
    def fresh(self) -> range:
        """Those that the caller gets for keeps: cotangents, and all that a program of derivatives returns."""
        first = 0 if self.question.as_it_is else self.count
        return range(first, self.count + len(self.wrt))

    def answered_by(self, joint: Function, of: tuple[int, ...]) -> Program:
        """The same with what the question made of the primal, of which results.

        Raises:
            InternalError: it is not laid out as results are read.
        """
        if len(joint.body.results) != self.count + self.question.width(self.wrt, of):
            raise InternalError(
                f"the program of `{self.question.name}`",
                why=f"it has {len(joint.body.results)} results",
                fix="let it return the primal's, then as many as its `width` says",
            )
        self.joint, self.of = without_rules(joint), of  # as it runs, and is not differentiated again
        if self.of and not self.owner.every_leaf:
            chosen = self.question.argnums is not None or self.owner.has_chosen()
            self.zeros = zeros(self, self.of, unused=chosen)
        return self

    def with_code(self, codes: Sequence[Code]) -> Program:
        """The same with its code: that of the call, and for an answer for later that of the answer."""
        self.codes = tuple(codes)
        self.code, self.backward = codes[0], codes[1] if self.question.later else None
        self._written = sorted(self.primal.written)
        self.simple = not (self._written or self.fit.changes or self.primal.errstate or self.stores)
        self.loud = is_loud(self.code.run)  # and may begin again, or be traced
        self.plain = self._is_plain()
        return self

    def _is_plain(self) -> bool:
        one = self.owner.single and len(self.chosen) == len(self.wrt) == 1
        if self.question.later or not (one and self.primal.result == 0 and self.count == 1):
            return False
        return self.trees[self.chosen[0]].type is LEAF and not any(self.python)

    def whole(self) -> Program:
        """The same, with everything that the compiler knows of it."""
        return self

    # ----- what it is
    @property
    def backend(self) -> str:
        """'numba' if any of its code is made of kernels."""
        return "numba" if any(code.backend == "numba" for code in self.codes) else "numpy"

    @property
    def run(self) -> Callable[..., Any]:
        """The code of a call."""
        return self.code.run

    @property
    def text(self) -> str:
        """The source of what runs."""
        return "\n\n".join(code.text for code in self.codes)

    def has_gaps(self) -> bool:
        """Whether the derivative divides by differences of eigenvalues: of equal ones it has nan."""
        bodies = self.primal.function.body, self.joint.body
        return any(isinstance(op, Op) and op.fn is reciprocal_gaps for body in bodies for op in walk(body))

    def explain(self) -> str:
        """What is saved, computed again, inlined and constant."""
        from ..inspection.explain import explain
        from .checks.first_call import told_of
        from .tiers import runs_as

        running = runs_as(self, self.owner._tiers.values())
        return f"{explain(self, self.owner.halves(self.whole()), running)}\n\n{told_of(self)}"

    # ----- answers
    def in_place(self) -> Program:
        """What is to be run."""
        return self

    def value(self, results: Sequence[Any]) -> Any:
        """What the function returned, from the results of a run."""
        return rebuild(self.primal.result, results)

    def pullback(self, results: Sequence[Any], inputs: Sequence[Any]) -> PullbackAt:
        """The pullback at the point where a run gave ``results``."""
        return pullback_at(self, results, inputs)

    def answer(self, results: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """What the user gets, from the results of a run."""
        question = self.question
        if self.plain:
            return question.answer(results[0], None, results[1])
        later = question.later
        derivative = question.at(self, results, inputs) if later else self.gradients(results[self.count :])
        return question.answer(*question.parts(self.value(results)), derivative)

    def fast_call(self, args: tuple[Any, ...]) -> Fast | None:
        """The short way for calls like this one, which the program answered, as the one before.

        A program that has not been checked yet, as it was called within another one's check, waits for that.
        """
        if self.counted or self.checked is None or self.question.later:
            return None
        if self._fast is None:
            self._fast = FastCall(self, args)
        self._fast.remember(args)
        return self._fast.run

    def forget(self) -> None:
        """The short way is to be made anew."""
        self._fast = None

    # ----- runs
    def __call__(self, inputs: list[Any]) -> Any:
        """The results; what the function stores outside is put there."""
        if not isinstance(inputs, Given):
            return self.results(inputs)
        states = self.states(inputs)
        for turn in range(MOST_RUNS):
            results = self.results(inputs, anew=not turn)
            if self.stores.keep(results, inputs):
                return results
            if states is not None:
                states.put_back()
            again = inputs.read()
            if again is None:
                break
            inputs.renew(again)
        raise overtaken()

    def rehearsed(self, inputs: list[Any], results: Any) -> Rehearsed | None:
        """What the program would leave outside; None if it stores nothing, or has not come to its end."""
        return Rehearsed(self.stores, results, inputs) if isinstance(inputs, Given) and results else None

    def results(self, inputs: list[Any], anew: bool = True) -> Any:
        """The results, and nothing else; not ``anew``: what the run before has told is not told again."""
        if isinstance(inputs, Given):
            self.stores.check(inputs)
        self._require_writable(inputs)  # no failure of the code, after which NumPy's code would be run
        if anew:
            begin(self)
        states = self.states(inputs)
        try:
            with contextlib.nullcontext() if anew or not self.loud else again():
                return self._run(self._entry(self.code.run), inputs)
        except Exception as error:
            problem = error
        try:
            if states is not None and self.code.backend != "numpy":
                states.put_back()
            return self.failed(inputs, problem)
        finally:
            del problem  # it refers to this frame

    def states(self, inputs: Sequence[Any]) -> States | None:
        """Where the generators are now from which the program draws; None if it doesn't."""
        return States(inputs, self._globally) if self.draws else None

    def failed(self, inputs: list[Any], problem: Exception) -> Any:
        """What becomes of an error in the code: NumPy's results or errors, where kernels failed.

        Kernels that failed where NumPy succeeds are made anew without what they assumed, or not used again.
        """
        let_through(problem, causes=self.code.backend != "numpy")
        if self.code.backend == "numpy":
            self.explained(problem)
        try:
            with again() if self.loud else contextlib.nullcontext(), self.code.silence(problem):
                results = self._run(self._entry(self.code.in_numpy()), inputs)
        except Exception as error:
            let_through(error)
            self.explained(error)
        self.code.drop_kernels(problem)
        return results

    def _entry(self, run: Callable[..., Any]) -> Callable[..., Any]:
        """Code as it is called: noted if it has effects, and with a tuple of results."""
        run = counted(run) if self.loud else run
        behind = 1 if self.question.later else len(self.wrt)  # the residuals, or the derivatives
        return run if self.count + behind > 1 else lambda *inputs: (run(*inputs),)

    def _run(self, run: Callable[..., Any], inputs: list[Any]) -> Any:
        if self.simple:
            return run(*inputs)
        # what the program sets is undone, where it raises in the middle of it, too
        with np.errstate() if self.primal.errstate else contextlib.nullcontext():
            return run(*self._protected(inputs))

    def explained(self, error: Exception) -> NoReturn:
        """Raise an error of the program with the place in the user's code."""
        add_user_note(error)
        if isinstance(error, UnsupportedError):  # no exception of the function
            raise error
        if self.primal.tried:
            raise self._not_followed(error) from error
        if self.primal.storing:
            raise UnsupportedError(
                "an exception at run time, in a function that stores outside",
                why=f"{type(error).__name__}: {error}; the function itself leaves what it has stored by then",
                fix="test for the condition with `if` instead",
            ) from error
        raise error

    def _not_followed(self, error: Exception) -> UnsupportedError:
        """What was raised might have been caught by a handler that is not part of the program."""
        file, first, last = self.primal.tried[0]
        return UnsupportedError(
            "an exception at run time, in a function with `try`",
            why=f"{type(error).__name__}: {error}; handlers are not compiled: {file}, {first} to {last}",
            fix="test for the condition with `if` instead",
        )

    def _require_writable(self, leaves: Sequence[Any]) -> None:
        """Asked of what the caller gives: a check of a first call runs on arrays that nobody may write to."""
        for position in self._written:
            leaf = leaves[position]
            if isinstance(leaf, np.ndarray) and not leaf.flags.writeable:
                raise UnsupportedError(
                    "an argument that the function writes to, and that is read-only",
                    why="where it is written, the function raises an exception",
                    fix="pass a copy",
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
            changed.note([array])
        return leaves
