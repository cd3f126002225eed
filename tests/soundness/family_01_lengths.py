"""Lengths that depend on numbers of the call: is a length that looks constant believed to be?"""

import math

import numpy as np

from .harness import program

TEN = np.linspace(0.3, 1.7, 10)
SIXTY = np.sin(np.arange(60.0)) + 1.5
HUNDRED = np.cos(np.arange(100.0)) + 1.5


# ----- the page's own
@program(0.3, 3, later=[(0.4, 8), (0.5, 1), (0.6, 4)])
def window(x, n):
    return np.mean(x * np.arange(1.0, min(n, 5) + 1))


@program(0.3, 1, later=[(0.3, 0), (0.4, 3), (0.5, 2)])
def levels(x, l):
    return np.mean(x * np.arange(2 ** (3 - l)))


@program(0.3, 400, later=[(0.3, 99), (0.4, 160)])
def spread(p, n):
    return np.std(np.linspace(0.0, 1.0, n // 50) * p)


@program(0.7, TEN[:4], 1, later=[(0.7, TEN[:4], 4), (0.7, TEN[:4], 9), (0.2, TEN[:1], 0)])
def late(p, x, i):
    return np.sum(np.sin(x * (np.full(max(1, 5 - i), 2.0) * p)))


@program(HUNDRED, later=[(SIXTY,), (HUNDRED[:46],)])
def tail_deleted(x):
    return np.std(np.delete(x, slice(0, 45)))


@program(HUNDRED, later=[(SIXTY,)])
def tail_split(x):
    return np.std(np.split(x, [45, 60])[1])


@program(HUNDRED, later=[(SIXTY,)])
def tail_sliced(x):
    return np.mean(x[45:])


@program(TEN[:3], 1, later=[(TEN[:3], 0), (TEN[:3], 3), (TEN, 2)])
def rest(x, i):
    s = 0.0
    for j in np.arange(i, x.shape[0]):
        s = s + x[j] ** 2
    return s


# ----- in helper functions
def coarser(u, times):
    for _ in range(times):
        u = 0.5 * (u[:-1:2] + u[1::2])
    return u


@program(SIXTY[:16], 2, later=[(SIXTY[:16], 4), (SIXTY[:32], 3), (SIXTY[:16], 0)])
def energy_on_a_coarser_grid(u, times):
    return np.mean(coarser(u, times) ** 2)


def block_means(x, size):
    count = len(x) // size
    return x[: count * size].reshape(count, size).mean(axis=1)


@program(SIXTY[:20], 6, later=[(SIXTY[:20], 20), (SIXTY[:7], 3), (SIXTY[:5], 1)])
def error_by_blocking(x, size):
    means = block_means(x, size)
    return np.var(means) / len(means)


def padded(x):
    size = 1 << (len(x) - 1).bit_length()
    return np.concatenate([x, np.zeros(size - len(x))])


@program(TEN, later=[(TEN[:8],), (SIXTY[:17],), (TEN[:1],)])
def spectrum_of_a_padded_series(x):
    y = padded(x)
    return np.mean(np.abs(np.fft.rfft(y)) ** 2)


def simpson_weights(n):
    n = n | 1
    w = np.ones(n)
    w[1:-1:2] = 4.0
    w[2:-2:2] = 2.0
    return w / np.sum(w)


@program(0.7, 8, later=[(0.7, 5), (0.9, 2), (0.9, 13)])
def integral_by_simpson(a, n):
    w = simpson_weights(n)
    nodes = np.linspace(0.0, a, len(w))
    return np.sum(w * np.exp(-nodes * nodes)) * a


def products_at_lag(x, lag):
    lag = min(lag, len(x) // 4)
    return x[lag:] * x[: len(x) - lag]


@program(TEN, 7, later=[(TEN, 1), (TEN, 0), (SIXTY[:20], 4)])
def autocovariance(x, lag):
    y = x - np.mean(x)
    return np.mean(products_at_lag(y, lag))


def after_burn_in(chain, kept):
    return chain[max(0, len(chain) - kept) :]


@program(TEN, 4, later=[(TEN, 10), (TEN, 40), (SIXTY[:15], 2)])
def variance_after_burn_in(chain, kept):
    return np.var(after_burn_in(chain, kept) * chain[0])


def daily(hours):
    days = len(hours) // 24
    return hours[: 24 * days].reshape(days, 24)


@program(SIXTY, later=[(HUNDRED,), (SIXTY[:30],)])
def range_of_daily_means(x):
    means = np.mean(daily(x), axis=1)
    return np.std(means) + means[0]


def ramp(a, n):
    return a * np.linspace(1.0, 2.0, max(n - 100, 2))


@program(0.7, 20, later=[(0.7, 104), (0.7, 110)])
def mean_of_a_ramp(a, n):
    return np.mean(np.exp(ramp(a, n)))


# ----- in methods, comprehensions and lambdas
class Chebyshev:
    def __init__(self, degree):
        self.degree = degree

    def nodes(self):
        count = self.degree % 7 + 1
        return np.cos(np.pi * (np.arange(count) + 0.5) / count)


@program(0.4, 3, later=[(0.4, 7), (0.4, 13), (0.6, 1)])
def spread_over_chebyshev_nodes(a, degree):
    return np.mean(np.exp(a * Chebyshev(degree).nodes()))


class Grid:
    def __init__(self, level):
        self.level = level

    @property
    def cells(self):
        return 2**self.level

    def derivative(self, u):
        return np.diff(u) * self.cells


@program(0.8, 3, later=[(0.8, 0), (0.5, 2), (0.5, 4)])
def slope_energy(a, level):
    grid = Grid(level)
    u = np.sin(a * np.linspace(0.0, 1.0, grid.cells + 1))
    return np.mean(grid.derivative(u) ** 2)


@program(TEN, 1, later=[(TEN, 2), (TEN, 9), (SIXTY[:30], 3)])
def smoothed_by_a_window(x, k):
    width = lambda half: min(2 * half + 1, 9)
    y = np.convolve(x, np.ones(width(k)) / width(k), mode="valid")
    return np.std(y)


@program(TEN, 3, later=[(TEN, 4), (TEN, 5), (TEN, 20), (SIXTY[:13], 2)])
def spread_of_chunk_means(x, size):
    means = [np.mean(x[i : i + size]) for i in range(0, len(x), size)]
    return np.std(np.array(means)) + means[-1]


@program(TEN[:3], 6.5, later=[(TEN[:3], 2.5), (TEN[:4], 9.0)], wrt=(0,))
def repeated_for_each_period(x, duration):
    periods = (lambda t: int(t // 2.0))(duration)
    return np.mean(np.cumsum(np.tile(x, periods)))


@program(TEN, 20, later=[(TEN, 2), (TEN, 1), (TEN[:2], 5)])
def mean_of_the_largest(x, k):
    largest = lambda v: np.sort(v)[-min(k, 3) :]
    return np.mean(largest(x) ** 2)


class Repeated:
    def __init__(self, counter):
        self.times = counter >> 3

    def __call__(self, x):
        return np.repeat(x, self.times)


@program(TEN[:3], 17, later=[(TEN[:3], 9), (TEN[:2], 40)])
def repeats_by_a_shift(x, counter):
    return np.std(np.cumsum(Repeated(counter)(x)))


# ----- in nested loops
@program(SIXTY[:8], later=[(SIXTY[:16],), (SIXTY[:6],), (SIXTY[:1],)], kernels=False)
def haar_transform(x):
    y = x * 1.0
    n = len(y)
    spread = 0.0
    while n > 1:
        half = n // 2
        a, d = np.zeros(half), np.zeros(half)
        for i in range(half):
            a[i] = (y[2 * i] + y[2 * i + 1]) / 2.0
            d[i] = (y[2 * i] - y[2 * i + 1]) / 2.0
        spread = spread + np.mean(d * d)
        y = a
        n = half
    return spread + np.sum(y)


@program(1.1, 5, later=[(1.1, 3), (1.1, 1), (1.2, 8)])
def binomial_tree_for_three_steps(up, n):
    prices = 10.0 * up ** np.arange(float(-n), n + 1, 2.0)
    v = np.exp(-prices / 10.0)
    for step in range(n, max(n - 3, 0), -1):
        for _ in range(1):
            v = 0.99 * (0.6 * v[1:] + 0.4 * v[:-1])
    return np.mean(v)


@program(0.6, 5, later=[(0.6, 2), (0.6, 1), (0.7, 8)])
def groups_of_changing_size(x, n):
    total = 0.0
    for i in range(n):
        for j in range(i % 3):
            total = total + np.mean(np.sin(x * np.linspace(0.5, 1.5, (i + j) // 2 + 1)))
    return total + x


@program(TEN, 2, later=[(TEN, 0), (TEN, 12), (SIXTY[:5], 1)])
def local_variance_at_edges(x, half):
    total = 0.0
    n = len(x)
    for i in range(n):
        lo, hi = max(0, i - half), min(n, i + half + 1)
        for power in range(1, 3):
            total = total + np.var(x[lo:hi] ** power) * (i + 1)
    return total


@program(0.3, 1.2, 4, later=[(0.3, 1.2, 1), (0.1, 0.9, 3)])
def romberg_levels(a, b, levels):
    total = 0.0
    for level in range(1, levels + 1):
        points = np.linspace(a, b, 2**level + 1)[1::2]
        s = 0.0
        for k in range(len(points)):
            s = s + math.exp(-points[k])
        total = total + s / len(points) + np.mean(points)
    return total


@program(TEN, 4, later=[(TEN, 5), (TEN, 10), (SIXTY[:14], 3)])
def means_of_segments(x, step):
    total = 0.0
    for s in range((len(x) + step - 1) // step):
        segment = x[s * step : min((s + 1) * step, len(x))]
        for r in range(2):
            total = total + np.mean(segment ** (r + 1)) * (s + 1.0)
    return total


@program(0.6, 3, later=[(0.6, 0), (0.6, 5), (0.8, 1)])
def tableau_of_shrinking_rows(x, n):
    row = np.sin(x * np.arange(1.0, abs(n - 4) + 3))
    total = 0.0
    for level in range(2):
        for k in range(level + 1):
            total = total + np.mean(row) * (k + 1)
        row = (2.0 * row[1:] - row[:-1]) / (level + 1)
    return total + np.mean(row)


# ----- further ones, of all kinds
def legendre_nodes(order):
    x, w = np.polynomial.legendre.leggauss(order // 2 + 1)
    return x, w


@program(0.7, 1, later=[(0.7, 4), (0.7, 9)], kernels=False)
def gauss_quadrature(a, order):
    x, w = legendre_nodes(order)
    return np.mean(w * np.exp(a * x))


@program(TEN, 3, later=[(TEN, 12), (SIXTY, 30)], kernels=False)
def trend_of_the_latest(x, k):
    recent = x[-k:]
    t = np.arange(len(recent)) - (len(recent) - 1) / 2
    return np.mean(t * recent)


@program(TEN, 1, later=[(TEN, 3), (SIXTY, 5), (TEN, 0)], kernels=False)
def total_variation_of_order(x, order):
    d = np.diff(x, n=order)
    return np.mean(d * d)


@program(0.7, 12, later=[(0.7, 100), (0.7, 1)], kernels=False)
def digits_as_weights(x, n):
    digits = [int(c) for c in str(n)]
    return np.mean(x ** np.arange(1.0, len(digits) + 1))


@program(SIXTY, 7, later=[(SIXTY, 8), (TEN, 3)], kernels=False)
def downsampled_spread(x, factor):
    return np.std(x[::factor]) + np.mean(x[factor // 2 :: factor])


@program(TEN, 4, later=[(TEN, 11), (TEN, 30)], kernels=False)
def padded_then_averaged(x, n):
    extra = max(n - len(x), 0)
    return np.mean(np.pad(x, (extra // 2, extra - extra // 2), mode="edge"))


@program(0.4, 2, later=[(0.4, 0), (0.4, 5)], kernels=False)
def stencil_by_order(h, order):
    points = np.arange(-(order // 2), order - order // 2 + 1)
    return np.mean(np.exp(h * points))


@program(0.4, 3, 2, later=[(0.4, 2, 3), (0.4, 1, 1)], kernels=False)
def mesh_of_parameters(a, m, n):
    u = np.linspace(0.0, a, m)
    v = np.linspace(0.0, 1.0, n + m - n)
    return np.mean(np.sin(u[:, None] + v[None, :m]))


class Buffer:
    def __init__(self, size):
        self.size = size
        self.data = np.zeros(0)

    def push(self, v):
        self.data = np.append(self.data, v)[-self.size :]


@program(TEN, 4, later=[(TEN, 20), (TEN[:3], 2)], kernels=False)
def ring_buffer(x, size):
    b = Buffer(size)
    for v in x:
        b.push(v * v)
    return np.mean(b.data)


@program(TEN, 2, later=[(TEN, 5), (TEN, 9)], kernels=False)
def polynomial_fit_residual(y, degree):
    t = np.linspace(-1.0, 1.0, len(y))
    v = np.vander(t, min(degree, 4) + 1)
    c = np.linalg.lstsq(v, y, rcond=None)[0]
    return np.mean((v @ c - y) ** 2 * np.arange(1.0, 11.0)) + np.mean(c)


@program(TEN, 3, later=[(TEN, 1), (SIXTY[:12], 4)], kernels=False)
def embedding_matrix(x, lag):
    rows = len(x) - lag
    m = np.stack([x[i : i + rows] for i in range(lag + 1)])
    return np.std(m @ m.T)


@program(np.array([3.0, 0.2]), 5, later=[(np.array([3.0, 0.2]), 1), (np.array([3.0, 0.2]), 2)], kernels=False)
def last_of_a_trajectory(p, n):
    t = np.linspace(0.0, 1.0, n)
    y = np.exp(-p[1] * t) * p[0]
    return np.mean(y[max(0, n - 3) :]) + np.std(y[: n // 2 + 1])


@program(np.array([0.3, 0.4, 0.5]), 2, later=[(np.array([0.3, 0.4]), 0), (np.array([0.3, 0.4, 0.7]), 4)])
def tiles_of_each_turn(x, n):
    t = x[0]
    for i in range(n):
        t += np.sum(np.tile(x, i)[i:] * np.tile(x, (i, 1)).ravel()[i:])
    return t


@program(np.array([0.3, 0.4, 0.5]), 2, later=[(np.array([0.3, 0.4]), 0), (np.array([0.3, 0.4, 0.7]), 4)])
def tiles_of_lists_and_numbers(x, n):
    times = min(n, 3)
    return np.sum(np.tile([x[0], 2.0], times) * np.tile([1.0, x[1]], times)) + np.sum(
        np.tile(x[0], times) ** 2
    )


@program(np.array([0.3, 0.4, 0.5]), 2, later=[(np.array([0.3, 0.4]), 0)])
def sizes_of_what_holds_arrays(x, n):
    pairs = np.size([x, x]) + np.size((x, x * 2), -1) * np.size(np.divmod(x, 2.0))
    return x[0] * pairs + x[1] * np.size(np.nonzero(x > 0.35)) + np.size([x[:2] for _ in range(n + 1)]) * x[0]


@program(np.array([0.3, 0.4, 0.5]), 2, later=[(np.array([0.3, 0.4]), 0)])
def sizes_of_numbers_and_texts(x, n):
    return (
        x[0] * np.size(3.0) * np.size("ab")
        + x[1] * np.size([1, x[0], n])
        + np.size([[1, 2], [3, 4]], 1) * x[0]
    )


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("spectrum_of_a_padded_series", "numpy", "compiled"): "traced",
    ("spectrum_of_a_padded_series", "numba", "compiled"): "call 3: traced",
    ("digits_as_weights", "numpy", "compiled"): "traced",
}
