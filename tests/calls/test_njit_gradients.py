"""Do functions that Numba compiles call gradients, and get what Python's callers get?"""

import numpy as np
import pytest

import ast_ad

numba = pytest.importorskip("numba")
njit = numba.njit
SCALE = 2.0
WEIGHTS = np.arange(5.0)


@njit
def wave(x):
    return np.sin(x) * x**2


def loss(w, x, y, rate=3.0):
    r = x @ w - y
    return np.sum(r * r) * rate * SCALE + np.sum(WEIGHTS * w)


def overwritten(w, x):
    w[0] = w[0] * 2
    return np.sum(w * w * x)


def arguments():
    rng = np.random.default_rng(0)
    return rng.normal(size=5), rng.normal(size=(7, 5)), rng.normal(size=7)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["auto", "numpy", "numba"])
def test_a_compiled_function_calls_the_gradient_of_a_compiled_function(backend):
    g = ast_ad.grad(wave, backend=backend)

    @njit
    def descend(x):
        for _ in range(5):
            x = x - 0.1 * g(x)
        return x

    x = 0.7
    for _ in range(5):
        x = x - 0.1 * g(x)
    assert descend(0.7) == pytest.approx(x, rel=1e-14)
    assert descend(np.float32(0.5)) == pytest.approx(descend(0.5), rel=1e-5)


def test_values_and_gradients_have_their_structure():
    both = ast_ad.value_and_grad(loss, argnums=(0, 1))

    @njit
    def call(w, x, y):
        value, (w_bar, x_bar) = both(w, x, y, rate=1.5)
        return value, (w_bar, x_bar)

    @njit
    def default(w, x, y):
        return both(w, x, y)[0]

    args = arguments()
    value, bars = call(*args)
    wanted, wanted_bars = both(*args, rate=1.5)
    assert value == pytest.approx(wanted, rel=1e-13)
    for bar, other in zip(bars, wanted_bars, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-12, atol=1e-14)
    assert default(*args) == pytest.approx(both(*args)[0], rel=1e-13)


def test_tuples_and_auxiliary_results():
    def f(p, n):
        q = p[0] * p[1][0] ** n
        return q, (q, n)

    g = ast_ad.grad(f, has_aux=True)

    @njit
    def call(a, b):
        return g((a, (b,)), 3)

    got = call(2.0, 3.0)
    assert got == g((2.0, (3.0,)), 3)


def test_second_derivatives():
    g = ast_ad.grad(ast_ad.grad(wave))

    @njit
    def call(x):
        return g(x)

    assert call(0.3) == pytest.approx(g(0.3), rel=1e-13)


def test_arguments_are_not_changed_and_must_not_overlap():
    g = ast_ad.grad(overwritten)

    @njit
    def call(w, x):
        return g(w, x)

    w, x = np.arange(1.0, 6.0), np.arange(5.0)
    np.testing.assert_allclose(call(w, x), g(w, x), rtol=1e-14)
    np.testing.assert_array_equal(w, np.arange(1.0, 6.0))
    np.testing.assert_allclose(call(w[::-1], x), g(w[::-1], x), rtol=1e-14)
    both = np.arange(9.0)
    with pytest.raises(ValueError, match="share memory"):
        call(both[:5], both[4:])
    call(both[:4], both[5:])


def test_what_kernels_take_for_granted_is_checked():
    g = ast_ad.grad(loss)

    @njit
    def call(w, x, y):
        return g(w, x, y)

    w, x, y = arguments()
    call(w, x, y)
    with pytest.raises(ValueError, match="lengths that do not agree"):
        call(w, x, y[1:])
    with pytest.raises(ValueError, match="a length of 1"):
        call(w, x, y[:1])


def test_globals_are_those_of_the_time_of_compilation(monkeypatch):
    g = ast_ad.grad(lambda x: x * SCALE)

    @njit
    def call(x):
        return g(x)

    assert call(1.0) == 2.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert call(1.0) == 2.0  # as for any global that a compiled function reads
    assert g(1.0) == 5.0


def solved(a, b):
    return np.sum(np.linalg.solve(a, b))


def chosen(x, n):
    return np.sum(np.reshape(x, (n, -1)).sum(axis=n))


@pytest.mark.parametrize(
    "f, args, message",
    [
        (solved, (np.eye(3), np.ones(3)), r"solve.*stays with NumPy"),
        (chosen, (np.ones(4), 1), r"the value of `n`"),
        (wave, (True,), r"of Numba's type bool"),
    ],
)
def test_what_compiled_code_cannot_call_is_refused_with_the_reason(f, args, message):
    g = ast_ad.grad(f)

    @njit
    def call(*given):
        return g(*given)

    with pytest.raises(numba.TypingError, match=f"(?s){message}"):
        call(*args)


def test_a_pullback_is_no_compiled_value():
    pull = ast_ad.vjp(wave)

    @njit
    def call(x):
        return pull(x)

    with pytest.raises(numba.TypingError, match="use value_and_grad"):
        call(1.0)


def test_gradients_are_arguments_of_compiled_functions():
    @njit
    def apply(g, x):
        return g(x)

    g, h = ast_ad.grad(wave), ast_ad.grad(lambda x: x * x)
    assert apply(g, 0.5) == pytest.approx(g(0.5), rel=1e-14)
    assert apply(h, 0.5) == 1.0


def cubes(x):
    return np.sum(x * x * x)


def squares(x):
    return x * x


def test_jacobians_and_hessians():
    """What an operator is about is a constant of its program; one array is all that it returns."""
    hessian, jacobian = ast_ad.hessian(cubes), ast_ad.jacfwd(squares)

    @numba.njit
    def both(x):
        return hessian(x), jacobian(x)

    x = np.array([1.0, 2.0])
    second, first = both(x)
    np.testing.assert_allclose(second, np.diag(6.0 * x))
    np.testing.assert_allclose(first, np.diag(2.0 * x))


def test_what_takes_arguments_by_number_is_refused_with_the_reason():
    doubled = ast_ad.vmap(lambda x: 2.0 * x)

    @njit
    def total(x):
        return np.sum(doubled(x))

    with pytest.raises(numba.core.errors.TypingError, match="`vmap` called from compiled code"):
        total(np.ones(3))
