"""What happens to a base and its views when one of them changes in place?"""

import operator

from tests.eager.rows.case import each, leaf, name_of, raises, tree


def s000_095(torch):
    x = leaf(torch, [1.0, 1.0, 1.0, 1.0])
    y = x * 2
    y[:2].mul_(3)
    shown = name_of(y.grad_fn), y
    y.sum().backward()
    return shown, x.grad


def s000_096(torch):
    x = leaf(torch, [1.0, 1.0, 1.0, 1.0])
    y = x * 2
    view = y[:2]
    y.mul_(3)
    shown = name_of(view.grad_fn), view
    view.sum().backward()
    return shown, x.grad


def s000_097(torch):
    x = leaf(torch, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "float64")
    y = x * 1
    row, flat = y[0], y.view(6)
    flat[:3] = row * torch.tensor([0.0, 1.0, 2.0], dtype=torch.float64)
    y[1].zero_()
    (row * row / torch.tensor([1.0, 2.0, 6.0], dtype=torch.float64)).sum().backward()
    return row, x.grad, flat


MULTIPLE = {
    "unbind": (lambda y: y.unbind()[0], "Output 0 of Unbind"),
    "split": (lambda y: y.split(1)[0], "Output 0 of Split"),
    "chunk": (lambda y: y.chunk(2)[1], "Output 1 of Split"),
    "iteration": (lambda y: list(y)[1], "Output 1 of Unbind"),
}


@each(MULTIPLE)
def s000_098(torch, call, part):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    view = call(x * 1)
    message = (
        "is a view and is being modified inplace. This view is the output of a function that returns multiple"
    )
    return raises(lambda: view.mul_(2), part, message), raises(lambda: call(x).mul_(2))


@each(MULTIPLE)
def s000_098_plain(torch, call, part):
    y = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    view = call(y)
    view.mul_(2)
    return y, view, y._version


def s000_098_base(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = x * 1
    first, second = y.unbind()
    (first * second).sum().backward()
    return x.grad, name_of(first.grad_fn), first.grad_fn is second.grad_fn


LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
OF_LEAF = {
    "slice": lambda torch, x: x[:2].add_(1),
    "view": lambda torch, x: x.view(3, 1).mul_(2),
    "select": lambda torch, x: x[0].zero_(),
    "transpose": lambda torch, x: x[None].t().add_(1),
    "expand": lambda torch, x: x[None].fill_(1),
    "setitem": lambda torch, x: operator.setitem(x, 0, 5.0),
    "setitem slice": lambda torch, x: operator.setitem(x, slice(0, 2), 5.0),
}


@each({name: (call,) for name, call in OF_LEAF.items()})
def s000_099(torch, call):
    x = leaf(torch, [1.0, 1.0, 1.0])
    return raises(lambda: call(torch, x), LEAF), x


def s000_105(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 1
    with torch.no_grad():
        view = y[:1]
    refused = raises(lambda: view.mul_(2), "A view was created in no_grad mode and is being modified inplace")
    with torch.no_grad():
        other = y[:1]
        other.mul_(2)
    return refused, y


VIEWS = {
    "slice": lambda y: y[1:],
    "select": lambda y: y[0],
    "column": lambda y: y[:, 1],
    "step": lambda y: y[::2, ::2],
    "view": lambda y: y.view(6),
    "reshape": lambda y: y.reshape(2, 3),
    "t": lambda y: y.t(),
    "transpose": lambda y: y.transpose(0, 1),
    "permute": lambda y: y.permute(1, 0),
    "unsqueeze": lambda y: y.unsqueeze(1),
    "squeeze": lambda y: y[None].squeeze(0),
    "flatten": lambda y: y.flatten(),
    "diagonal": lambda y: y.diagonal(),
    "narrow": lambda y: y.narrow(0, 1, 2),
    "view of view": lambda y: y[1:][:, 0],
    "as_strided": lambda y: y.as_strided((2,), (2,), 1),
    "None": lambda y: y[None],
    "detach": lambda y: y.detach(),
    "movedim": lambda y: y.movedim(0, 1),
    "unflatten": lambda y: y.view(6).unflatten(0, (2, 3)),
    "view_as": lambda y: y.view_as(y),
    "expand_as": lambda y: y.expand_as(y),
    "T": lambda y: y.T,
}


@each({name: (call,) for name, call in VIEWS.items()})
def more_view_shares(torch, call):
    y = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    view = call(y)
    view.zero_()
    return y, y._version, tuple(view.stride()), view.storage_offset(), view._is_view(), view._base is y


@each({name: (call,) for name, call in VIEWS.items() if name != "detach"})
def more_view_gradient(torch, call):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float64")
    y = x * 2
    view = call(y)
    view.mul_(3)
    (y * y + 1).sum().backward()
    return y, view, x.grad


@each({name: (call,) for name, call in VIEWS.items() if name != "detach"})
def more_view_after_base(torch, call):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], "float64")
    y = x * 2
    view = call(y)
    y *= x
    view.sum().backward()
    return view, x.grad


def more_view_of_plain_base(torch):
    base, x = torch.zeros(4), leaf(torch, [1.0, 2.0])
    base[1:3] = x
    view = base[2:]
    view.mul_(x)
    shown = base.requires_grad, name_of(base.grad_fn), base.is_leaf
    base.sum().backward()
    return shown, base, x.grad


def more_view_then_view_changes(torch):
    x = leaf(torch, [1.0, 2.0, 3.0, 4.0], "float64")
    y = x.clone()
    first, second = y[:3], y[1:]
    first.mul_(2)
    second.mul_(3)
    first.add_(second[:3] * 0.5)
    (first.sum() + second.prod()).backward()
    return y, first, second, x.grad


def more_view_grad_fn_regenerates(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x * 2
    view = y[:2]
    before = view.grad_fn
    same = view.grad_fn is before
    y.add_(1)
    after = view.grad_fn
    return same, after is before, name_of(before), name_of(after), view.grad_fn is after, tree(y.grad_fn)


def more_view_leaf_becomes_part(torch):
    base, x = torch.zeros(3), leaf(torch, [1.0, 2.0, 3.0])
    for n in range(3):
        base[n].copy_(x[n] ** 2)
    base.sum().backward()
    return base, x.grad


def more_view_inplace_of_base_with_data(torch):
    base = torch.zeros(4)
    with torch.no_grad():
        base[:2] = leaf(torch, [1.0, 2.0])
    return base, base._version


def more_view_setitem_chain(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]], "float64")
    y = x * 1
    y[0][1] = y[1, 0] * 2
    y[1] = y[0].clone() ** 2
    y.t()[0] *= 2
    y.sum().backward()
    return y, x.grad


def more_view_expand_write(torch):
    x = torch.ones(1, 3)
    part = "more than one element of the written-to tensor refers to a single memory location"
    return raises(lambda: x.expand(2, 3).add_(1), part)


def more_view_base(torch):
    y = torch.ones(4)
    view = y[1:]
    return y._is_view(), y._base, view._is_view(), view._base is y, view[1:]._base is y, y.detach()._is_view()


def more_view_of_leaf_no_grad(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    with torch.no_grad():
        x[0] = 10
        x[1:].mul_(2)
        x.view(3, 1)[2] = 0
    (x * x).sum().backward()
    return x, x.grad, x.is_leaf, x._version
