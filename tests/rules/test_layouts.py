"""What is believed of the order of elements in memory, and of views: is it so for every sample and layout?"""

import inspect
import itertools
import operator
import random
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sample import Sample, all_samples, arrays_in, column_major, every_other, laid

import ast_ad
from ast_ad.compiler.frontend.store.windows import EACH
from ast_ad.compiler.frontend.types.layouts import (
    KEEPING,
    LIKE,
    MADE,
    ROWS,
    ROWS_OF_ANY,
    SEEING,
    SEVERAL,
    SHOWING,
    SOLID,
    is_crosswise,
    is_solid,
    is_view_by_letters,
    order_asked,
    orders_of_result,
    orders_of_solid,
    relation,
)
from ast_ad.compiler.frontend.types.strides import of_order
from ast_ad.compiler.ir.ops import Lit
from ast_ad.compiler.ir.types import Array
from ast_ad.rules.memory import strided
from ast_ad.rules.numpy.contractions import einsum_bar

A, B = np.arange(1.0, 7.0).reshape((2, 3)), np.arange(2.0, 8.0).reshape((2, 3))
PAIRS = [Sample((a, b)) for a, b in ((A, B), (A, B[0]), (A, B[:, :1]), (A[:1], B[:, :1]), (A, 2.0))]
SAMPLES = all_samples() | {
    **dict.fromkeys([operator.sub, operator.truediv, operator.floordiv, operator.mod], PAIRS),
    **dict.fromkeys([operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne], PAIRS),
    **dict.fromkeys([operator.neg, operator.pos, abs, np.ones_like, np.zeros_like], [Sample((A,))]),
    **dict.fromkeys([np.argsort, np.argmax, np.argmin], [Sample((A,), {"axis": 0}), Sample((A[0],))]),
    **dict.fromkeys([np.round, np.flatnonzero], [Sample((A,)), Sample((A[0],))]),
    np.digitize: [Sample((A[0], B[0])), Sample((A[:, :1], B[0]))],
    np.searchsorted: [Sample((B[0], A[0])), Sample((B[0], A[:, :1]))],
    **dict.fromkeys([np.eye, np.identity, np.tri], [Sample((3,))]),
    **dict.fromkeys([np.zeros, np.ones], [Sample(((2, 3),)), Sample(((2, 3, 4),))]),
}


def backwards(a):
    return np.array(a[::-1], order="C")[::-1] if a.ndim else a


def is_full(a):
    """Whether the memory between its first and its last element is all its own."""
    first, last = np.lib.array_utils.byte_bounds(a)
    return last - first == a.nbytes


LAYOUTS = {"rows": np.array, "columns": column_major, "every other": every_other, "backwards": backwards}


def lying(a):
    return frozenset("C" * a.flags.c_contiguous + "F" * a.flags.f_contiguous)


def strides(a):
    return tuple(s // a.itemsize for s in a.strides)


def asked(fn, args, kwargs):
    return order_asked(fn, [Lit(a) for a in args], {k: Lit(v) for k, v in kwargs.items()}).value


def one_by_columns(number):
    """The array with this number is laid by columns, all others by rows."""
    seen = itertools.count(1)
    return lambda a: column_major(a) if next(seen) == number else np.array(a)


def calls():
    """Each function with each sample, its arrays in each layout, or one of them in another one."""
    for fn in SAMPLES:
        for number, sample in enumerate(SAMPLES[fn]):
            layouts = {
                **LAYOUTS,
                "first by columns": one_by_columns(1),
                "second by columns": one_by_columns(2),
            }
            for name, layout in layouts.items():
                args = laid(list(sample.args), layout)
                yield fn, f"{number} {name}", args, {k: laid(v, layout) for k, v in sample.kwargs.items()}


def result_of(fn, args, kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return fn(*args, **kwargs)
        except ValueError:  # another NumPy takes no such arguments: np.cross of plane vectors
            return None


def test_the_order_of_results():
    claims = 0
    for fn, name, args, kwargs in calls():
        result = result_of(fn, args, kwargs)
        inputs = list(arrays_in([*args, *kwargs.values()]))
        given = [(strides(a), a.shape) for a in inputs][: 1 if fn in LIKE else None]
        for found in arrays_in(result) if fn in SEVERAL else [result]:
            if not isinstance(found, np.ndarray) or not found.size:
                continue
            if any(np.shares_memory(found, a) for a in inputs):
                continue  # a view: of these other things are said
            claimed = orders_of_result(fn, given, found.shape, asked(fn, args, kwargs))
            claims += found.ndim > 1 and bool(claimed)
            assert claimed <= lying(found), (fn, name, claimed)
            assert is_full(found) or not is_solid(fn), (fn, name)
    assert claims > 700


def test_what_indices_with_arrays_copy_has_no_gaps():
    source, seen = random.Random(0), 0
    for _ in range(3000):
        shape = [source.randint(1, 4) for _ in range(source.randint(1, 3))]
        a = np.zeros(shape, order=source.choice("CF")).transpose(source.sample(range(len(shape)), len(shape)))
        index = []
        for n in a.shape:
            places = np.array([source.randrange(n) for _ in range(4)])
            mask = np.array([source.random() < 0.6 for _ in range(n)])
            ways = [places, places[::-1], places[::2], list(places), places.reshape(2, 2).T, places[0], mask]
            index.append(source.choice([*ways, int(places[0]), slice(None, None, source.choice([1, 2, -1]))]))
        if not any(isinstance(part, (list, np.ndarray)) for part in index):
            continue
        try:
            found = a[tuple(index)]
        except IndexError:  # the arrays don't fit each other
            continue
        if isinstance(found, np.ndarray) and found.size:
            seen += 1
            assert is_full(found) and not np.shares_memory(found, a), index
            assert orders_of_solid(found.shape) <= lying(found)
    assert seen > 300


def test_each_function_of_the_tables_is_measured():
    made = {*KEEPING, *ROWS, *ROWS_OF_ANY, *MADE, *SOLID, *SEVERAL} - {np.empty, np.empty_like}
    seen = {*SEEING, *SHOWING} - {np.lib.stride_tricks.sliding_window_view, strided}
    assert made | seen <= SAMPLES.keys(), "add a sample"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    "fn", [np.zeros, np.ones, np.full, np.zeros_like, np.ones_like, np.full_like, np.copy]
)
def test_what_is_asked_for_an_order(fn, order):
    like = np.ones((2, 3))
    first = (like,) if "like" in fn.__name__ or fn is np.copy else (like.shape,)
    args = (*first, 2.0) if fn in (np.full, np.full_like) else first
    place = [*inspect.signature(fn).parameters].index("order")
    for given, named in ((args, {"order": order}), ((*args, *(None,) * (place - len(args)), order), {})):
        assert asked(fn, given, named) == order
        assert orders_of_result(fn, [], like.shape, order) == lying(fn(*given, **named)) == {order}


def test_stretched_arrays():
    shapes = [(), (1,), (3,), (1, 3), (3, 1), (3, 3), (2, 3, 3), (2, 1, 3)]
    for one in shapes:
        for two in shapes:
            for layouts in ("CC", "CF", "FC", "FF"):
                a, b = (np.ones(s, order=o) for s, o in zip((one, two), layouts, strict=True))
                found = np.add(a, b)
                # What made them tells one order, whatever a length of 1 makes of it.
                given = [(of_order(s, o), s) for o, s in zip(layouts, (one, two), strict=True)]
                if isinstance(found, np.ndarray):
                    assert orders_of_result(np.add, given, found.shape, None) <= lying(found), (
                        one,
                        two,
                        layouts,
                    )


def test_views_and_copies():
    seen = set()
    for fn, name, args, kwargs in calls():
        base = next(iter(arrays_in(args)), None)
        if base is None or not base.size or len(list(arrays_in([*args, *kwargs.values()]))) > 1:
            continue
        if fn in EACH and len(args) > 1:
            continue
        first = next(iter(arrays_in([result_of(fn, args, kwargs)])), None)
        made = None if first is None else Array(first.dtype, first.shape)
        how = relation(fn, strides(base), Array(base.dtype, base.shape), asked(fn, args, kwargs), made)
        if fn is np.meshgrid and kwargs.get("copy", True) or fn is np.ix_ and base.dtype == bool:
            continue
        if fn is strided and args[3] != base.strides:  # it is told how the program's own array lies
            continue
        results = [r for r in arrays_in([result_of(fn, args, kwargs)]) if r.ndim and r.size]
        for found in results:
            shares = np.may_share_memory(found, base)
            seen.add(how if shares or how == "copy" else "")
            if how in ("view", "shown", "same"):
                assert shares and (found.flags.writeable or how == "shown" or not base.flags.writeable), (
                    fn,
                    name,
                )
            if how == "same":
                assert found is base
            if how == "copy":
                assert not shares
            if how == "shown" and found.flags.writeable:
                with pytest.warns(DeprecationWarning):  # NumPy's, of broadcast_arrays
                    found[...] = found
    assert seen >= {"view", "shown", "same", "copy"}
    assert is_crosswise(Array(np.dtype(float), (2, 3))) and not is_crosswise(Array(np.dtype(float), (1, 3)))


@pytest.mark.parametrize(
    "subscripts", ["ij->ji", "ii->i", "ij->ij", "ijk->kij", "iij->ji", "ij->i", "ii->", "ij"]
)
def test_einsum_of_one_array(subscripts):
    a = np.arange(3.0 ** len(subscripts.partition("->")[0])).reshape([3] * len(subscripts.partition("->")[0]))
    found = np.einsum(subscripts, a)
    if is_view_by_letters(subscripts):
        assert np.shares_memory(found, a) and found.flags.writeable


# ----- in programs
def reshaped_by_columns(x):
    z = np.outer(x, x)
    np.ravel(z, order="F")[0] = 5.0 * x[1]
    return np.sum(z * z)


def made_by_columns(x):
    z = np.zeros((2, 3), order="F")
    z[0] = x
    v = z.ravel()
    v[0] = 5.0 * x[1]
    return np.sum(z * z) + np.sum(v)


def joined_columns(x):
    z = np.concatenate([np.array([x, x]).T, np.array([x, x]).T])
    v = z.reshape(-1)
    v[0] = 5.0 * x[1]
    return np.sum(z * z) + np.sum(v)


def copied_columns(x):
    z = np.copy(np.array([x, x * 2.0]).T)
    z.ravel()[1] = 5.0 * x[1]
    w = np.array([x, x * 2.0]).T.copy()
    w.ravel()[1] = 5.0 * x[0]
    return np.sum(z * z) + np.sum(w * w)


def turned_rows(x):
    z = np.outer(x, x)
    r = np.rollaxis(z.reshape((3, 3, 1)), 1)
    r[0, 1] = x[2]
    np.flip(z, 0)[0, 1:] *= x[1:]
    a, b, c = np.hsplit(z, 3)
    b -= a * x[0]
    return np.sum(z * z) + np.sum(c * r[0])


def made_in_an_order_by_a_ufunc(x):
    z = np.add(np.outer(x, x), 1.0, order="F")
    v = z.ravel()
    v[1] = 5.0 * x[0]
    return np.sum(z * z)


def solid_numbers(x):
    a = np.array(x[0] * 2.0)
    b, c = np.ascontiguousarray(a), np.asfortranarray(a)
    return np.sum(b) * x[2] + np.sum(c) * x[1] + b.ndim + 2 * c.ndim


def given_by_name(x):
    z = np.outer(x, x)
    b = np.transpose(a=z)
    b[0] = x
    np.flip(m=z, axis=0)[0] *= 2.0
    np.split(ary=z, indices_or_sections=3)[1][0, 1] = x[2]
    return np.sum(z * z)


def read_as_it_lies(x):
    z = np.outer(x, x).T
    w = np.empty_like(np.array([x, x]), order="F")
    w.flat[:] = np.arange(6.0)
    counted = w.ravel("A") + z.flatten("K")[:6]
    return np.sum(counted * z.reshape(9, order="A")[3:])


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning")
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize(
    "f",
    [
        made_in_an_order_by_a_ufunc,
        solid_numbers,
        given_by_name,
        read_as_it_lies,
        reshaped_by_columns,
        made_by_columns,
        joined_columns,
        copied_columns,
        turned_rows,
    ],
    ids=lambda f: f.__name__,
)
def test_programs(f, backend):
    x = np.array([0.4, -0.9, 1.3])
    value, found = ast_ad.value_and_grad(f, backend=backend)(x)
    assert value == pytest.approx(f(x), rel=1e-15)
    steps = 1e-6 * np.eye(3)
    np.testing.assert_allclose(found, [(f(x + h) - f(x - h)) / 2e-6 for h in steps], rtol=1e-6, atol=1e-8)


def cornered(y):
    flat = y.ravel()
    flat[1] = 3.0 * y[0, 0]
    return np.sum(y * y) + np.sum(flat)


def test_a_program_for_each_order_of_the_argument():
    rows = np.array([[0.4, -0.9, 1.3], [0.2, 0.8, -0.5]])
    derivative = ast_ad.value_and_grad(cornered, fallback="error")
    for y in (rows, column_major(rows), rows, column_major(rows), rows[:1], rows[:, :1].copy()):
        expected = cornered(y.copy(order="K"))
        value, found = derivative(y.copy(order="K"))
        assert value == expected
        for place in np.ndindex(y.shape):
            up, down = y.copy(order="K"), y.copy(order="K")
            up[place] += 1e-6
            down[place] -= 1e-6
            assert found[place] == pytest.approx((cornered(up) - cornered(down)) / 2e-6, abs=1e-7)
    assert "order of y" in str(derivative.explain())


def test_einsum_of_nothing():
    """np.einsum may give what memory held where an operand without elements has no strides."""
    x, nothing = np.full(6, 2.0), np.zeros(0)
    for _ in range(20):
        g = np.cos(np.einsum("i,j->ij", x, nothing))
        np.full(6, np.nan)  # is what memory holds then
        assert (einsum_bar(g, x, "i,j->ij", 0, (nothing,)) == 0).all()
        assert einsum_bar(g, nothing, "i,j->ij", 1, (x,)).shape == (0,)
    # of length 1, and repeated no times
    assert einsum_bar(np.float64(1.0), x[:1], "i,i->", 0, (nothing,)) == [0.0]
