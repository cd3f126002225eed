"""Do decompositions and transforms stay in kernels, with NumPy's own values, whatever the matrix is?"""

import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")
pytest.importorskip("scipy")
import scipy.linalg as sl

from ast_ad.compiler.kernels.numbers.library_functions import CALLS, require_all_kept
from ast_ad.compiler.kernels.numbers.library_loops import LOOPS, define
from ast_ad.compiler.kernels.numbers.matrix_exponential import exponential
from ast_ad.compiler.kernels.runtime import Mismatch
from ast_ad.rules.numpy.linalg import is_cut
from tests.compiler.kernels.comparing import differ

DRAW = np.random.default_rng(3)
V, A = DRAW.normal(size=6), DRAW.normal(size=(4, 4))
WIDE = DRAW.normal(size=(3, 5))
KINDS_AND_SHAPES = list(itertools.product("dD", [(1, 1), (4, 4), (5, 2), (2, 5), (1, 3), (3, 1)]))
SIZES = list(itertools.product([1, 2, 3, 6, 40], [1e-12, 0.01, 0.2, 0.8, 2.0, 5.0, 40.0]))
OF_VECTORS = pytest.mark.skipif(
    "svd_s_d" not in LOOPS, reason="this NumPy has other functions for singular vectors"
)
OF_FACTORS = pytest.mark.skipif(
    "qr_r_raw_d" not in LOOPS, reason="this NumPy has other functions for factors"
)
OF_SOLUTIONS = pytest.mark.skipif(
    "lstsq_d" not in LOOPS, reason="this NumPy has another function for least squares"
)


def drawn(kind, *shape):
    a = DRAW.normal(size=shape)
    return a + 1j * DRAW.normal(size=shape) if kind == "D" else a


def laid_out(a):
    """The same matrix in memory of other kinds, and others of its numbers."""
    wide = np.zeros((a.shape[0], 2 * a.shape[1]), a.dtype)
    wide[:, ::2] = a
    yield from (a, np.asfortranarray(a), wide[:, ::2], a[::-1], a[:, ::-1])


# ----- what kernels call
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("kind, n", list(itertools.product("dD", [0, 1, 2, 5, 20])))
def test_eigenvalues_to_the_bit(kind, n):
    for a, upper in itertools.product(laid_out(drawn(kind, n, n)), (False, True)):
        triangle, which = ("U", "up") if upper else ("L", "lo")
        w, v = np.empty(n), np.empty((n, n), a.dtype)
        before = a.copy()
        CALLS[f"eigh_{which}_{kind}"](a, w, v)
        np.testing.assert_array_equal(w, np.linalg.eigh(a, triangle)[0])
        np.testing.assert_array_equal(v, np.linalg.eigh(a, triangle)[1])
        CALLS[f"eigvalsh_{which}_{kind}"](a, w)
        np.testing.assert_array_equal(w, np.linalg.eigvalsh(a, triangle))
        np.testing.assert_array_equal(a, before)


@pytest.mark.drawn(of=6)
@OF_VECTORS
@pytest.mark.parametrize(
    "kind, shape", list(itertools.product("dD", [(1, 1), (4, 4), (5, 2), (2, 5), (1, 3)]))
)
def test_singular_values_to_the_bit(kind, shape):
    for a in laid_out(drawn(kind, *shape)):
        m, n = a.shape
        k = min(m, n)
        u, s, vh = np.empty((m, k), a.dtype), np.empty(k), np.empty((k, n), a.dtype)
        CALLS[f"svd_s_{kind}"](a, u, s, vh)
        for found, expected in zip((u, s, vh), np.linalg.svd(a, full_matrices=False), strict=True):
            np.testing.assert_array_equal(found, expected)
        CALLS[f"svd_{kind}"](a, s)
        np.testing.assert_array_equal(s, np.linalg.svd(a, compute_uv=False))


@pytest.mark.drawn(of=16)
@OF_FACTORS
@pytest.mark.parametrize(
    "kind, shape", list(itertools.product("dD", [(1, 1), (4, 4), (5, 2), (2, 5), (3, 1)]))
)
def test_factors_to_the_bit(kind, shape):
    for a in laid_out(drawn(kind, *shape)):
        k = min(shape)
        before = a.copy()
        q, r = np.empty((shape[0], k), a.dtype), np.empty((k, shape[1]), a.dtype)
        CALLS[f"qr_{kind}"](a, q, r)
        for found, expected in zip((q, r), np.linalg.qr(a), strict=True):
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(a, before)


@pytest.mark.drawn(of=12)
@OF_SOLUTIONS
@pytest.mark.parametrize("kind, shape", KINDS_AND_SHAPES)
def test_least_squares_to_the_bit(kind, shape):
    for a in laid_out(drawn(kind, *shape)):
        (m, n), k = a.shape, min(shape)
        b = drawn(kind, m, 3)
        expected = np.linalg.lstsq(a, b, rcond=None)
        x, sums, s = np.empty((n, 3), a.dtype), np.empty(len(expected[1])), np.empty(k)
        args = a, b, x, sums, s, max(m, n) * np.finfo(float).eps
        assert CALLS[f"lstsq_matrix_{kind}"](*args) == expected[2]
        for found, one in zip((x, sums, s), (expected[0], expected[1], expected[3]), strict=True):
            np.testing.assert_array_equal(found, one)
        alone = np.empty(n, a.dtype)
        CALLS[f"lstsq_vector_{kind}"](a, b[:, 0], alone, np.empty(0), s, 1e-9)
        np.testing.assert_array_equal(alone, np.linalg.lstsq(a, b[:, 0], rcond=1e-9)[0])


@OF_SOLUTIONS
def test_sums_of_squares_that_are_not_told_are_left_to_numpy():
    a, x, s = np.outer(np.arange(4.0), [1.0, 2.0]), np.empty((2, 1)), np.empty(2)
    with pytest.raises(Mismatch):
        CALLS["lstsq_matrix_d"](a, np.ones((4, 1)), x, np.empty(1), s, 1e-9)
    assert CALLS["lstsq_matrix_d"](a, np.ones((4, 1)), x, np.empty(0), s, 1e-9) == 1
    with pytest.raises(Mismatch):
        CALLS["lstsq_matrix_d"](a * np.nan, np.ones((4, 1)), x, np.empty(0), s, 1e-9)


@pytest.mark.drawn(of=36)
@OF_VECTORS
@pytest.mark.parametrize("kind, shape", KINDS_AND_SHAPES)
def test_pseudo_inverses(kind, shape):
    for a in laid_out(drawn(kind, *shape)):
        s = np.linalg.svd(a, compute_uv=False)
        for cut in (1e-15, 0.999 if len(s) > 1 else 1e-15):
            out = np.empty(a.shape[::-1], a.dtype)
            CALLS[f"pinv_{kind}"](a, out, cut)
            np.testing.assert_allclose(out, np.linalg.pinv(a, cut), rtol=1e-11, atol=1e-13)
            if is_cut(a, out):
                with pytest.raises(Mismatch):
                    require_all_kept(a, out)
            else:
                require_all_kept(a, out)


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("n, m", list(itertools.product([1, 2, 7, 64], [1, 2, 7, 64, 100])))
def test_transforms_to_the_bit(n, m):
    z = drawn("D", 2 * n)
    for a in (z[:n].copy(), z[::2], z[n - 1 :: -1]):
        out = np.empty(m, complex)
        for name, scale in (("fft", 1.0), ("ifft", 1 / m)):
            CALLS[name](a, out, scale)
            np.testing.assert_array_equal(out, getattr(np.fft, name)(a, m))
        real, half = np.empty(m), np.empty(m // 2 + 1, complex)
        CALLS["irfft"](a, real, 1 / m)
        np.testing.assert_array_equal(real, np.fft.irfft(a, m))
        CALLS["rfft"](a.real, half, 1.0, m)
        np.testing.assert_array_equal(half, np.fft.rfft(a.real, m))


def test_what_has_not_converged_is_left_to_numpy():
    bad = np.full((3, 3), np.nan)
    for name, outs in {"eigh_lo_d": [(3,), (3, 3)], "eigvalsh_up_d": [(3,)], "svd_d": [(3,)]}.items():
        with pytest.raises(Mismatch):
            CALLS[name](bad, *map(np.empty, outs))
    with pytest.raises(Mismatch):
        CALLS["fft"](np.empty(0, complex), np.empty(0, complex), 1.0)


def test_other_functions_have_no_loop():
    with pytest.raises(LookupError):
        define("tried", np.linalg._umath_linalg.eigh_lo, "g->gg")
    with pytest.raises((LookupError, TypeError, AttributeError)):
        define("tried", np.vectorize(abs), "d->d")


def extended(m):
    """The exponential by its series, in the machine's longest floating-point numbers."""
    m = m.astype(np.result_type(m, np.longdouble))
    halved = max(0, int(np.ceil(np.log2(float(np.linalg.norm(m.astype(complex), 1)) + 1e-300))) + 4)
    total = term = np.eye(len(m), dtype=m.dtype)
    for k in range(1, 30):
        term = term @ (m / 2.0**halved) / k
        total = total + term
    for _ in range(halved):
        total = total @ total
    return total


@pytest.mark.drawn(of=17)
@pytest.mark.parametrize("n, size", SIZES)
def test_exponentials(n, size):
    draw = np.random.default_rng([n, int(1e12 * size)])
    one, b = draw.normal(size=(2, n, n))
    for a in (one, one + 1j * b, np.tril(b), np.zeros((n, n))):
        a = size * (a - a.conj().T) if size > 10 else size * a  # large ones don't overflow
        for m in itertools.islice(laid_out(a), 0, 5, 2):  # another type of array takes a second
            out = np.empty_like(m)
            exponential(m, out)
            expected = extended(m)
            # its condition is at least the norm
            bound = 5e-14 * (1.0 + np.linalg.norm(m, 1)) * np.max(np.abs(expected))
            np.testing.assert_allclose(out, expected.astype(m.dtype), rtol=0, atol=float(bound))


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("size", [1e3, 1e6, 1e8])
def test_matrices_are_not_halved_too_often(size):
    """Their powers stay small, whatever the norm: each element is right, not the largest alone."""
    for low in (0.0, 1e-9):
        m, root = np.array([[1.0, size], [low, -1.0]]), np.sqrt(1.0 + size * low)  # m @ m is root**2
        out = np.empty_like(m)
        exponential(m, out)
        expected = np.cosh(root) * np.eye(2) + np.sinh(root) / root * m
        np.testing.assert_allclose(out, expected, rtol=1e-13)
    exponential(np.array([[0.0, size], [0.0, 0.0]]), out)
    np.testing.assert_array_equal(out, [[1.0, size], [0.0, 1.0]])
    blocks, whole = np.block([[-A, size * np.eye(4)], [np.zeros((4, 4)), A.T]]) * 0.1, np.empty((8, 8))
    exponential(blocks, whole)
    np.testing.assert_allclose(whole[:4, :4], sl.expm(-0.1 * A), rtol=1e-12)
    np.testing.assert_allclose(whole[4:, 4:], sl.expm(0.1 * A.T), rtol=1e-12)
    np.testing.assert_allclose(whole[:4, 4:], sl.expm(blocks)[:4, 4:], rtol=1e-11)
    assert not np.any(whole[4:, :4])


def test_exponentials_that_are_left():
    for a in (
        np.full((2, 2), np.nan),
        np.array([[np.inf, 0.0], [0.0, 1.0]]),
        np.array([[-np.inf, 0.0], [0.0, 1.0]]),
    ):
        with pytest.raises(Mismatch):
            exponential(a, np.empty_like(a))


# ----- programs
def bands(v, a):
    """Levels of a chain over momenta; one vector's component counts, squared."""
    total = 0.0
    for k in v:
        h = np.array([[v[0], v[1] * np.cos(k), 0.1], [v[1] * np.cos(k), -v[0], v[2]], [0.1, v[2], k]])
        w, u = np.linalg.eigh(h)
        total += w[0] * w[2] + u[0, 0] ** 2 * u[1, 1] ** 2
    return total


def triangles(v, a):
    """Of a matrix that is not symmetric one half counts."""
    total = 0.0
    for i in range(3):
        m = a * v[i]
        total += np.sum(np.linalg.eigvalsh(m) ** 3) + np.sum(np.linalg.eigvalsh(m, "U") * v[:4])
        w, u = np.linalg.eigh(m.T, UPLO="U")
        total += (u[:, 1] ** 2) @ w
    return total


def equal_levels(v, a):
    """Of equal eigenvalues only the sum is asked."""
    total = 0.0
    for i in range(3):
        total += np.sum(np.linalg.eigvalsh(np.eye(3) * v[i]))
    return total


def hermitian(v, a):
    total = 0.0
    for k in v[:3]:
        h = np.array([[1.0, np.exp(1j * k)], [np.exp(-1j * k), k * v[3]]])
        w, u = np.linalg.eigh(h)
        total += w[1] * np.abs(u[0, 1]) ** 2 - w[0]
    return total


def kept(v, a):
    """Vectors of each turn are read behind the loop: no two share memory."""
    seen = []
    for i in range(4):
        w, u = np.linalg.eigh(a + a.T + np.diag(v[:4]) * i)
        seen.append(w * u[0] ** 2)
    total = 0.0
    for i in range(4):
        total += np.sum(seen[i] * seen[3 - i])
    return total


def changed(v, a):
    """What was decomposed is written to afterwards, and the values too."""
    m = a + a.T
    total = 0.0
    for i in range(3):
        w, u = np.linalg.eigh(m)
        m[0, 0] += v[i] * w[1]
        w[0] = 0.0
        total += np.sum(w**2) + np.sum(m * m)
    return total


def thresholds(v, a):
    m = WIDE * v[0]
    total = 0.0
    for i in range(3):
        u, s, vh = np.linalg.svd(m, full_matrices=False)
        m = (u * np.maximum(s - 0.1 * v[i] ** 2, 0.0)) @ vh + 0.01 * WIDE
        total += np.sum(np.linalg.svd(m, compute_uv=False)[:2]) + np.sum(np.abs(m))
    return total


def square_ones(v, a):
    """A matrix' polar factor."""
    total = 0.0
    for i in range(3):
        u, s, vh = np.linalg.svd(a * v[i] + np.eye(4), full_matrices=False)
        total += np.sum((u @ vh) * a) + s[0]
    return total


def of_all_vectors(v, a):
    """A square matrix has no others than those that belong to a singular value."""
    total = 0.0
    for i in range(3):
        u, s, vh = np.linalg.svd(a * v[i] + np.eye(4))
        total += np.sum((u @ vh) * a) + s[0]
    return total


def exponents(v, a):
    """Lyapunov's, by factors."""
    q, total = np.eye(4), np.zeros(4)
    for i in range(6):
        q, r = np.linalg.qr((np.eye(4) + 0.1 * v[i] * a) @ q)
        total += np.log(np.abs(np.diag(r)))
    return total[0] - 0.3 * total[2]


def tall_ones(v, a):
    total = 0.0
    for i in range(3):
        q, r = np.linalg.qr(a[:, :2] * v[i] + np.tile(v[:4, None], (1, 2)) ** 2 * np.array([1.0, 0.5]))
        total += np.sum(q[0] * r[0]) + r[1, 1] ** 2
    return total


def gates(v, a):
    u = np.eye(4)
    for k in range(len(v)):
        u = sl.expm(a * v[k] * 0.3) @ u
    return np.sum(u[:, 0] ** 3)


def complex_gates(v, a):
    psi = np.array([1.0 + 0j, 0.0, 0.0, 0.0])
    for k in range(len(v)):
        psi = sl.expm(-1j * (a + a.T) * v[k]) @ psi
    return np.abs(psi[1]) ** 2 + np.real(psi[0])


def split_steps(v, a):
    x = np.concatenate((v, v**2, v[:5]))
    psi = x * (1 + 0.3j)
    for _ in range(3):
        psi = psi * np.exp(-0.1j * np.abs(psi) ** 2)
        psi = np.fft.ifft(np.exp(-0.01j * np.arange(len(x)) ** 2) * np.fft.fft(psi))
    return np.sum(np.abs(psi) ** 2 * x)


def real_transforms(v, a):
    """Even and odd lengths, longer and shorter than the vector, and all scales."""
    total = 0.0
    for i in range(3):
        x = v * v[i]
        total += np.sum(np.abs(np.fft.rfft(x)) ** 2) + np.sum(np.abs(np.fft.rfft(x[:5], norm="ortho")) ** 4)
        total += np.fft.irfft(np.fft.rfft(x) * 1j, 6, norm="forward")[1]
        total += np.fft.irfft(np.fft.rfft(x, norm="forward"), 5)[i] + np.fft.irfft(x + 0.5j * x)[2]
        total += np.imag(np.fft.fft(x, norm="forward")[1]) + np.real(np.fft.ifft(x * 1j, 4, norm="ortho")[1])
        total += np.sum(np.abs(np.fft.rfft(x, 9))) + np.imag(np.fft.rfft(x, 4)[1])
        total += np.real(np.fft.rfft(x, 3)[1])
        total += np.abs(np.fft.fft(x, 9)[i + 1]) + np.abs(np.fft.ifft(x, axis=0)[2])
    return total


def derivatives(v, a):
    """A pseudo-spectral derivative in each of a few steps, in place."""
    u = v.copy()
    k = np.fft.fftfreq(len(v)) * 2j * np.pi
    for _ in range(4):
        u -= 0.1 * u * np.real(np.fft.ifft(k * np.fft.fft(u)))
    return np.sum(u**3)


def on_some_paths(v, a):
    z = v * (1 + 0j)
    for i in range(5):
        if np.real(z[0]) > 0.2:
            z = np.fft.fft(z) * 0.3
        elif i > 2:
            continue
        else:
            z = np.fft.ifft(z) + v[i]
        if np.abs(z[1]) > 50:
            break
    return np.sum(np.abs(z))


def fits(v, a):
    """Gauss and Newton's steps for an exponential."""
    p, t = v[:2] ** 2 + 0.5, np.linspace(0.0, 2.0, 6)
    for _ in range(3):
        e = np.exp(-p[1] * t)
        slopes = np.stack([e, -p[0] * t * e], axis=1)
        p = p + 0.3 * np.linalg.lstsq(slopes, v - p[0] * e, rcond=None)[0]
    return np.sum(p**2)


def all_of_least_squares(v, a):
    """Solutions, sums of squares, the rank and singular values; several right-hand sides; too few rows."""
    total = 0.0
    for i in range(3):
        m = np.stack([np.ones(6), np.sin(v * (i + 1))], axis=1)
        c, sums, rank, s = np.linalg.lstsq(m, np.stack([v**2, np.cos(v)], axis=1), rcond=None)
        total += np.sum(c[1] * rank) + sums[1] + s[0] - np.linalg.lstsq(m, v, rcond=None)[1][0]
        c, sums, rank, s = np.linalg.lstsq(WIDE * v[i] + np.eye(3, 5), v[:3], rcond=1e-9)
        total += np.sum(c**3) * rank + s[2]
    return total


def pseudo_inverses(v, a):
    """Steps of an arm's joints, damped by a cutoff of singular values that keeps all of them."""
    q = v[:4]
    for _ in range(3):
        angles = np.cumsum(q)
        slopes = np.zeros((2, 4))
        for j in range(4):
            slopes[0, j] = -np.sum(np.sin(angles[j:]))
            slopes[1, j] = np.sum(np.cos(angles[j:]))
        q = q + np.linalg.pinv(slopes, rcond=1e-3) @ (v[4:] - 0.1 * np.sum(np.cos(angles)))
    z = np.outer(np.exp(1j * v[:4]), v[:3]) + np.eye(4, 3) * 2j
    for k in range(2):
        z = z + 0.1 * np.conj(np.linalg.pinv(z * v[k])).T
    return np.sum(q**2) + np.sum(np.abs(z) ** 2)


PROGRAMS = [
    bands, triangles, equal_levels, hermitian, kept, changed, gates, complex_gates, split_steps,
    real_transforms, derivatives, on_some_paths,
    *(pytest.param(f, marks=OF_VECTORS) for f in (thresholds, square_ones, of_all_vectors, pseudo_inverses)),
    *(pytest.param(f, marks=OF_SOLUTIONS) for f in (fits, all_of_least_squares)),
    *(pytest.param(f, marks=OF_FACTORS) for f in (exponents, tall_ones)),
]  # fmt: skip


@pytest.mark.drawn(of=8)
@pytest.mark.slow(beyond=2)
@pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")
@pytest.mark.parametrize("function", PROGRAMS)
def test_programs(function):
    kernels = ast_ad.value_and_grad(function, (0, 1), backend="numba", fallback="error")
    numpy = ast_ad.value_and_grad(function, (0, 1), backend="numpy", fallback="error")
    for v, a in ((V, A), (-V[::-1], A.T), (np.asfortranarray(V * 0.7), A[::-1, ::-1])):
        found, expected = kernels(v, a), numpy(v, a)
        assert found[0] == pytest.approx(function(v, a), rel=1e-11)
        assert not differ(found, expected)
    told = kernels.explain()
    inside = [line for line in told.splitlines() if "NumPy code" in line and "fftfreq" not in line]
    assert not inside, inside
    if function is not equal_levels:
        ast_ad.check_grads(function, (V, A), order=1, modes=("rev",), rtol=1e-6, atol=1e-6)


@pytest.mark.slow(beyond=2)
def test_second_derivatives():
    for function in (bands, split_steps):
        along = ast_ad.hvp(function, (V, A), (V[::-1].copy(), np.zeros_like(A)))
        h = 1e-5
        slope = ast_ad.grad(function)
        expected = (slope(V + h * V[::-1], A) - slope(V - h * V[::-1], A)) / (2 * h)
        np.testing.assert_allclose(along[0], expected, rtol=1e-6, atol=1e-6)


def no_vector(x, n):
    total = 0.0
    for i in range(n):
        total += np.sum(np.abs(np.fft.fft(x[: 2 - i])))
    return total


@pytest.mark.slow(beyond=2)
def test_numpys_errors_are_the_users():
    derivative = ast_ad.value_and_grad(no_vector, backend="numba")
    x = np.array([0.5, 0.2])
    assert derivative(x, 2)[0] == pytest.approx(no_vector(x, 2))
    with pytest.raises(ValueError, match="data points"):
        derivative(x, 3)
    assert derivative(x, 2)[0] == pytest.approx(no_vector(x, 2))
