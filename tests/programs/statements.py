"""How are random assignments and stores written, so that they are valid and their values stay finite?

Shapes are known while writing. Inside loops and branches an outer array that shares memory with another
one is seldom given a new array, because what the name shows would then depend on the path taken.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager

from .expressions import Expressions, Shape, Var


class Statements(Expressions):
    """Writes assignments and stores, line by line, into ``text``."""

    def __init__(self, source: random.Random) -> None:
        super().__init__(source)
        self.text: list[str] = []
        self.level = 0  # indentation
        self.nested = 0  # enclosing loops and branches
        self.loops = 0
        self.frozen: set[int] = set()  # roots that a list holds: no writes in place
        self.written: set[int] = set()

    # ----- lines and names -----

    def line(self, text: str) -> None:
        self.text.append("    " * self.level + text)

    def fresh(self, stem: str) -> str:
        number = 0
        while (name := f"{stem}{number or ''}") in self.used:
            number += 1
        self.used.add(name)
        return name

    def declare(self, name: str, shape: Shape, root: int | None = None, contiguous: bool = True) -> Var:
        root = self.new_root() if root is None else root
        var = Var(name, shape, root, contiguous)
        self.vars.append(var)
        return var

    def name_for(self, shape: Shape) -> str:
        return self.fresh(self.pick(["abct", "uvw", "mpq"][len(shape)]))

    @contextmanager
    def block(self) -> Iterator[None]:
        """A suite: what it defines is gone after it."""
        defined, ints = len(self.vars), dict(self.ints)
        self.level, self.nested = self.level + 1, self.nested + 1
        yield
        self.level, self.nested = self.level - 1, self.nested - 1
        del self.vars[defined:]
        self.ints = ints

    # ----- assignments -----

    def define(self) -> None:
        shape = self.pick([(), *(var.shape for var in self.vars)])
        known = self.with_shape(shape)
        text = self.computed(shape, 2 + self.chance(0.3))
        if shape and self.chance(0.35):
            text = self.pick(
                [f"np.zeros({shape})", f"np.ones({shape})", f"np.full({shape}, {self.leaf(())})"]
            )
            if known and self.chance(0.5):
                text = self.pick(["np.zeros_like({})", "{}.copy()", "np.array({})"]).format(
                    self.pick(known).name
                )
        name = self.name_for(shape)
        self.line(f"{name} = {text}")
        self.declare(name, shape)

    def shares(self, var: Var) -> bool:
        return var.shared or any(other is not var and other.root == var.root for other in self.vars)

    def rebind(self) -> None:
        """``v = expression``; in a loop with values that stay bounded."""
        choices = [
            v for v in self.vars if v.binds and (not self.nested or not self.shares(v) or self.chance(0.02))
        ]
        if not choices:
            return self.define()
        var = self.pick(choices)
        value = self.computed(var.shape)
        if self.loops:
            value = self.pick([self.damped(var.shape), f"0.6 * {var.name} + {self.damped(var.shape)}"])
        self.line(f"{var.name} = {value}")
        if not self.nested:
            var.root, var.contiguous, var.shared = self.new_root(), True, False
        return None

    def writable(self, least_rank: int = 1) -> list[Var]:
        return [v for v in self.vars if len(v.shape) >= least_rank and v.root not in self.frozen]

    def augment(self) -> None:
        """``v += expression``: for an array a write that every view of it sees."""
        var = self.pick([v for v in self.writable(0) if v.binds] or [self.vars[-1]])
        self.written.add(var.root)
        shape = var.shape if self.chance(0.7) else ()
        if len(var.shape) == 2 and self.chance(0.3):
            shape = var.shape[1:]
        self.line(f"{var.name} {self.update(shape)}")

    def update(self, shape: Shape, plain: float = 0.0) -> str:
        """An assignment's operator and right-hand side."""
        if self.chance(plain):
            return f"= {self.damped(shape) if self.loops else self.real(shape)}"
        op = self.pick(["+=", "+=", "-=", "*=", "/="])
        if op == "/=":
            return f"/= 2.0 + {self.damped(shape)}"
        return f"{op} {self.damped(shape) if self.loops or op == '*=' else self.real(shape)}"

    def view(self) -> None:
        """``w = v[1:]``, ``w = v``: another name for an array or a part of it."""
        arrays = [var for var in self.vars if var.shape]
        if not arrays:
            return self.define()
        shapes = {var.shape for var in arrays}
        shapes |= {(length - 1,) for (length, *_) in shapes if length > 2}
        shapes |= {shape[1:] for shape in shapes if len(shape) == 2}
        choices = [(shape, *view) for shape in sorted(shapes) for view in self.views(shape)]
        base = self.pick(arrays)
        choices.append((base.shape, base.name, base, base.contiguous))
        shape, text, base, contiguous = self.pick(choices)
        name = self.name_for(shape)
        self.line(f"{name} = {text}")
        self.declare(name, shape, base.root, contiguous).shared = base.shared
        return None

    # ----- stores -----

    def store(self) -> None:
        """``v[...] = expression`` and its augmented forms."""
        choices = self.writable()
        if not choices:
            return self.define()
        var = self.pick(choices)
        self.written.add(var.root)
        place, shape = self.pick(
            self._vector_places(var) if len(var.shape) == 1 else self._matrix_places(var)
        )
        value = shape if shape and self.chance(0.7) else ()
        if self.chance(0.06) and len(var.shape) == 1:
            i, j = self.index(var.shape[0]), self.index(var.shape[0])
            self.line(f"{var.name}[{i}], {var.name}[{j}] = {var.name}[{j}], {var.name}[{i}]")
        elif len(var.shape) == 1 and self.chance(0.04):
            self.line(f"np.add.at({var.name}, [{self.indices(3, var.shape[0])}], {self.real((3,))})")
        else:
            self.line(f"{place} {self.update(value, plain=0.55)}")
        return None

    def _vector_places(self, var: Var) -> list[tuple[str, Shape]]:
        name, (n,) = var.name, var.shape
        few = self.random.randint(1, min(3, n))
        places = [(f"{name}[{self.index(n)}]", ())] * 4
        places += [(f"{name}[:]", (n,)), (f"{name}[::2]", ((n + 1) // 2,))]
        places += [(f"{name}[[{self.distinct_indices(few, n)}]]", (few,))]
        if n > 1:
            places += [(f"{name}[1:]", (n - 1,)), (f"{name}[:-1]", (n - 1,))]
            places += [(f"{name}[{name} > {self.number()}]", ())]
        if n > 2:
            places += [(f"{name}[1:-1]", (n - 2,))]
        if self.chance(0.05):
            places = [(f"{name}[[{self.indices(3, n)}]]", (3,))]
        return places

    def _matrix_places(self, var: Var) -> list[tuple[str, Shape]]:
        name, (rows, columns) = var.name, var.shape
        i, j = self.index(rows), self.index(columns)
        places: list[tuple[str, Shape]] = [(f"{name}[{i}, {j}]", ())] * 4
        places += [(f"{name}[{i}]", (columns,)), (f"{name}[:, {j}]", (rows,)), (f"{name}[:]", var.shape)]
        places += [(f"{name}[{name} < {self.number()}]", ())]
        few = self.random.randint(1, 2)
        pairs = f"[{self.distinct_indices(few, rows)}], [{self.distinct_indices(few, columns)}]"
        places += [(f"{name}[{pairs}]", (few,)), (f"{name}[{i}][{j}]", ())]
        if columns > 1:
            places += [(f"{name}[{i}, 1:]", (columns - 1,)), (f"{name}[:, :-1]", (rows, columns - 1))]
        return places
