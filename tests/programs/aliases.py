"""Programs of which array is which: names, windows, lists, objects and dicts that share arrays, in loops.

``python -m tests.programs.aliases 0 2000`` compiles the programs of 2,000 seeds and compares the value with
the plain function's and the gradient with differences, for four numbers of turns. A program is short and each
of its statements gives an array another name or writes to it: most would show a write that is not seen.
"""

from __future__ import annotations

import argparse
import collections
import os
import pathlib
import random
import sys
import tempfile
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .case import Call, Case, load, unload

NAMES = "abcd"
X = np.array([0.7, -0.3, 1.1])
TURNS = 2, 0, 1, 3
FRESH = "x * 1.5", "np.sin(x)", "x.copy()", "{0} * 0.8", "x + 1.0"
WRITES = "{0} *= 1.5", "{0} += x", "{0}[0] = x[1] * 3.0", "{0}[1:] -= 0.5"
HOLDERS = (
    "box = [{0}]",
    "box = [{0}, {1}]",
    "box.append({0})",
    "{0} = box[-1]",
    "held.v = {0}",
    "{0} = held.v",
    "table['k'] = {0}",
    "{0} = table['k']",
)
START = "t = 0.0", "box = [x * 3.0]", "held = Held()", "held.v = x * 4.0", "table = {'k': x * 5.0}"


class Writer:
    """Writes one function of ``x`` and ``n``."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth, self.loops = 1, 0

    def line(self, text: str) -> None:
        names = [self.random.choice(NAMES) for _ in range(2)]
        self.lines.append("    " * self.depth + text.format(*names))

    def condition(self) -> str:
        compare, pick = self.random.choice(["==", ">", "<"]), self.random.choice
        asked = [f"x[0] > {pick(['0.5', '-0.5'])}", f"n {compare} {self.random.randint(0, 3)}"]
        if self.loops:
            index = self.random.randint(1, self.loops)
            asked += [f"i{index} {compare} {self.random.randint(0, 2)}"] * 2
        return pick(asked)

    def statement(self) -> None:
        pick, kind = self.random.choice, self.random.random()
        if kind < 0.22:
            self.line("{0} = " + pick(FRESH).replace("{0}", "{1}"))
        elif kind < 0.46:
            self.line("{0} = {1}")
        elif kind < 0.54:
            self.line(pick(["{0} = {1}[:]", "{0} = {1}[::-1]"]))
        elif kind < 0.58:
            one, two = self.random.sample(NAMES, 2)
            self.line(f"{one}, {two} = {two}, {one}")
        elif kind < 0.70:
            self.line(pick(WRITES))
        elif kind < 0.74:
            self.line("t = t + np.sum({0} * x)")
        elif kind < 0.78:
            self.line(pick(HOLDERS))
        elif kind < 0.80:
            self.line("{0} = {1} if " + self.condition() + f" else {pick(NAMES)}")
        elif self.depth < 4 and kind < 0.90:
            self.branch()
        elif self.depth < 4 and self.loops < 3:
            self.loop()
        else:
            self.line("{0} = {1}")

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        self.block()
        if self.random.random() < 0.5:
            self.line("else:")
            self.block()

    def loop(self) -> None:
        self.loops += 1
        index = f"i{self.loops}"
        if self.random.random() < 0.7:
            self.line(f"for {index} in range({self.random.choice(['2', '3', 'n', 'n + 1'])}):")
            self.block(leaves=True)
            if self.random.random() < 0.15:
                self.line("else:")
                self.block()
            return
        self.line(f"{index} = 0")
        self.line(f"while {index} < {self.random.choice(['2', 'n'])}:")
        self.lines.append("    " * (self.depth + 1) + f"{index} += 1")
        self.block(leaves=True)

    def block(self, leaves: bool = False) -> None:
        self.depth += 1
        self.statements(1, 4)
        if leaves and self.random.random() < 0.35:
            self.line(f"if {self.condition()}:")
            self.depth += 1
            self.statements(0, 2)
            self.line(self.random.choice(["break", "break", "continue"]))
            self.depth -= 1
            self.statements(0, 2)
        self.depth -= 1

    def statements(self, least: int, most: int) -> None:
        for _ in range(self.random.randint(least, most)):
            self.statement()

    def source(self) -> str:
        names = self.random.sample(NAMES, 4 if self.random.random() < 0.85 else 3)
        first = ["x * 2.0", "x.copy()", "x + 0.5", "None" if self.random.random() < 0.12 else "x - 1.0"]
        for name in names:
            self.line(f"{name} = {self.random.choice(first)}")
        self.lines += ["    " + text for text in START]
        self.statements(3, 7)
        self.line(self.random.choice(["{0} *= 2.0", "{0}[0] = 7.0", "{0} += x", "pass"]))
        read = self.random.sample(NAMES, self.random.randint(1, 3))
        terms = [f"np.sum({name} * x * {0.5 + 0.3 * k:.1f})" for k, name in enumerate(read)]
        terms += self.random.choice([[], ["np.sum(box[-1] * x)"], ["np.sum(held.v * table['k'])"]])
        head = ["import numpy as np", "", "class Held:", "    pass", "", "def f(x, n):"]
        return "\n".join([*head, *self.lines, f"    return t + {' + '.join(terms)}"]) + "\n"


def make(seed: int) -> Case:
    """The program of a seed, with its calls."""
    return Case(Writer(seed).source(), tuple(Call((X, n)) for n in TURNS), (0,))


def attempt(f: Callable[..., Any], x: np.ndarray, n: int) -> Any:
    """The value, or the class of what is raised."""
    try:
        return float(f(x.copy(), n))
    except Exception as error:
        return type(error)


def slopes(f: Callable[..., Any], n: int, step: float = 1e-6) -> np.ndarray:
    ends = [(attempt(f, X + h, n), attempt(f, X - h, n)) for h in step * np.eye(len(X))]
    return np.array([(high - low) / (2 * step) for high, low in ends])


def judge(case: Case, folder: pathlib.Path) -> str:
    """'right', 'refused' (nothing was compiled), 'raises' (whatever n is), or what is wrong."""
    import ast_ad

    module = load(case.source, folder)
    try:
        if all(isinstance(attempt(module.f, X, n), type) for n in TURNS):
            return "raises"
        derivative = ast_ad.value_and_grad(module.f, argnums=0, fallback="error")
        for n in TURNS:
            expected = attempt(module.f, X, n)
            try:
                value, gradient = derivative(X.copy(), n)
            except ast_ad.AdError as error:
                return f"n = {n}: {error}" if error.code.startswith("E9") else "refused"
            except Exception as error:
                value, gradient = type(error), None
            if isinstance(expected, type) or isinstance(value, type):
                if value is not expected:
                    return f"n = {n}: {value} instead of {expected}"
            elif abs(value - expected) > 1e-12 * max(1.0, abs(expected)):
                return f"n = {n}: value {value} instead of {expected}"
            elif not np.allclose(gradient, slopes(module.f, n), rtol=1e-5, atol=1e-6):
                return f"n = {n}: gradient {gradient} instead of {slopes(module.f, n)}"
        return "right"
    finally:
        unload(module)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("first", type=int, help="the first seed")
    parser.add_argument("count", type=int, help="of programs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    os.environ["AST_AD_CHECK"] = "0"
    tally: collections.Counter[str] = collections.Counter()
    with tempfile.TemporaryDirectory() as name:
        for seed in range(options.first, options.first + options.count):
            case = make(seed)
            found = judge(case, pathlib.Path(name))
            kind = found if found in ("right", "refused", "raises") else "wrong"
            tally[kind] += 1
            if kind == "wrong":
                print(f"# seed {seed}: {found}\n{case.source}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in tally.items()))
    return int(tally["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
