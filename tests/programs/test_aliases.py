"""Does the compiler know which array is which? Random programs that rename arrays and write to them."""

import pathlib

import pytest

from .aliases import judge, make


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_a_write_is_seen_under_every_name(first: int, tmp_path: pathlib.Path) -> None:
    for seed in range(first, first + 20):
        case = make(seed)
        found = judge(case, tmp_path)
        assert found in ("right", "refused", "raises"), f"seed {seed}: {found}\n{case.source}"
