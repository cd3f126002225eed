"""Are derivatives of programs of whole idioms right? A few of them, in NumPy code and in kernels."""

import pathlib
import random

import pytest

from .idioms import IDIOMS
from .whole import TOLD, Author, calls, make, runs, verdict

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.drawn(of=24)
@pytest.mark.parametrize("seed", range(120))
def test_numpy_code(seed: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AST_AD_CHECK", "0")
    found = verdict(seed, tmp_path, second=seed % 5 == 0)
    assert found.kind not in TOLD, f"{found.why}\n{make(seed)}"


@pytest.mark.drawn(of=40)
@pytest.mark.parametrize("seed", range(40))
def test_kernels(seed: int, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AST_AD_CHECK", "0")
    found = verdict(seed, tmp_path, "numba")
    assert found.kind not in TOLD, f"{found.why}\n{make(seed)}"


@pytest.mark.parametrize("name", IDIOMS)
def test_each_idiom_runs(name: str) -> None:
    ran = 0
    for seed in range(8):
        rng = random.Random(seed)
        given, author = calls(rng), Author(rng)
        author.write(IDIOMS[name])
        ran += runs(author.text(), given)
    assert ran > 3


def test_programs_do_not_depend_on_the_run() -> None:
    texts = [case.source for case in map(make, range(30)) if case is not None]
    assert len(texts) > 26 and texts == [case.source for case in map(make, range(30)) if case is not None]
