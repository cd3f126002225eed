"""Random whole programs, made of idioms: several in one function, some within a loop, a helper or a class.

``python -m tests.programs.whole 0 500 numpy`` prints every program that goes wrong. An idiom is a text with
holes (``idioms/idiom.py``): one more is one more entry in ``idioms``.
"""

from __future__ import annotations

import collections
import copy
import os
import pathlib
import random
import sys
import tempfile
import textwrap
import warnings
from dataclasses import dataclass, field

import numpy as np

from .case import Call, Case
from .check import Outcome
from .differential import Settings, check
from .idioms import IDIOMS, Idiom
from .idioms.idiom import fill
from .probe import Refuted, run

HEAD = """\
import abc
import collections
import contextlib
import copy
import dataclasses
import functools
import itertools
import math
import operator
import typing

import numpy as np
"""
KEEP_STATE = "global ", "cache={}", "AVG_", "count += 1"  # programs of which a call changes the next one
TOLD = "nan", "alarm", "wrong", "crashed"
SMOOTH = ("np.sum({})", "np.sum(np.sin({}))", "np.sum({0} * {0})", "np.sum(np.cos({} * 0.7))")


@dataclass
class Author:
    """A program as far as it is written."""

    rng: random.Random
    top: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    names: dict[str, list[str]] = field(
        default_factory=lambda: {"v": ["x", "y"], "m": ["a"], "s": ["s"], "k": ["k"], "j": ["j"], "b": ["b"]}
    )
    sums: list[str] = field(default_factory=list)
    number: int = 0

    def idiom(self) -> None:
        """One more idiom: as it is, or within something."""
        self.write(IDIOMS[self.rng.choice(list(IDIOMS))])

    def write(self, idiom: Idiom) -> None:
        self.number += 1
        filled = fill(idiom, self.rng, self.names, self.number)
        if filled.top:
            self.top.append(filled.top)
        wrap = self.rng.choice(
            [as_it_is, as_it_is, as_it_is, looped, helped, in_a_method, guarded, yielded, branched]
        )
        names = [f"r{self.number}_{i}" for i in range(len(filled.gives))]
        results = f"{', '.join(text for _, text in filled.gives)}"
        self.body.append(wrap(self, filled.body, names, results))
        for (kind, _), name in zip(filled.gives, names, strict=True):
            if kind in self.names and self.rng.random() < 0.7:
                self.names[kind].append(name)
            self.sums.append(name)

    def text(self) -> str:
        terms = [
            f"{round(self.rng.uniform(0.2, 1.5), 2)} * " + self.rng.choice(SMOOTH).format(n)
            for n in self.sums
        ]
        terms += ["0.3 * np.sum(x * y)", "0.7 * s"]
        total = "\n    + ".join(terms)
        body = "\n".join([*self.body, f"return (\n    {total}\n)"])
        function = f"def f(x, y, a, s, k, j, b):\n{textwrap.indent(body, '    ')}\n"
        return "\n\n".join([HEAD, *self.top, function])


def as_it_is(a: Author, body: str, names: list[str], results: str) -> str:
    return f"{body}\n{', '.join(names)} = {results}"


def looped(a: Author, body: str, names: list[str], results: str) -> str:
    times = a.rng.choice(["2", "1 + k % 3", "min(len(x), 2)"])
    return f"for t{a.number} in range({times}):\n" + textwrap.indent(
        as_it_is(a, body, names, results), "    "
    )


def helped(a: Author, body: str, names: list[str], results: str) -> str:
    """In an inner function that gets what it reads by closure."""
    ways = [
        f"part{a.number}()",
        f"[part{a.number}() for _ in range(2)][-1]",
        f"(part{a.number}(), part{a.number}())[0]",
    ]
    inner = textwrap.indent(f"{body}\nreturn {results},", "    ")
    return f"\n\ndef part{a.number}():\n{inner}\n\n\n{', '.join(names)}, = {a.rng.choice(ways)}"


def in_a_method(a: Author, body: str, names: list[str], results: str) -> str:
    inner = textwrap.indent(f"{body}\nself.kept = {results},\nself.times += 1\nreturn self", "        ")
    return (
        f"\n\nclass Part{a.number}:\n    times = 0\n\n    def run(self):\n{inner}\n\n\n"
        f"{', '.join(names)}, = Part{a.number}().run().kept"
    )


def guarded(a: Author, body: str, names: list[str], results: str) -> str:
    inner = textwrap.indent(as_it_is(a, body, names, results), "    ")
    other = " = ".join([*names, "s * 2.0"])
    ways = [
        f"except IndexError:\n    {other}",
        "finally:\n    s = s * 1.01",
        f"except Exception:\n    {other}\nelse:\n    s = s + 0.01",
    ]
    return f"try:\n{inner}\n{a.rng.choice(ways)}"


def yielded(a: Author, body: str, names: list[str], results: str) -> str:
    inner = textwrap.indent(f"{body}\nyield {results},", "    ")
    ways = [
        f"for {', '.join(names)}, in part{a.number}():\n    s = s * 0.9",
        f"{', '.join(names)}, = next(part{a.number}())",
        f"[({', '.join(names)},)] = part{a.number}()",
    ]
    return f"\n\ndef part{a.number}():\n{inner}\n\n\n{a.rng.choice(ways)}"


def branched(a: Author, body: str, names: list[str], results: str) -> str:
    condition = a.rng.choice(["s > 0", "k % 2", "b[0]", "x[0] > y[0]", "len(x) > 4", "k > 1 and s > -0.5"])
    inner = textwrap.indent(as_it_is(a, body, names, results), "    ")
    return f"if {condition}:\n{inner}\nelse:\n    {' = '.join([*names, 's * 0.5'])}"


def calls(rng: random.Random) -> tuple[Call, ...]:
    """Three calls with other lengths and numbers, sometimes of another dtype."""
    numbers = np.random.default_rng(rng.randrange(10**6))
    made = []
    for number in range(3):
        n = rng.choice([3, 4, 5, 5, 6, 2] if number else [4, 5, 5, 3])
        rows = rng.choice([2, 3, 3, 4])
        x, y = numbers.uniform(-1.5, 1.5, (2, n))
        a = numbers.uniform(-1.5, 1.5, (rows, n))
        if number == 2 and rng.random() < 0.3:
            x = x.astype(np.float32)
        if number == 2 and rng.random() < 0.3:
            a = np.asfortranarray(a)
        s = float(numbers.uniform(-1.5, 1.5))
        j, b = numbers.integers(-n, n, n), numbers.uniform(size=n) > 0.5
        made.append(Call((x, y, a, s, rng.randrange(5), j, b)))
    return tuple(made)


def make(seed: int) -> Case | None:
    """A program that runs in its first call, and in another one; None where no idiom does."""
    rng = random.Random(seed)
    given, author = calls(rng), Author(rng)
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3])):
        before = copy.deepcopy((author.top, author.body, author.names, author.sums))
        author.idiom()
        if not runs(author.text(), given):
            author.top, author.body, author.names, author.sums = before
    if not author.body:
        return None
    text = author.text()
    return Case(text, given, (0, 1, 2, 3), stateful=any(mark in text for mark in KEEP_STATE))


def runs(text: str, given: tuple[Call, ...]) -> bool:
    try:
        errors = run(text, given).errors
    except Refuted:
        return False
    return errors[0] == "" and errors.count("") > 1


def verdict(seed: int, folder: pathlib.Path, backend: str = "numpy", second: bool = False) -> Outcome:
    """What ``differential.check`` says of a program; 'right' where there is none."""
    case = make(seed)
    if case is None:
        return Outcome("right", "no program")
    return check(case, folder, Settings(backend, second, single="float32" in case.source))


def main() -> None:
    os.environ.setdefault("AST_AD_CHECK", "0")
    warnings.simplefilter("ignore")
    first, last = (int(arg) for arg in sys.argv[1:3])
    counts: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            found = verdict(seed, pathlib.Path(folder), *sys.argv[3:4], second=seed % 5 == 0)
            counts[found.kind] += 1
            if found.kind in TOLD:
                case = make(seed)
                print(f"# seed {seed} {found.kind}: {found.why}\n{case.script() if case else ''}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
