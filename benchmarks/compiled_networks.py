"""How are the networks of ``training`` written for the compiler? As plain functions of a dict of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad
import ast_ad.torch.nn.functional as F
from benchmarks.training import Task

Params = dict[str, np.ndarray]


def mlp(params, x, labels):
    """Two linear layers; the weights have an input of the layer in each row, as one writes it in NumPy."""
    h = np.maximum(x @ params["0.weight"] + params["0.bias"], 0)
    return F.cross_entropy(h @ params["2.weight"] + params["2.bias"], labels)


def small_conv_net(params, x, labels):
    h = F.max_pool2d(F.relu(F.conv2d(x, params["0.weight"], params["0.bias"])), 2)
    h = F.max_pool2d(F.relu(F.conv2d(h, params["3.weight"], params["3.bias"])), 2)
    h = F.relu(F.linear(h.reshape(len(x), -1), params["7.weight"], params["7.bias"]))
    return F.cross_entropy(F.linear(h, params["9.weight"], params["9.bias"]), labels)


LOSSES: dict[str, Callable[..., Any]] = {"MLP": mlp, "small conv net": small_conv_net}


def arranged(network: str, params: Params) -> Params:
    """A module's parameters as the function has them, and the other way round."""
    if network != "MLP":
        return params
    return {name: np.ascontiguousarray(array.T) for name, array in params.items()}


def trainer(network: str, task: Task, rate: float, momentum: float) -> Callable[[], Any]:
    """A step of gradient descent from the task's weights: the arrays of a dict are changed in place."""
    params = arranged(network, task.parameters())
    x, labels = (t.numpy() for t in task.batch)
    gradient = ast_ad.value_and_grad(LOSSES[network])
    optimizer = ast_ad.optim.SGD(params, lr=rate, momentum=momentum)

    def step() -> Any:
        loss, grads = gradient(params, x, labels)
        optimizer.step(grads)
        return loss

    step.params = params  # type: ignore[attr-defined]
    return step
