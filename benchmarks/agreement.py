"""Do networks train as with PyTorch? Losses and parameters after 1 and 20 steps from the same weights.

    python -m benchmarks.agreement                  # all networks, float64 and float32, side by side
    python -m benchmarks.agreement --networks MLP
    python -m benchmarks.agreement --write docs/networks.md

Stochastic gradient descent with momentum 0.9, batch normalisation in training mode. The table tells the
largest relative error of a loss, and of an entry of the state dict (its largest difference over its largest
number); the exit status is 1 if one is above the bound, 1e-10 for float64 and 1e-4 for float32. The last
column is the same error between two runs of PyTorch, the second one without oneDNN's algorithms: what
rounding alone makes of 20 steps. A deep network with batch normalisation of few images magnifies it from
step to step, the more the larger the steps are; ResNet-18 therefore takes small ones.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

import numpy as np

from benchmarks.report import rewritten
from benchmarks.training import TASKS, Task

BOUNDS = {"float64": 1e-10, "float32": 1e-4}
# Networks that take long are compared on less data.
SIZES: dict[str, dict[str, int]] = {
    "ResNet-18": {"batch": 4, "size": 64},
    "MLP": {"batch": 32},
    "small conv net": {"batch": 8},
    "LSTM": {"batch": 4, "steps": 12},
    "transformer block": {"batch": 4, "steps": 12},
}
STEPS, RATE, RATES = 20, 1e-2, {"ResNet-18": 1e-4}


def trained(
    torch: Any, name: str, dtype: str, steps: int = STEPS
) -> tuple[list[float], list[dict[str, Any]]]:
    """The losses of all steps, and the parameters and buffers after the first and the last one."""
    task: Task = TASKS[name](torch, dtype, **SIZES[name])
    optimizer = torch.optim.SGD(task.model.parameters(), lr=RATES.get(name, RATE), momentum=0.9)
    losses, states = [], []
    for step in range(steps):
        optimizer.zero_grad()
        loss = task.loss()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step in (0, steps - 1):
            states.append({k: v.detach().numpy().copy() for k, v in task.model.state_dict().items()})
    return losses, states


def error_of_losses(ours: list[float], theirs: list[float]) -> float:
    return max(abs(a - b) / max(abs(b), 1e-300) for a, b in zip(ours, theirs, strict=True))


def error_of_states(ours: dict[str, Any], theirs: dict[str, Any]) -> float:
    if list(ours) != list(theirs):
        raise ValueError(f"the entries differ: {list(ours)}, {list(theirs)}")
    worst = 0.0
    for a, b in zip(ours.values(), theirs.values(), strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        size = max(float(np.max(np.abs(b))), 1e-300)
        worst = max(worst, float(np.max(np.abs(a.astype(float) - b.astype(float)))) / size)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--networks", default=",".join(TASKS), help="names, separated by commas")
    parser.add_argument("--write", type=pathlib.Path, help="replace the table in this page")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed: nothing to compare with")
        return 0
    import ast_ad

    lines = [
        "| network | dtype | bound | losses | state, 1 step | state, 20 steps | PyTorch and itself |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    print(*lines, sep="\n")
    wrong = False
    for name in options.networks.split(","):
        for dtype, bound in BOUNDS.items():
            (a, ours), (b, theirs) = trained(ast_ad, name, dtype), trained(torch, name, dtype)
            torch.backends.mkldnn.enabled = False
            _, again = trained(torch, name, dtype)
            torch.backends.mkldnn.enabled = True
            errors = [error_of_losses(a, b), *map(error_of_states, ours, theirs)]
            wrong |= not max(errors) <= bound
            cells = " | ".join(f"{error:.1e}" for error in [*errors, error_of_states(again[-1], theirs[-1])])
            lines.append(f"| {name} | {dtype} | {bound:.0e} | {cells} |")
            print(lines[-1], flush=True)
    if options.write:
        text = "\n".join(lines)
        options.write.write_text(rewritten(options.write.read_text(), text, "benchmarks.agreement"))
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
