"""Do traced programs give the values, the gradients and the second derivatives that they should?"""

import pytest

from tests.programs.check import check_traced
from tests.programs.generate import generate


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("seed", range(80))
def test_program(seed, tmp_path):
    program = generate(seed)
    outcome = check_traced(program, tmp_path, with_compiled=seed % 10 == 0)
    assert outcome.kind == "right", f"{outcome.why}\n\n{program.source}"
