"""Does the check of a first call find what the compiler gets wrong, and nothing else?

The compiler is made to lie in one place at a time; each lie has to be seen, told once, and the call traced.
"""

import math
import operator
import re
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad.calls import pipeline
from ast_ad.calls.checks import facts as facts_of
from ast_ad.calls.checks.comparison import difference
from ast_ad.calls.checks.facts import Broken, Facts
from ast_ad.calls.checks.rehearsal import rehearsed
from ast_ad.compiler.ir.ops import Block, For, Function, Lit, Op, Var, walk
from ast_ad.compiler.ir.types import Array, Dim, ListOf, Scalar
from ast_ad.errors import DefectWarning, InputValueError, InternalError, WrongProgramError

from .rules import install_rule

X = np.array([0.5, 1.5, 2.5])


@pytest.fixture(autouse=True)
def by_default(monkeypatch):
    monkeypatch.delenv("AST_AD_CHECK", raising=False)


@pytest.fixture
def lying(monkeypatch):
    """``lying(change)``: the compiler's IR of each primal is changed after the front end has read it."""
    lower = pipeline.lower

    def install(change):
        def lowered(*args, **kwargs):
            found = lower(*args, **kwargs)
            change(found.function)
            return found

        monkeypatch.setattr(pipeline, "lower", lowered)

    return install


def loss(x):
    total = 0.0
    for i in range(3):
        total = total + np.sum(np.sin(x) * i)
    return total


def gradient_of_loss(x):
    return 3.0 * np.cos(x)


def caught(function, *args, match="", backend="numpy", **options):
    """The derivative that was found wrong in its first call, and what it answered."""
    gradient = ast_ad.value_and_grad(function, backend=backend, **options)
    with pytest.warns(DefectWarning, match=f"(?s)E90[34].*{match}") as told:
        found = gradient(*args)
    assert len([w for w in told if issubclass(w.category, DefectWarning)]) == 1
    assert gradient.mode == "fallback" and re.search("E90[34]", gradient.explain())
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is told once
        again = gradient(*args)
    assert difference(found, again) is None and gradient.mode == "fallback"
    return gradient, found


def ops_of(function, fn):
    return [op for op in walk(function.body) if isinstance(op, Op) and op.fn is fn]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_function_that_writes_to_its_argument_is_compiled_and_checked(backend):
    """The check runs it on arrays that can't be written to, which is no fault of the caller's."""

    def squared(x):
        x[0] = x[0] ** 2
        return np.sum(x**2)

    derivative = ast_ad.value_and_grad(squared, backend=backend, fallback="error")
    value, gradient = derivative(X)
    assert value == squared(X.copy()) and X[0] == 0.5
    np.testing.assert_allclose(gradient, [4 * X[0] ** 3, *(2 * X[1:])])
    assert "Checked against the function in its first call" in derivative.explain()


# ----- lies that are found
def a_wrong_value(function):
    for op in ops_of(function, np.sin):
        op.fn = np.cos


def a_wrong_length(function):
    for op in ops_of(function, np.sin):
        op.out.type = Array(np.dtype(float), (5,))


def a_wrong_rank(function):
    for op in ops_of(function, np.sin):
        op.out.type = Array(np.dtype(float), (Dim.fresh(), Dim.fresh()))


def a_wrong_dtype(function):
    for op in ops_of(function, np.sin):
        op.out.type = Array(np.dtype("f4"), op.out.type.shape)


def a_float_as_int(function):
    for op in ops_of(function, np.sum):
        op.out.type = Scalar("int")


def a_constant_that_is_none(function):
    for op in ops_of(function, operator.mul):
        op.args = (op.args[0], Lit(2))


def nothing_at_all(function):
    loop = next(op for op in walk(function.body) if isinstance(op, For))
    loop.body.results = tuple(Lit(None) for _ in loop.body.results)


LIES = [
    a_wrong_value, a_wrong_length, a_wrong_rank, a_wrong_dtype, a_float_as_int, a_constant_that_is_none,
    nothing_at_all,
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES, ids=lambda f: f.__name__)
def test_a_lie_is_caught_and_told(lie, lying):
    def function(x):
        return loss(x)

    lying(lie)
    _, (value, found) = caught(function, X)
    assert value == loss(X)
    np.testing.assert_allclose(found, gradient_of_loss(X))


@pytest.mark.parametrize("lie", [a_wrong_length, a_wrong_value], ids=lambda f: f.__name__)
def test_in_pullbacks(lie, lying):
    lying(lie)
    with pytest.warns(DefectWarning, match="E903"):
        value, pullback = ast_ad.vjp(lambda x: np.sin(x) * x, X, backend="numpy")
    np.testing.assert_array_equal(value, np.sin(X) * X)
    np.testing.assert_allclose(pullback(np.ones(3))[0], np.cos(X) * X + np.sin(X))


@pytest.mark.parametrize("lie", [a_wrong_length, a_wrong_value], ids=lambda f: f.__name__)
def test_in_kernels(lie, lying):
    def function(x):
        return loss(x)

    lying(lie)
    _, (value, found) = caught(function, X, backend="numba")
    np.testing.assert_allclose(found, gradient_of_loss(X))


def test_kernels_that_differ_from_numpy(monkeypatch):
    def wrong(pure, *args, **kwargs):
        a_wrong_value(pure.function)
        return kernel_code(pure, *args, **kwargs)

    kernel_code = pipeline.kernel_code
    monkeypatch.setattr(pipeline, "kernel_code", wrong)
    caught(lambda x: np.sum(np.sin(x) * x), X, backend="numba")


def rule_twice(ans, x):
    return 2.0 * np.cos(x)


def rule_off(ans, x):
    return 1.1 * np.cos(x)


@pytest.mark.parametrize("rule", [rule_twice, rule_off])
@pytest.mark.parametrize("ask", [ast_ad.grad, ast_ad.vjp])
def test_a_wrong_rule_shows_in_a_directional_derivative(rule, ask, monkeypatch):
    install_rule(monkeypatch, rule)

    def function(x):
        return np.sum(np.sin(x) * x)

    # its trace is by the same rule: there is nothing that could answer
    with (
        pytest.warns(DefectWarning, match="derivative along a direction"),
        pytest.raises(WrongProgramError, match="(?s)the trace of .*derivative along a direction"),
    ):
        if ask is ast_ad.grad:
            ask(function, backend="numpy", check=True)(X)
        else:
            ask(function, X, backend="numpy", check=True)


def test_a_cotangent_of_another_shape(monkeypatch):
    """The reverse sweep takes a number's cotangent for an array's."""
    from ast_ad.compiler.adjoint.contributions import Cotangents

    monkeypatch.setattr(Cotangents, "unbroadcast", lambda self, bar, var: bar)

    def function(x, s):
        return np.sum(np.sin(x) * (s * s))

    caught(function, X, 0.5, match="cannot reshape", argnums=(0, 1))


def test_what_is_wrong_names_the_line_of_the_user(lying):
    lying(a_wrong_length)
    gradient, _ = caught(lambda x: np.sum(np.sin(x) * x), X)
    assert "np.sin(x) * x" in gradient.explain() and "a length of 3, believed to be 5" in gradient.explain()


def test_with_fallback_error_it_is_an_error(lying):
    lying(a_wrong_length)
    with pytest.raises(InternalError, match="believed to be 5") as error:
        ast_ad.grad(loss, fallback="error", backend="numpy")(X)
    assert type(error.value) is WrongProgramError and error.value.code == "E903"


@pytest.mark.parametrize("how", ["option", "environment"])
def test_the_check_can_be_turned_off(how, lying, monkeypatch):
    lying(a_wrong_length)
    if how == "environment":
        monkeypatch.setenv("AST_AD_CHECK", "0")
    gradient = ast_ad.grad(loss, backend="numpy", **({"check": False} if how == "option" else {}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(X)
    assert gradient.mode == "compiled"
    assert "Not checked against the function: check=False" in gradient.explain()


def test_options():
    with pytest.raises(InputValueError, match="check"):
        ast_ad.grad(loss, check="always")


# ----- what is right is not suspected
def program_of_everything(w, x, n):
    s = np.zeros(3)
    seen = []
    for i in range(n):
        s = s + np.tanh(w @ x) * i
        s[1] = s[0] * 2.0
        seen.append(s[2])
        if i % 2:
            continue
        seen[-1] = seen[-1] * 1.5
    s = s * 0.5 if np.sum(s) > 100 else s * 2
    k = 0
    while k < 20 and s[0] < 1e6:
        k += 1
        s = s * 1.01
    return np.sum(s) + seen[-1]


W = np.random.default_rng(0).normal(size=(3, 4))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("ask", [ast_ad.value_and_grad, ast_ad.vjp])
def test_a_right_program_passes(backend, ask):
    gradient = ask(program_of_everything, argnums=(0, 1), backend=backend, check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value = gradient(W, np.ones(4), 30)[0]
    assert gradient.mode == "compiled" and gradient.backend == backend
    np.testing.assert_allclose(value, program_of_everything(W, np.ones(4), 30), rtol=1e-12)
    assert "Checked against the function in its first call: value; types and lengths" in gradient.explain()
    assert "a derivative along a direction" in gradient.explain()


def test_effects_happen_once(capsys):
    def loud(x):
        print("loss", float(x[0]))
        return np.sum(x * x)

    gradient = ast_ad.grad(loud, backend="numpy")
    for n in range(1, 4):
        np.testing.assert_array_equal(gradient(X), 2 * X)
        assert capsys.readouterr().out == "loss 0.5\n", n
    assert gradient.mode == "compiled"


def test_effects_happen_once_where_the_program_is_wrong(capsys, lying):
    def loud(x):
        print("loss")
        return np.sum(np.sin(x))

    lying(a_wrong_value)
    gradient = ast_ad.grad(loud, backend="numpy")
    with pytest.warns(DefectWarning):
        np.testing.assert_allclose(gradient(X), np.cos(X))
    assert capsys.readouterr().out == "loss\n"


def test_the_random_state_is_that_of_one_call():
    def noisy(x):
        return np.sum(x * np.random.normal(size=3))

    d = ast_ad.grad(noisy)
    np.random.seed(0)
    d(X)
    assert d.mode == "compiled"
    after = np.random.get_state()[1].tolist(), np.random.get_state()[2]
    np.random.seed(0)
    noisy(X)
    assert (np.random.get_state()[1].tolist(), np.random.get_state()[2]) == after


def test_the_callers_arrays_stay_and_the_function_may_write_to_its_own():
    def writes(x, table):
        x[1:] += x[:-1] * table["a"]
        table["a"][0] = 7.0
        return np.sum(x**2)

    x, table = X.copy(), {"a": np.array([1.0, 2.0])}
    gradient = ast_ad.grad(writes, backend="numpy")
    gradient(x, table)
    assert gradient.mode == "compiled"
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(table["a"], [1.0, 2.0])


@pytest.mark.parametrize(
    "x",
    [W[::2, ::-1], W.T, np.asfortranarray(W), np.broadcast_to(X, (2, 3)), W[:, 1:2], np.zeros((0, 2))],
    ids=["reversed", "transposed", "fortran", "broadcast", "column", "empty"],
)
def test_any_layout(x):
    gradient = ast_ad.value_and_grad(
        lambda x: np.sum(np.sum(x * x, axis=0) ** 2), backend="numpy", check=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(x)
    assert gradient.mode == "compiled"


def test_auxiliary_results():
    def with_aux(x):
        return np.sum(x * x), {"twice": 2 * x, "name": "loss", "n": len(x)}

    gradient = ast_ad.grad(with_aux, has_aux=True, backend="numpy")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found, aux = gradient(X)
    np.testing.assert_array_equal(aux["twice"], 2 * X)
    assert (aux["name"], aux["n"], gradient.mode) == ("loss", 3, "compiled")


def test_exceptions_are_the_functions_own():
    def picky(x, i):
        if i > 1:
            raise RuntimeError("too far")
        return x[i + 5 * (i == 1)]

    for i, error in ((1, IndexError), (2, RuntimeError)):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(error):
                ast_ad.grad(picky, backend="numpy")(X, i)


def test_a_program_without_the_exception_of_the_function(lying):
    def picky(x):
        if np.sum(x) > 1:
            raise RuntimeError("too much")
        return np.sum(x)

    def silenced(function):
        for op in walk(function.body):
            if hasattr(op, "then"):
                op.cond = Lit(False)

    lying(silenced)
    with (
        pytest.raises(RuntimeError, match="too much"),
        pytest.warns(DefectWarning, match="the function raises"),
    ):
        ast_ad.grad(picky, backend="numpy")(X)


def test_a_derivative_within_is_not_checked_again(monkeypatch):
    from ast_ad.calls.checks import check

    ran = []
    run = check.FirstCall.run
    monkeypatch.setattr(check.FirstCall, "run", lambda self: ran.append(self.function) or run(self))
    inner = ast_ad.grad(lambda x: np.sum(x**3), backend="numpy")

    def outer(x):
        return np.sum(inner(x) ** 2)

    gradient = ast_ad.grad(outer, backend="numpy")
    np.testing.assert_allclose(gradient(X), 36 * X**3)
    assert ran == [outer]
    inner(X)
    assert ran == [outer, inner.function]  # on its own it is checked


def test_later_calls_are_not_checked(monkeypatch):
    from ast_ad.calls.checks import check

    gradient = ast_ad.grad(lambda x: np.sum(x**3), backend="numpy")
    gradient(X)
    monkeypatch.setattr(check.FirstCall, "run", None)
    for _ in range(4):
        gradient(X)


def test_an_argument_that_cannot_be_copied():
    gradient = ast_ad.grad(lambda x, source: np.sum(x * x), backend="numpy")
    gradient(X, iter([1.0]))
    assert gradient.mode == "compiled"
    assert "Not checked against the function: an argument can't be copied" in gradient.explain()


def test_a_gradient_that_is_not_finite_where_the_function_is_smooth(monkeypatch):
    install_rule(monkeypatch, rule_of_nan)
    with (
        pytest.warns(DefectWarning, match="derivative along a direction is nan"),
        pytest.raises(WrongProgramError),
    ):
        ast_ad.grad(lambda x: np.sum(np.sin(x)), backend="numpy", check=True)(X)


def rule_of_nan(ans, x):
    return np.nan * np.cos(x)


def test_a_kink_gives_no_verdict():
    gradient = ast_ad.grad(lambda x: np.sum(np.where(x > 0, x, 0.0)), backend="numpy", check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(np.zeros(3))
    assert "differences don't agree" in gradient.explain()


@pytest.mark.parametrize("eigenvalues", [lambda a: np.linalg.eigh(a)[0], np.linalg.eigvalsh])
def test_equal_eigenvalues_give_no_verdict(eigenvalues):
    """Their second derivative is nan."""
    first = ast_ad.grad(lambda a: np.sum(eigenvalues(a) ** 3), backend="numpy")
    second = ast_ad.grad(lambda a: np.sum(first(a) * np.cos(a)), backend="numpy", check=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = second(2.0 * np.eye(3))
    assert np.isnan(found).any() and second.mode == "compiled"
    assert "of equal eigenvalues there is none" in second.explain()


@pytest.mark.filterwarnings("error", "ignore::RuntimeWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "function",
    [
        pytest.param(lambda s: math.sqrt(s - s) * 2.0, id="number"),
        pytest.param(lambda s: np.sum(np.sqrt(np.array([s - s, s]))), id="array"),
    ],
)
def test_infinite_factors_that_cancel_give_no_verdict(function, backend):
    """The function is constant, and the chain rule has inf - inf or inf * 0 for it."""
    gradient = ast_ad.grad(function, check=True, backend=backend)
    assert np.isnan(gradient(0.7)) and gradient.mode == "compiled"
    assert "it is nan: an infinite factor" in gradient.explain()


def test_numpys_warnings_come_once():
    gradient = ast_ad.value_and_grad(lambda x: np.sum(np.log(x)), backend="numpy")
    with pytest.warns(RuntimeWarning) as told:
        gradient(np.array([-1.0, 2.0]))
    assert len([w for w in told if "invalid value" in str(w.message)]) == 1


# ----- facts
F = np.dtype(float)
N = Dim.symbol("n")


@pytest.mark.parametrize(
    "type, good, bad",
    [
        (Scalar("float"), [1.0, 2, np.float64(1)], [1j, None, np.ones(1)]),
        (Scalar("int"), [1, True, np.int64(2)], [1.0, np.float64(1)]),
        (Scalar("float", F), [np.float64(1), np.float32(1), 1.0], [np.complex64(1), np.ones(2), "text"]),
        (Array(F, (2,)), [np.ones(2)], [np.ones(3), np.ones((2, 1)), np.ones(2, complex), 1.0]),
        (Array(F, (N, N)), [np.ones((3, 3))], [np.ones((3, 4))]),
        (Array(F, (N, N + 1)), [np.ones((3, 4))], [np.ones((3, 3))]),
        (Array(F, (N, N - 2)), [np.ones((3, 1)), np.ones((1, 0))], [np.ones((3, 2))]),
        (Array(F, None), [np.ones((3, 1)), np.ones(3, "f4"), 1.0], [np.ones(3, complex)]),
        (ListOf(Scalar("int")), [[1, 2], []], [[1, 2.0], [1] * 200 + [0.5], None]),
        (ListOf(Array(F, (Dim.fresh(),))), [[np.ones(2), np.ones(3)]], [[np.ones((2, 2))]]),
    ],
)
def test_types(type, good, bad):
    var = Var(type)
    for value in good:
        Facts().check([(var, False, False, "safe")], [value])
    for value in bad:
        with pytest.raises(Broken):
            Facts().check([(var, False, False, "safe")], [value])


def test_known_values():
    var = Var(Scalar("int"), known=3)
    Facts().check([(var, False, False, "safe")], [3])
    with pytest.raises(Broken, match="believed to be 3"):
        Facts().check([(var, False, False, "safe")], [4])


def test_lengths_of_one_turn_are_forgotten():
    facts, var = Facts(), (Var(Array(F, (N,))), False, False, "safe")
    for turn in range(3):
        facts.block((turn,))
        facts.check([var], [np.ones(turn)])
        with pytest.raises(Broken):
            facts.check([var], [np.ones(turn + 1)])
    facts.block(())
    facts.check([var], [np.ones(7)])


@pytest.mark.parametrize(
    "derivative", [ast_ad.hessian, lambda f, **how: ast_ad.jacrev(ast_ad.grad(f), **how)]
)
def test_loops_beside_each_other_have_lengths_of_their_own(derivative):
    """Also where their turns have one number, and nothing between them is looked at."""

    def rows(a):
        x = a[0, 0]
        for i in range(3):
            x = np.sum(a[i, i + 1 :]) * x + a[i, i]
        return x

    a = np.arange(9.0).reshape(3, 3) / 7.0
    found = derivative(rows, backend="numpy", fallback="error")(a)
    step = 1e-4 * np.eye(9).reshape(9, 3, 3)
    gradient = ast_ad.grad(rows)
    expected = np.stack([(gradient(a + h) - gradient(a - h)) / 2e-4 for h in step], axis=-1)
    np.testing.assert_allclose(found.reshape(3, 3, 9), expected, rtol=1e-6, atol=1e-9)


def test_of_a_long_loop_the_first_turns_and_the_last_are_looked_at():
    """A result that is an array in one turn only."""
    i, n, t = Var(Scalar("int")), Var(Scalar("int")), Var(Scalar("float"))
    p, out = Var(Scalar("float")), Var(Scalar("float"))
    body = Block([Op(odd, (i, n), (t,))], (p,))
    loop = For(i, (Lit(0), Lit(1000), Lit(1)), (), (p,), (Lit(0.0),), body, (out,))
    run = rehearsed(Function("f", (n,), Block([loop], (out,))))
    for turn in (0, facts_of.EARLY - 1, 63, 127, 999):
        with pytest.raises(Broken) as problem:
            run(Facts())(turn)
        assert problem.value.var is t
    facts = Facts()
    assert run(facts)(998) == (0.0,)
    assert facts.looked < 20


def odd(i, n):
    return np.ones(2) if i == n else 1.0


@pytest.mark.parametrize("turns", [0, 1, 3, 5, 16])
def test_text_without_a_look_leaves_out_none(turns):
    """The inner loop's turns are counted through: the same are looked at, where text of long programs is."""
    i, j, n, k, number, product = (Var(Scalar("int")) for _ in range(6))
    p, q, s, t, inner, outer = (Var(Scalar("float")) for _ in range(6))
    counted = [Op(operator.mul, (i, k), (product,)), Op(operator.add, (product, j), (number,))]
    body = Block([*counted, Op(odd, (number, n), (t,)), Op(operator.add, (q, t), (s,))], (s,))
    nest = For(j, (Lit(0), k, Lit(1)), (), (q,), (p,), body, (inner,), reverse=turns == 5)
    loop = For(i, (Lit(0), Lit(40), Lit(1)), (), (p,), (Lit(0.0),), Block([nest], (inner,)), (outer,))
    function = Function("f", (n, k), Block([loop], (outer,)))
    found = []
    for run in (rehearsed(function), rehearsed(function, long=True)):
        caught = []
        for turn in range(40 * turns):
            try:
                run(Facts())(turn, turns)
            except Broken as problem:
                caught.append((turn, problem.var))
        facts = Facts()
        found.append((caught, facts.looked, run(facts)(-1, turns), facts.looked))
    assert found[0] == found[1]
    assert found[0][2] == (40.0 * turns,) and bool(found[0][0]) == (turns > 0)


@pytest.mark.parametrize("long", [False, True])
def test_the_text_is_the_program(long):
    gradient = ast_ad.value_and_grad(program_of_everything, argnums=(0, 1), backend="numpy", check=False)
    expected = gradient(W, np.ones(4), 12)
    code = gradient._last.code
    value, *bars = rehearsed(code.placed(), long=long)(Facts())(W, np.ones(4), 12)
    assert value == expected[0]
    for bar, other in zip(bars, expected[1], strict=True):
        np.testing.assert_array_equal(bar, other)


def wide(x, s):
    return {"y": np.array([np.sum(x) * s, x[0] * x[1]]), "n": len(x)}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("check", [None, True])
def test_the_pushforward_is_checked(backend, check):
    """Its second half takes tangents, which have the shapes of the arguments."""
    derivative = ast_ad.linearize(wide, backend=backend, check=check)
    value, push = derivative(np.array([1.0, 2.0, 3.0]), 0.5)
    np.testing.assert_allclose(push(np.ones(3), 10.0)["y"], [61.5, 3.0])
    assert derivative.mode == "compiled"
    assert ("a derivative along a direction" in derivative.explain()) == (check is True)


def test_a_wrong_pushforward_is_found(monkeypatch):
    install_rule(monkeypatch, lambda ans, x: 1.1 * np.cos(x))
    with pytest.raises(WrongProgramError, match="derivative along a direction is"):
        ast_ad.linearize(lambda x: np.sin(x) * x, check=True, backend="numpy", fallback="error")(np.ones(3))
