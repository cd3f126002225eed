"""Parametrized tensors: weight and spectral normalization, new and old, and parametrizations of one's own."""

import copy
import pickle

from tests.torch.nn.behaviours import case


def linear(torch, inputs=2, outputs=3):
    """A layer with fixed weights."""
    layer = torch.nn.Linear(inputs, outputs)
    with torch.no_grad():
        layer.weight.copy_(torch.arange(float(inputs * outputs)).reshape(outputs, inputs) - 2)
        layer.bias.fill_(0.5)
    return layer


def module(torch, forward, inverse=None):
    """A parametrization of functions."""
    methods = {"forward": lambda self, x: forward(x)}
    if inverse is not None:
        methods["right_inverse"] = lambda self, x: inverse(x)
    return type("Own", (torch.nn.Module,), methods)()


@case
def weight_normalization(torch):
    utils, x = torch.nn.utils, torch.tensor([[1.0, 2.0]])
    parametrize = utils.parametrize
    layer = utils.parametrizations.weight_norm(linear(torch))
    yield layer, list(layer.state_dict()), layer.weight, layer(x)
    layer(x).sum().backward()
    originals = layer.parametrizations.weight
    yield originals.original0.grad, originals.original1.grad
    other = copy.deepcopy(layer)
    yield type(other).__name__, other.weight.detach()
    yield lambda: pickle.dumps(layer)
    layer.weight = torch.ones(3, 2)
    yield layer.weight, originals.original0
    yield lambda: setattr(layer, "weight", torch.nn.Parameter(torch.ones(3, 2)))
    old = {"bias": torch.ones(3), "weight_g": torch.ones(3, 1), "weight_v": torch.ones(3, 2)}
    yield layer.load_state_dict(old), layer.weight
    yield parametrize.is_parametrized(layer), parametrize.is_parametrized(layer, "bias")
    yield parametrize.type_before_parametrizations(layer).__name__
    yield lambda: parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    yield parametrize.remove_parametrizations(layer, "weight"), layer.weight, list(layer.state_dict())
    yield lambda: parametrize.remove_parametrizations(layer, "weight")
    for dim in (None, 1):
        yield utils.parametrizations.weight_norm(linear(torch), dim=dim).parametrizations.weight.original0


@case
def own_parametrizations(torch):
    parametrize = torch.nn.utils.parametrize
    layer = linear(torch, 3, 3)
    weight = layer.weight
    symmetric = module(torch, lambda x: x.triu() + x.triu(1).t(), lambda a: a.triu())
    parametrize.register_parametrization(layer, "weight", symmetric)
    yield layer.weight, layer.parametrizations.weight.original is weight
    yield [k for k, _ in layer.named_parameters()]
    parametrize.register_parametrization(layer, "weight", module(torch, lambda x: x * 2))
    yield layer, layer.weight
    yield lambda: setattr(layer, "weight", torch.ones(3, 3))
    with parametrize.cached():
        yield layer.weight is layer.weight
    yield layer.weight is layer.weight
    parametrize.remove_parametrizations(layer, "weight", leave_parametrized=False)
    yield layer.weight is weight, layer.weight
    layer = parametrize.register_parametrization(linear(torch), "bias", module(torch, lambda x: x * 2))
    parametrize.register_parametrization(layer, "weight", module(torch, lambda x: x * 2))
    yield layer
    yield parametrize.remove_parametrizations(layer, "bias"), layer.train(False).training
    m = torch.nn.Module()
    m.register_buffer("b", torch.ones(2))
    yield parametrize.register_parametrization(m, "b", module(torch, lambda x: x * 2)).b, list(m.state_dict())


@case
def wrong_parametrizations(torch):
    parametrize = torch.nn.utils.parametrize
    wrong = [
        module(torch, lambda x: x[0]),
        module(torch, lambda x: x.double()),
        module(torch, lambda x: 3),
        module(torch, lambda x: x, lambda x: 3),
    ]
    for one in wrong:
        yield lambda one=one: parametrize.register_parametrization(linear(torch), "weight", one)
        twice = torch.nn.utils.parametrizations.weight_norm(linear(torch))
        yield lambda one=one, twice=twice: parametrize.register_parametrization(twice, "weight", one)
    yield lambda: parametrize.register_parametrization(linear(torch), "missing", wrong[0])
    yield parametrize.register_parametrization(linear(torch), "weight", wrong[0], unsafe=True).weight


@case
def older_weight_normalization(torch):
    utils, x = torch.nn.utils, torch.tensor([[1.0, 2.0]])
    layer = utils.weight_norm(linear(torch))
    yield layer, list(layer.state_dict()), layer.weight, layer(x)
    yield lambda: utils.weight_norm(layer)
    layer.weight_g.data.mul_(2)
    yield layer(x), layer.weight.detach()
    yield utils.remove_weight_norm(layer), layer.weight, list(layer.state_dict())
    yield lambda: utils.remove_weight_norm(layer)


@case
def spectral_normalization(torch):
    spectral_norm, x = torch.nn.utils.parametrizations.spectral_norm, torch.tensor([[1.0, 2.0]])
    layer = spectral_norm(linear(torch), n_power_iterations=30)
    yield layer, list(layer.state_dict()), (layer.weight * 1).detach()
    layer(x).sum().backward()
    yield layer.parametrizations.weight.original.grad
    layer.eval()
    yield (layer(x) + layer(x)).sum().backward()
    yield lambda: spectral_norm(linear(torch), "missing")
    yield lambda: spectral_norm(linear(torch), n_power_iterations=0)
    yield lambda: spectral_norm(linear(torch), dim=3)
    yield spectral_norm(linear(torch), "bias").bias


@case
def older_spectral_normalization(torch):
    utils, x = torch.nn.utils, torch.tensor([[1.0, 2.0]])
    layer = utils.spectral_norm(linear(torch), n_power_iterations=30)
    yield layer, list(layer.state_dict()), layer.state_dict()._metadata, layer.weight
    yield layer(x), layer.weight.detach()
    layer(x).sum().backward()
    yield layer.weight_orig.grad
    yield lambda: utils.spectral_norm(layer)
    yield utils.remove_spectral_norm(layer), layer.weight, list(layer.state_dict())
    yield lambda: utils.remove_spectral_norm(layer)
    yield lambda: utils.spectral_norm(linear(torch), n_power_iterations=0)
