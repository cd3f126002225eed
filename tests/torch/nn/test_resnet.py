"""Are the residual networks of the examples the published ones, and do weights in files reach them?"""

import pytest

import ast_ad as torch
from benchmarks.training import filled, resnet_module
from tests.eager.rows.networks import narrow

MODULE = resnet_module(torch)
# The numbers of parameters, of their tensors, and of entries of the state dict, of torchvision's.
SIZES = {
    "resnet18": (11_689_512, 62, 122),
    "resnet34": (21_797_672, 110, 218),
    "resnet50": (25_557_032, 161, 320),
}


@pytest.mark.parametrize("name", SIZES)
def test_sizes(name):
    model = getattr(MODULE, name)()
    parameters = list(model.parameters())
    assert (sum(p.numel() for p in parameters), len(parameters), len(model.state_dict())) == SIZES[name]


def test_initial_values():
    model = MODULE.resnet18()
    weight = model.layer3[0].conv2.weight  # kaiming_normal_ of the fan out: 256 channels of 3x3
    assert abs(weight.std().item() - (2 / (256 * 9)) ** 0.5) < 1e-3
    assert model.bn1.weight.eq(1).all() and model.bn1.bias.eq(0).all()
    assert model.fc.weight.abs().max() <= 512**-0.5


def test_bottlenecks_run():
    model = filled(torch, MODULE.ResNet(MODULE.Bottleneck, [1, 1, 1, 1], 5, width=4), "float32")
    scores = model(torch.rand(2, 3, 32, 32))
    assert scores.shape == (2, 5)
    scores.sum().backward()
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("ending", ["pth", "safetensors"])
def test_weights_from_files(ending, tmp_path):
    path, model, other = tmp_path / f"weights.{ending}", narrow(torch), narrow(torch, seed=1)
    model(torch.rand(4, 3, 32, 32, dtype=torch.float64))  # moves the running statistics
    if ending == "pth":
        torch.save(model.state_dict(), path)
    else:
        pytest.importorskip("safetensors")
        from ast_ad.torch.safetensors import save_file

        save_file(model.state_dict(), path)
    said = other.load_state_dict(MODULE.weights(path))
    assert str(said) == "<All keys matched successfully>"
    x = torch.rand(2, 3, 32, 32, dtype=torch.float64)
    assert torch.equal(model.eval()(x), other.eval()(x))
