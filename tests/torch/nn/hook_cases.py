"""Hooks of modules: their order, what they get, what they may replace, and when they are refused."""

import warnings
from collections import OrderedDict

from tests.torch.nn.behaviours import case
from tests.torch.nn.module_cases import layer, network


@case
def order_of_forward_hooks(torch):
    m, log, x = layer(torch), [], torch.ones(1, 2)
    handles = [
        m.register_forward_hook(lambda m, args, out: log.append("second")),
        m.register_forward_hook(
            lambda m, args, kwargs, out: log.append(("first", len(args), kwargs)),
            prepend=True,
            with_kwargs=True,
        ),
        m.register_forward_pre_hook(lambda m, args: log.append(("before", args))),
        m.register_forward_pre_hook(
            lambda m, args, kwargs: log.append("earlier"), prepend=True, with_kwargs=True
        ),
    ]
    yield m(x)
    yield list(log)
    for h in handles:
        h.remove()
    log.clear()
    m(x)
    yield log, len(m._forward_hooks), len(m._forward_hooks_with_kwargs), len(m._forward_pre_hooks_with_kwargs)


@case
def replacing_forward_hooks(torch):
    m, x = layer(torch), torch.ones(1, 2)
    with m.register_forward_pre_hook(lambda m, args: args[0] * 10):
        yield m(x)
    with m.register_forward_pre_hook(lambda m, args, kwargs: ((args[0] * 3,), kwargs), with_kwargs=True):
        yield m(x)
    with m.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True):
        yield lambda: m(x)
    with (
        m.register_forward_hook(lambda m, args, out: out + 100),
        m.register_forward_hook(lambda m, a, o: o * 2),
    ):
        yield m(x)
    with m.register_forward_hook(lambda m, args, kwargs, out: kwargs, with_kwargs=True):
        yield m(x=x)
    yield m(x)


@case
def forward_hooks_that_are_always_called(torch):
    m, log = layer(torch), []
    m.register_forward_hook(lambda m, args, out: log.append(("plain", out)))
    m.register_forward_hook(lambda m, args, out: log.append(("always", out)), always_call=True)
    yield lambda: m("wrong", 3)
    yield log

    def fails(m, args, out):
        raise ValueError("in the hook")

    m.register_forward_hook(fails, always_call=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield lambda: m("wrong", 3)
        yield [str(w.message) for w in caught]
    yield lambda: m(torch.ones(1, 2))


@case
def full_backward_hooks(torch):
    n, log = network(torch), []
    n.register_full_backward_hook(lambda m, gi, go: log.append(("net", gi, go)))
    n.register_full_backward_pre_hook(lambda m, go: log.append(("before net", go)))
    n.first.register_full_backward_hook(lambda m, gi, go: log.append(("first", gi, go)))
    n.second.register_full_backward_hook(lambda m, gi, go: log.append(("second", gi, go)))
    n.second.register_full_backward_hook(lambda m, gi, go: log.append("second, earlier"), prepend=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = n(torch.ones(4, 2))
        yield y, y.grad_fn
        y.sum().backward()
        yield [str(w.message) for w in caught]
    yield list(log)
    log.clear()
    x = torch.ones(4, 2, requires_grad=True)
    n(x).sum().backward()
    yield log, x.grad
    log.clear()
    with torch.no_grad():
        yield n(x)
    yield log


@case
def replacing_backward_hooks(torch):
    m, x = layer(torch), torch.ones(1, 2, requires_grad=True)
    with m.register_full_backward_hook(lambda m, gi, go: (gi[0] * 10,)):
        m(x).sum().backward()
        yield x.grad, m.weight.grad
    x.grad = None
    m.zero_grad()
    with m.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,)):
        m(x).sum().backward()
        yield x.grad, m.weight.grad
    with m.register_full_backward_pre_hook(lambda m, go: (go[0], go[0])):
        yield lambda: m(x).sum().backward()
    with m.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0])):
        yield lambda: m(x).sum().backward()
    with m.register_full_backward_hook(lambda m, gi, go: (torch.ones(1),)):
        yield lambda: m(torch.ones(1, 2)).sum().backward()


@case
def backward_hooks_of_several_tensors(torch):
    class Two(torch.nn.Module):
        def forward(self, a, b, n):
            return a * b, n, a + b

    m, log = Two(), []
    m.register_full_backward_hook(lambda m, gi, go: log.append((gi, go)))
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
    product, n, total = m(a, b, 5)
    yield n, product, total
    (product.sum() * 2).backward(retain_graph=True)
    yield list(log)
    log.clear()
    (product + total).sum().backward()
    yield log, a.grad

    class Odd(torch.nn.Module):
        def forward(self, a):
            return [a * 2]

    m = Odd()
    m.register_full_backward_hook(lambda m, gi, go: log.append(1))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = m(a)
        yield [str(w.message) for w in caught], found


@case
def kinds_of_backward_hooks(torch):
    m = layer(torch)
    m.register_full_backward_hook(lambda m, gi, go: None)
    yield lambda: m.register_backward_hook(print)
    m, log = layer(torch), []
    m.register_backward_hook(lambda m, gi, go: log.append((type(m).__name__, len(gi), go)))
    yield lambda: m.register_full_backward_hook(print)
    m(torch.ones(1, 2)).sum().backward()
    yield log


@case
def state_dict_hooks(torch):
    n, log = network(torch), []
    handles = [
        n.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("pre", prefix, keep))),
        n.first.register_state_dict_pre_hook(lambda m, prefix, keep: log.append(("pre", prefix, keep))),
        n.first.register_state_dict_post_hook(
            lambda m, state, prefix, meta: log.append(("post", prefix, meta, len(state)))
        ),
    ]
    n.state_dict()
    yield list(log)
    for h in handles:
        h.remove()
    h = n.first._register_state_dict_hook(lambda m, state, prefix, meta: state.pop(prefix + "bias") and None)
    yield lambda: list(n.state_dict())
    h.remove()

    def wrong(m, state, prefix, meta):
        return state

    n.register_state_dict_post_hook(wrong)
    yield lambda: n.state_dict()
    yield lambda: n._register_state_dict_hook(wrong)


@case
def load_state_dict_hooks(torch):
    n, log = network(torch), []
    state = n.state_dict()

    def rename(module, state, prefix, meta, strict, missing, unexpected, errors):
        log.append((type(module).__name__, prefix, meta, strict, len(state)))
        if prefix + "kernel" in state:
            state[prefix + "weight"] = state.pop(prefix + "kernel")

    n.first.register_load_state_dict_pre_hook(rename)
    n.first._register_load_state_dict_pre_hook(lambda *args: log.append(len(args)))
    renamed = OrderedDict((k.replace("first.weight", "first.kernel"), v) for k, v in state.items())
    yield n.load_state_dict(renamed)
    yield list(log)

    def forgive(module, keys):
        keys.missing_keys.clear()

    h = n.register_load_state_dict_post_hook(forgive)
    yield lambda: n.load_state_dict({})
    h.remove()
    n.register_load_state_dict_post_hook(lambda module, keys: 3)
    yield lambda: n.load_state_dict(state)


@case
def hooks_of_all_modules(torch):
    from importlib import import_module

    hooks = import_module(f"{torch.__name__}.nn.modules.module")
    n, log, x = network(torch), [], torch.ones(1, 2, requires_grad=True)
    handles = [
        hooks.register_module_forward_pre_hook(lambda m, args: log.append(("pre", type(m).__name__))),
        hooks.register_module_forward_hook(lambda m, args, out: log.append(("post", type(m).__name__))),
        hooks.register_module_full_backward_hook(
            lambda m, gi, go: log.append(("backward", type(m).__name__))
        ),
        hooks.register_module_full_backward_pre_hook(lambda m, go: log.append(("before", type(m).__name__))),
        hooks.register_module_parameter_registration_hook(lambda m, name, p: log.append(name)),
        hooks.register_module_buffer_registration_hook(lambda m, name, b: log.append(name)),
        hooks.register_module_module_registration_hook(lambda m, name, s: log.append(name)),
    ]
    n(x).sum().backward()
    yield list(log)
    log.clear()
    network(torch)
    yield list(log)
    yield lambda: hooks.register_module_backward_hook(print)
    for h in handles:
        h.remove()
    log.clear()
    n(x)
    yield log


@case
def backward_hooks_and_in_place_changes(torch):
    class Adding(torch.nn.Module):
        def forward(self, x, in_place):
            self.seen = x
            if in_place:
                x += 1
            return x.clone()

    x, m = torch.ones(3, requires_grad=True), Adding()
    for register in (m.register_full_backward_hook, m.register_full_backward_pre_hook):
        log = []
        with register(lambda *args, log=log: log.append(len(args))):
            m(x, False).sum().backward()
            yield log
            yield lambda: m(x.clone(), True)
            local = x.clone()
            m(local, False)
            local[0] *= 1
            yield lambda: m.seen + 2
            yield lambda: m(x, False).add_(1)


@case
def what_older_hooks_miss(torch):
    a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    forwards = {
        "list in": (lambda pair: (pair[0].clone(), pair[1].clone()), ([a, b],)),
        "list out": (lambda a, b: [a.clone(), b.clone()], (a, b)),
        "dict out": (lambda a: {"x": a.clone()}, (a,)),
        "two nodes": (lambda a, b: (a.clone(), b.clone()), (a, b)),
        "chain": (lambda a: a.clone().clone(), (a,)),
        "one": (lambda a: a.clone(), (a * 2,)),
    }
    for forward, args in forwards.values():
        m = torch.nn.Module()
        m.forward = forward
        m.register_backward_hook(lambda *args: None)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            m(*args)
        yield [(w.category.__name__, str(w.message)) for w in caught]


@case
def backward_hooks_without_gradients_of_inputs(torch):
    m, log = layer(torch), []
    m.register_full_backward_pre_hook(lambda m, go: log.append(go))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        m(torch.ones(1, 2)).sum().backward()
        yield log, [str(w.message) for w in caught]
    x = torch.ones(1, 2, requires_grad=True)
    m = layer(torch)
    m.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,))
    (g,) = torch.autograd.grad((m(x) ** 2).sum(), x, create_graph=True)
    yield g
    g.sum().backward()
    yield x.grad, m.weight.grad
