"""Do the examples of the notes print what they should?"""

from tests.eager.rows.case import leaf, raises, text


def printer():
    lines = []
    return lines, lambda *values: lines.append(text(" ".join(str(v) for v in values)))


def s000_012_note(torch):
    lines, show = printer()
    x = torch.randn(5, requires_grad=True)
    y = x.pow(2)
    show(x.equal(y.grad_fn._saved_self))
    show(x is y.grad_fn._saved_self)
    y = x.exp()
    show(y.equal(y.grad_fn._saved_result))
    show(y is y.grad_fn._saved_result)
    return lines


def s000_048_note(torch):
    lines, show = printer()
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    with torch.no_grad():
        y = x * 2
    show(y)
    with torch.set_grad_enabled(False):
        y = x * 2
    show(y)
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.tensor([4.0, 5.0, 6.0], requires_grad=True)
    x.requires_grad = False
    show(x * y)
    return lines


def s001_026(torch):
    lines, show = printer()
    x = torch.ones(2, 2, requires_grad=True)
    show(x.grad_fn)
    y = x + 2
    show(y.grad_fn)
    show(x.is_leaf, y.is_leaf)
    z = y * y
    out = z.mean()
    out.backward()
    show(x.grad)
    return lines


def s001_027(torch):
    x = torch.ones(2, 2, requires_grad=True)
    y = x + 2
    (y * y).mean().backward()
    return x.grad, str(x.grad)


def s002_000_note(torch):
    lines, show = printer()
    show(torch.ones(3, 3))
    x = torch.ones(2, 2, requires_grad=True)
    show(x)
    y = x + 2
    show(y)
    show(x.grad_fn)
    show(y.grad_fn)
    z = y * y * 3
    out = z.mean()
    show(z, out)
    a = torch.tensor([[1.25, 0.3], [-0.4, 2.0]])
    a = (a * 3) / (a - 1)
    show(a.requires_grad)
    a.requires_grad_(True)
    show(a.requires_grad)
    b = (a * a).sum()
    show(b.requires_grad)
    show(b.grad_fn)
    show(a)
    show(b)
    out.backward()
    show(x.grad)
    show(x.requires_grad)
    show((x**2).requires_grad)
    with torch.no_grad():
        show((x**2).requires_grad)
    show(x.requires_grad)
    y = x.detach()
    show(y.requires_grad)
    show(x.eq(y).all())
    return lines


def s003_043_note(torch):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = x * 2 + 1
    refused = raises(
        lambda: z.backward(retain_graph=True), "grad can be implicitly created only for scalar outputs"
    )
    z.backward(torch.ones(3), retain_graph=True)
    leaf_error = raises(
        lambda: x.mul_(2), "a leaf Variable that requires grad is being used in an in-place operation."
    )
    return refused, leaf_error


def s003_044_note(torch):
    lines, show = printer()
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = x * 2 + 1
    z.backward(torch.ones(3), retain_graph=True)
    x_detached = x.detach()
    x_detached.mul_(2)
    z.backward(torch.ones(3))
    show(x, x.grad)
    return lines


def s003_058_note(torch):
    Function, gradcheck = torch.autograd.Function, torch.autograd.gradcheck

    class Exp(Function):
        @staticmethod
        def forward(ctx, i):
            result = i.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad_output):
            (result,) = ctx.saved_tensors
            return grad_output * result

    lines, show = printer()
    input = torch.tensor([0.0, 1.0], requires_grad=True)
    output = Exp.apply(input)
    show(output, gradcheck(Exp.apply, input.detach().double().requires_grad_()))
    return lines


def s003_094_note(torch):
    y = torch.ones(2, requires_grad=True) * 2
    return y.grad_fn.name(), dict(y.grad_fn.metadata)


def s003_011_note(torch):
    y = torch.ones(2, requires_grad=True) * 2
    parts = ("you can only change requires_grad flags of leaf variables.", "var_no_grad = var.detach().")
    return raises(lambda: setattr(y, "requires_grad", False), *parts)


def s004_021(torch):
    lines, show = printer()
    a = torch.tensor([2.0, 3.0], requires_grad=True)
    b = torch.tensor([6.0, 4.0], requires_grad=True)
    Q = 3 * a**3 - b**2
    external_grad = torch.tensor([1.0, 1.0])
    Q.backward(gradient=external_grad)
    show(9 * a**2 == a.grad)
    show(-2 * b == b.grad)
    return lines, a.grad, b.grad


def s004_022(torch):
    a, b = leaf(torch, [2.0, 3.0]), leaf(torch, [6.0, 4.0])
    Q = 3 * a**3 - b**2
    return raises(lambda: Q.backward(), "grad can be implicitly created only for scalar outputs")


def s004_023(torch):
    a, b = leaf(torch, [2.0, 3.0]), leaf(torch, [6.0, 4.0])
    Q = 3 * a**3 - b**2
    Q.sum().backward()
    return a.grad, b.grad


def s002_014_note(torch):
    return (
        hasattr(torch.autograd, "Function"),
        hasattr(torch, "Tensor"),
        isinstance(torch.ones(1), torch.Tensor),
    )


def s000_044_note(torch):
    x = torch.tensor([0.2, 0.5], requires_grad=True)
    y = torch.bernoulli(x)
    y.sum().backward()
    return text(y.grad_fn), x.grad


def s000_046_views(torch):
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        return (x * 1).requires_grad


def s003_083_note(torch):
    x, w = torch.ones(3, 2), leaf(torch, [[1.0], [2.0]])
    with torch.autograd.profiler.profile(use_cuda=False, profile_memory=False, record_shapes=False) as prof:
        y = (x @ w).sum()
        y.backward()
    return [
        name in str(prof) for name in ("aten::matmul", "aten::sum", "# of Calls", "Self CPU time total")
    ], w.grad
