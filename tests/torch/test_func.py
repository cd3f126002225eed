"""Are the transformations of ``torch.func`` those of the operators, with PyTorch's arguments and results?"""

import numpy as np
import pytest

import ast_ad
import ast_ad.torch as torch

F = torch.func
X, Y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.5, -1.0, 2.0])


def methods(x):
    """Where PyTorch's methods mean other things than NumPy's: a pair of results, a deviation by n - 1."""
    return torch.stack([x.max(0)[0] * x.sum(), x.std() * x[0]])


def in_place(x):
    w = x.clone()
    for i in range(3):
        w[i] *= w.sum()
    return w * 2 if w.sum() > 0 else w


def shown(values):
    """Arrays for tensors, within the structure that they are in."""
    leaves, tree = ast_ad.trees.flatten(values)
    return tree.unflatten(
        [leaf.detach().numpy().tolist() if hasattr(leaf, "detach") else leaf for leaf in leaves]
    )


@pytest.mark.parametrize("function", [methods, in_place, torch.sin])
def test_jacobians(function):
    expected = torch.autograd.functional.jacobian(function, X).numpy()
    for of in (F.jacrev, F.jacfwd):
        np.testing.assert_allclose(of(function)(X).numpy(), expected, rtol=1e-6)
        assert not of(function)(X).requires_grad and type(of(function)(X)) is torch.Tensor
    np.testing.assert_allclose(F.jvp(function, (X,), (Y,))[1].numpy(), expected @ Y.numpy(), rtol=1e-6)
    value, pull = F.vjp(function, X)
    np.testing.assert_allclose(pull(value)[0].numpy(), expected.T @ value.numpy(), rtol=1e-6)


def test_second_derivatives():
    def f(x):
        return x.std() * x.prod()

    expected = torch.autograd.functional.hessian(f, X).numpy()
    for hessian in (F.hessian(f), F.jacrev(F.grad(f)), F.jacrev(F.jacrev(f)), F.jacfwd(F.jacfwd(f))):
        np.testing.assert_allclose(hessian(X).numpy(), expected, rtol=2e-5)
    assert shown(F.grad(F.grad(F.grad(lambda s: s**4)))(torch.tensor(2.0))) == 48.0


def test_the_order_of_results():
    both = F.grad_and_value(lambda x: ((x * x).sum(), "aux"), has_aux=True)(X)
    assert shown(both) == ([2.0, 4.0, 6.0], (14.0, "aux"))
    assert shown(F.grad(lambda x: ((x * x).sum(), "aux"), has_aux=True)(X)) == ([2.0, 4.0, 6.0], "aux")
    assert shown(F.vjp(lambda x: (x * x, 1), X, has_aux=True)[2]) == 1
    assert shown(F.vjp(lambda x, y: x * y, X, Y)[1](Y)) == ([0.25, 1.0, 4.0], [0.5, -2.0, 6.0])
    value, tangent, aux = F.jvp(lambda x: (x * x, 1), (X,), (Y,), has_aux=True)
    assert shown((value, tangent, aux)) == ([1.0, 4.0, 9.0], [1.0, -4.0, 12.0], 1)
    value, push = F.linearize(lambda x, y: x * y, X, Y)
    assert shown((value, push(Y, X))) == ([0.5, -2.0, 6.0], [1.25, 5.0, 13.0])
    assert shown(F.jacrev(lambda x: (x, (x, 2)), has_aux=True)(X[:1])) == ([[1.0]], ([1.0], 2))


def test_structures_and_argnums():
    product = F.jacrev(lambda p: {"o": p["a"] * p["b"][0]})({"a": X[:1], "b": (Y[:1],)})
    assert shown(product) == {"o": {"a": [[0.5]], "b": ([[1.0]],)}}
    f = lambda x, y: (x * y * y).sum()  # noqa: E731
    assert shown(F.grad(f, (1, 0))(X, Y)) == ([1.0, -4.0, 12.0], [0.25, 1.0, 4.0])
    assert shown(F.grad(f, -1)(X, Y)) == [1.0, -4.0, 12.0]
    assert shown(F.grad(lambda x, *, y: f(x, y))(X, y=Y)) == [0.25, 1.0, 4.0]
    assert shown(F.grad(lambda n, x: (x**n).sum(), 1)(2, X)) == [2.0, 4.0, 6.0]


def test_modules():
    module = torch.nn.Linear(3, 1)
    inputs = {name: p.detach() for name, p in module.named_parameters()}
    gradient = F.grad(lambda p: F.functional_call(module, p, (X,)).sum())(inputs)
    assert shown(gradient) == {"weight": [[1.0, 2.0, 3.0]], "bias": [1.0]}
    parameters, buffers = F.stack_module_state([module, module])
    assert parameters["weight"].shape == (2, 1, 3) and parameters["bias"].requires_grad and not buffers


def test_graphs():
    """Of what requires grad, also if the function only closes over it; the rest has none."""
    x, c = X.clone().requires_grad_(), torch.tensor(2.0, requires_grad=True)
    F.jacrev(lambda x: c * x**3)(x).sum().backward()
    assert shown((x.grad, c.grad)) == ([12.0, 24.0, 36.0], 42.0)
    c.grad = None
    F.grad(lambda x: (x * x * c).sum())(X).sum().backward()
    assert shown(c.grad) == 12.0
    with torch.no_grad():
        assert shown(F.grad(lambda x: (x.detach() * x).sum())(X)) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: F.grad(lambda x: x)(X), "one element"),
        (lambda: F.grad(lambda x: 3.0)(X), "tensors, got float"),
        (lambda: F.grad(lambda x: x.sum(), has_aux=True)(X), "pair"),
        (lambda: F.grad(lambda x: x.sum(), argnums=3)(X), "argnums=3"),
        (lambda: F.jacfwd(lambda x: x, argnums=(0, 0))(X), "once"),
        (lambda: F.grad(lambda x: x.sum())(torch.tensor([1, 2])), "int"),
        (lambda: F.grad(lambda x: x.sum())(np.ones(2)), "must consist of tensors"),
        (lambda: F.jvp(lambda x: x, X, (X,)), "tuple"),
        (lambda: F.jvp(lambda x: x, (X,), (X, X)), "tangents"),
        (lambda: F.jvp(lambda x: x, (X,), (X[:1],)), "shape"),
        (lambda: F.jvp(lambda x: (x, Y), (X,), (Y,), strict=True), "does not depend"),
        (lambda: F.vjp(lambda x: x, X)[1](X[:1]), "shape"),
        (lambda: F.linearize(lambda x: x, X)[1](X[:1]), "shape"),
        (lambda: F.jacfwd(lambda x: x, randomness="none")(X), "randomness"),
        (lambda: F.stack_module_state([]), "no modules"),
    ],
)
def test_refusals(wrong, told):
    with pytest.raises(RuntimeError, match=told):
        wrong()


def test_a_chunk_holds_a_row_at_least():
    with pytest.raises(ValueError, match="chunk_size"):
        F.jacrev(methods, chunk_size=0)


def test_under_no_grad_derivatives_are_constants():
    """They are computed as ever; ``no_grad`` within the function still means that it is constant there."""
    x = torch.tensor([0.5, 1.0], requires_grad=True)
    value, pull = F.vjp(torch.sin, x)
    push = F.linearize(torch.sin, x)[1]
    with torch.no_grad():
        found = [
            F.grad(lambda v: (v * x).sin().sum())(x),
            *F.jvp(torch.sin, (x,), (x,)),
            F.jacrev(torch.sin)(x),
            F.hessian(lambda v: v.sin().sum())(x),
            *F.vjp(torch.sin, x)[1](x),
            F.grad(lambda v: F.grad(lambda w: (w**3).sum())(v).sum())(x),
            *pull(x),
            push(x),
        ]
    assert not any(t.requires_grad for t in found)
    np.testing.assert_allclose(found[6].numpy(), 6 * x.detach().numpy())
    assert F.grad(lambda v: (v * x).sin().sum())(x).requires_grad and value.requires_grad

    def inner(v):
        with torch.no_grad():
            slope = F.grad(lambda w: (w**3).sum())(v)
        return (slope * v).sum()

    np.testing.assert_allclose(F.grad(inner)(x).detach().numpy(), 3 * x.detach().numpy() ** 2)
