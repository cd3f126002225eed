"""Are objects of registered classes containers, wherever a container may stand?"""

import sys

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, hessian, jacfwd, jacrev, jvp, linearize, register_container, value_and_grad, vjp
from ast_ad.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


class Line:
    """A class as users write it: attributes in another order than the children, and some that are none."""

    def __init__(self, slope, offset, kind="linear"):
        self.offset, self.kind, self.slope, self.note = offset, kind, slope, None

    def at(self, x):
        return np.sum(self.slope * x) + 2.0 * self.offset


class Conv:
    """One that converts what it is made of."""

    def __init__(self, w, bias=None):
        self.w, self.bias = np.asarray(w, float), bias


class Scaled:
    """One with a number that is no child."""

    def __init__(self, a, scale=1.0):
        self.a, self.scale = a, scale


class Derived:
    """One that computes something of its children."""

    def __init__(self, a):
        self.a, self.square = a, a * a


class Slots:
    __slots__ = "a", "b"

    def __init__(self, a, b):
        self.a, self.b = a, b


class Table(dict):
    """A container already, to Python."""


class Rated:
    """One with a number in what it is made of besides its children."""

    def __init__(self, a, rate, names=("x", "y")):
        self.a, self.rate, self.names = a, rate, names


class Layered:
    """One that makes other objects of its children."""

    def __init__(self, a):
        self.a = a
        self.inner = Holder(a)
        self.times = lambda x: a * x


class Holder:
    def __init__(self, a):
        self.a = a


class Made:
    """One whose children are made when they are asked for."""

    def __init__(self, rows):
        self.rows = rows


register_container(Line, lambda p: ((p.slope, p.offset), p.kind), lambda kind, c: Line(*c, kind))
register_container(Conv, lambda p: ([p.w, p.bias], None), lambda _, c: Conv(*c))
register_container(Scaled, lambda p: ((p.a,), None), lambda _, c: Scaled(*c))
register_container(Derived, lambda p: ((p.a,), None), lambda _, c: Derived(*c))
register_container(Rated, lambda p: ((p.a,), (p.rate, p.names)), lambda aux, c: Rated(*c, *aux))
register_container(Layered, lambda p: ((p.a,), None), lambda _, c: Layered(*c))
register_container(Slots, lambda p: ((p.a, p.b), None), lambda _, c: Slots(*c))
register_container(Table, lambda p: ([p[k] for k in sorted(p)], sorted(p)), lambda k, c: Table(zip(k, c)))
register_container(Made, lambda p: ((np.stack(p.rows),), None), lambda _, c: Made(list(c[0])))


def loss(line, x):
    return (2.0 if line.kind == "linear" else 3.0) * line.at(x)


def traced_loss(line, x):
    locals()
    return loss(line, x)


X = np.array([1.0, 2.0])


@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("function, mode", [(loss, "compiled"), (traced_loss, "fallback")])
def test_gradient_has_the_class_of_the_argument(function, mode, backend):
    derivative = value_and_grad(function, backend=backend)
    for _ in range(3):
        value, found = derivative(Line(np.ones(2), 3.0), X)
        assert derivative.mode == mode
        assert type(found) is Line and type(found.offset) is float and found.kind == "linear"
        assert value == 18.0 and found.offset == 4.0
        np.testing.assert_array_equal(found.slope, 2.0 * X)
    assert derivative(Line(np.ones(2), 3.0, "steep"), X)[1].offset == 6.0


def test_within_other_containers():
    derivative = grad(lambda p, x: sum(line.at(x) for line in p["lines"]) * p["lines"][1].offset)
    found = derivative({"lines": (Line(X, 1.0), Line(X, 2.0))}, X)
    assert derivative.mode == "compiled"
    assert [line.offset for line in found["lines"]] == [4.0, 4.0 + 16.0]
    derivative = grad(lambda line: np.sum(line.slope.slope) * line.offset)
    found = derivative(Line(Line(X, 1.0), 3.0))
    np.testing.assert_array_equal(found.slope.slope, [3.0, 3.0])
    assert found.slope.offset == 0.0 and found.offset == 3.0


def test_slots_and_none():
    derivative = grad(lambda p: p.a**2 * (1.0 if p.b is None else p.b))
    assert derivative(Slots(3.0, None)).a == 6.0 and derivative(Slots(3.0, 2.0)).a == 12.0
    found = derivative(Slots(3.0, None))
    assert found.b is None and derivative.mode == "compiled"
    derivative = grad(lambda p: np.sum(p.w**2))
    np.testing.assert_array_equal(derivative(Conv(X)).w, 2 * X)
    assert derivative.mode == "compiled"


def test_numbers_that_are_no_children_are_read_at_each_call():
    derivative, p = grad(lambda p: p.a**2 * p.scale), Scaled(3.0, 5.0)
    assert derivative(p).a == 30.0
    p.scale = 7.0
    assert derivative(p).a == 42.0
    p.scale = 1.0
    assert derivative(p).a == 6.0
    derivative = grad(lambda p: p.a**2)
    assert derivative(Scaled(3.0, 5.0)).a == 6.0


def test_what_is_computed_of_children():
    assert grad(lambda p: p.a * p.square)(Derived(3.0)).a == 27.0
    p = Derived(3.0)
    p.square = 5.0  # no longer: a number as any other
    assert grad(lambda p: p.a * p.square)(p).a == 5.0


def test_numbers_that_an_object_is_made_of_besides():
    derivative, p = grad(lambda p: p.a**2 * p.rate), Rated(3.0, 0.5)
    for rate in (0.5, 2.0, 0.5, -0.0, 0.0):
        p.rate = rate
        found = derivative(p)
        assert found.a == 6.0 * rate and found.rate == rate and found.names == ("x", "y")
        assert derivative.mode == "compiled"
    derivative = hessian(lambda p: p.a**2 * p.rate)
    assert derivative(Rated(3.0, 0.5)).a.a == 1.0


@pytest.mark.parametrize("function", [lambda p: p.a * p.inner.a, lambda p: p.times(p.a)])
def test_objects_and_functions_that_are_made_of_children(function):
    assert grad(function)(Layered(3.0)).a == 6.0


def test_children_of_other_kinds():
    found = grad(lambda t: t["a"] * t["b"] ** 2)(Table(b=3.0, a=2.0))
    assert type(found) is Table and dict(found) == {"a": 9.0, "b": 12.0}
    found = grad(lambda p: np.sum(p.rows[0] * p.rows[1]))(Made([X, 3 * X]))
    np.testing.assert_array_equal(found.rows, [3 * X, X])


def test_attributes_may_come_and_go():
    derivative, p = grad(lambda p, x: p.at(x) * (2.0 if hasattr(p, "extra") else 1.0)), Line(X, 1.0)
    assert derivative(p, X).offset == 2.0
    p.extra = "set"
    assert derivative(p, X).offset == 4.0
    del p.extra
    assert derivative(p, X).offset == 2.0


def test_one_attribute_for_another():
    """Two attributes that are one object are two children."""
    both = np.array([2.0])
    found = grad(lambda p: np.sum(p.slope * p.offset**2))(Line(both, both))
    assert found.slope == 4.0 and found.offset == 8.0


@pytest.mark.parametrize("traced", [False, True])
def test_results_and_cotangents(traced):
    def function(x):
        if traced:
            vars(Scaled)
        return Line(x * 2, np.sum(x) ** 2)

    value, pull = vjp(function, X)
    assert type(value) is Line and value.offset == 9.0 and value.note is None
    (found,) = pull(Line(np.ones(2), 1.0))
    np.testing.assert_array_equal(found, [8.0, 8.0])
    for operator in (jacrev, jacfwd):
        found = operator(function)(X)
        assert type(found) is Line
        np.testing.assert_array_equal(found.slope, 2 * np.eye(2))
        np.testing.assert_array_equal(found.offset, [6.0, 6.0])
    value, tangent = jvp(function, (X,), (np.ones(2),))
    assert type(tangent) is Line and tangent.offset == 12.0


def test_operators():
    line = Line(X, 2.0)
    found = hessian(lambda p: np.sum(p.slope**2) * p.offset)(line)
    np.testing.assert_array_equal(found.slope.slope, 4 * np.eye(2))
    np.testing.assert_array_equal(found.offset.slope, 2 * X)
    assert found.offset.offset == 0.0
    value, push = linearize(lambda p: np.sum(p.slope) * p.offset, line)
    assert push(Line(np.ones(2), 1.0)) == 2 * 2.0 + 3.0
    ast_ad.check_grads(lambda p, x: loss(p, x), (line, X), order=1)


def test_within_compiled_code():
    derivative = grad(lambda x: grad(lambda p: np.sum(p.slope**2) * p.offset)(Line(x * 2, 3.0)).offset)
    np.testing.assert_array_equal(derivative(X), 8 * X)
    assert derivative.mode == "compiled"
    derivative = grad(lambda x: grad(lambda p: p.a**2 * p.scale)(Scaled(x, x)).a)  # x enters as scale, too
    assert derivative(3.0) == 12.0


def test_pullbacks_and_pushforwards_within_compiled_code():
    def made(x):
        return Line(x * 2, np.sum(x) ** 2)

    def pulled(x):
        value, pull = vjp(made, x)
        return np.sum(pull(Line(x, x[0]))[0])

    def pushed(line):
        value, push = linearize(lambda p: np.sum(p.slope) * p.offset**2, line)
        return push(Line(np.ones(2), 10.0))

    derivative = value_and_grad(pulled)
    value, found = derivative(X)  # sum of 2 x_i + 2 (x_1 + x_2) x_1
    assert value == 2 * 3.0 + 2 * 2 * 3.0 and derivative.mode == "compiled"
    np.testing.assert_array_equal(found, [2 + 4 * (2 * 1.0 + 2.0), 2 + 4 * 1.0])
    derivative = value_and_grad(pushed)
    value, found = derivative(Line(X, 2.0))  # 2 offset^2 + 20 sum(slope) offset
    assert value == 8.0 + 120.0 and derivative.mode == "compiled"
    assert found.offset == 4 * 2.0 + 20 * 3.0
    np.testing.assert_array_equal(found.slope, [40.0, 40.0])


def test_parts():
    assert grad(lambda p, x: p.at(x), wrt="p.offset")(Line(X, 1.0), X) == 2.0
    assert grad(traced_loss, wrt="line.offset")(Line(X, 1.0), X) == 4.0
    holder = type("Holder", (), {})()
    holder.line = Line(X, 1.0)
    found = grad(lambda h, x: h.line.at(x) ** 2, wrt="h.line")(holder, X)
    assert type(found) is Line and found.offset == 4 * 7.0


def test_refusals():
    for cls in (list, float, np.ndarray, 3):
        with pytest.raises(InputError, match="register_container"):
            register_container(cls, lambda p: ((), None), lambda _, c: None)
    with pytest.raises(InputError, match="registered already"):
        register_container(Line, lambda p: ((), None), lambda _, c: None)
    wrong = type("Wrong", (), {})
    register_container(wrong, lambda p: 3, lambda _, c: wrong())
    with pytest.raises(InputError, match="flatten returns a int"):
        grad(lambda p: 1.0)(wrong())


def test_optimisers_take_them():
    import ast_ad.torch as torch

    lines = {"first": Line(np.array([1.0, 2.0]), np.array([3.0]))}
    optimizer = torch.optim.SGD(lines, lr=0.5)
    optimizer.step(grad(lambda p: np.sum(p["first"].slope ** 2) + np.sum(p["first"].offset))(lines))
    np.testing.assert_array_equal(lines["first"].slope, [0.0, 0.0])
    np.testing.assert_array_equal(lines["first"].offset, [2.5])


def test_derived_classes_are_not_registered():
    class Steep(Line):
        pass

    with pytest.raises(InputError, match="not taken apart into numbers"):
        grad(lambda p, x: p.at(x))(Steep(X, 1.0), X)
    assert grad(lambda p, x: p.at(x), 1)(Steep(X, 1.0), X).tolist() == X.tolist()


def test_calls_with_another_aux_are_compiled_once():
    derivative = grad(lambda t: sum(t[k] for k in ("a", "b")))
    for _ in range(3):
        derivative(Table(a=1.0, b=2.0))
    assert len(derivative._programs) == 1  # whose aux is a list


def test_optree():
    optree = pytest.importorskip("optree")

    class Pair:
        def __init__(self, w, b):
            self.w, self.b = w, b

    def registered(namespace):
        return optree.register_pytree_node(
            Pair, lambda p: ((p.w, p.b), None, ("w", "b")), lambda _, c: Pair(*c), namespace=namespace
        )

    def function(p, x):
        return np.sum(p.w * x) * p.b

    registered("a namespace")
    with pytest.raises(InputError, match="not taken apart into numbers"):
        grad(function)(Pair(X, 2.0), X)
    registered(optree.registry.__dict__["__GLOBAL_NAMESPACE"])
    derivative = grad(function)
    found = derivative(Pair(X, 2.0), X)
    assert type(found) is Pair and found.b == 5.0 and derivative.mode == "compiled"
    np.testing.assert_array_equal(found.w, 2 * X)
    optree.unregister_pytree_node(Pair, namespace=optree.registry.__dict__["__GLOBAL_NAMESPACE"])
    with pytest.raises(InputError, match="not taken apart into numbers"):
        grad(function)(Pair(X, 2.0), X)


def test_optree_is_not_imported():
    import subprocess

    program = "import sys, ast_ad; ast_ad.grad(lambda x: x * x)(1.0); assert 'optree' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
