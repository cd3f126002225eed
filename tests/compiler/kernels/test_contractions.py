"""Is ``np.einsum`` in kernels NumPy's, with its gradient: products of matrices, sums of products, others?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import code

SHAPES = {"b": 2, "i": 3, "j": 4, "k": 5, "t": 6, ".": 2}
SUBSCRIPTS = [
    "ij,jk->ik", "ji,jk->ik", "ij,kj->ik", "jk,ij->ik", "ij,jk->ki", "ij,jk", "ij,j->i", "j,ij->i",
    "ij,ij->", "i,i", "ii->i", "ii", "ii,ij->j", "bij,jk->bik", "bij,bij->b", "bij,bjk->bik",
    "ti,ij,tj->", "ti,ij,tj->t", "ij->ji", "ij->j", "ij->", "i,j->ij", ".i,ij->.j", "bij,jk->ikb",
    "bi,bj->bij", "i,ij,j", "ijk,ij->k", "ij,ik,k->j", ",ij->ij", "ij,kt->ik",
]  # fmt: skip


def operands(subscripts, dtype=float):
    rng = np.random.default_rng(0)
    found = []
    for letters in subscripts.partition("->")[0].split(","):
        x = rng.normal(size=[SHAPES[c] for c in letters])
        x = x + 1j * rng.normal(size=np.shape(x)) if np.dtype(dtype).kind == "c" else x
        found.append(np.asarray(x, dtype))
    return found


def program(subscripts, count):
    """A function of arrays: its text is what a user writes."""
    text = subscripts.replace(".", "...")
    functions = {
        1: lambda a: np.sum(np.sin(np.einsum(text, a) + np.zeros(1)).real),
        2: lambda a, b: np.sum(np.sin(np.einsum(text, a, b) + np.zeros(1)).real),
        3: lambda a, b, c: np.sum(np.sin(np.einsum(text, a, b, c) + np.zeros(1)).real),
    }
    return functions[count]


@pytest.mark.drawn(of=28)
@pytest.mark.parametrize("subscripts", SUBSCRIPTS)
def test_values_and_gradients(subscripts, monkeypatch):
    monkeypatch.setattr(code, "FAIL_LOUDLY", True)
    given = operands(subscripts)
    f, every = program(subscripts, len(given)), tuple(range(len(given)))
    value, bars = ast_ad.value_and_grad(f, every, backend="numba", check=False)(*given)
    expected, plain = ast_ad.value_and_grad(f, every, backend="numpy", check=False)(*given)
    assert value == pytest.approx(f(*given), rel=1e-13)
    for bar, other, x in zip(bars, plain, given, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-13)
        assert np.shape(bar) == x.shape
    i = len(given) - 1
    step = 1e-6 * np.ones(given[i].shape)
    ends = [f(*given[:i], given[i] + h) for h in (step, -step)]
    assert np.sum(bars[i]) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-6, abs=1e-7)


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("dtype", [np.float32, complex])
@pytest.mark.parametrize("subscripts", ["ij,jk->ik", "ti,ij,tj->t", "bi,bj->bij"])
def test_dtypes(subscripts, dtype):
    given = operands(subscripts, dtype)
    f, every = program(subscripts, len(given)), tuple(range(len(given)))
    bars = ast_ad.grad(f, every, backend="numba")(*given)
    plain = ast_ad.grad(f, every, backend="numpy")(*given)
    for bar, other in zip(bars, plain, strict=True):
        assert bar.dtype == dtype
        np.testing.assert_allclose(bar, other, rtol=1e-4 if dtype is np.float32 else 1e-12)


def test_a_length_of_one_is_repeated():
    """``np.einsum`` repeats an axis of length 1: the cotangent is the sum."""
    a, b = np.linspace(1, 2, 3).reshape(3, 1), np.linspace(0, 1, 12).reshape(3, 4)

    def f(a, b):
        return np.sum(np.einsum("ij,ij->i", a, b) ** 2)

    bars = ast_ad.grad(f, (0, 1), backend="numba")(a, b)
    for bar, other in zip(bars, ast_ad.grad(f, (0, 1), backend="numpy")(a, b), strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-13)


def test_integers_stay_integers():
    def f(a, n):
        return np.sum(a * np.einsum("ij,j->i", n, np.array([1, 2])))

    n = np.arange(6).reshape(3, 2)
    np.testing.assert_array_equal(ast_ad.grad(f, backend="numba")(np.ones(3), n), n @ np.array([1, 2]))


def test_it_runs_in_a_kernel():
    def f(A, x):
        y = x
        for _ in range(5):
            y = np.tanh(np.einsum("ij,j->i", A, y))
        return np.einsum("i,i->", y, x)

    derivative = ast_ad.grad(f, (0, 1), backend="numba")
    derivative(np.eye(4) * 0.5, np.linspace(0, 1, 4))
    assert "NumPy code" not in derivative.explain()


LONG = {"b": 7, "i": 20, "j": 18, "k": 25, "l": 6, "m": 9, "a": 3, "c": 1}
OF_MATRICES = [
    "ij,jk->ki", "bij,bjk->bik", "bij,bkj->ikb", "aib,ajb->ijab", "ijl,klm->ijkm", "ijlm,lkm->ik",
    "ij,jk,kl->il", "ai,ijk,ak->aj", "bij,cjk->bik", "ai,bj,ij->ab", "ijkl,kl,j->i", "ij,jk->",
    "ik,jk,lk->ijl", "ij,jk,ki->",
]  # fmt: skip


def of_text(text, count):
    if count == 2:
        return lambda x, y: np.sum(np.sin(np.einsum(text, x, y)))
    return lambda x, y, z: np.sum(np.sin(np.einsum(text, x, y, z)))


@pytest.mark.drawn(of=42)
@pytest.mark.parametrize("first", [slice(None), slice(1)], ids=["", "one"])
@pytest.mark.parametrize("text", OF_MATRICES)
def test_products_of_matrices(text, first):
    """Of more than a few numbers, also where the first factor's last axis is of length 1, and repeated."""
    rng = np.random.default_rng(0)
    inputs = text.partition("->")[0].split(",")
    given = [rng.normal(size=[LONG[c] for c in letters]) for letters in inputs]
    given[0] = given[0][..., first]
    f, every = of_text(text, len(given)), tuple(range(len(given)))
    expected, plain = ast_ad.value_and_grad(f, every, backend="numpy", fallback="error")(*given)
    value, bars = ast_ad.value_and_grad(f, every, backend="numba", fallback="error", check=False)(*given)
    assert value == pytest.approx(expected, rel=1e-11, abs=1e-10)
    for bar, other in zip(bars, plain, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-11)
    ways = [rng.normal(size=x.shape) for x in given]
    ends = [f(*[x + h * way for x, way in zip(given, ways, strict=True)]) for h in (1e-6, -1e-6)]
    slope = sum(np.sum(way * bar) for way, bar in zip(ways, plain, strict=True))
    assert slope == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-5, abs=1e-4)


def test_large_contractions_are_calls_of_blas():
    def f(a, b):
        return np.sum(np.einsum("ijk,klm->ijlm", a, b) ** 2)

    a = np.random.default_rng(0).normal(size=(16, 16, 16))
    derivative = ast_ad.value_and_grad(f, (0, 1), backend="numba", fallback="error")
    value, _ = derivative(a, a)
    assert value == pytest.approx(f(a, a), rel=1e-12)
    assert "a product of two matrices" in str(derivative.explain())
    small, _ = derivative(a[:2, :2, :2], a[:2, :2, :2])
    assert small == pytest.approx(f(a[:2, :2, :2], a[:2, :2, :2]), rel=1e-12)


def test_a_few_products_of_many_are_no_exception():
    """How many there are is known at run time only: kernels that count them run whatever that is."""

    def f(a, b, least):
        return np.sum(np.einsum("ij,jk->ik", a[a[:, 0] > least], b) ** 2)

    a, b = np.random.default_rng(0).normal(size=(2, 40, 40))
    derivative = ast_ad.grad(f, (0, 1), backend="numba", fallback="error")
    plain = ast_ad.grad(f, (0, 1), backend="numpy", fallback="error")
    for least in (-9.0, 1.8, 9.0):
        for bar, other in zip(derivative(a, b, least), plain(a, b, least), strict=True):
            np.testing.assert_allclose(bar, other, rtol=1e-10, atol=1e-12)
        assert "compiled with Numba" in derivative.explain()
