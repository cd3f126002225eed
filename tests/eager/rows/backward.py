"""What do ``Tensor.backward``, ``autograd.backward`` and ``autograd.grad`` accept, compute and refuse?"""

from tests.eager.rows.case import each, leaf, name_of, raises, warned

TWICE = "Trying to backward through the graph a second time"
SCALAR = "grad can be implicitly created only for scalar outputs"


def s001_005(torch):
    x = leaf(torch, [2.0, 3.0])
    y = x * 2
    cut = y.detach()
    (cut * x).sum().backward()
    return x.grad, cut.requires_grad, cut.is_leaf, cut.grad_fn, y.requires_grad


@each({"scalar": 3.0, "one": [3.0], "one by one": [[3.0]], "three axes": [[[3.0]]]})
def s001_006(torch, values):
    x = leaf(torch, values)
    returned = (x * x).backward()
    return x.grad, returned


def s001_007(torch):
    x = leaf(torch, [1.0, 2.0])
    return raises(lambda: (x * 2).backward(), SCALAR), x.grad


def s001_008(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    (x**2).backward(torch.tensor([1.0, 0.1, 0.01]))
    first = x.grad.clone()
    x.grad = None
    (x**2).backward(gradient=torch.ones(3))
    return first, x.grad


def s001_009(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x * 2
    part = "Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of"
    return (
        raises(lambda: y.backward(torch.ones(2)), part, "torch.Size([3])"),
        raises(lambda: y.backward(1)),
        raises(lambda: y.backward([1]), "gradients can be either Tensors or None, but got int"),
        raises(lambda: y.backward([1.0, 2.0, 3.0]), "gradients can be either Tensors or None"),
        raises(lambda: y.backward(torch.ones(1)), "Mismatch in shape"),
        raises(lambda: torch.autograd.grad(y, x, torch.ones(3, 1)), "Mismatch in shape"),
    )


def s001_009_complex(torch):
    x = leaf(torch, [1.0, 2.0])
    return raises(lambda: (x * 2).backward(torch.ones(2, dtype=torch.complex64)), "complex")


def s001_010(torch):
    backward = torch.autograd.backward
    x = leaf(torch, [1.0, 1.0])
    backward((x * 2).sum())
    first = x.grad.clone()
    backward([(x * 2).sum(), (x * 3).sum()])
    second = x.grad.clone()
    backward((x * 2,), (torch.ones(2),))
    return first, second, x.grad


def s001_010_keywords(torch):
    x, y = leaf(torch, [1.0, 1.0]), leaf(torch, [2.0, 2.0])
    out = (x * y).sum()
    torch.autograd.backward(tensors=out, grad_tensors=None, retain_graph=True, create_graph=False, inputs=[x])
    first = x.grad.clone(), y.grad
    torch.autograd.backward(out, torch.tensor(2.0))
    return first, x.grad, y.grad


def s001_010_no_graph(torch):
    part = "element 0 of tensors does not require grad and does not have a grad_fn"
    x = leaf(torch, [1.0])
    return (
        raises(lambda: torch.ones(1).backward(), part),
        raises(
            lambda: torch.autograd.backward([x * 2, torch.ones(1)]), "element 1 of tensors does not require"
        ),
        raises(lambda: (x > 0).backward(), part),
    )


def s001_010_leaf(torch):
    x = leaf(torch, [2.0])
    x.backward()
    y = leaf(torch, [1.0, 2.0])
    y.backward(torch.tensor([3.0, 4.0]))
    return x.grad, y.grad


def s001_011(torch):
    x = leaf(torch, [1.0, 2.0])
    y = (x * x).sum()
    y.backward()
    return raises(lambda: y.backward(), TWICE, "Specify retain_graph=True"), x.grad


def s001_012(torch):
    x = leaf(torch, [1.0, 2.0])
    y = (x * x).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    y.backward()
    return x.grad, raises(lambda: y.backward(), TWICE)


TWICE_FINE = {
    "add": lambda torch, x: x + 1,
    "sum": lambda torch, x: x.sum(),
    "neg": lambda torch, x: -x,
    "view": lambda torch, x: x.view(2, 1),
    "cat": lambda torch, x: torch.cat([x, x]),
    "mean": lambda torch, x: x.mean(),
    "slice": lambda torch, x: x[1:],
    "expand": lambda torch, x: x.expand(2, 2),
    "clone": lambda torch, x: x.clone(),
    "sub": lambda torch, x: 3 - x - x,
    "t": lambda torch, x: x[None].t(),
    "stack": lambda torch, x: torch.stack([x, x]),
    "repeat": lambda torch, x: x.repeat(2),
    "mul": lambda torch, x: x * 2,
    "mul tensor": lambda torch, x: x * torch.ones(2),
    "exp": lambda torch, x: x.exp(),
    "square": lambda torch, x: x**2,
    "div": lambda torch, x: x / 2,
    "relu": lambda torch, x: x.relu(),
    "cumsum": lambda torch, x: x.cumsum(0),
    "index": lambda torch, x: x[[0, 1]],
    "max": lambda torch, x: x.max(),
    "where": lambda torch, x: torch.where(x > 1, x, x),
    "clamp": lambda torch, x: x.clamp(0, 1),
    "norm": lambda torch, x: x.norm(),
    "flip": lambda torch, x: x.flip(0),
}


@each({name: (call,) for name, call in TWICE_FINE.items()})
def s001_013(torch, call):
    x = leaf(torch, [1.0, 2.0])
    y = call(torch, x).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError as error:
        return TWICE in str(error), x.grad
    return None, x.grad


def s001_014(torch):
    x = leaf(torch, [1.0, 2.0])
    shared = x.exp()
    first, second = shared.sum(), (shared * 2).sum()
    first.backward()
    failed = raises(lambda: second.backward(), TWICE)
    y = leaf(torch, [1.0, 2.0])
    shared = y.exp() * y.exp()
    first, second = shared.sum(), (shared * 2).sum()
    first.backward(retain_graph=True)
    second.backward()
    return failed, y.grad


def s001_015(torch):
    x = leaf(torch, [2.0], "float64")
    g, seen = x**4, []
    for _ in range(4):
        (g,) = torch.autograd.grad(g, x, create_graph=True)
        seen.append(g)
    return seen


def s001_016(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    (x**3).sum().backward(create_graph=True)
    g = x.grad
    flag = g.requires_grad
    (h,) = torch.autograd.grad(g.sum(), x)
    return flag, g.detach(), h


def s001_017(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = (x**3).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (again,) = torch.autograd.grad(y, x)
    z = (x**3).sum()
    torch.autograd.grad(z, x, create_graph=True, retain_graph=False)
    return g, again, raises(lambda: torch.autograd.grad(z, x), TWICE)


def s001_018(torch):
    x = leaf(torch, [1.0, 2.0])
    losses = [x**2 * 2, x**2 * 3]
    torch.autograd.backward(losses, [torch.tensor([1.0, 1.0]), torch.tensor([10.0, 10.0])])
    y = leaf(torch, [1.0, 2.0])
    torch.autograd.backward([(y * 2).sum(), (y * y).sum()], [None, torch.tensor(1.5)])
    z = leaf(torch, [1.0, 2.0])
    torch.autograd.backward([z.sum(), z**2], [None, torch.tensor([3.0, 6.0])])
    return x.grad, y.grad, z.grad


def s001_019(torch):
    x = leaf(torch, [1.0])
    grad = torch.autograd.grad
    return (
        raises(
            lambda: torch.autograd.backward([x * 2, x * 3], [torch.ones(1)]), "got 2 tensors and 1 gradients"
        ),
        raises(lambda: grad([x * 2, x * 3], x, [torch.ones(1)]), "got 2 tensors and 1 gradients"),
    )


def s001_020(torch):
    x, seen = leaf(torch, [1.0, 2.0]), []
    for _ in range(3):
        (x**2).sum().backward()
        seen.append(x.grad.clone())
    return seen


def s001_028(torch):
    x = leaf(torch, [0.3, -0.4, 0.5, 1.0], "float64")
    y = torch.stack([x.sin().sum(), (x * x).prod(), (x[0] * x[1]).exp()])
    y.backward(torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64))
    return x.grad


def s001_029(torch):
    x = leaf(torch, [0.3, -0.4, 0.5], "float64")
    y = torch.stack([x.sin().sum(), x.prod()])
    eye = torch.eye(2, dtype=torch.float64)
    return [torch.autograd.grad(y, x, v, retain_graph=True)[0] for v in eye]


def s001_030(torch):
    x = leaf(torch, [1.0, 2.0, 3.0], "float64")
    y = x**2
    eye = torch.eye(3, dtype=torch.float64)
    return torch.autograd.grad(y, x, eye, is_grads_batched=True)


def s001_030_more(torch):
    x, w = leaf(torch, [1.0, 2.0], "float64"), leaf(torch, [[1.0, 2.0], [3.0, 4.0]], "float64")
    y = (w @ x).sin()
    batch = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], dtype=torch.float64)
    return torch.autograd.grad(y, (x, w), batch, is_grads_batched=True)


def s003_021(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    (x * y).sum().backward(inputs=[x])
    first = x.grad.clone(), y.grad
    (x * y).sum().backward(inputs=y)
    return first, x.grad, y.grad


def s003_022(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    (y**2).sum().backward(inputs=[y])
    return y.grad, x.grad


def s003_023(torch):
    x = leaf(torch, [1.0])
    part = "argument to `backward()` cannot be empty."
    return (
        raises(lambda: (x * 2).backward(inputs=[]), part),
        raises(lambda: torch.autograd.backward(x * 2, inputs=()), "cannot be empty"),
    )


def s003_023_bad(torch):
    x, p = leaf(torch, [1.0]), torch.ones(1)
    return raises(lambda: (x * p).backward(inputs=[p]))


def s003_024(torch):
    x = leaf(torch, [1.0, 1.0])
    torch.autograd.backward([(x * 2).sum(), (x * 3).sum()], grad_tensors=None)
    return x.grad, raises(lambda: torch.autograd.backward([x * 2]), SCALAR)


def s003_025(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    result = torch.autograd.grad((x * y).sum(), [x, y])
    single = torch.autograd.grad((x * y).sum(), x)
    return type(result), result, type(single), len(single), x.grad, y.grad, x.grad is None


def s003_026(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    z = (y**2).sum()
    inner = torch.autograd.grad(z, [y, x])
    a, b = leaf(torch, [3.0, 4.0]), leaf(torch, [5.0, 6.0])
    outputs = [a * b, a + b]
    weights = [torch.tensor([3.0, 3.0]), torch.tensor([2.0, 2.0])]
    return inner, torch.autograd.grad(outputs, (a, b), grad_outputs=weights)


def s003_026_same(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 3
    return torch.autograd.grad(y, y, torch.ones(2)), torch.autograd.grad([y.sum(), y.sum()], [x, x])


def s003_027(torch):
    x, unused = leaf(torch, [1.0, 1.0]), leaf(torch, [1.0])
    part = "The differentiated Tensor at index 1 appears to not have been used in the graph. Set allow_unused"
    refused = raises(lambda: torch.autograd.grad((x * 2).sum(), [x, unused]), part)
    return refused, torch.autograd.grad((x * 2).sum(), [x, unused], allow_unused=True)


def s003_027_first(torch):
    x, unused = leaf(torch, [1.0]), leaf(torch, [1.0])
    y = x * 2
    z = x * 3
    return (
        raises(
            lambda: torch.autograd.grad(y, unused), "at index 0 appears to not have been used in the graph"
        ),
        raises(lambda: torch.autograd.grad(y, z), "appears to not have been used in the graph"),
        torch.autograd.grad(y, [z, x], allow_unused=True),
    )


def s003_028(torch):
    x, unused = leaf(torch, [1.0]), leaf(torch, [1.0, 2.0, 3.0])
    grad = torch.autograd.grad
    part = "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused"
    result = grad((x * 2).sum(), [x, unused], materialize_grads=True)
    return result, raises(lambda: grad(x * 2, [unused], materialize_grads=True, allow_unused=False), part)


def s003_029(torch):
    x = leaf(torch, [1.0, 1.0])
    part = "only_inputs argument is deprecated and is ignored now"
    return warned(lambda: torch.autograd.grad(x.sum(), x, only_inputs=False), part), x.grad


def s003_029_true(torch):
    x = leaf(torch, [1.0, 1.0])
    return warned(lambda: torch.autograd.grad(x.sum(), x, only_inputs=True))


def s003_030(torch):
    x, p = leaf(torch, [1.0]), torch.ones(1)
    grad = torch.autograd.grad
    return (
        raises(lambda: grad(x * p, p), "One of the differentiated Tensors does not require grad"),
        raises(lambda: grad(x * p, []), "argument to `grad()` cannot be empty"),
        raises(
            lambda: grad(p * p, x), "element 0 of tensors does not require grad and does not have a grad_fn"
        ),
        raises(lambda: grad((x * torch.ones(2)), x), SCALAR),
    )


def s003_031(torch):
    x = leaf(torch, [2.0], "float64")
    (plain,) = torch.autograd.grad(x**3, x)
    (kept,) = torch.autograd.grad(x**3, x, create_graph=True)
    return plain.requires_grad, kept.requires_grad, torch.autograd.grad(kept, x)


def s003_032(torch):
    class Boom(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            raise ValueError("boom")

    x, y = leaf(torch, [1.0, 1.0]), leaf(torch, [1.0, 1.0])
    out = (x * 2 + Boom.apply(y)).sum()
    return torch.autograd.grad(out, x, retain_graph=True), raises(lambda: out.backward(), "boom")


def more_grad_keeps_leaf_grad(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    torch.autograd.grad((x * 3).sum(), x)
    return x.grad


def more_grad_of_inner_does_not_go_on(torch):
    ran = []
    x = leaf(torch, [1.0])
    y = x * 2
    x.register_hook(lambda g: ran.append("x"))
    torch.autograd.grad(y * 3, y)
    return ran


def more_grad_nonleaf_after_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    y.add_(1)
    return torch.autograd.grad((y * 3).sum(), y), name_of(y.grad_fn)


def more_backward_of_grad_dtype(torch):
    x = leaf(torch, [1.0, 2.0])
    (x.double() * 3).sum().backward()
    y = leaf(torch, [1.0, 2.0], "float64")
    (y.float() * x.detach()).sum().backward()
    return x.grad, y.grad


def more_gradient_of_other_dtype(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 3).backward(torch.ones(2, dtype=torch.float64))
    return x.grad


def more_grad_outputs_requires_grad(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    v = leaf(torch, [1.0, 1.0], "float64")
    (g,) = torch.autograd.grad(x**2, x, v, create_graph=True)
    return g, torch.autograd.grad((g * g).sum(), [x, v])


def more_two_roots_share(torch):
    x = leaf(torch, [2.0])
    y = x * x
    torch.autograd.backward([y, y * 3])
    return x.grad


def more_root_and_its_input(torch):
    x = leaf(torch, [2.0])
    y = x * 3
    torch.autograd.backward([y, x])
    return x.grad
