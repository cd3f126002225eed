"""Does code that is traced see arrays and numbers as they are in a plain call?"""

import collections
import collections.abc
import copy
import dataclasses
import functools
import json
import math
import operator
import threading

import numpy as np
import pytest

from ast_ad import AdError, tracing as fallback

V = np.array([0.7, -1.3, 2.1, 0.4])
W = np.array([0.3, -0.2, 1.1, 0.9])
INDICES = np.array([0, 2, 2])


def traced(function, *args):
    """The value and the gradients, and that the value and the arguments are those of the plain call."""
    expected = function(*copy.deepcopy(args))
    given = copy.deepcopy(args)
    value, pullback = fallback.trace(function, given, {}, tuple(range(len(args))))
    assert type(value) is type(expected) and np.asarray(value).tobytes() == np.asarray(expected).tobytes()
    for before, after in zip(args, given, strict=True):
        np.testing.assert_array_equal(before, after)
    return value, pullback([1.0])


def differences(function, args):
    for k, arg in enumerate(args):
        found = np.zeros(np.shape(arg))
        for index in np.ndindex(found.shape):

            def at(step, k=k, index=index):
                moved = list(copy.deepcopy(args))
                if index:
                    moved[k][index] += step
                else:
                    moved[k] = type(moved[k])(moved[k] + step)
                return function(*moved)

            h = 1e-5
            found[index] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
        yield found


def right(function, *args):
    _, gradients = traced(function, *args)
    for found, expected in zip(gradients, differences(function, args), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * (1 + np.abs(expected).max()))


# ----- programs -------------------------------------------------------------------------------------
def flat(x):
    y = x.reshape(2, 2).T.copy()
    y.flat[1] = x[0] * 3
    y.flat[2:] = x[:2]
    return sum(v * v * i for i, v in enumerate(y.T.flat)) + y.flat[3] * len(y.flat)


def ufunc_at(x):
    y = np.zeros(3)
    np.add.at(y, INDICES, x[:3])
    np.subtract.at(y, INDICES, x[1:])
    return np.sum(y**2)


def out_and_where(x):
    y = np.empty(4)
    np.multiply(x, x, out=y)
    np.add(y, x, y)
    z = np.zeros(4)
    np.divide(1.0, x, out=z, where=x > 0.5)
    return (
        np.sum(y**2) + z.sum() + np.sum(np.sqrt(np.abs(x), where=x > 0, out=x * 2)) + np.sum(x, where=x > 0)
    )


def masks(x):
    y = x * 1
    y[y > 0] += x[0]
    y[y < 0] *= 3
    y[INDICES] += x[1]
    mask = y > 0
    y[mask] = y[mask] ** 2
    return np.sum(y**3)


def aliases(x):
    y = x.reshape(2, 2)
    y.ravel()[0] = 3 * x[3]
    y.T[0, 1] *= 2
    y.flatten()[0] = 100
    np.atleast_2d(x)[0, 3] = x[0]
    for i, row in enumerate(y):
        row *= row[0]
        row[1] += i * x[3]
    np.asarray(x)[1] = x[2] * 2
    np.array(x)[1] = 100
    v = x[::-1]
    v *= 2
    v[1:3] += x[0]
    return np.sum(x**2)


def several_views(x):
    a, b = np.split(x, 2)
    a += b
    x.swapaxes(0, 0)[1] = x[0]
    x.view()[2] = 4 * x[1]
    m = np.outer(x, x)
    np.einsum("ii->i", m)[:] = x
    np.fill_diagonal(m[1:], x[0])
    return np.sum(x**2) + np.sum(m**2)


CONSTANT = np.array([2.0, 3.0])


def copies_or_not(x):
    m = x.reshape(2, 2)
    np.ascontiguousarray(m.T)[0, 1] = 100.0
    np.asfortranarray(m)[0, 1] = 100.0
    np.ascontiguousarray(m)[0, 0] = x[1]
    np.array(m, copy=None)[1, 1] *= 2
    m.astype(float, copy=False)[1, 0] += x[3]
    m.astype(float)[0] = 100.0
    np.asarray(m, dtype=float)[0, 1] -= x[0]
    m.T.copy().reshape(-1)[1] = 100.0
    m.T.copy("F").T.ravel()[0] = 100.0
    copy.copy(m)[0] = 100.0
    assert np.array(x, ndmin=2).shape == (1, 4) and m.T.copy().flags.c_contiguous
    return np.sum(x**2) + np.sum(np.asarray(CONSTANT) * x[:2])


def complex_parts(x):
    z = np.zeros(4, complex)
    z.real = x
    z.imag = x**2
    z.imag[1] += x[0]
    return np.sum(np.abs(z) ** 3) + abs(complex(x[0], 2.0))


def numbers_are_immutable(s):
    a = s
    b = a
    a += 1
    a *= s
    return a * b


def elements_are_copies(x):
    a, y = x[0], x * 1
    b = y[0]
    y[0] = 5 * x[1]
    zero_d = np.array(x[0])
    same = zero_d
    same += x[1]
    return a * b + y[0] + zero_d * same


def sorts(x):
    y, z = x * 2, x * 3
    y.sort()
    z.partition(2)
    return np.sum(y * W) + z[2] ** 2 + sorted(x)[1]


def conversions(x):
    total = float(x[0]) * x[1] + float(np.dot(x, x)) + x[2].item() + sum(x.tolist())
    return total * float("2.0") * (1 if type(total) is float else 100)


def lists_are_arrays(x):
    pairs = [x[0], x[1]], [x[2], 1.0]
    return (
        np.sum([t**2 for t in x])
        + np.dot([x[0], x[1]], [x[2], x[3]])
        + np.max([x[0], x[3]])
        + np.linalg.det(pairs)
    )


def creation(x):
    y = np.linspace(x[0], x[1], 5)
    z = np.full((2, 2), x[0]) * np.full_like(x[:2], x[1])
    u = np.ones_like(x)
    u[1:] = x[:-1]
    table = np.fromfunction(lambda i, j: x[0] * i + x[1] * j, (2, 2))
    return np.sum(y**2) + np.sum(z) + np.prod(u) + np.sum(table) + np.vander(x[:2], 3).sum()


def classes(x):
    assert type(x) is np.ndarray and isinstance(x, collections.abc.Iterable)
    assert not isinstance(x, collections.abc.Hashable) and not hasattr(x, "detach")
    s = x[0]
    assert type(s) is np.float64 and isinstance(s, (float, np.floating)) and s.dtype == np.float64
    assert not isinstance(s, collections.abc.Iterable) and not hasattr(s, "__len__") and not np.iterable(s)
    with pytest.raises(TypeError):
        len(s)
    with pytest.raises(TypeError):
        [v for v in s]
    return np.sum(x * s)


def lists_beside_arrays(x):
    numbers = [1.0, 2.0, -1.0, 0.5]
    total = (numbers @ x) + (x @ [1, 2, 3, 4]) ** 2 + np.sum(np.outer(x, x) @ numbers)
    total += np.sum(divmod(numbers, x)[1] * x) + np.sum((3.0, 1.0, 2.0, 5.0) % x)
    total += np.sum(np.arctan2(numbers, x)) + np.sum(np.gradient(x * x, [0, 1, 3, 4]))
    total += np.trapezoid([1, 2, 3, 4], x) + np.interp([0.5, 1.5], [0, 1, 2, 3], x).prod()
    return total + np.sum(np.linalg.lstsq([[2, 1], [1, 3], [0, 0], [0, 1]], x, rcond=None)[0])


def classes_of_numpy(x):
    s, numbers = np.float64(x[0].item()), np.float64([x[1], 2.0, x[2]])
    assert type(s) is np.float64 and numbers.dtype == np.float64
    single = np.float32(x[3])
    assert single.dtype == np.float32
    z = np.complex128(x[0]) * (1 + 2j)
    total = s * s + np.sum(numbers**2) + sum(map(np.float64, x)) * np.float64(x).prod()
    return total + (z * z).imag + max([x[0] * s, x[1]], key=np.float64) + np.sum(np.complex128(x * x)).real


def nothing_is_copied(x):
    with pytest.raises(ValueError):
        np.nan_to_num([x[0], x[1]], copy=False)
    return np.sum(np.nan_to_num([x[0], x[1]]) ** 2)


def python_number(s):
    assert type(s) is float and not hasattr(s, "shape") and isinstance(s, float) and {float: 1}[type(s)]
    assert not isinstance(s, (np.floating, collections.abc.Sized))
    try:
        s / (s - s)
    except ZeroDivisionError:
        s = s * 3
    return (
        (s**2 - s) * round(s, 1)
        + ((-s) ** 0.5).imag
        + s.real * s.conjugate()
        + s // 1
        + s % 1
        + divmod(s, 1)[1]
    )


def python_numbers_are_weak(x, s):
    y = x.astype(np.float32) * s
    assert y.dtype == np.float32
    return float(np.sum(y)) * 0.0 + s * np.sum(x)


@dataclasses.dataclass
class State:
    a: object
    b: object = 1.0


Pair = collections.namedtuple("Pair", "p q")


def containers(x):
    state = State(x * 2)
    state.b = state.a[0]
    other = dataclasses.replace(state, a=x)
    pair = Pair(x, x[0])._replace(q=x[1] * 2)
    counts = collections.defaultdict(float)
    for i, v in enumerate(x):
        counts[i % 2] += v * v
    copied = copy.deepcopy([x, {"a": copy.copy(x)}])
    copied[0][1] = 0
    copied[1]["a"][2] = x[3]
    folded = functools.reduce(operator.add, [v**2 for v in x])
    total = dataclasses.asdict(other)["a"][1] + pair.q * np.sum(pair.p) + counts[0] * counts[1] + folded
    return state.b * total + np.sum(copied[0] ** 2) + np.sum(copied[1]["a"] ** 3)


def exceptions(x):
    total = 0.0
    for attempt in (
        lambda: x[7],
        lambda: x @ np.ones(3),
        lambda: {"a": x}["b"],
        lambda: np.linalg.inv(np.outer(x * 0, x)),
        lambda: np.concatenate([x, np.ones((2, 2))]),
        lambda: x.foo,
        lambda: np.add(x, np.ones(3), out=x),
    ):
        try:
            attempt()
        except (LookupError, ValueError, AttributeError):
            total = total + x[1] ** 2
    with np.errstate(divide="raise"):
        try:
            total = total + np.sum(x / (x - x))
        except FloatingPointError:
            total = total + np.sum(x * 3)
    return total


def randomness(x):
    numbers = np.random.default_rng(3)
    np.random.seed(1)
    return np.sum(x * numbers.normal(size=4)) + x[0] * np.random.rand() + x[1] * numbers.uniform()


FUNCTIONS = {"sum": np.sum, "zeros": np.zeros, "sin": math.sin}


def names_found_elsewhere(x):
    import math as m

    import numpy as xp
    from numpy import ones

    y = xp.zeros(4)
    y[:] = x
    z = FUNCTIONS["zeros"](4)
    z += x
    return xp.sum(y**2) * m.sin(x[0]) * ones(2)[0] + FUNCTIONS["sum"](z**2) * FUNCTIONS["sin"](x[1])


def read_only(x):
    y = x.copy()
    y.setflags(write=False)
    for target in (y, np.broadcast_to(x, (2, 4))[0]):
        try:
            target[0] = 1.0
        except ValueError:
            y = y * 2
    return y.sum()


def read_only_targets(x):
    total = x.sum()
    target = np.broadcast_to(x[0], (4,))
    for write in (
        lambda: np.clip(target, -2.0, 2.0, out=target),
        lambda: np.multiply(x, 2.0, target),
        lambda: np.cumsum(x, out=target),
        lambda: np.sum(np.outer(x, x), axis=0, out=target),
        lambda: np.copyto(target, x),
        lambda: np.putmask(target, target > 0, x),
        lambda: target.put([0], x[1]),
        lambda: np.fill_diagonal(np.broadcast_to(x[0], (3, 3)), x[1]),
    ):
        try:
            write()
        except ValueError:
            total = total * 1.1 + target[1]
    return total


PROGRAMS = [
    names_found_elsewhere, read_only, read_only_targets,
    flat, ufunc_at, out_and_where, masks, aliases, copies_or_not, several_views, complex_parts,
    elements_are_copies, sorts,
    conversions, lists_are_arrays, lists_beside_arrays, nothing_is_copied, creation, classes,
    classes_of_numpy, containers, exceptions, randomness,
]  # fmt: skip


@pytest.mark.drawn(of=17)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_program(program):
    right(program, V)


def test_numbers():
    right(numbers_are_immutable, 1.7)
    right(numbers_are_immutable, np.float64(1.7))
    right(python_number, 1.7)
    _, (of_x, of_s) = traced(python_numbers_are_weak, V, 2.0)
    np.testing.assert_allclose(of_x, np.full(4, 2.0))
    assert of_s == pytest.approx(V.sum())
    value, (gradient,) = traced(lambda x: (x * 2.0).sum(), V.astype(np.float32))
    assert value.dtype == gradient.dtype == np.float32


# ----- what is refused ------------------------------------------------------------------------------
TABLE = {}


@pytest.mark.drawn(of=6)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: {x[0]: 1.0}[x[0]],
        lambda x: len(x.tobytes()) * x[0],
        lambda x: copy.copy(W).__setitem__(0, x[0]) or np.sum(x),
        lambda x: W.copy().__iadd__(x).sum(),
        lambda x: np.sum(np.frompyfunc(lambda a: a * a, 1, 1)(x)),
        lambda x: np.asarray(CONSTANT).__setitem__(0, x[0]) or np.sum(x),
        lambda x: memoryview(x)[0] * x[0],
        lambda x: np.multiply.at(CONSTANT, INDICES, x[:3]) or np.sum(x),
    ],
)
def test_refusals(function):
    with pytest.raises(AdError):
        fallback.trace(function, (V,), {}, (0,))


def test_refusals_that_the_function_catches():
    def hides(x):
        try:
            y = W.copy()
            y[0] = x[0]
        except Exception:
            y = W
        return np.sum(y * x)

    with pytest.raises(AdError, match="plain"):
        fallback.trace(hides, (V,), {}, (0,))

    def hides_a_missing_rule(x):
        try:
            return np.sum(np.histogram2d(x, x)[0])
        except Exception:
            return x[0]

    with pytest.raises(AdError, match="histogram2d"):
        fallback.trace(hides_a_missing_rule, (V,), {}, (0,))


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("after", ["raise", "chain", "index", "finally"])
def test_refusals_that_become_another_exception(after):
    def hides(x):
        y = None
        try:
            y = np.histogram2d(x, x)
        except Exception as error:
            if after == "raise":
                raise ValueError("no parts") from None
            if after == "chain":
                raise RuntimeError("no parts") from error
        finally:
            if after == "finally" and y is None:
                raise KeyError("parts")
        return y[0]

    with pytest.raises(AdError, match="histogram2d") as caught:
        fallback.trace(hides, (V,), {}, (0,))
    assert caught.value.span.text == "y = np.histogram2d(x, x)"


def test_exceptions_of_the_function_stay_its_own():
    def raises(x):
        try:
            return x[7]
        except IndexError as error:
            raise ValueError("too short") from error

    with pytest.raises(ValueError, match="too short"):
        fallback.trace(raises, (V,), {}, (0,))


# ----- what is left ---------------------------------------------------------------------------------
@functools.lru_cache
def square(s):
    return s * s


@functools.lru_cache
def table(n):
    return np.zeros(n) + 1.0


def test_caches_keep_nothing_traced():
    for _ in range(2):
        _, (gradient,) = traced(lambda s: square(s) + square(2.0) + square(s) + np.sum(table(2)) * s, 2.0)
        assert gradient == 10.0
    assert square.cache_info().currsize == 1 and type(square(2.0)) is float and type(table(2)) is np.ndarray


def test_what_is_stored_is_plain():
    log, found, queue, last = [], {}, collections.deque(), None

    class Slots:
        __slots__ = ("a",)

    slots, state = Slots(), State(None)

    def stores(x):
        nonlocal last
        last = np.sum(x)
        log.append(x[0] * 2)
        log.append((1, (x[0], "two")))
        found["y"], found["pair"] = x * 3, Pair(x[0], [x])
        slots.a = float(x[1])
        state.a, state.b = np.zeros(2), x
        queue.append(x + 1)
        return np.sum(x * x)

    traced(stores, V)
    assert json.dumps([log, slots.a]) and type(last) is np.float64
    assert [type(a) for a in (state.a, state.b, found["y"], found["pair"].q[0], queue[-1])] == [
        np.ndarray
    ] * 5
    assert type(found["pair"].p) is np.float64


def uses_many_names(x):
    y = np.zeros(3)
    y[:] = np.sin(x[:3])
    return np.sum(y * y) + math.sin(float(x[0])) + table(1)[0]


def test_names_are_as_before():
    numpy_before, mine, cell = dict(vars(np)), dict(globals()), np.zeros

    def fails(x):
        assert cell is not numpy_before["zeros"]
        with pytest.raises(KeyError):
            fallback.trace(lambda y: {}[len(y * x)], (V,), {}, (0,))
        raise KeyError("failed")

    with pytest.raises(KeyError):
        fallback.trace(fails, (V,), {}, (0,))
    assert all(vars(np)[name] is value for name, value in numpy_before.items())
    assert cell is np.zeros and set(globals()) == set(mine)
    assert all(globals()[name] is value for name, value in mine.items())


def test_threads():
    """What a plain thread computes is plain. ``type(v) is np.float64`` may be answered with no there.

    Both names mean others as a trace begins or ends: one is read before that, and one after it.
    """
    expected = np.array([math.cos(V[0]), 0, 0, 0]) + np.append(np.sin(2 * V[:3]), 0)
    wrong, plain, values = [], [], []

    def trace():
        for _ in range(100):
            _, pullback = fallback.trace(uses_many_names, (V,), {}, (0,))
            if not np.allclose(pullback([1.0])[0], expected):
                wrong.append(1)

    def compute():
        for _ in range(500):
            values.append(uses_many_names(V))
            if not isinstance(values[-1], np.float64):
                plain.append(1)

    before = dict(globals())
    threads = [threading.Thread(target=target) for target in (trace, trace, compute)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and not plain and before == globals()
    assert {type(value) for value in values} == {np.float64}


# ----- writes to numbers
NUMBERS = {
    "numpy": lambda x: x[0] * 2.0,
    "sum": np.sum,
    "python": lambda x: float(x[0]),
    "plain": lambda x: 2.0,
}
WRITES = {
    "put": lambda v, t: np.put(v, 0, t),
    "put, by name": lambda v, t: np.put(a=v, ind=[0], v=t, mode="clip"),
    "put, outside": lambda v, t: np.put(v, 5, t),
    "put a constant": lambda v, t: np.put(v, 0, 7.0),
    ".put": lambda v, t: v.put(0, t),
    ".fill": lambda v, t: v.fill(t),
    ".fill, by name": lambda v, t: v.fill(value=t),
    ".sort": lambda v, t: v.sort(),
    "copyto": np.copyto,
    "place": lambda v, t: np.place(v, np.array(True), [t]),
    "putmask": lambda v, t: np.putmask(v, True, t),
    "fill_diagonal": np.fill_diagonal,
    "put_along_axis": lambda v, t: np.put_along_axis(v, np.array([0]), t, 0),
    "add.at": lambda v, t: np.add.at(v, (), t),
    "subtract.at": lambda v, t: np.subtract.at(v, (), t),
    "out": lambda v, t: np.add(1.0, t, out=v),
    "sum, out": lambda v, t: np.sum(t, out=v),
    "nan_to_num": lambda v, t: np.nan_to_num(v, copy=False),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_a_number_is_not_written_to(number, write):
    def function(x):
        v = number(x)
        try:
            write(v, x[1] * 2.0)
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            kinds = TypeError, ValueError, IndexError, AttributeError
            return np.sum(v) + sum([isinstance(error, kind) * 10.0**k for k, kind in enumerate(kinds)])
        return np.sum(v) * x[2]

    right(function, V)


@pytest.mark.parametrize("part", ["real", "imag"])
def test_the_parts_of_a_number(part):
    def function(x):
        setattr(np.sum(x), part, x[0])
        return x[0]

    with pytest.raises(AttributeError):
        function(V)
    with pytest.raises(AttributeError):
        fallback.trace(function, (V,), {}, (0,))


def test_an_array_without_axes():
    def function(x):
        a, b, c = (np.array(x[i]) for i in range(3))
        a.fill(x[1])
        np.put(b, 0, x[2] * 2.0)
        np.copyto(c, x[3])
        return a * b * c

    right(function, V)


# ----- arguments that share memory
PARTS = {
    "reversed": lambda y: y[::-1],
    "every second": lambda y: y[::2],
    "the rest": lambda y: y[1:],
    "a column": lambda y: np.reshape(y, (2, 2))[:, 1],
    "itself": lambda y: y,
}
ORDERS = {
    "as it is": lambda a: a,
    "F": lambda a: np.reshape(a, (-1,), order="F"),
    "asarray": lambda a: np.asarray(a, order="F"),
    "ravel": lambda a: np.ravel(a, order="F"),
}


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
def test_an_open_mesh_is_written_to(part, order, first, which):
    def function(x):
        y = x * 1.0
        v = order(np.ix_(*((part(y), y) if first else (y, part(y))))[which])
        v += v * v
        v[0] *= 3.0
        return np.sum(v * v) + np.sum(y * y * x)

    right(function, V)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
def test_a_conversion_to_an_order(order):
    def function(x):
        y = x * 1.0
        v = y[::-1].astype(float, order=order, copy=False)
        w = np.reshape(y, (2, 2)).T.astype(float, order=order, copy=False)
        v *= x
        w += x[0]
        return np.sum(v * v) + np.sum(w * y[1]) + np.sum(y * y * x)

    right(function, V)


def test_an_index_of_a_number_in_warm_code():
    """The interpreter calls methods itself then, and is elsewhere in the code meanwhile."""

    def caught(x):
        try:
            return x[0][0] * 2.0
        except IndexError:
            return x[0] * 3.0

    for _ in range(20):
        right(caught, V)
