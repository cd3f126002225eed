"""What does gradcheck accept, find and say?"""

from tests.eager.rows.case import each, leaf, raises, warned
from tests.eager.rows.function import exp_class, make
from tests.eager.rows.operations import OPERATIONS, inputs


def wrong_class(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    return make(torch, forward, lambda ctx, g: g * ctx.saved_tensors[0])


def s003_077(torch):
    check = torch.autograd.gradcheck
    x = leaf(torch, [0.5, -1.0, 2.0], "float64")
    y = leaf(torch, [1.5, 1.0, 0.5], "float64")
    plain = torch.tensor([2.0, 3.0, 4.0], dtype=torch.float64)
    return (
        check(lambda x: x**2, x),
        check(exp_class(torch).apply, x),
        check(lambda x, y: (x * y, x / y), (x, y)),
        check(lambda x, c: x * c, (x, plain)),
        check(lambda x, number: x * number, (x, 3.0)),
        check(lambda x: x.sum(), [x]),
    )


@each(OPERATIONS)
def s003_082(torch, call, shapes):
    def f(*xs):
        return call(torch, *xs)

    return torch.autograd.gradcheck(f, tuple(inputs(torch, shapes)))


SECOND = "mul div pow matmul exp tanh sigmoid softmax logsumexp norm prod cumsum index where var sqrt".split()


@each({name: OPERATIONS[name] for name in SECOND})
def s003_082_second(torch, call, shapes):
    def f(*xs):
        return call(torch, *xs)

    return torch.autograd.gradgradcheck(f, tuple(inputs(torch, shapes)))


def s003_078(torch):
    check = torch.autograd.gradcheck
    x = leaf(torch, [0.1, 0.7], "float64")
    parts = (
        "Jacobian mismatch for output 0 with respect to input 0",
        "numerical:tensor([[0.2000, 0.0000]",
        "analytical",
    )
    first = raises(lambda: check(wrong_class(torch).apply, x), *parts)
    try:
        check(wrong_class(torch).apply, x)
    except RuntimeError:
        return first, check(wrong_class(torch).apply, x, raise_exception=False)


def s003_078_input_1(torch):
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x * 2

    xs = leaf(torch, [1.0, 2.0], "float64"), leaf(torch, [3.0, 4.0], "float64")
    Fn = make(torch, forward, backward)
    part = "Jacobian mismatch for output 0 with respect to input 1"
    return raises(lambda: torch.autograd.gradcheck(Fn.apply, xs), part)


def s003_079(torch):
    check = torch.autograd.gradcheck
    plain = torch.ones(2, dtype=torch.float64)
    part = "gradcheck expects at least one input tensor to require gradient"
    refused = raises(lambda: check(lambda x: x * 2, plain), part, "but none of them have requires_grad=True")
    x = leaf(torch, [1.0, 2.0])
    warning = warned(
        lambda: check(lambda x: x * 2, x, raise_exception=False, atol=1, rtol=1),
        "Input #0 requires gradient and is not a double precision floating point or complex",
    )
    return refused, warning


def s003_080(torch):
    def forward(ctx, x):
        return x * 2

    Fn = make(torch, forward, lambda ctx, g: g * 2.001)
    x = leaf(torch, [1.0, 2.0], "float64")
    strict = torch.autograd.gradcheck(Fn.apply, x, raise_exception=False)
    return (
        strict,
        torch.autograd.gradcheck(Fn.apply, x, atol=1e-2, rtol=1e-2),
        torch.autograd.gradcheck(Fn.apply, x, eps=1e-6, atol=1e-5, rtol=0.01, raise_exception=False),
    )


def s003_081(torch):
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * (x**2).detach()

    check = torch.autograd.gradgradcheck
    x = leaf(torch, [0.5, 2.0], "float64")
    Fn = make(torch, forward, backward)
    fine = check(lambda x: x**3, x), check(lambda x, y: x * y.exp(), (x, x.detach().clone().requires_grad_()))
    return (
        fine,
        check(Fn.apply, x, raise_exception=False),
        raises(lambda: check(Fn.apply, x), "Jacobian mismatch"),
    )


def s003_081_given(torch):
    x, v = leaf(torch, [0.5, 2.0], "float64"), leaf(torch, [1.0, -1.0], "float64")
    return torch.autograd.gradgradcheck(lambda x: x.sin(), x, v)


def more_check_complex_to_real(torch):
    z = leaf(torch, [1 + 1j, 2 - 1j], "complex128")
    return torch.autograd.gradcheck(lambda z: z.abs(), z), torch.autograd.gradcheck(lambda z: z.real * 2, z)


def more_check_integer_output(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    return torch.autograd.gradcheck(lambda x: (x * 2, x.detach().argmax()), x)


def more_check_undefined(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    return torch.autograd.gradcheck(lambda x: x * 2, x, check_undefined_grad=True, check_batched_grad=False)


def more_check_nondeterministic(torch):
    calls = [0]

    def backward(ctx, g):
        calls[0] += 1
        return g * (2 + calls[0] * 1e-9)

    Fn = make(torch, lambda ctx, x: x * 2, backward)
    x = leaf(torch, [1.0, 2.0], "float64")
    part = "Backward is not reentrant"
    return raises(lambda: torch.autograd.gradcheck(Fn.apply, x), part), torch.autograd.gradcheck(
        Fn.apply, x, nondet_tol=1.0
    )


def more_check_fast(torch):
    x = leaf(torch, [[0.5, 2.0], [1.0, 3.0]], "float64")
    return torch.autograd.gradcheck(lambda x: x.sin() @ x, x, fast_mode=True)


def more_check_no_grad_output(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    return torch.autograd.gradcheck(lambda x: x.detach(), x, raise_exception=False)


def more_check_empty_and_scalar(torch):
    x = leaf(torch, 2.0, "float64")
    return torch.autograd.gradcheck(lambda x: x**3, x), torch.autograd.gradgradcheck(lambda x: x**3, x)


def more_check_in_place(torch):
    def f(x):
        y = x * 2
        y[0] = x[1] ** 2
        y.mul_(x)
        return y

    x = leaf(torch, [1.5, 2.0], "float64")
    return torch.autograd.gradcheck(f, x), torch.autograd.gradgradcheck(f, x)


def more_check_names(torch):
    module = torch.autograd.gradcheck
    return callable(module), callable(torch.autograd.gradgradcheck), module.__name__
