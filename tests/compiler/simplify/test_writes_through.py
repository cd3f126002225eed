"""Do writes through views, and views that loops read, leave values and gradients alone?"""

import random

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.ir import builtin
from ast_ad.compiler.ir.ops import Op, walk

A = np.random.default_rng(1).normal(size=(4, 4))
V = np.random.default_rng(2).normal(size=12)
BACKENDS = ["numpy", "numba"]


def by_columns_first(a, x):
    state = a * 1.0
    other = np.reshape(state, (8, 2), order="F")
    for i in range(8):
        other[i] = other[i] * x[i]
    return np.sum(state**2) + np.sum(other[0])


def axes_in_another_order(a, x):
    state = np.reshape(x, (2, 3, 2)) * 1.0
    turned = np.transpose(state, (1, 2, 0))
    for i in range(3):
        turned[i] = turned[i] * a[i, 0]
        turned[i, 0] += x[i]
    return np.sum(state**3)


def swapped_axes(a, x):
    state = np.reshape(x, (2, 3, 2)) * 1.0
    turned = np.swapaxes(state, 0, 2)
    for i in range(2):
        turned[i, :, 1] = turned[i, :, 0] * a[i, i]
    return np.sum(state**2 * np.arange(2))


def views_of_views(a, x):
    state = a.copy()
    inner = state[1:, 1:].T[::-1]
    for i in range(len(inner)):
        inner[i, 0] *= x[i]
        inner[i] = inner[i] + inner[i - 1] * 0.5
    return np.sum(state**2) + inner[0, 0]


def read_before_and_after(a, x):
    state = a.copy()
    part = state[:, 1:3]
    for i in range(4):
        before = part[i].copy()
        part[i] = before * x[i]
        state[i] *= 0.5
        part[i - 1] = part[i] + before
    return np.sum(state * part[1, 0]) + np.sum(part)


def another_array_half_way(a, x):
    state = a.copy()
    turned = state.T
    for i in range(4):
        turned[i] = turned[i] * x[i]
        if i == 1:
            state = state * 2.0
            turned = state.T
    return np.sum(state**2) + np.sum(turned[0])


def an_argument_that_is_a_view(a, x):
    rows = x.reshape(4, 3)
    for i in range(4):
        rows[i] = rows[i] * a[i, 0]
        rows[i, 0] += rows[i - 1, 1]
    return np.sum(x**2)


def no_turn_at_all(a, x):
    total = 0.0
    for i in range(len(x), len(x)):
        total += a.T[i] @ a[1:, 1:][i]
    return total + x[0] * a[0, 0]


def a_view_that_a_branch_lacks(a, x):
    for i in range(3):
        if i == 1:
            turned = a.T
        if i > 1:
            x = x * turned[i, 0]
    return np.sum(x)


PROGRAMS = [
    by_columns_first, axes_in_another_order, swapped_axes, views_of_views, read_before_and_after,
    another_array_half_way, an_argument_that_is_a_view, no_turn_at_all, a_view_that_a_branch_lacks,
]  # fmt: skip


def agrees(function, args, backend):
    """The value is the function's, the gradient that of differences, and the arguments stay as they were."""
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, check=False)
    given = [x.copy(order="K") for x in args]
    value, bars = derivative(*args)
    for before, after in zip(given, args, strict=True):
        np.testing.assert_array_equal(before, after)
    plain = function(*(x.copy(order="K") for x in args))
    np.testing.assert_allclose(value, plain, rtol=0 if backend == "numpy" else 1e-12)
    draw = np.random.default_rng(9)
    along = [np.asarray(draw.normal(size=x.shape), order="F" if x.flags.fnc else "C") for x in args]

    def slope(h):
        ahead, behind = (
            function(*(x + s * h * d for x, d in zip(args, along, strict=True))) for s in (1, -1)
        )
        return (ahead - behind) / (2 * h)

    close, closer = slope(2e-5), slope(1e-5)
    if abs(close - closer) < 1e-5 * (1 + abs(closer)):  # no jump between
        found = sum(np.sum(bar * d) for bar, d in zip(bars, along, strict=True))
        np.testing.assert_allclose(found, (4 * closer - close) / 3, rtol=1e-6, atol=1e-7)
    return derivative


@pytest.mark.slow(one_in=6)
@pytest.mark.drawn(of=75)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function, order, backend):
    agrees(function, [np.asarray(A, order=order), V], backend)
    agrees(function, [np.asarray(A[::-1], order=order), np.repeat(V, 2)[::2]], backend)


@pytest.mark.slow
def test_what_is_joined(monkeypatch):
    """A write of a row of a view is one write; in another order of elements a copy goes back as a whole."""
    from ast_ad.calls import pipeline

    def mutators(function):
        found = []

        def placed(*args, **kwargs):
            done = write_in_place(*args, **kwargs)
            found.extend(op.fn for op in walk(done.body) if isinstance(op, Op) and op.fn in builtin.MUTATORS)
            return done

        monkeypatch.setattr(pipeline, "write_in_place", placed)
        monkeypatch.setenv("AST_AD_CACHE", "0")
        ast_ad.value_and_grad(function, backend="numpy", check=False)(A, V)
        return set(found)

    assert builtin.through_ in mutators(views_of_views)
    assert builtin.through_ not in mutators(by_columns_first)


def test_another_shape_that_is_a_copy_is_not_written_to():
    """Whether it is a view depends on the order in memory: the write fails, it is not lost."""
    path = ((np.ravel, None),)
    rows, columns = np.zeros((2, 3)), np.zeros((2, 3), order="F")
    assert builtin.through_(rows, 4, 5.0, path)[1, 1] == 5.0
    with pytest.raises(ValueError, match="a copy of an array"):
        builtin.through_(columns, 4, 5.0, path)


@pytest.mark.slow
def test_kernels_write_to_no_copy_of_another_shape():
    def flat(a, x):
        state = a * 1.0
        every = state.ravel()
        every[3] = every[3] ** 2 * x[0]
        return np.sum(state * a)

    derivative = agrees(flat, [np.ones((20, 30)), V], "numba")
    written = [line for line in derivative.source.splitlines() if ".reshape(" in line and "] = " in line]
    assert written and all("copy=False" in line for line in written)


# ----- random programs -----
VIEWS = {
    2: [("{}.T", 2), ("{}[1:-1, 1:-1]", 2), ("{}[1:]", 2), ("{}[:, :-1]", 2), ("{}[::2]", 2), ("{}[::-1]", 2),
        ("np.swapaxes({}, 0, 1)", 2), ("{}[:2, :2]", 2), ("{}[-1]", 1), ("{}[:, 0]", 1), ("{}.ravel()", 1)],
    1: [("{}[1:]", 1), ("{}[:-1]", 1), ("{}[::-1]", 1), ("{}[::2]", 1), ("{}[:4].reshape(2, 2)", 2)],
}  # fmt: skip


class Writer:
    """A program that reads and writes through views of views, in loops and branches."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.rank = {"a": 2, "x": 1, "b": 2, "c": 2, "w": 1}
        self.written = ["b", "c", "w"]
        self.lines = [
            "def f(a, x):",
            "    b = a * 1.5",
            "    c = np.zeros_like(a)",
            "    w = x * x",
            "    s = 0.0",
        ]

    def program(self):
        for _ in range(self.draw.randint(1, 4)):
            self.view("    ")
        for number in range(self.draw.randint(1, 3)):
            over = self.draw.choice(
                ["range(3)", "range(2, -1, -1)", f"range(len({self.draw.choice([*self.rank])}))"]
            )
            self.lines.append(f"    for i{number} in {over}:")
            known = dict(self.rank), list(self.written)
            for _ in range(self.draw.randint(1, 5)):
                self.statement(f"i{number}", "        ", 0)
            self.rank, self.written = known
        ends = self.draw.sample(sorted(self.rank), 3)
        self.lines.append(
            "    return s + np.sum(c**2) + np.sum(b * 0.3) + x[0]"
            + "".join(f" + np.sum({e}**2)" for e in ends)
        )
        return "\n".join(self.lines)

    def view(self, indent):
        source, name = self.draw.choice(sorted(self.rank)), f"v{len(self.lines)}"
        text, rank = self.draw.choice(VIEWS[self.rank[source]])
        self.lines.append(f"{indent}{name} = {text.format(source)}")
        self.rank[name] = rank
        if source in self.written:
            self.written.append(name)

    def place(self, name, i):
        row = self.draw.choice([f"{i} % len({name})", "0", "-1", f"-1 - {i} % len({name})"])
        return f"{name}[{row}]"

    def number(self, i):
        name = self.draw.choice(sorted(self.rank))
        column = "[-1]" if self.rank[name] == 2 else ""
        return self.draw.choice([self.place(name, i) + column, "s * 0.1", f"0.1 * {i}"])

    def statement(self, i, indent, depth):
        kind = self.draw.random()
        if kind < 0.2:
            self.lines.append(f"{indent}s = 0.5 * s + {self.number(i)} * {self.number(i)}")
        elif kind < 0.65:
            place, sign = self.place(self.draw.choice(self.written), i), self.draw.choice(["=", "+=", "*="])
            value = self.draw.choice([f"np.tanh({self.number(i)})", f"{place} * 0.5 + {self.number(i)}"])
            self.lines.append(f"{indent}{place} {sign} {value}")
        elif kind < 0.8 and depth < 2:
            self.lines.append(f"{indent}if {self.number(i)} > {self.draw.choice(['0.4', '0.0'])}:")
            known = dict(self.rank), list(self.written)
            self.statement(i, indent + "    ", depth + 1)
            self.rank, self.written = known
        elif kind < 0.9 and depth == 0:
            self.view(indent)
        else:
            self.lines.append(f"{indent}{self.draw.choice(self.written)}[...] *= 0.9")


@pytest.mark.drawn(of=8)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend, seed", [(b, s) for s in range(40) for b in BACKENDS[: 2 - (s % 4 > 0)]])
def test_random_programs(backend, seed, tmp_path):
    text = Writer(seed).program()
    path = tmp_path / "program.py"
    path.write_text(text)
    space = {"np": np}
    exec(compile(text, str(path), "exec"), space)
    for n in (4, 5):
        draw = np.random.default_rng(seed)
        args = [draw.normal(size=(n, n)), draw.normal(size=n)]
        try:
            space["f"](*(x.copy() for x in args))
        except ValueError:  # a part that is too short for its shape
            with pytest.raises(ValueError, match="reshape"):
                ast_ad.grad(space["f"], argnums=(0, 1), backend=backend, check=False)(*args)
            continue
        agrees(space["f"], args, backend)
