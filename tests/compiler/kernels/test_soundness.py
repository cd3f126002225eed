"""Do the programs of tests/soundness give Python's own answer as kernels?"""

import pytest

from tests.soundness.harness import judge
from tests.soundness.known import cases


@pytest.mark.drawn(of=320, by="-")
@pytest.mark.parametrize(("program", "judgement"), cases("numba"))
def test_program(program, judgement):
    judge(program, "numba", judgement)
