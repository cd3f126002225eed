"""Are derivatives of derivatives right?"""

from tests.eager.rows.case import each, leaf, name_of

SCALAR = {
    "sin": lambda torch, x: x.sin(),
    "exp": lambda torch, x: (x * 2).exp(),
    "log": lambda torch, x: (x + 2).log(),
    "power": lambda torch, x: x**5,
    "tanh": lambda torch, x: x.tanh(),
    "sigmoid": lambda torch, x: x.sigmoid(),
    "div": lambda torch, x: 1 / (1 + x**2),
    "sqrt": lambda torch, x: (1 + x * x).sqrt(),
    "product": lambda torch, x: x.sin() * x.exp() * x,
    "relu": lambda torch, x: x.relu() ** 3,
    "norm": lambda torch, x: torch.stack([x, x * x]).norm(),
    "softmax": lambda torch, x: torch.stack([x, x * x]).softmax(0)[0],
    "logsumexp": lambda torch, x: torch.stack([x, x * x, x]).logsumexp(0),
    "prod": lambda torch, x: torch.stack([x, x + 1, x * x]).prod(),
    "matmul": lambda torch, x: torch.stack([x, x * x]) @ torch.stack([x.sin(), x]),
    "where": lambda torch, x: torch.where(x > 0, x**3, x),
    "clamp": lambda torch, x: x.clamp(0, 1) ** 3,
    "atan2": lambda torch, x: torch.atan2(x, x * x + 1),
    "var": lambda torch, x: torch.stack([x, x * x, x.exp()]).var(),
    "maximum": lambda torch, x: torch.maximum(x**3, x),
    "cumsum": lambda torch, x: (torch.stack([x, x * x]).cumsum(0) ** 2).sum(),
    "pow tensor": lambda torch, x: x**x,
    "reciprocal": lambda torch, x: x.reciprocal(),
    "asin": lambda torch, x: x.asin(),
    "abs": lambda torch, x: x.abs() ** 3,
}


@each({name: (call,) for name, call in SCALAR.items()})
def s001_015_more(torch, call):
    x = leaf(torch, 0.7, "float64")
    g, seen = call(torch, x), []
    for _ in range(3):
        (g,) = torch.autograd.grad(g, x, create_graph=True, materialize_grads=True)
        seen.append(g.detach())
        if not g.requires_grad:
            break
    return seen


def s001_016_hessian(torch):
    x = leaf(torch, [1.0, 2.0, 3.0], "float64")
    y = (x[0] * x[1]).sin() + x.prod() * x[2]
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return torch.stack([torch.autograd.grad(one, x, retain_graph=True)[0] for one in g])


def more_gradient_penalty(torch):
    w, x = leaf(torch, [[0.5, -1.0], [2.0, 1.0]], "float64"), leaf(torch, [1.0, 2.0], "float64")
    out = (w @ x).tanh().sum()
    (g,) = torch.autograd.grad(out, x, create_graph=True)
    ((g.norm() - 1) ** 2).backward()
    return w.grad, x.grad


def more_hessian_vector_product(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    v = torch.tensor([3.0, -1.0], dtype=torch.float64)
    (g,) = torch.autograd.grad((x**3).sum() * x[0], x, create_graph=True)
    return torch.autograd.grad(g, x, v)


def more_double_backward_trick(torch):
    """The derivative in a direction, by two reverse passes."""
    x = leaf(torch, [1.0, 2.0], "float64")
    y = torch.stack([x.prod(), x[0].sin()])
    v = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    (g,) = torch.autograd.grad(y, x, v, create_graph=True)
    return torch.autograd.grad(g, v, torch.tensor([1.0, 0.5], dtype=torch.float64))


def more_create_graph_linear(torch):
    x = leaf(torch, [1.0, 2.0])
    (g,) = torch.autograd.grad((x * 3).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad((x + 3).sum(), x, create_graph=True)
    return g.requires_grad, h.requires_grad, g


def more_create_graph_in_place(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = x * 1
    y[0] = x[1] ** 3
    (g,) = torch.autograd.grad((y**2).sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


def more_create_graph_indexing(torch):
    x = leaf(torch, [1.0, 2.0, 3.0], "float64")
    y = x[[0, 0, 2]] ** 3
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g.detach(), torch.autograd.grad(g.sum(), x)


def more_second_backward_accumulates(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (g.sum() + (x**2).sum()).backward()
    return x.grad


def more_no_grad_in_first_pass(torch):
    x = leaf(torch, [2.0], "float64")
    y = x**3
    with torch.no_grad():
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return g.requires_grad, name_of(g.grad_fn)


def more_mixed_partials(torch):
    x, y = leaf(torch, 1.5, "float64"), leaf(torch, -0.5, "float64")
    out = (x * y).sin() * x.exp()
    (gx,) = torch.autograd.grad(out, x, create_graph=True)
    (gy,) = torch.autograd.grad(out, y, create_graph=True)
    (gxy,) = torch.autograd.grad(gx, y, retain_graph=True)
    (gyx,) = torch.autograd.grad(gy, x)
    return gxy, gyx


def more_matmul_second_order(torch):
    a = leaf(torch, [[1.0, 2.0], [3.0, 4.0]], "float64")
    b = leaf(torch, [[0.5, -1.0], [2.0, 1.0]], "float64")
    ga, gb = torch.autograd.grad((a @ b).sin().sum(), [a, b], create_graph=True)
    return torch.autograd.grad((ga * gb).sum(), [a, b])


def more_broadcast_second_order(torch):
    a = leaf(torch, [[1.0], [2.0]], "float64")
    b = leaf(torch, [3.0, 4.0, 5.0], "float64")
    ga, gb = torch.autograd.grad((a**2 * b**3).sum(), [a, b], create_graph=True)
    return ga, gb, torch.autograd.grad(ga.sum() + (gb**2).sum(), [a, b])
