"""What do all tests share? The option that rewrites the expected texts under tests/golden."""

import difflib
import pathlib
from collections.abc import Callable

import pytest

GOLDEN = pathlib.Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite the expected texts in tests/golden"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """``golden(name, text)``: the text must equal the file ``tests/golden/<name>`` to the byte."""

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
