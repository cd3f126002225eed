"""Writes docs/supported.md: what is compiled, what is traced, what is refused: read off the code.

python docs/make_supported.py           # rewrites the page
python docs/make_supported.py --check   # exit status 1, and the differences, if the page is out of date

Nothing on the page is written by hand but what stands between the lists: statements and calls are those that
the front end has readers for, functions those of the registry of rules, refusals the errors that stand in the
modules. Which names a library has depends on its version: where another one is installed, ``--check`` looks
at the refusals only.
"""

import ast
import difflib
import importlib
import pathlib
import platform
import re
import runpy
import sys
import tempfile
import textwrap
import types
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator

import numpy as np
import scipy

import ast_ad
from ast_ad import errors
from ast_ad.calls.fitting import assumptions
from ast_ad.compiler.frontend import interpreter, tables
from ast_ad.compiler.frontend.callables import calls, stand_ins
from ast_ad.rules import registry
from ast_ad.tracing import builtin_classes, extrema

ROOT = pathlib.Path(ast_ad.__file__).resolve().parent
PAGE = pathlib.Path(__file__).resolve().parent / "supported.md"
LIBRARIES = (
    "builtins math cmath operator"
    " numpy numpy.linalg numpy.fft numpy.ma numpy.random numpy.polynomial.polynomial"
    " scipy.special scipy.linalg scipy.fft scipy.fftpack scipy.integrate scipy.interpolate scipy.ndimage"
    " scipy.optimize scipy.signal scipy.spatial scipy.spatial.distance"
    " scipy.stats"
).split()
KINDS = {
    "elementwise": "by partial derivatives",
    "vjp": "by a rule for cotangents",
    "composite": "through other operations",
    "nondifferentiable": "compiled, with a derivative of zero or none",
}
VERSIONS = f"Python {platform.python_version_tuple()[0]}.{platform.python_version_tuple()[1]}"
VERSIONS += "".join(f", {m.__name__} {'.'.join(m.__version__.split('.')[:2])}" for m in (np, scipy))


def page() -> str:
    parts = [HEAD, python(), library_functions(), traced(), left_by_kernels(), refused()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


HEAD = f"""
# What is compiled, traced and refused

Written by `docs/make_supported.py` from the tables of the compiler and of the rules; do not edit. The lists
of libraries are those of {VERSIONS}.

A function is read from its source. What the compiler can read becomes source of the derivative; a function,
or a call in it, that it can't read is run as it is on traced arrays ([fallback](fallback.md)); what can't be
traced either is an error that names the line ([errors](errors.md)). `fallback="error"` makes an error of
everything that is not compiled.
"""


# ----- Python


def python() -> str:
    statements, expressions = sorted(map(_name, tables.EXEC)), sorted(map(_name, tables.EVAL))
    assert interpreter.READERS  # which have entered what they read
    unread = sorted({_name(kind) for kind in _kinds(ast.stmt, ast.expr)} - {*statements, *expressions})
    methods: dict[str, list[str]] = defaultdict(list)
    for kind, name in tables.METHODS:
        methods[kind].append(name)
    return "\n".join(
        [
            "## Python\n",
            "Classes are those of the grammar (`ast`).\n",
            f"- **Statements**: {_listed(statements)}.",
            f"- **Expressions**: {_listed(expressions)}.",
            f"- **Operators**: {_listed(_operators())}.",
            f"- **No reader, so traced**: {_listed(unread)}.",
            "\nWhat a call does is read from the callee's source, whoever wrote it: functions, closures,"
            " methods, constructors, generators, context managers. These callables have readers of their"
            " own:\n",
            *(f"- `{module}`: {_listed(names)}." for module, names in _read_calls().items()),
            "\nSo have these methods. Methods of arrays that have the name of a function of NumPy's are that"
            " function.\n",
            *(
                f"- {kind}: {_listed(names)}."
                for kind, names in sorted(methods.items())
                if kind != "iterable"
            ),
            "\nA call whose arguments are all known when the program is compiled is made then, if the"
            f" function is one of these modules': {_listed(sorted(calls.FOLDED))}.",
        ]
    )


def _kinds(*bases: type) -> list[type]:
    """The classes of the grammar that the parser makes."""
    found = [kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, bases)]
    old = [kind for kind in found if issubclass(kind, ast.Constant) and kind is not ast.Constant]
    return [kind for kind in found if kind not in bases and kind not in old]


def _operators() -> list[str]:
    """The operators that a program which uses them is compiled with."""
    return [sign for sign, program in PROGRAMS.items() if _compiles(program)]


def _read_calls() -> dict[str, list[str]]:
    """The callables that the front end reads by code of its own, by module."""
    found: dict[str, list[str]] = defaultdict(list)
    for fn in tables.CALLS:
        module = (getattr(fn, "__module__", None) or "").removeprefix("_")
        if not module.startswith("ast_ad"):
            found[module].append(fn.__name__)
    return {module: sorted(names) for module, names in sorted(found.items())}


def _compiles(expression: str) -> bool:
    """Whether a function with this expression in it is compiled, not only traced."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "program.py"
        path.write_text(f"import numpy as np\ndef f(x, n):\n    return 3.0 * x if {expression} else x\n")
        names = runpy.run_path(str(path))
        try:
            ast_ad.grad(names["f"], fallback="error")(0.5, 3)
        except ast_ad.AdError:
            return False
        return True


PROGRAMS = {
    **{sign: f"x {sign} 2.0" for sign in "+ - * / // % ** == != < <= > >=".split()},
    **{sign: f"n {sign} 2" for sign in "& | ^ << >> and or".split()},
    **{sign: f"n {sign} (1, 2, 3)" for sign in ("in", "not in")},
    **{sign: f"n {sign} None" for sign in ("is", "is not")},
    "@": "np.ones(n) @ np.ones(n)",
    "not": "not x",
    "~": "~n",
}


# ----- functions of libraries


def library_functions() -> str:
    for name in [*LIBRARIES, *registry._optional]:
        if name != "bottleneck":  # which few have: BOTTLENECK tells of it
            importlib.import_module(name)
    primitives = registry.primitives()
    homes = _homes(primitives)
    parts = [LIBRARY_HEAD]
    for module in [*LIBRARIES, *sorted(set(homes) - set(LIBRARIES))]:
        entries = _entries(module, homes.get(module, {}), primitives)
        if entries:
            parts.append(f"### `{module}`\n\n" + "\n".join(entries))
    methods = sorted({name.rpartition(".")[2] for name in stand_ins.METHODS})
    parts.append(
        "Continuous distributions of `scipy.stats`, frozen or not, have these methods, each followed into the"
        f" formulas of the distribution: {_listed(methods)}."
    )
    parts.append(BOTTLENECK.strip())
    return "\n\n".join(parts)


BOTTLENECK = """
### `bottleneck`

Where it is installed: its reductions (`nansum`, `nanmean`, `nanvar`, `nanstd`, `nanmin`, `nanmax`,
`nanmedian`, `median`, `ss`), the same of moving windows (`move_sum` and its relatives), and `push`. Ranks and
places are steps, whose derivative is zero. `partition`, and `replace`, which writes to its argument, are
without rule.
"""

LIBRARY_HEAD = """
## NumPy, SciPy, `math`

Every rule serves reverse and forward mode, kernels, traces and tensors; without a note, tangents are those of
the rule, transposed. *Followed* are functions with Python source and no rule: they are read like yours, and
compiled if what they call is. What is *without rule* is compiled code of which nothing is known: a result of
it that depends on what is differentiated is an error (E102), until it gets a rule ([adding](adding.md)).
"""


def _homes(primitives: dict[Callable, registry.Primitive]) -> dict[str, dict[str, Callable]]:
    """By module: the public names of functions with rules, one module for each function."""
    homes: dict[str, dict[str, Callable]] = defaultdict(dict)
    left = {id(fn): fn for fn in primitives}
    for module in LIBRARIES:
        for name, value in _public(module):
            if id(value) in left:
                homes[module][name] = value
    shown = {id(fn) for names in homes.values() for fn in names.values()}
    for fn in left.values():
        module = getattr(fn, "__module__", None) or ""
        if id(fn) not in shown and module.partition(".")[0] in ("numpy", "scipy"):
            homes[module][fn.__name__] = fn
    return homes


def _public(module: str) -> Iterator[tuple[str, object]]:
    for name, value in sorted(vars(importlib.import_module(module)).items()):
        if (
            callable(value)
            and not name.startswith("_")
            and name != "test"
            and not isinstance(value, (type, types.ModuleType))
        ):
            yield name, value


def _entries(module: str, names: dict[str, Callable], primitives: dict) -> list[str]:
    """The lines of one module: its functions by what is known of them."""
    of_kind: dict[str, list[str]] = defaultdict(list)
    tangents: dict[str, list[str]] = defaultdict(list)
    for name, fn in sorted(names.items()):
        of_kind[KINDS[primitives[fn].kind]].append(name)
        rule = registry.tangent_rule(primitives[fn])
        if rule is not None:
            tangents["linear" if isinstance(rule, registry.Linear) else "a rule of their own"].append(name)
    lines = [f"- {kind}: {_listed(of_kind[kind])}." for kind in KINDS.values() if of_kind[kind]]
    lines += [f"- tangents, {how}: {_listed(some)}." for how, some in sorted(tangents.items())]
    if module not in LIBRARIES or module in ("builtins", "operator"):
        return lines
    others = [(n, f) for n, f in _public(module) if n not in names and not _is_read(f)]
    plain = [name for name, fn in others if calls.python_function(fn) is not None and _is_of(fn, module)]
    without = [name for name, fn in others if calls.python_function(fn) is None and _is_of(fn, module)]
    lines += [f"- *followed*: {_listed(plain)}."] if plain else []
    return lines + ([f"- *without rule*: {_listed(without)}."] if without else [])


def _is_read(fn: object) -> bool:
    """Whether the front end has a reader for calls of it."""
    return fn.__hash__ is not None and fn in tables.CALLS


def _is_of(fn: object, module: str) -> bool:
    """Whether a function stands in a module as its own, and was not only imported."""
    home = getattr(fn, "__module__", None) or module
    return home.partition(".")[0] == module.partition(".")[0] and not isinstance(fn, np.random.Generator)


# ----- traced, refused


def traced() -> str:
    codes = sorted(
        {(e.code, e.__name__) for e in _errors() if issubclass(e, TRACED) and e.code != errors.AdError.code}
    )
    standing = [c.__name__ for c in builtin_classes.OF_PYTHON] + [
        f"np.{c.__name__}" for c in builtin_classes.OF_NUMPY
    ]
    return "\n".join(
        [
            "## Traced\n",
            "These errors of the compiler make a call traced, with one `FallbackWarning` for each function,"
            f' unless `fallback="error"` is given: {", ".join(f"{c} `{name}`" for c, name in codes)}.\n',
            "Traced arrays are NumPy arrays to what is traced. Functions of NumPy and SciPy with rules are"
            " recorded, and those that are Python code are followed; where a builtin has to know of traced"
            f" values, another stands in its place: {_listed(standing + sorted(extrema.FUNCTIONS))}.",
        ]
    )


TRACED = (errors.UnsupportedError, errors.SourceError, errors.InternalError)


def _errors() -> list[type[errors.AdError]]:
    found = [e for e in vars(errors).values() if isinstance(e, type) and issubclass(e, errors.AdError)]
    return sorted(found, key=lambda e: (e.code, e.__name__))


def refused() -> str:
    """Every error E1xx that stands in the modules, by the question that the package answers."""
    found: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        folder = str(path.parent.relative_to(ROOT))
        found[folder] += _refusals(path)
    parts = [REFUSED_HEAD]
    for folder, rows in sorted(found.items(), key=lambda item: (item[0].startswith(FINAL), item[0])):
        if rows:
            question = (ast.get_docstring(_parsed(ROOT / folder / "__init__.py")) or folder).partition("\n")[
                0
            ]
            lines = ["|".join(["", *(f" {cell} " for cell in row), ""]) for row in dict.fromkeys(rows)]
            head = f"### {question.replace('``', '`')}\n\nIn `ast_ad/{folder}`.\n"
            parts.append(
                "\n".join([head, "| code | construct | why | what to do |", "|---|---|---|---|", *lines])
            )
    return "\n\n".join(parts)


def left_by_kernels() -> str:
    """Every reason for which kernels leave a statement to NumPy's code, and every fact that they check."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "compiler" / "kernels").rglob("*.py")):
        tree = _parsed(path)
        for node in ast.walk(tree):
            maker = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if maker in ("NoForm", "Unsupported"):
                text = _text(node.args[-1], tree)
                if text.strip("… `"):
                    found[(ast.get_docstring(tree) or "").partition("\n")[0]].append(text)
    lines = [
        f"- {question.replace('``', '`')} {'; '.join(sorted(set(texts)))}"
        for question, texts in found.items()
    ]
    facts = {*assumptions.KINDS.values(), "equal lengths", "a length that is not negative"}
    checked = "; ".join(sorted(facts))
    return LEFT_HEAD.format(checked=checked) + "\n".join(sorted(lines))


LEFT_HEAD = """
## Left by kernels

With `backend="numba"`, and under `auto` once it pays, statements run as kernels; what kernels have no form
for stays NumPy code between them, and `explain()` tells the line and the reason. Kernels assume what the
compiler could not prove, and check it as they run: {checked}. If that does not hold, NumPy's code answers the
call, and the program is compiled anew without what was assumed at that line. These are the reasons, by the
question that a module answers; … is filled in with types and names.

"""
FINAL = ("eager", "tracing")  # what raises while a function is traced, or with tensors
REFUSED_HEAD = """
## Refused

The errors that stand in the modules; … is filled in with names of the program. What the compiler refuses is
traced instead, but for E103; what is refused with traced arrays and tensors reaches you.
"""
MAKERS = {"unsupported": errors.UnsupportedError} | {
    e.__name__: e
    for e in vars(errors).values()
    if isinstance(e, type) and getattr(e, "code", "").startswith("E1")
}


def _refusals(path: pathlib.Path) -> list[tuple[str, ...]]:
    """Code, construct, reason and advice of the errors that are made in a module."""
    rows = []
    tree = _parsed(path)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        maker = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if maker not in MAKERS:
            continue
        order = ("construct", "why", "fix") if maker == "unsupported" else ("construct", "span", "why", "fix")
        given = dict(zip(order, node.args, strict=False)) | {k.arg: k.value for k in node.keywords}
        texts = [_text(given.get(part), tree) for part in ("construct", "why", "fix")]
        if texts[0].strip("… `"):
            rows.append((MAKERS[maker].code, *(t.replace("|", "\\|") for t in texts)))
    return rows


def _text(node: ast.AST | None, tree: ast.Module) -> str:
    """What a text in the source says; … for what is filled in."""
    match node:
        case None:
            return ""
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(v, tree) if isinstance(v, ast.Constant) else "…" for v in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left, tree) + _text(right, tree)
        case ast.Name(id=name):
            for statement in tree.body:
                match statement:
                    case ast.Assign(targets=[ast.Name(id=other)], value=value) if other == name:
                        return _text(value, tree)
    return "…"


def _parsed(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text()) if path.exists() else ast.Module([], [])


# ----- the page


def _name(kind: type) -> str:
    return kind.__name__


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def wrapped(text: str) -> str:
    """The text with lines of at most 120 characters; tables stay as they are."""
    text = re.sub(r"(?<!\n)\n(?![\n|#-])", " ", text)  # a paragraph is one line before it is wrapped
    lines: list[str] = []
    for line in text.splitlines():
        indent = "  " if line.startswith("- ") else ""
        wrapping = {"break_long_words": False, "break_on_hyphens": False, "subsequent_indent": indent}
        lines += [line] if line.startswith("|") else textwrap.wrap(line, 120, **wrapping) or [""]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def compared(text: str) -> list[str]:
    """The lines that have to agree: all of them where the versions do, else without libraries and grammar."""
    if f"those of {VERSIONS}" in re.sub(r"\s+", " ", PAGE.read_text() if PAGE.exists() else ""):
        return text.splitlines()
    return text[text.index("\n## Refused") :].splitlines()


def main() -> int:
    after = wrapped(page())
    if "--check" not in sys.argv:
        PAGE.write_text(after)
        return 0
    before = PAGE.read_text()
    changes = difflib.unified_diff(compared(before), compared(after), PAGE.name, "now", lineterm="", n=0)
    report = "\n".join(changes)
    print(report, end="")
    return 1 if report else 0


if __name__ == "__main__":
    sys.exit(main())
