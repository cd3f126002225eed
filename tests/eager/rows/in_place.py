"""What does an operation in place do to values, versions and the graph?"""

import operator

from tests.eager.rows.case import each, leaf, name_of, raises, tree

STALE = "one of the variables needed for gradient computation has been modified by an inplace operation"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."


def s000_089(torch):
    x = leaf(torch, [3.0, 4.0])
    y = x * 3
    y += 1
    y.sum().backward()
    return y, x.grad


def s000_090(torch):
    y = leaf(torch, [[1.0] * 3] * 2).exp()
    z = y.sum()
    y.add_(1)
    y.mul_(2)
    parts = (
        "[torch.FloatTensor [2, 3]], which is output 0 of Exp",
        "is at version 2; expected version 0 instead",
    )
    return raises(lambda: z.backward(), STALE, *parts, "set_detect_anomaly(True")


STALE_CASES = {
    "sigmoid": (lambda x: x.sigmoid(), "float32", "torch.FloatTensor [2]"),
    "tanh": (lambda x: x.tanh(), "float64", "torch.DoubleTensor [2]"),
    "sqrt": (lambda x: x.sqrt(), "float64", "torch.DoubleTensor [2]"),
    "softmax": (lambda x: x.softmax(0), "float32", "torch.FloatTensor [2]"),
    "complex exp": (lambda x: x.exp(), "complex64", "ComplexFloat"),
    "scalar": (lambda x: x[0].exp(), "float32", "torch.FloatTensor []"),
    "relu": (lambda x: x.relu(), "float32", "torch.FloatTensor [2]"),
    "reciprocal": (lambda x: x.reciprocal(), "float32", "torch.FloatTensor [2]"),
}


@each(STALE_CASES)
def s000_090_more(torch, call, dtype, shape):
    y = call(leaf(torch, [1.0, 2.0], dtype))
    z = (y * 1).sum() if dtype != "complex64" else y.abs().sum()
    y.mul_(2)
    return raises(lambda: z.backward(), STALE, shape, "is at version 1; expected version 0 instead")


FINE = {
    "sin": lambda x: x.sin(),
    "add": lambda x: x + 1,
    "mul": lambda x: x * 3,
    "neg": lambda x: -x,
    "view": lambda x: x.view(2),
    "clone": lambda x: x.clone(),
    "abs": lambda x: x.abs(),
    "log": lambda x: x.log(),
    "square": lambda x: x**2,
}


@each({name: (call,) for name, call in FINE.items()})
def s000_089_more(torch, call):
    x = leaf(torch, [1.0, 2.0])
    y = call(x * 2)
    y.mul_(2).add_(1)
    y.sum().backward()
    return y, x.grad, y._version


def s000_091(torch):
    x, c = leaf(torch, [1.0, 2.0]), torch.ones(2)
    z = (x * c).sum()
    c.add_(1)
    y = x * 2
    w = (y * y).sum()
    y.mul_(2)
    return (
        raises(lambda: z.backward(), STALE, "[torch.FloatTensor [2]] is at version 1; expected version 0"),
        raises(lambda: w.backward(), "[torch.FloatTensor [2]], which is output 0 of Mul", "is at version 1"),
    )


def s000_092(torch):
    x = torch.zeros(3)
    seen = [x._version]
    x.add_(1)
    seen.append(x._version)
    x[0] = 5
    seen.append(x._version)
    x += 1
    seen.append(x._version)
    x.zero_()
    seen.append(x._version)
    x + 1
    seen.append(x._version)
    return seen


COUNTED = {
    "add_": lambda x: x.add_(1),
    "mul_": lambda x: x.mul_(2),
    "fill_": lambda x: x.fill_(2),
    "zero_": lambda x: x.zero_(),
    "copy_": lambda x: x.copy_(x * 2),
    "setitem": lambda x: operator.setitem(x, 0, 1.0),
    "setitem slice": lambda x: operator.setitem(x, slice(0, 2), 1.0),
    "setitem mask": lambda x: operator.setitem(x, x > 0, 1.0),
    "iadd": lambda x: operator.iadd(x, 1),
    "imul": lambda x: operator.imul(x, 2),
    "itruediv": lambda x: operator.itruediv(x, 2),
    "ipow": lambda x: operator.ipow(x, 2),
    "clamp_": lambda x: x.clamp_(0, 1),
    "exp_": lambda x: x.exp_(),
    "view add_": lambda x: x[0].add_(1),
    "view of view": lambda x: x[:2][:1].mul_(2),
    "detach add_": lambda x: x.detach().add_(1),
    "clone add_": lambda x: x.clone().add_(1),
    "data add_": lambda x: x.data.add_(1),
    "t_": lambda x: x.t_(),
    "unsqueeze_": lambda x: x.unsqueeze_(0),
    "detach_": lambda x: x.detach_(),
    "requires_grad_": lambda x: x.requires_grad_(),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 3.0),
    "index_add_": lambda x: x.index_add_(0, (x[:1] * 0).long(), x[:1].clone()),
}


@each({name: (call,) for name, call in COUNTED.items()})
def s000_092_more(torch, call):
    x = torch.tensor([1.0, 2.0, 3.0])
    call(x)
    return x._version, x


def s000_093(torch):
    x = torch.ones(4)
    view, cut, copy = x[:2], x.detach(), x.clone()
    x.add_(1)
    first = x._version, view._version, cut._version, copy._version
    view.mul_(2)
    second = x._version, view._version, cut._version
    seen = x.clone()
    x.data.add_(1)
    return first, second, seen, x._version, x


def s000_094(torch):
    x = leaf(torch, [2.0, 2.0])
    y = x * 2
    same, place = y, y.data_ptr()
    y += 3
    y *= x
    parts = y is same, y.data_ptr() == place, name_of(y.grad_fn)
    z = leaf(torch, [1.0, 1.0])
    w = z * 2
    w.add_(1)
    w.mul_(5)
    chain = tree(w.grad_fn)
    w.sum().backward()
    return parts, chain, z.grad


def s000_100(torch):
    x = leaf(torch, [1.0, 1.0, 1.0])
    calls = {
        "iadd": lambda: operator.iadd(x, 1),
        "add_": lambda: x.add_(1),
        "mul_": lambda: x.mul_(2),
        "zero_": lambda: x.zero_(),
        "copy_": lambda: x.copy_(torch.zeros(3)),
        "fill_": lambda: x.fill_(2.0),
        "exp_": lambda: x.exp_(),
        "mask": lambda: operator.setitem(x, x > 0, 1.0),
    }
    return {name: raises(call, LEAF) for name, call in calls.items()}, x, x._version


def s000_101(torch):
    p, x = torch.zeros(3), leaf(torch, [1.0, 2.0, 3.0])
    p.add_(x)
    state = p.requires_grad, p.is_leaf, name_of(p.grad_fn)
    (p * p / 2).sum().backward()
    return state, x.grad, p


def s000_102(torch):
    x, v = leaf(torch, [1.0, 2.0, 3.0, 4.0]), leaf(torch, [2.0, 4.0])
    y = x * 2
    y[1:3] = v * 5
    shown = y.detach().clone(), name_of(y.grad_fn)
    (y * torch.tensor([1.0, 0.4, 0.6, 4.0])).sum().backward()
    return shown, x.grad, v.grad


def s000_103(torch):
    x = leaf(torch, [0.0, 0.0])
    y = x.exp()
    y.data.zero_()
    y.sum().backward()
    z = leaf(torch, [0.0, 0.0]).exp()
    z.detach().zero_()
    return x.grad, raises(lambda: z.sum().backward(), STALE, "is at version 1; expected version 0")


def s000_104(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    same = y.detach_() is y
    view = (x * 2)[0]
    state = y.requires_grad, y.is_leaf, y.grad_fn
    return same, state, raises(lambda: view.detach_(), "Can't detach views in-place. Use detach() instead")


def s000_106(torch):
    def out_of_place(x):
        y = x * 2
        z = y + y**2
        return (z * x).sum()

    def in_place(x):
        y = x * 2
        z = y.clone()
        z += y**2
        w = z * 1
        w *= x
        return w.sum()

    seen = []
    for f in (out_of_place, in_place):
        x = leaf(torch, [1.0, 0.0, 4.0], "float64")
        f(x).backward()
        seen.append(x.grad)
    return seen


def s003_043(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    z = x * 2 + 1
    first = raises(
        lambda: z.backward(retain_graph=True), "grad can be implicitly created only for scalar outputs"
    )
    z.backward(torch.ones(3), retain_graph=True)
    second = raises(lambda: x.mul_(2), LEAF)
    z.backward(torch.ones(3))
    return first, second, x.grad


def s003_044(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    z = x * 2 + 1
    z.backward(torch.ones(3), retain_graph=True)
    cut = x.detach()
    cut.mul_(2)
    z.backward(torch.ones(3))
    return x.grad, x, cut.requires_grad, cut.data_ptr() == x.data_ptr()


def s003_045(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    z = x**2
    x.detach().mul_(2)
    return raises(
        lambda: z.backward(torch.ones(3)), STALE, "[torch.FloatTensor [3]] is at version 1; expected"
    )


def s001_023(torch):
    x, p = leaf(torch, [1.0, 2.0]), torch.ones(2)
    refused = raises(lambda: x.add_(1), LEAF)
    p.add_(1)
    with torch.no_grad():
        x.add_(1)
    return refused, p, x


def s001_024(torch):
    x = torch.ones(3)
    place = x.data_ptr()
    y = x.add_(-10)
    return y is x, x.data_ptr() == place, y


def s001_025(torch):
    x, w = torch.ones(2), leaf(torch, [1.0, 2.0])
    y = (w * x).sum()
    x.add_(1)
    return raises(
        lambda: y.backward(), STALE, "[torch.FloatTensor [2]] is at version 1; expected version 0 instead"
    )


def more_in_place_shape(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 1
    return raises(lambda: y.add_(torch.ones(3, 2))), raises(lambda: y.add_(torch.ones(3)))


def more_in_place_dtype(torch):
    x = torch.ones(2)
    integers = torch.ones(2, dtype=torch.int64)
    x.add_(torch.ones(2, dtype=torch.float64))
    return (
        x,
        raises(lambda: integers.add_(0.5), "can't be cast"),
        raises(lambda: integers.div_(2), "can't be cast"),
    )


def more_in_place_self_use(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = x * 1
    y += y
    y[0] = y[1] + y[0]
    y[1] = y[1].clone() * y[0].clone()
    y.sum().backward()
    z = x * 1
    z *= z
    return y, x.grad, raises(lambda: z.sum().backward(), STALE)


def more_in_place_retained_graph(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x + 2
    z = y.sum()
    y.sub_(3)
    z.backward()
    first = x.grad.clone()
    y.sum().backward()
    return first, x.grad


def more_in_place_second_order(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = x * x
    y[0] = y[1].clone() * x[0]
    y *= x
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    return g, h


def more_in_place_grad_buffer(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * 3).sum().backward()
    x.grad.zero_()
    (x * 2).sum().backward()
    x.grad += 1
    return x.grad, x.grad.requires_grad


def more_in_place_no_grad_saved(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * x
    with torch.no_grad():
        x += 1
    return raises(lambda: y.sum().backward(), STALE), x
