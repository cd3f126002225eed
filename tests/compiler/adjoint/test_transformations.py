"""Do the parts of the adjoint transformation keep their promises?"""

from __future__ import annotations

import operator

import numpy as np
import pytest

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.adjoint.split import split
from ast_ad.compiler.analysis.activity import analyse
from ast_ad.compiler.frontend.builder import Builder, type_of_arg
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.ir.evaluate import evaluate
from ast_ad.compiler.ir.ops import Block, For, Function, If, Lit, Op, Seq, Slice, Var, walk
from ast_ad.compiler.ir.types import Array, ListOf, Opaque, Scalar
from ast_ad.compiler.simplify.dead_code import eliminate_dead_code
from ast_ad.compiler.simplify.dead_tapes import shrink_tapes
from ast_ad.compiler.simplify.renaming import copy_function
from ast_ad.compiler.simplify.view_indices import compose
from ast_ad.errors import InputTypeError, MissingRuleError
from ast_ad.rule import vjp
from ast_ad.rules import helpers, registry
from ast_ad.rules.containers import list_append
from tests.compiler.checking import primal

FLOAT = Scalar("float")


def gradient(function, *args):
    """The cotangents of the arguments that have any."""
    program = primal(function, *args)
    wrt = tuple(i for i, a in enumerate(args) if np.asarray(a).dtype.kind in "fc")
    bars = evaluate(check(adjoint(program, wrt)), *args)[1:]
    return bars[0] if len(bars) == 1 else bars


def functions_of(joint):
    return [op.fn for op in walk(joint.body) if isinstance(op, Op)]


# ----- singular points behind a branch that was not taken -----
def where_root(x):
    return np.sum(np.where(x > 0, np.sqrt(x), 0.0))


def picked_root(x):
    return np.sqrt(x)[1]


def quotient_or_zero(x, y):
    return np.sum(np.where(y != 0, x / y, 0.0))


def root_in_branch(x):
    t = np.sqrt(x)
    s = 1.0
    if x > 0.5:
        s = t * 2.0
    return s


@pytest.mark.slow
def test_a_dropped_value_has_gradient_zero():
    x = np.array([0.0, 4.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(gradient(where_root, x), [0, 0.25])
        np.testing.assert_array_equal(gradient(picked_root, x), [0, 0.25])
        assert gradient(root_in_branch, 0.0) == 0
        x_bar, y_bar = gradient(quotient_or_zero, x, x)
    np.testing.assert_array_equal(x_bar, [0, 0.25])
    np.testing.assert_array_equal(y_bar, [0, -0.25])


def newton(a, n):
    x = a
    for _ in range(n):
        x = 0.5 * (x + a / x)
    return x


def both_sides(x):
    t = np.sqrt(x)
    if x > 0.5:
        s = t * 2.0
    else:
        s = t * 3.0
    return s


def one_dense_use(x):
    t = 1 / x
    return t[0] * np.sum(t)


def last_one(x, n):
    y = x
    for _ in range(n):
        y = np.sqrt(x)
    return y


@pytest.mark.parametrize(
    ("function", "args", "guarded"),
    [
        (newton, (2.0, 3), False),
        (both_sides, (2.0,), False),
        (root_in_branch, (2.0,), True),
        (one_dense_use, (np.ones(3),), False),
        (picked_root, (np.ones(3),), True),
        (last_one, (2.0, 3), True),
    ],
)
def test_products_are_guarded_only_where_every_use_may_be_dropped(function, args, guarded):
    joint = adjoint(primal(function, *args), (0,))
    assert (helpers.safe_product in functions_of(joint)) == guarded


def root(x):
    return np.sqrt(x)


def test_the_derivative_at_a_singular_point_is_infinite():
    with np.errstate(divide="ignore"):
        assert gradient(root, 0.0) == np.inf


# ----- dtypes -----
def mixed(x, y):
    return np.sum(x * y)


def test_cotangents_have_the_dtype_of_their_values():
    x, y = np.ones(3, np.float32), np.arange(3.0)
    x_bar, y_bar = gradient(mixed, x, y)
    assert x_bar.dtype == np.float32 and y_bar.dtype == np.float64


def squared_modulus(z):
    return np.sum(np.abs(z) ** 2)


def real_part_of_product(z, x):
    return np.sum(np.real(z * x))


def test_complex_gradients_are_conjugate():
    z = np.array([1 + 2j, -0.5j])
    np.testing.assert_allclose(gradient(squared_modulus, z), 2 * z)
    z_bar, x_bar = gradient(real_part_of_product, z, np.array([2.0, 3.0]))
    np.testing.assert_allclose(z_bar, [2, 3])
    assert z_bar.dtype == complex and x_bar.dtype == float
    np.testing.assert_allclose(x_bar, z.real)


def total(x):
    return np.sum(x)


def test_a_gradient_can_be_written_to():
    bar = gradient(total, np.ones(3))
    bar += 1


# ----- errors -----
def unknown(x):
    return x


def test_an_operation_without_rule_is_an_error():
    x, y = Var(FLOAT, "x"), Var(FLOAT)
    function = Function("f", (x,), Block([Op(unknown, (x,), (y,))], (y,)))
    with pytest.raises(MissingRuleError, match="unknown"):
        adjoint(function, (0,))


def test_an_object_of_unknown_origin_hides_no_derivative():
    x, box, y = Var(FLOAT, "x"), Var(Opaque("Box")), Var(FLOAT)
    function = Function("f", (x,), Block([Op(unknown, (x,), (box,)), Op(unknown, (box,), (y,))], (y,)))
    with pytest.raises(MissingRuleError):
        adjoint(function, (0,))


def test_an_array_has_no_gradient():
    x = Var(Array(np.dtype(float), (3,)), "x")
    with pytest.raises(InputTypeError, match="one real number"):
        adjoint(Function("f", (x,), Block([], (x,))), (0,))


# ----- what the sweep saves and skips -----
def linear_stencil(u, n):
    for _ in range(n):
        u = 0.5 * u[::-1] + u
    return np.sum(u)


def read_elements(a):
    s = 1.0
    for i in range(len(a)):
        s = s + a[i] * a[i]
    return s


def loops_of(joint):
    return [op for op in walk(joint.body) if isinstance(op, For)]


def test_a_linear_loop_saves_nothing():
    forward, backward = loops_of(adjoint(primal(linear_stencil, np.ones(4), 3), (0,)))
    assert not backward.items and backward.reverse
    assert len(forward.params) == 1


def test_elements_of_an_argument_are_read_again():
    _, backward = loops_of(adjoint(primal(read_elements, np.ones(4)), (0,)))
    assert not backward.items


def test_the_primal_is_not_changed():
    program = primal(read_elements, np.ones(4))
    before = len(list(walk(program.body)))
    adjoint(program, (0,))
    assert len(list(walk(program.body))) == before
    assert evaluate(check(program), np.ones(4)) == 5.0


def product(x, y):
    return x * y * 2.0


def test_activity_skips_constants():
    program = primal(product, 2.0, 3.0)
    joint = adjoint(program, (0,))
    assert evaluate(joint, 2.0, 3.0) == (12.0, 6.0)
    x = program.params[0]
    activity = analyse(program.body, [x], program.body.results)
    assert x in activity.active and program.params[1] not in activity.active


def test_a_product_with_a_stretched_cotangent_is_not_stretched():
    def square_sum(x):
        return np.sum(x * x)

    assert helpers.broadcast_like not in functions_of(adjoint(primal(square_sum, np.ones(3)), (0,)))


def test_seeds_are_parameters():
    joint = adjoint(primal(product, 2.0, 3.0), (0, 1), seed=True)
    assert len(joint.params) == 3
    assert evaluate(joint, 2.0, 3.0, 10.0) == (12.0, 60.0, 40.0)


# ----- the parts -----
def test_dead_code_in_loops_and_branches():
    n, x = Var(Scalar("int"), "n"), Var(FLOAT, "x")
    i, a, b, a2, b2, a3, b3 = (Var(FLOAT) for _ in range(7))
    used = Block([Op(operator.mul, (a, x), (a2,)), Op(operator.add, (b, x), (b2,))], (a2, b2))
    loop = For(i, (Lit(0), n, Lit(1)), (), (a, b), (Lit(1.0), Lit(0.0)), used, (a3, b3))
    function = check(eliminate_dead_code(Function("f", (n, x), Block([loop], (a3,)))))
    assert len(loop.params) == 1 and len(loop.body.ops) == 1
    assert evaluate(function, 3, 2.0) == 8.0


def test_effects_and_what_decides_on_them_stay():
    shown = []
    x, c = Var(FLOAT, "x"), Var(Scalar("bool"))
    show = Op(shown.append, (x,), (Var(Opaque()),), effect=True)
    branch = If(c, Block([show], ()), Block([], ()), ())
    function = Function("f", (x,), Block([Op(operator.gt, (x, Lit(0)), (c,)), branch], (x,)))
    evaluate(check(eliminate_dead_code(function)), 1.0)
    assert shown == [1.0]


def test_copies_share_no_variables():
    program = primal(read_elements, np.ones(4))
    copy = check(copy_function(program))
    assert not {v for op in walk(copy.body) for v in op.outs} & {
        v for op in walk(program.body) for v in op.outs
    }
    assert evaluate(copy, np.arange(3.0)) == evaluate(program, np.arange(3.0))


WHOLE = Slice(Lit(None), Lit(None), Lit(None))
REVERSED = Slice(Lit(None), Lit(None), Lit(-1))
TAIL = Slice(Lit(1), Lit(None), Lit(None))


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (Lit(1), Lit(2)),
        (Lit(1), TAIL),
        (Seq((WHOLE, Lit(2))), Lit(1)),
        (Seq((REVERSED, Lit(2))), Lit(0)),
        (REVERSED, Seq((Lit(0), TAIL))),
        (Seq((WHOLE, REVERSED)), Seq((Lit(-1), Lit(1)))),
        (Lit(0), Seq((Lit(1),))),
    ],
)
def test_indices_of_views(outer, inner):
    array = np.arange(12.0).reshape(3, 4)
    builder = Builder(Block())
    combined = compose(builder, outer, inner)
    results = evaluate(Function("f", (), Block(builder.block.ops, (outer, inner, combined))))
    np.testing.assert_array_equal(array[results[0]][results[1]], array[results[2]])


def test_indices_without_a_simple_form():
    assert compose(Builder(Block()), TAIL, Lit(0)) is None
    assert compose(Builder(Block()), Lit(0), Lit(None)) is None


def least_squares(w, a, b):
    r = a @ w - b
    return np.mean(r**2)


def test_residuals_are_what_the_backward_half_reads():
    args = np.ones(3), np.arange(6.0).reshape(2, 3), np.ones(2)
    forward, backward = split(adjoint(primal(least_squares, *args), (0,), seed=True), 1, 1)
    value, residuals = evaluate(forward, *args)
    assert value == least_squares(*args) and len(residuals) <= 3
    assert [p.hint for p in backward.params] == ["residuals", "value_bar"]


# ----- tapes -----
def recording_loop(n, x, element):
    """A loop that appends ``element(carried)`` to a tape, and the tape."""
    a, a2, a3 = Var(FLOAT, "a"), Var(FLOAT, "a"), Var(FLOAT, "a")
    ops = [Op(operator.mul, (a, x), (a2,))]
    saved = element(ops, a, a2)
    tape_type = ListOf(type_of_arg(saved))
    before, after, tape = (Var(tape_type, "tape") for _ in range(3))
    ops.append(Op(list_append, (before, saved), (after,)))
    bounds, inits = (Lit(0), n, Lit(1)), (Lit(1.0), Seq((), list))
    loop = For(Var(Scalar("int")), bounds, (), (a, before), inits, Block(ops, (a2, after)), (a3, tape))
    return loop, tape


def reading_loop(tape, items, read):
    """The sum of ``read(items)`` over a tape."""
    s, s2, s3 = Var(FLOAT, "s"), Var(FLOAT, "s"), Var(FLOAT, "s")
    ops = []
    ops.append(Op(operator.add, (s, read(ops, *items)), (s2,)))
    return For(Var(Scalar("int")), None, ((tape, items),), (s,), (Lit(0.0),), Block(ops, (s2,)), (s3,)), s3


def test_unread_elements_are_not_saved():
    n, x = Var(Scalar("int"), "n"), Var(FLOAT, "x")
    loop, tape = recording_loop(n, x, lambda ops, a, a2: Seq((a, a2)))
    reader, result = reading_loop(tape, (Var(FLOAT), Var(FLOAT)), lambda ops, first, second: second)
    function = Function("f", (n, x), Block([loop, reader], (result,)))
    assert shrink_tapes(function.body)
    assert len(reader.items[0][1]) == 1 and tape.type == ListOf(FLOAT)
    assert evaluate(check(function), 3, 2.0) == 14.0


def test_unread_elements_of_a_tape_on_a_tape_are_not_saved():
    n, x = Var(Scalar("int"), "n"), Var(FLOAT, "x")

    def inner_tape(ops, a, a2):
        loop, tape = recording_loop(n, a2, lambda ops, a, a2: Seq((a, a2)))
        ops.append(loop)
        return Seq((a, tape))

    loop, tape = recording_loop(n, x, inner_tape)

    def read_inner(ops, first, inner):
        reader, result = reading_loop(inner, (Var(FLOAT), Var(FLOAT)), lambda ops, first, second: second)
        ops.append(reader)
        return result

    items = Var(FLOAT), Var(tape.type.element.items[1])
    reader, result = reading_loop(tape, items, read_inner)
    function = Function("f", (n, x), Block([loop, reader], (result,)))
    expected = evaluate(check(function), 2, 2.0)
    while shrink_tapes(function.body):
        eliminate_dead_code(function)
    assert evaluate(check(function), 2, 2.0) == expected
    assert tape.type == ListOf(ListOf(FLOAT))


def test_a_sum_begins_with_what_was_there_before_a_part_was_added():
    """The cotangent of ``y`` is that of ``x``, too: the part goes into it, not into zeros that are added."""

    def shifted(x):
        y = x + 2.0
        first = x[0]
        return np.sum(y * y) + first * first

    x = np.array([0.4, -0.9, 1.3])
    joint = adjoint(primal(shifted, x), (0,))
    assert helpers.add_at in functions_of(joint)
    assert not {np.zeros_like, helpers.setitem, operator.add} & {
        op.fn for op in walk(joint.body) if isinstance(op, Op) and op.adjoint
    }
    np.testing.assert_allclose(gradient(shifted, x), 2 * (x + 2.0) + np.array([2 * x[0], 0.0, 0.0]))


def stretched(x, by=1.0, shift=0.0):
    return x * by + shift


def stretched_rule(g, ans, x, by=1.0, shift=0.0):
    return (g * by,)


@pytest.mark.parametrize("name", ["by", "shift"])
def test_keywords_of_which_a_rule_has_no_cotangent(name, monkeypatch):
    monkeypatch.setattr(registry, "_primitives", registry.primitives())  # all that will be known
    vjp(stretched)(stretched_rule)
    x = np.array([0.4, -0.9, 1.3])

    def of_a_keyword(x, y):
        return np.sum(stretched(x, **{name: y}))

    program = primal(of_a_keyword, x, 2.0)
    with pytest.raises(MissingRuleError, match=f"stretched` by `{name}`"):
        adjoint(program, (1,))
    np.testing.assert_allclose(
        evaluate(adjoint(program, (0,)), x, 2.0)[1], np.full(3, 2.0 if name == "by" else 1.0)
    )
