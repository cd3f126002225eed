"""Do modules leave nothing behind? No cycles that keep graphs alive, and copies that are their own."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch.nn.modules.hooks import everywhere
from ast_ad.torch.nn.modules.module import Module
from ast_ad.torch.nn.parameter import Parameter


class Layer(Module):
    def __init__(self, n=3):
        super().__init__()
        self.weight = Parameter(torch.ones(n, n))
        self.register_buffer("mean", torch.zeros(n))

    def forward(self, x):
        return x @ self.weight + self.mean


def noted(m, *args):
    """A hook that changes nothing."""


HOOKS = {
    "none": lambda m: None,
    "forward": lambda m: m.register_forward_hook(noted),
    "before": lambda m: m.register_forward_pre_hook(noted),
    "full": lambda m: m.register_full_backward_hook(noted),
    "backward pre": lambda m: m.register_full_backward_pre_hook(noted),
    "older": lambda m: m.register_backward_hook(noted),
    "state": lambda m: m.register_load_state_dict_pre_hook(noted),
}


@pytest.mark.drawn(of=14)
@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", HOOKS)
@pytest.mark.parametrize("backward", [False, True])
def test_graphs_die_with_their_results(name, backward):
    m = Layer()
    HOOKS[name](m)
    x = torch.ones(2, 3, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        y = m(x)
        node = weakref.ref(y.grad_fn)
        if backward:
            y.sum().backward()
        del y
        assert node() is None
        module = weakref.ref(m)
        del m
        assert module() is None
    finally:
        gc.enable()


def test_deep_copies_are_independent():
    m = Layer()
    m.child = Layer(2)
    calls = []
    m.child.register_forward_hook(lambda *args: calls.append(1))
    other = copy.deepcopy(m)
    with torch.no_grad():
        other.child.weight.zero_()
    assert m.child.weight._array.all() and other.child.weight is not m.child.weight
    assert isinstance(other.weight, Parameter) and other.weight.requires_grad
    other.child(torch.ones(1, 2))
    assert calls == [1]
    assert list(other.state_dict()) == list(m.state_dict())


def test_pickled_modules_are_the_same():
    m = Layer()
    m.tied = m.weight
    m.child = m.again = Layer(2)
    m.register_forward_hook(noted)
    m.register_load_state_dict_pre_hook(noted)
    m.eval()
    other = pickle.loads(pickle.dumps(m))
    assert other.tied is other.weight and other.child is other.again and not other.training
    assert len(other._forward_hooks) == len(other._load_state_dict_pre_hooks) == 1
    assert str(other.load_state_dict(m.state_dict())) == "<All keys matched successfully>"
    np.testing.assert_array_equal(other.weight._array, m.weight._array)


def test_loading_counts_as_a_change():
    """What was saved for backward is known to be changed by loading."""
    m = Layer()
    y = (m.weight * m.weight).sum()
    m.load_state_dict(Layer().state_dict())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_frozen_modules_record_nothing():
    m = Layer().requires_grad_(False)
    y = m(torch.ones(1, 3))
    assert y.grad_fn is None and not y.requires_grad
    m.child = Layer(3)
    m.child(y).sum().backward()
    assert m.weight.grad is None and m.child.weight.grad is not None


def test_state_dicts_of_frozen_copies_share_memory():
    m = Layer()
    state = m.state_dict()
    with torch.no_grad():
        m.weight.fill_(7)
    assert (state["weight"]._array == 7).all()


def test_no_hooks_are_left():
    everywhere.check()
    assert not everywhere.active


def test_parameters_take_the_short_way():
    """An operation of a parameter is as plain as that of a tensor: the node is the same."""
    p, t = Parameter(torch.ones(3)), torch.ones(3, requires_grad=True)
    (p * p, t * t)  # the first of a kind takes the long way
    a, b = p * p, t * t
    assert type(a) is type(b) is torch.Tensor
    assert a.grad_fn.quick and b.grad_fn.quick
    assert type(p.exp()) is type(p.sum()) is type(p.t()) is torch.Tensor


def test_subclasses_of_parameters():
    class Own(Parameter):
        pass

    p = Own(torch.ones(2))
    assert type(p) is Own and isinstance(p, Parameter) and type(p + 1) is torch.Tensor
    m = Module()
    m.p = p
    assert m.p is p and list(m.parameters()) == [p]
    assert type(copy.deepcopy(p)) is Own
    q = Parameter(torch.ones(2))
    q.tag = 3
    assert pickle.loads(pickle.dumps(q)).tag == 3


def test_parameters_of_other_tensors():
    class Own(torch.Tensor):
        pass

    p = Parameter(Own(torch.ones(2)))
    assert type(p) is Own and isinstance(p, Parameter) and p.requires_grad
    assert not isinstance(Own(torch.ones(2)), Parameter)
