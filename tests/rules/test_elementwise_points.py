"""Are elementwise derivatives right at 0, at the ends of domains, near them, and far out?

Compiled, traced and, for what they have, kernels give one number; it lies between the differences from the
left and from the right where these converge. NaN is allowed where ``UNKNOWN`` says so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.special as sp

import ast_ad
from ast_ad.rule.points import POINTS, judged
from ast_ad.rules.partials import polygamma
from ast_ad.rules.registry import primitives
from ast_ad.tracing.recorder import trace

OTHERS = (0.5, 2.0, 0.0)
# Conversions, steps, remainders by tiny numbers, what takes other arguments, and what gives complex numbers;
# ``tandg`` and ``cotdg`` of infinity are 0.
LEFT_OUT = "remainder fmod nextafter ldexp heaviside copysign lambertw wofz betainc tandg cotdg".split()
LEFT_OUT += "hankel1 hankel2 hankel1e hankel2e".split()
# By function and position: the derivative exists, and nan is given, as at poles of what the rules use.
UNKNOWN = {
    ("arctan2", 0): "both 0 (a convention), both infinite",
    ("arctan2", 1): "both 0, both infinite",
    ("beta", 0): "negative integers",
    ("beta", 1): "negative integers",
    ("betaln", 0): "negative integers",
    ("betaln", 1): "negative integers",
    ("binom", 0): "poles of digamma",
    ("binom", 1): "poles of digamma",
    ("poch", 0): "poles of digamma",
    ("poch", 1): "poles of digamma",
    ("rgamma", 0): "poles of digamma",
    ("inv_boxcox", 0): "1 + lmbda y = 0",
    ("chndtr", 0): "infinity, or no degrees of freedom",
    ("chndtr", 2): "infinity",
    ("gammainc", 1): "infinity",
    ("gammaincc", 1): "infinity",
    ("pdtr", 1): "infinity",
    ("pdtrc", 1): "infinity",
    ("dawsn", 0): "infinity",
    ("erfcx", 0): "infinity",
    ("elliprd", 0): "two equal",
    ("elliprd", 1): "two equal",
    ("elliprd", 2): "two equal, infinity",
    ("ellipk", 0): "infinity",
    ("ellipkm1", 0): "infinity",
    ("ellipkinc", 1): "infinity",
    ("voigt_profile", 0): "infinity",
    ("voigt_profile", 1): "infinity",
    ("voigt_profile", 2): "infinity",
    ("boxcox", 0): "infinity",
    ("boxcox", 1): "infinity",
    ("boxcox1p", 1): "infinity",
    ("pseudo_huber", 0): "delta = 0",
    ("pseudo_huber", 1): "delta = 0",
    ("rel_entr", 1): "both 0",
    ("kl_div", 1): "both 0",
    ("power", 1): "infinite exponents of negative numbers",
    ("float_power", 1): "infinite exponents of negative numbers",
}


# SciPy's own values are too inexact for differences, or the function jumps.
INEXACT = {("binom", 0, 0.5), ("poch", 0, 0.0), ("powm1", 1, 0.5)}  # powm1: 0 where a power overflows


def functions() -> dict[str, Callable[..., Any]]:
    found: dict[str, Callable[..., Any]] = {}
    seen = set()
    for fn, primitive in primitives().items():
        module = getattr(fn, "__module__", None) or "scipy.special"
        known = isinstance(fn, np.ufunc) and primitive.kind == "elementwise" and id(primitive) not in seen
        if known and module.startswith(("numpy", "scipy")) and fn.__name__ not in LEFT_OUT:
            seen.add(id(primitive))
            found.setdefault(fn.__name__, fn)
    return found


def partial(fn: Any, position: int, others: tuple[float, ...]) -> Callable[[Any], Any]:
    def one(x: Any) -> Any:
        return fn(*others[:position], x, *others[position:])

    return one


def cases() -> list[Any]:
    found = []
    for name, fn in functions().items():
        for position in range(fn.nin):
            for other in OTHERS if fn.nin > 1 else OTHERS[:1]:
                if (fn.__name__, position, other) in INEXACT:
                    continue
                rest = (np.float64(other),) * (fn.nin - 1)
                found.append(pytest.param(fn, position, rest, id=f"{name}-{position}-{other}"))
    return found


@pytest.mark.drawn(of=9)
@pytest.mark.parametrize(("fn", "position", "others"), cases())
def test_points(fn, position, others):
    f = partial(fn, position, others)

    def loss(x):
        return np.sum(f(x))

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            values = f(POINTS)
        except OverflowError as error:  # as some of SciPy's functions do at ends of their domains
            with pytest.raises(OverflowError, match=re.escape(str(error))):
                ast_ad.grad(loss, backend="numpy", fallback="error", check=False)(POINTS)
            return
        try:
            compiled = ast_ad.grad(loss, backend="numpy", fallback="error", check=False)(POINTS)
        except ast_ad.AdError as error:
            assert "no derivative rule" in str(error)  # by the order of Bessel functions
            return
        traced = trace(loss, (POINTS,), {}, (0,))[1]([1.0])[0]
        np.testing.assert_allclose(traced, compiled, rtol=1e-13)
        unknown = (fn.__name__, position) in UNKNOWN
        told = [at for at in zip(POINTS, values, compiled, strict=True) if not (unknown and np.isnan(at[2]))]
        wrong = [judged(f, *at) for at in told]
    assert not any(wrong), [text for text in wrong if text]


KERNELS = (
    np.exp,
    np.log,
    np.sqrt,
    np.tanh,
    np.arcsin,
    np.arctan,
    np.cbrt,
    np.expm1,
    np.log1p,
    np.abs,
    np.cosh,
)


def of_every_kernel(e, l, s, t, a, b, c, d, p, m, h):
    total = np.sum(np.exp(e)) + np.sum(np.log(l)) + np.sum(np.sqrt(s)) + np.sum(np.tanh(t))
    total = total + np.sum(np.arcsin(a)) + np.sum(np.arctan(b)) + np.sum(np.cbrt(c)) + np.sum(np.expm1(d))
    return total + np.sum(np.log1p(p)) + np.sum(np.abs(m)) + np.sum(np.cosh(h))


def test_points_in_kernels():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        args = [POINTS] * len(KERNELS)
        every = tuple(range(len(args)))
        expected = ast_ad.grad(of_every_kernel, argnums=every, backend="numpy")(*args)
        found = ast_ad.grad(of_every_kernel, argnums=every, backend="numba")(*args)
    for fn, one, other in zip(KERNELS, found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, err_msg=fn.__name__)


@pytest.mark.parametrize("lmbda", [0.0, 1e-300, 1e-9, -1e-9, 1e-4, 0.3, -0.3, 0.6])
def test_powers_close_to_zero(lmbda):
    """Against differences of a wide step, which the cancellation near 0 does not reach."""
    for fn, x in ((sp.boxcox, 2.3), (sp.boxcox, 0.4), (sp.boxcox1p, 1.3), (sp.inv_boxcox, 0.8)):
        h = 0.02
        ends = [fn(x, lmbda + k * h) for k in (1, -1, 2, -2, 3, -3)]
        expected = (45 * (ends[0] - ends[1]) - 9 * (ends[2] - ends[3]) + (ends[4] - ends[5])) / (60 * h)
        found = ast_ad.grad(lambda x, l, fn=fn: fn(x, l), argnums=1)(x, lmbda)
        np.testing.assert_allclose(found, expected, rtol=1e-7)


@pytest.mark.parametrize("fn", [sp.yn, sp.kn], ids=["yn", "kn"])
def test_orders_that_are_cut_off(fn):
    """SciPy takes the integer part of the order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for order in (0.5, 1.7, 2):
            expected = (fn(order, 1.3 + 1e-5) - fn(order, 1.3 - 1e-5)) / 2e-5
            found = ast_ad.grad(lambda x, order=order: fn(order, x))(1.3)
            np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("n", range(5))
def test_the_series_of_polygamma_is_exact_where_it_is_cut_off(n):
    """Nearer to 0 each of its terms would show, but there it is the recurrence that is used."""
    x = np.linspace(20.0 + n, 22.0 + n, 9)
    np.testing.assert_allclose(polygamma(n, x), sp.polygamma(n, x) if n else sp.psi(x), rtol=4e-15)
