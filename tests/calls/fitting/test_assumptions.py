"""What kernels take for granted: is it told, dropped where it does not hold, and is nothing done twice?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.fitting.assumptions import MOST_DROPPED, failed

pytest.importorskip("numba")
X = np.arange(1.0, 9.0)


def overflow(x, a, b):
    total = 0.0
    for i in range(3):
        total = total + x[i] * (a * b % 7)
    return total


def lengths(x, a, b):
    y = x[a:b] * x[b:]
    return np.sum(y * y)


def helper(v, a, b):
    return np.sum(v[a:b] * v[b:])


def in_a_helper(x, a, b):
    s = 0.0
    for k in range(2):
        s = s + helper(x * (k + 1.0), a, b)
    return s


def in_a_comprehension(x, a, b):
    rows = [x[a:b] * x[b:] * k for k in range(3)]
    return np.sum(rows[1]) + np.sum(rows[2] * x[a:b])


class Model:
    def __init__(self, a):
        self.a = a

    def product(self, x, b):
        return x[self.a : b] * x[b:]

    def loss(self, x, a, b):
        return np.sum(np.exp(-self.product(x, b)))


# a function, arguments for which all holds, arguments for which something does not
CASES = [
    (overflow, (3, 4), (2**40, 2**40 + 1), "no overflow"),
    (lengths, (0, 4), (0, 7), "equal lengths"),
    (in_a_helper, (0, 4), (0, 7), "equal lengths"),
    (in_a_comprehension, (0, 4), (0, 7), "equal lengths"),
    (Model(0).loss, (0, 4), (0, 7), "equal lengths"),
]
named = pytest.mark.parametrize(
    "function, holds, fails, kind", CASES, ids=lambda v: getattr(v, "__name__", "")
)


def agrees(gradient, function, *args):
    value, found = gradient(*args)
    expected, by_numpy = ast_ad.value_and_grad(function, backend="numpy", check=False)(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-12)
    np.testing.assert_allclose(value, function(*args), rtol=1e-12)
    np.testing.assert_allclose(found, by_numpy, rtol=1e-12)


@named
def test_what_does_not_hold_is_dropped_and_told(function, holds, fails, kind):
    gradient = ast_ad.value_and_grad(function, backend="numba")
    agrees(gradient, function, X, *holds)
    told = gradient.explain()
    assert gradient.backend == "numba" and f"assumes {kind} (line " in told and "dropped" not in told
    for args in (fails, holds, fails, holds):
        agrees(gradient, function, X, *args)
    told = gradient.explain()
    assert f"assumed {kind} (line " in told and "did not hold, dropped" in told


def steps(x, cut, k):
    """With a cutoff of singular values, which leaves one out or none."""
    total = 0.0
    for i in range(k):
        m = np.diag(x[:3] + i) + 0.1
        total += np.sum(np.linalg.pinv(m, rcond=cut) ** 2)
    return total + np.sum(np.exp(-x))


def test_what_a_function_that_kernels_call_does_not_compute_is_told_with_its_line():
    gradient = ast_ad.value_and_grad(steps, backend="numba")
    for cut in (1e-12, 0.6, 1e-12, 0.6):
        agrees(gradient, steps, X, cut, 3)
    told = gradient.explain()
    assert "assumed a case that kernels compute (`require_all_kept`) (line " in told
    assert "pinv(m, rcond=cut)" in told and "did not hold, dropped" in told and gradient.backend == "numba"


@pytest.mark.parametrize("function, holds, fails, kind", CASES[:2], ids=["overflow", "lengths"])
def test_it_is_compiled_again_once(function, holds, fails, kind, monkeypatch):
    from ast_ad.calls import pipeline

    compiled = []
    kernel_code = pipeline.kernel_code

    def counted(*args, **kwargs):
        compiled.append(kwargs.get("dropped"))
        return kernel_code(*args, **kwargs)

    monkeypatch.setattr(pipeline, "kernel_code", counted)
    gradient = ast_ad.value_and_grad(lambda x, a, b: function(x, a, b) + 0.0, backend="numba", check=False)
    for args in (holds, fails, holds, fails, fails, holds):
        gradient(X, *args)
    assert len(compiled) <= 1 + MOST_DROPPED
    before = len(compiled)
    for args in (holds, fails):
        gradient(X, *args)
    assert len(compiled) == before


def five(x, n):
    a = x[: n[0]] * x[n[1] :]
    b = x[: n[2]] * x[n[3] :]
    c = x[: n[4]] * x[n[5] :]
    d = x[: n[6]] * x[n[7] :]
    e = x[: n[8]] * x[n[9] :]
    return np.sum(a) + np.sum(b) + np.sum(c) + np.sum(d) + np.sum(e)


def test_four_times_at_most(monkeypatch):
    from ast_ad.calls import pipeline

    compiled = []
    kernel_code = pipeline.kernel_code
    monkeypatch.setattr(
        pipeline,
        "kernel_code",
        lambda *args, **more: compiled.append(1) or kernel_code(*args, **more),
    )
    gradient = ast_ad.value_and_grad(five, backend="numba")
    bounds = [4] * 10
    agrees(gradient, five, X, tuple(bounds))
    for k in range(5):
        bounds[2 * k + 1] = 7  # one element, which fits any number
        agrees(gradient, five, X, tuple(bounds))
    assert len(compiled) <= 1 + MOST_DROPPED
    agrees(gradient, five, X, tuple([4] * 10))


# ----- what was written outside is written once
def loud(x, a, b):
    print("before", a, b)
    y = x[a:b] * x[b:]
    print("between", len(y))
    total = np.sum(y * y)
    print("after")
    return total


def loud_loop(x, a, b):
    total = 0.0
    for k in range(3):
        print("turn", k)
        total = total + np.sum(x[a : b - k + 2] * x[b + k - 2 :])
    return total


def warns(x, a, b):
    warnings.warn("careful", UserWarning, stacklevel=2)
    return np.sum(x[a:b] * x[b:])


@pytest.mark.parametrize("function", [loud, loud_loop], ids=lambda f: f.__name__)
def test_prints_come_once(function, capsys):
    gradient = ast_ad.value_and_grad(function, backend="numba", check=False)
    for args in ((0, 4), (0, 7), (0, 4), (0, 7)):
        try:
            expected = function(X, *args)
        except ValueError:
            expected = None
        plain = capsys.readouterr().out
        if expected is None:
            with pytest.raises(ValueError):
                gradient(X, *args)
        else:
            np.testing.assert_allclose(gradient(X, *args)[0], expected)
        assert capsys.readouterr().out == plain


def test_warnings_come_once():
    gradient = ast_ad.value_and_grad(warns, backend="numba", check=False)
    for args in ((0, 4), (0, 7), (0, 4)):
        with pytest.warns(UserWarning) as told:
            gradient(X, *args)
        assert len([w for w in told if str(w.message) == "careful"]) == 1


def test_stored_kernels_tell_what_failed(tmp_path, monkeypatch):
    monkeypatch.setenv("AST_AD_CACHE_DIR", str(tmp_path / "cache"))
    for _ in range(2):
        gradient = ast_ad.value_and_grad(lengths, backend="numba", check=False)
        agrees(gradient, lengths, X, 0, 4)
        agrees(gradient, lengths, X, 0, 7)
        assert "assumed equal lengths (line " in gradient.explain()


def weighted(x, y, w):
    return np.sum(x * y) * np.sum(w)


def test_lengths_that_are_taken_for_granted_are_listed_and_so_are_those_that_are_not_any_more():
    gradient = ast_ad.value_and_grad(weighted, backend="numba", check=False)
    agrees(gradient, weighted, np.ones(40), np.ones(40), np.arange(3.0))
    told = gradient.explain()
    assert "assumes y.shape[0] == x.shape[0]: compared" in told
    assert "assumes w.shape[0] == 3: compared" in told and "dropped" not in told
    for n in range(4, 9):
        agrees(gradient, weighted, np.ones(40), np.ones(40), np.arange(float(n)))
    told = gradient.explain()
    assert "assumes y.shape[0] == x.shape[0]: compared" in told and "w.shape[0]" not in told
    assert "assumed small lengths that are constants: dropped" in told


def test_an_exception_of_the_users_by_that_name_is_none_of_ours():
    """Nothing is asked of its module, which need not have a file."""
    own = type("Mismatch", (Exception,), {"__module__": "typed_at_a_prompt"})
    assert failed(own(), len, "def kernel(x): return x") == []
