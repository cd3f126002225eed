"""Do programs run that choose devices and precisions? Answers are PyTorch's without an accelerator."""

from __future__ import annotations

import math
from typing import Any

import pytest

import ast_ad as torch


def test_switches() -> None:
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.deterministic = True
    torch.backends.cuda.matmul.allow_tf32 = True
    assert torch.backends.cudnn.benchmark and not torch.backends.mps.is_available()
    torch.use_deterministic_algorithms(True)
    assert torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("high")
    assert torch.get_float32_matmul_precision() == "high"
    with pytest.warns(UserWarning, match="x is not one of"):
        torch.set_float32_matmul_precision("x")
    torch.set_float32_matmul_precision("highest")
    torch.set_default_device("cpu")
    with torch.device("cpu"):
        assert torch.zeros(1).device == torch.get_default_device()
    with pytest.raises(RuntimeError, match="not available"):
        torch.set_default_device("cuda")


def test_cuda_is_absent() -> None:
    torch.cuda.manual_seed_all(0)
    torch.cuda.empty_cache()
    assert not torch.cuda.is_available() and torch.cuda.memory_allocated() == 0
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"):
        torch.cuda.get_device_name()


def test_compile_returns_what_it_is_given() -> None:
    layer = torch.nn.ReLU()
    assert torch.compile(layer) is layer
    assert torch.compile(mode="max-autotune")(math.sin) is math.sin


def test_autocast_warns_and_changes_nothing() -> None:
    with pytest.warns(UserWarning, match="Disabling autocast"), torch.autocast("cpu"):
        assert (torch.ones(1, 1) @ torch.ones(1, 1)).dtype == torch.float32
    with pytest.warns(UserWarning, match="CUDA is not available"):
        torch.autocast("cuda", dtype=torch.float16)
    with pytest.warns(FutureWarning, match="is deprecated"), torch.cuda.amp.autocast(enabled=False):
        pass

    @torch.autocast("cpu", enabled=False)
    def double(x: Any) -> Any:
        return 2 * x

    assert double(1) == 2
    with pytest.raises(ValueError, match="Expected `device_type` of type `str`"):
        torch.autocast(3)


def scaled_step(scaler: Any, factor: float = 1.0) -> tuple[list[float], float]:
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    scaler.scale((w * w * factor).sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    return w.tolist(), scaler.get_scale()


def test_grad_scaler() -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
    assert scaled_step(scaler) == ([0.0], 8.0)
    assert scaled_step(scaler) == ([0.0], 16.0)
    assert scaled_step(scaler, math.inf) == ([1.0], 8.0)
    assert scaler.state_dict()["_growth_tracker"] == 0
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 8.0


def test_grad_scaler_switched_off() -> None:
    with pytest.warns(UserWarning, match="CUDA is not available.  Disabling"):
        scaler = torch.amp.GradScaler()
    assert not scaler.is_enabled() and scaled_step(scaler) == ([0.0], 1.0) and scaler.state_dict() == {}


def test_grad_scaler_out_of_order() -> None:
    w = torch.ones(1, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    scaler = torch.amp.GradScaler("cpu")
    with pytest.raises(AssertionError, match="_scale is None"):
        scaler.step(optimizer)
    scaler.scale(w)
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    w.grad = torch.ones(1)
    with pytest.raises(RuntimeError, match="has already been called on this optimizer"):
        scaler.unscale_(optimizer)


LISTS: list[tuple[Any, Any, list[int]]] = [
    ([torch.ones(1), torch.ones(1)], torch.float32, [2]),
    ([torch.tensor(1), 1.5], torch.float32, [2]),
    ([torch.tensor(1.5, dtype=torch.float64), 1.0], torch.float64, [2]),
    ([[], []], torch.float32, [2, 0]),
]


@pytest.mark.parametrize(("data", "dtype", "shape"), LISTS)
def test_tensor_of_tensors(data: Any, dtype: Any, shape: list[int]) -> None:
    assert torch.tensor(data).dtype == dtype and list(torch.tensor(data).shape) == shape


WRONG: list[tuple[Any, type[Exception], str]] = [
    ([[1, 2], [1]], ValueError, "expected sequence of length 2 at dim 1 (got 1)"),
    ([[[1], [2]], [[1], [2, 3]]], ValueError, "expected sequence of length 1 at dim 2 (got 2)"),
    ([[1], 2], TypeError, "not a sequence"),
    (["a"], ValueError, "too many dimensions 'str'"),
    ([None], RuntimeError, "Could not infer dtype of NoneType"),
    (
        [torch.ones(2), torch.ones(2)],
        ValueError,
        "only one element tensors can be converted to Python scalars",
    ),
]


@pytest.mark.parametrize(("data", "error", "text"), WRONG)
def test_tensor_of_wrong_data(data: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as told:
        torch.tensor(data)
    assert str(told.value) == text


SIZES: list[tuple[Any, str]] = [
    (lambda: torch.zeros(3.5), "zeros(): argument 'size' (position 1) must be tuple of ints, not float"),
    (
        lambda: torch.nn.Linear(2.5, 2),
        "empty(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of "
        'ints,but got float"',
    ),
    (
        lambda: torch.full((2.5,), 1),
        "full(): argument 'size' (position 1) must be tuple of ints, but found element of type float "
        "at pos 0",
    ),
]


@pytest.mark.parametrize(("make", "text"), SIZES)
def test_sizes_are_whole_numbers(make: Any, text: str) -> None:
    with pytest.raises(TypeError) as told:
        make()
    assert str(told.value) == text


def test_normal_makes_leaves() -> None:
    w = torch.normal(0, 0.01, size=(4, 3), requires_grad=True)
    assert w.is_leaf and w.requires_grad


def test_functions_of_networks() -> None:
    x = torch.arange(6.0).view(1, 2, 3)
    assert torch.equal(
        torch.conv1d(x, torch.ones(1, 2, 2)), torch.nn.functional.conv1d(x, torch.ones(1, 2, 2))
    )
    assert torch.layer_norm(x, (3,)).shape == x.shape
    assert not hasattr(torch, "bfloat16")
    with pytest.raises(AttributeError, match="NumPy has no bfloat16"):
        torch.bfloat16  # noqa: B018
