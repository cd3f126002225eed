"""How is a random expression of a wanted shape written, from the variables in scope?

A shape stands for a type: ``()`` is a float, ``(n,)`` a vector, ``(n, m)`` a matrix. Nonlinear functions are
smooth and bounded or slowly growing, so that loops which feed values back stay finite.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Shape = tuple[int, ...]
T = TypeVar("T")

SMOOTH = (
    "np.sin({})",
    "np.cos({})",
    "np.tanh({})",
    "np.arctan({})",
    "np.exp(-({}) ** 2)",
    "np.log1p(({}) ** 2)",
    "np.sqrt(1.0 + ({}) ** 2)",
    "1.0 / (1.0 + ({}) ** 2)",
    "np.square({})",
    "-({})",
    "({}) ** 3",
    "np.logaddexp({}, 0.0)",
)
SMOOTH_SCALAR = (*SMOOTH, "math.sin({})", "math.tanh({})", "math.exp(-({}) ** 2)", "abs({})", "float({})")
SMOOTH_ARRAY = (*SMOOTH, "np.abs({})", "np.clip({}, -0.9, 0.9)", "np.expm1(np.tanh({}))")
DAMPED = ("np.cos({})", "np.tanh({})", "np.sin({})", "1.0 / (1.0 + ({}) ** 2)")
BINARY = ("{} + {}", "{} - {}", "{} * {}", "{} * {}", "({}) / (2.0 + np.cos({}))")
BINARY_ARRAY = (*BINARY, "np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, 1.0 + ({}) ** 2)")


@dataclass
class Var:
    """A name, or a place such as ``d["p"]``, that holds a float or an array.

    ``root`` tells whose memory it shows; ``binds`` whether an assignment may give it another array.
    """

    name: str
    shape: Shape
    root: int
    contiguous: bool = True
    binds: bool = True
    shared: bool = False


class Expressions:
    """The variables in scope, and the expressions over them."""

    def __init__(self, source: random.Random) -> None:
        self.random = source
        self.vars: list[Var] = []
        self.ints: dict[str, int] = {}  # name: an upper bound; such a value is never negative
        self.used: set[str] = set()
        self.roots = 0

    # ----- drawing -----

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def number(self, low: int = -150, high: int = 150) -> str:
        return repr(round(self.random.randint(low, high) / 100 + 0.003, 3))

    def index(self, length: int) -> str:
        """An index expression that is valid for a dimension of this length."""
        known = [name for name, bound in self.ints.items() if bound <= length]
        if known and self.chance(0.7):
            name = self.pick(known)
            return self.pick(
                [name, name, f"({name} + 1) % {length}", f"{length} - 1 - {name}", f"{name} - 1"]
            )
        loose = [name for name, bound in self.ints.items() if bound > length]
        if loose and self.chance(0.5):
            return f"{self.pick(loose)} % {length}"
        return str(self.random.randint(-length, length - 1))

    def with_shape(self, shape: Shape) -> list[Var]:
        return [var for var in self.vars if var.shape == shape]

    def new_root(self) -> int:
        self.roots += 1
        return self.roots

    # ----- views -----

    def views(self, shape: Shape) -> list[tuple[str, Var, bool]]:
        """Views of the wanted shape: their text, whose memory they show, whether they are contiguous."""
        found: list[tuple[str, Var, bool]] = []
        for var in self.vars:
            if len(shape) == 1:
                found += self._vector_views(var, shape[0])
            elif len(shape) == 2:
                found += self._matrix_views(var, shape)
        return found

    def _vector_views(self, var: Var, n: int) -> list[tuple[str, Var, bool]]:
        name, found = var.name, []
        if len(var.shape) == 1:
            (m,) = var.shape
            if m > n:
                start = self.random.randint(0, m - n)
                found.append((f"{name}[{_span(start, start + n, m)}]", var, var.contiguous))
            if m == n:
                found.append((f"{name}[::-1]", var, False))
            if m > n and (m + 1) // 2 == n:
                found.append((f"{name}[::2]", var, False))
        if len(var.shape) == 2:
            rows, columns = var.shape
            if columns == n:
                found.append((f"{name}[{self.index(rows)}]", var, var.contiguous))
            if rows == n:
                found.append((f"{name}[:, {self.index(columns)}]", var, False))
            if columns == n + 1:
                found.append((f"{name}[{self.index(rows)}, 1:]", var, var.contiguous))
            if rows * columns == n and var.contiguous:
                found.append((f"{name}.{self.pick(['ravel()', 'reshape(-1)'])}", var, True))
        return found

    def _matrix_views(self, var: Var, shape: Shape) -> list[tuple[str, Var, bool]]:
        (rows, columns), name, found = shape, var.name, []
        if var.shape == (columns, rows):
            found.append((f"{name}.T", var, False))
        if var.shape == (rows * columns,) and var.contiguous:
            found.append((f"{name}.reshape({rows}, {columns})", var, True))
        if var.shape == (rows + 1, columns):
            found.append((f"{name}[{self.pick(['1:', ':-1'])}]", var, var.contiguous))
        if var.shape == (rows, columns + 1):
            found.append((f"{name}[:, {self.pick(['1:', ':-1'])}]", var, False))
        if var.shape == (rows, columns):
            found.append((f"{name}[::-1]", var, False))
        return found

    # ----- expressions -----

    def real(self, shape: Shape, depth: int = 2) -> str:
        """Any expression of the shape; an array may be a view of another one."""
        if depth <= 0 or self.chance(0.15):
            return self.leaf(shape)
        return self.computed(shape, depth)

    def computed(self, shape: Shape, depth: int = 2) -> str:
        """An expression whose outermost operation makes a new array."""
        if self.chance(0.55):
            return self._pointwise(shape, depth)
        ways = (self._scalar, self._vector, self._matrix)
        return ways[len(shape)](shape, depth)

    def leaf(self, shape: Shape) -> str:
        known = self.with_shape(shape)
        if known and self.chance(0.75):
            return self.pick(known[-6:] if self.chance(0.6) else known).name
        if not shape:
            arrays = [var for var in self.vars if var.shape]
            if arrays and self.chance(0.7):
                return self.element(self.pick(arrays))
            return self.number()
        views = self.views(shape)
        if views:
            return self.pick(views)[0]
        if known:
            return self.pick(known).name
        if len(shape) == 1 and self.chance(0.5):
            return "np.array([" + ", ".join(self.leaf(()) for _ in range(shape[0])) + "])"
        return f"np.full({shape}, {self.leaf(())})"

    def element(self, var: Var) -> str:
        return f"{var.name}[{', '.join(self.index(length) for length in var.shape)}]"

    def damped(self, shape: Shape, depth: int = 1) -> str:
        """An expression whose values lie between -1 and 1."""
        return self.pick(DAMPED).format(self.real(shape, depth))

    def _pointwise(self, shape: Shape, depth: int) -> str:
        if self.chance(0.4):
            functions = SMOOTH_ARRAY if shape else SMOOTH_SCALAR
            return self.pick(functions).format(self.real(shape, depth - 1))
        left = self.real(shape, depth - 1)
        right = self.real(() if shape and self.chance(0.3) else shape, depth - 1)
        if shape and self.chance(0.12):
            return f"np.where({left} > {self.number()}, {left}, {right})"
        if not shape and self.chance(0.1):
            return f"({left} if {self.condition()} else {right})"
        if self.chance(0.2):
            left, right = right, left
        text = self.pick(BINARY_ARRAY if shape else BINARY).format(left, right)
        return f"({text})"

    def _scalar(self, _: Shape, depth: int) -> str:
        arrays = [var.shape for var in self.vars if var.shape]
        if not arrays:
            return self.leaf(())
        shape = self.pick(arrays)
        a = self.real(shape, depth - 1)
        ways = ["np.sum({})", "np.mean({})", "({}).sum()", "np.max({})", "({}).mean()", "np.var({})"]
        if len(shape) == 1:
            b = self.real(shape, depth - 1)
            ways += [f"np.dot({{}}, {b})", f"(({{}}) @ ({b}))", f"sum({{}} * {b})"]
            if self.chance(0.3):
                ways = [f"np.sum([{self.number()} * t**2 for t in {{}}])", "sum([t * t for t in {}])"]
        else:
            ways += ["np.trace({})", "np.min({})", "np.sum({}, axis=0)[-1]", "np.einsum('ij,ij->', {0}, {0})"]
        return self.pick(ways).format(a)

    def _vector(self, shape: Shape, depth: int) -> str:
        (n,) = shape
        matrices = [var.shape for var in self.vars if len(var.shape) == 2]
        ways: list[Callable[[], str]] = [
            lambda: f"np.cumsum({self.real((n,), depth - 1)})",
            lambda: f"np.roll({self.real((n,), depth - 1)}, {self.pick(['1', '-1'])})",
            lambda: f"({self.real((n,), depth - 1)})[[{self.indices(n, n)}]]",
            lambda: f"np.array([{', '.join(self.real((), depth - 2) for _ in range(n))}])",
            lambda: f"({self.real((n,), depth - 1)}).copy()",
        ]
        if n > 1:
            part = self.random.randint(1, n - 1)
            first, second = self.real((part,), depth - 1), self.real((n - part,), depth - 1)
            ways.append(lambda: f"np.concatenate([{first}, {second}])")
            ways.append(lambda: f"np.diff({self.real((n + 1,), depth - 1)})")
        for rows, columns in matrices:
            if columns == n:
                vector = self.real((rows,), depth - 1)
                ways.append(lambda v=vector, s=(rows, columns): f"(({v}) @ ({self.real(s, depth - 1)}))")
                ways.append(lambda s=(rows, columns): f"np.sum({self.real(s, depth - 1)}, axis=0)")
            if rows == n:
                vector = self.real((columns,), depth - 1)
                ways.append(lambda v=vector, s=(rows, columns): f"(({self.real(s, depth - 1)}) @ ({v}))")
                ways.append(lambda s=(rows, columns): f"({self.real(s, depth - 1)}).max(axis=1)")
        return self.pick(ways)()

    def _matrix(self, shape: Shape, depth: int) -> str:
        rows, columns = shape
        ways: list[Callable[[], str]] = [
            lambda: f"np.outer({self.real((rows,), depth - 1)}, {self.real((columns,), depth - 1)})",
            lambda: f"({self.real(shape, depth - 1)} * {self.real((columns,), depth - 1)})",
            lambda: f"({self.real(shape, depth - 1)} + ({self.real((rows,), depth - 1)})[:, None])",
            lambda: f"np.stack([{', '.join(self.real((columns,), depth - 2) for _ in range(rows))}])",
            lambda: f"np.cumsum({self.real(shape, depth - 1)}, axis={self.random.randint(0, 1)})",
        ]
        inner = [m.shape for m in self.vars if len(m.shape) == 2 and m.shape[0] == rows]
        if inner:
            middle = self.pick(inner)[1]
            left, right = self.real((rows, middle), depth - 1), self.real((middle, columns), depth - 1)
            ways.append(lambda: f"(({left}) @ ({right}))")
        return self.pick(ways)()

    def indices(self, count: int, length: int) -> str:
        return ", ".join(str(self.random.randrange(length)) for _ in range(count))

    def distinct_indices(self, count: int, length: int) -> str:
        return ", ".join(map(str, self.random.sample(range(length), count)))

    def condition(self) -> str:
        """A test on data, on a counter, or on both."""
        tests = [f"{self.leaf(())} > {self.number()}", f"{self.real((), 1)} < {self.real((), 1)}"]
        if self.ints:
            name = self.pick(list(self.ints))
            tests += [f"{name} % 2 == {self.random.randint(0, 1)}", f"{name} < {self.random.randint(1, 3)}"]
        vectors = [var for var in self.vars if len(var.shape) == 1]
        if vectors:
            tests.append(f"np.sum({self.pick(vectors).name}) > {self.number()}")
        test = self.pick(tests)
        if self.chance(0.15):
            return f"{test} {self.pick(['and', 'or'])} {self.pick(tests)}"
        return f"not {test}" if self.chance(0.05) else test


def _span(start: int, stop: int, length: int) -> str:
    if stop == length:
        return f"{start}:"
    return f":{stop - length}" if start == 0 else f"{start}:{stop}"
