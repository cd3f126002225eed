"""Is it true of which argument a function reads no more than shape and dtype?

Programs that are split in two put a stand-in of the same shape in the place of such an argument, so that a
wrong entry of the table makes wrong gradients, or saves what nobody reads.
"""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, all_samples, name

from ast_ad.rules.helpers import METADATA

SAMPLES = all_samples()  # whose modules fill the table
CASES = [
    pytest.param(fn, position, sample, id=f"{name(fn)}-{i}")
    for fn, position in METADATA.items()
    for i, sample in enumerate(SAMPLES.get(fn, []))
]


def stand_in(value: Any) -> Any:
    """Something else of the same structure, shape and dtype."""
    if isinstance(value, (list, tuple)):
        return type(value)(map(stand_in, value))
    if isinstance(value, np.ndarray):
        return np.where(value == 0, 1, 0).astype(value.dtype)
    return type(value)(value == 0)


@pytest.mark.parametrize("fn, position, sample", CASES)
def test_the_result_does_not_depend_on_its_values(fn: Any, position: int, sample: Sample) -> None:
    args, kwargs = sample.args, sample.kwargs
    assert position < len(args)
    others = [stand_in(arg) if i == position else arg for i, arg in enumerate(args)]
    expected, found = (fn(*copy.deepcopy(given), **copy.deepcopy(kwargs)) for given in (args, others))
    np.testing.assert_equal(found, expected)


def test_there_are_samples() -> None:
    assert len({case.values[0] for case in CASES}) > 40
