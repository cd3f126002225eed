"""Are many cases in one test run as they are one by one?"""

import re

import pytest

import ast_ad

from .together import grouped, run_each, together

CASES = [("a-0", [1, "x"]), ("a-1", [2, "y"]), ("b-0", [3, "z"])]
BY_LETTER = grouped(CASES, lambda name: name[0])


@together(["number", "text"], BY_LETTER)
def test_cases_have_their_values_and_the_fixtures(number, text, request, tmp_path):
    assert request.node.name.endswith("[b]" if number == 3 else "[a]") and tmp_path.exists()
    assert (number, text) in [(1, "x"), (2, "y"), (3, "z")]


def test_each_group_is_a_test_that_runs_all_of_it():
    seen = []

    def noting(number, text, by):
        seen.append((number, text, by))

    made = together(["number", "text"], BY_LETTER)(noting)
    (mark,) = made.pytestmark
    assert mark.args[0] == "cases" and mark.kwargs["ids"] == ["a", "b"]
    for cases in mark.args[1]:
        made(cases, by="hand")
    assert seen == [(1, "x", "hand"), (2, "y", "hand"), (3, "z", "hand")]


def failing(values):
    ran.append(values)
    if values[0] != "right":
        raise ValueError(values[0])


ran = []


def test_all_are_run_and_named():
    ran.clear()
    with pytest.raises(ValueError, match="wrong") as one:
        run_each([("first", ["wrong"]), ("second", ["right"])], failing)
    assert one.value.__notes__ == ["in the case first"] and len(ran) == 2
    with pytest.raises(ExceptionGroup, match=re.escape("2 cases fail")) as several:
        run_each([("first", ["wrong"]), ("second", ["right"]), ("third", ["other"])], failing)
    assert [error.__notes__ for error in several.value.exceptions] == [
        ["in the case first"],
        ["in the case third"],
    ]
    assert len(ran) == 5


def test_none_skips_itself():
    ran.clear()

    def skipping(values):
        if values[0] == "left":
            pytest.skip("not here")
        failing(values)

    with pytest.raises(ExceptionGroup) as both:
        run_each([("first", ["left"]), ("second", ["wrong"])], skipping)
    assert [str(e) for e in both.value.exceptions] == [
        "the case first skips itself among others: not here",
        "wrong",
    ]


def test_each_begins_with_the_same_draws():
    ast_ad.rand(1)  # what draws is loaded then
    drawn = []
    run_each([("first", []), ("second", [])], lambda values: drawn.append(float(ast_ad.rand(1))))
    assert drawn[0] == drawn[1]
