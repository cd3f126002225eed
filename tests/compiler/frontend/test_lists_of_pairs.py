"""Are long lists of ints, and of tuples of numbers, read when a program runs, given and from outside?"""

import numpy as np
import pytest

import ast_ad

X = np.random.default_rng(0).normal(size=(20, 2))
EDGES = [(i, (7 * i + 3) % 20) for i in range(20)] + [(i, (i + 1) % 20) for i in range(20)]
WEIGHTED = [(i, j, 0.1 * i) for i, j in EDGES]
LISTS = [
    EDGES, EDGES[::-1], [(j, i) for i, j in EDGES] + EDGES[:3], EDGES[:18], EDGES[:5],
    [(np.int64(i), j) for i, j in EDGES], [[i, j] for i, j in EDGES],
]  # fmt: skip


def springs(x, edges):
    total = 0.0
    for k, (i, j) in enumerate(edges):
        d = x[i] - x[j]
        total += (np.sqrt(d @ d + 0.1) - 1.0) ** 2 * (k + 1)
    return total


def by_places(x, edges):
    total = x[edges[3][0], 0] * x[edges[-1][1], 1] * len(edges) + np.sum(x[edges[0][0]])
    for (i, j), (k, m) in zip(edges, edges[1:]):
        total += x[i, 0] * x[m, 1] - x[j, 0] * x[k, 1]
    return total


def comprehensions(x, edges):
    found = sum([np.sum((x[i] - x[j]) ** 2) for i, j in edges])
    return found + sum(x[a, 0] * x[b, 1] for a, b in edges[2:5]) + len({i for i, _ in edges}) * x[0, 0]


def as_arrays(x, edges):
    pairs = np.array(edges)
    i, j = zip(*edges)
    return np.sum((x[pairs[:, 0]] - x[pairs[:, 1]]) ** 3) + np.sum(x[list(i)] * x[list(j)])


def neighbours(x, edges):
    beside = {}
    for i, j in edges:
        beside.setdefault(i, []).append(j)
    total = 0.0
    for i in beside:
        for j in beside[i]:
            total += x[i, 0] * x[j, 1]
    return total


def members(x, edges):
    total = x[0, 0] * 0.0
    for i in range(5):
        for j in range(20):
            if (i, j) in edges:
                total = total + x[i, 0] * x[j, 1]
    for k, (i, j) in enumerate(sorted(edges)):
        total += k * x[i, 0] * x[j, 1]
    return total


def stopping(x, edges):
    k, total = 0, 0.0
    while k < len(edges) and total < 20:
        i, j = edges[k]
        total += abs(x[i, 0] * x[j, 1]) + 0.1
        k += 2
    return total


def in_between(x, edges):
    edges.append((1, 2))
    total = springs(x, edges)
    edges.pop()
    return total


def from_outside(x, edges):
    return springs(x, EDGES) + sum(w * x[i, 0] * x[j, 1] for i, j, w in WEIGHTED) + len(edges) * x[0, 0]


PROGRAMS = [
    springs, by_places, comprehensions, as_arrays, neighbours, members, stopping, in_between, from_outside,
]  # fmt: skip


@pytest.mark.drawn(of=36)
@pytest.mark.slow
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", PROGRAMS)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_gradients(function, backend):
    pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(function, backend=backend)
    step = 1e-6 * np.cos(np.arange(40.0)).reshape(20, 2)
    for edges in LISTS if function is not as_arrays else LISTS[:5]:
        given = list(edges)
        value, slope = derivative(X, given)
        assert given == list(edges)
        assert value == pytest.approx(function(X, list(edges)), rel=1e-12)
        difference = function(X + step, list(edges)) - function(X - step, list(edges))
        assert np.sum(slope * step) == pytest.approx(difference / 2, rel=1e-5, abs=1e-11)


@pytest.mark.slow
def test_the_program_is_no_longer_for_more_pairs():
    derivative = ast_ad.value_and_grad(springs, backend="numpy", fallback="error")
    derivative(X, EDGES)
    lines = derivative.source.count("\n")
    derivative(X, EDGES * 20)
    assert derivative.source.count("\n") == lines < 40 and "edges" in derivative.source


@pytest.mark.slow
def test_kernels_have_columns():
    pytest.importorskip("numba")
    derivative = ast_ad.value_and_grad(springs, backend="numba", fallback="error")
    value, slope = derivative(X, EDGES)
    assert value == pytest.approx(springs(X, EDGES), rel=1e-12)
    driver = derivative.source.split("def springs_value_and_grad(")[1]
    assert "for " not in driver and "own_column(edges" in driver and "NumPy code" not in derivative.explain()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_row_of_another_kind_is_seen(monkeypatch):
    monkeypatch.setattr(f"{__name__}.WEIGHTED", list(WEIGHTED))
    for backend in ("numpy", "numba"):
        derivative = ast_ad.value_and_grad(from_outside, backend=backend)
        for row in ((1, 2, 0.5), (1, 2, 3), (1, 2, True), (1, 2, np.float32(0.3)), (1, 2, 0.7)):
            WEIGHTED[3] = row
            assert derivative(X, EDGES)[0] == pytest.approx(from_outside(X, EDGES), rel=1e-12)
        WEIGHTED[3] = (1, 2, 0.5, 9)
        with pytest.raises(ValueError, match="too many values"):
            derivative(X, EDGES)
        WEIGHTED[3] = (1, 2, 0.5)


def growing(x, edges):
    edges.append((0, 1))
    return springs(x, edges)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_argument_stays_as_it_was():
    edges = list(EDGES)
    derivative = ast_ad.value_and_grad(growing)
    for _ in range(3):
        assert derivative(X, edges)[0] == pytest.approx(growing(X, list(edges)), rel=1e-12)
        assert edges == EDGES


def test_a_list_of_ints_has_no_derivative():
    with pytest.raises(ast_ad.AdError, match="edges"):
        ast_ad.grad(springs, argnums=1)(X, EDGES)
