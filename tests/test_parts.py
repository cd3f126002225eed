"""Does every folder of tests belong to a wing, and does ``pytest -m`` read the files of one part alone?"""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.parts import CORE, PARTS, TESTS, WHOLE, WINGS, marks_of, may_hold

FILES = sorted(TESTS.rglob("test_*.py"))
PACKAGE = TESTS.parent / "ast_ad"
# Rooms that are not of the core: of the texts it has the golden files, and kernels take Numba's time.
APART = {"emit", "kernels"}


def packages(folder):
    return {path.name for path in folder.iterdir() if (path / "__init__.py").exists()}


def test_every_folder_of_tests_belongs_to_a_wing():
    folders = {path.relative_to(TESTS).parts[0] for path in FILES if path.parent != TESTS}
    assert folders == {*WINGS, *WHOLE}
    assert {"rule" if wing == "rules" else wing for wing in WINGS} <= packages(PACKAGE)


def test_the_rooms_of_the_compiler_have_folders_of_their_own():
    rooms = packages(PACKAGE / "compiler")
    assert {path.name for path in (TESTS / "compiler").iterdir() if any(path.glob("test_*.py"))} == {
        *rooms,
        "golden",
    }
    assert {folder.removeprefix("compiler/") for folder in CORE} == {"golden", *rooms} - APART


def test_a_file_has_the_marks_of_its_folder():
    for path in FILES:
        first = path.relative_to(TESTS).parts[0]
        wings = [mark for mark in marks_of(path) if mark in WINGS]
        assert wings == ([first] if first in WINGS else []), path
        for mark in PARTS:
            assert may_hold(path, mark) == (mark in marks_of(path)), path
            assert mark not in marks_of(path) or may_hold(path.parent, mark) and may_hold(TESTS, mark), path


@pytest.mark.parametrize("mark", ["core", "inspection"])
def test_a_part_alone_is_collected(mark):
    """No other file is read; and of its own tests all are there, but of the core the quick ones."""
    code = f"""
        import sys, pytest
        class Seen:
            def pytest_collection_finish(self, session):
                for item in session.items:
                    print("seen", item.path)
                for name, module in list(sys.modules.items()):
                    if name.rpartition(".")[2].startswith("test_") and getattr(module, "__file__", None):
                        print("read", module.__file__)
        sys.exit(pytest.main(["-m", "{mark}", "--collect-only", "-q", "-q"], plugins=[Seen()]))
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split(" ", 1) for line in done.stdout.splitlines() if line.startswith(("seen ", "read "))]
    seen = {Path(path) for how, path in lines if how == "seen"}
    read = {Path(path) for how, path in lines if how == "read"}
    of_it = {path for path in FILES if mark in marks_of(path)}
    assert read == of_it
    assert seen == of_it
