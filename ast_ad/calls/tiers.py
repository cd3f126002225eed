"""When are kernels compiled, and which calls do they answer?

The rule depends on the sequence of calls alone, never on measured time; `docs/performance.md` states it.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..compiler.analysis.work import nanoseconds
from ..compiler.frontend.length_patterns import SMALL, Known, pattern, shapes_of
from ..compiler.ir.types import Array
from ..errors import AdError, InternalError
from ..interrupts import let_through
from . import code as codes
from .checks.check import is_inside
from .fitting.assumptions import given_up, of_lengths

WORTH = 1e8
"""Nanoseconds of estimated work that NumPy does before kernels are written, or loaded from the disk."""
PRICE = 6e6
"""Nanoseconds to compile a line of kernels; of 15 programs of 50 to 2,000 lines the median was 5e6."""
MOST_SMALL = 4  # patterns with different small lengths before lengths are no constants any more
MOST_PATTERNS = 8  # patterns before no two lengths are taken as equal any more
MOST_PROGRAMS = 16  # programs, where what is read from outside keeps changing
MOST_REFUSED = 2  # patterns whose programs the compiler could not make


@functools.cache
def has_numba() -> bool:
    """Whether Numba is installed; it is not imported for that."""
    return importlib.util.find_spec("numba") is not None


class Tier:
    """The kernels of one derivative for one kind of arguments.

    Args:
        at_once: whether kernels are compiled at the first call, or when they are worth it.
    """

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once
        self.programs: list[Any] = []
        self._patterns: dict[Any, Known] = {}
        self._refused: set[Any] = set()
        self.why = ""  # why the last of those has no kernels
        self._written: dict[Any, Any] = {}  # programs whose kernels cost more than what NumPy has done so far
        self.work, self._worth = 0.0, WORTH
        self._closed = False
        self._last: tuple[Any, float] = (None, 0.0)
        self._renumbered = False  # whether an int from outside has changed: a constant in one program only

    def find(self, leaves: list[Any], values: Sequence[Any]) -> tuple[Any, list[Any]] | None:
        """The program that fits a call, and its inputs."""
        for program in self.programs:
            inputs = program.fits(leaves, values)
            if inputs is not None:
                return program, inputs
        return None

    def count(self, program: Any, inputs: list[Any]) -> None:
        """Take note of a call that NumPy answers."""
        program.counted = not self.is_settled()
        if self.at_once or not program.counted:
            return
        sizes = [v.shape if isinstance(v, np.ndarray) else v if type(v) is int else None for v in inputs]
        key = program, sizes
        if self._last[0] != key:
            self._last = key, nanoseconds(program.joint, inputs)
        self.work += self._last[1]

    def is_due(self) -> bool:
        """Whether the next call that no kernels fit gets some: not in a function that is run for a check."""
        if self.is_settled() or is_inside():
            return False
        return self.at_once or (self.work > 0 and self.work >= self._worth)

    def is_settled(self) -> bool:
        """Whether no more kernels will be compiled, so that calls need not be counted."""
        return self._closed or len(self.programs) >= MOST_PROGRAMS or len(self._refused) >= MOST_REFUSED

    def close(self) -> None:
        """No kernels any more."""
        self.programs.clear()
        self._closed = True

    def compile(
        self, build: Callable[[Known], Any], leaves: list[Any], values: Sequence[Any]
    ) -> tuple[Any, list[Any]] | None:
        """A new program for a call, and its inputs; None where there is none, or none that has paid yet.

        Where the compiler has a defect with what it may rely on, it gets less to rely on.
        """
        self._renumbered = self._renumbered or any(p.fit.guards.renumbered(values) for p in self.programs)
        shapes, first = shapes_of(leaves), self.known()
        wanted = first, pattern(shapes, first)
        for known in Known if wanted not in self._refused else ():
            if known < first:
                continue
            found = known, pattern(shapes, known)
            try:
                program, inputs = self._built(found, build, leaves, values)
            except InternalError as error:
                self.why = f"{type(error).__name__}: {error.construct}"
                continue
            except AdError as error:  # NumPy's build raises it again, or does better
                self.why = f"{type(error).__name__}: {error.construct}"
                break
            except Exception as error:
                let_through(error, causes=True)
                if codes.FAIL_LOUDLY:
                    raise
                self.why = f"{type(error).__name__}: {error}"
                break
            if inputs is None:
                break
            self._worth = price(program)
            if not self.at_once and self.work < self._worth:
                self._written[found] = program
                return None
            self.work, self._worth = 0.0, WORTH
            self._written.clear()
            self.programs.insert(0, program)
            self._patterns[found[1]] = known
            return program, inputs
        self._refused.add(wanted)
        self.work = 0.0
        return None

    def _built(
        self, found: Any, build: Callable[[Known], Any], leaves: list[Any], values: Sequence[Any]
    ) -> tuple[Any, list[Any] | None]:
        """A program with kernels, perhaps written before, and its inputs; None where it does not fit."""
        program = self._written.pop(found, None)
        inputs = None if program is None else program.fits(leaves, values)
        if inputs is None:
            program = build(found[0])
            inputs = program.fits(leaves, values)
        return program, inputs

    def known(self) -> Known:
        """What the next program may rely on: less, the more patterns of lengths there were."""
        small = [p for p, known in self._patterns.items() if known is Known.CONSTANTS and _has_small(p)]
        if len(self._patterns) >= MOST_PATTERNS:
            return Known.ONES
        less = self._renumbered or len(small) >= MOST_SMALL
        return Known.EQUALITIES if less else Known.CONSTANTS


def price(program: Any) -> float:
    """Nanoseconds that it is estimated to take until a program's kernels can run."""
    if program.stored:
        return WORTH
    texts = [code.text for code in program.codes if code.backend == "numba"]
    lines: int = sum(text.count("\n") for text in texts)
    return max(WORTH, PRICE * lines)


def _has_small(shapes: Any) -> bool:
    return any(0 <= n <= SMALL and n != 1 for shape in shapes for n in shape)


def runs_as(program: Any, tiers: Iterable[Tier] = ()) -> list[str]:
    """Kernels and the lengths that they are for, or why there are none; nothing where none were wanted.

    ``tiers``: those of the program's derivative.
    """
    codes, whole = program.codes, program.whole()
    if program.wanted == "numpy":
        return [f"NumPy code; there are no kernels, since {tier.why}" for tier in tiers if tier.why]
    letters: dict[Any, str] = {}
    shapes = [
        f"{p.hint}: {p.type.dtype.name}[{', '.join(_length(d, letters) for d in p.type.shape or ())}]"
        for p in whole.primal.function.params
        if isinstance(p.type, Array)
    ]
    found = [f"code for {', '.join(shapes)}"] if shapes else []
    if any(code.backend == "numba" for code in codes):
        held = of_lengths(whole.primal.function.params)
        found += [f"  assumes {one}: compared before each call" for one in held]
        found += [f"  assumed {one}: dropped, after so many others" for one in given_up(program.fit.known)]
    for code, made in zip(codes, whole.codes, strict=True):
        name = made.function.name
        if code.backend == "numba":
            found.append(f"{name}: compiled with Numba")
            found += [f"  NumPy code at {left}" for left in code.left]
            found += [f"  assumes {one}: holds" for one in code.assumed]
        else:
            why = (
                "np.errstate asks for more than silence in it, which kernels don't heed"
                if program.primal.heeds_errors
                else code.why
            )
            found.append(f"{name}: NumPy code, since {why}")
        found += [f"  assumed {one}: did not hold, dropped" for one in code.dropped]
    return found


def _length(dim: Any, letters: dict[Any, str]) -> str:
    """A letter for a length, the same for equal ones."""
    return str(dim) if isinstance(dim, int) else letters.setdefault(dim, f"n{len(letters) + 1}")
