"""Does each statement keep the calls by which its helper was reached, from the front end to the kernels?"""

import copy
import functools
import pickle

import numpy as np
import pytest

from ast_ad import errors, grad
from ast_ad.calls.code import Pure
from ast_ad.calls.pipeline import for_kernels
from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.unread import keep_exceptions
from ast_ad.compiler.arrays.in_place import write_in_place
from ast_ad.compiler.emit.nesting import plan
from ast_ad.compiler.emit.python import emit_module
from ast_ad.compiler.frontend.lower import lower
from ast_ad.compiler.ir.ops import NOWHERE, Call, Span, walk
from ast_ad.compiler.kernels.partition.partition import partition
from ast_ad.compiler.report import UNHEARD
from ast_ad.compiler.simplify.within import join_paths
from ast_ad.trees import flatten


def damped(v, w):
    t = v * w
    u = np.tanh(t)
    if u[0] > 0:
        u = u * 2.0
    return u + t


def pairs(v):
    for i in range(v.shape[0]):
        yield v[i] * 2.0


def step(v, w):
    total = 0.0
    for i in range(v.shape[0]):
        total += damped(v, w)[i] ** 2
    for item in pairs(v):
        total += item
    v = v.copy()
    v[1:] += v[:-1] * w
    return v + total


def outer(v, w):
    for _ in range(3):
        v = step(v, w)
    rows = [np.sin(v) for _ in range(2)]
    acc = []
    j = 0
    while j < 3:
        acc.append(v * j)
        j += 1
    doubled = lambda z: z * 2.0  # noqa: E731
    return np.sum(damped(v, w) + damped(v, 2.0)) + np.sum(acc[1]) + np.sum(rows[0] * doubled(rows[1]))


def loss(v, w):
    return outer(v, w)


def lowered(function, *args):
    pairs = [flatten(arg) for arg in args]
    leaves = [leaf for found, _ in pairs for leaf in found]
    return lower(function, ["v", "w"], [tree for _, tree in pairs], leaves).function


def made():
    """The functions of each stage, with its name."""
    primal = lowered(loss, np.ones(5), 0.3)
    yield "lower", [primal]
    keep_exceptions(join_paths(primal))
    yield "unread", [primal]
    for policy in ("cheap", "min-cut"):
        joint = adjoint(primal, (0, 1), residuals=policy)
        yield f"adjoint, {policy}", [joint]
        yield f"in place, {policy}", [write_in_place(joint, nested=lambda function: plan(function).inlined)]
    placed = for_kernels(Pure(joint, (), ()), UNHEARD)
    yield "in place, for kernels", [placed]
    parts = partition(placed, "loss_kernel")
    assert parts.kernels
    yield "kernels", [*parts.kernels, parts.driver]


@functools.cache
def stages():
    found = dict(made())
    assert list(found) == STAGES
    return found


STAGES = [
    *("lower", "unread", "adjoint, cheap", "in place, cheap", "adjoint, min-cut", "in place, min-cut"),
    *("in place, for kernels", "kernels"),
]
HELPERS = {"outer", "step", "damped", "pairs"}


def statements(stage):
    return [op for function in stages()[stage] for op in walk(function.body)]


def key(op):
    return op.span.line, op.span.column, op.span.call


@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("stage", STAGES)
def test_a_statement_of_a_helper_keeps_its_path(stage):
    """The chain leads from the statement's function to the one that is differentiated, a call at a time."""
    functions = set()
    for op in statements(stage):
        if op.span is NOWHERE:
            continue
        callees = [call.callee for call in op.span.path]
        inside = [call.at.function for call in op.span.path] + [op.span.function]
        plain = [
            "outer" if callee == "<lambda>" else callee for callee in callees
        ]  # its lines are its maker's
        assert inside == ["loss", *plain], (op, callees)
        for call in op.span.path:
            text = "doubled" if call.callee == "<lambda>" else call.callee
            assert text in call.at.text, (op, call)
        functions.add(op.span.function)
    assert HELPERS <= functions


@pytest.mark.parametrize("stage", STAGES)
def test_an_adjoint_belongs_to_the_call_of_its_primal(stage):
    primal = {key(op) for op in statements("lower")}
    swept = [op for op in statements(stage) if op.adjoint]
    assert swept or stage in ("lower", "unread")
    assert {key(op) for op in swept if op.span is not NOWHERE} <= primal


@pytest.mark.parametrize("stage", [name for name in STAGES if name != "kernels"])
def test_no_statement_is_without_a_place(stage):
    """Kernels have statements of their own: lengths of what they are given, checks, their calls."""
    assert all(op.span is not NOWHERE for op in statements(stage))


def test_what_has_no_place_in_kernels_is_of_no_line():
    own = {op.fn.__name__ for op in statements("kernels") if op.span is NOWHERE}
    kernels = {function.name for function in stages()["kernels"]}
    assert own - kernels <= {"shape", "getitem", "small", "eq", "require", "float64", "bool"}


def test_each_call_is_one_of_its_own():
    """Both calls in one line, and each of the two readings, have the same place and other identities."""
    both = {op.span.call for op in statements("lower") if op.span.text.startswith("t = v * w")}
    of_line = [call for call in both if call.at.text.startswith("return np.sum")]
    assert len(of_line) == 2 and len(both) == 3
    assert of_line[0].at.column != of_line[1].at.column


def test_a_call_is_no_part_of_the_place():
    one = Span("user.py", 7, 0, 5, "y = x + x", "loss")
    other = Span("user.py", 7, 0, 5, "y = x + x", "loss", Call("loss", Span("user.py", 9)))
    assert one == other and hash(one) == hash(other) and repr(one) == repr(other)
    assert (one.path, [call.at.line for call in other.path]) == ((), [9])


def test_the_text_is_the_same_without_paths():
    """Nothing that is printed depends on them."""
    (placed,) = stages()["in place, cheap"]
    before = emit_module([placed])
    spans = [op.span for op in walk(placed.body)]
    try:
        for op in walk(placed.body):
            s = op.span
            op.span = Span(s.filename, s.line, s.column, s.end_column, s.text, s.function)
        after = emit_module([placed])
    finally:
        for op, span in zip(walk(placed.body), spans, strict=True):
            op.span = span
    assert before.text == after.text and before.lines == after.lines


def refused(x):
    async def never():
        return x

    return x * 2.0


def between(x):
    return refused(x)


def down(n, x):
    return refused(x) if n == 0 else down(n - 1, x)


def short(x):
    return np.sum(between(x))


def deep(x):
    return np.sum(down(6, x))


def way(function):
    with pytest.raises(errors.UnsupportedError) as caught:
        grad(function, fallback="error")(np.ones(3))
    for error in (caught.value, copy.copy(caught.value), pickle.loads(pickle.dumps(caught.value))):
        assert str(error) == str(caught.value)
    return [line.rpartition("/")[2] for line in str(caught.value).splitlines() if "called at" in line] + [
        line.strip() for line in str(caught.value).splitlines() if "more calls" in line
    ]


def called(function, offset):
    name = f"{__name__.rpartition('.')[2]}.py"
    return f"{name}:{function.__code__.co_firstlineno + offset}, in {function.__name__}"


def test_an_error_in_a_helper_names_the_way():
    assert way(short) == [called(between, 1), called(short, 1)]


def test_of_a_recursion_the_innermost_calls_are_named():
    assert way(deep) == [called(down, 1)] * 3 + ["after 5 more calls"]


def test_an_error_in_the_function_itself_names_no_way():
    assert way(refused) == []
