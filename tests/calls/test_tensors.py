"""Is a derivative that is called with tensors a part of their graph, to any order?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, value_and_grad, vjp

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
W = np.array([[0.3, -0.2, 0.9], [1.1, 0.4, -0.7], [-0.5, 0.8, 0.6]])
X = np.array([0.1, 0.2, 0.3])
backward = ast_ad.autograd.grad


def loss(w, x):
    return np.sum(np.tanh(w @ x) ** 2)


def multiples(x):
    turns = (i for i in range(3))
    yield next(turns) * x
    for i in turns:  # an iterator that is asked in two places: not followed
        yield i * x


def traced_loss(w, x):
    return next(multiples(1.0)) + sum(np.sum(np.tanh(y) ** 2) for y in multiples(w @ x))


def plain_loss(w, x):
    s = 0.0
    for i in range(3):
        s = s + np.sum(np.tanh(i * (w @ x)) ** 2)
    return s


PAIRS = [(loss, loss), (traced_loss, plain_loss)]


def tensors():
    return ast_ad.tensor(W, requires_grad=True), ast_ad.tensor(X, requires_grad=True)


@pytest.mark.parametrize(("function", "same"), PAIRS, ids=["compiled", "traced"])
def test_gradients_of_gradients(function, same):
    w, x = tensors()
    g = grad(function)
    gradient = g(w, x)
    assert g.mode == ("compiled" if function is same else "fallback")
    np.testing.assert_allclose(gradient.detach().numpy(), grad(same)(W, X))
    (gradient * gradient).sum().backward()
    of_w, of_x = grad(lambda w, x: np.sum(grad(same)(w, x) ** 2), (0, 1))(W, X)
    np.testing.assert_allclose(w.grad.numpy(), of_w)
    np.testing.assert_allclose(x.grad.numpy(), of_x)


@pytest.mark.parametrize(("function", "same"), PAIRS, ids=["compiled", "traced"])
def test_backward_of_backward(function, same):
    def second(w, x):
        return np.sum(grad(lambda w, x: np.sum(grad(same)(w, x) ** 2), 1)(w, x) ** 2)

    w, x = tensors()
    (a,) = backward((grad(function)(w, x) ** 2).sum(), (x,), create_graph=True)
    (b,) = backward((a**2).sum(), (w,), create_graph=True)
    np.testing.assert_allclose(b.detach().numpy(), grad(second)(W, X))
    (c,) = backward((b**2).sum(), (x,))
    np.testing.assert_allclose(c.numpy(), grad(lambda w, x: np.sum(grad(second)(w, x) ** 2), 1)(W, X))


@pytest.mark.parametrize(("function", "same"), PAIRS, ids=["compiled", "traced"])
def test_values_and_pullbacks(function, same):
    w, x = tensors()
    value, (of_w, of_x) = value_and_grad(function, (0, 1))(w, x)
    assert value.item() == pytest.approx(same(W, X))
    (d,) = backward(value + of_x.sum() + of_w.sum(), (w,))
    expected = grad(lambda w, x: same(w, x) + sum(map(np.sum, grad(same, (0, 1))(w, x))))(W, X)
    np.testing.assert_allclose(d.numpy(), expected)

    value, pullback = vjp(function)(w, x)
    seed = ast_ad.tensor(2.0, dtype=ast_ad.float64, requires_grad=True)
    of_w, of_x = pullback(seed)
    np.testing.assert_allclose(of_x.detach().numpy(), 2 * grad(same, 1)(W, X))
    of_seed, of_w = backward(of_x.sum(), (seed, w))
    assert of_seed.item() == pytest.approx(grad(same, 1)(W, X).sum())
    np.testing.assert_allclose(of_w.numpy(), 2 * grad(lambda w, x: np.sum(grad(same, 1)(w, x)))(W, X))


def test_it_is_one_node():
    w, x = tensors()
    gradient = grad(loss)(w, x)
    node = gradient.grad_fn
    assert [type(n).__name__ for n, _ in node.next_functions] == ["AccumulateGrad"] * 2
    _, gradients = value_and_grad(loss, (0, 1))(w, x)
    assert gradients[0].grad_fn is gradients[1].grad_fn


def test_structures_and_what_is_no_tensor():
    def model(p, x, power):
        return np.sum((p["w"] @ x + p["b"]) ** power)

    w, _ = tensors()
    gradient = grad(model)({"w": w, "b": 0.5}, X, 2)
    assert list(gradient) == ["w", "b"]
    (d,) = backward(gradient["b"], (w,))
    np.testing.assert_allclose(d.numpy(), 2 * np.outer(np.ones(3), X))


def test_without_a_history():
    w, x = tensors()
    with ast_ad.no_grad():
        gradient = grad(loss)(w, x)
    assert not gradient.requires_grad
    np.testing.assert_allclose(gradient.numpy(), grad(loss)(W, X))
    assert not grad(loss)(w.detach(), X).requires_grad
    assert grad(loss)(w.detach(), x).requires_grad


def test_the_graph_is_freed():
    w, x = tensors()
    total = grad(loss)(w, x).sum()
    total.backward(retain_graph=True)
    total.backward()
    with pytest.raises(RuntimeError, match="second time"):
        total.backward()


def test_a_tensor_that_is_changed_later():
    w, x = tensors()
    y = x * 1.0
    gradient = grad(loss)(w, y)
    with ast_ad.no_grad():
        y.mul_(2.0)
    (a,) = backward(gradient.sum(), (x,), create_graph=True)
    expected = grad(lambda x: np.sum(grad(loss)(W, x)))
    np.testing.assert_allclose(a.detach().numpy(), expected(X))
    (b,) = backward(a.sum(), (x,))
    np.testing.assert_allclose(b.numpy(), grad(lambda x: np.sum(expected(x)))(X))


def test_within_a_trace():
    def outer(x):
        return sum(np.sum(grad(loss, 1)(W, y + 1.0) ** 2) for y in multiples(x))

    def plain(x):
        s = 0.0
        for i in range(3):
            s = s + np.sum(grad(loss, 1)(W, i * x + 1.0) ** 2)
        return s

    g = grad(outer)
    np.testing.assert_allclose(g(X), grad(plain)(X))
    assert g.mode == "fallback"


def test_a_closure_over_a_traced_value():
    def outer(x):
        return sum(np.sum(grad(lambda z: np.sum(x * z**2))(y)) for y in multiples(x))

    np.testing.assert_allclose(grad(outer)(X), 12 * X)


def test_forbidden():
    w, x = tensors()
    with pytest.raises(ast_ad.UnsupportedError, match="an iterator"):
        grad(traced_loss, fallback="error")(w, x)


# ----- tensors that are no arguments ----------------------------------------------------------------
factor = 2.0


def with_factor(x):
    return np.sum(factor * x**2)


def test_a_tensor_from_outside(monkeypatch):
    g = grad(with_factor)
    np.testing.assert_array_equal(g(X), 4 * X)
    tensor = ast_ad.tensor(3.0, dtype=ast_ad.float64, requires_grad=True)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "factor", tensor)
        gradient = g(X)
    np.testing.assert_allclose(gradient.detach().numpy(), 6 * X)
    (of_factor,) = backward(gradient.sum(), (tensor,))
    assert of_factor.item() == pytest.approx(2 * X.sum())
    np.testing.assert_array_equal(g(X), 4 * X)
    assert type(g(X)) is np.ndarray and g.mode == "compiled"


def test_a_tensor_from_outside_in_a_trace_is_never_lost():
    _, x = tensors()

    def function(y):
        kept = list(multiples(y))  # which is refused, and then the tensor is met
        return sum(np.sum(x * z) for z in kept)

    with pytest.raises(ast_ad.UnsupportedError, match="a tensor from outside, in `function`"):
        grad(function)(X)

    def callee(y):
        return function(y) * 2.0

    with pytest.raises(ast_ad.UnsupportedError, match="a tensor from outside"):
        grad(lambda y: callee(y) * y[0])(X)
