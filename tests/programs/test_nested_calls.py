"""Are derivatives of random nests of loops right? A fixed few; ``tests.programs.nested_calls`` does more."""

import numpy as np
import pytest

from . import nested_calls
from .nested_calls import judge
from .nests import Writer

pytestmark = pytest.mark.filterwarnings("ignore")  # programs as they come


@pytest.fixture(autouse=True)
def without_the_net(monkeypatch):
    monkeypatch.setenv("AST_AD_CHECK", "0")


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("seed", range(12))
def test_nests(seed, tmp_path):
    with np.errstate(all="ignore"):
        found = judge(seed, tmp_path, "numpy")
    assert found in ("right", "refused", "raises", "unsure"), f"{found}\n{Writer(seed).source()}"


@pytest.mark.drawn(of=4)
@pytest.mark.parametrize("seed", [2098, 2099, 2101, 5000])
def test_kernels(seed, tmp_path):
    pytest.importorskip("numba")
    with np.errstate(all="ignore"):
        found = judge(seed, tmp_path, "numba")
    assert found in ("right", "refused", "raises", "unsure"), f"{found}\n{Writer(seed).source()}"


def test_nests_do_not_depend_on_the_run():
    for seed in range(5):
        assert Writer(seed).source() == Writer(seed).source()


@pytest.mark.parametrize("part", ["value", "gradient"])
def test_the_judge_finds_what_is_wrong(part, tmp_path, monkeypatch):
    compared = nested_calls.compared

    def spoilt(f, derivative, *more):
        def call(*args):
            value, gradient = derivative(*args)
            if part == "value":
                return value + 1e-3, gradient
            return value, [g + 1e-2 for g in gradient]

        return compared(f, call, *more)

    monkeypatch.setattr(nested_calls, "compared", spoilt)
    with np.errstate(all="ignore"):
        assert "wrong" in judge(3, tmp_path, "numpy")
