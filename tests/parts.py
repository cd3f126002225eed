"""Which tests belong to which part of the package? To a wing: those in its folder. And to the core.

``pytest -m rules`` runs the tests of one wing. ``pytest -m core`` is for after every edit of the compiler:
texts, the front end, the IR and the passes, in less than half a minute of one core, where all of these
folders take more than four minutes. It leaves out the cases of kernels, which Numba compiles, and what bears
the mark ``slow``; ``slow(beyond=3)`` leaves the first three cases in, ``slow(one_in=3)`` every third one.
Who got the mark was decided by times (``--durations=0``): tests of more than 0.05 seconds, and tests whose
cases, of random programs or of one construct with many types, take as long together; of the latter those
whose lines other tests of the core run as well. The lists with a case for each construct stay whole (the
golden texts, ``test_programs.py`` and ``test_adjoint.py``), and each file keeps some of its tests, so that
there are tests of each pass. A test of the core for which Numba compiles fails (``tests/conftest.py``).
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path, PurePath

import pytest

TESTS = Path(__file__).parent
WINGS = ("calls", "compiler", "eager", "inspection", "operators", "rules", "torch", "tracing")
# Of the whole package, as the files at the top are.
WHOLE = {"growth", "programs", "soundness"}
CORE = tuple(
    f"compiler/{room}"
    for room in (
        "golden",
        "frontend",
        "ir",
        "analysis",
        "simplify",
        "adjoint",
        "tangent",
        "arrays",
        "loops",
        "elements",
    )
)
PARTS = {wing: (wing,) for wing in WINGS} | {"core": CORE}


@cache  # asked for each of tens of thousands of tests
def marks_of(path: Path) -> list[str]:
    """The parts that a file of tests belongs to."""
    return [mark for mark in PARTS if any(within(path, folder) for folder in PARTS[mark])]


def may_hold(path: Path, mark: str) -> bool:
    """Whether a file is of the part, or a folder is within it or around it."""
    return any(within(path, folder) or within(TESTS / folder, path) for folder in PARTS[mark])


def give_marks(items: Iterable[pytest.Item]) -> None:
    """Every test gets the marks of its file, but of the core only those that are quick."""
    cases = Counter[str]()
    for item in items:
        test = item.nodeid.partition("[")[0]
        for mark in marks_of(item.path):
            if mark != "core" or is_quick(item, cases[test]):
                item.add_marker(mark)
        cases[test] += not of_kernels(item)


def is_quick(item: pytest.Item, case: int) -> bool:
    """Whether the core has this test, which is the ``case``-th of its function without kernels."""
    slow = item.get_closest_marker("slow")
    if of_kernels(item) or slow is None:
        return not of_kernels(item)
    one_in = slow.kwargs.get("one_in")
    return case % one_in == 0 if one_in else case < slow.kwargs.get("beyond", 0)


def of_kernels(item: pytest.Item) -> bool:
    """Whether a case asks for kernels, by its parameters."""
    given = item.callspec.params.values() if hasattr(item, "callspec") else ()
    return any(isinstance(value, str) and value == "numba" for value in given)


def within(path: PurePath, folder: str | Path) -> bool:
    return path.is_relative_to(TESTS / folder)
