"""Modules: what is registered, what attributes may be, what is saved and loaded, how they are converted."""

import copy
import pickle
from collections import OrderedDict

from tests.torch.nn.behaviours import case


def layer(torch, inputs=2, outputs=3):
    """A layer with parameters, a buffer and a buffer that is not saved."""

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inputs = inputs
            self.weight = torch.nn.Parameter(torch.ones(outputs, inputs))
            self.bias = torch.nn.Parameter(torch.zeros(outputs))
            self.register_buffer("mean", torch.ones(1))
            self.register_buffer("scratch", torch.ones(1), persistent=False)

        def forward(self, x):
            return x @ self.weight.t() + self.bias

        def extra_repr(self):
            return f"{inputs},\n{outputs}" if inputs > 2 else f"{inputs}"

    return Layer()


def network(torch):
    """Two layers, one of them under two names, and a place for a third."""

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = layer(torch, 2, 3), layer(torch, 3, 2)
            self.again = self.first
            self.number = None
            self.register_module("nothing", None)

        def forward(self, x):
            return self.second(self.first(x))

    return Network()


@case
def parameters(torch):
    p = torch.nn.Parameter(torch.ones(2))
    yield p
    yield (
        isinstance(p, torch.Tensor),
        isinstance(torch.ones(1), torch.nn.Parameter),
        p.is_leaf,
        p.requires_grad,
    )
    yield torch.nn.Parameter(torch.ones(2), requires_grad=False)
    yield lambda: torch.nn.Parameter(torch.ones(2, dtype=torch.int64))
    yield torch.nn.Parameter(torch.ones(2, dtype=torch.int64), requires_grad=False)
    yield [type(t).__name__ for t in (p + 1, p * p, p.exp(), p.view(2), p.detach(), p.data, p.clone(), p[0])]
    with torch.no_grad():
        yield torch.nn.Parameter(torch.ones(1)).requires_grad
        yield type(p.add_(1)).__name__, p
    data = torch.zeros(2)
    shared = torch.nn.Parameter(data)
    data.add_(3)
    yield shared, shared._version
    (p * 2).sum().backward()
    yield p.grad, type(p.grad).__name__
    other = copy.deepcopy(p)
    yield type(other).__name__, other.grad, other is p, other
    restored = pickle.loads(pickle.dumps(p))
    yield type(restored).__name__, restored, restored.requires_grad
    yield torch.nn.Parameter(), p.type(), p == p, str(p.grad_fn)
    yield torch.nn.Parameter((p * 2).detach()).grad_fn, torch.nn.Parameter(p * 2).is_leaf


@case
def buffers(torch):
    b = torch.nn.Buffer(torch.ones(2), persistent=False)
    yield b, type(b).__name__, isinstance(b, torch.nn.Buffer), isinstance(torch.ones(1), torch.nn.Buffer)
    m = torch.nn.Module()
    m.a, m.b = torch.nn.Buffer(torch.ones(2)), b
    yield list(m.state_dict()), [n for n, _ in m.named_buffers()]
    m.b = torch.zeros(1)
    yield list(m.state_dict()), m.b
    m.b = None
    yield [n for n, _ in m.named_buffers()], m.b
    m.register_buffer("b", torch.ones(3))
    yield list(m.state_dict())
    del m.b
    yield lambda: m.b
    m.c = torch.ones(1)
    yield [n for n, _ in m.named_buffers()], m.c


@case
def iteration(torch):
    n = network(torch)
    yield n
    yield [k for k, _ in n.named_parameters()], [k for k, _ in n.named_parameters(remove_duplicate=False)]
    yield [k for k, _ in n.named_parameters(prefix="net", recurse=True)], list(n.parameters(recurse=False))
    yield [k for k, _ in n.named_buffers()], [k for k, _ in n.named_buffers(prefix="p")]
    yield [k for k, _ in n.named_modules()], [k for k, _ in n.named_modules(remove_duplicate=False)]
    yield [k for k, _ in n.named_children()], len(list(n.children())), len(list(n.modules()))
    n.second.weight = n.first.weight
    yield [k for k, _ in n.named_parameters()], len(list(n.parameters()))
    yield [name for name in dir(n) if name in ("first", "nothing", "training", "_modules", "forward")]


@case
def attributes(torch):
    n = network(torch)
    yield lambda: n.missing
    yield lambda: setattr(n.first, "weight", torch.ones(3))
    yield lambda: setattr(n, "first", 3)
    yield lambda: setattr(n.first, "mean", "x")
    yield lambda: setattr(n.first, "mean", [1])
    n.first.weight = None
    yield n.first.weight, [k for k, _ in n.named_parameters()]
    n.first.weight = torch.nn.Parameter(torch.ones(1))
    yield [k for k, _ in n.first.named_parameters()]
    n.first.inputs = torch.nn.Parameter(torch.ones(1))
    yield [k for k, _ in n.first.named_parameters()], "inputs" in n.first.__dict__
    n.first.mean = torch.nn.Parameter(torch.ones(1))
    yield [k for k, _ in n.first.named_buffers()], [k for k, _ in n.first.named_parameters()]
    n.first.bias = None
    yield lambda: delattr(n.first, "bias"), lambda: n.first.bias
    yield lambda: n.first.bias
    yield lambda: delattr(n, "missing")
    n.number = torch.nn.Module()
    yield n.number, "number" in n.__dict__
    del n.second
    yield n, hasattr(n, "second")
    n.plain = torch.ones(1)
    yield list(n.state_dict()), list(n._parameters), list(n._modules)


@case
def registration(torch):
    n = network(torch)
    for name in ("a.b", "", "first", 3, "ok"):
        yield lambda name=name: n.register_buffer(name, None)
        yield lambda name=name: n.register_parameter(name, None)
        yield lambda name=name: n.register_module(name, None)
    parameter = torch.nn.Parameter(torch.ones(1))
    yield lambda: n.register_buffer("z", 3)
    yield lambda: n.register_parameter("w", torch.ones(1))
    yield lambda: n.register_parameter("w", [1])
    yield lambda: n.register_parameter("w", parameter * 2)
    yield lambda: n.register_parameter("forward", parameter)
    yield lambda: n.add_module("w", 3)
    yield lambda: n.add_module("w", torch.nn.Module)
    yield lambda: n.register_parameter("w", torch.nn.Module())


@case
def misuse(torch):
    module, parameter = torch.nn.Module, torch.nn.Parameter(torch.ones(1))
    yield lambda: module()(3)
    yield lambda: module(3)
    yield lambda: module(a=3)

    class EarlyAttribute(module):
        def __init__(self, value):
            self.a = 3
            self.b = value

    yield lambda: EarlyAttribute(parameter)
    yield lambda: EarlyAttribute(module())

    class EarlyBuffer(module):
        def __init__(self):
            self.register_buffer("a", None)

    class EarlyParameter(module):
        def __init__(self):
            self.register_parameter("a", None)

    yield EarlyBuffer
    yield EarlyParameter
    yield lambda: module().train(3)
    yield lambda: network(torch).to(torch.int32)
    yield lambda: network(torch).load_state_dict(3)


@case
def lookup(torch):
    n = network(torch)
    yield n.get_submodule("") is n, n.get_submodule("first") is n.first
    for path in ("first.missing", "first.weight", "missing.x"):
        yield lambda path=path: n.get_submodule(path)
    for path in ("first.weight", "first.mean", "first.missing", "first.inputs", "weight"):
        yield lambda path=path: n.get_parameter(path)
        yield lambda path=path: n.get_buffer(path)
    n.set_submodule("second", torch.nn.Module())
    yield n
    yield lambda: n.set_submodule("", torch.nn.Module())
    yield lambda: n.set_submodule("first.weight", torch.nn.Module())
    yield lambda: n.set_submodule("first.new", torch.nn.Module(), strict=True)
    yield lambda: n.set_submodule("first.new", torch.nn.Module())
    yield lambda: n.set_submodule("first", 3)
    yield n


@case
def state_dicts(torch):
    n = network(torch)
    state = n.state_dict()
    yield type(state).__name__, list(state), state._metadata
    yield state["first.weight"].requires_grad, state["first.weight"].data_ptr() == n.first.weight.data_ptr()
    yield n.state_dict(keep_vars=True)["first.weight"] is n.first.weight
    yield list(n.state_dict(prefix="net.")), n.first.state_dict(prefix="a")._metadata
    target = OrderedDict(mine=1)
    yield n.first.state_dict(destination=target) is target, list(target)
    other = network(torch)
    with torch.no_grad():
        other.first.weight.mul_(5)
    before = n.first.weight
    yield n.load_state_dict(other.state_dict())
    yield n.first.weight is before, n.first.weight, n.first.weight.requires_grad, n.first.weight._version
    yield lambda: n.load_state_dict(
        {"first.weight": torch.ones(2, 2), "x": 3, "first.bias": 5, "second.q": 1}
    )
    yield lambda: n.load_state_dict({"x": torch.ones(1), "first.weight": torch.zeros(3, 2)}, strict=False)
    yield n.first.weight
    yield lambda: n.load_state_dict({"first.weight": torch.ones(2, 2)}, strict=False)
    yield lambda: n.load_state_dict({}), lambda: n.load_state_dict({}, strict=False)
    new = torch.zeros(3, 2, dtype=torch.float64)
    n.load_state_dict({"first.weight": new}, strict=False)
    yield n.first.weight.dtype
    n.load_state_dict({"first.weight": new, "first.mean": new[0, :1]}, strict=False, assign=True)
    yield n.first.weight, n.first.weight.data_ptr() == new.data_ptr(), n.first.mean
    found = n.load_state_dict({"first.weight": new, "y": new}, strict=False)
    yield found.missing_keys, found.unexpected_keys, found
    m = torch.nn.Module()
    m.s = torch.nn.Parameter(torch.tensor(1.0))
    yield m.load_state_dict({"s": torch.tensor([4.0])}), m.s


@case
def extra_state(torch):
    class Counting(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 3

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    m = torch.nn.Module()
    m.child = Counting()
    state = m.state_dict()
    yield dict(state)
    m.child.count = 5
    yield m.load_state_dict(state), m.child.count
    yield lambda: m.load_state_dict({})
    yield lambda: torch.nn.Module().load_state_dict({"_extra_state": 1})
    yield lambda: torch.nn.Module().get_extra_state(), lambda: torch.nn.Module().set_extra_state(1)


@case
def versions(torch):
    class Old(torch.nn.Module):
        _version = 7

        def _load_from_state_dict(
            self, state_dict, prefix, local_metadata, strict, missing, unexpected, errors
        ):
            self.seen = local_metadata.get("version"), prefix, sorted(state_dict)
            super()._load_from_state_dict(
                state_dict, prefix, local_metadata, strict, missing, unexpected, errors
            )

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "extra"] = torch.ones(1)

    m = torch.nn.Module()
    m.old = Old()
    state = m.state_dict()
    yield dict(state), state._metadata
    yield lambda: m.load_state_dict(state)
    yield m.old.seen


@case
def conversion(torch):
    n = network(torch)
    n.first.count = torch.nn.Buffer(torch.ones(1, dtype=torch.int64))
    weight = n.first.weight
    n(torch.ones(1, 2)).sum().backward()
    yield n.double() is n, n.first.weight is weight, weight.dtype, weight.grad.dtype, n.first.mean.dtype
    yield n.first.count.dtype, weight.is_leaf, weight.requires_grad
    for change in (
        lambda: n.to(torch.float32),
        lambda: n.to("cpu"),
        lambda: n.to("cpu", torch.float64),
        lambda: n.to(torch.ones(1)),
        lambda: n.to(device="cpu", dtype=torch.float16),
        lambda: n.type(torch.float64),
        lambda: n.float(),
        lambda: n.half(),
        lambda: n.cpu(),
    ):
        change()
        yield n.first.weight.dtype, n.first.mean.dtype, n.first.weight.grad.dtype, n.first.count.dtype
    yield n.share_memory() is n, n.requires_grad_(False) is n, n.first.weight.requires_grad
    yield n.to_empty(device="cpu").second.weight.shape


@case
def training(torch):
    n = network(torch)
    yield n.training, n.eval() is n, n.training, n.first.training, n.train().second.training
    n(torch.ones(1, 2)).sum().backward()
    yield n.first.weight.grad
    n.zero_grad(set_to_none=False)
    yield n.first.weight.grad
    n.zero_grad()
    yield n.first.weight.grad
    seen = []
    yield n.apply(lambda m: seen.append(type(m).__name__)) is n, seen
    n.requires_grad_(False)
    n.second.requires_grad_(True)
    n(torch.ones(1, 2)).sum().backward()
    yield n.first.weight.grad, n.second.weight.grad
    n.first.eval()
    yield n.first.training, n.training


@case
def shared(torch):
    n = torch.nn.Module()
    n.a, n.b = layer(torch, 2, 2), layer(torch, 2, 2)
    n.b.weight = n.a.weight
    x = torch.ones(1, 2)
    n.b(n.a(x)).sum().backward()
    yield n.a.weight.grad, len(list(n.parameters())), list(n.state_dict())
    other = copy.deepcopy(n)
    yield other.a.weight is other.b.weight, other.a.weight is n.a.weight, other.a.weight
    n.load_state_dict(other.state_dict())
    yield n.a.weight is n.b.weight


@case
def texts(torch):
    nn = torch.nn
    yield nn.Module(), nn.Linear(2, 3), nn.Sequential(), nn.Linear(2, 3, bias=False)
    yield nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), layer(torch, 4, 5)))
    yield nn.Flatten(), nn.Flatten(0, 1), nn.Unflatten(1, (2, 3)), nn.Unflatten(1, [2, 3])
    yield str(layer(torch, 3)), f"{layer(torch)}"


@case
def reshaping(torch):
    nn, x = torch.nn, torch.arange(24.0).reshape(2, 3, 4)
    yield nn.Flatten()(x), nn.Flatten(0, 1)(x).shape, nn.Flatten(0)(x).shape
    yield nn.Unflatten(2, (2, 2))(x).shape, nn.Unflatten(-1, (2, -1))(x).shape
    for wrong in (3, "ab", (2, "a"), (2, 3.0)):
        yield lambda wrong=wrong: nn.Unflatten(1, wrong)


@case
def prefixes(torch):
    from importlib import import_module

    consume = import_module(f"{torch.__name__}.nn.modules.utils").consume_prefix_in_state_dict_if_present
    wrapper = torch.nn.Module()
    wrapper.module = network(torch)
    state = wrapper.state_dict()
    consume(state, "module.")
    yield list(state), dict(state._metadata)
    yield network(torch).load_state_dict(state)
