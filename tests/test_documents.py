"""Do the documents tell the truth? Programs print what is said of them, and links lead somewhere."""

import os
import pathlib
import re
import runpy
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


# A program, and what it prints: the text that it generates, or plain text.
PROGRAM = re.compile(
    r"^```python\n(.*?)^```\n\nprints\n\n```(?:python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def test_readme_prints_what_it_says(tmp_path, capsys, request):
    readme = ROOT / "README.md"
    text = readme.read_text()
    programs = list(PROGRAM.finditer(text))
    assert len(programs) == text.count("```python") - 1  # the first one prints another
    for number, match in reversed(list(enumerate(programs))):
        script = tmp_path / f"readme_{number}.py"
        script.write_text(match[1])
        runpy.run_path(str(script))
        got = capsys.readouterr().out.strip() + "\n"
        text = text[: match.start(2)] + got + text[match.end(2) :]
    if request.config.getoption("--update-golden"):
        readme.write_text(text)
    assert text == readme.read_text()


@pytest.mark.parametrize("script", ["make_walkthrough.py", "make_pages.py", "make_supported.py"])
def test_pages_show_what_the_code_prints(script, tmp_path):
    """In a process of its own: modes, random numbers and warnings that are given once must be fresh."""
    here = {name: value for name, value in os.environ.items() if name != "AST_AD_CHECK"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / script), "--check"],
        cwd=tmp_path,
        env={**here, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, f"run docs/{script}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target


@pytest.mark.parametrize("way", ["file", "-c", "standard input"])
def test_the_first_program_of_the_readme(way, tmp_path):
    """However a user runs it: its text must be found."""
    program, said = PROGRAM.search((ROOT / "README.md").read_text()).groups()
    path = tmp_path / "program.py"
    path.write_text(program)
    command = {"file": [str(path)], "-c": ["-c", program], "standard input": []}[way]
    with path.open() as file:
        done = subprocess.run(
            [sys.executable, "-W", "error", *command],
            stdin=file,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 0 and done.stdout.strip() == said.strip(), done.stdout + done.stderr
