"""Have Bottleneck's reductions and moving windows the derivatives of NumPy's, compiled and traced?"""

import numpy as np
import pytest

import ast_ad

bn = pytest.importorskip("bottleneck")

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning", "ignore::RuntimeWarning")
A = np.random.default_rng(0).normal(size=(4, 7))
HOLED = A.copy()
HOLED[1, 2] = HOLED[2, 0] = HOLED[3, 3] = HOLED[3, 4] = np.nan
REDUCTIONS = "nansum nanmean nanvar nanstd nanmin nanmax nanmedian median ss".split()
MOVING = "sum mean var min max median".split()


def weighted(made):
    """Numbers alone: what is NaN is not chosen."""
    return np.sum(
        np.where(np.isnan(made), 0, made) * np.cos(np.arange(np.size(made)).reshape(np.shape(made)))
    )


def differences(function, a, h=1e-6):
    found = np.zeros_like(a)
    for i in np.ndindex(a.shape):
        step = np.zeros_like(a)
        step[i] = h
        found[i] = (function(a + step) - function(a - step)) / (2 * h)
    return np.nan_to_num(found)


def check(function, a):
    expected = differences(function, a)
    for fallback in ("error", "trace"):
        way = function if fallback == "error" else lambda a: function(eval("a"))
        found = np.nan_to_num(ast_ad.grad(way, fallback=fallback)(a))
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


@pytest.mark.drawn(of=5)
@pytest.mark.parametrize("axis", [None, 0, -1])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name, axis):
    reduce, a = getattr(bn, name), A if name in ("median", "ss") else HOLED
    check(lambda a: weighted(reduce(a, axis)), a)


def test_degrees_of_freedom():
    check(lambda a: weighted(bn.nanstd(a, 1, ddof=1) * bn.nanvar(a, axis=1, ddof=2)), HOLED)


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("name", MOVING)
@pytest.mark.parametrize("options", [{}, {"min_count": 2, "axis": 0}, {"min_count": 1}])
def test_moving_windows(name, options):
    moved = getattr(bn, f"move_{name}")
    check(lambda a: weighted(moved(a, 3, **options)), HOLED)


def test_moving_deviations():
    check(lambda a: weighted(bn.move_std(a, 3, min_count=2) + bn.move_var(a, 3, ddof=1)), HOLED)


@pytest.mark.parametrize("options", [{}, {"n": 1}, {"axis": 0}])
def test_numbers_pushed_over_nan(options):
    check(lambda a: weighted(bn.push(a, **options)), HOLED)


def test_steps():
    ranks = bn.rankdata(A, axis=1)
    found = ast_ad.grad(lambda a: np.sum(bn.rankdata(a, axis=1) * a), fallback="error")(A)
    np.testing.assert_array_equal(found, ranks)
    assert ast_ad.grad(lambda a: a[bn.nanargmax(a)] ** 2)(A[0])[bn.nanargmax(A[0])] == 2 * np.max(A[0])
