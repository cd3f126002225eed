"""Which loops are written out for keys made of the number of a pass, and is what they give right?"""

import numpy as np
import pytest

import ast_ad

W = {"W0": np.array([[0.5, -0.2], [0.3, 0.9]]), "W1": np.array([[1.1], [-0.4]]), "b0": 0.1, "b1": -0.3}
X = np.array([0.7, -1.2])
TABLE = {f"c{i}": 0.5 + i for i in range(4)}


def layers(p, x):
    for i in range(2):
        x = np.tanh(x @ p[f"W{i}"] + p["b" + str(i)])
    return np.sum(x)


def by_length(p, x):
    n = sum(1 for name in p if name.startswith("W"))
    for i in range(n):
        x = x @ p["W%d" % i] + p["b{}".format(i)]  # noqa: UP031, UP032 (as people write them)
    return np.sum(x**2)


def within_time(p, x):
    """The loop over time stays one."""
    total = 0.0
    for t in range(40):
        y = x
        for i in range(2):
            y = np.tanh(y @ p[f"W{i}"] + p[f"b{i}"])
        x = x + 0.01 * y * (t + 1)
        total = total + np.sum(y)
    return total


def time_within(p, x):
    """The inner loop stays one: the key is made of the outer one's number."""
    for i in range(2):
        for _ in range(40):
            x = x - 0.01 * np.sin(x) * np.sum(p[f"W{i}"])
        x = x * p[f"b{i}"]
    return np.sum(x)


def of_two_loops(p, x):
    q = {f"{i}{j}": p["W0"][i, j] for i in range(2) for j in range(2)}
    total = 0.0
    for i in range(2):
        for j in range(2):
            total += q[f"{i}{j}"] * x[i] * (j + 1)
            q[f"{i}{j}"] = total
    return total + q["01"] * q["10"]


def of_data(p, x):
    """Where the key depends on a value as well, the dict is one of keys known at run time."""
    d = {0: 1.0, 1: x[0], 2: x[1], 3: p["b0"]}
    total = 0.0
    for i in range(2):
        k = i + (1 if x[i] > 0 else 2)
        total += d[k] * (i + 1)
    return total


def with_an_argument(p, x, first):
    total = 0.0
    for i in range(2):
        total += p[f"b{i - first}"] * x[i]
    return total


def made_and_read(p, x):
    cache = {}
    h = x
    for i in range(2):
        cache[f"h{i}"] = h
        h = np.tanh(h @ p[f"W{i}"])
    total = np.sum(h)
    for i in reversed(range(2)):
        total = total + np.sum(cache[f"h{i}"] ** 2) * (i + 1)
    return total


def counted(p, x):
    seen = {}
    for i in range(6):
        key = i % 3
        seen[key] = seen.get(key, 0.0) + x[i % 2] * (i + 1)
    return seen[0] * seen[1] + seen[2] * p["b0"]


def left_early(p, x):
    total = 0.0
    for i in range(4):
        if f"b{i}" not in p:
            break
        total += p[f"b{i}"] * np.sum(x)
        if total > 10.0:
            return total
    else:
        return total * 2
    return total + i


def left_by_value(p, x):
    total = 0.0
    for i in range(2):
        total += p[f"b{i}"] * np.sum(x)
        if total < 0.0:
            break
        total *= 2
    return total * (i + 1)


def missing(p, x):
    total = 0.0
    for i in range(3):
        try:
            total += p[f"b{i}"] * x[0]
        except KeyError:
            total += 5.0 * x[1]
    return total


def long(p, x):
    """Too many passes: they stay a loop."""
    d = {k: x[0] * (k + 1) for k in range(40)}
    total = 0.0
    for k in range(40):
        total += d[k] ** 2
        d[k] = total
    return total + d[7] * p["b0"]


def wide(p, x):
    """Too much in each pass: written out, the program were twelve times as long."""
    years = {0: x[0]}
    for k in range(1, 13):
        a = years[k - 1]
        for _ in range(2):
            for q in (p["b0"], p["b1"], x[0], x[1]):
                a = np.tanh(a * q + np.sin(a) * np.cos(q)) + np.exp(-a * a) * q + a / (1.0 + a * a)
                a = a * 0.5 + np.arctan(a) * q - np.sqrt(1.0 + a * a) * 0.1 + np.log1p(a * a) * q
        years[k] = a
    return years[12] + years[3]


def none(p, x):
    total = p["b0"] * 1.0
    for i in range(0):
        total += p[f"W{i}"]
    return total * np.sum(x)


def nested(p, x):
    net = {f"layer{i}": {"W": p[f"W{i}"], "b": p[f"b{i}"]} for i in range(2)}
    for i, width in enumerate([2, 1]):
        layer = net[f"layer{i}"]
        x = x @ layer["W"] + layer["b"] * width
    return np.sum(x**2)


def popped(p, x):
    q = dict(p)
    total = 0.0
    for i in range(2):
        total += np.sum(q.pop(f"b{i}")) * x[i]
        q.setdefault(f"c{i}", total)
        q[f"W{i}"] = q[f"W{i}"] * total
    return total + q["c0"] * np.sum(q["W1"]) + len(q)


def by_helper(p, x):
    def layer(i, h):
        name = f"W{i}"
        return np.tanh(h @ p[name] + p[name.replace("W", "b")])

    def every(h):
        for i in range(2):
            yield layer(i, h if i == 0 else h)
            h = layer(i, h)

    return sum(np.sum(h) for h in every(x))


def from_outside(p, x):
    total = 0.0
    for i in range(4):
        total += TABLE[f"c{i}"] * x[i % 2] ** i
    return total * p["b1"]


def counted_down(p, x):
    i, total = 1, 0.0
    while i >= 0:
        total += p[f"b{i}"] * x[i]
        i -= 1
    return total


def in_place(p, x):
    state = {f"s{i}": np.zeros(2) for i in range(2)}
    for t in range(3):
        for i in range(2):
            s = state[f"s{i}"]
            s += x * p[f"b{i}"] * (t + 1)
            s[i] *= 1.5
    return np.sum(state["s0"] * state["s1"])


ALL = [
    layers,
    by_length,
    within_time,
    time_within,
    of_two_loops,
    of_data,
    made_and_read,
    counted,
    left_early,
    left_by_value,
    missing,
    long,
    wide,
    none,
    nested,
    popped,
    by_helper,
    from_outside,
    counted_down,
    in_place,
]


def differences(function, *args):
    """By each entry of the dict and by x, in order, from central differences."""
    p, x, *more = args
    found = []
    for name in [*p, None]:
        old = x if name is None else p[name]
        slope = np.zeros(np.shape(old))
        for place in np.ndindex(np.shape(old)):
            sides = []
            for step in (1e-6, -1e-6):
                new = np.array(old, float)
                new[place] += step
                new = new if np.ndim(old) else float(new)
                sides.append(function(*((p, new) if name is None else ({**p, name: new}, x)), *more))
            slope[place] = (sides[0] - sides[1]) / 2e-6
        found.append(slope)
    return found


def verify(function, backend, *more):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, fallback="error")
    value, (by_p, by_x) = derivative(W, X, *more)
    assert value == pytest.approx(function(W, X, *more), rel=1e-14)
    expected = differences(function, W, X, *more)
    for got, right in zip([*by_p.values(), by_x], expected, strict=True):
        np.testing.assert_allclose(got, right, rtol=1e-7, atol=1e-7)
    return derivative


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("function", ALL, ids=lambda f: f.__name__)
def test_values_and_gradients(function):
    verify(function, "numpy")


@pytest.mark.slow
def test_a_key_of_an_argument_and_a_number():
    derivative = verify(with_an_argument, "numpy", 0)
    with pytest.raises(KeyError, match="b-1"):
        derivative(W, X, 1)


@pytest.mark.slow
@pytest.mark.parametrize("function", [layers, within_time, time_within, nested], ids=lambda f: f.__name__)
def test_kernels_know_what_was_written_out(function):
    report = str(verify(function, "numba").explain())
    assert "what kernels don't know" not in report and "a value that kernels don't know" not in report


@pytest.mark.slow
def test_only_the_loop_that_makes_keys_is_written_out():
    source = ast_ad.grad(within_time)
    source(W, X)
    assert source.forward_source.count("for ") == 1
    source = ast_ad.grad(time_within)
    source(W, X)
    assert source.forward_source.count("for ") == 2  # the inner one, twice


@pytest.mark.slow
def test_a_long_body_is_not_written_out():
    derivative = ast_ad.grad(wide)
    derivative(W, X)
    assert derivative.forward_source.count("np.arctan") < 9


@pytest.mark.slow
def test_other_keys_at_the_next_call():
    derivative = ast_ad.grad(by_length)
    assert derivative(W, X).keys() == W.keys()
    one = {"W0": W["W0"], "b0": 0.2}
    got = derivative(one, X)
    np.testing.assert_allclose(got["W0"], np.outer(X, 2 * (X @ W["W0"] + 0.2)))
