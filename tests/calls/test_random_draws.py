"""Are random numbers drawn once, in order and to the bit, and differentiated where a derivative exists?"""

import copy
import functools

import numpy as np
import pytest
import scipy.special

import ast_ad
from ast_ad import grad, hessian, hvp, jacobian, jvp, value_and_grad, vjp, vmap
from ast_ad.rules.random_draws import FORMULAS, slope_of_gamma

X = np.array([0.3, 0.7, 1.1, 1.9])
RNG = np.random.default_rng(5)
STATE = np.random.RandomState(5)


def reset(k=0):
    RNG.bit_generator.state = np.random.default_rng(k).bit_generator.state
    STATE.set_state(np.random.RandomState(k).get_state())
    np.random.seed(k)


def states():
    return repr((RNG.bit_generator.state, STATE.get_state()[1:], np.random.get_state()[1:]))


def differences(f, x, k=0):
    def at(x):
        reset(k)
        return f(x)

    found = np.zeros_like(x)
    for i in range(x.size):
        e = np.zeros_like(x)
        e[i] = 1e-4
        found[i] = (8 * (at(x + e) - at(x - e)) - (at(x + 2 * e) - at(x - 2 * e))) / 12e-4
    return found


def own(x):
    rng = np.random.default_rng(3)
    return np.sum(x * rng.normal(size=4)) + rng.integers(5) * x[0]


def own_legacy(x):
    rng = np.random.RandomState(3)
    return np.sum(rng.normal(x, 2.0)) * rng.uniform() + np.sum(x * rng.permutation(4))


def own_from_own(x):
    return helper(np.random.default_rng(np.random.default_rng(7)), x) + helper(np.random.default_rng(7), x)


def seeded(x):
    np.random.seed(0)
    return np.sum(x * np.random.randn(4)) + np.random.rand() * x[1] + np.sum(np.random.rand(2, 4) * x)


def from_outside(x):
    return np.sum(RNG.normal(x, x**2) ** 2) + np.sum(STATE.exponential(x, (3, 4)))


def in_loops(x):
    s = 0.0
    for i in range(3):
        s = s + RNG.normal() * x[i]
        for _ in range(i):
            s = s * RNG.uniform(0.5, 1.5) + RNG.normal(x[0], 0.1)
    return s


def until_it_is_large(x):
    s, n = x[0], 0
    while s < 3.0 and n < 100:
        s = s + RNG.random() * x[1]
        n += 1
    return s * n


def in_branches(x):
    if RNG.random() < 0.5:
        return np.sum(x**2) * RNG.normal()
    i = RNG.choice(4, size=2, replace=False)
    return np.sum(x[i]) + (RNG.normal() if x[0] > 10 else 1.0)


def helper(rng, x, n=4):
    return np.mean(rng.uniform(x[0], x[1], n) ** 2)


def in_callees(x):
    return helper(RNG, x) + helper(STATE, x, n=3) * helper(RNG, x[1:])


class Sampler:
    def __init__(self):
        self.rng = RNG

    def draw(self, loc, scale):
        return self.rng.normal(loc, scale)

    def loss(self, x):
        z = self.draw(x[:2], np.exp(x[2:]))
        return np.sum(z**2) + self.draw(0.0, 1.0) * x[0]


SAMPLER = Sampler()


def by_methods(x):
    return SAMPLER.loss(x)


def by_partial(x):
    return functools.partial(helper, RNG)(x)


def unread(x):
    RNG.normal(size=3)
    STATE.rand()
    return np.sum(x**2)


def steps(x):
    k = RNG.poisson(x * 3.0) + RNG.binomial(5, x / 2.0) + RNG.choice(4, p=x / np.sum(x))
    return np.sum(k * x)


def several_generators(x):
    rng = RNG if x[0] < 1 else STATE
    return np.sum(rng.normal(x, 1.0, size=(2, 4)) ** 2)


def default(x, rng=None):
    if rng is None:
        rng = np.random.default_rng(0)
    if isinstance(rng, np.random.Generator):
        return np.sum(rng.normal(size=4) * x)
    return 0.0


PROGRAMS = [
    *(
        own,
        own_legacy,
        own_from_own,
        seeded,
        from_outside,
        in_loops,
        until_it_is_large,
        in_branches,
        in_callees,
    ),
    *(by_methods, by_partial, unread, steps, default),
]
WAYS = [(f, "numpy") for f in PROGRAMS] + [
    (f, "numba") for f in (seeded, from_outside, in_loops, in_branches)
]


@pytest.mark.parametrize(("f", "backend"), WAYS, ids=lambda v: getattr(v, "__name__", v))
def test_value_gradient_and_state(f, backend):
    d = value_and_grad(f, backend=backend)
    for k in (0, 1, 2):
        reset(k)
        expected, left = f(X), None
        left = states()
        reset(k)
        value, found = d(X)
        assert states() == left
        assert value == expected or backend == "numba" and value == pytest.approx(expected, rel=1e-13)
        if f is not steps:
            np.testing.assert_allclose(found, differences(f, X, k), rtol=1e-6, atol=1e-8)
    assert d.mode == "compiled"


def test_steps_have_the_derivative_zero():
    reset()
    d = grad(steps)
    found = d(X)
    reset()
    k = RNG.poisson(X * 3.0) + RNG.binomial(5, X / 2.0) + RNG.choice(4, p=X / np.sum(X))
    np.testing.assert_array_equal(found, k)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("generator", [RNG, STATE], ids=["Generator", "RandomState"])
@pytest.mark.parametrize("method", sorted(FORMULAS))
def test_distributions(method, generator):
    """The formula of a draw gives the draw; and so the derivatives are those of the draw."""
    one = method in ("exponential", "rayleigh", "weibull", "pareto", "power", "standard_gamma", "chisquare")
    params = (X + 2.0 if method == "pareto" else X,) if one else (X, X + 0.5)
    draw = getattr(generator, method)

    def f(*params):
        return np.sum(draw(*params) * np.arange(1.0, 5.0)) + np.sum(draw(*params, size=(2, 4)) ** 2)

    for size in (None, (3, 4)):
        reset()
        value = draw(*params, size=size)
        reset()
        formula = FORMULAS[method](generator, size, *params)
        np.testing.assert_allclose(formula, value, rtol=1e-13)
    d = value_and_grad(f, argnums=tuple(range(len(params))))
    reset()
    expected = f(*params)
    reset()
    value, found = d(*params)
    assert value == expected and d.mode == "compiled"
    for i in range(len(params)):
        if not (method in ("gamma", "standard_gamma", "chisquare") and i == 0):

            def at(p, i=i):
                return f(*params[:i], p, *params[i + 1 :])

            np.testing.assert_allclose(found[i], differences(at, params[i]), rtol=1e-6)


MEAN, COVARIANCE = np.array([1.0, -2.0]), np.array([[2.0, 0.3], [0.3, 1.0]])


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("generator", [RNG, STATE, np.random], ids=["Generator", "RandomState", "global"])
def test_vectors(generator, backend):
    """By the matrix as it is read, its two triangles apart."""

    def f(mean, covariance):
        one = generator.multivariate_normal(mean, covariance, check_valid="ignore")
        many = generator.multivariate_normal(mean, covariance, (3, 2), "ignore")
        return np.sum(one**2) + np.sum(many * np.arange(12.0).reshape(3, 2, 2)) + generator.standard_normal()

    d = value_and_grad(f, argnums=(0, 1), backend=backend, fallback="error")
    reset()
    expected = f(MEAN, COVARIANCE)
    after = states()
    for _ in range(2):
        reset()
        value, (by_mean, by_covariance) = d(MEAN, COVARIANCE)
        np.testing.assert_allclose(value, expected, rtol=1e-14)
        assert states() == after
    np.testing.assert_allclose(by_mean, differences(lambda m: f(m, COVARIANCE), MEAN), rtol=1e-6)

    def by_parts(x):
        return f(MEAN, x.reshape(2, 2))

    np.testing.assert_allclose(by_covariance.ravel(), differences(by_parts, COVARIANCE.ravel()), rtol=1e-6)


def test_vectors_of_equal_variances():
    """The axes are not unique, and what they are does not matter."""

    def f(s):
        draws = np.random.RandomState(1).multivariate_normal(s * MEAN, s**2 * np.eye(2), 3)
        return np.sum(draws * np.arange(6.0).reshape(3, 2))

    assert grad(f, fallback="error")(0.8) == pytest.approx((f(0.8 + 1e-5) - f(0.8 - 1e-5)) / 2e-5, rel=1e-8)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_vectors_by_another_factor_are_refused():
    with pytest.raises(ast_ad.UnsupportedError, match="method='cholesky'"):
        grad(lambda c: np.sum(RNG.multivariate_normal(MEAN, c, method="cholesky")), fallback="error")(
            COVARIANCE
        )


def test_the_shape_of_a_gamma_variable():
    """Its distribution function stays the same."""
    for a in (0.2, 1.0, 3.7, 60.0, 400.0):
        z = np.random.default_rng(0).standard_gamma(a, 50)
        e = 1e-4 * a
        p = [scipy.special.gammainc(a + i * e, z) for i in (-2, -1, 1, 2)]
        by_shape = (8 * (p[2] - p[1]) - (p[3] - p[0])) / (12 * e)
        density = np.exp((a - 1) * np.log(z) - z - scipy.special.gammaln(a))
        np.testing.assert_allclose(slope_of_gamma(z, a), -by_shape / density, rtol=2e-6)

    def f(a):
        return np.sum(RNG.standard_gamma(a, size=1000))

    reset()
    d = grad(f, check=True)
    assert d(2.5) / 1000 == pytest.approx(1.0, abs=0.1)  # the mean is the shape
    second = grad(grad(lambda a: np.sum(slope_of_gamma(np.array([0.5, 2.0]), a))))
    assert np.isfinite(second(1.5))


# ----- once
@pytest.mark.parametrize("f", [from_outside, in_loops, by_methods], ids=lambda f: f.__name__)
def test_every_operator_draws_once(f):
    reset()
    f(X)
    left = states()
    v = np.array([1.0, -0.5, 2.0, 0.3])
    reset()
    gradient = grad(f)(X)
    reset()
    assert jvp(f, (X,), (v,))[1] == pytest.approx(gradient @ v, rel=1e-12)
    reset()
    jvp(f, (X,), (v,))
    assert states() == left
    reset()
    second = hessian(f)(X)
    assert states() == left
    reset()
    np.testing.assert_allclose(hvp(f, (X,), (v,))[0], second @ v, rtol=1e-10, atol=1e-12)
    assert states() == left


def test_a_jacobian_shares_its_draw():
    def f(x):
        return RNG.normal(x, np.exp(x)) * np.sum(x)

    for _ in range(2):
        reset()
        value = f(X)
        left = states()
        reset()
        found = jacobian(f)(X)
        assert states() == left
        reset()
        z = (RNG.normal(X, np.exp(X)) - X) / np.exp(X)
        expected = np.diag((1 + z * np.exp(X)) * np.sum(X)) + (value / np.sum(X))[:, None]
        np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_a_pullback_draws_no_more():
    reset()
    from_outside(X)
    left = states()
    reset()
    _, pull = vjp(from_outside)(X)
    one, other = pull(1.0), pull(2.0)
    assert states() == left
    np.testing.assert_allclose(2 * np.asarray(one), np.asarray(other))


def test_a_generator_as_argument():
    def f(x, rng):
        return np.sum(rng.normal(x, 0.5) ** 2) + rng.random() * x[0]

    d = value_and_grad(f)
    for seed in range(5):
        plain, other = np.random.default_rng(seed), np.random.default_rng(seed)
        value, found = d(X, plain)
        assert value == f(X, other)
        assert plain.bit_generator.state == other.bit_generator.state
        z = np.random.default_rng(seed)
        expected = 2 * z.normal(X, 0.5)
        expected[0] += z.random()
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert d.mode == "compiled" and sum(map(len, d._programs.values())) == 1


# ----- exceptions
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_exceptions_leave_what_the_function_leaves(backend):
    def f(x, n):
        y = RNG.normal(x, 1.0)
        if n > 2:
            RNG.random()
            raise KeyError("n")
        return np.sum(y[:3] * x[:n]) + RNG.normal()

    d = grad(f, backend=backend)
    for n, kind in ((3, KeyError), (3, KeyError), (2, ValueError), (2, ValueError)):
        reset()
        with pytest.raises(kind):
            f(X, n)
        left = states()
        reset()
        with pytest.raises(kind):
            d(X, n)
        assert states() == left


def test_parameters_that_numpy_refuses():
    d = grad(lambda s: RNG.normal(0.0, s) + RNG.random())
    d(1.0)
    for _ in range(2):
        reset()
        before = states()
        with pytest.raises(ValueError, match="scale < 0"):
            d(-1.0)
        assert states() == before


def test_kernels_that_give_up_have_not_drawn():
    def f(x, y):
        z = RNG.normal(size=4)
        return np.sum(x * y * z[: x.shape[0]])

    d = value_and_grad(f, backend="numba")
    for y in (X, X[:1], np.ones(4)):
        reset()
        expected = f(X, y)
        left = states()
        reset()
        assert d(X, y)[0] == pytest.approx(expected, rel=1e-13)
        assert states() == left


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_trace_begins_where_the_call_found_the_generators():
    def f(x, n):
        a = RNG.normal(size=4)
        items = [x * i for i in range(n)]
        if n > 2:
            items = {n: items}[n]
            eval("0") if n > 3 else None
        return np.sum(a * items[-1])

    d = value_and_grad(f)
    for n in (2, 3, 4):
        reset()
        expected = f(X, n)
        left = states()
        reset()
        assert d(X, n)[0] == expected
        assert states() == left


# ----- with the rest
def test_stores_beside_draws():
    kept = []

    class Counter:
        n = 0

    counter = Counter()

    def f(x):
        counter.n += 1
        z = RNG.normal(size=4)
        kept.append(float(z[0]))
        return np.sum(z * x)

    d = grad(f)
    for i in range(3):
        reset(i)
        found = d(X)
        reset(i)
        np.testing.assert_array_equal(found, RNG.normal(size=4))
    assert counter.n == 3 and len(kept) == 3


def test_a_checked_derivative():
    reset()
    for f in (from_outside, in_loops):
        d = grad(f, check=True)
        reset()
        f(X)
        left = states()
        reset()
        d(X)
        assert states() == left
        assert "along a direction" in d.explain()


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_rows():
    def f(x):
        return np.sum(x * RNG.normal(size=4))

    x = np.outer([1.0, 2.0, 3.0], X)
    with pytest.raises(ast_ad.InputValueError):
        vmap(f)(x)
    reset()
    expected = [f(row) for row in x]
    left = states()
    reset()
    np.testing.assert_array_equal(vmap(f, randomness="different")(x), expected)
    assert states() == left
    reset()
    once = RNG.normal(size=4)
    reset()
    np.testing.assert_allclose(vmap(f, randomness="same")(x), x @ once)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_what_has_no_derivative():
    def f(a, data):
        return RNG.beta(a, 2.0) * data

    with pytest.raises(ast_ad.AdError, match=r"beta|drawn|plain"):
        grad(f)(1.5, 2.0)
    d = grad(f, argnums=1)
    reset()
    found = d(1.5, 2.0)
    reset()
    assert found == RNG.beta(1.5, 2.0) and d.mode == "compiled"


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_without_a_seed_it_is_traced():
    d = grad(lambda x: np.sum(x * np.random.default_rng().normal(size=4)))
    d(X)
    assert d.mode == "fallback"


def test_a_copy_of_a_generator():
    rng = copy.deepcopy(RNG)
    d = grad(lambda x: np.sum(rng.normal(x, 1.0)))
    d(X)
    assert d.mode == "compiled"
