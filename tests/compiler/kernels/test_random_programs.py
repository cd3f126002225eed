"""Are kernels of random programs right? ``python -m tests.compiler.kernels.run`` does thousands."""

import warnings

import pytest

pytest.importorskip("numba")

from tests.programs.generate import generate

from .run import difference


@pytest.mark.drawn(of=21)
@pytest.mark.parametrize("seed", range(20))
def test_evaluated(seed, tmp_path):
    program = generate(10_000 + seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        why = difference(program, tmp_path, "evaluated")
    assert why == "", f"{why}\n{program.source}"
