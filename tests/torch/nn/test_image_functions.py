"""Are functions of images right in every way of calling: checks by differences, layouts, arrays, compiled?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ast_ad
import ast_ad.torch.nn.functional as F
from ast_ad.rules.loops import has_numba

Function = Callable[..., Any]


def draw(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).normal(size=shape)


X, W, B = draw(2, 4, 4, 5), draw(4), draw(4) + 1

ONE: dict[str, Function] = {
    "batch_norm": lambda x: F.batch_norm(x, None, None, None, None, True),
    "instance_norm": lambda x: F.instance_norm(x),
    "layer_norm": lambda x: F.layer_norm(x, (4, 5)),
    "group_norm": lambda x: F.group_norm(x, 2),
    "rms_norm": lambda x: F.rms_norm(x, (5,)),
    "local_response_norm": lambda x: F.local_response_norm(x, 3),
    "max_pool2d": lambda x: F.max_pool2d(x, 3, 2, 1),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 3, 2, 1, True, False),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, (3, 2)),
    "adaptive_avg_pool2d to one": lambda x: F.adaptive_avg_pool2d(x, 1),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, (3, 2)),
    "pad": lambda x: F.pad(x, (1, 2, 0, 1)),
    "pad by reflection": lambda x: F.pad(x, (1, 2, 0, 1), mode="reflect"),
    "pad around": lambda x: F.pad(x, (1, 2, 0, 1), mode="circular"),
    "pixel_shuffle": lambda x: F.pixel_shuffle(x, 2),
    "channel_shuffle": lambda x: F.channel_shuffle(x, 2),
    "interpolate": lambda x: F.interpolate(x, scale_factor=2),
    "interpolate linearly": lambda x: F.interpolate(x, (7, 3), mode="bilinear", align_corners=False),
    "interpolate by area": lambda x: F.interpolate(x, (3, 2), mode="area"),
    "unfold": lambda x: F.unfold(x, 2),
}


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("name", ONE)
def test_checks(name: str) -> None:
    x = ast_ad.tensor(draw(2, 4, 4, 5), requires_grad=True)
    assert ast_ad.autograd.gradcheck(ONE[name], (x,))
    assert ast_ad.autograd.gradgradcheck(ONE[name], (x,))


@pytest.mark.parametrize("name", ["batch_norm", "instance_norm", "group_norm"])
def test_checks_with_weights(name: str) -> None:
    def normalised(x: Any, w: Any, b: Any) -> Any:
        if name == "group_norm":
            return F.group_norm(x, 2, w, b)
        if name == "batch_norm":
            return F.batch_norm(x, None, None, w, b, True)
        return F.instance_norm(x, None, None, w, b)

    args = tuple(ast_ad.tensor(a, requires_grad=True) for a in (draw(2, 4, 3), W, B))
    assert ast_ad.autograd.gradcheck(normalised, args)
    assert ast_ad.autograd.gradgradcheck(normalised, args)


@pytest.mark.parametrize("name", ONE)
def test_memory_in_another_order(name: str) -> None:
    """Pixels of all channels together, and every second one, give what a copy gives."""
    wide = draw(2, 4, 4, 10)[..., ::2]
    for x in (wide, X.transpose(0, 2, 3, 1).copy().transpose(0, 3, 1, 2)):
        results = []
        for array in (x, np.ascontiguousarray(x)):
            t = ast_ad.tensor(array, requires_grad=True)
            t = ast_ad.from_numpy(array).requires_grad_()
            y = ONE[name](t)
            y.backward(ast_ad.tensor(draw(*y.shape)))
            results.append((y.detach().numpy(), t.grad.numpy()))
        np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(results[0][1], results[1][1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ONE)
def test_arrays_are_as_tensors(name: str) -> None:
    for dtype in (np.float32, np.float64):
        found, expected = ONE[name](X.astype(dtype)), ONE[name](ast_ad.tensor(X.astype(dtype)))
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected.numpy(), rtol=1e-5 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize("name", ONE)
def test_single_precision_stays(name: str) -> None:
    x = ast_ad.tensor(X.astype(np.float32), requires_grad=True)
    y = ONE[name](x)
    (y * y).sum().backward()
    assert y.dtype == x.grad.dtype == ast_ad.float32


@pytest.mark.drawn(of=2)
@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_compiled(backend: str) -> None:
    if backend == "numba" and not has_numba():
        pytest.skip("there is no Numba")

    def network(x: Any, w: Any, b: Any) -> Any:
        y = F.batch_norm(x, None, None, w, b, True)
        y = F.max_pool2d(np.maximum(y, 0), 3, 2, 1)
        y = F.layer_norm(F.avg_pool2d(y, 2), (1,), eps=1.0) + F.group_norm(F.pad(y, (0, -2, 1, -2)), 2)
        return np.sum(F.adaptive_avg_pool2d(y, 1) ** 2)

    args = draw(3, 4, 6, 6), W, B
    compiled = ast_ad.value_and_grad(network, argnums=(0, 1, 2), backend=backend, fallback="error")
    value, grads = compiled(*args)
    tensors = [ast_ad.tensor(a, requires_grad=True) for a in args]
    y = F.batch_norm(tensors[0], None, None, tensors[1], tensors[2], True)
    y = F.max_pool2d(y.relu(), 3, 2, 1)
    y = F.layer_norm(F.avg_pool2d(y, 2), (1,), eps=1.0) + F.group_norm(F.pad(y, (0, -2, 1, -2)), 2)
    loss = (F.adaptive_avg_pool2d(y, 1) ** 2).sum()
    loss.backward()
    np.testing.assert_allclose(value, loss.item(), rtol=1e-10)
    for found, t in zip(grads, tensors, strict=True):
        np.testing.assert_allclose(found, t.grad.numpy(), rtol=1e-9, atol=1e-9)


def test_arrays_of_running_moments_move() -> None:
    mean, var = np.zeros(4), np.ones(4)
    F.batch_norm(X, mean, var, training=True, momentum=1.0)
    np.testing.assert_allclose(mean, X.mean((0, 2, 3)))
    np.testing.assert_allclose(var, X.var((0, 2, 3), ddof=1))


def test_compiled_running_moments_are_the_callers_business() -> None:
    """A gradient call changes no argument; what the function returns has moved."""

    def loss(x: Any, mean: Any, var: Any) -> Any:
        y = F.batch_norm(x, mean, var, None, None, True, 1.0)
        return np.sum(y**3), (mean, var)

    mean, var = np.zeros(4), np.ones(4)
    run = ast_ad.value_and_grad(loss, argnums=0, has_aux=True, backend="numpy", fallback="error")
    (_, (new_mean, new_var)), _ = run(X, mean, var)
    assert not mean.any()
    np.testing.assert_allclose(new_mean, X.mean((0, 2, 3)))
    np.testing.assert_allclose(new_var, X.var((0, 2, 3), ddof=1))


def test_what_batch_norm_keeps() -> None:
    """The input, the moments and the weight; not the result."""
    y = F.batch_norm(
        ast_ad.tensor(X, requires_grad=True), None, None, ast_ad.tensor(W), ast_ad.tensor(B), True
    )
    kept = [v for v in y.grad_fn.values if isinstance(v, np.ndarray) and v.strides[0]]
    assert sum(v.nbytes for v in kept) <= X.nbytes + 4 * W.nbytes


@pytest.mark.parametrize(
    ("fn", "text"),
    [
        (lambda: F.batch_norm(np.ones((1, 3)), None, None, training=True), "more than 1 value per channel"),
        (lambda: F.batch_norm(X, np.zeros(4), np.ones(3)), "running_var should contain 4 elements not 3"),
        (lambda: F.batch_norm(X, None, None, None, np.ones(1), True), "bias should contain 4 elements not 1"),
        (lambda: F.layer_norm(X, (4,)), "expected input with shape"),
        (lambda: F.layer_norm(X, (5,), np.ones(1)), "Expected weight to be of same shape"),
        (lambda: F.rms_norm(X, (4,)), "expected input with shape"),
        (lambda: F.group_norm(X, 3), "divisible by num_groups"),
        (lambda: F.group_norm(X, 2, np.ones(1)), "Expected weight to be a vector"),
        (lambda: F.pad(X, (1, 1, 1, 1), "reflect", 2.0), "take in value argument"),
        (lambda: F.max_pool2d(X, 9), "Output size is too small"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(fn: Any, text: str) -> None:
    with pytest.raises((RuntimeError, ValueError), match=text):
        fn()


def test_compiled_code_refuses_what_does_not_fit() -> None:
    run = ast_ad.value_and_grad(lambda x: np.sum(F.layer_norm(x, (4,)) ** 2), backend="numpy")
    with pytest.raises(RuntimeError, match="expected input with shape"):
        run(X)


def test_nan_is_the_largest_and_the_first_of_equals_counts() -> None:
    x = ast_ad.tensor([[[1.0, float("nan"), 2.0, 2.0, 2.0, 1.0]]], requires_grad=True)
    y, places = F.max_pool1d(x, 3, return_indices=True)
    assert places.tolist() == [[[1, 3]]]
    y[0, 0, 1].backward()
    assert x.grad.tolist() == [[[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]]]


def test_infinity_stays_in_its_window() -> None:
    x = np.array([[[1.0, np.inf, 2.0, 4.0, 5.0]]])
    assert F.adaptive_avg_pool1d(x, 2).tolist() == [[[np.inf, 11 / 3]]]


def test_a_window_without_elements_is_refused() -> None:
    with pytest.raises(RuntimeError, match="all its taps in the padding"):
        F.max_pool2d(np.zeros((1, 1, 1, 1)), 2, 1, 1, 2)
