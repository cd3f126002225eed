"""How do tensors lie in memory?"""

from tests.eager.rows.case import each, leaf, name_of, numbers, raises


def s003_001(torch):
    x = torch.zeros(2, 3)
    y = torch.zeros(2, 4, 4).transpose(1, 2)
    z = torch.zeros(8, 4).t()
    return (
        x.stride(),
        x.stride(0),
        x.stride(1),
        x.stride(-1),
        y.stride(),
        z.stride(),
        x.layout == torch.strided,
    )


def s003_002(torch):
    x = torch.arange(6.0).reshape(2, 3)
    views = [x.t(), x[:, ::2], x[:, 1:], x[1], x[None].expand(4, 2, 3), x[None]]
    same = [v.data_ptr() == x.data_ptr() for v in views]
    shapes = [(tuple(v.stride()), tuple(v.shape), v.storage_offset()) for v in views]
    x.t()[1, 0] = 100
    return same, shapes, x


def s003_002_offset(torch):
    x = torch.arange(12.0).reshape(3, 4)
    v = x[1:, 2:]
    return v.storage_offset(), v.stride(), v.data_ptr() - x.data_ptr(), x.element_size(), x.numel(), v.dim()


def s003_003(torch):
    x = torch.arange(6.0).requires_grad_()
    y = x.as_strided((2, 2), (1, 3))
    y.sum().backward()
    z = torch.arange(6.0).requires_grad_()
    z.as_strided((4, 3), (1, 1)).sum().backward()
    return y, x.grad, z.grad


def s003_003_offset(torch):
    x = torch.arange(6.0).requires_grad_()
    y = torch.as_strided(x, (2, 2), (2, 1), 1)
    (y * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    return y, x.grad, y.stride(), y.storage_offset()


def s003_003_write(torch):
    x = torch.zeros(6)
    x.as_strided((2,), (3,)).fill_(7)
    return x


def s003_004(torch):
    x = torch.arange(6.0).reshape(2, 3)
    flags = x.is_contiguous(), x.t().is_contiguous(), x[:, ::2].is_contiguous()
    c = x.t().contiguous()
    return flags, c.stride(), c.is_contiguous(), x.contiguous() is x, c.data_ptr() == x.data_ptr(), c


def s003_005(torch):
    x = torch.arange(6.0).reshape(2, 3)
    part = "view size is not compatible with input tensor's size and stride"
    return (
        raises(lambda: x.t().view(6), part, "Use .reshape(...) instead."),
        x.t().reshape(6),
        raises(lambda: x.view(4), "shape '[4]' is invalid for input of size 6"),
        raises(lambda: x.reshape(4), "shape '[4]' is invalid for input of size 6"),
    )


def s003_005_views(torch):
    x = torch.arange(24.0).reshape(2, 3, 4)
    y = x.transpose(0, 1)
    z = y.view(3, 2, 2, 2)
    return z.stride(), x.view(-1).stride(), x.view(6, -1).shape, x.reshape(-1).data_ptr() == x.data_ptr()


def s003_005_errors(torch):
    x = torch.arange(6.0)
    return (
        raises(lambda: x.view(-1, -1), "only one dimension can be inferred"),
        raises(lambda: x.view(4, -1), "shape '[4, -1]' is invalid for input of size 6"),
    )


def channels(torch):
    return torch.arange(120.0).reshape(2, 3, 4, 5)


def s003_006(torch):
    x = channels(torch)
    y = x.contiguous(memory_format=torch.channels_last)
    flags = y.is_contiguous(), y.is_contiguous(memory_format=torch.channels_last)
    return x.stride(), tuple(y.shape), y.stride(), flags, torch.equal(x, y), y.data_ptr() == x.data_ptr()


def s003_006_to(torch):
    x = channels(torch)
    y = x.to(memory_format=torch.channels_last)
    return (
        y.stride(),
        torch.equal(x, y),
        y.contiguous().stride(),
        y.contiguous(memory_format=torch.channels_last) is y,
    )


LIKE = {
    "add": lambda torch, x: x + 1,
    "mul": lambda torch, x: x * x,
    "relu": lambda torch, x: x.relu(),
    "exp": lambda torch, x: x.exp(),
    "clone": lambda torch, x: x.clone(),
    "neg": lambda torch, x: -x,
    "zeros_like": lambda torch, x: torch.zeros_like(x),
    "empty_like": lambda torch, x: torch.empty_like(x) * 0,
    "double": lambda torch, x: x.double(),
}


@each({name: (call,) for name, call in LIKE.items()})
def s003_007(torch, call):
    x = channels(torch).contiguous(memory_format=torch.channels_last)
    y = torch.arange(6.0).reshape(2, 3).t()
    return call(torch, x).stride(), call(torch, y).stride()


MOVES = {
    "contiguous": lambda torch, x: x.transpose(1, 3).contiguous(),
    "channels_last": lambda torch, x: x.contiguous(memory_format=torch.channels_last),
    "transpose": lambda torch, x: x.transpose(0, 2),
    "permute": lambda torch, x: x.permute(3, 1, 0, 2),
    "slice": lambda torch, x: x[:, 1:, ::2],
    "expand": lambda torch, x: x[:1].expand(4, 2, 3, 2),
    "reshape": lambda torch, x: x.permute(1, 0, 3, 2).reshape(4, -1),
    "flip": lambda torch, x: x.flip(0, 2),
    "roll": lambda torch, x: x.roll((1, 2), (1, 2)),
    "unfold": lambda torch, x: x.unfold(2, 2, 1),
    "movedim": lambda torch, x: x.movedim(0, 3),
    "swapaxes": lambda torch, x: x.swapaxes(0, 1),
    "repeat": lambda torch, x: x.repeat(1, 2, 1, 1),
    "tile": lambda torch, x: x.tile(2),
    "narrow": lambda torch, x: x.narrow(2, 1, 2),
    "squeeze": lambda torch, x: x[:1].squeeze(0).unsqueeze(-1),
    "flatten": lambda torch, x: x.flatten(1, 2),
    "unbind": lambda torch, x: torch.stack(x.unbind(2)[::-1]),
    "split": lambda torch, x: torch.cat(x.split([1, 2], dim=2)[::-1], dim=2),
    "chunk": lambda torch, x: x.chunk(2, dim=2)[0],
    "as_strided": lambda torch, x: x.as_strided((2, 5), (3, 2)),
    "diagonal": lambda torch, x: x.diagonal(0, 1, 2),
}


@each({name: (call,) for name, call in MOVES.items()})
def s003_008(torch, call):
    x = torch.from_numpy(numbers(2, 2, 3, 2)).requires_grad_()
    y = call(torch, x)
    weights = torch.arange(float(y.numel()), dtype=torch.float64).reshape(y.shape)
    (y * weights).sum().backward()
    return y.detach(), name_of(y.grad_fn), x.grad


def more_size(torch):
    x = torch.zeros(2, 3)
    return (
        str(x.shape),
        str(x.size()),
        x.size(0),
        x.shape[1],
        x.shape == (2, 3),
        len(x.shape),
        x.shape.numel(),
    )


def more_numpy_shares(torch):
    x = torch.zeros(3)
    a = x.numpy()
    a[0] = 5
    b = numbers(2)
    y = torch.from_numpy(b)
    y.mul_(0)
    return x, b, y.dtype, a.strides, raises(lambda: leaf(torch, [1.0]).numpy(), "requires grad", "detach()")


def more_item(torch):
    x = leaf(torch, [[2.5]])
    return (
        x.item(),
        float(x),
        int(x),
        bool(x),
        raises(lambda: torch.ones(2).item()),
        raises(lambda: bool(torch.ones(2))),
    )


def more_strides_of_operations(torch):
    x = torch.zeros(2, 3, 4)
    return [
        x.permute(2, 0, 1).stride(),
        x.permute(2, 0, 1).clone().stride(),
        (x.permute(2, 0, 1) + torch.zeros(4, 2, 3)).stride(),
        x.sum(1).stride(),
        x[:, [0, 1]].stride(),
        x.unsqueeze(1).stride(),
        x.expand(5, 2, 3, 4).stride(),
        torch.stack([x, x]).stride(),
        x[..., 0].stride(),
        x[:, None].stride(),
    ]
