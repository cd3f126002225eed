"""Are Jacobians and Hessians right: by rows, by columns, on both backends, traced, of tensors?"""

import tracemalloc
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import InputError, InputTypeError, InputValueError
from ast_ad.operators import jacobians
from ast_ad.operators.jacobians import Jacobian

from .functions import OF_ARRAYS, X, Y, differences, loop_with_writes, number, straight, until

BACKENDS = ["numpy", "numba"]


def opaque(function):
    """The same, which can't be compiled."""
    return lambda x: eval("function(x)", {"function": function, "x": x})


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_agrees_with_differences(function, operator, backend):
    jacobian = operator(function, backend=backend, fallback="error")
    given = X.copy()
    for x in (given, X + 0.05):
        found = jacobian(x)
        np.testing.assert_allclose(found, differences(function, x), rtol=1e-7, atol=1e-8)
        assert found.shape == np.shape(function(x)) + x.shape
    np.testing.assert_array_equal(given, X)
    assert jacobian.mode == "compiled"


@pytest.mark.drawn(of=8)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.hessian])
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_is_the_same_where_it_is_traced(function, operator):
    expected = operator(function, backend="numpy")(X)
    np.testing.assert_allclose(operator(opaque(function))(X), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_hessians_agree_with_differences_of_jacobians(function, backend):
    hessian = ast_ad.hessian(function, backend=backend, fallback="error")
    found = hessian(X)
    expected = differences(ast_ad.jacrev(function, backend="numpy"), X)
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(found, np.swapaxes(found, -1, -2), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("backend", BACKENDS)
def test_compositions_to_the_fourth_order(backend):
    """x**5 has known derivatives, whichever way they are taken."""

    def f(x):
        total = 0.0
        for i in range(len(x)):
            total += x[i] ** 5
        return total

    options = dict(backend=backend, fallback="error")
    x = np.array([0.7, -1.3])
    third = np.zeros((2, 2, 2))
    third[[0, 1], [0, 1], [0, 1]] = 60 * x**2
    fourth = np.zeros((2, 2, 2, 2))
    fourth[[0, 1], [0, 1], [0, 1], [0, 1]] = 120 * x
    for outer in (ast_ad.jacfwd, ast_ad.jacrev):
        np.testing.assert_allclose(outer(ast_ad.hessian(f), **options)(x), third, atol=1e-12)
        np.testing.assert_allclose(outer(outer(ast_ad.grad(f)), **options)(x), third, atol=1e-12)
    np.testing.assert_allclose(ast_ad.hessian(ast_ad.hessian(f), **options)(x), fourth, atol=1e-10)
    traced = ast_ad.grad(
        lambda x: np.sum(ast_ad.hessian(f)(x) * np.array([[1.0, 0.0], [0.0, 2.0]])), **options
    )
    np.testing.assert_allclose(traced(x), 60 * x**2 * np.array([1.0, 2.0]), rtol=1e-12)


def of_containers(p, n):
    return {"rows": p["a"] * n + p["b"], "sum": (np.sum(p["a"]) * p["b"], 7)}


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
@pytest.mark.parametrize("traced", [False, True])
def test_structures_of_the_value_stand_outside(operator, traced):
    function = (
        (lambda p, n: eval("f(p, n)", {"f": of_containers, "p": p, "n": n})) if traced else of_containers
    )
    given = {"a": np.array([1.0, 2.0]), "b": 3.0, "k": 5}
    found = operator(function)(given, 4)
    assert list(found) == ["rows", "sum"] and found["sum"][1] == 0
    np.testing.assert_array_equal(found["rows"]["a"], 4.0 * np.eye(2))
    np.testing.assert_array_equal(found["rows"]["b"], np.ones(2))
    np.testing.assert_array_equal(found["sum"][0]["a"], np.full(2, 3.0))
    assert found["sum"][0]["b"] == 3.0 and found["rows"]["k"] == 0


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian])
def test_several_arguments(operator):
    def f(x, a, y):
        return x * a + y[0]

    first, third = operator(f, argnums=(0, 2))(X, 2.0, Y)
    np.testing.assert_array_equal(first, 2.0 * np.eye(3))
    np.testing.assert_array_equal(third, np.stack([np.eye(3), np.zeros((3, 3))], axis=1))
    second = operator(f, argnums=1)(X, 2.0, Y)
    np.testing.assert_array_equal(second, X)
    np.testing.assert_array_equal(operator(f, argnums=-2)(X, 2.0, Y), X)
    np.testing.assert_array_equal(operator(f, argnums=1)(X, a=2.0, y=Y), X)


def with_keywords(x, a=2.0, b=3.0, *more, k, **rest):
    return a * b * k * x**3 * rest["z"] * (1 + len(more))


JACOBIANS = ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian
CALLS = [
    ((X,), {"k": 2, "z": 1.0}, 12.0),
    ((X, 1.0), {"k": 2.0, "z": 1.0}, 6.0),
    ((X,), {"z": 1.0, "b": 1.0, "k": 2}, 4.0),
    ((), {"z": 1.0, "a": 0.5, "k": 2, "x": X}, 3.0),
    ((X, 1.0, 1.0, 7.0, 8.0), {"k": 2, "z": -1.0}, -6.0),
]


@pytest.mark.drawn(of=6)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("way", ["numpy", "numba", "traced", "inside", "made outside"])
@pytest.mark.parametrize("operator", [*JACOBIANS, ast_ad.hessian])
def test_arguments_by_keyword(operator, way):
    """Those that only go by keyword, those behind defaults, and any others."""
    expected = np.diag(3 * X**2)
    if operator is ast_ad.hessian:
        expected = np.zeros((3, 3, 3))
        expected[[0, 1, 2], [0, 1, 2], [0, 1, 2]] = 6 * X
    of = opaque_with_keywords if way == "traced" else with_keywords
    options = {"backend": way} if way in BACKENDS else {}
    made = operator(of, fallback="trace" if way == "traced" else "error", **options)
    if way == "inside":
        found = ast_ad.vjp(lambda *args, **kwargs: operator(of)(*args, **kwargs), fallback="error")
    elif way == "made outside":
        found = ast_ad.vjp(lambda *args, **kwargs: made(*args, **kwargs), fallback="error")
    else:
        found = made
    for args, kwargs, factor in CALLS:
        value = found(*args, **kwargs)
        value = value[0] if way in ("inside", "made outside") else value
        np.testing.assert_allclose(value, factor * expected, rtol=1e-13)


def opaque_with_keywords(x, a=2.0, b=3.0, *more, k, **rest):
    return eval("f(x, a, b, *more, k=k, **rest)", {**locals(), "f": with_keywords})


@pytest.mark.parametrize("operator", [*JACOBIANS, ast_ad.hessian, ast_ad.laplacian, ast_ad.elementwise_grad])
def test_a_call_that_does_not_fit_the_signature(operator):
    def f(x, *, k):
        return x * k

    with pytest.raises(TypeError, match="missing a required .*'k'"):
        operator(f)(X)
    with pytest.raises(TypeError, match="too many positional"):
        operator(f)(X, 2.0)


def test_hessians_of_several_arguments():
    def f(x, a):
        return np.sum(x**2) * a**3

    (xx, xa), (ax, aa) = ast_ad.hessian(f, argnums=(0, 1))(X, 2.0)
    np.testing.assert_allclose(xx, 16.0 * np.eye(3))
    np.testing.assert_allclose(xa, 24.0 * X)
    np.testing.assert_allclose(ax, 24.0 * X)
    np.testing.assert_allclose(aa, 12.0 * np.sum(X**2))


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian, ast_ad.hessian])
def test_aux(operator):
    found, aux = operator(lambda x: (np.sum(x**2) * x, {"n": len(x)}), has_aux=True)(X)
    expected = operator(lambda x: np.sum(x**2) * x)(X)
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    assert aux == {"n": 3}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_single_precision_stays(operator, backend):
    found = operator(straight, backend=backend)(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, differences(straight, X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_an_empty_argument_gives_an_empty_matrix(operator):
    assert operator(lambda x: np.cumsum(x))(np.zeros(0)).shape == (0, 0)
    assert operator(lambda x: np.sum(x) * np.ones(2))(np.zeros(0)).shape == (2, 0)
    assert operator(lambda x: x[:0])(X).shape == (0, 3)


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_numbers(operator):
    assert operator(lambda s: s**3)(2.0) == 12.0
    np.testing.assert_array_equal(operator(lambda s: np.array([s, s * s]))(3.0), [1.0, 6.0])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_holomorphic_functions(operator, backend):
    z = np.array([0.3 + 0.4j, -1.0 + 0.2j])
    found = operator(lambda z: np.exp(z) * z[0], holomorphic=True, backend=backend)(z)
    expected = np.diag(np.exp(z) * z[0]) + np.stack([np.exp(z), np.zeros(2)], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian])
@pytest.mark.parametrize(
    "function, x, options",
    [
        (lambda z: z * z, np.array([1j, 2.0]), {}),
        (lambda x: x * 1j, X, {}),
        (lambda x: x * x, X, {"holomorphic": True}),
    ],
)
def test_complex_numbers_need_a_promise(operator, function, x, options):
    with pytest.raises(InputTypeError, match="holomorphic"):
        operator(function, **options)(x)


def test_a_zero_tangent_meets_no_infinite_partial():
    def f(x):
        return x[1] + np.sqrt(x[0])

    x = np.array([0.0, 1.0])
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            found = operator(f)(x)
        np.testing.assert_array_equal(found, [np.inf, 1.0])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_value_that_is_none_at_first(backend):
    def f(x):
        y = None
        for i in range(3):
            if x[i] > 0:
                y = x[i] * x if y is None else y + x[i]
        return y

    found = ast_ad.jacfwd(f, backend=backend, fallback="error")(X)
    np.testing.assert_allclose(found, differences(f, X), rtol=1e-7, atol=1e-9)


def test_the_cheaper_way_is_taken():
    wide = ast_ad.jacobian(lambda x: np.array([np.sum(x**2), np.sum(x)]))
    tall = ast_ad.jacobian(lambda s: np.linspace(0.0, 1.0, 50) * s**2)
    assert isinstance(wide, Jacobian)
    for _ in range(2):
        wide(X), tall(3.0)
    assert wide.last is wide.reverse and tall.last is tall.forward
    np.testing.assert_allclose(tall(3.0), np.linspace(0.0, 6.0, 50), rtol=1e-14)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_call_goes_the_cheaper_way(backend):
    """Lengths are read in the function, so that no second program is compiled."""

    def residuals(p, t, y):
        out = np.zeros(2 * len(t))
        for i in range(len(t)):
            out[2 * i : 2 * i + 2] = p[0] * np.exp(-p[1] * t[i]) - y[i]
        return out

    t = np.linspace(0.0, 1.0, 7)
    tall = ast_ad.jacobian(residuals, backend=backend, fallback="error")
    expected = ast_ad.jacrev(residuals)(np.array([2.0, 0.5]), t, t)
    np.testing.assert_allclose(tall(np.array([2.0, 0.5]), t, t), expected, rtol=1e-13)
    assert tall.last is tall.forward and not tall.reverse._programs
    short = ast_ad.jacobian(residuals, backend=backend, fallback="error")
    p = np.array([2.0, 0.5, 1.0])
    np.testing.assert_allclose(short(p, t[:1], t[:1]), ast_ad.jacfwd(residuals)(p, t[:1], t[:1]))
    assert short.last is short.reverse and short(p, t, t).shape == (14, 3)
    assert short.last is short.forward


def test_the_run_tells_what_can_not_be_read():
    """A length that depends on data: the first call supposes one, and the next ones know."""

    def kept(x):
        return x[x > 0.0] ** 2

    jacobian = ast_ad.jacobian(kept)
    x = np.arange(1.0, 4.0)
    for _ in range(2):
        np.testing.assert_allclose(jacobian(x), np.diag(2 * x))
    assert jacobian.last is jacobian.reverse


def test_the_way_is_known_by_shapes_and_numbers(monkeypatch):
    """Without a look at the structure of the arguments, which takes longer than a small Jacobian."""
    powers = ast_ad.jacobian(lambda x, n: x**n)
    powers(X, 2)
    monkeypatch.setattr(jacobians, "require_argument", None)
    np.testing.assert_allclose(powers(X, 3), np.diag(3 * X**2), rtol=1e-14)


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("traced", [False, True])
def test_rows_where_a_rule_has_no_tangents(traced):
    """A root by Newton's method with a rule for cotangents: the second call would go by columns."""

    @ast_ad.custom_vjp
    def root(a):
        u = np.ones(6)
        for _ in range(8):
            u = u - (u * u - a[0] - a[1]) / (2.0 * u)
        return u

    def forward(a):
        u = root(a)
        return u, u

    root.defvjp(forward, lambda u, g: (np.array([np.sum(g / (2.0 * u))] * 2),))
    jacobian = ast_ad.jacobian(opaque(root) if traced else lambda a: root(a))
    for a in (np.array([1.0, 3.0]), np.array([2.0, 7.0]), np.array([2.0, 7.0])):
        np.testing.assert_allclose(jacobian(a), np.full((6, 2), 0.5 / np.sqrt(a.sum())), rtol=1e-9)
    assert jacobian.forward is jacobian.reverse
    with pytest.raises(InputTypeError, match="a tangent of `root`"):
        ast_ad.jacobian(lambda a: root(a), mode="fwd")(np.array([1.0, 3.0]))


def test_the_function_is_run_once():
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    for operator in (ast_ad.jacfwd, ast_ad.jacrev, ast_ad.hessian):
        calls.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            operator(f)(X)
        assert len(calls) == 1, operator


def test_of_tensors():
    x = ast_ad.tensor(X, requires_grad=True)
    for operator in (ast_ad.jacfwd, ast_ad.jacrev):
        found = operator(loop_with_writes)(x)
        np.testing.assert_allclose(
            np.asarray(found.detach()), differences(loop_with_writes, X), rtol=1e-7, atol=1e-9
        )
        found.sum().backward()
        expected = np.sum(ast_ad.hessian(loop_with_writes)(X), axis=(0, 1))
        np.testing.assert_allclose(np.asarray(x.grad), expected, rtol=1e-10)
        x.grad = None


def test_source_and_explanation():
    jacobian = ast_ad.jacrev(until)
    jacobian(X)
    assert "while" in jacobian.source and "def until_jacrev(x):" in jacobian.source
    assert "checked" in jacobian.explain().lower()
    assert repr(jacobian) == "<ast_ad.jacrev(until), 1 compiled>"
    assert jacobian.__name__ == "until"


@pytest.mark.parametrize(
    "wrong, error, told",
    [
        (lambda: ast_ad.jacfwd(3), InputTypeError, "jacfwd of a int"),
        (lambda: ast_ad.jacobian(None), InputTypeError, "jacobian of a NoneType"),
        (lambda: ast_ad.laplacian(number, (0,)), InputTypeError, "laplacian by several arguments"),
        (lambda: ast_ad.jacrev(number, "x"), InputTypeError, "argnums='x'"),
        (lambda: ast_ad.hessian(number, 1.5), InputTypeError, "argnums=1.5"),
        (lambda: ast_ad.jacobian(number, mode="forward"), InputValueError, "mode='forward'"),
        (lambda: ast_ad.jacfwd(number)(np.array([1, 2])), InputTypeError, "integer"),
        (lambda: ast_ad.jacrev(number, 3)(X), InputValueError, "argnums=3"),
        (lambda: ast_ad.jacrev(with_keywords, 2)(X, b=1.0, k=1, z=1), InputValueError, "1 positional arg"),
        (lambda: ast_ad.jacrev(lambda x: "text")(X), InputTypeError, "text|no float"),
    ],
)
def test_bad_input(wrong, error, told):
    with pytest.raises(error, match=told):
        wrong()


def test_the_functions_own_exception():
    def f(x):
        raise KeyError("mine")

    for operator in (ast_ad.jacfwd, ast_ad.jacrev, ast_ad.hessian):
        with pytest.raises(KeyError, match="mine"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            operator(f)(X)


PAIRS = {
    "a number": lambda x: np.sum(x**2),
    "an array of two": lambda x: x[:2] ** 2,
    "three": lambda x: (np.sum(x), 1, 2),
    "a list": lambda x: [np.sum(x), 1],
}


@pytest.mark.drawn(of=9)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("way", ["compiled", "traced"])
@pytest.mark.parametrize("returned", PAIRS)
@pytest.mark.parametrize(
    "ask",
    [
        lambda f: ast_ad.grad(f, has_aux=True)(X),
        lambda f: ast_ad.vjp(f, X, has_aux=True),
        lambda f: ast_ad.linearize(f, X, has_aux=True),
        lambda f: ast_ad.jvp(f, (X,), (X,), has_aux=True),
        lambda f: ast_ad.jacfwd(f, has_aux=True)(X),
        lambda f: ast_ad.jacrev(f, has_aux=True)(X),
        lambda f: ast_ad.hessian(f, has_aux=True)(X),
    ],
)
def test_has_aux_of_what_is_no_pair(ask, returned, way):
    """An array of two is none either: its second number is no aux."""
    function = PAIRS[returned]
    if way == "traced":
        function = eval("lambda x: f(x)", {"f": function})
    with pytest.raises(InputTypeError, match="does not return a pair"):
        ask(function)


def convolved(x, k):
    windows = np.lib.stride_tricks.sliding_window_view(x, k.shape, axis=(0, 1))
    return np.einsum("ijkl,kl->ij", windows, k)


@pytest.mark.parametrize("backend", BACKENDS)
def test_values_whose_lengths_are_differences_of_lengths(backend):
    """A value of shape (n - k + 1, m - l + 1): so is the unit vector that its pullback takes."""
    rng = np.random.default_rng(0)
    x, k = rng.normal(size=(5, 6)), rng.normal(size=(2, 3))
    by_rows = ast_ad.jacrev(convolved, (0, 1), backend=backend, fallback="error")(x, k)
    for found, at, i in zip(by_rows, (x, k), (0, 1), strict=True):
        expected = differences(lambda z, i=i: convolved(z, k) if i == 0 else convolved(x, z), at)
        np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-9)


def blocks(x):
    return np.block([[x, 2 * x], [x * x, np.sin(x)]]) * np.block([[x, x], [x, x]])


def joined(x):
    return np.concatenate([[x[0, 0] ** 2, x[1, 1]], [x[0, 1] * x[1, 0]], x[0]])


def boxed(x):
    return np.block([[x[0] * x[1]]])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", [blocks, joined, boxed])
def test_traces_of_what_joins_lists_of_lists(function):
    """The cotangents of the parts come in lists of lists, too, and have tangents there."""
    x = np.array([[0.4, 1.3], [-0.7, 0.9]])

    def cubes(x):
        return np.sum(opaque(function)(x) ** 3)

    expected = differences(function, x)
    np.testing.assert_allclose(ast_ad.jacfwd(opaque(function))(x), expected, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(ast_ad.jacrev(opaque(function))(x), expected, rtol=1e-7, atol=1e-9)
    gradient = ast_ad.grad(lambda x: np.sum(function(x) ** 3))
    found = ast_ad.hessian(cubes)(x)
    np.testing.assert_allclose(found, differences(gradient, x), rtol=1e-6, atol=1e-7)


def filtered(theta, seen):
    """The likelihood of a Kalman filter."""
    matrix, row = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    m, p, total = np.zeros(2), np.eye(2), 0.0
    q, r = np.exp(theta[0]) * np.array([[0.25, 0.5], [0.5, 1.0]]), np.exp(theta[1])
    for k in range(len(seen)):
        m, p = matrix @ m, matrix @ p @ matrix.T + q
        v, s = seen[k] - row @ m, row @ p @ row + r
        gain = p @ row / s
        m, p = m + gain * v, p - np.outer(gain, row @ p)
        total -= 0.5 * (np.log(s) + v * v / s)
    return total


def oscillated(theta):
    x, v, t = theta[0], theta[1], 0.0
    while t < 1.0:
        h = 0.05 / (1.0 + abs(v) * 0.1)
        x, v, t = x + h * v, v + h * (-theta[0] * x - theta[1] * v + np.sin(t)), t + h
    return x * v


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_hessians_of_loops(backend):
    """What a sweep records is read by it, and again for each column: in kernels from an array for each."""
    theta, seen = np.array([-0.5, 0.2]), np.cumsum(np.cos(np.arange(12.0)))
    for function, args in ((filtered, (seen,)), (oscillated, ())):
        hessian = ast_ad.hessian(function, backend=backend, fallback="error")
        gradient = ast_ad.grad(function)
        expected = differences(lambda z, g=gradient, a=args: g(z, *a), theta)
        np.testing.assert_allclose(hessian(theta, *args), expected, rtol=1e-6, atol=1e-8)
        if backend == "numba":
            assert "tape.append" not in hessian.source


def scaled_if(x, w, n):
    for _ in range(2):
        if n > 1:
            w[:n] *= x[:n]
    return np.sum(w)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_a_branch_that_is_not_taken_records_is_not_copied(backend, n):
    x, w = np.array([0.3, 0.7, -0.2, 0.5]), np.array([0.3, -0.2, 0.5, 1.0])
    gradient = ast_ad.grad(scaled_if)
    expected = differences(lambda z: gradient(z, w, n), x)
    _, lin = ast_ad.linearize(gradient, x, w, n, argnums=0, backend=backend, fallback="error")
    np.testing.assert_allclose(np.stack([lin(e) for e in np.eye(4)], 1), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_how_many_columns_are_computed_in_one_pass(backend, chunk):
    """The matrix is the same; where fewer than all are allowed they are computed in turn."""
    asked = {"backend": backend, "fallback": "error"}
    expected = differences(loop_with_writes, X)
    for operator in (ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian):
        found = operator(loop_with_writes, chunk=chunk, **asked)
        np.testing.assert_allclose(found(X), expected, rtol=1e-7, atol=1e-8)
        matrix = operator(lambda a: a**2, chunk=chunk, **asked)(np.outer(X, X))
        assert matrix.shape == (3, 3, 3, 3)

    def norm(x):
        return np.sum(ast_ad.jacfwd(loop_with_writes, chunk=chunk)(x) ** 2)

    np.testing.assert_allclose(ast_ad.vjp(norm, X, **asked)[0], np.sum(expected**2), rtol=1e-7)


def test_columns_in_turn_don_t_hold_arrays_for_all_directions():
    def repeated(x):
        return np.array([np.sum(np.sin(np.outer(x, np.arange(300.0))) * i) for i in range(2)])

    peaks = {}
    x = np.linspace(0.0, 1.0, 60)
    for chunk in (None, 1):
        asked = ast_ad.jacfwd(repeated, chunk=chunk, backend="numpy", fallback="error")
        expected = asked(x)
        tracemalloc.start()
        np.testing.assert_allclose(asked(x), expected)
        peaks[chunk] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peaks[1] < 12 * 60 * 300 * 8, peaks


@pytest.mark.parametrize("chunk", [0, -2, 1.5, True, "all"])
def test_a_chunk_is_a_number_of_columns(chunk):
    for operator in (ast_ad.jacfwd, ast_ad.jacrev, ast_ad.jacobian):
        with pytest.raises(InputError, match="chunk="):
            operator(np.sin, chunk=chunk)


def test_callers_that_numba_compiles_get_matrices():
    """Where both leaves are vectors a block has its shape, and needs no function that changes it."""
    numba = pytest.importorskip("numba")
    for operator, f in (
        (ast_ad.jacfwd, loop_with_writes),
        (ast_ad.jacrev, loop_with_writes),
        (ast_ad.hessian, lambda x: np.sum(np.sin(x) * x[0])),
    ):
        matrix = operator(f, backend="numba")

        @numba.njit
        def caller(x):
            return matrix(x)  # noqa: B023

        np.testing.assert_allclose(caller(X), matrix(X), rtol=1e-13)


def systems(x, s, m):
    """Systems whose matrix depends on the point, and not on the direction."""
    a = m + np.diag(x**2)
    y = np.linalg.solve(a, s * np.sin(x))
    for _ in range(2):
        y = y * np.exp(-y)
    return {"y": y, "z": np.linalg.solve(a.T, y)[:2], "n": s * y[0]}


M = np.array([[3.0, 0.4, -0.2], [0.1, 2.5, 0.3], [-0.3, 0.2, 4.0]])


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_a_matrix_is_factored_once_for_all_rows_or_columns(operator, backend):
    asked = operator(systems, argnums=(0, 1, 2), backend=backend, fallback="error")
    found = asked(X, 1.3, M)
    for key in ("y", "z", "n"):
        of_x, of_s, of_m = found[key]
        shape = np.shape(systems(X, 1.3, M)[key])
        assert np.shape(of_x) == (*shape, 3) and np.shape(of_s) == shape and np.shape(of_m) == (*shape, 3, 3)
        np.testing.assert_allclose(
            of_x, differences(lambda x, key=key: systems(x, 1.3, M)[key], X), rtol=1e-7
        )
        by_m = differences(lambda m, key=key: systems(X, 1.3, m.reshape(3, 3))[key], np.ravel(M))
        np.testing.assert_allclose(np.reshape(of_m, (*shape, 9)), by_m, rtol=1e-7, atol=1e-9)
        moved = (systems(X, 1.3 + 1e-6, M)[key] - systems(X, 1.3 - 1e-6, M)[key]) / 2e-6
        np.testing.assert_allclose(of_s, moved, rtol=1e-7)
    in_turn = operator(systems, argnums=(0, 1, 2), chunk=1, backend=backend)(X, 1.3, M)
    single = operator(systems, backend=backend, fallback="error")(X.astype(np.float32), 1.3, M)
    complex_ = operator(lambda x: np.linalg.solve(M, x * x), holomorphic=True, backend=backend)(X + 0.5j)
    np.testing.assert_allclose(complex_, np.linalg.inv(M) * 2.0 * (X + 0.5j), rtol=1e-12)
    for key in ("y", "z", "n"):
        np.testing.assert_allclose(single[key], found[key][0], rtol=1e-5, atol=1e-6)
        for one, other in zip(in_turn[key], found[key], strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("operator", [ast_ad.jacfwd, ast_ad.jacrev])
def test_no_loop_over_directions_is_left_around_a_system(operator):
    def solution(x, m):
        return np.linalg.solve(m, np.sin(x))

    asked = operator(solution, backend="numpy", fallback="error")
    np.testing.assert_allclose(asked(X, M), np.linalg.inv(M) * np.cos(X), rtol=1e-12)
    assert "for " not in asked.source


def test_shapes_that_change_find_their_way():
    """By columns where these are fewer, by rows else: whatever the last call had."""
    derivative = ast_ad.jacobian(lambda a, x: a @ x, argnums=1)
    tall, wide = np.arange(12.0).reshape(6, 2), np.arange(12.0).reshape(2, 6)
    for matrix in (tall, tall, tall, wide, wide, tall, wide, wide, tall, tall):
        np.testing.assert_array_equal(derivative(matrix, np.ones(matrix.shape[1])), matrix)
    for matrix, way in ((tall, "forward"), (wide, "reverse"), (wide, "reverse"), (tall, "forward")):
        derivative(matrix, np.ones(matrix.shape[1]))
        assert derivative.last is getattr(derivative, way)
        with pytest.raises(ValueError, match="matmul|mismatch"):
            derivative(matrix, np.ones(matrix.shape[1] + 1))
    with pytest.raises(InputError, match="argnums=1"):
        derivative()


def test_calls_like_the_last_one_ask_nothing_else(monkeypatch):
    """Whatever is not like it comes back to where the way is chosen: other shapes, dtypes, keywords."""
    derivative = ast_ad.jacobian(lambda x: x * x, backend="numpy", fallback="error")
    for _ in range(3):
        derivative(X)
    others = []
    monkeypatch.setattr(Jacobian, "any_call", lambda self, args, kwargs: others.append((args, kwargs)))
    np.testing.assert_array_equal(derivative(X), np.diag(2 * X))
    assert not others
    for args in ((X[:2],), (X.astype("f4"),), (2.0,), (list(X),), (X, X), ()):
        derivative(*args)
    derivative(x=X)
    assert len(others) == 7 and others[-1] == ((), {"x": X})


ONES = np.ones(3, np.float32)


@pytest.mark.parametrize("chunk", [None, 1, 2])
@pytest.mark.parametrize(
    "of",
    [lambda x: ONES * 2, lambda x: x * 0 + ONES, lambda x: np.stack([ONES, x]), lambda x: np.float32(2.0)],
)
def test_what_does_not_depend_on_an_argument_has_zeros_of_its_precision(of, chunk):
    for operator in ast_ad.jacfwd, ast_ad.jacrev:
        found = operator(of, check=False, fallback="error", chunk=chunk)(ONES)
        assert found.dtype == np.float32 and found.shape == np.shape(of(ONES)) + (3,)


def test_a_hessian_of_zeros_has_the_precision_of_the_argument_and_one_call():
    calls = []

    def linear(x):
        calls.append(1)
        return np.sum(x) * len(calls)

    assert ast_ad.hessian(linear)(ONES).dtype == np.float32
    assert calls == [1]
