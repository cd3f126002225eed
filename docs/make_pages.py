"""Writes into the pages of docs that are named below what their blocks print.

python docs/make_pages.py           # runs the blocks and rewrites what follows them
python docs/make_pages.py --check   # exit status 1, and the differences, if a page is out of date

The blocks of a page are run from top to bottom, each as a file of its own, like the cells of a notebook. What
a block prints, the warnings it gives and the error it ends with stand in a `text` block right after it.
Addresses are abbreviated; times, and widths that depend on them, differ from run to run and count as equal.
"""

import contextlib
import difflib
import io
import itertools
import linecache
import pathlib
import re
import sys
import tempfile
import textwrap
import warnings

PAGES = [
    pathlib.Path(__file__).resolve().parent / name
    for name in (
        "adding.md",
        "arguments.md",
        "tensors.md",
        "networks.md",
        "weights.md",
        "fallback.md",
        "checking.md",
        "operators.md",
        "solvers.md",
    )
]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n.*?^```\n)?", re.MULTILINE | re.DOTALL)
WIDTH = 100


def renewed(page: pathlib.Path) -> str:
    """The text of a page with what its blocks print now."""
    names = {"__name__": "__main__"}
    numbers = itertools.count(1)

    def block(match: re.Match) -> str:
        output = run(match[1], f"{page.stem}_{next(numbers)}.py", names)
        return f"```python\n{match[1]}```\n" + (f"\n```text\n{output}```\n" if output else "")

    return BLOCK.sub(block, page.read_text())


def run(code: str, filename: str, names: dict) -> str:
    """What a block prints."""
    # Tracebacks and the compiler find the text here; without a time stamp they don't look for the file.
    linecache.cache[filename] = len(code), None, code.splitlines(True), filename
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show_warning
        try:
            exec(compile(code, filename, "exec"), names)
        except Exception as error:
            print(wrapped("\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])])))
    text = re.sub(r"0x[0-9a-f]{6,}", "0x…", printed.getvalue())
    return "".join(line.rstrip() + "\n" for line in text.rstrip().splitlines())


def show_warning(message, category, filename, lineno, file=None, line=None):
    # The traceback of a forward call begins with the frames that run this page.
    own = r'  File "[^"]*make_pages\.py", line .*\n(    .*\n)*'
    print(wrapped(f"{category.__name__}: {re.sub(own, '', str(message))}"))


def wrapped(text: str) -> str:
    """The text with lines of at most WIDTH characters."""
    lines = text.rstrip().splitlines()
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="    ") for line in lines)


def settled(text: str) -> list[str]:
    """The lines of a page without what differs from run to run."""
    text = re.sub(r"\d+\.\d+ ?(us|ms|s\b|%)", "#", text)
    return re.sub(r"-{5,}", "-----", re.sub(r"[ \t]+", " ", text)).splitlines()


def main() -> int:
    stale = 0
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # for files that blocks write
            before, after = page.read_text(), renewed(page)
        changes = difflib.unified_diff(settled(before), settled(after), page.name, "now", lineterm="", n=1)
        report = "\n".join(changes)
        if report and "--check" in sys.argv:
            print(report)
            stale = 1
        elif report:
            page.write_text(after)
    return stale


if __name__ == "__main__":
    sys.exit(main())
