"""Does every sample call pass through the compiler, first and second derivative?"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, each_sample

import ast_ad.rules  # noqa: F401
from ast_ad.rule.programs import check_float32, check_program
from ast_ad.rules.registry import lookup

LISTS = {"ast_ad.rules.containers"}


def is_differentiable(fn: Any, sample: Sample) -> bool:
    return (primitive := lookup(fn)) is not None and primitive.kind != "nondifferentiable"


@pytest.mark.drawn(of=24)
@each_sample(is_differentiable)
def test_adjoints(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_program(fn, sample, run_time_lists=getattr(fn, "__module__", "") in LISTS)


@pytest.mark.drawn(of=16)
@each_sample(lambda fn, sample: is_differentiable(fn, sample) and "float32" in sample.dtypes)
def test_float32_stays(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_float32(fn, sample, run_time_lists=getattr(fn, "__module__", "") in LISTS)
