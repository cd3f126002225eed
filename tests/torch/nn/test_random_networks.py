"""Are the gradients of random networks those of differences, however they are computed?

Tensors, compiled functions and both forms of the kernels take the same source.
"""

from importlib.util import find_spec, module_from_spec, spec_from_file_location

import numpy as np
import pytest

import ast_ad
from ast_ad.rules import loops as kernels

from .random_networks import Network

SEEDS = range(40)
NUMBA = pytest.mark.skipif(find_spec("numba") is None, reason="needs Numba")


def loaded(network, folder, name):
    """The function of a network, from a file that a compiler can read."""
    path = folder / f"{name}.py"
    path.write_text(network.source())
    module = module_from_spec(spec_from_file_location(name, path))
    module.__spec__.loader.exec_module(module)
    return module.net


def on_tensors(net, p, x):
    """The loss and all gradients, by ``backward``; ``x`` comes last."""
    leaves = [ast_ad.tensor(v, requires_grad=True) for v in (*p.values(), x)]
    loss = net(dict(zip(p, leaves, strict=False)), leaves[-1])
    loss.backward()
    found = [np.zeros(t.shape, x.dtype) if t.grad is None else t.grad.numpy() for t in leaves]
    return np.asarray(loss.detach()), found


def by_differences(net, p, x):
    """The derivative along a random direction, and this direction."""
    rng = np.random.default_rng(0)
    way = [rng.normal(size=v.shape) for v in (*p.values(), x)]

    def at(h):
        moved = [v + h * d for v, d in zip((*p.values(), x), way, strict=True)]
        return float(net(dict(zip(p, moved, strict=False)), moved[-1]))

    with np.errstate(all="ignore"):
        return (at(1e-6) - at(-1e-6)) / 2e-6, way


def assert_same(found, expected, tolerance):
    for a, b in zip(found, expected, strict=True):
        assert np.shape(a) == np.shape(b) and a.dtype == b.dtype
        scale = np.abs(b).max(initial=1e-3)
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("seed", SEEDS)
def test_tensors_and_compiled_functions(seed, tmp_path):
    network = Network(seed)
    net = loaded(network, tmp_path, f"net{seed}")
    run = ast_ad.value_and_grad(net, argnums=(0, 1), backend="numpy", fallback="error")
    for samples in (3, 2, 5):
        x = network.data(samples)
        value, grads = on_tensors(net, network.p, x)
        slope, way = by_differences(net, network.p, x)
        assert abs(slope - sum(np.vdot(g, d) for g, d in zip(grads, way, strict=True))) <= 1e-5 * (
            1 + abs(slope)
        )
        again, (of_p, of_x) = run(network.p, x)
        assert_same([np.asarray(again), *of_p.values(), of_x], [value, *grads], 1e-9)


@NUMBA
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_both_forms_of_kernels(dtype, tmp_path, monkeypatch):
    for seed in SEEDS:
        network = Network(seed)
        net = loaded(network, tmp_path, f"net{seed}")
        p, x = {k: v.astype(dtype) for k, v in network.p.items()}, network.data(3).astype(dtype)
        monkeypatch.setattr(kernels, "WORTHWHILE", 1 << 60)
        value, grads = on_tensors(net, p, x)
        monkeypatch.setattr(kernels, "WORTHWHILE", 0)
        again, found = on_tensors(net, p, x)
        assert_same([again, *found], [value, *grads], 1e-9 if dtype == "float64" else 1e-3)


def grouped(p, x):
    x = ast_ad.nn.functional.linear(x, p["w"])
    x = ast_ad.nn.functional.conv1d(x, p["k"], None, 2, 2, 2, 2)
    return (x * x).sum()


def coarse(p, x):
    x = ast_ad.nn.functional.max_pool2d(x * p["w"], (1, 3), (3, 1))
    return (x.reshape(1, -1, *x.shape[2:]) ** 3).sum()


def padded(p, x):
    x = ast_ad.nn.functional.conv2d(x, p["k"], None, (2, 1), 0, (2, 1))
    return ast_ad.nn.functional.pad(x[:, 1:] * p["w"], (1, 0, 2, 2), "reflect").sum()


def test_lengths_after_strides_are_not_taken_for_constants():
    p, x = {"w": np.array(2.0), "k": np.ones((2, 2, 2, 2))}, np.arange(90.0).reshape(3, 2, 3, 5)
    for net in (coarse, padded):
        run = ast_ad.value_and_grad(net, argnums=(0, 1), fallback="error")
        for data in (np.repeat(x, 3, 2), np.repeat(np.repeat(x, 4, 2), 2, 3)):
            value, grads = on_tensors(net, p, data)
            again, (of_p, of_x) = run(p, data)
            assert_same([np.asarray(again), *map(np.asarray, of_p.values()), of_x], [value, *grads], 1e-12)


def widened(p, x):
    x = ast_ad.nn.functional.conv_transpose1d(x, p["t"], None, 2, 0, 0, 2)
    x = ast_ad.nn.functional.linear(ast_ad.nn.functional.pad(x, (0, 1)), p["w"])
    return (ast_ad.nn.functional.conv1d(x, p["k"], None, 2, 2) ** 2).sum()


def test_lengths_that_are_sums_and_products_of_others():
    rng = np.random.default_rng(0)
    p = {"t": rng.normal(size=(4, 3, 2)), "w": rng.normal(size=(1, 7)), "k": rng.normal(size=(2, 6, 1))}
    x = rng.normal(size=(2, 4, 3))
    value, grads = on_tensors(widened, p, x)
    again, (of_p, of_x) = ast_ad.value_and_grad(widened, argnums=(0, 1), fallback="error")(p, x)
    assert_same([np.asarray(again), *of_p.values(), of_x], [value, *grads], 1e-12)


def test_groups_of_channels_behind_a_single_column():
    p, x = {"w": np.ones((1, 6)), "k": np.arange(8.0).reshape(4, 2, 1)}, np.ones((3, 4, 6))
    value, grads = on_tensors(grouped, p, x)
    again, (of_p, of_x) = ast_ad.value_and_grad(grouped, argnums=(0, 1), fallback="error")(p, x)
    assert_same([np.asarray(again), *of_p.values(), of_x], [value, *grads], 1e-12)
