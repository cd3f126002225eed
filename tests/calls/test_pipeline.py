"""Does one page show how a function becomes a program, and does nothing else call its stages?"""

import ast
import pathlib
import re

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import pipeline
from ast_ad.compiler.report import Report

PACKAGE = pathlib.Path(ast_ad.__file__).parent
PAGE = pathlib.Path(pipeline.__file__)
# In the order in which a function passes them; ``program`` is what the question makes of it.
FRONT = ["lower", "settled", "require_more_than_a_call", "program", "split"]
NUMPY = ["write_in_place", "emit_module", "load_module"]
KERNELS = [
    "small_arrays", "expand", "fuse_loops", "tuples_apart", "lists_as_arrays", "expand", "watched",
    "read_final", "typed_tapes", "gather_products", "write_in_place", "partition", "emit_module",
    "load_module",
]  # fmt: skip
STAGES = {
    "adjoint.split": ["split"], "adjoint.unread": ["keep_exceptions"], "arrays.in_place": ["write_in_place"],
    "elements.small_arrays": ["small_arrays"], "emit.load": ["load_module"], "emit.python": ["emit_module"],
    "frontend.lower": ["lower"], "kernels.partition.partition": ["partition"],
    "kernels.plain_products": ["watched"],
    "loops.gathered_products": ["gather_products"], "loops.list_arrays": ["lists_as_arrays"],
   "loops.loop_fusion": ["fuse_loops"],
    "loops.tape_elision": ["read_final"],
    "loops.tape_layout": ["typed_tapes"], "loops.tuple_lists": ["tuples_apart"],
    "simplify.expand_definitions": ["expand"],
    "simplify.within": ["join_paths"], "traced_callees": ["call_sites", "require_more_than_a_call"],
}  # fmt: skip


def calls(tree):
    """The names of what is called, in the order of the text."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    found.sort(key=lambda node: (node.end_lineno, node.end_col_offset))
    return [getattr(node.func, "attr", getattr(node.func, "id", "")) for node in found]


def function(name):
    tree = ast.parse(PAGE.read_text())
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)


def test_it_is_a_page():
    assert PAGE.read_text().count("\n") <= 120


@pytest.mark.parametrize(
    "functions, stages",
    [
        (["read", "answered", "halved"], FRONT),
        (["in_place", "numpy_code", "loaded"], NUMPY),
        (["for_kernels", "kernel_code", "loaded"], KERNELS),
    ],
    ids=["front", "numpy", "kernels"],
)
def test_the_stages_stand_in_order(functions, stages):
    text = [name for one in functions for name in calls(function(one)) if name in stages]
    assert text == stages


def with_any_of(names):
    """The modules that have one of the names somewhere in their text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if re.search(rf"\b({'|'.join(names)})\b", text):
            yield path, ast.parse(text)


def test_nothing_else_calls_a_stage():
    callers = set()
    names_of_all = [name for names in STAGES.values() for name in names]
    for path, tree in with_any_of(names_of_all):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = str(node.module)
                stages = [names for where, names in STAGES.items() if f".{module}".endswith(f".{where}")]
                names = {alias.name for alias in node.names} & {name for one in stages for name in one}
                callers |= {(path.name, name) for name in names}
    assert callers == {("pipeline.py", name) for names in STAGES.values() for name in names}


def test_the_question_alone_differentiates():
    """``adjoint`` and ``tangent`` are called where a question says what its program is, or in rules."""
    found = set()
    for path, tree in with_any_of(["adjoint", "tangent"]):
        for node in ast.walk(tree):
            names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set()
            if names & {"adjoint", "tangent"}:
                found.add(path.relative_to(PACKAGE).as_posix())
    of_operations = {"compiler/tangent/own_tangents.py", "compiler/tangent/transposed.py"}
    asked = {"calls/forward.py", "calls/inside_along.py", "calls/questions.py"}
    assert found == {*asked, *of_operations, "rule/programs.py"}


def test_no_attribute_compiles():
    """Reading a property of what happens at a call lowers, differentiates and emits nothing."""
    compiling = {name for names in STAGES.values() for name in names} | {
        "adjoint", "answered", "code", "compile_program", "compiled", "halved", "halves", "in_numpy",
        "in_place", "kernel_code", "numpy_code", "placed", "whole",
    }  # fmt: skip
    seen = 0
    for path in sorted((PACKAGE / "calls").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and is_read(node):
                seen += 1
                assert not compiling & set(calls(node)), f"{path}: {node.name}"
    assert seen


def is_read(node):
    """Whether a function runs when an attribute is read."""
    decorators = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    return bool(decorators & {"property", "cached_property"}) or node.name.startswith("__getattr")


def test_no_words_for_questions():
    """A question is a class: nothing at a call compares words."""
    for folder in ("calls", "inspection"):
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Compare):
                    words = {one.value for one in ast.walk(node) if isinstance(one, ast.Constant)}
                    assert not words & {"grad", "value_and_grad", "vjp"}, path


# ----- what the passes noted
def history(x):
    total = 0.0
    for i in range(1, len(x)):
        x[i] = np.sin(x[i - 1]) * x[i]
        total += x[i] ** 3
    return total


def shared(x):
    old = x * 2.0
    new = old
    new[0] = 1.0
    kept = old[1:]
    old[1] = 3.0
    return np.sum(kept * new[1:])


def small(x):
    k = np.array([x[0] * 2.0, x[1] + 1.0])
    return k @ k


@pytest.mark.parametrize(
    "f, backend, told",
    [
        (history, "numba", "tape layout"),
        (small, "numba", "small arrays"),
    ],
    ids=["tape layout", "small arrays"],
)
def test_explain_prints_what_passes_noted(f, backend, told):
    derivative = ast_ad.value_and_grad(f, backend=backend, check=True)
    derivative(np.array([0.5, 1.5, -0.5]))
    notes = [note for code in derivative._last.codes for note in code.report]
    assert told in {note.stage for note in notes}
    text = derivative.explain()
    assert "What the passes did:" in text
    assert all(note.text in text for note in notes)


def test_a_report_notes_once_and_in_order():
    report = Report()
    for stage, text in (("b", "one"), ("a", "two"), ("b", "one")):
        report.note(stage, None, text)
    assert [(note.stage, note.text) for note in report] == [("b", "one"), ("a", "two")]
