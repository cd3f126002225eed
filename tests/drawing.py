"""Which of a test's many cases run?

Some tests have thousands: a kernel for each program that ever was wrong, a derivative for each operation,
type and shape. Numba alone takes an hour for them. ``drawn(of=8)`` runs one in eight, and at least one,
always the same ones, whatever is added beside them; ``pytest --every-case`` runs all, and so does a file, or
a test, that is named. ``--turn 3/8`` runs another eighth of each: in eight turns, from ``0/8``, all are run.
"""

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest


def number_of(item: pytest.Item, mark: pytest.Mark) -> int:
    """A number that a case has by its name, so that others don't change it."""
    name = item.nodeid if "by" not in mark.kwargs else item.nodeid.rpartition(mark.kwargs["by"])[0]
    return zlib.crc32(name.encode())


def chosen(items: Iterable[pytest.Item], turn: str = "") -> set[str]:
    """The cases that run: of each test those whose number its mark divides, or else the first one.

    ``turn``: the remainder that numbers leave instead, and by what they are divided (``"3/8"``).
    """
    rest, _, parts = turn.partition("/")
    found = set[str]()
    tests: dict[str, list[tuple[int, str]]] = {}
    for item in items:
        mark = item.get_closest_marker("drawn")
        if mark is None:
            found.add(item.nodeid)
            continue
        number = number_of(item, mark)
        tests.setdefault(item.nodeid.partition("[")[0], []).append((number, item.nodeid))
        if number % int(parts or mark.kwargs["of"]) == int(rest or 0):
            found.add(item.nodeid)
    for cases in tests.values():
        first, _ = cases[0]
        if found.isdisjoint(name for _, name in cases):
            found.update(name for number, name in cases if number == first)
    return found


def drawn(config: pytest.Config, items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The cases that run, and those that are left out."""
    every = config.option.every_case or config.option.keyword
    turn = config.option.turn
    named = {
        Path(arg.partition("::")[0]).resolve() for arg in config.args if "::" in arg or arg.endswith(".py")
    }
    named = set() if turn else named
    items = list(items)
    ours = chosen(items, turn)
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        (kept if every or item.path in named or item.nodeid in ours else left).append(item)
    return kept, left
