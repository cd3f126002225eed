"""A pullback whose program raises, after the first call: who answers?"""

import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.calls.checks import check
from ast_ad.errors import DefectWarning, InternalError

X, Y, ONES = np.array([0.5, 1.5]), np.array([2.0, 3.0]), np.ones(2)


@pytest.fixture(autouse=True)
def by_default(monkeypatch):
    monkeypatch.delenv("AST_AD_CHECK", raising=False)


class Weight:
    value = 2.0


def scaled(x, y, how="sin"):
    return getattr(np, how)(x) * y


def of_an_object(x, weight):
    return np.sin(x) * weight.value


def loud(x, y):
    print("here")
    return np.sin(x) * y


def broken(function, *args, **options):
    """The vjp of a function, its backward half spoilt after the first call."""

    def raises(*args):
        raise ValueError("operands could not be broadcast")

    pulled = ast_ad.vjp(function, backend="numpy", **options)
    pulled(*args)
    pulled._last.backward.run = raises
    return pulled


@pytest.mark.parametrize("args", [(X, Y), (X, Y, "cos"), ([X, 2.0], Y)], ids=["arrays", "static", "list"])
def test_the_trace_of_the_call_answers_and_it_is_told_once(args):
    def function(x, y, how="sin"):
        return scaled(x[0] if isinstance(x, list) else x, y, how)

    good = ast_ad.vjp(function, backend="numpy")(*args)[1](ONES)
    pulled = broken(function, *args)
    _, pullback = pulled(*args)
    with pytest.warns(DefectWarning, match="E901.*the pullback of `function` raised ValueError"):
        found = pullback(ONES)
    assert repr(found) == repr(good)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert repr(pullback(ONES)) == repr(good) == repr(pulled(*args)[1](ONES))
    assert pulled.mode == "fallback"


def test_arguments_that_have_changed_since():
    x = X.copy()
    _, pullback = broken(scaled, X, Y)(x, Y)
    x[0] = 7.0
    with pytest.raises(InternalError, match="E901.*the pullback of `scaled`") as caught:
        pullback(ONES)
    assert type(caught.value.__cause__) is ValueError


@pytest.mark.parametrize("function, second", [(of_an_object, Weight()), (loud, Y)], ids=["object", "print"])
def test_a_call_that_cannot_be_made_again(function, second, capsys):
    _, pullback = broken(function, X, second)(X, second)
    capsys.readouterr()
    with pytest.raises(InternalError, match="E901"):
        pullback(ONES)
    assert capsys.readouterr().out == ""


def test_with_fallback_error_it_is_an_error():
    _, pullback = broken(scaled, X, Y, fallback="error")(X, Y)
    with pytest.raises(InternalError, match="E901"):
        pullback(ONES)


def test_a_rule_that_raises_is_no_defect():
    inverse = ast_ad.vjp(lambda x: np.sqrt(x), backend="numpy")
    _, pullback = inverse(X)
    with np.errstate(divide="raise"):
        _, pullback = inverse(np.zeros(2))
        with pytest.raises(FloatingPointError):
            pullback(ONES)
    assert inverse.mode == "compiled"


# ----- what is checked, and when
@pytest.fixture
def checked(monkeypatch):
    """The functions of which a first call was checked."""
    found, run = [], check.FirstCall.run

    def noted(self):
        found.append(self.function)
        return run(self)

    monkeypatch.setattr(check.FirstCall, "run", noted)
    return found


def cubes(x):
    return np.sum(x**3)


def test_what_ran_within_another_check_is_checked_when_it_is_called(checked):
    inner = ast_ad.grad(cubes, backend="numpy")

    def outer(x):
        return np.sum(inner(x) ** 2) + np.sum(inner(x)) + np.sum(inner(2.0 * x))

    ast_ad.grad(outer, backend="numpy")(X)
    assert checked == [outer] and "has not been called on its own" in inner.explain()
    for _ in range(3):
        inner(X)
    assert checked == [outer, cubes] and "Checked against the function in its first call" in inner.explain()


def test_a_derivative_of_tensors_is_checked_once(checked):
    gradient = ast_ad.grad(cubes, backend="numpy")
    for _ in range(2):
        t = ast_ad.tensor([0.5, 1.5], requires_grad=True)
        gradient(t).sum().backward()
        np.testing.assert_allclose(t.grad.numpy(), 6 * X)
    assert checked == [gradient]


def test_a_wrong_derivative_of_tensors_is_traced_and_told(monkeypatch):
    monkeypatch.setattr(
        check.FirstCall, "values", lambda self, *_: (_ for _ in ()).throw(self.wrong("it lies"))
    )
    gradient = ast_ad.grad(cubes, backend="numpy")
    t = ast_ad.tensor([0.5, 1.5], requires_grad=True)
    with pytest.warns(DefectWarning, match="E903.*it lies"):
        gradient(t).sum().backward()
    np.testing.assert_allclose(t.grad.numpy(), 6 * X)


def of_one_rank_at_run_time(x):
    w = x[slice(0, 2)]
    g = w.reshape(-1, 1)
    m = 0.0
    for _ in np.arange(1):
        m = g
    return np.sum(np.sin(m))


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_backward_half_that_declines_is_traced(backend):
    """What may be refused at run time, of what depends on the seeds, is refused there and not in the call."""
    x = np.array([-0.757, -0.247, -1.407])
    gradient = ast_ad.grad(of_one_rank_at_run_time, backend=backend)
    value, pullback = ast_ad.vjp(gradient, x, backend=backend)
    np.testing.assert_allclose(value, [*np.cos(x[:2]), 0.0])
    np.testing.assert_allclose(pullback(np.ones(3))[0], [*-np.sin(x[:2]), 0.0])
    second = ast_ad.grad(lambda x: np.sum(gradient(x)), backend=backend)
    np.testing.assert_allclose(second(x), [*-np.sin(x[:2]), 0.0])
