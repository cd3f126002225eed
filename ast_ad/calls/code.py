"""Which code runs a program: NumPy's or compiled kernels, and what if the kernels can't?

Kernels rest on assumptions that are checked when they run. Whatever goes wrong in them, the NumPy code of the
same program answers the call, with its errors where the user's code has some; kernels that failed where
NumPy succeeds are not used again.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

from ..compiler import budget
from ..compiler.arrays.in_place import write_in_place
from ..compiler.emit.load import build_lock, load_module
from ..compiler.emit.nesting import plan
from ..compiler.emit.python import emit_module
from ..compiler.garbage import collector_paused
from ..compiler.ir.ops import Function, walk
from ..compiler.ir.types import Array
from ..deep import is_repeated
from .fitting.assumptions import MOST_DROPPED, Assumption, assumptions, failed

Run = Callable[..., Any]


class Program:
    """A pure function of the IR, as code.

    ``backend`` says what ``run`` is made of, ``text`` is its source, and ``why`` the reason that there are no
    kernels where they were asked for. NumPy code is made when it is first wanted.

    Args:
        function: pure IR.
        owned: positions of parameters that it may overwrite.
        fresh: positions of results that the caller gets for keeps.
        backend: 'numpy' or 'numba'.
        parallel: whether loops of kernels run in threads.
    """

    def __init__(
        self,
        function: Function,
        owned: Collection[int],
        fresh: Collection[int],
        backend: str = "numpy",
        parallel: bool = False,
    ) -> None:
        self.function, self.owned, self.fresh = function, owned, fresh
        self.backend, self.why = "numpy", ""
        self._kernels: Any = None
        self._threads: dict[str, Any] = {"parallel": True} if parallel else {}
        self.dropped: list[Assumption] = []  # what did not hold in a call
        if backend == "numba":
            self._kernels = compile_kernels(function, owned, fresh, **self._threads)
        if isinstance(self._kernels, str):
            self.why, self._kernels = self._kernels, None
        if self._kernels is not None:
            self.backend = "numba"

    @functools.cached_property
    @collector_paused()
    def placed(self) -> Function:
        """The program with writes in place."""
        return write_in_place(self.function, self.owned, self.fresh, lambda function: plan(function).inlined)

    @functools.cached_property
    @collector_paused()
    def _numpy(self) -> tuple[Run, str]:
        emitted = emit_module([self.placed])
        module = load_module(emitted.text, emitted.injected, self.function.name, dict(emitted.lines))
        return getattr(module, self.function.name), emitted.text

    @property
    def numpy(self) -> Run:
        """The NumPy code, whatever else there is."""
        return self._numpy[0]

    @property
    def run(self) -> Run:
        """What is called: it takes the values of the parameters and returns the results."""
        return self._numpy[0] if self._kernels is None else self._kernels.run

    @property
    def text(self) -> str:
        """The source of what is called."""
        return self._numpy[1] if self._kernels is None else str(self._kernels.text)

    @property
    def left(self) -> list[str]:
        """What of it is NumPy code between the kernels, and why."""
        found = []
        for op, why in getattr(self._kernels, "refused", ()):
            span = getattr(op, "span", None)
            place = f"line {span.line}, {span.text}: " if span is not None and span.line else ""
            found.append(place + why)
        return list(dict.fromkeys(found))

    @property
    def assumed(self) -> list[Assumption]:
        """What the kernels take for granted."""
        return [] if self._kernels is None else assumptions(self._kernels.run, self._kernels.text)

    def drop_kernels(self, problem: BaseException) -> None:
        """The kernels failed where NumPy succeeds: they do without what was assumed, or NumPy runs.

        The statements of which something did not hold stay with NumPy.
        """
        kernels, self._kernels, self.backend = self._kernels, None, "numpy"
        self.why = f"{type(problem).__name__}: {problem}"
        found = failed(problem, kernels.run, kernels.text)
        self.dropped += [one for one in found if one not in self.dropped]
        if not found or any(one.place is None for one in found):
            return
        self.why = f"it was assumed that there is {' and '.join(map(str, found))}"
        if len(self.dropped) > MOST_DROPPED:
            return
        places = frozenset(one.place for one in self.dropped)
        with build_lock:
            again = compile_kernels(self.function, self.owned, self.fresh, **self._threads, dropped=places)
        if not isinstance(again, str):
            self._kernels, self.backend, self.why = again, "numba", ""

    def __call__(self, *inputs: Any) -> Any:
        """Run on inputs that the program does not change."""
        if self._kernels is None:
            return self.numpy(*inputs)
        try:
            return self._kernels.run(*inputs)
        except Exception as error:
            problem = error
        results = self.numpy(*inputs)
        self.drop_kernels(problem)
        return results


def compile_kernels(
    function: Function,
    owned: Collection[int],
    fresh: Collection[int],
    parallel: bool = False,
    dropped: Collection[Any] = (),
) -> Any:
    """The kernels of a program, or, as a text, why there are none."""
    from ..compiler.kernels.numba import NotCompiled, compile_numba

    if work_of_kernels(function) > budget.MOST_FOR_KERNELS:
        return "it has so many operations that compiling kernels of them takes too long"
    try:
        more = {"dropped": dropped} if dropped else {}
        return compile_numba(function, owned, fresh, function.name, parallel, **more)
    except NotCompiled as reason:
        return str(reason)
    except Exception as error:  # NumPy's code is there for what the kernels' compiler can't do
        if FAIL_LOUDLY or (isinstance(error, RecursionError) and is_repeated()):
            raise
        return f"{type(error).__name__}: {error}"


def work_of_kernels(function: Function) -> int:
    """How much there is to compile."""
    outs = (out for op in walk(function.body) for out in op.outs)
    return sum(4 if isinstance(out.type, Array) else 1 for out in outs)


FAIL_LOUDLY = False
"""Whether an unexpected error of the kernels' compiler is raised; tests set it."""
