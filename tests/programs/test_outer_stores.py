"""Do derivatives leave behind what the plain function does? Random programs that store outside."""

import pathlib

import pytest

from .outer_stores import Author, verdicts


@pytest.mark.drawn(of=160)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", ["0", "1"])
@pytest.mark.parametrize("seed", range(160))
def test_what_is_left_is_that_of_the_plain_function(
    seed: int, check: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AST_AD_CHECK", check)
    for operator, found in verdicts(seed, tmp_path).items():
        assert found in ("right", "refused"), f"{operator}: {found}\n{Author(seed).text()}"
