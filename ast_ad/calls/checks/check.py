"""Is a compiled program the function that it was made of? Found out in its first call.

The function itself is what runs there, on copies of the arguments, and what it does counts. The program runs
beside it: as it is, and as text in which each value is compared with what the compiler believed of it. A
difference is a defect of ours: it is told, the call is traced, and the program is not used again.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...compiler.analysis.work import nanoseconds
from ...compiler.ir.ops import Op, walk
from ...compiler.ir.show import callable_name
from ...compiler.ir.types import dtype_of, is_single
from ...errors import AdError, InputTypeError, WrongProgramError
from ...interrupts import let_through
from ...rules.random_draws import with_shape
from ...tracing.argument_copies import copied, uncopied
from ...trees import flatten
from .comparison import difference, near
from .differences import along_a_direction
from .facts import Broken, Facts, told
from .failures import NUMERIC, defect, prints, quiet
from .rehearsal import NotRehearsed, rehearsed
from .rounding import Noise, spread
from .undefined import UNDEFINED, is_undefined

LONG = 5e7  # nanoseconds of estimated work: NumPy code that runs longer is run once, with its facts checked
TOO_LONG = 1e9  # kernels whose NumPy code runs longer are compared with the function only
ROUNDING = np.round, np.around, round
SINGLE = np.dtype(np.float32), np.dtype(np.complex64)
running = threading.local()  # ``inside``: whether this thread runs a function that is being checked


@dataclass
class Outcome:
    """What came of a run: a value or an exception."""

    value: Any = None
    error: Exception | None = None

    @staticmethod
    def of(run: Callable[[], Any]) -> Outcome:
        try:
            return Outcome(run())
        except Exception as error:
            let_through(error)
            return Outcome(error=error)

    def __str__(self) -> str:
        return "nothing" if self.error is None else f"{type(self.error).__name__}: {self.error}"


def is_inside() -> bool:
    """Whether this thread runs a function whose derivative is being checked."""
    return getattr(running, "inside", False)


def why_not(program: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    """Why a program can't be checked by this call; empty if it can."""
    if program.owner.options.check is False:
        return "check=False or AST_AD_CHECK=0"
    return uncopied([*args, *kwargs.values()])


class FirstCall:
    """A call of a program by which it is checked."""

    def __init__(self, program: Any, args: Sequence[Any], kwargs: dict[str, Any], inputs: list[Any]) -> None:
        self.program, self.args, self.kwargs, self.inputs = program, args, kwargs, inputs
        self.function = program.owner.function
        self.kernels = self.program.code.backend == "numba"
        self.loud = prints(program)
        self.backward = program.backward
        self.notes = ["value"]
        self.unchecked = ""  # why nothing could be compared
        self.ran: Outcome | None = None  # what came of the function itself
        self.states = program.states(inputs)  # each run draws what the call draws

    def run(self) -> Any:
        """The results of the program.

        Raises:
            WrongProgramError: it is not the function. The error says by what.
            Exception: the function's own.
        """
        rehearsal = self.rehearsal()
        drawn = self.states and self.states.now()
        alone = self.alone and rehearsal is not None
        if rehearsal is not None and isinstance(rehearsal.error, Broken):
            raise self.believed(rehearsal.error)
        if not alone:
            self.rewind()
            real = Outcome.of(lambda: self.program.results(self.inputs))
            drawn = self.states and self.states.now()
        else:
            real = self.as_in_a_call(self.rehearsed)
        if isinstance(real.error, AdError):
            raise real.error
        left = self.program.rehearsed(self.inputs, real.value)
        with contextlib.nullcontext() if left is None else left.alone():
            plain = self.ran = self.plain(quietly=not alone)
        drawn_by_function = self.states and self.states.now()
        try:
            self.compare(plain, real, rehearsal, alone, left)
            if drawn is not None and not drawn.same(drawn_by_function) and not self.unchecked:
                raise self.wrong("it leaves a generator of random numbers in another state")
        except WrongProgramError:
            if left is not None and plain.error is None:
                left.undo()  # the call is traced
            raise
        finally:
            if drawn_by_function is not None:
                drawn_by_function.put_back()
        self.program.checked = self.unchecked or self.notes
        return real.value

    def compare(
        self, plain: Outcome, real: Outcome, rehearsal: Outcome | None, alone: bool, left: Any
    ) -> None:
        """Compare all runs; ``left``: what the program would have stored outside (``kept.Rehearsed``)."""
        if self.errors(plain, real, rehearsal):
            numbers = self.numbers(real.value)
            numpy = rehearsal.value if rehearsal is not None and rehearsal.error is None else None
            self.values(plain.value, real.value, numpy)
            if numpy is not None and not alone:
                idle = self.program.stores.idle(real.value)
                self.statements(
                    *([0.0 if i in idle else v for i, v in enumerate(r)] for r in (numpy, numbers))
                )
            self.gradients(numbers)
            told = None if left is None else left.difference()
            if told is not None:
                raise self.wrong(told)
            if self.program.owner.options.check:
                self.direction(plain.value, numbers)

    def numbers(self, results: Any) -> list[Any]:
        """The results and the derivatives of a run of the program."""
        values: list[Any]
        if self.backward is None:
            return list(results)
        *values, _ = results
        with quiet():
            later = self.program.question.at(self.program, results, self.inputs)
            found = Outcome.of(lambda: later.leaves(*flatten(self.ones(values))[0]))
        if found.error is None:
            return [*values, *found.value]
        if isinstance(found.error, NUMERIC) or self.by_rules(found.error):
            self.notes.append(f"not the pullback, which raises {found}")
            return values
        raise self.wrong(f"its pullback raises {found}")

    # ----- runs
    def plain(self, quietly: bool) -> Outcome:
        """The function itself. NumPy's warnings come once: from the program, if that is run as it is."""
        values = copied([*self.args, *self.kwargs.values()])
        with inside(), without_numeric_warnings() if quietly else contextlib.nullcontext():
            return Outcome.of(lambda: self.call(values))

    def as_in_a_call(self, found: Outcome) -> Outcome:
        """A run of the text, with the error that a call gives: a handler might have caught it."""
        if found.error is None:
            return found
        error = found.error
        return Outcome.of(lambda: self.program.explained(error))

    def rewind(self) -> None:
        """Draw from the start."""
        if self.states is not None:
            self.states.put_back()

    def call(self, values: Sequence[Any]) -> Any:
        self.rewind()
        split = len(self.args)
        return self.function(*values[:split], **dict(zip(self.kwargs, values[split:], strict=True)))

    def rehearsal(self) -> Outcome | None:
        """The program as text that checks what was believed; None where that can't be had."""
        code = self.program.code
        time = nanoseconds(code.function, self.inputs)
        long = time > LONG or bool(self.program.primal.calls)  # nobody knows how long a trace takes
        self.alone = self.loud or long and not self.kernels
        if time > TOO_LONG and self.kernels:
            self.notes.append("not types and lengths, for it is long")
            return None
        try:
            text, facts = rehearsed(code.placed(), long=time > LONG), Facts()
            found = self.rehearsed = self.numpy(text, self.inputs, facts)
            if found.error is None and self.backward is not None:
                found = self.pulled_back(found.value, self.halves()(facts))
        except NotRehearsed:
            self.notes.append("not types and lengths, for blocks are nested too deep")
            return None
        self.notes.append("types and lengths")
        return found

    def numpy(self, text: Any, inputs: Sequence[Any], facts: Facts) -> Outcome:
        """A text of the program, run on arrays that can't be written to."""
        given = [_read_only(v) for v in inputs]
        self.rewind()
        with quiet():
            found = Outcome.of(lambda: self.program._run(text(facts), given))
        if self.alone and found.error is None:  # the caller gets them
            found.value = [_to_keep(v, given, inputs) for v in found.value]
        return found

    def halves(self, noise: Noise | None = None) -> Callable[[Facts], Callable[..., Any]]:
        """The text of the backward half."""
        assert self.backward is not None
        return rehearsed(self.backward.placed(), self.program.code.placed(), noise=noise)

    def pulled_back(self, results: Any, run: Callable[..., Any]) -> Outcome:
        """The results, and what a backward half gives at their residuals for ones."""
        *values, residuals = results
        with quiet():
            found = Outcome.of(lambda: run(residuals, *self.ones(values)))
        if found.error is None:
            return Outcome([*values, *found.value])
        return Outcome(values) if isinstance(found.error, NUMERIC) else found

    def ones(self, values: Sequence[Any]) -> list[Any]:
        """What the second half is asked for in a check."""
        program = self.program
        forward = program.question.forward
        likes = [self.inputs[i] for i in program.wrt] if forward else [values[i] for i in program.of]
        found = map(flatten, likes)  # one of them may be a list
        return [tree.unflatten(list(map(_one, leaves))) for leaves, tree in found]

    def derived(self, values: Sequence[Any]) -> list[tuple[str, Any]]:
        """What the derivatives behind the values belong to, with its name: to arguments, or to results."""
        program = self.program
        if program.question.forward:
            return [(f"result {i}", values[i]) for i in program.of]
        names = program.primal.function.params
        return [(f"`{names[i].hint}`", self.inputs[i]) for i in program.wrt]

    # ----- comparisons
    def wrong(self, why: str) -> WrongProgramError:
        name = getattr(self.function, "__name__", "function")
        error = defect(f"the program of the gradient of `{name}` is wrong", why, kind=WrongProgramError)
        assert isinstance(error, WrongProgramError)
        error.ran = self.ran
        return error

    def believed(self, problem: Broken) -> WrongProgramError:
        """The defect of a value that is not what the compiler believed."""
        var, blocks = problem.var, [self.program.code.placed().body]
        if self.backward is not None:
            blocks.append(self.backward.placed().body)
        maker = next((op for block in blocks for op in walk(block) if var in op.outs), None)
        what = f"the result of `{callable_name(maker.fn)}`" if isinstance(maker, Op) else "a value"
        if var is not None and var.hint:
            what = f"`{var.hint}`"
        return self.wrong(f"{what} is {problem}").at(getattr(maker, "span", None))

    def errors(self, plain: Outcome, real: Outcome, rehearsal: Outcome | None) -> bool:
        """Whether all runs have a value; raises what the function raises, or a defect."""
        kind = type(plain.error)
        if isinstance(plain.error, Warning) and real.error is None:
            self.unchecked = f"a filter makes an exception of its {kind.__name__}"
            return False
        told = plain.error
        if real.error is None and isinstance(told, AdError) and told.only_as_it_is:
            self.unchecked = f"the function as it is has no answer: {told.construct}"
            return False
        if isinstance(told, InputTypeError) and real.error is None and self.program.primal.own_rules:
            raise told
        if type(real.error) is not kind:
            of_adjoint = isinstance(real.error, NUMERIC) or self.by_rules(real.error)
            if plain.error is None and real.error is not None and of_adjoint:
                raise real.error  # as np.errstate, a filter or a rule asks for it
            raise self.wrong(f"the function raises {plain}, and the program {real}")
        if real.error is not None:
            raise real.error
        odd = rehearsal.error if rehearsal is not None else None
        if odd is not None and not isinstance(odd, NUMERIC) and not self.by_rules(odd):
            raise self.wrong(f"the function raises {plain}, and the program's statements {rehearsal}")
        return True

    def by_rules(self, error: Exception | None) -> bool:
        """Whether an exception may come from a derivative rule of the user's own."""
        return error is not None and self.program.primal.own_rules and not isinstance(error, Broken)

    def values(self, plain: Any, real: Any, numpy: Any) -> None:
        """Compare the value with the function's."""
        rounds = self.program.question.as_it_is or self.program.primal.rounds
        if not self.kernels and not rounds:
            told = difference(plain, self.program.value(real))
            if told is not None and not self.repeats(plain):
                told = difference(plain, self.program.value(real), exact=False, single=self.single)
        else:
            found = self.program.value(real if numpy is None else numpy)
            told = difference(plain, found, exact=False, single=self.single)
            if told is not None and self.is_rounding(plain, found):
                told = None
        if told is not None:
            raise self.wrong(told)

    def is_rounding(self, plain: Any, found: Any) -> bool:
        """Whether the program's value differs by what rounding may do to it, where numbers cancel."""
        (a, tree), (b, other) = flatten(plain), flatten(found)
        alike = tree == other and all(
            np.result_type(x) == np.result_type(y) and isinstance(x, np.ndarray) == isinstance(y, np.ndarray)
            for x, y in zip(a, b, strict=True)
        )
        return alike and self.apart(b, a, self.program.value) is None

    def statements(self, expected: Sequence[Any], found: Sequence[Any]) -> None:
        """Compare the program with its statements run one by one, kernels with NumPy."""
        a, b = flatten(list(expected))[0], flatten(list(found))[0]
        number = self.apart(a, b, list)
        if number is not None:
            one, other = told(b[number]), told(a[number])
            raise self.wrong(f"result {number} of the program is {one}, and of its statements {other}")

    def apart(self, expected: Sequence[Any], found: Sequence[Any], part: Callable[..., Any]) -> int | None:
        """Which number differs by more than rounding; ``part``: from results to what the numbers are of."""
        runs = functools.cache(lambda: [flatten(part(results))[0] for results in self.spread()])

        def others(number: int) -> list[Any]:
            return [run[number] for run in runs() if number < len(run)]

        for number, (a, b) in enumerate(zip(expected, found, strict=True)):
            if not near(a, b, functools.partial(others, number), self.single):
                return number
        return None

    @functools.cached_property
    def single(self) -> bool:
        """Whether the program computes something in single precision, which results in double inherit."""
        dtypes = (dtype_of(out.type) for op in walk(self.program.joint.body) for out in op.outs)
        return any(dtype is not None and is_single(dtype) for dtype in dtypes)

    def spread(self) -> list[Sequence[Any]]:
        """The results as rounding may have them."""

        def run(inputs: Sequence[Any], noise: Noise) -> Sequence[Any] | None:
            text = rehearsed(self.program.code.placed(), noise=noise)
            outcome = self.numpy(text, inputs, Facts())
            if outcome.error is None and self.backward is not None:
                outcome = self.pulled_back(outcome.value, self.halves(noise)(Facts()))
            return list(outcome.value) if outcome.error is None else None

        return spread(run, self.inputs)

    def repeats(self, plain: Any) -> bool:
        """Whether the function gives the same to the bit when it is run again."""
        if self.loud or self.program.stores:
            return False
        again = self.plain(quietly=True)
        return again.error is None and difference(plain, again.value) is None

    def gradients(self, numbers: Sequence[Any]) -> None:
        """The derivatives have the shapes and the dtypes of what they belong to."""
        kind = "tangent" if self.program.question.forward else "cotangent"
        for (name, leaf), bar in zip(self.derived(numbers), numbers[self.program.count :], strict=False):
            if not _belongs(bar, leaf):
                raise self.wrong(f"the {kind} of {name} is {told(bar)}, and {name} is {told(leaf)}")

    def direction(self, plain: Any, numbers: Sequence[Any]) -> None:
        """Compare the derivative along one direction with differences of the function."""
        bars, forward = numbers[self.program.count :], self.program.question.forward
        if not bars:
            return
        if self.loud:
            self.notes.append("not a derivative, for the function prints")
            return
        if self.program.stores:
            self.notes.append("not a derivative, for the function stores outside")
            return
        if any(isinstance(op, Op) and op.fn is with_shape for op in walk(self.program.primal.function.body)):
            self.notes.append("not a derivative, for that of a gamma variable is none of the way it is drawn")
            return
        if self.program.primal.own_rules:
            self.notes.append("not a derivative, for it is that of a rule of the user's (see check_grads)")
            return
        values = [*self.args, *self.kwargs.values()]
        operations = [op for op in walk(self.program.primal.function.body) if isinstance(op, Op)]
        rounded = any(op.fn in ROUNDING for op in operations)
        single = any(dtype_of(v.type) in SINGLE for op in operations for v in op.outs)
        if any(np.any(np.isnan(bar)) for bar in bars) and self.program.has_gaps():
            self.notes.append("not a derivative, for of equal eigenvalues there is none")
            return
        with inside(), quiet():
            if is_undefined(self.program, self.args, self.kwargs, bars, forward):
                self.notes.append(UNDEFINED)
                return
            why = along_a_direction(self.call, values, self.program, plain, bars, rounded, single, forward)
        if why is None:
            self.notes.append("a derivative along a direction")
        elif why:
            raise self.wrong(why)
        else:
            self.notes.append("not a derivative, for differences don't agree with each other")


def _belongs(bar: Any, leaf: Any) -> bool:
    """Whether a derivative has the shape and the dtype of its value, each part of a list that of the part."""
    if isinstance(leaf, (list, tuple)):
        (bars, tree), (parts, other) = flatten(bar), flatten(leaf)
        return tree == other and all(map(_belongs, bars, parts))
    same = np.result_type(leaf) == np.result_type(bar) or not isinstance(leaf, np.ndarray)
    return np.shape(leaf) == np.shape(bar) and same


def _one(leaf: Any) -> Any:
    """One of Python's own numbers is one, which does not widen what it is multiplied with."""
    return type(leaf)(1) if type(leaf) in (float, complex) else np.ones_like(leaf)[()]


def _read_only(value: Any) -> Any:
    """A view of an array through which nobody writes; other values as they are."""
    if type(value) is not np.ndarray:
        return value
    found = value.view()
    found.flags.writeable = False
    return found


def _to_keep(value: Any, given: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """A result as it would be on the inputs themselves."""
    if not isinstance(value, np.ndarray) or value.flags.writeable:
        return value
    return next((v for v, view in zip(inputs, given, strict=True) if view is value), np.copy(value))


@contextlib.contextmanager
def inside() -> Iterator[None]:
    """The function that is being checked runs: derivatives in it are not checked again."""
    before, running.inside = is_inside(), True
    try:
        yield
    finally:
        running.inside = before


@contextlib.contextmanager
def without_numeric_warnings() -> Iterator[None]:
    modes = {name: "raise" if mode == "raise" else "ignore" for name, mode in np.geterr().items()}
    with np.errstate(**modes):  # type: ignore[arg-type]
        yield
