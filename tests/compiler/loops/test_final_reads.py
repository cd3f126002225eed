"""Are elements read from the array as a loop left it only where nothing overwrote them?"""

import importlib.util
import itertools

import numpy as np
import pytest

from ast_ad.compiler.adjoint.adjoint import adjoint
from ast_ad.compiler.ir.check import check
from ast_ad.compiler.loops.affine import ONE, possible
from ast_ad.compiler.loops.tape_elision import read_final
from tests.compiler.adjoint.test_residual_policy import same, tapes
from tests.compiler.checking import differentiable, leaves_of, primal


def reading(function, *args, residuals="min-cut"):
    """The adjoint that reads final values, once it agrees with the one that saves."""
    program, leaves = primal(function, *args), leaves_of(args)
    saving = adjoint(program, differentiable(leaves), residuals=residuals)
    final = check(read_final(saving))
    same(saving, final, leaves, rtol=1e-13)
    return saving, final


def cholesky(a):
    a = a.copy()
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return np.sum(np.tril(a))


@pytest.mark.slow
@pytest.mark.parametrize("residuals", ["cheap", "min-cut"])
@pytest.mark.parametrize("n", [0, 2, 5])
def test_a_factorisation_saves_nothing(n, residuals):
    a = np.random.default_rng(0).normal(size=(n, n))
    saving, final = reading(cholesky, a @ a.T + 3 * np.eye(n), residuals=residuals)
    assert tapes(saving) and not tapes(final)


@pytest.mark.slow
def test_an_array_that_is_saved_anyway():
    def f(x, w):
        total = 0.0
        for k in range(w.shape[0]):
            y = np.zeros(4)
            y[0] = x[0] * w[k]
            for i in range(1, 4):
                y[i] = np.sin(y[i - 1]) + x[i]
            total += np.sum(y**2) * w[k]
        return total

    saving, final = reading(f, np.array([0.3, 0.7, 0.2, 0.9]), np.array([0.4, 0.6, 1.5]))
    assert sum(tapes(final)) < sum(tapes(saving))


def test_forward_substitution():
    def f(a, b):
        x = b.copy()
        for i in range(x.shape[0]):
            x[i] = (b[i] - np.dot(a[i, :i], x[:i])) / a[i, i]
        return np.sum(x**2)

    rng = np.random.default_rng(0)
    _, final = reading(f, rng.normal(size=(4, 4)), rng.normal(size=4))
    assert not tapes(final)


@pytest.mark.slow
def test_a_sweep_forwards_and_one_backwards_beside_a_border():
    """Slices that end before the last element stay on their axis, and downwards later turns are smaller."""

    def f(x, n):
        p = x.copy()
        v = np.zeros_like(x)
        for _ in range(n):
            for j in range(1, 4):
                p[1:-1, j] = 1.0 / (2.0 + p[1:-1, j - 1] ** 2)
            for j in range(3, 0, -1):
                v[1:-1, j] = np.sin(p[1:-1, j] * v[1:-1, j + 1]) + p[1:-1, j]
            p[1:-1, 0] = np.cos(v[1:-1, 1])
        return np.sum(v**2) + np.sum(p * x)

    saving, final = reading(f, np.random.default_rng(0).normal(size=(4, 5)), 3)
    assert sum(tapes(final)) < sum(tapes(saving))


@pytest.mark.slow
def test_downwards_what_a_later_turn_overwrites_stays_on_the_tape():
    def f(x, n):
        y = x.copy()
        for i in range(n - 1, 0, -1):
            y[i - 1] = y[i - 1] * y[i] * y[i]
            y[0] = y[i] * y[0]
        return np.sum(y**2)

    def before(x, n):
        y = x.copy()
        for i in range(n - 1, 0, -1):
            y[i] = y[i - 1] * y[i - 1] + y[i]
        return np.sum(y**2)

    for function in (f, before):
        saving, final = reading(function, np.array([0.3, 0.7, 0.2, 0.9]), 4)
        assert tapes(final)


def test_a_recurrence_in_an_array():
    def f(x, n):
        y = np.zeros(n + 1)
        y[0] = x[0]
        for i in range(n):
            y[i + 1] = np.sin(y[i] * x[1]) + y[i]
        return np.sum(y**2)

    saving, final = reading(f, np.array([0.3, 0.7]), 4)
    assert sum(tapes(final)) < sum(tapes(saving))


def test_what_is_overwritten_stays_on_the_tape():
    def f(x, steps):
        y = x.copy()
        for t in range(steps):
            for i in range(1, y.shape[0] - 1):
                y[i] = y[i - 1] * y[i + 1] + y[i] * y[i]
        return np.sum(y**2)

    saving, final = reading(f, np.array([0.3, 0.7, 0.2, 0.9]), 3)
    assert tapes(saving) == tapes(final)


def test_an_index_before_the_first_element_counts_from_the_end():
    def f(x, n):
        y = x.copy()
        for i in range(n):
            y[i] = y[i - 1] * y[i] * y[i]
        return np.sum(y**2)

    reading(f, np.array([0.3, 0.7, 0.2, 0.9]), 4)


@pytest.mark.slow
def test_exact_arithmetic():
    rng = np.random.default_rng(0)
    for _ in range(300):
        forms = [dict(zip(["i", "j", "k", ONE], map(int, rng.integers(-3, 4, 4)), strict=True))
                 for _ in range(int(rng.integers(1, 6)))]  # fmt: skip
        for point in itertools.product(range(-3, 4), repeat=3):
            values = dict(zip(["i", "j", "k", ONE], (*point, 1), strict=True))
            if all(sum(c * values[k] for k, c in form.items()) >= 0 for form in forms):
                assert possible(forms)
                break


def index(rng, names):
    return f"{rng.choice(names)}{rng.choice(['', '', '+1', '-1', '+2'])}"


def part(rng, names):
    if rng.random() < 0.6:
        return index(rng, names)
    ends = [
        f":{index(rng, names)}",
        f"{index(rng, names)}:",
        ":",
        f":{rng.choice(names)}",
        "1:-1",
        "-2:",
        ":-3",
    ]
    return str(rng.choice(ends))


@pytest.mark.drawn(of=6)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("seed", range(80))
def test_random_indices(seed, tmp_path):
    rng = np.random.default_rng(seed)
    ranges = ["range(n)", "range(1, n)", "range(n - 1, 0, -1)", "range(2)", "range(n - 2, -1, -1)"]
    inner = [
        *ranges,
        "range(1, n - 1)",
        "range(i + 1, n)",
        "range(i)",
        "range(i, 0, -1)",
        "range(n - 1, i, -1)",
    ]

    def statement(names):
        read = f"np.sum(np.sin(a[{part(rng, names)}, {part(rng, names)}]))"
        also = f"np.sum(a[{index(rng, names)}, {index(rng, names)}] ** 2)"
        return f"a[{index(rng, names)}, {part(rng, names)}] = 0.1 * {read} * {also} + {rng.random():.2f}"

    lines = ["import numpy as np", "def f(a, n):", "    a = a.copy()"]
    lines.append(f"    for i in {ranges[int(rng.integers(5))]}:")
    if rng.random() < 0.5:
        lines.append(f"        {statement(['i'])}")
    if rng.random() < 0.7:
        lines.append(f"        for j in {inner[int(rng.integers(10))]}:")
        lines.append(f"            {statement(['i', 'j'])}")
    lines += [f"        {statement(['i'])}", "    return np.sum(a ** 2)"]
    path = tmp_path / "program.py"
    path.write_text("\n".join(lines) + "\n")
    spec = importlib.util.spec_from_file_location(f"final_{seed}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    a = rng.normal(size=(6, 6))
    try:
        module.f(a, 4)
    except IndexError:
        pytest.skip("out of bounds")
    reading(module.f, a, 4)


def overwritten_by_one_turn(x, n):
    a, total = x * 2.0, 0.0
    for i in range(n):
        total += a[1] * a[1]
        for j in range(i):
            a[j] = x[j] * 3.0
    return total


def overwritten_in_each_row(x, n):
    a = np.zeros((n, n))
    for i in range(n):
        a[i, 1] = np.sin(x[i])
        y = a[i, 1] * a[i, 1]
        for j in range(n):
            a[i, j] = y * x[j]
    return np.sum(a)


def overwritten_beside_it(x, n):
    a = np.zeros((n, n))
    for i in range(n):
        a[i, 3] = np.sin(x[i])
        y = a[i, 3] * a[i, 3]
        for j in range(3):
            a[i, j] = y * x[j]
    return np.sum(a)


@pytest.mark.slow(beyond=2)
@pytest.mark.parametrize(
    "function, saved",
    [(overwritten_by_one_turn, 1), (overwritten_in_each_row, 1), (overwritten_beside_it, 0)],
)
def test_a_place_that_some_turn_of_a_loop_overwrites(function, saved):
    """Which turn it is, is no multiple of anything."""
    saving, final = reading(function, np.array([0.4, -0.9, 1.3, 0.2]), 4)
    assert len(tapes(saving)) == 1 and len(tapes(final)) == saved
