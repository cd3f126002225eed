"""How does a random program come about? Statement by statement, each tried on all calls before it is kept.

A production writes what it likes; what raises, overflows or runs on is taken back. So productions need not
know types, shapes or aliases beyond what was seen at their place, and a program is valid for all its calls.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from .case import Call
from .probe import Refuted, Scope, Seen, Trial, run

T = TypeVar("T")


class Impossible(Exception):
    """What a production needs is not there."""


@dataclass
class Suite:
    header: str
    body: list[str | Suite] = field(default_factory=list)

    def text(self, probe: Suite | None, level: int) -> Iterator[str]:
        pad = "    " * level
        if self.header:
            yield pad + self.header
            level, pad = level + 1, "    " * (level + 1)
        for part in self.body:
            if isinstance(part, Suite):
                yield from part.text(probe, level)
            else:
                yield pad + part
        if probe is self:
            yield pad + "_probe(locals())"
        elif self.header and not self.body:
            yield pad + "pass"


class Author:
    """The program so far, the place where the next statement goes, and what is known there."""

    def __init__(self, source: random.Random, calls: list[Call], header: str, stateful: bool = False) -> None:
        self.random = source
        self.calls = calls
        self.stateful = stateful
        self.top = Suite("")  # globals, helpers and classes
        self.main = Suite(header)
        self.place = self.main
        self.depth = 0  # of enclosing loops, branches and helpers
        self.loops = 0
        self.inner = 0  # functions around the place other than `f`
        self.outside: list[str] = []  # globals that hold data
        self.callables: list[tuple[str, tuple[Seen, ...]]] = []  # functions and what they were called with
        self.used: set[str] = set()
        self.noted: list[str] = []
        self.errors: tuple[str, ...] = ("",) * len(calls)
        self.may_raise = False
        self.known: Scope | None = None
        self.fallback = Scope()  # what was known around a place that no call reaches
        self.longest = 3000  # characters
        self.table: list[tuple[str, float, Callable[[Author], None]]] = []
        self.forms: dict[str, list[tuple[str, float, Callable[..., str]]]] = {}

    # ----- the text -----

    def source(self, probe: Suite | None = None) -> str:
        lines = ["import functools", "import math", "import numpy as np", ""]
        lines += [*self.top.text(probe, 0), *self.main.text(probe, 0)]
        return "\n".join(lines) + "\n"

    def line(self, text: str) -> None:
        """One or more lines at the place, indented as it is."""
        self.place.body += text.strip("\n").split("\n")
        self.known = None

    @contextmanager
    def suite(self, header: str, loop: bool = False, tail: str = "") -> Iterator[Suite]:
        """A compound statement at the place; ``tail``: what must follow it, until that is written."""
        around, suite, fallback = self.place, Suite(header), self.fallback
        self.fallback = self.known or self.fallback
        around.body.append(suite)
        if tail:
            around.body.append(Suite(tail))
        self.place, self.known = suite, None
        self.depth, self.loops = self.depth + 1, self.loops + loop
        try:
            yield suite
            if tail:
                around.body.pop()
        finally:
            self.place, self.known, self.fallback = around, None, fallback
            self.depth, self.loops = self.depth - 1, self.loops - loop

    @contextmanager
    def helper(self, header: str, body: list[str | Suite], position: int | None = None) -> Iterator[Suite]:
        """A function, put into a body of text; its call must have been written, so that trials reach it."""
        around, suite = self.place, Suite(header)
        state = self.depth, self.loops, self.inner
        body.insert(len(body) if position is None else position, suite)
        self.place, self.known, self.depth, self.loops, self.inner = suite, None, 1, 0, self.inner + 1
        try:
            yield suite
        finally:
            self.place, self.known = around, None
            self.depth, self.loops, self.inner = state

    # ----- trials -----

    def trial(self, probe: Suite | None) -> Trial:
        return run(self.source(probe), tuple(self.calls), tuple(self.outside))

    @property
    def scope(self) -> Scope:
        if self.known is None:
            trial = self.trial(self.place)
            if trial.errors != self.errors:
                raise Refuted(f"raises {trial.errors}")
            self.known = trial.scope or self.fallback
        return self.known

    def attempt(self, production: Callable[[Author], None], name: str) -> bool:
        """Write it, keep it if all calls run as they did before."""
        place, known = self.place, self.known
        lengths = len(place.body), len(self.top.body), len(self.noted), len(self.outside), len(self.callables)
        kept = list(self.calls), self.stateful, self.errors, self.may_raise, self.fallback
        state = self.depth, self.loops, self.inner
        try:
            production(self)
            if len(self.source()) > self.longest:
                raise Refuted("a long program")
            self._try()
        except (Impossible, Refuted):
            self.place, self.known = place, known
            self.depth, self.loops, self.inner = state
            body, top, noted, outside, functions = lengths
            del place.body[body:], self.top.body[top:], self.noted[noted:]
            del self.outside[outside:], self.callables[functions:]
            self.calls, self.stateful, self.errors, self.may_raise, self.fallback = kept
            return False
        self.noted.append(name)
        return True

    def _try(self) -> None:
        """Run the program; a statement may raise in some of the calls, once, where that is allowed."""
        trial = self.trial(self.place)
        if trial.errors != self.errors:
            more = [new for new, old in zip(trial.errors, self.errors, strict=True) if new != old]
            kept = all(new == old for new, old in zip(trial.errors, self.errors, strict=True) if old)
            if not (self.may_raise and kept and len(more) < len(self.calls)):
                raise Refuted(f"raises {trial.errors}")
            self.errors, self.may_raise = trial.errors, False
        self.known = trial.scope or self.fallback

    def statements(self, most: int = 2) -> None:
        """Random statements at the place."""
        for _ in range(self.random.randint(1, most)):
            for _ in range(4):
                ways = [way for way in self.table if self.depth < 3 or way[0] in self.simple]
                name, _, production = self.random.choices(ways, [weight for _, weight, _ in ways])[0]
                if self.attempt(production, name):
                    break

    simple: frozenset[str] = frozenset()

    # ----- drawing -----

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        if not items:
            raise Impossible
        return items[self.random.randrange(len(items))]

    def number(self, low: float = -1.5, high: float = 1.5) -> str:
        value = round(self.random.uniform(low, high), 2)
        return repr(value + 0.003 if value == round(value) else value)

    def fresh(self, stems: str) -> str:
        """A new name, of the first letters or words that are free."""
        words = stems.split()
        for number in range(100):
            for stem in self.random.sample(words, len(words)):
                name = f"{stem}{number or ''}"
                if name not in self.used:
                    self.used.add(name)
                    return name
        raise Impossible

    # ----- what is there -----

    def names(self, *kinds: str) -> list[str]:
        return [seen.name for seen in self.scope.of(*kinds)]

    def name(self, *kinds: str) -> str:
        """One of these, the latest with preference."""
        found = self.names(*kinds)
        return self.pick(found[-4:] if self.chance(0.6) else found)

    def array(self, rank: int | None = None, least: int = 0, writeable: bool = False) -> Seen:
        found = [
            seen
            for seen in self.scope.of("array")
            if (seen.rank == rank if rank is not None else seen.rank is not None and seen.rank > 0)
            and all(k[2] == "f" for k in seen.kinds)
            and seen.smallest >= least
            and (not writeable or seen.writeable)
        ]
        return self.pick(found[-4:] if self.chance(0.6) else found)

    def list(self, least: int = 1, of: tuple[str, ...] = ("float", "array", "int")) -> Seen:
        found = [
            seen
            for seen in self.scope.of("list")
            if seen.smallest >= least and all(k[0] in of for kinds in seen.kinds for k in kinds[2])
        ]
        return self.pick(found)

    def like(self, form: object) -> list[Seen]:
        return [s for s in self.scope.of("array") if s.form == form and all(k[2] == "f" for k in s.kinds)]

    # ----- expressions -----

    def expression(self, table: str, *args: object) -> str:
        ways = self.forms[table]
        for _ in range(8):
            name, _, form = self.random.choices(ways, [weight for _, weight, _ in ways])[0]
            noted = len(self.noted)
            try:
                text = form(self, *args)
            except Impossible:
                del self.noted[noted:]
                continue
            self.noted.append(name)
            return text
        raise Impossible

    def float(self, depth: int = 2) -> str:
        """A number that is a float."""
        if depth <= 0 or self.chance(0.25):
            return self.float_leaf()
        return self.expression("float", depth)

    def float_leaf(self) -> str:
        if self.chance(0.12):
            return self.number()
        floats = self.names("float")
        if floats and self.chance(0.6):
            return self.pick(floats[-3:] if self.chance(0.5) else floats)
        try:
            return self.element()
        except Impossible:
            return self.pick(floats) if floats else self.number()

    def element(self) -> str:
        seen = self.array(least=1)
        if seen.rank == 1:
            return f"{seen.name}[{self.index(seen.smallest)}]"
        if seen.rank == 2:
            return f"{seen.name}[{self.index(seen.smallest)}, {self.pick(['0', '-1'])}]"
        return f"np.sum({seen.name})"

    def index(self, length: int) -> str:
        """Valid for every length that was seen."""
        ints = self.names("int")
        if ints and self.chance(0.5):
            name = self.pick(ints)
            bound = (
                min((k[1] for k in self.scope.names[name].kinds), default=-1),
                max((k[1] for k in self.scope.names[name].kinds), default=99),
            )
            if -length <= bound[0] and bound[1] < length:
                return name
            if length > 1:
                return f"{name} % {length}"
        return str(self.random.randint(-length, length - 1))

    def damped(self, depth: int = 1) -> str:
        """A float between -1 and 1."""
        return self.pick(["np.sin({})", "np.tanh({})", "math.cos({})", "math.tanh({})"]).format(
            self.float(depth)
        )

    def vector(self, seen: Seen | None = None, depth: int = 2) -> str:
        """An array with the shape of one that is there."""
        seen = seen or self.array()
        if depth <= 0 or self.chance(0.2):
            return self.pick(self.like(seen.form) or [seen]).name
        return self.expression("array", seen, depth)

    def fresh_array(self, seen: Seen, depth: int = 2) -> str:
        """Like ``vector``, in memory of its own."""
        text = self.expression("array", seen, depth)
        return text if text != seen.name else f"{text}.copy()"

    def any(self, depth: int = 2) -> str:
        """A float or an array."""
        if self.chance(0.4):
            return self.float(depth)
        return self.vector(None, depth)

    def length(self, depth: int = 1) -> str:
        """An int, computed from ints."""
        if depth <= 0 or self.chance(0.2):
            return self.int_leaf()
        return self.expression("int", depth)

    def int_leaf(self) -> str:
        ints = [n for n in self.names("int") if all(0 <= k[1] < 60 for k in self.scope.names[n].kinds)]
        if ints and self.chance(0.6):
            return self.pick(ints)
        if self.chance(0.5):
            try:
                name = self.array(least=1).name
                return self.pick([f"len({name})", f"{name}.shape[0]", f"{name}.shape[-1]", f"{name}.size"])
            except Impossible:
                pass
        if ints:
            return self.pick(ints)
        return str(self.random.randint(1, 4))

    def condition(self) -> str:
        return self.expression("condition")

    def read(self, seen: Seen) -> str:
        """A float that depends on a value of any kind that has numbers."""
        name = seen.name
        if seen.all("float", "int", "bool"):
            return name
        if seen.all("array"):
            if any(k[2] not in "fiub" for k in seen.kinds):
                return f"np.sum(np.abs({name}) ** 2)"
            return self.pick(
                [
                    "np.sum(np.sin(1.0 * {}))",
                    "np.sum({0} * {0})",
                    "np.sum(np.cos(1.0 * {}) * 0.7)",
                    "np.sum({})",
                ]
            ).format(name)
        if seen.all("float", "int", "array"):
            return f"np.sum({name})"
        if seen.all("list", "tuple"):
            inner = {k[0] for kinds in seen.kinds for k in kinds[2]}
            if not inner <= {"float", "int", "array"}:
                raise Impossible
            ways = ["sum([np.sum(t) for t in {0}])"]
            if seen.smallest >= 1:
                ways += ["(np.sum({0}[0]) + np.sum({0}[-1]) * 0.5)", "np.sum({0}[-1] * 1.5)"]
            if inner <= {"float", "int"} or seen.all("list") and inner == {"array"}:
                ways += ["sum(np.sum(t * t) for t in {0})"]
            return self.pick(ways).format(name)
        if seen.all("dict"):
            keys = {tuple(key for key, _ in k[1]) for k in seen.kinds}
            if len(keys) == 1 and (names := keys.pop()):
                key = self.pick(names)
                inner = {dict(k[1])[key][0] for k in seen.kinds}
                if inner <= {"float", "int", "array"}:
                    return f"np.sum({name}[{key!r}])"
        raise Impossible
