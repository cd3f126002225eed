"""Random nests of loops: arrays that are filled from what they hold, lists, early exits, complex numbers.

``Writer(seed).source()`` is a module with one function of ``x`` (n), ``y`` (m), ``z`` (n), ``a`` (n, m),
``s``, ``idx`` (n ints from -n to n - 1), ``k`` (0 to 4) and ``c`` (n, complex). Its shapes are symbols, so
that it can be called with any lengths; ``nested_calls`` does, with what Numba makes of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from .nest_forms import (
    FLOATS,
    HEAD,
    MATRICES,
    OF_MATRIX,
    OF_VECTOR,
    OF_WAVE,
    VECTORS,
    WAVES,
)


@dataclass
class Names:
    """What is there at a place of the program."""

    floats: list[str] = field(default_factory=list)
    vectors: dict[str, str] = field(default_factory=dict)  # the symbol of its length
    matrices: list[str] = field(default_factory=list)
    counters: dict[str, str] = field(default_factory=dict)  # the symbol of the length that it is less than
    lists: list[str] = field(default_factory=list)
    waves: list[str] = field(default_factory=list)  # complex vectors
    fixed: frozenset[str] = frozenset()  # arrays that must not be written

    def copy(self) -> Names:
        one = dict(self.vectors), list(self.matrices), dict(self.counters), list(self.lists)
        return Names(list(self.floats), *one, list(self.waves), self.fixed)


class Writer:
    """``writes``: whether the function may write to its arguments."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"nests/{seed}")
        self.lines: list[str] = []
        self.depth, self.nest, self.count = 1, 0, 0
        self.there = Names(["s"], {"x": "n", "y": "m", "z": "n"}, ["a"])
        self.writes = self.random.random() < 0.3
        self.there.fixed = frozenset(() if self.writes else "xyzac")
        self.there.waves += ["c"] if self.random.random() < 0.4 else []

    # ----- the text -----

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    @contextmanager
    def suite(self, header: str, loop: bool = False) -> Iterator[None]:
        """A block; names that come up in it are not known behind it."""
        around = self.there
        self.line(header)
        self.there = around.copy()
        self.depth, self.nest = self.depth + 1, self.nest + loop
        yield
        self.depth, self.nest, self.there = self.depth - 1, self.nest - loop, around

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def of(self, table: Any) -> str:
        texts, weights = zip(*table, strict=True)
        return str(self.random.choices(texts, weights)[0])

    # ----- what is there -----

    def vector(self, length: str | None = None, written: bool = False) -> str:
        there = [v for v, symbol in self.there.vectors.items() if length in (None, symbol)]
        there = [v for v in there if not (written and v in self.there.fixed)]
        if not there:
            name, symbol = self.fresh("v"), length or "n"
            self.made(name, symbol)
            return name
        return self.random.choice(there[-3:] if self.chance(0.6) else there)

    def made(self, name: str, symbol: str) -> None:
        """A new vector, outside of expressions: before the line that asks for one."""
        self.line(f"{name} = np.zeros({symbol})")
        self.there.vectors[name] = symbol

    def matrix(self, written: bool = False) -> str:
        there = [a for a in self.there.matrices if not (written and a in self.there.fixed)]
        if not there:
            there = [self.fresh("m")]
            self.line(f"{there[0]} = a * 0.7")
            self.there.matrices.append(there[0])
        return self.random.choice(there)

    def index(self, length: str) -> str:
        """A place of an axis with this length, if the axis has any."""
        near = [c for c, symbol in self.there.counters.items() if symbol == length]
        pick = self.random.choice
        if near and self.chance(0.8):
            i = pick(near)
            ways = ["{i}"] * 5 + [
                "{i} - 1",
                "-1 - {i}",
                "{l} - 1 - {i}",
                "({i} + 2) % {l}",
                "({i} + k) % {l}",
            ]
            ways += ["min({i} + 1, {l} - 1)", "max({i} - 1, 0)", "{i} // 2"] + ["idx[{i}]"] * 2 * (
                length == "n"
            )
            return pick(ways).format(i=i, l=length)
        if self.there.counters and self.chance(0.5):
            return f"{pick(list(self.there.counters))} % {length}"
        return pick(["0", "-1", f"k % {length}"])

    def element(self) -> str:
        if self.chance(0.5):
            return f"{self.matrix()}[{self.index('n')}, {self.index('m')}]"
        v = self.vector()
        return f"{v}[{self.index(self.there.vectors[v])}]"

    # ----- expressions -----

    def float(self, depth: int = 2) -> str:
        if depth <= 0 or self.chance(0.2):
            if self.chance(0.15):
                return repr(round(self.random.uniform(-1.5, 1.5), 2) + 0.003)
            if self.there.counters and self.chance(0.1):
                return f"0.3 * {self.random.choice(list(self.there.counters))}"
            if self.there.lists and self.chance(0.2):
                c = self.random.choice(self.there.lists)
                return self.random.choice([f"({c}[-1] if {c} else 0.4)", f"sum({c})", f"(0.1 * len({c}))"])
            if self.there.waves and self.chance(0.25):
                return self.of(OF_WAVE).format(**self.two_waves())
            return self.random.choice(self.there.floats[-4:]) if self.chance(0.5) else self.element()
        if self.chance(0.16):
            return self.reduced()
        text, parts = self.of(FLOATS), [self.float(depth - 1) for _ in range(3)]
        return f"({text.format(*parts, c=self.condition())})"

    def two_waves(self) -> dict[str, str]:
        """Names and places of complex vectors, as the tables have them."""
        c, d = (self.random.choice(self.there.waves) for _ in range(2))
        return {"c": c, "d": d, "i": self.index("n"), "j": self.index("n")}

    def reduced(self) -> str:
        if self.chance(0.6):
            v = self.vector()
            symbol = self.there.vectors[v]
            u, i = self.vector(symbol), self.index(symbol)
            return self.of(OF_VECTOR).format(v=v, u=u, i=i, f=self.float(0))
        one, two = self.matrix(), self.matrix()
        return self.of(OF_MATRIX).format(
            a=one, b=two, v=self.vector("n"), w=self.vector("m"), i=self.index("n"), j=self.index("m")
        )

    def condition(self) -> str:
        pick = self.random.choice
        if self.there.counters and self.chance(0.4):
            i = pick(list(self.there.counters))
            other = pick(["1", "2", "k" if self.chance(0.3) else "2"])
            return f"{i} {pick(['>', '<', '==', '!=', '%'])} {other}"
        return f"{self.float(0)} {pick(['>', '<'])} {self.float(0)}"

    def array(self, symbol: str) -> str:
        v, u, f = self.vector(symbol), self.vector(symbol), self.float(1)
        if self.chance(0.25):
            return (
                f"{self.matrix()}[{self.index('n')}]"
                if symbol == "m"
                else f"{self.matrix()}[:, {self.index('m')}]"
            )
        return self.of(VECTORS).format(v=v, u=u, f=f)

    def table(self) -> str:
        a, b, v, w = self.matrix(), self.matrix(), self.vector("n"), self.vector("m")
        return self.of(MATRICES).format(a=a, b=b, v=v, w=w, f=self.float(1))

    # ----- statements -----

    def statement(self) -> None:
        kind = self.random.random()
        if kind < 0.14:
            self.assign_float()
        elif kind < 0.22 and self.there.waves:
            self.store_wave()
        elif kind < 0.40:
            self.store()
        elif kind < 0.47:
            self.assign_matrix() if self.chance(0.35) else self.assign_vector()
        elif kind < 0.53:
            self.lists()
        elif kind < 0.66 and self.depth < 5:
            self.branch()
        elif kind < (0.90 if self.nest < 2 else 0.70) and self.nest < 3 and self.depth < 5:
            self.loop()
        elif kind < 0.93 and self.nest < 2 and self.depth < 4:
            self.search()
        elif kind < 0.96:
            self.swap()
        else:
            self.line(f"{self.random.choice(self.targets())} = {self.float(2)}")

    def targets(self) -> list[str]:
        return [t for t in self.there.floats if t != "s"] or [self.start("t")]

    def start(self, stem: str) -> str:
        name = self.fresh(stem)
        self.line(f"{name} = {self.random.choice(['0.0', '1.0', '0.5 * s'])}")
        self.there.floats.append(name)
        return name

    def assign_float(self) -> None:
        text = self.float(3)
        if self.chance(0.5):
            name = self.fresh("t")
            self.line(f"{name} = {text}")
            self.there.floats.append(name)
        else:
            name = self.random.choice(self.targets())
            self.line(f"{name} = 0.6 * {name} + np.sin({text})")

    def store(self) -> None:
        op, pick = self.random.choice(["=", "=", "+=", "-=", "*="]), self.random.choice
        f = f"np.sin({self.float(2)})" if self.chance(0.7) else f"0.5 * {self.float(1)}"
        if self.chance(0.5):
            v = self.vector(written=True)
            symbol = self.there.vectors[v]
            i, u = self.index(symbol), self.vector(symbol)
            ways = ["{v}[{i}] {o} {f}"] * 6 + ["{v}[{i}:] {o} {f}", "{v}[:{i}] {o} {u}[:{i}]", "{v}[:] = {u}"]
            ways += ["{v}[1:] {o} 0.5 * {u}[:-1]", "{v}[::2] {o} {f}", "{v}[{v} > 0.8] = {f}", "{v} *= {f}"]
            ways += ["{v}[::-1] = {u}.copy()", "np.add.at({v}, idx, 0.5 * z)"] if symbol == "n" else []
            ways += ["t_fill = fill({v}, {f})"] if v not in self.there.fixed else []
            self.line(pick(ways).format(v=v, i=i, u=u, f=f, o=op))
        else:
            a, i, j = self.matrix(written=True), self.index("n"), self.index("m")
            v, w = self.vector("n"), self.vector("m")
            ways = ["{a}[{i}, {j}] {o} {f}"] * 6 + [
                "{a}[{i}] {o} {w}",
                "{a}[:, {j}] {o} {v}",
                "{a}[{i}][{j}] {o} {f}",
            ]
            ways += [
                "{a}[{i}, :{j}] {o} {f}",
                "{a}[1:, {j}] {o} {v}[:-1]",
                "{a}.T[{j}] {o} {f}",
                "{a} += {f}",
            ]
            ways += ["{a}[idx, {j}] = {v} * {f}", "{a}[{i}] = {a}[{i} - 1] * 0.5 + {w}"]
            self.line(pick(ways).format(a=a, i=i, j=j, v=v, w=w, f=f, o=op))

    def store_wave(self) -> None:
        free = [c for c in self.there.waves if c not in self.there.fixed]
        if not free or self.nest == 0 and self.chance(0.3):
            name, ways = (
                self.fresh("w"),
                ["c.copy()", "np.zeros(n, c.dtype)", "c * np.exp(1j * x)", "np.conj(c)[::-1]"],
            )
            self.line(f"{name} = {self.random.choice(ways)}")
            self.there.waves.append(name)
            free = [name]
        target, i, op = self.random.choice(free), self.index("n"), self.random.choice(["=", "+=", "-=", "*="])
        text = self.of(WAVES).format(**self.two_waves(), f=self.float(1))
        ways = ["{t}[{i}] {o} {e}"] * 5 + [
            "{t} *= {e}",
            "{t}[{i}:] {o} {e}",
            "{t}.real[{i}] = {f}",
            "{t}[{i}].real",
        ]
        self.line(self.random.choice(ways).format(t=target, i=i, o=op, e=text, f=self.float(0)))

    def assign_matrix(self) -> None:
        name, text = self.fresh("m"), self.table()
        ways = [text, text, "np.zeros((n, m))", "np.zeros_like({0})", "{0}.copy()"]
        ways += ["np.empty((n, m))\n{n}[:] = {f}", "np.zeros((m, n)).T", "np.full((n, m), {f}, order='F')"]
        self.there_is(name, ways, self.matrix())
        self.there.matrices.append(name)

    def assign_vector(self) -> None:
        symbol = self.random.choice("nm")
        name, text = self.fresh("v"), self.array(symbol)
        ways = [text, text, "np.zeros({l})", "np.zeros_like({0})", "{0}.copy()", "np.full({l}, {f})"]
        self.there_is(name, [w.replace("{l}", symbol) for w in ways], self.vector(symbol))
        self.there.vectors[name] = symbol

    def there_is(self, name: str, ways: list[str], other: str) -> None:
        text, f = self.random.choice(ways), self.float(0)
        text = text.replace("{0}", other).replace("{n}", name).replace("{f}", f)
        for part in f"{name} = {text}".split("\n"):
            self.line(part)

    def lists(self) -> None:
        if not self.there.lists or self.nest == 0 and self.chance(0.3):
            name = self.fresh("c")
            self.line(f"{name} = {self.random.choice(['[]', '[]', '[0.5, s]', '[s] * k'])}")
            self.there.lists.append(name)
        c, f = self.random.choice(self.there.lists), self.float(1)
        ways = ["{c}.append({f})"] * 4 + ["{c} += [{f}, 0.2]", "{c}[-1:] = [{f}]"]
        self.line(self.random.choice(ways).format(c=c, f=f))
        if self.chance(0.3):
            with self.suite(f"if len({c}) > {self.random.randint(1, 3)}:"):
                ways = [
                    "{t} = {c}.pop()",
                    "{t} = {c}.pop(0)",
                    "{c}[0] = {f}",
                    "{c}[-1] *= 0.5",
                    "{t} = {c}[1]",
                ]
                self.line(self.random.choice(ways).format(c=c, f=f, t=self.random.choice(self.targets())))

    def branch(self) -> None:
        with self.suite(f"if {self.condition()}:"):
            self.statements(1, 2)
        if self.chance(0.5):
            with self.suite("else:"):
                self.statements(1, 2)

    def loop(self) -> None:
        self.targets()
        symbol, i, pick = self.random.choice("nnm"), self.fresh("i"), self.random.choice
        ways = [f"range({symbol})"] * 5 + [
            f"range(1, {symbol})",
            f"range({symbol} - 1)",
            f"range({symbol} - 1, -1, -1)",
        ]
        ways += [f"range(0, {symbol}, 2)", f"range(min(k, {symbol}))", f"range({symbol} - 2, 0, -1)"]
        inner = [c for c, of in self.there.counters.items() if of == symbol]
        ways += [f"range({c})" for c in inner] + [f"range({c}, {symbol})" for c in inner]
        header, extra = f"for {i} in {pick(ways)}:", None
        if self.chance(0.12):
            v, extra = self.vector(symbol), self.fresh("e")
            header = f"for {i}, {extra} in enumerate({v}):"
        with self.suite(header, loop=True):
            self.there.counters[i] = symbol
            self.there.floats += [extra] if extra else []
            self.statements(1, 3 if self.nest < 2 else 2)
            if self.chance(0.25):
                self.leave()
                self.statements(1, 1)

    def leave(self) -> None:
        with self.suite(f"if {self.condition()}:"):
            if self.chance(0.5):
                self.statements(1, 1)
            out = (
                f"return {self.float(1)}" if self.chance(0.15) else self.random.choice(["break", "continue"])
            )
            self.line(out)

    def search(self) -> None:
        """A loop until something is small enough, or a number of turns are done."""
        p, t = self.fresh("p"), self.random.choice(self.targets())
        self.line(f"{p} = 0")
        bound = self.random.choice(["n", "m", "k"])
        more = self.random.choice(["", f" and {t} < 1.5", f" and abs({t}) > 0.05"])
        with self.suite(f"while {p} < {bound}{more}:", loop=True):
            first = self.chance(0.5)
            if first:
                self.line(f"{p} += 1")
            else:
                self.there.counters[p] = bound if bound != "k" else "k"
                self.there.counters.pop(p) if bound == "k" else None
            self.line(f"{t} = 0.7 * {t} + 0.4 * np.cos({self.float(1)})")
            self.statements(1, 2)
            if first and self.chance(0.4):
                self.leave()
            if not first:
                self.line(f"{p} += 1")

    def swap(self) -> None:
        """Two buffers change their names."""
        vectors = [(v, symbol) for v, symbol in self.there.vectors.items() if v not in self.there.fixed]
        pairs = [(v, u) for v, one in vectors for u, two in vectors if v < u and one == two]
        free = [a for a in self.there.matrices if a not in self.there.fixed]
        pairs += [(a, b) for a in free for b in free if a < b]
        if pairs:
            one, two = self.random.choice(pairs)
            self.line(f"{one}, {two} = {two}, {one}")
        else:
            self.store()

    def statements(self, least: int, most: int) -> None:
        for _ in range(self.random.randint(least, most)):
            self.statement()

    def source(self) -> str:
        self.line("n, m = a.shape")
        self.start("t")
        for name in self.random.sample(["v", "v", "m", "m", "c"], self.random.randint(2, 4)):
            if name == "c":
                self.lists()
            elif name == "m":
                self.assign_matrix()
            else:
                self.assign_vector()
        long = self.chance(0.25)
        self.statements(0, 2 if long else 1)
        self.loop()
        self.statements(0, 2 if long else 1)
        terms = [f"{0.3 + 0.2 * k:.1f} * {t}" for k, t in enumerate(self.there.floats)]
        terms += [
            f"np.sum({v} * {v} * {0.4 + 0.1 * k:.1f})"
            for k, v in enumerate(self.there.vectors)
            if v not in "xyz"
        ]
        terms += [f"np.sum(np.sin({a}))" for a in self.there.matrices if a != "a"]
        terms += [f"sum({c})" for c in self.there.lists]
        terms += [f"np.sum(np.abs({c}) ** 2) * 0.3 + np.sum(np.sin({c}.imag))" for c in self.there.waves]
        self.line(f"return {' + '.join(terms)}")
        return f"{HEAD}\ndef f(x, y, z, a, s, idx, k, c):\n" + "\n".join(self.lines) + "\n"
