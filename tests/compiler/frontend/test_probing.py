"""Does the compiler take a length for a constant that is none?"""

import numpy as np
import pytest
import scipy.signal as sg
from scipy import ndimage

import ast_ad
from ast_ad.compiler.frontend.types import probing
from ast_ad.compiler.frontend.types.dummies import InferenceError
from ast_ad.compiler.frontend.types.infer import result_type
from ast_ad.compiler.frontend.types.probing import probe
from ast_ad.compiler.ir.alternatives import one_of
from ast_ad.compiler.ir.ops import Lit, Seq, Var, variables
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar
from ast_ad.rules.networks.convolution import convolve
from ast_ad.rules.scipy.splines import spline_values

DOUBLE = np.dtype(np.float64)


def image(name, rank=4):
    return Var(Array(DOUBLE, tuple(Dim.symbol((name, i)) for i in range(rank))))


@pytest.mark.slow
def test_what_stays_the_same_where_all_lengths_are_equal_is_no_constant():
    """The channels have to agree, which no guess finds: all lengths are equal, and n - k + 3 is always 3."""
    how = tuple(map(Lit, (1, 1, 1, 1)))
    found = probe(convolve, (image("x"), image("w"), *how), {})
    assert found.dtype == DOUBLE and not any(isinstance(n, int) for n in found.shape)


def test_shapes_that_are_told():
    x, w = image("x"), image("w")
    found = result_type(convolve, (x, w, *map(Lit, (1, 1, 1, 1))), {})
    assert found.shape[0] == x.type.shape[0] and found.shape[1] == w.type.shape[0]
    strided = result_type(convolve, (x, w, *map(Lit, (2, 1, 1, 1))), {})
    assert strided.shape[:2] == found.shape[:2] and strided.shape[2] not in x.type.shape


def test_a_product_of_lengths_less_one_of_them_is_divided_by():
    """Made-up sizes of products and of their factors need not fit; the difference must not come out as 0."""

    def f(x):
        return np.sum(x) / ((x.shape[0] - 1) * x.shape[1])

    assert ast_ad.grad(f, fallback="error")(np.ones((3, 2))).tolist() == [[0.25, 0.25]] * 3


NUMBER = one_of(Scalar("float"), (Scalar("int"), Scalar("float")))


def test_results_of_another_rank_for_each_type_have_none():
    def repeated(v):
        return np.full(2, v) if isinstance(v, float) else v

    with pytest.raises(InferenceError, match="the rank of the result depends on the path taken"):
        result_type(repeated, (Var(NUMBER),), {})
    assert result_type(repeated, (Var(Scalar("float")),), {}).ndim == 1


def test_arrays_of_objects_for_one_of_the_types():
    def boxed(v):
        return np.array([v], object if isinstance(v, float) else int)

    with pytest.raises(InferenceError, match="it is an array of objects on some path"):
        result_type(boxed, (Var(NUMBER),), {})
    assert result_type(boxed, (Var(Scalar("int")),), {}).dtype == np.dtype(int)


def of_four(results):
    """A function of a list and a vector that have four numbers each."""

    def function(numbers, x):
        if (len(numbers), len(x)) != (4, 4):
            raise ValueError("they don't fit")
        return results

    return function


def test_how_many_results_there_are_may_depend_on_the_length_of_a_list():
    numbers, x = Var(ListOf(Scalar("float"))), Var(Array(DOUBLE, (Dim.symbol("n"),)))
    alike = probe(of_four([1.0, 2.0, 3.0]), (numbers, x), {})
    assert isinstance(alike, ListOf) and alike.element == Scalar("float")
    with pytest.raises(InferenceError, match="the number of results may depend on the length of a list"):
        probe(of_four([1.0, np.ones(2), 3.0]), (numbers, x), {})


def test_the_lengths_of_a_stack_of_one_array():
    n = Dim.symbol("n")
    x = Var(Array(DOUBLE, (n,)))
    assert result_type(np.stack, (Seq((x,), tuple),), {}).shape == (1, n)
    assert result_type(np.stack, (Seq((x, x), tuple), Lit(1)), {}).shape == (n, 2)


def test_products_of_arrays_whose_lengths_are_constants():
    a, b, v = (Var(Array(DOUBLE, shape)) for shape in ((2, 3), (3, 4), (3,)))
    assert result_type(np.matmul, (a, b), {}) == Array(DOUBLE, (2, 4))
    assert result_type(np.dot, (a, v), {}) == Array(DOUBLE, (2,))
    with pytest.raises(InferenceError):
        result_type(np.matmul, (b, a), {})


def of_pairs(x):
    products = x[:, None, :, None] * x[None, :, None, :]
    return np.sum(np.sort(products, axis=0) * products)


def outer_of_cubes(x):
    cube = x[:, :, None] * x[0]
    return np.sum(np.outer(cube, cube[::-1]))


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("f", [of_pairs, outer_of_cubes])
def test_a_trial_takes_no_large_arrays(f, monkeypatch):
    """Few lengths make large arrays: with 31 rows and columns those of all pairs have 650,000 elements."""
    sizes = []

    def noted(fn, args, kwargs, table):
        result = run_on_dummies(fn, args, kwargs, table)
        sizes.extend(np.size(probing.dummy(var, table)) for var in variables(*args))
        sizes.extend(np.size(one) for one in (result if isinstance(result, tuple) else [result]))
        return result

    run_on_dummies = probing.run_on_dummies
    monkeypatch.setattr(probing, "run_on_dummies", noted)
    x = np.random.default_rng(0).random((3, 4))
    gradient = ast_ad.grad(f, fallback="error")
    found, step = gradient(x), 1e-6 * np.ones((3, 4))
    assert sizes and max(sizes) <= probing.MOST_PRODUCTS
    np.testing.assert_allclose(np.sum(found), (f(x + step) - f(x - step)) / 2e-6, rtol=1e-6)


def test_a_told_shape_of_an_array_of_unknown_rank():
    """Where nothing is known of an argument's lengths, the ranks that it may have are tried."""
    found = result_type(
        sg.convolve, (Var(Array(DOUBLE, None)), Var(Array(DOUBLE, (5,)))), {"mode": Lit("same")}
    )
    assert found == Array(DOUBLE, None)
    coefficients = Var(Array(DOUBLE, (2,)))
    assert result_type(sg.lfilter, (coefficients, coefficients, Var(Array(DOUBLE, None))), {}).shape is None


def pieces(x):
    steps = np.diff(x)
    if len(x) == 2:
        return np.concatenate((steps, steps))
    return np.concatenate((steps[:1], steps[1:] ** 2, steps[-1:]))


def beside_pieces(x):
    found = pieces(x)
    return np.sum(np.stack((np.diff(x), found[:-1])) ** 2)


def either(x):
    steps = np.diff(x)
    found = np.concatenate((steps, steps[:1])) if x[0] > 0 else np.concatenate((steps**2, x[:1]))
    if x[1] > 5:
        found = found[:2]
    return np.sum(np.stack((steps, found[:-1])) * found[1:])


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function", [beside_pieces, either])
def test_lengths_that_have_to_be_equal_are_taken_so_in_trials(function, backend):
    pytest.importorskip("numba")
    gradient = ast_ad.value_and_grad(function, backend=backend, fallback="error")
    for n in (20, 30, 5, 2, 3) if function is beside_pieces else (20, 5):
        x = np.cos(np.arange(float(n))) + 0.1
        assert gradient(x)[0] == pytest.approx(function(x))
        step = 1e-6 * np.sin(np.arange(float(n)))
        slope = (function(x + step) - function(x - step)) / 2e-6
        assert gradient(x)[1] @ step / 1e-6 == pytest.approx(slope, rel=1e-6)
    if backend == "numba":
        assert "there are no kernels" not in gradient.explain()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The behavior of affine_transform")  # told until SciPy 1.15
def test_trials_take_valid_arguments():
    """SciPy would read memory that isn't there, and the process would end."""

    def transformed(x, m):
        return np.sum(ndimage.affine_transform(x, m, offset=2.3, mode="mirror") ** 2)

    gradient = ast_ad.grad(transformed, fallback="error")(np.ones(5), np.array([0.9]))
    assert np.isfinite(gradient).all()

    def eroded(x, marks, heights):
        return np.sum(ndimage.grey_erosion(x, footprint=marks, structure=heights) ** 2)

    marks = np.array([True, False, True])
    gradient = ast_ad.grad(eroded)(np.array([0.3, 0.1, 0.7, 0.4]), marks, np.zeros(3))
    assert gradient.shape == (4,)


def test_no_spline_of_a_degree_below_zero_is_evaluated():
    with pytest.raises(ValueError, match="no spline of degree -1"):
        spline_values(np.ones(1), np.array([0.3]), np.zeros(1), -1, 0, True)


def test_levels_of_quantiles_are_tried_within_their_bounds():
    levels = Var(Array(DOUBLE, (Dim.symbol("q"), 1)))
    found = probe(np.quantile, (image("x", 3), levels), {"axis": Lit(1)})
    assert len(found.shape) == 4


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_lists_of_places_have_lengths_of_their_own(backend):
    """They were taken for those of the array, where trials with other places were out of bounds."""

    def f(a, m):
        chosen = [i for i in range(a.shape[1]) if i < m]
        b = a[:, chosen] + a[:, :1] * a[:, chosen, :1]
        return np.sum(b**2) + np.sum(a[:, 0, chosen])

    def differences(a, m):
        steps = [1e-6 * e.reshape(a.shape) for e in np.eye(a.size)]
        return np.reshape([(f(a + h, m) - f(a - h, m)) / 2e-6 for h in steps], a.shape)

    derivative = ast_ad.grad(f, backend=backend)
    for m in (3, 1, 2):
        a = np.random.default_rng(m).uniform(0.5, 1.5, (3, 3, 3))
        assert derivative(a, m) == pytest.approx(differences(a, m), rel=1e-5)
        assert derivative.mode == "compiled"
