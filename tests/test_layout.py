"""Do the packages import each other only in the allowed direction, and do modules stay short?"""

import ast
import pathlib
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from functools import cache

import pytest

from ast_ad.compiler.garbage import collector_paused

PACKAGE = pathlib.Path(__file__).parent.parent / "ast_ad"
MODULES = sorted(PACKAGE.rglob("*.py"))

DESIGN = PACKAGE.parent / "docs" / "design.md"
LONGEST_MODULE = 450
LONGEST_FUNCTION = 60


def dotted(path: pathlib.Path) -> str:
    """The name of a module below the package; of the package itself: nothing."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {dotted(path): path for path in MODULES}
LOADERS = "import_module", "find_spec", "sys.modules.get"
HOMES = {"generated": "compiler.emit"}  # the package under whose name emission loads what it has written


def arrows() -> dict[str, list[str]]:
    """What each wing may import, as the table in the design says."""
    text = DESIGN.read_text().partition("## Layout and directions")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w.]+)` \|[^|]*\|([^|]*)\|$", text, re.M)
    return {wing: [name.strip() for name in allowed.split(",") if name.strip()] for wing, allowed in rows}


ARROWS = arrows()


def module_of(name: str) -> str:
    """The module that a dotted name below the package is, or is in."""
    while name and name not in NAMES:
        name = name.rpartition(".")[0]
    return name


def from_import(node: ast.ImportFrom, package: list[str]) -> list[str]:
    if node.level:
        base = package[: len(package) - (node.level - 1)]
        base = base + node.module.split(".") if node.module else base
    elif node.module and node.module.split(".")[0] == "ast_ad":
        base = node.module.split(".")[1:]
    else:
        return []
    return [".".join([*base, alias.name]) for alias in node.names]


def by_name(node: ast.Call, package: list[str]) -> list[str]:
    """What a call that is given a module's name loads or looks up: ``import_module``, ``sys.modules.get``."""
    first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    if not isinstance(first, str) or not ast.unparse(node.func).endswith(LOADERS):
        return []
    if first.startswith("."):
        level = len(first) - len(first.lstrip("."))
        return [".".join([*package[: len(package) - (level - 1)], first.lstrip(".")])]
    return [first.removeprefix("ast_ad.")] if first.startswith("ast_ad.") else []


def for_the_type_checker(node: ast.AST) -> bool:
    """Whether this is a branch that is not run."""
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache  # modules are read in tests, not when these are collected, which each process does
@collector_paused()
def tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
@collector_paused()
def nodes_of(path: pathlib.Path) -> list[ast.AST]:
    """Every node of a module: to walk through the whole package takes seconds, as often as it is done."""
    return list(ast.walk(tree(path)))


@pytest.fixture(autouse=True, scope="module")
def trees_are_forgotten() -> Iterator[None]:
    yield
    tree.cache_clear()
    nodes_of.cache_clear()


def imported_modules(path: pathlib.Path, when_run: bool = False) -> set[str]:
    """The modules below ``ast_ad`` that a module imports, wherever in it, or names to import them.

    ``when_run``: without those that only the type checker sees.
    """
    package = list(path.relative_to(PACKAGE).parent.parts)
    found: list[str] = []
    nodes = nodes_of(path)
    branches = [node.body for node in nodes if when_run and for_the_type_checker(node)]
    left_out = {node for body in branches for top in body for node in ast.walk(top)}
    for node in nodes:
        if node in left_out:
            continue
        if isinstance(node, ast.Import):
            found += [a.name.removeprefix("ast_ad.") for a in node.names if a.name.startswith("ast_ad.")]
        elif isinstance(node, ast.ImportFrom):
            found += from_import(node, package)
        elif isinstance(node, ast.Call):
            found += by_name(node, package)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [node.value[7:]] if node.value.startswith("ast_ad.") and node.value[7:] in NAMES else []
    return {HOMES.get(name, name) for name in map(module_of, found)}


def wing_of(name: str) -> str:
    """The row of the table that a module belongs to."""
    return max((wing for wing in ARROWS if within(name, wing)), key=len, default="")


def within(name: str, allowed: str) -> bool:
    if allowed.endswith(".*"):  # the modules at the top of a wing, not its rooms
        package, _, last = name.rpartition(".")
        return name == allowed[:-2] or package == allowed[:-2] and NAMES[name].name != "__init__.py"
    return name == allowed or name.startswith(allowed + ".")


def test_import_direction():
    """No module imports what its wing may not."""
    wrong = {}
    for owner, path in NAMES.items():
        wing = wing_of(HOMES.get(owner, owner))
        allowed = [wing, *ARROWS.get(wing, [])]
        imported = imported_modules(path) if owner else ()  # the package itself has names of every wing
        others = sorted(n for n in imported if n and not any(within(n, one) for one in allowed))
        wrong |= {owner: others} if others else {}
    assert wrong == {}


def test_every_module_has_a_wing():
    rooms = {"compiler", ""}  # a package of wings
    assert [name for name in NAMES if name not in rooms and not wing_of(HOMES.get(name, name))] == []
    assert [wing for wing in ARROWS if wing not in NAMES] == []


def test_the_arrows_lead_downwards():
    """A wing imports only wings that stand above it in the table."""
    order = list(ARROWS)
    for wing, allowed in ARROWS.items():
        below = {one for one in order[: order.index(wing)]}
        for name in allowed:
            names = {w for w in order if within(w, name.removesuffix(".*"))}
            assert names and names <= below, f"{wing} -> {name}"


LARGEST_CYCLE = 6
# The modules that import each other in circles, within functions too, and why they do.
CYCLES = {
    "compiler.frontend.types.shape_rules compiler.frontend.types.shapes_computed "
    "compiler.frontend.types.shapes_created compiler.frontend.types.shapes_joined":
        "the table of lengths loads those who fill it when it is first read, and they write in its terms",
    "compiler.kernels.lowering.lowering compiler.kernels.lowering.masks "
    "compiler.kernels.lowering.partial_writes compiler.kernels.lowering.reductions":
        "an operation asks first whether a mask chose its operand; a mask's loops write and reduce alike",
    "calls.compiled_pullbacks calls.derivative calls.traced calls.traced_cotangents calls.with_tensors":
        "a derivative that is called with tensors is a node of theirs, whose own derivative is a derivative",
    "tracing.creation tracing.followed tracing.replacements tracing.traced_array":
        "a function that is followed sees the table of replacements, in which followed functions stand",
}  # fmt: skip


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The largest sets of modules, of more than one, each of which leads to each (Tarjan's algorithm)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for after in graph[name]:
            if after not in order:
                visit(after)
                lowest[name] = min(lowest[name], lowest[after])
            elif after in stack:
                lowest[name] = min(lowest[name], order[after])
        if lowest[name] == order[name]:
            at = stack.index(name)
            found.append(set(stack[at:]))
            del stack[at:]

    for name in graph:
        if name not in order:
            visit(name)
    return [one for one in found if len(one) > 1]


def test_cycles_of_imports():
    """Modules stand above what they import, but for a few small circles with a reason.

    What a module asks of higher ones goes through doors, which are open once the package is loaded.
    """
    graph = {name: imported_modules(path, when_run=True) for name, path in NAMES.items()}
    graph[""] = set()  # the package itself, which has names of every wing
    found = cycles(graph)
    assert [one for one in found if len(one) > LARGEST_CYCLE] == []
    assert {" ".join(sorted(one)) for one in found} == {" ".join(sorted(one.split())) for one in CYCLES}


@pytest.mark.parametrize("first", ["eager.doors", "eager.state", "eager.tensor"])
def test_the_doors_of_tensors_are_open(first):
    """Whichever module of theirs a process imports, it can do with tensors all that there is."""
    code = f"""
        import importlib, pickle
        importlib.import_module("ast_ad.{first}")
        from ast_ad.eager import doors
        from ast_ad.eager.tensor import Tensor
        assert [name for name in doors.__annotations__ if not callable(getattr(doors, name, None))] == []
        x = Tensor([1.0, 2.0]).requires_grad_()
        seen = []
        x.register_hook(seen.append)
        (x * x).sum().backward()
        assert x.grad.tolist() == seen[0].tolist() == [2.0, 4.0]
        assert repr(pickle.loads(pickle.dumps(x))) == "tensor([1., 2.], requires_grad=True)"
        assert x.type("torch.DoubleTensor").type() == "torch.DoubleTensor"
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(code)], check=True)


def test_no_file_name_twice_in_a_wing():
    for top in ("calls", "compiler", "inspection", "tracing"):
        names = [name.rpartition(".")[2] for name, path in NAMES.items()
                 if within(name, top) and path.name != "__init__.py"]  # fmt: skip
        assert sorted(name for name in set(names) if names.count(name) > 1) == [], top


def test_docstring():
    """A module begins with the question that it answers."""
    assert [name for name, path in NAMES.items() if not ast.get_docstring(tree(path))] == []


def test_length():
    """A module that answers one question is short, and so are its functions."""
    long = [name for name, path in NAMES.items() if path.read_text().count("\n") > LONGEST_MODULE]
    for name, path in NAMES.items():
        functions = [n for n in nodes_of(path) if isinstance(n, ast.FunctionDef)]
        long += [f"{name}.{f.name}" for f in functions if f.end_lineno - f.lineno >= LONGEST_FUNCTION]
    assert long == []


def test_import_is_light():
    """The package's import loads no compiler and none of the optional dependencies."""
    heavy = "gast", "astor", "scipy", "numba", "rich"
    code = f"import sys, ast_ad; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_compiler_loads_no_tensors():
    """A gradient of a plain function is had without the modules of tensors."""
    code = """
        import sys, linecache
        import ast_ad
        text = "def f(x):\\n    return x * x\\n"
        linecache.cache["square.py"] = len(text), None, text.splitlines(True), "square.py"
        exec(compile(text, "square.py", "exec"))
        assert ast_ad.grad(f)(3.0) == 6.0
        print([m for m in sys.modules if m.startswith("ast_ad.eager")])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def report() -> None:
    """Print lines and the longest function of every module: ``python -m tests.test_layout``."""
    for path in MODULES:
        text = path.read_text()
        functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
        longest = max(functions, key=lambda f: f.end_lineno - f.lineno, default=None)
        note = f"{longest.end_lineno - longest.lineno + 1:4} {longest.name}" if longest else ""
        lines = text.count("\n")
        print(f"{'*' if lines > LONGEST_MODULE else ' '}{lines:5}  {path.relative_to(PACKAGE)!s:32} {note}")


if __name__ == "__main__":
    report()


FRONT_END = [path for path in MODULES if within(dotted(path), "compiler.frontend")]


def test_the_front_end_is_seen_by_the_type_checker():
    """Its modules call each other's functions by name; what leads upwards is a door, and each is open."""
    import ast_ad.compiler.frontend.interpreter  # noqa: F401  (opens them)
    from ast_ad.compiler.frontend import doors

    assert [name for name in doors.__annotations__ if not callable(getattr(doors, name, None))] == []
    for path in FRONT_END:
        assert "def __getattr__" not in path.read_text(), path.name


def test_parameters_of_the_front_end_have_types():
    """At most one in twenty is, or is made of, Any."""
    trees = [ast.parse(path.read_text()) for path in FRONT_END]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    texts = [
        ast.unparse(parameter.annotation)
        for arguments in (function.args for function in functions)
        for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        if parameter.annotation is not None
    ]
    assert FRONT_END and sum("Any" in text for text in texts) <= len(texts) / 20


def test_constants_of_the_ir_are_not_compared():
    """Two constants are never equal, whatever they hold: such a question is always answered no."""
    compared = re.compile(r"[!=]= Lit\(")
    assert [name for name, path in NAMES.items() if compared.search(path.read_text())] == []
