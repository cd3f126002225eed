"""What are leaves, which tensors get ``.grad``, and what do detach, clone and data make?"""

from tests.eager.rows.case import each, leaf, name_of, raises, warned

NOT_LEAF = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"


def s001_002(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    y.sum().backward()
    seen, warning = warned(lambda: y.grad, NOT_LEAF, "use .retain_grad() on the non-leaf Tensor")
    z = x * 2
    z.retain_grad()
    return (
        seen,
        warning,
        y,
        warned(lambda: z.grad),
        warned(lambda: x.grad),
        warned(lambda: torch.ones(1).grad),
    )


def s003_020(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.exp()
    y.sum().backward()
    return x.grad_fn, x.is_leaf, y.is_leaf, name_of(y.grad_fn), y


def s003_046(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.detach()
    same = y.data_ptr() == x.data_ptr(), y.requires_grad, y.grad_fn, y.is_leaf, y.grad
    y[0] = 9
    (x**2 * 2).sum().backward()
    return same, x, x.grad, y.grad, y is x


def s003_047(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    flags = x.retains_grad, y.retains_grad
    y.retain_grad()
    after = y.retains_grad
    (y**2).sum().backward()
    return flags, after, y.grad, x.grad


def s003_048(torch):
    x = leaf(torch, [1.0, 1.0])
    x.retain_grad()
    refused = raises(
        lambda: torch.ones(1).retain_grad(), "can't retain_grad on Tensor that has requires_grad=False"
    )
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    return x.retains_grad, refused, y.grad, x.grad


def s003_048_twice(torch):
    x = leaf(torch, [1.0])
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    (y * 3).backward(retain_graph=True)
    (y * 3).backward()
    return y.grad, x.grad


def more_retain_grad_accumulates(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    y.retain_grad()
    z = (y * 3).sum()
    z.backward(retain_graph=True)
    first = y.grad.clone()
    z.backward()
    return first, y.grad


def more_retain_grad_view_in_place(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x * 2
    y.retain_grad()
    y[0].mul_(5)
    y.sum().backward()
    return y.grad, x.grad


def more_retain_grad_of_view(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    y = x * 2
    v = y[:2]
    v.retain_grad()
    (v * v).sum().backward()
    return v.grad, x.grad


def more_retain_grad_grad(torch):
    x = leaf(torch, [2.0], "float64")
    y = x**2
    y.retain_grad()
    (y**2).backward(create_graph=True)
    result = y.grad.requires_grad, y.grad.detach()
    x.grad = y.grad = None
    return result


def more_retain_grad_autograd_grad(torch):
    x = leaf(torch, [2.0])
    y = x * 3
    y.retain_grad()
    g = torch.autograd.grad(y * 5, x)
    return g, y.grad, x.grad


def more_retain_grad_no_contribution(torch):
    x = leaf(torch, [2.0])
    y = x * 3
    y.retain_grad()
    (x * 5).backward()
    return y.grad, x.grad


def more_clone(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x.clone()
    y[0] = 5
    y.sum().backward()
    return y, x, x.grad, name_of(x.clone().grad_fn), x.detach().clone().requires_grad


def more_data(torch):
    x = leaf(torch, [1.0, 2.0])
    d = x.data
    state = d.requires_grad, d.is_leaf, d.data_ptr() == x.data_ptr(), d._version
    d.add_(1)
    x.data = torch.tensor([7.0, 8.0])
    (x * x).sum().backward()
    return state, x, x.grad, x._version


def more_data_shape(torch):
    x = leaf(torch, [1.0, 2.0])
    x.data = torch.ones(3)
    return x, raises(lambda: setattr(x, "data", 3))


def more_detach_in_graph(torch):
    x = leaf(torch, [2.0])
    y = x * 3
    (y.detach() * y).backward()
    return x.grad


def more_detach_does_not_follow(torch):
    x = leaf(torch, [1.0, 2.0])
    d = x.detach()
    d.requires_grad_()
    (d * d).sum().backward()
    return d.grad, x.grad, d.is_leaf


def more_leaf_assignment(torch):
    x = torch.zeros(3)
    v = leaf(torch, [5.0])
    x[1:2] = v
    state = x.requires_grad, x.is_leaf, name_of(x.grad_fn)
    (x * 2).sum().backward()
    return state, v.grad


def more_leaf_from_numpy_and_like(torch):
    x = leaf(torch, [1.0, 2.0])
    copies = [
        torch.tensor([x[0].item()]),
        torch.empty_like(x),
        x.new_zeros(2),
        x.new_tensor([1.0]),
        x.new_ones(2),
    ]
    return [(c.requires_grad, c.is_leaf, c.dtype) for c in copies]


OPERANDS = {
    "x": lambda x: x,
    "x * 2": lambda x: x * 2,
    "detached": lambda x: x.detach(),
    "clone": lambda x: x.clone(),
    "view": lambda x: x.view(1, 2),
    "data": lambda x: x.data,
    "comparison": lambda x: x > 1,
    "grad": lambda x: ((x * x).sum().backward(), x.grad)[1],
    "item": lambda x: x[0].detach().requires_grad_(),
    "contiguous": lambda x: x.contiguous(),
    "to same": lambda x: x.to(x.dtype),
    "float": lambda x: x.float(),
    "double": lambda x: x.double(),
    "cpu": lambda x: x.cpu(),
    "type_as": lambda x: x.type_as(x),
    "positive": lambda x: +x,
    "expand_as": lambda x: x.expand_as(x),
    "reshape same": lambda x: x.reshape(2),
    "requires_grad_": lambda x: x.requires_grad_(),
}


@each({name: (call,) for name, call in OPERANDS.items()})
def s001_001_more(torch, call):
    x = leaf(torch, [1.0, 2.0])
    y = call(x)
    return y.is_leaf, y.requires_grad, name_of(y.grad_fn), y is x, y.retains_grad


def more_deepcopy(torch):
    import copy

    x = leaf(torch, [1.0, 2.0])
    (x * 2).sum().backward()
    y = copy.deepcopy(x)
    part = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol"
    return y, y.requires_grad, y.is_leaf, y.grad, y is x, raises(lambda: copy.deepcopy(x * 2), part)


def more_pickle(torch):
    import pickle

    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    y = pickle.loads(pickle.dumps(x))
    return y, y.is_leaf


def more_set_requires_grad_of_view(torch):
    base = torch.zeros(3)
    view = base[:2]
    view.requires_grad_()
    return view.requires_grad, base.requires_grad, view.is_leaf


def more_bool_indexing_leaf(torch):
    x = leaf(torch, [1.0, -2.0, 3.0])
    x[x > 0].sum().backward()
    return x.grad
