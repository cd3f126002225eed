"""Does every sample call pass through the compiler, first and second derivative?"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, all_samples

import ast_ad.rules  # noqa: F401
from ast_ad.rule.programs import check_float32, check_program
from ast_ad.rules.registry import lookup

LISTS = {"ast_ad.rules.containers"}


def name(fn: Any) -> str:
    return f"{getattr(fn, '__module__', '') or ''}.{getattr(fn, '__name__', fn)}"


CASES = [
    pytest.param(fn, sample, id=f"{name(fn)}-{i}")
    for fn, entries in all_samples().items()
    for i, sample in enumerate(entries)
    if (primitive := lookup(fn)) is not None and primitive.kind != "nondifferentiable"
]


@pytest.mark.parametrize(("fn", "sample"), CASES)
def test_adjoints(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_program(fn, sample, run_time_lists=getattr(fn, "__module__", "") in LISTS)


@pytest.mark.parametrize(("fn", "sample"), [case for case in CASES if "float32" in case.values[1].dtypes])
def test_float32_stays(fn: Any, sample: Sample) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_float32(fn, sample, run_time_lists=getattr(fn, "__module__", "") in LISTS)
