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


# ----- recursion whose depth is known at run time only
def refined(f, a, b, tolerance):
    middle = 0.5 * (a + b)
    whole = (b - a) * f(middle)
    halves = 0.5 * (b - a) * (f(0.5 * (a + middle)) + f(0.5 * (middle + b)))
    if abs(whole - halves) < tolerance:
        return halves
    return refined(f, a, middle, 0.5 * tolerance) + refined(f, middle, b, 0.5 * tolerance)


@program(0.9, later=[(0.3,), (2.1,), (0.01,)], compiled=False, kernels=False)
def adaptive_quadrature(x):
    return refined(lambda t: t * t * x + t, 0.0, x, 1e-3)


def halved(x):
    return x if x < 1.0 else halved(x * 0.5) * 1.1 + x * x


@program(3.5, later=[(30.0,), (1e12,), (1.5,), (0.5,)], compiled=False)
def depths_2_5_40_1(x):
    return halved(x)


def is_even(x, n):
    return x if n < 0.5 else is_odd(x * 0.9, n - 1.0)


def is_odd(x, n):
    return -x if n < 0.5 else is_even(x + 0.1, n - 1.0)


@program(0.7, 4.0, later=[(0.7, 9.0), (0.7, 40.0), (0.7, 0.0)], wrt=(0,), compiled=False)
def odd_and_even(x, n):
    return is_even(x, n) * x


class Tree:
    def __init__(self, value, *below):
        self.value, self.below = value, below

    def total(self, x):
        return self.value * x + sum(one.total(x * 0.5) for one in self.below)


TREE = Tree(1.5, Tree(0.5, Tree(2.0)), Tree(-1.0), Tree(0.25, Tree(3.0, Tree(1.0))))


@program(0.7)
def tree_walk(x):
    return TREE.total(x) * x


@program(3.5, later=[(60.0,), (1.3,)], compiled=False)
def closure_that_calls_itself(x):
    def down(y):
        if y < 1.0:
            return y * x
        return down(y * 0.5) + y

    return down(x)


@program(0.7, 5, later=[(0.7, 9), (0.7, 33), (0.7, 0)])
def depth_is_an_argument(x, n):
    return power_of(x, n) + x


def power_of(x, n):
    return 1.0 if n == 0 else x * power_of(x, n - 1)


def doubled(x, n):
    if x > 1e6:
        return x
    return x if n == 0 else doubled(x + x * x * 0.01, n - 1)


@program(0.7)
def forty_deep_with_a_way_out(x):
    return doubled(x, 40)


# Known to fail: (program, backend, judgement) -> what is seen (`python -m tests.soundness --mark`).
KNOWN: dict[tuple[str, str, str], str] = {
    ("depth_is_an_argument", "numpy", "compiled"): "traced",
    ("depth_is_an_argument", "numba", "compiled"): "traced",
}
