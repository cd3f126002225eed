"""Do functions that are made anew in each turn share programs, and read what is theirs?"""

import functools
import gc
import warnings
import weakref

import numpy as np
import pytest

from ast_ad import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jvp,
    laplacian,
    value_and_grad,
    vjp,
    vmap,
)  # fmt: skip
from ast_ad.calls import lending
from tests.calls.test_sharing import read

X = np.array([0.5, 1.0, 2.0])


def model(p, batch):
    return np.sum((p * batch) ** 2)


def of_inner(ask, batch):
    def loss(p):
        return np.sum((p * batch) ** 2)

    return ask(loss)


def of_lambda(ask, batch):
    return ask(lambda p: model(p, batch))


ASKS = {
    "grad": (lambda f: grad(f)(X), lambda b: 2 * X * b**2),
    "kernels": (lambda f: grad(f, backend="numba")(X), lambda b: 2 * X * b**2),
    "value_and_grad": (lambda f: value_and_grad(f)(X)[1], lambda b: 2 * X * b**2),
    "hessian": (lambda f: hessian(f)(X), lambda b: np.diag(2 * b**2)),
    "hvp": (lambda f: hvp(f, (X,), (X,))[0], lambda b: 2 * X * b**2),
    "jvp": (lambda f: jvp(f, (X,), (X,))[1], lambda b: np.sum(2 * X**2 * b**2)),
    "jacfwd of grad": (lambda f: jacfwd(grad(f))(X), lambda b: np.diag(2 * b**2)),
    "jacobian": (lambda f: jacobian(f)(X), lambda b: 2 * X * b**2),
    "laplacian": (lambda f: laplacian(f)(X), lambda b: np.sum(2 * b**2)),
    "vmap of grad": (lambda f: vmap(grad(f))(np.stack([X, X]))[1], lambda b: 2 * X * b**2),
}


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("of", [of_inner, of_lambda])
@pytest.mark.parametrize("name", ASKS)
def test_the_third_compiles_nothing_and_each_reads_its_own(of, name, compilations):
    ask, expected = ASKS[name]
    for turn in range(5):
        if turn == 3 - (name != "kernels"):  # the first kernels bring in rules, which is another question
            compilations.clear()
        batch = np.arange(3.0) + turn
        np.testing.assert_allclose(of(ask, batch), expected(batch), rtol=1e-12)
    assert not compilations


def test_other_lengths_and_types():
    for batch in (X, X, X.astype(np.float32), np.ones((2, 3)), 2.0, 3, 4, np.ones((1, 3)), X):
        np.testing.assert_allclose(
            of_inner(lambda f: grad(f)(X), batch), np.sum(2 * X * np.square(batch) * np.ones((1, 3)), axis=0)
            if np.ndim(batch) == 2 else 2 * X * np.square(batch), rtol=1e-6,
        )  # fmt: skip


def test_a_flag_decides():
    def turn(squared):
        return grad(lambda x: x**2 if squared else x**3)(2.0)

    assert [turn(flag) for flag in (True, True, False, False, True)] == [4.0, 4.0, 12.0, 12.0, 4.0]


def test_a_function_in_a_cell():
    def double(x):
        return 2.0 * x

    def turn(inner):
        return grad(lambda x: inner(x) * x)(3.0)

    for k in (1.0, 2.0, 3.0):
        assert turn(lambda x: k * x) == 6.0 * k  # noqa: B023
        assert turn(np.sin) == pytest.approx(np.sin(3.0) + 3.0 * np.cos(3.0))
        assert turn(double) == 12.0


class Model:
    def __init__(self, k):
        self.k = k

    def loss(self, x):
        return self.k * np.sum(x**2)

    def gradient(self, x):
        return grad(lambda p: self.loss(p))(x)


def test_an_object_in_a_cell(compilations):
    for turn in range(5):
        if turn == 2:
            compilations.clear()
        np.testing.assert_allclose(Model(float(turn)).gradient(X), 2.0 * turn * X)
    assert not compilations


def test_a_local_class_in_a_cell():
    for k in (1.0, 2.0, 3.0, 4.0):

        class Local:
            rate = k

            def loss(self, x):
                return self.rate * k * x  # noqa: B023

        one = Local()
        assert grad(lambda x: one.loss(x))(1.0) == k * k  # noqa: B023


def test_a_function_that_counts():
    counted = []
    for _ in range(4):
        count = 0

        def f(x):
            nonlocal count
            count += 1
            return x * x

        assert grad(f)(3.0) == 6.0
        counted.append(count)
    assert counted == [1] * 4


def test_another_function_that_writes_to_the_cell():
    for turn in range(4):
        k = float(turn)

        def more():
            nonlocal k
            k += 1.0

        def f(x):
            first = k  # noqa: B023
            more()
            return first * x + k * x  # noqa: B023

        assert grad(f)(1.0) == 2.0 * turn + 1.0
        assert k == turn + 1.0


def test_defaults_of_its_own():
    found = [grad(lambda x, k=k: k * x)(1.0) for k in (1.0, 2.0, 3.0, 4.0)]
    assert found == [1.0, 2.0, 3.0, 4.0]


def test_a_cell_that_is_empty_at_first():
    def turn(value):
        f = grad(lambda x: later * x)
        with pytest.raises(NameError), warnings.catch_warnings(action="ignore"):
            f(1.0)
        later = value
        return f(1.0)

    assert [turn(k) for k in (1.0, 2.0, 3.0)] == [1.0, 2.0, 3.0]


def test_what_the_function_raises():
    def turn(x, limit):
        def f(x):
            if x > limit:
                raise ValueError(f"above {limit}")
            return x**2

        return grad(f)(x)

    for limit in (1.0, 2.0, 3.0):
        assert turn(limit, limit) == 2.0 * limit
        with pytest.raises(ValueError, match=f"above {limit}"):
            turn(5.0, limit)


def test_of_itself():
    def derivative(n):
        def f(x):
            return x**2 if n == 0 else x * derivative(n - 1)(x)

        return grad(f)

    expected = {0: 4.0, 1: 8.0, 2: 16.0}
    for _ in range(3):
        for n, value in expected.items():
            assert derivative(n)(2.0) == value


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_nothing_that_it_captured_is_kept(backend):
    left = []
    for turn in range(4):
        batch = np.arange(3.0) + turn
        of_inner(lambda f: (grad(f, backend=backend)(X), hessian(f, backend=backend)(X)), batch)
        left.append(weakref.ref(batch))
    del batch
    gc.collect()
    assert not any(reference() is not None for reference in left)


def test_a_pullback_for_later_is_its_own():
    pulls = [of_inner(lambda f: vjp(f)(X)[1], np.full(3, k)) for k in (1.0, 2.0, 3.0)]
    for k, pull in zip((1.0, 2.0, 3.0), pulls, strict=True):
        np.testing.assert_allclose(pull(1.0)[0], 2 * X * k**2)


def test_it_explains_itself():
    for turn in range(3):
        batch = np.full(3, float(turn))
        derivative = grad(lambda p: np.sum(p * batch))  # noqa: B023
        derivative(X)
        assert derivative.mode == "compiled" and "def " in derivative.source
        assert "def " in derivative.backward_source and derivative.explain()


def test_a_derivative_that_is_kept_reads_what_is_there(compilations):
    kept = []
    for turn in range(3):
        batch = np.full(3, float(turn))
        kept.append(of_inner(grad, batch))
        kept[-1](X)
    for turn in (2, 0, 1):
        np.testing.assert_allclose(kept[turn](X), 2 * X * turn**2)


def test_partials_of_what_is_made_anew():
    for k in (1.0, 2.0, 3.0):
        inner = functools.partial(lambda p, b: np.sum(p * b) * k, b=X)  # noqa: B023
        np.testing.assert_allclose(grad(inner)(X), k * X)


def test_threads(in_threads):
    wrong = []

    def work(scale):
        for n in range(30):
            batch = np.full(3, scale + n)
            if not np.allclose(of_inner(lambda f: grad(f)(X), batch), 2 * X * batch**2):
                wrong.append(scale)

    in_threads(work, [100.0 * i for i in range(4)])
    assert not wrong


def test_only_so_many_codes_are_known():
    for n in range(lending.MOST + 5):
        turn, _ = read(f"def f(b):\n    f = lambda x: b * x + {n}.0 * x\n    return f\n")
        for b in (1.0, 2.0, 3.0) if n > lending.MOST else (1.0,):
            assert grad(turn(b))(1.0) == b + n
    assert len(lending._lenders) <= lending.MOST


# ----- methods and partial objects --------------------------------------------------------------------------
class Counting(Model):
    calls = 0

    def total(self, x, rate=2.0):
        return rate * self.k * np.sum(x**2)

    def counted(self, x):
        self.calls += 1
        return self.k * np.sum(x)


class Other(Counting):
    def total(self, x, rate=3.0):
        return super().total(x, rate) + np.sum(x)


def test_methods_of_objects_that_are_made_anew(compilations):
    for turn in range(5):
        if turn == 2:
            compilations.clear()
        one = Counting(float(turn))
        np.testing.assert_allclose(grad(one.total)(X), 4.0 * turn * X)
        np.testing.assert_allclose(grad(one.total)(X, rate=5.0), 10.0 * turn * X)
        np.testing.assert_allclose(hessian(one.total)(X), np.diag(np.full(3, 4.0 * turn)))
    assert not compilations


def test_methods_of_other_classes_and_defaults_that_change():
    for turn in range(4):
        np.testing.assert_allclose(grad(Counting(1.0).total)(X), 4.0 * X)
        np.testing.assert_allclose(grad(Other(1.0).total)(X), 6.0 * X + 1.0)
        one = Counting(float(turn))
        np.testing.assert_allclose(grad(one.counted)(X), np.full(3, turn))
        assert one.calls == 1
    before = Counting.total.__defaults__
    try:
        Counting.total.__defaults__ = (7.0,)
        np.testing.assert_allclose(grad(Counting(1.0).total)(X), 14.0 * X)
    finally:
        Counting.total.__defaults__ = before
    np.testing.assert_allclose(grad(Counting(1.0).total)(X), 4.0 * X)


def test_an_attribute_of_another_kind():
    for k in (1.0, 2.0, 3, np.float32(4.0), X, X.astype(np.float32), 1.0):
        np.testing.assert_allclose(grad(lambda p, k=k: np.sum(k * p))(X), k * np.ones(3))
        one = Counting(k)
        np.testing.assert_allclose(value_and_grad(lambda p, one=one: np.sum(one.k * p))(X)[1], k * np.ones(3))


def scaled(p, batch, rate=2.0):
    return rate * np.sum((p * batch) ** 2)


def test_partial_objects(compilations):
    for turn in range(5):
        if turn == 2:
            compilations.clear()
        b = X + turn
        np.testing.assert_allclose(grad(functools.partial(scaled, batch=b))(X), 4.0 * X * b**2)
        np.testing.assert_allclose(grad(functools.partial(scaled, b))(X), 4.0 * X * b**2)
        np.testing.assert_allclose(grad(functools.partial(scaled, rate=5.0), 1)(X, b), 10.0 * b * X**2)
        found = hessian(functools.partial(scaled, batch=b, rate=1.0))(X)
        np.testing.assert_allclose(found, np.diag(2.0 * b**2))
    assert not compilations


def test_what_is_bound_is_differentiated():
    for turn in range(4):
        b, one = X + turn, Counting(float(turn))
        bound = functools.partial(scaled, batch=b)
        np.testing.assert_allclose(grad(bound, wrt="batch")(X), 4.0 * b * X**2)
        np.testing.assert_allclose(grad(bound)(X, batch=X), 4.0 * X**3)
        np.testing.assert_allclose(grad(one.total, wrt="rate")(X), turn * np.sum(X**2))
        np.testing.assert_allclose(grad(bound)(X), 4.0 * X * b**2)


def test_no_object_is_kept():
    left = []
    for turn in range(4):
        one, b = Counting(float(turn)), X + turn
        grad(one.total)(X), grad(functools.partial(scaled, batch=b))(X)
        left += [weakref.ref(one), weakref.ref(b)]
    one = b = None
    gc.collect()
    assert not any(reference() is not None for reference in left)
