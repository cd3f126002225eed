"""Does the head of a module name the stage that is in it, with its signature?"""

import ast
import re

import pytest

from .test_layout import NAMES, within

TREES = {name: ast.parse(path.read_text()) for name, path in NAMES.items()}
PROGRAMS = "Function", "Block"
GIVEN = "Function", "Parts", "None", "bool"  # a program, or whether the one that came was changed
ENTRY = re.compile(r"``(\w+)\(([^()`]*)\) -> ([^`]+)``")


def functions(name: str) -> dict[str, ast.FunctionDef]:
    return {one.name: one for one in TREES[name].body if isinstance(one, ast.FunctionDef)}


def imported() -> set[str]:
    """What modules import from each other, as ``module.name`` with the last part of the module's name."""
    return {
        f"{node.module.rpartition('.')[2]}.{alias.name}"
        for tree in TREES.values()
        for node in ast.walk(tree)
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
        for name in TREES
        if within(name, "compiler")
        and not within(name, "compiler.frontend")
        and not within(name, "compiler.ir")
        for function in functions(name).values()
        if is_stage(function) and f"{name.rpartition('.')[2]}.{function.name}" in elsewhere
    ]


STAGES = stages()


def head(name: str) -> str:
    return " ".join((ast.get_docstring(TREES[name]) or "").split())


@pytest.mark.parametrize(("name", "function"), STAGES, ids=[f"{n}.{f.name}" for n, f in STAGES])
def test_a_stage_stands_in_its_modules_head(name, function):
    assert f"``{signature(function)}``" in head(name)


def test_there_are_stages():
    """Those that the design lists for kernels are among them."""
    names = {function.name for _, function in STAGES}
    assert {"adjoint", "small_arrays", "fuse_loops", "read_final", "typed_tapes", "write_in_place"} <= names
    assert {"partition", "tidy", "hoist", "shrink", "carry"} <= names


MODULES = [name for name, path in NAMES.items() if path.name != "__init__.py"]


@pytest.mark.parametrize("name", [name for name in MODULES if ENTRY.search(head(name))])
def test_the_entries_in_heads_are_true(name):
    """What a head calls an entry is a function of the module, with these parameters and this result."""
    own = {signature(function) for function in functions(name).values()}
    told = {f"{entry}({args}) -> {result}" for entry, args, result in ENTRY.findall(head(name))}
    assert told <= own
