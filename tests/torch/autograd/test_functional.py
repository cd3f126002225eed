"""Are Jacobians, Hessians and their products those of the formulas, and the complaints those of PyTorch?"""

import itertools

import pytest

import ast_ad
from ast_ad.torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp


def numbers(*values, requires_grad=False):
    return ast_ad.tensor(list(values) or [1.0, 2.0], requires_grad=requires_grad)


def cube_sum(x):
    return (x * x * x).sum()


def plain(result):
    return tuple(map(plain, result)) if isinstance(result, tuple) else result.tolist()


MODES = list(itertools.product((False, True), repeat=3))


@pytest.mark.parametrize(("requires_grad", "create_graph", "strict"), MODES)
def test_products_and_matrices(requires_grad, create_graph, strict):
    x, v = numbers(requires_grad=requires_grad), numbers(3.0, 4.0, requires_grad=True)
    modes = {"create_graph": create_graph, "strict": strict and create_graph is False}
    found = {
        "vjp": vjp(lambda x: x * x, x, v, **modes),
        "jvp": jvp(lambda x: x * x, x, v, **modes),
        "vhp": vhp(cube_sum, x, v, **modes),
        "hvp": hvp(cube_sum, x, v, **modes),
        "jacobian": jacobian(lambda x: x * x, x, **modes),
        "hessian": hessian(cube_sum, x, **modes),
    }
    assert {name: plain(result) for name, result in found.items()} == {
        "vjp": ([1.0, 4.0], [6.0, 16.0]),
        "jvp": ([1.0, 4.0], [6.0, 16.0]),
        "vhp": (9.0, [18.0, 48.0]),
        "hvp": (9.0, [18.0, 48.0]),
        "jacobian": [[2.0, 0.0], [0.0, 4.0]],
        "hessian": [[6.0, 0.0], [0.0, 12.0]],
    }
    graphs = {name: (r[1] if isinstance(r, tuple) else r).requires_grad for name, r in found.items()}
    if not create_graph:
        assert not any(graphs.values())
    elif requires_grad:
        assert all(graphs.values())


def test_several_inputs_and_outputs():
    def f(x, y):
        return x * x * y, y * y

    x, y = numbers(), numbers(3.0, 4.0)
    assert plain(jacobian(f, (x, y))) == (
        ([[6.0, 0.0], [0.0, 16.0]], [[1.0, 0.0], [0.0, 4.0]]),
        ([[0.0, 0.0], [0.0, 0.0]], [[6.0, 0.0], [0.0, 8.0]]),
    )
    ones = numbers(1.0, 1.0)
    assert plain(vjp(f, (x, y), (ones, ones))[1]) == ([6.0, 16.0], [7.0, 12.0])
    assert plain(jvp(f, (x, y), (ones, ones))[1]) == ([7.0, 20.0], [6.0, 8.0])
    assert plain(hessian(lambda x, y: (x * y).sum(), (x, y))) == (
        ([[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]),
        ([[1.0, 0.0], [0.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]),
    )


def test_shapes():
    x = ast_ad.ones(2, 3)
    assert tuple(jacobian(lambda x: x.sum(0), x).shape) == (3, 2, 3)
    assert tuple(hessian(cube_sum, x).shape) == (2, 3, 2, 3)
    assert plain(jacobian(lambda x: x.sum(0), x, vectorize=True)) == plain(jacobian(lambda x: x.sum(0), x))
    assert plain(vjp(lambda x: x**3, ast_ad.tensor(2.0))) == (8.0, 12.0)


def test_jacobians_can_be_differentiated():
    x = numbers(requires_grad=True)
    jacobian(lambda x: x**3, x, create_graph=True).sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]
    (g,) = ast_ad.autograd.grad(hessian(cube_sum, x, create_graph=True).sum(), x)
    assert g.tolist() == [6.0, 6.0]


def linear(x):
    return x * 3


COMPLAINTS = {
    "no tensor": (
        lambda: jacobian(linear, 3),
        TypeError,
        "The inputs given to jacobian must be either a Tensor",
    ),
    "list": (lambda: vjp(linear, [numbers()]), TypeError, "given inputs has type <class 'list'>"),
    "output": (
        lambda: jvp(lambda x: 3, numbers(), numbers()),
        TypeError,
        "The outputs of the user-provided fun",
    ),
    "no v": (
        lambda: vjp(linear, numbers()),
        RuntimeError,
        "function returns a single Tensor with a single element.",
    ),
    "no v for x": (
        lambda: hvp(cube_sum, numbers()),
        RuntimeError,
        "is a single Tensor with a single element.",
    ),
    "size": (
        lambda: vjp(linear, numbers(), numbers(1.0)),
        RuntimeError,
        "v has invalid size: should be torch.Size([2]) but got torch.Size([1]).",
    ),
    "length": (
        lambda: vjp(lambda x: (x, x), numbers(), numbers()),
        RuntimeError,
        "v is a tuple of invalid length: should be 2 but got 1.",
    ),
    "single v": (
        lambda: vjp(linear, numbers(), (numbers(), numbers())),
        RuntimeError,
        "The given v should contain a single Tensor.",
    ),
    "constant": (
        lambda: jacobian(lambda x: ast_ad.ones(2), numbers(), strict=True),
        RuntimeError,
        "Output 0 of the user-provided function does not require gradients.",
    ),
    "independent": (
        lambda: jacobian(lambda x, y: x * 2, (numbers(), numbers()), strict=True),
        RuntimeError,
        "Output 0 of the user-provided function is independent of input 1.",
    ),
    "linear": (
        lambda: hessian(lambda x: linear(x).sum(), numbers(), strict=True),
        RuntimeError,
        "found that the jacobian of the user-provided function with respect to input 0 is independent",
    ),
    "vector": (
        lambda: hessian(linear, numbers()),
        RuntimeError,
        "to hessian should contain a single element",
    ),
    "tuple": (
        lambda: vhp(lambda x: (x,), numbers(), numbers()),
        RuntimeError,
        "should return a single Tensor",
    ),
    "strategy": (
        lambda: jacobian(linear, numbers(), strategy="x"),
        AssertionError,
        "Expected strategy to be",
    ),
    "both": (
        lambda: jacobian(linear, numbers(), strict=True, vectorize=True),
        RuntimeError,
        "`strict=True` and `vectorized=True` are not supported together",
    ),
    "complex": (
        lambda: jacobian(linear, ast_ad.tensor([1j])),
        RuntimeError,
        "grad can be implicitly created only for real scalar outputs but got torch.complex64",
    ),
}


@pytest.mark.parametrize("case", COMPLAINTS)
def test_complaints(case):
    run, error, message = COMPLAINTS[case]
    with pytest.raises(error) as caught:
        run()
    assert message in str(caught.value)


def test_without_recording_nothing_is_lost():
    with ast_ad.no_grad():
        assert plain(hessian(cube_sum, numbers())) == [[6.0, 0.0], [0.0, 12.0]]
        assert plain(jvp(cube_sum, numbers(), numbers())) == (9.0, 27.0)
