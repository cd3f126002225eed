"""Are the tangents of random programs right? Sixty of them, against both other ways."""

import numpy as np
import pytest

from ast_ad.errors import AdError
from tests.compiler.checking import primal
from tests.programs.check import differences, load, unload
from tests.programs.generate import copies, generate

from .checking import directions, run, verify

COUNT = 60
REFUSED = {34}


@pytest.mark.drawn(of=38)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("seed", range(COUNT))
def test_random_programs(seed, tmp_path):
    program = generate(seed)
    module = load(program, tmp_path)
    try:
        function = primal(module.f, *copies(program.args))
    except AdError:
        assert seed in REFUSED
    else:
        assert seed not in REFUSED
        against_differences(module.f, function, program)
    finally:
        unload(module)


def against_differences(f, function, program):
    values = list(copies(program.args))
    found = verify(function, (0, 1, 2), values)
    slopes, along = differences(f, program.args), directions(values, (0, 1, 2))
    expected = sum(float(np.sum(slope * v)) for slope, v in zip(slopes, along, strict=True))
    if np.isfinite(expected):
        scale = 1 + sum(float(np.sum(np.abs(slope))) for slope in slopes)
        assert abs(run(found, *values, *along)[-1] - expected) <= 2e-6 * scale, program.source
