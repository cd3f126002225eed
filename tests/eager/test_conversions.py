"""Do copies, conversions and layouts show what PyTorch shows: values, strides, gradients, errors?"""

import json

import numpy as np
import pytest

import ast_ad as torch

from .observed import agree, observe, recorded

CASES = recorded("conversions")


@pytest.mark.parametrize("expression", CASES)
def test_as_recorded(expression):
    got = json.loads(json.dumps(observe(torch, expression)))
    assert agree(got, CASES[expression]), got


def test_no_other_device():
    x = torch.ones(2)
    assert x.cpu() is x and x.to("cpu") is x and not x.is_cuda and x.get_device() == -1
    for move in (x.cuda, lambda: x.to("cuda"), lambda: torch.device("cuda")):
        with pytest.raises(RuntimeError, match="on 'cpu' only"):
            move()


def test_numpy_shares_memory():
    array = np.arange(6.0).reshape(2, 3).T
    x = torch.from_numpy(array)
    assert x.stride() == (1, 3) and not x.is_contiguous() and x.data_ptr() == array.ctypes.data
    x[0, 0] = 7.0
    assert array[0, 0] == 7 and x.numpy() is x.numpy()
    assert x.T.is_contiguous() and x.T.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()


@pytest.mark.parametrize(
    ("make", "strides"),
    [
        (lambda x: x.t(), (1, 4)),
        (lambda x: x[:, ::2], (2, 1)),
        (lambda x: x[:, :1].expand(3, 5), (5, 1)),
        (lambda x: x.t().clone()[1:], (3, 1)),
    ],
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
def test_layout_of_gradients(make, strides):
    """A new gradient lies in memory as a dense leaf does, else row by row; a sum stays where it is."""
    leaf = make(torch.arange(12.0).view(3, 4)).detach().requires_grad_()
    (leaf * leaf).sum().backward()
    kept = leaf.grad
    assert kept.stride() == strides
    (leaf * 2).sum().backward()
    assert leaf.grad is kept and kept.stride() == strides
    (leaf * leaf).sum().backward(create_graph=True)
    assert leaf.grad is not kept and leaf.grad.requires_grad


def test_complex_to_real_warns():
    z = torch.tensor([1 + 2j], requires_grad=True)
    with pytest.warns(UserWarning, match="Casting complex values to real discards the imaginary part"):
        real = z.to(torch.float32)
    real.backward()
    assert z.grad.tolist() == [1]
