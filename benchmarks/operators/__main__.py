"""How long does each derivative take, beside the ones by JAX and by hand? ``python -m benchmarks.operators``.

Each has a process of its own, on one core. Values are compared before anything is timed; then all take turns,
and the least time of the processor counts. ``first`` is what the first call costs; ``auto`` is what a user
gets who names no backend, after three seconds of calls.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import time
from typing import Any

ROUNDS, SHORTEST = 15, 0.02
HEAD = ("derivative", "numba", "numpy", "auto", "jax", "hand", "to jax", "to hand", "first", "jax's first")


def sample(call: Any, repeats: int) -> float:
    time.sleep(0.01)  # JAX's threads look for work a little longer, and would count
    start = time.process_time()
    for _ in range(repeats):
        call()
    return (time.process_time() - start) / repeats


def measured(name: str) -> list[str]:
    import numpy as np

    import ast_ad
    from benchmarks.operators import Operator

    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    one = Operator(name)
    args = one.arguments()
    calls: dict[str, Any] = {}
    firsts, results = {}, {}
    for backend in ("numba", "numpy", "auto"):
        derivative = one.by(ast_ad, one.primal, backend=backend)
        calls[backend] = lambda derivative=derivative: derivative(*args)
    if one.hand is not None:
        calls["hand"] = lambda: one.hand(*args)
    try:
        calls["jax"] = one.by_jax()(*args)
    except ImportError:
        pass
    for tool, call in calls.items():
        start = time.process_time()
        results[tool] = np.asarray(call())
        firsts[tool] = time.process_time() - start
    for tool, result in results.items():
        scale = np.max(np.abs(results["numba"]))
        if not np.max(np.abs(result - results["numba"])) <= 1e-8 * scale:
            raise ValueError(f"{name}: {tool} differs by {np.max(np.abs(result - results['numba'])) / scale}")
    stop = time.process_time() + 3.0
    while time.process_time() < stop:  # until it has found kernels worth their price
        calls["auto"]()
    for call in calls.values():  # the first calls still find their short way
        sample(call, 5)
    repeats = {
        tool: max(1, round(SHORTEST / max(min(sample(call, 5) for _ in range(3)), 1e-7)))
        for tool, call in calls.items()
    }
    best = {tool: sample(call, repeats[tool]) for tool, call in calls.items()}
    for _ in range(ROUNDS):
        for tool, call in calls.items():
            best[tool] = min(best[tool], sample(call, repeats[tool]))
    times = [
        f"{1e6 * best[tool]:.1f}" if tool in best else "-"
        for tool in ("numba", "numpy", "auto", "jax", "hand")
    ]
    ratios = [f"{best['auto'] / best[tool]:.2f}" if tool in best else "-" for tool in ("jax", "hand")]
    return [
        name,
        *times,
        *ratios,
        *(f"{firsts[tool]:.2f}" if tool in firsts else "-" for tool in ("numba", "jax")),
    ]


def main(chosen: list[str]) -> None:
    import ast_ad
    from benchmarks.operators import operators

    print("| " + " | ".join(HEAD) + " |  us of the processor; firsts in s", flush=True)
    # An installed package has its bytecode, so that no first call reads its source.
    compileall.compile_dir(os.path.dirname(ast_ad.__file__), quiet=1)
    for name in chosen or operators():
        subprocess.run([sys.executable, "-m", __package__, "--one", name], check=False)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print("| " + " | ".join(measured(sys.argv[2])) + " |", flush=True)
    else:
        main(sys.argv[1:])
