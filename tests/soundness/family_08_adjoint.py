"""Has a gradient its argument's type and shape, and the conventions' value where the formula has none?"""

import math

import numpy as np
import scipy.linalg
import scipy.special
import scipy.stats

from .harness import program

TWO = np.array([0.6, 1.7])
FOUR = np.array([0.4, -0.9, 1.3, 0.7])
THREE = FOUR[:3].copy()
SQUARE = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5], [1.1, 0.6, -0.7]])
LOWER = np.array([[2.0, 0.0, 0.0], [0.3, 1.8, 0.0], [-0.4, 0.2, 2.2]])
FULL = np.array([[2.0, 0.3, -0.4], [0.3, 1.8, 0.2], [-0.4, 0.2, 2.2]])


# ----- the page's own
@program(np.ones(2), later=[(np.ones(3),)])
def difference_of_itself(x):
    return np.sum(x - x)


@program(np.ones(2), later=[(np.ones(3),)])
def difference_of_a_product_and_itself(x):
    y = np.arange(float(2 * len(x))).reshape(2, len(x)) @ x
    return np.sum(y - y)


@program(np.ones(4))
def difference_of_a_reshaped_array_and_itself(x):
    y = x.reshape(2, 2)
    return np.sum(y - y)


@program(np.array([1.0, 1000.0]))
def exponential_not_selected(x):
    return np.sum(np.where(x < 100, np.exp(x), x))


@program(np.array([1.0, 1000.0]))
def hyperbolic_sine_not_selected(x):
    return np.sum(np.where(x < 100, np.sinh(x), x))


@program(np.array([1.0, 0.0]), gradient=(np.array([0.5, 1.0]),))
def root_not_selected(x):
    return np.sum(np.where(x > 0, np.sqrt(x), x))


@program(1.0, later=[(2.5,)])
def infinite_factor_not_selected(s):
    return np.where(s > 0, 2.0 * s, -np.inf * s)


@program(1.3)
def normal_quantile(s):
    return scipy.stats.norm.ppf(0.2, 0.0, s)


@program(np.array([0.3, -0.6, 1.1]), 1.4)
def normal_density_of_equal_eigenvalues(y, s):
    return scipy.stats.multivariate_normal.logpdf(y, np.zeros(3), s * np.eye(3))


@program(np.array([0.3, -0.6, 1.1]), np.zeros(3), 1.4 * np.eye(3), later=[(FOUR[:3], FOUR[1:], FULL)])
def normal_density_of_a_covariance(y, m, c):
    return scipy.stats.multivariate_normal.logpdf(y, m, c)


@program(np.array([0.3, -0.6, 1.1]), 1.4, 0.0, later=[(FOUR[:3], 1.1, 0.2)])
def normal_density_around_equal_eigenvalues(y, s, t):
    return np.sum([scipy.stats.multivariate_normal.pdf(y * k, cov=s * np.eye(3) + t * FULL) for k in (1, 2)])


@program(LOWER, later=[(FULL,)])
def cholesky_of_one_triangle(a):
    return np.sum(np.linalg.cholesky(a) * np.arange(1.0, 10.0).reshape(3, 3))


@program(LOWER, later=[(FULL,)])
def eigenvalues_of_one_triangle(a):
    return np.sum(np.linalg.eigvalsh(a) * np.arange(1.0, 4.0))


@program(LOWER, later=[(FULL,)])
def eigenvectors_of_one_triangle(a):
    w, v = np.linalg.eigh(a)
    return np.sum((v * v) @ w**2) + np.sum(v[0] ** 2 * w)


@program(FULL, later=[(FULL - 2.0 * np.eye(3),)])
def root_of_a_matrix(a):
    return np.sum(scipy.linalg.sqrtm(a).real * np.arange(9.0).reshape(3, 3))


# ----- in helper functions
def softplus(x):
    return np.where(x > 30.0, x, np.log1p(np.exp(x)))


@program(np.array([0.4, 1000.0, -3.0]), later=[(np.array([0.4, 3.0, -800.0]),)])
def softplus_of_large_numbers(x):
    return np.sum(softplus(x))


def log_sum_exp(a):
    m = np.max(a)
    return m + np.log(np.sum(np.exp(a - m)))


@program(FOUR, np.array([True, False, True, True]), wrt=(0,))
def masked_evidence(x, mask):
    return log_sum_exp(np.where(mask, x * x, -np.inf))


def solve_lower(l, b):
    return scipy.linalg.solve_triangular(l, b, lower=True)


@program(FULL, np.array([0.4, -0.9, 1.3]), later=[(LOWER, np.array([0.4, -0.9, 1.3]))])
def triangular_system(l, b):
    return np.sum(solve_lower(l, b) ** 2)


def log_density(y, covariance):
    l = np.linalg.cholesky(covariance)
    z = np.linalg.solve(l, y)
    return -0.5 * z @ z - np.sum(np.log(np.diag(l)))


@program(FULL, np.array([0.4, -0.9, 1.3]), later=[(LOWER, np.array([0.4, -0.9, 1.3]))])
def density_of_a_process(covariance, y):
    return log_density(y, covariance)


def quotient(n, d):
    return np.where(d > 0.0, n / d, 0.0)


@program(np.array([1.0, 2.0, 3.0]), np.array([2.0, 0.0, 4.0]), wrt=(0, 1),
         gradient=(np.array([0.5, 0.0, 0.25]), np.array([-0.25, 0.0, -3.0 / 16.0])))  # fmt: skip
def quotient_where_there_is_one(n, d):
    return np.sum(quotient(n, d))


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@program(np.array([0.4, -800.0, 3.0]))
def saturated_response(x):
    return np.sum(sigmoid(x) * np.array([1.0, 2.0, 3.0]))


def centered(y):
    return y - np.mean(y)


@program(FOUR, later=[(FOUR[:2],)])
def residual_that_cancels(x):
    r = centered(x * x)
    return np.sum((r - r) ** 2) + np.sum(r - r)


# ----- in methods, comprehensions and lambdas
class Layer:
    def __init__(self, power):
        self.power = power

    def __call__(self, x):
        return np.where(x > 0.0, x**self.power, 0.0)


@program(np.array([0.0, 1.2, -0.7]), 0.5, gradient=(np.array([0.0, 0.5 / np.sqrt(1.2), 0.0]),), wrt=(0,))
def root_of_an_activation(x, power):
    return np.sum(Layer(power)(x))


@program(np.array([0.0, 1.2, 0.7]), gradient=(np.array([0.0, np.log(1.2) + 1.0, np.log(0.7) + 1.0]),))
def entropy_in_a_comprehension(p):
    return np.sum([np.where(v > 0, v * np.log(v), 0.0) for v in p])


@program(np.array([0.4, -0.9], dtype=np.float32), 0.6, later=[(np.ones(3, dtype=np.float32), 0.1)])
def single_precision(x, s):
    energy = lambda u, a: np.sum(np.exp(u) * u) * a + np.sum((u - u) * a)
    return energy(x, s)


@program(np.array(0.7), np.float64(0.4), 1.1)
def numbers_of_three_types(a, b, c):
    combine = lambda u, v: np.sin(u * v) - u * v
    return combine(a, b) * c + combine(b, c) * a


@program(np.array([0.7]), np.array([[0.4, 0.6], [0.1, 0.3]]), later=[(np.array([0.7]), np.array([[0.4]]))])
def arrays_of_one_number_broadcast(a, y):
    total = sum([np.sum(a * row - a) for row in y])
    return total + np.sum(a) * 0.5


@program(FOUR, later=[(FOUR[:1],)])
def result_with_one_element(x):
    first = lambda v: v[:1] * np.sum(v)
    return first(x)


@program(FOUR, later=[(FOUR[:1],)])
def matrix_with_one_element(x):
    return x[None, :] @ np.sin(x)[:, None]


@program(
    {"w": FOUR, "b": [0.5, np.float64(1.2)]}, 3, later=[({"w": FOUR[:2], "b": [0.1, np.float64(0.2)]}, 1)]
)
def parameters_in_containers(p, n):
    return sum(np.sum(p["w"] ** k) for k in range(1, n + 1)) * p["b"][0] + (p["b"][1] - p["b"][1]) * n


class Modes:
    def __init__(self, uplo):
        self.uplo = uplo

    def frequencies(self, a):
        return np.sqrt(np.linalg.eigvalsh(a, UPLO=self.uplo))


@program(FULL, "U", later=[(FULL.T + np.triu(FULL), "U"), (LOWER, "L")])
def frequencies_from_one_triangle(a, uplo):
    return np.sum(Modes(uplo).frequencies(a) * np.arange(1.0, 4.0))


# ----- in nested loops
@program(1.3, 0.4, 2, later=[(1.3, 0.0, 1)])
def determinants_of_covariances(s, t, n):
    total = 0.0
    for i in range(1, n + 1):
        for j in range(1, 3):
            k = s * np.eye(3) + t * np.full((3, 3), 0.1 * j)
            total = total + np.sum(np.log(np.linalg.eigvalsh(k))) * i
    return total


@program(FOUR, 3, later=[(FOUR[:2], 1)])
def converged_residuals(b, n):
    total = 0.0
    x = b * 0.5
    for i in range(n):
        r = b - x * 2.0
        for j in range(2):
            r = r - r
            total = total + np.sum(r.reshape(2, -1)) * (i + 1)
        x = x + r * 0.5
    return total + np.sum(x * x)


@program(np.array([0.4, 900.0]), 2, later=[(np.array([0.4, 1.5]), 3)])
def growth_that_saturates(x, n):
    total = 0.0
    for step in range(n):
        for k in range(2):
            y = np.where(x < 50.0, np.expm1(x * 0.5), 2.0 * x + k)
            total = total + np.sum(y)
    return total


@program(1.7, 2)
def norms_of_a_scaled_rotation(s, n):
    total = 0.0
    for i in range(n):
        for angle in (0.3, 1.1):
            c, d = np.cos(angle), np.sin(angle)
            total = total + np.linalg.norm(s * np.array([[c, -d], [d, c]]), "nuc") * (i + 1.0)
    return total


@program(FOUR, 0.6, 3, later=[(FOUR[:2], 0.3, 1)])
def amplitudes_of_real_arguments(x, w, n):
    total = 0.0
    for k in range(n):
        z = 0j
        for j in range(len(x)):
            z = z + x[j] * np.exp(1j * w * k * j)
        total = total + (z * np.conj(z)).real
    return total


@program(np.array([0.3 + 0.4j, -0.8 + 0.1j]), 0.7)
def amplitudes_of_complex_arguments(z, s):
    total = 0.0
    for k in range(2):
        for v in z:
            total = total + np.abs(v * v + s * k) + (v - v).real
    return total


@program(np.array([0.0, 0.7, 1.4]), gradient=(np.array([0.0, 0.5 / np.sqrt(0.7), 0.5 / np.sqrt(1.4)]),))
def root_times_zero(x):
    total = 0.0
    for i in range(2):
        for k in range(3):
            weight = 0.0 if k == 0 else 0.5
            total = total + weight * np.sqrt(x[k])
    return total


@program(FOUR + 2.0, 4, later=[(FOUR, 2)])
def products_with_zeros(x, n):
    total = 0.0
    for i in range(n):
        y = x * 1.0
        for j in range(i):
            y[j] = 0.0 * x[j]
        total = total + np.prod(y) + np.sum(y * 0.0)
    return total


# ----- further ones, of all kinds
@program(THREE, kernels=False)
def trace_of_a_difference(x):
    m = np.outer(x, x)
    return np.trace(m - m) + np.sum((m - m)[0]) + np.linalg.det(m - m + np.eye(3))


@program(THREE, 2.0, kernels=False)
def zero_times_array(x, s):
    z = x * 0.0
    return np.sum(z @ x) * s + np.sum(np.tile(z, (2, 1)) * s) + s


@program(THREE, kernels=False)
def array_minus_itself_indexed(x):
    r = x[1:] - x[1:]
    r[0] = x[0]
    return np.sum(r * r)


@program(FULL, kernels=False)
def slogdet_and_inverse(a):
    sign, logdet = np.linalg.slogdet(a)
    return logdet + np.sum(np.linalg.inv(a)[0]) + sign


@program(FULL, np.array([0.4, -0.9, 1.3]))
def cho_factor_and_solve(a, b):
    c, lower = scipy.linalg.cho_factor(a, lower=True)
    return np.sum(scipy.linalg.cho_solve((c, lower), b) ** 2)


@program(np.triu(FULL), np.array([0.4, -0.9, 1.3]))
def cho_factor_upper(a, b):
    return np.sum(scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), b) ** 2)


@program(np.tril(FULL), np.array([0.4, -0.9, 1.3]))
def solve_symmetric_from_lower(a, b):
    return np.sum(scipy.linalg.solve(a, b, lower=True, assume_a="sym") ** 2)


@program(np.triu(FULL))
def scipy_eigh_upper(a):
    w, v = scipy.linalg.eigh(a, lower=False)
    return np.sum(w**2 * np.arange(1.0, 4.0)) + np.sum(v[0] ** 2 * w)


@program(np.tril(FULL))
def pinv_hermitian_lower(a):
    return np.sum(np.linalg.pinv(a, hermitian=True) ** 2)


@program(np.tril(FULL))
def svd_hermitian_lower(a):
    u, s, vh = np.linalg.svd(a, hermitian=True)
    return np.sum(s**2 * np.arange(1.0, 4.0))


@program(np.tril(FULL))
def matrix_rank_independent(a):
    return np.sum(np.linalg.cholesky(a, upper=False)) + np.sum(np.linalg.eigh(a)[0] ** 3)


@program(np.array([1.0, 800.0, -800.0]))
def log_cosh(x):
    return np.sum(np.where(np.abs(x) > 100.0, np.abs(x), np.log(np.cosh(x))))


@program(np.array([0.5, 2.0]), kernels=False)
def arcsine_not_selected(x):
    return np.sum(np.where(x < 1.0, np.arcsin(x), x))


@program(np.array([1.0, 300.0]))
def gamma_not_selected(x):
    return np.sum(np.where(x < 100.0, scipy.special.gamma(x), x))


@program(np.array([0.5, 400.0]))
def power_overflow_not_selected(x):
    return np.sum(np.where(x < 100.0, x**200.0, x))


@program(np.array([0.5, 1e200]))
def square_overflow_not_selected(x):
    return np.sum(np.where(x < 100.0, x * x * x, 2.0 * (x / 1e200)))


@program(np.array([0.5, 0.0]), gradient=(np.array([-4.0, 3.0]),), kernels=False)
def reciprocal_not_selected(x):
    return np.sum(np.where(x > 0, 1.0 / x, 3.0 * x))


@program(np.array([0.5, 0.0]), gradient=(np.array([-4.0, 3.0]),), kernels=False)
def reciprocal_in_a_branch(x):
    total = 0.0
    for v in x:
        total = total + (1.0 / v if v > 0 else 3.0 * v)
    return total


@program(np.array([1.0, np.inf]), gradient=(np.array([np.exp(-1.0) * -1.0, 0.0]),), kernels=False)
def exponential_at_infinity(x):
    return np.sum(np.exp(-x))


@program(0.7, np.array([1.0, -np.inf, 2.0]), wrt=(0,))
def weights_of_minus_infinity(s, a):
    w = np.exp(a * s)
    return np.log(np.sum(np.where(np.isfinite(a), w, 0.0)))


@program(0.7, np.array([1.0, np.nan, 2.0]), wrt=(0,))
def missing_values_masked(s, y):
    r = np.where(np.isnan(y), 0.0, y - s)
    return np.sum(r * r) + np.nansum((y - s) ** 2) + np.nanmean(y * s)


@program(THREE, kernels=False)
def maximum_of_equal_arrays(x):
    return np.sum(np.maximum(x, x) * 2.0) + np.sum(np.where(x == x, x, 0.0)) + np.sum(np.minimum(x, x))


@program(np.asfortranarray(SQUARE), SQUARE[:, ::2], kernels=False)
def strided_arguments(a, b):
    return np.sum((a @ b) ** 2) + np.sum(a - a)


@program([0.5, 1.5], (0.3, np.array([0.2, 0.1])), kernels=False)
def lists_and_tuples(a, b):
    return a[0] * b[0] + np.sum(b[1]) * a[1] + a[1] - a[1]


@program(np.array([1.0, 2.0, 3.0], np.float32))
def mean_in_a_sum_with_a_condition(x):
    x[1] += 1
    return sum(t for t in (x.mean(), True) if t != 0.25)


@program(1.483, np.array([0.903, -2.667, 2.003, 0.073]), later=[(-0.5, np.array([1.0, 2.0]))])
def number_decides_a_key_and_scales(s, z):
    z[1:] *= math.cos(s)
    chosen = {True: 1, False: np.var(z)}[s > 0.1]
    return np.sum(np.sin(z)) + chosen


@program(2.6, np.array([0.3, 0.7]), later=[(1.2, np.array([0.3, 0.7]))])
def number_decides_a_key_and_is_converted(s, z):
    k = {1: 2.0, 2: 3.0}[int(s)]
    return z[0] * max(s, 1.0) + abs(s) * k + float(s) + min(s, 5) ** 2 + math.sin(s)


@program(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32))
def trace_that_a_loop_carries(x):
    it, total = 0, np.trace(x)
    while it < 1:
        it += 1
        total = total * 1
    return total


# ----- displays that are operands as arrays
@program(THREE, 0.5)
def a_list_of_one_stretched(x, s):
    return np.sum(x + [s]) + np.sum([s] * x) + np.sum((x[0] * s,) - x * [s])


@program(THREE, 0.5)
def a_tuple_as_each_row(x, s):
    return np.sum((s, s * s, x[0]) * np.ones((2, 3)) * x)


@program(THREE, 0.5)
def lists_in_a_list_stretched(x, s):
    return np.sum(x / [[s], [s * s]]) + np.sum(np.ones((2, 2, 3)) * [x, x * s])


@program(THREE, 0.5)
def a_list_added_in_place(x, s):
    y = [1.0]
    y += x  # an array by now
    y += [s]
    y *= (s, s * s, x[1])
    return np.sum(y * y)


@program(THREE, 0.5, later=[(FOUR[:1], 0.5)])
def a_list_of_the_length_of_one_or_three(x, s):
    return np.sum(x * [v * s for v in x])


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
