"""Does every row of the specification hold? Each case, against what PyTorch 2.13 showed when recorded."""

from __future__ import annotations

import json

import pytest

import ast_ad

from .case import all_cases
from .check_rows import run
from .record import EXPECTED

CASES = dict(all_cases())
RECORDED = json.loads(EXPECTED.read_text())


def test_every_case_is_recorded() -> None:
    assert set(CASES) == set(RECORDED)


@pytest.mark.parametrize("name", CASES)
def test_row(name: str) -> None:
    wrong = run(ast_ad, CASES[name], RECORDED[name])
    assert not wrong, wrong
