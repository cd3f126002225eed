"""Are tangents right, of straight-line code, branches, loops and lists, alone and with adjoints?"""

from __future__ import annotations

import math
import operator

import numpy as np
import pytest

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Var, walk
from ast_ad.compiler.ir.types import Array, Dim, Scalar
from ast_ad.compiler.tangent.tangent import tangent
from ast_ad.errors import MissingRuleError
from tests.compiler.adjoint.test_adjoint import CASES
from tests.compiler.checking import differentiable, leaves_of, primal

from .checking import directions, run, verify, verify_orders

X = np.array([0.3, 0.7, 1.2])


def lowered(function, *args):
    leaves = leaves_of(args)
    return primal(function, *args), differentiable(leaves), leaves


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_against_the_transposed_pullback(case):
    verify(*lowered(*case))


@pytest.mark.drawn(of=4)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_with_adjoints_and_again(case):
    verify_orders(*lowered(*case), third=True)


# ----- containers, and values that some path does not give
def dict_of_numbers(x, n):
    d = {}
    for i in range(n):
        d[i % 3] = d.get(i % 3, x * 2.0) * x + i
    total = 0.0
    for k in d:
        total = total + d[k] * d[k]
    return total + d.pop(0)


def table(x, n):
    rows = [[x * i, x] for i in range(n)]
    rows[1][0] = rows[2][1] * x
    rows.append([x * x, 1.0])
    last = rows.pop()
    return rows[1][0] * rows[n - 1][0] + last[0]


def list_of_pairs(x, n):
    pairs = []
    for i in range(n):
        pairs.append((i, x * i, np.sin(x)))
    total = 0.0
    for i, a, b in pairs:
        total += i * a * b
    return total


def sometimes_none(x, n):
    best = None
    for i in range(n):
        if best is None or best < x * i:
            best = math.sin(x * i)
    return 0.0 if best is None else best * best


def sorted_and_sliced(x, n):
    values = [x * (-1.0) ** i * i for i in range(n)]
    values = sorted(values)[1:] + values[::-1]
    values.insert(1, x * x)
    del values[0]
    return values[0] * values[1] + sum(values)


def constant_on_a_path(x, flag):
    y = np.zeros(3)
    if flag > 0:
        y = np.sin(x)
    return np.sum(y * x)


def made_in_one_branch(x, n):
    for i in range(n):
        if i == 0:
            y = x * 2.0
        else:
            y = y * x
    return np.sum(y)


def counts_are_no_numbers(x, n):
    k = 0
    for i in range(n):
        if x[i] > 0.5:
            k = k + 1
    return np.sum(x[:k]) * k


CONTAINERS = [
    (dict_of_numbers, 0.7, 5),
    (table, 0.7, 4),
    (list_of_pairs, 0.7, 4),
    (sometimes_none, 0.7, 4),
    (sorted_and_sliced, 0.7, 4),
    (constant_on_a_path, X, 1),
    (constant_on_a_path, X, -1),
    (made_in_one_branch, X, 3),
    (counts_are_no_numbers, X, 3),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", CONTAINERS, ids=lambda case: case[0].__name__)
def test_containers_and_paths(case):
    verify(*lowered(*case))


# ----- views and writes
def written_through_views(x):
    a = np.outer(x, x)
    row = a[1]
    row[:2] = np.sin(x[1:])
    a.T[0] *= x
    a[a > 0.5] = x[0]
    return np.sum(a * a)


def several_results(x, y):
    return np.sin(x) * y, 3, (x[0] + y[1], [y * y])


@pytest.mark.slow
def test_views():
    verify(*lowered(written_through_views, X))


def test_several_results():
    program, wrt, values = lowered(several_results, X, X[::-1])
    found = tangent(program, wrt)
    together = run(found, *values, *directions(values, wrt))
    v, w = directions(values, wrt)
    x, y = values
    count = len(program.body.results)
    expected = [np.cos(x) * v * y + np.sin(x) * w, v[0] + w[1], 2 * y * w]
    for own, other in zip(together[count:], expected, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-13)


# ----- numbers
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("function", [np.abs, np.real, np.imag, np.conj, np.exp, np.angle, np.sqrt])
def test_complex_arguments(function):
    """A real function of complex numbers has real tangents; the inner product is the real one."""
    z = np.array([0.3 + 1.1j, -0.7 + 0.2j])
    program, wrt, values = lowered(lambda z: function(z * z), z)
    found = verify(program, wrt, values)
    (v,) = directions(values, wrt)
    value, dot = run(found, z, v)
    assert np.asarray(dot).dtype == np.asarray(value).dtype
    step = 1e-6
    expected = (function((z + step * v) ** 2) - function((z - step * v) ** 2)) / (2 * step)
    np.testing.assert_allclose(dot, expected, rtol=1e-8)


def complex_results(x, w):
    return np.sum(np.exp(1j * x * w)) * w


@pytest.mark.slow
def test_complex_results():
    verify(*lowered(complex_results, X, 0.4 + 0.3j))


def test_complex_step():
    """Without subtraction: the imaginary part of the function at a point moved by a tiny imaginary step."""

    def f(x):
        y = x * 1.0
        for i in range(1, 3):
            y[i] = np.sin(y[i - 1]) * np.exp(y[i]) / (1.0 + y[i] * y[i])
        return np.sum(y @ y)

    program, wrt, values = lowered(f, X)
    (v,) = directions(values, wrt)
    (*_, dot) = run(tangent(program, wrt), X, v)
    np.testing.assert_allclose(dot, np.imag(f(X + 1e-30j * v)) / 1e-30, rtol=1e-14)


def single(x, w):
    y = x * 2 + 1.0
    for i in range(2):
        y = np.tanh(w @ y) / (1 + np.sum(y)) + np.where(y > 0, y, 0.5 * i)
    return y, np.mean(y), np.linalg.norm(w) * x


@pytest.mark.slow
def test_single_precision_stays():
    x, w = np.float32([0.3, 0.7]), np.float32([[1, 2], [3, 4]])
    program, wrt, values = lowered(single, x, w)
    count = len(program.body.results)
    found = run(tangent(program, wrt), *values, *directions(values, wrt))
    assert [np.asarray(a).dtype for a in found] == [np.float32] * 2 * count


def test_empty_arrays():
    program, wrt, values = lowered(lambda x: np.sum(np.sin(x) * x) + np.prod(x), np.zeros(0))
    assert run(tangent(program, wrt), *values, np.zeros(0))[-1] == 0.0


def test_integers_and_flags_have_no_tangents():
    program, _, values = lowered(lambda n, x: (n * 2, x > 1.0, n * x), 3, 0.5)
    found = tangent(program, (0, 1))
    assert run(found, *values, 0.0, 1.0) == (6, False, 1.5, 3.0)


# ----- what is zero
def test_a_tangent_of_zero_counts_for_nothing():
    program, wrt, _ = lowered(lambda x: x[1] + np.sqrt(x[0]), np.array([0.0, 1.0]))
    found = tangent(program, wrt)
    assert run(found, np.array([0.0, 1.0]), np.array([0.0, 1.0]))[-1] == 1.0
    assert run(found, np.array([0.0, 1.0]), np.array([1.0, 0.0]))[-1] == np.inf


def test_saturation():
    """Where the exponential overflows its reciprocal is flat: zero, and not zero times infinity."""
    program, wrt, values = lowered(lambda x: np.sum(1.0 / (1.0 + np.exp(x))), np.array([1.0, 1000.0]))
    *_, dot = run(tangent(program, wrt), *values, np.ones(2))
    np.testing.assert_allclose(dot, -math.e / (1 + math.e) ** 2, rtol=1e-14)


def test_nothing_is_emitted_for_what_is_constant():
    """The tangent of the index, of the weights and of what only they make: no operation."""

    def f(x, w):
        scale = np.sum(np.sin(w) * w)
        return x * scale

    program, _, _ = lowered(f, 2.0, X)
    found = tangent(program, (0,))
    assert len(found.body.ops) == len(program.body.ops) + 1


@pytest.mark.slow
def test_one_pass():
    """The tangent is computed in the loop and the branch of the primal: no second one, no tape."""
    case = next(case for case in CASES if case[0].__name__ == "branch_in_loop")
    program, wrt, _ = lowered(*case)

    def count(function, kind):
        return sum(isinstance(op, kind) for op in walk(function.body))

    found = tangent(program, wrt)
    assert count(found, For) == count(program, For) == 1
    assert count(found, If) == count(program, If)
    assert count(tangent(adjoint(program, wrt), wrt), For) == 2


# ----- what is joined with a value, and is constant itself, is no part of the tangent
OPTIONS = [
    lambda x: np.diff(x * x, 1, -1, np.array([4.0, 9.0])),
    lambda x: np.diff(x * x, 1, -1, [5.0], x),
    lambda x: np.diff(x, prepend=1.0),
    lambda x: np.select([x > 1.0, x < 0.5], [x * x, x], 7.0),
    lambda x: np.select([x > 1.0, x < 0.5], [x * x, x], default=7.0),
    lambda x: np.select([x > 1.0, x < 0.5], [x * x, np.array([4.0, 9.0, 1.0])], default=np.sin(x)),
    lambda x: np.sum(x * x, initial=7.0),
]


@pytest.mark.slow(one_in=8)
@pytest.mark.parametrize("function", OPTIONS)
def test_options_by_name_and_by_position(function):
    verify(*lowered(function, X))


@pytest.mark.slow
def test_a_list_of_integers_beside_a_value():
    def f(x, n):
        places = []
        for i in range(n):
            places.append(i + 1)
        return np.concatenate((x * x, places)) * np.sum(np.where(x > 0.5, x, places))

    program, _, values = lowered(f, X, 3)
    verify(program, (0,), values)


def test_an_operation_without_a_rule_is_refused():
    x, y = Var(Scalar("float"), "x"), Var(Scalar("float"))
    program = Function("f", (x,), Block([Op(run, (x,), (y,))], (y,)))
    with pytest.raises(MissingRuleError):
        tangent(program, (0,))


def test_a_part_of_another_function():
    """A region reads what is around it, which does not move."""
    kind = Array(np.dtype(float), (Dim.fresh(),))
    w, x, y = Var(kind, "w"), Var(kind, "x"), Var(kind)
    program = Function("f", (x,), Block([Op(operator.mul, (w, x), (y,))], (y,)))
    found = tangent(program, (0,), region=True)
    whole = Function("g", (w, *found.params), found.body)
    np.testing.assert_array_equal(run(whole, X, X, np.ones(3))[-1], X)
    assert isinstance(program.body.results[0], Var) and not isinstance(y, Lit)
