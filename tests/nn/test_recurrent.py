"""Do recurrent networks compute what PyTorch's compute, and refuse what they refuse?"""

import json
import pathlib

import numpy as np
import pytest

import ast_ad as torch

from .recurrent_cases import CASES, measured

RECORDED = json.loads((pathlib.Path(__file__).parent / "recorded" / "recurrent.json").read_text())["cases"]


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_recorded(name):
    found, expected = measured(torch, CASES[name]), RECORDED[name]
    zero = [0.0, 0.0, 0.0]  # of a second derivative: it may be left out
    for key in {**found, **expected}:
        pair = found.get(key, zero), expected.get(key, zero)
        np.testing.assert_allclose(*pair, rtol=1e-10, atol=1e-11, err_msg=f"{name}: {key}")
