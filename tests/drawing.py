"""Which of a test's many cases run?

Some tests have thousands: a kernel for each program that ever was wrong, a derivative for each operation,
type and shape. Numba alone takes an hour for them. ``drawn(of=8)`` runs one in eight, and at least one,
always the same ones, whatever is added beside them; ``pytest --every-case`` runs all, and so does a file, or
a test, that is named.
"""

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest


def number_of(item: pytest.Item, mark: pytest.Mark) -> int:
    """A number that a case has by its name, so that others don't change it."""
    name = item.nodeid if "by" not in mark.kwargs else item.nodeid.rpartition(mark.kwargs["by"])[0]
    return zlib.crc32(name.encode())


def chosen(items: Iterable[pytest.Item]) -> set[str]:
    """The cases that run: of each test those whose number its mark divides, and the first one."""
    found = set[str]()
    tests: dict[str, list[tuple[int, str]]] = {}
    for item in items:
        mark = item.get_closest_marker("drawn")
        if mark is None:
            found.add(item.nodeid)
            continue
        number = number_of(item, mark)
        tests.setdefault(item.nodeid.partition("[")[0], []).append((number, item.nodeid))
        if number % int(mark.kwargs["of"]) == 0:
            found.add(item.nodeid)
    for cases in tests.values():
        first, _ = cases[0]
        found.update(name for number, name in cases if number == first)
    return found


def drawn(config: pytest.Config, items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The cases that run, and those that are left out."""
    every = config.option.every_case or config.option.keyword
    named = {
        Path(arg.partition("::")[0]).resolve() for arg in config.args if "::" in arg or arg.endswith(".py")
    }
    items = list(items)
    ours = chosen(items)
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        (kept if every or item.path in named or item.nodeid in ours else left).append(item)
    return kept, left
