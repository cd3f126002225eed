"""Is the derivative by a part of an argument, ``wrt="p.a"``, right whatever a function does with the object?

Each case is compared with differences of the function itself, with the part set by hand, compiled for NumPy
and traced if it has to be; those of ``KERNELS`` on kernels, too.
"""

import copy
import dataclasses
import functools
import inspect
import operator
import pickle
import threading
import types
import weakref

import numpy as np
import pytest

import ast_ad
from ast_ad import AdError, grad, hessian, jacfwd, jacobian, jacrev, linearize, value_and_grad, vjp
from ast_ad.errors import InputError, SharedMemoryError, UnsupportedError

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")


class Params:
    kind = 2.5

    def __init__(self, a=1.5, n=2, **more):
        self.a, self.n, self.count = a, n, 0
        for name, value in more.items():
            setattr(self, name, value)

    def power(self):
        return self.a**self.n

    @property
    def twice(self):
        return 2 * self.a

    @functools.cached_property
    def area(self):
        return self.a**3

    def __call__(self, x):
        return self.a**2 * x

    @grad(wrt="self.a")
    def slope(self, x):
        return self.a**2 * x


@dataclasses.dataclass
class Data:
    a: float = 1.5
    n: int = 2
    s: str = "q"


@dataclasses.dataclass(frozen=True, slots=True)
class Frozen:
    a: float = 1.5
    n: int = 2


class Slotted:
    __slots__ = "a", "n"

    def __init__(self, a=1.5, n=2):
        self.a, self.n = a, n


class Hooked:
    """As the classes of attrs are: with slots, and code for assignments."""

    __slots__ = "a", "n"

    def __init__(self, a=1.5, n=2):
        object.__setattr__(self, "a", a)
        object.__setattr__(self, "n", n)

    def __setattr__(self, name, value):
        if not np.all(np.real(value) < 100):
            raise ValueError(name)
        object.__setattr__(self, name, value)


def opaque(p):
    try:
        raise ValueError
    except Exception as error:
        text = str(error)
    return p.a**2 + float(len(text))


without_source = eval("lambda p: p.a * 3.0")
SHARED = None


def one_global():
    global SHARED
    SHARED = Params()
    return (SHARED,)


def in_another():
    p = Params()
    return p, Params(7.0, p=p)


def itself():
    p = Params()
    p.me = p
    return (p,)


CASES = []


def case(path, make):
    def add(function):
        CASES.append((function, path, make))
        return function

    return add


@case("p.a", in_another)
def alias(p, q):
    return p.a * q.p.a


@case("q.p.a", in_another)
def alias_other(p, q):
    return p.a * q.p.a


@case("p.a", lambda: (lambda p: (p, p))(Params()))
def twice_same(p, q):
    return p.a * q.a**2


@case("p.a", one_global)
def by_global(p):
    return p.a * SHARED.a


@case("p.a", lambda: (Params(),))
def written(p):
    p.a += 1.0
    return p.a**2


@case("p.a", lambda: (Params(np.array([1.0, 2.0])),))
def written_in_place(p):
    p.a[0] *= 3.0
    p.a *= 2.0
    return np.sum(p.a**2)


@case("p.a", lambda: (Params(),))
def counted(p):
    p.count += 1
    return p.a**2 * p.count


@case("p.a", lambda: (Params(),))
def copied(p):
    return copy.copy(p).a ** 2 * p.a


@case("p.a", lambda: (Params(),))
def deep(p):
    return copy.deepcopy(p).a ** 2 * p.a


@case("d.a", lambda: (Data(),))
def replaced(d):
    return dataclasses.replace(d, n=3).a ** 2 * d.a


@case("p.a", lambda: (Params(d=Data()),))
def inner_whole(p):
    return dataclasses.replace(p.d, a=p.a * p.d.a).a ** 2


@case("p.d.a", lambda: (Params(d=Data()),))
def inner_replace(p):
    return dataclasses.replace(p.d, n=3).a ** 2 * p.d.a


@case("p.d.a", lambda: (Params(d=Frozen()),))
def frozen_inner(p):
    return dataclasses.replace(p.d, n=3).a ** 2 * p.d.a


@case("p.a", lambda: (Params(),))
def traced_callee(p):
    return opaque(p) * p.a


@case("p.a", lambda: (Params(),))
def no_source(p):
    return without_source(p) * p.a


@case("p.a", lambda: (Params(),))
def by_vars(p):
    return vars(p)["a"] ** 2 * p.__dict__["a"]


@case("p.a", lambda: (Params(),))
def by_getattr(p):
    return p.a * operator.attrgetter("a")(p)


@case("p.a", lambda: (Params(),))
def prop(p):
    return p.twice * p.power()


@case("p.a", lambda: (Params(),))
def cached(p):
    return p.area * p.a


@case("p.a", lambda: (Slotted(),))
def slots(p):
    return p.a**p.n


@case("p.a", lambda: (Hooked(),))
def hooked(p):
    return p.a**p.n


@case("p.a", lambda: (Hooked(),))
def hooked_written(p):
    p.a = p.a * 2
    return p.a**p.n


@case("p.kind", lambda: (Params(),))
def class_attribute(p):
    return p.kind**2 * Params.kind


@case("p.a", lambda: (Params(), 3))
def in_loop(p, n):
    t = 0.0
    for i in range(n):
        t += p.a * i
        if i == 1:
            p.a = p.a * 2
    return t * p.a


@case("p.a", lambda: (Params(), 2.0))
def branch(p, x):
    if x > 1.0:
        p.a = x * p.a
    else:
        p.n = 3
    return p.a**2


@case("p.d['W']", lambda: (Params(d={"W": 2.0, "b": 1.0}),))
def inner_dict(p):
    p.d["b"] = p.d["b"] + 1.0
    return p.d["W"] ** 2 * p.d["b"]


@case("p.d['W']", lambda: (lambda d: (Params(d=d), Params(d=d)))({"W": 2.0}))
def dict_alias(p, q):
    return p.d["W"] * q.d["W"]


@case("p.l[1]", lambda: (Params(l=[2.0, 3.0]),))
def inner_list(p):
    return p.l[1] ** 2 * p.l[0] * len(p.l)


@case("p.l[1].a", lambda: (Params(l=[Params(2.0), Params(3.0)]),))
def list_of_objects(p):
    return sum(q.power() for q in p.l) * p.l[1].a


@case("p.t[0]", lambda: (Params(t=(2.0, 3.0)),))
def inner_tuple(p):
    return p.t[0] ** 2 * p.t[1]


@case("p.l[1]", lambda: (Params(l=[2.0, 3.0]),))
def list_popped(p):
    v = p.l.pop()
    return v**2 * p.l[0]


@case("p.inner.a", lambda: (lambda i: (Params(inner=i), Params(inner=i)))(Params()))
def shared_inner(p, q):
    return p.inner.a * q.inner.a**2


@case("p.a", lambda: ({"x": [Params()]}["x"][0],))
def isinst(p):
    return p.a**2 if isinstance(p, Params) else 0.0


@case("p['x'][0].a", lambda: ({"x": [Params()]},))
def object_in_dict(p):
    return p["x"][0].a ** 2


@case("p['x'][0].a", lambda: (lambda o: ({"x": [o]}, o))(Params()))
def object_in_dict_alias(p, o):
    return p["x"][0].a ** 2 * o.a


@case("p.a", lambda: (Params(),))
def compares(p):
    return p.a**2 if p.a > 1.0 else p.a


@case("p.a", lambda: (Params(fn=lambda v: v * v),))
def function_attribute(p):
    return p.fn(p.a) * p.a


@case("p.a", itself)
def myself(p):
    return p.me.a * p.me.me.a * p.a


@case("p.a", lambda: (lambda p: (p, weakref.ref(p)))(Params()))
def by_weakref(p, r):
    return p.a * r().a


@case("p.a", lambda: (lambda p: (p, functools.partial(lambda o, v: o.a * v, p)))(Params()))
def in_partial(p, fn):
    return fn(p.a)


@case("p.a", lambda: (lambda p: (p, p.power))(Params()))
def bound_method(p, fn):
    return fn() * p.a


@case("p.a", lambda: (lambda p: (p, lambda v: p.a * v))(Params()))
def in_closure(p, fn):
    return fn(p.a)


@case("p.a", lambda: (Params(),))
def generator(p):
    return sum(p.a * v for v in (1.0, 2.0)) * p.a


@case("p.a", lambda: (Params(np.arange(3.0), b=None),))
def same_array(p):
    q = p.a
    q[0] = 5.0 * p.a[1]
    return np.sum(p.a**2 * q)


@case("d.a", lambda: (Data(np.arange(3.0)),))
def dataclass_written(d):
    d.a[0] = 5.0 * d.a[1]
    d.n = 3
    return np.sum(d.a**d.n)


@case("p['a']", lambda: ({"a": np.arange(3.0), "b": 2.0},))
def dict_written(p):
    p["a"][0] = 5.0 * p["a"][1]
    p["b"] = p["a"][1] * 2
    return np.sum(p["a"] ** 2 * p["b"])


@case("p.a", lambda: (Params(),))
def nested_grad(p):
    return grad(lambda v: v**2 * p.a)(p.a)


@case("p.a", lambda: (Params(),))
def nested_part(p):
    return grad(lambda p: p.a**3 * p.n, wrt="p.a")(p) * p.a


@case("p.a", lambda: (Params(),))
def swapped(p):
    p.a, p.b = 2.0 * p.a, p.a
    return p.a * p.b


@case("p.a", lambda: (Params(),))
def setattr_(p):
    p.a = p.a * 3
    return p.a**2


@case("p.a", lambda: (Params(),))
def deleted(p):
    v = p.a
    del p.a
    return v**2 * (1.0 if hasattr(p, "a") else 2.0)


@case("p.a", lambda: (Params(),))
def formatted(p):
    return p.a**2 * len(f"{p.n}") + p.a


def set_part(path, arguments, value):
    """Put a value into its place by hand."""
    try:
        exec(f"{path} = value", {}, dict(arguments, value=value))
    except dataclasses.FrozenInstanceError:
        owner, _, name = path.rpartition(".")
        object.__setattr__(eval(owner, {}, arguments), name, value)
    except TypeError:
        arguments["p"].t = (value, *arguments["p"].t[1:])


def difference(function, path, make):
    names = list(inspect.signature(function).parameters)

    def at(delta):
        arguments = dict(zip(names, make()))
        set_part(path, arguments, eval(path, {}, arguments) + delta)
        return function(**arguments)

    value, h = eval(path, {}, dict(zip(names, make()))), 1e-6
    if np.ndim(value) == 0:
        return (at(h) - at(-h)) / (2 * h)
    return np.array([(at(e) - at(-e)) / (2 * h) for e in np.eye(len(value)) * h])


KERNELS = {
    "alias",
    "written_in_place",
    "in_loop",
    "inner_dict",
    "slots",
    "shared_inner",
    "nested_part",
    "dict_written",
}
COMPILED = {
    "alias", "alias_other", "bound_method", "branch", "by_global", "class_attribute", "compares",
    "counted", "dataclass_written", "dict_written", "function_attribute", "generator", "hooked",
    "in_closure", "in_loop", "in_partial", "inner_dict", "inner_list", "inner_tuple", "inner_whole",
    "isinst", "list_of_objects", "myself", "nested_grad", "nested_part", "object_in_dict",
    "by_getattr", "cached", "dict_alias",
    "hooked_written", "object_in_dict_alias", "prop", "replaced", "same_array", "setattr_",
    "shared_inner", "slots", "swapped", "twice_same", "written", "written_in_place",
}  # fmt: skip


def expected_modes(name):
    return "compiled" if name in COMPILED else "fallback"


def check(function, path, make, backend):
    expected = difference(function, path, make)
    arguments = dict(zip(inspect.signature(function).parameters, make()))
    before = copy.deepcopy(eval(path, {}, arguments))
    derivative = grad(function, wrt=path, backend=backend)
    np.testing.assert_allclose(derivative(**arguments), expected, rtol=1e-5)
    if function is not list_popped:
        after = eval(path, {}, arguments)
        assert type(after) is type(before)
        np.testing.assert_array_equal(after, before)
    for _ in range(2):
        np.testing.assert_allclose(derivative(*make()), expected, rtol=1e-5)
    assert derivative.mode == expected_modes(function.__name__)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function, path, make", CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_derivative(function, path, make):
    check(function, path, make, "numpy")


@pytest.mark.parametrize("name", sorted(KERNELS))
def test_derivative_on_kernels(name):
    pytest.importorskip("numba")
    check(*next(one for one in CASES if one[0].__name__ == name), "numba")


# ----- what is asked, and of what
def square(p, x=1.0):
    return p.a**2 * x


def traced_square(p, x=1.0):
    return vars(p)["a"] ** 2 * x


@pytest.mark.parametrize("function", [square, traced_square])
def test_every_question(function):
    p, x = Params(np.array([1.0, 2.0])), np.array([3.0, 5.0])
    value, gradient = value_and_grad(lambda p, x: np.sum(function(p, x)), wrt=("p.a", "x"))(p, x)
    assert value == 23.0
    np.testing.assert_array_equal(gradient[0], 2 * p.a * x)
    np.testing.assert_array_equal(gradient[1], p.a**2)
    value, pull = vjp(function, p, x, wrt="p.a")
    np.testing.assert_array_equal(pull(np.ones(2)), 2 * p.a * x)
    value, push = linearize(function, p, x, wrt="p.a")
    np.testing.assert_array_equal(push(np.ones(2)), 2 * p.a * x)
    for operator_ in (jacfwd, jacrev, jacobian):
        found = operator_(function, wrt="p.a")(p, x)
        np.testing.assert_array_equal(found, np.diag(2 * p.a * x))
    found = hessian(lambda p, x: np.sum(function(p, x)), wrt=["p.a"])(p, x)
    np.testing.assert_array_equal(found[0][0], np.diag(2 * x))
    found, aux = grad(lambda p, x: (np.sum(function(p, x)), p.n), wrt="p.a", has_aux=True)(p, x)
    assert aux == 2


def test_functions_of_every_kind():
    p = Params(3.0)
    assert grad(p.power, wrt="self.a")() == 6.0
    assert grad(p, wrt="self.a")(5.0) == 30.0
    assert p.slope(5.0) == 30.0
    assert grad(functools.partial(square, x=5.0), wrt="p.a")(p) == 30.0
    assert grad(wrt="p.a")(square)(p) == 6.0
    assert grad(lambda x, *, p: p.a**2 * x, wrt="p.a")(5.0, p=p) == 30.0
    assert grad(lambda x, p: p.a**2 * x, wrt="p.a")(p=p, x=5.0) == 30.0
    assert grad(lambda x, p=p: p.a**2 * x, wrt="p.a")(5.0) == 30.0
    assert grad(lambda p, *x: p.a**2 * x[0], wrt="p.a")(p, 5.0) == 30.0
    assert pickle.loads(pickle.dumps(grad(square, wrt="p.a")))(p) == 6.0
    p.a = 4.0
    assert grad(p.power, wrt="self.a")() == 8.0


@pytest.mark.parametrize("make", [types.SimpleNamespace, Data, Frozen, Slotted, Hooked, Params])
@pytest.mark.parametrize("function", [square, lambda p, x: getattr(p, "".join(["a"])) ** 2 * x])
def test_objects_of_every_kind(make, function):
    p = make(a=3.0, n=2)
    derivative = grad(function, wrt="p.a")
    assert derivative(p, 5.0) == 30.0 and p.a == 3.0 and type(p.a) is float
    assert derivative(make(a=4.0, n=7), 5.0) == 40.0


def test_classes_of_attrs():
    attrs = pytest.importorskip("attr")

    @attrs.define
    class Rates:
        a: float = attrs.field(converter=float)
        n: int = 2

    @attrs.frozen
    class Fixed:
        a: float
        n: int = 2

    for cls in (Rates, Fixed):
        derivative = grad(square, wrt="p.a")
        assert derivative(cls(3.0)) == 6.0 and derivative.mode == "compiled"
    assert grad(lambda p: attrs.evolve(p, n=3).a ** 2 * p.a, wrt="p.a")(Fixed(3.0)) == 27.0
    with pytest.raises(AdError, match="made a plain one"):  # by the converter
        grad(lambda p: attrs.evolve(p, n=3).a ** 2 * p.a, wrt="p.a")(Rates(3.0))


def test_structure_of_the_gradient():
    found = grad(lambda p: p.d["u"] ** 2 + p.d["v"][0], wrt="p.d")(Params(d={"u": 2.0, "v": [1.0, 3]}))
    assert found == {"u": 4.0, "v": [1.0, 0]}
    assert grad(lambda ps: sum(p.a**2 for p in ps), wrt=("ps[0].a", "ps[1].a"))(
        [Params(1.0), Params(2.0)]
    ) == (2.0, 4.0)


# ----- from call to call
@pytest.mark.parametrize("function", [lambda p, q: p.a * q.p.a, lambda p, q: p.a * vars(q)["p"].a])
def test_names_of_one_object_may_change(function):
    derivative = grad(function, wrt="p.a")
    p = Params(2.0)
    same, other = Params(p=p), Params(p=Params(5.0))
    assert [derivative(p, q) for q in (same, other, same, other)] == [4.0, 5.0, 4.0, 5.0]
    p.a = 3.0
    assert derivative(p, same) == 6.0
    np.testing.assert_array_equal(derivative(Params(np.ones(1)), other), [5.0])


def test_other_attributes_are_read_at_each_call():
    derivative, p = grad(lambda p: p.a**p.n, wrt="p.a"), Params(3.0)
    assert derivative(p) == 6.0
    p.n = 3
    assert derivative(p) == 27.0


def test_an_object_is_left_as_it_was_by_an_exception():
    def compiled(p):
        if p.a > 1:
            raise KeyError(p.n)
        return p.a

    def traced(p):
        vars(p)
        return compiled(p)

    for function in (compiled, traced):
        p = Params(2.0)
        with pytest.raises(KeyError):
            grad(function, wrt="p.a")(p)
        assert p.a == 2.0 and type(p.a) is float


def test_what_was_computed_before_is_computed_again():
    p = Params(2.0)
    assert p.area == 8.0
    assert grad(lambda p: p.area * p.a, wrt="p.a")(p) == 32.0
    assert vars(p)["area"] == 8.0 and type(p.area) is float


def test_writes_to_the_part_in_a_trace():
    def function(p):
        p.a[0] *= 2
        p.a += 1
        return np.sum(vars(p)["a"] * p.a)

    p = Params(np.ones(2))
    array = p.a
    np.testing.assert_array_equal(grad(function, wrt="p.a")(p), [12.0, 4.0])
    np.testing.assert_array_equal(p.a, np.ones(2))
    assert p.a is array
    with pytest.raises(SharedMemoryError, match="reads by another name"):
        grad(lambda p: function(p) + np.sum(array), wrt="p.a")(p)


@pytest.mark.parametrize("function", [lambda p: p.d, lambda p: vars(p)["d"]])
def test_what_is_returned_may_hold_the_part(function):
    value, pull = vjp(function, Params(d={"W": 2.0, "b": 1.0}), wrt="p.d['W']")
    assert value == {"W": 2.0, "b": 1.0} and pull({"W": 3.0, "b": 0.0}) == 3.0


def test_threads_do_not_see_each_others_values():
    derivative, p, found = grad(traced_square, wrt="p.a"), Params(2.0), []
    threads = [
        threading.Thread(target=lambda: found.extend(derivative(p) for _ in range(10))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [4.0] * 40 and p.a == 2.0


def test_tensors():
    import ast_ad.torch as torch

    p = Params(torch.tensor(3.0, requires_grad=True))
    found = grad(square, wrt="p.a")(p, 2.0)
    found.backward()
    assert found.item() == 12.0 and p.a.grad.item() == 4.0


# ----- within compiled code
KEPT = Params(3.0)
SLOPE = grad(square, wrt="p.a")


def within_loop(t):
    total = 0.0
    for i in range(3):
        total += grad(square, wrt="p.a")(KEPT, t * i)
    return total * KEPT.a


def of_object_made_here(t):
    return grad(lambda p: p.a**3, wrt="p.a")(Params(t))


def of_method(t):
    return grad(Params(t), wrt="self.a")(2.0)


def of_structure(t):
    return sum(grad(lambda p: p["a"][1] ** 2 * p["b"], wrt=("p['a'][1]", "p['b']"))({"a": (1.0, t), "b": t}))


def by_derivative(t):
    return SLOPE(KEPT, t)


def by_pullback(t):
    return vjp(square, Params(t), 2.0, wrt="p.a")[1](1.0)


def by_jacobian(t):
    return np.sum(jacrev(lambda q, p: p.a**2 * np.ones(2), wrt="p.a")(t, Params(t)))


def of_what_is_stored(t):
    p = Params(t)
    p.a = p.a * t
    return grad(square, wrt="p.a")(p, t) * p.a


@pytest.mark.parametrize(
    "function, expected",
    [
        (within_loop, 54.0),
        (of_object_made_here, 12.0),
        (of_method, 4.0),
        (of_structure, 12.0),
        (by_derivative, 6.0),
        (by_pullback, 4.0),
        (by_jacobian, 4.0),
        (of_what_is_stored, 160.0),
    ],
)
def test_within_compiled_code(function, expected):
    derivative = grad(function)
    assert derivative(2.0) == expected
    assert derivative.mode == "compiled" or function in (
        by_jacobian,
        of_object_made_here,
        of_method,
        by_pullback,
    )
    assert grad(lambda t: [function(t), globals()][0])(2.0) == expected


# ----- refusals
class Roomless:
    """Its objects have no place for an attribute of the class."""

    __slots__ = ()
    rate = 2.0


class Answers:
    def __getattr__(self, name):
        return 1.0


class Watched:
    a = 1.0

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


@pytest.mark.parametrize(
    "wrt, p, message",
    [
        ("q.a", Params(), "no parameter `q`"),
        ("p.b", Params(), "attribute `b` of `p`, a Params, does not exist\n.*: a, n, count"),
        ("p.n", Params(), "`p.n`, which has integer values"),
        ("p", np.array([True]), "`p`, which has booleans"),
        ("p", np.array([1.0], object), "`p`, which has Python objects \\(dtype object\\)"),
        ("p.s", Data(), "`p.s` \\(str\\)"),
        ("p.twice", Params(), "`twice` is computed by code of Params"),
        ("p.area", Params(), "`area` is computed by code of Params"),
        ("p.power", Params(), "is a method, not a value"),
        ("p.", Params(), "names no part"),
        ("p.a()", Params(), "names no part"),
        (("p.a", "p.a"), Params(), "a part of an argument twice"),
        (("p", "p.a"), Params(), "a part of an argument twice"),
        (("p.me.a", "p.a"), itself()[0], "is the same place"),
        (("p.me", "p.a"), itself()[0], "not taken apart"),
        ("p.a", {"a": 1.0}, "write p\\['a'\\]"),
        ("p['b']", {"a": 1.0}, "has no item 'b'\n.*: 'a'"),
        ("p[3]", [1.0], "has no item 3\n.*: 0 to 0"),
        ("p[-1]", [1.0], "by its number, from 0"),
        ("p[0]", np.ones(2), "items can't be replaced"),
        ("p.a", 3.0, "does not exist"),
        ("p.pi", np, "attributes of `p`, a module, can't be replaced"),
        ("p.a", Answers(), "does not exist"),
        ("p.rate", Roomless(), "is held by its class, not by the object"),
        ("p.a", Watched(), "can't be replaced"),
    ],
)
def test_refusals(wrt, p, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        grad(square, wrt=wrt)(p)


class Doubles:
    def __init__(self):
        self.a = 3.0

    def __getattr__(self, name):
        return 2.0 * self.a


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_an_object_that_has_every_attribute():
    assert grad(lambda p: p.a * p.double, wrt="p.a")(Doubles()) == 12.0


@pytest.mark.parametrize("name", ["twice", "area"])
def test_refusals_within_compiled_code(name):
    def inner(p, t):
        return getattr(p, name) * t

    with pytest.raises(InputError, match=f"`{name}` is computed by code of Params"):
        grad(lambda t: grad(inner, wrt=f"p.{name}")(KEPT, t))(2.0)


def test_refused_calls():
    with pytest.raises(InputError, match="does not pass `p`"):
        grad(square, wrt="p.a")()
    with pytest.raises(InputError, match="argnums and wrt together"):
        grad(square, 0, wrt="p.a")
    with pytest.raises(InputError, match="argnums and wrt together"):
        jacrev(square, 1, wrt="p.a")
    with pytest.raises(InputError, match="not callable"):
        grad(3, wrt="p.a")
    same = {"a": 1.0}
    with pytest.raises(SharedMemoryError, match="in the arguments twice"):
        grad(lambda p, q: p["a"] * q["a"], wrt="p['a']")(same, same)
    with pytest.raises(UnsupportedError, match="as a whole"):
        grad(traced_square, wrt="p.a", fallback="error")(Params())


def test_a_derivative_tells_of_its_program():
    derivative = grad(square, wrt="p.a")
    derivative(Params(3.0))
    assert "p.a" in repr(derivative) and "p_a" in derivative.source and derivative.backend == "numpy"
    assert "compiled" not in derivative.explain()[:40]
    assert "p_a" in ast_ad.inspect(grad(square, wrt="p.a"), Params(3.0)).source
    with pytest.warns(ast_ad.ZeroGradientWarning, match="by `p.a` is zero"):
        assert grad(lambda p: p.n * 2.0, wrt="p.a")(Params(3.0)) == 0.0
    with pytest.raises(AdError):
        grad(lambda p: p.a * np.ones(2), wrt="p.a")(Params(3.0))
