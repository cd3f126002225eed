"""Which code runs a program: NumPy's or compiled kernels, and what if the kernels can't?

Kernels rest on assumptions that are checked when they run. Whatever goes wrong in them, the NumPy code of the
same program answers the call, with its errors where the user's code has some; kernels that failed where
NumPy succeeds are not used again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from ..compiler import budget
from ..compiler.emit.load import build_lock
from ..compiler.garbage import collector_paused
from ..compiler.ir.ops import Function, walk
from ..compiler.ir.types import Array
from ..compiler.report import Report
from ..deep import is_repeated
from ..errors import AdError
from ..interrupts import let_through
from .fitting.assumptions import MOST_DROPPED, NO_NAN, Assumption, assumptions, failed

Run = Callable[..., Any]


class NotCompiled(AdError):
    """Nothing of a program is for Numba."""


class Loaded(NamedTuple):
    """A function of generated text; ``refused``: statements that kernels leave to NumPy, each with why."""

    run: Run
    text: str
    refused: Sequence[Any] = ()


class Pure(NamedTuple):
    """Pure IR.

    ``owned``: positions of parameters that it may overwrite; ``fresh``: positions of results that the caller
    gets for keeps.
    """

    function: Function
    owned: Collection[int]
    fresh: Collection[int]


class Stages(NamedTuple):
    """What makes code of a pure program, see ``pipeline``."""

    in_place: Callable[..., Function]
    numpy_code: Callable[[Function], Loaded]
    kernel_code: Callable[..., Loaded]


class Code:
    """A pure function of the IR, as code.

    ``run`` is called: it takes the values of the parameters and returns the results; ``text`` is its source,
    ``backend`` says what it is made of, ``left`` what of it is NumPy code between kernels, and ``why`` the
    reason that there are no kernels where they were asked for. ``report``: what the passes did.

    Args:
        pure: the program.
        stages: what makes code of it.
        backend: 'numpy' or 'numba'.
        parallel: whether loops of kernels run in threads.
    """

    unexplained = False
    """Whether kernels failed for a reason that is no assumption of theirs: another process may have none."""

    def __init__(self, pure: Pure, stages: Stages, backend: str = "numpy", parallel: bool = False) -> None:
        self.pure, self.function = pure, pure.function
        self.stages = stages
        self.why = ""
        self.dropped: list[Assumption] = []  # what did not hold in a call
        self._placed: tuple[Function, Report] | None = None
        self._numpy: Loaded | None = None
        self._threads: dict[str, Any] = {"parallel": True} if parallel else {}
        if backend != "numba" or not self._compile_kernels():
            self._take_numpy()

    def _take_numpy(self) -> None:
        found = self._in_numpy()
        self._take("numpy", found, self._written()[1])

    def _take(self, backend: str, found: Loaded, report: Report) -> None:
        self.backend, (self.run, self.text, refused), self.report = backend, found, report
        self.left = list(dict.fromkeys(_told(op, why) for op, why in refused))

    def placed(self) -> Function:
        """The program with writes in place, as NumPy code has them."""
        return self._written()[0]

    @collector_paused()
    def _written(self) -> tuple[Function, Report]:
        if self._placed is None:
            report = Report()
            self._placed = self.stages.in_place(self.pure, report), report
        return self._placed

    @collector_paused()
    def _in_numpy(self) -> Loaded:
        if self._numpy is None:
            self._numpy = self.stages.numpy_code(self.placed())
        return self._numpy

    def in_numpy(self) -> Run:
        """The NumPy code, whatever else there is; it is made when it is first wanted."""
        return self._in_numpy().run

    def _compile_kernels(self, **options: Any) -> bool:
        """Let kernels run, or note why there are none."""
        report = Report()
        found = kernels_or_why(self.stages.kernel_code, self.pure, report, **self._threads, **options)
        if isinstance(found, str):
            self.why, self.unexplained = found, isinstance(found, _Failure)
            return False
        self.why = ""
        self._take("numba", found, report)
        return True

    @property
    def assumed(self) -> list[Assumption]:
        """What the kernels take for granted."""
        return assumptions(self.run, self.text) if self.backend == "numba" else []

    def drop_kernels(self, problem: BaseException) -> None:
        """The kernels failed where NumPy succeeds: they do without what was assumed, or NumPy runs.

        The statements of which something did not hold stay with NumPy.
        """
        self.do_without(failed(problem, self.run, self.text), f"{type(problem).__name__}: {problem}")

    def do_without(self, found: Collection[Assumption], why: str) -> None:
        """Kernels that don't assume this, or NumPy's code; ``why``: what is told where nothing was found.

        They are told the lines at which something did not hold, and None if zeros have met infinities.
        """
        self._take_numpy()
        self.why, self.unexplained = why, not found
        self.dropped += [one for one in found if one not in self.dropped]
        if not found or any(one.place is None and one.kind != NO_NAN for one in found):
            return
        why = self.why = f"it was assumed that there is {' and '.join(map(str, found))}"
        places = frozenset(one.place for one in self.dropped)  # None: what is no line's
        if len(places - {None}) <= MOST_DROPPED:
            with build_lock:
                if not self._compile_kernels(dropped=places):
                    self.why = why

    def __call__(self, *inputs: Any) -> Any:
        """Run on inputs that the program does not change."""
        if self.backend == "numpy":
            return self.run(*inputs)
        try:
            return self.run(*inputs)
        except Exception as error:
            let_through(error, causes=True)
            problem = error
        with self.silence(problem):
            results = self.in_numpy()(*inputs)
        self.drop_kernels(problem)
        return results

    def silence(self, problem: BaseException) -> AbstractContextManager[Any]:
        """Where NumPy's code runs in the place of kernels that a NaN has stopped: they don't warn either."""
        nan = any(one.kind == NO_NAN for one in failed(problem, self.run, self.text))
        return np.errstate(all="ignore") if nan else nullcontext()


def _told(op: Any, why: str) -> str:
    span = getattr(op, "span", None)
    place = f"line {span.line}, {span.text}: " if span is not None and span.line else ""
    return place + why


class _Failure(str):
    """Why there are no kernels, where it isn't the program's doing, or nobody knows whether it is."""


def kernels_or_why(kernel_code: Callable[..., Loaded], pure: Pure, report: Report, **options: Any) -> Any:
    """The kernels of a program, or, as a text, why there are none."""
    if work_of_kernels(pure.function) > budget.MOST_FOR_KERNELS:
        return "it has so many operations that compiling kernels of them takes too long"
    try:
        return kernel_code(pure, report, **options)
    except NotCompiled as reason:
        return reason.construct
    except Exception as error:  # NumPy's code is there for what the kernels' compiler can't do
        let_through(error, causes=True)
        if FAIL_LOUDLY or (isinstance(error, RecursionError) and is_repeated()):
            raise
        return _Failure(f"{type(error).__name__}: {error}")


def work_of_kernels(function: Function) -> int:
    """How much there is to compile."""
    outs = (out for op in walk(function.body) for out in op.outs)
    return sum(4 if isinstance(out.type, Array) else 1 for out in outs)


FAIL_LOUDLY = False
"""Whether an unexpected error of the kernels' compiler is raised; tests set it."""
