"""How does a gradient come into ``.grad``?"""

from tests.eager.rows.case import each, leaf, raises


def s003_033(torch):
    w = torch.zeros(4, 4).t().requires_grad_()
    (w * torch.arange(16.0).reshape(4, 4)).sum().backward()
    c = torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
    (c * torch.ones(2, 3, 4, 5)).sum().backward()
    plain = torch.zeros(2, 4).requires_grad_()
    (plain * torch.ones(4, 2).t()).sum().backward()
    return w.stride(), w.grad.stride(), c.grad.stride(), plain.grad.stride()


def s003_034(torch):
    sliced = torch.zeros(3, 4)[:, ::2].requires_grad_()
    (sliced * 2).sum().backward()
    expanded = torch.zeros(1).expand(3).requires_grad_()
    (expanded * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return sliced.stride(), sliced.grad.stride(), expanded.stride(), expanded.grad.stride(), expanded.grad


def s003_035(torch):
    w = torch.ones(3, 4, requires_grad=True)
    w.grad = torch.ones(4, 3).t()
    first = w.grad
    (w * 1).sum().backward()
    same, strides, once = w.grad is first, w.grad.stride(), w.grad.clone()
    (w * 2).sum().backward()
    return same, strides, once, w.grad, w.grad is first


def s003_035_view(torch):
    w = leaf(torch, [1.0, 2.0])
    (w * 2).sum().backward()
    seen = w.grad
    (w * 3).sum().backward()
    return seen, seen is w.grad, seen._version


def s003_036(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * x).sum().backward()
    old = x.grad
    (x * x).sum().backward(create_graph=True)
    result = old.clone(), x.grad.detach().clone(), x.grad is old, x.grad.requires_grad
    x.grad = None
    return result


def s003_037(torch):
    x = leaf(torch, [[1.0, 1.0]])
    for factor in (2, 3):
        x.grad = None
        (x * factor).sum().backward()
    y = leaf(torch, [1.0])
    (y * 2).backward()
    del y.grad
    gone = y.grad
    (y * 3).backward()
    return x.grad, gone, y.grad


def s003_040(torch):
    x = leaf(torch, [1.0, 2.0])
    x.grad = torch.tensor([7.0, 8.0])
    fine = x.grad
    size = "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'"
    dtype = "attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'"
    return (
        fine,
        raises(
            lambda: setattr(x, "grad", torch.ones(3)),
            size,
            "Please ensure that the gradient and the tensor are",
        ),
        raises(
            lambda: setattr(x, "grad", 3),
            "assigned grad expected to be a Tensor or None but got grad of type int",
        ),
        raises(lambda: setattr(x, "grad", torch.ones(2, dtype=torch.float64)), dtype),
        raises(lambda: setattr(x, "grad", x), "can't assign Variable as its own grad"),
        x.grad,
    )


def s003_040_none(torch):
    x = leaf(torch, [1.0, 2.0])
    given = torch.tensor([1.0, 1.0])
    x.grad = given
    same = x.grad is given
    (x * 2).sum().backward()
    changed = given.clone()
    x.grad = None
    return same, changed, x.grad


@each({"int": 5, "str": "a", "list": [1.0, 2.0], "float": 1.5})
def s003_040_types(torch, value):
    x = leaf(torch, [1.0, 2.0])
    return raises(lambda: setattr(x, "grad", value), f"but got grad of type {type(value).__name__}")


def s003_040_plain(torch):
    x = torch.ones(2)
    x.grad = torch.ones(2)
    return x.grad


def s002_011(torch):
    x = leaf(torch, [1.0])
    (x * 3 + x * 4).backward()
    first = x.grad.clone()
    (x * 4).backward()
    return first, x.grad


def s002_012(torch):
    x = leaf(torch, [2.0, 3.0])
    cut = (x * x).detach()
    (cut * x).sum().backward()
    return x.grad, cut.requires_grad


def more_gradient_is_copied(torch):
    """A gradient given by the user is no part of .grad."""
    x, v = leaf(torch, [1.0, 2.0]), torch.tensor([1.0, 2.0])
    x.backward(v)
    (x + 0).backward(v)
    return x.grad, v, x.grad is v


def more_two_leaves_share_no_memory(torch):
    x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0])
    (x + y).sum().backward()
    x.grad.mul_(10)
    return x.grad, y.grad


def more_sum_gradient_writable(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    x.sum().backward()
    x.grad[0, 0] = 5
    return x.grad, x.grad.stride()


def more_expand_gradient(torch):
    x = leaf(torch, [[1.0], [2.0]])
    x.expand(2, 3).sum().backward()
    return x.grad, x.grad.stride()


def more_float16(torch):
    x = leaf(torch, [1.0, 2.0], "float16")
    (x * 2).sum().backward()
    return x.grad, x.grad.dtype


def more_empty(torch):
    x = torch.zeros(0, 3, requires_grad=True)
    (x * 2).sum().backward()
    return tuple(x.grad.shape), x.sum(), x.prod()


def more_zero_dim(torch):
    x = leaf(torch, 3.0)
    (x * x).backward()
    return x.grad, x.grad.shape == (), x.grad.dim()


def more_grad_in_next_step(torch):
    x, seen = leaf(torch, [1.0, -2.0], "float64"), []
    for _ in range(4):
        loss = ((x - 1) ** 2).sum()
        x.grad = None
        loss.backward()
        with torch.no_grad():
            x -= 0.25 * x.grad
        seen.append(loss.item())
    return seen, x


def more_zero_grad_in_place(torch):
    x = leaf(torch, [1.0])
    (x * 2).backward()
    x.grad.zero_()
    (x * 5).backward()
    return x.grad, x.grad._version
