"""Do optimisers keep to the rules of tensors? Versions, modes, hooks, files, and what they refuse."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import ast_ad as torch
from ast_ad.torch import optim
from ast_ad.torch.optim.optimizer import Optimizer


def param(*values, dtype=None):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def test_a_saved_parameter_that_a_step_changed_is_noticed():
    p = param(1.0, 2.0)
    loss = (p * p).sum()
    p.grad = torch.ones(2)
    optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_steps_are_not_recorded_and_keep_the_array():
    p = param(1.0, 2.0)
    array = p.detach().numpy()
    p.grad = torch.ones(2)
    optim.Adam([p], lr=0.1).step()
    assert p.is_leaf and p.requires_grad and p.grad_fn is None
    assert p.detach().numpy() is array


def test_closures_are_recorded_within_no_grad_and_train():
    p = param(3.0)
    optimizer = optim.SGD([p], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        losses = [optimizer.step(closure).item() for _ in range(3)]
    assert losses == [9.0, 2.25, 0.5625]


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop", "Adagrad"])
def test_parameters_of_any_layout(name, dtype):
    rng = np.random.default_rng(0)
    start, gradient = rng.standard_normal((2, 150, 130)).astype(dtype)
    options = {"momentum": 0.9} if name == "SGD" else {}
    wide = np.zeros((150, 260), dtype)
    layouts = {
        "C": start.copy(),
        "F": np.asfortranarray(start),
        "strided": wide[:, ::2],
        "flipped": start.copy()[::-1, ::-1],
    }
    results = []
    for array in layouts.values():
        array[...] = start
        p = torch.from_numpy(array).requires_grad_() if array.strides[0] > 0 else torch.tensor(0.0)
        p._array = array
        p.requires_grad_()
        optimizer = getattr(optim, name)([p], lr=0.1, **options)
        for k, order in enumerate("CFC"):
            p.grad = torch.from_numpy(np.array(gradient * (k + 1), order=order))
            optimizer.step()
        assert p._array is array
        results.append(array)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    for other in results[1:]:
        np.testing.assert_allclose(other, results[0], rtol=tolerance, atol=tolerance)


def test_a_base_without_a_rule_serves_optimisers_of_users():
    class Halving(Optimizer):
        def __init__(self, params, lr=0.5):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    self.state[p]["seen"] = self.state[p].get("seen", 0) + 1
                    p.mul_(group["lr"])

    p = param(4.0, 8.0)
    optimizer = Halving([p])
    seen = []
    optimizer.register_step_post_hook(lambda *_: seen.append(p.tolist()))
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(2):
        optimizer.step()
        scheduler.step()
    assert seen == [[2.0, 4.0], [0.5, 1.0]]
    assert optimizer.state_dict()["state"] == {0: {"seen": 2}}


def test_pickles_and_copies_train_on():
    p = param(1.0, 2.0)
    optimizer = optim.Adam([p], lr=0.1)
    p.grad = torch.tensor([1.0, -1.0])
    optimizer.step()
    for again in (pickle.loads(pickle.dumps(optimizer)), copy.deepcopy(optimizer)):
        q = again.param_groups[0]["params"][0]
        q.grad = p.grad
        again.step()
        assert q is not p and again.state[q]["step"].item() == 2
        expected = param(1.0, 2.0)
        other = optim.Adam([expected], lr=0.1)
        expected.grad = p.grad
        other.step()
        other.step()
        assert torch.equal(q, expected)


def test_loading_copies_and_takes_arrays():
    p, q = param(1.0), param(1.0)
    first = optim.SGD([p], lr=0.1, momentum=0.9)
    p.grad = torch.ones(1)
    first.step()
    second = optim.SGD([q], lr=0.1)
    second.load_state_dict(first.state_dict())
    first.step()
    assert second.state[q]["momentum_buffer"].item() == 1.0
    stored = {
        "state": {0: {"momentum_buffer": np.array([3.0])}},
        "param_groups": first.state_dict()["param_groups"],
    }
    second.load_state_dict(stored)
    assert second.state[q]["momentum_buffer"].dtype == torch.float32


def test_state_dicts_of_old_have_plain_counts():
    p = param(1.0)
    optimizer = optim.Adam([p])
    group = {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "params": [0]}
    slots = {"step": 4, "exp_avg": torch.zeros(1), "exp_avg_sq": torch.zeros(1)}
    optimizer.load_state_dict({"state": {0: slots}, "param_groups": [group]})
    p.grad = torch.ones(1)
    optimizer.step()
    assert optimizer.state[p]["step"].item() == 5 and optimizer.param_groups[0]["amsgrad"] is False


def test_what_is_refused():
    p = param(1.0)
    with pytest.raises(NotImplementedError, match="differentiable=True"):
        optim.SGD([p], differentiable=True)
    p.grad = torch.ones(1)
    with pytest.raises(AssertionError, match="capturable=True"):
        optim.Adam([p], capturable=True).step()
    with pytest.raises(TypeError, match="closure"):
        optim.LBFGS([p]).step()
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        optim.LBFGS([p], line_search_fn="exact").step(lambda: (p * 0 + 1).sum())


def test_what_is_not_finite_stays_so_without_warnings():
    for name in ("SGD", "Adam", "RMSprop", "Adagrad", "Adamax"):
        p = param(1.0, 1.0, 1.0)
        optimizer = getattr(optim, name)([p], lr=0.1)
        for _ in range(2):
            p.grad = torch.tensor([np.nan, np.inf, 1.0])
            optimizer.step()
        assert not np.isfinite(p.tolist()[0]) and np.isfinite(p.tolist()[2])


def test_rprop_takes_no_step_where_the_gradient_is_nan():
    for n in (1, 1 << 15):  # the NumPy form, and loops
        p = torch.zeros(n, requires_grad=True)
        optimizer = optim.Rprop([p], lr=0.5)
        for slope in (np.nan, 1.0):
            p.grad = torch.full((n,), slope)
            optimizer.step()
        assert p[0].item() == p[-1].item() == -0.5


def test_the_package_stays_light():
    import subprocess
    import sys

    code = (
        "import sys, ast_ad; ast_ad.optim; print('numba' in sys.modules, 'ast_ad.optim.adam' in sys.modules)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"
    )


def test_steps_appear_in_profiles():
    p = param(1.0)
    optimizer = optim.SGD([p], lr=0.1)
    with torch.autograd.profiler.profile() as prof:
        optimizer.step()
        optimizer.zero_grad()
    names = [event.name for event in prof.function_events]
    assert names == ["Optimizer.step#SGD.step", "Optimizer.zero_grad#SGD.zero_grad"]


def test_what_was_saved_may_be_overwritten_where_copies_are_kept():
    p = param(2.0, 3.0)
    p.grad = torch.ones(2)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        loss = (p * p).sum()
        optim.SGD([p], lr=1.0).step()
        p.grad = None
        loss.backward()
    assert p.tolist() == [1.0, 2.0] and p.grad.tolist() == [4.0, 6.0]


# What a group holds, in PyTorch's order.
OPTIONS = {
    "SGD": "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused",
    "ASGD": "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable",
    "Rprop": "lr etas step_sizes foreach maximize differentiable capturable",
    "Adafactor": "lr beta2_decay eps d weight_decay foreach maximize",
    "Muon": "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn",
    "Adagrad": "lr lr_decay eps weight_decay initial_accumulator_value foreach maximize differentiable fused",
    "Adadelta": "lr rho eps weight_decay maximize capturable foreach differentiable",
    "RMSprop": "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable",
    "Adam": "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused "
    "decoupled_weight_decay",
    "AdamW": "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused "
    "decoupled_weight_decay",
    "Adamax": "lr betas eps weight_decay foreach maximize differentiable capturable",
    "NAdam": "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable "
    "differentiable",
    "RAdam": "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable",
    "LBFGS": "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn",
}


@pytest.mark.parametrize("name", OPTIONS)
def test_the_arguments_of_a_constructor_are_the_options_of_a_group(name):
    cls = getattr(optim, name)
    signature = inspect.signature(cls)
    options = [key for key in signature.parameters if key != "params"]
    expected = {key: signature.parameters[key].default for key in options}
    expected |= {"AdamW": {"decoupled_weight_decay": True}, "LBFGS": {"max_eval": 25}}.get(name, {})
    optimizer = cls([param((1.0, 2.0))])
    assert optimizer.defaults == expected and list(optimizer.defaults) == OPTIONS[name].split()
    group = optimizer.param_groups[0]
    assert {key: group[key] for key in group if key != "params"} == expected
    assert cls([param((1.0, 2.0))], lr=0.5).param_groups[0] | {"params": None} == {
        **expected,
        "lr": 0.5,
        "params": None,
    }


@pytest.mark.parametrize("name", sorted({*OPTIONS} - {"LBFGS", "Muon", "Adafactor"}))
def test_bounds_of_options_are_looked_at_in_one_order(name):
    cls = getattr(optim, name)
    for i, first in enumerate(cls._checked):
        wrong = {key: (-1.0, -1.0) if key == "betas" else -1.0 for key in cls._checked[i:]}
        what = {"lr": "learning rate", "eps": "epsilon value", "betas": "beta parameter at index 0"}
        with pytest.raises(ValueError, match=f"Invalid {what.get(first, f'{first} value')}: -1.0"):
            cls([param(1.0)], **wrong)


def singular_values(s, coefficients, steps):
    a, b, c = coefficients
    s = s / np.linalg.norm(s)
    for _ in range(steps):
        s = a * s + b * s**3 + c * s**5
    return s


@pytest.mark.parametrize("shape", [(3, 4), (5, 2), (3, 3)])
@pytest.mark.parametrize("options", [
    {}, {"nesterov": False, "momentum": 0.5}, {"adjust_lr_fn": "match_rms_adamw", "ns_steps": 3},
    {"ns_coefficients": (2.0, -1.5, 0.5), "weight_decay": 0.5, "adjust_lr_fn": "original"},
])  # fmt: skip
def test_muon_changes_the_singular_values_of_an_average(shape, options):
    """By the singular value decomposition, where the optimiser has products of matrices."""
    rng = np.random.default_rng(0)
    expected = rng.normal(size=shape)
    p = torch.tensor(expected, requires_grad=True)
    optimizer = optim.Muon([p], lr=0.1, **options)
    how = optimizer.defaults
    average = np.zeros(shape)
    for _ in range(4):
        grad = rng.normal(size=shape)
        p.grad = torch.tensor(grad)
        optimizer.step()
        keep = how["momentum"]
        average = keep * average + (1 - keep) * grad
        u, s, vh = np.linalg.svd(keep * average + (1 - keep) * grad if how["nesterov"] else average, False)
        o = u * singular_values(s, how["ns_coefficients"], how["ns_steps"]) @ vh
        adamw = how["adjust_lr_fn"] == "match_rms_adamw"
        rate = 0.1 * (0.2 * max(shape) ** 0.5 if adamw else max(1, shape[0] / shape[1]) ** 0.5)
        expected = expected * (1 - 0.1 * how["weight_decay"]) - rate * o
        assert np.allclose(p.detach().numpy(), expected, atol=1e-12)
    assert np.allclose(optimizer.state[p]["momentum_buffer"].numpy(), average)


# Two steps with the gradients p and then 1, of PyTorch 2.13; it rounds to bfloat16.
MUON = [[1.036729097366333, 1.904472827911377], [2.8987741470336914, 3.9379448890686035]]


def test_muon_is_pytorchs_to_bfloat16():
    p = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    optimizer = optim.Muon([p], lr=0.05)
    for grad in (p.detach().clone(), torch.ones(2, 2)):
        p.grad = grad
        optimizer.step()
    assert np.abs(p.detach().numpy() - MUON).max() < 2 * 0.05 * 0.02


MUON_AND_ADAFACTOR = [
    (lambda: optim.Muon([param(1.0)]),
     "Muon only supports 2D parameters whereas we found a parameter with size: torch.Size([1])"),
    (lambda: optim.Muon([torch.ones(2, 2)], adjust_lr_fn="x"),
     "Adjust learning rate function x is not supported"),
    (lambda: optim.Muon([torch.ones(2, 2)], weight_decay=-1), "weight decay should be >= 0 but is: -1"),
    (lambda: optim.Adafactor([param(1.0)], -1), "Learning rate should be >= 0 but is: -1"),
    (lambda: optim.Adafactor([param(1.0)], beta2_decay=1), "beta2_decay should be <= 0 but is: 1"),
    (lambda: optim.Adafactor([param(1.0)], eps=(-1, 0)), "epsilon1 should be >= 0 but is: -1"),
    (lambda: optim.Adafactor([param(1.0)], eps=(None, -1)), "epsilon2 should be >= 0 but is: -1"),
    (lambda: optim.Adafactor([param(1.0)], d=0.5), "Clipping threshold d should be >= 1 but is: 0.5"),
    (lambda: optim.Adafactor([param(1.0)], torch.ones(2)), "Tensor lr must be 1-element"),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(MUON_AND_ADAFACTOR)))
def test_what_muon_and_adafactor_refuse(case):
    call, text = MUON_AND_ADAFACTOR[case]
    with pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value) == text


def test_complex_parameters_are_refused_by_those_that_have_no_rule_for_them():
    for cls in (optim.Muon, optim.Adafactor):
        p = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)
        p.grad = torch.ones(2, 2, dtype=torch.complex64)
        with pytest.raises(RuntimeError, match=f"{cls.__name__} does not support complex parameters"):
            cls([p]).step()
