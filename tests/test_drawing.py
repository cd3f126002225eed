"""Do tests with many cases run those that they say?"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.drawing import is_drawn

CASES = range(800)
ROOT = Path(__file__).parent.parent


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("case", CASES)
def test_one_in_eight(case, request):
    assert is_drawn(request.node) or request.config.option.every_case or request.config.args != ["tests"]


@pytest.mark.drawn(of=3, by="-")
@pytest.mark.parametrize("of", ["value", "gradient"])
@pytest.mark.parametrize("program", range(20))
def test_together(program, of):
    pass


def collected(*arguments):
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if "::" in line]


def test_those_that_run():
    file = "tests/test_drawing.py"
    some = collected(file)
    eighth = [name for name in some if "one_in_eight" in name]
    assert 60 <= len(eighth) <= 140
    pairs = {name.partition("[")[2] for name in some if "test_together" in name}
    programs = {name.partition("-")[0] for name in pairs}
    assert 0 < len(programs) < 20
    assert pairs == {f"{program}-{of}]" for program in programs for of in ("value", "gradient")}
    assert len(collected("--every-case", file)) == len(collected(file, "-k", "test")) > 840
    left = next(case for case in CASES if not any(f"[{case}]" in name for name in eighth))
    assert len(collected(f"{file}::test_one_in_eight[{left}]")) == 1
