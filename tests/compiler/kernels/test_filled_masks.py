"""Arrays of one number, of which a mask sets some elements: are they choices, and what the function has?"""

import re

import numpy as np
import pytest

import ast_ad

pytestmark = pytest.mark.filterwarnings("ignore::ast_ad.ZeroGradientWarning")


def forces(x, w):
    near = (x > 0.2) & (x < 1.5)
    energy, force = np.zeros_like(x), np.zeros_like(x)
    energy[near] = w[near] / x[near]
    force[near] = w[near] / x[near] ** 2
    return np.sum(energy) + np.sum(force * w)


def set_twice(x, w):
    out = np.ones(x.shape)
    out[x > 0.0] = x[x > 0.0] * w[x > 0.0]
    out[w > 1.0] = 0.5
    out[x > 0.5] += 2.0
    return np.sum(out * x)


def added_to(x, w):
    out = np.full(x.shape, 0.25)
    out[x > 0.0] += np.sin(x[x > 0.0])
    return np.prod(out + w)


def by_its_own_elements(x, w):
    out = np.zeros(x.shape)
    out[out == 0.0] = 2.0
    out[x > 0.0] = x[x > 0.0]
    return np.sum(out * w)


def under_two_names(x, w):
    out = np.zeros(x.shape)
    other = out
    out[x > 0.0] = x[x > 0.0]
    other[x < -1.0] = 3.0
    return np.sum(out * w) + np.sum(other**2)


def of_a_view(x, w):
    whole = np.zeros((2, len(x)))
    row = whole[1]
    row[x > 0.0] = x[x > 0.0] * w[x > 0.0]
    return np.sum(whole**2) + np.sum(row)


def what_is_chosen_changes(x, w):
    y, out = x * 1.0, np.zeros(x.shape)
    out[y > 0.0] = y[y > 0.0] * w[y > 0.0]
    y[:] = 7.0
    return np.sum(out) + np.sum(y * w)


def mask_changes(x, w):
    some, out = x > 0.0, np.zeros(x.shape)
    out[some] = x[some]
    some[:] = True
    return np.sum(out * w) + np.sum(some)


def in_turns(x, w):
    total = 0.0
    out = np.zeros(x.shape)
    for k in range(3):
        total += np.sum(out)
        out = np.zeros(x.shape)
        out[x > 0.3 * k] = x[x > 0.3 * k] ** 2 * w[x > 0.3 * k]
    return total + np.sum(out * w)


def by_a_number(x, w):
    out, flags, counts = np.zeros(x.shape), np.zeros(x.shape, bool), np.zeros(x.shape, np.int64)
    out[x > 0.0] = np.sum(x * w)
    flags[x > 0.5] = True
    counts[x < 0.0] = 2
    return np.sum(out[flags] * w[flags]) + np.sum(counts * x) + np.sum(out)


def single_precision(x, w):
    out = np.zeros(x.shape, np.float32)
    out[x > 0.0] = 0.1
    return np.sum(out * x * w)


def returned(x, w):
    out = np.zeros(x.shape)
    out[x > 0.0] = x[x > 0.0] * w[x > 0.0]
    return out


PROGRAMS = [
    forces, set_twice, added_to, by_its_own_elements, under_two_names, of_a_view, what_is_chosen_changes,
    mask_changes, in_turns, by_a_number, single_precision,
]  # fmt: skip


@pytest.mark.drawn(of=7)
@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("count", [0, 1, 2, 33])
def test_values_and_gradients_are_those_of_the_function(f, count):
    draw = np.random.default_rng(count)
    x, w = draw.uniform(-2.0, 2.0, count), draw.uniform(0.5, 1.5, count)
    value, slopes = ast_ad.value_and_grad(f, (0, 1), backend="numba")(x, w)
    assert value == pytest.approx(f(x, w), rel=1e-6 if f is single_precision else 1e-12)
    for i in range(count):
        for slope, step in zip(slopes, ((1e-6, 0.0), (0.0, 1e-6)), strict=True):
            there = [f(x + s * step[0] * (np.arange(count) == i), w + s * step[1] * (np.arange(count) == i))
                     for s in (1, -1)]  # fmt: skip
            assert slope[i] == pytest.approx((there[0] - there[1]) / 2e-6, rel=1e-6, abs=1e-7)


def test_results_are_arrays_of_their_own():
    x, w = np.array([-1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])
    out, pull = ast_ad.vjp(returned, x, w, argnums=(0, 1), backend="numba")
    assert out.tolist() == [0.0, 4.0, 12.0]
    assert [slope.tolist() for slope in pull(np.ones(3))] == [[0.0, 2.0, 4.0], [0.0, 2.0, 3.0]]


def test_what_is_chosen_is_not_in_memory():
    """``energy`` is read once, ``force`` in the loop that makes it: nothing is filled, nothing kept."""
    derivative = ast_ad.value_and_grad(forces, (0, 1), backend="numba")
    x, w = np.linspace(-1.0, 2.0, 30), np.linspace(0.5, 1.5, 30)
    derivative(x, w)
    kernel = derivative.source.split("def forces_value_and_grad(")[0]
    assert not re.search(r"^\s+\w+\[i\] = 0\.0$", kernel, re.MULTILINE), kernel
    assert len(re.findall("for i in range", kernel)) == 1, kernel
