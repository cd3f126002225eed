"""Do indexing and assignment show what PyTorch shows: values, strides, histories, gradients, errors?"""

import json

import numpy as np
import pytest

import ast_ad as torch

from .observed import agree, observe, recorded

CASES = recorded("indexing")


@pytest.mark.parametrize("expression", CASES)
def test_as_recorded(expression):
    got = json.loads(json.dumps(observe(torch, expression)))
    assert agree(got, CASES[expression]), got


def drawn(rng, shape):
    """A random index that NumPy reads as PyTorch does: at most one list or mask, and no number beside it."""
    picked = rng.integers(0, 3) == 0
    where = rng.integers(0, len(shape))
    parts = []
    for axis, n in enumerate(shape):
        if picked and axis == where:
            parts.append(
                rng.permutation(n)[: rng.integers(1, n + 1)] if rng.random() < 0.6 else rng.random(n) < 0.5
            )
        elif picked or rng.random() < 0.5:
            start = int(rng.integers(-n, n))
            parts.append(slice(start, None, int(rng.integers(1, 3))))
        else:
            parts.append(int(rng.integers(-n, n)))
    return tuple(parts[: rng.integers(where + 1 if picked else 1, len(shape) + 1)])


@pytest.mark.parametrize("seed", range(40))
def test_against_numpy(seed):
    """Reading and writing with random indices, with the gradients that they must have."""
    rng = np.random.default_rng(seed)
    shape = [(3, 4), (5,), (2, 3, 4)][seed % 3]
    index = drawn(rng, shape)
    values = rng.normal(size=shape)
    x = torch.tensor(values).requires_grad_()
    part = x[index]
    assert np.array_equal(part.detach().numpy(), values[index])
    weights = rng.normal(size=values[index].shape)
    (part * torch.tensor(weights)).sum().backward()
    expected = np.zeros(shape)
    expected[index] = weights
    assert np.array_equal(x.grad.numpy(), expected)

    written = rng.normal(size=values[index].shape)
    v, y = torch.tensor(written).requires_grad_(), x * 1
    y[index] = v
    changed = values.copy()
    changed[index] = written
    assert np.array_equal(y.detach().numpy(), changed)
    weights, x.grad = rng.normal(size=shape), None
    (y * torch.tensor(weights)).sum().backward()
    kept = weights.copy()
    kept[index] = 0
    assert np.array_equal(x.grad.numpy(), kept)
    assert np.array_equal(v.grad.numpy(), weights[index])


def test_an_element_written_twice_has_the_gradient_of_what_stayed():
    v, x = torch.tensor([1.0, 2.0]).requires_grad_(), torch.zeros(3)
    x[[1, 1]] = v
    assert x.tolist() == [0, 2, 0]
    x.sum().backward()
    assert v.grad.tolist() == [0, 1]


def test_indices_changed_later():
    index, x = torch.tensor([0, 2]), torch.ones(3).requires_grad_()
    part = x[index]
    index.zero_()
    part.sum().backward()
    assert x.grad.tolist() == [1, 0, 1]
