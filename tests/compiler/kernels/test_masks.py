"""What masks choose: computed with where it is, in one loop, and as NumPy code and differences have it."""

import importlib.util
import operator
import re

import numpy as np
import pytest
from scipy.special import gammaln

import ast_ad
from ast_ad.compiler.frontend.equal_masks import EqualMasks
from ast_ad.compiler.frontend.types.basic_indices import chosen_type
from ast_ad.compiler.ir.ops import Block, Lit, Op, Var
from ast_ad.compiler.ir.types import Array

from .mask_programs import MaskProgram

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning", "ignore::RuntimeWarning")
DRAW = np.random.default_rng(5)
X, W = DRAW.uniform(-2.0, 2.0, (6, 5)), DRAW.uniform(0.5, 1.5, (6, 5))


def powers(x, w):
    r = x * w
    r[r > 0.3] = r[r > 0.3] ** -1.5
    return np.sum(r * w)


def pieces(x, w):
    near = np.abs(x) < 1.0
    out = np.empty_like(x)
    out[near] = 0.5 * x[near] ** 2
    out[~near] = np.abs(x[~near]) - 0.5
    return np.sum(out * w)


def moments(x, w):
    many = x > -1.0
    v = x[many] * 2
    v -= np.mean(v)
    return np.sum(v**3) / np.sqrt(v @ v / v.size) + len(v) * w[0, 0]


def lennard_jones(x, w):
    r2 = x * x + 0.8
    near = (r2 < 2.5) & (r2 > 0.9)
    s6 = (w[near] ** 2 / r2[near]) ** 3
    energy, force = np.zeros_like(r2), np.zeros_like(r2)
    energy[near] = 4.0 * (s6**2 - s6)
    force[near] = 24.0 * (2.0 * s6**2 - s6) / r2[near]
    return np.sum(np.triu(energy[:5], 1)) + np.sum(force * x)


def three(x, w):
    out = np.zeros_like(x)
    low, middle, high = x < 0.3, (x >= 0.3) & (x < 0.9), x >= 0.9
    out[low] = np.sin(x[low])
    out[middle] = x[middle] ** 2 * w[middle]
    out[high] = np.exp(-x[high] * w[high])
    return np.sum(out)


def in_a_loop(x, w):
    for k in range(3):
        big = x > 0.4 * k
        y = x.copy()
        y[big] = 0.5 * x[big] * w[big]
        y[big] += 0.1 * np.sum(x[big])
        x = y
    return np.sum(x)


def overwritten(x, w):
    """What was chosen stays as it was, whatever is written to later."""
    y, some = x * 1.0, x > 0.0
    before = y[some]
    y[some] = 0.0
    after = y[some]
    some[0] = ~some[0]
    other = y[some] * w[some]
    return np.sum(before**2) + np.sum(after) + np.sum(other**2)


def changed_copy(x, w):
    some = w > 1.0
    a = x[some]
    b = a.copy()
    b *= 3.0
    a += b
    return np.sum(a * a) + np.sum(b) + np.sum(x[some])


def fewer_and_fewer(x, w):
    v = x[x > -1.5]
    for k in range(3):
        keep = v > 0.3 * k - 1.0
        v = v[keep] * 1.1 - 0.01 * np.sum(v[keep])
    return np.sum(v**2) + w[0, 0]


def few_of_many(x, w):
    some = x > 1.5
    return np.sum(gammaln(x[some]) * w[some] + np.sin(x[some]) * np.exp(w[some]) * np.log(w[some]))


def beside_ones(x, w):
    """What is written one behind the other, beside a cotangent that is 1 in all places."""
    x, w = x.ravel(), w.ravel()
    some, out = w > 1.0, np.zeros_like(x)
    y = np.sinc(x[some]) * w[some]
    out[some] = y * y
    return np.sum(out) + np.sum(y)


def single(x, w):
    x, w = x.ravel().astype(np.float32), w.ravel()
    some = w > 1.0
    y = x[some] * w[some].astype(np.float32)
    out = np.zeros(x.shape, np.float32)
    out[some] = y * y
    return np.sum(out) + np.sum(np.sinc(y)) + np.sum(y)


ONE_LOOP = [powers, pieces, moments, lennard_jones, three]
PROGRAMS = [*ONE_LOOP, in_a_loop, overwritten, changed_copy, fewer_and_fewer, few_of_many]
PROGRAMS.append(beside_ones)
POINTS = [(X, W), (-np.abs(X), W), (np.abs(X) + 0.35, W), (X[::-1], W[::-1])]


def agree(function, args, derivatives, *others):
    """Value, differences and both backends."""
    for derivative in derivatives:
        value, bars = derivative(*args, *others)
        expected = function(*(np.array(a) for a in args), *others)
        np.testing.assert_allclose(value, expected, rtol=1e-11, atol=1e-11)
        for k, bar in enumerate(bars):
            np.testing.assert_allclose(bar, slopes(function, args, k, others), rtol=2e-5, atol=2e-5)


def slopes(function, args, k, others, h=1e-6):
    found = np.zeros_like(args[k])
    for place in np.ndindex(found.shape):
        values = []
        for step in (h, -h):
            moved = [np.array(a) for a in args]
            moved[k][place] += step
            values.append(function(*moved, *others))
        found[place] = (values[0] - values[1]) / (2 * h)
    return found


@pytest.mark.drawn(of=3)
@pytest.mark.parametrize("function", PROGRAMS)
def test_what_masks_choose_has_the_derivatives_of_differences(function):
    derivatives = [
        ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend) for backend in ("numpy", "numba")
    ]
    for args in POINTS:
        agree(function, args, derivatives)
        assert all(derivative.mode == "compiled" for derivative in derivatives)


def test_masks_in_single_precision():
    numba, plain = (
        ast_ad.value_and_grad(single, argnums=(0, 1), backend=backend, check=False)
        for backend in ("numba", "numpy")
    )
    for args in POINTS:
        (value, bars), (expected, wanted) = numba(*args), plain(*args)
        assert value.dtype == expected.dtype == np.float32
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        for bar, one in zip(bars, wanted, strict=True):
            np.testing.assert_allclose(bar, one, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", ONE_LOOP)
def test_nothing_is_written_one_behind_the_other(function):
    """The elements that are chosen stay in their places: no array is as long as there are chosen ones."""
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend="numba")
    derivative(X, W)
    derivative(X, W)
    assert not re.search(r"empty\(count|\[count", derivative.source), derivative.source


def test_what_is_slow_is_computed_for_what_is_chosen_only():
    derivative = ast_ad.value_and_grad(few_of_many, argnums=(0, 1), backend="numba")
    derivative(X, W)
    derivative(X, W)
    assert "gammaln" in derivative.source and "empty(count" in derivative.source


def too_many(x, w):
    x = x.copy()
    x[x > 0.0] = w[w > 0.9]
    return np.sum(x)


def test_masks_that_choose_other_numbers_are_an_error_of_numpys():
    derivative = ast_ad.value_and_grad(too_many, backend="numba")
    x, w = np.array([1.0, -1.0, 2.0]), np.array([0.8, 1.0, 1.1])
    assert derivative(x, w)[0] == 1.1
    for _ in range(3):
        with pytest.raises(ValueError, match="cannot assign"):
            derivative(x, np.array([1.0, 1.0, 1.1]))


def test_one_mask_chooses_one_length():
    x, y, mask, other = (Var(Array(np.dtype(t), (4, 3))) for t in (float, float, bool, bool))
    rows = Var(Array(np.dtype(bool), (4,)))
    assert chosen_type(x, mask) == chosen_type(y, mask) != chosen_type(x, other)
    assert chosen_type(x, rows).shape[1:] == (3,)
    assert chosen_type(rows, mask) is chosen_type(x, y) is None


def test_a_mask_that_is_read_anew_is_another_one():
    """What is read on trial is taken out of its block: nothing may name a mask that is made nowhere."""
    x = Var(Array(np.dtype(float), (4,)))
    block, masks = Block(), EqualMasks()

    def append(fn, *args, kind=float):
        op = Op(fn, args, (Var(Array(np.dtype(kind), (4,))),))
        masks.append(op, block)
        block.ops.append(op)
        return op

    one, same = append(operator.gt, x, Lit(0.5), kind=bool), append(operator.gt, x, Lit(0.5), kind=bool)
    other = append(operator.gt, x, Lit(0.25), kind=bool)
    assert append(operator.getitem, x, same.out).args[1] is one.out
    assert append(operator.getitem, x, other.out).args[1] is other.out
    del block.ops[:]
    anew = append(operator.gt, x, Lit(0.5), kind=bool)
    assert append(operator.getitem, x, anew.out).args[1] is anew.out


def loaded(seed, rank, folder):
    path = folder / f"masks_{seed}.py"
    path.write_text(MaskProgram(seed, rank).text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.program


@pytest.mark.drawn(of=16)
@pytest.mark.slow(beyond=1)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
@pytest.mark.parametrize("seed", range(24))
def test_random_programs_of_masks(seed, backend, tmp_path):
    rank = 1 + seed % 2
    function = loaded(seed, rank, tmp_path)
    derivative = ast_ad.value_and_grad(function, argnums=(0, 1), backend=backend, check=False)
    draw = np.random.default_rng(seed)
    for shape in [(7,), (1,), (12,)] if rank == 1 else [(3, 4), (1, 2), (5, 3)]:
        x, w = draw.uniform(0.2, 1.8, (2, *shape))
        if abs(function(x.copy(), w.copy(), 0.8, 2)) < 1e6:  # beyond, differences tell little
            agree(function, (x, w), [derivative], 0.8, 2)
