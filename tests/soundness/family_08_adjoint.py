"""Has a gradient its argument's type and shape, and the conventions' value where the formula has none?"""

import numpy as np
import scipy.linalg
import scipy.stats

from .harness import program

TWO = np.array([0.6, 1.7])
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


@program(np.array([0.3, -0.6, 1.1]), 1.4, compiled=False)
def normal_density_of_equal_eigenvalues(y, s):
    return scipy.stats.multivariate_normal.logpdf(y, np.zeros(3), s * np.eye(3))


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


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("difference_of_itself", "numpy", "right"): "gradient of argument 0: type float instead of ndarray",
    ("difference_of_itself", "numba", "right"): "gradient of argument 0: type float instead of ndarray",
    (
        "difference_of_a_product_and_itself",
        "numpy",
        "right",
    ): "raises ValueError where the function raises nothing",
    (
        "difference_of_a_product_and_itself",
        "numba",
        "right",
    ): "raises ValueError where the function raises nothing",
    (
        "difference_of_a_reshaped_array_and_itself",
        "numpy",
        "right",
    ): "raises ValueError where the function raises nothing",
    (
        "difference_of_a_reshaped_array_and_itself",
        "numba",
        "right",
    ): "raises ValueError where the function raises nothing",
    ("exponential_not_selected", "numpy", "right"): "gradient of argument 0",
    ("exponential_not_selected", "numba", "right"): "gradient of argument 0",
    ("hyperbolic_sine_not_selected", "numpy", "right"): "gradient of argument 0",
    ("hyperbolic_sine_not_selected", "numba", "right"): "gradient of argument 0",
    ("infinite_factor_not_selected", "numpy", "right"): "gradient of argument 0",
    ("infinite_factor_not_selected", "numba", "right"): "gradient of argument 0",
    ("normal_quantile", "numpy", "right"): "gradient of argument 0",
    ("normal_quantile", "numba", "right"): "gradient of argument 0",
    ("normal_density_of_equal_eigenvalues", "numpy", "right"): "gradient of argument 1",
    ("normal_density_of_equal_eigenvalues", "numba", "right"): "gradient of argument 1",
    ("cholesky_of_one_triangle", "numpy", "right"): "gradient of argument 0",
    ("cholesky_of_one_triangle", "numba", "right"): "gradient of argument 0",
    ("eigenvalues_of_one_triangle", "numpy", "right"): "gradient of argument 0",
    ("eigenvalues_of_one_triangle", "numba", "right"): "gradient of argument 0",
    ("eigenvectors_of_one_triangle", "numpy", "right"): "gradient of argument 0",
    ("eigenvectors_of_one_triangle", "numba", "right"): "gradient of argument 0",
    (
        "root_of_a_matrix",
        "numpy",
        "right",
    ): "call 2: gradient of argument 0: dtype complex128 instead of float64",
    (
        "root_of_a_matrix",
        "numba",
        "right",
    ): "call 2: gradient of argument 0: dtype complex128 instead of float64",
}
