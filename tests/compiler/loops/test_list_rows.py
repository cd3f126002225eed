"""Are lists of lists that become one list, end to end, still lists of lists?"""

import math

import numpy as np
import pytest

import ast_ad
from tests.compiler.loops.list_programs import check, require_evaluated

pytestmark = [
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),  # some are traced: right all the same
    pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"),
]
X = np.array([0.7, -0.4, 1.3, 0.2, -0.9])


def gram(x, n):
    k = np.array([[math.exp(-((x[i % 5] - x[j % 5]) ** 2)) for j in range(n)] for i in range(n)])
    return np.sum(k @ k) + np.trace(k)


def columns(x, n):
    """Three numbers in each row, as they are written."""
    rows = np.array([[1.0, x[i % 5], math.sin(x[0] * i)] for i in range(n)])
    return np.sum((rows @ x[:3]) ** 2)


def path(x, n):
    """Each row is made of the one before."""
    states = [[x[0], x[1]]]
    for _ in range(n):
        a, b = states[-1]
        states.append([a + 0.1 * b, b - 0.1 * x[2] * math.sin(a)])
    table = np.array(states)
    return np.sum(table[:, 0] ** 2) + states[n // 2][1] + states[-1][0] * len(states)


def table(x, n):
    """Dynamic programming: numbers are written and read in place."""
    best = [[0.0] * (n + 1) for _ in range(n + 1)]
    for i in range(n + 1):
        best[i][0] = i * x[0]
        best[0][i] = i * x[1]
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            same = (x[i % 5] - x[j % 5]) ** 2
            best[i][j] = min(
                best[i - 1][j] + x[0] ** 2, best[i][j - 1] + x[1] ** 2, best[i - 1][j - 1] + same
            )
    return best[n][n] + best[-1][-1] * best[n // 2][-1]


def product(x, n):
    a = [[x[(i + j) % 5] for j in range(n)] for i in range(n)]
    c = [[0.0 for _ in range(n)] for _ in range(n)]
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i][j] += a[i][k] * a[k][j]
    return sum([c[i][i] ** 2 for i in range(n)])


def ragged(x, n):
    """Rows of other lengths, one of them empty; they are run over."""
    rows = []
    for i in range(n):
        rows.append([x[j % 5] * (i + 1) for j in range(i)])
    total = 0.0
    for row in rows:
        for v in row:
            total += v * v
    return total + sum([len(row) * x[0] for row in rows])


def ragged_array(x, n):
    rows = []
    for i in range(n):
        rows.append([x[j % 5] for j in range(i + 1)])
    return np.sum(np.array(rows) ** 2)


def changed_before(x, n):
    """A row goes on after another was made of it."""
    rows, row = [], []
    for i in range(n):
        row.append(x[i % 5])
        rows.append(list(row))
    rows_of_two = [[r[0], r[-1]] for r in rows]
    return sum([a * b for a, b in rows_of_two]) + len(rows) * x[1]


def shared_row(x, n):
    """The same list twice: who writes to one writes to both."""
    rows = [[x[0], x[1]]] * 2
    rows[0][1] = x[2] * n
    return rows[1][1] ** 2 + rows[1][0]


def swapped(x, n):
    rows = [[x[i % 5], x[(i + 1) % 5]] for i in range(n)]
    rows[0], rows[-1] = rows[-1], rows[0]
    return rows[0][0] * rows[-1][1] + rows[n // 2][0]


def taken(x, n):
    """A stack of pairs, as lists."""
    stack, total = [[x[0], x[1]]], 0.0
    for i in range(n):
        a, b = stack.pop()
        total += a * b
        stack.append([a * 0.5, b + x[i % 5]])
        if i % 2:
            stack.append([b, a])
    return total + len(stack)


def by_branches(x, n):
    rows = []
    for i in range(n):
        if x[i % 5] > 0:
            rows.append([x[i % 5], 1.0])
        else:
            rows.append([2.0, x[i % 5] ** 2])
    a = np.array(rows)
    return np.sum(a[:, 0] * a[:, 1])


def past_the_end(x, n):
    rows = [[x[0], x[1]] for _ in range(n)]
    return rows[0][0] + rows[0][n - 2]


def written_past_the_end(x, n):
    rows = [[x[0], x[1]] for _ in range(5)]
    rows[1][n - 3] = x[2]
    return rows[1][0] * rows[0][1] + rows[2][-1]


def whole_numbers(x, n):
    """Of places, which are ints."""
    near = [[(i + 1) % 5, (i * 3) % 5] for i in range(n)]
    total = 0.0
    for i in range(n):
        for j in near[i]:
            total += (x[i % 5] - x[j]) ** 2
    return total + near[-1][0] / 2


FITTING = [gram, columns, path, table, product, by_branches, taken]
OTHERS = [
    ragged,
    ragged_array,
    changed_before,
    shared_row,
    swapped,
    past_the_end,
    written_past_the_end,
    whole_numbers,
]


@pytest.mark.drawn(of=20)
@pytest.mark.slow
@pytest.mark.parametrize("f", FITTING + OTHERS, ids=lambda f: f.__name__)
def test_lists(f, monkeypatch):
    check(f, [(X, n) for n in (4, 7, 1, 0, 3)], monkeypatch)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", FITTING + OTHERS, ids=lambda f: f.__name__)
def test_evaluated(f):
    if f not in (ragged_array, past_the_end):
        require_evaluated(f, X.copy(), 4)


@pytest.mark.drawn(of=9)
@pytest.mark.slow
@pytest.mark.parametrize("f", FITTING, ids=lambda f: f.__name__)
def test_no_list_is_left(f):
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    derivative(X.copy(), 4)
    text = [line.partition("#")[0] for line in derivative.source.splitlines()]
    assert not [line for line in text if "append" in line or "_within" in line]


@pytest.mark.drawn(of=3)
@pytest.mark.slow
@pytest.mark.parametrize("f", [path, gram, table], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    found = ast_ad.hessian(f, backend="numba")(X, 3)
    np.testing.assert_allclose(found, ast_ad.hessian(f, backend="numpy")(X, 3), rtol=1e-9, atol=1e-10)
