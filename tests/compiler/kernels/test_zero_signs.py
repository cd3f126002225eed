"""Are signs of zeros free only where nothing sees them, and zeros, infinities and NaN NumPy's everywhere?"""

import inspect
import math
import re

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba", reason="the optional backend is not installed")


def rotation(x, y, a, b, steps):
    """Two states that multiply each other: nothing divides."""
    total = 0.0
    for _ in range(steps):
        u = a * x - b * x * y
        v = b * x * y - a * y
        x = x + 0.01 * u
        y = y + 0.01 * v
        total = total + x * y
    return total


def smoothed(x, w):
    t = x.copy()
    for _ in range(3):
        t[1:-1] = w * (t[:-2] - t[2:]) - w * t[1:-1]
    return np.sum(t * t)


def gates(x, w):
    """Divisors that are sums with a sign that nobody can see."""
    s = 1.0 / (1.0 + np.exp(-x * w))
    return np.sum(s * np.tanh(w * x))


def over_product(x, w):
    total = 0.0
    for i in range(len(x)):
        total = total + 1.0 / (x[i] * w)
    return total


def over_difference(x, w):
    return np.sum(np.divide(w, (0.0 - x) * 1.0))


def over_stored(x, w):
    """The divisor was stored by an earlier loop, as a sum of what loops carry."""
    t = np.zeros(len(x))
    last = -0.0
    for i in range(len(x)):
        last = x[i] * w + last
        t[i] = last * w
    total = 0.0
    for i in range(len(x)):
        total = total + np.divide(1.0, t[i])
    return total


def over_choice(x, w):
    total = 0.0
    for i in range(len(x)):
        d = x[i] * w if x[i] < 1.0 else 2.0 * w
        total = total + np.divide(w, d)
    return total


def over_added(x, w):
    t = np.zeros(len(x)) - 0.0
    for i in range(len(x)):
        t[i] += x[i] * w
        t[i] += x[i] * w
    return np.sum(1.0 / t)


def of_odd(x, w):
    """The sine of a zero has its sign."""
    return np.sum(1.0 / np.sin(x * w))


def by_root(x, w):
    return np.sum((x * w) / np.sqrt(x * w))


def by_norm(x, w):
    total = 0.0
    for i in range(len(x)):
        r2 = x[i] * x[i] + w * w * x[i] * x[i]
        r = np.sqrt(r2)
        total = total + (x[i] / r * x[i] + w * x[i] / r * (w * x[i]))
    return total


def angles(x, w):
    return np.sum(np.arctan2(x * w, -1.0 + 0.0 * x))


def signs(x, w):
    return np.sum(np.copysign(x * x + 1.0, x * w))


FREE = [rotation, smoothed, gates]
SEEN = [over_product, over_difference, over_stored, over_choice, over_added, of_odd]
ROOTS = [by_root, by_norm, angles, signs]
ZEROS = [
    np.array([1.0, 0.0, 3.0]),
    np.array([1.0, -0.0, 3.0]),
    np.array([-0.0, 2.0, 0.0]),
    np.array([0.5, 2.0, 4.0]),
]


def given(function, x, w):
    return (0.7, 0.4, w, 0.3, 20) if function is rotation else (x, w)


def kernels(function):
    count = 4 if function is rotation else 2
    return ast_ad.value_and_grad(function, argnums=tuple(range(count)), backend="numba", fallback="error")


def flat(results):
    return np.concatenate([np.ravel(r) for r in (results[0], *results[1])])


@pytest.mark.drawn(of=3)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("function", FREE + SEEN + ROOTS, ids=lambda f: f.__name__)
def test_kernels_have_numpy_s_infinities_and_nans(function):
    found = kernels(function)
    plain = ast_ad.value_and_grad(function, argnums=found.arguments.argnums, backend="numpy")
    for x in ZEROS:
        for w in (1.5, -1.5):
            args = given(function, x, w)
            one, other = flat(found(*args)), flat(plain(*args))
            value = function(*args)
            assert np.array_equal(np.isnan(one[:1]), np.isnan([value]))
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)
            np.testing.assert_allclose(one[0], value, rtol=1e-11)


def ran(function):
    found = kernels(function)
    x = np.array([0.5, 2.0, 4.0, 0.25])
    found(*given(function, x, 1.5))
    assert found.backend == "numba"
    return found.source


@pytest.mark.parametrize("function", FREE, ids=lambda f: f.__name__)
def test_signs_are_free_where_nothing_sees_them(function):
    text = ran(function)
    assert "signless_kernel" in text


@pytest.mark.parametrize("function", SEEN, ids=lambda f: f.__name__)
def test_what_leads_to_a_divisor_keeps_its_sign(function):
    text = ran(function)
    assert "signless_kernel" not in text or re.search(r"(add|sub|mul)_signed", text)


@pytest.mark.parametrize("function", ROOTS, ids=lambda f: f.__name__)
def test_roots_and_what_sees_signs_leave_none_free(function):
    assert "signless_kernel" not in ran(function)


def test_values_and_slopes_by_differences():
    for function in FREE:
        args = given(function, np.array([0.5, 2.0, 4.0, 0.25]), 1.5)
        _, slopes = kernels(function)(*args)
        for k, slope in enumerate(slopes):
            for place in np.ndindex(np.shape(args[k])):
                moved = []
                for h in (1e-6, -1e-6):
                    new = np.array(args[k], dtype=float)
                    new[place] += h
                    other = list(args)
                    other[k] = new if new.ndim else float(new)
                    moved.append(function(*other))
                assert math.isclose(
                    (moved[0] - moved[1]) / 2e-6, np.asarray(slope)[place], rel_tol=1e-5, abs_tol=1e-7
                )


def test_quotients_have_no_such_flag():
    """Numba gives a kernel's flags to all instructions that have none."""
    from ast_ad.compiler.kernels.numbers.signed_zeros import lean_signless_kernel

    @lean_signless_kernel
    def quotient(x, y):
        return (x + y) / (x - y)

    assert quotient(1.0, 3.0) == -2.0
    (text,) = quotient.inspect_llvm().values()
    assert "nsz" in next(line for line in text.splitlines() if " fadd " in line)
    assert not any("nsz" in line for line in text.splitlines() if " fdiv " in line)


def test_a_second_reader_of_results_sees_signs():
    """What NumPy does with a kernel's results may hang on signs: they are not free there."""

    def f(x, a):
        t = np.zeros(len(x))
        for i in range(len(x)):
            t[i] = x[i] * a - a * x[i] * a
        return np.sum(np.sort(1.0 / np.linalg.solve(np.diag(x + 1.0), t)))

    found = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numba", fallback="error")
    x = np.array([0.5, 2.0, 4.0])
    expected = ast_ad.value_and_grad(f, argnums=(0, 1), backend="numpy")(x, 3.0)
    np.testing.assert_allclose(flat(found(x, 3.0)), flat(expected), rtol=1e-10)
    assert "signless" not in inspect.cleandoc(found.source)
