"""Which of a test's many cases run?

Some tests have thousands: a kernel for each program that ever was wrong, a derivative for each operation,
type and shape. Numba alone takes an hour for them. ``drawn(of=8)`` runs one in eight, always the same ones,
whatever is added beside them; ``pytest --every-case`` runs all, and so does a file, or a test, that is named.
"""

import zlib
from collections.abc import Iterable
from pathlib import Path

import pytest


def is_drawn(item: pytest.Item) -> bool:
    """Whether a case is among those that run: by its name, so that others don't change it."""
    mark = item.get_closest_marker("drawn")
    if mark is None:
        return True
    name = item.nodeid if "by" not in mark.kwargs else item.nodeid.rpartition(mark.kwargs["by"])[0]
    return zlib.crc32(name.encode()) % int(mark.kwargs["of"]) == 0


def drawn(config: pytest.Config, items: Iterable[pytest.Item]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The cases that run, and those that are left out."""
    every = config.option.every_case or config.option.keyword
    named = {
        Path(arg.partition("::")[0]).resolve() for arg in config.args if "::" in arg or arg.endswith(".py")
    }
    kept: list[pytest.Item] = []
    left: list[pytest.Item] = []
    for item in items:
        (kept if every or item.path in named or is_drawn(item) else left).append(item)
    return kept, left
