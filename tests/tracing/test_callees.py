"""Is a callee that can't be compiled one operation of a program that can, and a right one?"""

from math import exp

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided
from scipy import special

from ast_ad import FallbackWarning, UnsupportedError, grad, inspect, value_and_grad, vjp
from ast_ad.calls.traced_callees import TracedCall

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
X = np.array([0.5, -1.5, 2.0])
Y = np.array([0.25, 0.75, -0.5])


def multiples(x):
    turns = (i for i in range(1, 4))
    yield next(turns) * x
    for i in turns:  # an iterator that is asked in two places: not followed
        yield i * x


def helper(x, y):
    """Two results, one of them an array."""
    return sum(np.sum(np.sin(z * y)) for z in multiples(x)), x * y


def once(x, y):
    a, b = helper(x, y)
    return a * np.sum(b**2)


def in_a_loop(x, y):
    total = 0.0
    for i in range(3):
        a, b = helper(x * i, y)
        total += a
        y = b + 1.0
    return total + np.sum(y)


def in_a_branch(x, y):
    if x[0] > 0:
        a, b = helper(y, x)
    else:
        a, b = 0.0, x
    return a + np.sum(b * y)


def through(x, y):
    return helper(x, y)[0]


def one_deeper(x, y):
    return through(x, y) * 2.0 + np.sum(x)


def keywords(x, y):
    def combine(a, b):
        return a[0] * b["scale"]

    a, b = helper(y=y, x=x)
    return combine((a, b), {"scale": x[0]})


def moved(args, k, i, step):
    found = [np.array(a) for a in args]
    found[k][i] += step
    return found


def compare(function, *args):
    """The gradient against differences, and that the program around the call is compiled."""
    g = value_and_grad(function, tuple(range(len(args))))
    value, gradients = g(*args)
    assert g.mode == "compiled"
    assert value == pytest.approx(function(*args), rel=1e-14)
    for k, gradient in enumerate(gradients):
        for i in np.ndindex(np.shape(args[k])):
            up, down = (function(*moved(args, k, i, step)) for step in (1e-6, -1e-6))
            assert gradient[i] == pytest.approx((up - down) / 2e-6, rel=1e-6, abs=1e-7)
    return g


@pytest.mark.parametrize(
    "function", [once, in_a_loop, in_a_branch, one_deeper, keywords], ids=lambda f: f.__name__
)
def test_gradients(function):
    g = compare(function, X, Y)
    assert "traced_call(" in g.source and "pull(" in g.source
    assert "Traced when the program runs" in g.explain() and "an iterator" in g.explain()


def test_the_innermost_call_is_the_operation():
    g = compare(one_deeper, X, Y)
    assert "traced_call(helper," in g.source


def test_the_other_branch():
    compare(in_a_branch, -X, Y)


def test_of_another_shape_and_type():
    g = compare(once, X, Y)
    compare(once, X[:2], Y[:2])
    gradient = grad(once)(X.astype(np.float32), Y.astype(np.float32))
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, g(X, Y)[1][0], rtol=1e-4)
    compare(once, np.ones((2, 2)), 0.5 * np.ones((2, 2)))
    compare(once, X, Y[:1])


def test_numbers_and_integers():
    def powers(a, n):
        return sum(a**k for k in (z for z in range(n))), n + 1

    def f(a, n):
        s, m = powers(a, n)
        return s * m

    g = value_and_grad(f)
    value, gradient = g(0.5, 4)
    assert (value, gradient) == (f(0.5, 4), pytest.approx(5 * (1 + 2 * 0.5 + 3 * 0.25)))
    assert type(gradient) is float


def test_higher_derivatives():
    second = grad(lambda x: np.sum(grad(once)(x, Y) ** 2))
    step = 1e-5
    for i in range(3):
        move = step * np.eye(3)[i]
        found = [np.sum(grad(once)(X + s * move, Y) ** 2) for s in (1, -1)]
        assert second(X)[i] == pytest.approx((found[0] - found[1]) / (2 * step), rel=1e-6)
    third = grad(lambda x: np.sum(second(x) ** 2))
    for i in range(3):
        move = step * np.eye(3)[i]
        found = [np.sum(second(X + s * move) ** 2) for s in (1, -1)]
        assert third(X)[i] == pytest.approx((found[0] - found[1]) / (2 * step), rel=1e-5)


def test_pullbacks_may_be_called_again():
    value, pullback = vjp(lambda x: helper(x, Y)[1] * helper(x, x)[0])(X)
    first, again = pullback(np.ones(3))[0], pullback(np.ones(3))[0]
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, grad(lambda x: np.sum(x * Y) * helper(x, x)[0])(X))


def test_the_warning_names_callee_and_caller():
    def another(x):
        return sum(np.sum(y) for y in multiples(x))

    def caller(x):
        return another(x) ** 2

    with pytest.warns(
        FallbackWarning, match="`another`, called in `caller`, is traced.*an iterator"
    ) as caught:
        grad(caller)(X)
        grad(caller)(X)
    assert len(caught) == 1
    with pytest.raises(UnsupportedError, match="an iterator"):
        grad(caller, fallback="error")(X)


# ----- what can't be one operation: the whole function is traced -------------------------------------
counter = [0]
KEPT = np.ones(3)


def counts(x):
    counter[0] += 1
    return np.sum([*multiples(x)][0])


def prints(x):
    print("once")
    return np.sum([*multiples(x)][0])


def draws(x):
    return np.sum([*multiples(x)][0]) * np.random.default_rng().uniform()


def writes(x):
    for y in multiples(1.0):
        x *= y
    return np.sum(x)


def views(x):
    return x[1:], sum(np.sum(y) for y in multiples(x))


def keeps(x):
    KEPT[...] = 2.0
    return sum(np.sum(y) for y in multiples(x))


def depends(x):
    if np.sum(x) > 100.0:
        return (np.sum(x), 1.0)[0]
    return next(multiples(np.sum(x)))


def whole(function, x):
    """The gradient, and that everything was traced."""
    g = grad(lambda x: np.sum(function(1.0 * x)) * x[0])
    found = g(x)
    assert g.mode == "fallback"
    return found


def test_effects_happen_once(capsys):
    before = counter[0]
    np.testing.assert_allclose(whole(counts, X), [X.sum() + X[0], X[0], X[0]])
    assert counter[0] == before + 1
    whole(prints, X)
    assert capsys.readouterr().out == "once\n"


def test_inspect_has_no_effects(capsys):
    before = counter[0]
    inspect(lambda x: counts(x) * x[0], X)
    inspect(lambda x: prints(x) * x[0], X)
    assert counter[0] == before and capsys.readouterr().out == ""


def test_random_numbers_are_drawn_once():
    seen = []

    def noisy(x):
        seen.append(np.random.default_rng(len(seen)).uniform())
        return next(multiples(x)) * seen[-1]

    g = grad(lambda x: np.sum(noisy(x)))
    gradient = g(X)
    assert len(seen) == 1 and g.mode == "compiled"
    np.testing.assert_allclose(gradient, np.full(3, seen[0]))
    assert seen == [np.random.default_rng(0).uniform()]
    assert np.all(np.isfinite(whole(draws, X)))


def test_writes_to_arguments():
    def f(x):
        y = 1.0 * x
        s = writes(y)
        return s * np.sum(y * x)

    g = grad(f)
    found = g(X)
    assert g.mode == "fallback"
    s, q = X.sum(), np.sum(X**2)
    np.testing.assert_allclose(found, 36 * (q + 2 * s * X))


def test_results_that_share_memory():
    def f(x):
        y = 1.0 * x
        v, s = views(y)
        v[0] = 5.0
        return np.sum(y * x) * s

    g = grad(f)
    g(X)
    assert g.mode == "fallback"
    step = 1e-6 * np.eye(3)
    np.testing.assert_allclose(g(X), [(f(X + e) - f(X - e)) / 2e-6 for e in step], rtol=1e-6)


def test_writes_to_a_result():
    def f(x):
        a, b = helper(x, Y)
        b[0] = 3.0
        return a * np.sum(b * x)

    step = 1e-6 * np.eye(3)
    np.testing.assert_allclose(grad(f)(X), [(f(X + e) - f(X - e)) / 2e-6 for e in step], rtol=1e-6)


def test_arrays_from_outside_are_restored_after_a_trial():
    inspect(lambda x: keeps(x) * x[0], X)
    np.testing.assert_array_equal(KEPT, np.ones(3))


def test_a_type_that_depends_on_values():
    def choose(x):
        for y in multiples(x):
            if y[0] > 0.6:
                return y
        return 0.0

    def f(x):
        return np.sum(choose(x) * x)

    g = grad(f)
    np.testing.assert_allclose(g(X), 4 * X)
    np.testing.assert_allclose(g(-X), np.zeros(3))
    np.testing.assert_allclose(g(X), 4 * X)


def test_a_loop_without_end_on_made_up_arguments():
    def halves(x):
        while True:
            yield x
            x = x / 2

    def waits(x):
        for y in halves(x):
            if np.all(y > 2.0):
                return np.sum(y)

    f = lambda x: waits(x) ** 2  # noqa: E731
    g = grad(f)
    np.testing.assert_allclose(g(4.0 + X), np.full(3, 2 * np.sum(4.0 + X)))


def test_one_array_as_two_arguments():
    def f(x):
        a, b = helper(x, x)
        return a + np.sum(b)

    assert "traced_call(" in compare(f, X).source


def test_functions_that_were_imported_by_name():
    def callee(x):
        return exp(x[0]) * sum(np.sum(y) for y in multiples(x))

    compare(lambda x: callee(x) * x[1], X)


def printed(x):
    print("printed")
    return np.sum(x**2)


gradient_of_printed = grad(printed)


def test_a_derivative_with_effects(capsys):
    def callee(x):
        return sum(np.sum(gradient_of_printed(y)) for y in multiples(x))

    g = grad(lambda x: callee(x) * x[1])
    found = g(X)
    assert g.mode == "fallback" and capsys.readouterr().out == "printed\n" * 3
    np.testing.assert_allclose(found, 12 * X[1] * np.ones(3) + 12 * X.sum() * np.eye(3)[1])


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_callee_that_draws_by_a_method_of_a_generator_is_not_run_on_trial():
    draw = np.random.default_rng(3).normal

    def callee(x):
        return x * draw()

    gradient = grad(lambda x: callee(x) + 0.0 * x)
    np.testing.assert_array_equal([gradient(1.0) for _ in range(3)], np.random.default_rng(3).normal(size=3))


def saves(x, path):
    np.savetxt(path, x)
    return sum(np.sum(y) for y in multiples(x))


def strided(x):
    rows = as_strided(1.0 * x, (2, 3), (0, 8))  # of a shorter array it shows what lies behind that
    return sum(np.sum(y) for y in multiples(rows[0, :2]))


def dumps(x, path):
    x.tofile(path)
    return sum(np.sum(y) for y in multiples(x))


def test_files_are_written_by_the_call_itself(tmp_path):
    path = tmp_path / "x"
    inspect(lambda x: saves(x, path) * x[0], X)
    inspect(lambda x: dumps(x, path) * x[0], X)
    assert not path.exists()
    with open(path, "ab") as file:
        whole(lambda x: saves(x, file), X)
    np.testing.assert_array_equal(np.loadtxt(path), X)


def test_addresses_are_those_of_the_arrays_of_the_call():
    np.testing.assert_array_equal(whole(strided, X), [12.0 * X[0] + 6 * X[1], 6 * X[0], 0.0])


# ----- what a callee gets that is not differentiated
def by_its_last(scale, x):
    """``hyp2f1`` has no derivative by its first three arguments."""
    return sum(np.sum(z) for z in multiples(x)) * np.sum(special.hyp2f1(scale[0], 1.5, 2.5, x))


def written_to_a_copy(x, y):
    held = y.copy()
    held[1] = x[0] * 2.0  # a copy of a constant takes what is differentiated
    return sum(np.sum(z) for z in multiples(held * x)), held


def mixed(x, y):
    return by_its_last(y, x / 4.0) * np.sum(x)


def held(x, y):
    a, b = written_to_a_copy(x, y)
    return a * np.sum(b**2)


def turned_into_varied(x, y):
    total = 0.0
    for _ in range(3):  # in the first turn ``y`` is a constant, later it is not
        a, y = written_to_a_copy(x, y)
        total += a
    return total


@pytest.mark.parametrize("function", [mixed, held, turned_into_varied], ids=lambda f: f.__name__)
def test_constants_of_a_callee_are_not_recorded(function):
    derivative = grad(function)
    found = derivative(X, Y)
    assert "traced_call(by_its_last, (x_over_4,), (y,))" in derivative.source or function is not mixed
    assert "traced_call(written_to_a_copy, (x,), (y,))" in derivative.source or function is not held
    step = 1e-6 * np.eye(len(X))
    wanted = [(function(X + d, Y) - function(X - d, Y)) / 2e-6 for d in step]
    np.testing.assert_allclose(found, wanted, rtol=1e-7)


def test_a_callee_is_traced_once_in_a_first_call(monkeypatch):
    traces, call = [], TracedCall.__call__
    monkeypatch.setattr(
        TracedCall, "__call__", lambda self, *given: traces.append(self) or call(self, *given)
    )
    monkeypatch.setenv("AST_AD_CHECK", "1")
    derivative = value_and_grad(once)
    value, _ = derivative(X, Y)
    assert value == once(X, Y) and len(traces) == 1
    assert "Checked against the function" in derivative.explain()
    derivative(X, Y)
    assert len(traces) == 2


def read_after_a_write(x, y, s):
    g = np.zeros_like(y)
    shown = g.reshape(-1)
    for _ in range(2):
        g -= 0.3 * np.sin(g - y)
    return np.sum(shown * shown) + np.sum(g) * s


def slopes(direction, x, y, s):
    """The derivative of a function that is traced in it; an outer one varies one argument less."""
    y_bar, s_bar = grad(read_after_a_write, argnums=(1, 2))(x, y, s)
    return np.sum(y_bar * direction) + s_bar


def test_a_derivative_of_a_derivative_by_fewer_arguments():
    x, y, direction, s = X, np.outer(X, Y[:2]), np.outer(Y, X[:2]), 0.8
    derivative = grad(slopes, argnums=(2, 3))
    y_bar, s_bar = derivative(direction, x, y, s)
    assert derivative.mode == "compiled"
    ends = [slopes(direction, x, y + h * direction, s + h) for h in (1e-6, -1e-6)]
    np.testing.assert_allclose(np.sum(y_bar * direction) + s_bar, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
