"""Do the programs of every family give Python's own answer on NumPy code, and are they compiled?"""

import pytest

from .harness import judge
from .known import cases


@pytest.mark.drawn(of=272, by="-")
@pytest.mark.parametrize(("program", "judgement"), cases("numpy"))
def test_program(program, judgement):
    judge(program, "numpy", judgement)
