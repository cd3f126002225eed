"""Does the adjoint of a loop get arrays back as they were, by what each turn saves of what it overwrites?"""

import operator

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.ops import For, Op, walk
from ast_ad.compiler.ir.types import Array, ListOf, TupleOf
from ast_ad.compiler.loops.tape_elision import read_final
from ast_ad.compiler.loops.undone_writes import undo_writes
from ast_ad.rules import containers
from tests.compiler.adjoint.test_residual_policy import same
from tests.compiler.checking import differentiable, leaves_of, primal

X = 0.6 * np.random.default_rng(0).normal(size=5)
W = 0.6 * np.random.default_rng(1).normal(size=7)


def whole_arrays(function, rank):
    """How many arrays of that rank the tapes of a program hold."""

    def count(type_):
        if isinstance(type_, TupleOf):
            return sum(map(count, type_.items))
        return isinstance(type_, Array) and type_.ndim == rank

    appends = [op for op in walk(function.body) if isinstance(op, Op) and op.fn is containers.list_append]
    types = [op.out.type for op in appends]
    return sum(count(t.element) for t in types if isinstance(t, ListOf))


def both(function, *args, residuals="min-cut"):
    """The adjoint that saves arrays, and the one that undoes writes, once they agree to the last bits."""
    program, leaves = primal(function, *args), leaves_of(args)
    saving = read_final(adjoint(program, differentiable(leaves), residuals=residuals))
    undoing = check(undo_writes(saving))
    same(saving, undoing, leaves, rtol=1e-13)
    return saving, undoing


def in_kernels(function, *args):
    """Whether a compiled kernel undoes writes, once it agrees with NumPy code and with differences."""
    wrt = tuple(i for i, a in enumerate(args) if np.asarray(a).dtype == float)
    derivative = ast_ad.value_and_grad(function, argnums=wrt, backend="numba", fallback="error")
    value, gradients = derivative(*args)
    plain = ast_ad.value_and_grad(function, argnums=wrt, backend="numpy")(*args)
    np.testing.assert_allclose(value, function(*args), rtol=1e-12)
    for got, expected in zip(gradients, plain[1], strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13)
    draw, h = np.random.default_rng(2), 1e-4
    to = [draw.normal(size=np.shape(args[i])) for i in wrt]

    def at(s):
        moved = dict(zip(wrt, to, strict=True))
        return function(*[a + s * moved[i] if i in moved else a for i, a in enumerate(args)])

    along = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    got = sum(np.sum(g * d) for g, d in zip(gradients, to, strict=True))
    np.testing.assert_allclose(got, along, rtol=1e-6, atol=1e-8)
    return "the sweep puts that back" in str(derivative.explain())


def chart(x, n):
    """A table that is filled by what it has already: places that no range tells apart."""
    table = np.zeros((n, n + 1, len(x)))
    for i in range(n):
        table[i, i + 1] = np.sin(x + i)
    for width in range(2, n + 1):
        for i in range(n - width + 1):
            j = i + width
            total = np.zeros(len(x))
            for middle in range(i + 1, j):
                total += table[i, middle] * table[middle, j]
            table[i, j] = np.tanh(total * x)
    return np.sum(table[0, n] ** 2) + table[0, n - 1, 1]


def given_places(x, w, places):
    """Each place is read before and after it is written, some of them twice; one counts from the end."""
    a = np.outer(x, w)
    total = 0.0
    for p in places:
        total += np.sum(np.sin(a) * a[p])
        a[p] = np.cos(a[p]) * total * 0.1
        total += np.prod(a[:, 0])
    return total + np.sum(a)


def rows_between(x, w, n):
    """Writes before, within and behind a loop; what is read before the loop is needed behind it."""
    a, total = np.outer(x, x), 0.0
    for t in range(n):
        total += np.tanh(np.sum(a**3)) * w[t]
        a[0] = np.sin(a[1]) * total
        for i in range(1, a.shape[0] - 1):
            a[i, 1:-1] = np.tanh(np.sum(a**2)) * a[i, 1:-1] * 0.1 + np.cos(a[i - 1, 1:-1])
        a[-1, :] = a[0] * w[t]
    return np.sum(a**2) + total


def two_loops(x, w, n):
    """Two loops of a turn write to one array, the second backwards."""
    a = np.outer(x, np.cos(x))
    for t in range(n):
        for i in range(1, len(x)):
            a[i] = np.sin(a[i - 1] + np.mean(a**2)) * w[t]
        for i in range(len(x) - 2, -1, -1):
            a[i, 1:] += a[i + 1, 1:] * np.mean(a**3)
    return np.sum(a**2)


def elements(x, n):
    """A sweep over elements in which the mean of all decides about each."""
    a = np.outer(x, np.cos(x))
    for _ in range(n):
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = np.sin(np.mean(a**2)) + a[i - 1, j] * a[i, j - 1]
    return np.sum(a**2)


def read_again(x, w, n):
    """The array as a turn left it goes on to be used by name while it is written again."""
    a, total = np.outer(x, x), 0.0
    for t in range(n):
        before = a.copy()
        a[t % 4] = np.sin(np.sum(a**2, axis=0)) * w[t]
        total += np.sum(before**2 * a**2)
    return total + np.sum(a**3)


PROGRAMS = [
    (chart, (X[:4], 6)),
    (given_places, (X, W, np.array([0, 3, 3, 1, -2, 0]))),
    (rows_between, (X, W, 4)),
    (two_loops, (X, W, 3)),
    (elements, (X, 2)),
    (read_again, (X, W, 6)),
]


@pytest.mark.slow
@pytest.mark.parametrize("residuals", ["cheap", "min-cut"])
@pytest.mark.parametrize("function, args", PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_what_is_put_back_is_what_was_there(function, args, residuals):
    saving, undoing = both(function, *args, residuals=residuals)
    rank = 3 if function is chart else 2
    assert whole_arrays(undoing, rank) < whole_arrays(saving, rank)


@pytest.mark.slow
@pytest.mark.parametrize("count", [0, 1])
def test_loops_without_turns(count):
    both(elements, X, count)
    both(rows_between, X, W, count)
    both(given_places, X, W, np.arange(count))


@pytest.mark.drawn(of=5)
@pytest.mark.slow
@pytest.mark.parametrize("function, args", PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
def test_kernels_undo_writes(function, args):
    wide = {4: 20, 5: 19, 7: 21}  # small lengths would make numbers of the arrays
    large = [np.resize(a, wide[len(a)]) if np.asarray(a).dtype == float and np.ndim(a) else a for a in args]
    assert in_kernels(function, *large)


def whole_writes(x, w):
    a = np.outer(x, x)
    for t in range(len(w)):
        a[1:, 1:] = np.sin(a[:-1, :-1] * w[t] * np.sum(a**2))
    return np.sum(a)


def needed_before_the_loop(x, w):
    """What a turn begins with is read by the adjoint of the loop within, before which it isn't known."""
    a, total = np.outer(x, x), 0.0
    for t in range(len(w)):
        total += np.tanh(np.sum(a**3)) * w[t]
        scale = a[1, 1]
        for i in range(len(x)):
            a[i] = np.sin(a[i - 1] * scale) * np.mean(a**2)
    return np.sum(a) + total


def left_early(x, w):
    a = np.outer(x, x)
    for t in range(len(w)):
        a[t % 5] = np.sin(a[0] * np.sum(a**2)) * w[t]
        if a[0, 0] > 0.5:
            break
    return np.sum(a**2)


def another_array(x, w):
    """The array becomes another one in the loop: what was written to the first can't be found in that."""
    a = np.outer(x, x)
    for t in range(len(w)):
        a[t % 5] = np.sin(a[0] * np.sum(a**2)) * w[t]
        a = a * 0.9
    return np.sum(a**2)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", [whole_writes, needed_before_the_loop, left_early, another_array])
def test_what_can_not_be_undone_is_saved(function):
    saving, undoing = both(function, X, W, residuals="cheap")
    assert whole_arrays(undoing, 2) == whole_arrays(saving, 2) > 0


def test_what_is_saved_is_a_row():
    _, undoing = both(rows_between, X, W, 3)
    loops = [op for op in undoing.body.ops if isinstance(op, For)]
    reads = [op for op in walk(loops[0].body) if isinstance(op, Op) and op.fn is operator.getitem]
    assert any(isinstance(op.out.type, Array) and op.out.type.ndim == 1 for op in reads)


WRITES = [
    "a[{i}] = np.sin(a[{k}]) * w[t]",
    "a[{i}, 1:] += a[{k}, :-1] * np.mean(a**2)",
    "a[{i}, {k}] = np.tanh(np.sum(a[{i}]))",
    "a[:, {i}] -= 0.1 * np.cos(a[:, {k}]) * np.mean(a**3)",
    "total += np.sum(a[{k}] * np.sin(a)) * 0.1",
    "a[places[t], {i}] *= np.mean(a[{k}] ** 2) + 0.3",
]


def a_program(seed):
    """Random writes in a loop and in loops within it."""
    draw = np.random.default_rng(seed)
    lines = ["def f(x, w, places):", "    a, total = np.outer(x, np.cos(x)), 0.0", "    for t in range(4):"]

    def write(indent, counters):
        names = [str(k) for k in draw.choice([*counters, 0, 1, 3, -1], 2)]
        lines.append(" " * indent + str(draw.choice(WRITES)).format(i=names[0], k=names[1]))

    for _ in range(draw.integers(2, 5)):
        if draw.random() < 0.35:
            ends = draw.choice(["5", "1, 4", "3, -1, -1", "t + 1", "len(x) - t"])
            lines.append(f"        for i in range({ends}):")
            for _ in range(draw.integers(1, 3)):
                write(12, ["t", "i"])
        else:
            write(8, ["t"])
    return "\n".join([*lines, "    return np.sum(a**2) + total"])


@pytest.mark.slow
@pytest.mark.drawn(of=40)
@pytest.mark.parametrize("seed", range(200))
def test_random_writes(seed, tmp_path):
    path = tmp_path / f"writes_{seed}.py"
    path.write_text("import numpy as np\n\n\n" + a_program(seed) + "\n")
    names: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    both(names["f"], X, W, np.array([0, -1, 2, 2]), residuals="min-cut" if seed % 2 else "cheap")
