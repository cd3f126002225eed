"""Do equal numbers share the gradient of ``max`` and ``min`` in traces, as they do in compiled code?"""

import numpy as np
import pytest

import ast_ad

X = np.array([0.5, 0.5, 0.5, 0.1])
PROGRAMS = [
    lambda x: max([t for t in x]),
    lambda x: max(x),
    lambda x: max(*x),
    lambda x: max(x[0], x[1]),
    lambda x: min(x[0], min(x[1], x[2])),
    lambda x: max(0.5, x[0]),
    lambda x: max(x[0], x[3]),
    lambda x: max([], default=x[1]),
    lambda x: min((x[3], 1), (x[0], 0))[0],
]


@pytest.mark.filterwarnings("ignore::ast_ad.errors.FallbackWarning")
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_compiled(program):
    def run_as_it_is(x):
        def once():
            turns = (i for i in range(2))
            if next(turns) == 0 and next(turns):  # which is not followed
                yield program(x)

        return sum(once())

    compiled, as_it_is = ast_ad.grad(program), ast_ad.grad(run_as_it_is)
    np.testing.assert_array_equal(as_it_is(X), compiled(X))
    assert as_it_is.mode == "fallback"
