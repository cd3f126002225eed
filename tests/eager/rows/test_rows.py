"""Does every row of the specification hold? Each case, against what PyTorch 2.13 showed when recorded."""

from __future__ import annotations

import json

import ast_ad
from tests.together import grouped, together

from .case import all_cases
from .check_rows import run
from .record import EXPECTED

CASES = dict(all_cases())
RECORDED = json.loads(EXPECTED.read_text())


def test_every_case_is_recorded() -> None:
    assert set(CASES) == set(RECORDED)


@together(["name"], grouped([(name, [name]) for name in CASES], lambda name: name.partition("_")[0]))
def test_row(name: str) -> None:
    wrong = run(ast_ad, CASES[name], RECORDED[name])
    assert not wrong, wrong
