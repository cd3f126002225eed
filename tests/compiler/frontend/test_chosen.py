"""Do the few programs that reach most of the compiler have the derivative of Python's own run?"""

import pytest

from tests.soundness.harness import every_program, judge

from .chosen import CHOSEN

FAMILIES = {name.partition("-")[0] for name in CHOSEN}  # others import what the core has no use for
PROGRAMS = {f"{family}-{one.name}": one for family, one in every_program(FAMILIES)}


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("name", CHOSEN[::-1])  # the first one, the core's, is a short one
def test_a_program(name):
    judge(PROGRAMS[name], "numpy", "right")
