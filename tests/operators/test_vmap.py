"""Is a mapped function what a loop over the rows is: compiled, traced, of tensors, within code?"""

import collections
import copy
import dataclasses
import functools
import pickle
import random
import warnings

import numpy as np
import pytest

import ast_ad
from ast_ad import grad, vmap
from ast_ad.errors import FallbackWarning, InputTypeError, InputValueError

from .functions import OF_ARRAYS, X, constant, differences, loop_with_writes, number, straight

BACKENDS = ["numpy", "numba"]
ROWS = np.array([[0.3, -0.8, 1.2], [0.5, -0.2, 0.9], [1.4, 0.1, -0.6], [-0.7, 1.1, 0.2]])
STRICT = dict(backend="numpy", fallback="error")


def plain(found):
    return found if isinstance(found, np.ndarray) else found.detach().numpy()


def looped(function, *rows):
    """What a mapped function has to give, for one result."""
    return np.stack([function(*parts) for parts in zip(*rows, strict=True)])


# ----- values and derivatives of plain functions
@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_rows_with_loops_branches_and_writes(function, backend):
    mapped = vmap(function, backend=backend, fallback="error")
    for rows in (ROWS, ROWS[:2] + 0.05, ROWS[:1]):
        np.testing.assert_allclose(mapped(rows), looped(function, rows), rtol=1e-13)
    assert mapped.mode == "compiled"


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_gradients_for_each_row_and_through_all(function):
    def loss(x):
        return np.sum(np.sin(function(x)))

    expected = np.stack([differences(loss, row) for row in ROWS])
    np.testing.assert_allclose(vmap(grad(loss), **STRICT)(ROWS), expected, rtol=1e-6, atol=1e-8)
    through = grad(lambda rows: np.sum(np.sin(vmap(function)(rows))), **STRICT)
    if function is constant:
        return
    np.testing.assert_allclose(through(ROWS), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.drawn(of=4)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("function", OF_ARRAYS)
def test_traced_and_of_tensors(function):
    opaque = eval("lambda x: function(x)", {"function": function})
    expected = looped(function, ROWS)
    np.testing.assert_allclose(vmap(opaque)(ROWS), expected, rtol=1e-13)
    gradient = vmap(grad(lambda x: np.sum(function(x) ** 2)), **STRICT)(ROWS)
    traced = grad(lambda rows: np.sum(vmap(opaque)(rows) ** 2))
    np.testing.assert_allclose(traced(ROWS), gradient, rtol=1e-12, atol=1e-13)
    rows = ast_ad.tensor(ROWS, requires_grad=True)
    for mapped in (vmap(function), vmap(opaque)):
        found = mapped(rows)
        np.testing.assert_allclose(plain(found), expected, rtol=1e-13)
        with ast_ad.no_grad():
            assert not getattr(mapped(rows), "requires_grad", False)
        np.testing.assert_allclose(np.asarray(mapped(rows.detach())), expected, rtol=1e-13)
        if function is not constant:
            rows.grad = None
            (found**2).sum().backward()
            np.testing.assert_allclose(rows.grad.numpy(), gradient, rtol=1e-12, atol=1e-13)


def network(p, x, y):
    hidden = np.tanh(x @ p["w"] + p["b"])
    return (hidden @ p["v"] - y) ** 2


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_for_each_sample_of_a_network(backend):
    random = np.random.default_rng(0)
    p = {"w": random.normal(size=(3, 5)), "b": random.normal(size=5), "v": random.normal(size=5)}
    y = random.normal(size=4)
    mapped = vmap(grad(network), in_axes=(None, 0, 0), backend=backend, fallback="error")
    found = mapped(p, ROWS, y)
    for name, part in found.items():
        expected = [grad(network)(p, row, target)[name] for row, target in zip(ROWS, y, strict=True)]
        np.testing.assert_allclose(part, expected, rtol=1e-12)
    if backend == "numba":
        assert mapped.source.count("@lean_") == 1


# ----- with the other operators
@pytest.mark.parametrize("backend", BACKENDS)
def test_derivatives_of_mapped_functions_and_mapped_derivatives(backend):
    options = dict(backend=backend, fallback="error")
    mapped = vmap(number)
    jacobian = np.zeros((4, 4, 3))
    for i, row in enumerate(ROWS):
        jacobian[i, i] = grad(number)(row)
    for ask in (ast_ad.jacfwd, ast_ad.jacrev):
        np.testing.assert_allclose(ask(mapped, **options)(ROWS), jacobian, rtol=1e-12, atol=1e-14)
    hessians = vmap(ast_ad.hessian(number), **options)(ROWS)
    np.testing.assert_allclose(hessians, looped(ast_ad.hessian(number), ROWS), rtol=1e-12)
    whole = ast_ad.hessian(lambda rows: np.sum(mapped(rows)), **options)(ROWS)
    np.testing.assert_allclose(whole[range(4), :, range(4)], hessians, rtol=1e-12)


def two_of_three(x):
    a = np.sin(x)
    if x[0] > 0.4:
        return a, x
    if x[1] > 100:
        raise ValueError("too large")
    return x * a, a


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_row_returns_early_or_raises(backend):
    mapped = vmap(two_of_three, backend=backend, fallback="error")
    for rows in (ROWS, ROWS[:2] + 0.05, -ROWS):
        for found, expected in zip(mapped(rows), zip(*map(two_of_three, rows), strict=True), strict=True):
            np.testing.assert_allclose(found, np.stack(expected), rtol=1e-13)


def test_products_and_mapped_products():
    along = np.cos(ROWS)
    expected = looped(lambda x, t: ast_ad.jvp(loop_with_writes, (x,), (t,))[1], ROWS, along)
    found = ast_ad.jvp(vmap(loop_with_writes), (ROWS,), (along,), **STRICT)[1]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    inner = vmap(lambda x, t: ast_ad.jvp(loop_with_writes, (x,), (t,)), **STRICT)
    np.testing.assert_allclose(inner(ROWS, along)[1], expected, rtol=1e-12)
    np.testing.assert_allclose(ast_ad.linearize(vmap(loop_with_writes), ROWS)[1](along), expected, rtol=1e-12)
    bars = np.sin(expected)
    pulled = looped(lambda x, g: ast_ad.vjp(loop_with_writes, x)[1](g)[0], ROWS, bars)
    np.testing.assert_allclose(ast_ad.vjp(vmap(loop_with_writes), ROWS, **STRICT)[1](bars)[0], pulled)
    inner = vmap(lambda x, g: ast_ad.vjp(loop_with_writes, x)[1](g)[0], **STRICT)
    np.testing.assert_allclose(inner(ROWS, bars), pulled, rtol=1e-12)
    second = vmap(lambda x, t: ast_ad.hvp(number, (x,), (t,))[0], **STRICT)
    (whole,) = ast_ad.hvp(lambda rows: np.sum(vmap(number)(rows)), (ROWS,), (along,), **STRICT)
    np.testing.assert_allclose(second(ROWS, along), whole, rtol=1e-12)
    value, gradient = ast_ad.value_and_grad(lambda rows: np.sum(vmap(number)(rows)), **STRICT)(ROWS)
    values, gradients = vmap(ast_ad.value_and_grad(number), **STRICT)(ROWS)
    np.testing.assert_allclose(np.sum(values), value)
    np.testing.assert_allclose(gradients, gradient)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", BACKENDS)
def test_mapped_again(backend):
    def kernel(a, b):
        distance = 0.0
        for i in range(len(a)):
            distance += (a[i] - b[i]) ** 2
        return np.exp(-distance)

    def matrix(a, b):
        return vmap(vmap(kernel, in_axes=(None, 0)), in_axes=(0, None))(a, b)

    other = ROWS[:2] + 0.1
    expected = [[kernel(a, b) for b in other] for a in ROWS]
    outside = vmap(vmap(kernel, in_axes=(None, 0)), in_axes=(0, None), backend=backend, fallback="error")
    np.testing.assert_allclose(outside(ROWS, other), expected, rtol=1e-13)
    total = grad(lambda a: np.sum(matrix(a, other) ** 2), backend=backend, fallback="error")
    np.testing.assert_allclose(total(ROWS), differences(lambda a: np.sum(matrix(a, other) ** 2), ROWS), 1e-6)
    both = vmap(vmap(np.sin, 0, 1), 2, 0, **STRICT)
    np.testing.assert_allclose(both(np.arange(24.0).reshape(2, 3, 4)).shape, (4, 3, 2))


def test_within_loops_branches_and_closures_of_compiled_code():
    def f(rows, rate):
        state = rows
        for step in range(3):
            if np.sum(state) > 0.0:
                state = vmap(lambda x, k, n=step: x - rate * np.sin(x) * (k + n))(state, np.arange(4))
            else:
                state = 0.5 * vmap(lambda x: x * x, in_axes=1, out_axes=1)(state)
        return np.sum(state**2)

    by_rows, by_rate = grad(f, argnums=(0, 1), **STRICT)(ROWS, 0.1)
    np.testing.assert_allclose(by_rows, differences(lambda r: f(r, 0.1), ROWS), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(by_rate, differences(lambda r: f(ROWS, r[0]), np.array([0.1]))[0], rtol=1e-6)


# ----- axes and structures
Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float
    name: str = "layer"


@pytest.mark.parametrize("fallback", ["error", "trace"])
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_axes_are_trees(fallback):
    def f(p, pair, scale):
        x, y = pair
        return {"a": p["w"] * scale, "b": (x - y, np.sum(p["w"]) * p["c"])}

    function = f if fallback == "error" else eval("lambda p, pair, scale: f(p, pair, scale)", {"f": f})
    axes = ({"w": 1, "c": None}, (0, -1), None)
    mapped = vmap(function, axes, {"a": 1, "b": (-1, 0)}, fallback=fallback)
    p, pair = {"w": ROWS.T, "c": 2.0}, (ROWS, ROWS.T)
    found = mapped(p, pair, 3.0)
    np.testing.assert_array_equal(found["a"], 3.0 * ROWS.T)
    np.testing.assert_array_equal(found["b"][0], np.zeros((3, 4)))
    np.testing.assert_allclose(found["b"][1], 2.0 * np.sum(ROWS, axis=1))
    again = mapped({"c": 2.0, "w": ROWS.T}, pair, 3.0)  # in another order
    np.testing.assert_array_equal(again["a"], found["a"])


def test_containers_of_arguments_and_results():
    found = vmap(lambda p: Point(p.y, [p.x, None]), **STRICT)(Point(ROWS, ROWS[:, 0]))
    assert isinstance(found, Point) and found.y[1] is None
    np.testing.assert_array_equal(found.x, ROWS[:, 0])
    np.testing.assert_array_equal(found.y[0], ROWS)

    def layer(p, x):
        return Params(p.w * x, p.b + np.sum(x))

    with pytest.raises(InputTypeError, match="a str in the result"):
        vmap(layer, (None, 0))(Params(X, 1.0), ROWS)
    found = vmap(lambda p: p.w * p.b, (Params(0, None, None),), **STRICT)(Params(ROWS, 2.0))
    np.testing.assert_array_equal(found, 2.0 * ROWS)
    np.testing.assert_array_equal(vmap(lambda parts: parts[0] - parts[1])([ROWS, ROWS]), np.zeros((4, 3)))


class Labelled:
    def __init__(self, value, label=""):
        self.value, self.label = value, label


ast_ad.register_container(Labelled, lambda p: ((p.value,), None), lambda aux, parts: Labelled(*parts))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_attributes_that_are_no_rows_are_the_same_for_all_rows():
    alike = vmap(lambda x: [Labelled(2.0 * x, "alike")])(np.arange(3.0))[0]
    assert alike.label == "alike"
    np.testing.assert_array_equal(alike.value, [0.0, 2.0, 4.0])
    other = vmap(lambda x: [Labelled(2.0 * x, "large" if x > 1.0 else "small")])
    assert other(np.arange(2.0))[0].label == "small"
    with pytest.raises(InputTypeError, match="row 2 of the result, with another `label` than row 0"):
        other(np.arange(3.0))


class Ordered:
    def __init__(self, a, b):
        self.a, self.b = a, b


ast_ad.register_container(
    Ordered,
    lambda p: ((p.a, p.b), "ab") if p.a else ((p.b, p.a), "ba"),
    lambda names, parts: Ordered(**dict(zip(names, parts, strict=True))),
)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "error::ast_ad.errors.DefectWarning")
def test_children_that_depend_on_a_value():
    mapped = vmap(lambda x: Ordered(x, x + 1.0))
    np.testing.assert_array_equal(mapped(np.array([1.0, 2.0])).b, [2.0, 3.0])
    for rows in ([1.0, 0.0], [0.0, 1.0]):
        with pytest.raises(InputTypeError, match="row 1 of the result, of another structure"):
            mapped(np.array(rows))


def test_arguments_by_keyword_are_mapped_along_the_first_axis():
    def f(x, scale=2.0, *, shift=0.0):
        return np.sum(x) * scale + shift

    y = np.arange(4.0)
    np.testing.assert_allclose(vmap(f, **STRICT)(ROWS), 2.0 * np.sum(ROWS, axis=1))
    np.testing.assert_allclose(vmap(f, **STRICT)(ROWS, shift=y, scale=y), y * np.sum(ROWS, axis=1) + y)
    np.testing.assert_allclose(vmap(f, (1,), **STRICT)(ROWS.T, scale=y), y * np.sum(ROWS, axis=1))
    with pytest.raises(InputTypeError, match="`shift`, a number"):
        vmap(f)(ROWS, shift=1.0)
    with pytest.raises(TypeError, match="multiple values"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        vmap(lambda x: x)(ROWS, x=ROWS)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("opaque", [False, True])
def test_dtypes(opaque):
    def f(x, i):
        return x * 2, i + 1, i > 1, 1j * x, 3, 2.5, True

    function = eval("lambda x, i: f(x, i)", {"f": f}) if opaque else f
    found = vmap(function)(ROWS[:, 0].astype(np.float32), np.arange(4, dtype=np.int16))
    expected = np.float32, np.int16, bool, np.complex64, np.int64, float, bool
    assert [part.dtype for part in found] == list(map(np.dtype, expected))
    assert all(part.shape == (4,) for part in found)
    gradient = grad(lambda x: np.sum(vmap(f)(x, np.arange(4))[0]))(ROWS[:, 0].astype(np.float32))
    assert gradient.dtype == np.float32 and np.all(gradient == 2.0)


def test_lengths_of_results():
    def f(x, n, y):
        return (
            np.zeros(n + 1),
            np.append(x, y),
            x[::2],
            np.outer(x, y[1:]),
            x.reshape(-1, 1),
            y[: len(y) // 2],
        )

    shapes = [part.shape for part in vmap(f, (0, None, None), **STRICT)(ROWS, 5, np.ones(4))]
    assert shapes == [(4, 6), (4, 7), (4, 2), (4, 3, 3), (4, 3, 1), (4, 2)]


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_lengths_that_depend_on_the_row_are_no_arrays():
    with pytest.raises(InputValueError, match="rows of `the result` of other shapes"):
        vmap(lambda x: x[x > 0.4])(ROWS)
    mapped = vmap(lambda x: (x[x > 0.0], x), out_axes=1, **STRICT)
    same = np.abs(ROWS)  # all of them have the same length
    np.testing.assert_array_equal(mapped(same)[0], same.T)
    with pytest.raises(InputValueError, match="no rows"):
        mapped(same[:0])


class Kept:
    """What one turn leaves to the next."""


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_lengths_and_dtypes_that_a_turn_leaves_to_the_next(backend):
    kept = Kept()

    def f(x):
        value = kept.array
        kept.array = value[: kept.count] * kept.factor
        return value + x

    mapped = vmap(f, backend=backend)
    for count, factor in ((3, 2.0), (3, 2.0), (3, 1j)):
        kept.count, kept.factor, kept.array = count, factor, np.arange(3.0)
        expected = [1.0 + np.arange(3.0) * factor**i for i in range(4)]
        np.testing.assert_array_equal(mapped(np.ones(4)), expected)
    for kept.count in (2, 1):
        kept.factor, kept.array = 2.0, np.arange(3.0)
        with pytest.raises(InputValueError, match="rows of `the result` of other shapes"):
            mapped(np.ones(4))


def test_no_rows():
    """Compiled programs know what they would return; a function that runs as it is does not."""
    mapped = vmap(loop_with_writes, check=True, **STRICT)
    assert mapped(ROWS[:0]).shape == (0, 4) and mapped(ROWS).shape == (4, 4)
    assert grad(lambda rows: np.sum(mapped(rows)), **STRICT)(ROWS[:0]).shape == (0, 3)
    opaque = eval("lambda x: f(x)", {"f": loop_with_writes})
    with pytest.raises(InputValueError, match="no rows"), warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        vmap(opaque)(ROWS[:0])


@pytest.mark.drawn(of=8)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [loop_with_writes, straight, constant])
@pytest.mark.parametrize("ask", [ast_ad.jacfwd, ast_ad.jacrev, ast_ad.hessian])
def test_matrices_without_rows(ask, f, backend):
    """The lengths of columns that are had in one pass are known before there is a row."""
    mapped = vmap(ask(f), backend=backend, fallback="error")
    full, none = mapped(ROWS), mapped(ROWS[:0])
    assert none.shape == (0, *full.shape[1:]) and none.dtype == full.dtype


@pytest.mark.parametrize("backend", BACKENDS)
def test_results_that_are_the_same_for_all_rows(backend):
    def f(x, w):
        return x * w, 2.0 * w, 7

    mapped = vmap(f, (0, None), (0, None, None), backend=backend, fallback="error")
    _, twice, seven = mapped(ROWS, X)
    np.testing.assert_array_equal(twice, 2.0 * X)
    assert seven == 7 and np.ndim(seven) == 0
    np.testing.assert_allclose(grad(lambda w: np.sum(mapped(ROWS, w)[1] ** 2))(X), 8.0 * X)
    _, nothing, _ = mapped(ROWS, np.full(3, np.nan))
    assert np.isnan(nothing).all()
    with pytest.raises(InputValueError, match="out_axes=None for `the result`"):
        vmap(lambda x: x[0], 0, None)(ROWS)


# ----- what a turn does
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("opaque", [False, True])
def test_no_turn_sees_what_another_one_writes_to_its_arguments(opaque):
    def f(x, total):
        total += x
        x *= 2.0
        return total * x

    function = eval("lambda x, total: f(x, total)", {"f": f}) if opaque else f
    rows, total = ROWS.copy(), np.zeros(3)
    np.testing.assert_allclose(vmap(function, (0, None))(rows, total), 2.0 * ROWS**2)
    np.testing.assert_array_equal(rows, ROWS)
    np.testing.assert_array_equal(total, 0.0)
    np.testing.assert_allclose(grad(lambda r: np.sum(vmap(function, (0, None))(r, total)))(rows), 4.0 * ROWS)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "error::ast_ad.errors.DefectWarning")
@pytest.mark.parametrize("opaque", [False, True])
def test_a_row_is_what_it_was_when_its_turn_ended(opaque):
    buffer = np.zeros(3)

    def f(x):
        buffer[:] = x * x
        return buffer

    mapped = vmap(eval("lambda x: f(x)", {"f": f}) if opaque else f)
    for _ in range(2):
        np.testing.assert_array_equal(mapped(ROWS), ROWS**2)
    if not opaque:  # a trace can't store into an array that is none of its own
        weighted = grad(lambda rows: np.sum(mapped(rows) * ROWS))
        np.testing.assert_allclose(weighted(ROWS), 2.0 * ROWS**2)


def test_effects_are_those_of_a_loop(capsys):
    printed = vmap(lambda x: (print("row"), x)[1], **STRICT)
    for _ in range(2):
        np.testing.assert_array_equal(printed(ROWS), ROWS)
        assert capsys.readouterr().out == "row\n" * 4
    seen = []

    def f(x):
        seen.append(len(x))
        return x * len(seen)

    mapped = vmap(f, **STRICT)
    for turns in (4, 8):
        np.testing.assert_array_equal(mapped(ROWS), ROWS * np.arange(turns - 3, turns + 1)[:, None])
        assert len(seen) == turns


def test_the_functions_own_exception():
    def f(x):
        if x[0] < -0.5:
            raise KeyError("mine")
        return x

    mapped = vmap(f)
    np.testing.assert_array_equal(mapped(ROWS[:3]), ROWS[:3])
    for _ in range(2):
        with pytest.raises(KeyError, match="mine"):
            mapped(ROWS)
    with pytest.raises(IndexError):
        vmap(lambda x, i: x[i])(ROWS, np.array([0, 1, 7, 2]))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_callee_that_is_traced():
    square = eval("lambda x: x * x", {})
    mapped = vmap(lambda x: np.sum(np.sin(square(x))))
    np.testing.assert_allclose(mapped(ROWS), np.sum(np.sin(ROWS**2), axis=1))
    gradient = vmap(grad(lambda x: np.sum(np.sin(square(x)))))
    np.testing.assert_allclose(gradient(ROWS), np.cos(ROWS**2) * 2.0 * ROWS)


GENERATOR = np.random.default_rng(3)


class Noise:
    def __init__(self):
        self.generator, self.held = np.random.default_rng(3), {"of Python": [random.Random(3)]}

    def of_attribute(self, x):
        return x + self.generator.normal()

    def of_dict(self, x):
        return x + self.held["of Python"][0].random()

    def by_method(self, x):
        return x * self._drawn()

    def _drawn(self):
        return global_noise()

    __call__ = by_method


def global_noise():
    return GENERATOR.normal()


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize(
    "draw",
    [
        lambda x: x * np.random.normal(),
        lambda x: x * GENERATOR.normal(),
        lambda x: x * ast_ad.rand(1).item(),
        lambda x: x * global_noise(),
        lambda x, drawn=GENERATOR.normal: x * drawn(),
        functools.partial(lambda generator, x: x * generator.normal(), np.random.default_rng(3)),
        Noise().of_attribute,
        Noise().of_dict,
        Noise().by_method,
        Noise(),
        vmap(lambda x: x * GENERATOR.normal(), randomness="different"),
    ],
)
def test_random_numbers(draw):
    rows = np.ones((4, 1)) if hasattr(draw, "explain") else np.ones(4)
    with pytest.raises(InputValueError, match="a random number drawn"):
        vmap(draw)(rows)
    assert len({*vmap(draw, randomness="same")(rows).flat}) == 1
    assert len({*vmap(draw, randomness="different")(rows).flat}) == 4
    assert len({*ast_ad.torch.vmap(draw, randomness="same")(rows).flat}) == 1


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_a_generator_as_an_argument():
    def f(x, generator):
        return x + generator.normal()

    with pytest.raises(InputValueError, match="a random number drawn"):
        vmap(f, (0, None))(np.ones(4), GENERATOR)
    drawn = vmap(f, (0, None), randomness="different")(np.zeros(4), np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, np.random.default_rng(0).normal(size=4))


# ----- the operator
def test_what_an_operator_tells():
    mapped = vmap(loop_with_writes, backend="numpy")
    mapped(ROWS)
    assert "for i in range(n):" in mapped.source and "def loop_with_writes_vmap(x):" in mapped.source
    assert "a loop over the rows" in mapped.explain()
    assert repr(mapped) == "<ast_ad.vmap(loop_with_writes), 1 compiled>"
    for again in (pickle.loads(pickle.dumps(mapped)), copy.deepcopy(mapped)):
        np.testing.assert_array_equal(again(ROWS), mapped(ROWS))


def test_other_axes_are_other_programs_on_the_disk():
    """Kernels are found by another process by what decides them: the axes are a part of that."""
    square = np.arange(9.0).reshape(3, 3)
    for axis in (0, 1):
        found = vmap(loop_with_writes, axis, axis, backend="numba")(square)
        expected = looped(loop_with_writes, square if axis == 0 else square.T)
        np.testing.assert_allclose(found, expected if axis == 0 else expected.T)


def test_the_names_of_pytorch():
    torch = ast_ad.torch
    assert torch.vmap is torch.func.vmap and torch.vmap is not ast_ad.vmap
    weights, rows = torch.tensor(X, requires_grad=True), torch.tensor(ROWS)
    found = torch.vmap(lambda w, x: (w * x).sum(), in_dims=(None, 0), chunk_size=2)(weights, rows)
    found.sum().backward()
    np.testing.assert_allclose(weights.grad.numpy(), np.sum(ROWS, axis=0))
    by_keyword = torch.vmap(lambda x, w: x * w, out_dims=1)(rows, w=torch.tensor(X))
    np.testing.assert_allclose(by_keyword.numpy(), (ROWS * X).T)
    with pytest.raises(InputValueError, match="chunk_size=0"):
        torch.vmap(lambda x: x, chunk_size=0)
    with pytest.raises(InputValueError, match="in_dims=3 for `x`"):
        torch.vmap(lambda x: x, in_dims=3)(rows)
    through = grad(lambda r: np.sum(torch.vmap(np.sin, in_dims=1, out_dims=0)(r)), **STRICT)
    np.testing.assert_allclose(through(ROWS), np.cos(ROWS))


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_gradients_for_each_sample_of_a_module():
    network = ast_ad.nn.Linear(3, 2)
    p = {name: t.detach() for name, t in network.named_parameters()}

    def loss(p, x):
        return (ast_ad.func.functional_call(network, p, (x[None],)) ** 2).sum()

    rows = ast_ad.tensor(ROWS, dtype=ast_ad.float32)
    found = vmap(grad(loss), in_axes=(None, 0))(p, rows)
    assert not found["weight"].requires_grad
    for i in range(4):
        network.zero_grad()
        (network(rows[i : i + 1]) ** 2).sum().backward()
        for name, t in network.named_parameters():
            np.testing.assert_allclose(found[name][i].numpy(), t.grad.numpy(), rtol=1e-6)


@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_tensors_that_the_function_reads_keep_their_part_of_the_graph():
    w, rows = ast_ad.tensor(2.0, requires_grad=True), ast_ad.tensor(ROWS, requires_grad=True)
    for mapped in (vmap(lambda x: x * w), ast_ad.torch.vmap(lambda x: x * w)):
        w.grad = rows.grad = None
        mapped(rows).sum().backward()
        np.testing.assert_allclose(float(w.grad), np.sum(ROWS), rtol=1e-6)
        np.testing.assert_array_equal(rows.grad.numpy(), np.full((4, 3), 2.0))


def test_methods_and_arrays_from_outside():
    class Model:
        def __init__(self):
            self.w, self.calls = X, 0

        def loss(self, x):
            self.calls += 1
            return np.sum(self.w * x) * self.calls

    model = Model()
    np.testing.assert_allclose(vmap(model.loss, **STRICT)(ROWS), ROWS @ X * np.arange(1, 5))
    assert model.calls == 4

    def total(w, rows):
        sums = np.zeros(3)

        def turn(x):
            sums[:] += w * x
            return np.sum(w * x)

        return np.sum(vmap(turn)(rows)) + np.sum(sums**2)

    expected = np.sum(ROWS) + 4.0 * np.sum(np.sum(ROWS, axis=0) ** 2)
    np.testing.assert_allclose(grad(total, **STRICT)(2.0, ROWS), expected)


def test_arrays_that_are_given_twice_or_lie_otherwise():
    def f(x, y):
        x *= 2.0
        return x + y

    np.testing.assert_allclose(vmap(f, **STRICT)(ROWS, ROWS), 3.0 * ROWS)
    np.testing.assert_allclose(grad(lambda rows: np.sum(vmap(f)(rows, rows)), **STRICT)(ROWS), 3.0)
    fixed = np.asfortranarray(ROWS)[::-1, ::-1]
    fixed.flags.writeable = False
    np.testing.assert_allclose(vmap(f, 1, 1, **STRICT)(fixed, fixed), 3.0 * fixed)


def test_independent_rows_run_in_threads():
    def f(x):
        for i in range(1000):
            x = x + 0.001 * np.sin(x)
        return x

    mapped = vmap(grad(f), backend="numba", parallel=True, fallback="error")
    np.testing.assert_allclose(mapped(X), looped(grad(f), X), rtol=1e-12)
    assert "prange" in mapped.source


def pair(x, y):
    return x


@pytest.mark.parametrize(
    "wrong, error, told",
    [
        (lambda: vmap(3), InputTypeError, "vmap of a int"),
        (lambda: vmap(pair, (0, "x")), InputTypeError, "'x' is no axis"),
        (lambda: vmap(pair, True), InputTypeError, "in_axes=True"),
        (lambda: vmap(pair, 0, 0.5), InputTypeError, "out_axes=0.5"),
        (lambda: vmap(pair, randomness="some"), InputValueError, "randomness='some'"),
        (lambda: vmap(pair, axis_name="i"), InputTypeError, "option 'axis_name'"),
        (lambda: vmap(pair)(ROWS, ROWS[:2]), InputValueError, "`x` has 4 along axis 0, `y` has 2"),
        (lambda: vmap(pair, None)(ROWS, ROWS), InputValueError, "in_axes that map nothing"),
        (lambda: vmap(pair, 2)(ROWS, ROWS), InputValueError, "in_axes=2 for `x`"),
        (lambda: vmap(pair, -3)(ROWS, ROWS), InputValueError, "in_axes=-3 for `x`"),
        (lambda: vmap(pair)(ROWS, 3.0), InputTypeError, "`y`, a number"),
        (lambda: vmap(pair)(ROWS, np.array(3.0)), InputTypeError, "`y`, a number"),
        (lambda: vmap(pair)(ROWS, "text"), InputTypeError, "a str in `y`"),
        (lambda: vmap(pair)(ROWS, [ROWS, True]), InputTypeError, "a bool in `y`"),
        (lambda: vmap(pair, (0,))(ROWS, ROWS), InputValueError, "2 positional arguments"),
        (lambda: vmap(pair, ({"a": 0}, 0))({"b": ROWS}, ROWS), InputValueError, "of another structure"),
        (lambda: vmap(pair, ((0, 0), 0))([ROWS, ROWS], ROWS), InputValueError, "of another structure"),
        (lambda: vmap(pair, 0, 2)(ROWS[:, 0], ROWS), InputValueError, "out_axes=2 for `the result`"),
        (lambda: vmap(pair, 0, (0, 0))(ROWS, ROWS), InputValueError, "out_axes=.* of another structure"),
        (lambda: vmap(lambda x: "text")(ROWS), InputTypeError, "a str in the result"),
        (lambda: vmap(lambda x: np.array(["a"]))(ROWS), InputTypeError, "in the result"),
    ],
)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
def test_bad_input(wrong, error, told):
    with pytest.raises(error, match=told):
        wrong()


def test_sizes_that_differ_in_a_later_call():
    mapped = vmap(lambda x, y: x * y)
    np.testing.assert_array_equal(mapped(ROWS, ROWS), ROWS**2)
    with pytest.raises(InputValueError, match="inconsistent sizes"):
        mapped(ROWS, ROWS[:3])


def test_axes_as_jax_has_them():
    """What JAX 0.10 gives, said in NumPy."""
    product = vmap(lambda x, y: x * y, (0, 1), 1)(ROWS, ROWS.T)
    np.testing.assert_allclose(product, (ROWS * ROWS).T)
    np.testing.assert_allclose(vmap(lambda x, y: x * y, (-1, None), -1)(ROWS, 2.0), 2.0 * ROWS)
    products, same = vmap(lambda p, y: (p["a"] @ y, y), ({"a": 0}, None), (0, None))({"a": ROWS}, X)
    np.testing.assert_allclose(products, ROWS @ X)
    np.testing.assert_allclose(same, X)
    wrong = vmap(lambda x, y: {"s": x.sum(), "t": (x, y)}, (1, 0), {"s": 0, "t": (2, 0)})
    with pytest.raises(ValueError):
        wrong(ROWS[None], ROWS[0])
