"""What follows from strides, against NumPy: arrays that lie in every which way, by numbers and symbols."""

import random

import numpy as np
import pytest

import ast_ad
from ast_ad.compiler.frontend.types.strides import (
    has_no_gaps,
    joins,
    kept_orders,
    of_item,
    of_moved,
    of_order,
)
from ast_ad.compiler.ir.dim_values import evaluate
from ast_ad.compiler.ir.dims import Dim, largest, smallest
from ast_ad.compiler.ir.ops import Lit


def strides(a):
    return tuple(s // a.itemsize for s in a.strides)


def lying(a):
    return frozenset("C" * a.flags.c_contiguous + "F" * a.flags.f_contiguous)


def an_array(source, shape):
    """With axes in any order, with gaps, turned round, or copied."""
    axes = source.sample(range(len(shape)), len(shape))
    steps = [source.choice([1, 1, 1, 2]) for _ in shape]
    lengths = [n * step + source.choice([0, 0, 1]) for n, step in zip(shape, steps, strict=True)]
    a = np.ones([lengths[axis] for axis in axes]).transpose(np.argsort(axes))
    a = a[tuple(slice(0, n * step, step) for n, step in zip(shape, steps, strict=True))]
    if source.random() < 0.2:
        a = np.flip(a, source.randrange(a.ndim))
    return np.copy(a, order=source.choice("CFK")) if source.random() < 0.4 else a


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_numbers(seed):
    source = random.Random(seed)
    for _ in range(1500):
        shape = [source.choice([1, 2, 3, 4]) for _ in range(source.choice([1, 2, 2, 3, 3, 4]))]
        a = an_array(source, shape)
        for order in "CF":
            assert has_no_gaps(a.shape, strides(a), order) is (order in lying(a))
            assert joins(a.shape, strides(a), order) is np.shares_memory(np.reshape(a, -1, order=order), a)
        other = [n if source.random() < 0.8 else 1 for n in shape][source.choice([0, 0, len(shape) > 1]) :]
        b = an_array(source, other)
        given = [(strides(one), one.shape) for one in (a, b)]
        assert kept_orders(given, np.add(a, b).shape) <= lying(np.add(a, b))
        assert kept_orders(given, np.add(a, b).shape) <= lying(np.where(a > 0, a, b))
        assert kept_orders(given[:1], a.shape) <= lying(np.copy(a, order="K"))


@pytest.mark.drawn(of=2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_symbols(seed):
    """Where something is said of all lengths, it is so for these."""
    source, said = random.Random(seed), 0
    for _ in range(1500):
        rank = source.choice([2, 2, 3])
        symbols = [Dim.symbol(("s", i), not_one=source.random() < 0.7, least=0) for i in range(rank)]
        values = {("s", i): source.choice([2, 3, 4] if n.not_one else [1, 2]) for i, n in enumerate(symbols)}
        order = source.choice("CF")
        a = np.ones([evaluate(n, values) for n in symbols], order=order)
        index, shape = [], []
        for n in symbols:
            part, length = source.choice([(0, None), (slice(None), n), (slice(1, None), n - 1), (None, 1)])
            index += [part] if part is not None else [None, slice(None)]
            shape += [] if length is None else [length] if part is not None else [1, n]
        b, found = a[tuple(index)], of_item(of_order(symbols, order), tuple(map(Lit, index)))
        if not isinstance(b, np.ndarray) or not b.size:
            continue
        for wanted in "CF":
            gaps, joined = has_no_gaps(shape, found, wanted), joins(shape, found, wanted)
            assert gaps in (None, wanted in lying(b))
            assert joined in (None, np.shares_memory(np.reshape(b, -1, order=wanted), b))
            said += gaps is not None and joined is not None
        c = np.ones(b.shape, order=order)
        kept = kept_orders([(found, shape), (of_order(shape, order), shape)], shape)
        assert kept <= lying(b + c)
    assert said > 500


def test_what_is_not_one():
    n, m = Dim.symbol("n", not_one=True, least=0), Dim.symbol("m", least=0)
    assert all(d.not_one for d in (n * m, smallest(n, 2), largest(n, 2), 2 * n - 4, m + 2))
    assert not any(d.not_one for d in (m, n + 1, smallest(m, 2), n - m, m * m))


def test_moved_axes():
    a = np.ones((2, 3, 4))
    for look in (
        np.transpose,
        lambda v: np.swapaxes(v, 0, 1),
        lambda v: np.flip(v, 1),
        lambda v: v[:, None, 1],
    ):
        found = of_moved(strides(a), a.shape, look)
        real = strides(look(a))
        assert [f for f, n in zip(found, look(a).shape, strict=True) if n != 1] == [
            r for r, n in zip(real, look(a).shape, strict=True) if n != 1
        ]
    assert of_moved((1,) * 7, (2,) * 7, np.transpose) is None
    assert of_moved(strides(a), a.shape, lambda v: np.diagonal(v)) is None


def windows(x, n):
    padding = [(0, 0) for _ in range(x.ndim)]
    padding[-1] = (n // 2, n // 2)
    y = np.pad(x, padding)
    return np.lib.stride_tricks.as_strided(y, (len(y) - n + 1, n), (*y.strides, y.strides[-1]))


@pytest.mark.slow
def test_pairs_for_each_axis_have_their_places():
    """A list of them that a comprehension makes, one for each axis, tells how long the padded array is."""

    def f(x):
        return np.sum(np.max(windows(x, 4), axis=1) * np.mean(windows(x, 4) ** 2, axis=1))

    x = np.random.default_rng(2).uniform(0.5, 1.5, 7)
    slopes = [(f(x + h) - f(x - h)) / 2e-6 for h in 1e-6 * np.eye(7)]
    np.testing.assert_allclose(ast_ad.grad(f, fallback="error")(x), slopes, rtol=1e-6)
