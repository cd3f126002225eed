"""What do all tests share? The option that rewrites the expected texts under tests/compiler/golden."""

import atexit
import difflib
import gc
import os
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest

from tests.drawing import drawn
from tests.parts import PARTS, give_marks, may_hold

# Tests compare programs with functions themselves, and count calls; those of the check ask for it.
os.environ.setdefault("AST_AD_WIPED_MEMORY", "1")  # what kernels read and nobody wrote is NaN
os.environ.setdefault("AST_AD_CHECK", "0")

# Every run begins with an empty cache, for its workers alone: no test takes what an earlier run has compiled.
if "AST_AD_CACHE_DIR" not in os.environ:
    _cache = tempfile.TemporaryDirectory(prefix="ast_ad_tests_")
    os.environ["AST_AD_CACHE_DIR"] = _cache.name
    atexit.register(_cache.cleanup)

# In a process that has run thousands of tests one collection of garbage takes seconds.
hypothesis.settings.register_profile("suite", suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("suite")

LEFT = pytest.StashKey[int]()
GOLDEN = pathlib.Path(__file__).parent / "compiler" / "golden"

# Each of their traces searches the heap, ten times as long after thousands of tests: they run first.
FIRST = {
    "test_outer_traces.py",
    "test_stores.py",
    "test_shared_arguments.py",
    "test_accumulation.py",
    "test_numpy_face.py",
}


@pytest.fixture(autouse=True)
def each_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """What holds in every test, in one fixture: pytest takes longer to set five up than most tests run."""
    before = modes()
    with pytest.MonkeyPatch.context() as patch:
        programs_of_its_own(patch, request.node.nodeid)
        defects_of_kernels_are_errors(patch)
        if request.config.option.markexpr == "core":
            no_kernels_in_the_core(patch)
        yield
    after = modes()
    assert {name: after[name] for name in before} == before, "a mode was left behind"


def programs_of_its_own(patch: pytest.MonkeyPatch, name: str) -> None:
    """A test finds nothing that another one has compiled for a function that both have."""
    if shelves := sys.modules.get("ast_ad.shelves"):
        patch.setattr(shelves, "NAME", f"__ast_ad_shelf_of_{name}__")
    if sharing := sys.modules.get("ast_ad.calls.sharing"):
        patch.setattr(sharing, "_elsewhere", sharing.Shelf())
    if lending := sys.modules.get("ast_ad.calls.lending"):
        patch.setattr(lending, "_lenders", {})


def defects_of_kernels_are_errors(patch: pytest.MonkeyPatch) -> None:
    """An error of the kernels' compiler fails a test; a user gets NumPy code, which would pass it."""
    if code := sys.modules.get("ast_ad.calls.code"):
        patch.setattr(code, "FAIL_LOUDLY", True)


def no_kernels_in_the_core(patch: pytest.MonkeyPatch) -> None:
    """What Numba compiles for takes too long for ``-m core``."""

    def compiles(*args: Any) -> None:
        raise AssertionError("Numba compiles in a test of the core: mark it as slow (tests/parts.py)")

    if compiler := sys.modules.get("numba.core.compiler"):
        patch.setattr(compiler.CompilerBase, "_compile_bytecode", compiles)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected texts in tests/compiler/golden"
    )
    parser.addoption(
        "--every-case", action="store_true", help="run the cases, too, that tests with many of them leave out"
    )
    parser.addoption(
        "--turn", default="", help="K/N: of tests with many cases, run the K-th of N parts, counted from 0"
    )


def pytest_ignore_collect(collection_path: pathlib.Path, config: pytest.Config) -> bool | None:
    """``-m`` with one part alone reads no file of another: to collect all tests takes half a minute."""
    mark = config.option.markexpr
    return True if mark in PARTS and not may_hold(collection_path, mark) else None


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(collector: pytest.Module | pytest.Class) -> Iterator[Any]:
    """Cases that are left out go as soon as they are made: half of a worker's heap would be theirs."""
    made = yield
    if isinstance(made, list):  # the cases of one function
        made, left = drawn(collector.config, made)
        give_marks(made)  # of those that run the first few are the core's
        collector.config.stash[LEFT] = collector.config.stash.get(LEFT, 0) + len(left)
    return made


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """What is made while tests are collected stays: no search for garbage in it, now and when they run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()  # at once, and not through three generations
        gc.freeze()
        gc.enable()


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    left = config.stash.get(LEFT, 0)
    return [f"{left} cases are left out (--every-case runs them)"] if left else []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.path.name not in FIRST)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)``: the text must equal the file ``tests/compiler/golden/<name>`` to the byte."""

    def check(name: str, text: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(text)
            return
        if not path.exists():
            pytest.fail(f"{path} is missing: run pytest --update-golden and read what it wrote")
        expected = path.read_text()
        if text != expected:
            lines = difflib.unified_diff(
                expected.splitlines(), text.splitlines(), "expected", "got", lineterm=""
            )
            pytest.fail("\n".join([f"{name} changed (--update-golden accepts it):", *lines]), pytrace=False)

    return check


@pytest.fixture(autouse=True, scope="module")
def generated_code_is_forgotten() -> Iterator[None]:
    """The code of one file's tests is not kept for the others: a heap that holds it all is slow to search.

    What stays of a file, caches and imported libraries, is not searched again.
    """
    yield
    for name in [name for name in sys.modules if name.startswith("ast_ad.generated.")]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()


def modes() -> dict[str, Any]:
    """What an operation sets for its own time, as far as it is loaded: NumPy's error mode, tensors' modes."""
    found: dict[str, Any] = {"numpy": np.geterr()}
    state = sys.modules.get("ast_ad.eager.state")
    if state is not None:
        names = "grad inference pack packs ordinary no_pack safe tracing sweep rules".split()
        found |= {name: getattr(state.state, name) for name in names}
        found |= {name: getattr(state.watch, name) for name in ("profiler", "anomaly", "check_nan")}
    return found
