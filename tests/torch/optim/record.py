"""Record what PyTorch, where it is there, computes for the cases: ``python -m tests.torch.optim.record``."""

import json
import pathlib
import warnings

import numpy as np
import torch

from . import behaviours, cases

FOLDER = pathlib.Path(__file__).parent / "recorded"


def listed(array: np.ndarray) -> list[float]:
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype).tolist()


def layout(optimizer: torch.optim.Optimizer) -> dict[str, object]:
    stored = optimizer.state_dict()
    return {
        "repr": repr(optimizer),
        "groups": [[*group] for group in stored["param_groups"]],
        "state": {
            number: {name: [str(value.dtype), list(value.shape)] for name, value in slots.items()}
            for number, slots in stored["state"].items()
        },
    }


def main() -> None:
    warnings.simplefilter("ignore")
    steps = {}
    for case in cases.CASES:
        kept = cases.trajectory(torch, *case)
        resumed = cases.trajectory(torch, *case, resumed=True)
        steps[cases.key(*case)] = {
            "steps": {t: [listed(a) for a in arrays] for t, arrays in kept.items()},
            "resumed": [listed(a) for a in resumed[20]],
        }
    layouts = {}
    for name in cases.OPTIONS:
        params, optimizer = cases.start(torch, name, len(cases.OPTIONS[name]) - 1, "float64")
        for p in params:
            p.grad = torch.ones_like(p)
        optimizer.step()
        layouts[name] = layout(optimizer)
    lbfgs = {
        f"{i} {d}": cases.quasi_newton(torch, i, d)
        for i in range(len(cases.SEARCHES))
        for d in cases.DTYPES[:2]
    }
    curves = {
        f"{name} {kind}": cases.curve(torch, name, kind)
        for name in cases.SCHEDULERS
        for kind in ("SGD", "Adam")
    }
    late = {name: cases.curve(torch, name, "SGD", last_epoch=4) for name in cases.RESUMABLE}
    plateaus = [cases.plateau(torch, i) for i in range(len(cases.PLATEAUS))]
    schedulers = {"curves": curves, "resumed": late, "plateaus": plateaus}
    said = {source: behaviours.outcome(torch, source) for source in behaviours.SOURCES}
    files = {"steps": steps, "layouts": layouts, "lbfgs": lbfgs, "schedulers": schedulers, "behaviours": said}
    for file, value in files.items():
        (FOLDER / f"{file}.json").write_text(json.dumps(value, indent=None, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
