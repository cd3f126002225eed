"""What is recorded of a training run? All losses, and two numbers of every parameter after 1 and 20 steps."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import numpy as np

from benchmarks.training import TASKS

FILE = pathlib.Path(__file__).parent / "recorded" / "trajectories.json"
STEPS, RATE, MOMENTUM = 20, 1e-2, 0.9
RATES = {"ResNet-18": 1e-4}  # larger steps magnify rounding errors
SIZES: dict[str, dict[str, Any]] = {
    "ResNet-18": {"batch": 4, "size": 64, "width": 4},
    "MLP": {"batch": 8, "sizes": (12, 16, 5)},
    "small conv net": {"batch": 4, "size": 14},
    "LSTM": {"batch": 3, "steps": 7, "hidden": 8},
    "transformer block": {"batch": 3, "steps": 6, "width": 8},
}
BOUNDS = {"float64": 1e-10, "float32": 1e-4}


def fingerprint(array: Any) -> list[float]:
    """The mean of the entries' sizes, and a sum with weights that tell the entries apart."""
    flat = np.asarray(array, np.float64).ravel()
    weights = np.cos(np.arange(flat.size) * 0.7)
    return [float(np.abs(flat).mean()), float(flat @ weights) / flat.size]


def task(torch: Any, network: str, dtype: str) -> Any:
    return TASKS[network](torch, dtype, **SIZES[network])


def trained(torch: Any, network: str, dtype: str) -> dict[str, Any]:
    one = task(torch, network, dtype)
    optimizer = torch.optim.SGD(one.model.parameters(), lr=RATES.get(network, RATE), momentum=MOMENTUM)
    losses, states = [], []
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = one.loss()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step in (0, STEPS - 1):
            states.append({k: fingerprint(v.detach().numpy()) for k, v in one.model.state_dict().items()})
    return {"losses": losses, "states": states}


def differences(got: dict[str, Any], expected: dict[str, Any]) -> dict[str, float]:
    """The largest relative errors: of a loss, and of a fingerprint, relative to the parameter's mean size."""
    losses = max(abs(a - b) / abs(b) for a, b in zip(got["losses"], expected["losses"], strict=True))
    worst = 0.0
    for mine, theirs in zip(got["states"], expected["states"], strict=True):
        assert list(mine) == list(theirs)
        for name, (size, total) in theirs.items():
            error = max(abs(mine[name][0] - size), abs(mine[name][1] - total))
            worst = max(worst, error / max(size, 1e-12))
    return {"losses": losses, "parameters": worst}


def recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_text())
    return found
