"""Do modules behave as PyTorch's: parameters, modes, state dicts, and the layers that a ResNet is made of?"""

import numpy as np

from tests.eager.rows.case import each, leaf, name_of, numbers, raises


def filled(torch, model, seed=0):
    """The model in float64 with numbers that both libraries have."""
    draw = np.random.RandomState(seed)
    model.to(torch.float64)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.tensor(draw.uniform(-0.5, 0.5, size=tuple(p.shape))))
    return model


def double(*shape, seed=1):
    return np.random.RandomState(seed).normal(size=shape)


def two_layers(torch):
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))


def s000_051(torch):
    p, q = torch.nn.Parameter(torch.tensor([1.0, 2.0])), torch.tensor([1.0, 2.0])
    frozen = torch.nn.Parameter(torch.zeros(2), requires_grad=False)
    return p, q, p.is_leaf, isinstance(p, torch.Tensor), frozen.requires_grad, repr(p), repr(frozen)


def s000_057(torch):
    model = two_layers(torch)
    before = [p.requires_grad for p in model.parameters()]
    same = model.requires_grad_(False) is model
    off = [p.requires_grad for p in model.parameters()]
    return (
        before,
        same,
        off,
        model(torch.ones(2, 3)).requires_grad,
        model.requires_grad_()[0].weight.requires_grad,
    )


def s000_071(torch):
    w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.5 * w.grad + 1
    return w, w.is_leaf, w.requires_grad, name_of(w.grad_fn), (w * 2).sum()


def s000_072(torch):
    w = leaf(torch, [1.0, 2.0])
    optimizer = torch.optim.SGD([w], lr=0.1)
    (w * 3).sum().backward()
    optimizer.step()
    return w, w.is_leaf, name_of(w.grad_fn), w.requires_grad


def s000_073(torch):
    init = torch.nn.init
    w = torch.empty(3, 4, requires_grad=True)
    seen = [init.zeros_(w) is w, w.tolist(), init.constant_(w, 2.5).tolist(), init.ones_(w).tolist()]
    return *seen, init.eye_(w), w.is_leaf, name_of(w.grad_fn), w.requires_grad


# The function, its arguments, and where the values of a 64x96 matrix must lie and nearly reach.
INITIALS = [("uniform_", (-2.0, 3.0), -2.0, 3.0), ("trunc_normal_", (0.0, 1.0, -1.0, 1.0), -1.0, 1.0)]
INITIALS += [
    (f"{name}_uniform_", (), -bound, bound) for name, bound in (("xavier", 0.1936), ("kaiming", 0.25))
]


@each({name: (name, *rest) for name, *rest in INITIALS})
def s000_073_bounds(torch, name, arguments, low, high):
    w = torch.empty(64, 96, requires_grad=True)
    same = getattr(torch.nn.init, name)(w, *arguments) is w
    smallest, largest, slack = w.min().item(), w.max().item(), 0.02 * (high - low)
    reached = low - 1e-3 <= smallest <= low + slack, high - slack <= largest <= high + 1e-3
    return same, reached, w.requires_grad, name_of(w.grad_fn)


def s000_082(torch):
    model = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Dropout()), torch.nn.ReLU())
    before = [m.training for m in model.modules()]
    same = model.eval() is model
    off = [m.training for m in model.modules()]
    model[0].train()
    some = [m.training for m in model.modules()]
    return before, same, off, some, model.train(False) is model, raises(lambda: model.train(1), "boolean")


def s000_083(torch):
    model = two_layers(torch).eval()
    y = model(torch.ones(1, 3))
    with torch.no_grad():
        z = model(torch.ones(1, 3))
    return y.requires_grad, name_of(y.grad_fn), z.requires_grad


def s000_084(torch):
    layer, x = torch.nn.Dropout(0.25), torch.ones(4000)
    y = layer(x)
    with torch.no_grad():
        z = layer(x)
    values = [sorted({round(v, 4) for v in t.tolist()}) for t in (y, z)]
    near = [abs((t == 0).float().mean().item() - 0.25) < 0.05 for t in (y, z)]
    return values, near, layer.eval()(x) is x, raises(lambda: torch.nn.Dropout(2.0), "between 0 and 1")


def s000_085(torch):
    x = torch.ones(200, requires_grad=True)
    y = torch.nn.Dropout(0.5)(x)
    y.sum().backward()
    return torch.equal(x.grad, y.detach()), sorted(set(y.tolist()))


def s000_086(torch):
    layer = torch.nn.BatchNorm2d(3).double()
    before = layer.running_mean.tolist(), layer.running_var.tolist()
    x = torch.tensor(double(2, 3, 4, 5))
    y = layer(x)
    return before, y, layer.running_mean, layer.running_var, layer.num_batches_tracked


def s000_087(torch):
    layer = filled(torch, torch.nn.BatchNorm2d(2)).train()
    layer(torch.tensor(double(4, 2, 3, 3)))
    layer.eval()
    mean, var = layer.running_mean.clone(), layer.running_var.clone()
    y = layer(torch.tensor(double(4, 2, 3, 3, seed=2)) + 5)
    return y, torch.equal(mean, layer.running_mean), torch.equal(var, layer.running_var)


@each({"training": True, "evaluation": False})
def s000_088(torch, training):
    layer = filled(torch, torch.nn.BatchNorm2d(2)).train(training)
    x = torch.tensor(double(3, 2, 2, 2), requires_grad=True)

    def run(x, weight, bias):
        return torch.nn.functional.batch_norm(
            x, layer.running_mean.clone(), layer.running_var.clone(), weight, bias, training
        )

    return torch.autograd.gradcheck(run, (x, layer.weight, layer.bias))


def s003_012(torch):
    model = two_layers(torch)
    for p in model[0].parameters():
        p.requires_grad_(False)
    model(torch.ones(2, 3)).sum().backward()
    flags = [p.requires_grad for p in model.parameters()]
    none = [p.grad is None for p in model.parameters()]
    model.requires_grad_()
    return flags, none, [p.requires_grad for p in model.parameters()]


def s003_015(torch):
    model = filled(torch, two_layers(torch))
    x = torch.tensor(double(2, 3))
    seen = []
    for mode in (True, False):
        model.train(mode)
        model.zero_grad()
        y = model(x).sum()
        y.backward()
        seen.append((y, [p.grad.tolist() for p in model.parameters()]))
    return seen


def s003_033_modules(torch):
    layer = filled(torch, torch.nn.Linear(3, 2))
    layer.weight = torch.nn.Parameter(torch.tensor(double(3, 2)).t())
    layer(torch.tensor(double(4, 3))).sum().backward()
    return layer.weight.stride(), layer.weight.grad.stride(), layer.weight.grad


def s004_006(torch):
    layer = torch.nn.Linear(2, 3)
    state = layer.state_dict()
    weight = layer.weight
    said = layer.load_state_dict({"weight": torch.ones(3, 2), "bias": torch.zeros(3)})
    shared = state["weight"].data_ptr() == layer.weight.data_ptr()
    flags = [t.requires_grad for t in state.values()]
    return list(state), flags, shared, layer.weight is weight, layer.weight, layer.bias, str(said)


def s004_007(torch):
    layer = torch.nn.Linear(2, 3)
    part = "Error(s) in loading state_dict for Linear"
    missing = {"weight": torch.ones(3, 2), "other": torch.ones(1)}
    said = layer.load_state_dict(missing, strict=False)
    return (
        raises(lambda: layer.load_state_dict(missing), part, 'Missing key(s) in state_dict: "bias".'),
        raises(lambda: layer.load_state_dict(missing), part, 'Unexpected key(s) in state_dict: "other".'),
        raises(
            lambda: layer.load_state_dict({"weight": torch.ones(2, 2), "bias": torch.zeros(3)}),
            part,
            "size mismatch for weight: copying a param with shape torch.Size([2, 2]) from checkpoint, "
            "the shape in current model is torch.Size([3, 2]).",
        ),
        said.missing_keys,
        said.unexpected_keys,
        layer.weight,
    )


@each({"with bias": True, "without": False})
def s004_008(torch, bias):
    layer = torch.nn.Linear(4, 3, bias=bias)
    small = all(bool((p.abs() <= 0.5).all()) for p in layer.parameters())
    spread = bool(layer.weight.std() > 0.1)
    shapes = [tuple(p.shape) for p in layer.parameters()]
    filled(torch, layer)
    x = torch.tensor(double(5, 4), requires_grad=True)
    y = layer(x)
    (y**2).sum().backward()
    return (
        small,
        spread,
        shapes,
        layer.bias is None,
        y,
        x.grad,
        [p.grad for p in layer.parameters()],
        repr(layer),
    )


# Stride, padding, size of the kernel, groups, dilation.
CONVOLUTIONS = [(1, 0, 3, 1, 1), (2, 1, 3, 1, 1), (2, 3, 7, 1, 1), (1, 0, 1, 1, 1), (2, 0, 1, 1, 1)]
CONVOLUTIONS += [(1, 1, 3, 2, 1), (1, 2, 3, 1, 2), (1, 1, 3, 4, 1), (2, 2, 3, 2, 2)]


@each({"-".join(map(str, options)): options for options in CONVOLUTIONS})
def s004_009(torch, stride, padding, size, groups, dilation):
    layer = torch.nn.Conv2d(4, 8, size, stride, padding, dilation, groups)
    filled(torch, layer)
    x = torch.tensor(double(1, 4, 7, 6), requires_grad=True)
    y = layer(x)
    (y**2).sum().backward()
    grads = x.grad, layer.weight.grad, layer.bias.grad
    return tuple(layer.weight.shape), name_of(y.grad_fn), tuple(y.shape), y, grads, repr(layer)


@each({"plain": (1, 0, 1), "strided": (2, 1, 1), "grouped": (1, 1, 2)})
def s004_010(torch, stride, padding, groups):
    layer = filled(torch, torch.nn.Conv2d(2, 2, 2, stride, padding, groups=groups))
    x = torch.tensor(double(1, 2, 3, 4), requires_grad=True)

    def run(x, weight, bias):
        return torch.nn.functional.conv2d(x, weight, bias, stride, padding, 1, groups)

    arguments = x, layer.weight, layer.bias
    return torch.autograd.gradcheck(run, arguments), torch.autograd.gradgradcheck(run, arguments)


def s004_011(torch):
    x = torch.tensor(-np.arange(15.0, 51.0)[::-1].reshape(1, 1, 6, 6).copy() % 37, requires_grad=True)
    y = torch.nn.MaxPool2d(3, stride=2, padding=1)(-x - 40)
    (y * torch.tensor(double(1, 1, 3, 3))).sum().backward()
    z, places = torch.nn.MaxPool2d(2, return_indices=True)(x)
    return y, x.grad, z, places


def s004_012(torch):
    x = torch.tensor(double(2, 3, 4, 6), requires_grad=True)
    y = torch.nn.AdaptiveAvgPool2d((1, 1))(x)
    y.sum().backward()
    spread, x.grad = x.grad, None
    z = torch.nn.AvgPool2d(2)(x)
    (z * z).sum().backward()
    return y, spread, z, x.grad


def s004_013(torch):
    nn = torch.nn
    x = leaf(torch, [[-1.0, 2.0], [3.0, -4.0]])
    y = nn.ReLU()(x)
    y.sum().backward()
    z = x.detach().clone()
    in_place = nn.ReLU(inplace=True)(z) is z
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    flat = tuple(nn.Flatten()(torch.zeros(2, 3, 2, 2)).shape)
    return y, x.grad, in_place, z, flat, len(model), type(model[1]).__name__, nn.Identity()(x) is x


def module_with_everything(torch):
    class M(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.zeros(2))
            self.register_buffer("b", torch.ones(2))
            self.register_buffer("hidden", torch.ones(2), persistent=False)
            self.sub = torch.nn.Linear(2, 2)
            self.number = 3

        def forward(self, x):
            return self.sub(x) * self.w + self.b

    return M()


def s004_014(torch):
    m = module_with_everything(torch)
    return (
        [name for name, _ in m.named_parameters()],
        [name for name, _ in m.named_buffers()],
        [name for name, _ in m.named_modules()],
        [name for name, _ in m.named_children()],
        list(m.state_dict()),
        tuple(m(torch.ones(2)).shape),
        repr(m),
    )


def s004_015(torch):
    layer = torch.nn.Linear(2, 2)

    class Unprepared(torch.nn.Module):
        def __init__(self):
            self.sub = torch.nn.Linear(2, 2)

    def assign():
        layer.weight = torch.zeros(2, 2)

    return (
        raises(assign, "as parameter 'weight' (torch.nn.Parameter or None expected)"),
        raises(Unprepared, "cannot assign module before Module.__init__() call"),
        raises(lambda: torch.nn.Module()(1), 'Module [Module] is missing the required "forward" function'),
        raises(lambda: layer.no_such_thing, "'Linear' object has no attribute 'no_such_thing'"),
        setattr(layer, "bias", None),
        [name for name, _ in layer.named_parameters()],
    )


def s004_016(torch):
    layer = filled(torch, torch.nn.Linear(2, 2, bias=False))
    model = torch.nn.Sequential(layer, torch.nn.Tanh(), layer)
    x = torch.tensor(numbers(3, 2))
    model(x).sum().backward()
    return len(list(model.parameters())), list(model.state_dict()), layer.weight.grad
