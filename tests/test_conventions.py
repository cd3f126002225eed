"""Are the choices of docs/conventions.md what is computed?"""

import math
import warnings

import numpy as np
import pytest

import ast_ad

INF = math.inf


def f_abs(x):
    return abs(x)


def np_abs(x):
    return np.abs(x)


def max_of(x):
    return max(x, 0.0)


def min_of(x):
    return min(x, 0.0)


def np_maximum(x):
    return np.maximum(x, 0.0)


def np_minimum(x):
    return np.minimum(x, 0.0)


def where(x):
    return np.where(x > 0, x, 0.0)


def times_mask(x):
    return x * (x > 0)


def conditional(x):
    return x if x > 0 else 0.0


def clip(x):
    return np.clip(x, 0.0, np.inf)


def clip_both(x):
    return np.clip(x, -1.0, 0.0)


def sqrt(x):
    return np.sqrt(x)


def power(x):
    return x**1.5


def small_power(x):
    return x**0.5


def sign(x):
    return np.sign(x) + np.floor(x) + np.round(x)


def masked_sqrt(x):
    return np.where(x > 0, np.sqrt(x), 0.0)


AT_ZERO = {
    f_abs: 0,
    np_abs: 0,
    max_of: 0.5,
    min_of: 0.5,
    np_maximum: 0.5,
    np_minimum: 0.5,
    where: 0,
    times_mask: 0,
    conditional: 0,
    clip: 0,
    clip_both: 0,
    sqrt: INF,
    power: 0,
    small_power: INF,
    sign: 0,
    masked_sqrt: 0,
}


@pytest.mark.parametrize("function", AT_ZERO, ids=lambda f: f.__name__)
def test_at_zero(function):
    with np.errstate(divide="ignore", invalid="ignore"):
        gradient = ast_ad.grad(function)(np.float64(0.0))
    assert gradient == AT_ZERO[function]


def extremes(x):
    return np.max(x) + 2.0 * np.min(x)


def norm(x):
    return np.linalg.norm(x)


def product(x):
    return np.prod(x)


def products(x):
    return np.sum(np.cumprod(x))


@pytest.mark.parametrize(
    "function, x, expected",
    [
        (extremes, [3.0, 1.0, 3.0, 1.0], [0.5, 1.0, 0.5, 1.0]),
        (norm, [0.0, 0.0], [0.0, 0.0]),
        (product, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
        (product, [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
        (products, [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
    ],
)
def test_arrays(function, x, expected):
    np.testing.assert_array_equal(ast_ad.grad(function)(np.array(x)), expected)


def squared_modulus(z):
    return np.sum(np.abs(z * (1.0 + 2.0j)) ** 2)


def test_complex():
    z = np.array([1.0 + 1.0j, 2.0 - 3.0j])
    np.testing.assert_allclose(ast_ad.grad(squared_modulus)(z), 2 * 5 * z, rtol=1e-14)


def sum_of_squares(x):
    return np.sum(x * x)


def of_dict(params):
    return np.sum(params["a"] ** 2) * params["b"]


def unused(x, y):
    return np.sum(x)


def test_types_and_structure():
    single = ast_ad.grad(sum_of_squares)(np.ones(3, np.float32))
    assert single.dtype == np.float32
    assert isinstance(ast_ad.grad(sum_of_squares)(2.0), float)
    gradient = ast_ad.grad(of_dict)({"a": np.ones(2), "b": 3.0})
    assert list(gradient) == ["a", "b"]
    np.testing.assert_array_equal(gradient["a"], [6.0, 6.0])
    assert gradient["b"] == 2.0
    with pytest.warns(ast_ad.ZeroGradientWarning, match="does not depend"):
        np.testing.assert_array_equal(ast_ad.grad(unused, argnums=1)(np.ones(2), np.ones(3)), np.zeros(3))


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "x", [2.0, np.float64(2), np.float32(2), np.array(2.0), np.array(2.0, np.float32), np.ones((1, 1)), 2j]
)
def test_a_gradient_has_the_type_of_its_argument(x, backend):
    for f in (
        lambda x: abs(x * x).sum() if isinstance(x, np.ndarray) else abs(x * x),
        lambda x: abs(3 * (x - x)),
    ):
        found = ast_ad.grad(f, backend=backend)(x)
        assert type(found) is type(x)
        assert np.shape(found) == np.shape(x) and np.result_type(found) == np.result_type(x)


def volume(box):
    return box[0] * box[1] * box[2]


def test_integers_among_floats_are_left_alone():
    assert ast_ad.grad(volume)([1.0, 2, 3.0]) == [6.0, 0, 2.0]
    assert ast_ad.grad(lambda b: ast_ad.grad(volume)(b)[0])([1.0, 2, 3.0]) == [0.0, 0, 2.0]
    (found,) = ast_ad.vjp(volume, (1.0, 2, 3.0), argnums=(0,))[1](1.0)
    assert found == (6.0, 0, 2.0)
    with pytest.raises(ast_ad.AdError, match="integer"):
        ast_ad.grad(volume)([1, 2, 3])


def rounded_down(x):
    return int(x) * 2.0


def stored_as_integer(x):
    counts = np.zeros(2, int)
    counts[0] = x
    return np.sum(counts) * 1.0


def converted(x):
    return np.array([x, 1.0]).astype(int).sum() * 1.0


@pytest.mark.parametrize("function", [rounded_down, stored_as_integer, converted])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_lost_derivative_is_told_once(function, backend):
    gradient = ast_ad.grad(function, backend=backend)
    with pytest.warns(ast_ad.ZeroGradientWarning, match=r"becomes an integer at .*test_conventions.py:\d+"):
        assert gradient(1.5) == 0
    assert gradient(2.5) == 0


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.floor(x) * 2.0,
        lambda x: np.sign(x) + (x > 1) * 1.0,
        lambda x: float(np.argmax(np.array([x, 1.0]))),
        lambda x: round(x) * 1.0,
        lambda x: 1.0 if x > 1 else 2.0,
        lambda x: x // 2,
    ],
)
def test_what_is_flat_by_definition_does_not_warn(function):
    assert ast_ad.grad(function)(1.5) == 0


@pytest.mark.parametrize("x", [3, True, np.arange(3)])
def test_integers_have_no_derivative(x):
    with pytest.raises((ast_ad.AdError, TypeError)):
        ast_ad.grad(sum_of_squares)(x)


def keeps_last(x):
    a = np.zeros(2)
    a[[0, 0]] = x
    return a[0]


def adds_once(x):
    a = np.zeros(2)
    a[[0, 0]] += x
    return a[0]


def adds_each(x):
    a = np.zeros(2)
    np.add.at(a, [0, 0], x)
    return a[0]


@pytest.mark.parametrize(
    "function, expected", [(keeps_last, [0, 1]), (adds_once, [0, 1]), (adds_each, [1, 1])]
)
def test_repeated_index(function, expected):
    np.testing.assert_array_equal(ast_ad.grad(function)(np.array([2.0, 3.0])), expected)


def changes_its_argument(x):
    x *= 2.0
    return np.sum(x * x)


def test_the_callers_arrays_stay():
    x = np.array([1.0, 2.0])
    value, gradient = ast_ad.value_and_grad(changes_its_argument)(x)
    np.testing.assert_array_equal(x, [1.0, 2.0])
    np.testing.assert_array_equal(gradient, [8.0, 16.0])
    assert value == 20.0


# ----- NumPy code, compiled and traced, beside tensors ------------------------------------------------
def only(x):
    turns = (i for i in range(2))
    if next(turns) == 0 and next(turns):  # an iterator that is asked in two places: not followed
        yield x


# What NumPy code computes, the same by methods of tensors, the point, and the derivatives of both.
BESIDE = {
    "branch": (
        lambda x: np.sum(np.where(x > 0, np.sqrt(x), 0.0)),
        lambda x: ast_ad.where(x > 0, x.sqrt(), 0 * x).sum(),
        [0.0, 4.0], [0.0, 0.25], [math.nan, 0.25],
    ),
    "product": (lambda x: np.sum(0 * np.sqrt(x)), lambda x: (0 * x.sqrt()).sum(), [0.0], [0.0], [math.nan]),
    "bound": (
        lambda x: np.sum(np.clip(x, -1, 1)), lambda x: x.clamp(-1, 1).sum(),
        [-1.0, 0.0], [0, 1], [1, 1],
    ),
    "largest": (lambda x: np.max(x, 0), lambda x: x.max(0).values, [4.0, 4.0], [0.5, 0.5], [1, 0]),
    "median": (np.median, lambda x: x.median(), [1.0, 2.0, 3.0, 5.0], [0, 0.5, 0.5, 0], [0, 1, 0, 0]),
    "angle": (
        lambda x: np.arctan2(x[0], x[1]), lambda x: ast_ad.atan2(x[0], x[1]),
        [0.0, 0.0], [math.nan, math.nan], [0, 0],
    ),
    "deviation": (np.std, lambda x: x.std(), [-1.0, 1.0], [-0.5, 0.5], [-0.5 * 2**0.5, 0.5 * 2**0.5]),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize("name", BESIDE)
def test_tensors_differ_where_pytorch_does(name):
    function, of_tensor, point, expected, of_tensors = BESIDE[name]
    compiled = ast_ad.grad(lambda x: function(x))
    traced = ast_ad.grad(lambda x: function(next(only(x))))
    for gradient, mode in (compiled, "compiled"), (traced, "fallback"):
        np.testing.assert_allclose(gradient(np.array(point)), expected)
        assert gradient.mode == mode
    x = ast_ad.tensor(point, dtype=ast_ad.float64, requires_grad=True)
    of_tensor(x).backward()
    np.testing.assert_allclose(x.grad.numpy(), of_tensors)


def times_zeros(x):
    return np.zeros(3) * x[2]


def times_a_view_of_zeros(x):
    zeros = np.zeros_like(np.outer(x, x).T).T.reshape(-1)
    return np.array([zeros, zeros * x[2] ** 0]).T[:1].copy()


def times_their_elements(x):
    zeros = np.full(3, 0.0)
    return np.array([zeros[i] * x[i] for i in range(3)])


def times_what_is_written_later(x):
    factor = np.zeros(3)
    product = factor * x
    factor[0] = 1.0
    return product


def times_a_zero_of_numpy(x):
    return np.float32(0.0) * x


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
@pytest.mark.parametrize(
    "function",
    [
        times_zeros,
        times_a_view_of_zeros,
        times_their_elements,
        times_what_is_written_later,
        times_a_zero_of_numpy,
    ],
    ids=lambda f: f.__name__,
)
def test_what_is_multiplied_by_a_constant_zero(function):
    """It contributes nothing, also where what is made of the product has no derivative at 0."""

    def loss(x):
        return np.sum(x * x) + np.sum(np.sqrt(np.square(function(x))))

    x = np.array([0.75, 1.5, -1.0])
    for backend in ("numpy", "numba"):
        gradient = ast_ad.grad(loss, backend=backend)
        np.testing.assert_array_equal(gradient(x), 2 * x)
        assert gradient.mode == "compiled"
    np.testing.assert_array_equal(ast_ad.grad(lambda x: loss(next(only(x))))(x), 2 * x)


def test_zeros_that_were_written_are_factors():
    def loss(x):
        factor = np.zeros(3)
        factor[1] = 2.0
        total = 0.0
        for _ in range(2):
            total = total + np.sum(factor * x * x)
            factor += 1.0
        return total

    np.testing.assert_array_equal(ast_ad.grad(loss)(np.ones(3)), [2.0, 10.0, 2.0])


def test_types_of_tensors():
    halves, singles = (np.ones(2, dtype) for dtype in (np.float16, np.float32))
    assert (singles * np.array(2.0)).dtype == np.float64
    assert (ast_ad.tensor(singles) * ast_ad.tensor(np.array(2.0))).dtype is ast_ad.float32
    assert (halves * np.arange(2)).dtype == np.float64
    assert (ast_ad.tensor(halves) * ast_ad.arange(2)).dtype is ast_ad.float16
    assert (np.arange(2) / 2).dtype == np.float64 and (ast_ad.arange(2) / 2).dtype is ast_ad.float32
    assert ast_ad.tensor([1.0]).dtype is ast_ad.float32
    assert ast_ad.tensor(np.array([1.0])).dtype is ast_ad.float64
    assert np.std(ast_ad.tensor([-1.0, 1.0])).item() == 1.0


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning", "ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("zero", [0.0, 0, np.float64(0.0)], ids=repr)
def test_arrays_divided_by_zero(zero):
    """NumPy's infinities, with infinite derivatives, where Python's numbers would raise."""
    from ast_ad.tracing.recorder import trace

    def constant(x):
        return np.sum(x / 0.0 + np.divide(x, 0.0))

    def given(x, c):
        return np.sum(x / c)

    x = np.array([1.0, 2.0], np.float32)
    for backend in ("numpy", "numba"):
        np.testing.assert_array_equal(ast_ad.grad(constant, backend=backend)(x), [INF, INF])
        np.testing.assert_array_equal(ast_ad.grad(given, backend=backend)(x, zero), [INF, INF])
    for f, args in ((constant, (x,)), (given, (x, zero))):
        value, pullback = trace(f, args, {}, (0,))
        (gradient,) = pullback([1.0])
        np.testing.assert_array_equal(gradient, [INF, INF])
        assert value == f(*args) and value.dtype == f(*args).dtype and gradient.dtype == np.float32


def test_what_is_stored_is_what_it_was_before():
    """NumPy reads what it has just written here: it stores 3, 4, 4."""

    def overlapping(x):
        a = x * 1.0
        a[:, 2] = a[1]
        return a[:, 2] @ np.arange(1.0, 4.0)

    x = np.arange(9.0).reshape(3, 3)
    expected = np.zeros((3, 3))
    expected[1] = 1.0, 2.0, 3.0
    for backend in ("numpy", "numba"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = ast_ad.grad(overlapping, backend=backend)(x)
        np.testing.assert_array_equal(found, expected)


def read_on_a_path_not_taken(x):
    a = np.log(x[0] * 0) * x[1]
    if x[1] > 0:
        return a
    return x[1]


def an_element_that_is_not_read(x):
    y = x.copy()
    y[0] = y[0] * np.log(x[0] * 0)
    return y[1]


def an_element_that_is_written_again(x):
    y = x.copy()
    y[0] = y[0] * np.log(x[0] * 0)
    y[0] = x[1]
    return np.sum(y)


def an_array_that_is_exchanged(x):
    current, other = x.copy(), x
    for k in range(1):
        current[0] *= np.var(np.resize(current, k))  # of nothing
        current = other
    return np.sum(x)


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "function, expected",
    [
        (read_on_a_path_not_taken, [0.0, 1.0]),
        (an_element_that_is_not_read, [0.0, 1.0]),
        (an_element_that_is_written_again, [0.0, 2.0]),
        (an_array_that_is_exchanged, [1.0, 1.0]),
    ],
)
def test_numbers_that_are_not_read_contribute_nothing(function, expected, backend):
    """Numbers as arrays do, whatever function computed their factors."""
    gradient = ast_ad.grad(function, backend=backend, fallback="error")
    np.testing.assert_array_equal(gradient(np.zeros(2)), expected)
    assert gradient.mode == "compiled"
