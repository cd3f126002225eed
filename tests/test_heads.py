"""Does the head of a module name the stage that is in it, with its signature?"""

import ast
import re
from functools import cache

from .test_layout import NAMES, nodes_of, tree, trees_are_forgotten, within  # noqa: F401

PROGRAMS = "Function", "Block"
GIVEN = "Function", "Parts", "None", "bool"  # a program, or whether the one that came was changed
ENTRY = re.compile(r"``(\w+)\(([^()`]*)\) -> ([^`]+)``")


def functions(name: str) -> dict[str, ast.FunctionDef]:
    return {one.name: one for one in tree(NAMES[name]).body if isinstance(one, ast.FunctionDef)}


@cache
def imported() -> set[str]:
    """What modules import from each other, as ``module.name`` with the last part of the module's name."""
    return {
        f"{node.module.rpartition('.')[2]}.{alias.name}"
        for name in NAMES
        for node in nodes_of(NAMES[name])
        if isinstance(node, ast.ImportFrom) and node.level and node.module
        for alias in node.names
    }


def signature(function: ast.FunctionDef) -> str:
    """``name(parameters) -> result``, without the parameters' types and defaults.

    >>> signature(ast.parse("def f(x: int, *y: int, z: int = 0) -> int: ...").body[0])
    'f(x, *y, *, z) -> int'
    """
    args = function.args
    names = [one.arg for one in (*args.posonlyargs, *args.args)]
    names += [f"*{args.vararg.arg}"] if args.vararg else []
    names += ["*", *(one.arg for one in args.kwonlyargs)] if args.kwonlyargs else []
    returns = ast.unparse(function.returns) if function.returns else ""
    return f"{function.name}({', '.join(names)}) -> {returns}"


def is_stage(function: ast.FunctionDef) -> bool:
    """Whether it makes a program of a program, or changes the one that it is given."""
    first = function.args.args[0].annotation if function.args.args else None
    if first is None or function.returns is None or ast.unparse(first) not in PROGRAMS:
        return False
    returns = ast.unparse(function.returns)
    return returns in GIVEN or returns.startswith(("tuple[Function", "list[tuple[Function"))


def stages() -> list[tuple[str, ast.FunctionDef]]:
    """The stages behind the front end that another module calls, each with its module."""
    elsewhere = imported()
    return [
        (name, function)
        for name in NAMES
        if within(name, "compiler")
        and not within(name, "compiler.frontend")
        and not within(name, "compiler.ir")
        for function in functions(name).values()
        if f"{name.rpartition('.')[2]}.{function.name}" in elsewhere and is_stage(function)
    ]


def head(name: str) -> str:
    return " ".join((ast.get_docstring(tree(NAMES[name])) or "").split())


def test_stages_stand_in_their_modules_heads():
    without = [f"{name}: {signature(function)}" for name, function in stages() if not told(name, function)]
    assert without == []


def told(name: str, function: ast.FunctionDef) -> bool:
    return f"``{signature(function)}``" in head(name)


def test_there_are_stages():
    """Those that the design lists for kernels are among them."""
    names = {function.name for _, function in stages()}
    assert {"adjoint", "small_arrays", "fuse_loops", "read_final", "typed_tapes", "write_in_place"} <= names
    assert {"partition", "tidy", "hoist", "shrink", "carry"} <= names


MODULES = [name for name, path in NAMES.items() if path.name != "__init__.py"]


def test_the_entries_in_heads_are_true():
    """What a head calls an entry is a function of the module, with these parameters and this result."""
    entries = {name: ENTRY.findall(head(name)) for name in MODULES}
    assert len(list(filter(None, entries.values()))) > 60
    for name, told in filter(lambda item: item[1], entries.items()):
        own = {signature(function) for function in functions(name).values()}
        assert {f"{entry}({args}) -> {result}" for entry, args, result in told} <= own, name
