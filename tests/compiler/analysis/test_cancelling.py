"""Is a shift that cancels found, and never one that does not?"""

import math
import random

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.analysis import activity


# ----- what users write, in which nothing depends on the maximum
def softmax(x, w):
    m = np.max(x, axis=-1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / np.sum(e, axis=-1, keepdims=True)))


def logsumexp(x, w):
    m = x.max(axis=1)
    return np.sum(m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))) + np.sum(w**2)


def log_softmax(x, w):
    y = x - np.max(x, axis=0)
    return np.sum(w * (y - np.log(np.exp(y).sum(axis=0))))


def in_place(x, w):
    e = x.copy()
    e -= e.max(axis=1, keepdims=True)
    e = np.exp(e)
    e /= e.sum(axis=1, keepdims=True)
    return np.sum(e * w)


def all_numbers(x, w):
    top = np.max(x)
    return top + math.log(np.sum(np.exp(x - top))) + np.sum(w * x)


def two_numbers(x, w):
    a, b = x[0, 0], w[0, 0]
    m = max(a, b)
    return m + math.log(math.exp(a - m) + math.exp(b - m))


def elementwise(x, w):
    m = np.maximum(x, w)
    return np.sum(m + np.log(np.exp(x - m) + np.exp(w - m)))


def attention(x, w):
    scores = x @ x.T / 2.0
    e = np.exp(scores - scores.max(axis=1)[:, None])
    return np.sum(((e @ w) / e.sum(axis=1)[..., None]) ** 2)


def batched(x, w):
    q = np.stack([x, w])
    scores = q @ np.transpose(q, (0, 2, 1))
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.sum(np.sin(e @ q / e.sum(axis=-1, keepdims=True)))


def masked(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.where(w > 0.3, np.exp(x - m), 0.0)
    return np.sum(np.log(e.sum(axis=1)) + m[:, 0] * 1.0 - w[:, 0]) + np.sum(
        e / (e.sum(axis=1, keepdims=True))
    )


def recursion(x, w):
    a = x[0]
    for t in range(1, 4):
        s = a[:, None] + w[:, :4]
        m = np.max(s, axis=0)
        a = m + np.log(np.sum(np.exp(s - m), axis=0)) + x[t]
    top = a.max()
    return top + np.log(np.sum(np.exp(a - top)))


def powers(x, w):
    m = np.min(x, axis=1, keepdims=True)
    a, b = np.exp(2 * (x - m)), np.exp(m - x)
    return np.sum(a * b * b * w + np.exp(-m / 2) * np.exp(m * 0.5))


CANCEL = [
    *(softmax, logsumexp, log_softmax, in_place, all_numbers, two_numbers, elementwise),
    *(attention, batched, masked, recursion, powers),
]  # fmt: skip


# ----- near to it
def shifted(x, w):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.exp(x - m) * w)


def half(x, w):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(m / 2 + np.log(np.sum(w * np.exp(x - m), axis=1, keepdims=True)))


def other_axis(x, w):
    m = np.max(x, axis=0, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True)))


def all_of_rows(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / np.sum(e)))


def crosswise(x, w):
    m = np.max(x, axis=1)
    return np.sum((x - m) * w + m[:, None])


def product_of_rows(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum((w @ e) / e.sum(axis=1, keepdims=True))


def eps_below(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / (np.sum(e, axis=1, keepdims=True) + 0.1)))


def also_returned(x, w):
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(w * (e / np.sum(e, axis=1, keepdims=True))) + np.sum(m**2)


def under_a_condition(x, w):
    m = np.max(x)
    t = np.log(np.sum(np.exp(x - m))) + np.sum(w)
    if x[0, 0] > -9:
        t = t + 2 * m
    return t


def of_a_loop(x, w):
    m = np.max(x)
    t = np.sum(w)
    for i in range(3):
        t += np.exp(x[i, 0] - m) * i
    return t / np.exp(x[1, 1] - m + 0.5 * m)


def masked_by_number(x, w):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.where(w > 0.3, x - m, 0.5) + m)


def larger_base(x, w):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(m + np.log(np.sum(w * 2.0 ** (x - m), axis=1, keepdims=True)))


def by_definition(x, w):
    return np.ptp(x[0] * w[0]) + np.sum(np.ptp(x, axis=1) * w[1]) + np.ptp([a * a for a in w[2]])


def huge(x, w):
    m = np.max(x)
    return np.sum(w) * ((m * 1e16 + m) - m * 1e16) * 0 + m * 3 - (m * 1.5 + m)


STAY = [
    *(shifted, half, other_axis, all_of_rows, crosswise, product_of_rows, eps_below, also_returned),
    *(under_a_condition, of_a_loop, masked_by_number, larger_base, huge),
    by_definition,
]  # fmt: skip


def arguments():
    rng = np.random.default_rng(3)
    return rng.uniform(0.1, 1.5, (4, 4)), rng.uniform(0.1, 1.0, (4, 4))


def without(function, monkeypatch, **options):
    """The gradient that knows nothing of shifts."""
    monkeypatch.setattr(activity, "cancelling", lambda block, results=(): set())
    gradient = ast_ad.grad(function, (0, 1), **options)(*arguments())
    monkeypatch.undo()
    return gradient


@pytest.mark.drawn(of=30)
@pytest.mark.slow(one_in=8)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [*CANCEL, *STAY])
def test_gradients(function, backend, monkeypatch):
    ast_ad.check_grads(function, arguments(), order=1)
    found = ast_ad.grad(function, (0, 1), backend=backend)(*arguments())
    monkeypatch.setenv("AST_AD_CACHE", "0")
    for one, other in zip(found, without(function, monkeypatch, backend=backend), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("function", CANCEL)
def test_nothing_is_asked_of_the_maximum(function):
    derivative = ast_ad.grad(function, (0, 1))
    derivative(*arguments())
    assert "ties" not in derivative.backward_source
    assert "share" not in derivative.backward_source
    assert " == " not in derivative.backward_source.partition("def ")[2]


@pytest.mark.slow
def test_second_derivatives_and_tangents():
    ast_ad.check_grads(lambda x: softmax(x, x[::-1]), arguments()[:1], order=2)
    x, w = arguments()
    hessian = ast_ad.hessian(logsumexp)(x, w)
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    for i in range(4):
        np.testing.assert_allclose(hessian[i, :, i], np.diag(p[i]) - np.outer(p[i], p[i]), atol=1e-14)
    value, tangent = ast_ad.jvp(logsumexp, (x, w), (np.ones_like(x), None))
    assert value == logsumexp(x, w)
    assert tangent == pytest.approx(4.0, abs=1e-14)


# ----- random programs
class Writer:
    """Values that follow a maximum along known axes, put together at random, rightly and wrongly."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.matrices, self.columns, self.rows = ["x", "w"], [], []
        axis = self.random.choice([0, 1])
        kept = self.random.random() < 0.5
        self.lines = [f"m = np.max(x, axis={axis}, keepdims={kept})"]
        column = "m" if kept else "m[:, None]" if axis else "m[None]"
        (self.columns if axis else self.rows).append(column)
        self.matrices += [f"(x - {column})", f"np.exp(x - {column})", f"({column} + np.log(w + 1))"]

    def pick(self):
        pools = [p for p in (self.matrices, self.matrices, self.columns, self.rows) if p]
        return self.random.choice(self.random.choice(pools))

    def step(self, k):
        a, b = self.pick(), self.pick()
        form = self.random.choice(
            [
                "{a} + {b}",
                "{a} - {b}",
                "{a} * {b}",
                "{a} / (np.exp({b}))",
                "np.exp(-{a} * 0.5)",
                "np.log({p})",
            ]
            + ["{p} / np.sum({p}, axis=1, keepdims=True)", "{p} / {p}.sum(axis=0)", "{a} * 2 - {b}"]
            + ["np.sum({p}, axis=0, keepdims=True)", "{a} / 4", "np.log({p}.sum(axis=1))[:, None] + {a}"]
        )
        positive = self.random.choice([t for t in self.matrices if "exp" in t] or ["np.exp(x)"])
        text = form.format(a=a, b=b, p=positive)
        name = f"t{k}_exp" if form.startswith(("np.exp", "{p} /")) else f"t{k}"
        self.lines.append(f"{name} = {text}")
        pool = self.rows if "axis=0, keep" in form else self.matrices
        pool.append(name)

    def text(self):
        for k in range(self.random.randint(2, 6)):
            self.step(k)
        chosen = [self.pick() for _ in range(2)]
        self.lines.append(f"return np.sum(np.tanh({chosen[0]} * w)) + np.sum({chosen[1]} * 0.1)")
        return "\n    ".join(["import numpy as np\n\n\ndef function(x, w):", *self.lines]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed, tmp_path, monkeypatch):
    check(Writer(seed).text(), tmp_path / "program.py", monkeypatch)


def check(text, path, monkeypatch):
    path.write_text(text)
    here = {}
    exec(compile(text, str(path), "exec"), here)
    monkeypatch.setenv("AST_AD_CACHE", "0")
    function, (x, w) = here["function"], arguments()
    with np.errstate(all="ignore"):
        if not np.isfinite(function(x, w)):
            return
        found = ast_ad.grad(function, (0, 1))(x, w)
        for one, other in zip(found, without(function, monkeypatch), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11, err_msg=text)
