"""Are ints under names outside constants of kernels, and only as long as they stay the same?"""

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba", reason="kernels are compiled by Numba, which is an extra")

N = 3
CALLS = 0
X = np.random.default_rng(8).normal(size=9)


def halves(x):
    left, right = x[:N], x[N:]
    return np.sum(left**2) * np.sum(np.sin(right)) + N * x[0]


def counted(x):
    global CALLS
    CALLS += 1
    return np.sum(x[: CALLS % 4] ** 3) + CALLS * x[-1]


def programs(derivative):
    return [program for tier in derivative._tiers.values() for program in tier.programs]


def check(derivative, f, x):
    value, found = derivative(x)
    assert value == pytest.approx(f(x), rel=1e-12)
    np.testing.assert_allclose(found, ast_ad.grad(f, backend="numpy", check=False)(x), rtol=1e-12)


def test_a_size_is_a_constant_until_it_changes(monkeypatch):
    derivative = ast_ad.value_and_grad(halves, backend="numba", check=False)
    check(derivative, halves, X)
    check(derivative, halves, X)
    assert "N = 3" in derivative.explain() and len(programs(derivative)) == 1
    for n in (4, 3, 5, 0, -2, 12, 4, 1):
        monkeypatch.setitem(globals(), "N", n)
        check(derivative, halves, X)
    assert len(programs(derivative)) == 2  # one with the constant, and one for all others


@pytest.mark.parametrize("other", [3.0, True, np.int64(3)])
def test_another_type_is_another_program(monkeypatch, other):
    derivative = ast_ad.value_and_grad(halves, backend="numba", check=False)
    check(derivative, halves, X)
    monkeypatch.setitem(globals(), "N", other)
    try:
        halves(X)
    except TypeError:
        with pytest.raises(TypeError):
            derivative(X)
    else:
        check(derivative, halves, X)


def test_a_counter_that_the_function_itself_moves():
    global CALLS
    derivative = ast_ad.value_and_grad(counted, backend="numba", check=False)
    CALLS = 0
    for k in range(1, 9):
        value, found = derivative(X)
        assert CALLS == k
        expected = np.zeros(9)
        expected[: k % 4] = 3 * X[: k % 4] ** 2
        expected[-1] += k
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert value == pytest.approx(np.sum(X[: k % 4] ** 3) + k * X[-1], rel=1e-12)
    assert len(programs(derivative)) <= 2


def test_closures_have_their_own():
    def made(n):
        def f(x):
            return np.sum(x[:n] ** 2) + n * np.sum(x[n:])

        def renew(m):
            nonlocal n
            n = m

        return f, renew

    (f, renew), (g, _) = made(2), made(5)
    first, second = (ast_ad.value_and_grad(h, backend="numba", check=False) for h in (f, g))
    for _ in range(2):
        check(first, f, X)
        check(second, g, X)
    for n in (7, 2, 0):
        renew(n)
        check(first, f, X)
        check(second, g, X)
    assert len(programs(first)) == 2 and not programs(second)  # which takes what functions of its code share


SHIFTS, TABLE = [1, -2, 3], ((0, 4), [2, 1])


def shifted(x):
    total = 0.0
    for k, shift in enumerate(SHIFTS):
        total += (k + 1) * np.sum(x * np.roll(x, shift) ** 2)
    return total + x[TABLE[0][1]] * x[TABLE[1][0]]


def test_items_of_lists_are_constants_until_one_changes(monkeypatch):
    monkeypatch.setattr(f"{__name__}.SHIFTS", SHIFTS.copy())
    monkeypatch.setattr(f"{__name__}.TABLE", (TABLE[0], TABLE[1].copy()))
    derivative = ast_ad.value_and_grad(shifted, backend="numba", check=False)
    check(derivative, shifted, X)
    assert "if " not in derivative.source  # about signs of shifts
    for k, shift in [(0, -1), (2, 0), (1, 11), (0, 1)]:
        SHIFTS[k] = shift
        check(derivative, shifted, X)
    TABLE[1][0] = 8
    check(derivative, shifted, X)
    assert len(programs(derivative)) == 2


def marked(x):
    SHIFTS[0] += 1
    return np.sum(np.roll(x, SHIFTS[0])[:4] ** 2)


def test_an_item_that_the_function_itself_changes(monkeypatch):
    monkeypatch.setattr(f"{__name__}.SHIFTS", [0, 5])
    derivative = ast_ad.grad(marked, backend="numba", check=False)
    for k in range(1, 6):
        expected = np.roll(np.where(np.arange(9) < 4, 2 * np.roll(X, k), 0.0), -k)
        np.testing.assert_allclose(derivative(X), expected, rtol=1e-12)
        assert SHIFTS == [k, 5]
    assert len(programs(derivative)) <= 2


LINKS = [-1, 0, 1, 1, 0, 4, 5, 5, 2, 8, 9, 3, 11, 12, 6, 14, 15, 7]


def chain(x):
    """Each link stands on another one, which a list from outside tells."""
    places = []
    for k, link in enumerate(LINKS):
        place = np.array([np.cos(x[k % 9]), np.sin(x[k % 9])])
        places.append(place if link < 0 else places[link] + place * x[0])
    return np.sum(places[-1] * places[3]) + places[10][0]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_loop_over_a_longer_list_of_numbers_stays_one(monkeypatch, backend):
    monkeypatch.setattr(f"{__name__}.LINKS", LINKS.copy())
    derivative = ast_ad.value_and_grad(chain, backend=backend)
    for place, link in [(5, 3), (7, 0), (0, -2)]:
        value, found = derivative(X)
        assert value == pytest.approx(chain(X), rel=1e-12)
        steps = 1e-6 * np.eye(9)
        expected = [(chain(X + step) - chain(X - step)) / 2e-6 for step in steps]
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8)
        LINKS[place] = link
    assert derivative.source.count("np.cos(" if backend == "numpy" else "= cos(") < 5
    LINKS.append(2)  # another length is no other program
    assert derivative(X)[0] == pytest.approx(chain(X), rel=1e-12)
    if backend == "numba":
        driver = derivative.source.split("def chain_value_and_grad(")[1]
        assert "for " not in driver and "own_numbers(LINKS" in driver


NODES = [0.1 * k for k in range(20)]
COUNTS = [1] * 20


def quadrature(x):
    total = 0.0
    for k, node in enumerate(NODES):
        total = total + np.sin(x * node) * COUNTS[k] + (COUNTS[-k] // 2) * x
    return total + x ** COUNTS[3] + len(NODES)


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("k", [3, 5])
def test_numbers_of_other_types_in_a_list(monkeypatch, k):
    monkeypatch.setattr(f"{__name__}.COUNTS", COUNTS.copy())
    derivative = ast_ad.value_and_grad(quadrature, backend="numba", check=False)
    for number in (1, 3, -2, 2.5, 1, True, 2**70, np.float64(1.7), np.int64(4), 2**62, 1):
        COUNTS[k] = number
        expected = quadrature(0.3), (quadrature(0.3 + 1e-6) - quadrature(0.3 - 1e-6)) / 2e-6
        np.testing.assert_allclose(derivative(0.3), expected, rtol=1e-6, err_msg=str(number))


def test_a_list_that_the_function_changes_is_left_to_python(monkeypatch):
    monkeypatch.setattr(f"{__name__}.NODES", NODES.copy())

    def moved(x):
        total = 0.0
        for k in range(len(NODES)):
            total += x * NODES[k]
            NODES[k] = NODES[k] + 1.0
        return total

    derivative = ast_ad.value_and_grad(moved, backend="numba")
    for turn in range(4):
        value, found = derivative(2.0)
        assert found == pytest.approx(19.0 + 20 * turn, rel=1e-12) and value == pytest.approx(2 * found)
        assert NODES[0] == turn + 1.0
