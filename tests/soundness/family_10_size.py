"""Size: deep and long programs, and functions that call themselves. Is what is compiled what Python runs?"""

import numpy as np

from ..growth import nested, programs
from .harness import program

FIVE = np.array([0.4, -0.9, 1.3, 0.7, -0.2])
SEVEN = np.linspace(0.1, 0.9, 7)


def written(name, function):
    """A program of this module that was made as a text."""
    function.__name__, function.__module__ = name, __name__
    return function


# ----- deep programs
program(0.7, 50, later=[(0.7, 0), (0.3, 119), (0.4, -1)], kernels=False)(
    written("a_hundred_and_twenty_elifs", nested.alternatives(120))
)
program(0.7, 60, later=[(0.7, 0), (0.3, 99), (0.4, 500)])(
    written("a_hundred_elifs_that_return", nested.alternatives(100, True))
)
program(0.7, later=[(0.2,)])(written("two_hundred_helpers", nested.helpers(200)))
program(0.7)(written("helpers_that_call_two", nested.tree(12)))
program(0.7, 0.2, later=[(30.0, 0.2), (0.1, 9.0)])(written("sixty_early_returns", nested.early_returns(60)))
program(0.7, 0.2, later=[(300.0, 0.2), (0.1, 9.0)], compiled=False, kernels=False)(
    written("early_returns_beyond_python", nested.early_returns(110))
)
program(0.7, 0.8, later=[(0.7, 5.0), (4.0, 1.0), (-2.0, 0.1)])(
    written("sixteen_branches_deep", nested.within_branches(16))
)
program(0.7, FIVE, later=[(2.0, FIVE), (9.0, FIVE), (-3.0, FIVE)])(
    written("writes_thirteen_branches_deep", nested.writes_within_branches(13))
)
program(0.7)(written("a_thousand_terms", nested.sum_of_terms(1000)))

# ----- long programs
program(0.7, kernels=False)(written("three_hundred_numbers", programs.scalars(300)))
program(SEVEN, kernels=False)(written("three_hundred_arrays", programs.arrays(300)))
program(SEVEN, kernels=False)(written("a_hundred_writes", programs.writes(100)))
program(0.7, kernels=False)(written("sixty_loops", programs.loops(60)))


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {}
