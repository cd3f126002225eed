"""Is a function refused whose global variables have changed since Numba compiled it?"""

import numpy as np
import pytest

import ast_ad
from ast_ad.errors import UnsupportedError
from ast_ad.rules.of_numba import changed_since

numba = pytest.importorskip("numba")
pytestmark = [
    pytest.mark.filterwarnings("ignore::ast_ad.FallbackWarning"),
    pytest.mark.filterwarnings("ignore::numba.core.errors.NumbaWarning"),
]
X = np.array([0.3, 0.7, 1.1])
FACTOR, PAIR, WEIGHTS, TURNS = 2.0, (1.0, 2.0), np.array([1.0, 2.0, 3.0]), 2
VALUES = {"FACTOR": 3.0, "PAIR": (1.0, 5.0), "WEIGHTS": np.array([1.0, 2.0, 4.0]), "TURNS": 3}


def numbers(x):
    return np.sum(x**2) * FACTOR


def pairs(x):
    return np.sum(x**2) * PAIR[1]


def arrays(x):
    return np.sum(x**2 * WEIGHTS)


def turns(x):
    s = 0.0
    for i in range(TURNS):
        s += x[i] ** 2
    return s


def called(x):
    return COMPILED["numbers"](x) + np.sum(x)


def element(x):
    return x * x * FACTOR


def elements(x):
    return np.sum(COMPILED["element"](x))


def in_a_trace(x):
    eval("0")
    return called(x) + elements(x)


COMPILED = {}
NAMES = {numbers: "FACTOR", pairs: "PAIR", arrays: "WEIGHTS", turns: "TURNS"}
PYTHON = {called: "FACTOR", elements: "FACTOR", in_a_trace: "FACTOR"}


@pytest.fixture
def compiled():
    """The functions as Numba compiles them, anew."""
    COMPILED.update({f.__name__: numba.njit(f) for f in NAMES})
    COMPILED["element"] = numba.vectorize(element)
    return lambda f: COMPILED.get(f.__name__, f)


@pytest.mark.drawn(of=14)
@pytest.mark.parametrize("f", [*NAMES, *PYTHON], ids=lambda f: f.__name__)
@pytest.mark.parametrize("check", [True, False])
def test_changed_since(f, check, compiled, monkeypatch):
    """A gradient that was taken before is no way around."""
    function, name = compiled(f), (NAMES | PYTHON)[f]
    before = ast_ad.value_and_grad(function, check=check)
    assert before(X)[0] == pytest.approx(function(X), rel=1e-14)
    monkeypatch.setitem(globals(), name, VALUES[name])
    with pytest.raises(UnsupportedError, match=f"compiled by Numba when `{name}` had another value"):
        ast_ad.value_and_grad(function, check=check)(X)
    with pytest.raises(UnsupportedError, match="had another value"):
        before(X)
    monkeypatch.undo()
    assert before(X)[0] == pytest.approx(function(X), rel=1e-14)


@pytest.mark.parametrize("f", NAMES, ids=lambda f: f.__name__)
def test_not_yet_compiled(f, compiled, monkeypatch):
    function, name = compiled(f), NAMES[f]
    gradient = ast_ad.grad(function, check=False)
    gradient(X)
    monkeypatch.setitem(globals(), name, VALUES[name])
    found = gradient(X)
    differences = [(f(X + e) - f(X - e)) / 2e-6 for e in np.eye(3) * 1e-6]
    np.testing.assert_allclose(found, differences, rtol=1e-6)


def test_a_cell(compiled):
    def made():
        factor = 2.0

        @numba.njit
        def f(x):
            return np.sum(x**2) * factor

        def change(value):
            nonlocal factor
            factor = value

        return f, change

    f, change = made()
    value, gradient = ast_ad.value_and_grad(f)(X)
    assert value == f(X)
    change(3.0)
    with pytest.raises(UnsupportedError, match="when `factor` had another value"):
        ast_ad.grad(f)(X)
    change(2.0)
    np.testing.assert_array_equal(ast_ad.grad(f)(X), gradient)


def test_constants_of_functions_that_numba_inlines():
    space = {"np": np}
    exec("FACTOR, SHIFT = 7.0, 2.0\ndef shifted(x):\n    return x * SHIFT", space)
    shifted = numba.njit(inline="always")(space["shifted"])

    @numba.njit
    def f(x):
        factor = 3.0

        def inner(y):
            return y * factor

        return np.sum(inner(x) ** 2) + sum([v * factor for v in x]) + np.sum(shifted(x))

    assert np.isfinite(f(X))
    assert changed_since(f) is None


@numba.njit(parallel=True)
def in_parallel(x, y):
    lengths = np.zeros(x.shape[0])
    rows = np.zeros((x.shape[0], 2))
    for i in numba.prange(x.shape[0]):
        lengths[i] = FACTOR * np.sqrt(x[i] ** 2 + y[i] ** 2)
        rows[i, :] = np.array([x[i] * y[i], np.sin(x[i])])
    return lengths, rows


def test_loops_in_parallel():
    """Statements that Numba makes of them refuse to be asked for what they lack."""

    def f(x):
        lengths, rows = in_parallel(x, x**2)
        return np.sum(lengths) + np.sum(rows)

    f(X)  # it has been compiled
    ast_ad.check_grads(f, (X,), order=1)
    assert changed_since(in_parallel) is None
