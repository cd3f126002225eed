"""Would the tests find a fault? Random faults are put into the compiler and the rules, one at a time.

    python -m tests.mutants [--seed N] [--count 20] [--parts frontend,passes,rules] [--only 3,17]

draws ``count`` places of each part, changes each in a copy of the project (a comparison, a sign, a constant,
a condition, a statement that is left out) and runs the tests: the core, and where that finds nothing, those
of the wing. A change that no test finds survives and is printed with its line: a test is missing there, or
the change has no effect, which has to be shown.
"""

from __future__ import annotations

import argparse
import ast
import os
import pathlib
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).parent.parent
PARTS = {  # the modules, those left out of them, and the tests of their wing behind the core
    "frontend": ("ast_ad/compiler/frontend", (), ["tests/compiler", "tests/soundness"]),
    "passes": ("ast_ad/compiler", ("frontend", "kernels"), ["tests/compiler", "tests/soundness"]),
    "rules": ("ast_ad/rules", (), ["tests/rules"]),
}
SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or,
    ast.Or: ast.And, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
}  # fmt: skip
LONGEST = 900  # seconds of CPU time that a run of tests may take: a changed loop may have no end


@dataclass(frozen=True)
class Mutant:
    """A change of a file: the text between two offsets, and what takes its place."""

    part: str
    file: pathlib.Path
    line: int
    start: int
    stop: int
    text: str

    def changed(self) -> str:
        source = (ROOT / self.file).read_bytes()
        return (source[: self.start] + self.text.encode() + source[self.stop :]).decode()

    def __str__(self) -> str:
        old = (ROOT / self.file).read_bytes()[self.start : self.stop].decode()
        short = [t if len(t) < 90 else f"{t[:90]}..." for t in (" ".join(old.split()), self.text)]
        return f"{self.file}:{self.line}: {short[0]}  ->  {short[1]}"


# ----- the changes -----------------------------------------------------------------------------------------
def changes(node: ast.AST) -> Iterator[str]:
    """The texts that may take a node's place."""
    match node:
        case ast.Compare(left, [op], [right]) if type(op) in SWAPPED:
            yield f"({ast.unparse(ast.Compare(left, [SWAPPED[type(op)]()], [right]))})"  # type: ignore[list-item]
        case ast.BoolOp(op, values):
            yield f"({ast.unparse(ast.BoolOp(SWAPPED[type(op)](), values))})"  # type: ignore[arg-type]
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            yield f"({ast.unparse(ast.BinOp(left, SWAPPED[type(op)](), right))})"  # type: ignore[arg-type]
        case ast.UnaryOp(ast.Not(), operand):
            yield f"({ast.unparse(operand)})"
        case ast.Constant(bool(value)):
            yield str(not value)
        case ast.Constant(int(value)):
            yield str(value + 1)
        case ast.IfExp(test, body, other):
            yield f"({ast.unparse(ast.IfExp(test, other, body))})"
        case ast.Expr(ast.Call()) | ast.Raise() | ast.AugAssign():
            yield "pass"
        case ast.Continue():
            yield "break"


def code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that do something: no annotations, no asserted invariants, nothing for type checkers."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Assert | ast.JoinedStr):
                yield child
                yield from code(child)


def mutants(part: str) -> list[Mutant]:
    """All that may be drawn of a part."""
    folder, without, _ = PARTS[part]
    found = []
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.relative_to(ROOT / folder).parts[0] in without:
            continue
        lines = path.read_bytes().splitlines(keepends=True)
        starts = [sum(map(len, lines[:i])) for i in range(len(lines))]
        for node in code(ast.parse(path.read_bytes())):
            for text in changes(node):
                start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
                stop = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
                found.append(Mutant(part, path.relative_to(ROOT), node.lineno, start, stop, text))  # type: ignore[attr-defined]
    return found


# ----- the runs --------------------------------------------------------------------------------------------
def found_by(mutant: Mutant, copy: pathlib.Path) -> str:
    """Which tests find the change: "core", "wing", or none."""
    file, before = copy / mutant.file, (ROOT / mutant.file).read_text()
    file.write_text(mutant.changed())
    try:
        if fails(["tests", "-m", "core"], copy):
            return "core"
        return "wing" if fails(PARTS[mutant.part][2], copy) else ""
    finally:
        file.write_text(before)


def fails(arguments: list[str], copy: pathlib.Path) -> bool:
    # no byte code is kept: a change within a second of another one would not be seen
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        *arguments,
    ]
    run = subprocess.run(command, cwd=copy, env=environment, capture_output=True, preexec_fn=limited)
    return run.returncode != 0


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--only", help="numbers of mutants of the draw, as they are printed")
    parser.add_argument("--list", action="store_true", help="print the draw and run nothing")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    drawn = []
    for part in options.parts.split(","):
        drawn += random.Random(f"{options.seed} {part}").sample(mutants(part), options.count)
    wanted = range(len(drawn)) if options.only is None else [int(i) for i in options.only.split(",")]
    if options.list:
        print(*(f"{i} {drawn[i]}" for i in wanted), sep="\n")
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for name in ("ast_ad", "tests", "docs", "examples", "benchmarks"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy)
        if fails(["tests", "-m", "core"], copy):
            sys.exit("the tests fail without a change")
        survived = 0
        for i in wanted:
            found = found_by(drawn[i], copy)
            survived += not found
            print(f"{i} {found or 'SURVIVED'}: {drawn[i]}", flush=True)
    print(f"{len(wanted) - survived} of {len(wanted)} found")


if __name__ == "__main__":
    main()
