"""Do tests with many cases run those that they say?"""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.drawing import drawn

FILE = "tests/test_a.py"
ONES = [f"tests/test_a.py::test_one[{case}]" for case in range(800)]
PAIRS = [f"tests/test_a.py::test_pair[{case}-{of}]" for case in range(20) for of in ("value", "gradient")]
FEW = [f"tests/test_a.py::test_few[{case}]" for case in range(3)]
PLAIN = ["tests/test_a.py::test_plain"]


class Item(SimpleNamespace):
    def get_closest_marker(self, name):
        assert name == "drawn"
        return self.mark


def items():
    given = {"of": 8}, {"of": 3, "by": "-"}, {"of": 10**9}
    one, pair, few = (SimpleNamespace(kwargs=kwargs) for kwargs in given)
    marks = [(PLAIN, None), (ONES, one), (PAIRS, pair), (FEW, few)]
    return [
        Item(nodeid=name, mark=mark, path=Path(FILE).resolve()) for names, mark in marks for name in names
    ]


def names(args, every_case=False, keyword="", turn=""):
    option = SimpleNamespace(every_case=every_case, keyword=keyword, turn=turn)
    config = SimpleNamespace(option=option, args=args)
    kept, left = drawn(config, items())
    assert len(kept) + len(left) == len(items())
    return [item.nodeid for item in kept]


def test_one_in_a_few_runs():
    some = names(["tests"])
    assert 60 <= len([name for name in some if name in ONES]) <= 140
    assert PLAIN[0] in some
    assert some == names(["tests/calls", "tests/test_b.py"])


def test_in_all_turns_all_run():
    turns = [set(names([FILE], turn=f"{turn}/4")) for turn in range(4)]
    assert set.union(*turns) == {*PLAIN, *ONES, *PAIRS, *FEW}
    for i, some in enumerate(turns):
        assert 140 <= len(some & {*ONES}) <= 260
        assert all(some.isdisjoint(other & {*ONES, *PAIRS}) for other in turns[:i])
        pairs = {name.partition("[")[2] for name in some & {*PAIRS}}
        assert len(pairs) == 2 * len({name.partition("-")[0] for name in pairs})


def test_each_test_has_a_case_that_runs():
    assert len([name for name in names(["tests"]) if name in FEW]) == 1


def test_cases_that_belong_together_run_together():
    pairs = {name.partition("[")[2] for name in names(["tests"]) if name in PAIRS}
    programs = {name.partition("-")[0] for name in pairs}
    assert 0 < len(programs) < 20
    assert pairs == {f"{program}-{of}]" for program in programs for of in ("value", "gradient")}


@pytest.mark.parametrize(
    "asked",
    [
        dict(args=["tests"], every_case=True),
        dict(args=["tests"], keyword="one"),
        dict(args=["tests/test_a.py"]),
        dict(args=["tests/calls", "tests/test_a.py::test_one[7]"]),
    ],
)
def test_all_run_where_that_is_asked_for(asked):
    assert len(names(**asked)) == len(items())
