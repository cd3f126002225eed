"""Do checkpoints compute anew what they have not saved, once for each sweep and no more than needed?"""

import contextlib
import weakref

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_early_stop,
)


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def chain(x):
    return x.sin().exp().cos()


def derivative(fn):
    def run(x):
        with torch.enable_grad():
            (g,) = torch.autograd.grad(fn(x).sum(), x, create_graph=True)
        return g

    return run


def kept(fn):
    return lambda x: checkpoint(fn, x, use_reentrant=False)


@pytest.mark.parametrize("early_stop", [True, False])
@pytest.mark.parametrize(
    ("plain", "checkpointed"),
    [
        (chain, kept(kept(chain))),
        (derivative(chain), derivative(kept(chain))),
        (derivative(derivative(chain)), derivative(kept(derivative(kept(chain))))),
        (derivative(derivative(chain)), kept(derivative(derivative(kept(chain))))),
    ],
)
def test_nested_checkpoints_and_derivatives(plain, checkpointed, early_stop):
    x = leaf(0.3, 1.2)
    with set_checkpoint_early_stop(early_stop):
        found = derivative(checkpointed)(x)
    assert np.allclose(found.detach().numpy(), derivative(plain)(x).detach().numpy(), rtol=1e-5)


@pytest.mark.parametrize("reentrant", [True, False])
def test_gradients_of_what_the_function_refers_to(reentrant):
    x, w = leaf(1.0, 2.0), leaf(0.5, 0.25)
    checkpoint(lambda t: (t * w).exp(), x * 2, use_reentrant=reentrant).sum().backward()
    z = x.detach() * 2
    e = (z * w.detach()).exp()
    assert np.allclose(x.grad.numpy(), (2 * w.detach() * e).numpy())
    assert np.allclose(w.grad.numpy(), (z * e).numpy())


@pytest.mark.parametrize("reentrant", [True, False])
def test_random_numbers_are_drawn_again(reentrant):
    drawn = []

    def noisy(t):
        drawn.append(torch.rand(4))
        return (t * drawn[-1]).exp()

    y = checkpoint(noisy, torch.ones(4, requires_grad=True), use_reentrant=reentrant)
    torch.rand(3)
    y.sum().backward()
    assert drawn[0].tolist() == drawn[1].tolist()


def test_nothing_is_kept_and_computing_stops_early():
    seen, calls = [], []

    def run(t):
        inner = t.exp()
        seen.append(weakref.ref(inner))
        out = inner.sin()
        calls.append(out)
        return out

    y = checkpoint(run, leaf(1.0), use_reentrant=False)
    assert seen[0]() is None
    calls.clear()
    y.backward()
    assert calls == []  # stopped when exp's result, the last that was saved, was there
    y = checkpoint(run, leaf(1.0), use_reentrant=False, early_stop=False)
    y.backward()
    assert len(calls) == 2


def test_each_sweep_computes_anew():
    calls = []

    def run(t):
        calls.append(1)
        return t.exp().sin()

    y = checkpoint(run, leaf(1.0), use_reentrant=False)
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@pytest.mark.parametrize(
    ("first", "again", "message"),
    [
        (lambda t: t.exp().sin(), lambda t: t.exp(), "different number"),
        (lambda t: t.exp(), lambda t: t.sum().exp(), "different metadata"),
    ],
)
def test_a_function_that_does_something_else(first, again, message):
    steps = iter([first, again])
    y = checkpoint(lambda t: next(steps)(t), leaf(1.0, 2.0), use_reentrant=False)
    with pytest.raises(CheckpointError, match=message):
        y.sum().backward()


def test_reentrant_checkpoints_accumulate_only():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="incompatible with"):
        torch.autograd.grad(checkpoint(chain, x, use_reentrant=True), x)
    with pytest.raises(ValueError, match="keyword"):
        checkpoint(chain, x, use_reentrant=True, y=1)
    with pytest.warns(UserWarning, match="passed explicitly"):
        checkpoint(chain, x)


def test_contexts_and_keywords():
    log = []

    @contextlib.contextmanager
    def noted(name):
        log.append(name)
        yield

    y = checkpoint(
        lambda t, scale: (t * scale).exp(),
        leaf(1.0),
        scale=2,
        use_reentrant=False,
        context_fn=lambda: (noted("first"), noted("again")),
    )
    y.backward()
    assert log == ["first", "again"]


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("segments", [1, 2, 3])
def test_sequences(segments, reentrant):
    x = leaf(0.1, 0.2)
    steps = [torch.sin, torch.exp, torch.cos]
    checkpoint_sequential(steps, segments, x, use_reentrant=reentrant).sum().backward()
    assert np.allclose(x.grad.numpy(), derivative(chain)(x).detach().numpy())
