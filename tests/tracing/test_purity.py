"""Is a function that changes something outside told from one that does not, in each version of Python?"""

import pytest

from ast_ad.tracing.purity import _changes_in_place

SHARED: set = set()


def shared_and_more(x):
    found = SHARED
    y = x
    found |= {y}
    return found


def shared_beside(x):
    total, found = 0.0, SHARED
    found |= {1}
    total += x
    return total


def of_an_argument(x):
    x += 1
    return x


def numbers_only(x):
    total = 0.0
    y = x * 2
    total += y
    y += total
    return y


@pytest.mark.core
@pytest.mark.parametrize(
    "function, changes",
    [(shared_and_more, True), (shared_beside, True), (of_an_argument, True), (numbers_only, False)],
)
def test_operators_in_place_are_seen_whatever_instructions_join(function, changes):
    """Python 3.13 stores a name and loads another one by one instruction."""
    assert _changes_in_place(function.__code__) is changes
