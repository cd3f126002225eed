"""Does gradcheck find wrong gradients, and let right ones pass?"""

import warnings

import pytest

import ast_ad
from ast_ad.torch.autograd import Function, gradcheck, gradgradcheck
from ast_ad.torch.autograd.jacobians import GradcheckError


def double(*values):
    return ast_ad.tensor(list(values) or [0.5, 2.0], dtype=ast_ad.float64, requires_grad=True)


def function(forward, backward):
    return type(
        "Fn", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    ).apply


def wrong_square(factor):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    return function(forward, lambda ctx, g: factor * ctx.saved_tensors[0] * g)


RIGHT = {
    "several": (lambda x, y: (x * y, x / y, 3 * y), (double(), double(3.0, 4.0))),
    "no tensor": (lambda x, k: x * k, (double(), 3)),
    "constant input": (lambda x, y: x * y, (double(), double(3.0, 4.0).detach())),
    "matrices": (lambda a: a @ a.t(), (double([1.0, 2.0], [3.0, 5.0]),)),
    "complex": (
        lambda z: z * z,
        (ast_ad.tensor([1 + 2j, -3j], dtype=ast_ad.complex128, requires_grad=True),),
    ),
    "to complex": (lambda x: x * (1 + 2j), (double(),)),
    "constant output": (lambda x: ast_ad.ones(2, dtype=ast_ad.float64), (double(),)),
    "scalar": (lambda x: x.exp().sum(), (double(),)),
}


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("case", RIGHT)
def test_right_gradients(case, fast_mode):
    fn, inputs = RIGHT[case]
    assert gradcheck(fn, inputs, fast_mode=fast_mode, check_batched_grad=case != "complex")


@pytest.mark.parametrize("case", [case for case in RIGHT if case != "constant output"])
def test_right_second_derivatives(case):
    fn, inputs = RIGHT[case]
    assert gradgradcheck(fn, inputs)
    assert gradgradcheck(fn, inputs, gen_non_contig_grad_outputs=True, fast_mode=True)


def test_a_wrong_gradient():
    with pytest.raises(GradcheckError) as caught:
        gradcheck(wrong_square(1), (double(0.1, 0.7),))
    assert str(caught.value) == (
        "Jacobian mismatch for output 0 with respect to input 0,\n"
        "numerical:tensor([[0.2000, 0.0000],\n        [0.0000, 1.4000]], dtype=torch.float64)\n"
        "analytical:tensor([[0.1000, 0.0000],\n        [0.0000, 0.7000]], dtype=torch.float64)\n"
    )
    assert not gradcheck(wrong_square(1), (double(),), raise_exception=False)
    with pytest.raises(GradcheckError, match="in fast mode"):
        gradcheck(wrong_square(1), (double(),), fast_mode=True)
    with pytest.raises(GradcheckError, match="for output 1 with respect to input 1"):
        gradcheck(lambda x, y: (x * 1, wrong_square(1)(y)), (double(), double()))


def test_tolerances():
    nearly = wrong_square(2.001)
    assert not gradcheck(nearly, (double(),), rtol=1e-5, raise_exception=False)
    assert gradcheck(nearly, (double(),), atol=0.1)


def test_a_wrong_second_derivative():
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    cut = function(forward, lambda ctx, g: 2 * ctx.saved_tensors[0].detach() * g)
    assert gradcheck(cut, (double(),))
    assert not gradgradcheck(cut, (double(),), raise_exception=False)


def test_a_wrong_complex_gradient():
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * z

    without_conj = function(forward, lambda ctx, g: 2 * ctx.saved_tensors[0] * g)
    z = ast_ad.tensor([1 + 2j], dtype=ast_ad.complex128, requires_grad=True)
    with pytest.raises(
        GradcheckError, match="While considering the imaginary part of complex outputs only, Jac"
    ):
        gradcheck(without_conj, (z,))


def test_a_backward_that_is_not_linear():
    calls = []

    def drifting(ctx, g):
        calls.append(g)
        return g * (2 + 1e-7 * len(calls))

    operation = function(lambda ctx, x: x * 2, drifting)
    with pytest.raises(
        GradcheckError, match="Backward is not reentrant, i.e., running backward with same input"
    ):
        gradcheck(operation, (double(),))
    assert gradcheck(operation, (double(),), nondet_tol=1e-3)
    constant = function(lambda ctx, x: x.sum() * 2, lambda ctx, g: (g * 0 + 2).expand(2))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        gradcheck(constant, (double(),))


def test_outputs_without_a_gradient():
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    def backward(ctx, g):
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2

    operation = function(forward, backward)
    assert gradcheck(operation, (double(),), check_undefined_grad=False)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with pytest.raises(
            GradcheckError, match="Expected backward function to handle undefined output grads"
        ):
            gradcheck(operation, (double(),))
    assert "New undefined gradient support checking feature" in str(seen[0].message)


def test_inputs():
    with pytest.raises(
        ValueError, match="gradcheck expects at least one input tensor to require gradient, but"
    ):
        gradcheck(lambda x: x, (double().detach(),))
    with pytest.warns(
        UserWarning, match="Input #0 requires gradient and is not a double precision floating point"
    ):
        gradcheck(lambda x: x * x, (ast_ad.tensor([1.0], requires_grad=True),), eps=1e-2, atol=1e-2)
    wide = ast_ad.ones(1, dtype=ast_ad.float64).expand(3).requires_grad_()
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        gradcheck(lambda x: x * x, (wide,))
    with pytest.raises(
        AssertionError, match="when inputs are perturbed on index .0,. by 1e-06, but got: shapes"
    ):
        gradcheck(lambda x: x[x >= 0.5], (double(),))


def test_inputs_are_as_before():
    x = double(0.1, 0.2)
    gradcheck(lambda x: x.exp(), (x,))
    assert x.tolist() == [0.1, 0.2] and x._version == 0 and x.grad is None


OPERATIONS = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "sqrt": lambda x: x.sqrt(),
    "tanh": lambda x: x.tanh(),
    "power": lambda x: x**2.5,
    "division": lambda x: 1 / x,
    "sum": lambda x: x.sum(0, keepdim=True),
    "mean": lambda x: x.mean(1),
    "prod": lambda x: x.prod(),
    "max": lambda x: x.max(),
    "var": lambda x: x.var(),
    "transpose": lambda x: x.t() * x,
    "matmul": lambda x: x @ x,
    "index": lambda x: x[0] * x[:, 1],
    "reshape": lambda x: x.reshape(-1) ** 2,
    "expand": lambda x: x.unsqueeze(0).expand(3, 2, 2) * 2,
    "cat": lambda x: ast_ad.cat([x, x * 2]),
    "stack": lambda x: ast_ad.stack([x, x**2]),
    "where": lambda x: ast_ad.where(x > 1, x * 2, x**2),
    "clamp": lambda x: x.clamp(0.7, 2.2),
    "softmax": lambda x: x.softmax(0),
    "cumsum": lambda x: x.cumsum(0) ** 2,
    "in place": lambda x: (x * 1).mul_(x).add_(1),
    "write": lambda x: put(x),
}


def put(x):
    y = x * 2
    y[0] = x[1] ** 2
    return y


@pytest.mark.parametrize("case", OPERATIONS)
def test_operations(case):
    x = double([0.5, 1.5], [2.5, 1.1])
    assert gradcheck(OPERATIONS[case], (x,))
    assert gradgradcheck(OPERATIONS[case], (x,))
