"""Do complex functions in kernels have NumPy's values, at edges too, and do programs of them stay kernels?"""

import cmath
import itertools

import numpy as np
import pytest

import ast_ad

pytest.importorskip("numba")
from ast_ad.compiler.kernels.numbers import complex_math

RNG = np.random.default_rng(12)
UNARY = ["exp", "expm1", "log", "log10", "sinh", "cosh", "tanh", "sin", "cos", "tan", "reciprocal"]
ANYWHERE = RNG.normal(size=400) + 1j * RNG.normal(size=400)
NEAR_ONE = [1 + 1e-7 * z for z in ANYWHERE[:100]] + [np.exp(1j * a) * (1 + 1e-9 * a) for a in range(40)]
FAR = np.exp(3 * RNG.normal(size=400)) * np.exp(1j * RNG.uniform(-np.pi, np.pi, 400))
EDGES = [complex(a, b) for a, b in itertools.product([0.0, -0.0, 2.0, -2.0, 300.0, -300.0, 1e-300], repeat=2)]
POINTS = np.array([*ANYWHERE, *NEAR_ONE, *FAR, *EDGES])


@pytest.mark.parametrize("name", UNARY)
def test_values(name):
    function = getattr(complex_math, f"{name}_complex")
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(POINTS)
        found = np.array([function(z) for z in POINTS])
    finite = np.isfinite(expected)
    np.testing.assert_allclose(found[finite], expected[finite], rtol=2e-15)
    assert not np.isfinite(found[~finite]).any()


@pytest.mark.parametrize("name", ["log", "sinh", "tanh", "sin", "tan"])
def test_sides_of_cuts_and_signs_of_zeros(name):
    function = getattr(complex_math, f"{name}_complex")
    points = [complex(a, b) for a, b in itertools.product([0.0, -0.0, 1.5, -1.5], repeat=2)]
    with np.errstate(all="ignore"):
        for z in points:
            expected, found = getattr(np, name)(z), function(z)
            assert np.signbit(found.imag) == np.signbit(expected.imag), z
            assert np.signbit(found.real) == np.signbit(expected.real), z


def test_directions_of_infinities():
    for z in itertools.starmap(complex, itertools.product([0.0, -2.0, np.inf, -np.inf], repeat=2)):
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(complex_math.sign_complex(z), np.sign(z))


def test_powers():
    bases = [0, 1, -1, 2, 0.5, 1j, 1 + 1j, -2.5 + 1j, 1e-5, *ANYWHERE[:40]]
    exponents = [0, 1, -1, 2, 3, -5, 99, 0.5, -0.3, 1j, 1 - 2j, *ANYWHERE[40:60]]
    for x, y in itertools.product(map(complex, bases), map(complex, exponents)):
        with np.errstate(all="ignore"):
            expected = np.power(x, y)
        found = complex_math.power_complex(x, y)
        if np.isfinite(expected):
            assert abs(found - expected) <= 1e-13 * abs(expected), (x, y)
        else:
            assert not np.isfinite(found), (x, y)


def circuits(x, a):
    total = 0.0
    for i in range(len(x)):
        z = a * x[i] + 0.3j
        w = np.sqrt(z) + np.log(z) * x[i] + np.sinh(z) / np.cosh(z) + np.reciprocal(z) + np.expm1(z)
        total += np.abs(w) ** 2 + np.angle(w)
    return total


def waves(x, a):
    total = 0.0
    for i in range(len(x)):
        z = complex(x[i], a) + 0.4
        w = np.sin(z) + np.cos(2 * z) - np.tan(z) + np.tanh(1j * z) + np.log10(z) + np.arctan(0.1 * z)
        total += w.real * w.imag if np.isfinite(w) else 0.0
    return total


def powers(x, a):
    total = 0.0
    for i in range(len(x)):
        z = a * x[i] + 0.3j
        w = z**3 + z**1.5 - z**-2 + z ** (0.3 + 1j) + 2.0**z + np.power(z, 2.5) + z**0.5 + z**a
        total += np.abs(w)
    return total


def films(n, d):
    """The reflection of layers: products of matrices that are real on the diagonal, imaginary beside it."""
    total = 0.0
    for wave in np.linspace(400.0, 700.0, 5):
        m = np.eye(2, dtype=complex)
        for j in range(3):
            delta = 600 * n[j] * d[j] / wave
            off = 1j * np.sin(delta)
            m = m @ np.array([[np.cos(delta), off / n[j]], [n[j] * off, np.cos(delta)]])
        b, c = m[0, 0] + m[0, 1] * 1.5, m[1, 0] + m[1, 1] * 1.5
        total += np.abs((b - c) / (b + c)) ** 2
    return total


def phasors(x, a):
    total = 0.0
    for i in range(len(x)):
        z = complex(a * x[i], 0.3)
        w = cmath.exp(z) + cmath.sqrt(z) * cmath.log(z) + cmath.sin(z) - cmath.cos(z) + cmath.tan(z)
        w += cmath.log10(z) + cmath.sinh(z) * cmath.cosh(z) / cmath.tanh(z) + cmath.rect(x[i], a)
        total += abs(w) + cmath.phase(w)
    return total


X = np.array([0.8, -1.1, 0.3])


@pytest.mark.drawn(of=6)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "args"),
    [
        (circuits, (X, 1.3)),
        (waves, (X, 1.3)),
        (powers, (X, 1.3)),
        (phasors, (X, 1.3)),
        (films, (np.array([1.4, 2.1, 1.7]), np.abs(X))),
    ],
)
def test_programs_are_kernels(function, args):
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba", fallback="error")
    value, bars = derivative(*args)
    assert value == pytest.approx(function(*args), rel=1e-13)
    assert "NumPy code at line" not in str(derivative.explain())
    plain = ast_ad.grad(function, argnums=(0, 1), backend="numpy")(*args)
    for bar, other in zip(bars, plain, strict=True):
        np.testing.assert_allclose(bar, other, rtol=1e-11, atol=1e-13)
    ast_ad.check_grads(function, args, order=1, modes=("rev",))


def logarithms(x, y):
    z = complex(x, y)
    return abs(cmath.log(z) + cmath.exp(z)) + cmath.tanh(z).real


@pytest.mark.slow
def test_errors_and_infinities_are_pythons():
    derivative = ast_ad.value_and_grad(logarithms, argnums=(0, 1), backend="numba", fallback="error")
    plain = ast_ad.value_and_grad(logarithms, argnums=(0, 1), backend="numpy", fallback="error")
    np.testing.assert_allclose(np.hstack(derivative(0.5, -1.5)), np.hstack(plain(0.5, -1.5)), rtol=1e-13)
    for x, y, error in ((0.0, 0.0, ValueError), (1000.0, 1.0, OverflowError), (0.0, np.inf, ValueError)):
        with pytest.raises(error) as told:
            logarithms(x, y)
        with pytest.raises(error, match=str(told.value)):
            derivative(x, y)
    assert derivative(-np.inf, 0.0)[0] == logarithms(-np.inf, 0.0) == np.inf
