"""Uses of modules and containers that are rare, but have a meaning in PyTorch, or an error."""

import copy
import pickle
from collections import OrderedDict

from tests.torch.nn.behaviours import case


def with_item(container, index, value):
    container[index] = value
    return container


@case
def odd_indices(torch):
    nn = torch.nn

    def sequence():
        return nn.Sequential(nn.ReLU(), nn.Tanh(), nn.Sigmoid())

    for index, value in ((slice(0, 1), nn.ReLU()), (-1, nn.ReLU()), (5, nn.ReLU()), (0, 3), (0, None)):
        yield lambda index=index, value=value: with_item(sequence(), index, value)
        yield lambda index=index, value=value: with_item(nn.ModuleList(sequence()), index, value)
    s = sequence()
    yield list(reversed(s)), s[0] in s, s[True], s[torch.tensor(1)], nn.Sequential(*s.children())
    yield nn.Sequential(s, s), nn.Sequential(OrderedDict([("1", nn.ReLU()), ("0", nn.Tanh())]))[0]
    m = nn.ModuleList(sequence())
    yield m[::2], m[5:], list(reversed(m)), m[0] in m, nn.ModuleList(m)
    yield lambda: m["0"]
    yield nn.ModuleList(x for x in [nn.ReLU()]), nn.ModuleList([None]), nn.ModuleList([nn.ReLU(), None])[1]
    for place in (0, 2, -1, 5):
        m = nn.ModuleList([nn.ReLU(), nn.Tanh()])
        yield lambda m=m, place=place: m.insert(place, nn.Sigmoid())
        yield m


@case
def odd_parameter_containers(torch):
    nn = torch.nn
    items = nn.ParameterList([torch.ones(1), torch.ones(2)])
    yield nn.ParameterList(items), with_item(items, 0, None), items[0]
    yield pickle.loads(pickle.dumps(items)), copy.deepcopy(items)
    yield lambda: with_item(items, slice(0, 1), 3)
    yield items.extend(nn.ParameterList([torch.zeros(1)]))
    items.extra = nn.Parameter(torch.ones(4))
    yield items, [name for name, _ in items.named_parameters()]
    for wrong in ({"a.b": torch.ones(1)}, {"forward": torch.ones(1)}, {"keys": torch.ones(1)}):
        yield lambda wrong=wrong: nn.ParameterDict(wrong)
    yield pickle.loads(pickle.dumps(nn.ParameterDict({"a": torch.ones(1), "b": 3})))
    named = nn.ModuleDict({"a": nn.ReLU(), "b": None})
    yield named, named["b"], copy.deepcopy(named), nn.ModuleDict(OrderedDict(z=nn.ReLU(), a=nn.Tanh()))
    yield lambda: nn.ModuleDict({3: nn.ReLU()})
    yield lambda: named.pop("missing")
    yield lambda: named.update([("b", nn.Tanh(), 3)])


@case
def odd_attributes(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self._hidden, self.plain = nn.ReLU(), nn.Tanh(), [nn.Sigmoid()]
            self.p, self.t = None, torch.ones(1)

        @property
        def broken(self):
            return self.nothing

    a = Net()
    yield a
    yield lambda: a.broken
    a.layer = None
    yield a, a.layer, list(a.named_children())
    a.layer = nn.Sigmoid()
    a.p = nn.Parameter(torch.ones(1))
    yield a, list(a.state_dict())
    a.p = None
    yield a._parameters
    yield lambda: setattr(a, "p", torch.ones(1))
    a.t = nn.Parameter(torch.ones(1))
    yield a._parameters

    class Keywords(nn.Module):
        def forward(self, *, x=2):
            return x

    yield Keywords()(x=3), Keywords()()
    yield lambda: Keywords()(3)
    yield (
        nn.Module() == nn.Module(),
        bool(nn.Module()),
        bool(nn.Sequential()),
        len({nn.Module(), nn.Module()}),
    )


@case
def cooperative_inheritance(torch):
    class Cooperative(torch.nn.Module):
        call_super_init = True

    class Other:
        def __init__(self, a, k=3):
            self.a, self.k = a, k

    class Both(Cooperative, Other):
        pass

    both = Both(5, k=4)
    yield both.a, both.k, both.training


@case
def odd_states(torch):
    nn = torch.nn
    m = nn.Module()
    m.register_buffer("w", None)
    m.register_parameter("q", None)
    m.r = nn.Parameter(torch.ones(1))
    yield dict(m.state_dict()), m.w
    m.w = torch.ones(2)
    m.q = nn.Parameter(torch.ones(1))
    yield list(m.state_dict()), m.load_state_dict({"r": torch.ones(1)}, strict=False)
    yield lambda: m.load_state_dict({"r": torch.ones(1, 1)})
    rest = {"r": torch.ones(1), "w": torch.ones(2)}
    yield lambda: m.load_state_dict({**rest, "q": torch.tensor(3)})
    yield m.load_state_dict({**rest, "q": torch.tensor([True])}), m.q


@case
def odd_conversions(torch):
    nn = torch.nn
    layer = nn.Module()
    layer.weight = nn.Parameter(torch.ones(2, 2))
    weight, loss = layer.weight, (layer.weight * 2).sum()
    yield layer.double().weight is weight, weight.dtype
    yield lambda: loss.backward()
    yield layer.to(torch.complex64).weight.dtype, layer.type("torch.DoubleTensor").weight.dtype
    yield layer.to(dtype=torch.float32, non_blocking=True).weight.dtype
    yield lambda: layer.type(torch.int64)
    yield layer.half().double().float().state_dict(), nn.Module().half().state_dict()
