"""Do networks train as with PyTorch, recorded, over 20 steps: with tensors, and compiled?"""

import numpy as np
import pytest

import ast_ad
from benchmarks import compiled_networks
from tests.torch.nn import trajectories
from tests.torch.nn.trajectories import BOUNDS, MOMENTUM, RATE, SIZES, STEPS

RECORDED = trajectories.recorded()


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("network", SIZES)
def test_training_is_that_of_pytorch(network, dtype):
    got = trajectories.trained(ast_ad, network, dtype)
    errors = trajectories.differences(got, RECORDED[f"{network} {dtype}"])
    assert max(errors.values()) < BOUNDS[dtype], errors


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("network", compiled_networks.LOSSES)
def test_compiled_training_is_that_of_pytorch(network, dtype):
    task = trajectories.task(ast_ad, network, dtype)
    step = compiled_networks.trainer(network, task, RATE, MOMENTUM)
    losses = [float(step()) for _ in range(STEPS)]
    expected = RECORDED[f"{network} {dtype}"]
    np.testing.assert_allclose(losses, expected["losses"], rtol=BOUNDS[dtype])
    params = compiled_networks.arranged(network, step.params)
    for name, (size, total) in expected["states"][-1].items():
        array = params[name]
        assert array.dtype == dtype
        assert np.allclose(trajectories.fingerprint(array), (size, total), rtol=0, atol=BOUNDS[dtype] * size)
