"""Random programs of masks: what they choose is computed with, put back, changed, chosen again."""

from __future__ import annotations

import random

HEAD = "import numpy as np\n\n\ndef program(x, w, p, turns):\n    "
TESTS = (
    "{a} > {c}",
    "{a} < {c}",
    "({a} > {c}) & ({b} < {d})",
    "~({a} > {c})",
    "({a} > {c}) | ({b} > {d})",
)
CHOSEN = (
    "{a} * {b}",
    "{a} + np.sin({b})",
    "{a} / (1.0 + {b}**2)",
    "np.exp(-{a}) - {b}",
    "{a} ** 2",
    "np.sinc({a}) * {b}",
    "p * {a}",
    "{a} - p",
    "np.sqrt(1.0 + {a}**2) * {b}",
    "np.where({a} > 1.0, {b}, p)",
    "{a} * np.sum({b})",
    "{a} * ({a} @ {b})",
)


class MaskProgram:
    """``text``: a function of two arrays, a number and how often its loop turns, if it has one."""

    def __init__(self, seed: int, rank: int) -> None:
        self.draw, self.first = random.Random(seed), ", ".join("0" * rank)
        self.lines: list[str] = []
        self.whole, self.masks, self.chosen, self.count = ["x", "w"], list[str](), list[tuple[str, str]](), 0
        self.mask()
        steps = [self.mask, self.choose, self.choose, self.compute, self.compute, self.compute, self.update]
        steps += [self.put, self.put, self.fill, self.power, self.number, self.change]
        for _ in range(self.draw.randint(6, 14)):
            self.draw.choice(steps)()
        self.text = HEAD + "\n    ".join(self.finished()) + "\n"

    def new(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def size(self) -> float:
        return round(self.draw.uniform(0.3, 1.6), 2)

    def mask(self) -> None:
        test = self.draw.choice(TESTS)
        a, b = self.draw.choice(self.whole), self.draw.choice(self.whole)
        self.masks.append(self.new("m"))
        self.lines.append(f"{self.masks[-1]} = " + test.format(a=a, b=b, c=self.size(), d=self.size()))

    def choose(self) -> None:
        mask = self.draw.choice(self.masks)
        self.chosen.append((self.new("v"), mask))
        self.lines.append(f"{self.chosen[-1][0]} = {self.draw.choice(self.whole)}[{mask}]")

    def pair(self) -> tuple[str, str, str]:
        """Two vectors that a mask has chosen, and the mask."""
        if not self.chosen:
            self.choose()
        one, mask = self.draw.choice(self.chosen)
        return one, self.draw.choice([v for v, m in self.chosen if m == mask]), mask

    def compute(self) -> None:
        a, b, mask = self.pair()
        self.chosen.append((self.new("v"), mask))
        self.lines.append(f"{self.chosen[-1][0]} = " + self.draw.choice(CHOSEN).format(a=a, b=b))

    def update(self) -> None:
        a, b, _ = self.pair()
        by = self.draw.choice([b, "p", "0.5", f"np.cos({b})"])
        self.lines.append(f"{a} {self.draw.choice(['+=', '-=', '*='])} {by}")

    def put(self) -> None:
        a, _, mask = self.pair()
        into = self.new("f")
        start = self.draw.choice(["np.zeros_like(x)", "x.copy()", "w * p", "np.ones_like(x)"])
        self.lines += [f"{into} = {start}", f"{into}[{mask}] {self.draw.choice(['=', '=', '+=', '*='])} {a}"]
        self.whole.append(into)

    def fill(self) -> None:
        if (into := self.draw.choice(self.whole)) not in "xw":
            how, what = self.draw.choice(["=", "+=", "*="]), self.draw.choice(["p", "0.5", "1.5"])
            self.lines.append(f"{into}[{self.draw.choice(self.masks)}] {how} {what}")

    def power(self) -> None:
        made, limit = self.new("f"), f"{self.size():.2f}"
        self.lines.append(f"{made} = {self.draw.choice(self.whole)} * 1.0")
        power = self.draw.choice(["2", "-1.5", "0.5"])
        self.lines.append(f"{made}[{made} > {limit}] = {made}[{made} > {limit}] ** {power}")
        self.whole.append(made)

    def number(self) -> None:
        self.lines.append(f"p = p * 0.5 + 0.1 * np.sum({self.pair()[0]})")

    def change(self) -> None:
        """A mask becomes another one: what it has chosen stays."""
        mask = self.draw.choice(self.masks)
        self.lines += [f"{mask} = {mask}.copy()", f"{mask}[{self.first}] = {self.draw.random() < 0.5}"]
        self.chosen = [(v, m) for v, m in self.chosen if m != mask]

    def finished(self) -> list[str]:
        terms = [f"np.sum({v} * {self.size()})" for v, _ in self.chosen[-4:]]
        result = " + ".join(
            [*terms, *(self.draw.choice([f"np.sum({f}**2)", f"np.sum({f})"]) for f in self.whole[-4:]), "p"]
        )
        if self.draw.random() < 0.65:
            return [*self.lines, f"return {result}"]
        turn = [
            "x = x.copy()",
            *self.lines,
            f"p = p + 0.1 * ({result})",
            "x = x * 0.9 + 0.05 * p / (1 + p * p)",
        ]
        return ["for _ in range(turns):", *("    " + line for line in turn), "return p + np.sum(x)"]
