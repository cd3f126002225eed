"""Do the few programs that reach most of the compiler have the derivative of Python's own run?"""

import pytest

from tests.soundness.harness import every_program, families, judge

from .chosen import CHOSEN

families()
PROGRAMS = {f"{family}-{one.name}": one for family, one in every_program()}


@pytest.mark.parametrize("name", CHOSEN)
def test_a_program(name):
    judge(PROGRAMS[name], "numpy", "right")
