"""What do traces make of libraries' compiled code and objects: Qhull, sparse matrices, splines, defaults?"""

import collections.abc
import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.sparse
import scipy.special
from scipy.spatial import ConvexHull, Delaunay, Voronoi

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.random.default_rng(3).normal(size=(8, 2))
Y = np.random.default_rng(4).normal(size=(3, 3))


def traced(function):
    """The function, as code that is traced and not compiled."""

    def call(*args):
        sys._getframe()  # may look at anything
        return function(*args)

    return call


def differences(function, x, h=1e-6):
    found = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = h
        found[place] = (function(x + step) - function(x - step)) / (2 * h)
    return found


def check(function, x, mode="fallback"):
    derivative = ast_ad.value_and_grad(function)
    for _ in range(2):
        value, gradient = derivative(x)
        np.testing.assert_allclose(value, function(x), rtol=1e-12)
        np.testing.assert_allclose(gradient, differences(function, x), rtol=1e-5, atol=1e-6)
    assert derivative.mode == mode


# ----- Qhull


def circumference(x):
    corners = x[ConvexHull(x).vertices]
    return np.sum(np.sqrt(np.sum((corners - np.roll(corners, 1, axis=0)) ** 2, axis=1)))


def areas(x):
    a, b, c = (x[Delaunay(x).simplices[:, k]] for k in range(3))
    u, v = b - a, c - a
    return np.sum((u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]) ** 2)


def neighbours(x):
    i, j = Voronoi(points=x).ridge_points.T
    return np.sum((x[i] - x[j]) ** 2)


def around_constants(x):
    grid = np.zeros((4, 2))
    grid[1, 0] = grid[2, 1] = 1.0
    grid[3] = 1.2
    mesh = Delaunay(grid)
    return np.sum(x[mesh.simplices]) * mesh.equations[0, 2]


def points_of_the_hull(x):
    hull = ConvexHull(x)
    edges = hull.points[hull.simplices]
    lengths = np.sqrt(np.sum((edges[:, 1] - edges[:, 0]) ** 2, axis=1))
    return np.sum(lengths) * hull.max_bound[0] + np.sum(hull.min_bound**2)


@pytest.mark.parametrize("function", [circumference, areas, neighbours, around_constants, points_of_the_hull])
def test_which_points_belong_together(function):
    check(function, X)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: ConvexHull(x).volume,
        lambda x: np.sum(Voronoi(x).vertices),
        lambda x: np.sum(Delaunay(x).equations),
    ],
)
def test_numbers_of_qhull_are_refused(function):
    with pytest.raises(ast_ad.MissingRuleError, match="Qhull"):
        ast_ad.grad(function)(X)


def test_qhull_gets_no_traced_points():
    with pytest.raises(ast_ad.UnsupportedError):
        ast_ad.grad(lambda x: np.sum(Delaunay(X).find_simplex(x) * x[:, 0]))(X)


def test_qhull_imported_by_the_function():
    program = """
import numpy as np, ast_ad
def f(x):
    from scipy.spatial import ConvexHull
    return np.sum(x[ConvexHull(x).vertices] ** 2)
x = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.2, 0.2]])
print(ast_ad.grad(f)(x).sum())
"""
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert found.stdout.strip() == "4.0", found.stderr


# ----- constants that objects of SciPy hold


def test_spline_of_constants_is_a_whole_object():
    kept = {}

    def stored(x):
        if "spline" not in kept:
            t = np.linspace(0.0, 2.0, 9)
            kept["spline"] = scipy.interpolate.InterpolatedUnivariateSpline(t, np.sin(t))
        return np.sum(kept["spline"](x))

    x = np.array([0.3, 1.4])
    np.testing.assert_allclose(ast_ad.grad(stored)(x), np.cos(x), rtol=1e-3)
    spline = kept["spline"]
    assert spline.get_knots()[0] == 0.0
    assert isinstance(float(spline.integral(0.0, 1.0)), float)
    np.testing.assert_allclose(ast_ad.grad(stored)(x), spline.derivative()(x))


def test_spline_of_what_is_differentiated():
    t = np.linspace(0.0, 2.0, 6)

    def through(y):
        return scipy.interpolate.InterpolatedUnivariateSpline(t, y * y)(0.7) ** 2

    y = np.cos(t)
    np.testing.assert_allclose(ast_ad.grad(through)(y), differences(through, y), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("kind", [scipy.sparse.lil_matrix, scipy.sparse.lil_array])
def test_sparse_matrix_filled_with_constants(kind):
    def product(x):
        weights = np.arange(9.0).reshape(3, 3)
        m = kind((3, 3))
        m[0, [0, 2]] = weights[1, :2]
        m[2, 1] = weights[2, 2]
        return np.sum((m.tocsr() @ x) ** 2)

    check(product, Y)


def test_sparse_matrix_filled_with_what_is_differentiated():
    def filled(x):
        m = scipy.sparse.lil_matrix((3, 3))
        m[0, 0] = x[0, 0]
        return np.sum(m.toarray())

    with pytest.raises(ast_ad.AdError, match="a store into a sparse matrix"):
        ast_ad.grad(filled)(Y)


# ----- what code asks


def length_of(v):
    try:
        iter(v)
    except TypeError:
        return 0
    return len(v)


def test_numbers_have_no_iterator():
    def f(x):
        assert length_of(x) == 3
        assert length_of(x[0, 1] ** 2) == 0
        assert not isinstance(x[0, 1] ** 2, collections.abc.Iterable)
        assert next(iter(x[:, 0])) is not None
        assert list(iter([1, 2].pop, 1)) == [2]
        return x[0, 0] ** 2 if length_of(x[0, 0]) == 0 else x[0, 0]

    assert ast_ad.grad(traced(f))(Y)[0, 0] == 2 * Y[0, 0]


def raised(x, xp=math, *, power=np.power):
    return xp.exp(x) * power(np.array([x, 2.0]), 2.0).sum()


def test_modules_and_functions_among_defaults():
    def f(x):
        return raised(x) + raised(x, np)

    before = raised.__defaults__
    assert ast_ad.grad(traced(f))(1.3) == pytest.approx((f(1.3 + 1e-6) - f(1.3 - 1e-6)) / 2e-6, rel=1e-6)
    assert raised.__defaults__ is before
    assert raised.__kwdefaults__ == {"power": np.power}
    assert ast_ad.grad(raised)(1.3) > 0


def test_one_argument_that_is_none():
    def integrand(t, told):
        return t**2 if told is None else t

    def f(x):
        return scipy.integrate.quad(integrand, 0.0, x, args=None)[0]

    assert ast_ad.grad(f)(1.3) == pytest.approx(1.69)


# ----- sequences and objects that are arrays


class Cell:
    """An array of the user's own."""

    def __init__(self, rows):
        self.rows = rows

    def __array__(self, dtype=None, copy=None):
        return self.rows


class Doubled(Cell):
    """One with a method that NumPy calls."""

    def sum(self, axis=None, out=None, **options):
        return 2 * self.rows.sum()


def of_methods(x):
    return np.sum(Doubled(x * x)) + np.trace(Doubled(x))


def joined(x):
    rows = np.concatenate(((x[0],), (2 * x[1],)), axis=0).T
    return np.sum(rows**2) + np.sum(np.vstack([[x[0, 0], 1.0], (x[1, 1], x[2, 0])]) ** 3)


def of_cells(x):
    cell = Cell(x * x)
    return np.sum(np.linalg.norm(cell, axis=1)) + np.linalg.det(cell) + np.sum(np.dot(cell, x))


@pytest.mark.parametrize("function", [joined, of_cells, of_methods])
def test_what_numpy_makes_arrays_of(function):
    check(traced(function), Y)


# ----- options


def test_residuals_of_a_fit():
    t = np.linspace(0.0, 1.0, 8)

    def f(y):
        c, rest, rank, s, rcond = np.polyfit(t, y, 2, full=True)
        return np.sum(rest * np.arange(1.0, 3.0)) + c[0, 1] + rank

    check(f, np.random.default_rng(1).normal(size=(8, 2)), "compiled")
    with pytest.raises(ast_ad.AdError, match="cov="):
        ast_ad.grad(lambda y: np.polyfit(t, y, 1, cov=True)[0][0])(np.sin(t))


def test_permission_to_overwrite_that_is_not_given():
    bands = np.array([[3.0, 3.0, 3.0], [1.0, 0.5, 0.0]])

    def f(x):
        return np.sum(
            scipy.linalg.solveh_banded(bands, x[0], overwrite_ab=False, overwrite_b=False, lower=True) ** 2
        )

    np.testing.assert_allclose(ast_ad.grad(f)(Y), differences(f, Y), rtol=1e-5, atol=1e-8)


def test_compiled_code_that_finds_no_array_is_no_error_of_the_program():
    def smoothed_at(x, y):
        return np.sum(scipy.interpolate.make_smoothing_spline(x, y, lam=0.3)(np.array([0.5, 2.3])))

    x = np.arange(9.0)
    with pytest.raises(ast_ad.errors.UnsupportedError, match="its derivative is not known"):
        ast_ad.grad(smoothed_at)(x, x**2)
    by_values = ast_ad.grad(smoothed_at, argnums=1)(x, x**2)
    step = np.eye(9)[2]
    assert by_values[2] == pytest.approx(smoothed_at(x, step) - smoothed_at(x, 0 * step))


def test_a_class_that_is_derived_from_one_with_another_in_its_place():
    x = np.array([0.3, 0.4])
    slopes = ast_ad.grad(traced(lambda x: np.sum(scipy.special.chebyt(3)(x))))(x)
    np.testing.assert_allclose(slopes, 12 * x**2 - 3)


def test_functions_whose_results_are_as_long_as_what_they_are_written_to():
    with pytest.raises(ast_ad.errors.MissingRuleError):
        ast_ad.grad(lambda x: np.sum(scipy.special.riccati_jn(2, x)[0]))(0.4)
