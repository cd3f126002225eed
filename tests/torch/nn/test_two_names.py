"""Is what PyTorch has under two names, ``torch`` and ``torch.nn.functional``, one function of tensors?

Nodes and messages are PyTorch 2.13's.
"""

import pytest

import ast_ad.torch as torch
import ast_ad.torch.nn.functional as F

X = [[0.5, -0.25, 2.0], [-1.5, 1.0, 0.75]]
Y = [[1.0, 0.5, -0.5], [0.25, -2.0, 1.5]]
NODES = {
    "celu": ("CeluBackward0", ()),
    "cosine_similarity": ("SumBackward1", (Y,)),
    "hardshrink": ("HardshrinkBackward0", (0.6,)),
    "log_softmax": ("LogSoftmaxBackward0", (0,)),
    "pairwise_distance": ("NormBackward1", (Y,)),
    "pdist": ("PdistBackward0", ()),
    "prelu": ("PreluKernelBackward0", ([0.25, 0.5, 0.75],)),
    "selu": ("EluBackward0", ()),
    "softmax": ("SoftmaxBackward0", (1,)),
    "threshold": ("ThresholdBackward0", (0.6, -3.0)),
}


def result(fn, given):
    """The value of a function, its node, and the gradient of the sum of its squares."""
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)
    rest = [torch.tensor(a, dtype=torch.float64) if isinstance(a, list) else a for a in given]
    found = fn(x, *rest)
    (found * found).sum().backward()
    return found.tolist(), found.grad_fn.name(), x.grad.tolist()


@pytest.mark.parametrize("name", NODES)
def test_both_names_give_the_same_value_node_and_gradient(name):
    node, given = NODES[name]
    found = result(getattr(torch, name), given)
    assert found == result(getattr(F, name), given) and found[1] == node


@pytest.mark.parametrize(("name", "given", "node"), [
    ("celu_", (), "CeluBackward1"), ("selu_", (), "EluBackward1"),
    ("threshold_", (0.6, -3.0), "ThresholdBackward1"),
])  # fmt: skip
def test_both_names_change_in_place_alike(name, given, node):
    for home in (torch, F):
        x = torch.tensor(X, requires_grad=True)
        found = getattr(home, name)(x * 1, *given)
        assert found.grad_fn.name() == node
        assert found.tolist() == getattr(torch, name.rstrip("_"))(x, *given).tolist()


WHOLE = torch.tensor([[1, 2], [3, 4]])
REFUSED = {
    '"celu"': ("celu", (WHOLE,), '"elu_cpu" not implemented for \'Long\''),
    "celu of 0": ("celu", (torch.tensor(X), 0.0), "ZeroDivisionError: alpha cannot be 0 for CELU"),
    "selu": ("selu", (WHOLE,), '"elu_cpu" not implemented for \'Long\''),
    "softmax": ("softmax", (WHOLE, 0), '"softmax_kernel_impl" not implemented for \'Long\''),
    "softmax, last": ("softmax", (WHOLE, 1), '"softmax_lastdim_kernel_impl" not implemented for \'Long\''),
    "log_softmax": ("log_softmax", (WHOLE, 0), '"log_softmax_kernel_impl" not implemented for \'Long\''),
    "threshold": ("threshold", (WHOLE > 2, 0, 1), '"threshold_cpu" not implemented for \'Bool\''),
    "cosine_similarity": (
        "cosine_similarity", (WHOLE, WHOLE),
        "expected common dtype to be floating point, yet common dtype is Long",
    ),
    "prelu": (
        "prelu", (torch.tensor(X), torch.tensor([0.5], dtype=torch.float64)),
        "prelu: Type promoting not supported. Got Float and Double",
    ),
    "pdist": ("pdist", (torch.tensor([1.0]),), "pdist only supports 2D tensors, got: 1D"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("home", [torch, F], ids=["torch", "functional"])
def test_both_names_refuse_in_the_same_words(home, case):
    name, given, text = REFUSED[case]
    with pytest.raises(RuntimeError) as raised:
        getattr(home, name)(*given)
    assert str(raised.value) == text


def test_a_softmax_of_another_dtype_is_one_of_floating_point_numbers():
    for fn in (torch.softmax, F.softmax, torch.log_softmax, F.log_softmax):
        assert fn(WHOLE, 0, dtype=torch.float64).dtype == torch.float64
        with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
            fn(torch.tensor(X), 0, dtype=torch.int64)
