"""Are structured arrays followed, by the compiler and in traces: fields, and records that show them?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.tracing import trace

PARTICLE = np.dtype([("pos", "f8", (2,)), ("vel", "f8", (2,)), ("mass", "f8")])
PAIR = [("a", "f8"), ("b", "f8")]
TABLE = np.array([(0.5, 2), (1.5, 3), (2.5, 4)], dtype=[("t", "f8"), ("n", "i8")])


def fields_written(x):
    p = np.zeros(3, dtype=PARTICLE)
    p["pos"] = x
    p["vel"][1] = x * 2
    p["mass"] = 0.5
    p["mass"][0] = x[0]
    p["vel"] += 0.1 * p["pos"]
    return np.sum(p["pos"] ** 2) + p["vel"].sum() * p["mass"][0] + p["mass"][1]


def rows_written(x):
    p = np.empty(2, dtype=[("a", "f8"), ("b", "f8")])
    for i, row in enumerate(p):
        row["a"] = x[i] * (i + 1)
        row["b"] = np.sin(x[i])
    return (p["a"] * p["b"]).sum()


def made_of_tuples(x):
    p = np.array([(x[0], 1.0), (x[1], x[0])], dtype=PAIR)
    q = p.copy()
    q["a"] *= 2
    q[0] = p[1]
    q[1] = (x[0] * x[1], 3.0)
    return np.dot(p["a"], q["b"]) + q["a"].sum() ** 2


def outside_by_rows(x):
    total = 0.0
    for t, n in TABLE:
        total += np.exp(-x[0] * t) * n * x[1]
    return total


def outside_by_fields(x):
    late = TABLE[TABLE["n"] > 2]
    return np.sum(x[0] * TABLE["t"] ** 2 * late["t"].sum()) + x[1] * len(TABLE) * TABLE.shape[0] * TABLE.size


def slices_show_the_array(x):
    p = np.zeros(4, PARTICLE)
    q = p[1:3]
    q["mass"] += x
    p[-1]["mass"] = x[0] * x[1]
    some = p[["mass", "vel"]]
    some["mass"][0] = x[1]
    return np.sum(p["mass"] ** 2 * np.arange(1.0, 5.0))


def alike(x):
    p = np.zeros(3, PARTICLE)
    q = np.zeros_like(p)
    q["mass"][1:] = x
    weight = 2.0 if isinstance(q, np.ndarray) else 5.0
    return np.sum(q["mass"]) ** 2 * weight * len(q.dtype.names)


def of_complex_numbers(x):
    p = np.zeros(2, dtype=[("a", "f8"), ("c", "c16")])
    p["c"] = x * 1j + 1
    p["a"] = abs(p["c"])
    return p["a"].sum()


def of_two_axes(x):
    p = np.ones((2, 2), dtype=[("a", "f8"), ("k", "i4")])
    p["a"][0] = x
    p[1, 0] = (x[0] * 3, 1)
    p["k"] += 2
    return np.sum(p["a"] * p["k"]) + p[0, 1]["a"] ** 2


def sorted_by_a_field(x):
    p = np.zeros(3, PARTICLE)
    for k in range(3):
        p[k]["pos"] += x * k
        p[k]["mass"] = p[k - 1]["mass"] + x[0]
    s = p[np.argsort(p["mass"])[::-1]]
    return s[0]["pos"] @ s["pos"][1] + s["mass"] @ np.arange(3.0)


def masked_copies(x):
    p = np.zeros(3, dtype=PAIR)
    p["a"][:2] = x
    chosen = p[p["a"] > 0.5]
    chosen["b"] = chosen["a"] * x[0]
    a, b = p[0]
    return chosen["b"].sum() + p["b"].sum() + a * 2.0 + b


def by_class(x):
    p = np.zeros(2, dtype=PAIR)
    p["a"] = x[0]
    return np.sum(p["a"]) * (type(p) is np.ndarray) + x[1] * (type(p[0]) is np.void)


COMPILED = [
    by_class,
    fields_written, rows_written, made_of_tuples, outside_by_rows, outside_by_fields, slices_show_the_array,
    alike, of_complex_numbers, of_two_axes, sorted_by_a_field, masked_copies,
]  # fmt: skip
X = np.array([0.6, 1.3])


def differences(f):
    return [(f(X + e) - f(X - e)) / 2e-6 for e in 1e-6 * np.eye(2)]


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_compiled(f, backend):
    value, gradient = ast_ad.value_and_grad(f, backend=backend, fallback="error")(X)
    assert value == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(gradient, differences(f), rtol=1e-6, atol=1e-8)


@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_traced(f):
    value, pullback = trace(f, (X.copy(),), {}, (0,))
    assert value == pytest.approx(f(X), rel=1e-12)
    np.testing.assert_allclose(pullback([1.0])[0], differences(f), rtol=1e-6, atol=1e-8)


@pytest.mark.slow
def test_what_stands_outside_is_read_at_every_call():
    gradient = ast_ad.grad(outside_by_rows)
    before = gradient(X)
    TABLE["n"] *= 2
    try:
        np.testing.assert_allclose(gradient(X), 2 * before)
    finally:
        TABLE["n"] //= 2


class Kept:
    last: object = None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_is_stored_outside_is_an_array_of_numpys():
    kept = Kept()

    def f(x):
        p = np.zeros(2, dtype=PAIR)
        p["a"] = x
        kept.last = p
        return p["a"].sum() * x[0]

    gradient = ast_ad.grad(f)
    for _ in range(2):
        kept.last = None
        np.testing.assert_allclose(gradient(X), [2 * X[0] + X[1], X[0]])
        assert type(kept.last) is np.ndarray
        assert kept.last.tolist() == [(0.6, 0.0), (1.3, 0.0)]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_two_that_may_share_memory_are_not_stored():
    kept = Kept()

    def f(x):
        p = np.zeros(2, dtype=PAIR)
        p["a"] = x
        kept.last = p, p[1:]
        return p["a"].sum()

    with pytest.raises(ast_ad.UnsupportedError, match="several structured arrays that outlive"):
        ast_ad.grad(f)(X)


def returned(x):
    p = np.zeros(2, dtype=PAIR)
    p["a"] = x
    return p


def summed(x):
    return returned(x).sum()


def viewed(x):
    return returned(x).view(np.recarray).a.sum()


def whole(x):
    return np.sum(np.sort(returned(x), order="a")["a"])


def equal_rows(x):
    p = np.array([(x[0], 1.0), (x[0], 1.0)], dtype=PAIR)
    return x[0] * (2.0 if p[0] == p[1] else 3.0)


def different_arrays(x):
    p = np.array([(x[0], 1.0), (x[0], 1.0)], dtype=PAIR)
    return np.sum(p != p.copy()) + x[0]


def truth(x):
    p = np.array([(x[0], 1.0)], dtype=PAIR)
    return x[0] if p[0] else x[1]


@pytest.mark.slow(beyond=1)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "f", [summed, viewed, whole, equal_rows, different_arrays, truth], ids=lambda f: f.__name__
)
def test_what_is_not_followed_is_told(f):
    for fallback in ("trace", "error"):
        with pytest.raises((ast_ad.UnsupportedError, ast_ad.MissingRuleError)):
            ast_ad.grad(f, fallback=fallback)(X)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_result_is_none():
    with pytest.raises(ast_ad.InputTypeError, match="structured array that the function makes"):
        ast_ad.vjp(returned, X)
    with pytest.raises(ast_ad.UnsupportedError, match="a structured array that leaves the function"):
        ast_ad.vjp(returned, X, fallback="error")


class Song:
    plays = "loud"

    def __init__(self, length):
        self.length = length


@pytest.mark.parametrize("fallback", ["error", "trace"])
def test_a_class_of_the_users_may_have_attributes_of_any_name(fallback):
    def f(x):
        song = Song(x[0])
        return song.length * len(song.plays) + x[1] * (type(song) is Song) + isinstance(song, (int, str))

    assert ast_ad.value_and_grad(f, fallback=fallback, check=False)(X)[0] == f(X)
