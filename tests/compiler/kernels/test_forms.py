"""Do kernels have these operations, all of them, with NumPy's values and gradients?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba")

from .comparing import compare
from .running import Record

RNG = np.random.default_rng(3)
X = RNG.standard_normal((9, 10))
V = RNG.standard_normal(20)
W = RNG.random(20) + 0.5


def reversed_rows(x):
    return np.sum(np.flip(x, 0) * x) + np.sum(np.flip(x) * x) + np.sum(x[:, ::-1] * np.fliplr(x))


def deviations(x):
    return np.sum(np.std(x, axis=0) * np.var(x, axis=-1, keepdims=True)) + x.std() * np.var(x, ddof=1)


def clipped(x):
    return np.sum(np.clip(x, -0.5, 0.7) ** 2) + np.sum(x.clip(min=0.1) * x)


def differences(v):
    return np.sum(np.diff(v) ** 2) + np.sum(np.diff(v, 2) * v[1:-1])


def rolled(x):
    return np.sum(np.roll(x, 1, axis=0) * x * np.roll(x, -2, axis=1))


def with_margins(x):
    total = np.sum(np.pad(x, 1) ** 3) + np.sum(np.pad(x, ((1, 0), (0, 2)), constant_values=2.0) ** 2)
    for mode in "edge", "wrap", "reflect", "symmetric":
        weights = np.arange(1.0, x.shape[1] + 4.0)
        total += np.sum(np.pad(x, ((2, 0), (1, 2)), mode) ** 2 * weights)
        total += np.sum(np.pad(x, 1, mode=mode)[:, ::2] ** 3)
    return total


def on_diagonals(v):
    m = v[:-1]
    a = np.diag(v) + np.diag(m**2, 1) + np.diag(m, -1)
    wide = np.outer(m, v)
    total = np.sum(np.diag(a, 1) * m) + np.sum(np.diagonal(a) ** 3) + np.trace(a * a) + np.sum(np.diag(a, 30))
    return total + np.sum(np.diagonal(wide, 2) ** 2) + np.sum(np.diag(wide, k=-3) ** 3) + np.trace(a, 1)


def of_complex_numbers(v):
    z = np.cumsum(np.exp(1j * v) * v)
    turned = np.conj(z) * z[::-1]
    return np.abs(np.mean(z)) + np.sum(np.abs(z)) + np.sum(np.real(turned) * np.imag(turned) * z.real)


def between_nodes(v):
    nodes, values = np.cumsum(np.abs(v)), v**2
    x = np.concatenate([np.linspace(-1.0, 30.0, 41), nodes[:3], nodes[-1:]])
    total = np.sum(np.interp(x, nodes, values) ** 2) + np.sum(np.interp(x * v[0], nodes, values, v[1], 0.5))
    places = np.searchsorted(nodes, x) * np.searchsorted(nodes, x, side="right")
    for i in range(3, 7):
        total += np.interp(v[i], nodes, values) * i + np.searchsorted(nodes, v[i] * 9.0)
    return total + np.sum(places * x) * v[3]


def ranges_of_floats(v):
    n = v.shape[0]
    total = np.sum(v * np.arange(1.0, n + 1.0)) + np.sum(v**2 * np.arange(n, dtype=float))
    for k in range(-3, 8):  # numbers of steps that rounding decides
        part = np.arange(0.1, 0.1 * k, 0.1)
        total += np.sum(part**2) * v[k] + part.shape[0] * v[0]
        total += np.sum(np.arange(v[k], 0.3, 0.17) ** 2)
    return total


def rolled_line(v):
    return np.sum(np.roll(v, 1) * v**2 * np.roll(v, -2)) + np.sum(np.roll(v, len(v)) * v)


def rolled_along_two(x):
    return np.sum(np.roll(x, (1, -1), (0, 1)) * x**2)


def rolled_by_turns(v):
    total = 0.0
    for i in range(-2, 3):
        total += np.sum(np.roll(v, i) * v**2) * i
    return total


def joined(v):
    a = np.hstack((v[3:], v[:3])) * v
    b = np.vstack((v, a)) + np.stack((a, v))
    c = np.column_stack((v, a))
    return np.sum(b**2) + np.sum(c[:, 0] * c[:, 1] ** 2) + np.sum(np.append(v, a) ** 3)


def padded(v):
    p = np.concatenate([[0.0], v, [v[0] * 2, 1.0]])
    return np.sum(np.diff(p) ** 2)


def chosen(v):
    m = v > 0.1
    return np.sum(v[m] ** 2) + v[m].mean() + np.sum(np.sin(v[m]) * v[m])


def chosen_and_kept(v):
    picked = v[np.abs(v) < 1]
    return np.sum(picked[1:] * picked[:-1])


def put_by_mask(v):
    a = v * 2
    a[a > 0.5] = 0.5
    b = np.zeros_like(v)
    b[v < 0] += 1.5
    b[v > 1] = v[v > 1] ** 2
    a[v < -1] *= 3.0
    return np.sum(a * b) + np.sum(a**2)


def columns(x):
    y = x @ x[:1].T
    z = x[:, :1].T @ x
    return np.sum(y**2) + np.sum(z**3) + np.sum((x.T @ y) ** 2)


def powers(w):
    return np.sum(w**-1.5 + w**0.5 - w**-0.5 + w**2.5 + 1 / w**3 + w**-1 + w**-2.0 + w**-3)


def powers_of_numbers(w):
    s = 0.0
    for i in range(len(w)):
        s += w[i] ** -1.5 + w[i] ** 1.5 * w[i] ** -2
    return s


def extrema(x):
    i = np.argmax(x[:, 3])
    p = np.argmin(x, axis=0)
    q = np.argmax(x, axis=1)
    return x[i, 0] ** 2 + np.sum(x[p, np.arange(10)] ** 2) + np.sum(q * x[:, 1]) + x[0, x[0].argmin()]


def gathered(x):
    rows = np.array([2, 0, 2, 5])
    a = x[rows, 1:4] * 2
    b = x[rows[:, None], np.arange(3)]
    c = x[1, rows] * x[rows, 0]
    d = np.zeros((9, 10))
    np.add.at(d, (rows, 3), x[0, rows])
    return np.sum(a * b) + np.sum(c**2) + np.sum(x[-1][rows]) + np.sum(d * x)


def ones_and_zeros(x):
    n, m = x.shape
    a = np.eye(n, m) * x + np.eye(n, m, 1) * x**2 + np.tri(n, m, -1) * x
    return np.sum(a) + np.sum(np.identity(m) @ x[0])


def converted(v):
    i = np.floor(v * 2).astype(int)
    grid = np.zeros(12)
    np.add.at(grid, i + 5, v)
    return (
        np.sum(grid**2) + np.sum(v.astype(np.float32).astype(float) * v) + np.sum((v > 0).astype(float) * v)
    )


def in_batches(v):
    size = len(v) // 3
    total = 0.0
    for i in range(0, len(v), size):
        part = v[i : i + size]
        total = total * 0.5 + np.sum(part**2)
    return total


def running_sums(x):
    a = np.cumsum(x[0]) * (np.arange(10) + 1)
    b = np.cumsum(x, axis=0) * x + np.cumsum(x, axis=1) ** 2
    return np.sum(a**2) + np.sum(b) + np.sum(np.cumsum(x[:, 0][::-1]) ** 2)


def norms(x):
    return np.linalg.norm(x) * np.sum(np.linalg.norm(x, axis=1) ** 3) + np.linalg.norm(x[0], 1)


def small_systems(x):
    p = np.eye(3)
    y = np.zeros(3)
    total = 0.0
    for i in range(4):
        s = p + x[i : i + 3, :3] @ x[i : i + 3, :3].T
        y = np.linalg.solve(s, y + x[i, 3:6])
        total += np.log(np.linalg.det(s)) + y @ np.linalg.inv(s) @ y
        p = np.linalg.cholesky(s)
    return total + np.sum(p)


def counts(x):
    total = np.count_nonzero(x > 0) * np.sum(x)
    if np.any(x > 100) or np.all(x < 100):
        total = total * 2
    return total + np.sum(np.any(x > 1.5, axis=0) * x[0]) + np.sum(np.all(x > -1.5, axis=1) * x[:, 0])


def running_products(x):
    y = np.cumprod(x[0]) + np.polyval(x[1, :4], x[2])
    for i in range(3):
        y = y * 0.5 + np.cumprod(np.sin(x[i])) * np.polyval(x[1, :4], x[i, 0])
    return np.sum(y)


def running_products_of_matrices(x):
    grid = np.cumprod(x[:4, None, :6] * x[:2, :6], axis=-1)
    return np.sum(np.cumprod(x, axis=1) * x[::-1]) + np.sum(np.cumprod(np.sin(x), axis=0)) + np.sum(grid)


def accumulated(x):
    return np.sum(np.logaddexp.accumulate(x, axis=1) * x) + np.sum(np.hypot.accumulate(x[0]))


def diagonals_set(x):
    a = x[:6, :6].copy()
    np.fill_diagonal(a, 0.0)
    b = a * x[1:7, :6]
    np.fill_diagonal(b, np.inf)
    return np.sum(a**2) + np.sum(1.0 / (1.0 + b * b))


def missing(x):
    y = np.where(x > 1.0, np.nan, x)
    y[0, 0], y[1, 1] = np.inf, -np.inf
    near = np.isclose(y, x, atol=0.1) * 1.0 + np.isclose(y, np.inf)
    return np.sum(near * x) + np.sum(np.nansum(np.where(np.isinf(y), np.nan, y), axis=1) ** 2)


def turned(x):
    a, total = x[:, :3], 0.0
    for i in range(3):
        a = np.cross(a, x[:, i : i + 3]) + 0.1 * x[:, 2:5]
        total += np.sum(np.cross(a[0], x[1, 3:6]) ** 2)
        a = a + np.cross(x[i, :3], np.cross(a, x[2, 1:4]))
    return total + np.sum(a**2)


def chosen_places(v):
    i = np.where(v > 0.1)[0]
    (j,) = np.nonzero(v * (v < 0.5))
    k = np.flatnonzero(v > 100.0)
    y = v.copy()
    y[i] *= 2.0
    return np.sum(y[i] ** 2) * len(j) + np.sum(y[j] * v[j]) + np.sum(v[k])


def written_twice(v):
    i = np.flatnonzero(v * v >= 0.0) // 2
    y = v.copy()
    y[i] = v * v
    return np.sum(y**2 * (np.arange(len(v)) + 1.0))


def rows_by_masks(x):
    m, n = x[:, 0] > 0.1, x[0] > 0.0
    y = x.copy()
    y[m] *= 2.0
    y[m, 1] += y[m, 0] ** 2
    y[~m] = 0.5
    return np.sum(y[m] ** 3) + np.sum(y[:, n] * x[:, n]) + np.sum(x[m][:, 2])


def products_of_others(x):
    y = np.prod(x[:, :4], axis=1) * np.prod(x[:, 1]) + np.prod(x[1])
    return np.sum(y**2) + np.sum(np.prod(x * (x > 0.5), axis=0))


CASES: list[tuple[Callable[..., Any], Any]] = [
    (reversed_rows, X), (deviations, X), (clipped, X), (differences, V), (rolled, X), (joined, V),
    (rolled_line, V), (rolled_along_two, X), (rolled_by_turns, V), (with_margins, X), (ranges_of_floats, V),
    (on_diagonals, V), (between_nodes, V), (of_complex_numbers, V),
    (padded, V),
    (chosen, V), (chosen_and_kept, V), (put_by_mask, V), (columns, X), (powers, W), (powers_of_numbers, W),
    (extrema, X), (gathered, X), (ones_and_zeros, X), (converted, V), (in_batches, V),
    (running_sums, X), (norms, X), (counts, X), (small_systems, X),
    (running_products, X), (running_products_of_matrices, X), (accumulated, X), (diagonals_set, X),
    (missing, X), (turned, X),
    (products_of_others, X),
    (written_twice, V), (chosen_places, V), (chosen_places, np.zeros(0)),
    (rows_by_masks, X), (rows_by_masks, -np.abs(X)),
]  # fmt: skip


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize(("f", "x"), [pytest.param(*case, id=case[0].__name__) for case in CASES])
def test_wholly_in_kernels(f: Callable[..., Any], x: Any) -> None:
    record = Record()
    why = compare(f, (x,), "evaluated", record, times=1)
    assert not why, why
    assert not record.refused and record.kernels, record.refused


def test_masks_that_choose_nothing_or_everything() -> None:
    for v in np.abs(V), -np.abs(V), np.zeros(0):
        assert not compare(lambda v: np.sum(v[v > 0] ** 2), (v,), "evaluated")
        assert not compare(put_by_mask, (v,), "evaluated")


def test_powers_at_edges() -> None:
    x = np.array([0.0, -1.0, np.inf, -np.inf, np.nan, 1e-310, 1e300])
    for p in -2.5, -1.5, -1, -0.5, 0.5, 1.5, 2.5:
        with np.errstate(all="ignore"):
            assert not compare(lambda x, p=p: np.power(x, p), (x,), "evaluated", make=_values)


def _values(f: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    import ast_ad

    return ast_ad.value_and_grad(lambda x: (np.sum(x), f(x)), has_aux=True, **options)


def test_interpolation_between_no_nodes_is_numpys_error() -> None:
    import ast_ad

    def f(x: Any, xp: Any) -> Any:
        total = np.sum(np.interp(x, xp, xp)) + np.sum(np.interp(x, xp, xp, left=0.0, right=1.0))
        return total + np.interp(x[0], xp, xp)

    derivative = ast_ad.grad(f, backend="numba", check=False)
    nodes = np.arange(20.0)
    derivative(V, nodes)
    with pytest.raises(ValueError, match="empty"):
        derivative(V, nodes[:0])
