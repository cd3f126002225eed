"""How is a whole random program written: its functions, loops, branches, containers and calls?"""

from __future__ import annotations

import random
from dataclasses import dataclass

from .expressions import Shape
from .statements import Statements


@dataclass(frozen=True)
class Helper:
    name: str
    params: tuple[Shape, ...]
    result: Shape
    results: int


class Writer(Statements):
    """Writes helpers and the program's function, line by line, into ``text``."""

    def __init__(self, source: random.Random) -> None:
        super().__init__(source)
        self.counters: list[str] = []  # what a `continue` must advance first; "" in a for loop
        self.helpers: list[Helper] = []
        self.result: Shape | None = None  # what a `return` gives; None: returns only at the end

    # ----- functions -----

    def function(self, params: dict[str, Shape]) -> None:
        self._open("f", params)
        self.result = ()
        self.line("n = len(x)")
        for _ in range(self.random.randint(3, 7)):
            self.statement()
        self._return_everything()
        self.level = 0

    def helper(self, shapes: list[Shape]) -> None:
        """A function with two parameters, which it may change, and one or two results."""
        name = "gh"[len(self.helpers)]
        kinds = [*shapes, (), (self.random.randint(2, 4),)]
        params, result = tuple(self.pick(kinds) for _ in range(2)), self.pick(kinds)
        results = self.random.choice([1, 1, 2])
        self._open(name, dict(zip("ab", params, strict=True)))
        for var in self.vars:
            var.shared = True  # with the caller
        self.result = result if results == 1 else None
        for _ in range(self.random.randint(0, 3)):
            self.statement()
        self.line("return " + ", ".join(self.real(result) for _ in range(results)))
        self.level = 0
        self.text += ["", ""]
        self.helpers.append(Helper(name, params, result, results))

    def _open(self, name: str, params: dict[str, Shape]) -> None:
        self.vars, self.ints, self.used = [], {}, {"n", "np", "math", "f", "g", "h"}
        self.frozen, self.written = set(), set()
        self.line(f"def {name}({', '.join(params)}):")
        self.level = 1
        for param, shape in params.items():
            self.used.add(param)
            self.declare(param, shape)

    def _return_everything(self) -> None:
        """The result reads every variable, so that no error in any of them goes unseen."""
        terms = []
        for var in self.vars:
            weight = self.number(20, 150)
            if not var.shape:
                terms.append(f"{weight} * {var.name}")
            else:
                terms.append(
                    self.pick(["np.sum(np.sin({1} * {0}))", "{1} * np.sum({0} * {0})"]).format(
                        var.name, weight
                    )
                )
        self.line("return " + " + ".join(terms))

    # ----- statements -----

    def statement(self, budget: int = 2) -> None:
        simple = [
            self.define,
            self.define,
            self.rebind,
            self.augment,
            self.view,
            self.store,
            self.store,
            self.store,
        ]
        containers = [self.container, self.container, self.unpack, self.collect, self.collect, self.closure]
        compound = [self.for_range, self.for_rows, self.while_loop, self.branch]
        ways = simple + (containers if self.nested < 2 and self.result is not None else [])
        if self.helpers and self.result is not None:
            ways += [self.call, self.call]
        if self.chance(0.02):
            ways = [self.swap]
        if self.nested < 3 and budget > 0:
            ways += compound * 2
        self.pick(ways)()

    def suite(self, most: int = 3) -> None:
        for _ in range(self.random.randint(1, most)):
            self.statement(budget=2 - self.nested)

    # ----- control flow -----

    def for_range(self) -> None:
        vectors = [var for var in self.vars if var.shape]
        count = self.random.randint(2, 4)
        index = self.fresh(self.pick(["i", "j", "k"]))
        header = self.pick([f"range({count})", f"range({count - 1}, -1, -1)", f"range(1, {count})"])
        if vectors and self.chance(0.4):
            var = self.pick(vectors)
            count = var.shape[0]
            header = self.pick([f"range(len({var.name}))", f"range({var.name}.shape[0])"])
        self.line(f"for {index} in {header}:")
        self._loop_body({index: count}, "")

    def _loop_body(
        self, ints: dict[str, int], step: str, rows: dict[str, tuple[Shape, int]] | None = None
    ) -> None:
        self.loops += 1
        self.counters.append(step)
        with self.block():
            self.ints.update(ints)
            for name, (shape, root) in (rows or {}).items():
                self.declare(name, shape, root).shared = True
            if self.chance(0.2):
                self.leave()
            self.suite()
            if self.chance(0.15):
                self.leave()
                self.statement(budget=0)
            if step:
                self.line(step)
        self.counters.pop()
        self.loops -= 1

    def leave(self) -> None:
        """``break``, ``continue`` or ``return`` under a condition."""
        self.line(f"if {self.condition()}:")
        with self.block():
            if self.chance(0.3):
                self.statement(budget=0)
            way = self.pick(["break", "continue", "continue", "return"])
            if way == "return" and self.result is not None:
                self.line(f"return {self.real(self.result)}")
            elif way == "continue":
                if self.counters[-1]:
                    self.line(self.counters[-1])
                self.line("continue")
            else:
                self.line("break")

    def for_rows(self) -> None:
        """A loop over an array's rows or elements; a row is a view."""
        arrays = [var for var in self.vars if var.shape]
        if not arrays:
            return self.for_range()
        var = self.pick(arrays)
        row = self.fresh(self.pick(["row", "r"]) if len(var.shape) == 2 else "e")
        rows = {row: (var.shape[1:], var.root if len(var.shape) == 2 else self.new_root())}
        others = [v for v in arrays if v.shape[0] == var.shape[0]]
        way = self.random.random()
        if way < 0.3:
            index = self.fresh("i")
            self.line(f"for {index}, {row} in enumerate({var.name}):")
            self._loop_body({index: var.shape[0]}, "", rows)
        elif way < 0.5:
            other = self.pick(others)
            second = self.fresh("o")
            rows[second] = (other.shape[1:], other.root if len(other.shape) == 2 else self.new_root())
            self.line(f"for {row}, {second} in zip({var.name}, {other.name}):")
            self._loop_body({}, "", rows)
        else:
            self.line(f"for {row} in {var.name}:")
            self._loop_body({}, "", rows)
        return None

    def while_loop(self) -> None:
        counter = self.fresh("k")
        count = self.random.randint(2, 5)
        self.line(f"{counter} = 0")
        also = f" and {self.leaf(())} < {self.number(50, 300)}" if self.chance(0.4) else ""
        self.line(f"while {counter} < {count}{also}:")
        self._loop_body({counter: count}, f"{counter} += 1")

    def branch(self) -> None:
        self.line(f"if {self.condition()}:")
        with self.block():
            self.suite(2)
        if self.chance(0.25):
            self.line(f"elif {self.condition()}:")
            with self.block():
                self.suite(2)
        if self.chance(0.5):
            self.line("else:")
            with self.block():
                self.suite(2)
        elif not self.loops and self.result is not None and self.chance(0.15):
            self.line(f"if {self.condition()}:")
            with self.block():
                self.line(f"return {self.real(self.result)}")

    # ----- containers and calls -----

    def container(self) -> None:
        """A tuple, list or dict of variables; its elements are further names for the same arrays."""
        members = [self.pick(self.vars) for _ in range(self.random.randint(2, 3))]
        kind = self.pick(["tuple", "list", "dict", "object"])
        name = self.fresh({"tuple": "t", "list": "l", "dict": "d", "object": "state"}[kind])
        if kind == "object":
            places = [f"{name}.{attribute}" for attribute in "uvw"[: len(members)]]
            inner = ", ".join(m.name for m in members)
            self.line(f"{name} = State({inner})")
        elif kind == "dict":
            places = [f'{name}["{key}"]' for key in "uvw"[: len(members)]]
            inner = ", ".join(f'"{key}": {m.name}' for key, m in zip("uvw", members, strict=False))
            self.line(f"{name} = {{{inner}}}")
        else:
            places = [f"{name}[{k}]" for k in range(len(members))]
            inner = ", ".join(m.name for m in members)
            self.line(f"{name} = ({inner})" if kind == "tuple" else f"{name} = [{inner}]")
        for place, member in zip(places, members, strict=True):
            var = self.declare(place, member.shape, member.root, member.contiguous)
            var.binds, var.shared = kind != "tuple", member.shared

    def closure(self) -> None:
        """A function inside the function, which reads a variable as it is when called."""
        name, outer = self.fresh("inner"), self.pick(self.vars)
        argument = self.pick(self.vars)
        read = outer.name if outer.shape in ((), argument.shape) else self.element(outer)
        body = self.pick(["{0} * np.tanh({1})", "np.sin({0} + {1})", "{0} * {0} - {1}"]).format("z", read)
        if self.chance(0.5):
            self.line(f"{name} = lambda z: {body}")
        else:
            self.line(f"def {name}(z):")
            self.line(f"    return {body}")
        if self.chance(0.5):
            self.augment()
        result = self.name_for(argument.shape)
        self.line(f"{result} = {name}({argument.name})")
        self.declare(result, argument.shape)

    def swap(self) -> None:
        """``u, v = v, u``: afterwards each name shows the other's memory."""
        plain = [v for v in self.vars if v.shape and v.binds and not self.shares(v)]
        pairs = [(u, v) for u in plain for v in plain if u is not v and u.shape == v.shape]
        if not pairs:
            return self.rebind()
        u, v = self.pick(pairs)
        self.line(f"{u.name}, {v.name} = {v.name}, {u.name}")
        u.root, v.root = v.root, u.root
        u.contiguous, v.contiguous = v.contiguous, u.contiguous
        return None

    def unpack(self) -> None:
        members = [self.pick(self.vars) for _ in range(2)]
        names = [self.name_for(m.shape) for m in members]
        self.line(f"{', '.join(names)} = {', '.join(m.name for m in members)}")
        for name, member in zip(names, members, strict=True):
            self.declare(name, member.shape, member.root, member.contiguous).shared = member.shared

    def collect(self) -> None:
        """A list that grows in a loop, and what is made of it."""
        name, index, count = self.fresh("out"), self.fresh("i"), self.random.randint(2, 4)
        shape: Shape = self.pick([(), (), *(v.shape for v in self.vars if len(v.shape) == 1)])
        self.line(f"{name} = []")
        self.line(f"for {index} in range({count}):")
        self.loops += 1
        with self.block():
            self.ints[index] = count
            state = self.pick([v for v in self.with_shape(shape) if v.binds and not self.shares(v)] or [None])
            if state and state.root not in self.written and self.chance(0.4):
                self.line(f"{state.name} = {self.damped(shape, 2)}")
                self.line(f"{name}.append({state.name})")
                self.frozen.add(state.root)
            else:
                self.augment()
                self.line(f"{name}.append({self.computed(shape, 1)})")
        self.loops -= 1
        result = self.name_for((count, *shape))
        if shape:
            ways = [f"np.array({name})", f"np.stack({name})"]
        else:
            ways = [f"np.array({name})"]
            self.line(f"{self._total(name)}")
        self.line(f"{result} = {self.pick(ways)}")
        self.declare(result, (count, *shape))

    def _total(self, name: str) -> str:
        total = self.fresh("total")
        self.declare(total, ())
        return f"{total} = " + self.pick(["sum({0})", "{0}[-1] * {0}[0]", "np.sum({0}) / len({0})"]).format(
            name
        )

    def call(self) -> None:
        """A helper, which may write into what it is given."""
        helper = self.pick(self.helpers)
        args = []
        for shape in helper.params:
            known = [v for v in self.with_shape(shape) if v.root not in self.frozen]
            args.append(self.pick(known).name if known and self.chance(0.8) else self.real(shape, 1))
            self.written.update(v.root for v in known)
        names = [self.name_for(helper.result) for _ in range(helper.results)]
        self.line(f"{', '.join(names)} = {helper.name}({', '.join(args)})")
        for name in names:
            self.declare(name, helper.result).shared = True
