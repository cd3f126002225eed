"""Are lists that become arrays in kernels still lists: in loops, branches, when they grow or are empty?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code
from tests.compiler.loops.list_programs import require_evaluated

pytestmark = [
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),  # some are traced: right all the same
    pytest.mark.filterwarnings("ignore:(overflow|invalid value|divide by zero) encountered:RuntimeWarning"),
]
X = np.random.default_rng(3).normal(size=5)


def recurrent(x, n):
    hs = [x]
    for i in range(n):
        hs.append(np.tanh(hs[-1] * x + 0.1 * i))
    s = 0.0
    for h in hs:
        s += np.sum(h * h)
    return s + len(hs) * hs[0][1] + hs[len(hs) // 2][0]


def numbers(x, n):
    acc, y, k = [], x[0], 0
    while k < n:
        y = 3.5 * y * (1 - y) * 0.5 + x[k % 5]
        if y > 0.3:
            acc.append(y)
        elif y < -3.0:
            break
        k += 1
    total = 0.0
    for a in acc:
        total += a * a
    return total / (len(acc) + 1.0)


def stacked(x, n):
    rows = []
    for i in range(n):
        rows.append(np.sin(x * i))
    y = np.stack(rows)
    return np.sum(y @ y.T)


def as_an_array(x, n):
    ys = [v * v for v in x[:n]]
    return np.sum(np.array(ys) ** 2) + np.sum(np.array([]))


def overwritten_after(x, n):
    a, rows = x.copy(), []
    for i in range(n):
        rows.append(a[:3])
        rows.append(a[1:4].copy())
        a[i % 5] *= 2.0
    return np.sum(np.array(rows) ** 2 * np.arange(1, 4))


def two_names(x, n):
    xs = [x[0]]
    ys = xs
    for i in range(n):
        ys.append(xs[-1] * x[i % 5])
        xs.append(ys[0] + 1.0)
    return ys[-1] * len(xs) + xs[1] if n else xs[0]


def one_for_each_turn(x, n):
    s = 0.0
    for i in range(n):
        inner = []
        for j in range(i):
            inner.append(x[j % 5] * i)
        s += sum(inner) + np.sum(np.array(inner) ** 2)
    return s


def chosen(x, n):
    xs, ys = [x[0]], [x[1], x[2]]
    zs = xs if n % 2 else ys
    for i in range(n):
        zs.append(zs[-1] * x[3] + i)
    return zs[-1] + zs[0] * len(zs) + xs[0] + ys[-1]


def at_places(x, n):
    xs = [x[0], x[1], x[2]]
    for i in range(n):
        xs.append(xs[i] * xs[-2] + xs[i - 1])
    return xs[-1] * xs[n]


def past_the_end(x, n):
    xs = [x[0], x[1]]
    for i in range(n):
        xs.append(x[0] * xs[2 * i])
    return xs[-1]


def of_none(x, n):
    xs = []
    for i in range(n - 1):
        xs.append(x[i] * 2)
    return xs[-1] * x[0]


def of_one_kind_only(x, n):
    xs = [0.0]
    for i in range(n):
        xs.append(xs[-1] / 2.0 + x[i % 5])
    return xs[-1] * xs[-1]


def complex_ones(x, n):
    zs = [x[0] + 1j * x[1]]
    for _ in range(n):
        zs.append(zs[-1] * zs[0] * 0.9)
    return np.abs(zs[-1]) ** 2 + zs[-1].real


# ----- for which there is no form: they stay lists
def set_and_popped(x, n):
    xs = [x[0], x[1]]
    for i in range(n):
        xs.append(xs[-1] * x[2])
        xs[0] = xs[0] + xs[-1]
        if i % 3 == 2:
            xs[1] += xs.pop()
    return xs[0] * xs[1] + len(xs)


def ragged(x, n):
    xs = []
    for i in range(n):
        xs.append(x[: i % 4 + 1] * i)
    return sum(np.sum(v**2) for v in xs) + xs[0][0]


def zipped(x, n):
    xs, ys = [], []
    for i in range(n):
        xs.append(x[i % 5])
        ys.append(x[i % 5] ** 2)
    s = 0.0
    for i, (a, b) in enumerate(zip(xs, ys, strict=False)):
        s += a * b * i
    return s + sum(xs[1:]) + (xs + ys)[-1]


def inner_lists(x, n):
    rows = []
    for i in range(n):
        rows.append([x[0] * i, x[1]])
    return sum(a * b for a, b in rows) + np.sum(np.array(rows) ** 2)


def whole_numbers(x, n):
    places = []
    for i in range(n):
        places.append(i % 5)
    return np.sum(x[places] ** 2) + x[places[-1]]


# ----- what looks like one kind, and is several
def mixed(x, n):
    xs = [x[0]]
    for i in range(n):
        v = 2.0 if i % 2 else x[i % 5]
        xs.append(v)
    return xs[-1] * xs[1]


def two_in_one_array(x, n):
    xs, ys = [], []
    for i in range(n):
        xs.append(x[i % 5])
        ys.append(x[i % 5] ** 2)
    return np.sum(np.stack((xs, ys)) ** 2) + np.sum(np.array([xs, ys]))


def a_complex_cotangent(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    return np.abs(np.sum(np.array(xs) * (1 + 2j)))


def divided_by_pythons_zero(x, n):
    xs = [1.0]
    for _ in range(n):
        xs.append(xs[-1] - 1.0)
    return x[0] / xs[n]


def joined(x, n):
    xs = []
    for i in range(n):
        xs.append(x * i)
    return np.sum(np.vstack(xs) ** 2) + np.sum(np.concatenate(xs) ** 3) + np.sum(np.stack(xs, axis=1)[0] ** 2)


def read_twice(x, n):
    xs = [x]
    for _ in range(n):
        xs.append(np.sin(xs[-1]) * xs[0])
    a = np.array(xs)
    b = np.array(xs[:]) if n % 2 else np.stack(xs)
    xs.append(x)
    return np.sum(a * b) + np.sum(xs[-1] * xs[-2])


def made_by_branches(x, n):
    xs = [x]
    for i in range(n):
        if x[i % 5] > 0:
            ys = [x * 2, x]
        else:
            ys = [x]
        xs.append(ys[-1] * ys[0] + len(ys))
    return np.sum(np.array(xs) ** 2)


def matrices(x, n):
    ms = [np.outer(x, x)]
    for _ in range(n):
        ms.append(ms[-1] @ ms[0] * 0.1)
    return np.sum(ms[-1]) + np.sum(np.array(ms)[1:] ** 2)


def turned_and_cut(x, n):
    xs = [x]
    for i in range(n):
        xs.append(xs[-1] * x * 0.5 + i)
    ys = xs[1:]
    ys.reverse()
    s = 0.0
    for k, y in enumerate(ys[::2]):
        s += np.sum(y * y) * k
    ys.append(x)
    return s + np.sum(ys[-1] * xs[-1]) + len(ys[3:1]) + np.sum(xs[::-1][0])


def set_at_places(x, n):
    xs = [0.0 * x[0], x[1]]
    for i in range(n):
        xs.append(x[i % 5] * xs[-1])
    for i in range(n):
        xs[i] = xs[i + 1] * xs[-1]
        xs[-2] = x[0] * xs[-2]
    return xs[0] * xs[1] + sum(xs)


def set_past_the_end(x, n):
    xs = [x[0], x[1]]
    for i in range(n):
        xs.append(x[2])
        if i == 3:
            xs[len(xs)] = x[0]
    return xs[0]


def emptied(x, n):
    xs = [x[0] * 2.0]
    for i in range(n):
        if i % 2:
            xs.append(xs[-1] * x[i % 5])
        else:
            last = xs.pop()
            xs.append(last * x[1])
    for _ in range(len(xs) - 1):
        xs.pop()
    if n == 17:
        xs.pop()
        xs.pop()
    return xs[0] ** 2


def joined_lists(x, n):
    xs, ys = [x[0]], [x[1]]
    for i in range(n):
        xs.append(xs[-1] * x[2])
        ys.append(ys[-1] + x[i % 5])
    zs = xs + ys
    zs.append(zs[0] * zs[-1])
    return zs[-1] * zs[n] + sum(zs) + len(xs + zs)


def filled(x, n):
    """Whose cotangents are one array for each element."""
    xs = []
    for i in range(n):
        xs.append(x * i)
    return np.sum(sum(xs) ** 2) if n else 0.0 * x[0]


def made_on_one_path(x, n):
    if n > 2:
        xs = []
        for i in range(n):
            xs.append(x[i % 5])
    s = np.sum(x)
    if n > 2:
        s += xs[-1] ** 2 + len(xs)
    return s


def last_few(x, n):
    """A window that moves: its cotangents enter where it lost its numbers."""
    window, t = [], 0.0
    for i in range(n):
        window.append(x[i % 5])
        if len(window) > 3:
            window.pop(0)
        mean = 0.0
        for v in window:
            mean += v / len(window)
        t += (mean - x[0]) ** 2
    return t


def moving_mean(x, n):
    window, t = [], 0.0
    for i in range(n):
        window.append(x[i % 5])
        if len(window) > 3:
            window.pop(0)
        t += (sum(window) / len(window) - x[0]) ** 2
    return t


def lagged(x, n):
    """A list of three numbers that is read at any place."""
    before, t = [0.0] * 3, 0.0
    for i in range(n):
        told = sum([x[k] * before[k] for k in range(3)])
        t += (x[i % 5] - told) ** 2
        before = [x[i % 5]] + before[:2]
    return t


def packed(x, n):
    """A table of as many numbers as an argument says."""
    best, last = [0.0] * (n + 1), [1.5] * (n - 2)
    for i in range(5):
        for c in range(n, i, -1):
            best[c] = max(best[c], best[c - i - 1] + x[i])
    return best[n] + sum(best[:3]) + len(last) * x[0]


def halved(x, n):
    """A stack of intervals that are divided: Python's numbers and NumPy's meet in its cotangents."""
    stack, t = [(float(x[0]), float(x[1]))], 0.0
    while stack:
        a, b = stack.pop()
        if abs(b - a) * n < 4.0:
            t += np.sin(a * b)
        else:
            stack.append((a, (a + b) / 2))
            stack.append(((a + b) / 2, b))
    return t


MORE = [
    turned_and_cut,
    set_at_places,
    set_past_the_end,
    emptied,
    joined_lists,
    filled,
    made_on_one_path,
    mixed,
    two_in_one_array,
    a_complex_cotangent,
    divided_by_pythons_zero,
    joined,
    read_twice,
    made_by_branches,
    matrices,
]
FITTING = [
    last_few,
    moving_mean,
    lagged,
    packed,
    halved,
    recurrent,
    numbers,
    stacked,
    as_an_array,
    at_places,
]
OTHERS = [
    past_the_end,
    of_one_kind_only,
    complex_ones,
    overwritten_after,
    one_for_each_turn,
    two_names,
    chosen,
    of_none,
    set_and_popped,
    ragged,
    zipped,
    inner_lists,
    whole_numbers,
]


def differences(f, n):
    found = np.zeros(5)
    for i in range(5):
        e = np.eye(5)[i] * 1e-6
        found[i] = (f(X + e, n) - f(X - e, n)) / 2e-6
    return found


@pytest.mark.drawn(of=18)
@pytest.mark.slow
@pytest.mark.parametrize("f", FITTING + OTHERS + MORE, ids=lambda f: f.__name__)
def test_lists(f, monkeypatch):
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    plain = ast_ad.value_and_grad(f, backend="numpy", check=False)
    for n in (4, 40, 1, 0, 17):
        try:
            expected = f(X, n)
        except (IndexError, ValueError, ZeroDivisionError) as error:
            with pytest.raises(type(error)):
                derivative(X.copy(), n)
            continue
        value, found = derivative(X.copy(), n)
        if not np.isfinite(expected):
            continue
        np.testing.assert_allclose(value, expected, rtol=1e-10)
        np.testing.assert_allclose(found, plain(X.copy(), n)[1], rtol=1e-9, atol=1e-12)
        if np.max(np.abs(found)) < 1e3:
            np.testing.assert_allclose(found, differences(f, n), rtol=1e-5, atol=1e-5)


@pytest.mark.drawn(of=3)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", FITTING + OTHERS + MORE, ids=lambda f: f.__name__)
def test_evaluated(f):
    require_evaluated(f, X.copy(), 4)


@pytest.mark.drawn(of=5)
@pytest.mark.slow
@pytest.mark.parametrize("f", FITTING, ids=lambda f: f.__name__)
def test_no_list_is_left(f):
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    derivative(X.copy(), 4)
    code = [line.partition("#")[0] for line in derivative.source.splitlines()]
    assert not any("append" in line or "list_" in line for line in code)


@pytest.mark.drawn(of=3)
@pytest.mark.slow
@pytest.mark.parametrize("f", [recurrent, numbers, stacked, at_places], ids=lambda f: f.__name__)
def test_second_derivatives(f):
    found = ast_ad.hessian(f, backend="numba")(X.copy(), 3)
    np.testing.assert_allclose(found, found.T, rtol=1e-9, atol=1e-9)
    gradient = ast_ad.grad(f, backend="numpy")
    for i in range(5):
        e = np.eye(5)[i] * 1e-5
        column = (gradient(X + e, 3) - gradient(X - e, 3)) / 2e-5
        np.testing.assert_allclose(found[:, i], column, rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_single_precision():
    x = X.astype(np.float32)
    value, found = ast_ad.value_and_grad(recurrent, backend="numba", check=False)(x, 4)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, ast_ad.grad(recurrent, backend="numpy")(x, 4), rtol=1e-4)


@pytest.mark.slow
def test_arguments_length():
    """Rows of the length of an argument, and a pullback, whose tape is kept."""

    def f(x, w):
        hs = [w @ x]
        for _ in range(20):
            hs.append(np.sin(w @ hs[-1]))
        return np.mean(np.array(hs) ** 2, axis=0)

    w = np.random.default_rng(5).normal(size=(5, 5)) * 0.5
    value, pull = ast_ad.vjp(f, X, w, backend="numba")
    np.testing.assert_allclose(value, f(X, w), rtol=1e-12)
    expected = ast_ad.vjp(f, X, w, backend="numpy")[1](np.arange(5.0))
    for a, b in zip(pull(np.arange(5.0)), expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
