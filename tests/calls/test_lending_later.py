"""Do pullbacks and pushforwards of functions that are made anew stay those of their own function?"""

import functools
import gc
import itertools
import threading
import weakref

import numpy as np
import pytest

from ast_ad import custom_jvp, grad, linearize, vjp
from ast_ad.autograd_names import make_ggnvp, make_jvp_reversemode, make_vjp
from ast_ad.errors import AdError

X = np.array([0.5, 1.0, 2.0])


def curve(p, t):
    r = np.zeros(len(t))
    for i in range(len(t)):
        r[i] = p[0] * np.exp(-p[1] * t[i]) + p[2]
    return r


def slopes(p, t):
    e = np.exp(-p[1] * t)
    return np.stack([e, -p[0] * t * e, np.ones_like(t)], axis=-1)


def scaled(k):
    return lambda x: k * x**2


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "ask",
    [lambda f, b: vjp(f, backend=b)(X)[1](np.ones(4))[0], lambda f, b: linearize(f, X, backend=b)[1](X)],
)
def test_the_third_compiles_nothing(ask, backend, compilations):
    for turn in range(1, 8):
        if turn == 4:
            compilations.clear()
        t = np.linspace(0.1, turn, 4)
        found = ask(lambda p: curve(p, t), backend)  # noqa: B023
        right = slopes(X, t).T @ np.ones(4), slopes(X, t) @ X
        np.testing.assert_allclose(found, right[0 if len(found) == 3 else 1], rtol=1e-12)
    assert not compilations


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_answers_are_kept_and_called_in_any_order(backend):
    numbers = range(1, 7)
    pulls = [vjp(scaled(float(k)), backend=backend)(X)[1] for k in numbers]
    pushes = [linearize(scaled(float(k)), X, backend=backend)[1] for k in numbers]
    for k in (*numbers, *reversed(numbers), 3, 3):
        np.testing.assert_allclose(pulls[k - 1](X)[0], 2.0 * k * X**2)
        np.testing.assert_allclose(pushes[k - 1](X), 2.0 * k * X**2)


def test_what_it_read_may_change_afterwards():
    pulls = []
    for k in range(1, 6):
        weights = np.full(3, float(k))
        pulls.append(vjp(lambda x: weights * np.sin(x))(X)[1])  # noqa: B023
        weights[:] = np.nan
    for k, pull in enumerate(pulls, 1):
        np.testing.assert_allclose(pull(np.ones(3))[0], k * np.cos(X))


def test_numbers_that_are_compiled_in_and_lengths():
    for n, k in itertools.product((1, 2, 3), (2, 3)):
        f = lambda x: np.sum(x[:n] ** k) * np.ones(n)  # noqa: B023, E731
        right = np.where(np.arange(3) < n, k * X ** (k - 1) * n, 0.0)
        np.testing.assert_allclose(vjp(f)(X)[1](np.ones(n))[0], right)
        np.testing.assert_allclose(linearize(f, X)[1](np.ones(3)), np.full(n, np.sum(right) / n))


def test_with_aux_and_several_arguments():
    for k in (1.0, 2.0, 3.0, 4.0):
        table = np.full(3, k)
        f = lambda x, y: ({"sum": np.sum(table * x * y)}, table)  # noqa: B023, E731
        value, pull, aux = vjp(f, has_aux=True)(X, 3.0)
        assert value["sum"] == pytest.approx(3.0 * k * np.sum(X)) and aux[0] == k
        first, second = pull({"sum": 1.0})
        np.testing.assert_allclose(first, 3.0 * table)
        assert second == pytest.approx(k * np.sum(X))


def test_within_one_another():
    """The outer function is made anew, and makes one for which the model of its code is taken."""

    def outer(k, depth):
        inner = (lambda x: outer(k + 1.0, depth - 1)(x)) if depth else np.sin
        return lambda x: k * vjp(inner)(x)[1](np.ones(3))[0]

    right = [np.cos(X), 2.0 * np.cos(X), 3.0 * 4.0 * np.cos(X)]
    for _ in range(3):
        np.testing.assert_allclose(outer(1.0, 0)(X), right[0])
        np.testing.assert_allclose(outer(2.0, 0)(X), right[1])
        np.testing.assert_allclose(grad(lambda x: np.sum(outer(3.0, 0)(x)))(X), -3.0 * np.sin(X))


def test_pullbacks_of_pullbacks():
    for k in (1.0, 2.0, 3.0, 4.0):
        pull = lambda x: vjp(scaled(k))(x)[1](np.ones(3))[0]  # noqa: B023, E731
        np.testing.assert_allclose(vjp(pull)(X)[1](X)[0], 2.0 * k * X)
        np.testing.assert_allclose(linearize(pull, X)[1](X), 2.0 * k * X)
        np.testing.assert_allclose(make_jvp_reversemode(scaled(k))(X)(X), 2.0 * k * X**2)
        np.testing.assert_allclose(make_vjp(scaled(k))(X)[0](X), 2.0 * k * X**2)


def test_rules_that_are_made_anew():
    for k in (1.0, 2.0, 3.0, 4.0):

        @custom_jvp
        def ruled(x):
            return np.sin(x)

        ruled.defjvp(lambda primals, tangents: (np.sin(*primals), k * tangents[0]))  # noqa: B023
        np.testing.assert_allclose(vjp(lambda x: ruled(x))(X)[1](X)[0], k * X)
        np.testing.assert_allclose(linearize(lambda x: ruled(x), X)[1](X), k * X)


def test_what_stores_outside_has_its_own():
    for k in (1.0, 2.0, 3.0, 4.0):
        seen = []

        def f(x):
            seen.append(k)  # noqa: B023
            return k * x  # noqa: B023

        np.testing.assert_allclose(vjp(f)(X)[1](X)[0], k * X)
        assert seen == [k]


def test_in_threads():
    wrong = []

    def work(k):
        for _ in range(20):
            pull = vjp(scaled(k))(X)[1]
            if not np.allclose(pull(X)[0], 2.0 * k * X**2):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_that_it_captured_is_kept():
    left = []
    for turn in range(4):
        weights = np.arange(3.0) + turn
        pull = vjp(lambda x: np.sum(weights * x))(X)[1]  # noqa: B023
        pull(1.0)
        left.append(weakref.ref(weights))
    weights = pull = None
    gc.collect()
    assert not any(reference() is not None for reference in left)


def test_one_that_raises_late_is_no_other_function():
    def broken(*seeds):
        raise KeyError("x_1")

    made = [vjp(scaled(float(k)))(X)[1] for k in range(1, 5)]
    made[-1].leaves = broken
    with pytest.raises(AdError, match="E9"):
        made[-1](X)
    np.testing.assert_allclose(made[2](X)[0], 6.0 * X**2)
    for k in (7.0, 8.0):
        np.testing.assert_allclose(vjp(scaled(k))(X)[1](X)[0], 2.0 * k * X**2)


def test_methods_and_partial_objects():
    class Model:
        def __init__(self, k):
            self.k = k

        def loss(self, x):
            return self.k * np.sum(x**2)

    pulls = []
    for k in (1.0, 2.0, 3.0, 4.0):
        pulls.append(vjp(Model(k).loss)(X)[1])
        pulls.append(vjp(functools.partial(lambda x, k: k * np.sum(x**2), k=k))(X)[1])
    for k, pull in zip((1, 1, 2, 2, 3, 3, 4, 4), pulls, strict=True):
        np.testing.assert_allclose(pull(1.0)[0], 2.0 * k * X)


def test_products_of_gauss_and_newton_compile_once(compilations):
    t = np.linspace(0.1, 1.0, 4)
    for turn in range(1, 6):
        if turn == 4:
            compilations.clear()
        slope = slopes(turn * X, t)
        np.testing.assert_allclose(make_ggnvp(curve)(turn * X, t)(X), slope.T @ (slope @ X), rtol=1e-10)
    assert not compilations
