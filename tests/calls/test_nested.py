"""Is a derivative of a derivative that of the plain program? Differences of gradients are the judge."""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import AdError, grad, value_and_grad, vjp
from ast_ad.errors import DefectWarning, FallbackWarning

X = np.array([0.7, -1.3, 0.4])


def product_in_loop(x):
    s = 0.0
    for i in range(3):
        s = s + x[i] ** 3 * np.sin(x[i]) * x[0]
    return s


def writes(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = x[i] ** 3
        y[0] = y[0] * np.cos(y[i])
    return np.sum(y * x)


def swaps(x):
    y = x.copy()
    for i in range(2):
        y[i], y[i + 1] = y[i + 1] * x[i], y[i] ** 2
    return np.sum(y**2)


def while_loop(x):
    v = np.sum(x**2)
    n = 0
    while v > 0.1 and n < 5:
        v = v * 0.5 * np.cos(v)
        n += 1
    return v * np.prod(x)


def branches(x):
    if x[0] > 0:
        y = np.exp(x) * x[1]
    else:
        y = x**2
    return np.sum(y * y)


def branch_in_loop(x):
    s = 1.0
    for i in range(3):
        if x[i] > 0:
            s = s * x[i] ** 2
        else:
            s = s + np.sin(x[i] * s)
    return s


def grows_list(x):
    items = []
    for i in range(3):
        items.append(x[i] ** 2 * x[0])
    total = 0.0
    for v in items:
        total = total + np.sin(v) * v
    return total


def matrices(x):
    a = np.outer(x, x) + np.eye(3)
    return np.log(np.sum(np.tanh(a @ x) ** 2))


def solves(x):
    return np.sum(np.linalg.solve(np.diag(x**2) + np.ones((3, 3)), x))


def reduces(x):
    return np.max(x) ** 3 * np.mean(np.sqrt(np.abs(x))) + np.linalg.norm(x) ** 3


def nested_loops(x):
    m = np.zeros((3, 3))
    for i in range(3):
        for j in range(i, 3):
            m[i, j] = x[i] * x[j] ** 2
            m[j, i] += m[i, j] * x[0]
    return np.sum(m**2)


def view_writes(x):
    a = np.zeros((2, 3))
    row = a[0]
    row[:] = x**2
    a[1] = a[0] * x
    row += a[1]
    return np.sum(a**2)


def early_return(x):
    for i in range(3):
        if x[i] < 0:
            return np.sin(x[i]) * x[0] ** 3
    return np.sum(x)


def breaks(x):
    s = x[0]
    for _ in range(10):
        s = s * s + x[1]
        if abs(s) > 3:
            break
    return s * x[2]


def cumulates(x):
    return np.sum(np.cumsum(x**2) * np.cumprod(x))


def branch_of_where(x):
    return np.sum(np.where(x > 0, np.sqrt(np.abs(x)), x**3) * x)


def length_of_the_last_turn(x):
    for j, el in enumerate(x, 1):
        u = np.array([el * t for t in range(j + 1)]) * el
    return np.sum(u) * x[0]


PROGRAMS = [
    length_of_the_last_turn,
    product_in_loop,
    writes,
    swaps,
    while_loop,
    branches,
    branch_in_loop,
    grows_list,
    matrices,
    solves,
    reduces,
    nested_loops,
    view_writes,
    early_return,
    breaks,
    cumulates,
    branch_of_where,
]


def differences(f, x, h=1e-6):
    return np.array([(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)])


def second(f):
    """A number made of the gradient, and its gradient."""
    return lambda x: np.sum(grad(f)(x) ** 2 * np.cos(x))


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_gradient_of_gradient(f):
    g = grad(f)
    outer = lambda x: np.sum(g(x) ** 2 * np.cos(x))  # noqa: E731
    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=2e-5, atol=1e-6)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_hessian_vector_product_through_vjp(f):
    v = np.array([0.3, -0.2, 0.9])

    def along(x):
        value, pull = vjp(f, x)
        (g,) = pull(2.0)
        return g @ v + value

    g, value = grad(f), f
    np.testing.assert_allclose(along(X), 2 * g(X) @ v + value(X))
    np.testing.assert_allclose(grad(along)(X), differences(along, X), rtol=2e-5, atol=1e-6)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize(
    "f", [writes, branch_in_loop, grows_list, matrices, nested_loops], ids=lambda f: f.__name__
)
def test_three_levels(f):
    one = grad(f)
    two = grad(lambda x: np.sum(np.sin(one(x))))
    outer = lambda x: np.sum(two(x) * x)  # noqa: E731
    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-4, atol=1e-5)


def test_scalar_chain():
    f = lambda x: x**5  # noqa: E731
    assert grad(grad(f))(2.0) == pytest.approx(20 * 8)
    assert grad(grad(grad(f)))(2.0) == pytest.approx(60 * 4)
    assert grad(grad(grad(grad(f))))(2.0) == pytest.approx(120 * 2)


def test_value_and_grad_inside_a_loop():
    def step(x):
        energy = lambda y: np.sum(y**4) / 4 + np.prod(y)  # noqa: E731
        total = 0.0
        for _ in range(4):
            value, g = value_and_grad(energy)(x)
            x = x - 0.1 * g
            total = total + value
        return total

    np.testing.assert_allclose(grad(step)(X), differences(step, X), rtol=1e-6, atol=1e-8)


def test_argnums_tuples_and_names():
    def loss(a, b, c):
        return np.sum(a * b**2) * c**3

    def outer(x):
        ga, gc = grad(loss, argnums=(0, 2))(x, x**2, x[0])
        gb = grad(loss, wrt="b")(x, x**2, x[0])
        return np.sum(ga) * gc + np.sum(gb**2) + grad(loss, -1)(x, x, 2.0)

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_containers():
    def loss(p, flag):
        return np.sum(p["w"] ** 3) * p["pair"][0] if flag else 0.0

    def outer(x):
        g = grad(loss)({"w": x, "pair": (x[0] ** 2, [x])}, True)
        return np.sum(g["w"] ** 2) + g["pair"][0] + np.sum(g["pair"][1][0])

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_closure_over_the_outer_variable():
    """The inner function reads what the outer derivative is taken of."""

    def outer(x):
        return np.sum(grad(lambda y: np.sum(x**2 * y**3))(x) * x)

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_perturbations_are_not_confused():
    assert grad(lambda x: x * grad(lambda y: x + y)(2.0))(3.0) == 1.0


def test_inner_decorator():
    def outer(x):
        @grad(argnums=1)
        def slope(a, b):
            return np.sum(a * np.sin(b))

        return np.sum(slope(x, x**2) ** 2)

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_aux():
    def loss(x):
        return np.sum(x**3), {"twice": 2 * x}

    def outer(x):
        g, aux = grad(loss, has_aux=True)(x)
        (value, more), g2 = value_and_grad(loss, has_aux=True)(x)
        return np.sum(g * aux["twice"] + g2 * more["twice"]) * value

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_the_inner_function_changes_a_copy_of_its_argument():
    def scale(x):
        x *= 2.0
        x[0] = x[1] ** 2
        return np.sum(x**3)

    def outer(x):
        y = x * 1.0
        g = grad(scale)(y)
        return np.sum(y * g)

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_a_pullback_called_twice():
    def outer(x):
        value, pull = vjp(lambda y: y**3 * np.sum(y), x)
        (a,), (b,) = pull(x), pull(np.ones(3))
        return np.sum(a * b * value)

    np.testing.assert_allclose(grad(outer)(X), differences(outer, X), rtol=1e-6, atol=1e-7)


def test_gradient_descent_by_unrolled_steps():
    """A meta-gradient: the loss after training, with respect to the step size."""
    data = np.linspace(-1, 1, 6)

    def loss(w):
        return np.mean((np.sin(data * w[0]) + w[1] - np.cos(data)) ** 2)

    def after(rate):
        w = np.array([0.5, 0.1])
        for _ in range(5):
            w = w - rate * grad(loss)(w)
        return loss(w)

    h = 1e-6
    assert grad(after)(0.3) == pytest.approx((after(0.3 + h) - after(0.3 - h)) / (2 * h), rel=1e-6)


def test_errors_name_the_line():
    def outer(x):
        return np.sum(grad(lambda y: y * 2)(x))

    with pytest.raises(AdError, match="jacobian"):
        grad(outer)(X)

    def leak(x):
        seen = []

        def inner(y):
            seen.append(y)
            return np.sum(y**2)

        return np.sum(grad(inner)(x)) + len(seen)

    with pytest.raises(AdError, match="older than the call"):
        grad(leak, fallback="error")(X)

    def integers(x):
        return x[0] * grad(lambda n: n * 2.0)(3)

    with pytest.raises(TypeError, match="sub-dtype of np.inexact"):
        grad(integers)(X)


def test_two_names_of_one_array():
    def write(a, b):
        a[0] = 5.0
        return np.sum(a * b)

    with pytest.raises(AdError, match="share memory"):
        grad(lambda x: np.sum(grad(write)(x, x)), fallback="error")(X)


def cubes(x):
    return x * x * x


def traced_pull(x, c):
    eval("0")
    return np.sum(np.sin(vjp(cubes, x)[1](c)[0]))


def compiled_pull(x, c):
    return np.sum(np.sin(vjp(cubes, x)[1](c)[0]))


@pytest.mark.drawn(of=2)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", [traced_pull, compiled_pull])
def test_a_cotangent_inside_is_like_its_value(function):
    expected = np.cos(3 * X**2) * 6 * X
    np.testing.assert_allclose(grad(function)(X, np.ones(3)), expected)
    for wrong in (1.0, np.ones(2), np.ones((3, 1)), np.ones(3) * 1j):
        with pytest.raises(AdError, match="cotangent"):
            grad(function)(X, wrong)


def left_early(x):
    for e in x:
        r = x
    b = np.sum(r)
    for _ in range(len(x)):
        u = x
        if not b > 0.5:
            return b
        w = u * 1.0
        v = w * e
        w = w + v
    result = w
    return result


def traced_gradient(x):
    eval("0")
    return np.sum(np.sin(grad(left_early)(x)))


def traced_pullback(x):
    eval("0")
    return sum(np.sum(np.sin(bar)) for bar in vjp(left_early, x)[1](1.0))


@pytest.mark.parametrize("second", [traced_gradient, traced_pullback])
def test_what_a_trace_makes_of_a_loop_that_is_left_early(second):
    """An array that was never made has the cotangent 0.0; what a pullback makes outlives the trace."""
    x = np.array([-1.5, 1.2, 0.1, -0.3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        warnings.simplefilter("error", DefectWarning)
        np.testing.assert_allclose(grad(second)(x), np.zeros(4))


def entry_of_an_ordered_table(x):
    table = {}
    for i in range(2):
        table[(i, i)] = x[i]
    for _, value in sorted(table.items(), reverse=True):
        last = value
    return last * last * last


def test_second_derivative_of_pairs_whose_keys_have_none():
    def along(direction, x):
        return np.sum(grad(entry_of_an_ordered_table)(x) * direction)

    x = np.array([0.2, 0.3, 0.4])
    np.testing.assert_allclose(grad(along, argnums=1)(np.ones(3), x), [6 * 0.2, 0.0, 0.0])


def zeros_by_turns(y, n):
    v = y
    for _ in range(n):
        v = np.zeros(2)
    return np.sum(np.sin(v))


def truths_by_turns(y, n):
    v = y
    for _ in range(n):
        v = y > y
    return np.sum(np.sin(v))


def integers_by_turns(y, n):
    v = y
    for _ in range(n):
        v = (y > 5) * 1
    return np.sum(np.sin(v))


def integers_by_a_branch(y, n):
    v = y
    if y[0] < n:
        v = (y > 5) * 1
    return np.sum(np.sin(v))


def truth_by_turns(y, n):
    v = y[0]
    for _ in range(n):
        v = y[0] > 3
    return np.sin(v) * y[1]


@pytest.mark.parametrize(
    "function",
    [zeros_by_turns, truths_by_turns, integers_by_turns, integers_by_a_branch, truth_by_turns],
)
def test_second_derivative_of_floats_that_another_path_makes_integers(function):
    gradient = grad(function)
    weights = np.array([1.0, 2.0])
    second = grad(lambda y, n: np.sum(gradient(y, n) * weights))
    y, step = np.array([0.3, 0.5]), 1e-6
    for n in (0, 2):
        expected = [
            np.sum((gradient(y + e, n) - gradient(y - e, n)) * weights) / (2 * step) for e in np.eye(2) * step
        ]
        np.testing.assert_allclose(second(y, n), expected, rtol=1e-7, atol=1e-8)


def pairs_of_the_last_turn_that_made_some(x):
    weights, t = np.fromiter((v for v in x), float), x
    for _ in range(3):
        if -0.68 > t[-1]:
            pairs = []
            for k in range(2):
                pairs.append((k, weights[k]))
            total = sum(pair[1] ** 2 for pair in pairs)
        weights = weights + x
        t = t * np.cos(0.68) + weights
    return np.sum(t) + total


def numbers_of_the_last_turn_that_made_some(x):
    found = 0.0
    for k in range(3):
        if x[k] > 0.5:
            items = [v * x[k] for v in x[: k + 1]]
            found = sum(items) * items[0]
    return found


@pytest.mark.parametrize(
    "function", [pairs_of_the_last_turn_that_made_some, numbers_of_the_last_turn_that_made_some]
)
@pytest.mark.parametrize("x", [np.array([0.763, -1.527, -0.267]), np.array([0.763, 0.527, -0.767])])
def test_second_derivative_by_a_list_that_few_turns_make(function, x):
    """The cotangent of a list that was not made is 0.0."""
    direction, step = np.array([1.0, 2.0, -1.0]), 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        found = grad(lambda x: np.sum(grad(function)(x) * direction), fallback="error")(x)
    moved = [grad(function)(x + sign * step * direction) for sign in (1, -1)]
    np.testing.assert_allclose(found, (moved[0] - moved[1]) / (2 * step), rtol=1e-7, atol=1e-7)


def none_on_one_path(x, z, n):
    v = z if n < 2 else None
    for _ in range(n + 1):
        w = v[::-1]
        w *= np.sin(np.mean((v - v)[0]) + x)
    return x * np.sum(w * w) + np.sum(v) * w[-2]


def none_in_a_loop_of_loops(x, z, n):
    y = z * 1.0
    held, total = None, 0.0
    for i in range(n + 2):
        for j in range(2):
            if held is not None:
                held *= np.cos(x * j)
                total += np.sum(held * held) * x
            if i + j > 0:
                held = y[1:]
    return total + np.sum(y * z)


@pytest.mark.parametrize("function", [none_on_one_path, none_in_a_loop_of_loops])
@pytest.mark.parametrize("n", [0, 1])
def test_second_derivative_of_arrays_or_none_that_loops_record(function, n):
    gradient = value_and_grad(function, argnums=(0, 1))
    weights = np.array([1.0, -2.0, 0.5])

    def along(x, z):
        value, (x_bar, z_bar) = gradient(x, z, n)
        return value * 0.3 + x_bar + np.sum(z_bar * weights)

    x, z, step = 0.7, np.array([0.3, 1.3, 0.6]), 1e-5
    with warnings.catch_warnings():
        warnings.simplefilter("error", DefectWarning)
        x_bar, z_bar = grad(along, argnums=(0, 1))(x, z)
    np.testing.assert_allclose(x_bar, (along(x + step, z) - along(x - step, z)) / (2 * step), rtol=1e-7)
    expected = [(along(x, z + e) - along(x, z - e)) / (2 * step) for e in np.eye(3) * step]
    np.testing.assert_allclose(z_bar, expected, rtol=1e-7)


def two(x, p):
    return x * x * p["y"]


@pytest.mark.parametrize("argnums", [(1, 0), (0, 1), (-1, 0)])
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_arguments_in_another_order_than_theirs(argnums, backend):
    """What belongs to an argument is what its place in argnums says."""

    def f(x, y):
        bars = ast_ad.grad(two, argnums)(x, {"y": y})
        _, pull = ast_ad.vjp(two, x, {"y": y}, argnums=argnums)
        again = pull(10.0)
        total = 0.0
        for n, i in enumerate(argnums):
            for bar, factor in ((bars[n], 1.0), (again[n], 0.1)):
                total += factor * (n + 1) * (bar if i == 0 else 7.0 * bar["y"])
        return total

    parts = {0: lambda x, y: 2 * x * y, 1: lambda x, y: 7.0 * x * x, -1: lambda x, y: 7.0 * x * x}
    expected = sum(2 * (n + 1) * parts[i](3.0, 5.0) for n, i in enumerate(argnums))
    for ask in (ast_ad.value_and_grad, ast_ad.vjp):
        found = ask(f, backend=backend, fallback="error", check=False)(3.0, 5.0)[0]
        assert found == pytest.approx(expected, rel=1e-14)
    assert f(3.0, 5.0) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("argnums", [(1, 1, 0), (1, -1)])
@pytest.mark.parametrize("ask", [ast_ad.grad, ast_ad.value_and_grad, ast_ad.jacfwd, ast_ad.jacrev])
def test_arguments_that_are_chosen_twice(argnums, ask):
    """Which of the two would get the cotangent? Neither did."""

    def inside(x, y):
        return ask(two, argnums)(x, {"y": y})[0]["y"]

    for function in (ask(two, argnums, fallback="error"), ast_ad.grad(inside, fallback="error")):
        with pytest.raises(AdError, match="twice"):
            function(3.0, {"y": 5.0} if function.__name__ == "two" else 5.0)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("order", [1, 2])
def test_second_derivatives_by_a_trace_within_a_trace(order, monkeypatch):
    """The inner derivative is compiled, its pullback is not: a trace gives that after the outer one."""
    from ast_ad.calls import compiled_pullbacks

    def cube(p):
        return p["x"] ** 3

    def outer(x):
        return eval("1.0") * ast_ad.vjp(cube, {"x": x})[1](x)[0]["x"]

    def refused(every):
        raise compiled_pullbacks.CannotCompile() from ast_ad.errors.UnsupportedError("a pullback")

    monkeypatch.setattr(compiled_pullbacks, "pulled", refused)
    derivative = ast_ad.grad(outer) if order == 1 else ast_ad.grad(ast_ad.grad(outer))
    assert derivative(2.0) == pytest.approx(9.0 * 4.0 if order == 1 else 18.0 * 2.0)


def with_a_name_that_is_missing(x):
    return np.sum(x) * weihgt  # noqa: F821


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("ask", ["grad", "jacfwd", "jacrev", "jacobian", "hessian", "laplacian"])
def test_a_name_that_is_missing_is_told_by_every_operator(ask):
    derivative = getattr(ast_ad, ask)(with_a_name_that_is_missing, fallback="error")
    with pytest.raises(AdError, match="name 'weihgt' is not defined") as caught:
        derivative(np.ones(3))
    assert "return np.sum(x) * weihgt" in str(caught.value)
    with pytest.raises(NameError, match="weihgt"):
        getattr(ast_ad, ask)(with_a_name_that_is_missing)(np.ones(3))


def longer_than_two_is_refused(x):
    if x.shape[0] > 2:
        raise ValueError("too long")
    return np.sum(x * x)


def with_a_derivative_that_raises_on_a_path(x, k):
    y = np.sum(x)
    if k:
        y += ast_ad.grad(longer_than_two_is_refused)(x)[0]
    return y


def test_a_derivative_that_raises_whatever_happens():
    """On a path that the call doesn't take it is of no account."""
    gradient = ast_ad.grad(with_a_derivative_that_raises_on_a_path, fallback="error")
    np.testing.assert_array_equal(gradient(np.ones(3), False), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(gradient(np.ones(2), True), [3.0, 1.0])
    with pytest.raises(ValueError, match="too long"):
        gradient(np.ones(3), True)


def two_lists_of_the_same_arrays(x):
    first = [x * k for k in range(1, 4)]
    second = first[:]
    for i in range(3):
        second[i] += 1.0
        first[i - 1] = first[i] * second[i - 1] * x
    return np.sum(first[0] * second[1])


def test_a_pullback_that_keeps_a_list_of_references():
    """What it keeps are positions of arrays, not the arrays."""
    x, steps = np.array([0.3, 0.4]), np.eye(2) * 1e-5
    gradient = ast_ad.grad(two_lists_of_the_same_arrays)
    expected = [(gradient(x + step) - gradient(x - step)) / 2e-5 for step in steps]
    for ask in (ast_ad.hessian, lambda f, **k: ast_ad.jacrev(ast_ad.jacrev(f), **k)):
        found = ask(two_lists_of_the_same_arrays, fallback="error")(x)
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def scanned(x):
    def step(c, u):
        return np.tanh(c * u + x[0])

    c = x[1]
    for u in (0.3, -0.2, 0.9):
        c = step(c, u * x[2])
    return c * c + c


ALONG = np.array([0.7, -0.2, 1.1])


def of_a_product(x):
    y = ast_ad.hvp(scanned, (x,), (ALONG,), backend="numpy")[0]
    return np.sum(np.sin(y))


def test_derivatives_that_round_otherwise_by_themselves():
    """The program is compared with the function, whose product with a Hessian is compiled apart."""
    x, steps = np.array([0.42, 1.31, 0.73]), 1e-5 * np.eye(3)
    value, gradient = ast_ad.value_and_grad(of_a_product, backend="numpy", check=True)(x)
    assert value == pytest.approx(of_a_product(x), rel=1e-14)
    expected = [(of_a_product(x + step) - of_a_product(x - step)) / 2e-5 for step in steps]
    np.testing.assert_allclose(gradient, expected, rtol=1e-7)
