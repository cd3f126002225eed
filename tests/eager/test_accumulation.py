"""Does a leaf's first gradient share memory with anything that somebody else can change or read?"""

import gc

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.eager import accumulation


def leaf(*shape):
    return torch.tensor(np.random.default_rng(0).normal(size=shape), requires_grad=True)


def kept_arrays():
    """Every array that is alive."""
    return [a for a in gc.get_objects() if issubclass(type(a), torch.Tensor)]  # not what proxies stand for


def unshared(*leaves):
    """Whether each gradient has memory of its own, beside all tensors that are alive."""
    for t in leaves:
        for other in kept_arrays():
            if other is not t.grad and np.shares_memory(other._array, t.grad._array):
                return False
    return True


def test_one_cotangent_for_two_leaves():
    a, b = leaf(3), leaf(3)
    (a + b).backward(torch.tensor(np.arange(3.0)))
    assert unshared(a, b)
    a.grad.add_(1)
    np.testing.assert_array_equal(b.grad.numpy(), np.arange(3.0))


def test_the_gradient_that_was_given():
    a, given = leaf(3), torch.tensor(np.arange(3.0))
    a.clone().backward(given)
    a.grad.add_(1)
    np.testing.assert_array_equal(given.numpy(), np.arange(3.0))
    b, given = leaf(3), torch.tensor(np.arange(3.0))
    b.backward(given)
    assert unshared(b)


@pytest.mark.drawn(of=10)
@pytest.mark.parametrize(
    "run",
    [
        lambda a, b: (a * b).sum(),
        lambda a, b: (a @ b.t()).sum(),
        lambda a, b: (a.t() @ b).exp().sum(),
        lambda a, b: torch.cat([a, b]).pow(2).sum(),
        lambda a, b: torch.stack([a, b]).sum(),
        lambda a, b: (a.reshape(-1) * b.reshape(-1)).sum(),
        lambda a, b: (a[1:] * b[:-1]).sum() + a.t()[0].sum(),
        lambda a, b: a.sum() + b.mean(),
        lambda a, b: torch.where(a > 0, a, b).sum(),
        lambda a, b: a.unbind(0)[0].dot(b.unbind(0)[1]),
        lambda a, b: torch.nn.functional.linear(a, b).relu().sum(),
    ],
)
def test_programs(run):
    a, b = leaf(4, 4), leaf(4, 4)
    loss = run(a, b)
    loss.backward(retain_graph=True)
    first = a.grad.numpy().copy(), b.grad.numpy().copy()
    assert unshared(a, b)
    a.grad.zero_(), b.grad.zero_()  # must not reach what the graph has saved
    loss.backward()
    np.testing.assert_array_equal(a.grad.numpy(), first[0])
    np.testing.assert_array_equal(b.grad.numpy(), first[1])


def test_hooks_may_keep_what_they_see():
    a, seen = leaf(3), []
    a.register_hook(seen.append)
    (a * 2).sum().backward()
    assert not np.shares_memory(seen[0]._array, a.grad._array)
    b, seen = leaf(3), []
    y = b * 2
    y.register_hook(seen.append)
    (y + 0).sum().backward()
    before = seen[0].numpy().copy()
    b.grad.add_(1)
    np.testing.assert_array_equal(seen[0].numpy(), before)


def test_functions_may_keep_what_they_return():
    class Kept(torch.autograd.Function):
        memory = None

        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            Kept.memory = g * 2
            return Kept.memory

    a = leaf(3)
    Kept.apply(a).sum().backward()
    assert not np.shares_memory(Kept.memory._array, a.grad._array)


def test_no_copy_is_made_of_what_nothing_else_refers_to(monkeypatch):
    def copied(g, like):
        raise AssertionError("a copy")

    monkeypatch.setattr(accumulation, "as_leaf", copied)
    w, b, x = leaf(3, 4), leaf(3), torch.tensor(np.ones((2, 4)))
    torch.nn.functional.linear(x, w, b).exp().sum().backward()
    assert w.grad.shape == (3, 4)
