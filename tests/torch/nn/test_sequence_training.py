"""Do networks of sequences train as PyTorch trains them, from the same weights, over 20 steps?"""

import json
import pathlib

import numpy as np
import pytest

import ast_ad as torch

from .sequence_training import BOUNDS, NETWORKS, OPTIMISERS, trained

FILE = pathlib.Path(__file__).parent / "recorded" / "sequence_training.json"
RECORDED = json.loads(FILE.read_text())["runs"]


@pytest.mark.parametrize("dtype", BOUNDS)
@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("network", NETWORKS)
def test_trains_like_pytorch(network, optimiser, dtype):
    found, expected = trained(torch, network, optimiser, dtype), RECORDED[f"{network} {optimiser} {dtype}"]
    np.testing.assert_allclose(found["losses"], expected["losses"], rtol=BOUNDS[dtype])
    assert found["losses"][-1] < 0.95 * found["losses"][0]
    for mine, theirs in zip(found["states"], expected["states"], strict=True):
        assert list(mine) == list(theirs)
        for name, numbers in theirs.items():
            scale = max(map(abs, numbers))
            np.testing.assert_allclose(mine[name], numbers, rtol=0, atol=BOUNDS[dtype] * scale, err_msg=name)
