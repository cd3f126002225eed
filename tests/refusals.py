"""Which ``raise`` statements and refusals of the rules and of the front end does no test reach?

    python -m tests.refusals [--hits FILE] [arguments of pytest]

runs the tests, adds to the file what they reached, and prints what no run that the file tells of has reached;
without arguments of pytest it only prints. A refusal is a statement that calls what makes an error
(``REFUSING``).

The modules are compiled with a note before each such statement, so that the tests take no longer. The front
end reads rules as they are in their files, and a ``raise`` that it reads becomes one of the compiled program:
it counts as well, and is printed as ``read``, since the program may pass it by.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import json
import pathlib
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

import pytest

ROOT = pathlib.Path(__file__).parent.parent
FOLDERS = "ast_ad/rules", "ast_ad/rule", "ast_ad/compiler/frontend"
REFUSING = {
    *("unsupported", "aliased", "lost", "write_outside", "endless", "no_such_key"),
    *("refuse", "refused", "raise_key_error", "not_one_number"),
}
NOTE = "_refusal_is_reached"

Place = tuple[str, int]  # file and line
reached: dict[Place, str] = {}


def refuses(node: ast.AST) -> bool:
    """Whether the statement itself, not one within it, raises or makes an error; not what asserts."""
    if isinstance(node, ast.Raise):
        return node.exc is None or "AssertionError" not in ast.unparse(node.exc)
    if not isinstance(node, ast.Expr | ast.Return | ast.Assign):
        return False
    called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
    return any((f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", "")) in REFUSING for f in called)


def refusals() -> dict[Place, str]:
    """Where such statements stand, and a name of each that holds when lines before it come or go."""
    found: dict[Place, str] = {}
    for path in (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))):
        seen: collections.Counter[str] = collections.Counter()
        nodes = [node for node in ast.walk(ast.parse(path.read_text())) if refuses(node)]
        for node in sorted(nodes, key=lambda node: node.lineno):  # type: ignore[attr-defined]
            text = ast.unparse(node).replace("\n", " ")
            seen[text] += 1
            name = f"{path.relative_to(ROOT)}: {text}" + f" ({seen[text]})" * (seen[text] > 1)
            found[str(path), node.lineno] = name  # type: ignore[attr-defined]
    return found


class Notes(ast.NodeTransformer):
    """Puts before each refusal a call that notes it."""

    def __init__(self, file: str) -> None:
        self.file = file

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        if not refuses(node):
            return node
        assert isinstance(node, ast.stmt)
        note = ast.parse(f"{NOTE}({self.file!r}, {node.lineno})").body[0]
        for part in ast.walk(note):
            ast.copy_location(part, node)
        return [note, node]


def with_notes(text: str, file: str, *args: Any, **options: Any) -> CodeType:
    """``compile`` for both who import a module and who compare its text with its code."""
    if not file.startswith(tuple(f"{ROOT / folder}/" for folder in FOLDERS)):
        return compile(text, file, *args, **options)
    return compile(Notes(file).visit(ast.parse(text)), file, *args, **options)


class Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        text = self.get_data(self.path).decode()  # not from a cache of compiled code, nor into it
        return with_notes(text, self.path, "exec", dont_inherit=True)


class Finder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path)
        if spec is None or not f"{spec.origin}".startswith(tuple(f"{ROOT / f}/" for f in FOLDERS)):
            return None
        spec.loader = Loader(name, str(spec.origin))
        return spec


def record() -> None:
    """From now on, ``reached`` is told of what is executed and of what the front end reads."""
    setattr(builtins, NOTE, lambda file, line: reached.__setitem__((file, line), "executed"))
    sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
    import gast

    from ast_ad.compiler.frontend.source import code_match
    from ast_ad.compiler.frontend.tables import EXEC

    code_match.compile = with_notes  # type: ignore[attr-defined]
    import ast_ad.compiler.frontend.interpreter  # noqa: F401  (enters what reads a statement in the table)

    for kind in (gast.Raise, gast.Expr, gast.Return, gast.Assign):
        EXEC[kind] = reading(EXEC[kind])


def reading(run: Callable[..., Any]) -> Callable[..., Any]:
    def read(cx: Any, node: Any, rest: Any) -> Any:
        reached.setdefault((cx.frame.source.filename, node.lineno), "read")
        return run(cx, node, rest)

    return read


def main() -> None:
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--hits", type=pathlib.Path, default=pathlib.Path("refusals.json"))
    options, tests = parser.parse_known_args()
    known = refusals()
    hits: dict[str, str] = json.loads(options.hits.read_text()) if options.hits.exists() else {}
    if tests:
        record()
        pytest.main(tests)
        now = {name: reached[place] for place, name in known.items() if place in reached}
        hits |= {name: how for name, how in now.items() if hits.get(name) != "executed"}
        options.hits.write_text(json.dumps(hits, indent=1, sort_keys=True))
    for (_, line), name in known.items():
        if hits.get(name) != "executed":
            print(f"{hits.get(name, 'not reached'):12} {line:4} {name}")
    counts = collections.Counter(hits.get(name, "not reached") for name in known.values())
    print(f"{len(known)} statements: {dict(counts)}")


if __name__ == "__main__":
    main()
