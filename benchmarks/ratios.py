"""What does a gradient cost, as a multiple of its function? Against gradients by hand, autograd and JAX."""

from __future__ import annotations

import importlib
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from workloads import Workload, with_numpy, workloads

Gradient = Callable[..., Any]
SECONDS = 0.3


def by_ast_ad(workload: Workload) -> Gradient:
    return importlib.import_module("ast_ad").grad(workload.primal, backend="numpy")


def by_hand(workload: Workload) -> Gradient:
    return workload.gradient


def by_autograd(workload: Workload) -> Gradient:
    autograd = importlib.import_module("autograd")
    numpy = importlib.import_module("autograd.numpy")
    return autograd.grad(with_numpy(workload.functional or workload.primal, numpy))


def by_jax(workload: Workload) -> Gradient:
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    if not workload.compiles:
        raise NotImplementedError("compiling would unroll the loop")
    function = with_numpy(workload.functional or workload.primal, importlib.import_module("jax.numpy"))
    static = tuple(k for k, arg in enumerate(workload.args) if isinstance(arg, int))
    compiled = jax.jit(jax.grad(function), static_argnums=static)
    return lambda *args: compiled(*args).block_until_ready()


TOOLS = {"ast_ad": by_ast_ad, "hand": by_hand, "autograd": by_autograd, "jax": by_jax}


def seconds(function: Gradient, args: tuple[Any, ...]) -> float:
    """The best time of one call."""
    function(*args)
    best, stop = math.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < stop:
        start = time.perf_counter()
        function(*args)
        best = min(best, time.perf_counter() - start)
    return best


def ratio(workload: Workload, make: Callable[[Workload], Gradient], unit: float) -> tuple[str, str]:
    """The table's cell, and a reason where it is a dash."""
    try:
        gradient = make(workload)
        got = np.asarray(gradient(*workload.args))
    except Exception as error:  # not installed, or refuses the program
        return "-", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    expected = workload.gradient(*workload.args)
    if not np.allclose(got, expected, rtol=1e-9, atol=1e-9 * np.max(np.abs(expected))):
        return "WRONG", "differs from the gradient written by hand"
    return f"{seconds(gradient, workload.args) / unit:.1f}", ""


def main() -> None:
    warnings.simplefilter("ignore")
    print(f"{'gradient / function':28}{'function':>10}" + "".join(f"{tool:>10}" for tool in TOOLS))
    reasons = []
    for workload in workloads():
        unit = seconds(workload.primal, workload.args)
        cells = []
        for tool, make in TOOLS.items():
            cell, why = ratio(workload, make, unit)
            cells.append(f"{cell:>10}")
            reasons += [f"{workload.name}, {tool}: {why}"] if why else []
        print(f"{workload.name:28}{1e6 * unit:7.0f} us" + "".join(cells), flush=True)
    print(*reasons, sep="\n")


if __name__ == "__main__":
    main()
