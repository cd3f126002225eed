"""What do hooks of saved tensors see, and what do they change?"""

import pytest

import ast_ad
from ast_ad.torch import autograd
from ast_ad.torch.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)


def leaf(*values):
    return ast_ad.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def same(t):
    return t


def as_array(t):
    return t.detach().numpy().copy()


POWERS = {
    "product": (lambda x: x * x * x, [3.0, 12.0], [6.0, 12.0]),
    "power": (lambda x: x**3, [3.0, 12.0], [6.0, 12.0]),
    "with a result": (lambda x: (x**3).log().exp(), [3.0, 12.0], [6.0, 12.0]),
    "in place": (lambda x: (x * 1).pow_(3), [3.0, 12.0], [6.0, 12.0]),
}


@pytest.mark.parametrize("case", POWERS)
def test_what_is_unpacked_keeps_its_place_in_the_graph(case):
    """Second derivatives go through tensors that were on the way as arrays."""
    power, first, second = POWERS[case]
    x = leaf()
    with saved_tensors_hooks(as_array, ast_ad.tensor):
        y = power(x)
    (g,) = autograd.grad(y.sum(), x, create_graph=True)
    (h,) = autograd.grad(g.sum(), x)
    assert g.tolist() == pytest.approx(first) and h.tolist() == pytest.approx(second, rel=1e-5)


def test_what_hooks_see():
    seen = []
    x = leaf()
    a = x * 1

    def pack(t):
        seen.append((t is x, t is a, t.requires_grad, ast_ad.is_grad_enabled()))
        return t

    with saved_tensors_hooks(pack, same):
        y = (a * x).exp()
    assert sorted(seen) == [
        (False, False, True, False),
        (False, True, True, False),
        (True, False, True, False),
    ]
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn


def test_the_innermost_hooks_count():
    x = leaf()
    with saved_tensors_hooks(lambda t: t * 10, same):
        y = x**2
        with saved_tensors_hooks(lambda t: t * 100, same):
            z = x**2
    assert autograd.grad(y.sum(), x)[0].tolist() == [20.0, 40.0]
    assert autograd.grad(z.sum(), x)[0].tolist() == [200.0, 400.0]


def test_a_packed_tensor_may_change():
    x = leaf()
    with saved_tensors_hooks(lambda t: t.clone(), same):
        y = x * x
    with ast_ad.no_grad():
        x.add_(5)
    assert autograd.grad(y.sum(), x)[0].tolist() == [2.0, 4.0]


def test_hooks_of_one_saved_tensor():
    x = leaf()
    y = x**2
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 5, same)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        y.grad_fn._raw_saved_self.register_hooks(same, same)
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 20.0]
    with pytest.raises(
        RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"
    ):
        y.grad_fn._raw_saved_self.register_hooks(same, same)


@pytest.mark.parametrize("make", [leaf, lambda: leaf() * 1])
def test_pack_must_not_change_its_tensor(make):
    x = make()
    with pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"):
        with saved_tensors_hooks(lambda t: t.mul_(2), same):
            x**2


def test_unpack_has_to_return_a_tensor():
    with saved_tensors_hooks(same, lambda t: 3):
        y = leaf() ** 2
    with pytest.raises(
        TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result"
    ):
        y.sum().backward()


def test_hooks_are_off_again_after_an_error():
    x = leaf()
    with pytest.raises(ZeroDivisionError):
        with saved_tensors_hooks(lambda t: 1 / 0, same):
            x**2
    (x**2).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_disabled_hooks():
    with disable_saved_tensors_hooks("outer"):
        with disable_saved_tensors_hooks("inner"):
            pass
        with pytest.raises(RuntimeError, match="outer"):
            with saved_tensors_hooks(same, same):
                pass
    with pytest.raises(RuntimeError, match="too late"):
        with saved_tensors_hooks(same, same), disable_saved_tensors_hooks("too late"):
            pass


def test_ready_made_hooks():
    x = leaf()
    with save_on_cpu(pin_memory=False):
        y = x * x * x
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 12.0]
    x = leaf()
    with allow_mutation_on_saved_tensors():
        a = x * 1
        y = a * a
        a.mul_(0)
        y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
