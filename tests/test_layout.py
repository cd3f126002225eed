"""Do the packages import each other only in the allowed direction, and do modules stay short?"""

import ast
import pathlib
import subprocess
import sys
import textwrap

import pytest

PACKAGE = pathlib.Path(__file__).parent.parent / "ast_ad"
MODULES = sorted(PACKAGE.rglob("*.py"))

# The callables that stand in the IR for what has no NumPy function, and the table of all rules.
OPERATIONS = {"rules.registry", "rules.helpers", "rules.containers", "rules.dicts"}
OPERATIONS |= {"rules.in_place", "rules.nested_lists", "rules.of_dtypes", "rules.itself"}
# What a package may import, besides itself and EVERYONE's.
ALLOWED = {
    "errors": set(),
    "budget": {"errors"},
    "deep": set(),
    "garbage": set(),
    "trees": {"errors"},
    "options": {"errors"},
    "ir": {"errors"},
    "kernels": set(),
    "rules": {"errors", "kernels"},
    "analysis": {"ir", "errors"} | OPERATIONS,
    "frontend": {"ir", "errors", "options", "trees"} | OPERATIONS,
    "transform": {"frontend", "analysis", "ir", "rules", "errors", "options"},
    "emit": {"ir", "errors"} | OPERATIONS,
    "generated": {"emit"},
    # Tensors run the rules on arrays. A backward pass is started, and anomalies are told, by the public face.
    "eager": {"rules", "errors", "autograd.backward", "autograd.anomaly_mode"},
    "autograd": {"eager", "errors"},
    "utils": {"autograd", "eager", "errors"},
    "_C": {"autograd", "eager"},
    "amp": {"eager"},
    "cuda": {"amp"},
    "nn": {"eager", "autograd", "utils", "rules", "kernels", "errors"},
    "optim": {"eager", "autograd", "nn", "rules", "kernels", "trees", "errors"},
    "files": {"eager", "nn.parameter", "errors"},
    "fallback": {
        "derivative",
        "net",
        "request",
        "variant",
        "zero_gradients",
        "eager",
        "frontend",
        "transform",
        "ir",
        "rules",
        "trees",
        "errors",
        "options",
    },
    "net": {"ir", "trees", "errors", "analysis", "transform", "fallback"},
    # How other compilers run what is emitted; still to come.
    "backends": {"emit", "transform", "analysis", "ir", "rules", "errors", "options"},
}
EVERYONE = {"budget", "deep", "garbage", "__version__"}
LONGEST_MODULE = 450
LONGEST_FUNCTION = 60


def imported_modules(path: pathlib.Path) -> set[str]:
    """The dotted names, below ``ast_ad``, of what a module imports, wherever in it."""
    package = list(path.relative_to(PACKAGE).parent.parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {a.name.removeprefix("ast_ad.") for a in node.names if a.name.startswith("ast_ad.")}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - (node.level - 1)]
                base = base + node.module.split(".") if node.module else base
            elif node.module and node.module.split(".")[0] == "ast_ad":
                base = node.module.split(".")[1:]
            else:
                continue
            found |= {".".join([*base, alias.name]) for alias in node.names}
    return found


def within(name: str, allowed: set[str]) -> bool:
    return any(name == one or name.startswith(one + ".") for one in allowed)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_import_direction(path):
    owner = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if owner not in ALLOWED:  # api and the package itself: they may import everything
        pytest.skip(f"{owner} may import everything")
    wrong = {name for name in imported_modules(path) if not within(name, ALLOWED[owner] | {owner} | EVERYONE)}
    assert not wrong, f"{path.relative_to(PACKAGE)} must not import {sorted(wrong)}"


def test_every_package_has_a_direction():
    packages = {path.relative_to(PACKAGE).parts[0] for path in MODULES if path.parent != PACKAGE}
    assert packages <= set(ALLOWED)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_docstring(path):
    tree = ast.parse(path.read_text())
    assert ast.get_docstring(tree), "a module begins with the question that it answers"


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_length(path):
    """A module that answers one question is short, and so are its functions."""
    text = path.read_text()
    assert text.count("\n") <= LONGEST_MODULE
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if f.end_lineno - f.lineno >= LONGEST_FUNCTION] == []


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


def test_the_front_end_is_seen_by_the_type_checker():
    """Its modules call each other's functions by name; what leads upwards is a door, and each is open."""
    import ast_ad.frontend.interpreter  # noqa: F401  (opens them)
    from ast_ad.frontend import doors

    assert [name for name in doors.__annotations__ if not callable(getattr(doors, name, None))] == []
    for path in (PACKAGE / "frontend").glob("*.py"):
        assert "def __getattr__" not in path.read_text(), path.name


def test_parameters_of_the_front_end_have_types():
    """At most one in twenty is, or is made of, Any."""
    trees = [ast.parse(path.read_text()) for path in (PACKAGE / "frontend").glob("*.py")]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    texts = [
        ast.unparse(parameter.annotation)
        for arguments in (function.args for function in functions)
        for parameter in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        if parameter.annotation is not None
    ]
    assert sum("Any" in text for text in texts) <= len(texts) / 20
