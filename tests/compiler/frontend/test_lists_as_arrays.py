"""Lists of run-time length where NumPy takes an array: each derivative is that of the array they become."""

import numpy as np
import pytest

import ast_ad

X = np.array([1.4, 0.3, 1.9, 0.8, 1.2, 1.6])

NUMBERS = {
    "prod": np.prod,
    "maximum": lambda l: np.sum(np.maximum(l, 1.5)),
    "clip": lambda l: np.sum(np.clip(l, 1.3, 1.7)),
    "power": lambda l: np.sum(np.power(l, 2)),
    "arrays' power": lambda l: np.sum(np.power(2.0, l)),
    "reduce": np.multiply.reduce,
    "accumulate": lambda l: np.sum(np.multiply.accumulate(l)),
    "logaddexp": np.logaddexp.reduce,
    "fft": lambda l: np.sum(np.abs(np.fft.fft(l)) ** 2),
    "pad": lambda l: np.sum(np.pad(l, [1, 2], mode="reflect") ** 2),
    "pad by a list": lambda l: np.sum(np.pad(l, [len(l) for _ in range(2)], mode="edge") ** 2),
    "einsum": lambda l: np.einsum("i,i", l, l),
    "take": lambda l: np.sum(np.take(l, [i for i in range(len(l)) if i != 1]) ** 2),
    "where": lambda l: np.sum(np.where(np.array(l) > 1.5, l, 0.0)),
    "written later": lambda l: np.prod(l) + (l.append(2.0) or np.prod(l)),
}
ROWS = {
    "prod": lambda l: np.sum(np.prod(l, axis=0)),
    "maximum": lambda l: np.sum(np.maximum(l, 1.5)),
    "power": lambda l: np.sum(np.power(l, 2)),
    "reduce": lambda l: np.sum(np.multiply.reduce(l) ** 2),
    "fft": lambda l: np.sum(np.abs(np.fft.fft(l)) ** 2),
    "pad": lambda l: np.sum(np.pad(l, 1, mode="edge") ** 2),
    "einsum": lambda l: np.einsum("ij,ij", l, l),
    "tensordot": lambda l: np.tensordot(l, l, 2),
    "trace": np.trace,
    "diagonal": lambda l: np.sum(np.diag(l) ** 2),
    "taken apart": lambda l: np.sum(np.hstack(l) ** 2) + np.sum(np.stack(l, axis=1)[0]),
}


def numbers(x):
    return [v * x[0] for v in x if v > 1.0]


def arrays(x):
    return [v * x[:3] for v in x if v > 1.0]


def lists(x):
    return [[v, v * v, v * x[1]] for v in x if v > 1.0]


def differences(f, x):
    steps = 1e-5 * np.eye(len(x))
    return np.array([(f(x + step) - f(x - step)) / 2e-5 for step in steps])


CASES = {
    **{name: (numbers, f) for name, f in NUMBERS.items()},
    **{f"arrays-{name}": (arrays, f) for name, f in ROWS.items()},
    **{f"lists-{name}": (lists, f) for name, f in ROWS.items()},
}
IN_KERNELS = "prod", "power", "pad by a list", "written later", "arrays-reduce", "lists-maximum"


@pytest.mark.drawn(of=16)
@pytest.mark.slow(beyond=3)
@pytest.mark.parametrize("name, backend", [(n, "numpy") for n in CASES] + [(n, "numba") for n in IN_KERNELS])
def test_gradient(name, backend):
    make, function = CASES[name]

    def f(x):
        return function(make(x))

    found = ast_ad.grad(f, fallback="error", backend=backend)(X)
    assert np.allclose(found, differences(f, X), rtol=1e-6, atol=1e-7)


@pytest.mark.slow
def test_traced():
    def f(x, name):
        eval(name)
        rows = lists(x)
        return np.einsum("ij,ij", rows, rows) + np.einsum(numbers(x), [0], numbers(x), [0], [])

    with pytest.warns(ast_ad.FallbackWarning):
        found = ast_ad.grad(f)(X, "0")
    assert np.allclose(found, differences(lambda x: f(x, "0"), X), rtol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_of_nothing(backend):
    def f(x):
        kept = [v for v in x if v > 5.0]
        return np.prod(kept) * x[0] + np.sum(np.maximum(kept, 1.0))

    assert np.array_equal(ast_ad.grad(f, fallback="error", backend=backend)(X), [1, 0, 0, 0, 0, 0])


def test_integers_are_integers():
    def f(x):
        counts = [int(3 * v) for v in x if v > 1.0]
        return x[0] * np.power(2, counts)[-1] * np.prod(counts) + np.sum(np.full(len(counts), x[1]))

    derivative = ast_ad.value_and_grad(f, fallback="error")
    value, gradient = derivative(X)
    assert value == f(X)
    assert np.allclose(gradient, differences(f, X), rtol=1e-6)


@pytest.mark.slow
def test_rows_of_different_lengths():
    def f(x):
        return np.sum(np.power([[v] * (2 if v > 1.5 else 3) for v in x], 2))

    with pytest.raises(ValueError, match="inhomogeneous"):
        ast_ad.grad(f)(X)
