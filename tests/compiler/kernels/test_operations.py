"""Do operations on arrays that kernels know by a definition give what NumPy gives, in kernels only?

Each in a loop, where what stays NumPy code costs most: value and gradient are compared with those of NumPy,
for shapes that are odd (empty, of length 1, views with steps), and for single precision where it is meant.
"""

import numpy as np
import pytest

import ast_ad

from .comparing import compare

rng = np.random.default_rng(17)
X = rng.uniform(0.1, 1.6, 24)
A = rng.normal(size=(6, 5))
C = rng.normal(size=(3, 4, 5))
V = np.array([0.2, 0.5, 0.3])
I = rng.integers(0, 6, 24)
STEPS = rng.normal(size=60)[::3]
TURNED = rng.normal(size=(5, 6)).T
ONE = np.array([0.7])
NONE = np.zeros(0)
TIES = np.array([0.5, 0.1, 0.5, 2.0, 0.1])

# operation, its arguments one after the other: tuples of arrays
OPERATIONS = {
    "np.convolve(y, v)": [(X, V), (ONE, V), (STEPS, STEPS[:7]), (V, X), (NONE, V)],
    "np.convolve(y, v, 'same')": [(X, V), (V[:2], X), (STEPS, V)],
    "np.convolve(y, v, 'valid')": [(X, V), (V, X), (ONE, ONE)],
    "np.correlate(y, v, 'full')": [(X, V), (V, X)],
    "np.correlate(y, v, 'same')": [(X, V), (V[:2], X), (V, X[:6])],
    "np.correlate(y, v)": [(X, V), (V, X)],
    "np.correlate(y, y, 'full')[len(y) - 1 :]": [(X,), (STEPS,), (X.astype("f4"),)],
    "np.histogram(y, bins=8, range=(0.0, 2.0), weights=v)[0]": [(X, X), (STEPS, STEPS), (NONE, NONE)],
    "np.histogram(y, v, weights=y * y)[0]": [
        (X, np.linspace(0.0, 2.0, 9)),
        (X, np.array([0.0, 1.0, 1.0, 2.0])),
    ],
    "np.histogram(y, bins=5, range=(v[0], v[1]))[1]": [(X, V), (X, np.ones(2))],
    "np.bincount(v, weights=y)": [(X, I), (NONE, I[:0]), (ONE, np.array([3]))],
    "np.bincount(v, weights=y, minlength=9)": [(X, I), (X, -I)],
    "np.bincount(v, minlength=2) * np.sum(y)": [(X, I)],
    "np.sin(np.meshgrid(y, v)[0] * np.meshgrid(y, v)[1])": [(X, V), (STEPS, ONE), (ONE, V)],
    "np.sin(np.meshgrid(y, v, indexing='ij')[1] * y[0])": [(X, V)],
    "np.select([y < 0.5, y < 1.0], [y**2, y], default=1.0)": [
        (X,),
        (A,),
        (TURNED,),
        (X.astype("f4"),),
        (NONE,),
    ],
    "np.choose(v % 3, [y, y**2, y**3])": [(X, I)],
    "np.choose(v, [y, y**2, y**3])": [(X, I % 3), (X, I), (X, I - 1)],
    "np.split(y, 3)[0] * np.split(y, 3)[2]": [(X,), (A,), (STEPS[:18],), (X[:7],)],
    "np.split(y, [2, 4])[1] * np.sum(np.split(y, [2, 4])[2])": [(X,), (A,), (X[:3],), (ONE,)],
    "np.split(y, 5, axis=-1)[3]": [(A,), (TURNED.T[:, :5],)],
    "np.array_split(y, 4)[3] * np.sum(np.array_split(y, 4)[0])": [(X[:7],), (A,), (ONE,)],
    "np.hsplit(y, [2])[0]": [(A,), (X,)],
    "np.array([[y[0], 1], [2, v[1]]], dtype=float)": [(X, V), (X.astype("f4"), V)],
    "np.array([y[:3] * 2, v[:3]], dtype=float)": [(X, V), (STEPS, STEPS)],
    "np.abs(np.array([[y[0], 1j * v[1]], [v[0], 2]], dtype=complex)) ** 2": [(X, V)],
    "np.ascontiguousarray(y.T, dtype=float) * 2": [(A,), (TURNED,), (A.astype("f4"),)],
    "np.asarray(y[1:], dtype=float) * np.asarray(y, dtype=np.float64)[:-1]": [(X,), (X.astype("f4"),)],
    "np.array([y[0] * 3, 7.9], dtype=int) * np.sum(y)": [(X,), (STEPS,)],
    "np.tile(y, 3)": [(X,), (A,), (ONE,)],
    "np.tile(y, (2, 3))": [(A,), (X,), (TURNED,)],
    "np.repeat(y, 3)": [(X,), (A,), (STEPS,)],
    "np.repeat(y, 2, axis=1)": [(A,), (C,)],
    "np.kron(y, v)": [(X, V), (A[:2, :2], A[:3])],
    "y.reshape(4, 6).sum(axis=1)": [(X,), (A[:, :4],), (X[:20],)],
    "np.reshape(y, (-1, 3))[1]": [(X,), (A,)],
    "y.ravel() * np.arange(y.size)": [(A,), (C,), (TURNED,)],
    "np.roll(y, 2)": [(A,), (X,)],
    "np.diff(y, n=2, prepend=0.5)": [(X,), (A,), (ONE,)],
    "np.diff(y, append=y[:1], axis=0)": [(X,), (A,)],
    "np.unwrap(3 * y)": [(X,), (STEPS * 2,), (ONE,)],
    "np.lib.stride_tricks.sliding_window_view(y, 3).mean(axis=1)": [(X,), (STEPS,), (X[:3],), (X[:2],)],
    "np.take_along_axis(y, np.argmax(y, axis=1)[:, None], axis=1)": [(A,), (TURNED,)],
    "np.compress(y > 0.5, y)": [(X,), (STEPS,)],
    "y[np.argwhere(y > 0.5)[:, 0]]": [(X,)],
    "np.isin(v, [1, 2]) * y": [(X, I)],
    "y[np.triu_indices(5, 1)]": [(A,)],
    "y[np.tril_indices(5, -1)]": [(A,)],
    "y[np.triu_indices_from(y, -1)]": [(A,), (A.T,)],
    "y[np.diag_indices(4)]": [(A,)],
    "y[np.ix_([0, 2], [1, 3])]": [(A,)],
    "np.delete(y, 2)": [(X,), (ONE,)],
    "np.delete(y, -1)": [(X,)],
    "np.block([[y, y], [y, 2 * y]])": [(A,)],
    "np.block([y, y[:1]])": [(X,)],
    "np.dstack([y, y**2])": [(A,), (X,)],
    "np.atleast_2d(y) * np.atleast_3d(y)": [(X,)],
    "np.rot90(y, 1)": [(A,), (TURNED,)],
    "np.rot90(y, 2) + np.rot90(y, -2)": [(A,)],
    "np.rot90(y, 3)": [(A,)],
    "np.rollaxis(y, 2)": [(C,)],
    "np.moveaxis(y, (0, 1), (2, 0))": [(C,)],
    "np.broadcast_to(y, (3, 5)) * 2.0": [(A[0],), (X[:5],)],
    "np.cov(y)": [(A,), (TURNED,), (X,), (A.astype("f4"),)],
    "np.cov(y, rowvar=False)": [(A,)],
    "np.cov(y, v, ddof=0)": [(X, X**2)],
    "np.corrcoef(y)": [(A,)],
    "np.linalg.norm(y, np.inf)": [(X,), (STEPS,), (NONE,)],
    "np.linalg.norm(y, -np.inf, axis=-1)": [(A,)],
    "np.linalg.norm(y, 3)": [(X,)],
    "np.linalg.norm(y, 'fro')": [(A,)],
    "np.linalg.norm(y, 1, axis=0, keepdims=True)": [(A,), (TURNED,)],
    "np.nanmean(np.where(y > 0.4, y, np.nan))": [(X,), (A,)],
    "np.nanmean(np.where(y > 0.4, y, np.nan), axis=1)": [(A + 1,)],
    "np.nanstd(np.where(y > 0.4, y, np.nan), ddof=1)": [(X,)],
    "np.nanvar(y, axis=0)": [(A,)],
    "np.nanmax(np.where(y > 0.4, y, np.nan)) + np.nanmin(y)": [(X,)],
    "np.sum(y, where=y > 0.5)": [(X,), (A,)],
    "np.max(y, initial=0.5) + np.sum(y, initial=2.0)": [(X,), (NONE,), (A,)],
    "np.max(y, where=y < 0.5, initial=-2.0) * np.sum(y)": [(X,), (A,), (NONE,)],
    "y.min(where=y > 0.5, initial=3.0) + np.prod(y, where=y > 0.4, initial=1.5)": [(X,), (A,)],
    "y.max(axis=1, where=y < 0.5, initial=-2.0)[0] * y": [(A,), (TURNED,)],
    "np.amin(y, axis=0, where=y > 0.5, initial=3.0) * y": [(A,), (TURNED,)],
    "np.sum(np.sum(y)) + np.max(y[0])": [(X,)],
    "np.tensordot(y, v, axes=([0], [0]))": [(A, A), (TURNED, A)],
    "np.tensordot(y, v, 1)": [(A, A.T), (C, A.T)],
    "np.tensordot(y, v, axes=([0, 1], [0, 1]))": [(C, C)],
    "np.tensordot(y, v, axes=([1, 0], [0, 1]))": [(A, A.T[:, :, None] * V)],
    "np.sort(y) * np.arange(y.shape[-1])": [(X,), (A,), (STEPS,), (ONE,), (NONE,), (rng.normal(size=300),)],
    "np.sort(y, axis=0)[1:]": [(A,), (TURNED,)],
    "y[np.argsort(y)][:3]": [(X,), (STEPS,), (X.astype("f4"),), (TIES,)],
    "y[np.argsort(y, kind='stable')] * np.arange(len(y))": [(TIES,), (X,)],
    "y[np.lexsort((y, v))] * np.arange(24)": [(X, I)],
    "np.median(y)": [(X,), (X[:7],), (STEPS,), (ONE,), (np.array([1.0, np.nan]),)],
    "np.median(y, axis=0)": [(A,)],
    "np.quantile(y, 0.3)": [(X,), (ONE,)],
    "np.percentile(y, [10, 50, 90])": [(X,)],
    "np.interp(y, np.linspace(0.5, 1.0, 9), np.linspace(0, 1, 9) ** 2, left=0.0)": [(X,), (A,), (STEPS,)],
    "np.interp(y, np.linspace(0.5, 1.0, 9), np.linspace(0, 1, 9) ** 2, right=0.0)": [(X,)],
    "y * np.searchsorted(np.linspace(0, 2, 9), y)": [(X,), (A,), (TURNED,)],
    "y * np.digitize(y, v).astype(y.dtype)": [(X.astype("f4"), np.linspace(0, 2, 9, dtype="f4"))],
}
CASES = [
    pytest.param(operation, args, id=f"{operation}-{k}")
    for operation, calls in OPERATIONS.items()
    for k, args in enumerate(calls)
]


def made(operation, tmp_path):
    """The operation in a loop, as a function with a source."""
    text = f"""
import numpy as np

def f(x, v=None):
    total = 0.0
    for k in range(2):
        y = x * (1.0 + 0.1 * k)
        r = {operation}
        total += np.sum(r * np.cos(r))
    return total
"""
    path = tmp_path / "operation.py"
    path.write_text(text)
    namespace = {"__name__": "operation"}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["f"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.drawn(of=40)
@pytest.mark.parametrize(("operation", "args"), CASES)
def test_as_numpy(operation, args, tmp_path):
    assert compare(made(operation, tmp_path), args, "evaluated") == ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.drawn(of=150)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_in_kernels(operation, tmp_path):
    f, args = made(operation, tmp_path), OPERATIONS[operation][0]
    derivative = ast_ad.value_and_grad(f, backend="numba", check=False)
    value, bar = derivative(*args)
    expected, plain = ast_ad.value_and_grad(f, backend="numpy", check=False)(*args)
    np.testing.assert_allclose(value, expected, rtol=1e-12 if args[0].dtype == float else 1e-5)
    np.testing.assert_allclose(bar, plain, rtol=1e-9 if args[0].dtype == float else 1e-4, atol=1e-11)
    told = derivative.explain()
    assert "did not hold" not in told and derivative.backend == "numba"
    if args[0].dtype == float:  # `total = 0.0` and then a float32 are of two types
        assert "NumPy code" not in told


def sums_of_sums(x, n):
    total = x
    for _ in range(n):
        total = np.sum(total, axis=0)
    return total * 2.0


@pytest.mark.slow
def test_axes_of_a_number(monkeypatch):
    """A number has the axes 0 and -1, as far as NumPy's sums go."""
    monkeypatch.setattr("ast_ad.calls.code.FAIL_LOUDLY", True)
    for turns in (1, 3):
        derivative = ast_ad.value_and_grad(lambda x, n=turns: sums_of_sums(x, n), backend="numba")
        value, gradient = derivative(X)
        np.testing.assert_allclose(value, 2 * X.sum())
        assert np.all(gradient == 2.0)
