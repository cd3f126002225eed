"""What does a random case look like? ``make(seed)`` writes one: a program and three calls of it.

The later calls differ from the first in lengths, ints, flags, dtypes, values, or in what the program reads
from outside. A program uses a random third of the productions, so that each meets others in small company.
"""

from __future__ import annotations

import ast
import random
from typing import Any

import numpy as np

from .author import Author, Impossible
from .case import Call, Case, leaves, replaced
from .probe import Refuted
from .productions import FORMS, PRODUCTIONS

LARGEST_VALUE = 1e4
LATER = 2  # calls after the first


def single(value: Any) -> Any:
    arrays = (v.astype(np.float32) if isinstance(v, np.ndarray) else v for v in leaves(value))
    return replaced(value, arrays)


class Arguments:
    """The parameters of ``f`` and their values in each call."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.numbers = np.random.default_rng(source.randrange(2**32))
        self.names: list[str] = []
        self.wrt: list[int] = []
        self.values: list[list[Any]] = [[] for _ in range(1 + LATER)]
        self.defaults: dict[str, str] = {}
        length = source.randint(3, 5)
        varied = source.random() < 0.5
        self.lengths = [length, *(source.randint(2, 6) if varied else length for _ in range(LATER))]
        self.columns = [source.randint(2, 3)] * (1 + LATER)
        if source.random() < 0.25:
            self.columns = [source.randint(2, 4) for _ in self.columns]

    def array(self, *shape: int) -> np.ndarray:
        return np.round(self.numbers.normal(size=shape), 2) + 0.003

    def float(self) -> float:
        return round(float(self.numbers.normal()), 2) + 0.003

    def add(self, name: str, values: list[Any], wrt: bool = True) -> None:
        if wrt:
            self.wrt.append(len(self.names))
        self.names.append(name)
        for call, value in zip(self.values, values, strict=True):
            call.append(value)

    def draw(self) -> None:
        source, pick = self.random, self.random.choice
        self.add("x", [self.array(n) for n in self.lengths])
        if source.random() < 0.45:
            rows = pick([self.lengths, [source.randint(2, 3)] * (1 + LATER)])
            self.add("y", [self.array(n, m) for n, m in zip(rows, self.columns, strict=True)])
        if source.random() < 0.8:
            self.add("s", [self.float() for _ in self.lengths])
        if source.random() < 0.25:
            self.add("z", [self.array(n) for n in self.lengths])
        if source.random() < 0.25:
            self.add("p", self._container(pick(["arrays", "floats", "dict", "tuple"])))
        if source.random() < 0.75:
            n = source.randint(1, 4)
            self.add("n", [n, *(source.choice([n, source.randint(0, 7)]) for _ in range(LATER))], wrt=False)
        if source.random() < 0.2:
            self.add("flag", [pick([True, False]) for _ in self.lengths], wrt=False)
        if source.random() < 0.3:
            self.add("mode", [pick(["sin", "cos", "tanh"]) for _ in self.lengths], wrt=False)
        if source.random() < 0.12:
            self.add(
                "idx", [np.array([source.randrange(min(self.lengths)) for _ in range(3)])] * 3, wrt=False
            )
        if source.random() < 0.15:  # an array of other dtypes, not differentiated
            kinds = [float, pick([float, np.float32, int]), pick([int, float])]
            self.add(
                "k", [(self.array(n) * 3).astype(t) for n, t in zip(self.lengths, kinds, strict=True)], False
            )

        if source.random() < 0.12:  # the last call in single precision
            self.values[-1] = [single(v) if i in self.wrt else v for i, v in enumerate(self.values[-1])]

    def _container(self, kind: str) -> list[Any]:
        m = self.random.randint(2, 3)
        if kind == "arrays":
            return [[self.array(n) for _ in range(m)] for n in self.lengths]
        if kind == "floats":
            counts = [m, m, self.random.choice([m, m + 1])]
            return [[self.float() for _ in range(c)] for c in counts]
        if kind == "dict":
            return [{"w": self.array(n), "b": self.float()} for n in self.lengths]
        return [(self.array(n), self.float()) for n in self.lengths]

    def calls(self) -> tuple[str, list[Call]]:
        """The header of ``f``, and its calls; some parameters have defaults or are given by keyword."""
        keywords = [n for n in self.names if n in ("n", "flag", "mode") and self.random.random() < 0.3]
        shown = [n for n in self.names if n not in keywords]
        header = f"def f({', '.join(shown)}{', *' if keywords else ''}"
        for name in keywords:
            default = self.values[0][self.names.index(name)]
            header += f", {name}={default!r}"
        calls = []
        for values in self.values:
            given = dict(zip(self.names, values, strict=True))
            kwargs = tuple((n, given[n]) for n in keywords)
            calls.append(Call(tuple(given[n] for n in shown), kwargs))
        return header + "):", calls


def write(source: random.Random, short: bool = False) -> Case | None:
    """One candidate; None if it came to nothing."""
    arguments = Arguments(source)
    arguments.draw()
    header, calls = arguments.calls()
    author = Author(source, calls, header)
    author.used |= {"f", "np", "math", "functools", *arguments.names}
    author.may_raise = source.random() < 0.08
    names = [n for n in PRODUCTIONS if source.random() < 0.3]
    basic = ["assign_float", "assign_array", "augment", "store"]
    author.table = [(n, PRODUCTIONS[n].weight, PRODUCTIONS[n].write) for n in dict.fromkeys([*names, *basic])]
    author.simple = frozenset(n for n, p in PRODUCTIONS.items() if p.simple)
    for form in FORMS.values():
        author.forms.setdefault(form.table, []).append((form.name, form.weight, form.write))
    try:
        if "n" not in arguments.names and source.random() < 0.6:
            author.line("n = len(x)")
        for _ in range(source.randint(1, 2) if short else source.randint(4, 7)):
            author.statements(1)
        author.line(f"return {_result(author)}")
        trial = author.trial(None)
    except (Refuted, Impossible):
        return None
    if trial.errors != author.errors or not all(map(_sound, trial.values)):
        return None
    text = author.source()
    return Case(
        ast.unparse(ast.parse(text)) + "\n",
        tuple(author.calls),
        tuple(arguments.wrt),
        author.stateful,
        frozenset(author.noted),
    )


def _result(author: Author) -> str:
    """Reads most of the variables, so that few errors go unseen."""
    terms = []
    for seen in author.scope.names.values():
        if seen.name not in author.outside and author.chance(0.85):
            try:
                terms.append(f"{author.number(0.2, 1.5)} * {author.read(seen)}")
            except Impossible:
                continue
    return " + ".join(terms) or "np.sum(x)"


def _sound(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, bool) or not np.isscalar(value) and np.ndim(value) or np.iscomplexobj(value):
        return False
    return isinstance(value, float | np.floating) and bool(np.isfinite(value) and abs(value) < LARGEST_VALUE)


def make(seed: int, short: bool = False) -> Case:
    """The case of this seed, the same at every run; ``short``: of one or two statements.

    >>> "def f(x" in make(1).source
    True
    """
    with np.errstate(all="ignore"):
        for attempt in range(100):
            case = write(random.Random(f"{seed}/{attempt}{'/short' * short}"), short)
            if case is not None:
                return case
    raise AssertionError(f"no program for seed {seed}")
