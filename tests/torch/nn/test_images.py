"""Are normalisation, pooling, padding and resampling PyTorch's: results, gradients, second ones, refusals?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ast_ad as torch
from tests.torch.nn.image_cases import CASES, outcome

RECORDED = json.loads((Path(__file__).parent / "recorded" / "images.json").read_text())


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("name", CASES)
def test_as_pytorch(name: str) -> None:
    expected, found = RECORDED[name], outcome(torch, name)
    assert found.keys() == expected.keys(), (found, expected)
    if "error" in expected:
        assert found["error"] == expected["error"]
        return
    if not name.startswith("grid_sample"):  # made of several operations here
        assert found["nodes"] == expected["nodes"]
    for part in ("results", "gradients", "second"):
        assert len(found[part]) == len(expected[part])
        for mine, theirs in zip(found[part], expected[part], strict=True):
            same(mine, theirs)


def same(mine: Any, theirs: Any) -> None:
    """None: no gradient, or zeros."""
    if mine is None or theirs is None:
        assert mine is theirs
        return
    assert mine[:2] == theirs[:2]
    np.testing.assert_allclose(mine[2], theirs[2], rtol=1e-11, atol=1e-11)


def test_all_cases_are_recorded() -> None:
    assert list(RECORDED) == list(CASES)
