"""Are masked arrays followed as pairs of arrays, with NumPy's masks where numbers leave a domain?"""

import numpy as np
import pytest

import ast_ad
from ast_ad import grad

from .checking import X, hold_compiled, hold_traced, hold_twice

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
MASK = np.array([False, True, False, False])
W = np.array([1.0, -2.0, 0.5, 3.0])


def by_condition(x):
    m = np.ma.masked_where(x > 1.15, x**2)
    return m.sum() + np.ma.mean(m) * x[0]


def computed_with(x):
    m = np.ma.array(x**2, mask=x > 1.5) * x
    return m.mean() + (1.0 / m).sum() + (2.0 * m - 1).sum() + (-m).mean() + (m**2).sum()


def moments(x):
    m = np.ma.masked_array(x, mask=MASK)
    return m.std() + (m * x).var(ddof=1) + np.ma.std(m) + m.prod() + m.ptp()


def outside_of_domains(x):
    a = np.ma.log(x - 0.5)
    b = np.ma.masked_invalid(np.log(x - 0.5))
    return (
        np.sum(a.compressed()) + np.sum(b.filled(0.0) * W) + np.ma.sqrt(x - 1.0).sum() + np.ma.arcsin(x).sum()
    )


def divisions_by_zero(x):
    d = np.array([1.0, 0.0, 2.0, 0.0])
    return (np.ma.divide(x, d) * W).sum() + (np.ma.array(x) / d).sum()


def comparisons(x):
    low = np.ma.masked_less(x, 0.5).sum() * x[1]
    high = np.ma.masked_greater(x, 1.0).sum() + np.ma.masked_greater_equal(x, 1.0).prod()
    between = np.ma.masked_outside(x, 0.5, 1.5).mean() + np.ma.masked_inside(x, 0.5, 1.5).sum()
    return low + high + between + np.ma.masked_not_equal(x, 0.25).count() * x[0]


def along_axes(x):
    m = np.ma.masked_array(x.reshape(2, 2), mask=[[0, 1], [0, 0]])
    rows = m.sum(axis=1)[0] + np.sum(m.std(axis=0).filled(0.0) ** 2)
    return (
        np.sum(m.mean(axis=0) ** 2)
        + rows
        + np.sum(m.max(axis=0))
        + m.min()
        + m.sum(axis=0, keepdims=True).sum()
    )


def selections(x):
    m = np.ma.masked_array(x, mask=MASK)
    chosen = np.ma.where(m > 0.5, m**2, 0.0).sum() + np.ma.where(x > 0.5, x, np.ma.masked).sum()
    return chosen + m[0] * x[1] + m[2:].sum() + m[m > 0.5].sum() + np.sum(m.data[~m.mask] ** 2)


def stores(x):
    m = np.ma.masked_array(x**2, mask=[0, 1, 0, 0])
    m[0] = 2.0 * x[1]
    m[3] = np.ma.masked
    m[1] = x[0] * x[3]
    return m.sum()


def made_empty(x):
    m = np.ma.zeros(4)
    m[:] = x
    m[1] = np.ma.masked
    m.mask[2] = True
    return (m * m).sum()


def in_place(x):
    m = np.ma.masked_array(x.copy(), mask=[0, 1, 0, 0])
    other = m
    m += 1.0
    m *= x
    m /= W
    m -= x[0]
    return other.sum() + np.sum(other.data * x)


def averages(x):
    m = np.ma.masked_array(x.reshape(2, 2), [[0, 1], [0, 0]])
    weights = np.ma.average(m, axis=0, weights=[1.0, 2.0]).sum()
    return weights + np.ma.average(np.ma.masked_array(x, MASK), weights=x) + np.ma.average(m)


def functions_of_numpy(x):
    m = np.ma.masked_array(x, mask=MASK)
    totals = np.sum(m) + np.mean(m) + np.std(m) + np.max(m) + np.sum(np.exp(m))
    return totals + np.sum(np.asarray(m) * W) + np.log(m).sum() + (np.add(x, m) * W).sum()


def reflected(x):
    m = np.ma.masked_array(x, MASK)
    return (x * m).sum() + (x - m**3).sum() + (W * m).sum() + (2.0**m).sum()


def constants(x):
    m = np.ma.masked_array(np.ones(4) * 2, MASK)
    return (m * x).sum() + (x * m).sum() + np.sum(m) * x[1]


def joined(x):
    m = np.ma.concatenate([np.ma.masked_array(x, mask=MASK), x * W])
    return m.sum() + m.count() * x[0] + np.ma.stack([m, m]).mean() + (np.ma.hstack([m, x]) ** 2).mean()


def moved(x):
    m = np.ma.masked_array(x, MASK)
    moves = m.cumsum().sum() + m.T.sum() + m.reshape(2, 2).sum(axis=0).sum() + np.ma.diff(m).sum()
    return (m - m.mean()).sum() * x[0] + moves + np.sum(m.anom() * W)


def asked_what_it_is(x):
    m = np.ma.masked_array(x, mask=MASK)
    if isinstance(m, np.ma.MaskedArray) and np.ma.isMaskedArray(m) and isinstance(m, np.ndarray):
        return np.sum(np.ma.filled(m, 0.0) ** 2) + np.ma.is_masked(m) * x[0] + len(m) * m.shape[0] * x[1]
    return 0.0 * x[0]


def extrema(x):
    m = np.ma.masked_array(x, MASK)
    return (
        np.ma.maximum(m, 1.05).sum()
        + np.ma.minimum(m, x[::-1]).sum()
        + np.ma.exp(x).sum()
        + m.clip(0.5, 1.5).sum()
    )


PROGRAMS = [
    by_condition,
    computed_with,
    moments,
    outside_of_domains,
    divisions_by_zero,
    comparisons,
    along_axes,
    selections,
    stores,
    made_empty,
    in_place,
    averages,
    functions_of_numpy,
    reflected,
    constants,
    joined,
    moved,
    asked_what_it_is,
    extrema,
]


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", PROGRAMS)
def test_compiled(f):
    hold_compiled(f)


@pytest.mark.parametrize("f", PROGRAMS)
def test_traced(f):
    hold_traced(f)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("f", [computed_with, along_axes, in_place])
def test_twice(f):
    hold_twice(f)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("f", [by_condition, outside_of_domains, stores])
def test_kernels(f):
    hold_compiled(f, "numba")


def test_nothing_is_left():
    """All of it is masked: the constant that stands for this comes from a trace."""

    def f(x):
        total = np.ma.masked_where(x > x[3] - 5.0, x).sum()
        return x[0] if total is np.ma.masked else total**2

    np.testing.assert_array_equal(grad(f)(X.copy()), [1.0, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(grad(f)(np.array([1.0, 2.0, 3.0, 7.0])), [6.0, 6.0, 0.0, 0.0])


def test_a_masked_array_from_outside_is_refused_by_name():
    outside = np.ma.masked_array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0])
    with pytest.raises(ast_ad.AdError):
        grad(lambda x: (outside * x).sum())(X.copy())


def laid_out_anew(x):
    o = np.ma.atleast_2d(x)
    m = np.ma.masked_greater(o.T * o, 1.0)
    first, plain = np.ma.atleast_1d(m[0], x)
    pairs = np.ma.column_stack((m[0], m[1]))
    total = np.ma.atleast_3d(m).sum() + first.sum() * 2 + plain.sum() + (pairs * pairs).sum()
    total += np.ma.append(m, x).sum() + np.ma.diag(m[0]).sum() + np.ma.dstack((m, m)).mean()
    return total + np.ma.product(m) * np.ma.size(m) * np.ma.ndim(m)


def nothing_is_masked(x):
    m = np.ma.array(x**2)
    a = np.array([[2.0, 0.5], [0.5, 3.0]])
    y = np.zeros(2)
    y[:] = m[:2]
    joined = np.sum(np.concatenate([m, x])) + np.vstack([x, m])[1, 0] + np.stack(arrays=[m, x]).sum()
    return (
        joined
        + np.dot(x, m)
        + np.dot(a, m[:2]).sum()
        + np.linalg.solve(a, m[1:3])[0]
        + np.sum(np.einsum("i,i", m, x))
        + y[1]
    )


def test_places_and_products():
    for function in (laid_out_anew, nothing_is_masked):
        hold_traced(function)


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.linalg.solve(np.eye(4) * x[0], np.ma.array(x, mask=MASK))[0],
        lambda x: np.concatenate([x, np.ma.array(x, mask=MASK)]).sum(),
        lambda x: np.stack(arrays=[np.ma.array(x, mask=MASK), x]).sum(),
    ],
)
def test_marks_among_the_arrays_of_other_functions_are_refused(function):
    with pytest.raises((ast_ad.AdError, TypeError)):
        grad(function)(X)
