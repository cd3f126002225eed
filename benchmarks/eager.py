"""What does an eager operation cost? Forward and backward on small arrays, beside PyTorch and HIPS autograd.

    python benchmarks/eager.py            # a table: microseconds an operation, and the ratios of one run
    python benchmarks/eager.py --memory   # memory and garbage over 100,000 training steps

Every program runs on each library that is installed; the times are the smallest of many repetitions of
forward and backward together, divided by the number of operations, on one thread.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import numpy as np  # noqa: E402

STEPS = 40


def arithmetic(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = y * x + 1.5
    return y.sum()


def transcendental(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = lib.sin(y) * lib.exp(-y)
    return y.sum()


def products(x: Any, lib: Any) -> Any:
    a = x.reshape(3, 3)
    y = a
    for _ in range(STEPS):
        y = lib.tanh(a @ y)
    return y.sum()


def indexing(x: Any, lib: Any) -> Any:
    total = x[0] * 0.0
    for i in range(STEPS):
        total = total + x[i % 9] * x[(i + 1) % 9]
    return total


def reductions(x: Any, lib: Any) -> Any:
    y = x
    for _ in range(STEPS):
        y = y - y.mean()
    return (y * y).sum()


# The number of operations in each program, as written.
PROGRAMS = {
    arithmetic: 2 * STEPS + 1,
    transcendental: 4 * STEPS + 1,
    products: 2 * STEPS + 2,
    indexing: 4 * STEPS + 2,
    reductions: 2 * STEPS + 2,
}


def with_tensors(lib: Any) -> Callable[[Any], Callable[[], Any]]:
    """Programs on tensors: of ast_ad, and of PyTorch."""

    def prepare(program: Any) -> Callable[[], Any]:
        x = lib.tensor(np.linspace(0.1, 0.9, 9), requires_grad=True)

        def step() -> Any:
            x.grad = None
            program(x, lib).backward()
            return x.grad

        return step

    return prepare


def with_autograd(lib: Any) -> Callable[[Any], Callable[[], Any]]:
    numpy = importlib.import_module("autograd.numpy")
    x = np.linspace(0.1, 0.9, 9)

    def prepare(program: Any) -> Callable[[], Any]:
        gradient = lib.grad(lambda x: program(x, numpy))
        return lambda: gradient(x)

    return prepare


def libraries() -> dict[str, Callable[[Any], Callable[[], Any]]]:
    """What is installed, ours first."""
    found = {"ast_ad": with_tensors(importlib.import_module("ast_ad"))}
    for name in ("torch", "autograd"):
        try:
            lib = importlib.import_module(name)
        except ImportError:
            continue
        if name == "torch":
            lib.set_num_threads(1)
        found[name] = with_tensors(lib) if name == "torch" else with_autograd(lib)
    return found


def best(steps: list[Callable[[], Any]], repetitions: int = 300) -> list[float]:
    """The smallest time of each step, in seconds; the steps take turns, so that all see the same machine."""
    times = [float("inf")] * len(steps)
    for _ in range(repetitions):
        for i, step in enumerate(steps):
            start = time.perf_counter()
            step()
            times[i] = min(times[i], time.perf_counter() - start)
    return times


def table() -> None:
    names = libraries()
    print(
        f"{'program':16}"
        + "".join(f"{name + ' us/op':>16}" for name in names)
        + "".join(f"{'ast_ad/' + name:>18}" for name in list(names)[1:])
    )
    products_of = np.ones(len(names))
    for program, count in PROGRAMS.items():
        steps = [prepare(program) for prepare in names.values()]
        answers = [np.asarray(step()) for step in steps]
        assert all(np.allclose(a, answers[0]) for a in answers)
        times = best(steps)
        ratios = [times[0] / t for t in times]
        products_of *= ratios
        print(
            f"{program.__name__:16}"
            + "".join(f"{t / count * 1e6:16.2f}" for t in times)
            + "".join(f"{r:18.2f}" for r in ratios[1:])
        )
    means = products_of ** (1 / len(PROGRAMS))
    print(f"{'geometric mean':16}" + " " * 16 * len(names) + "".join(f"{m:18.2f}" for m in means[1:]))


def memory(steps: int = 100_000) -> None:
    """Train a line with the collector off; nothing may grow."""
    import ast_ad

    gc.collect()
    gc.disable()
    x = ast_ad.tensor(np.linspace(-1, 1, 16))
    y = x * 3 + 1
    w, b = (ast_ad.zeros(1, dtype=ast_ad.float64, requires_grad=True) for _ in range(2))
    for i in range(steps):
        loss = ((x * w + b - y) ** 2).mean()
        loss.backward()
        with ast_ad.no_grad():
            for p in (w, b):
                p -= 0.05 * p.grad
                p.grad = None
        if i in (steps // 10, steps - 1):
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"step {i + 1:7}: peak {peak / 1024:.1f} MiB, {gc.collect()} objects in cycles")
    print(f"w = {w.item():.6f}, b = {b.item():.6f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--memory", action="store_true", help="memory over many steps instead of times")
    sys.exit(memory() if parser.parse_args().memory else table())
