"""Do the documents tell the truth? README's program prints what README says, and links lead somewhere."""

import pathlib
import re
import runpy

import pytest

ROOT = pathlib.Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(path: pathlib.Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def test_readme_prints_what_it_says(tmp_path, capsys, request):
    program, printed = blocks(ROOT / "README.md")
    script = tmp_path / "readme.py"
    script.write_text(program)
    runpy.run_path(str(script))
    got = capsys.readouterr().out.strip() + "\n"
    if request.config.getoption("--update-golden"):
        readme = ROOT / "README.md"
        text = readme.read_text()
        start = text.index("```python\n", text.index("\nprints\n"))
        readme.write_text(text[:start] + "```python\n" + got + text[text.index("```\n", start + 10) :])
        return
    assert got == printed


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.name)
def test_links(path):
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
        if "://" not in target:
            assert (path.parent / target).exists(), target
