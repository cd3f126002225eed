"""Containers: sequences, lists and dicts of modules and of parameters."""

from collections import OrderedDict

from tests.torch.nn.behaviours import case


def scale(torch, i):
    """A module that multiplies by a number."""

    class Scale(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.i = i
            self.weight = torch.nn.Parameter(torch.ones(i))

        def forward(self, x):
            return x * i

        def extra_repr(self):
            return f"{i}"

    return Scale()


@case
def sequential(torch):
    def S(*numbers):
        return torch.nn.Sequential(*[scale(torch, i) for i in numbers])

    named = torch.nn.Sequential(OrderedDict(a=scale(torch, 1), b=scale(torch, 2)))
    s = S(1, 2, 3)
    yield s, s[0], s[-1], s[1:], s[::2], len(s), [m.i for m in s], s(torch.ones(2))
    for index in (3, -4, "a", None, 1.0):
        yield lambda index=index: s[index]
    yield named, named[:1], named.b, named[1], S(), lambda: named["a"]
    yield S(1) + S(2), 2 * S(1), S(1, 2) * 2
    yield lambda: S(1) + 3
    yield lambda: S(1) * 0
    yield lambda: S(1) * 1.0
    yield lambda: S(1).insert(4, scale(torch, 1))
    yield lambda: S(1).insert(0, 3)
    yield lambda: S(1).append(3)
    yield lambda: torch.nn.Sequential(3)
    s = S(1, 2)
    s *= 2
    s += S(7)
    s.append(scale(torch, 8)).insert(1, scale(torch, 9))
    s.insert(-1, scale(torch, 10))
    s.extend([scale(torch, 4)])
    yield s, list(s.state_dict())
    del s[0]
    yield s.pop(1), s.pop(-1)
    s[0] = scale(torch, 77)
    del s[1:3]
    yield s, list(s.state_dict())
    named.append(scale(torch, 3))
    yield named
    del named[0]
    yield named


@case
def module_lists(torch):
    def M(*numbers):
        return torch.nn.ModuleList([scale(torch, i) for i in numbers])

    yield M(), M(1), M(1, 1, 1, 2, 3, 3), M(1, 2)[1:], M(1, 2)[-1], M(1) + M(2), M(1) + [scale(torch, 4)]
    yield lambda: M(1, 2)[5]
    yield lambda: M(1)(3)
    yield lambda: torch.nn.ModuleList(3)
    yield lambda: M(1).extend(3)
    yield lambda: M(1).append(3)
    yield torch.nn.ModuleList([M(1, 1), M(1, 1), torch.nn.Sequential(scale(torch, 1))])
    m = M(1, 2, 3)
    m.append(scale(torch, 4))
    m.insert(1, scale(torch, 9))
    m += [scale(torch, 5)]
    yield m, m.pop(0), len(m)
    del m[0]
    m[-1] = scale(torch, 6)
    del m[0:2]
    yield m, len(m), list(m.state_dict()), [name for name in dir(m) if name.isdigit()]


@case
def module_dicts(torch):
    def D(**numbers):
        return torch.nn.ModuleDict({name: scale(torch, i) for name, i in numbers.items()})

    yield D(a=1, b=2), D(b=1, a=2)["a"], list(D(b=1, a=2)), D()
    yield lambda: D(a=1)["q"]
    yield lambda: D(a=1)(2)
    for wrong in (
        3,
        [3],
        [(1, 2, 3)],
        {"keys": scale(torch, 1)},
        {"a.b": scale(torch, 1)},
        {"a": 3},
        [(1, 2)],
    ):
        yield lambda wrong=wrong: torch.nn.ModuleDict(wrong)
    yield torch.nn.ModuleDict([("a", scale(torch, 3))]), torch.nn.ModuleDict(D(z=1))
    d = D(a=1, b=2)
    d.update(D(c=3))
    yield d.pop("a"), len(d)
    del d["b"]
    d["z"] = scale(torch, 1)
    yield "z" in d, "a" in d, list(d.keys()), list(d.values()), list(d.items()), list(d.state_dict())
    d.clear()
    yield d, len(d)


@case
def parameter_lists(torch):
    def P(*lengths):
        return torch.nn.ParameterList([torch.ones(i, i) for i in lengths])

    yield P(), P(1, 2), P(1, 2, 3)[1:], P(1)[0], P(1)[-1], [k for k, _ in P(1, 2).named_parameters()]
    yield torch.nn.ParameterList([3, torch.nn.Parameter(torch.ones(1)), "a"])
    yield lambda: P(1)[1]
    yield lambda: P(1)(3)
    yield lambda: torch.nn.ParameterList(torch.ones(3))
    yield lambda: torch.nn.ParameterList(3)
    p = P(1)
    p.append(torch.ones(3)).extend([torch.zeros(1)])
    p += [3]
    p[0] = torch.ones(2)
    yield p, len(p), list(p), list(p.state_dict())


@case
def parameter_dicts(torch):
    def P(**lengths):
        return torch.nn.ParameterDict({name: torch.ones(i, i) for name, i in lengths.items()})

    yield P(), P(b=1, a=2), P(a=1) | P(c=2), P(b=1, a=2).popitem(), P(a=1).copy()
    for wrong in (3, [(1, 2)], [("a", 2, 3)], [1]):
        yield lambda wrong=wrong: torch.nn.ParameterDict(wrong)
    yield lambda: P(a=1)(3)
    yield lambda: P().popitem()
    yield lambda: P(a=1)["b"]
    yield lambda: P(a=1)[3]
    yield P().fromkeys("ab", torch.ones(1)), P(a=1).setdefault("q"), P(a=1).setdefault("q", torch.ones(1))
    p = P(b=1, a=1)
    yield list(p.state_dict()), list(reversed(p)), "a" in p, p.get("c", 5), list(p.items()), list(p.values())
    p.update({"z": torch.zeros(1), "c": 3})
    p.update([("y", torch.zeros(2))])
    yield p, p.pop("z"), len(p), list(p.keys())
    p |= P(d=1)
    p.clear()
    yield p


@case
def containers_within_modules(torch):
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList([scale(torch, 1), scale(torch, 1)])
            self.weights = torch.nn.ParameterList([torch.ones(1), torch.ones(2)])
            self.named = torch.nn.ParameterDict({"a": torch.ones(1)})
            self.net = torch.nn.Sequential(scale(torch, 1), scale(torch, 2))
            self.choice = torch.nn.ModuleDict({"x": scale(torch, 3)})

    yield Net(), list(Net().state_dict()), [k for k, _ in Net().named_modules()]
