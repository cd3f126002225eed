"""Do kernels give what NumPy gives where that is hard: the same values, gradients and errors?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")

from . import cases
from .comparing import compare

HARD = [
    pytest.param(f, args, argnums, id=f"{f.__name__}-{k}")
    for f, calls, argnums in cases.CASES
    for k, args in enumerate(calls)
]
# Compiled in every run of the tests: those that only compiled code can get wrong.
COMPILED = """
    overlap_add-1 transposed-1 repeated-2 index_arg-3 index_arg-4 slice_args-1 extrema-2 int_power-2
    python_division-0 domain-1 domain2-3 power_domain-4 loop_return-1 mismatched_store-3 single-1
    single_loop-0 complexes-0 integer_big-0 reductions_max-2 carried_alias-0 gathers-2
    compensated_sum-0 logarithm_near_one-0 rounding_errors-0 rounded-0 chosen_of_one-0 two_names-1
    branches_of_views-2 carried_state-0 swapped_parts-2
""".split()


@pytest.mark.drawn(of=14)
@pytest.mark.parametrize(("f", "args", "argnums"), HARD)
def test_evaluated(f: Any, args: tuple[Any, ...], argnums: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compare(f, args, "evaluated", argnums=argnums) == ""


@pytest.mark.drawn(of=9)
@pytest.mark.parametrize(("f", "args", "argnums"), [case for case in HARD if case.id in COMPILED])
def test_compiled(f: Any, args: tuple[Any, ...], argnums: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert compare(f, args, argnums=argnums) == ""


def test_a_carried_state_shares_nothing() -> None:
    """What a loop writes under its own names are buffers of the kernel's, and no views of the arguments."""
    gradient = ast_ad.grad(cases.carried_state, backend="numba", fallback="error")
    gradient(np.linspace(-1.0, 1.0, 60), 5)
    assert "@overlapping_kernel" not in gradient.source, gradient.source


def test_cases_that_are_compiled_exist() -> None:
    assert set(COMPILED) <= {case.id for case in HARD}
