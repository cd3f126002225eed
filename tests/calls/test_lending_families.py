"""Do functions that are made anew together share programs, and does each stay itself?"""

import functools
import gc
import warnings
import weakref

import numpy as np
import pytest

from ast_ad import grad, hessian, hvp, jacobian

X = np.array([0.5, 1.0, 2.0])


def three_deep(k):
    def scale(x):
        return k * x

    def square(x):
        return scale(x) ** 2

    def loss(x):
        return np.sum(square(x) * scale(1.0))

    return loss


@pytest.mark.parametrize(
    "ask",
    [
        lambda f: grad(f)(X),
        lambda f: grad(f, backend="numba")(X),
        lambda f: hvp(f, (X,), (X,))[0],
        lambda f: hessian(f)(X) @ X,
        lambda f: jacobian(f)(X),
    ],
)
def test_functions_in_cells(ask, compilations):
    for turn in range(1, 7):
        if turn == 4:  # the first kernels have brought in further rules, which make it another question
            compilations.clear()
        np.testing.assert_allclose(ask(three_deep(float(turn))), 2 * turn**3 * X, rtol=1e-12)
    assert not compilations


def scaled(k):
    return lambda x: k * x


def raised(k):
    return lambda x: x**k


def test_of_one_code_and_of_others():
    """Two functions of one code, one function twice, and functions of other codes are told apart."""
    for k in (1.0, 2.0, 3.0, 4.0, 5.0):
        a, b = scaled(k), scaled(10.0 * k)

        def value(first, second):
            return grad(lambda x: first(x) * second(x) ** 2)(2.0)

        one, other = lambda x: k * x, lambda x: 10.0 * k * x  # noqa: B023
        for first, second in ((a, b), (one, other)):
            assert value(first, second) == 12.0 * k * (10.0 * k) ** 2
            assert value(second, first) == 12.0 * 10.0 * k * k**2
            assert value(first, first) == 12.0 * k**3
        assert value(a, raised(k)) == pytest.approx(k * (2 * k + 1) * 2.0 ** (2 * k))
        assert value(np.negative, a) == -12.0 * k**2


def test_which_function_it_is():
    """Where that decides, the function itself is asked."""

    class Holder:
        pass

    def turn(k):
        first, second = scaled(k), scaled(-k)
        table, several, holder = {first: 2.0, second: 3.0}, [first, second], Holder()
        holder.function = first
        by_key = grad(lambda x: table[first] * first(x))(1.0)
        by_list = grad(lambda x: 2.0 * x if several[0] is first else 5.0 * x)(1.0)
        by_attribute = grad(lambda x: 2.0 * x if holder.function is first else 5.0 * x)(1.0)
        within = grad(lambda x: 2.0 * x if first in several else 5.0 * x)(1.0)
        same = grad(lambda x: 2.0 * x if first is second else 5.0 * x)(1.0)
        return by_key, by_list, by_attribute, within, same

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in (1.0, 2.0, 3.0, 4.0):
            assert turn(k) == (2.0 * k, 2.0, 2.0, 2.0, 5.0)


def test_one_of_them_writes_to_a_cell():
    for turn in range(5):
        count = 0.0

        def more():
            nonlocal count
            count += 1.0
            return count

        def between():
            return more()

        assert grad(lambda x: between() * x + between() * x)(1.0) == 3.0
        assert count == 2.0
        del turn


def test_each_reads_what_is_there_now():
    """Two functions have one cell, which changes between calls."""

    def make(k):
        def scale(x):
            return k * x

        def change(new):
            nonlocal k
            k = new

        return (lambda x: scale(x) * k), change

    for k in (1.0, 2.0, 3.0):
        f, change = make(k)
        derivative = grad(f)
        assert derivative(1.0) == k * k
        change(7.0)
        assert derivative(1.0) == 49.0 == grad(f)(1.0)


def test_functions_that_call_themselves_and_each_other():
    def turn(k):
        def even(x, n):
            return x if n == 0 else k * odd(x, n - 1)

        def odd(x, n):
            return k * even(x, n - 1)

        return grad(lambda x: even(x, 4))(1.0)

    assert [turn(k) for k in (1.0, 2.0, 3.0, 2.0)] == [1.0, 16.0, 81.0, 16.0]


def test_defaults_and_attributes():
    def turn(k):
        def scale(x, factor=k):
            return factor * x

        def marked(x):
            return marked.factor * x

        marked.factor = k
        return grad(lambda x: scale(x) ** 2)(1.0), grad(lambda x: marked(x) ** 2)(1.0)

    for k in (1.0, 2.0, 3.0, 4.0):
        assert turn(k) == (2.0 * k**2, 2.0 * k**2)


def test_another_function_in_the_place_of_one():
    """The same cell holds a function of another code at each call of one derivative."""
    inner = scaled(2.0)

    def f(x):
        return inner(x)

    derivative = grad(f)
    for k in (1.0, 2.0, 3.0):
        inner = scaled(k)
        assert derivative(1.0) == k == grad(lambda x: inner(x))(1.0)  # noqa: B023
        inner = raised(k)
        assert derivative(1.0) == k == grad(lambda x: inner(x))(1.0)  # noqa: B023


DEFAULTS = {
    "default": lambda k: grad(lambda x, k=k: np.sum(k * x**2))(X),
    "kernels": lambda k: grad(lambda x, k=k: np.sum(k * x**2), backend="numba")(X),
    "by keyword only": lambda k: grad(lambda x, *, k=k: np.sum(k * x**2))(X),
    "Jacobian": lambda k: np.sum(jacobian(lambda x, k=k: k * x**2)(X), axis=0),
    "Hessian": lambda k: hessian(lambda x, k=k: np.sum(k * x**2))(X) @ X,
    "partial of a lambda": lambda k: grad(functools.partial(lambda k, x: np.sum(k * x**2), k))(X),
    "partial by keyword": lambda k: grad(functools.partial(lambda x, k: np.sum(k * x**2), k=k))(X),
    "in a cell": lambda k: grad(lambda x, f=three_deep, k=k: np.sum(scaled(k)(x**2)))(X),
}


@pytest.mark.parametrize("name", DEFAULTS)
def test_defaults_and_partials_of_what_is_made_anew(name, compilations):
    for turn in range(1, 8):
        if turn == 5:
            compilations.clear()
        np.testing.assert_allclose(DEFAULTS[name](float(turn)), 2 * turn * X, rtol=1e-12)
    assert not compilations


def test_what_has_a_default_may_be_passed():
    for k in (1.0, 2.0, 3.0, 4.0):

        def f(x, a=k, b=2.0):
            return a * x**b

        def apart(x, /, a=k, *, b=2.0):
            return a * x**b

        for function in (f, apart):
            derivative = grad(function)
            found = (
                derivative(3.0),
                derivative(3.0, 5.0),
                derivative(3.0, b=3.0),
                derivative(3.0, a=5.0, b=3.0),
            )
            assert found == (6.0 * k, 30.0, 27.0 * k, 135.0)
        assert grad(f, argnums=1)(3.0) == 9.0 == grad(f, argnums=1)(3.0, 7.0)
        assert grad(f, argnums=(0, 1))(3.0) == (6.0 * k, 9.0)
        assert grad(f, wrt="a")(3.0) == 9.0
        with pytest.raises(TypeError):
            grad(f)()
        with pytest.raises(TypeError):
            grad(f)(1.0, 2.0, 3.0, 4.0)


def test_defaults_that_change_and_are_changed():
    kept = []
    for k in (1.0, 2.0, 3.0, 4.0):
        seen, mark = np.full(3, k), object()

        def f(x, seen=seen, mark=mark, other=mark):
            seen += 1.0
            return np.sum(seen * x) * (2.0 if mark is other else 1.0)

        np.testing.assert_array_equal(grad(f)(X), np.full(3, 2.0 * (k + 1.0)))
        np.testing.assert_array_equal(seen, k + 1.0)

        def g(x, k=k):
            return k * x

        kept.append((grad(g), g))
        assert kept[-1][0](1.0) == k
    for n, (derivative, function) in enumerate(kept):
        assert derivative(1.0) == n + 1.0
        function.__defaults__ = (10.0 + n,)
        assert derivative(1.0) == 10.0 + n


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nothing_is_kept(backend):
    left = []

    def turn(batch):
        def residual(p):
            return p * batch

        left.append(weakref.ref(residual))
        return grad(lambda p: np.sum(residual(p) ** 2), backend=backend)(X)

    for k in (1.0, 2.0, 3.0, 4.0):
        np.testing.assert_allclose(turn(np.full(3, k)), 2 * X * k**2)
    gc.collect()
    assert not any(reference() is not None for reference in left[1:])


def test_threads(in_threads):
    wrong = []

    def work(k):
        for _ in range(20):
            found = grad(three_deep(k))(X)
            if not np.allclose(found, 2 * k**3 * X):
                wrong.append((k, found))

    in_threads(work, [1.0, 2.0, 3.0, 4.0])
    assert not wrong
