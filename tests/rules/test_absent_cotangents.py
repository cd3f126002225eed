"""Are derivatives right where only some of a function's results count? Rules are told so by None."""

import itertools

import numpy as np
import pytest

import ast_ad
from ast_ad.rules.registry import lookup
from ast_ad.tracing import trace

sl = pytest.importorskip("scipy.linalg")
DRAW = np.random.default_rng(5)
SQUARE, TALL, WIDE = DRAW.normal(size=(3, 3)), DRAW.normal(size=(4, 3)), DRAW.normal(size=(2, 4))
RIGHT = DRAW.normal(size=(4, 2))


def singular(a):
    return np.linalg.svd(a, full_matrices=False)


def singular_of_hermitian(a):
    return np.linalg.svd(a + a.T, hermitian=True)


def singular_of_complex(a):
    u, s, vh = np.linalg.svd(a * (1 + 0.5j) + 1j * np.eye(3)[: len(a)], full_matrices=False)
    return np.abs(u), s, np.abs(vh)


def eigen(a):
    return np.linalg.eigh(a + a.T)


def eigen_of_complex(a):
    w, v = np.linalg.eig(a)
    return np.abs(w), np.abs(v)


def factors(a):
    return np.linalg.qr(a)


def solutions(a):
    x, sums, rank, s = np.linalg.lstsq(a, RIGHT, rcond=None)
    return x, sums, s


def solution(a):
    x, sums, rank, s = np.linalg.lstsq(a, a[:, 0] ** 2 + RIGHT[:, 0], rcond=None)
    return x, sums, s


def scipys_solutions(a):
    x, sums, rank, s = sl.lstsq(a, RIGHT)
    return x, sums, s


def scipys_singular(a):
    return sl.svd(a, full_matrices=False)


def scipys_factors(a):
    return sl.qr(a, mode="economic")


def some_of_scipys_eigen(a):
    return sl.eigh(a + a.T, subset_by_index=[1, 2])


FUNCTIONS = [
    (singular, TALL), (singular, WIDE), (singular_of_hermitian, SQUARE), (singular_of_complex, SQUARE),
    (eigen, SQUARE), (eigen_of_complex, SQUARE), (factors, SQUARE), (factors, TALL), (solutions, TALL),
    (solution, TALL), (scipys_solutions, TALL), (scipys_singular, TALL), (scipys_factors, TALL),
    (some_of_scipys_eigen, SQUARE),
]  # fmt: skip


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function, a", FUNCTIONS, ids=lambda v: getattr(v, "__name__", ""))
def test_each_choice_of_results(function, a):
    count = len(function(a))
    for chosen in itertools.product((False, True), repeat=count):
        if sum(chosen) not in (1, 2):
            continue

        def total(a, chosen=chosen):
            found = 0.0
            for part, counts in zip(function(a), chosen, strict=True):
                if counts:
                    found = found + np.sum(part**3)
            return found

        ast_ad.check_grads(total, (a,), order=1, modes=("rev",))
        if sum(chosen) == 1 and function in (singular, solution):
            ast_ad.check_grads(total, (a,), order=2, rtol=1e-4, atol=1e-5)


def test_the_compiler_tells_them():
    def values(a):
        return np.sum(np.linalg.svd(a, full_matrices=False)[1] ** 2)

    gradient = ast_ad.grad(values, backend="numpy")
    np.testing.assert_allclose(gradient(TALL), 2 * TALL, rtol=1e-13)
    assert "zeros" not in gradient.source and "gaps" not in gradient.source
    assert lookup(np.linalg.svd).absent and not lookup(np.frexp).absent


@pytest.mark.parametrize("mode", ["numpy", "numba", "traced"])
def test_slopes_of_results_that_nobody_reads_may_be_infinite(mode):
    """Beside Si(0) stands Ci(0), which falls without end; beside Ai, which vanishes, Bi, which overflows."""
    sp = pytest.importorskip("scipy.special")
    at = np.array([0.0, 1.0, 200.0])

    def first(x):
        return np.sum(sp.sici(x)[0] + sp.airy(x)[0]) + np.sum(sp.shichi(x[:2])[0])

    found = gradient_of(first, at, mode)
    slopes = np.array([1.0, np.sin(1.0), np.sin(200.0) / 200]) + sp.airy(at)[1]
    np.testing.assert_allclose(found, slopes + np.array([1.0, np.sinh(1.0), 0.0]), rtol=1e-12)


def gradient_of(f, x, mode):
    if mode == "traced":
        return trace(f, (x,), {}, (0,))[1]([1.0])[0]
    return ast_ad.grad(f, backend=mode, fallback="error")(x)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_quotients_may_be_infinite():
    def quotient(x, y):
        return np.sum(x * np.where(y == 0, 1.0, np.divmod(x, y)[1]))

    by_y = ast_ad.grad(quotient, 1, backend="numpy")(np.array([7.5, 3.0]), np.array([2.0, 0.0]))
    np.testing.assert_allclose(by_y, [-7.5 * 3, 0.0])
